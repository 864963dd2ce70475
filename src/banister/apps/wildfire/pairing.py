"""How an invitation is used: one message of one size in each direction, inside TLS."""

import asyncio
import json

from banister.apps.wildfire.identity import LinkKey, fingerprint, is_certificate
from banister.apps.wildfire.invitation import Invitation
from banister.apps.wildfire.store import PostStore
from banister.errors import BadValue
from banister.foreign import parse_json

PAIRING_BYTES = 4096


async def pair(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, invitation: Invitation, own: LinkKey
) -> tuple[bytes, dict[str, object]]:
    """Hand over a certificate to who invited: hers, and what she answers."""
    try:
        theirs: bytes = writer.get_extra_info("ssl_object").getpeercert(True)
        if fingerprint(theirs) != invitation.fingerprint:
            raise BadValue("Somebody else answered than the one who invited. Ask for a new invitation.")
        writer.write(padded({"id": invitation.id.hex(), "certificate": own.certificate.hex()}))
        return theirs, unpadded(await reader.readexactly(PAIRING_BYTES))
    finally:
        writer.transport.abort()


def paired(store: PostStore, asked: dict[str, object], *, wall: float) -> dict[str, object]:
    """What is answered to who uses an invitation; she is a friend when the person here accepts."""
    try:
        name, certificate = bytes.fromhex(str(asked["id"])), bytes.fromhex(str(asked["certificate"]))
    except (KeyError, ValueError):
        return {"refusal": "That was no answer to an invitation."}
    found = next((each for each in store.invitations() if each.id == name), None)
    if found is None or found.used:
        return {"refusal": "This invitation was used before. Ask for a new one."}
    if found.expires < wall:
        return {"refusal": "This invitation has expired. Ask for a new one."}
    if not is_certificate(certificate):
        return {"refusal": "That was no answer to an invitation."}
    with store.writing():
        store.add_friend(
            name=found.name,
            own=found.own,
            theirs=certificate,
            secret=found.secret,
            host="",
            port=0,
            state="asked",
        )
        store.use_invitation(name)
    return {}


def padded(message: dict[str, object]) -> bytes:
    """A message of the one size."""
    return json.dumps(message).encode().ljust(PAIRING_BYTES, b" ")


def unpadded(data: bytes) -> dict[str, object]:
    """What was padded."""
    found = parse_json(data, "This is no answer to an invitation", most_bytes=PAIRING_BYTES)
    if not isinstance(found, dict):
        raise BadValue("This is no answer to an invitation.")
    return found
