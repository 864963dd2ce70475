"""Mutants of shares: what a forgotten share, month or total would do."""

from tests.mutants.mutant import Mutant

_SHARES = ("tests/accounting/test_shares.py",)

MUTANTS = (
    Mutant(
        name="shares-any-covering-share-is-enough",
        file="accounting/shares.py",
        old="next((place for place in added if not self.held[place].fits(new[place], at)), None)",
        new="next((place for place in list(added)[:1] if not self.held[place].fits(new[place], at)), None)",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-month-opens-all",
        file="accounting/shares.py",
        old="return min(Fraction(1), max(Fraction(0), Fraction(begun, self.months)))",
        new="return Fraction(1 if begun > 0 else 0)",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-next-month-is-open",
        file="accounting/shares.py",
        old="_month(self.start) + 1",
        new="_month(self.start) + 2",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-stated-anew-begin-with-nothing",
        file="accounting/sharing.py",
        old="            used = () if now.shares is None else now.shares.totals\n            fresh",
        new="            used = ()\n            fresh",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-stated-anew-take-another-order",
        file="accounting/shares.py",
        old="    if before is None:\n        return filter_for(guarantee, AsYouGo(reserve=reserve))\n    gates",
        new="    if before is None or before.share.guarantee != guarantee:\n"
        "        return filter_for(guarantee, AsYouGo(reserve=reserve))\n    gates",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-that-moved-are-not-looked-at-again",
        file="accounting/sharing.py",
        old="        if (None if before is None else before.line) != "
        "(None if self.shared is None else self.shared.line):\n",
        new="        if False:\n",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-allowed-passes-the-whole",
        file="accounting/book.py",
        old="            if after is None:\n                raise _Refused(before.totals, last.sequence)\n"
        "            told",
        new="            if after is None and not (whose and whose.allowed):\n"
        "                raise _Refused(before.totals, last.sequence)\n            after = after or before.totals\n"
        "            told",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-allowed-is-not-counted",
        file="accounting/shares.py",
        old="            return Added(new, None if whose.allowed else over)\n",
        new="            return Added(totals if whose.allowed else new, None if whose.allowed else over)\n",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-verify-without-the-uncovered",
        file="accounting/sharing.py",
        old="            if old != new:\n                return False\n",
        new="            pass\n",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-verify-without-the-limits",
        file="accounting/sharing.py",
        old="(grows(old, new) and (whose.allowed or held.fits(new, at)))",
        new="grows(old, new)",
        tests=_SHARES,
    ),
    Mutant(
        name="shares-key-of-another-analyst",
        file="accounting/book.py",
        old="    same = same and (entry.whose and entry.whose.analyst) == (whose and whose.analyst)\n",
        new="",
        tests=_SHARES,
    ),
)
