"""Types that PostgreSQL has besides: texts of a fixed length, enumerations and domains are read as what they are."""

import psycopg
import pytest

from banister.release.sources.postgres import PostgresSource
from banister.release.work import Physical
from banister.tables.schema import Schema
from tests.release.sources.neighbours import added_up
from tests.release.sources.places import planned

SCHEMA = """
[source]
table = "{address}"
name = "odd_types"
person = "who"
neighbours = "add-remove"
rows = 9
groups = 9
[columns]
mood = {{ kind = "category", values = ["sad", "Sad"] }}
town = {{ kind = "category" }}
size = {{ kind = "integer", range = [1, 5] }}
"""
MADE = """
DROP TABLE IF EXISTS odd_types;
DROP TYPE IF EXISTS odd_mood;
DROP DOMAIN IF EXISTS odd_size;
CREATE TYPE odd_mood AS ENUM ('happy', 'Sad', 'sad');
CREATE DOMAIN odd_size AS INTEGER CHECK (VALUE > 0);
CREATE TABLE odd_types (who CHARACTER(6), mood odd_mood, town CHARACTER(4), size odd_size);
INSERT INTO odd_types VALUES ('ann', 'sad', 'ab', 1), ('ann ', 'Sad', 'ab  ', 9), ('bob', 'sad', 'AB', 2),
  ('bob', 'happy', NULL, 3), (NULL, 'sad', 'ab', 4);
"""


@pytest.fixture
def asked(postgres: str) -> Schema:
    with psycopg.connect(postgres) as connection:
        connection.execute(MADE.encode())
    return Schema.of_text(SCHEMA.format(address=postgres))


def test_they_are_known_by_what_they_are_made_of(asked: Schema) -> None:
    held = PostgresSource(asked).describe(asked.main)
    assert held == {"who": Physical.TEXT, "mood": Physical.TEXT, "town": Physical.TEXT, "size": Physical.INTEGER}


QUESTIONS = (
    ("SELECT mood, COUNT(*), SUM(size) FROM data GROUP BY mood", None, [[2, 1], [3, 5]]),
    ("SELECT COUNT(DISTINCT who) FROM data", None, [[2]]),
    ("SELECT COUNT(*) FROM data WHERE mood = 'Sad' OR town IS NULL", None, [[2]]),
    ("SELECT COUNT(*) FROM (SELECT who, mood, town, MAX(size) AS s FROM data GROUP BY 1, 2, 3) q", None, [[4]]),
    ("SELECT town, COUNT(DISTINCT who) FROM data GROUP BY town", (("AB",), ("ab",)), [[1, 1]]),
)


@pytest.mark.parametrize(("question", "labels", "values"), QUESTIONS)
def test_they_are_added_up_by_their_letters(
    question: str, labels: object, values: list[list[int]], asked: Schema
) -> None:
    """A value is told apart by its letters, without the blanks that fill it up; so are people."""
    source = PostgresSource(asked)
    plan = planned(question, asked)
    (found,) = added_up(source, plan)
    named = [measured.measure for measured in plan.parts[0].measured]
    assert (found.labels, len(named)) == (labels, len(found.values))
    assert found.values.tolist() == values
