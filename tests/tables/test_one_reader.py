"""Questions and whole tables read one file by one set of rules: whatever is wrong in it, both refuse it alike."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import banister as bn
from banister.errors import BadValue
from banister.publish.job import Wish, publish

Content = Mapping[str, object]
GOOD: dict[str, dict[str, object]] = {
    "source": {
        "table": "t.csv",
        "person": "id",
        "neighbours": "replace",
        "rows": 2,
        "groups": 2,
        "people": 2,
        "name": "a",
    },
    "budget": {"epsilon": 1, "delta": 0, "ledger": "t.ledger"},
    "columns": {},
    "columns.age": {"kind": "integer", "range": [0, 99], "step": 1, "bins": [18], "nulls": True},
    "columns.pay": {"kind": "number", "range": [0, 99], "step": 1, "bins": [18], "nulls": True},
    "columns.town": {"kind": "category", "values": ["a", "b"], "nulls": True},
    "columns.born": {"kind": "date", "range": ["@2020-01-01", "@2021-01-01"], "every": "month", "nulls": True},
    "tables.people": {"table": "p.csv", "name": "a", "person": "id"},
    "tables.people.columns.age": {"kind": "integer", "range": [0, 99]},
}
SAMPLES: dict[str, object] = {
    "text": "x",
    "empty text": "",
    "whole": 3,
    "below 0": -3,
    "number": 0.5,
    "flag": True,
    "numbers": [1, 2],
    "texts": ["x", "y"],
    "nested": [[1], [2]],
    "days": ["@2020-01-01", "@2021-01-01"],
    "day": "@2020-01-01",
    "section": {"a": 1},
}
RIGHT: dict[str, set[str]] = {
    "epsilon": {"whole", "number"},
    "delta": {"number"},
    "rows": {"whole"},
    "groups": {"whole"},
    "people": {"whole"},
    "nulls": {"flag"},
    "bins": {"numbers"},
    "values": {"texts", "numbers"},
    **{key: {"text"} for key in ("table", "person", "name", "ledger")},
}
"""The samples that are right for a key, where any is. A range and a step depend on the kind of column."""
BY_PLACE: dict[str, set[str]] = {
    "columns.age.range": {"numbers"},
    "columns.pay.range": {"numbers"},
    "columns.pay.step": {"whole", "number"},
    "columns.born.range": {"days"},
    "tables.people.columns.age.range": {"numbers"},
}


def written(value: object) -> str:
    """A value as TOML; a text that starts with @ is a day."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return value[1:] if value.startswith("@") else f'"{value}"'
        case list():
            return f"[{', '.join(map(written, value))}]"
        case dict():
            return f"{{ {', '.join(f'{key} = {written(inner)}' for key, inner in value.items())} }}"
    return str(value)


def document(content: Mapping[str, Content], top: str = "") -> str:
    sections = [
        f"[{name}]\n" + "".join(f"{key} = {written(value)}\n" for key, value in keys.items())
        for name, keys in content.items()
    ]
    return "\n".join([top, *sections])


def wrong_documents() -> Iterator[tuple[str, str]]:
    for section, keys in GOOD.items():
        # [columns] itself holds names that people choose, so that no name in it is unknown.
        yield f"{section}: unknown", document({**GOOD, section: {**keys, "zebra": 1}})
        for key, value in keys.items():
            rest = {name: kept for name, kept in keys.items() if name != key}
            for wrong in (key[:-1], key[0] + key, key.upper(), key[1] + key[0] + key[2:]):
                yield f"{section}: {wrong}", document({**GOOD, section: {**rest, wrong: value}})
            right = BY_PLACE.get(f"{section}.{key}", RIGHT.get(key, set()))
            for sample in sorted(set(SAMPLES) - right):
                yield f"{section}.{key}: {sample}", document({**GOOD, section: {**keys, key: SAMPLES[sample]}})
    for name in ("source", "budget", "columns", "tables"):
        others = {section: keys for section, keys in GOOD.items() if section.split(".")[0] != name}
        for wrong in (name[:-1], name.upper(), f"{name}x"):
            yield f"[{wrong}]", document({**others, wrong: GOOD.get(name, {})})
        for sample, value in SAMPLES.items():
            yield f"{name} = {sample}", document(others, f"{name} = {written(value)}")


WRONG = dict(wrong_documents())


def by_questions(path: Path) -> object:
    return bn.open(path)


def by_declaration(path: Path) -> object:
    return bn.read_declaration(path)


def by_sanitize(path: Path) -> object:
    wish = Wish(
        table=path.with_name("t.csv"),
        epsilon="1",
        delta="0",
        out=None,
        columns=("age",),
        schema=path,
        neighbours="",
        ledger="",
        wide=False,
        histogram=None,
        report=None,
        prior=None,
        raw=False,
    )
    return publish(wish, plan_only=True)


ROADS = (by_questions, by_declaration, by_sanitize)


def test_the_good_document_passes_every_road(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(document(GOOD), encoding="utf-8")
    for road in ROADS:
        assert road(path)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_the_same_words_on_every_road(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(WRONG[name], encoding="utf-8")
    words = []
    for road in ROADS:
        with pytest.raises(BadValue) as caught:
            road(path)
        words.append(str(caught.value))
    assert len(set(words)) == 1, words


def test_a_misspelt_person_never_means_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    for wrong in ('persn = "id"', 'Person = "id"', 'person = ""'):
        path.write_text(f'[source]\n{wrong}\n[columns]\na = {{ kind = "integer", range = [0, 1] }}\n')
        with pytest.raises(BadValue, match="person"):
            bn.read_declaration(path)


def test_what_only_questions_need_may_be_left_out_for_a_whole_table(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('[budget]\nledger = "a"\n[columns]\na = { kind = "integer", range = [0, 1], nulls = false }\n')
    found = bn.read_declaration(path)
    assert (found.domain.cells, found.ledger, found.relation) == (2, "a", None)
    with pytest.raises(BadValue, match=r"\[source\] needs neighbours"):
        _ = found.neighbours
    with pytest.raises(BadValue, match=r"\[source\] needs table, a text in quotes"):
        bn.open(path)
    path.write_text('[source]\ntable = "t.csv"\n' + path.read_text())
    with pytest.raises(BadValue, match=r"\[budget\] needs epsilon, a number"):
        bn.open(path)


def test_only_the_columns_that_are_published_need_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('[columns]\na = { kind = "integer", range = [0, 1] }\nb = { kind = "category" }\n')
    found = bn.read_declaration(path)
    assert found.domain_of(["a"]).shape == (3,)
    with pytest.raises(BadValue, match="Column 'b' is a category without a list of values"):
        _ = found.domain
