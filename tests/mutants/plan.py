"""Mutants of the plan of a release: what it charges, and what it draws."""

from tests.mutants.mutant import Mutant

_PLANS = ("tests/contract/test_law_plans.py",)
_SHARES = ("tests/contract/test_law_shares.py",)
_NOISES = ("tests/release/test_noises.py",)
_BAR = ("tests/release/test_noises.py::test_an_unknown_value_appears_above_the_bar_and_not_at_it",)
_CHARGED = ("tests/release/test_run.py::test_a_release_is_charged_and_then_there_is_less",)

MUTANTS = (
    Mutant(
        name="measure-charged-for-one-cell",
        file="release/noises.py",
        old="return self.noise.loss().times(self.share.touches)",
        new="return self.noise.loss()",
        tests=_PLANS,
    ),
    Mutant(
        name="plan-charges-the-first-question",
        file="release/plan.py",
        old="return PrivacyLoss.nothing().with_(*(part.loss() for part in self.parts))",
        new="return PrivacyLoss.nothing().with_(*(part.loss() for part in self.parts[:1]))",
        tests=_PLANS,
    ),
    Mutant(
        name="part-without-its-quantiles",
        file="release/plan.py",
        old="losses = [*(m.loss() for m in self.measured), *(ladder.loss() for ladder in self.ladders)]",
        new="losses = [m.loss() for m in self.measured]",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-with-one-end",
        file="release/ladder.py",
        old="ends = PrivacyLoss.pure(times * self.end_epsilon).times(2 * cells)",
        new="ends = PrivacyLoss.pure(times * self.end_epsilon).times(cells)",
        tests=_PLANS,
    ),
    Mutant(
        name="release-without-using-its-receipt",
        file="release/run.py",
        old="    proof = receipt.use(plan=plan.digest, owed=owed)\n",
        new="    proof = receipt.proof\n",
        tests=_SHARES,
    ),
    Mutant(
        name="gaussian-measure-charged-for-one-cell",
        file="release/noises.py",
        old="return PrivacyLoss.gaussian(self.share.squares / Fraction(self.noise.sigma) ** 2)",
        new="return PrivacyLoss.gaussian(self.share.sensitivity**2 / Fraction(self.noise.sigma) ** 2)",
        tests=_PLANS,
    ),
    Mutant(
        name="replaced-person-charged-for-one-move",
        file="release/noises.py",
        old="return PrivacyLoss.pure(self.share.moves * self.noise.epsilon).times(",
        new="return PrivacyLoss.pure(self.noise.epsilon).times(",
        tests=_PLANS,
    ),
    Mutant(
        name="split-noise-not-divided-by-cells",
        file="release/noises.py",
        old="level = epsilon / share.touches",
        new="level = epsilon",
        tests=_NOISES,
    ),
    Mutant(
        name="split-noise-delta-not-divided-by-cells",
        file="release/noises.py",
        old="delta=delta / share.touches, sensitivity",
        new="delta=delta, sensitivity",
        tests=_NOISES,
    ),
    Mutant(
        name="sigma-a-double-below",
        file="release/noises.py",
        old="math.sqrt(float(squares / allowed)))",
        new="math.sqrt(float(squares / allowed))) * (1 - 2.0**-40)",
        tests=_NOISES,
    ),
    Mutant(
        name="bar-for-one-cell",
        file="release/noises.py",
        old="return Fraction(Bracket.of_ball(noise.tail_ball(bar)).up) * cells <= delta",
        new="return Fraction(Bracket.of_ball(noise.tail_ball(bar)).up) <= delta",
        tests=_NOISES,
    ),
    Mutant(
        name="bar-one-lower",
        file="release/noises.py",
        old="    return least_whole(holds)\n",
        new="    return least_whole(holds) - 1\n",
        tests=_NOISES,
    ),
    Mutant(
        name="unknown-groups-charged-without-delta",
        file="release/plan.py",
        old="return PrivacyLoss.of_guarantee(Guarantee(0, self.delta / 2))",
        new="return PrivacyLoss.nothing()",
        tests=_PLANS,
    ),
    Mutant(
        name="unknown-groups-appear-at-the-bar",
        file="release/run.py",
        old="kept = np.flatnonzero(noisy[0] > part.bar)",
        new="kept = np.flatnonzero(noisy[0] >= part.bar)",
        tests=_BAR,
    ),
    Mutant(
        name="ladder-chooses-at-twice-its-epsilon",
        file="release/ladder.py",
        old="choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)",
        new="choice = PermuteAndFlip(epsilon=2 * epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-scores-move-one-way",
        file="release/ladder.py",
        old="choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)",
        new="choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ONE_WAY)",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-sensitivity-of-one-side",
        file="release/ladder.py",
        old="once = reach.rows * max(order.numerator, order.denominator - order.numerator)",
        new="once = reach.rows * order.numerator",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-replaced-person-moves-once",
        file="release/ladder.py",
        old="moves = 1 if neighbours is Neighbours.ADD_REMOVE else 2\n    return Ladder(",
        new="moves = 1\n    return Ladder(",
        tests=_PLANS,
    ),
    Mutant(
        name="release-charged-for-no-plan",
        file="release/run.py",
        old="neighbours=plan.neighbours, plan=plan.digest, protects=about)",
        new='neighbours=plan.neighbours, plan="", protects=about)',
        tests=_CHARGED,
    ),
    Mutant(
        name="digest-without-the-parts",
        file="release/plan.py",
        old="text = repr((FORMAT, self.schema, self.parts, self.guarantee, self.families))",
        new="text = repr((FORMAT, self.schema, self.guarantee, self.families))",
        tests=_SHARES,
    ),
)
