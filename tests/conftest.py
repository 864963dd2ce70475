"""Fixtures for every test, and a plain word at the end about what was left out."""

import pytest
from hypothesis import settings

from tests.postgres import LEFT_OUT, postgres

__all__ = ["postgres"]

settings.register_profile("house", deadline=None)  # A busy machine is not a failure.
settings.load_profile("house")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run for want of a PostgreSQL server; silence would look like success."""
    missed = [report for report in terminalreporter.stats.get("skipped", []) if LEFT_OUT in str(report.longrepr)]
    if missed:
        terminalreporter.write_line(f"LEFT OUT: {len(missed)} tests, as {LEFT_OUT}.", yellow=True, bold=True)
