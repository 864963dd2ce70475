"""Mutants of the ways to compose losses."""

from tests.mutants.mutant import Mutant

_LOSS = ("tests/core/privacy/test_loss.py",)
_ENUMERATED = (
    "tests/core/composition/test_composition.py::test_enumeration_of_all_four_to_the_k_outputs_lies_in_the_bracket",
)
_SUBSETS = (
    "tests/core/composition/test_composition.py::test_different_responses_are_the_sum_over_subsets_on_the_line",
)
_TOTALS = ("tests/core/composition/test_composition.py::test_known_totals_of_equal_guarantees",)
_NORMAL = ("tests/core/composition/test_composition.py::test_gaussians_add_their_mu_squared_exactly",)
_LIMITS = ("tests/core/composition/test_composition.py::test_at_the_limits_of_delta",)
_STAIRS = ("tests/core/composition/test_stairs.py",)
_SMOOTH = ("tests/core/composition/test_smooth.py",)
_CONTOUR = ("tests/core/composition/test_contour.py",)
_CURVE = ("tests/core/composition/test_curve.py",)
_PRODUCT = ("tests/core/composition/test_product.py",)
_REGION = ("tests/core/privacy/test_region.py",)
_DOMINATION = ("tests/core/privacy/test_domination.py",)
_INVERSE = ("tests/core/exact/test_search.py", "tests/core/exact/test_descent.py")

MUTANTS = (
    Mutant(
        name="stairs-count-the-loss-itself",
        file="core/composition/stairs.py",
        old="        above = bisect_left(self.values, -point, key=lambda value: -value)\n",
        new="        above = max(0, bisect_left(self.values, -point, key=lambda value: -value) - 1)\n",
        tests=_ENUMERATED,
    ),
    Mutant(
        name="stairs-with-one-mass",
        file="core/composition/stairs.py",
        old="                b += masses[value] * exp_ball(-value)\n",
        new="                b += masses[value]\n",
        tests=_ENUMERATED,
    ),
    Mutant(
        name="stairs-epsilon-without-proof",
        file="core/composition/stairs.py",
        old="next_double(lambda x: bool(self.delta(Fraction(x)) <= goal), max(0.0, float_up(fraction_up(found))))",
        new="max(0.0, float_up(fraction_up(found)))",
        tests=_LIMITS + _STAIRS,
        explained="The loop is a proof that never has to step: the double above the upper end of the ball around the "
        "crossing is past it by more than the radii of all balls in the proof. Goals steered to within 2^-200 … 2^-270 "
        "of corners that are doubles did not make it step either. It stays, as it costs one evaluation.",
    ),
    Mutant(
        name="stairs-epsilon-from-below",
        file="core/composition/stairs.py",
        old="return next_double(lambda x: bool(self.delta(Fraction(x)) <= goal), "
        "max(0.0, float_up(fraction_up(found))))",
        new="return self._down(goal)",
        tests=_LIMITS + _STAIRS,
    ),
    Mutant(
        name="counted-once-each",
        file="core/composition/ways.py",
        old="powers = (arb_poly(row) ** count).coeffs()",
        new="powers = arb_poly(row).coeffs()",
        tests=_ENUMERATED,
    ),
    Mutant(
        name="counted-least-once",
        file="core/composition/ways.py",
        old="[(count * least + j * unit, mass) for j, mass in enumerate(powers)]",
        new="[(least + j * unit, mass) for j, mass in enumerate(powers)]",
        tests=_ENUMERATED,
    ),
    Mutant(
        name="lattice-offset-once",
        file="core/composition/ways.py",
        old="        leasts.append(count * grid[0])\n",
        new="        leasts.append(grid[0])\n",
        tests=_TOTALS,
    ),
    Mutant(
        name="line-takes-the-upper-bound-for-both",
        file="core/composition/ways.py",
        old="return here.lower(point).union(here.upper(point))",
        new="return here.lower(point)",
        tests=_SUBSETS,
    ),
    Mutant(
        name="alone-forgets-to-take-infinity-apart",
        file="core/composition/ways.py",
        old="return self.law.hockey_stick(point) - self.law.infinite()",
        new="return self.law.hockey_stick(point)",
        tests=_LOSS,
    ),
    Mutant(
        name="contour-claims-no-doubt",
        file="core/composition/contour.py",
        old="        doubt += self.lost + self.kernel.left_out(tilt) + 16 * ROUNDOFF * abs(middle)\n",
        new="        doubt *= 0.0\n",
        tests=_CONTOUR,
    ),
    Mutant(
        name="contour-forgets-echoes",
        file="core/composition/contour.py",
        old="return middle - doubt - self._echo(point), middle + doubt",
        new="return middle - doubt, middle + doubt",
        tests=_CONTOUR,
    ),
    Mutant(
        name="contour-forgets-points-beyond",
        file="core/composition/contour.py",
        old="return 1.01 * math.exp(-self.variance * last * last / 2) / (math.pi * edge)",
        new="return 0.0",
        tests=_CONTOUR,
    ),
    Mutant(
        name="contour-half-turn-counted-twice",
        file="core/composition/contour.py",
        old="return np.where((y == 0) | half_turn, size, 2 * size), np.angle(value), first",
        new="return np.where(y == 0, size, 2 * size), np.angle(value), first",
        tests=_CONTOUR,
    ),
    Mutant(
        name="contour-turns-once",
        file="core/composition/contour.py",
        old="        angle += count * turn.angle\n",
        new="        angle += turn.angle\n",
        tests=_CONTOUR,
    ),
    Mutant(
        name="contour-turns-pairs-once",
        file="core/composition/atoms.py",
        old="log_size, angle = counts @ rows.log_size, counts @ rows.angle",
        new="log_size, angle = counts @ rows.log_size, np.sum(rows.angle, axis=0)",
        tests=_CONTOUR,
    ),
    Mutant(
        name="contour-left-out-points-are-not-counted",
        file="core/composition/contour.py",
        old="            lost += float(np.exp(log_size[~alive]) @ kernel.ceiling(tilt, gone)) * (1 + 1e-6)\n",
        new="            lost += 0.0 * float(np.exp(log_size[~alive]) @ kernel.ceiling(tilt, gone))\n",
        tests=_CONTOUR,
    ),
    Mutant(
        name="top-of-one-copy",
        file="core/composition/contour.py",
        old="added_up(count * top for top, count in tops if top is not None)",
        new="added_up(top for top, count in tops if top is not None)",
        tests=_PRODUCT,
    ),
    Mutant(
        name="smooth-lower-bound-without-the-rest",
        file="core/composition/smooth.py",
        old="found = (self.spectrum.delta(point) - left * near - right * far - rest) / centre",
        new="found = (self.spectrum.delta(point) - left * near - right * far) / centre",
        tests=_SMOOTH,
    ),
    Mutant(
        name="smooth-lower-bound-without-one-chord",
        file="core/composition/smooth.py",
        old="found = (self.spectrum.delta(point) - left * near - right * far - rest) / centre",
        new="found = (self.spectrum.delta(point) - right * far - rest) / centre",
        tests=_SMOOTH,
    ),
    Mutant(
        name="smooth-lower-is-the-upper",
        file="core/composition/smooth.py",
        old="        if self.extra == 0:\n",
        new="        if True:\n",
        tests=_SMOOTH,
    ),
    Mutant(
        name="region-steep-line-rounded-down",
        file="core/privacy/region.py",
        old="lines.append((1 - other, fraction_up(exp_ball(epsilon))))",
        new="lines.append((1 - other, fraction_down(exp_ball(epsilon))))",
        tests=_REGION,
    ),
    Mutant(
        name="region-flat-line-rounded-up",
        file="core/privacy/region.py",
        old="flat = fraction_down(exp_ball(-epsilon))",
        new="flat = fraction_up(exp_ball(-epsilon))",
        tests=_REGION,
    ),
    Mutant(
        name="region-forgets-the-other-delta",
        file="core/privacy/region.py",
        old="lines.append((1 - other, fraction_up(exp_ball(epsilon))))",
        new="lines.append((1 - delta, fraction_up(exp_ball(epsilon))))",
        tests=_REGION,
    ),
    Mutant(
        name="region-delta-of-one-side",
        file="core/privacy/region.py",
        old="found = arb.max(found, arb.max(1 - ball(x) - factor * ball(y), 1 - ball(y) - factor * ball(x)))",
        new="found = arb.max(found, 1 - ball(x) - factor * ball(y))",
        tests=_REGION,
    ),
    Mutant(
        name="region-rounds-delta-down",
        file="core/privacy/region.py",
        old="    return Fraction(bracket.up)\n",
        new="    return Fraction(bracket.down)\n",
        tests=_REGION,
    ),
    Mutant(
        name="region-keeps-one-side",
        file="core/privacy/region.py",
        old="for x, y in self.corners for a, b in ((x, y), (y, x)))",
        new="for x, y in self.corners for a, b in ((x, y),))",
        tests=_REGION,
    ),
    Mutant(
        name="domination-the-wrong-way-round",
        file="core/privacy/domination.py",
        old="return PrivacyRegion.of_pair(*first).includes(PrivacyRegion.of_pair(*second))",
        new="return PrivacyRegion.of_pair(*second).includes(PrivacyRegion.of_pair(*first))",
        tests=_DOMINATION,
    ),
    Mutant(
        name="direction-infinity-of-one-copy",
        file="core/composition/escape.py",
        old="above *= fmpz(share.numerator) ** count",
        new="above *= fmpz(share.numerator)",
        tests=_LIMITS,
    ),
    Mutant(
        name="direction-survival-forgotten",
        file="core/composition/direction.py",
        old="found = self.infinite + self.survival * self.way.delta(point)",
        new="found = self.infinite + self.way.delta(point)",
        tests=_ENUMERATED,
    ),
    Mutant(
        name="direction-goal-without-survival",
        file="core/composition/direction.py",
        old="goal = self._room(target) / self.survival",
        new="goal = self._room(target)",
        tests=_LIMITS,
    ),
    Mutant(
        name="direction-normal-losses-once",
        file="core/composition/direction.py",
        old="                    normal += count * mu_squared\n",
        new="                    normal += mu_squared\n",
        tests=_NORMAL,
    ),
    Mutant(
        name="direction-lower-bound-for-both",
        file="core/composition/direction.py",
        old="return Bracket(max(low.down, 0.0), max(up.up, 0.0))",
        new="return Bracket(max(low.down, 0.0), max(low.up, 0.0))",
        tests=_CURVE,
    ),
    Mutant(
        name="least-epsilon-gives-the-side-that-fails",
        file="core/exact/search.py",
        old="    return Bracket(_proven(above, low), high)\n",
        new="    return Bracket(_proven(above, low), low)\n",
        tests=_INVERSE,
    ),
    Mutant(
        name="crossing-without-proof-from-above",
        file="core/exact/descent.py",
        old="        if (value <= goal) if side > 0 else (value > goal):\n",
        new="        if side > 0 or value > goal:\n",
        tests=_INVERSE,
    ),
)
