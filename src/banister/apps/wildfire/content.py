"""What a post says, as bytes: a nonce, so that no two posts have one name, and a text that may name an earlier post and
may have a picture with it.

No author, no time, no place, no client: what is not there cannot tell.
"""

from dataclasses import dataclass

from banister import keys
from banister.errors import BadValue
from banister.spread.node.messages import MessageId

VERSION = 1
WITH_PICTURE = 2
NONCE_BYTES = 16
NAME_BYTES = 32
LONGEST_TEXT = 4000
"""Characters; a text of this length takes a few frames."""
LARGEST_PICTURE = 100_000


@dataclass(frozen=True, slots=True)
class Text:
    """A text, the name of the post that it replies to, if any, and a picture, if any.

    >>> read_body(write_body(Text("hello")))
    Text(words='hello', reply_to=b'', picture=b'')
    """

    words: str
    reply_to: MessageId = b""
    picture: bytes = b""


def write_body(text: Text) -> bytes:
    """The body of a new post; every call gives another."""
    words = text.words.strip()
    if not words and not text.picture:
        raise BadValue("The post is empty. Write something.")
    if len(words) > LONGEST_TEXT:
        raise BadValue(f"The post has {len(words):,} characters; {LONGEST_TEXT:,} is the most. Make it shorter.")
    if len(text.reply_to) not in (0, NAME_BYTES):
        raise BadValue("The post that this replies to is not known here.")
    if len(text.picture) > LARGEST_PICTURE:
        raise BadValue(f"The picture has {len(text.picture):,} bytes; {LARGEST_PICTURE:,} is the most.")
    spoken = words.encode("utf-8", "replace")
    head = bytes([WITH_PICTURE if text.picture else VERSION, len(text.reply_to)]) + text.reply_to
    length = len(spoken).to_bytes(2, "big") if text.picture else b""
    return bytes.fromhex(keys.nonce()) + head + length + spoken + text.picture


def read_body(body: bytes) -> Text | None:
    """What a post says, or nothing where this program cannot read it; it is relayed all the same."""
    rest = body[NONCE_BYTES:]
    if len(rest) < 2 or rest[0] not in (VERSION, WITH_PICTURE):
        return None
    if rest[1] not in (0, NAME_BYTES) or len(rest) < 2 + rest[1]:
        return None
    reply, spoken, picture = rest[2 : 2 + rest[1]], rest[2 + rest[1] :], b""
    if rest[0] == WITH_PICTURE:
        length = int.from_bytes(spoken[:2], "big")
        picture, spoken = spoken[2 + length :], spoken[2 : 2 + length]
        if len(spoken) != length or not 0 < len(picture) <= LARGEST_PICTURE:
            return None
    try:
        words = spoken.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not (words or picture) or len(words) > LONGEST_TEXT:
        return None
    return Text(words, reply, picture)
