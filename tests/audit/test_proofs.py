"""Proofs hold, and changed ones do not: by their digests, or, where these were made anew, by the checker."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from banister.audit import (
    Proof,
    prove_channel,
    prove_decoder,
    prove_domination,
    prove_line,
    prove_noise,
    prove_rule,
    verify,
)
from banister.audit.checkers import channel, envelope
from banister.audit.verifying import checked
from banister.core.exact.numbers import Bracket, ball, exp_ball, precision
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local import design
from banister.mechanisms.integers.decoder import Decoder
from banister.mechanisms.integers.tabulated import TabulatedNoise
from banister.parties import Game, conjunction, majority

RESPONSE = (("3/4", "1/4"), ("1/4", "3/4"))
HALVES = (("1/2", "1/2"), ("1/3", "2/3"))
DIVERGENCES = ("kl", "reverse-kl", "jeffreys", "jensen-shannon", "total-variation", "chi-square", "hellinger")
LAWS = ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])


def made() -> dict[str, Proof]:
    return {
        "noise": prove_noise(epsilon=1, delta="1e-3", sensitivity=2, cost="squared"),
        "noise-power": prove_noise(epsilon="0.5", delta="0.01", sensitivity=2, cost="1.5"),
        "noise-zero-one": prove_noise(epsilon=1, delta="0.01", sensitivity=2, cost="zero-one"),
        "line": prove_line(epsilon=1, delta="1e-3", cost="absolute", parts=3),
        "line-squared": prove_line(epsilon=1, delta="1e-2", cost="squared", parts=3),
        "channel": prove_channel(epsilon=1, utility="mutual-information", prior=[0.5, 0.3, 0.2]),
        "rule": prove_rule(Game(majority(3), [1, 1, "1/2"])),
        "decoder": prove_decoder(Decoder.best(epsilon="0.2", largest=6, aim="worst")),
        "bayes": prove_decoder(Decoder.best(epsilon="0.2", largest=6, aim="average", cost="squared")),
        "pair": prove_domination(RESPONSE, HALVES),
        "no-pair": prove_domination(HALVES, RESPONSE),
    } | {name: prove_channel(epsilon=1, utility=name, between=LAWS) for name in DIVERGENCES}


PROOFS = made()


def number(proof: Proof, name: str) -> float:
    return float(Fraction(str(proof.claim[name])))


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_holds_and_says_so(name: str, tmp_path: Path) -> None:
    path = PROOFS[name].save(tmp_path / "it.proof")
    assert verify(path) == PROOFS[name].says()


@pytest.mark.parametrize("name", PROOFS)
def test_both_ends_are_close(name: str) -> None:
    claim = PROOFS[name].claim
    if "bound" in claim:
        other = "kept" if "kept" in claim else "reached"
        gap = abs(number(PROOFS[name], other) - number(PROOFS[name], "bound"))
        assert gap <= (0.05 if name.startswith("line") else 1e-6) * number(PROOFS[name], other)


@pytest.mark.parametrize("name", PROOFS)
def test_one_changed_byte_is_refused(name: str) -> None:
    """Every byte of a short proof, and many of a long one, each turned into another digit, letter or mark."""
    text = PROOFS[name].text()
    for place in range(0, len(text), max(1, len(text) // 150)):
        other = "7" if text[place] != "7" else "8"
        with pytest.raises(BadValue):
            checked(text[:place] + other + text[place + 1 :])
        with pytest.raises(BadValue):
            checked(text[:place] + text[place + 1 :])


def test_the_place_of_a_change_is_named(tmp_path: Path) -> None:
    body = json.loads(PROOFS["noise"].text())
    body["witness"]["prices"][1][3] += 1
    path = tmp_path / "changed.proof"
    path.write_text(json.dumps(body, sort_keys=True, separators=(",", ":")) + "\n")
    with pytest.raises(BadValue, match=r'changed\.proof is refused: "witness\.prices\[1\]" does not have the digest'):
        verify(path)


def moved(proof: Proof, part: str, name: str, value: Any) -> str:
    """The proof with one thing changed and all digests made anew, as a forger would."""
    parts = {"claim": dict(proof.claim), "witness": dict(proof.witness)}
    parts[part][name] = value
    return envelope.sealed(proof.kind, parts["claim"], parts["witness"])


FORGED = [
    *(
        (name, "claim", "reached", "999/1000", "claim.reached")
        for name in ("noise", "noise-power", "line", "line-squared")
    ),
    *(
        (name, "claim", "reached", "1001/1000", "claim.reached")
        for name in ("noise-zero-one", "rule", "decoder", "bayes")
    ),
    *(
        (name, "claim", "bound", "1001/1000", "claim.bound")
        for name in ("noise", "noise-power", "noise-zero-one", "line")
    ),
    *((name, "claim", "bound", "1001/1000", "claim.bound") for name in ("line-squared", "rule", "decoder", "bayes")),
    *((name, "claim", "kept", "1001/1000", "claim.kept") for name in ("channel", *DIVERGENCES)),
    *((name, "claim", "bound", "999/1000", "claim.bound") for name in ("channel", *DIVERGENCES)),
]


@pytest.mark.parametrize(("name", "part", "field", "factor", "place"), FORGED)
def test_a_claim_that_is_a_thousandth_too_good_is_refused(name, part, field, factor, place) -> None:
    proof = PROOFS[name]
    times = Fraction(factor) if field != "reached" else Fraction(999, 1000)
    with pytest.raises(BadValue, match=place):
        checked(moved(proof, part, field, str(Fraction(str(proof.claim[field])) * times)))


@pytest.mark.parametrize("name", ["noise", "line", "channel", "kl"])
def test_a_smaller_epsilon_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match=r"witness\."):
        checked(moved(PROOFS[name], "claim", "epsilon", "9/10"))


def test_a_law_that_does_not_add_up_is_refused() -> None:
    masses = json.loads(PROOFS["noise"].text())["witness"]["masses"]
    masses[1] += 1
    with pytest.raises(BadValue, match=r"witness\.masses do not add up"):
        checked(moved(PROOFS["noise"], "witness", "masses", masses))
    with pytest.raises(BadValue, match=r"witness\.masses\[0\] is not a whole number"):
        checked(moved(PROOFS["noise"], "witness", "masses", ["1/2", *masses[1:]]))


def test_lower_prices_are_refused() -> None:
    prices = [str(Fraction(p) * Fraction(99, 100)) for p in json.loads(PROOFS["channel"].text())["witness"]["prices"]]
    with pytest.raises(BadValue, match="too low for the set of categories"):
        checked(moved(PROOFS["channel"], "witness", "prices", prices))


def test_a_matrix_that_misses_the_second_pair_is_refused() -> None:
    matrix = [["1/2", "1/2"], ["1/4", "3/4"]]
    with pytest.raises(BadValue, match=r"does not turn the first pair into claim\.second\[0\]\[0\]"):
        checked(moved(PROOFS["pair"], "witness", "matrix", matrix))
    with pytest.raises(BadValue, match=r"witness\.matrix\[1\] does not add up"):
        checked(moved(PROOFS["pair"], "witness", "matrix", [["7/12", "5/12"], ["1/4", "2/4"]]))
    with pytest.raises(BadValue, match=r"witness\.weight does not show"):
        checked(moved(PROOFS["no-pair"], "witness", "weight", "0"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[]", '"format" is not'),
        ("{" * 100_000, "not JSON|nested"),
        ('{"format": 1.5}', "only whole numbers"),
        ('{"format":"banister proof 1"}', "must have the keys"),
        (envelope.sealed("nothing", {}, {}), '"kind" is not one of'),
        (envelope.sealed("noise", {}, {}), "claim.sensitivity is not a whole number"),
        (envelope.sealed("line", {}, {}), "claim.cost"),
        (envelope.sealed("channel", {"epsilon": 1, "kept": 0, "bound": 1}, {}), "claim.utility"),
        (envelope.sealed("rule", {"reached": 0, "bound": 0}, {}), "claim.law"),
        (envelope.sealed("domination", {}, {}), "claim.first"),
        (envelope.sealed("channel", {"epsilon": 1000, "kept": 0, "bound": 1}, {}), "between 0 and 100"),
    ],
)
def test_what_is_no_proof_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        checked(text)


@pytest.mark.parametrize("kind", ["channel", "domination", "line", "noise", "release", "rule"])
def test_a_number_of_endless_digits_is_refused_and_not_worked_out(kind: str) -> None:
    endless = dict.fromkeys(("epsilon", "delta", "sensitivity", "kept", "bound", "reached"), "1e999999999")
    law = ["1e999999999"]
    claim: dict[str, object] = {**endless, "first": [law, law], "second": [law, law], "guarantee": endless}
    with pytest.raises(BadValue):
        checked(envelope.sealed(kind, claim, {"epsilons": law, "draws": [{}]}))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="does not exist"):
        verify(tmp_path / "nothing.proof")
    with pytest.raises(BadValue, match="cannot be read as a file"):
        verify(tmp_path)
    (tmp_path / "bytes").write_bytes(b"{\xff")
    with pytest.raises(BadValue, match="byte 1 is not text"):
        verify(tmp_path / "bytes")


def test_the_numbers_are_those_of_the_package() -> None:
    """Two roads: the proof against what the mechanisms, designs and games say."""
    noise, bound = TabulatedNoise.least_with_bound(
        epsilon=1, delta="1e-3", sensitivity=2, cost="squared", solver=HighsSolver()
    )
    assert number(PROOFS["noise"], "reached") == pytest.approx(noise.risk(), rel=1e-9)
    assert number(PROOFS["noise"], "bound") == pytest.approx(bound, rel=1e-9)
    for name in DIVERGENCES:
        kept = design(epsilon=1, utility=name, between=LAWS)
        assert number(PROOFS[name], "kept") == pytest.approx(kept.utility, rel=1e-7)
    game = Game(majority(3), [1, 1, "1/2"])
    assert 1 - number(PROOFS["rule"], "reached") == pytest.approx(game.accuracy("worst"), abs=1e-8)


def test_logarithms_and_exponentials_are_enclosed() -> None:
    with precision(600):
        for x in (Fraction(1, 3), Fraction(2), Fraction(10**9, 7), Fraction(1, 10**12), Fraction(1)):
            low, high = channel.log_bounds(x)
            truth = Bracket.of_ball(ball(x).log())
            assert ball(low) <= ball(x).log() <= ball(high) or low == high == 0
            assert high - low < Fraction(1, 10**28)
            assert low <= Fraction(truth.up)
        for x in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(37, 2), Fraction(100)):
            low, high = channel.exp_bounds(x)
            assert ball(low) <= exp_ball(x) <= ball(high)
            assert (high - low) / high < Fraction(1, 10**60)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: prove_noise(epsilon=1, delta=0, sensitivity=1), "delta = 0"),
        (lambda: prove_noise(epsilon=1, delta="0.1", sensitivity=1, cost=lambda x: abs(x) > 2), "has no proof"),
        (lambda: prove_line(epsilon=1, delta="0.1", cost=3), "has no proof on the line"),
        (lambda: prove_channel(epsilon=1, utility="kl"), "Give either between"),
        (lambda: prove_channel(epsilon=1, utility="kl", prior=[0.5, 0.5]), "needs two hypotheses"),
        (lambda: prove_channel(epsilon=1, utility="nothing", between=LAWS), "must be one of: kl"),
        (lambda: prove_channel(epsilon=1, utility="mutual-information", prior=[1 / 13] * 13), "up to 12 categories"),
        (lambda: prove_rule(Game(majority(9), [1] * 9)), "up to 8 parties"),
        (lambda: prove_rule(Game(conjunction(2), [(1, "0.1"), 1])), "levels without delta"),
        (lambda: prove_decoder(Decoder.best(epsilon=1, largest=3, aim="worst", cost="1.5")), "has no proof"),
    ],
)
def test_what_has_no_proof_is_refused_with_what_has(call, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        call()
