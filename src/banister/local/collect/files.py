"""Campaigns and the keys that sign them, as files."""

from pathlib import Path

from banister.errors import BadValue
from banister.files import Access, new_text, whole_text
from banister.foreign import read_text
from banister.keys import SigningKey
from banister.local.collect.campaign import MOST_BYTES, Campaign, SignedCampaign, read_campaign

_DIGITS = 64


def campaign_file(path: Path) -> SignedCampaign:
    """A campaign from a file, checked."""
    return read_campaign(read_text(path, "a campaign file", most_bytes=MOST_BYTES))


def write_campaign(path: Path, campaign: Campaign, key: SigningKey) -> SignedCampaign:
    """Sign a campaign into a file."""
    text = campaign.signed(key)
    whole_text(path, text)
    return read_campaign(text)


def own_key(path: Path) -> SigningKey:
    """The key in a file that only its owner reads; made where there is none."""
    if not path.exists():
        made = SigningKey.generate()
        new_text(path, made.raw_bytes().hex() + "\n", access=Access.OWNER)
        return made
    text = read_text(path, "a key", most_bytes=1000).strip()
    if len(text) != _DIGITS or not all(digit in "0123456789abcdef" for digit in text):
        raise BadValue(f"'{path}' is not a key as banister writes it: {_DIGITS} digits from 0 to f. Give another file.")
    return SigningKey.of_bytes(bytes.fromhex(text))
