"""Run a team's server: one process or several on one socket, with TLS of its own or behind a proxy."""

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import replace

import uvicorn
from fastapi import FastAPI

import banister as bn
from banister.apps.team.interface import Interface
from banister.apps.team.settings import TeamSettings
from banister.apps.team.store import TeamStore
from banister.errors import BadValue

SETTINGS, PORT = "BANISTER_TEAM", "BANISTER_TEAM_PORT"
"""How workers are told which settings are theirs, and on which port they are reached."""


def interface(settings: TeamSettings) -> Interface:
    """The server over its table, its ledger and its file."""
    store = TeamStore(settings.store)
    return Interface(settings, bn.open(settings.schema), store)


def placed(settings: TeamSettings) -> TeamSettings:
    """The settings with the port that was taken, where any would do."""
    return replace(settings, port=int(os.environ[PORT]))


def worker() -> FastAPI:
    """What one process runs."""
    return interface(placed(TeamSettings.of_file(os.environ[SETTINGS]))).app


def listen(settings: TeamSettings) -> socket.socket:
    """The socket on which all workers listen."""
    taken = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((settings.host, settings.port))
        taken.listen(256)
        taken.set_inheritable(True)
    except OSError:
        taken.close()
        raise BadValue(
            f"{settings.host}:{settings.port} is taken, or not yours to take. Choose another address for listen."
        ) from None
    return taken


def serve(path: str, *, say: Callable[[str], None] = print) -> None:
    """Run until it is interrupted; what was cut off when a server ended is finished first."""
    settings = TeamSettings.of_file(path)
    taken = listen(settings)
    os.environ[PORT] = str(taken.getsockname()[1])
    settings = placed(settings)
    room = interface(settings)
    done = room.desk.resume()
    say(f"The team of '{settings.schema.name}' is at {settings.origin}, for programs at {settings.origin}/api")
    if done:
        say(f"{done} requests that were cut off are finished.")
    say("Every request is written to the team's log. Stop with Ctrl-C.")
    sys.stdout.flush()
    os.environ[SETTINGS] = os.path.abspath(path)
    if settings.workers > 1:  # Each worker opens its own ledger and file.
        room.desk.ledger.close()
        room.store.close()
    config = uvicorn.Config(
        room.app if settings.workers == 1 else "banister.apps.team.serve:worker",
        factory=settings.workers > 1,
        workers=settings.workers,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        ssl_certfile=None if settings.certificate is None else str(settings.certificate),
        ssl_keyfile=None if settings.key is None else str(settings.key),
        timeout_graceful_shutdown=3,
    )
    if settings.workers > 1:
        from uvicorn.supervisors import Multiprocess

        Multiprocess(config, sockets=[taken]).run()
    else:
        uvicorn.Server(config).run(sockets=[taken])
