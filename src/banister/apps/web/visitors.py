"""Who may come in: whoever holds the token that was printed, and trades it for one cookie."""

import hashlib
import hmac
import threading
from collections.abc import Iterable
from typing import Protocol

from banister import keys
from banister.errors import BadValue


class Guests(Protocol):
    """Others who may come in, each by a key of their own."""

    def named(self, key: str) -> str:
        """Whose key it is; nothing where it is nobody's, or nobody's any more."""
        ...

    def welcome(self, name: str) -> bool:
        """Whether somebody who came in by a key still may."""
        ...


class Visitors:
    """The tokens that open the door, and the sessions of those who came in. Both are forgotten when the server ends.

    >>> visitors = Visitors()
    >>> visitors.known(visitors.enter(visitors.token) or "")
    True
    >>> visitors.enter("guessed") is None
    True
    """

    __slots__ = ("_guests", "_lock", "_sessions", "_tickets", "token")

    def __init__(self) -> None:
        self.token = keys.nonce()
        """Printed for the owner; it opens the door as often as she likes, from as many browsers."""
        self._tickets: set[str] = set()
        self._sessions: dict[str, str] = {}
        self._guests: Guests | None = None
        self._lock = threading.Lock()

    def invite(self, guests: Guests) -> None:
        """Let others in as well, by their own keys, for as long as these are theirs."""
        self._guests = guests

    def guest(self, key: str) -> str:
        """The name of a guest who brings her key; nothing for anybody else."""
        return "" if self._guests is None else self._guests.named(key)

    def ticket(self) -> str:
        """A token that works once. A browser is started with it, since others on the machine see how it was started."""
        made = keys.nonce()
        with self._lock:
            self._tickets.add(made)
        return made

    def enter(self, token: str) -> str | None:
        """A new session for who brings a token, an unused ticket or a guest's key; nothing for anyone else."""
        with self._lock:
            ticket = _among(token, self._tickets)
            name = "" if ticket is not None or _same(token, self.token) else self.guest(token)
            if ticket is None and not name and not _same(token, self.token):
                return None
            self._tickets.discard(ticket or "")
            session = keys.nonce()
            self._sessions[session] = name
            return session

    def known(self, session: str) -> bool:
        """Whether a cookie's value is that of somebody who came in."""
        with self._lock:
            found = _among(session, self._sessions)
        if found is None:
            return False
        name = self._sessions[found]
        return not name or (self._guests is not None and self._guests.welcome(name))


class Forms:
    """Keys for forms: each is new, cannot be made by anybody else, and names one request however often it is sent.

    >>> forms = Forms()
    >>> forms.checked(forms.key()) != forms.checked(forms.key())
    True
    """

    __slots__ = ("_ended", "_secret")

    def __init__(self, secret: str = "") -> None:
        """Processes that share a secret take each other's forms; without one the forms end with this process."""
        self._secret = (secret or keys.nonce() + keys.nonce()).encode()
        self._ended: dict[bytes, str] = {}

    def end(self, why: str) -> None:
        """Take none of the forms that were made until now; who sends one is told why."""
        self._ended[self._secret] = why
        self._secret = (keys.nonce() + keys.nonce()).encode()

    def key(self) -> str:
        """A key for a hidden field."""
        name = keys.nonce()
        return f"{name}.{self._seal(name, self._secret)}"

    def checked(self, key: str) -> str:
        """The name of the request that a form was made for; refused where the form is not one of ours."""
        name, _, seal = key.partition(".")
        if not (name and _same(seal, self._seal(name, self._secret))):
            for secret, why in self._ended.items():
                if _same(seal, self._seal(name, secret)):
                    raise BadValue(why)
            raise BadValue(
                "This form was not made by this server, or by it before it was started again. Nothing was done and "
                "nothing was paid. Load the page again, and look at the account before you ask once more."
            )
        return name

    def _seal(self, name: str, secret: bytes) -> str:
        return hmac.new(secret, name.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()[:32]


def _same(one: str, other: str) -> bool:
    """Compared in a time that does not tell how much was right."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape"))


def _among(one: str, those: Iterable[str]) -> str | None:
    return next((other for other in those if _same(one, other)), None)
