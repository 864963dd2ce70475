"""Schemathesis asks the open part of the service whatever its own description allows, and what it does not."""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from banister.apps.collect.relaying.rooms import Rooms
from banister.apps.collect.schema import openapi
from banister.apps.collect.site import Service
from banister.local import RandomizedResponse, UnaryEncoding
from tests.apps.collect.service import served
from tests.local.collect.campaigns import signed

ASKED = signed(RandomizedResponse(1, categories=4), UnaryEncoding(1, 5))
# By name, since the type checker fails on the package itself.
SCHEMA = import_module("schemathesis").openapi.from_dict(openapi(relay=True))
EXCLUDED = import_module("schemathesis.specs.openapi.checks").positive_data_acceptance
EXAMPLES = int(os.environ.get("BANISTER_EXAMPLES", "60"))
"""BANISTER_EXAMPLES=2000 asks longer, as a command."""
QUIETLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("collect")
    rooms = Rooms(folder / "rooms.db", lambda: 1)
    with served(folder, ASKED, a_second=1e9, rooms=rooms) as made:
        yield made
    rooms.close()


@pytest.mark.parametrize(("path", "method"), [("/c/{name}/reports", "POST"), ("/c/{name}", "GET")])
@pytest.mark.parametrize("known", [True, False], ids=["a known campaign", "any name"])
def test_nothing_that_is_asked_makes_the_service_fail(service: Service, path: str, method: str, known: bool) -> None:
    origin = service.site.place.origins[0]

    @QUIETLY
    @given(case=SCHEMA[path][method].as_strategy())
    def ask(case: Any) -> None:
        if known:
            case.path_parameters = {"name": ASKED.name}
        # Which reports a question has is said by its campaign, not by the description of the service.
        case.call_and_validate(base_url=origin, excluded_checks=[EXCLUDED])

    ask()
    store = service.writer.store
    with service.writer.lock:
        assert store.stored(1) == sum(store.total(1, place).reports for place in range(2))


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_nothing_that_is_asked_makes_the_relay_fail(service: Service, method: str) -> None:
    origin = service.site.place.origins[0]

    @QUIETLY
    @given(case=SCHEMA["/m/{room}"][method].as_strategy())
    def ask(case: Any) -> None:
        # A box is sealed bytes of a least length: that it is one is said by whoever opens it, not by the description.
        case.call_and_validate(base_url=origin, excluded_checks=[EXCLUDED])

    ask()
