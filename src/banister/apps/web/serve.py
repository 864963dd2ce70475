"""Run a site on this machine: a port of the loopback, the address with its token on the terminal, and a browser."""

import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from banister.apps.web.gate import FIELD
from banister.apps.web.site import Site
from banister.errors import BadValue

LOOPBACK = "127.0.0.1"
AHEAD_SECONDS = 0.5
"""After the first page has had so long for itself, the others are got ready."""


def take_port(port: int) -> socket.socket:
    """A listening socket on the loopback; port 0 takes one that is free."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((LOOPBACK, port))
        taken.listen(64)
    except (OSError, OverflowError):
        taken.close()
        raise BadValue(
            f"Port {port} is taken, or not yours to take. Choose another with --port, or 0 for any."
        ) from None
    return taken


def address(site: Site, token: str) -> str:
    """Where a browser goes in."""
    return f"{site.place.origins[0]}/?{FIELD}={token}"


def serve(site: Site, taken: socket.socket, *, browser: bool, say: Callable[[str], None] = print) -> None:
    """Run until it is interrupted. No request is written down anywhere: addresses and answers are the owner's."""
    config = uvicorn.Config(
        site.asgi,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )
    say(f"{site.name} is at {address(site, site.visitors.token)}")
    say("The address lets in whoever has it, on this machine only. Stop with Ctrl-C.")
    sys.stdout.flush()
    if browser:
        threading.Thread(target=webbrowser.open, args=(address(site, site.visitors.ticket()),), daemon=True).start()
    site.rest.ahead(AHEAD_SECONDS)
    uvicorn.Server(config).run(sockets=[taken])
