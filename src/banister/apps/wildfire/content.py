"""What a post says, as bytes: a nonce, so that no two posts have one name, and a text that may name an earlier post.

No author, no time, no place, no client: what is not there cannot tell.
"""

from dataclasses import dataclass

from banister import keys
from banister.errors import BadValue
from banister.spread.node.messages import MessageId

VERSION = 1
NONCE_BYTES = 16
NAME_BYTES = 32
LONGEST_TEXT = 4000
"""Characters; a text of this length takes a few frames."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the name of the post that it replies to, if any.

    >>> read_body(write_body(Text("hello")))
    Text(words='hello', reply_to=b'')
    """

    words: str
    reply_to: MessageId = b""


def write_body(text: Text) -> bytes:
    """The body of a new post; every call gives another."""
    words = text.words.strip()
    if not words:
        raise BadValue("The post is empty. Write something.")
    if len(words) > LONGEST_TEXT:
        raise BadValue(f"The post has {len(words):,} characters; {LONGEST_TEXT:,} is the most. Make it shorter.")
    if len(text.reply_to) not in (0, NAME_BYTES):
        raise BadValue("The post that this replies to is not known here.")
    head = bytes([VERSION, len(text.reply_to)]) + text.reply_to
    return bytes.fromhex(keys.nonce()) + head + words.encode("utf-8", "replace")


def read_body(body: bytes) -> Text | None:
    """What a post says, or nothing where this program cannot read it; it is relayed all the same."""
    rest = body[NONCE_BYTES:]
    if len(rest) < 2 or rest[0] != VERSION or rest[1] not in (0, NAME_BYTES) or len(rest) < 2 + rest[1]:
        return None
    try:
        words = rest[2 + rest[1] :].decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not words or len(words) > LONGEST_TEXT:
        return None
    return Text(words, rest[2 : 2 + rest[1]])
