"""Mutants of counts that go on: what a person can move, how often she counts, and that a period is drawn once."""

from tests.mutants.mutant import Mutant

_FACTORS = ("tests/core/laws/test_factors.py",)
_AHEAD = ("tests/core/laws/test_ahead.py",)
_LAW = ("tests/contract/test_law_streams.py",)
_ARRIVALS = ("tests/release/streams/test_arrivals.py",)
_RUN = ("tests/release/streams/test_run.py",)

MUTANTS = (
    Mutant(
        name="stream-root-forgets-later-periods-of-a-person",
        file="core/laws/factors.py",
        old="            return int((moved**2).sum())",
        new="            return int((self.column**2).sum())",
        tests=_FACTORS,
    ),
    Mutant(
        name="stream-signed-products-cancel",
        file="core/laws/factors.py",
        old="found[places, places + apart] = found[places + apart, places] = np.abs(upto)",
        new="found[places, places + apart] = found[places + apart, places] = upto",
        tests=_FACTORS,
    ),
    Mutant(
        name="stream-tree-pays-for-one-level",
        file="core/laws/factors.py",
        old="return len(self.sizes) * min(many, self.periods)",
        new="return min(many, self.periods)",
        tests=_FACTORS + _LAW,
    ),
    Mutant(
        name="stream-ahead-pays-for-one-level",
        file="core/laws/ahead.py",
        old="return len(self.sizes) * min(many, self.periods)",
        new="return min(many, self.periods)",
        tests=_LAW,
    ),
    Mutant(
        name="stream-ahead-rounds-single-periods-by-themselves",
        file="core/laws/ahead.py",
        old="        single = wanted.astype(np.int64) * PARTS",
        new="        single = wanted.astype(np.int64) * PARTS + 1",
        tests=_AHEAD,
    ),
    Mutant(
        name="stream-ahead-answers-in-doubles",
        file="core/laws/ahead.py",
        old="sum(whole * measured[place][cell] for place, whole in parts) / PARTS",
        new="sum(whole / PARTS * float(measured[place][cell]) for place, whole in parts)",
        tests=_AHEAD,
    ),
    Mutant(
        name="stream-ahead-forgets-what-comes-later",
        file="release/streams/run.py",
        old="tuple(a + weight * b for a, b in zip(old, new, strict=True))",
        new="tuple(a for a, b in zip(old, new, strict=True))",
        tests=_RUN,
    ),
    Mutant(
        name="stream-gaussian-noise-is-drawn-ahead",
        file="release/payments/stream.py",
        old="        if self.factor.ahead:",
        new="        if False:",
        tests=_LAW,
    ),
    Mutant(
        name="stream-two-people-count-as-one",
        file="release/payments/stream.py",
        old="return 2 * once if factor.positive and self.measure.low >= 0 else 4 * once",
        new="return once",
        tests=_LAW,
    ),
    Mutant(
        name="stream-signed-people-add-up-as-squares",
        file="release/payments/stream.py",
        old="return 2 * once if factor.positive and self.measure.low >= 0 else 4 * once",
        new="return 2 * once",
        tests=_LAW,
    ),
    Mutant(
        name="stream-groups-are-forgotten",
        file="release/payments/stream.py",
        old="once = self.groups * self.measure.sensitivity() ** 2 * factor.squares(self.many)",
        new="once = self.measure.sensitivity() ** 2 * factor.squares(self.many)",
        tests=_LAW,
    ),
    Mutant(
        name="stream-a-person-counts-once-more",
        file="release/streams/arrivals.py",
        old="(times[keys // cells] < many)",
        new="(times[keys // cells] <= many)",
        tests=_ARRIVALS,
    ),
    Mutant(
        name="stream-what-was-seen-counts-again",
        file="release/streams/arrivals.py",
        old="fresh = values - _seen(before, keys)",
        new="fresh = values",
        tests=_ARRIVALS,
    ),
    Mutant(
        name="stream-a-period-is-drawn-again-after-a-roll-back",
        file="release/streams/run.py",
        old='        if receipt.again:\n            raise ReceiptUsed(\n                f"Period',
        new='        if False:\n            raise ReceiptUsed(\n                f"Period',
        tests=_RUN,
    ),
    Mutant(
        name="stream-a-ledger-put-back-is-taken",
        file="release/streams/run.py",
        old="if not ledger.holds(proof):",
        new="if False:",
        tests=_RUN,
    ),
)
