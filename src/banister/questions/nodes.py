"""What expressions and conditions are made of: a few node types, all of them total.

No value of a row makes one fail. What is known about a term stands in `terms.Quantity`.
"""

from dataclasses import dataclass
from fractions import Fraction

from banister.tables.reading import Value
from banister.tables.schema import Column


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column of a relation. `ready` when the relation already yields whole steps."""

    relation: str
    column: Column
    ready: bool


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number written in the question."""

    value: int


@dataclass(frozen=True, slots=True)
class Null:
    """NULL."""


@dataclass(frozen=True, slots=True)
class Add:
    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Multiply:
    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Abs:
    """The absolute value."""

    term: "Term"


@dataclass(frozen=True, slots=True)
class LeastOrGreatest:
    """The least or the greatest of several; a missing one is passed over, as in all three engines."""

    name: str
    terms: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Coalesce:
    """The first that is not missing."""

    terms: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Case:
    """The value behind the first condition that holds."""

    cases: tuple[tuple["Condition", "Term"], ...]
    otherwise: "Term"


@dataclass(frozen=True, slots=True)
class Mod:
    """What is left of a non-negative number after division by a constant above 0."""

    term: "Term"
    divisor: int


@dataclass(frozen=True, slots=True)
class IntegerDivide:
    """How often a constant above 0 goes into a non-negative number."""

    term: "Term"
    divisor: int


@dataclass(frozen=True, slots=True)
class FloorDivide:
    """How often a number above 0 goes into a non-negative one, which is missing where the divisor is."""

    term: "Term"
    divisor: "Term"


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOf:
    """A growing or falling function of a number, in whole steps: ⌊f(given · term) / step + shift⌋ within low and high.

    The engine's own function is asked. Planning has seen to it that no whole number comes so near to a jump that two
    engines could differ (`curves`); whatever an engine gives, it is held within the bounds, and so is what it is given.
    """

    name: str
    term: "Term"
    first: int
    last: int
    given: Fraction
    step: Fraction
    shift: Fraction
    low: int
    high: int
    exponent: Fraction = Fraction(1)


Term = (
    Leaf
    | Whole
    | Null
    | Add
    | Multiply
    | Abs
    | LeastOrGreatest
    | Coalesce
    | Case
    | Mod
    | IntegerDivide
    | FloorDivide
    | FunctionOf
)


@dataclass(frozen=True, slots=True)
class Compare:
    """Two whole numbers compared: = <> < <= > >=."""

    sign: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class In:
    """A category column that has one of some values."""

    leaf: Leaf
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SameValue:
    """Two categories that have the same value; a column that is whole already may stand for one of them."""

    left: Leaf
    right: Leaf


@dataclass(frozen=True, slots=True)
class Linked:
    """A key of one relation that equals a key of another, each by the relation's name and its own."""

    left: str
    left_key: str
    right: str
    right_key: str


@dataclass(frozen=True, slots=True)
class IsNull:
    """IS NULL."""

    term: Term


@dataclass(frozen=True, slots=True)
class And:
    left: "Condition"
    right: "Condition"


@dataclass(frozen=True, slots=True)
class Or:
    left: "Condition"
    right: "Condition"


@dataclass(frozen=True, slots=True)
class Not:
    condition: "Condition"


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool


Condition = Compare | In | SameValue | Linked | IsNull | And | Or | Not | Boolean
