"""Mutants of the channels for people who trust nobody."""

from tests.mutants.mutant import Mutant

_CHANNELS = ("tests/local/channels/test_channels.py",)
_LAW_OF_CHANNELS = ("tests/contract/test_law_channels.py",)
_MATRIX = ("tests/core/laws/test_stochastic.py", *_CHANNELS)

MUTANTS = (
    Mutant(
        name="response-never-names-its-neighbour",
        file="local/channels/response.py",
        old="return np.where(kept, true, other + (other >= true))",
        new="return np.where(kept, true, other + (other > true))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="response-keeps-too-often",
        file="local/channels/response.py",
        old="return 1 / (1 + (self.cells - 1) * exp_ball(-self.epsilon))",
        new="return 1 / (1 + (self.cells - 1) * exp_ball(-2 * self.epsilon))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="response-distance-of-one-more-cell",
        file="local/channels/response.py",
        old="return arb(0) if self.cells == 1 else self._keep() * -ball(-self.epsilon).expm1()",
        new="return arb(0) if self.cells == 1 else self._keep() / 2 * -ball(-self.epsilon).expm1()",
        tests=_LAW_OF_CHANNELS,
    ),
    Mutant(
        name="matrix-distance-of-the-nearest-rows",
        file="core/laws/stochastic.py",
        old="largest = max(int(np.maximum(row - rows, 0).sum(axis=1).max()) for row in rows)",
        new="largest = min(int(np.maximum(row - rows, 0).sum(axis=1).max()) for row in rows)",
        tests=_LAW_OF_CHANNELS,
    ),
    Mutant(
        name="subset-outside-starts-inside",
        file="local/channels/subset.py",
        old="d + uniform_below_many(p - d, n, bits))",
        new="d - 1 + uniform_below_many(p - d, n, bits))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="subset-slope-may-be-zero",
        file="local/channels/subset.py",
        old="slope = 1 + uniform_below_many(p - 1, n, bits)\n        reports: Values = (slope - 1) * p",
        new="slope = uniform_below_many(p - 1, n, bits)\n        reports: Values = slope * p",
        tests=_CHANNELS,
    ),
    Mutant(
        name="subset-keeps-too-often",
        file="local/channels/subset.py",
        old="return self.size / (self.size + (self.prime - self.size) * exp_ball(-self.epsilon))",
        new="return self.size / (self.size + (self.prime - self.size) * exp_ball(-2 * self.epsilon))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="hadamard-wanted-product-may-be-zero",
        file="local/channels/hadamard.py",
        old="wanted = np.where(orthogonal, 0, 1 + uniform_below_many(self.base - 1, answers.size, bits))",
        new="wanted = np.where(orthogonal, 0, uniform_below_many(self.base - 1, answers.size, bits))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="hadamard-keeps-too-often",
        file="local/channels/hadamard.py",
        old="return 1 / (1 + (self.base - 1) * exp_ball(-self.epsilon))",
        new="return 1 / (1 + (self.base - 1) * exp_ball(-2 * self.epsilon))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="unary-true-bit-is-always-on",
        file="local/channels/unary.py",
        old="rows[np.arange(some.size), some] = half.draw_many(some.size, bits)",
        new="rows[np.arange(some.size), some] = True",
        tests=_CHANNELS,
    ),
    Mutant(
        name="unary-spill-too-small",
        file="local/channels/unary.py",
        old="        small = exp_ball(-self.epsilon)\n",
        new="        small = exp_ball(-2 * self.epsilon)\n",
        tests=_CHANNELS,
    ),
    Mutant(
        name="matrix-level-unchecked",
        file="core/laws/stochastic.py",
        old="        if not within(ratio, epsilon):\n",
        new="        if ratio is None:\n",
        tests=_CHANNELS,
    ),
    Mutant(
        name="matrix-delta-unchecked",
        file="core/laws/stochastic.py",
        old="(needed := delta_up(weights, epsilon)) > delta:",
        new="(needed := delta_up(weights, epsilon)) > 1:",
        tests=_CHANNELS,
    ),
    Mutant(
        name="matrix-threshold-off-by-one",
        file="sampling/rows.py",
        old="above = thresholds[rows, middle] > words",
        new="above = thresholds[rows, middle] >= words",
        tests=_CHANNELS,
    ),
    Mutant(
        name="quaternary-rounds-for-itself",
        file="local/channels/matrix.py",
        old="e_down = fraction_up(_exp(-promise.epsilon))",
        new="e_down = fraction_up(_exp(-promise.epsilon)) * (1 - Fraction(1, 1 << 50))",
        tests=_CHANNELS,
    ),
    Mutant(
        name="geometric-channel-below-its-level",
        file="local/channels/matrix.py",
        old="b = np.exp(-float(level) / (k - 1))",
        new="b = np.exp(-float(level) / k)",
        tests=_CHANNELS,
    ),
    Mutant(
        name="level-of-the-first-output",
        file="core/laws/stochastic.py",
        old="return ratio <= fraction_down(exp_ball(epsilon))",
        new="return ratio <= fraction_up(exp_ball(epsilon)) + Fraction(1, 10**12)",
        tests=_MATRIX,
    ),
    Mutant(
        name="delta-of-a-matrix-rounded-down",
        file="core/laws/stochastic.py",
        old="    steep = exp_down(epsilon)\n    rows = ",
        new="    steep = exp_down(epsilon) + 1\n    rows = ",
        tests=("tests/core/laws/test_stochastic.py",),
    ),
    Mutant(
        name="weights-top-rounded-up",
        file="core/laws/stochastic.py",
        old="top = np.array([min(int(steep * int(u)), ONE) for u in base], dtype=np.int64)",
        new="top = np.array([min(int(steep * int(u)) + 1, ONE) for u in base], dtype=np.int64)",
        tests=_MATRIX,
    ),
)
