"""Plans and answers as values: every way in which an answer can be wrong is told apart."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.keys import Ed25519Verifier, SigningKey
from banister.parties.meetings.papers import Meeting, Member, SignedAnswer, hear, read_answer, read_meeting

KEYS = {name: SigningKey.generate() for name in ("a", "b", "c")}
MEETING = Meeting(
    title="q",
    function="majority",
    measure="average",
    cost="zero-one",
    prior=Fraction(1, 2),
    members=tuple(Member(n, Guarantee(1), k.public) for n, k in KEYS.items()),
    nonce="0" * 32,
)


def signed(party: str, symbol: int, *, by: SigningKey | None = None, plan: str = "") -> str:
    bare = SignedAnswer(plan or MEETING.hash, party, symbol, "")
    return json.dumps(SignedAnswer(bare.plan, party, symbol, (by or KEYS[party]).sign(bare.signed_bytes())).document())


def test_a_plan_survives_its_file_and_keeps_its_identity() -> None:
    text = json.dumps(MEETING.document(), indent=3)
    shuffled = json.dumps(dict(reversed(MEETING.document().items())))
    assert read_meeting(text) == read_meeting(shuffled) == MEETING
    assert read_meeting(text).hash == MEETING.hash
    other = replace(MEETING, nonce="1" * 32)
    assert other.hash != MEETING.hash


def test_good_answers_are_heard_and_the_absent_are_named() -> None:
    found = hear(MEETING, [("b.json", signed("b", 0)), ("a.json", signed("a", 1))], Ed25519Verifier())
    assert found.transcript == (1, 0, None)
    assert found.missing == ("c",)
    assert found.set_aside == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (signed("a", 1, by=KEYS["b"]), "not that of 'a': it was forged"),
        (signed("a", 1).replace('"symbol": 1', '"symbol": 0'), "forged or changed"),
        (signed("a", 1, plan="f" * 64), "answers another plan \\(ffffffffffff"),
        (signed("zed", 1, by=KEYS["a"]), "'zed' is a stranger"),
        (signed("a", 3), "cannot say 3 at its level \\(1, 0\\)"),
        (signed("a", 7), "cannot say 7"),
        ("{", "it is not JSON"),
        ("[1]", "not a JSON object"),
        ('{"format": "banister-answer/9"}', "no answer of the format banister-answer/1"),
        ('{"format": "banister-answer/1"}', "lacks a field"),
        (signed("a", 1).replace('"symbol": 1', '"symbol": true'), "wrong kind"),
        (signed("a", 1)[:-4] + '!!"}', "forged or changed"),
    ],
)
def test_bad_answers_are_set_aside_with_the_reason(text: str, words: str) -> None:
    found = hear(MEETING, [("bad.json", text), ("b.json", signed("b", 1))], Ed25519Verifier())
    assert found.transcript == (None, 1, None)
    ((file, reason),) = found.set_aside
    assert file == "bad.json"
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(reason)


def test_a_copy_counts_once_and_two_answers_count_as_none() -> None:
    copies = hear(MEETING, [("1.json", signed("a", 1)), ("2.json", signed("a", 1))], Ed25519Verifier())
    assert copies.transcript == (1, None, None)
    assert "in 1.json; counted once" in copies.set_aside[0][1]
    torn = hear(MEETING, [("1.json", signed("a", 1)), ("2.json", signed("a", 0))], Ed25519Verifier())
    assert torn.transcript == (None, None, None)
    assert {file for file, _ in torn.set_aside} == {"1.json", "2.json"}


def test_bad_plans_are_refused() -> None:
    document = MEETING.document()
    for change, words in (
        ({"format": "other"}, "no plan of the format"),
        ({"measure": "median"}, "measure = 'median'"),
        ({"function": "nonsense"}, "is none of"),
        ({"cost": "cubic"}, "cost = 'cubic'"),
        ({"prior": "2"}, "prior = 2 must be"),
        ({"parties": 3}, "wrong kind"),
        ({"parties": [3]}, "wrong kind"),
        ({"parties": [{"name": "a", "epsilon": 1, "delta": "0", "key": ""}]}, "wrong kind"),
        ({"parties": [{"name": "../a", "epsilon": "1", "delta": "0", "key": ""}]}, "The party name '../a'"),
        ({"parties": [{"name": "a", "epsilon": "1", "delta": "0", "key": ""}]}, "has no usable key"),
        ({"parties": [{"name": "a", "epsilon": "0", "delta": "0", "key": ""}]}, "can say nothing"),
        ({"parties": [document["parties"][0]] * 2}, "Two parties of the plan have the name 'a'"),  # type: ignore[index]
    ):
        with pytest.raises(BadValue, match=words):
            read_meeting(json.dumps({**document, **change}))
    with pytest.raises(BadValue, match="lacks a field"):
        read_answer('{"format": "banister-answer/1", "plan": "x"}')
    with pytest.raises(BadValue, match=r"no party 'd'\. It has: a, b, c"):
        MEETING.member("d")
