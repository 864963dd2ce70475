"""Parties, Spread and the gallery: what they show is what the library says, and long work can be stopped."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import banister as bn
from banister.apps.studio.gallery import TITLES
from banister.apps.studio.parties import PartiesWish
from banister.apps.studio.site import studio
from banister.apps.studio.spread import SpreadWish, StudyWish
from banister.apps.web.gate import Place
from banister.apps.web.site import Site
from banister.papers.errata import beside, errata
from banister.papers.gallery import ALL, GROUPS, figure_named
from tests.apps.web.visit import OURS, PORT, owner

HTMX = {**OURS, "hx-request": "true"}


@pytest.fixture
def place() -> tuple[Site, TestClient]:
    site = studio(Place.loopback(PORT))
    return site, owner(site)


def test_accuracies_of_parties_are_those_of_the_game(place: tuple[Site, TestClient]) -> None:
    site, visitor = place
    data = {"key": site.forms.key(), "function": "xor", "parties": "2", "epsilon": "1", "cost": "zero-one"}
    page = visitor.post("/parties/foretold", data=data, headers=HTMX).text
    assert f"{bn.parties.xor_accuracy([bn.Guarantee(1)] * 2):.6f}" in page
    assert "No protocol of these levels does better" in page
    data |= {"levels": "1, 0.5:1e-6"}
    page = visitor.post("/parties/foretold", data=data, headers=HTMX).text
    assert "with a delta a public coin may" in page
    figure = visitor.get("/parties/figure.csv", params={"function": "xor", "parties": "2"}).text
    row = next(line for line in figure.splitlines() if ",average,1.0," in line)
    assert float(row.split(",")[-2]) == pytest.approx(bn.parties.xor_accuracy([bn.Guarantee(1)] * 2))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"function": "no such"}, "no such"),
        ({"parties": "many"}, "parties = many"),
        ({"parties": "5000"}, "1001 at most"),
        ({"epsilon": "-1"}, "epsilon = -1"),
        ({"prior": "2"}, "prior"),
        ({"levels": "1, x"}, "x"),
    ],
)
def test_parties_refuse_in_words(place: tuple[Site, TestClient], more: dict[str, str], words: str) -> None:
    site, visitor = place
    data = {"key": site.forms.key(), "function": "xor", "parties": "2", "epsilon": "1", **more}
    answer = visitor.post("/parties/foretold", data=data, headers=HTMX)
    assert answer.status_code == 200
    assert 'class="refusal" role="alert"' in answer.text
    assert words in answer.text


def test_a_spread_is_the_one_of_the_library(place: tuple[Site, TestClient]) -> None:
    _, visitor = place
    wish = {"graph": "regular-tree:4", "protocol": "adaptive:degree=4", "steps": "6", "seed": "1"}
    done = bn.spread.run_spread("regular-tree:4", protocol="adaptive:degree=4", steps=6, seed=1)
    page = visitor.get("/spread/run", params=wish, headers=HTMX).text
    scene = json.loads(visitor.get("/spread/scene.json", params=wish).text)
    assert len(scene["nodes"]) == done.spread.size
    assert f"{100 * done.moments()[-1].detection:.1f} %" in page
    last = scene["frames"][-1]
    assert sum(last["belief"].values()) == pytest.approx(1, abs=0.01)
    assert visitor.get("/spread/steps.csv", params=wish).text.startswith("panel,series,x,y,value\n")
    movie = visitor.get("/spread/movie.html", params=wish)
    assert movie.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"graph": "/etc/passwd"}, "A page reads no file of a graph"),
        ({"graph": "friends.edges"}, "A page reads no file of a graph"),
        ({"protocol": "smoke"}, "smoke"),
        ({"steps": "200"}, "steps = 200"),
        ({"seed": "-1"}, "seed = -1"),
    ],
)
def test_spread_refuses_in_words(place: tuple[Site, TestClient], more: dict[str, str], words: str) -> None:
    _, visitor = place
    wish = {"graph": "regular-tree:4", "protocol": "tree", "steps": "4", "seed": "1", **more}
    assert words in visitor.get("/spread/run", params=wish, headers=HTMX).text


def test_a_study_has_intervals_and_ends_on_its_table(place: tuple[Site, TestClient]) -> None:
    site, visitor = place
    wish = {"graph": "regular-tree:3", "protocols": "adaptive:degree=3", "adversaries": "snapshot", "steps": "4"}
    data = {"key": site.forms.key(), **wish, "trials": "60"}
    where = visitor.post("/spread/study", data=data, headers=OURS).headers["location"]
    state = site.jobs.find(where.removeprefix("/work/")).wait(60)
    assert state.result, state
    page = visitor.get(state.result).text
    found = StudyWish(**wish, trials="60").study().run(workers=1).rows[0].detection
    assert f"{100 * found.mean:.1f} %" in page
    assert f"{100 * found.low:.1f} to {100 * found.high:.1f} %" in page
    assert visitor.get(f"{state.result}/detection.csv").text.startswith("protocol,steps,adversary")
    assert visitor.get("/spread/study/" + "0" * 32).status_code == 422


def test_a_study_that_is_stopped_leaves_nothing(place: tuple[Site, TestClient]) -> None:
    site, visitor = place
    wish = {"graph": "regular-tree:3", "protocols": "adaptive:degree=3", "adversaries": "snapshot", "steps": "4"}
    data = {"key": site.forms.key(), **wish, "trials": "20000"}
    where = visitor.post("/spread/study", data=data, headers=OURS).headers["location"]
    visitor.post(f"{where}/stop", data={"key": site.forms.key()}, headers=OURS)
    state = site.jobs.find(where.removeprefix("/work/")).wait(60)
    assert state.refusal == "It was stopped. Nothing was paid."


def test_what_each_page_offers_to_copy_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wishes = (PartiesWish(parties="3"), SpreadWish(steps="4"), StudyWish(trials="20", steps="4"))
    for wish in wishes:
        exec(compile(wish.same().python, "same", "exec"), {})
    assert (tmp_path / "movie.html").exists()


def test_the_gallery_shows_every_figure_with_its_corrections(place: tuple[Site, TestClient]) -> None:
    _, visitor = place
    page = visitor.get("/gallery").text
    assert sorted(name for word in TITLES for name in [each.name for each in GROUPS[word]]) == sorted(
        each.name for each in ALL
    )
    assert all(f'href="/gallery/{each.name}"' in page for each in ALL)
    one = visitor.get("/gallery/gain").text
    assert "/gallery/gain/figure.svg" in one
    assert visitor.get("/gallery/gain/figure.svg").text.startswith("<?xml")
    assert visitor.get("/gallery/gain/figure.csv").text.count("\n") > 10
    assert "There is no figure" in visitor.get("/gallery/nothing").text
    assert visitor.get("/gallery/corrections").text.count('<th scope="row"') == len(errata())


def test_a_correction_stands_beside_the_figure_that_it_is_about() -> None:
    assert "mirror symmetric" in beside(figure_named("KOV15-1"))[0].printed
    chapters = {each.where for each in beside(figure_named("G13-2.7"))}
    assert {"(2.6)", "2.7.2", "after Theorem 2.14"} <= chapters
    assert "Definition 4.1" not in chapters
