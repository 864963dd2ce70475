"""What is printed is printed as it stands: a word in square brackets is a word, whoever wrote it."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "banister"
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "Console" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_terminal_reads_no_markup(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Console":
            words = {word.arg: getattr(word.value, "value", None) for word in node.keywords}
            assert words.get("markup") is False, (
                f"line {node.lineno}: Console(markup=False), or show.terminal.console()"
            )


def test_there_are_terminals() -> None:
    assert len(FILES) >= 3


def test_brackets_and_colons_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    from banister.show.terminal import bold, console

    table = Table("[bold]head")
    table.add_row("[source] :smile:")
    console().print("Declare more rows in [source]. [/b] :smile:")
    console().print(table)
    console().print(bold("[red]plan", " [x]"))
    said = capsys.readouterr().out
    assert "rows in [source]. [/b] :smile:" in said
    assert "[bold]head" in said
    assert "[source] :smile:" in said
    assert "[red]plan [x]" in said
