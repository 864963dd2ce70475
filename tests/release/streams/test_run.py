"""A stream from its one charge to its last period: crashes, restarts, roll-backs, gaps, and every refusal."""

import json
import math
import shutil
from pathlib import Path

import pytest

from banister.accounting.ledger import Ledger
from banister.errors import BadValue, BudgetExceeded, EngineBroke, LedgerDamaged, ReceiptUsed
from banister.release import Dataset, Stream, open_stream, plan_stream, start_stream
from banister.release import open as open_dataset
from banister.release.streams.example import write_visits
from tests.release.streams.year import run_year
from tests.seeded import SeededBits

SQL = "SELECT COUNT(*) AS visits FROM data"


def started(folder: Path, *, epsilon: str = "0.5", delta: str = "1e-6") -> Stream:
    dataset = write_visits(folder)
    return start_stream(dataset, plan_stream(dataset, SQL, epsilon=epsilon, delta=delta), name="weekly")


def again(folder: Path) -> Stream:
    return open_stream(open_dataset(folder / "visits.toml"), name="weekly")


def place(folder: Path) -> Path:
    return folder / "visits.ledger.streams" / "weekly"


def lines(folder: Path) -> list[tuple[str, str]]:
    with Ledger.open(folder / "visits.ledger") as ledger:
        return [(entry.label, entry.epsilon) for entry in ledger.history()]


@pytest.mark.slow
def test_a_year_with_kills_in_between_is_one_charge_and_errs_as_planned(tmp_path: Path) -> None:
    """The short form of `python -m tests.release.streams.year`: a few weeks, and 150 sites of which each errs alone."""
    year = run_year(tmp_path, seed=3, weeks=4, epsilon="1", delta="1e-6")
    assert year.kills >= 2
    assert [cost for _, cost in year.charges].count("0") == 4
    assert len(year.charges) == 5
    for week, found in year.errors.items():
        # The noise here is Laplace's, of kurtosis 6: the root mean square of 150 has a deviation of 9 %, and is beyond
        # half of itself once in a million times.
        assert found == pytest.approx(year.plan.error_at(week)["visits"], rel=0.5)
    left = place(tmp_path)
    assert not [path for path in left.iterdir() if path.name.startswith(".draft") or path.suffix == ".begun"]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in left.iterdir())
    assert left.stat().st_mode & 0o777 == 0o700


def test_an_answer_is_drawn_once_and_given_again(tmp_path: Path) -> None:
    stream = started(tmp_path)
    first = stream.release(1)
    second = again(tmp_path).release(1)
    assert not first.again
    assert second.again
    assert first.table.answers["visits"].values.tolist() == second.table.answers["visits"].values.tolist()
    assert first.proof == second.proof
    assert len(lines(tmp_path)) == 2
    kept = stream.answer(1)
    assert kept is not None
    assert kept.days[0].isoformat() == "2026-01-05"
    assert stream.answer(2) is None


def test_the_interval_holds_the_exact_total(tmp_path: Path) -> None:
    stream = started(tmp_path)
    answer = stream.release(1, bits=SeededBits(5)).table.answers["visits"]
    exact = sum(1 for person in range(100) if person % 27 < 7)
    assert answer.low[0] < exact < answer.high[0]
    deviation = stream.plan.error_at(1)["visits"]
    # A sum of few Laplace noises: 1.96 deviations for very many, 2.12 for one, and rounded up to a whole count.
    assert 1.9 * deviation < answer.high[0] - answer.values[0] < 2.12 * deviation + 1


def test_a_late_row_counts_in_the_next_period_and_no_past_period_changes(tmp_path: Path) -> None:
    stream = started(tmp_path)
    before = stream.release(1).table.answers["visits"].values.tolist()
    with (tmp_path / "visits.csv").open("a") as file:
        file.writelines(f"{1000 + n},2026-01-05\n" for n in range(5000))
    stream = again(tmp_path)
    assert stream.release(1).table.answers["visits"].values.tolist() == before
    late = stream.release(2).table.answers["visits"].values[0]
    on_time = sum(1 for person in range(100) if person % 27 < 14)
    assert abs(late - 5000 - on_time) < 6 * stream.plan.error_at(2)["visits"]


def test_windows_forget_what_is_past(tmp_path: Path) -> None:
    write_visits(tmp_path)
    schema = tmp_path / "visits.toml"
    schema.write_text(schema.read_text() + "window = 1\n")
    dataset = open_dataset(schema)
    plan = plan_stream(dataset, "SELECT COUNT(*) AS n FROM data", epsilon=1)
    assert plan.method == "noise each period"
    stream = start_stream(dataset, plan, name="weekly")
    for week, exact in ((1, 28), (2, 28), (3, 26), (4, 18)):
        found = stream.release(week).table.answers["n"].values[0]
        assert abs(found - exact) < 20  # At epsilon 1 one time in 10^8.


def test_a_gap_leaves_periods_out_for_good_and_counts_them_later(tmp_path: Path) -> None:
    stream = started(tmp_path)
    with pytest.raises(BadValue, match=r"Period 3 of stream 'weekly' is out of order: the next one is 1\."):
        stream.release(3)
    found = stream.release_after_gap(3)
    exact = sum(1 for person in range(100) if person % 27 < 21)
    assert abs(found.table.answers["visits"].values[0] - exact) < 6 * stream.plan.error_at(3)["visits"]
    with pytest.raises(BadValue, match=r"Period 2 of stream 'weekly' was left out, and period 3 was released since"):
        stream.release(2)
    assert stream.release(4).period == 4
    assert [label for label, _ in lines(tmp_path)][1:] == [
        "period 3 of stream 'weekly', which is paid for",
        "period 4 of stream 'weekly', which is paid for",
    ]


def test_what_comes_later_is_added_to_sums_whose_noise_was_drawn_ahead(tmp_path: Path) -> None:
    """With hardly any noise every answer is the exact total: after late rows, over a gap, and into the next block."""
    write_visits(tmp_path)
    schema = tmp_path / "visits.toml"
    schema.write_text(schema.read_text().replace("epsilon = 1", "epsilon = 400"))
    dataset = open_dataset(schema)
    plan = plan_stream(dataset, SQL, epsilon=400)
    assert plan.payments[0].factor.ahead
    assert plan.method == "blocks of 1 and 8 by least squares"
    start_stream(dataset, plan, name="weekly")

    def visits(period: int, *, gap: bool = False) -> float:
        stream = again(tmp_path)
        act = stream.release_after_gap if gap else stream.release
        return float(act(period).table.answers["visits"].values[0])

    def come(first: int, many: int, day: str) -> None:
        with (tmp_path / "visits.csv").open("a") as file:
            file.writelines(f"{first + n},{day}\n" for n in range(many))

    assert visits(1) == 28
    come(1000, 50, "2026-01-06")
    assert visits(2) == 28 + 28 + 50
    assert visits(4, gap=True) == 150
    come(2000, 7, "2026-02-20")
    assert [visits(period) for period in (5, 6, 7, 8)] == [150, 150, 157, 157]
    come(3000, 3, "2026-03-04")
    assert [visits(9), visits(12, gap=True)] == [160, 160]


@pytest.mark.parametrize("period", [0, -1, 13])
def test_a_period_beyond_the_end_is_refused(tmp_path: Path, period: int) -> None:
    stream = started(tmp_path)
    with pytest.raises(BadValue, match=rf"has periods 1 to 12, and {period} is none of them\. Nothing was drawn"):
        stream.release(period)
    assert len(lines(tmp_path)) == 1


def test_a_folder_that_was_put_back_draws_nothing(tmp_path: Path) -> None:
    stream = started(tmp_path)
    stream.release(1)
    shutil.copytree(place(tmp_path), tmp_path / "older")
    stream.release(2)
    shutil.rmtree(place(tmp_path))
    shutil.copytree(tmp_path / "older", place(tmp_path))
    with pytest.raises(ReceiptUsed, match=r"Period 2 of stream 'weekly' was drawn before \(line 3 of the ledger\)"):
        again(tmp_path).release(2)
    assert not (place(tmp_path) / "period-00002.json").exists()
    assert len(lines(tmp_path)) == 3


def test_a_folder_restored_from_an_open_copy_is_closed_again(tmp_path: Path) -> None:
    started(tmp_path).release(1)
    for each in (place(tmp_path), place(tmp_path).parent):
        each.chmod(0o755)
    again(tmp_path).release(2)
    assert [each.stat().st_mode & 0o777 for each in (place(tmp_path), place(tmp_path).parent)] == [0o700, 0o700]


def test_a_ledger_that_was_put_back_is_noticed(tmp_path: Path) -> None:
    stream = started(tmp_path)
    shutil.copy(tmp_path / "visits.ledger", tmp_path / "older")
    stream.release(1)
    shutil.copy(tmp_path / "older", tmp_path / "visits.ledger")
    with pytest.raises(BadValue, match=r"does not hold line 2, by which stream 'weekly' knows it"):
        again(tmp_path).release(2)


def test_all_put_back_together_is_refused_by_the_witness(tmp_path: Path) -> None:
    dataset = write_visits(tmp_path)
    budget = dataset.schema.budget
    assert budget is not None
    from banister.accounting.filters import AsYouGo

    Ledger.create(
        tmp_path / "visits.ledger",
        budget=budget,
        neighbours=dataset.schema.neighbours,
        questions=AsYouGo(),
        witness=tmp_path / "witness",
    ).close()
    stream = start_stream(dataset, plan_stream(dataset, SQL, epsilon="0.5"), name="weekly")
    stream.release(1)
    older = tmp_path / "older"
    shutil.copytree(place(tmp_path), older / "weekly")
    shutil.copy(tmp_path / "visits.ledger", older)
    stream.release(2)
    shutil.rmtree(place(tmp_path))
    shutil.copytree(older / "weekly", place(tmp_path))
    shutil.copy(older / "visits.ledger", tmp_path / "visits.ledger")
    with pytest.raises(LedgerDamaged, match=r"its witness .* has seen line 3: an older state was put in its place"):
        again(tmp_path).release(2)


def test_what_is_kept_is_gone(tmp_path: Path) -> None:
    stream = started(tmp_path)
    stream.release(1)
    stream.release(2)
    (place(tmp_path) / "period-00002.json").unlink()  # What came up to period 1 was forgotten when 2 was there.
    with pytest.raises(BadValue, match=r"What stream 'weekly' keeps is gone or damaged: .* up to period 1"):
        again(tmp_path).release(2)
    with pytest.raises(BadValue, match=r"is out of order: the next one is 2"):
        again(tmp_path).release(3)
    shutil.rmtree(place(tmp_path))
    with pytest.raises(
        BadValue, match=r"There is no stream 'weekly' under this ledger\. Start it.*what it keeps is gone: restore"
    ):
        again(tmp_path)
    with pytest.raises(ReceiptUsed, match=r"A stream 'weekly' was charged before \(line 1 of the ledger\)"):
        start_stream(stream.dataset, stream.plan, name="weekly")
    assert len(lines(tmp_path)) == 3


@pytest.mark.parametrize("text", ["{}", '{"format": "banister-stream/1"}', "no json"])
def test_a_half_written_period_is_refused(tmp_path: Path, text: str) -> None:
    stream = started(tmp_path)
    stream.release(1)
    (place(tmp_path) / "period-00001.json").write_text(text)
    with pytest.raises(BadValue, match=r"is not part of a stream"):
        again(tmp_path).release(2)
    assert len(lines(tmp_path)) == 2


@pytest.mark.parametrize("key", ["people", "times", "keys", "seen", "increments", "measured"])
def test_a_changed_state_is_refused(tmp_path: Path, key: str) -> None:
    stream = started(tmp_path)
    stream.release(1)
    path = place(tmp_path) / "period-00001.json"
    document = json.loads(path.read_text())
    document["state"][key] = [7] if key == "people" else "x"
    path.write_text(json.dumps(document))
    with pytest.raises(BadValue, match=r"What stream 'weekly' keeps is gone or damaged"):
        again(tmp_path).release(2)


def test_a_stream_is_started_once(tmp_path: Path) -> None:
    stream = started(tmp_path)
    assert start_stream(stream.dataset, stream.plan, name="weekly").released == 0
    assert len(lines(tmp_path)) == 1
    other = plan_stream(stream.dataset, SQL, epsilon="0.25")
    with pytest.raises(BadValue, match=r"There is a stream 'weekly' under this ledger already, which is another one"):
        start_stream(stream.dataset, other, name="weekly")
    with pytest.raises(BudgetExceeded):
        start_stream(stream.dataset, plan_stream(stream.dataset, SQL, epsilon="0.9"), name="second")
    assert len(lines(tmp_path)) == 1


def test_another_schema_is_noticed(tmp_path: Path) -> None:
    started(tmp_path)
    path = tmp_path / "visits.toml"
    path.write_text(path.read_text().replace("person_periods = 1", "person_periods = 2"))
    with pytest.raises(BadValue, match=r"was started by another plan than the schema now gives"):
        again(tmp_path)


def test_a_ledger_in_memory_and_a_bad_name_are_refused(tmp_path: Path) -> None:
    dataset = write_visits(tmp_path)
    plan = plan_stream(dataset, SQL, epsilon="0.5")
    with pytest.raises(BadValue, match=r"The name '\.\./x' of a stream must be 1 to 60 letters"):
        start_stream(dataset, plan, name="../x")
    path = tmp_path / "visits.toml"
    path.write_text(path.read_text().replace('"visits.ledger"', '"memory:"'))
    inside = open_dataset(path)
    with pytest.raises((BadValue, OSError), match=r"memory"):
        start_stream(inside, plan_stream(inside, SQL, epsilon="0.5"), name="weekly")


def test_an_engine_that_breaks_draws_nothing_and_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = started(tmp_path)

    class Breaks:
        def totals(self, work: object) -> None:
            raise EngineBroke("It stopped.")

    monkeypatch.setattr(Dataset, "source", lambda self: Breaks())
    with pytest.raises(EngineBroke, match=r"It had begun to read rows, .* line 2 of the ledger says so\. Nothing was"):
        stream.release(1)
    monkeypatch.undo()
    assert lines(tmp_path)[1][0].endswith("(the engine broke off: more may have been told)")
    assert not stream.release(1).again


def test_sums_and_means_go_on_too(tmp_path: Path) -> None:
    dataset = write_visits(tmp_path)
    path = tmp_path / "visits.csv"
    rows = path.read_text().splitlines()
    path.write_text("\n".join([rows[0] + ",cost", *(f"{row},{n % 11 - 3}" for n, row in enumerate(rows[1:]))]) + "\n")
    schema = tmp_path / "visits.toml"
    cost = 'cost = { kind = "integer", range = [-3, 7] }\n\n[stream]'
    schema.write_text(schema.read_text().replace("[stream]", cost).replace("epsilon = 1\n", "epsilon = 400\n"))
    dataset = open_dataset(schema)
    plan = plan_stream(dataset, "SELECT SUM(cost) AS s, AVG(cost) AS m, COUNT(*) AS n FROM data", epsilon=400)
    stream = start_stream(dataset, plan, name="weekly")
    found = stream.release(2).table if stream.release(1) else None
    assert found is not None
    costs = [n % 11 - 3 for n in range(100) if n % 27 < 14]
    assert found.answers["n"].values[0] == pytest.approx(len(costs), abs=0.5)
    assert found.answers["s"].values[0] == pytest.approx(sum(costs), abs=3)
    assert found.answers["m"].values[0] == pytest.approx(sum(costs) / len(costs), abs=0.1)
    assert math.isfinite(found.answers["m"].high[0])
