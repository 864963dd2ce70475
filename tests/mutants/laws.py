"""Mutants of the laws of losses, and of exact numbers."""

from tests.mutants.mutant import Mutant

_LOSS = ("tests/core/privacy/test_loss.py",)
_LAW = ("tests/core/composition/test_law.py",)
_TURNS = ("tests/core/composition/test_law_turns.py",)
_COMPOSITION = ("tests/core/composition/test_composition.py",)
_CURVE = ("tests/core/composition/test_curve.py",)
_PRODUCT = ("tests/core/composition/test_product.py",)

MUTANTS = (
    Mutant(
        name="laplace-law-without-the-half",
        file="core/composition/law.py",
        old="return -ball((epsilon - self.epsilon) / 2).expm1()",
        new="return -ball((epsilon - self.epsilon) / 3).expm1()",
        tests=_LOSS,
    ),
    Mutant(
        name="laplace-law-moment",
        file="core/composition/law.py",
        old="return (ball(order) * high + ball(order - 1) * low) / ball(2 * order - 1)",
        new="return (ball(order) * high + ball(order) * low) / ball(2 * order - 1)",
        tests=_LAW,
    ),
    Mutant(
        name="gaussian-law-mean",
        file="core/composition/law.py",
        old="first = (ball(epsilon - self.mu_squared / 2) / root).erfc()",
        new="first = (ball(epsilon - self.mu_squared / 4) / root).erfc()",
        tests=_LOSS,
    ),
    Mutant(
        name="gaussian-law-moment",
        file="core/composition/law.py",
        old="return exp_ball(order * (order - 1) * self.mu_squared / 2)",
        new="return exp_ball((order - 1) * self.mu_squared / 2)",
        tests=_LAW,
    ),
    Mutant(
        name="gaussian-tilted-mass",
        file="core/composition/law.py",
        old="return TiltedGaussian(ball(self.mu_squared * tilt * (tilt + 1) / 2), centre, float(self.mu_squared))",
        new="return TiltedGaussian(ball(self.mu_squared * tilt * tilt / 2), centre, float(self.mu_squared))",
        tests=_TURNS,
    ),
    Mutant(
        name="gaussian-turn-claims-no-error",
        file="core/composition/law.py",
        old="        error = -log_size * (16 * ROUNDOFF)\n",
        new="        error = log_size * 0.0\n",
        tests=_TURNS,
    ),
    Mutant(
        name="laplace-turn-claims-no-error",
        file="core/composition/law.py",
        old="        error = ROUNDOFF * (128 + 8 * e * np.abs(y))\n",
        new="        error = 0.0 * np.abs(y)\n",
        tests=_TURNS,
    ),
    Mutant(
        name="response-with-the-wrong-odds",
        file="core/privacy/loss.py",
        old="        keep = 1 / (1 + exp_ball(-epsilon))\n",
        new="        keep = 1 / (1 + exp_ball(-epsilon / 2))\n",
        tests=_LOSS,
    ),
    Mutant(
        name="distance-without-its-delta",
        file="core/privacy/loss.py",
        old="            above = arb.max(given - ball(delta), arb(0))\n",
        new="            above = arb.max(given - 2 * ball(delta), arb(0))\n",
        tests=("tests/contract/test_law_integers.py",),
    ),
    Mutant(
        name="guarantee-without-its-delta",
        file="core/privacy/loss.py",
        old="return cls.of_terms(_response(guarantee.epsilon) + _all_or_nothing(guarantee.delta))",
        new="return cls.of_terms(_response(guarantee.epsilon))",
        tests=_LOSS,
    ),
    Mutant(
        name="times-forgets-what-was-there",
        file="core/privacy/loss.py",
        old="return PrivacyLoss(tuple((law, count * each) for law, each in self.terms), self.neighbours)",
        new="return PrivacyLoss(tuple((law, count) for law, each in self.terms), self.neighbours)",
        tests=_LOSS,
    ),
    Mutant(
        name="equal-laws-counted-once",
        file="core/privacy/loss.py",
        old="counts[law] = counts.get(law, 0) + count",
        new="counts[law] = count",
        tests=_LOSS,
    ),
    Mutant(
        name="with-drops-itself",
        file="core/privacy/loss.py",
        old="PrivacyLoss.of_terms(term for loss in (self, *others) for term in loss.terms)",
        new="PrivacyLoss.of_terms(term for loss in others or (self,) for term in loss.terms)",
        tests=_LOSS,
    ),
    Mutant(
        name="delta-of-the-better-direction",
        file="core/privacy/loss.py",
        old="found = [way.delta(point) for way in self.directions(relative_width)]\n"
        "        return Bracket(max(one.down for one in found), max(one.up for one in found))",
        new="found = [way.delta(point) for way in self.directions(relative_width)]\n"
        "        return Bracket(min(one.down for one in found), min(one.up for one in found))",
        tests=_LOSS,
    ),
    Mutant(
        name="epsilon-of-the-first-direction",
        file="core/privacy/loss.py",
        old="found = [way.epsilon(target) for way in self.directions(relative_width)]",
        new="found = [self.directions(relative_width)[0].epsilon(target)]",
        tests=_LOSS,
    ),
    Mutant(
        name="symmetry-unchecked",
        file="core/privacy/loss.py",
        old="if not masses.get(-value, arb(0)).overlaps(mass * exp_ball(-value)):",
        new="if False:",
        tests=_LOSS,
    ),
    Mutant(
        name="masses-need-not-add-up",
        file="core/privacy/loss.py",
        old="    if not total.overlaps(arb(1)):\n",
        new="    if False:\n",
        tests=_LOSS,
    ),
    Mutant(
        name="atoms-forget-infinity",
        file="core/composition/atoms.py",
        old="        total = self.beyond\n        for value",
        new="        total = arb(0)\n        for value",
        tests=_LOSS,
    ),
    Mutant(
        name="atoms-reverse-forgets-infinity",
        file="core/composition/atoms.py",
        old="beyond = arb.max(1 - sum(masses, arb(0)), arb(0))",
        new="beyond = self.beyond",
        tests=_LOSS,
    ),
    Mutant(
        name="atoms-reverse-keeps-the-masses",
        file="core/composition/atoms.py",
        old="masses = tuple(mass * exp_ball(-value) for value, mass in zip(self.values, self.masses, strict=True))\n"
        "        exact",
        new="masses = self.masses\n        exact",
        tests=_LOSS,
    ),
    Mutant(
        name="atoms-turn-claims-no-error",
        file="core/composition/atoms.py",
        old="    wobble = 8 * slack + 32 * ROUNDOFF * np.minimum(travel, 2.0)\n",
        new="    wobble = 0.0 * slack\n",
        tests=_TURNS,
    ),
    Mutant(
        name="atoms-table-claims-no-error",
        file="core/composition/atoms.py",
        old="        doubt = 2 * self.blur + FFT_ULPS * ROUNDOFF * (1 + math.log2(length))\n",
        new="        doubt = 0.0\n",
        tests=_TURNS,
    ),
    Mutant(
        name="curve-from-above-ends-at-nothing",
        file="core/composition/curve.py",
        old="return Atoms((side, step, self.key), tuple(values), tuple(masses), heights[-1], symmetric=False)",
        new="return Atoms((side, step, self.key), tuple(values), tuple(masses), arb(0), symmetric=False)",
        tests=_CURVE,
    ),
    Mutant(
        name="curve-from-below-is-the-one-above",
        file="core/composition/curve.py",
        old="            low = _below(xs, ends, middles)\n",
        new="            low = ends\n",
        tests=_CURVE,
    ),
    Mutant(
        name="curve-reflected-without-its-factor",
        file="core/composition/curve.py",
        old="return -ball(epsilon).expm1() + exp_ball(epsilon) * self.other(-epsilon)",
        new="return -ball(epsilon).expm1() + self.other(-epsilon)",
        tests=_CURVE + _LOSS,
    ),
    Mutant(
        name="curve-line-below-of-one-side",
        file="core/composition/curve.py",
        old="drop = arb.max((xm - x0) * (after - slope), (x1 - xm) * (slope - before))",
        new="drop = (xm - x0) * (after - slope)",
        tests=_CURVE,
    ),
    Mutant(
        name="product-infinity-of-one-copy",
        file="core/composition/escape.py",
        old="small += count * (-mass).log1p()",
        new="small += (-mass).log1p()",
        tests=_PRODUCT,
    ),
    Mutant(
        name="product-moment-of-one-copy",
        file="core/composition/product.py",
        old="            found *= law.moment(order) ** count\n",
        new="            found *= law.moment(order)\n",
        tests=_PRODUCT,
    ),
    Mutant(
        name="product-gaussian-of-one-copy",
        file="core/composition/product.py",
        old="            total += count * mu_squared\n",
        new="            total += mu_squared\n",
        tests=_PRODUCT,
    ),
    Mutant(
        name="product-bounds-from-above-twice",
        file="core/composition/product.py",
        old="ProductLaw(tuple((b, k) for _, b, k in both))",
        new="ProductLaw(tuple((a, k) for a, _, k in both))",
        tests=_CURVE,
    ),
    Mutant(
        name="float-up-is-the-nearest",
        file="core/exact/numbers.py",
        old="return 0.0 - float_down(-value)  # Not the negative zero.",
        new="return float(value)",
        tests=("tests/core/exact/test_bracket_range.py",),
    ),
)
