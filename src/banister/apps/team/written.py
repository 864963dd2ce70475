"""A schema as it may be shown to analysts: what is public about the table, without where it lies."""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from banister.foreign import MOST_TOML, parse_toml, read_text

ELSEWHERE = "the-teams-table.parquet"
LEDGER = "the-teams.ledger"


def public_schema(path: Path) -> str:
    """The schema file in TOML, written anew: comments, addresses and paths are left out."""
    found: dict[str, Any] = dict(
        parse_toml(read_text(path, "a schema", most_bytes=MOST_TOML), "The schema cannot be read")
    )
    source = {**found.get("source", {}), "table": ELSEWHERE}
    tables = {name: {**each, "table": ELSEWHERE} for name, each in found.get("tables", {}).items()}
    content = {**found, "source": {key: value for key, value in source.items() if key != "name"}}
    if tables:
        content["tables"] = tables
    if "ledger" in found.get("budget", {}):
        content["budget"] = {**found["budget"], "ledger": LEDGER}
    return "\n".join(f"{_key(name)} = {_value(value)}" for name, value in content.items()) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(item)}" for name, item in value.items()) + " }"
    return _key(str(value))


def _key(text: str) -> str:
    """A text in quotes; what JSON writes is TOML, but for the one character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
