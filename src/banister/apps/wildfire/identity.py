"""Keys of a link. Each link has its own at each end, so that no key names a person, and forgetting one ends the link.

A certificate is only the envelope in which TLS carries an Ed25519 key. Its name is random: with one common name OpenSSL
would take the wrong certificate for the issuer.
"""

import base64
import hashlib
import hmac
import os
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from banister import keys

SALT_BYTES = 8
PROOF_BYTES = 16


@dataclass(frozen=True, slots=True)
class LinkKey:
    """One end of a link: the private key, and the certificate that the other end is pinned to."""

    private: bytes
    certificate: bytes

    @classmethod
    def generate(cls) -> "LinkKey":
        """A new one."""
        key = Ed25519PrivateKey.generate()
        # The same times for all: they tell nothing, and never end.
        first, last = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
        blank = _for_itself(keys.nonce(), key.public_key(), first, last)
        made = blank.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(key, None)
        return cls(key.private_bytes_raw(), made.public_bytes(serialization.Encoding.DER))

    def load_into(self, context: ssl.SSLContext) -> None:
        """Give a context this key, through memory that no disk ever sees."""
        private = Ed25519PrivateKey.from_private_bytes(self.private)
        pem = private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        held = os.memfd_create("key")
        try:
            os.write(held, pem + ssl.DER_cert_to_PEM_cert(self.certificate).encode())
            context.load_cert_chain(f"/proc/self/fd/{held}")
        finally:
            os.close(held)


def is_certificate(data: bytes) -> bool:
    """Whether bytes are a certificate with an Ed25519 key, as all of ours are."""
    try:
        return isinstance(x509.load_der_x509_certificate(data).public_key(), Ed25519PublicKey)
    except (ValueError, TypeError):
        return False


def fingerprint(certificate: bytes) -> bytes:
    """By what an invitation names a certificate."""
    return hashlib.sha256(certificate).digest()


def safety_number(one: bytes, other: bytes) -> str:
    """Thirty digits that both ends of a link see, and nobody between them can make equal.

    >>> safety_number(b"a", b"b") == safety_number(b"b", b"a")
    True
    """
    digest = hashlib.sha512(b"safety" + b"".join(sorted((fingerprint(one), fingerprint(other))))).digest()
    digits = str(int.from_bytes(digest, "big"))[-30:]
    return " ".join(digits[start : start + 5] for start in range(0, 30, 5))


def knock(secret: bytes) -> str:
    """What a friend says first, in the clear: new each time, and right only for who knows the link's secret."""
    salt = bytes.fromhex(keys.nonce())[:SALT_BYTES]
    return (salt + _proof(secret, salt)).hex()


def knocks(said: str, secret: bytes) -> bool:
    """Whether somebody knocked with this secret."""
    try:
        data = bytes.fromhex(said)
    except ValueError:
        return False
    salt, proof = data[:SALT_BYTES], data[SALT_BYTES:]
    return len(data) == SALT_BYTES + PROOF_BYTES and hmac.compare_digest(proof, _proof(secret, salt))


def _proof(secret: bytes, salt: bytes) -> bytes:
    return hmac.new(secret, b"knock" + salt, hashlib.sha256).digest()[:PROOF_BYTES]


def server_context() -> ssl.SSLContext:
    """What a stranger meets: a key for nobody. Whoever knocks rightly is handed to the context of the link."""
    context = _context(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_OPTIONAL  # Who uses an invitation has no key that is known here.
    context.num_tickets = 0
    LinkKey.generate().load_into(context)
    return context


def link_context(own: LinkKey, theirs: bytes | None, *, server: bool) -> ssl.SSLContext:
    """TLS 1.3 with one key at each end; without theirs, an invitation's, where the certificate is checked by hand."""
    context = _context(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    if server:
        context.num_tickets = 0
        context.verify_mode = ssl.CERT_OPTIONAL
    else:
        context.verify_mode = ssl.CERT_REQUIRED if theirs is not None else ssl.CERT_NONE
    if theirs is not None:
        context.load_verify_locations(cadata=theirs)
    if server or theirs is not None:
        own.load_into(context)
    return context


def _context(protocol: int) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    return context


def onion_name(seed: bytes) -> str:
    """The name of the onion service whose key a seed of 32 bytes gives, without `.onion` (Tor's rend-spec-v3, 6).

    >>> len(onion_name(bytes(32)))
    56
    """
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    check = hashlib.sha3_256(b".onion checksum" + public + b"\x03").digest()[:2]
    return base64.b32encode(public + check + b"\x03").decode("ascii").lower()


def onion_key(seed: bytes) -> bytes:
    """The same key as Tor is told it: expanded as Ed25519 does (RFC 8032, 5.1.5)."""
    digest = bytearray(hashlib.sha512(seed).digest())
    digest[0] &= 248
    digest[31] = digest[31] & 63 | 64
    return bytes(digest)


def page_certificate(host: str, *, first: datetime, days: int) -> str:
    """A key and a certificate of its own for a page, as PEM: for a browser, so of a kind that browsers take."""
    key = ec.generate_private_key(ec.SECP256R1())
    try:
        called: x509.GeneralName = x509.IPAddress(ip_address(host))
    except ValueError:
        called = x509.DNSName(host)
    made = (
        _for_itself(host, key.public_key(), first, first + timedelta(days))
        .add_extension(x509.SubjectAlternativeName([called]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (private + made.public_bytes(serialization.Encoding.PEM)).decode("ascii")


def _for_itself(
    name: str, key: Ed25519PublicKey | ec.EllipticCurvePublicKey, first: datetime, last: datetime
) -> x509.CertificateBuilder:
    """What every certificate of ours begins with: nobody else vouches for it."""
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    blank = x509.CertificateBuilder().subject_name(called).issuer_name(called).public_key(key)
    return blank.serial_number(x509.random_serial_number()).not_valid_before(first).not_valid_after(last)


def page_fingerprint(pem: str) -> str:
    """The SHA-256 of its certificate, as browsers show it."""
    found = x509.load_pem_x509_certificate(pem.encode("ascii"))
    return found.fingerprint(hashes.SHA256()).hex(":").upper()


def meeting_key() -> tuple[bytes, bytes]:
    """A private and a public key for one introduction."""
    own = X25519PrivateKey.generate()
    return own.private_bytes_raw(), own.public_key().public_bytes_raw()


def is_meeting_key(theirs: bytes) -> bool:
    """Whether bytes are a public key with which something can be agreed on."""
    try:
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(theirs))
    except ValueError:
        return False
    return True


def sealed_for(private: bytes, theirs: bytes, data: bytes, name: bytes) -> bytes:
    """Data that only the other of an introduction can open."""
    own = X25519PrivateKey.from_private_bytes(private)
    nonce = bytes.fromhex(keys.nonce())[:12]
    return nonce + _cipher(private, theirs, own.public_key().public_bytes_raw(), name).encrypt(nonce, data, name)


def unsealed(private: bytes, theirs: bytes, sealed: bytes, name: bytes) -> bytes:
    """What was sealed; ValueError where it was not, or not so."""
    try:
        return _cipher(private, theirs, theirs, name).decrypt(sealed[:12], sealed[12:], name)
    except InvalidTag:
        raise ValueError("not sealed for this key") from None


def _cipher(private: bytes, theirs: bytes, sealer: bytes, name: bytes) -> ChaCha20Poly1305:
    secret = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(theirs))
    made = HKDF(algorithm=hashes.SHA256(), length=32, salt=name, info=b"wildfire introduction" + sealer)
    return ChaCha20Poly1305(made.derive(secret))
