"""Mutants of the audit: alarms that are not earned, and breaks that are not seen."""

from tests.mutants.mutant import Mutant

_ATTACK = ("tests/audit/test_attack.py",)
_GALLERY = ("tests/audit/test_gallery.py",)

_CERTIFICATES = ("tests/audit/test_certificates.py",)
_CUT = ("tests/audit/test_certificates.py::test_of_a_law_that_is_added_up_both_ends_are_cut_to_the_safe_side",)

_WHOLES = ("tests/audit/test_certificates_of_wholes.py",)
MUTANTS = (
    Mutant(
        name="certificate-forgets-how-far-a-total-moves",
        file="audit/checkers/release.py",
        old="* steps / unit, Fraction(0)",
        new="/ unit, Fraction(0)",
        tests=_WHOLES,
    ),
    Mutant(
        name="certificate-of-a-sketch-halves-its-delta",
        file="audit/checkers/sketch.py",
        old="    return away +",
        new="    return away / 2 +",
        tests=_WHOLES,
    ),
    Mutant(
        name="certificate-forgets-the-cells",
        file="audit/checkers/release.py",
        old="    return _stairs(draw, law, place)[0] * _cells(draw, place),",
        new="    return _stairs(draw, law, place)[0],",
        tests=_CERTIFICATES,
    ),
    Mutant(
        name="certificate-forgets-the-delta-of-a-bar",
        file="audit/checkers/release.py",
        old="    return Fraction(0), paid, squares / sigma**2",
        new="    return Fraction(0), Fraction(0), squares / sigma**2",
        tests=_CERTIFICATES,
    ),
    Mutant(
        name="certificate-loses-the-losses-that-are-cut",
        file="audit/checkers/release.py",
        old="one[2] + other[2] + sum(law[high:])",
        new="one[2] + other[2]",
        tests=_CUT,
    ),
    Mutant(
        name="certificate-adds-up-one-cell-less",
        file="audit/checkers/release.py",
        old="(least, law, 0), cells\n",
        new="(least, law, 0), cells - 1\n",
        tests=_CUT,
    ),
    Mutant(
        name="certificate-takes-any-line",
        file="audit/checkers/release.py",
        old='or not plan or charge.get("plan") != plan',
        new="",
        tests=_CERTIFICATES,
    ),
    Mutant(
        name="certificate-compares-no-file",
        file="audit/verifying.py",
        old="    if file_hash(beside) != value:",
        new="    if False:",
        tests=_CERTIFICATES,
    ),
    Mutant(
        name="ladder-states-one-end",
        file="release/payments/ladder.py",
        old="levels = [str(self.answer_epsilon), str(self.end_epsilon), str(self.end_epsilon)]",
        new="levels = [str(self.answer_epsilon), str(self.end_epsilon)]",
        tests=_CERTIFICATES,
    ),
    Mutant(
        name="audit-tests-on-what-proposed",
        file="audit/attacking.py",
        old="(first[half:], second[half:])",
        new="(first[:half], second[:half])",
        tests=("tests/audit/test_attack.py::test_a_test_never_sees_what_proposed_it",),
    ),
    Mutant(
        name="audit-forgets-delta",
        file="audit/attacks/bounds.py",
        old="    low = chance_down(hits, draws, risk / 2) - delta\n",
        new="    low = chance_down(hits, draws, risk / 2)\n",
        tests=_ATTACK,
    ),
    Mutant(
        name="audit-tests-every-event-at-the-whole-risk",
        file="audit/attacking.py",
        old="each = risk / len(proposed)",
        new="each = risk",
        tests=("tests/audit/test_attack.py::test_every_event_pays_its_share_of_the_risk",),
    ),
    Mutant(
        name="audit-sees-no-low-bits",
        file="audit/attacks/grid.py",
        old="exponent - _MANTISSA + lowest",
        new="exponent - _MANTISSA",
        tests=_ATTACK,
    ),
    Mutant(
        name="audit-hands-on-a-changed-input",
        file="audit/targets/child.py",
        old="    fresh = json.loads(given)\n",
        new="    fresh = vars(plain).setdefault(given, json.loads(given))\n",
        tests=_ATTACK,
    ),
)
