"""Every column of an answer keeps its own name, in rows and in files."""

import itertools

import pytest

from banister.errors import Refused
from banister.questions.question import Question
from banister.questions.reading.naming import ADJUSTED, ends
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from tests.release.sources.places import schema

ROWS = schema(person=False)
ITEMS = ["COUNT(*) AS a", "SUM(visits) AS a_3", "COUNT(*) AS a", "COUNT(*)", "COUNT(*) AS count", "COUNT(*) AS n_low"]
ITEMS += ["SUM(visits) AS n", "AVG(visits) AS N_High", "plan", "COUNT(*) AS count_2", "COUNT(*)"]


def question(text: str) -> Question:
    return read_questions(text, ROWS, aggregates=ALL)[0]


@pytest.mark.parametrize("items", list(itertools.permutations(ITEMS, 3))[::5], ids=", ".join)
def test_no_two_columns_of_a_file_share_a_name(items: tuple[str, ...]) -> None:
    """Either the question is refused, or every item has its column and every column another name."""
    try:
        found = question(f"SELECT {', '.join(items)} FROM data GROUP BY plan")
    except Refused as error:
        if "would be called" not in str(error):
            raise
        return
    names = [axis.name for axis in found.axes] + [output.name for output in found.outputs]
    written = [*names, *(end for output in found.outputs for end in ends(output.name)), ADJUSTED]
    assert len({name.lower() for name in written}) == len(written)
    assert len(found.outputs) == sum(item != "plan" for item in items)
    assert set(found.columns) == set(names)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("COUNT(*) AS a, SUM(visits) AS a_3, AVG(visits) AS a", "be called 'a': the answer 'a' and the answer 'a'"),
        ("COUNT(*) AS n, SUM(visits) AS n_low", "'n_low': the answer 'n_low' and an end of the interval of 'n'"),
        ("COUNT(*) AS N, SUM(visits) AS n_HIGH", "an end of the interval of 'N'. Rename one of them with AS"),
        ("COUNT(*) AS plan", "the group 'plan' and the answer 'plan'"),
        ("COUNT(*) AS _adjusted", "what was done to a row after the draw"),
    ],
)
def test_a_name_that_is_taken_is_refused(items: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        question(f"SELECT {items} FROM data GROUP BY data.plan")
    assert words in str(caught.value)


def test_a_group_has_one_name() -> None:
    with pytest.raises(Refused, match=r"this group is called 'a' already"):
        question("SELECT plan AS a, plan AS b, COUNT(*) FROM data GROUP BY plan")
    assert question("SELECT plan, plan, COUNT(*) AS n FROM data GROUP BY plan").columns == ("plan", "n")


def test_answers_without_names_get_free_ones() -> None:
    found = question("SELECT COUNT(*), COUNT(*) AS count, COUNT(*), COUNT(*) AS count_2 FROM data")
    assert [output.name for output in found.outputs] == ["count_3", "count", "count_4", "count_2"]
