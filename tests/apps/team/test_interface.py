"""The whole interface against its own description: schemathesis asks what OpenAPI allows, and what it does not."""

from collections.abc import Iterator
from typing import Any
from unittest import SkipTest

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.apps.team.place import Team, team


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    made = team(tmp_path_factory.mktemp("team"))
    yield made
    made.room.desk.ledger.close()
    made.room.store.close()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "other"])
def test_the_interface_is_what_it_says(four: Team, mode: GenerationMode) -> None:
    """A question that reads as text need not be one that is answered, so that a refusal of it is no failure."""
    described = schemathesis.openapi.from_asgi("/api/openapi.json", four.room.app)
    asked = 0
    for found in described.get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]  # Whatever is no operation fails here.

        @settings(
            max_examples=2,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def run(case: Any) -> None:
            for who in ("olga", "ana"):
                headers = {"Authorization": f"Bearer {four.keys[who]}"}
                case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

        try:
            run()
            asked += 1
        except (Unsatisfiable, SkipTest):
            continue  # Nothing can be wrong about a request without parameters.
    assert asked > 8


def test_the_description_names_every_address_and_who_may_come(four: Team) -> None:
    found = four.room.app.openapi()
    assert {"/api/plan", "/api/release", "/api/budget", "/api/practice"} <= set(found["paths"])
    assert "/api/requests/{account}/{key}/report" in found["paths"]
    assert found["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    assert all("401" in do["responses"] for path in found["paths"].values() for do in path.values())


def test_addresses_and_bodies_that_are_none(four: Team) -> None:
    assert four.ask("olga", "GET", "/nothing").json() == {"message": "Not Found"}
    assert four.ask("olga", "PATCH", "/plan").status_code == 405
    assert four.ask("olga", "PATCH", "/plan").headers["allow"] == "POST"
    assert four.ask("olga", "PATCH", "/keys").headers["allow"] == "GET, POST"  # Two routes, one address.
    large = four.ask("olga", "POST", "/plan", question="x" * 200_000, epsilon="1")
    assert (large.status_code, large.json()["message"]) == (413, "A request has at most 100 kB.")
    wrong = four.ask("olga", "POST", "/plan", question="SELECT 1", epsilon="1", more="x")
    assert wrong.json()["message"] == "body.more: Extra inputs are not permitted. Nothing was done."
