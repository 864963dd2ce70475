"""A team's pages over TLS of its own, and behind a proxy that has it."""

import datetime
import http.client
import ipaddress
import ssl
import threading
from pathlib import Path

import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fastapi.testclient import TestClient

from banister.apps.team.settings import TeamSettings
from banister.apps.web.serve import take_port
from tests.apps.team.place import PASSWORD, team

OURS = {"sec-fetch-site": "same-origin"}


def certificate(folder: Path) -> None:
    """A certificate for this machine, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "team")])
    day = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(day)
        .not_valid_after(day.replace(year=2100))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    kinds = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(*kinds))


def key_in(page: str) -> str:
    return page.partition('name="key" value="')[2].partition('"')[0]


def test_pages_are_served_over_tls_of_its_own_with_a_secure_cookie(tmp_path: Path) -> None:
    certificate(tmp_path)
    taken = take_port(0)
    port = taken.getsockname()[1]
    made = team(tmp_path, f'listen = "127.0.0.1:{port}"\n[tls]\ncertificate = "cert.pem"\nkey = "key.pem"\n')
    settings = made.room.settings
    assert settings.origin == f"https://127.0.0.1:{port}"
    config = uvicorn.Config(
        made.room.app,
        log_level="error",
        lifespan="off",
        ssl_certfile=str(settings.certificate),
        ssl_keyfile=str(settings.key),
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    trust = ssl.create_default_context(cafile=str(settings.certificate))
    link = http.client.HTTPSConnection("127.0.0.1", port, context=trust, timeout=20)
    link.request("GET", "/sign-in")
    answer = link.getresponse()
    page = answer.read().decode()
    assert answer.status == 200
    body = f"key={key_in(page)}&name=ana&password={PASSWORD.replace(' ', '+')}"
    link.request("POST", "/sign-in", body, {"content-type": "application/x-www-form-urlencoded", **OURS})
    answer = link.getresponse()
    answer.read()
    cookie = answer.headers["set-cookie"]
    assert answer.status == 303
    assert all(word in cookie for word in ("; Secure", "; HttpOnly", "; SameSite=Strict"))
    link.close()
    with pytest.raises(ssl.SSLCertVerificationError):
        http.client.HTTPSConnection("127.0.0.1", port, timeout=20).request("GET", "/")
    server.should_exit = True
    thread.join(10)
    taken.close()
    made.room.desk.ledger.close()
    made.room.store.close()


def test_behind_a_proxy_pages_answer_to_the_address_that_members_type_alone(tmp_path: Path) -> None:
    made = team(tmp_path, 'address = "https://team.example"\n')
    with TestClient(made.room.app, base_url="https://team.example", follow_redirects=False) as member:
        page = member.get("/sign-in").text
        form = {"key": key_in(page), "name": "ana", "password": PASSWORD}
        come = member.post("/sign-in", data=form, headers={"origin": "https://team.example", **OURS})
        assert come.status_code == 303, come.text
        assert "; Secure" in come.headers["set-cookie"]
        assert member.get("/requests").status_code == 200
        assert member.post("/sign-in", data=form, headers={"origin": "http://team.example"}).status_code == 403
        for host in ("127.0.0.1:8600", "evil.example", "team.example:444"):
            assert member.get("/requests", headers={"host": host}).status_code == 421
            forwarded = {"host": host, "x-forwarded-host": "team.example", "x-forwarded-proto": "https"}
            assert member.get("/requests", headers=forwarded).status_code == 421, (
                "headers of strangers count for nothing"
            )
    made.room.desk.ledger.close()
    made.room.store.close()


def test_a_key_without_its_certificate_is_refused(tmp_path: Path) -> None:
    text = '[team]\nschema = "h.toml"\nlisten = "0.0.0.0:8600"\n'
    with pytest.raises(ValueError, match="there is no \\[tls\\]: passwords and answers would go in the clear"):
        TeamSettings.of_text(text, folder=tmp_path)
