"""Fixtures for every test, and a plain word at the end about what was left out."""

import pytest
from hypothesis import settings

from tests.postgres import LEFT_OUT, postgres
from tests.spark import NO_SPARK, spark

__all__ = ["postgres", "spark"]

settings.register_profile("house", deadline=None)  # A busy machine is not a failure.
settings.load_profile("house")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run for want of a server or of Java; silence would look like success."""
    for reason in (LEFT_OUT, NO_SPARK):
        missed = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if missed:
            terminalreporter.write_line(f"LEFT OUT: {len(missed)} tests, as {reason}.", yellow=True, bold=True)
