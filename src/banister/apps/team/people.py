"""Who may come in, as what: accounts, passwords, sessions that end, keys for programs, and a way back in."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from banister import clock, keys
from banister.accounting.shares import Whose
from banister.apps.team.store import TeamStore, hashed, note
from banister.errors import BadValue

SESSION, KEY, CODE = "session", "key", "code"
NEVER = "9999"
CODE_HOURS = 24
LEAST_PASSWORD = 10


class Role(Enum):
    """What an account is for."""

    OWNER = "owner"
    ANALYST = "analyst"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True)
class TeamMember:
    """Who asks."""

    name: str
    role: Role


class NotLetIn(BadValue):
    """Whoever asks is not known, or not any more."""


class NotYours(BadValue):
    """What is asked for is not for this role, or belongs to somebody else."""


class TeamPeople:
    """The accounts of a team."""

    __slots__ = ("_hours", "_store")

    def __init__(self, store: TeamStore, *, session_hours: int) -> None:
        self._store = store
        self._hours = session_hours

    def add(self, name: str, role: Role) -> str:
        """Make an account and give the code with which its password is set, once."""
        Whose(analyst=name)
        with self._store.writing() as connection:
            if connection.execute("SELECT 1 FROM account WHERE name = ?", (name,)).fetchone():
                raise BadValue(f"There is an account '{name}' already. Choose another name, or give it a new code.")
            connection.execute("INSERT INTO account VALUES (?, ?, NULL, 1)", (name, role.value))
            return self._pass(connection, CODE, name, "first", CODE_HOURS)

    def code(self, name: str) -> str:
        """A new code for somebody who lost the password; older codes end."""
        with self._store.writing() as connection:
            self._active(connection, name)
            now = clock.now()
            connection.execute(
                "UPDATE pass SET revoked = ? WHERE account = ? AND kind = ? AND revoked = ''", (now, name, CODE)
            )
            return self._pass(connection, CODE, name, "recovery", CODE_HOURS)

    def recover(self, code: str, password: str) -> TeamMember:
        """Set a password by a code, once. All sessions and all keys of the account end with it."""
        text = _new_password(password)
        with self._store.writing() as connection:
            member = self._holder(connection, code, (CODE,))
            self._end(connection, member.name, (SESSION, KEY, CODE))
            connection.execute("UPDATE account SET password = ? WHERE name = ?", (text, member.name))
        return member

    def change_password(self, member: TeamMember, old: str, new: str) -> None:
        """Set another password. Every session of the account ends in the same moment."""
        self._checked(member.name, old)
        text = _new_password(new)
        with self._store.writing() as connection:
            self._end(connection, member.name, (SESSION, CODE))
            connection.execute("UPDATE account SET password = ? WHERE name = ?", (text, member.name))

    def sign_in(self, name: str, password: str) -> str:
        """A session for who knows the password."""
        text = self._checked(name, password)
        with self._store.writing() as connection:
            row = connection.execute("SELECT password FROM account WHERE name = ? AND active = 1", (name,)).fetchone()
            if row is None or row[0] != text:
                raise _unknown()  # It was changed while the old one was being checked.
            return self._pass(connection, SESSION, name, "", self._hours)

    def _checked(self, name: str, password: str) -> str:
        """The kept text of a password that is right. Names that are not known take as long."""
        found = self._store.rows("SELECT password FROM account WHERE name = ? AND active = 1", name)
        text = found[0][0] if found and found[0][0] else _NOBODY
        if not keys.password_holds(password, text) or text is _NOBODY:
            raise _unknown()
        return text

    def sign_out(self, secret: str) -> None:
        """End a session; a key of a program is revoked by its label, and stays."""
        with self._store.writing() as connection:
            given = (clock.now(), hashed(secret), SESSION)
            connection.execute("UPDATE pass SET revoked = ? WHERE hash = ? AND kind = ? AND revoked = ''", given)

    def make_key(self, member: TeamMember, label: str) -> str:
        """A key for a program, shown once."""
        if not (label.isprintable() and 1 <= len(label) <= 60):
            raise BadValue("A key needs a label of 1 to 60 characters, such as 'nightly report', to revoke it by.")
        with self._store.writing() as connection:
            if connection.execute(
                "SELECT 1 FROM pass WHERE account = ? AND kind = ? AND label = ? AND revoked = ''",
                (member.name, KEY, label),
            ).fetchone():
                raise BadValue(f"There is a key '{label}' already. Revoke it first, or choose another label.")
            return self._pass(connection, KEY, member.name, label, None)

    def keys(self, name: str) -> list[tuple[str, str, str]]:
        """Label, day of making and of revoking of every key."""
        rows = self._store.rows(
            "SELECT label, made, revoked FROM pass WHERE account = ? AND kind = ? ORDER BY made", name, KEY
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def revoke_key(self, name: str, label: str) -> None:
        """End a key; whoever holds it is told so."""
        with self._store.writing() as connection:
            found = connection.execute(
                "UPDATE pass SET revoked = ? WHERE account = ? AND kind = ? AND label = ? AND revoked = ''",
                (clock.now(), name, KEY, label),
            )
            if found.rowcount == 0:
                raise BadValue(f"'{name}' has no key '{label[:60]}' that could be revoked.")

    def known(self, secret: str) -> TeamMember:
        """Who brings a session or a key; nobody else comes in."""
        with self._store.reading() as connection:
            return self._holder(connection, secret, (SESSION, KEY))

    def signed_in(self, secret: str) -> TeamMember:
        """Who brings a session, as a browser does; a key for programs opens no page."""
        with self._store.reading() as connection:
            return self._holder(connection, secret, (SESSION,))

    def come_from_outside(self, name: str, *, issuer: str, subject: str) -> str:
        """A session for whom another server vouches, if there is such an account here.

        The first time ties the account to that server's own name for the person, which never changes; whoever brings
        another one later is somebody else, to whom a name or an address was given.
        """
        with self._store.writing() as connection:
            row = connection.execute("SELECT 1 FROM account WHERE name = ? AND active = 1", (name,)).fetchone()
            if row is None:
                raise NotLetIn(f"'{name[:60]}' has no account here. Ask an owner for one under this name.")
            connection.execute("INSERT OR IGNORE INTO outside VALUES (?, ?, ?)", (name, issuer, subject))
            known = connection.execute("SELECT issuer, subject FROM outside WHERE account = ?", (name,)).fetchone()
            if tuple(known) != (issuer, subject):
                raise NotLetIn(
                    f"'{name}' belongs to somebody else at {issuer[:100]}. An owner closes the old account first."
                )
            return self._pass(connection, SESSION, name, "", self._hours)

    def begin_anew(self) -> dict[str, str]:
        """After a back-up was put back: nothing that it lets in holds any more; gives a code for each owner.

        A password that was changed since, a key that was revoked since, would let in whoever knows them.
        """
        with self._store.writing() as connection:
            rows = connection.execute("SELECT name, role, active FROM account ORDER BY name").fetchall()
            for name, _, _ in rows:
                self._end(connection, name, (SESSION, KEY, CODE))
            connection.execute("UPDATE account SET password = NULL")
            line = {"at": clock.now(), "who": "", "what": "restored from a back-up", "status": 200, "why": ""}
            note(connection, json.dumps(line, sort_keys=True))
            owners = [name for name, role, active in rows if active and role == Role.OWNER.value]
            return {name: self._pass(connection, CODE, name, "restored", CODE_HOURS) for name in owners}

    def all(self) -> list[tuple[str, str, bool]]:
        """Name and role of every account, and whether it may come in."""
        return [
            (row[0], row[1], bool(row[2]))
            for row in self._store.rows("SELECT name, role, active FROM account ORDER BY name")
        ]

    def leave(self, name: str) -> int:
        """Close an account: its sessions and keys end and its waiting requests are withdrawn; gives their number."""
        with self._store.writing() as connection:
            member = self._active(connection, name)
            if (
                member.role is Role.OWNER
                and connection.execute(
                    "SELECT count(*) FROM account WHERE role = ? AND active = 1", (Role.OWNER.value,)
                ).fetchone()[0]
                == 1
            ):
                raise BadValue(f"'{name}' is the only owner. Make another one first.")
            self._end(connection, name, (SESSION, KEY, CODE))
            connection.execute("UPDATE account SET active = 0 WHERE name = ?", (name,))
            return connection.execute(
                "UPDATE asked SET state = 'withdrawn', words = ? WHERE account = ? AND state = 'waiting'",
                (f"'{name}' has left the team. Nothing was charged.", name),
            ).rowcount

    def _holder(self, connection: sqlite3.Connection, secret: str, kinds: tuple[str, ...]) -> TeamMember:
        row = connection.execute(
            "SELECT kind, account, ends, revoked FROM pass WHERE hash = ?", (hashed(secret),)
        ).fetchone()
        if row is None or row[0] not in kinds:
            raise NotLetIn("This key, session or code is not known. Sign in, or ask an owner for a new code.")
        kind, name, ends, revoked = row
        if revoked:
            raise NotLetIn(
                f"This {kind} was revoked at {revoked[:19]}Z. Nothing was done; ask an owner if that was not you."
            )
        if ends <= clock.now():
            raise NotLetIn(f"This {kind} ended at {ends[:19]}Z. Sign in again, or ask an owner for a new code.")
        return self._active(connection, name)

    def _active(self, connection: sqlite3.Connection, name: str) -> TeamMember:
        row = connection.execute("SELECT role FROM account WHERE name = ? AND active = 1", (name,)).fetchone()
        if row is None:
            raise NotLetIn(f"There is no account '{name[:60]}', or it was closed.")
        return TeamMember(name, Role(row[0]))

    def _pass(self, connection: sqlite3.Connection, kind: str, name: str, label: str, hours: int | None) -> str:
        secret, now = keys.nonce() + keys.nonce(), clock.now()
        ends = NEVER if hours is None else _later(now, hours)
        row = (hashed(secret), kind, name, label, now, ends)
        connection.execute("INSERT INTO pass VALUES (?, ?, ?, ?, ?, ?, '')", row)
        return secret

    def _end(self, connection: sqlite3.Connection, name: str, kinds: tuple[str, ...]) -> None:
        for kind in kinds:
            connection.execute(
                "UPDATE pass SET revoked = ? WHERE account = ? AND kind = ? AND revoked = ''", (clock.now(), name, kind)
            )


def must_be(member: TeamMember, *roles: Role) -> None:
    """Refuse who is none of these."""
    if member.role not in roles:
        raise NotYours(
            f"This is for an {' or '.join(role.value for role in roles)}; '{member.name}' is an {member.role.value}."
        )


_NOBODY = keys.password_text(keys.nonce())
"""Compared with where there is no such account, so that the time does not tell."""


def _new_password(password: str) -> str:
    if len(password) < LEAST_PASSWORD or len(password) > 1000:
        raise BadValue(f"A password has {LEAST_PASSWORD} to 1000 characters; a few words in a row are good ones.")
    return keys.password_text(password)


def _unknown() -> NotLetIn:
    return NotLetIn("Name and password do not belong together. An owner can give you a code to set a new password.")


def _later(now: str, hours: int) -> str:
    later = datetime.fromisoformat(now) + timedelta(hours=hours)
    return later.isoformat(timespec="microseconds")[:-6] + "Z"
