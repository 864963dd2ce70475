"""Ed25519 signatures (the library cryptography), and numbers that nobody uses twice."""

import base64
import binascii
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Loaded by whoever signs or checks; most commands do neither.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PREFIX = "ed25519:"


def nonce() -> str:
    """A text that no two callers ever share: 128 bits from the operating system.

    >>> len(nonce())
    32
    """
    return os.urandom(16).hex()


def is_nonce(text: str) -> bool:
    """Whether a text is of the kind that `nonce` gives.

    >>> is_nonce(nonce()), is_nonce("june")
    (True, False)
    """
    return len(text) == 32 and all(digit in "0123456789abcdef" for digit in text)


class SigningKey:
    """A private key, and the public one that others check with.

    >>> key = SigningKey.generate()
    >>> Ed25519Verifier().holds(key.public, b"yes", key.sign(b"yes"))
    True
    """

    __slots__ = ("_private",)

    def __init__(self, private: "Ed25519PrivateKey") -> None:
        self._private = private

    @classmethod
    def generate(cls) -> "SigningKey":
        """A new key, from the operating system's entropy."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def of_bytes(cls, raw: bytes) -> "SigningKey":
        """The key that `raw_bytes` wrote."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.from_private_bytes(raw))

    def raw_bytes(self) -> bytes:
        """The secret itself, for a file that only its owner can read."""
        return self._private.private_bytes_raw()

    @property
    def public(self) -> str:
        """The public key, as it stands in a plan."""
        return PREFIX + base64.b64encode(self._private.public_key().public_bytes_raw()).decode("ascii")

    def sign(self, message: bytes) -> str:
        """The signature of a message, in base64."""
        return base64.b64encode(self._private.sign(message)).decode("ascii")


class Ed25519Verifier:
    """The port `parties.meeting.Verifier`."""

    def holds(self, key: str, message: bytes, signature: str) -> bool:
        """Whether the signature is by the owner of the key; malformed ones are not."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            raw = base64.b64decode(key.removeprefix(PREFIX), validate=True)
            Ed25519PublicKey.from_public_bytes(raw).verify(base64.b64decode(signature, validate=True), message)
        except (InvalidSignature, ValueError, binascii.Error):
            return False
        return True


MEMORY_KIB, PASSES = 19_456, 2
"""What one guess at a password costs whoever stole its text: 19 MiB of memory, twice gone through."""


def password_text(password: str) -> str:
    """What is kept in the place of a password: Argon2id with a salt of its own, in the usual notation.

    >>> password_holds("correct horse", password_text("correct horse")), password_holds("x", password_text("y"))
    (True, False)
    """
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    made = Argon2id(salt=os.urandom(16), length=32, iterations=PASSES, lanes=1, memory_cost=MEMORY_KIB)
    return made.derive_phc_encoded(password.encode())


def password_holds(password: str, text: str) -> bool:
    """Whether it is the password that the text was made from."""
    from cryptography.exceptions import InvalidKey
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    try:
        Argon2id.verify_phc_encoded(password.encode(), text)
    except (InvalidKey, ValueError):
        return False
    return True


def secret() -> bytes:
    """256 bits from the operating system.

    >>> len(secret())
    32
    """
    return os.urandom(32)


def sealed(key: bytes, content: bytes, about: bytes) -> bytes:
    """Content that only holders of the key can read, and nobody can change: AES-256-GCM under a nonce of its own.

    >>> opened_box(bytes(32), sealed(bytes(32), b"yes", b"room"), b"room")
    b'yes'
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    once = os.urandom(12)
    return once + AESGCM(key).encrypt(once, content, about)


def opened_box(key: bytes, box: bytes, about: bytes) -> bytes | None:
    """What was sealed; nothing where the box was made with another key, for something else, or was changed."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(box[:12], box[12:], about)
    except (InvalidTag, ValueError):
        return None
