"""Noise and Local: the numbers of the library, refusals in its words, and commands that do the same."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.apps.studio.local import LocalWish, errors_left
from banister.apps.studio.noise import NoiseWish, _verdict
from banister.apps.studio.site import studio
from banister.apps.web.gate import Place
from banister.apps.web.site import Site
from tests.apps.web.visit import OURS, PORT, owner

HTMX = {**OURS, "hx-request": "true"}


@pytest.fixture
def site() -> Site:
    return studio(Place.loopback(PORT))


@pytest.fixture
def visitor(site: Site) -> TestClient:
    return owner(site)


@pytest.mark.parametrize(
    "wish",
    [{"epsilon": "1", "sensitivity": "1"}, {"epsilon": "2", "sensitivity": "3", "over": "integers", "cost": "squared"}],
)
def test_the_comparison_is_that_of_the_library(visitor: TestClient, wish: dict[str, str]) -> None:
    page = visitor.get("/noise/compared", params=wish, headers=HTMX).text
    found = bn.least_noise(**wish)
    names = re.findall(r'<th scope="row">(.*?)</th>', page)
    assert names == [each.name for each in found.contenders]
    assert f"{found.best.risk:.4g}".rstrip("0") in page
    csv = visitor.get("/noise/figure.csv", params=wish).text.splitlines()
    assert csv[1].startswith(f"{found.best.name},{found.best.risk!r},")


def test_the_verdict_says_for_which_noise_it_holds() -> None:
    best = _verdict(NoiseWish().compared())
    assert "added to an answer of any size and does not depend on it can do better with this guarantee" in best
    with_delta = _verdict(NoiseWish(delta="1e-3").compared())
    assert "does not depend on it, is below" in with_delta
    assert "(certified)" in with_delta
    assert "Left out" in _verdict(NoiseWish(epsilon="2e-18", delta="0.1").compared())


def test_the_figure_is_the_file_that_the_command_writes(visitor: TestClient, tmp_path: Path) -> None:
    shown = visitor.get("/noise/figure.svg", params={"epsilon": "1", "sensitivity": "1"})
    words = shlex.split(NoiseWish().same().command.replace("noise.svg", str(tmp_path / "noise.svg")))
    assert CliRunner().invoke(build(), words[1:]).exit_code == 0
    assert shown.content == (tmp_path / "noise.svg").read_bytes()
    assert "sandbox" in shown.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"epsilon": "", "sensitivity": "1"}, "Give epsilon as a number"),
        ({"epsilon": "-1", "sensitivity": "1"}, "epsilon = -1"),
        ({"epsilon": "1", "sensitivity": "0"}, "sensitivity = 0"),
        ({"epsilon": "1", "sensitivity": "1", "cost": "<b>"}, "&lt;b&gt;"),
        ({"epsilon": "1", "sensitivity": "1", "over": "people"}, "people"),
    ],
)
def test_noise_refuses_in_the_librarys_words(visitor: TestClient, wish: dict[str, str], words: str) -> None:
    page = visitor.get("/noise/compared", params=wish, headers=HTMX).text
    assert 'class="refusal"' in page
    assert words in page


def test_a_figure_that_takes_long_is_left_to_the_command(visitor: TestClient) -> None:
    wish = {"epsilon": "1", "sensitivity": "1", "delta": "1e-6"}
    assert "<img" not in visitor.get("/noise/compared", params=wish, headers=HTMX).text
    assert "takes half a minute" in visitor.get("/noise/figure.svg", params=wish).text


def test_the_channel_is_that_of_the_library_with_its_bound(site: Site, visitor: TestClient) -> None:
    form = {"key": site.forms.key(), "epsilon": "1", "utility": "estimation", "answers": "yes, 60%\nno, 40%"}
    page = visitor.post("/local/designed", data=form, headers=HTMX).text
    channel = bn.local.design(epsilon=1, utility="estimation", prior=[0.6, 0.4])
    assert f"{-channel.utility:.6g}" in page
    assert f"{-channel.upper_bound:.6g}" in page
    errors = dict(errors_left(channel, (100, 10_000)))
    assert errors[100] == pytest.approx(10 * errors[10_000])
    del form["key"]
    csv = visitor.get("/local/channel.csv", params=form).text.splitlines()
    assert [line.split(",")[0] for line in csv] == ["answer", "yes", "no"]
    assert float(csv[1].split(",")[1]) == pytest.approx(float(channel.matrix[0][0]), abs=1e-9)
    assert visitor.get("/local/channel.svg", params=form).text.startswith("<?xml")


def test_a_channel_for_information_says_that_shares_may_not_be_told_apart(site: Site, visitor: TestClient) -> None:
    form = {"key": site.forms.key(), "epsilon": "1", "utility": "mutual-information", "answers": "a, 1\nb, 1\nc, 2"}
    page = visitor.post("/local/designed", data=form, headers=HTMX).text
    assert "It keeps" in page
    assert "data-curve" not in page


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"answers": ""}, "Give 2 to 30 answers"),
        ({"answers": "a, 1\na, 2"}, "each once"),
        ({"answers": "\n".join(f"{i}, 1" for i in range(31))}, "Give 2 to 30 answers"),
        ({"answers": "a, 1\nb"}, "Line 2 must be an answer"),
        ({"answers": "a, 1\nb, 0"}, "The share in line 2 = 0"),
        ({"answers": "a, 1\nb, x"}, "The share in line 2"),
        ({"epsilon": "-1"}, "epsilon = -1"),
        ({"epsilon": ""}, "Give an epsilon"),
        ({"utility": "joy"}, "joy"),
    ],
)
def test_local_refuses_in_words(site: Site, visitor: TestClient, wish: dict[str, str], words: str) -> None:
    form = {"key": site.forms.key(), "epsilon": "1", "utility": "estimation", "answers": "a, 1\nb, 2", **wish}
    page = visitor.post("/local/designed", data=form, headers=HTMX).text
    assert 'class="refusal"' in page
    assert words in page


def test_the_commands_and_the_python_that_are_shown_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wish = LocalWish(answers='it\'s "odd", 1\n100% $(sure), 2')
    lines = wish.same().command.splitlines()
    end = lines.index("END")
    subprocess.run(["bash", "-c", "\n".join(lines[: end + 1])], check=True)
    done = CliRunner().invoke(build(), shlex.split("\n".join(lines[end + 1 :]).replace("\\\n", " "))[1:])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "channel.svg").exists()
    exec(wish.same().python, {})
    exec(NoiseWish(over="integers").same().python, {})
