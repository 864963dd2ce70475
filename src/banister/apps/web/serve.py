"""Run a site on this machine: a port of the loopback, the address with its token on the terminal, and a browser."""

import os
import socket
import ssl
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

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


class Beside:
    """Pages that are served in a thread of their own until `stop`, over TLS where a key and a certificate are given (as
    PEM, and through memory alone)."""

    def __init__(self, asgi: ASGIApp, taken: socket.socket, *, pem: str = "") -> None:
        self._taken = taken
        config = _config(asgi)
        if pem:
            held = os.memfd_create("certificate")
            try:
                os.write(held, pem.encode("ascii"))
                config.ssl_certfile = f"/proc/self/fd/{held}"
                config.load()
            finally:
                os.close(held)
            assert config.ssl is not None
            config.ssl.minimum_version = ssl.TLSVersion.TLSv1_3
        self._server = uvicorn.Server(config)
        work = threading.Thread(target=self._server.run, kwargs={"sockets": [taken]}, daemon=True, name="beside")
        self._thread = work
        work.start()

    def stop(self) -> None:
        """End it; requests that are being answered have three seconds."""
        self._server.should_exit = True
        self._thread.join(10)
        self._taken.close()


def _config(asgi: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        asgi,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )


def serve(site: Site, taken: socket.socket, *, browser: bool, say: Callable[[str], None] = print) -> None:
    """Run until it is interrupted. No request is written down anywhere: addresses and answers are the owner's."""
    say(f"{site.name} is at {address(site, site.visitors.token)}")
    say("The address lets in whoever has it, on this machine only. Stop with Ctrl-C.")
    sys.stdout.flush()
    if browser:
        threading.Thread(target=webbrowser.open, args=(address(site, site.visitors.ticket()),), daemon=True).start()
    site.rest.ahead(AHEAD_SECONDS)
    uvicorn.Server(_config(site.asgi)).run(sockets=[taken])
