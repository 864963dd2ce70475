"""What a report still tells: f-divergences between hypotheses, and mutual information.

A channel's utility is a sum over its outputs of a function of the two masses that the hypotheses give the output,
m₁ f(m₀/m₁). Each divergence here is written as a function of m₁ and the difference m₀ - m₁, less the multiple of
the difference that makes it non-negative: that multiple sums to 0 over the outputs of every channel ([K16] Eq. 3.8),
and without it nothing is lost to cancellation when epsilon is small.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from banister.core.programs.linear import Floats
from banister.errors import BadValue

Gain = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, slots=True)
class Divergence:
    """An f-divergence between two hypotheses.

    `gain(m₁, m₀ - m₁)` is m₁ f(m₀/m₁) up to a multiple of m₀ - m₁; it takes arrays and must be convex in both.

    >>> KL.between(np.array([0.5, 0.5]), np.array([0.25, 0.75])).round(6)
    np.float64(0.143841)
    """

    name: str
    gain: Gain

    @classmethod
    def of_convex(cls, name: str, f: Callable[[Floats], Floats]) -> "Divergence":
        """The divergence of any convex f with f(1) = 0; `f` takes and gives arrays."""
        probe = np.linspace(0.01, 4.0, 400)
        values = np.asarray(f(probe), dtype=np.float64)
        if values.shape != probe.shape or not np.all(np.isfinite(values)):
            raise BadValue(f"The function f of the divergence '{name}' must give one finite number for each ratio.")
        if abs(float(np.asarray(f(np.ones(1)))[0])) > 1e-9:
            raise BadValue(f"The function f of the divergence '{name}' must be 0 at ratio 1. Subtract f(1).")
        if np.min(np.diff(values, 2)) < -1e-9 * max(1.0, float(np.abs(values).max())):
            raise BadValue(f"The function f of the divergence '{name}' must be convex.")
        return cls(name, lambda m1, d: m1 * np.asarray(f((m1 + d) / m1), dtype=np.float64))

    def between(self, masses0: Floats, masses1: Floats) -> np.float64:
        """The divergence of two laws given by their masses; infinite values are not avoided."""
        used = (masses0 > 0) | (masses1 > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.float64(self.gain(masses1[used], masses0[used] - masses1[used]).sum())


def log_excess(u: Floats) -> Floats:
    """(1 + u) ln(1 + u) - u to full relative accuracy, also near 0."""
    small = np.abs(u) < 1e-3
    near = np.where(small, u, 0.0)
    series = near * near * (1 / 2 - near * (1 / 6 - near * (1 / 12 - near * (1 / 20 - near / 30))))
    far = np.where(small, 1.0, u)
    with np.errstate(divide="ignore", invalid="ignore"):
        direct = np.where(far <= -1, 1.0, (1 + far) * np.log1p(far) - far)
    return np.where(small, series, direct)


def _kl(m1: Floats, d: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(m1 > 0, m1 * log_excess(d / m1), np.inf)


def _jensen_shannon(m1: Floats, d: Floats) -> Floats:
    middle = m1 + d / 2
    return (_kl(middle, d / 2) + _kl(middle, -d / 2)) / 2


def _hellinger(m1: Floats, d: Floats) -> Floats:
    result: Floats = d * d / (2 * (np.sqrt(m1 + d) + np.sqrt(m1)) ** 2)
    return result


KL = Divergence("kl", _kl)
REVERSE_KL = Divergence("reverse-kl", lambda m1, d: _kl(m1 + d, -d))
JEFFREYS = Divergence("jeffreys", lambda m1, d: _kl(m1, d) + _kl(m1 + d, -d))
JENSEN_SHANNON = Divergence("jensen-shannon", _jensen_shannon)
TOTAL_VARIATION = Divergence("total-variation", lambda m1, d: np.abs(d) / 2)
CHI_SQUARE = Divergence("chi-square", lambda m1, d: d * d / m1)
HELLINGER = Divergence("hellinger", _hellinger)

DIVERGENCES = (KL, REVERSE_KL, JEFFREYS, JENSEN_SHANNON, TOTAL_VARIATION, CHI_SQUARE, HELLINGER)
MUTUAL_INFORMATION = "mutual-information"


def divergence(name: str | Divergence) -> Divergence:
    """The divergence of that name; one of the user's own is taken as it is."""
    if isinstance(name, Divergence):
        return name
    for known in DIVERGENCES:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in DIVERGENCES)
    raise BadValue(f"utility = '{name}' must be one of: {names}, {MUTUAL_INFORMATION}; or a Divergence of your own.")


def hockey_stick(gamma: float) -> Divergence:
    """max(m₀ - gamma m₁, 0), less its value at equal masses when gamma is below 1.

    >>> from banister.local import design
    >>> round(design(epsilon=1, between=([0.5, 0.5], [0.2, 0.8]), utility=hockey_stick(1.2)).utility, 6)
    0.066362
    """
    level = max(1 - gamma, 0.0)
    return Divergence(f"hockey-stick-{gamma:g}", lambda m1, d: np.maximum(d + (1 - gamma) * m1, 0) - level * m1)


def power(order: float) -> Divergence:
    """1 - Σ m₀^order m₁^(1-order), for an order strictly between 0 and 1 (its -log is the Chernoff exponent).

    >>> from banister.local import design
    >>> round(design(epsilon=1, between=([0.5, 0.5], [0.2, 0.8]), utility=power(0.5)).utility, 6)
    0.009851
    """
    if not 0 < order < 1:
        raise BadValue(f"order = {order} must be a number above 0 and below 1.")
    return Divergence(f"power-{order:g}", lambda m1, d: m1 + order * d - (m1 + d) ** order * m1 ** (1 - order))


def favoured_information(epsilon: float, mass: Floats) -> Floats:
    """Nats that one unit of a staircase column tells, when it favours categories of total probability `mass`.

    g(z) = z e^epsilon · epsilon - (1 + a z) ln(1 + a z) with a = e^epsilon - 1; concave, 0 at 0 and at 1.
    Exact:  [K16] Eq. (B.45).
    """
    a = math.expm1(epsilon)
    return mass * (a + 1) * epsilon - (1 + a * mass) * np.log1p(a * mass)


def entropy(prior: Floats) -> float:
    """Shannon entropy in nats."""
    used = prior[prior > 0]
    return float(-(used * np.log(used)).sum())


def mutual_information(prior: Floats, matrix: Floats) -> float:
    """I(X; Y) in nats, for any channel matrix.

    With r = Q(y|x)/M(y) - 1 it is Σ P(x) M(y) ((1 + r) ln(1 + r) - r): no term is negative, so nothing cancels however
    small epsilon is.
    """
    output = prior @ matrix
    excess = (matrix - output) / np.where(output > 0, output, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = excess**2 * (1 / 2 - excess * (1 / 6 - excess / 12))  # Its error is below r³/20 of it.
        far = np.where(excess > -1, (1 + excess) * np.log1p(excess), 0.0) - excess
    return float(prior @ (np.where(abs(excess) < 1e-5, near, far) @ output))


def divergence_after(kind: Divergence, matrix: Floats, p0: Floats, p1: Floats) -> float:
    """The divergence of the reports of two hypotheses under any channel matrix."""
    difference = (p0 - p1) @ matrix
    base = p1 @ matrix
    used = (base > 0) | (difference != 0)
    return float(kind.gain(base[used], difference[used]).sum())
