"""Fixtures for every test, and a plain word at the end about what was left out."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.browser import NO_BROWSER, browser
from tests.postgres import LEFT_OUT, postgres
from tests.spark import NO_SPARK, spark

__all__ = ["browser", "postgres", "spark"]


@pytest.fixture(scope="session", autouse=True)
def _a_home_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test, and no program that a test starts, touches the folder of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BANISTER_HOME", str(tmp_path_factory.mktemp("home")))
        yield


settings.register_profile("house", deadline=None)  # A busy machine is not a failure.
settings.load_profile("house")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What copies its process behind Python's back is run by test_threadless.py, as the workers have threads."""
    if hasattr(config, "workerinput"):
        items[:] = [item for item in items if item.get_closest_marker("threadless") is None]
    for item in items:
        given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
        needs = "spark" in getattr(item, "fixturenames", ()) or "spark" in [each for each in given if type(each) is str]
        if needs and not _needs_spark(item.nodeid):
            raise pytest.UsageError(f"{item.nodeid} needs Spark: its name must say so, as tests are grouped by names.")
    items.sort(key=_shortest_last)


def _needs_spark(nodeid: str) -> bool:
    return "spark" in nodeid.lower()


def _shortest_last(item: pytest.Item) -> int:
    """What one process must do alone comes first, what is over soon comes last: no process waits at the end."""
    if _needs_spark(item.nodeid):
        return 0
    return 1 if item.get_closest_marker("slow") is not None else 2


class OneMachine(LoadScopeScheduling):  # type: ignore[misc]  # xdist states no types.
    """Every test goes to whichever process is free, but one runs all that needs Spark: a second Java machine costs more
    than it gains."""

    def _split_scope(self, nodeid: str) -> str:
        return "spark" if _needs_spark(nodeid) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneMachine:
    """How tests are shared out among processes. Groups by marks (--dist loadgroup) are not seen by pytest 9.2."""
    return OneMachine(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run for want of a server, of Java or of a browser; silence would look like success."""
    for reason in (LEFT_OUT, NO_SPARK, NO_BROWSER):
        missed = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if missed:
            terminalreporter.write_line(f"LEFT OUT: {len(missed)} tests, as {reason}.", yellow=True, bold=True)
