"""A schema that names other people, or none, does not charge the same ledger."""

from pathlib import Path

import pytest

import banister as bn
from banister.accounting.protects import Protects
from banister.errors import BadValue
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain
from banister.tables.protected import protected_by_domain, protected_by_schema
from banister.tables.schema import Schema

SCHEMA = """
[source]
table = "{table}"
{person}
neighbours = "add-remove"
[budget]
epsilon = 3
delta = 0
ledger = "a.ledger"
[columns]
visits = {{ kind = "integer", range = [0, {top}] }}
"""
PERSON = 'person = "id"\nrows = 2'


def text(*, table: str = "visits.csv", person: str = PERSON, top: int = 9) -> str:
    return SCHEMA.format(table=table, person=person, top=top)


def test_one_ledger_takes_one_unit_and_records_the_schema(tmp_path: Path) -> None:
    """Deleting `person` and `rows`, or naming a finer key, went on charging the same total."""
    (tmp_path / "visits.csv").write_text("id,visit,visits\na,1,3\nb,2,4\n")
    (tmp_path / "other.csv").write_text("id,visit,visits\na,1,3\nb,2,4\n")
    schema = tmp_path / "s.toml"

    def release(content: str) -> None:
        schema.write_text(content)
        data = bn.open(schema)
        data.release(data.plan("SELECT COUNT(*) FROM data", epsilon="0.5"))

    release(text())
    for other, named in (
        (text(person=""), "about row in visits.csv"),
        (text(person=PERSON.replace("id", "visit")), "about person visit in visits.csv"),
        (text(table="other.csv"), "about person id in other.csv"),
    ):
        with pytest.raises(BadValue, match=f"protects person id in visits.csv, the schema is {named}"):
            release(other)
    release(text(top=12))
    with bn.Ledger.open(tmp_path / "a.ledger") as ledger:
        stated = [entry.protects for entry in ledger.history()]
        assert len(stated) == len({one.schema for one in stated if one is not None}) == 2
        with pytest.raises(BadValue, match="is about edge"):
            ledger.charge(
                bn.Guarantee("0.1"), label="cuts", neighbours=bn.Neighbours.ADD_REMOVE, protects=Protects(unit="edge")
            )


def test_a_server_is_not_named_with_its_password() -> None:
    schema = Schema.of_text(
        text(table="postgresql://me:secret@host/base").replace("person", 'name = "visits"\nperson', 1)
    )
    assert protected_by_schema(schema).tables == ("visits",)


def test_a_domain_has_no_name() -> None:
    domain = Domain((Attribute(name="age", kind=Kind.CATEGORY, values=("young", "old")),), "ID")
    assert str(protected_by_domain(domain)) == "person id"
    assert str(protected_by_domain(Domain(domain.attributes))) == "row"
