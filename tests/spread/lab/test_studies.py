"""Studies: the same whatever the number of cores, resumable, and right."""

from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
from banister.spread.lab import studies as spread_study
from banister.spread.lab.detection import adaptive_detection, diffusion_limit
from banister.spread.lab.drawn.figures import draw_all
from banister.spread.lab.graph import Graph
from banister.spread.lab.run import run_spread
from banister.spread.lab.studies import Study, steps_of
from banister.spread.lab.study import MeasuredChance, by_degree
from tests.sizes import sized

GRAPH = "holme-kim:300:4:0.5"


def small(**changes: object) -> Study:
    settings: dict[str, object] = {
        "protocols": ["adaptive:cap=3", "diffusion:0.2"],
        "adversaries": ["snapshot", "spies:0.2"],
        "steps": [4],
        "trials": 30,
        "seed": 5,
    }
    return Study(GRAPH, **{**settings, **changes})  # type: ignore[arg-type]


def test_exact_detection_is_measured_exactly() -> None:
    study = Study("regular-tree:4", protocols=["adaptive:degree=4"], adversaries=["snapshot"], steps=[4, 6], trials=10)
    for row in study.run(workers=1).rows:
        assert row.detection.mean == pytest.approx(float(adaptive_detection(4, row.steps)))


@pytest.mark.slow
def test_diffusion_comes_down_to_its_asymptotic_detection() -> None:
    """The rumor centre on a 3-regular tree is right in more than a quarter of cases, and tends to a quarter."""
    trials = sized(400, 900)
    study = Study(
        "regular-tree:3",
        protocols=["diffusion:0.1"],
        adversaries=["snapshot:rumor"],
        steps=[30, 55],
        trials=trials,
        seed=3,
    )
    few, many = (row.detection for row in study.run(workers=1).rows)
    assert few.mean > many.mean
    assert diffusion_limit(3) < many.high
    # About 600 holders lie a few hundredths above the limit; the rest is the error of the trials.
    assert abs(many.mean - diffusion_limit(3)) < 0.03 + 3 * np.sqrt(0.25 * 0.75 / trials)


def test_trials_do_not_depend_on_cores_or_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = small().run(workers=1)
    monkeypatch.setattr(spread_study, "PIECE", 7)
    together = small().run(workers=2)
    for one, two in zip(alone.trials, together.trials, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_stopped_study_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_study, "PIECE", 10)
    whole = small().run(workers=1)
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small().run(workers=1, folder=tmp_path, progress=stop)
    file = tmp_path / "trials.jsonl"
    file.write_text(file.read_text() + '{"cell": 1, "piece"')  # The torn line of a crash.
    resumed: list[int] = []
    again = small().run(workers=1, folder=tmp_path, progress=lambda done, total: resumed.append(done))
    assert resumed[0] == 3
    for one, two in zip(whole.trials, again.trials, strict=True):
        np.testing.assert_array_equal(one, two)


def test_another_study_in_the_folder_is_refused(tmp_path: Path) -> None:
    small().run(workers=1, folder=tmp_path)
    with pytest.raises(BadValue, match="holds another study"):
        small(seed=6).run(workers=1, folder=tmp_path)
    (tmp_path / "trials.jsonl").write_text("hello\n")
    with pytest.raises(BadValue, match="is not a study that banister wrote"):
        small().run(workers=1, folder=tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadValue, match=r"file' cannot be made: .*Choose another folder"):
        small().run(workers=1, folder=tmp_path / "file")


def test_tables_fit_the_screen_and_figures_are_written(tmp_path: Path) -> None:
    result = small().run(workers=1)
    assert max(len(line) for line in result.table().splitlines()) <= 80
    result.write(tmp_path)
    assert (tmp_path / "table.csv").read_text().count("\n") == 5
    assert (tmp_path / "detection.svg").read_text().startswith("<?xml")
    with pytest.raises(BadValue, match=r"The figure 'detection\.gif' must end in one of: \.svg"):
        result.plot(tmp_path / "detection.gif")


def test_detection_by_contacts_covers_all_trials() -> None:
    result = small(trials=40).run(workers=1)
    (_, steps, adversary, parts), *_ = result.by_degree(4)
    assert (steps, adversary, len(parts)) == (4, "snapshot", 4)
    assert sum(part[2].trials for part in parts) == 40
    overall = result.rows[0].detection.mean
    assert np.mean([part[2].mean for part in parts]) == pytest.approx(overall)
    assert by_degree(result.trials[0], 0, 1)[0][2] == result.rows[0].detection


def test_intervals_hold_the_mean_and_shrink() -> None:
    few, many = MeasuredChance.of(np.array([0.0, 1.0] * 5)), MeasuredChance.of(np.array([0.0, 1.0] * 500))
    for estimate in (few, many):
        assert estimate.low < estimate.mean < estimate.high
    assert many.high - many.low < few.high - few.low
    assert str(many) == "0.500 [0.469, 0.531]"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"protocols": []}, "A study needs at least one protocol"),
        ({"trials": 0}, "trials = 0 must be a whole number, 1 or above"),
        ({"steps": [0]}, "steps = 0 must be"),
        ({"authors": []}, "authors is empty"),
        ({"authors": [300]}, "author = 300 must be a whole number from 0 to 299"),
    ],
)
def test_impossible_studies_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        small(**changes)


def test_authors_can_be_chosen() -> None:
    study = small(authors=[7])
    degrees = study.graph.degrees if hasattr(study.graph, "degrees") else []
    assert set(study.run(workers=1).trials[0][:, 1]) == {float(degrees[7])}
    with pytest.raises(BadValue, match="On an endless tree the author is node 0"):
        Study("regular-tree:3", protocols=["tree"], adversaries=["snapshot"], authors=[1])


def test_who_has_no_contacts_never_writes() -> None:
    """Node 3 stands alone: it is said, never drawn, and refused when named."""
    graph = Graph.of_pairs([(0, 1), (1, 2), (2, 0)], 4)
    assert graph.notes == ("1 node without contacts can neither write nor be told.",)
    study = Study(graph, protocols=["adaptive", "tree"], adversaries=["snapshot"], steps=[2], trials=40)
    assert (study.run(workers=1).trials[0][:, 1] > 0).all()
    with pytest.raises(BadValue, match="Node 3 has no contacts, so what it writes reaches nobody"):
        Study(graph, protocols=["tree"], adversaries=["snapshot"], authors=[3])
    with pytest.raises(BadValue, match="Node 3 has no contacts"):
        run_spread(graph, protocol="tree", steps=2, author=3)


PROTOCOLS = ["adaptive", "adaptive:degree=3,cap=3", "preferential", "tree", "hybrid:switch=3", "line", "flooding"]


@pytest.mark.parametrize("protocol", [*PROTOCOLS, "diffusion", "dandelion"])
@pytest.mark.parametrize("graph", ["line:12", "cut-tree:3:2", "holme-kim:20:3:0.5"])
def test_small_graphs_that_a_message_fills_are_no_trouble(graph: str, protocol: str) -> None:
    adversaries = ["snapshot", "spies:0.3", "snapshot+spies:0.3", "posts:2"]
    study = Study(graph, protocols=[protocol], adversaries=adversaries, steps=[2, 20], trials=10, seed=2)
    for row in study.run(workers=1).rows:
        assert 0 <= row.detection.mean <= 1


def test_a_study_larger_than_memory_is_refused_before_it_starts() -> None:
    assert small(adversaries=["spies:0.1"]).memory_bytes(2) > small(adversaries=["snapshot"]).memory_bytes(2)
    study = small(trials=10**13)
    assert study.memory_bytes(2) > 10**13
    with pytest.raises(BadValue, match=r"The study needs about .* GiB on 2 workers"):
        study.run(workers=2)


def test_steps_are_read_from_words() -> None:
    assert steps_of("4,6") == [4, 6]
    with pytest.raises(BadValue, match="steps = '4;6' must be whole numbers separated by commas"):
        steps_of("4;6")


@pytest.mark.slow
def test_all_figures_are_drawn(tmp_path: Path) -> None:
    made = draw_all(tmp_path, trials=20, seed=1, workers=2)
    assert len(made) == 5
    assert all(path.read_text().startswith("<?xml") for path in made)
