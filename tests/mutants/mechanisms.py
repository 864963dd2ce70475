"""Mutants of the mechanisms: what they claim, and what they draw."""

from tests.mutants.mutant import Mutant

_CONTRACT = ("tests/contract/test_noise.py",)
_INTEGERS = ("tests/contract/test_law_integers.py",)
_LINE = ("tests/contract/test_law_line.py",)
_CHOICES = ("tests/contract/test_law_choices.py",)
_GRID = ("tests/mechanisms/line/test_grid.py",)
_ARRAYS = ("tests/mechanisms/test_arrays.py",)
_STAIRCASE = ("tests/mechanisms/line/test_staircase.py",)
_INTEGER_STAIRCASE = ("tests/mechanisms/integers/test_integer_staircase.py",)
_TRUNCATED = ("tests/mechanisms/integers/test_truncated_staircase.py",)
_GAUSSIAN = ("tests/mechanisms/line/test_gaussian.py",)
_CHOICE = ("tests/mechanisms/choices/test_choice.py",)
_SCORES = ("tests/mechanisms/choices/test_scores.py",)
_SKETCHES = ("tests/publish/sketches/test_sketches.py",)
_VECTOR = ("tests/mechanisms/vectors/test_vector_staircase.py",)
_INTEGER_VECTOR = ("tests/mechanisms/vectors/test_integer_vector_staircase.py",)
_TABULATED = ("tests/mechanisms/integers/test_tabulated.py",)

MUTANTS = (
    Mutant(
        name="geometric-claims-half",
        file="mechanisms/integers/geometric.py",
        old="return PrivacyLoss.pure(self.epsilon)",
        new="return PrivacyLoss.pure(self.epsilon / 2)",
        tests=_INTEGERS,
    ),
    Mutant(
        name="geometric-draws-at-twice-epsilon",
        file="mechanisms/integers/geometric.py",
        old="return staircase_draw(self.epsilon, 1, 1).draw(bits)",
        new="return staircase_draw(2 * self.epsilon, 1, 1).draw(bits)",
        tests=_CONTRACT,
    ),
    Mutant(
        name="geometric-vector-draws-at-twice-epsilon",
        file="mechanisms/integers/geometric.py",
        old="return staircase_draw(self.epsilon, 1, 1).draw_many(count, bits)",
        new="return staircase_draw(2 * self.epsilon, 1, 1).draw_many(count, bits)",
        tests=_CONTRACT,
    ),
    Mutant(
        name="grid-margin",
        file="mechanisms/line/grid.py",
        old="margin = (np.abs(steps) + 1) * 2.0**-49",
        new="margin = np.zeros_like(steps)",
        tests=_GRID,
    ),
    Mutant(
        name="grid-sensitivity-rounded-down",
        file="mechanisms/line/grid.py",
        old="return math.ceil(sensitivity / self.step)",
        new="return max(1, math.floor(sensitivity / self.step))",
        tests=_GRID,
    ),
    Mutant(
        name="grid-half-to-even",
        file="mechanisms/line/grid.py",
        old="return nearest + (steps - nearest >= 0.5)",
        new="return nearest",
        tests=_GRID,
    ),
    Mutant(
        name="grid-vector-half-to-even",
        file="mechanisms/line/grid.py",
        old="return whole + (part >= 0.5)",
        new="return whole",
        tests=_GRID,
    ),
    Mutant(
        name="grid-exact-half-goes-down",
        file="mechanisms/line/grid.py",
        old="return whole + (2 * part.numerator >= part.denominator)",
        new="return whole + (2 * part.numerator > part.denominator)",
        tests=_GRID,
    ),
    Mutant(
        name="tiny-answers-lose-their-bits",
        file="mechanisms/line/line_noise.py",
        old="    for place in np.flatnonzero(grid.inexactly_split(answers)):\n",
        new="    for place in np.flatnonzero(grid.inexactly_split(answers))[:0]:\n",
        tests=_GRID,
    ),
    Mutant(
        name="whole-answers-split-as-doubles",
        file="mechanisms/line/grid.py",
        old='        if answers.dtype.kind in "iu":\n            return self._split_whole(answers, exponent)\n',
        new="",
        tests=_ARRAYS,
    ),
    Mutant(
        name="masks-are-dropped",
        file="mechanisms/arrays.py",
        old="    if isinstance(answer, np.ma.MaskedArray):",
        new="    if isinstance(answer, type(None)):",
        tests=_ARRAYS,
    ),
    Mutant(
        name="long-doubles-are-rounded",
        file="mechanisms/arrays.py",
        old='    if kind.kind == "f" and kind.itemsize > _DOUBLE_BYTES:\n',
        new='    if kind.kind == "f" and kind.itemsize > 2 * _DOUBLE_BYTES:\n',
        tests=_ARRAYS,
    ),
    Mutant(
        name="integer-staircase-claims-a-lazier-pair",
        file="mechanisms/integers/integer_staircase.py",
        old="plus = (1 + peak) / 2 + peak * min(r - 1, self.sensitivity - r)",
        new="plus = (1 + peak) / 2",
        tests=_INTEGERS,
    ),
    Mutant(
        name="integer-staircase-mass-without-its-step",
        file="mechanisms/integers/integer_staircase.py",
        old="return self._peak() * exp_ball(-self.epsilon * (k if j < self.step_width else k + 1))",
        new="return self._peak() * exp_ball(-self.epsilon * (k if j <= self.step_width else k + 1))",
        tests=_CONTRACT,
    ),
    Mutant(
        name="integer-staircase-draws-a-wider-step",
        file="mechanisms/integers/integer_staircase.py",
        old="return staircase_draw(self.epsilon, self.sensitivity, self.step_width)",
        new="return staircase_draw(self.epsilon, self.sensitivity, min(self.step_width + 1, self.sensitivity))",
        tests=_CONTRACT,
    ),
    Mutant(
        name="integer-staircase-best-step-is-the-next",
        file="mechanisms/integers/integer_staircase.py",
        old="return best_step(epsilon, sensitivity, cost.pieces)",
        new="return min(best_step(epsilon, sensitivity, cost.pieces) + 1, sensitivity)",
        tests=_INTEGER_STAIRCASE,
    ),
    Mutant(
        name="staircase-on-the-line-with-a-shorter-sensitivity",
        file="mechanisms/line/staircase.py",
        old="steps = grid.units_of_sensitivity(sensitivity)",
        new="steps = max(width, grid.units_of_sensitivity(sensitivity) - 1)",
        tests=_STAIRCASE,
    ),
    Mutant(
        name="laplace-claims-half",
        file="mechanisms/line/laplace.py",
        old="return PrivacyLoss.laplace(self.epsilon)",
        new="return PrivacyLoss.laplace(self.epsilon / 2)",
        tests=_LINE,
    ),
    Mutant(
        name="gaussian-claims-half-of-mu-squared",
        file="mechanisms/line/gaussian.py",
        old="return PrivacyLoss.gaussian((self.sensitivity / Fraction(self.sigma)) ** 2)",
        new="return PrivacyLoss.gaussian((self.sensitivity / Fraction(self.sigma)) ** 2 / 2)",
        tests=_LINE,
    ),
    Mutant(
        name="rounded-gaussian-forgets-the-sensitivity",
        file="mechanisms/integers/rounded_gaussian.py",
        old="return PrivacyLoss.gaussian((self.sensitivity / Fraction(self.sigma)) ** 2)",
        new="return PrivacyLoss.gaussian((1 / Fraction(self.sigma)) ** 2)",
        tests=_GAUSSIAN + _INTEGERS,
    ),
    Mutant(
        name="discrete-gaussian-first-outcome-off-by-one",
        file="core/composition/discrete.py",
        old="first = math.floor(centre - Fraction(shift, 2)) + 1",
        new="first = math.floor(centre - Fraction(shift, 2)) + 2",
        tests=_GAUSSIAN + _INTEGERS,
    ),
    Mutant(
        name="discrete-gaussian-other-sum-one-short",
        file="core/composition/discrete.py",
        old="others = gaussian_upper_sum(sigma, first + shift)",
        new="others = gaussian_upper_sum(sigma, first + shift - 1)",
        tests=("tests/core/composition/test_discrete.py",),
    ),
    Mutant(
        name="least-scale-gives-the-side-that-is-not-private",
        file="core/exact/search.py",
        old="return halved(at, low, high, rounds=_ROUNDS, middle=_mean)[1]",
        new="return halved(at, low, high, rounds=_ROUNDS, middle=_mean)[0]",
        tests=_GAUSSIAN,
    ),
    Mutant(
        name="truncated-edge-one-further",
        file="mechanisms/integers/truncated_staircase.py",
        old="    return largest_whole(positive)\n",
        new="    return largest_whole(positive) + 1\n",
        tests=_TRUNCATED,
    ),
    Mutant(
        name="truncated-keeps-more-at-the-edge",
        file="mechanisms/integers/truncated_staircase.py",
        old="return self.tail_ball(self.edge) / (peak * height)",
        new="return arb.min(arb(1), 2 * self.tail_ball(self.edge) / (peak * height))",
        tests=_TRUNCATED,
    ),
    Mutant(
        name="truncated-cuts-half-of-delta",
        file="mechanisms/integers/truncated_staircase.py",
        old="    eta = ball(delta) * b / (1 - b)\n",
        new="    eta = 2 * ball(delta) * b / (1 - b)\n",
        tests=_TRUNCATED,
    ),
    Mutant(
        name="truncated-distance-of-a-smaller-move",
        file="mechanisms/integers/truncated_staircase.py",
        old="distance = 1 - self.tail_ball(half + 1) - self.tail_ball(self.sensitivity - half)",
        new="distance = 1 - self.tail_ball(half + 1) - self.tail_ball(max(1, self.sensitivity - half - 1))",
        tests=("tests/contract/test_law_integers.py",),
    ),
    Mutant(
        name="uniform-edge-one-shorter",
        file="mechanisms/integers/uniform.py",
        old="0 if delta == 1 else math.ceil((sensitivity / delta - 1) / 2)",
        new="0 if delta == 1 else math.floor((sensitivity / delta - 1) / 2)",
        tests=_TRUNCATED + _CONTRACT,
    ),
    Mutant(
        name="uniform-claims-half-of-delta",
        file="mechanisms/integers/uniform.py",
        old="return PrivacyLoss.of_guarantee(Guarantee(0, self.delta))",
        new="return PrivacyLoss.of_guarantee(Guarantee(0, self.delta / 2))",
        tests=_INTEGERS,
    ),
    Mutant(
        name="uniform-edge-coin-always-heads",
        file="mechanisms/integers/uniform.py",
        old="if abs(value) < edge or edge == 0 or self._edge_coin().draw(bits):",
        new="if abs(value) <= edge:",
        tests=_TRUNCATED,
    ),
    Mutant(
        name="choice-one-way-and-any-way-swapped",
        file="mechanisms/choices/choice.py",
        old="return self.epsilon if self.moves is Moves.ONE_WAY else self.epsilon / 2",
        new="return self.epsilon / 2 if self.moves is Moves.ONE_WAY else self.epsilon",
        tests=_CHOICE,
    ),
    Mutant(
        name="choice-claims-half",
        file="mechanisms/choices/choice.py",
        old="return PrivacyLoss.pure(self.epsilon)",
        new="return PrivacyLoss.pure(self.epsilon / 2)",
        tests=_CHOICES,
    ),
    Mutant(
        name="exponential-choice-without-sensitivity",
        file="mechanisms/choices/choice.py",
        old="exact, rate = Scores.of(scores), self.step / self.sensitivity\n        return choose_in_proportion(",
        new="exact, rate = Scores.of(scores), self.step\n        return choose_in_proportion(",
        tests=_CHOICE,
    ),
    Mutant(
        name="permute-and-flip-without-sensitivity",
        file="mechanisms/choices/choice.py",
        old="exact, rate = Scores.of(scores), self.step / self.sensitivity\n        return choose_first_heads(",
        new="exact, rate = Scores.of(scores), self.step\n        return choose_first_heads(",
        tests=_CHOICE,
    ),
    Mutant(
        name="scores-levels-without-close-calls",
        file="mechanisms/choices/scores.py",
        old="    if close.size:\n",
        new="    if False:\n",
        tests=_SCORES,
    ),
    Mutant(
        name="scores-integer-levels-round-down",
        file="mechanisms/choices/scores.py",
        old="return np.asarray(-((-whole * times - plus) // over))",
        new="return np.asarray((whole * times + plus) // over)",
        tests=_SCORES,
    ),
    Mutant(
        name="cut-sketch-without-the-price-of-doubles",
        file="publish/sketches/cut.py",
        old="                total = found + (1 + exp_ball(level)) * _slack(root, size)\n",
        new="                total = found\n",
        tests=_SKETCHES,
    ),
    Mutant(
        name="cut-sketch-ratio-of-one-end",
        file="publish/sketches/cut.py",
        old="return 2 * (1 - floor / nodes) / floor",
        new="return (1 - floor / nodes) / floor",
        tests=_SKETCHES,
    ),
    Mutant(
        name="variance-sketch-replaced-row-moves-by-one",
        file="publish/sketches/variance.py",
        old="found = shifted(size, 2 / width, level)",
        new="found = shifted(size, 1 / width, level)",
        tests=_SKETCHES,
    ),
    Mutant(
        name="variance-sketch-lets-long-rows-pass",
        file="publish/sketches/variance.py",
        old="short = parts / np.maximum(lengths * (1 + 2.0**-40), 1 / units)",
        new="short = parts / np.maximum(lengths * (1 - 2.0**-10), 1 / units)",
        tests=_SKETCHES,
    ),
    Mutant(
        name="independent-counts-one-coordinate-less",
        file="mechanisms/vectors/independent.py",
        old="return self.dimension * self.noise.risk_for(cost)",
        new="return (self.dimension - 1) * self.noise.risk_for(cost)",
        tests=("tests/mechanisms/vectors/test_independent.py",),
    ),
    Mutant(
        name="independent-proves-one-coordinate-less",
        file="mechanisms/vectors/independent.py",
        old="one, size = self.noise.risk_bracket(cost), self.dimension",
        new="one, size = self.noise.risk_bracket(cost), self.dimension - 1",
        tests=("tests/mechanisms/vectors/test_independent.py",),
    ),
    Mutant(
        name="radial-slope-without-its-factor",
        file="mechanisms/vectors/radial.py",
        old="return ((d + m) * s[d + m - 1] * s[d] - d * s[d + m] * s[d - 1]) / (s[d] * s[d])",
        new="return ((d + m) * s[d + m - 1] * s[d] - (d + 1) * s[d + m] * s[d - 1]) / (s[d] * s[d])",
        tests=_VECTOR,
    ),
    Mutant(
        name="answers-beyond-the-range-are-let-through",
        file="mechanisms/integers/integer_noise.py",
        old="            if not -RANGE <= answer <= RANGE:\n",
        new="            if not -RANGE <= answer:\n",
        tests=_CONTRACT + _INTEGER_STAIRCASE,
    ),
)
