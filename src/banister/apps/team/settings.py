"""What `team.toml` says: which table, where the server listens, and where it keeps what belongs to the team."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from banister import need
from banister.errors import BadValue
from banister.foreign import MOST_TOML, parse_toml, read_text
from banister.tables.reading import Section

if TYPE_CHECKING:
    from banister.apps.team.openid import OpenId

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSettings:
    """The settings of a team's server; paths start at the folder of the file."""

    schema: Path
    store: Path
    host: str
    port: int
    certificate: Path | None
    key: Path | None
    witness: str
    session_hours: int
    requests_a_minute: int
    workers: int
    address: str
    """The address that members type, where that is another than `listen`: https://team.example behind a proxy."""

    openid: "OpenId | None"
    """Where members may also sign in."""

    @property
    def origin(self) -> str:
        """Where browsers reach the server."""
        if self.address:
            return self.address
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self.certificate is None else 'https'}://{host}:{self.port}"

    @classmethod
    def of_file(cls, path: str | Path) -> "TeamSettings":
        """Read a file such as team.toml."""
        place = Path(path)
        if not place.is_file():
            raise BadValue(
                f"The settings '{path}' are not there. Write a file with [team] schema = \"health.toml\"; "
                "docs/guide/team.md shows one."
            )
        return cls.of_text(read_text(place, "settings of a team", most_bytes=MOST_TOML), folder=place.parent)

    @classmethod
    def of_text(cls, text: str, *, folder: Path) -> "TeamSettings":
        """Read the content of such a file.

        >>> TeamSettings.of_text('[team]\\nschema = "health.toml"', folder=Path("/x")).store
        PosixPath('/x/team.db')
        """
        root = Section("the settings", parse_toml(text, "The settings of the team cannot be read"))
        root.only("team", "tls", "openid")
        team, tls = root.section("team", "schema, the file of the table"), root.optional("tls")
        team.only("schema", "store", "listen", "witness", "session_hours", "requests_a_minute", "workers", "address")
        tls.only("certificate", "key")
        host, port = _listen(team.maybe("listen") or "127.0.0.1:8600")
        pair = (tls.maybe("certificate"), tls.maybe("key"))
        if (pair[0] is None) != (pair[1] is None):
            raise BadValue("[tls] needs both certificate and key, two files in PEM format; or neither, behind a proxy.")
        if pair[0] is None and host not in LOOPBACK:
            raise BadValue(
                f"listen = '{host}' is reached from elsewhere and there is no [tls]: passwords and answers would go "
                "in the clear. Name a certificate and a key, or listen on 127.0.0.1 behind a proxy that has them."
            )
        witness = team.maybe("witness") or ""
        return cls(
            schema=folder / team.text("schema"),
            store=folder / (team.maybe("store") or "team.db"),
            host=host,
            port=port,
            certificate=None if pair[0] is None else folder / pair[0],
            key=None if pair[1] is None else folder / pair[1],
            witness=witness if not witness or "://" in witness else str(folder / witness),
            session_hours=team.whole("session_hours") or 12,
            requests_a_minute=team.whole("requests_a_minute") or 600,
            workers=team.whole("workers") or 1,
            address=_address(team.maybe("address") or ""),
            openid=_openid(root.optional("openid"), folder),
        )


def _openid(found: Section, folder: Path) -> "OpenId | None":
    found.only("issuer", "client", "secret_file", "claim", "name")
    issuer = found.maybe("issuer")
    if issuer is None:
        return None
    from banister.apps.team.openid import OpenId

    secret = read_text(folder / found.text("secret_file"), "a client's secret", most_bytes=10_000).strip()
    host = urlsplit(issuer).hostname or issuer
    return OpenId(
        issuer=issuer,
        client=found.text("client"),
        secret=secret,
        claim=found.maybe("claim") or "email",
        name=found.maybe("name") or host,
    )


def _address(text: str) -> str:
    found = urlsplit(text)
    good = found.scheme in ("http", "https") and found.netloc and not (found.path or found.query or found.fragment)
    if text and not (good and (found.scheme == "https" or found.hostname in LOOPBACK)):
        raise BadValue(
            f"address = '{text}' must be what members type, without a path: https://team.example. Only this machine's "
            "own names may go without https."
        )
    return text.lower()


def _listen(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (host and port.isdecimal()):
        raise BadValue(f"listen = '{text}' must be an address and a port, such as 127.0.0.1:8600.")
    return host, need.whole("the port of listen", int(port), least=0, most=65535)
