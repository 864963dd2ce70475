"""Two friends of mine become friends of each other, if both want to; a no looks like silence."""

from pathlib import Path

import pytest

from banister.apps.wildfire.introductions import MOST_OPEN, OFFER, TAKEN, Introduction
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.terminal import Talk
from banister.errors import BadValue
from banister.spread.node.codec import LONGEST_NOTE
from banister.spread.node.messages import NOTES, Note
from tests.apps.wildfire.people import TICK, WORDS, befriend, heard, here, people, until


def offered(one: Messenger) -> list[str]:
    return [each.state for each in one.introductions()]


def test_two_friends_meet_when_both_agree(tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, cleo):
        befriend(ann, ben)
        befriend(ann, cleo)
        said: list[str] = []
        Talk(ann, said.append).run(["introduce 1 1", "introduce 1 9", "introduce 1 2", "introductions"])
        assert said[0] == said[1] == "Give the numbers of two confirmed friends. Look at the list of friends."
        assert said[2].startswith("Offered to both.")
        assert said[3] == "  1 You offered friend and friend 2 to each other; it waits until both agree"
        until(lambda: offered(ben) == offered(cleo) == ["offered"])
        Talk(ben, said.append).run(["introductions", "agree 1", "introductions", "agree 2"])
        assert said[4:] == [
            "  1 one would introduce you to friend 2",
            "  1 one would introduce you to friend 2; you agreed",
            "There is no introduction 2. Write introductions to see them.",
        ]
        until(lambda: "agreed" in [each.state for each in ann.node.introductions.all()])
        assert len(ben.friends()) == len(cleo.friends()) == 1  # One yes opens nothing.
        with pytest.raises(BadValue, match="There is no such introduction any more"):
            ben.agree(ben.introductions()[0].name, ben.introductions()[0].link)
        Talk(cleo, said.append).run(["agree 1"])
        until(lambda: len(ben.friends()) == len(cleo.friends()) == 2)
        asked, waiting = sorted((ben, cleo), key=lambda one: one.friends()[1].state)
        assert [one.friends()[1].state for one in (asked, waiting)] == ["asked", "waiting"]
        names = {asked.friends()[1].name, waiting.friends()[1].name}
        assert names == {"friend, through one", "friend 2, through one"}
        assert asked.friends()[1].safety == waiting.friends()[1].safety
        asked.accept(asked.friends()[1].link)
        until(lambda: len(here(ben)) == len(here(cleo)) == 2)
        until(lambda: not any(one.introductions() for one in (ann, ben, cleo)))
        until(lambda: not any(one.store.rows("SELECT * FROM notes") for one in (ann, ben, cleo)))
        ann.remove(1)
        ann.remove(2)
        ben.post("without her", although_few=True)
        until(lambda: "without her" in heard(cleo))
        assert ann.node.failure is ben.node.failure is cleo.node.failure is None


def test_a_no_looks_like_silence_and_an_offer_can_be_taken_back(tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, cleo):
        befriend(ann, ben)
        befriend(ann, cleo)
        ann.introduce(1, 2)
        until(lambda: offered(ben) == offered(cleo) == ["offered"])
        until(lambda: not ann.store.rows("SELECT * FROM notes"))
        before = ann.store.rows("SELECT * FROM introductions ORDER BY link")
        ben.decline(ben.introductions()[0].name, ben.introductions()[0].link)
        assert ben.introductions() == ()
        assert not ben.store.rows("SELECT * FROM notes")
        # The offer told again, as if its answer had been lost: it stays declined, and she hears that it came.
        ann._do(lambda: ann.node.exchange.tell(1, Note(before[0][0], OFFER, b"Cleo")))
        cleo.agree(cleo.introductions()[0].name, cleo.introductions()[0].link)
        until(lambda: "agreed" in [each.state for each in ann.node.introductions.all()])
        assert ben.introductions() == ()
        assert offered(ann) == ["asked"]  # What the person sees does not tell who agreed.
        ann.decline(ann.introductions()[0].name, ann.introductions()[0].link)
        assert not ann.store.rows("SELECT * FROM introductions")
        with pytest.raises(BadValue, match="There is no such introduction any more"):
            ann.decline(before[0][0].hex(), 1)
        ann.introduce(1, 2)
        ann.remove(2)  # Who is left waits for nobody.
        assert ann.introductions() == ()
        assert not ann.store.rows("SELECT * FROM notes")


def test_what_was_agreed_survives_a_restart_of_all(tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, cleo):
        befriend(ann, ben)
        befriend(ann, cleo)
        ann.introduce(1, 2)
        until(lambda: offered(ben) == offered(cleo) == ["offered"])
        ben._do(lambda: ben.node._drop(1))
        ben.agree(ben.introductions()[0].name, 1)
    again = [Messenger(tmp_path / str(k), WORDS, tick_seconds=TICK) for k in range(3)]
    ann, ben, cleo = again
    try:
        cleo.agree(cleo.introductions()[0].name, 1)
        until(lambda: len(ben.friends()) == len(cleo.friends()) == 2)
    finally:
        for one in again:
            one.close()


def test_forged_and_flooding_notes_are_harmless(tmp_path: Path) -> None:
    with people(tmp_path, 2) as (ann, ben):
        befriend(ann, ben)
        ann.introductions()
        work = ben.node.introductions

        def forge() -> None:
            now = ben.node.clock.now()
            for what in range(NOTES):
                for body in (b"", b"\0", b"\xff" * 31, bytes(32), bytes(33), b"\7" * LONGEST_NOTE):
                    for name in (b"x", b"i" * 16, b"i" * 32):
                        ben.node.exchange.notes.append((1, Note(name, what, body)))
            for k in range(3 * MOST_OPEN):
                ben.node.exchange.notes.append((1, Note(k.to_bytes(16, "big"), OFFER, b"somebody\x1b[2J\n")))
            work.work(now)

        ben._do(forge)
        assert len(ben.introductions()) == MOST_OPEN
        assert all(each.whom.isprintable() for each in ben.introductions())
        for each in ben.introductions():
            ben.agree(each.name, each.link)
        ben._do(forge)  # Nothing that was agreed makes room for more; keys that are none open nothing.
        assert [each.state for each in ben.introductions()] == ["agreed"] * MOST_OPEN
        assert len(ben.friends()) == 1
        mine = [Introduction(each.id, 1, True, "x", "meeting", bytes(32), 0, "", 10**12) for each in work.all()]
        long = Note(mine[0].id, 4, bytes(LONGEST_NOTE))
        assert not ben._do(lambda: work._answer(mine[0], long))  # It would not fit into the frame that gives it on.
        assert not ben._do(lambda: work._answer(mine[0], Note(mine[0].id, TAKEN)))
        ben.node.clock.wall = lambda: 1e12  # type: ignore[method-assign]
        until(lambda: not ben.introductions() and not ben.store.rows("SELECT * FROM notes"))
        assert ben.node.failure is None
