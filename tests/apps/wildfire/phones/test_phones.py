"""A phone takes part through its owner's node: paired by a link, with few rights, refused once it is taken back."""

import hashlib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Browser

from banister.apps.web.serve import take_port
from banister.apps.wildfire.identity import onion_key, page_fingerprint
from banister.apps.wildfire.messenger import ONION_PHONES, AtTor, Messenger
from banister.apps.wildfire.pages.qr import qr_code
from banister.apps.wildfire.phones.devices import Devices
from banister.apps.wildfire.phones.listener import Phones, listen
from banister.apps.wildfire.pictures import icon
from banister.apps.wildfire.roads.onion import FRIENDS
from banister.apps.wildfire.site import wildfire
from banister.errors import BadValue
from tests.apps.web.running import Watched, running, watched
from tests.apps.wildfire.people import TICK, WORDS, befriend, heard, people, until
from tests.drills.wildfire_tor import lone_tor, possible

OURS = {"sec-fetch-site": "same-origin"}


@contextmanager
def door(messenger: Messenger) -> Iterator[Phones]:
    """A door for phones on the loopback."""
    taken, host = listen(f"127.0.0.1:{_free()}")
    phones = Phones(messenger, taken, host=host)
    try:
        yield phones
    finally:
        phones.close()


def _free() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


@contextmanager
def phone(browser: Browser, origin: str, scheme: str = "light") -> Iterator[Watched]:
    """A small browser whose person has compared the certificate."""
    context = browser.new_context(
        viewport={"width": 360, "height": 740},
        ignore_https_errors=True,
        locale="en-US",
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    seen = Watched(context.new_page(), origin)
    seen.page.on("console", seen.console)
    seen.page.on("pageerror", lambda error: seen.noticed.append(f"page: {error}"))
    seen.page.on("request", seen.request)
    try:
        yield seen
    finally:
        context.close()


def test_a_phone_is_paired_posts_and_is_taken_back(browser: Browser, tmp_path: Path) -> None:
    with (
        people(tmp_path, 2) as (ann, ben),
        door(ann) as phones,
        running(lambda place: wildfire(place, ann, phones)) as site,
        watched(browser, site, width=360) as owner,
        phone(browser, phones.origin) as seen,
        phone(browser, phones.origin, "dark") as thief,
    ):
        befriend(ann, ben)
        owner.go("/node")
        owner.page.get_by_role("button", name="Pair a phone").click()
        link = owner.page.get_by_label("The same as a link").input_value()
        assert link.startswith(f"{phones.origin}/pair?code=")
        squares = owner.page.locator(".qr svg path").last.get_attribute("d")
        assert squares
        assert squares in str(qr_code(link))
        assert phones.fingerprint.replace(":", "") in owner.page.inner_text("main").replace(":", "").replace(" ", "")
        owner.check()
        seen.page.goto(link)
        seen.check()
        seen.page.get_by_label("What you call this phone").fill("Ann's phone")
        seen.page.get_by_role("button", name="Pair it").click()
        seen.page.get_by_role("heading", name="Posts").wait_for()
        assert "code=" not in seen.page.url
        seen.page.get_by_label("Write a post").fill("from a phone")
        seen.page.get_by_label("My friends may know").check()
        seen.page.get_by_role("button", name="Post", exact=True).click()
        seen.page.locator("article").get_by_text("from a phone").wait_for()
        until(lambda: "from a phone" in heard(ben))
        ben.post("an answer", although_few=True)
        seen.page.get_by_text("an answer").wait_for(timeout=60_000)
        seen.page.locator("article", has_text="an answer").get_by_role("button", name="Approve").click()
        seen.page.get_by_text("Approved").wait_for()
        seen.page.locator("article", has_text="an answer").get_by_role("button", name="Hide").click()
        seen.page.get_by_text("an answer").wait_for(state="detached")
        seen.check()
        seen.go("/phone")
        seen.page.get_by_text("It does not tell you of new posts while the page is closed").wait_for()
        seen.check()
        assert seen.page.evaluate("localStorage.length + sessionStorage.length") == 0
        assert seen.page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
        assert seen.page.evaluate("caches.keys().then(all => all.length)") == 0
        assert seen.page.evaluate("document.cookie") == ""
        (cookie,) = seen.page.context.cookies()
        assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Strict")
        thief.page.goto(link)
        thief.page.get_by_role("button", name="Pair it").click()
        thief.page.get_by_text("This code was used before").wait_for()
        thief.noticed.clear()  # The browser writes an answer of 422 to its console.
        thief.check()
        owner.go("/node")
        owner.page.get_by_role("button", name="Take back Ann's phone").click()
        owner.page.get_by_role("button", name="Take back").wait_for(state="detached")
        seen.go("/")
        seen.page.get_by_text("This phone is not paired with this node, or not any more.").wait_for()
        assert "from a phone" not in seen.page.content()


def test_a_phone_can_go_by_itself(browser: Browser, tmp_path: Path) -> None:
    with people(tmp_path, 1) as (ann,), door(ann) as phones, phone(browser, phones.origin) as seen:
        seen.page.goto(phones.link())
        seen.page.get_by_role("button", name="Pair it").click()
        seen.go("/phone")
        seen.page.get_by_role("button", name="Pair this phone no more").click()
        seen.page.get_by_text("This phone is not paired any more").wait_for()
        assert seen.page.context.cookies() == []
        assert phones.devices.all() == ()


@contextmanager
def paired(phones: Phones) -> Iterator[httpx.Client]:
    """A phone that speaks HTTP and is paired."""
    with httpx.Client(base_url=phones.origin, verify=False, headers=OURS) as client:
        page = client.get(phones.link()).text
        field = page.partition('name="key" value="')[2].partition('"')[0]
        code = page.partition('name="code" value="')[2].partition('"')[0]
        answer = client.post("/pair", data={"key": field, "code": code, "name": "mine"})
        assert answer.status_code == 303
        yield client


def test_looking_at_the_link_uses_up_nothing(tmp_path: Path) -> None:
    with people(tmp_path, 1) as (ann,), door(ann) as phones:
        link = phones.link()
        with httpx.Client(verify=False) as looking:
            assert looking.get(link).status_code == looking.get(link).status_code == 200
        assert phones.devices.pair(link.partition("code=")[2], "later")


@pytest.mark.parametrize(
    "path", ["/friends", "/node", "/invite", "/join", "/friend", "/limit", "/discover", "/phones/pair", "/introduce"]
)
def test_a_paired_phone_has_no_other_rights(tmp_path: Path, path: str) -> None:
    with people(tmp_path, 1) as (ann,), door(ann) as phones, paired(phones) as client:
        assert client.get("/").status_code == 200
        assert client.get(path).status_code == client.post(path, data={"key": "x"}).status_code == 404


def test_who_is_not_paired_sees_a_door_and_nothing_else(tmp_path: Path) -> None:
    with people(tmp_path, 1) as (ann,), door(ann) as phones:
        ann.post("for phones of mine", although_few=True)
        with httpx.Client(base_url=phones.origin, verify=False, headers=OURS) as client:
            for path in ("/", "/feed", "/phone", "/picture/aa", "/node", "/?token=x", "/work/x"):
                answer = client.get(path)
                assert answer.status_code == 403
                assert "not paired with this node" in answer.text
                assert "for phones of mine" not in answer.text
            for path in ("/post", "/approve", "/mute", "/forget"):
                assert client.post(path, data={"words": "x"}).status_code == 403
            assert client.post("/pair", data={"code": "x"}).status_code == 422  # A form that was not made here.
            assert client.get("/", headers={"host": "elsewhere"}).status_code == 421
            elsewhere = {"origin": "https://elsewhere.example", "sec-fetch-site": "cross-site"}
            assert client.post("/pair", data={"code": "x"}, headers=elsewhere).status_code == 403


def test_every_answer_tells_the_phone_to_keep_nothing(tmp_path: Path) -> None:
    with people(tmp_path, 1) as (ann,), door(ann) as phones, paired(phones) as client:
        for path in ("/", "/feed", "/phone", "/pair", "/nothing"):
            assert client.get(path).headers["cache-control"] == "no-store"
        manifest = client.get("/static/phone/manifest.webmanifest")
        assert manifest.json()["display"] == "standalone"
        for each in manifest.json()["icons"]:
            assert client.get(each["src"]).content.startswith(b"\x89PNG")


def test_the_certificate_is_the_one_whose_fingerprint_is_shown_and_stays(tmp_path: Path) -> None:
    shown = set()
    for _ in range(2):
        ann = Messenger(tmp_path / "ann", WORDS, tick_seconds=TICK)
        try:
            with door(ann) as phones:
                port = int(phones.origin.rpartition(":")[2])
                pem = ssl.get_server_certificate(("127.0.0.1", port))
                seen = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
                assert phones.fingerprint.replace(":", "") == seen
                assert page_fingerprint(pem) == phones.fingerprint
                shown.add(phones.fingerprint)
                old = ssl.create_default_context()
                old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
                old.maximum_version = ssl.TLSVersion.TLSv1_2
                with pytest.raises(httpx.ConnectError):
                    httpx.get(phones.origin, verify=old)
        finally:
            ann.close()
    assert len(shown) == 1


def test_a_phone_that_was_taken_back_while_no_door_was_open_stays_out(tmp_path: Path) -> None:
    with people(tmp_path, 1) as (ann,):
        with door(ann) as phones:
            code = phones.devices.code()
            secret = phones.devices.pair(code, "")
        shut = Devices(ann.store, wall=ann.node.clock.wall)
        shut.revoke(shut.all()[0].id)
        with door(ann) as phones:
            assert phones.devices.known(secret) is None


@pytest.mark.skipif(not possible(), reason="needs tor and tor-gencert (Debian's package tor)")
def test_phones_come_by_an_onion_address_that_friends_do_not_know(tmp_path: Path) -> None:
    taken = take_port(0)
    with lone_tor(tmp_path / "tor", "CookieAuthentication 1") as tor:
        at = AtTor(f"127.0.0.1:{tor.control}", phones=taken.getsockname()[1])
        ann = Messenger(tmp_path / "ann", WORDS, tick_seconds=TICK, tor=at)
        phones = Phones(ann, taken)
        try:
            host = phones.origin.removeprefix("http://")
            assert host.endswith(".onion")
            assert host not in ann.reached()
            assert host not in ann.invite()
            for kept in (FRIENDS, ONION_PHONES):
                assert tor.has(onion_key(bytes.fromhex(ann.store.get(kept))))
            # Tor brings to this port what comes to that name; here it is asked straight.
            straight = f"http://127.0.0.1:{taken.getsockname()[1]}"
            with httpx.Client(base_url=straight, headers={**OURS, "host": host}) as client:
                assert client.get("/").status_code == 403
                code = phones.devices.code()
                field = client.get("/pair").text.partition('name="key" value="')[2].partition('"')[0]
                assert client.post("/pair", data={"key": field, "code": code}).status_code == 303
                assert client.get("/").status_code == 200
                assert client.get("/", headers={"host": ann.reached()}).status_code == 421
        finally:
            phones.close()
            ann.close()


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("0.0.0.0:4300", "must be the one address that phones go to"),
        ("192.0.2.1:4300", "cannot be listened on"),
        ("here", "must be an address and a port"),
    ],
)
def test_an_address_that_is_none_for_phones_is_one_sentence(address: str, says: str) -> None:
    with pytest.raises(BadValue, match=says):
        listen(address)


def test_the_icon_has_its_side_and_more_than_one_colour() -> None:
    import io

    drawn = Image.open(io.BytesIO(icon(192)))
    assert drawn.size == (192, 192)
    assert len(drawn.getcolors(100_000) or []) > 1
