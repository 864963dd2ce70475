"""A port in use: one sentence, nothing lost, nothing revealed, whichever command wanted it."""

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.store import PostStore
from banister.errors import BadValue
from tests.apps.wildfire.people import TICK, WORDS, heard


def refused(*words: str, typed: str = "") -> str:
    """What a command says when it refuses."""

    def run() -> None:
        CliRunner().invoke(build(), ["wildfire", *words], catch_exceptions=False, input=typed)

    # In a thread of its own: a browser of other tests may keep a loop of events running in this one.
    with pytest.raises(BadValue) as found, ThreadPoolExecutor(1) as aside:
        aside.submit(run).result()
    assert str(found.value).count("\n") == 0
    return str(found.value)


def test_each_command_says_so_in_a_sentence_and_nothing_is_lost(tmp_path: Path) -> None:
    ann = Messenger(tmp_path / "ann", WORDS, tick_seconds=TICK)
    ann.post("still here", although_few=True)
    kept, name = ann.node.port, ann.store.folder
    ann.close()
    words = tmp_path / "words"
    words.write_text(WORDS)
    own = ["--folder", str(name), "--passphrase-file", str(words)]
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused("talk", "--listen", f"127.0.0.1:{port}", *own, typed="quit\n")
        assert said == (
            f"127.0.0.1:{port} cannot be listened on: another program has it, or it is not an address of this machine. "
            "Choose another with --listen."
        )
        assert refused("start", "--no-browser", "--listen", f"127.0.0.1:{port}", *own) == said
        assert f"Port {port} is taken, or not yours to take." in refused("start", "--port", str(port), *own)
        assert refused("start", "--phones", f"127.0.0.1:{port}", *own).endswith("Choose another with --phones.")
        assert refused("start", "--phones", "onion", *own) == (
            "--phones onion is for --onion. Add it, or give an address and a port."
        )
        assert refused("talk", "--tor-control", "127.0.0.1:1", *own) == (
            "--tor-control and --tor-password-file are for --onion. Add it, or leave them out."
        )
        assert refused("talk", "--onion", "--tor-control", f"127.0.0.1:{port}", *own).startswith("No Tor answers at")
        assert refused("relay", "--listen", f"127.0.0.1:{port}").startswith(f"127.0.0.1:{port} cannot be listened on.")
    # The port that a node had before may be gone too; what it keeps is there, and no other port was kept in its place.
    with socket.create_server(("127.0.0.1", kept)):
        assert f"127.0.0.1:{kept} cannot be listened on" in refused("talk", *own, typed="quit\n")
    store = PostStore(name, WORDS)
    assert store.get("port") == str(kept)
    store.close()
    again = Messenger(name, WORDS)
    assert (heard(again), again.node.port) == ({"still here"}, kept)
    again.close()


@pytest.mark.parametrize("listen", ["127.0.0.1:99999", "192.0.2.1:0", "127.0.0.1", "nowhere.invalid:1", ":5"])
def test_an_address_that_is_none_is_said_too(tmp_path: Path, listen: str) -> None:
    words = tmp_path / "words"
    words.write_text(WORDS)
    own = ["--folder", str(tmp_path / "new"), "--passphrase-file", str(words)]
    assert listen in refused("talk", "--listen", listen, *own, typed="quit\n")
    assert listen in refused("relay", "--listen", listen)
