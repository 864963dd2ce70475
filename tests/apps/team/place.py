"""A team of four over the demo, and its server on a real port."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi.testclient import TestClient

import banister as bn
from banister.apps.team.interface import Interface
from banister.apps.team.people import Role
from banister.apps.team.settings import TeamSettings
from banister.apps.team.store import TeamStore
from banister.apps.web.serve import take_port
from banister.release.demo import write_demo

COUNT = "SELECT plan, COUNT(*) AS years FROM data GROUP BY plan"
PEOPLE = {"olga": Role.OWNER, "omar": Role.OWNER, "ana": Role.ANALYST, "ben": Role.ANALYST, "ada": Role.AUDITOR}
PASSWORD = "four words in a row"


@dataclass
class Team:
    """The server's parts, and what each member comes in with."""

    room: Interface
    keys: dict[str, str]

    def ask(self, who: str, method: str, path: str, **body: Any) -> Any:
        """What the interface answers, as the test client sees it."""
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        with TestClient(self.room.app, raise_server_exceptions=True) as client:
            return client.request(method, f"/api{path}", json=body or None, headers=headers)

    def release(self, who: str, epsilon: str, key: str, **more: Any) -> Any:
        return self.ask(who, "POST", "/release", question=COUNT, epsilon=epsilon, key=key, **more)


def settings(folder: Path, more: str = "") -> TeamSettings:
    if not (folder / "health.toml").exists():
        write_demo(folder)
    text = f'[team]\nschema = "health.toml"\nrequests_a_minute = 100000\n{more}'
    (folder / "team.toml").write_text(text, encoding="utf-8")
    return TeamSettings.of_file(folder / "team.toml")


def team(folder: Path, more: str = "") -> Team:
    """Accounts with one key each, and shares of 0.3 for ana and 0.2 for ben of a budget of 1."""
    found = settings(folder, more)
    new = not found.store.exists()
    room = Interface(found, bn.open(found.schema), TeamStore(found.store, make=True))
    made = Team(room, {})
    if new:
        for name, role in PEOPLE.items():
            member = room.people.recover(room.people.add(name, role), PASSWORD)
            made.keys[name] = room.people.make_key(member, "tests")
        done = made.ask(
            "olga",
            "PUT",
            "/shares",
            shares=[
                {"analyst": "ana", "epsilon": "0.3", "delta": "3e-7"},
                {"analyst": "ben", "epsilon": "0.2", "delta": "2e-7"},
            ],
        )
        assert done.status_code == 200, done.text
    return made


@contextmanager
def running(made: Team, port: int = 0) -> Iterator[str]:
    """The server on a port of the loopback, any free one where none is named; gives its address."""
    taken = take_port(port)
    server = uvicorn.Server(uvicorn.Config(made.room.app, log_level="error", lifespan="off", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        taken.close()
