"""Totals, lists of questions and calibration at the front door."""

from fractions import Fraction
from pathlib import Path

import pytest

import banister as bn
from banister.accounting.totals.figures import draw_figures
from banister.accounting.totals.total import account
from banister.accounting.totals.written import read_questions
from banister.errors import BadValue
from banister.mechanisms import Geometric, Laplace


def test_thirty_questions_from_the_front_door() -> None:
    total = bn.compose([bn.Guarantee(0.1, 0.001)] * 30)
    assert total.epsilon(delta=0.04) == pytest.approx(0.99745583, abs=1e-8)
    bracket = total.bracket(delta=0.04)
    assert bracket.down <= bracket.up == total.epsilon(delta=0.04)
    assert total.delta(epsilon=1.0) >= total.delta_bracket(epsilon=1.0).down
    assert total.region().delta_at(1).up == pytest.approx(total.delta(epsilon=1.0))


def test_mechanisms_guarantees_and_counts_mix() -> None:
    mixed = bn.compose([(Laplace(epsilon=0.05, sensitivity=1), 500), bn.Guarantee("0.1"), Geometric(epsilon="0.1")])
    assert [count for _, count in mixed.loss.terms] == [500, 2]
    assert mixed == bn.compose([(bn.PrivacyLoss.laplace(Fraction(0.05)), 500), (bn.Guarantee("0.1"), 2)])


@pytest.mark.parametrize(
    ("releases", "words"),
    [([0.1], "A float cannot be charged"), ([(bn.Guarantee(1), 0)], "count = 0"), ([(bn.Guarantee(1), 1.5)], "whole")],
)
def test_what_is_no_release_is_refused(releases, words) -> None:
    with pytest.raises(BadValue, match=words):
        bn.compose(releases)


def test_an_account_compares_the_exact_total_with_the_theorems() -> None:
    found = account("100 x (0.1, 0)", delta="1e-6")
    basic, advanced, simplified = found.forms
    assert found.exact.up == pytest.approx(4.7746, abs=1e-4)
    assert (basic.epsilon, advanced.epsilon, simplified.epsilon) == pytest.approx((10, 6.3082, 5.7561), abs=1e-4)
    assert found.gain(advanced) == pytest.approx(6.3082 / 4.7746, rel=1e-4)


def test_every_mechanism_can_be_written_down() -> None:
    text = (
        "2 x laplace(0.05), staircase(0.3, gamma=0.4), 3*gaussian(sigma=8, sensitivity=2), geometric(1/10), pure(1), "
    )
    text += "0.5"
    found = read_questions(text)
    assert [q.count for q in found] == [2, 1, 3, 1, 1, 1]
    assert found[2].loss == bn.PrivacyLoss.gaussian(Fraction(1, 16))
    assert found[3].loss == bn.PrivacyLoss.pure(Fraction(1, 10))
    assert found[5].loss == bn.PrivacyLoss.pure(Fraction(1, 2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty place"),
        ("3 x ", "is not a mechanism|is not a question|empty place|epsilon"),
        ("3 x (0.1", "do not match"),
        ("3 x 0.1)", "do not match"),
        ("5 x rumba(1)", "'rumba' is not a mechanism"),
        ("laplace(0.1, 2)", "needs a name"),
        ("laplace(sigma=3)", "Its parameters are: epsilon"),
        ("(1, 2, 3)", "is not a question"),
        ("laplace(-1)", "epsilon = -1"),
        ("0 x (1, 0)", "number of questions = 0"),
    ],
)
def test_a_list_that_cannot_be_read_says_why(text, words) -> None:
    with pytest.raises(BadValue, match=words):
        read_questions(text)


def test_calibration_at_the_front_door() -> None:
    each = bn.calibrate(total=bn.Guarantee(1, 1e-6), questions=100)
    assert float(each.epsilon) == pytest.approx(0.024011, abs=1e-6)
    assert bn.compose([(each, 100)]).delta(epsilon=1) <= 1e-6
    with_delta = bn.calibrate(total=bn.Guarantee(1, 1e-6), questions=100, delta_each=5e-9)
    assert with_delta.epsilon < each.epsilon
    assert bn.compose([(with_delta, 100)]).delta(epsilon=1) <= 1e-6
    with pytest.raises(BadValue, match="Lower delta_each"):
        bn.calibrate(total=bn.Guarantee(1, 1e-6), questions=100, delta_each=1e-6)


def test_scales_of_noise_keep_the_total() -> None:
    total = bn.Guarantee(2, 1e-5)
    scale = bn.calibrate_laplace(total=total, questions=20, sensitivity=3)
    assert bn.compose([(bn.PrivacyLoss.laplace(3 / scale), 20)]).delta(epsilon=2) <= 1e-5
    variance = bn.calibrate_gaussian(total=total, questions=20, sensitivity=3)
    assert bn.compose([(bn.PrivacyLoss.gaussian(9 / variance), 20)]).delta(epsilon=2) <= 1e-5


def test_an_explanation_follows_from_the_region() -> None:
    meaning = bn.explain(bn.Guarantee(1, 1e-6))
    assert dict(meaning.detection)[Fraction(1, 20)] == pytest.approx(1e-6 + 2.718281828 / 20, rel=1e-9)
    assert dict(meaning.suspicion)[Fraction(1, 2)] == pytest.approx(0.7310585786, rel=1e-9)
    assert "13.6 % of the true cases" in str(meaning)
    assert all(len(line) <= 79 for line in str(meaning).splitlines())
    assert "nothing is promised" not in str(bn.explain(bn.Guarantee(1)))


def test_a_total_is_explained_by_its_own_region() -> None:
    total = bn.compose([(bn.Guarantee("0.1"), 100)])
    meaning = bn.explain(total, delta=Fraction(1, 10**6))
    worst = bn.explain(bn.Guarantee(total.epsilon(delta="1e-6"), "1e-6"))
    assert all(a[1] <= b[1] for a, b in zip(meaning.detection, worst.detection, strict=True))


def test_pictures_are_drawn_by_one_call(tmp_path: Path) -> None:
    assert [path.stat().st_size > 1000 for path in draw_figures(tmp_path)] == [True] * 3
    bn.compose([bn.Guarantee(1)]).plot(tmp_path / "one.png")
    assert (tmp_path / "one.png").exists()
    with pytest.raises(BadValue, match="must end in one of"):
        bn.compose([bn.Guarantee(1)]).plot(tmp_path / "one.gif")
    with pytest.raises(BadValue, match="There is no folder"):
        draw_figures(tmp_path / "none")
    with pytest.raises(BadValue, match="no folder"):
        bn.compose([bn.Guarantee(1)]).plot(tmp_path / "none" / "one.png")
