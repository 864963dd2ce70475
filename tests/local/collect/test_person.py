"""A person's store: paid before drawn, kept before sent, the same again, and nothing above the ceiling."""

import fcntl
import json
import os
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, BudgetExceeded
from banister.local import RandomizedResponse, UnaryEncoding
from banister.local.collect.person import WHATEVER, Person, matter
from banister.local.collect.repeat import Repetition
from banister.local.collect.sharing import LevelShare
from banister.local.collect.tally import estimate, read_values, tally
from banister.local.home import OWNER, LocalHome
from tests.local.collect.campaigns import signed
from tests.seeded import SeededBits

TWO = RandomizedResponse(1, categories=2)


def person(tmp_path: Path) -> Person:
    return Person(LocalHome(tmp_path))


def test_asked_again_the_same_is_sent_and_nothing_more_is_paid(tmp_path: Path) -> None:
    someone, asked = person(tmp_path), signed(RandomizedResponse(1, categories=50))
    first = someone.answer(asked, [7])
    assert someone.answer(asked, [7]) == first
    assert someone.given().epsilon == 1
    someone.taken(asked.name, 0)
    with pytest.raises(BadValue, match="was answered and taken"):
        someone.answer(asked, [7])
    assert someone.ledger()[0].rounds == (0,)


def test_a_second_agency_gets_the_kept_report_for_nothing(tmp_path: Path) -> None:
    someone, wide = person(tmp_path), RandomizedResponse("1/10", categories=1000)
    one, other = (signed(wide, asked_by=who, title=who, people=20_000) for who in ("A clinic", "An agency"))
    assert matter(one.campaign.questions[0]) == matter(other.campaign.questions[0])
    assert someone.cost(other) == Guarantee("1/10")
    sent = someone.answer(one, [3])
    assert someone.cost(other) == Guarantee(0)
    assert someone.answer(other, [3]).reports == sent.reports
    assert someone.given().epsilon == Guarantee("1/10").epsilon


def test_a_report_that_few_share_goes_to_one_asker_alone(tmp_path: Path) -> None:
    """Two askers who compare what they got must not find the same rare report in both."""
    someone, wide = person(tmp_path), RandomizedResponse("1/10", categories=1000)
    one, other = (signed(wide, asked_by=who, title=who, people=19_999) for who in ("A clinic", "An agency"))
    kept = someone.answer(one, [3], bits=SeededBits(1))
    assert someone.cost(other) == Guarantee("1/10")
    again = someone.answer(other, [3], bits=SeededBits(2))
    assert again.reports != kept.reports
    assert someone.answer(other, [3]) == again
    assert someone.given().epsilon == Guarantee("1/5").epsilon
    blurred = signed(TWO, repetition=Repetition("permanent", rounds=3, second=1), people=10)
    someone.answer(signed(TWO, people=10, title="First"), [0])
    assert someone.cost(blurred) == Guarantee(0)  # What passes a second step is nobody's name.


def test_a_fresh_answer_to_a_second_agency_adds(tmp_path: Path) -> None:
    someone = person(tmp_path)
    fresh = Repetition("fresh", rounds=3)
    someone.answer(signed(TWO, repetition=fresh), [0])
    other = signed(TWO, repetition=fresh, asked_by="An agency")
    assert someone.cost(other) == Guarantee(3)
    someone.answer(other, [0])
    assert someone.given().epsilon == 6


def test_permanent_answers_keep_one_report_and_send_it_through_the_second_step(tmp_path: Path) -> None:
    someone, bits = person(tmp_path), SeededBits(5)
    asked = signed(TWO, repetition=Repetition("permanent", rounds=400, second=1))
    sent = [someone.answer(asked, [1], round_number=t, bits=bits).reports["0"][0] for t in range(200)]
    (kept,) = someone.kept(asked.campaign.questions[0]).values()
    # e/(1 + e) = 0.731 of 200 rounds: 146 expected, standard deviation 6.3.
    assert 115 <= sent.count(kept) <= 177
    assert someone.given().epsilon == 1


def test_memoised_answers_keep_one_report_for_each_value(tmp_path: Path) -> None:
    someone, bits = person(tmp_path), SeededBits(6)
    asked = signed(RandomizedResponse(1, categories=4), repetition=Repetition("memoised", rounds=12, second=1))
    for number, value in enumerate((0, 1, 2, 0, 1, 2)):
        someone.answer(asked, [value], round_number=number, bits=bits)
    assert set(someone.kept(asked.campaign.questions[0])) == {0, 1, 2}
    assert someone.given().epsilon == 12


def test_a_memoised_report_is_not_paid_for_as_a_whole(tmp_path: Path) -> None:
    """Its campaign paid for what passes the second step; sent as it is, it would give away epsilon."""
    someone, wide = person(tmp_path), RandomizedResponse(4, categories=4)
    memoised = signed(wide, repetition=Repetition("memoised", rounds=2, second="1/10"))
    once, permanent = signed(wide), signed(wide, repetition=Repetition("permanent", rounds=3, second=2))
    someone.answer(memoised, [3])
    assert someone.given().epsilon == Fraction(1, 5)
    assert someone.cost(once) == someone.cost(permanent) == Guarantee(4)
    someone.answer(once, [1])
    assert someone.given().epsilon == Fraction(21, 5)
    assert set(someone.kept(once.campaign.questions[0])) == {3, WHATEVER}
    assert someone.cost(permanent) == Guarantee(0)


def test_the_true_answer_is_not_kept(tmp_path: Path) -> None:
    """Two people who said different things, with the same report: their folders are the same."""
    homes = []
    for answer in (0, 1):
        someone, asked = person(tmp_path / str(answer)), signed(TWO)
        while True:
            sent = someone.answer(asked, [answer])
            if sent.reports == {"0": [1]}:
                break
            shutil.rmtree(tmp_path / str(answer))
        files = sorted(path for path in (tmp_path / str(answer)).rglob("*") if path.is_file())
        homes.append([path.read_text().replace(sent.key, "KEY") for path in files])
    assert homes[0] == homes[1]


def test_nothing_is_drawn_above_the_ceiling(tmp_path: Path) -> None:
    someone = person(tmp_path)
    someone.home.ceilings.raise_to(OWNER, Guarantee("3/2"))
    someone.answer(signed(TWO), [0])

    class NoBits:
        def take(self, *size: int) -> int:
            raise AssertionError("a bit was drawn")

        words = take

    other = signed(RandomizedResponse(1, categories=3))
    with pytest.raises(BudgetExceeded, match="above the ceiling"):
        someone.answer(other, [0], bits=NoBits())  # type: ignore[arg-type]
    assert someone.given().epsilon == 1


def test_one_picked_question_is_sent_alone(tmp_path: Path) -> None:
    picked = set()
    for seed in range(12):
        someone = person(tmp_path / str(seed))
        asked = signed(TWO, RandomizedResponse(1, categories=3), share=LevelShare.ONE)
        sent = someone.answer(asked, [0, 2], bits=SeededBits(seed))
        assert len(sent.reports) == 1
        picked |= set(sent.reports)
        assert someone.given().epsilon == 1
    assert picked == {"0", "1"}


def test_the_charge_is_on_disk_before_the_first_bit(tmp_path: Path) -> None:
    someone, asked = person(tmp_path), signed(TWO)

    class Falls:
        def take(self, *size: int) -> int:
            raise KeyboardInterrupt

        words = take

    with pytest.raises(KeyboardInterrupt):
        someone.answer(asked, [0], bits=Falls())  # type: ignore[arg-type]
    assert someone.given().epsilon == 1
    assert someone.answer(asked, [0]).reports
    assert someone.given().epsilon == 1


def test_two_programs_that_answer_at_once_draw_one_after_the_other(tmp_path: Path) -> None:
    """Both would find nothing drawn, draw, and pay once for two reports."""

    someone, asked = person(tmp_path), signed(TWO)
    held = []

    class Watched(SeededBits):
        def look(self) -> None:
            handle = os.open(tmp_path / "collect" / "answered", os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                held.append(False)
            except BlockingIOError:
                held.append(True)
            finally:
                os.close(handle)

        def take(self, count: int) -> int:
            self.look()
            return super().take(count)

        def words(self, count: int, width: int) -> np.ndarray:
            self.look()
            return super().words(count, width)

    someone.answer(asked, [0], bits=Watched(3))
    assert held
    assert all(held)


@pytest.mark.parametrize(
    ("answers", "number", "words"),
    [([0, 1], 0, "has 1 questions"), ([2], 0, "Question 1 has 2 answers"), ([0], 1, "Round 2 is beyond")],
)
def test_bad_answers_are_refused(tmp_path: Path, answers: list[int], number: int, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        person(tmp_path).answer(signed(TWO), answers, round_number=number)
    assert person(tmp_path).given().answers == 0


def test_a_store_that_was_changed_by_hand_is_refused(tmp_path: Path) -> None:
    someone, asked = person(tmp_path), signed(TWO)
    someone.answer(asked, [0])
    (record,) = (tmp_path / "collect" / "answered").glob("*.json")
    (kept,) = (tmp_path / "collect" / "kept").glob("*.json")
    kept.write_text(json.dumps({"format": "banister-kept/1", "reports": {"0": 9}}))
    with pytest.raises(BadValue, match="from 0 to 1"):
        someone.kept(asked.campaign.questions[0])
    kept.write_text("[]")
    with pytest.raises(BadValue, match="not a kept report"):
        someone.kept(asked.campaign.questions[0])
    record.write_text("{}")
    with pytest.raises(BadValue, match="not a record"):
        someone.given()


def test_what_is_sent_can_be_counted_and_estimated(tmp_path: Path) -> None:
    for channel in (UnaryEncoding(3, 70), RandomizedResponse(3, categories=4)):
        asked = signed(channel)
        values = []
        for number in range(40):
            sent = person(tmp_path / f"{channel.kind}-{number}").answer(asked, [1], bits=SeededBits(number))
            values += json.loads(sent.wire)["reports"]["0"]
        once = Repetition("once")
        found = tally(channel, once, read_values(channel, values))
        assert estimate(channel, once, found).on_simplex().argmax() == 1
