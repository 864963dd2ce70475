"""Every picture of the studio can be downloaded, with the numbers behind it, and has a form for narrow screens."""

import csv
import io
import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import banister as bn
from banister.apps.studio.kept import KeptAnswers
from banister.apps.studio.site import studio
from banister.apps.studio.spread import SpreadWish
from banister.apps.web.gate import Place
from tests.apps.studio.place import at_work, fields, released, schema
from tests.apps.web.visit import PORT, owner

NARROW = 'width="244.8pt"'
"""326 pixels: what a phone of 360 has beside its margins."""
PICTURES = (
    "/noise/figure?epsilon=1&sensitivity=1",
    "/local/channel?epsilon=1&utility=estimation&answers=yes,60%25%0Ano,40%25",
    "/local/error?epsilon=1&utility=estimation&answers=yes,60%25%0Ano,40%25",
    "/parties/figure?function=xor&parties=2",
    "/spread/frame?graph=regular-tree:3&protocol=adaptive:degree%3D3&steps=4&seed=1",
    "/spread/steps?graph=regular-tree:3&protocol=adaptive:degree%3D3&steps=4&seed=1",
    "/gallery/gain/figure",
)


def lines_of(visitor: TestClient, address: str) -> list[list[str]]:
    answer = visitor.get(address)
    assert answer.headers["content-disposition"].startswith("attachment")
    return list(csv.reader(io.StringIO(answer.text)))


def looks_right(visitor: TestClient, address: str) -> None:
    """All four forms of one picture."""
    base, mark, query = address.partition("?")
    wide = visitor.get(f"{base}.svg{mark}{query}").text
    assert wide.startswith("<?xml")
    assert "prefers-color-scheme: dark" in wide
    assert NARROW not in wide
    narrow = visitor.get(f"{base}.narrow.svg{mark}{query}")
    assert NARROW in narrow.text
    assert narrow.headers["content-type"].startswith("image/svg+xml")
    assert visitor.get(f"{base}.png{mark}{query}").content.startswith(b"\x89PNG")
    assert len(lines_of(visitor, f"{base}.csv{mark}{query}")) > 2
    assert "There are: svg, png" in visitor.get(f"{base}.exe{mark}{query}").text


@pytest.mark.parametrize("address", PICTURES)
def test_each_picture_has_every_form(address: str) -> None:
    looks_right(owner(studio(Place.loopback(PORT))), address)


def test_the_pictures_of_an_answer_are_what_its_table_says(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    where = released(site, visitor, fields(site))
    looks_right(visitor, f"{where}/chart-1")
    header, *lines = lines_of(visitor, f"{where}/chart-1.csv")
    answers = list(csv.DictReader(io.StringIO(visitor.get(f"{where}/answers-1.csv").text)))
    assert header == ["cell", "value", "low", "high"]
    assert [float(line[1]) for line in lines] == [float(row["n"]) for row in answers]
    assert all(float(line[2]) <= float(line[1]) <= float(line[3]) for line in lines)
    page = visitor.get(where).text
    assert f'href="{where}/chart-1.png"' in page
    assert "There is no picture 2" in visitor.get(f"{where}/chart-2.svg").text
    kept = KeptAnswers(path)
    file = next(kept.place.glob("*.answer.json"))
    told = json.loads(file.read_text())
    del told["answer"]["charts"]  # An answer of an older version.
    file.write_text(json.dumps(told))
    assert "The pictures as files" not in visitor.get(where).text


def test_the_steps_of_a_spread_are_those_of_the_library() -> None:
    visitor = owner(studio(Place.loopback(PORT)))
    wish = SpreadWish(steps="6")
    done = bn.spread.run_spread(wish.graph, protocol=wish.protocol, steps=6, seed=1)
    _, *lines = lines_of(visitor, f"/spread/frame.csv?graph={wish.graph}&protocol=adaptive:degree%3D4&steps=6&seed=1")
    assert [(int(line[0]), int(line[1]), float(line[3])) for line in lines] == [
        (moment.step, moment.holders, moment.detection) for moment in done.moments()
    ]


def test_what_is_too_large_to_be_drawn_is_refused_in_words() -> None:
    visitor = owner(studio(Place.loopback(PORT)))
    wish = {"graph": "social:10000:20", "protocol": "flooding", "steps": "12", "seed": "1"}
    assert "too many to draw" in visitor.get("/spread/frame.svg", params=wish).text
