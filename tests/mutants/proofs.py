"""Mutants of proofs, rungs, decoders and shapes: one forgotten factor each."""

from tests.mutants.mutant import Mutant

_PROOFS = ("tests/audit/test_proofs.py",)
_RUNGS = ("tests/release/test_rungs.py",)
_NOISE = ("tests/mechanisms/integers/test_rungs.py",)
_DECODER = ("tests/mechanisms/integers/test_decoder.py",)
_SHAPED = ("tests/mechanisms/integers/test_shaped.py",)

MUTANTS = (
    Mutant(
        name="proof-of-noise-forgets-delta",
        file="audit/checkers/noise.py",
        old="- delta * Fraction(most, scale)",
        new="",
        tests=_PROOFS,
    ),
    Mutant(
        name="proof-on-the-line-forgets-the-rounding",
        file="audit/checkers/line.py",
        old="if bound > (proven - (Fraction(1, 4) if exponent == 2 else 0)) / parts**exponent:",
        new="if bound > (proven + (Fraction(1, 4) if exponent == 2 else 1)) / parts**exponent:",
        tests=_PROOFS,
    ),
    Mutant(
        name="proof-of-a-channel-prices-no-set",
        file="audit/checkers/channel.py",
        old="        if worth > cost:\n",
        new="        if worth > cost + 1:\n",
        tests=_PROOFS,
    ),
    Mutant(
        name="proof-of-a-rule-takes-any-bound",
        file="audit/checkers/rule.py",
        old="    if bound > earned:\n",
        new="    if bound > earned + 1:\n",
        tests=_PROOFS,
    ),
    Mutant(
        name="refinement-keeps-other-gates-open",
        file="accounting/refining.py",
        old="total + more if gate.adds_epsilons and total is not None else None",
        new="total + more if total is not None else None",
        tests=_RUNGS,
    ),
    Mutant(
        name="refinement-of-any-charge",
        file="accounting/refining.py",
        old="if not charge.plan.startswith(RUNGS) or entry.plan != charge.plan:",
        new="if not charge.plan.startswith(RUNGS):",
        tests=_RUNGS,
    ),
    Mutant(
        name="rungs-with-a-wrong-chance-to-stay",
        file="mechanisms/integers/rungs.py",
        old="return (1 - a) * (1 - a) * b / ((1 - b) * (1 - b) * a)",
        new="return (1 - a) * (1 - a) / ((1 - b) * (1 - b))",
        tests=_NOISE,
    ),
    Mutant(
        name="decoder-forgets-the-ends",
        file="mechanisms/integers/decoder.py",
        old="(outside if y in ends else inside)",
        new="inside",
        tests=_DECODER,
    ),
    Mutant(
        name="shape-without-its-edge",
        file="mechanisms/integers/shaped.py",
        old="            beyond += masses[abs(cell)]\n",
        new="            beyond += 0 * masses[abs(cell)]\n",
        tests=_SHAPED,
    ),
)
