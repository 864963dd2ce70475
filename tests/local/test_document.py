import json

import numpy as np
import pytest

from banister.core.laws.utility import KL
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.designs.partition import design_between
from banister.local.document import Survey, read_document, write_document
from tests.local.channels.test_channels import ALL, names

FIVE = next(channel for channel in ALL if channel.kind == "randomized-response" and channel.categories == 5)
DESIGNED = design_between(ALL[0].guarantee.epsilon, np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6]), KL)


@pytest.mark.parametrize("channel", [*ALL, DESIGNED], ids=names)
def test_channels_come_back_as_they_were(channel: Channel) -> None:
    labels = [f"answer {x}" for x in range(channel.categories)]
    survey = Survey(channel, labels, "What?", "a stranger")
    read = read_document(json.loads(json.dumps(write_document(survey))))
    back = read.channel
    assert (back.hash, read.labels, back.guarantee) == (channel.hash, labels, channel.guarantee)
    assert (read.question, read.asked_by, read.identity) == ("What?", "a stranger", survey.identity)
    assert np.array_equal(back.matrix, channel.matrix)


def test_a_certificate_comes_back() -> None:
    back = read_document(json.loads(json.dumps(write_document(Survey(DESIGNED, ["a", "b", "c"]))))).channel
    assert (back.utility, back.upper_bound) == (DESIGNED.utility, DESIGNED.upper_bound)


def changed(**changes: object) -> dict[str, object]:
    return {**write_document(Survey(FIVE, list("abcde"), "What?", "a stranger")), **changes}


def first_format(channel: Channel, labels: list[str]) -> dict[str, object]:
    """The file as version 1 wrote it: numbers for weights, and a hash of the channel alone."""
    return {**channel.definition(), "level": channel.level, "hash": channel.hash, "labels": labels}


@pytest.mark.parametrize("channel", [*ALL, DESIGNED], ids=names)
def test_the_first_format_is_still_read(channel: Channel) -> None:
    labels = [f"answer {x}" for x in range(channel.categories)]
    read = read_document(json.loads(json.dumps(first_format(channel, labels))))
    assert (read.identity, read.channel.hash, read.question) == (channel.hash, channel.hash, "")
    assert read_document(json.loads(json.dumps(write_document(read)))).identity == Survey(channel, labels).identity


def doubles(value: object) -> object:
    """The value as a reader of JSON has it that knows no numbers but doubles, such as a browser's."""
    if isinstance(value, dict):
        return {key: doubles(one) for key, one in value.items()}
    if isinstance(value, list):
        return [doubles(one) for one in value]
    return int(float(value)) if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize("channel", [*ALL, DESIGNED], ids=names)
def test_a_reader_with_doubles_keeps_every_number(channel: Channel) -> None:
    document = json.loads(json.dumps(write_document(Survey(channel, [str(x) for x in range(channel.categories)]))))
    assert doubles(document) == document


def test_the_first_format_did_not_survive_doubles() -> None:
    documents = [first_format(channel, []) for channel in ALL]
    assert any(doubles(document) != document for document in documents)


@pytest.mark.parametrize("words", [{"labels": list("abced")}, {"question": "Who?"}, {"asked_by": "a friend"}])
def test_labels_question_and_asker_are_inside_the_hash(words: dict[str, object]) -> None:
    with pytest.raises(BadValue, match=r"was changed\. Do not answer"):
        read_document(changed(**words))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "not a channel file of the format banister-channel/2 or banister-channel/1"),
        (changed(format="banister-channel/3"), "not a channel file"),
        (changed(format="banister-channel/1"), "was changed. Do not answer"),
        (changed(fields={"categories": 10**15}), "categories = 1000000000000000, with 5 labels"),
        (changed(fields={"categories": True}), "lacks a field"),
        (changed(certificate=[1]), "lacks a field"),
        (
            changed(certificate={"utility_name": "a", "method": "b", "utility": "x", "upper_bound": 1, "dual": []}),
            "lacks",
        ),
        (changed(question=3), "lacks a field"),
        (changed(question="x" * 3000), "3000 characters"),
        (changed(kind="other"), "lacks a field"),
        (changed(fields=3), "lacks a field"),
        (changed(epsilon=1.0), "lacks a field"),
        (changed(fields={"categories": "5"}), "lacks a field"),
        (changed(epsilon="2"), "was changed. Do not answer"),
        (changed(level=0.5), "claims the level 0.5; its numbers have 1.0"),
        (changed(labels=["a"]), "categories = 5, with 1 labels"),
    ],
)
def test_a_changed_file_is_refused(document: object, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        read_document(document)  # type: ignore[arg-type]


def test_labels_are_as_many_as_categories_and_differ() -> None:
    with pytest.raises(BadValue, match="as many different labels"):
        Survey(FIVE, ["a", "a", "b", "c", "d"])
