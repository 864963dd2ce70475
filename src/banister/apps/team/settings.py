"""What `team.toml` says: which table, where the server listens, and where it keeps what belongs to the team."""

from dataclasses import dataclass
from pathlib import Path

from banister import need
from banister.errors import BadValue
from banister.foreign import MOST_TOML, parse_toml, read_text
from banister.tables.reading import Section


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
        root.only("team", "tls")
        team, tls = root.section("team", "schema, the file of the table"), root.optional("tls")
        team.only("schema", "store", "listen", "witness", "session_hours", "requests_a_minute", "workers")
        tls.only("certificate", "key")
        host, port = _listen(team.maybe("listen") or "127.0.0.1:8600")
        pair = (tls.maybe("certificate"), tls.maybe("key"))
        if (pair[0] is None) != (pair[1] is None):
            raise BadValue("[tls] needs both certificate and key, two files in PEM format; or neither, behind a proxy.")
        if pair[0] is None and host not in ("127.0.0.1", "::1", "localhost"):
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
        )


def _listen(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (host and port.isdecimal()):
        raise BadValue(f"listen = '{text}' must be an address and a port, such as 127.0.0.1:8600.")
    return host, need.whole("the port of listen", int(port), least=0, most=65535)
