"""Foreign files in the drill's short form; `make drill` runs the long one."""

import random
from pathlib import Path

import pytest

from banister.errors import BadValue
from tests.drills.foreign import Format, drill, formats

INPUTS = 60
NAMES = [
    "plan",
    "answer",
    "keys",
    "plan-toml",
    "record",
    "private-key",
    "channel",
    "reports",
    "answers",
    "laws",
    "graph",
    "graph-csv",
    "weighted",
    "weighted-csv",
    "matrix-csv",
    "sketch",
    "sketch-bomb",
    "ledger-terms",
    "ledger-charge",
    "kept",
    "ceiling",
    "schema",
    "schema-only",
    "rungs",
    "study",
    "agenda",
    "campaign",
    "campaign-text",
    "proof",
    "proof-text",
    "spent",
    "invitation",
    "canaries",
    "spies",
    "capture",
    "authors",
]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Format]:
    return formats(tmp_path_factory.mktemp("foreign"))


def test_every_format_is_tried(known: dict[str, Format]) -> None:
    assert list(known) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_file_is_read_or_refused(name: str, known: dict[str, Format]) -> None:
    told, faults = drill(name, known[name], inputs=INPUTS, seed=2)
    assert not faults, faults[0]
    assert sum(told.values()) == INPUTS
    # What is wrong with an answer is told by `hear`, which sets it aside; edges and rows that are none are left out.
    assert told["refused"] or name in ("answer", "weighted", "weighted-csv", "matrix-csv")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sketch-bomb"])
def test_some_inputs_are_read(name: str, known: dict[str, Format]) -> None:
    """A format whose every input is refused at the door is not drilled at all."""
    for seed in range(20):
        told, _ = drill(name, known[name], inputs=20, seed=seed)
        if told["read"]:
            return
    raise AssertionError(f"none of 400 inputs of {name} was read")


def test_the_judge_notices_what_is_not_ours() -> None:
    def fail(data: bytes) -> object:
        raise IndexError("a traceback")

    told, faults = drill("bad", Format(lambda chance: b"x", fail), inputs=3, seed=1)
    assert not told
    assert [fault.why for fault in faults] == ["IndexError: a traceback"] * 3


def test_an_input_is_named_by_its_seed_and_number(known: dict[str, Format]) -> None:
    one, other = (known["channel"].make(random.Random("1-channel-7")) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "1E+300000000", "9" * 20_000, "1e99999_99999"])
def test_a_short_text_for_an_endless_number_is_refused(text: str, tmp_path: Path) -> None:
    import banister as bn

    with pytest.raises(BadValue, match="must be a finite number of at most"):
        bn.Guarantee(text)
    column = f'x = {{ kind = "integer", range = [0, {text}] }}'
    (tmp_path / "s.toml").write_text(f'[source]\ntable = "t.csv"\nneighbours = "replace"\n[columns]\n{column}\n')
    with pytest.raises(BadValue, match=r"beyond what can be read|not valid TOML"):
        bn.open(tmp_path / "s.toml")


def test_an_endless_exponent_of_a_cost_is_refused() -> None:
    """The drill found it in a plan: a number of 400 digits is exact, but no double holds it."""
    import banister as bn

    with pytest.raises(BadValue, match="an exponent above 0"):
        bn.Cost.of("9" * 400)
