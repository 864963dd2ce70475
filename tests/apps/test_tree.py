"""The tree of commands, and the part of it that one run needs."""

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from banister.apps.cli import build, narrowed

RUNNER = CliRunner(env={"COLUMNS": "80"})


def test_every_command_is_found_alone_under_its_name() -> None:
    app = build()
    commands, groups = app.registered_commands, app.registered_groups
    names = list(get_group(app).commands)
    assert len(names) > 30
    for name in names:
        app.registered_commands, app.registered_groups = commands, groups
        narrowed(app, [name, "--help"])
        assert len(app.registered_commands) + len(app.registered_groups) == 1, name
        assert list(get_group(app).commands) == [name]


@pytest.mark.parametrize("words", [["plan", "--help"], ["ledger", "--help"], ["plan", "--nothing"], ["spread", "so"]])
def test_a_command_says_the_same_alone_and_in_the_whole_tree(words: list[str]) -> None:
    alone, whole = RUNNER.invoke(narrowed(build(), words), words), RUNNER.invoke(build(), words)
    assert (alone.exit_code, alone.output) == (whole.exit_code, whole.output)


@pytest.mark.parametrize("words", [[], ["--help"], ["--version"], ["plann"], ["-x", "plan"]], ids=str)
def test_without_a_command_the_tree_stays_whole(words: list[str]) -> None:
    app = build()
    before = len(app.registered_commands), len(app.registered_groups)
    narrowed(app, words)
    assert (len(app.registered_commands), len(app.registered_groups)) == before
