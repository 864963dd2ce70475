"""`banister wildfire start|talk|relay|figure|backup|wipe`: the messenger."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banister.apps.cli.say import tell

if TYPE_CHECKING:
    from socket import socket

    from banister.apps.wildfire.messenger import Messenger

Folder = Annotated[str, typer.Option(help="Where its store is; made when there is none.")]
Passphrase = Annotated[str, typer.Option(help="A file that holds the passphrase; without it you are asked.")]
Listen = Annotated[str, typer.Option(help="Where friends knock: an address of this machine, and a port or 0.")]
Announce = Annotated[str, typer.Option(help="The address that invitations name, where it differs.")]
Tick = Annotated[float, typer.Option(help="Seconds between frames, for a new node; all friends need the same.")]
AtRelay = Annotated[str, typer.Option(help="host:port of a relay, where friends who cannot reach you are met.")]
Limit = Annotated[
    float | None, typer.Option(help="GB a month that it may send and receive; kept, and 0 takes it away.")
]
Discover = Annotated[
    bool | None, typer.Option("--discover/--no-discover", help="Look for friends on the local network; kept.")
]
Onion = Annotated[bool, typer.Option("--onion", help="Be reached at an onion address, through a Tor that you run.")]
Control = Annotated[str, typer.Option(help="Where that Tor is controlled: an address and a port, or a socket's path.")]
ControlPassword = Annotated[str, typer.Option(help="A file that holds its password; else its cookie is read.")]
Socks = Annotated[str, typer.Option(help="Where a Tor is asked for onion addresses of friends, if not 127.0.0.1:9050.")]
PhonesAt = Annotated[
    str, typer.Option("--phones", help="Where your phones come in: an address and a port, or onion; else nowhere.")
]
DEFAULT = "~/.banister/wildfire"


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="A messenger whose posts have no author, among friends.")
    app.add_typer(family, name="wildfire")

    @family.command()
    def start(
        folder: Folder = DEFAULT,
        listen: Listen = "127.0.0.1:0",
        announce: Announce = "",
        relay: AtRelay = "",
        tick: Tick = 5.0,
        limit: Limit = None,
        discover: Discover = None,
        onion: Onion = False,
        tor_control: Control = "",
        tor_password_file: ControlPassword = "",
        tor_socks: Socks = "",
        phones: PhonesAt = "",
        passphrase_file: Passphrase = "",
        port: Annotated[int, typer.Option(help="The port of the page on this machine; 0 takes a free one.", min=0)] = 0,
        browser: Annotated[bool, typer.Option(help="Open a browser where there is one.")] = True,
    ) -> None:
        """Run your node, with its page in a browser on this machine only.

        Example: banister wildfire start --listen 192.168.1.20:4100
        """
        reach = _Reach(listen, announce, relay, discover, onion, tor_control, tor_password_file, tor_socks)
        with ExitStack() as stack:
            host, door = _door(phones, onion=onion)
            stack.callback(door.close if door else lambda: None)
            at = door.getsockname()[1] if door and not host else 0
            messenger = _open(folder, reach, tick, limit, passphrase_file, phones=at)
            stack.callback(messenger.close)
            _serve(messenger, stack, door, host, port=port, browser=browser)

    @family.command()
    def talk(
        folder: Folder = DEFAULT,
        listen: Listen = "127.0.0.1:0",
        announce: Announce = "",
        relay: AtRelay = "",
        tick: Tick = 5.0,
        limit: Limit = None,
        discover: Discover = None,
        onion: Onion = False,
        tor_control: Control = "",
        tor_password_file: ControlPassword = "",
        tor_socks: Socks = "",
        passphrase_file: Passphrase = "",
    ) -> None:
        """Run your node in the terminal: one line in, a few lines out.

        Example: banister wildfire talk --folder ann --tick 1
        """
        import sys

        reach = _Reach(listen, announce, relay, discover, onion, tor_control, tor_password_file, tor_socks)
        messenger = _open(folder, reach, tick, limit, passphrase_file)
        from banister.apps.wildfire.terminal import Talk

        tell(f"Your node listens at {messenger.reached()}. Write help to see what there is.")
        try:
            Talk(messenger, _said).run(sys.stdin)
        finally:
            messenger.close()

    @family.command()
    def relay(listen: Listen = "127.0.0.1:4200") -> None:
        """Run a relay for people who cannot reach each other: it passes on sealed cells of one size, and keeps nothing.

        Example: banister wildfire relay --listen 0.0.0.0:4200
        """
        import asyncio

        from banister.apps.wildfire.relay import CellRelay, address_of

        host, port = address_of(listen)

        async def run() -> None:
            tell(f"Passing on cells at {host}:{await CellRelay().start(host, port)}, until you end it.")
            await asyncio.Event().wait()

        asyncio.run(run())

    @family.command()
    def figure(
        friends: Annotated[int, typer.Argument(help="How many friends you have, or would have.", min=0)],
    ) -> None:
        """What spies would find out about who wrote a post, for so many friends.

        Example: banister wildfire figure 8
        """
        from banister.apps.wildfire.terminal import say_figures

        say_figures(friends, tell)

    @family.command()
    def backup(
        target: Annotated[str, typer.Argument(help="A folder that is not there yet.")],
        folder: Folder = DEFAULT,
        passphrase_file: Passphrase = "",
    ) -> None:
        """Copy a store, encrypted as it is, to keep it or to move to another machine. End the node first.

        Example: banister wildfire backup /media/stick/wildfire
        """
        from banister.apps.wildfire.store import PostStore

        store = PostStore(_there(folder), _passphrase(passphrase_file, fresh=False))
        store.back_up(Path(target).expanduser())
        store.close()
        tell(f"Copied to {target}. Start it there with --folder; never run both.")

    @family.command()
    def wipe(
        folder: Folder = DEFAULT,
        yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    ) -> None:
        """Destroy a store: its salt first, so that no passphrase opens what a disk may keep.

        Example: banister wildfire wipe --folder ann --yes
        """
        from banister.apps.wildfire.store import wipe as destroy

        if yes or typer.confirm(f"Destroy everything in {folder}?"):
            destroy(Path(folder).expanduser())
            tell("Gone.")


def _said(text: str) -> None:
    """Said at once, also to who listens through a pipe."""
    import sys

    tell(text)
    sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class _Reach:
    """How others reach a node, and it them, as it was asked for."""

    listen: str
    announce: str
    relay: str
    discover: bool | None
    onion: bool
    tor_control: str
    tor_password_file: str
    tor_socks: str


def _door(phones: str, *, onion: bool) -> "tuple[str, socket | None]":
    """The socket by which phones come in, and the address that they go to: none behind an onion service."""
    from banister.errors import BadValue, MissingExtra

    if not phones:
        return "", None
    if phones == "onion" and not onion:
        raise BadValue("--phones onion is for --onion. Add it, or give an address and a port.")
    try:
        from banister.apps.web.serve import take_port
        from banister.apps.wildfire.phones.listener import listen
    except ModuleNotFoundError as error:
        raise MissingExtra.naming(str(error.name), "wildfire") from error
    if phones == "onion":
        return "", take_port(0)
    taken, host = listen(phones)
    return host, taken


def _serve(
    messenger: "Messenger", stack: ExitStack, door: "socket | None", host: str, *, port: int, browser: bool
) -> None:
    """The owner's pages, and those of her phones where they have a door."""
    from banister.apps.web.gate import Place
    from banister.apps.web.serve import serve, take_port
    from banister.apps.wildfire.pages.posts import MOST_BYTES
    from banister.apps.wildfire.phones.listener import Phones
    from banister.apps.wildfire.site import wildfire

    taken = take_port(port)
    phones = Phones(messenger, door, host=host) if door else None
    if phones is not None:
        stack.callback(phones.close)
    place = Place.loopback(taken.getsockname()[1], most_bytes=MOST_BYTES)
    serve(wildfire(place, messenger, phones), taken, browser=browser, say=typer.echo)


def _open(
    folder: str, reach: _Reach, tick: float, limit: float | None, passphrase_file: str, *, phones: int = 0
) -> "Messenger":
    from banister.errors import BadValue, MissingExtra

    try:
        from banister.apps.wildfire.messenger import AtTor, Messenger
        from banister.apps.wildfire.store import FILE
    except ModuleNotFoundError as error:
        raise MissingExtra.naming(str(error.name), "wildfire") from error
    place = Path(folder).expanduser()
    host, _, port = reach.listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise BadValue(f"--listen {reach.listen[:60]} must be an address and a port, such as 127.0.0.1:4100.")
    if not reach.onion and (reach.tor_control or reach.tor_password_file):
        raise BadValue("--tor-control and --tor-password-file are for --onion. Add it, or leave them out.")
    password = _line_of(reach.tor_password_file, "a password")
    tor = AtTor(reach.tor_control, password, phones) if reach.onion else None
    words = _passphrase(passphrase_file, fresh=not (place / FILE).exists())
    return Messenger(
        place,
        words,
        host=host,
        port=int(port),
        tick_seconds=tick,
        announced=reach.announce,
        relay=reach.relay,
        limit_gb=limit,
        discover=reach.discover,
        tor=tor,
        socks=reach.tor_socks,
    )


def _line_of(file: str, what: str) -> str:
    from banister.foreign import read_text

    return read_text(Path(file), what, most_bytes=1000).rstrip("\n") if file else ""


def _passphrase(file: str, *, fresh: bool) -> str:
    if file:
        return _line_of(file, "a passphrase")
    if fresh:
        tell("A new node. Choose a passphrase: six words that nobody knows. Without it nothing opens its store.")
    return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=fresh))


def _there(folder: str) -> Path:
    from banister.apps.wildfire.store import FILE
    from banister.errors import BadValue

    place = Path(folder).expanduser()
    if not (place / FILE).exists():
        raise BadValue(f"There is no messenger in '{place}'. Give its folder with --folder.")
    return place
