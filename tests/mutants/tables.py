"""Mutants of whole tables: their noise, how far a person moves a measure, and how epsilon is shared out."""

from tests.mutants.mutant import Mutant

_SANITIZE = ("tests/publish/test_noise.py",)
_LAW = ("tests/contract/test_law_tables.py",)
_SPLIT = ("tests/release/planning/test_split.py",)
_MEASURES = ("tests/questions/test_measures.py", "tests/release/test_noises.py")

MUTANTS = (
    Mutant(
        name="wide-score-of-a-replaced-record-moves-by-one",
        file="publish/wide.py",
        old="noise = plan.noise(scoring, cells_moved(plan.neighbours) * len(candidates))",
        new="noise = plan.noise(scoring, len(candidates))",
        tests=_LAW,
    ),
    Mutant(
        name="wide-each-score-takes-the-whole-share",
        file="publish/wide.py",
        old="noise = plan.noise(scoring, cells_moved(plan.neighbours) * len(candidates))",
        new="noise = plan.noise(scoring, cells_moved(plan.neighbours))",
        tests=_LAW,
    ),
    Mutant(
        name="wide-each-set-takes-the-whole-share",
        file="publish/wide.py",
        old="noise = plan.noise(part, 1)",
        new="noise = plan.noise(share, 1)",
        tests=_LAW,
    ),
    Mutant(
        name="wide-what-a-round-spent-is-carried-on",
        file="publish/wide.py",
        old="            left = Fraction(0)\n            joined",
        new="            joined",
        tests=_LAW,
    ),
    Mutant(
        name="replaced-record-moves-one-cell",
        file="publish/noise.py",
        old="return 1 if neighbours is Neighbours.ADD_REMOVE else 2",
        new="return 1",
        tests=_LAW,
    ),
    Mutant(
        name="per-cell-claims-one-cell",
        file="publish/noise.py",
        old="return PrivacyLoss.pure(self.epsilon / self.moved).times(self.moved)",
        new="return PrivacyLoss.pure(self.epsilon / self.moved)",
        tests=_LAW,
    ),
    Mutant(
        name="per-cell-draws-at-the-whole-epsilon",
        file="publish/noise.py",
        old="return counts + staircase_draw(self.epsilon / self.moved, 1, 1).draw_many(counts.size, bits)",
        new="return counts + staircase_draw(self.epsilon, 1, 1).draw_many(counts.size, bits)",
        tests=_LAW,
    ),
    Mutant(
        name="fixed-total-draws-at-twice-epsilon",
        file="publish/noise.py",
        old="return counts + lattice_draw(self.cells, self.epsilon).draw(bits)",
        new="return counts + lattice_draw(self.cells, 2 * self.epsilon).draw(bits)",
        tests=_SANITIZE,
    ),
    Mutant(
        name="fixed-total-loss-of-one-cell-more",
        file="publish/noise.py",
        old="            for k in range(1, count - 1):\n",
        new="            for k in range(1, count):\n",
        tests=_SANITIZE,
    ),
    Mutant(
        name="total-published-to-anybody",
        file="publish/noise.py",
        old="if noise.publishes_total and neighbours is not Neighbours.REPLACE:",
        new="if False:",
        tests=_SANITIZE,
    ),
    Mutant(
        name="measure-sensitivity-of-the-upper-end",
        file="questions/measures.py",
        old="return max(abs(self.low), abs(self.high))",
        new="return abs(self.high)",
        tests=_MEASURES,
    ),
    Mutant(
        name="measure-total-of-one-row",
        file="questions/measures.py",
        old="low, high = min(0, quantity.low * most), max(0, quantity.high * most)",
        new="low, high = min(0, quantity.low), max(0, quantity.high)",
        tests=_MEASURES,
    ),
    Mutant(
        name="replaced-person-touches-one-persons-cells",
        file="questions/measures.py",
        old="touched = 2 * groups if cells is None else min(2 * groups, cells)",
        new="touched = groups if cells is None else min(groups, cells)",
        tests=_MEASURES,
    ),
    Mutant(
        name="squares-of-the-spread-alone",
        file="questions/measures.py",
        old="squares = max(groups * spread**2, (touched - groups) * 2 * once**2 + (2 * groups - touched) * spread**2)",
        new="squares = groups * spread**2",
        tests=_MEASURES,
    ),
    Mutant(
        name="squares-of-one-cell",
        file="questions/measures.py",
        old="return (Share(touches=groups, sensitivity=once, moves=1, squares=groups * once**2),)",
        new="return (Share(touches=groups, sensitivity=once, moves=1, squares=once**2),)",
        tests=_MEASURES,
    ),
    Mutant(
        name="moves-of-a-range-over-zero",
        file="questions/measures.py",
        old="moves=1 if spread == once else 2, squares=squares",
        new="moves=1, squares=squares",
        tests=_MEASURES,
    ),
    Mutant(
        name="contribution-limit-unchecked",
        file="questions/measures.py",
        old="    if max(-low, high) > CONTRIBUTION_LIMIT:\n",
        new="    if False:\n",
        tests=_MEASURES,
    ),
    Mutant(
        name="centred-range-of-one-end",
        file="questions/measures.py",
        old="shift = (quantity.low + quantity.high) * factor // 2",
        new="shift = (quantity.low + quantity.high) // 2",
        tests=_MEASURES,
    ),
    Mutant(
        name="few-cells-is-one-more",
        file="questions/measures.py",
        old="if cells is None or cells > FEW_CELLS:",
        new="if cells is None or cells > 10 * FEW_CELLS:",
        tests=_MEASURES,
    ),
    Mutant(
        name="shares-do-not-add-up",
        file="release/planning/split.py",
        old="    parts[sizes.index(max(sizes))] += PARTS - sum(parts)\n",
        new="",
        tests=_SPLIT,
    ),
    Mutant(
        name="shares-by-square-roots",
        file="release/planning/split.py",
        old="proportions([a ** (1 / 3) for a in importance])",
        new="proportions([a ** (1 / 2) for a in importance])",
        tests=_SPLIT,
    ),
    Mutant(
        name="public-row-found-twice",
        file="questions/reading/rows/joining.py",
        old="if not names or not lookup.known.unique(names):",
        new="if not names:",
        tests=("tests/questions/reading/test_relations.py",),
    ),
    Mutant(
        name="person-in-two-parts-has-the-rows-of-one",
        file="questions/relation.py",
        old="return sum(found) if found else None",
        new="return max(found) if found else None",
        tests=("tests/questions/reading/test_relations.py",),
    ),
    Mutant(
        name="window-over-several-people",
        file="questions/reading/rows/windows.py",
        old="if len(people) != 1 or not all(isinstance(part, exp.Column) for part in others):",
        new="if not all(isinstance(part, exp.Column) for part in others):",
        tests=("tests/questions/reading/test_relations.py",),
    ),
)
