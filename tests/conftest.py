"""Fixtures for every test, and a plain word at the end about what was left out."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

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


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let one process run all that needs Spark: a second Java machine costs more than it gains. Groups are read before
    anybody else may change the list of tests, so they are named as each test is found."""
    if isinstance(item, pytest.Function):
        given = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if "spark" in item.fixturenames or "spark" in [each for each in given if isinstance(each, str)]:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What copies its process behind Python's back is run by test_threadless.py, as the workers have threads."""
    if hasattr(config, "workerinput"):
        items[:] = [item for item in items if item.get_closest_marker("threadless") is None]
    items.sort(key=_shortest_last)


def _shortest_last(item: pytest.Item) -> int:
    """What one process must do alone comes first, what is over soon comes last: no process waits at the end."""
    if item.get_closest_marker("xdist_group") is not None:
        return 0
    return 1 if item.get_closest_marker("slow") is not None else 2


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run for want of a server, of Java or of a browser; silence would look like success."""
    for reason in (LEFT_OUT, NO_SPARK, NO_BROWSER):
        missed = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if missed:
            terminalreporter.write_line(f"LEFT OUT: {len(missed)} tests, as {reason}.", yellow=True, bold=True)
