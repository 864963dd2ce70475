"""A server on this machine: what is said, what a browser is started with, and nothing written down."""

import threading
import webbrowser

import pytest
import uvicorn

from banister.apps.web import serve as served
from tests.apps.web.visit import client, small_site


def test_a_browser_is_started_with_a_ticket_that_works_once(monkeypatch: pytest.MonkeyPatch) -> None:
    site, done = small_site(), threading.Event()
    said: list[str] = []
    opened: list[str] = []

    def browse(address: str) -> None:
        opened.append(address)
        done.set()

    configs: list[uvicorn.Config] = []
    monkeypatch.setattr(webbrowser, "open", browse)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: configs.append(self.config))
    with served.take_port(0) as taken:
        served.serve(site, taken, browser=True, say=said.append)
    assert done.wait(10)
    assert site.visitors.token in said[0]
    token = opened[0].partition("token=")[2]
    assert token != site.visitors.token, "command lines can be read by others"
    assert client(site).get("/", params={"token": token}).status_code == 303
    assert client(site).get("/", params={"token": token}).status_code == 403
    assert not configs[0].access_log


def test_the_server_listens_on_the_loopback_alone() -> None:
    with served.take_port(0) as taken:
        assert taken.getsockname()[0] == "127.0.0.1"
