"""Who may come in: whoever holds the token that was printed, and trades it for one cookie."""

import hashlib
import hmac
import threading

from banister import keys
from banister.errors import BadValue


class Visitors:
    """The tokens that open the door, and the sessions of those who came in. Both are forgotten when the server ends.

    >>> visitors = Visitors()
    >>> visitors.known(visitors.enter(visitors.token) or "")
    True
    >>> visitors.enter("guessed") is None
    True
    """

    __slots__ = ("_lock", "_sessions", "_tickets", "token")

    def __init__(self) -> None:
        self.token = keys.nonce()
        """Printed for the owner; it opens the door as often as she likes, from as many browsers."""
        self._tickets: set[str] = set()
        self._sessions: set[str] = set()
        self._lock = threading.Lock()

    def ticket(self) -> str:
        """A token that works once. A browser is started with it, since others on the machine see how it was started."""
        made = keys.nonce()
        with self._lock:
            self._tickets.add(made)
        return made

    def enter(self, token: str) -> str | None:
        """A new session for who brings a token or an unused ticket; nothing for anyone else."""
        with self._lock:
            ticket = _among(token, self._tickets)
            if ticket is None and not _same(token, self.token):
                return None
            self._tickets.discard(ticket or "")
            session = keys.nonce()
            self._sessions.add(session)
            return session

    def known(self, session: str) -> bool:
        """Whether a cookie's value is that of somebody who came in."""
        with self._lock:
            return _among(session, self._sessions) is not None


class Forms:
    """Keys for forms: each is new, cannot be made by anybody else, and names one request however often it is sent.

    >>> forms = Forms()
    >>> forms.checked(forms.key()) != forms.checked(forms.key())
    True
    """

    __slots__ = ("_secret",)

    def __init__(self) -> None:
        self._secret = (keys.nonce() + keys.nonce()).encode()

    def key(self) -> str:
        """A key for a hidden field."""
        name = keys.nonce()
        return f"{name}.{self._seal(name)}"

    def checked(self, key: str) -> str:
        """The name of the request that a form was made for; refused where the form is not one of ours."""
        name, _, seal = key.partition(".")
        if not (name and _same(seal, self._seal(name))):
            raise BadValue(
                "This form was not made by this server, or by it before it was started again. Nothing was done and "
                "nothing was paid. Load the page again, and look at the account before you ask once more."
            )
        return name

    def _seal(self, name: str) -> str:
        return hmac.new(self._secret, name.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()[:32]


def _same(one: str, other: str) -> bool:
    """Compared in a time that does not tell how much was right."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape"))


def _among(one: str, those: set[str]) -> str | None:
    return next((other for other in those if _same(one, other)), None)
