"""What other bounds on one person's part would gain: the same question, were more or less of everybody to count."""

from dataclasses import dataclass, replace

from banister.apps.studio.workbench import AskForm, Workbench
from banister.errors import BanisterError
from banister.release.answering.wording import number
from banister.release.planning.plan import Part
from banister.release.planning.planner import plan_release


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsRow:
    """One choice of the bounds, and how wide each answer would be in a cell of middle size."""

    groups: int
    rows: int
    widths: tuple[str, ...]
    now: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsTable:
    """One question under several bounds."""

    text: str
    size: str
    names: tuple[str, ...]
    rows: tuple[BoundsRow, ...]


def other_bounds(bench: Workbench, asked: AskForm) -> tuple[BoundsTable, ...]:
    """A table for each question in which a person may have several rows; nothing where everybody is one row."""
    plan, request = bench.look(asked).plan, bench.request(asked)
    size, tables = plan.sizes[1], []
    for place, part in enumerate(plan.parts):
        if not part.question.personal:
            continue
        rows = []
        for groups, most in _choices(part):
            bounded = [replace(question, groups=groups, rows=most) for question in request.questions]
            schema = replace(plan.schema, groups=groups, rows=most)
            try:
                found = plan_release(replace(request, questions=tuple(bounded)), schema).parts[place]
            except BanisterError:  # Bounds that this question cannot have.
                continue
            now = (found.reach.groups, found.reach.rows) == (part.reach.groups, part.reach.rows)
            widths = tuple(
                f"± {number(each.half_width)}{f' {each.unit}' if each.unit else ''}"
                for each in found.forecasts(size, plan.confidence)
            )
            rows.append(BoundsRow(groups=found.reach.groups, rows=found.reach.rows, widths=widths, now=now))
        names = tuple(formula.name for formula in part.formulas)
        text = part.question.text if len(plan.parts) > 1 else ""
        tables.append(BoundsTable(text=text, size=number(size), names=names, rows=tuple(dict.fromkeys(rows))))
    return tuple(tables)


def _choices(part: Part) -> list[tuple[int, int]]:
    """Bounds about half and twice as large, one at a time, in order."""
    reach, cells = part.reach, part.question.cells
    most = reach.groups if cells is None else cells
    groups = {g for g in (1, -(-reach.groups // 2), 2 * reach.groups) if cells is None or g <= most}
    rows = {1, -(-reach.rows // 2), 2 * reach.rows} if part.question.relation.rows is None else set()
    found = {(reach.groups, reach.rows), *((g, reach.rows) for g in groups), *((reach.groups, r) for r in rows)}
    return sorted(found)
