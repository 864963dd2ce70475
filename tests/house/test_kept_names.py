"""Names that people could use before the house was built anew go on working."""

import importlib

import pytest
import typer

from banister.apps.cli import build

NAMES = {
    "banister": """
        AsYouGo BanisterError BudgetExceeded Comparison Cost Dataset DiscreteGaussian DiscreteLaplace ExponentialChoice
        Gaussian Geometric Grid Guarantee Guard Independent IntegerStaircase IntegerVectorStaircase Laplace Ledger Moves
        Neighbours OnGrid Over PermuteAndFlip PrivacyLoss PrivacyRegion RoundedGaussian SketchWish Staircase
        StaircaseChoice TabulatedNoise Total Touches TruncatedStaircase Uniform VectorStaircase answer_cut
        answer_variance calibrate calibrate_gaussian calibrate_laplace compose explain least_noise local open parties
        plan_sanitize plan_wide read_declaration sanitize sanitize_wide sketch_graph sketch_matrix spread
    """,
    "banister.local": """
        Certificate Channel Divergence Errors Estimate HadamardResponse Intervals Likelihood MatrixChannel
        RandomizedResponse Reports SubsetSelection UnaryEncoding Verdict binary_for_information binary_for_testing
        contraction design design_average design_bins design_convex design_distortion design_robust design_worst
        errors_with geometric hockey_stick information_cap information_up kl_up least_mistakes
        one_bit_information_factor one_bit_testing_factor one_bit_threshold people_needed power quaternary test
        total_variation_kept
    """,
    "banister.parties": """
        Curves Decision Game JointFunction Meeting NumberReport Outcome PublicCoin Score SumEstimate Symbol
        TwoPartyProtocol TwoPartyQuestion Verdict View WorstCase and_accuracy answer_plan argmax best_protocol
        coalition_view coincident_reveals conjunction curator_accuracy curves decide_meeting disjunction estimate_sum
        formula function_of hamming_distance invite majority majority_limit mean number_report of_table open_meeting
        protocol_average protocol_delta public_coin public_key seeded sum_squared_error threshold total
        two_party_and_worst views_together xor xor_accuracy xor_or_and
    """,
    "banister.spread": """
        Adaptive Advice Dandelion Diffusion Estimate Flooding Graph Hybrid InfiniteTree Line LinkedPosts Located
        Preferential Row SnapshotAdversary SnapshotAndSpies SpreadRun SpyAdversary Study StudyResult Suspect Tree advise
        detection draw_all generators load_graph locate parse_adversary parse_protocol run_spread
    """,
}
COMMANDS = """
    account, budget, calibrate, demo, distortion, explain, figures, ledger create, ledger history, ledger show,
    ledger verify, local compare, local design, local estimate, local example, local gallery, local respond, local
    show, local test, noise, parties decide, parties figure, parties invite, parties key, parties plan, parties
    respond, parties view, plan, release, sanitize, sketch cut, sketch graph, sketch matrix, sketch variance, spread
    advise, spread attack, spread figures, spread locate, spread run, version
"""


@pytest.mark.parametrize("door", NAMES)
def test_every_name_is_still_there(door: str) -> None:
    module = importlib.import_module(door)
    gone = [name for name in NAMES[door].split() if not hasattr(module, name)]
    assert not gone


def test_every_command_is_still_there() -> None:
    root = typer.main.get_command(build())
    for words in COMMANDS.replace("\n", " ").split(","):
        found = root
        for word in words.split():
            found = found.commands[word]  # type: ignore[attr-defined]
