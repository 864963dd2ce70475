"""Mutants of the ledger: its lines, chain, receipts, and where they are kept."""

from tests.mutants.mutant import Mutant

_FILTERS = ("tests/accounting/test_filters.py",)
_LEDGER = ("tests/accounting/test_book.py",)
_CHAIN = ("tests/accounting/test_chain.py",)
_RECEIPT = ("tests/accounting/test_receipt.py",)
_SQLITE = ("tests/accounting/stores/test_sqlite.py",)
_HOME = ("tests/parties/meetings/test_home.py",)

MUTANTS = (
    Mutant(
        name="ledger-takes-other-neighbours",
        file="accounting/book.py",
        old="    if charge.neighbours is not terms.neighbours:\n",
        new="    if False:\n",
        tests=_LEDGER,
    ),
    Mutant(
        name="ledger-writes-the-totals-before",
        file="accounting/book.py",
        old="write(Standing(totals=after,",
        new="write(Standing(totals=before.totals,",
        tests=_LEDGER,
    ),
    Mutant(
        name="ledger-verify-lets-totals-fall",
        file="accounting/book.py",
        old="return all(a is None or (b is not None and a >= b) for b, a in zip(before, after, strict=True))",
        new="return True",
        tests=_LEDGER,
    ),
    Mutant(
        name="ledger-verify-without-the-limits",
        file="accounting/book.py",
        old="if not (_grows(before.totals, after.totals) and terms.accountant.allows(after.totals)):",
        new="if not _grows(before.totals, after.totals):",
        tests=_LEDGER,
    ),
    Mutant(
        name="ledger-proof-of-the-number-alone",
        file="accounting/book.py",
        old="        if found.get(sequence) != value:\n",
        new="        if sequence not in found:\n",
        tests=_LEDGER,
    ),
    Mutant(
        name="chain-without-the-line-before",
        file="accounting/chain.py",
        old='{sequence}\\n{previous}\\n{body}".encode()',
        new='{sequence}\\n{body}".encode()',
        tests=_CHAIN,
    ),
    Mutant(
        name="chain-without-the-number",
        file="accounting/chain.py",
        old='{sequence}\\n{previous}\\n{body}".encode()',
        new='{previous}\\n{body}".encode()',
        tests=_CHAIN,
    ),
    Mutant(
        name="chain-head-by-number-alone",
        file="accounting/chain.py",
        old="if last is None or (last.sequence, last.hash) != head:",
        new="if last is None or last.sequence != head[0]:",
        tests=_CHAIN,
    ),
    Mutant(
        name="receipt-works-twice",
        file="accounting/receipt.py",
        old="            self._used = True\n",
        new="",
        tests=_RECEIPT,
    ),
    Mutant(
        name="receipt-works-in-a-child",
        file="accounting/receipt.py",
        old="if self._used or os.getpid() != self._process:",
        new="if self._used:",
        tests=_RECEIPT,
    ),
    Mutant(
        name="receipt-pays-for-any-plan",
        file="accounting/receipt.py",
        old="        if plan != self.plan:\n",
        new="        if False:\n",
        tests=_RECEIPT,
    ),
    Mutant(
        name="terms-of-any-format",
        file="accounting/terms.py",
        old='if document["kind"] != "terms" or document["format"] != FORMAT:',
        new='if document["kind"] != "terms":',
        tests=_LEDGER,
    ),
    Mutant(
        name="terms-closed-gate-read-as-zero",
        file="accounting/terms.py",
        old='None if text == "inf" else Fraction(text) for text in document["totals"]',
        new='Fraction(0) if text == "inf" else Fraction(text) for text in document["totals"]',
        tests=_LEDGER,
    ),
    Mutant(
        name="sqlite-answers-before-the-disk",
        file="accounting/stores/sqlite.py",
        old="            _to_disk(hold.log)\n",
        new="",
        tests=_SQLITE,
    ),
    Mutant(
        name="sqlite-reads-before-the-lock",
        file="accounting/stores/sqlite.py",
        old='with self._transaction("IMMEDIATE") as connection:',
        new='with self._transaction("DEFERRED") as connection:',
        tests=(*_SQLITE, "tests/accounting/test_ledger.py"),
    ),
    Mutant(
        name="sqlite-appends-unlinked-lines",
        file="accounting/stores/sqlite.py",
        old="        check_link(last, line)\n",
        new="",
        tests=_SQLITE,
    ),
    Mutant(
        name="sqlite-carries-a-connection-over-a-fork",
        file="accounting/stores/sqlite.py",
        old="        if self._process is not None and not self._process.is_this():\n",
        new="        if False:\n",
        tests=_SQLITE,
    ),
    Mutant(
        name="sqlite-tail-unchecked",
        file="accounting/stores/sqlite.py",
        old="        check_head(last, self._head())\n",
        new="",
        tests=_SQLITE,
    ),
    Mutant(
        name="sqlite-new-ledger-not-synced",
        file="accounting/stores/sqlite.py",
        old="        os.fsync(folder)\n",
        new="        pass\n",
        tests=_SQLITE,
    ),
    Mutant(
        name="sqlite-draft-not-synced",
        file="accounting/stores/sqlite.py",
        old="        os.fsync(handle.fileno())\n",
        new="        pass\n",
        tests=_SQLITE,
    ),
    Mutant(
        name="party-record-not-synced",
        file="files.py",
        old="        yield draft\n        _sync(target.parent)\n",
        new="        yield draft\n",
        tests=_HOME,
    ),
    Mutant(
        name="party-file-not-synced",
        file="files.py",
        old="    _sync(draft)\n",
        new="    pass\n",
        tests=_HOME,
    ),
    Mutant(
        name="party-answer-not-synced",
        file="parties/meetings/home.py",
        old="whole_text(path, answer, access=Access.OWNER)",
        new="path.write_text(answer)",
        tests=_HOME,
    ),
    Mutant(
        name="party-record-may-be-overwritten",
        file="files.py",
        old="    if os.path.lexists(path):\n        raise FileExistsError(path)\n",
        new="    path.unlink(missing_ok=True)\n",
        tests=_HOME,
    ),
)
