"""Windows inside of expressions, and QUALIFY: computed in a subquery first, and used outside of it.

SELECT who, cost - LAG(cost) OVER w AS d FROM data WHERE c QUALIFY ROW_NUMBER() OVER w > 1   is
SELECT who, h1 - h2 AS d FROM (SELECT who AS h0, cost AS h1, LAG(cost) OVER w AS h2, ... FROM data WHERE c) WHERE h3 > 1
"""

from collections.abc import Sequence

from sqlglot import exp

INSIDE = "hoisted"
"""What the subquery is called, and its columns with a number behind it."""


def needs_hoisting(tree: exp.Select) -> bool:
    """Whether a window stands anywhere but alone in an item of SELECT."""
    if tree.args.get("qualify") is not None:
        return True
    return any(
        not isinstance(item.unalias(), exp.Window) and any(_own_windows(item.unalias())) for item in tree.expressions
    )


def hoisted(tree: exp.Select, items: Sequence[tuple[str, exp.Expr]]) -> exp.Select:
    """The same question without QUALIFY, in which each window is an item of its own; `items` are those of SELECT."""
    inner: list[exp.Expr] = []
    known: dict[str, str] = {}

    def outside(node: exp.Expr) -> exp.Expr:
        """The expression over the columns of the subquery, which gets the columns and windows that it needs."""
        if isinstance(node, exp.Column | exp.Window):
            text = node.sql().lower()
            if text not in known:
                known[text] = f"{INSIDE}{len(known)}"
                inner.append(exp.alias_(node.copy(), known[text]))
            return exp.column(known[text])
        made = node.copy()
        for part in list(made.find_all(exp.Column, exp.Window, bfs=True)):
            if part is not made and not _under_another(part, made):
                part.replace(outside(part))
        return made

    outer = [exp.alias_(outside(node), name, quoted=True) for name, node in items]
    made = exp.Select(expressions=outer)
    qualify = tree.args.get("qualify")
    if qualify is not None:
        meant = {name.lower(): node for name, node in items}
        made = made.where(outside(_meant(qualify.this, meant)))
    first = tree.copy()
    first.set("qualify", None)
    first.set("expressions", inner)
    return made.from_(exp.Subquery(this=first, alias=exp.TableAlias(this=exp.to_identifier(INSIDE))))


def _meant(node: exp.Expr, items: dict[str, exp.Expr]) -> exp.Expr:
    """QUALIFY with the names of items written out."""
    made = exp.Paren(this=node.copy())
    for part in list(made.find_all(exp.Column)):
        found = items.get(part.name.lower()) if not part.table else None
        if isinstance(found, exp.Window):
            part.replace(found.copy())
    return made


def _own_windows(node: exp.Expr) -> list[exp.Expr]:
    """The windows of an expression, without those of subqueries in it."""
    return [
        part for part in node.find_all(exp.Window) if part.find_ancestor(exp.Select) is node.find_ancestor(exp.Select)
    ]


def _under_another(part: exp.Expr, root: exp.Expr) -> bool:
    """Whether a part stands inside of a window or of a subquery below the root, and goes with that."""
    above = part.parent
    while above is not None and above is not root:
        if isinstance(above, exp.Window | exp.Select):
            return True
        above = above.parent
    return False
