"""A team's server that ends in the middle of an answer: one sentence, whatever had come by then."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import banister as bn
from banister.errors import LedgerUnreachable

BODY = json.dumps({"schema": "x" * 50}).encode()
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"
REFUSED = b"HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"


@contextmanager
def saying(said: bytes) -> Iterator[str]:
    """A server that says so much and is gone."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with listening.accept()[0] as connection:
                connection.recv(1 << 16)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(10)


@pytest.mark.parametrize(
    "said",
    [
        *(WHOLE[:length] for length in (0, 5, 12, 30, len(WHOLE) - len(BODY), len(WHOLE) - 1)),
        CHUNKED,
        b"SSH-2.0 no such thing\r\n",
    ],
)
def test_half_an_answer_is_asked_for_again(said: bytes) -> None:
    with saying(said) as address, pytest.raises(LedgerUnreachable, match=r"does not answer .* nothing is charged"):
        bn.connect(address, key="k")


def test_half_a_refusal_is_one_sentence() -> None:
    with saying(REFUSED) as address, pytest.raises(LedgerUnreachable, match=r"The team's server answered 503\."):
        bn.connect(address, key="k")
