"""Mutants of proofs, rungs, decoders and shapes: one forgotten factor each."""

from tests.mutants.mutant import Mutant

_PROOFS = ("tests/audit/test_proofs.py",)
_RUNGS = ("tests/release/test_rungs.py",)
_NOISE = ("tests/mechanisms/integers/test_rungs.py",)
_DECODER = ("tests/mechanisms/integers/test_decoder.py",)
_TEN = ("tests/release/test_noises.py::test_between_few_cells_and_many_a_shape_is_made_for_all_of_them",)
_WIDTH = ("tests/release/test_noises.py::test_a_shape_is_as_wide_as_a_person_moves_a_cell",)
_ONE = ("tests/accounting/totals/test_counting.py::test_one_question_costs_at_least_that_and_hardly_more",)
_GAUSSIAN = ("tests/accounting/totals/test_counting.py::test_for_a_gaussian_counting_loses_at_most_a_half",)
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
    Mutant(
        name="a-shape-for-one-cell-less",
        file="release/payments/shaped.py",
        old="return self.noise.loss().times(self.share.touches)",
        new="return self.noise.loss().times(self.share.touches - 1)",
        tests=_TEN,
    ),
    Mutant(
        name="a-shape-narrower-than-one-may-move",
        file="release/payments/shaped.py",
        old="    width = share.sensitivity | 1\n",
        new="    width = (share.sensitivity - 1) | 1\n",
        tests=_WIDTH,
    ),
    Mutant(
        name="a-shape-states-fewer-cells",
        file="release/payments/shaped.py",
        old='"cells": self.share.touches,',
        new='"cells": self.share.touches - 1,',
        tests=_WIDTH,
    ),
    Mutant(
        name="counting-forgets-the-factor-of-the-cost",
        file="accounting/totals/counting.py",
        old="rising = power * (steps",
        new="rising = 2 * power * (steps",
        tests=_ONE,
    ),
    Mutant(
        name="counting-takes-the-further-end",
        file="accounting/totals/counting.py",
        old="(steps[None, 1:] - ends[1:, None])",
        new="(steps[None, 1:] + ends[1:, None])",
        tests=_ONE,
    ),
    Mutant(
        name="counting-lets-a-chance-grow-less-than-is-proven",
        file="accounting/totals/counting.py",
        old="                proven[n] = up\n",
        new="                proven[n] = up * 0.9\n",
        tests=_ONE,
    ),
    Mutant(
        name="counting-proposes-without-delta",
        file="accounting/totals/counting.py",
        old=" + float(total.delta)",
        new="",
        tests=_GAUSSIAN,
    ),
)
