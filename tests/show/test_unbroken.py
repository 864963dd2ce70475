"""Thousands are apart in one way, and no line is broken within a number."""

import io

import pytest

from banister.core.exact.written import NO_BREAK, apart
from banister.show import terminal
from banister.show.charts import IntervalChart


@pytest.mark.parametrize("width", range(28, 44))
def test_no_line_of_the_terminal_is_broken_within_a_number(width: int) -> None:
    from rich.table import Table

    printed = terminal.console()
    printed.file = io.StringIO()
    printed.width = width
    printed.print(f"it deviates by {apart(1234567)} at most, and by {apart(98765)} as a rule")
    table = Table("some answer", "what is said of it")
    table.add_row("n", f"within {apart(7654321)}")
    printed.print(table)
    printed.print(terminal.bold("Noise: ", apart(11111111)))
    told = printed.file.getvalue()
    assert all(number in told for number in ("1 234 567", "98 765", "7 654 321", "11 111 111")), told
    assert NO_BREAK not in told
    assert terminal.HELD not in told


def test_pictures_write_thousands_as_tables_do() -> None:
    page = IntervalChart(title="n", labels=["a"], values=[1234.0], low=[1200.0], high=[1270.0]).html()
    assert f"1{NO_BREAK}234 [1{NO_BREAK}200, 1{NO_BREAK}270]" in page
    assert "1,234" not in page
