"""Frames whose timestamps have a zone and count seconds or milliseconds, in microseconds before DuckDB reads them.

DuckDB turns such columns into microseconds itself, and raises where a moment is too far away: one value would stop a
release, and the second line too. Here such a moment is missing, as everywhere.
"""

import sys
from typing import Any

from banister.errors import BadValue

COARSE = {"s": 1_000_000, "ms": 1_000}
"""Microseconds in a unit."""

FURTHEST = 2**63 - 2
"""The last microsecond that can be counted; one more is infinite."""


def in_microseconds(frame: object) -> object:
    """The same frame; where it has such columns, another one that has them in microseconds."""
    home = type(frame).__module__.split(".")[0]
    return {"pyarrow": _arrow, "polars": _polars, "pandas": _pandas}.get(home, _same)(frame)


def _same(frame: Any) -> Any:
    return frame


def _arrow(frame: Any) -> Any:
    found = {field.name: field.type for field in getattr(frame, "schema", ()) if _is_coarse(field.type, "unit", "tz")}
    if not found:
        return frame
    arrow = sys.modules["pyarrow"]
    if isinstance(frame, arrow.RecordBatch):
        frame = arrow.Table.from_batches([frame])
    if not isinstance(frame, arrow.Table):
        raise BadValue(
            f"Column '{next(iter(found))}' counts moments in coarse units, and a {type(frame).__name__} is read as it "
            'is. Store it in microseconds: timestamp("us", tz=...) in Arrow.'
        )
    for name, kind in found.items():
        place = frame.schema.get_field_index(name)
        frame = frame.set_column(place, name, _recounted(frame.column(place), kind, arrow))
    return frame


def _recounted(column: Any, kind: Any, arrow: Any) -> Any:
    import pyarrow.compute

    count = pyarrow.compute
    whole, limit = column.cast(arrow.int64()), FURTHEST // COARSE[kind.unit]
    near = count.and_(count.greater_equal(whole, -limit), count.less_equal(whole, limit))
    return count.if_else(near, column, arrow.scalar(None, kind)).cast(arrow.timestamp("us", tz=kind.tz))


def _polars(frame: Any) -> Any:
    kinds = frame.collect_schema() if hasattr(frame, "collect_schema") else {}  # A series has none.
    if not any(_is_coarse(kind, "time_unit", "time_zone") for kind in kinds.values()):
        return frame
    return _arrow((frame.collect() if hasattr(frame, "collect") else frame).to_arrow())


def _pandas(frame: Any) -> Any:
    kinds = getattr(frame, "dtypes", {})
    coarse = {name: kind for name, kind in kinds.items() if _is_coarse(kind, "unit", "tz")} if len(kinds) else {}
    if not coarse:
        return frame
    made = {}
    for name, kind in coarse.items():
        limit = FURTHEST // COARSE[kind.unit]
        whole = frame[name].astype("int64")  # A missing moment is the least number of all, and beyond the limit.
        made[name] = frame[name].where((whole >= -limit) & (whole <= limit)).dt.as_unit("us")
    return frame.assign(**made)


def _is_coarse(kind: object, unit: str, zone: str) -> bool:
    return getattr(kind, unit, None) in COARSE and getattr(kind, zone, None) is not None
