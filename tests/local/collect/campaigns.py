"""Small campaigns for tests."""

from banister.keys import SigningKey
from banister.local.channels.base import Channel
from banister.local.collect.campaign import KEEPS, Campaign, SignedCampaign, read_campaign
from banister.local.collect.repeat import Repetition
from banister.local.collect.sharing import LevelShare
from banister.local.document import Survey

KEY = SigningKey.of_bytes(bytes(range(32)))


def campaign(
    *channels: Channel,
    repetition: Repetition | None = None,
    share: LevelShare = LevelShare.ALL,
    title: str = "Well-being",
    asked_by: str = "A clinic",
    until: str = "2999-12-31",
    people: int = 1000,
    after: str = "",
) -> Campaign:
    """A campaign with a question for each channel."""
    questions = tuple(
        Survey(channel, [f"answer {x}" for x in range(channel.categories)], f"Question {place}?", asked_by)
        for place, channel in enumerate(channels, start=1)
    )
    return Campaign(
        title=title,
        asked_by=asked_by,
        about="We want to know how people are.",
        keeps=KEEPS,
        until=until,
        people=people,
        repetition=repetition or Repetition("once"),
        share=share,
        questions=questions,
        after=after,
    )


def signed(*channels: Channel, key: SigningKey = KEY, **more: object) -> SignedCampaign:
    """The same, signed and read again."""
    return read_campaign(campaign(*channels, **more).signed(key))  # type: ignore[arg-type]
