"""Which of a person's cells count: those with her least keyed hashes, so that none is favoured.

Each cell has hash keys of its own. Where cells are few and known they are drawn beforehand and written into the query;
else the engine makes them from the values of the cells that have rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from banister.questions.question import Listed, Unknown, cell_count
from banister.release.sources.dialect import Dialect, written
from banister.release.sources.render import field, literal, number
from banister.release.work import HASH_KEY_LIMIT, HASH_PRIME, Physical, Work, cell_keys

SHIFT = HASH_PRIME * (2**61 // HASH_PRIME + 1)
"""A multiple of the prime, a little over 2^61: on top of a product within ±2^61 it makes a positive number."""

LOW_HALF = 2**16 - 1
"""The low bits of a hash, which are free for the number of a cell."""

KEYED_CELLS = 1000
"""Up to so many cells have their keys written into the query, which makes it longer and its work shorter."""


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """The choice for one piece of work.

    `person` and `unknown` are the types in which the person and the unknown keys are stored; `present` gives the query
    of the rows with their `cell` and their unknown keys.
    """

    work: Work
    dialect: Dialect
    person: Physical
    unknown: tuple[Physical, ...]
    present: Callable[[], exp.Select]

    @property
    def few(self) -> bool:
        """Whether the keys of the cells are written into the query."""
        return not self.unknown and cell_count(self.work.axes) <= KEYED_CELLS

    @property
    def with_values(self) -> bool:
        """Whether the declared values of one axis are the cells, so that their table can hold the keys."""
        return self.few and len(self.work.axes) == 1 and isinstance(self.work.axes[0], Listed)

    @property
    def names(self) -> list[str]:
        """The columns that tell cells apart."""
        return key_names(self.work)

    def hashed(self, per: exp.Select, *, rungs: bool = False) -> exp.Select:
        """Add the number `i` of a row's cell and `h`, a keyed hash of person and cell; `g`, one of person and rung.

        A hash is a line modulo a prime, with the keys of the cell, and then x · (x mod 2^16), so that it is no longer a
        line in the person. `cell_keys` says why this favours no cell.
        """
        there = "factor" in per.named_selects
        factor, shift, i = (field("per" if there else "q", name) for name in ("factor", "shift", "i"))
        u = self._code(field("per", "u"), self.person)
        lines = [exp.alias_(_modulo(_add(exp.Mul(this=u, expression=factor), shift)), "h1")]
        if rungs:
            a, b, c = (number(key) for key in (*self.work.hash_keys[:2], self.work.hash_keys[2] + SHIFT))
            rung = exp.Mul(this=exp.paren(_modulo(field("per", "rung"))), expression=b)
            lines.append(exp.alias_(_modulo(_add(_add(exp.Mul(this=u.copy(), expression=a), rung), c)), "g1"))
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("per"))
        inner = exp.select(every, *([] if there else [i]), *lines).from_(per.subquery("per"))
        if not there:
            inner = inner.join(self.cells(), on=self.same({name: field("per", name) for name in self.names}))
        hashes = [exp.alias_(_folded(field("per", f"{name}1")), name) for name in ("h", "g")[: len(lines)]]
        return exp.select("*", *hashes).from_(inner.subquery("per"))

    def least(self) -> exp.Expr:
        """Of hashed rows `per`, the number of the cell with the least hash."""
        h, i = field("per", "h"), field("per", "i")
        if self.few:
            return exp.cast(exp.BitwiseAnd(this=exp.Min(this=_add(h, i)), expression=number(LOW_HALF)), "smallint")
        code = _add(exp.Mul(this=h, expression=number(2**20)), i)  # Below 2^60, with 36 bits for the number.
        return exp.BitwiseAnd(this=exp.Min(this=code), expression=number(2**36 - 1))

    def cells(self) -> exp.Expr:
        """The cells with their numbers and hash keys, as a table `q`.

        A number only serves to know a cell again. It depends on other people's cells, but the order of two numbers does
        not, and neither do the keys: a line of the cell's values modulo the prime, and its cube.
        """
        if self.few:
            rows = [(literal(cell), literal(cell), *keys) for cell, keys in enumerate(self._keys())]
            return written(self.dialect, rows, "q", "cell", "i", "factor", "shift")
        there = self.present()
        there = there.select(*(item for item in there.selects if item.alias in self.names), append=False).distinct()
        lines = exp.select("*", exp.alias_(self._line(0, 1), "f1"), exp.alias_(self._line(2, 3), "s1"))
        order = exp.Order(expressions=[exp.Ordered(this=field("per", name)) for name in self.names])
        place = exp.Window(this=exp.RowNumber(), order=order)
        factor = _add(number(1), exp.Mod(this=_cube("f1"), expression=number(HASH_KEY_LIMIT - 1)))
        shift = _add(_cube("s1"), number(SHIFT))
        found = exp.select(
            *self.names, exp.alias_(place, "i"), exp.alias_(factor, "factor"), exp.alias_(shift, "shift")
        )
        return found.from_(lines.from_(there.subquery("per")).subquery("per")).subquery("q")

    def same(self, fields: Mapping[str, exp.Expr]) -> exp.Expr:
        """Whether a row with these fields is of a cell of the table `q`; where nothing is grouped by, it always is."""
        pairs = [exp.EQ(this=fields[name].copy(), expression=field("q", name)) for name in self.names]
        return exp.and_(*pairs) if pairs else exp.true()

    def values(self, axis: Listed, name: str) -> exp.Values:
        """The declared values with their numbers and hash keys, as a small table."""
        rows = [
            (literal(value), literal(place), *keys)
            for (place, value), keys in zip(enumerate(axis.values), self._keys(), strict=True)
        ]
        return written(self.dialect, rows, name, "v", "i", "factor", "shift")

    def _keys(self) -> list[tuple[exp.Expr, exp.Expr]]:
        drawn = cell_keys(self.work.hash_keys, cell_count(self.work.axes))
        return [(literal(factor), literal(shift + SHIFT)) for factor, shift in drawn]

    def _line(self, first: int, second: int) -> exp.Expr:
        """A line of the cell's number and unknown keys, with two of the hash keys and the last one, modulo the prime.

        Codes are within ±2^31 and keys below 2^30, so with the shift every sum is positive and under 2^63.
        """
        b, c, e = (self.work.hash_keys[place] for place in (first, second, -1))
        line: exp.Expr = number(c)
        if "cell" in self.names:
            line = _modulo(_add(_times(_modulo(field("per", "cell")), b), number(c + SHIFT)))
        for place, stored in enumerate(self.unknown):
            text = _times(self._code(field("per", f"x{place}"), stored), e)
            line = _modulo(_add(_add(_times(line, b), text), number(c + SHIFT)))
        return line

    def _code(self, value: exp.Expr, stored: Physical) -> exp.Expr:
        if stored is Physical.INTEGER:  # A remainder has the sign of the number.
            return exp.cast(exp.Mod(this=value, expression=number(HASH_PRIME)), "bigint")
        return self.dialect.text_code(value if stored is Physical.TEXT else exp.cast(value, "text"))


def key_names(work: Work) -> list[str]:
    """The columns that tell cells apart: without a known axis, all have the number 0."""
    known = any(not isinstance(axis, Unknown) for axis in work.axes)
    return [*(["cell"] if known else []), *unknown_names(work)]


def unknown_names(work: Work) -> list[str]:
    """The columns of the unknown keys."""
    return [f"x{i}" for i, _ in enumerate(axis for axis in work.axes if isinstance(axis, Unknown))]


def _add(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.Add(this=a, expression=b)


def _times(value: exp.Expr, key: int) -> exp.Expr:
    return exp.Mul(this=exp.paren(value), expression=number(key))


def _modulo(value: exp.Expr) -> exp.Expr:
    return exp.Mod(this=exp.paren(value), expression=number(HASH_PRIME))


def _folded(x: exp.Expr) -> exp.Expr:
    """x · (x mod 2^16), of which bits 16 to 39 are kept."""
    product = exp.Mul(this=x, expression=exp.paren(exp.BitwiseAnd(this=x.copy(), expression=number(LOW_HALF))))
    return exp.BitwiseAnd(this=exp.paren(product), expression=number(2**40 - 1 - LOW_HALF))


def _cube(name: str) -> exp.Expr:
    """The cube modulo the prime."""
    x = field("per", name)
    square = exp.paren(_modulo(exp.Mul(this=x, expression=x.copy())))
    return _modulo(exp.Mul(this=square, expression=x.copy()))
