import json

import numpy as np
import pytest

from banister.core.laws.utility import KL
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.designs.partition import design_between
from banister.local.document import read_document, write_document
from tests.local.channels.test_channels import ALL, names

DESIGNED = design_between(ALL[0].guarantee.epsilon, np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6]), KL)


@pytest.mark.parametrize("channel", [*ALL, DESIGNED], ids=names)
def test_channels_come_back_as_they_were(channel: Channel) -> None:
    labels = [f"answer {x}" for x in range(channel.categories)]
    back, read = read_document(json.loads(json.dumps(write_document(channel, labels))))
    assert (back.hash, read, back.guarantee) == (channel.hash, labels, channel.guarantee)
    assert np.array_equal(back.matrix, channel.matrix)


def test_a_certificate_comes_back() -> None:
    back, _ = read_document(json.loads(json.dumps(write_document(DESIGNED, ["a", "b", "c"]))))
    assert (back.utility, back.upper_bound) == (DESIGNED.utility, DESIGNED.upper_bound)


def changed(**changes: object) -> dict[str, object]:
    return {**write_document(ALL[0], list("abcde")), **changes}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "not a channel file of the format banister-channel/1"),
        (changed(format="banister-channel/2"), "not a channel file"),
        (changed(kind="other"), "lacks a field"),
        (changed(fields=3), "lacks a field"),
        (changed(epsilon=1.0), "lacks a field"),
        (changed(fields={"categories": "5"}), "lacks a field"),
        (changed(epsilon="2"), "was changed. Do not answer"),
        (changed(level=0.5), "claims the level 0.5; its numbers have 1.0"),
        (changed(labels=["a"]), "1 labels for 5 categories"),
    ],
)
def test_a_changed_file_is_refused(document: object, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        read_document(document)  # type: ignore[arg-type]


def test_labels_are_as_many_as_categories_and_differ() -> None:
    with pytest.raises(BadValue, match="as many different labels"):
        write_document(ALL[0], ["a", "a", "b", "c", "d"])
