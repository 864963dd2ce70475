"""Every error that banister raises on purpose, on one page."""


class BanisterError(Exception):
    """The root of the tree. A message says what is wrong with which value, what would be right, and what to do.

    BanisterError
    ├── BadValue (ValueError)        a parameter or an input that cannot be used
    ├── Uncertified (ArithmeticError) a number could not be proven to the asked precision
    ├── Unsolved (RuntimeError)      an optimiser stopped without an answer
    └── MissingExtra (ImportError)   an optional library is not installed
    """


class BadValue(BanisterError, ValueError):
    """A parameter or an input that cannot be used; nothing was drawn and nothing was charged."""


class Uncertified(BanisterError, ArithmeticError):
    """A number could not be proven to the asked precision."""


class Unsolved(BanisterError, RuntimeError):
    """An optimiser stopped without an answer."""


class MissingExtra(BanisterError, ImportError):
    """An optional library is not installed."""

    @classmethod
    def naming(cls, library: str, extra: str) -> "MissingExtra":
        return cls(f"This needs {library}, which is not installed. Install it with: pip install 'banister[{extra}]'")
