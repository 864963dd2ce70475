"""Another server vouches for members: only by its signature, for this sign-in, and for an account that is here."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from joserfc.jwk import RSAKey
from starlette.testclient import TestClient

from banister.apps.team.openid import OpenId, OpenIdDoor, Vouched
from banister.apps.team.people import NotLetIn, Role
from banister.apps.team.settings import TeamSettings
from banister.errors import BadValue
from tests.apps.team.place import Team, team
from tests.apps.team.provider import CLIENT, SECRET, Provider, providing

HERE = "http://127.0.0.1:8765"
NAME = "ana@example.org"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with providing() as found:
        yield found


@pytest.fixture(scope="module")
def four(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    (folder / "client.secret").write_text(SECRET + "\n")
    openid = f'[openid]\nissuer = "{provider.issuer}"\nclient = "{CLIENT}"\nsecret_file = "client.secret"\n'
    made = team(folder, f'listen = "127.0.0.1:8765"\n{openid}')
    made.room.people.add(NAME, Role.ANALYST)
    yield made
    made.room.desk.ledger.close()
    made.room.store.close()


def browser(made: Team) -> TestClient:
    made.room._sign_ins._seen.clear()  # Otherwise so many sign-ins in a minute are refused.
    return TestClient(made.room.app, base_url=HERE, follow_redirects=False)


def there_and_back(provider: Provider, visitor: TestClient, **claims: object) -> httpx.Response:
    """Sign in as the provider's claims say; what our server answers at the end."""
    provider.claims = {"email": NAME, "email_verified": True, **claims}
    gone = visitor.get("/outside")
    assert gone.status_code == 303, gone.text
    assert "SameSite=Lax" in gone.headers["set-cookie"]
    back = urlsplit(httpx.get(gone.headers["location"]).headers["location"])
    return visitor.get(f"{back.path}?{back.query}", headers={"sec-fetch-mode": "navigate"})  # type: ignore[return-value]


def test_who_is_vouched_for_comes_in_with_a_strict_session(four: Team, provider: Provider) -> None:
    visitor = browser(four)
    assert f"Sign in with {urlsplit(provider.issuer).hostname}" in visitor.get("/sign-in").text
    done = there_and_back(provider, visitor)
    assert done.status_code == 200, done.text
    assert "SameSite=Strict" in done.headers["set-cookie"]
    assert NAME in visitor.get("/").text
    assert four.room.store.lines()[-2].body.count(NAME) == 1, "the log says who came in"


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"email_verified": False}, "has not verified your address"),
        ({"email": "eve@example.org"}, "'eve@example.org' has no account here"),
        ({"sub": "2"}, "belongs to somebody else"),
        ({"nonce": "another"}, "did not vouch for you (InvalidClaimError)"),
        ({"aud": "another"}, "did not vouch for you (InvalidClaimError)"),
        ({"iss": "https://elsewhere.example"}, "did not vouch for you (InvalidClaimError)"),
        ({"exp": 1000}, "did not vouch for you (ExpiredTokenError)"),
        ({"exp": None}, "did not vouch for you ("),
    ],
)
def test_who_is_not_is_refused_in_a_sentence(
    four: Team, provider: Provider, claims: dict[str, object], words: str
) -> None:
    there_and_back(provider, browser(four))  # From here on the account belongs to subject 1.
    visitor = browser(four)
    done = there_and_back(provider, visitor, **claims)
    assert (done.status_code, words in done.text.replace("&#39;", "'")) == (401, True), done.text
    assert visitor.get("/").status_code == 303


def test_a_forged_signature_is_not_believed(four: Team, provider: Provider) -> None:
    provider.signed_by = RSAKey.generate_key(2048, {"kid": "one"})
    try:
        done = there_and_back(provider, browser(four))
    finally:
        provider.signed_by = None
    assert (done.status_code, "BadSignatureError" in done.text) == (401, True)


def test_a_sign_in_that_another_browser_began_is_refused(four: Team, provider: Provider) -> None:
    """Otherwise somebody could sign others in as herself."""
    gone = browser(four).get("/outside")
    back = urlsplit(httpx.get(gone.headers["location"]).headers["location"])
    done = browser(four).get(f"{back.path}?{back.query}", headers={"sec-fetch-mode": "navigate"})
    assert (done.status_code, "begun in another browser" in done.text) == (401, True)


@pytest.mark.parametrize(
    "about",
    [
        None,  # It does not answer.
        b"SSH-2.0 no web\r\n",
        b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{",
    ],
)
def test_a_server_that_is_away_or_broken_lets_nobody_in_and_says_so(about: bytes | None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        issuer = f"http://127.0.0.1:{listening.getsockname()[1]}"
        if about is None:
            listening.close()

        def answer() -> None:
            with suppress(OSError), listening.accept()[0] as connection:
                connection.recv(1 << 16)
                connection.sendall(about or b"")

        thread = threading.Thread(target=answer)
        thread.start()
        door = OpenIdDoor(
            OpenId(issuer=issuer, client="c", secret="s", claim="email", name="elsewhere"), origin=HERE, seal="s"
        )

        def begin() -> Vouched:
            door.begin()
            raise AssertionError("it began")

        with pytest.raises(NotLetIn, match=r"elsewhere did not vouch for you \(\w+\)\. Sign in again"):
            door.vouching(begin)
        thread.join(10)


def test_settings_that_nobody_could_trust_are_refused(tmp_path: Path) -> None:
    good = {"issuer": "https://login.example", "client": "x", "secret": "y", "claim": "email", "name": "z"}
    for wrong, words in (({"issuer": "http://login.example"}, "with https"), ({"claim": "name"}, "must be email")):
        with pytest.raises(BadValue, match=words):
            OpenId(**{**good, **wrong})
    text = '[team]\nschema = "h.toml"\n[openid]\nissuer = "https://login.example"\nclient = "x"\n'
    with pytest.raises(BadValue, match="needs secret_file"):
        TeamSettings.of_text(text, folder=tmp_path)
    with pytest.raises(BadValue, match=r"must be what members type, without a path: https://team\.example"):
        TeamSettings.of_text('[team]\nschema = "h.toml"\naddress = "http://team.example"', folder=tmp_path)
