"""Every error that banister raises on purpose, on one page."""


class BanisterError(Exception):
    """The root of the tree. A message says what is wrong with which value, what would be right, and what to do.

    BanisterError
    ├── BadValue (ValueError)        a parameter or an input that cannot be used
    │   ├── Undrawable               a noise whose law reaches beyond what can be drawn exactly
    │   ├── Refused                  a question that cannot be answered privately, with the place in its text
    │   └── BadFrame                 bytes from the network that are no frame of ours, or a frame that cannot be written
    ├── EngineFailed (RuntimeError)  a database stopped; nothing was drawn and nothing was charged
    │   └── EngineBroke              it stopped after it had begun to read: the release was charged, nothing was drawn
    ├── Uncertified (ArithmeticError) a number could not be proven to the asked precision
    ├── Unsolved (RuntimeError)      an optimiser stopped without an answer
    ├── MissingExtra (ImportError)   an optional library is not installed
    ├── BudgetExceeded (RuntimeError) a charge that the ledger refuses: nothing was written, nothing was drawn
    │   └── ShareExceeded            the budget has room, but an analyst's or a project's share of it has not
    ├── ReceiptUsed (RuntimeError)   a second release was asked for one payment
    ├── AlreadyAnswered (RuntimeError) a party was asked to answer one plan twice: nothing was drawn
    └── LedgerFault (OSError)        the ledger cannot be used as it lies there
        ├── LedgerMissing (FileNotFoundError)  there is none under that name
        ├── LedgerExists (FileExistsError)     there is one already, and it is never overwritten
        ├── LedgerForeign                      no ledger of ours, or one of another version
        ├── LedgerDamaged                      truncated, or changed by hand
        ├── LedgerFull                         the disk, or the file's limit, leaves no room
        ├── LedgerLocked (TimeoutError)        somebody else held it for too long
        └── LedgerUnreachable (ConnectionError) it cannot be read or written, or its server does not answer

    >>> from banister import Guarantee
    >>> Guarantee(-1)
    Traceback (most recent call last):
        ...
    banister.errors.BadValue: epsilon = -1 must be a finite number, 0 or above.
    """


class BadValue(BanisterError, ValueError):
    """A parameter or an input that cannot be used; nothing was drawn and nothing was charged."""


class Undrawable(BadValue):
    """A noise whose law reaches beyond what can be drawn exactly in 64-bit integers."""


class Refused(BadValue):
    """A question that cannot be answered privately as it is written; the message says where, why and what to write."""


class BadFrame(BadValue):
    """Bytes from the network that are no frame of ours, or a frame that cannot be written; a node drops it."""


class EngineFailed(BanisterError, RuntimeError):
    """A database or a file could not be read to the end; nothing was drawn and nothing was charged."""


class EngineBroke(EngineFailed):
    """A database stopped after it had begun to read, which may depend on what it read; a release is charged then."""


class Uncertified(BanisterError, ArithmeticError):
    """A number could not be proven to the asked precision."""


class Unsolved(BanisterError, RuntimeError):
    """An optimiser stopped without an answer."""


class MissingExtra(BanisterError, ImportError):
    """An optional library is not installed."""

    @classmethod
    def naming(cls, library: str, extra: str) -> "MissingExtra":
        return cls(
            f"This needs {library}, which is not installed. Install it where this project lies: "
            f"pip install '.[{extra}]'"
        )


class BudgetExceeded(BanisterError, RuntimeError):
    """A charge that the ledger refuses; nothing was written and nothing was drawn.

    >>> from banister import Guarantee, Ledger, Neighbours
    >>> cost, relation = Guarantee(1), Neighbours.REPLACE
    >>> book = Ledger.create("memory:", budget=cost, neighbours=relation, questions=[(cost, 1)])
    >>> paid = book.charge(cost, label="the one question", neighbours=relation)
    >>> book.charge(cost, label="another", neighbours=relation)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    banister.errors.BudgetExceeded: The charge 'another' (epsilon = 1) does not fit the budget (1, 0) after ...
    """


class ShareExceeded(BudgetExceeded):
    """A charge for which the budget has room, but not the share that it counts in; an owner may allow it."""


class ReceiptUsed(BanisterError, RuntimeError):
    """A receipt pays for one release, once, in the process that made it."""


class AlreadyAnswered(BanisterError, RuntimeError):
    """A party answers a plan once; a second answer would spend its privacy twice. Nothing was drawn."""


class LedgerFault(BanisterError, OSError):
    """The ledger cannot be used as it lies there; nothing was written.

    >>> from banister import Ledger
    >>> try:
    ...     Ledger.open("nowhere.ledger")
    ... except LedgerFault as fault:
    ...     print(fault)  # doctest: +ELLIPSIS
    There is no ledger at 'nowhere.ledger'. ...
    """


class LedgerMissing(LedgerFault, FileNotFoundError):
    """There is no ledger under that name. None is made unless asked for."""


class LedgerExists(LedgerFault, FileExistsError):
    """There is something under that name already. A ledger is never overwritten."""


class LedgerForeign(LedgerFault):
    """Not a ledger of ours, or one of another version."""


class LedgerDamaged(LedgerFault):
    """A ledger that was truncated, or changed by hand."""


class LedgerFull(LedgerFault):
    """No room is left to write a charge."""


class LedgerLocked(LedgerFault, TimeoutError):
    """Somebody else held the ledger for longer than we wait."""


class LedgerUnreachable(LedgerFault, ConnectionError):
    """The ledger cannot be read or written, or its server does not answer."""
