"""Audits of functions in other processes, of commands and of our own noise, and what cannot be audited."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from banister.audit import Finding, attack, attack_time
from banister.audit.attacking import tried_on
from banister.audit.attacks.bounds import chance_down, chance_up, epsilon_shown
from banister.audit.attacks.grid import lowest_bit
from banister.audit.attacks.kinds import kind
from banister.audit.targets.child import plain
from banister.audit.targets.command import ShellCommand
from banister.audit.targets.python import PythonFunction
from banister.audit.targets.raised import RaisedError
from banister.errors import BadValue

SURE = "0.999999"
"""Of audits whose noise has no seed: at 0.99 a right one could fail a test once in a hundred runs."""
FOREIGN = """
import os, random, sys, time
shared = random.Random()
seeded = random.Random(5)
sticky = random.SystemRandom().random()
true = random.SystemRandom()

def right(count):
    print("noise on standard output")
    return count if true.random() < 0.7 else 1 - count

def fixed(count):
    return count + round(seeded.gauss(0, 50))

def once(count):
    return count + sticky

def hangs(count):
    time.sleep(60)

def dies(count):
    os._exit(3)

def greedy(count):
    return len(bytearray(1 << 36)) + count

def sometimes_greedy(count):
    return len(bytearray(1 << 36)) if count else 0

def exits(count):
    return sys.exit("the table is too small") if count else 0

def refuses(count):
    raise ConnectionRefusedError("no network here")

def needs_the_network(count):
    import socket
    with socket.create_connection(("127.0.0.1", 9), timeout=0.2):
        return count

def another_shape(count):
    return (0, [0], [0, 0], "none", {"a": 0}, [[0]])[shared.randrange(6)]

def an_object(count):
    return object()

def with_clock(count):
    return [right(count), time.time(), os.getpid(), {"a", "b", str(count)}]

def forked(count):
    return count + shared.gauss(0, 5)

def changes(table):
    table.append(1)
    return len(table)
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "foreign_code.py").write_text(FOREIGN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "python:foreign_code:"


def test_a_right_function_in_another_process_passes(foreign: str) -> None:
    found = attack(foreign + "right", epsilon=1, pairs=[(0, 1)], draws=2000, confidence=SURE)
    assert not found.broken
    assert found.shown > 0.3


def test_a_fixed_seed_is_found_though_its_noise_is_large(foreign: str) -> None:
    found = attack(foreign + "fixed", epsilon=1, pairs=[(0, 1)], draws=2000)
    assert found.broken
    assert found.attack == "repeats"
    assert "same each time" in found.event


def test_noise_that_is_drawn_once_cannot_be_counted(foreign: str) -> None:
    with pytest.raises(BadValue, match="not drawn for themselves"):
        attack(foreign + "once", epsilon=1, pairs=[(0, 1)], draws=2000)


@pytest.mark.parametrize(
    ("name", "words"),
    [("hangs", "within 1 seconds"), ("dies", r"exit code 3"), ("nothing", "cannot be loaded: AttributeError")],
)
def test_what_cannot_be_run_is_said(foreign: str, name: str, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        attack(foreign + name, epsilon=1, pairs=[(0, 1)], draws=100, seconds=1)


def test_memory_is_limited_and_running_out_is_an_output(foreign: str) -> None:
    found = attack(foreign + "sometimes_greedy", epsilon=1, pairs=[(0, 1)], draws=100)
    assert found.broken
    assert found.attack == "kinds", str(found)


def test_a_call_that_would_end_its_process_is_an_output(foreign: str) -> None:
    """As is a panic of a library in Rust: neither is an `Exception`."""
    found = attack(foreign + "exits", epsilon=1, pairs=[(0, 1)], draws=100)
    assert found.broken
    assert found.event in ("the answer is a whole number", "the answer is an error: SystemExit: the table is too small")


@pytest.mark.parametrize(
    ("name", "words"), [("greedy", "MemoryError"), ("refuses", "ConnectionRefusedError: no network here")]
)
def test_where_every_call_raises_there_is_no_audit(foreign: str, name: str, words: str) -> None:
    with pytest.raises(BadValue, match=f"Every call of .* raised, the first time {words}"):
        attack(foreign + name, epsilon=1, pairs=[(0, 1)], draws=100)


def test_a_target_that_needs_the_network_gets_one_message(foreign: str) -> None:
    with pytest.raises(BadValue, match=r"Every call of .* raised, the first time \w*Error") as said:
        attack(foreign + "needs_the_network", epsilon=1, pairs=[(0, 1)], draws=100)
    assert "\n" not in str(said.value)


def test_a_target_that_returns_another_shape_each_time_is_audited_by_its_shapes(foreign: str) -> None:
    """Shapes are outputs as all others are: drawn alike on both sides they break nothing, and the audit goes on."""
    found = attack(foreign + "another_shape", epsilon=1, pairs=[(0, 1)], draws=600, confidence=SURE)
    assert not found.broken, str(found)


def test_neighbours_on_which_every_call_raises_are_told() -> None:
    def picky(x: int) -> int:
        if x > 1:
            raise ValueError("too large")
        return 0

    found = attack(picky, epsilon=1, pairs=[(0, 1), (2, 3)], draws=100)
    assert found.notes == ("Every call on pair 2 raised, the first time ValueError: too large.",)
    assert str(found).endswith(found.notes[0])


@pytest.mark.parametrize("name", ["an_object", "with_clock"])
def test_what_drifts_or_is_fixed_for_a_process_accuses_nobody(foreign: str, name: str) -> None:
    """Addresses, clocks, process numbers and the order of sets differ between processes, not between inputs."""
    target = foreign + name
    found = attack(target, epsilon=1, pairs=[(0, 1)] if name == "an_object" else [(1, 1)], draws=400, confidence=SURE)
    assert not found.broken, str(found)


def test_noise_that_two_forks_share_is_found(foreign: str) -> None:
    found = attack(foreign + "forked", epsilon="1/2", pairs=[(0, 1)], draws=400)
    assert (found.broken, found.attack) == (True, "repeats"), str(found)
    assert "two forks of a process" in found.event


def test_time_is_a_finding_of_its_own(foreign: str) -> None:
    def slow(x: int) -> int:
        return sum(range(30_000 * x)) * 0

    assert not attack(slow, epsilon=1, pairs=[(0, 1)], draws=100).broken
    found = attack_time(slow, epsilon=1, pairs=[(0, 1)], draws=100)
    assert found.shown > 1
    assert "the time taken" in found.event
    assert "does not break it" in found.of_time()
    assert "broken" not in found.of_time_as_record()
    other = attack_time(foreign + "right", epsilon=1, pairs=[(0, 0)], draws=100, confidence=SURE)
    assert other.shown < 1
    with pytest.raises(BadValue, match="The time of geometric cannot be told"):
        attack_time("geometric", epsilon=1)


def test_memory_of_a_command_is_limited() -> None:
    command = ShellCommand(line="ulimit -d", seconds=10, most_bytes=1 << 30)
    assert command.draw("", 1) == [1 << 20], "in kilobytes"


def test_a_function_that_changes_its_input_gets_a_fresh_one(foreign: str) -> None:
    address = foreign.removeprefix("python:") + "changes"
    assert PythonFunction.of(address, seconds=10).draw([1], 3) == [2, 2, 2]


def test_a_command_is_audited() -> None:
    found = attack("command:cat", epsilon=1, pairs=[("yes", "no")], draws=100)
    assert found.broken
    assert found.event == "the answer is 'yes'"
    with pytest.raises(BadValue, match="does not find the command"):
        attack("command:there-is-no-such-command", epsilon=1, pairs=[(0, 1)], draws=100)


def test_a_command_that_hangs_is_ended_with_what_it_started() -> None:
    with pytest.raises(BadValue, match=r"did not answer within 0\.5 seconds"):
        attack("command:sleep 40; echo 1", epsilon=1, pairs=[(0, 1)], draws=100, seconds=0.5)


def test_numbers_of_other_kinds_are_read_as_numbers() -> None:
    assert [plain(each) for each in (Fraction(1, 2), np.float64(2), (1, np.int64(2)), {3: 4})] == [
        0.5,
        2.0,
        [1, 2],
        {"3": 4},
    ]


@pytest.mark.parametrize("name", ["geometric", "Laplace", "staircase"])
def test_our_noise_keeps_its_word_and_the_bound_is_near(name: str) -> None:
    found = attack(name, epsilon=1, draws=20_000, confidence=SURE)
    assert not found.broken, str(found)
    assert found.shown > 0.75


@pytest.mark.slow
def test_a_million_draws_of_a_tight_mechanism_show_most_of_its_epsilon() -> None:
    found = attack("geometric", epsilon=1, draws=1_000_000, confidence=SURE)
    assert 0.97 <= found.shown <= 1


@pytest.mark.parametrize(
    ("target", "words"),
    [("python:os", "python:package.module:function"), ("no such noise", "Ours are: ")],
)
def test_a_target_that_is_none_is_said(target: str, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        attack(target, epsilon=1, pairs=[(0, 1)])


@pytest.mark.parametrize("pairs", [None, [], [[1]], [3]])
def test_neighbours_are_needed(pairs: object) -> None:
    with pytest.raises(BadValue, match="eighbours"):
        attack(lambda x: x, epsilon=1, pairs=pairs)  # type: ignore[arg-type]


def test_the_bounds_are_those_of_clopper_and_pearson() -> None:
    """The chance of so many hits or more, under the lower bound, is the risk."""
    low = float(chance_down(7, 20, 0.01))
    at_least = sum(math.comb(20, k) * low**k * (1 - low) ** (20 - k) for k in range(7, 21))
    assert at_least == pytest.approx(0.01, rel=1e-6)
    assert float(chance_up(0, 10, 0.01)) == pytest.approx(1 - 0.01**0.1)
    assert (float(chance_down(0, 10, 0.01)), float(chance_up(10, 10, 0.01))) == (0.0, 1.0)


def test_delta_is_taken_off_before_the_ratio() -> None:
    pure = float(epsilon_shown(900, 100, draws=1000, delta=0.0, risk=0.01))
    assert float(epsilon_shown(900, 100, draws=1000, delta=0.2, risk=0.01)) < pure - 0.2
    assert float(epsilon_shown(100, 0, draws=1000, delta=0.2, risk=0.01)) == 0


def test_the_lowest_bit_of_doubles() -> None:
    values = np.array([1.0, 3.0, 0.75, 2.0**-1074, 2.0**1000, 0.1, -6.0])
    for value, found in zip(values, lowest_bit(values), strict=True):
        exact = Fraction(float(value)) / Fraction(2) ** int(found)
        assert exact.denominator == 1
        assert exact.numerator % 2 == 1
    assert lowest_bit(np.array([0.0]))[0] > 1024
    assert np.isnan(lowest_bit(np.array([np.inf, np.nan]))).all()


def test_kinds_tell_odd_values_apart() -> None:
    odd = [0.0, -0.0, math.nan, math.inf, -math.inf, 1, True, None, "a", [1], [1, 2], {"a": 1}, RaisedError("E", "x")]
    assert len({kind(each) for each in odd}) == len(odd)


def _nothing(epsilon: int) -> Finding:
    return attack(lambda _: 0, epsilon=epsilon, pairs=[(0, 0)], draws=100)


def test_a_test_never_sees_what_proposed_it() -> None:
    """Outputs that tell the sides apart in the first half only: the event is proposed, and not confirmed."""
    first, second = [0] * 500 + [1] * 500, [1] * 1000
    found = tried_on(first, second, _nothing(0), risk=0.01)
    assert found.tests > 0
    assert found.shown == 0


def test_every_event_pays_its_share_of_the_risk() -> None:
    """What is shown is what the interval gives at the risk divided by the number of events."""
    first, second = [0, 0, 0, 1] * 250, [0, 1, 1, 1] * 250
    found = tried_on(first, second, _nothing(1), risk=0.01)
    assert found.tests > 1
    alone = epsilon_shown(found.hits, found.others, draws=500, delta=0.0, risk=0.01 / found.tests)
    assert found.shown == pytest.approx(float(alone), rel=1e-12)


def test_the_stages_share_the_risk(monkeypatch: pytest.MonkeyPatch) -> None:
    """All stages and pairs together have no more risk than the confidence leaves."""
    asked: list[float] = []

    def tried(first: object, second: object, nothing: Finding, *, risk: float) -> Finding:
        asked.append(risk)
        return nothing

    monkeypatch.setattr("banister.audit.attacking.tried_on", tried)
    attack(lambda x: x, epsilon=1, pairs=[(0, 1), (1, 2)], draws=10_000, confidence="0.9")
    assert len(asked) == 6
    assert sum(asked) == pytest.approx(0.1)


def test_many_parts_are_told_apart_by_a_classifier() -> None:
    """Sixteen parts that each move by a little, half of them up and half down: no part and no sum shows it."""
    chance = np.random.default_rng(4)
    signs = np.array([1.0, -1.0] * 8)

    def moved(x: int) -> list[float]:
        found: list[float] = (chance.normal(size=16) + 0.6 * x * signs).tolist()
        return found

    found = attack(moved, epsilon=1.5, delta="1e-5", pairs=[(0, 1)], draws=800)
    assert (found.broken, found.attack) == (True, "kernel"), str(found)
    assert "score of all 16 parts" in found.event


def test_rows_of_an_array_are_attacked_as_the_same_lists_are() -> None:
    """Ten million outputs of many parts are an array; what is found may not hang on how outputs are kept."""
    chance = np.random.default_rng(3)
    few = [chance.integers(0, 4, (4000, 3)) + np.array([side, 0, 0]) for side in (0, 1)]
    many = [chance.normal(side / 2, 1, (4000, 6)) for side in (0, 1)]
    still = [np.full((400, 2), side) for side in (0, 1)]
    for first, second in (few, many, still, [each.astype(np.uint8) for each in few]):
        rows = tried_on(first, second, _nothing(1), risk=0.01)
        lists = tried_on(first.tolist(), second.tolist(), _nothing(1), risk=0.01)
        assert rows.shown > 0
        assert (rows.shown, rows.attack, rows.tests) == pytest.approx((lists.shown, lists.attack, lists.tests))
    odd = np.where(chance.random((4000, 2)) < 0.1, np.nan, 1.0)
    assert tried_on(odd, 2 * odd, _nothing(1), risk=0.01).shown > 1
    assert tried_on(still[0], still[1], _nothing(1), risk=0.01).event == "the answer is [0, 0]"


def test_a_classifier_learns_nothing_where_there_is_nothing() -> None:
    chance = np.random.default_rng(5)
    found = attack(lambda _: chance.normal(size=6).tolist(), epsilon=0, pairs=[(0, 1)], draws=600, confidence=SURE)
    assert not found.broken, str(found)
