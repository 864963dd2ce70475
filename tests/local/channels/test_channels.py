"""Every kind of channel, asked the same questions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.local.channels import ALL as KINDS
from banister.local.channels import for_frequencies, strips, subset
from banister.local.channels.base import Channel, Reports
from banister.local.channels.every_set import EverySet
from banister.local.channels.finite_fields import walsh
from banister.local.channels.hadamard import BASES, HadamardResponse
from banister.local.channels.matrix import MatrixChannel, geometric, quaternary
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection, next_prime
from banister.local.channels.support import SupportChannel, counting_error
from banister.local.channels.unary import UnaryEncoding
from tests.local.seeded import SeededBits, WordsFrom

E = float(np.e)
ALL = [example for kind in KINDS for example in kind.examples()]
PURE = [channel for channel in ALL if channel.guarantee.delta == 0]
FREQUENCIES = [c for c in PURE if isinstance(c, SupportChannel) and c.rank == c.categories]


def names(channel: Channel) -> str:
    return f"{channel.kind}-{channel.categories}-{channel.outputs}"


@pytest.mark.parametrize("channel", ALL, ids=names)
def test_rows_sum_to_one(channel: Channel) -> None:
    assert np.allclose(channel.matrix.sum(axis=1), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("channel", PURE, ids=names)
def test_no_ratio_exceeds_the_level(channel: Channel) -> None:
    matrix = channel.matrix
    ratio = float((matrix.max(axis=0) / matrix.min(axis=0)).max())
    assert ratio <= np.exp(channel.level) * (1 + 1e-13)
    assert channel.level <= 1


@pytest.mark.parametrize("channel", FREQUENCIES, ids=names)
def test_structured_channels_attain_their_level(channel: Channel) -> None:
    matrix = channel.matrix
    assert float((matrix.max(axis=0) / matrix.min(axis=0)).max()) == pytest.approx(E, rel=1e-12)


@pytest.mark.parametrize("channel", ALL, ids=names)
def test_draws_follow_the_matrix(channel: Channel) -> None:
    bits, n = SeededBits(7), 60_000
    for x in range(channel.categories):
        values = channel.respond(np.full(n, x), bits).values
        if channel.packed:
            unpacked = np.unpackbits(values.view(np.uint8), axis=1, count=channel.categories)
            values = unpacked @ (1 << np.arange(channel.categories - 1, -1, -1))
        expected = channel.matrix[x] * n
        used = expected > 0
        counts = np.bincount(values, minlength=channel.outputs)
        assert counts[~used].sum() == 0
        statistic = float(((counts - expected)[used] ** 2 / expected[used]).sum())
        assert chi2.sf(statistic, int(used.sum()) - 1) > 1e-5


@pytest.mark.parametrize("channel", [c for c in ALL if not c.packed], ids=names)
def test_the_law_of_outputs_and_its_transpose_are_the_matrix(channel: Channel) -> None:
    rng = np.random.default_rng(3)
    law, weights = rng.dirichlet(np.ones(channel.categories)), rng.random(channel.outputs)
    operators = channel.operators(channel.respond(np.zeros(9, dtype=int)).values)
    assert np.allclose(channel.output_law(law), law @ channel.matrix, rtol=0, atol=1e-15)
    assert np.allclose(operators.backward(weights), channel.matrix @ weights, rtol=1e-12)


@pytest.mark.parametrize("channel", FREQUENCIES, ids=names)
def test_the_estimate_is_unbiased_for_every_law(channel: Channel) -> None:
    """The expected support of v is keep·P(v) + spill·(1 - P(v)), read off the matrix."""
    estimates = []
    for x in range(channel.categories):
        shares = np.rint(channel.matrix[x] * 10**6).astype(int)
        if channel.packed:
            continue
        values = np.repeat(np.arange(channel.outputs), shares)
        estimates.append(channel.estimate(values).frequencies)
    if estimates:
        assert np.allclose(estimates, np.eye(channel.categories), rtol=0, atol=1e-3)


def test_a_coin_of_two_cells_is_compared_with_the_exact_threshold() -> None:
    channel = RandomizedResponse(1, 2)
    words = np.arange(1 << 16, dtype=np.uint16)
    words[47910] = 0  # The one word whose first 16 bits do not decide; ⌊2^16 e/(e + 1)⌋ = 47910.
    kept = channel.draw(np.zeros(1 << 16, dtype=np.int64), WordsFrom(words)) == 0
    assert int(np.floor(2**16 * E / (E + 1))) == 47910
    assert int(kept.sum()) == 47910 + 1


def test_matrix_draws_switch_exactly_at_their_whole_thresholds() -> None:
    channel = geometric(Fraction(1, 2), 5)
    for x in range(5):
        ends = np.cumsum(channel.weights[x])
        words = np.stack((ends[:-1] - 1, ends[:-1]), axis=1).ravel().astype(np.uint64) << np.uint64(2)
        drawn = channel.draw(np.full(8, x), WordsFrom(words))
        assert drawn.tolist() == [0, 1, 1, 2, 2, 3, 3, 4]


def test_pairs_of_categories_share_equally_many_sets() -> None:
    channel = SubsetSelection(1, 11, 4)
    holds = channel.matrix > channel.matrix.mean()
    together = holds.astype(int) @ holds.T.astype(int)
    assert set(np.diag(together)) == {10 * 4}
    assert set(together[~np.eye(11, dtype=bool)]) == {4 * 3}


@pytest.mark.parametrize("base", BASES)
def test_any_two_directions_share_equally_many_vectors(base: int) -> None:
    channel = HadamardResponse(1, 9, base=base)
    orthogonal = (channel.matrix > channel.matrix.mean()).astype(int)
    together = orthogonal @ orthogonal.T
    assert set(np.diag(together)) == {channel.outputs // base}
    assert set(together[~np.eye(9, dtype=bool)]) == {channel.outputs // base**2}


@pytest.mark.parametrize("base", BASES)
def test_orthogonal_reports_are_counted_as_their_products_say(base: int) -> None:
    channel = HadamardResponse(1, 60, base=base)
    values = channel.respond(np.arange(60).repeat(5), SeededBits(4)).values
    products = channel._field.products(channel._directions()[:, None], values[None, :], channel.length)
    assert channel.supports(values).tolist() == (products == 0).sum(axis=1).tolist()


def test_ranks_of_sets_are_their_places_among_all_sets() -> None:
    channel = EverySet(1, 9, 4)
    sets = channel._unranked(np.arange(channel.outputs), 9, 4)
    assert sorted(map(tuple, sets.tolist())) == list(combinations(range(9), 4))
    assert channel._ranked(sets).tolist() == list(range(126))
    holds = (channel.matrix > channel.matrix.mean()).astype(int)
    together = holds @ holds.T
    assert set(np.diag(together)) == {56}
    assert set(together[~np.eye(9, dtype=bool)]) == {21}


def test_sets_that_no_number_codes_are_refused() -> None:
    with pytest.raises(BadValue, match=r"57 categories have more than 2\^53 sets of size 28, .* Use SubsetSelection"):
        EverySet(1, 57, 28)
    with pytest.raises(BadValue, match="too many to hold the law of"):
        EverySet(1, 56, 28).output_law(np.full(56, 1 / 56))


def test_an_unknown_base_is_refused() -> None:
    with pytest.raises(BadValue, match="base = 6 must be one of: 2, 3, 4, 5, 7, 8, 11, 13, 16, 23, 32, 47, 64, 1"):
        HadamardResponse(1, 5, base=6)


@pytest.mark.parametrize("k", [2, 3, 4, 50, 300])
@pytest.mark.parametrize("people", [1, 7, 400, 2000])
def test_members_listed_windows_slid_and_strips_cut_count_the_same(
    k: int, people: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(k + people)
    for size in {1, max(1, k // 3), next_prime(k) - 1}:
        channel = SubsetSelection(1, k, size)
        p, values = channel.prime, rng.integers(0, channel.outputs, people)
        slopes, offsets = values // p + 1, values % p
        slow = [int(((slopes * v + offsets) % p < size).sum()) for v in range(k)]
        for block in (1 << 18, 200):
            monkeypatch.setattr(subset, "_BLOCK", block)
            monkeypatch.setattr(strips, "_BLOCK", block)
            for way in (channel.supports, channel._listed, channel._slid, channel._cut):
                assert way(values).tolist() == slow


def test_strips_are_cut_where_listing_and_sliding_are_slow() -> None:
    """20 000 reports of 10^5 categories took 4 s of n·p steps, against 0.2 s of p √n."""
    channel = SubsetSelection.least_error(1, 100_000)
    values = np.random.default_rng(3).integers(0, channel.outputs, 20_000)
    found = channel.supports(values)
    assert np.array_equal(found, channel._cut(values))
    slopes, offsets = values // channel.prime + 1, values % channel.prime
    for v in (0, 1, 49_999, 99_999):
        assert found[v] == ((slopes * v + offsets) % channel.prime < channel.size).sum()
    times = subset._nanoseconds(20_000, channel.prime, channel.size)
    assert min(times) == times[2] < 0.5e9


@pytest.mark.parametrize("epsilon", [0.1, 1, 3, 5])
def test_the_size_of_least_error_is_the_best_of_all_sizes(epsilon: float) -> None:
    for k in (2, 9, 16, 38, 284):
        chosen = SubsetSelection.least_error(epsilon, k)
        sizes = [SubsetSelection(epsilon, k, size) for size in range(1, chosen.prime)]
        best = min(counting_error(k, each.keep, each.spill) for each in sizes)
        assert counting_error(k, chosen.keep, chosen.spill) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(
    ("channel", "variance"),
    [
        (RandomizedResponse(1, 1024), 347.0),
        (SubsetSelection.least_variance(1, 1024), 3.674),
        (UnaryEncoding(1, 1024), 3.683),
        (HadamardResponse(1, 1024), 4.683),
        (HadamardResponse.least_variance(1, 1024), 3.692),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_variances_at_frequency_zero_are_those_of_the_literature(channel: Channel, variance: float) -> None:
    spill = getattr(channel, "spill", 0)
    keep = getattr(channel, "keep", 0.5)
    assert spill * (1 - spill) / (keep - spill) ** 2 == pytest.approx(variance, rel=2e-3)


@pytest.mark.parametrize("kind", for_frequencies(), ids=lambda kind: kind.kind)
def test_epsilon_zero_says_nothing_and_refuses_to_estimate(kind: type[SupportChannel]) -> None:
    silent = kind.for_frequencies(0, 5)
    assert silent.level == 0
    assert np.allclose(silent.matrix, silent.matrix[0], rtol=0, atol=1e-15)
    with pytest.raises(BadValue, match=r"says nothing \(epsilon = 0\)"):
        silent.estimate(silent.respond([0, 1, 2]))


@pytest.mark.parametrize("epsilon", [50, 1000])
def test_very_large_epsilon_reports_the_truth(epsilon: int) -> None:
    answers = np.arange(5)
    assert RandomizedResponse(epsilon, 5).respond(answers).values.tolist() == [0, 1, 2, 3, 4]
    assert SubsetSelection.least_variance(epsilon, 5).size == 1
    with pytest.raises(BadValue, match=f"epsilon = {epsilon} is above 30"):
        geometric(epsilon, 5)


@pytest.mark.parametrize("channel", ALL, ids=names)
def test_bad_answers_are_refused(channel: Channel) -> None:
    k = channel.categories
    with pytest.raises(BadValue, match=f"1 of 2 answers are outside the alphabet.* from 0 to {k - 1}"):
        channel.respond([0, k])
    with pytest.raises(BadValue, match="Answers must be whole numbers"):
        channel.respond([0.5])  # type: ignore[list-item]


def test_an_error_about_answers_does_not_show_them() -> None:
    with pytest.raises(BadValue) as caught:
        RandomizedResponse(1, 5).respond([0, 987654])
    assert "987654" not in str(caught.value)


@pytest.mark.parametrize("channel", ALL, ids=names)
def test_bad_reports_are_refused(channel: Channel) -> None:
    good = channel.respond([0])
    with pytest.raises(BadValue, match=f"another channel .hash abc, this one is {channel.hash[:12]}"):
        channel.estimate(Reports("abc", good.values))
    with pytest.raises(BadValue, match="There are no reports"):
        channel.estimate(good.values[:0])
    with pytest.raises(BadValue, match="Reports of this channel are"):
        channel.estimate(np.array([-1]))


def test_stray_bits_of_a_unary_report_are_refused() -> None:
    with pytest.raises(BadValue, match="a bit beyond category 4"):
        UnaryEncoding(1, 5).estimate(np.array([[-1]]))


def test_one_cell_says_nothing() -> None:
    channel = RandomizedResponse(1, 3, cell_of=np.zeros(3, dtype=int))
    assert channel.respond([0, 1, 2]).values.tolist() == [0, 0, 0]
    assert channel.level == 0


def test_two_answers_give_away_twice_as_much() -> None:
    assert RandomizedResponse(1, 5).loss().times(2).epsilon_at(0).holds(2)


def test_one_answer_is_one_report() -> None:
    assert len(HadamardResponse(1, 5).respond(3)) == 1


def test_hashes_tell_channels_apart() -> None:
    assert len({channel.hash for channel in ALL}) == len(ALL)
    assert RandomizedResponse("1", 5).hash == RandomizedResponse(1.0, 5).hash


def test_channels_that_were_not_designed_have_no_certificate() -> None:
    with pytest.raises(BadValue, match="was not designed for a utility"):
        _ = RandomizedResponse(1, 5).utility


def test_large_alphabets_refuse_a_dense_matrix() -> None:
    with pytest.raises(BadValue, match="The matrix would have 100000 x 100000 entries"):
        _ = RandomizedResponse(1, 100_000).matrix
    with pytest.raises(BadValue, match="too many to hold the law of"):
        SubsetSelection.least_variance(1, 100_000).output_law(np.ones(1))
    with pytest.raises(BadValue, match="not offered for unary encoding"):
        UnaryEncoding(1, 5).maximum_likelihood(UnaryEncoding(1, 5).respond([1]))


def test_groups_refuse_to_estimate_their_members() -> None:
    channel = RandomizedResponse(1, 3, cell_of=np.array([0, 1, 1]))
    with pytest.raises(BadValue, match="tells 2 groups of categories apart"):
        channel.estimate(channel.respond([0, 1, 2]))
    with pytest.raises(BadValue, match="a cell, numbered from 0 without gaps"):
        RandomizedResponse(1, 3, cell_of=np.array([0, 2, 2]))
    with pytest.raises(BadValue, match="one of the 1 rows of the matrix"):
        MatrixChannel(np.array([[1 << 62]]), Guarantee(1), cell_of=np.array([0, 1]))


def test_a_matrix_of_lower_rank_refuses_to_estimate() -> None:
    channel = MatrixChannel.of_matrix([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5]], 1)
    with pytest.raises(BadValue, match="tells 2 things apart, not 3 categories"):
        channel.estimate(channel.respond([0, 1, 2]))


def test_a_matrix_is_held_to_its_claim() -> None:
    with pytest.raises(BadValue, match=r"level 1\.09861229, above the claimed epsilon = 1"):
        MatrixChannel.of_matrix([[0.75, 0.25], [0.25, 0.75]], 1)
    with pytest.raises(BadValue, match=r"level 1\.09861229, above the claimed epsilon = 1"):
        MatrixChannel(np.array([[3, 1], [1, 3]]) << 60, Guarantee(1))
    with pytest.raises(BadValue, match=r"needs delta = 0\.75"):
        MatrixChannel(np.array([[1, 0], [1, 3]]) * np.array([[1 << 62], [1 << 60]]), Guarantee(1, 0.3))
    with pytest.raises(BadValue, match="no finite epsilon holds"):
        MatrixChannel.at_true_level([[1.0, 0.0], [0.5, 0.5]])
    with pytest.raises(BadValue, match=r"not an array of shape \(2,\)"):
        MatrixChannel.at_true_level([0.5, 0.5])
    assert MatrixChannel.at_true_level([[0.75, 0.25], [0.25, 0.75]]).level == pytest.approx(np.log(3))


def test_the_quaternary_channel_is_exactly_within_epsilon_and_delta() -> None:
    channel = quaternary(1, Fraction(1, 20))
    assert channel.guarantee == Guarantee(1, Fraction(1, 20))
    rows = channel.matrix
    assert abs(rows[0] - rows[1]).sum() / 2 == pytest.approx(0.05 + 0.95 * np.tanh(0.5), rel=1e-12)


@pytest.mark.parametrize("categories", [2, 3, 10])
def test_the_geometric_channel_uses_its_whole_level(categories: int) -> None:
    channel = geometric(1, categories)
    assert channel.level <= 1
    assert channel.level == pytest.approx(1, rel=1e-9)


def test_walsh_transform_is_its_definition() -> None:
    x = np.arange(8)
    signs = (-1.0) ** np.bitwise_count(x[:, None] & x)
    assert np.allclose(walsh(x.astype(float)), signs @ x)


def test_next_prime() -> None:
    assert [next_prime(n) for n in (2, 3, 4, 1000, 7919)] == [2, 3, 5, 1009, 7919]
