"""What was answered, as files: tables and pictures that hold the numbers of the report, for who may see them."""

import pytest
from starlette.testclient import TestClient

from tests.apps.studio.test_pictures import lines_of, looks_right
from tests.apps.team.place import PASSWORD, Team, team

HERE = "http://127.0.0.1:8765"
ANSWERS = "/requests/ana/june"


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Team:
    made = team(tmp_path_factory.mktemp("team"), 'listen = "127.0.0.1:8765"\n')
    assert made.release("ana", "0.1", "june").json()["state"] == "answered"
    return made


def visitor(made: Team, name: str) -> TestClient:
    """A member's browser, who signed in."""
    found = TestClient(made.room.app, base_url=HERE)
    found.cookies.set("banister-team-8765", made.room.people.sign_in(name, PASSWORD), domain="127.0.0.1")
    return found


@pytest.mark.parametrize("name", ["ana", "olga", "ada"])
def test_every_picture_of_an_answer_can_be_downloaded(four: Team, name: str) -> None:
    page = visitor(four, name)
    text = page.get(ANSWERS).text
    for kind in ("svg", "png", "csv"):
        assert f'href="{ANSWERS}/chart-1.{kind}"' in text
    looks_right(page, f"{ANSWERS}/chart-1")
    header, *lines = lines_of(page, f"{ANSWERS}/chart-1.csv")
    assert header == ["cell", "value", "low", "high"]
    answered = four.ask(name, "GET", ANSWERS).json()["tables"][0]
    assert [float(line[1]) for line in lines] == [row["years"] for row in answered]


def test_the_table_is_the_one_that_the_report_shows(four: Team) -> None:
    page = visitor(four, "ana")
    assert f'href="{ANSWERS}/answers-1.csv"' in page.get(ANSWERS).text
    header, *lines = lines_of(page, f"{ANSWERS}/answers-1.csv")
    answered = four.ask("ana", "GET", ANSWERS).json()["tables"][0]
    assert [dict(zip(header, line, strict=True))["plan"] for line in lines] == [row["plan"] for row in answered]
    assert [float(dict(zip(header, line, strict=True))["years"]) for line in lines] == [
        row["years"] for row in answered
    ]


@pytest.mark.parametrize("file", ["answers-1.csv", "chart-1.svg", "chart-1.csv"])
def test_they_are_no_ones_who_may_not_see_the_answer(four: Team, file: str) -> None:
    refused = visitor(four, "ben").get(f"{ANSWERS}/{file}")
    assert refused.status_code == 403
    assert "somebody else's" in refused.text.replace("&#39;", "'")


@pytest.mark.parametrize(
    ("file", "said"),
    [("answers-2.csv", "There is no table 2"), ("chart-9.svg", "no picture 9"), ("chart-1.exe", "cannot be drawn")],
)
def test_what_is_not_there_is_said_in_words(four: Team, file: str, said: str) -> None:
    refused = visitor(four, "ana").get(f"{ANSWERS}/{file}")
    assert refused.status_code == 422
    assert said in refused.text


def test_of_a_request_without_an_answer_nothing_is_made(four: Team) -> None:
    assert four.release("ana", "0.29", "large").json()["state"] == "waiting"
    refused = visitor(four, "ana").get("/requests/ana/large/chart-1.svg")
    assert refused.status_code == 422
    assert "has no answer: it is waiting" in refused.text
    assert "chart-1" not in visitor(four, "ana").get("/requests/ana/large").text
