"""Questions to a sanitized copy: sums and counts by groups, as pieces of SQL over its columns."""

from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from banister.errors import BadValue

_KNOWN = "SELECT keys, COUNT(*), COUNT(column), SUM(expression) FROM copy WHERE … GROUP BY keys"
_REFUSED = ("joins", "having", "distinct", "with_", "with", "order", "limit", "offset", "qualify", "windows")


@dataclass(frozen=True, slots=True)
class CopyQuestion:
    """Keys with their names, a condition (or nothing), and for each answer its name and what a record adds to it."""

    keys: tuple[tuple[str, str], ...]
    where: str
    adds: tuple[tuple[str, str], ...]


def read_copy_question(text: str) -> CopyQuestion:
    """The one question in a text; anything that is not a sum over records is refused.

    >>> read_copy_question("SELECT plan, COUNT(*) AS people FROM copy WHERE visits > 3 GROUP BY plan")
    CopyQuestion(keys=(('plan', 'plan'),), where='visits > 3', adds=(('people', '1'),))
    """
    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        raise BadValue(f"The question cannot be read as SQL: {str(error).splitlines()[0]}") from error
    if not isinstance(tree, exp.Select) or any(tree.args.get(part) for part in _REFUSED) or tree.find(exp.Subquery):
        raise BadValue(f"A copy is asked in one plain form: {_KNOWN}. Other questions go to the file with any tool.")
    group = tree.args.get("group")
    keys = [key.sql(dialect="duckdb") for key in (group.expressions if group else [])]
    found: list[tuple[str, str]] = []
    named = {key: key for key in keys}
    for item in tree.expressions:
        inner = item.unalias()
        words = inner.sql(dialect="duckdb")
        if words in named:
            named[words] = item.alias_or_name or words
        else:
            found.append((item.alias or words.lower(), _added(inner)))
    if not found:
        raise BadValue(f"The question asks for no number. The form is: {_KNOWN}.")
    where = tree.args.get("where")
    condition = where.this.sql(dialect="duckdb") if where else ""
    return CopyQuestion(tuple((named[key], key) for key in keys), condition, tuple(found))


def _added(node: exp.Expr) -> str:
    """What one record adds to an answer, as SQL."""
    if isinstance(node, exp.Count) and not node.args.get("distinct") and not isinstance(node.this, exp.Distinct):
        if node.this is None or isinstance(node.this, exp.Star):
            return "1"
        return f"CASE WHEN ({node.this.sql(dialect='duckdb')}) IS NULL THEN 0 ELSE 1 END"
    if isinstance(node, exp.Sum) and not isinstance(node.this, exp.Distinct):
        return f"COALESCE({node.this.sql(dialect='duckdb')}, 0)"
    raise BadValue(f"'{node.sql(dialect='duckdb')}' is neither a count, a sum nor a key. The form is: {_KNOWN}.")
