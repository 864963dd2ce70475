import mpmath
import numpy as np
import pytest

from banister.core.laws.utility import (
    CHI_SQUARE,
    DIVERGENCES,
    HELLINGER,
    JEFFREYS,
    JENSEN_SHANNON,
    KL,
    REVERSE_KL,
    TOTAL_VARIATION,
    Divergence,
    divergence,
    divergence_after,
    entropy,
    favoured_information,
    hockey_stick,
    log_excess,
    mutual_information,
    power,
)
from banister.errors import BadValue

P, Q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.25, 0.35])


@pytest.mark.parametrize(
    ("kind", "formula"),
    [
        (KL, lambda p, q: (p * np.log(p / q)).sum()),
        (REVERSE_KL, lambda p, q: (q * np.log(q / p)).sum()),
        (JEFFREYS, lambda p, q: ((p - q) * np.log(p / q)).sum()),
        (TOTAL_VARIATION, lambda p, q: abs(p - q).sum() / 2),
        (CHI_SQUARE, lambda p, q: ((p - q) ** 2 / q).sum()),
        (HELLINGER, lambda p, q: 1 - np.sqrt(p * q).sum()),
        (
            JENSEN_SHANNON,
            lambda p, q: ((p * np.log(2 * p / (p + q))).sum() + (q * np.log(2 * q / (p + q))).sum()) / 2,
        ),
        (hockey_stick(1.5), lambda p, q: np.maximum(p - 1.5 * q, 0).sum()),
        (hockey_stick(0.5), lambda p, q: np.maximum(p - 0.5 * q, 0).sum() - 0.5),
        (power(0.3), lambda p, q: 1 - (p**0.3 * q**0.7).sum()),
        (Divergence.of_convex("mine", lambda t: t * np.log(t)), lambda p, q: (p * np.log(p / q)).sum()),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_each_divergence_is_its_textbook_formula(kind: Divergence, formula) -> None:
    assert float(kind.between(P, Q)) == pytest.approx(float(formula(P, Q)), rel=1e-12)


@pytest.mark.parametrize("u", [-1.0, -0.5, -1e-3, -1e-6, 1e-12, 3e-4, 9.9e-4, 1.1e-3, 0.5, 20.0])
def test_log_excess_keeps_full_accuracy(u: float) -> None:
    with mpmath.workdps(60):
        x = mpmath.mpf(u)
        truth = mpmath.mpf(1) if u == -1 else (1 + x) * mpmath.log1p(x) - x
    assert float(log_excess(np.array([u]))[0]) == pytest.approx(float(truth), rel=2e-9 if abs(u) < 2e-3 else 1e-13)


def test_information_of_a_staircase_column_is_that_of_its_channel() -> None:
    prior, epsilon = np.array([0.5, 0.3, 0.2]), 1.3
    e = np.exp(epsilon)
    matrix = np.where(np.eye(3, dtype=bool), e, 1) / (e + 2)
    assert mutual_information(prior, matrix) == pytest.approx(
        float(favoured_information(epsilon, prior).sum() / (e + 2)), rel=1e-12
    )


def test_data_processing_never_adds() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        channel, after = rng.dirichlet(np.ones(4), size=3), rng.dirichlet(np.ones(3), size=4)
        p, q = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3))
        assert mutual_information(p, channel @ after) <= mutual_information(p, channel) + 1e-14
        for kind in DIVERGENCES:
            assert divergence_after(kind, channel @ after, p, q) <= divergence_after(kind, channel, p, q) + 1e-14


def test_entropy_of_a_fair_coin_is_log_two() -> None:
    assert entropy(np.array([0.5, 0.5, 0.0])) == pytest.approx(np.log(2))


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(BadValue, match="utility = 'klm' must be one of: kl, reverse-kl"):
        divergence("klm")
    assert divergence("chi-square") is CHI_SQUARE


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda t: -(t**2) + 1, "must be convex"),
        (lambda t: t**2, "must be 0 at ratio 1"),
        (lambda t: np.zeros(3), "one finite number for each ratio"),
    ],
)
def test_functions_that_make_no_divergence_are_refused(f, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        Divergence.of_convex("mine", f)


def test_the_order_of_a_power_is_between_zero_and_one() -> None:
    with pytest.raises(BadValue, match=r"order = 1\.5"):
        power(1.5)
