"""Sign-in by OpenID Connect (the library authlib): another server vouches for a member, and an account here takes it.

The code flow with PKCE. State, nonce and verifier are made from one random value that the browser holds in its one
cookie, and from the secret that all processes of the server share; so nothing has to be kept meanwhile. Of what the
other server sends, only a signed ID token is believed: issuer, audience, time and nonce are checked by the library.
"""

import base64
import hashlib
import hmac
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from banister import clock, keys
from banister.apps.team.people import NotLetIn
from banister.errors import BadValue

SIGNED_BY = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures that are believed; never none, and none that a shared secret makes."""
BACK = "/outside/back"
MINUTES = 10
_HTTP = sys.modules[
    next(each.__module__ for each in OAuth2Client.__mro__ if each.__name__ == "Client").partition(".")[0]
]
"""httpx or its successor httpx2, whichever the installed authlib asks by: the errors of the other are not raised."""
_LOST: tuple[type[Exception], ...] = (_HTTP.HTTPError, _HTTP.InvalidURL)
_TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenId:
    """Where members may sign in, and by which claim an account here is theirs."""

    issuer: str
    client: str
    secret: str
    claim: str
    name: str

    def __post_init__(self) -> None:
        if not _safe(self.issuer) or self.issuer.endswith("/"):
            raise BadValue(
                f"issuer = '{self.issuer[:100]}' must be an address with https and without a slash at its end, such as "
                "https://login.example; only this machine's own names may go without https."
            )
        if self.claim not in ("email", "preferred_username", "sub"):
            raise BadValue(f"claim = '{self.claim[:40]}' must be email, preferred_username or sub.")


@dataclass(frozen=True, slots=True)
class Vouched:
    """For whom the other server vouches: the name of an account here, and that server's own name for the person."""

    name: str
    issuer: str
    subject: str


class OpenIdDoor:
    """The two steps of signing in elsewhere."""

    def __init__(self, settings: OpenId, *, origin: str, seal: str) -> None:
        self.settings = settings
        self._back = origin + BACK
        self._seal = seal.encode()
        self._about: dict[str, str] = {}

    def begin(self) -> tuple[str, str]:
        """The address to go to, and the value of the cookie that ties the way back to this browser."""
        state = f"{keys.nonce()}.{clock.now()[:16]}"
        with self._client() as client:
            address, _ = client.create_authorization_url(
                self._endpoint(client, "authorization_endpoint"),
                state=state,
                nonce=self._made("nonce", state),
                code_verifier=self._made("verifier", state),
            )
        return str(address), state

    def finish(self, *, code: str, state: str, cookie: str) -> Vouched:
        """Whom the other server vouches for, once its browser is back."""
        if not (state and hmac.compare_digest(state.encode(), cookie.encode()) and _young(state)):
            raise NotLetIn("This sign-in was begun in another browser, or too long ago. Sign in again.")
        with self._client() as client:
            token = client.fetch_token(
                self._endpoint(client, "token_endpoint"),
                grant_type="authorization_code",
                code=code,
                code_verifier=self._made("verifier", state),
            )
            found = jwt.decode(
                str(token.get("id_token", "")),
                KeySet.import_key_set(
                    client.request("GET", self._endpoint(client, "jwks_uri"), withhold_token=True).json()
                ),
                algorithms=list(SIGNED_BY),
            )
        issued, said = {"value": self.settings.issuer}, found.claims
        claims = CodeIDToken(
            said,
            found.header,
            {"iss": {"essential": True, **issued}, "aud": {"essential": True, "value": self.settings.client}},
            {"nonce": self._made("nonce", state), "client_id": self.settings.client},
        )
        claims.validate(leeway=60)
        if self.settings.claim == "email" and said.get("email_verified") is not True:
            raise NotLetIn("The other server has not verified your address, so it is no name here.")
        return Vouched(str(said.get(self.settings.claim, "")), self.settings.issuer, str(said["sub"]))

    def vouching(self, step: "Callable[[], Vouched]") -> Vouched:
        """A step that asks the other server; whatever goes wrong there is one sentence here."""
        try:
            return step()
        except (*_LOST, AuthlibBaseError, JoseError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, BadValue):
                raise
            raise NotLetIn(
                f"{self.settings.name} did not vouch for you ({type(error).__name__}). Sign in again, or by a password."
            ) from error

    def _client(self) -> OAuth2Client:
        return OAuth2Client(
            self.settings.client,
            self.settings.secret,
            scope="openid email profile",
            redirect_uri=self._back,
            code_challenge_method="S256",
            timeout=_TIMEOUT_SECONDS,
            trust_env=False,
        )

    def _endpoint(self, client: OAuth2Client, name: str) -> str:
        """An address of the other server, as it describes itself; read once."""
        if not self._about:
            address = f"{self.settings.issuer}/.well-known/openid-configuration"
            said = client.request("GET", address, withhold_token=True).raise_for_status().json()
            if said["issuer"] != self.settings.issuer:
                raise NotLetIn(f"{address} speaks for another issuer than itself. Nobody is let in by it.")
            self._about = {key: str(said[key]) for key in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
        if not _safe(self._about[name]):
            raise NotLetIn(f"{self.settings.name} names an address without https. Nobody is let in by it.")
        return self._about[name]

    def _made(self, what: str, state: str) -> str:
        drawn = hmac.new(self._seal, f"openid {what} {state}".encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(drawn).decode().rstrip("=")


def _young(state: str) -> bool:
    begun = state.rpartition(".")[2]
    try:
        since = datetime.fromisoformat(clock.now()[:16]) - datetime.fromisoformat(begun)
    except ValueError:
        return False
    return timedelta(0) <= since <= timedelta(minutes=MINUTES)


def _safe(address: str) -> bool:
    found = urlsplit(address)
    return found.scheme == "https" or (found.scheme == "http" and found.hostname in ("127.0.0.1", "::1", "localhost"))
