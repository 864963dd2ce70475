"""Mutants of the plan of a release: what it charges, and what it draws."""

from tests.mutants.mutant import Mutant

_PLANS = ("tests/contract/test_law_plans.py",)
_SHARES = ("tests/contract/test_law_shares.py",)
_NOISES = ("tests/release/test_noises.py",)
_BAR = ("tests/release/test_noises.py::test_an_unknown_value_appears_above_the_bar_and_not_at_it",)
_CHARGED = ("tests/release/test_run.py::test_a_release_is_charged_and_then_there_is_less",)
_KEY = ("tests/release/answering/test_keeping.py",)

_LADDER = ("tests/release/test_ladder.py",)
_LOOKS = ("tests/contract/test_law_looks.py",)

MUTANTS = (
    Mutant(
        name="look-with-a-histogram-for-free",
        file="release/profile/plan.py",
        old="return PrivacyLoss.nothing().with_(*(paid.loss() for paid in self.paid))",
        new="return PrivacyLoss.nothing().with_(*(paid.loss() for paid in self.paid[1:]))",
        tests=_LOOKS,
    ),
    Mutant(
        name="look-in-which-a-person-counts-in-every-cell",
        file="release/profile/run.py",
        old="groups=None if alone or not personal else 1,",
        new="groups=None,",
        tests=_LOOKS,
    ),
    Mutant(
        name="look-that-is-not-charged",
        file="release/profile/run.py",
        old="proof = charge_plan(plan, ledger).use(plan=plan.digest, owed=owed)",
        new="proof = ledger.head",
        tests=("tests/release/profile/test_look.py",),
    ),
    Mutant(
        name="look-whose-appearing-values-take-all-of-delta",
        file="release/profile/plan.py",
        old="Guarantee(level.epsilon, level.delta - bars)",
        new="level",
        tests=_LOOKS,
    ),
    Mutant(
        name="measure-charged-for-one-cell",
        file="release/payments/cells.py",
        old="return self.noise.loss().times(self.share.touches)",
        new="return self.noise.loss()",
        tests=_PLANS,
    ),
    Mutant(
        name="plan-charges-the-first-question",
        file="release/planning/plan.py",
        old="return PrivacyLoss.nothing().with_(*(part.loss() for part in self.parts))",
        new="return PrivacyLoss.nothing().with_(*(part.loss() for part in self.parts[:1]))",
        tests=_PLANS,
    ),
    Mutant(
        name="part-without-its-quantiles",
        file="release/planning/plan.py",
        old="(payment.loss() for payment in self.payments)",
        new="(payment.loss() for payment in self.measured)",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-with-one-end",
        file="release/payments/ladder.py",
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
        file="release/payments/joint.py",
        old="return PrivacyLoss.gaussian(share.squares / Fraction(noise.sigma) ** 2)",
        new="return PrivacyLoss.gaussian(share.sensitivity**2 / Fraction(noise.sigma) ** 2)",
        tests=_PLANS,
    ),
    Mutant(
        name="replaced-person-charged-for-one-move",
        file="release/payments/cells.py",
        old="return PrivacyLoss.pure(self.share.moves * _pure(self.noise)).times(",
        new="return PrivacyLoss.pure(_pure(self.noise)).times(",
        tests=_PLANS,
    ),
    Mutant(
        name="split-noise-not-divided-by-cells",
        file="release/payments/cells.py",
        old="level = epsilon / share.touches",
        new="level = epsilon",
        tests=_NOISES,
    ),
    Mutant(
        name="split-noise-delta-not-divided-by-cells",
        file="release/payments/threshold.py",
        old="delta=delta / share.touches, sensitivity",
        new="delta=delta, sensitivity",
        tests=_NOISES,
    ),
    Mutant(
        name="sigma-a-double-below",
        file="release/payments/joint.py",
        old="return next_double(lambda sigma: squares <= allowed * Fraction(sigma) ** 2, ",
        new="return next_double(lambda sigma: squares <= allowed * (Fraction(sigma) * (1 + Fraction(1, 2**40))) ** 2, ",
        tests=_NOISES,
    ),
    Mutant(
        name="bar-for-one-cell",
        file="release/payments/threshold.py",
        old="return Fraction(Bracket.of_ball(noise.tail_ball(bar)).up) * cells <= delta",
        new="return Fraction(Bracket.of_ball(noise.tail_ball(bar)).up) <= delta",
        tests=_NOISES,
    ),
    Mutant(
        name="bar-one-lower",
        file="release/payments/threshold.py",
        old="return least_whole(holds)",
        new="return least_whole(holds) - 1",
        tests=_NOISES,
    ),
    Mutant(
        name="unknown-groups-charged-without-delta",
        file="release/payments/threshold.py",
        old=".with_(PrivacyLoss.of_guarantee(Guarantee(0, self.delta)))",
        new="",
        tests=_PLANS,
    ),
    Mutant(
        name="unknown-groups-appear-at-the-bar",
        file="release/payments/measured.py",
        old="np.flatnonzero(noisy > self.bar)",
        new="np.flatnonzero(noisy >= self.bar)",
        tests=_BAR,
    ),
    Mutant(
        name="ladder-chooses-at-twice-its-epsilon",
        file="release/payments/ladder.py",
        old="choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)",
        new="choice = PermuteAndFlip(epsilon=2 * epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-scores-move-one-way",
        file="release/payments/ladder.py",
        old="choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ANY_WAY)",
        new="choice = PermuteAndFlip(epsilon=epsilon, sensitivity=ladder.sensitivity, moves=Moves.ONE_WAY)",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-sensitivity-of-one-side",
        file="release/payments/ladder.py",
        old="once = reach.rows * max(order.numerator, order.denominator - order.numerator)",
        new="once = reach.rows * order.numerator",
        tests=_PLANS,
    ),
    Mutant(
        name="ladder-replaced-row-moves-as-one-that-comes",
        file="release/payments/ladder.py",
        old="sensitivity=Fraction(reach.rows * order.denominator, 2) if together else Fraction(once),",
        new="sensitivity=Fraction(once, 2) if together else Fraction(once),",
        tests=_LADDER,
    ),
    Mutant(
        name="ladder-intervals-for-a-few-rungs",
        file="release/payments/ladder.py",
        old="return self.misses(self.end_epsilon, 1 - confidence, bad=self.axis.size + 1)",
        new="return self.misses(self.end_epsilon, 1 - confidence, bad=(self.axis.size + 1) // 4)",
        tests=_LADDER,
    ),
    Mutant(
        name="ladder-replaced-person-moves-once",
        file="release/payments/ladder.py",
        old="moves = 1 if neighbours is Neighbours.ADD_REMOVE else 2\n    return Ladder(",
        new="moves = 1\n    return Ladder(",
        tests=_PLANS,
    ),
    Mutant(
        name="release-charged-for-no-plan",
        file="release/run.py",
        old="neighbours=plan.neighbours, plan=plan.digest, protects=about, key=key",
        new='neighbours=plan.neighbours, plan="", protects=about, key=key',
        tests=_CHARGED,
    ),
    Mutant(
        name="release-forgets-its-key",
        file="release/run.py",
        old="protects=about, key=key, claim=claim\n",
        new="protects=about\n",
        tests=_KEY,
    ),
    Mutant(
        name="digest-without-the-parts",
        file="release/planning/plan.py",
        old="text = repr((FORMAT, self.schema, self.parts, self.guarantee, self.families))",
        new="text = repr((FORMAT, self.schema, self.guarantee, self.families))",
        tests=_SHARES,
    ),
)
