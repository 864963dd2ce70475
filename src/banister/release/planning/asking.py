"""Questions built step by step in Python; each step gives a new question, and the end is SQL."""

from dataclasses import dataclass, replace

from banister import need
from banister.questions.question import Question


def bounded(question: Question, *, rows: int | None, groups: int | None) -> Question:
    """The same with bounds of its own on a person's part, in place of what the tables declare."""
    if rows is not None:
        question = replace(question, rows=need.whole("rows", rows, least=1))
    if groups is not None:
        question = replace(question, groups=need.whole("groups", groups, least=1))
    return question


@dataclass(frozen=True, slots=True)
class Asking:
    """A question in the making.

    >>> print(Asking().where("visits > 3").group_by("plan").count().mean("visits"))
    SELECT plan, COUNT(*) AS n, AVG(visits) AS mean_visits FROM data WHERE (visits > 3) GROUP BY plan
    """

    table: str = "data"
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    items: tuple[str, ...] = ()

    def where(self, condition: str) -> "Asking":
        """Keep the rows for which a condition holds; several must all hold."""
        return replace(self, conditions=(*self.conditions, condition))

    def group_by(self, *keys: str) -> "Asking":
        """One cell for each value of the columns, or of BIN(column)."""
        return replace(self, keys=(*self.keys, *keys))

    def count(self, name: str = "n") -> "Asking":
        """How many rows."""
        return self._with("COUNT(*)", name)

    def people(self, person: str, name: str = "people") -> "Asking":
        """How many people."""
        return self._with(f"COUNT(DISTINCT {person})", name)

    def sum(self, expression: str, name: str = "") -> "Asking":
        """The sum of an expression."""
        return self._with(f"SUM({expression})", name or _name("sum", expression))

    def mean(self, expression: str, name: str = "") -> "Asking":
        """The mean of an expression."""
        return self._with(f"AVG({expression})", name or _name("mean", expression))

    def variance(self, expression: str, name: str = "") -> "Asking":
        """The variance of an expression."""
        return self._with(f"VARIANCE({expression})", name or _name("variance", expression))

    def quantile(self, expression: str, order: float | str, name: str = "") -> "Asking":
        """A quantile of an expression: order 0.5 is the median."""
        return self._with(f"QUANTILE({expression}, {order})", name or _name(f"quantile_{order}", expression))

    def histogram(self, column: str, bins: int = 20) -> "Asking":
        """How many rows are in each of so many bins over the range of a column, all as wide."""
        return self.group_by(f"BIN({column}, {bins})").count()

    def aggregate(self, function: str, *arguments: str, name: str = "") -> "Asking":
        """Any aggregate by its name in SQL: `aggregate("STDDEV", "visits")`."""
        call = f"{function}({', '.join(arguments)})"
        return self._with(call, name or _name(function.lower(), "_".join(arguments)))

    def __str__(self) -> str:
        where = f" WHERE {' AND '.join(f'({c})' for c in self.conditions)}" if self.conditions else ""
        group = f" GROUP BY {', '.join(self.keys)}" if self.keys else ""
        return f"SELECT {', '.join((*self.keys, *self.items))} FROM {self.table}{where}{group}"

    def _with(self, item: str, name: str) -> "Asking":
        return replace(self, items=(*self.items, f"{item} AS {name}"))


def _name(start: str, expression: str) -> str:
    text = "".join(letter if letter.isalnum() else "_" for letter in f"{start}_{expression}")
    while "__" in text:
        text = text.replace("__", "_")
    return text.strip("_")
