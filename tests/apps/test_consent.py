"""Nobody answers what they were not shown, above what they agreed to, or somebody they do not know."""

import base64
import json
import stat
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.consent import Ceilings, Given, level_words
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue, BanisterError, BudgetExceeded
from banister.keys import SigningKey
from banister.parties.meetings.conduct import answer_plan, open_meeting
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.papers import Meeting, Member, canonical

RUN = CliRunner(env={"COLUMNS": "80"})


def run(*words: str) -> str:
    done = RUN.invoke(build(), list(words))
    if done.exception is not None:
        raise done.exception
    assert max(map(len, done.output.splitlines())) <= 80
    return done.output


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path / "home"))


def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on somebody sits at the terminal; what they type is handed to the command as its input."""
    monkeypatch.setattr(
        "banister.apps.cli.showing.consent_say.sys", type("Tty", (), {"stdin": type("In", (), {"isatty": bool})})
    )
    monkeypatch.setattr("banister.apps.cli.showing.consent_say.sys.stdin.isatty", lambda: True)


def invited(*, epsilon: str = "1", name: str = "m", title: str = "Is the drug safe?", home: str = "organiser") -> Path:
    words = ["parties", "plan", "--function", "xor", "--parties", "2", "--epsilon", epsilon, "--names", "ann,bob"]
    run(*words, "--title", title, "--save", f"{name}.toml")
    lines = [run("parties", "key", "--party", party, "--home", party) for party in ("ann", "bob")]
    Path("keys.txt").write_text("".join(lines))
    run(
        "parties", "invite", f"{name}.toml", "--keys", "keys.txt", "--out", name, "--organiser", "board", "--home", home
    )
    return Path(name) / "plan.json"


def answer(plan: Path, *words: str, out: str = "a.json") -> list[str]:
    return ["parties", "respond", str(plan), "--party", "ann", "--bit", "1", "--home", "ann", "--out", out, *words]


def begun() -> int:
    return len(list(Path("ann").glob("answered/ann/*.begun")))


def test_a_plan_is_shown_before_anybody_answers() -> None:
    plan = invited()
    key = run("parties", "key", "--party", "board", "--home", "organiser").split()[1]
    shown = run("parties", "show", str(plan))
    for words in ("Is the drug safe?", "board", key, open_meeting(plan).hash, "epsilon 1: whoever guesses", "73.2 %"):
        assert words in flat(shown)


def test_a_party_is_shown_the_question_and_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = invited(), invited(name="n", title="Is it cheap?")
    terminal(monkeypatch)
    for typed, answered in (("n\n", 0), ("y\n", 1)):
        done = RUN.invoke(build(), answer(first), input=typed)
        for words in (
            "Is the drug safe?",
            "board",
            "before nothing",
            "73.2 %",
            "none; --at-most sets one",
            "Answer it?",
        ):
            assert words in flat(done.output)
        assert begun() == answered
        assert (done.exception is None) == bool(answered)
    done = RUN.invoke(build(), answer(second, "--at-most", "1", out="b.json"), input="y\n")
    assert "Is it cheap?" in done.output
    assert "before 1 answer, together at most epsilon 1" in flat(done.output)
    assert isinstance(done.exception, BudgetExceeded)
    assert begun() == 1


@pytest.mark.parametrize("words", [(), ("--yes",), ("--at-most", "1")])
def test_without_a_terminal_both_words_are_needed(words: tuple[str, ...]) -> None:
    plan = invited()
    with pytest.raises(BadValue, match="There is no terminal to ask at"):
        run(*answer(plan, *words))
    assert begun() == 0


def test_a_ceiling_without_a_delta_says_how_one_is_written(tmp_path: Path) -> None:
    kept = Ceilings(tmp_path)
    kept.lower("ann", Guarantee(4))
    with pytest.raises(BudgetExceeded, match=r"of 'ann', epsilon 4, delta 0\. .* such as --at-most 3:0\.01\)"):
        kept.check("ann", Given(0, Fraction(0), Fraction(0)), Guarantee(3, "0.01"))
    kept.raise_to("ann", Guarantee(3, "0.01"))
    kept.check("ann", Given(0, Fraction(0), Fraction(0)), Guarantee(3, "0.01"))


def test_the_ceiling_is_kept_lowered_by_answers_and_raised_by_hand_alone() -> None:
    plan = invited()
    with pytest.raises(BudgetExceeded, match=r"above the ceiling of 'ann', epsilon 0\.5"):
        run(*answer(plan, "--yes", "--at-most", "0.5"))
    with pytest.raises(BudgetExceeded, match=r"above the ceiling of 'ann', epsilon 0\.5"):
        run(*answer(plan, "--yes", "--at-most", "60"))
    assert stat.S_IMODE(Path("ann/ceilings/ann.json").stat().st_mode) == 0o600
    assert "Ceiling: epsilon 0.5." in run("parties", "ceiling", "--party", "ann", "--home", "ann")
    run("parties", "ceiling", "--party", "ann", "--home", "ann", "--at-most", "1.5")
    run(*answer(plan, "--yes", "--at-most", "60"))
    with pytest.raises(BudgetExceeded, match=r"that is epsilon 2, above"):
        run(*answer(invited(name="n"), "--yes", "--at-most", "60", out="b.json"))
    with pytest.raises(BudgetExceeded):  # From Python too.
        answer_plan(invited(name="o"), party="ann", bit=1, out=Path("c.json"), home=PartyHome(Path("ann")))


EDITS: dict[str, Callable[[dict[str, object]], object]] = {
    "a level": lambda plan: plan["parties"][0].update(epsilon="60"),  # type: ignore[index]
    "the question": lambda plan: plan.update(title="Is it raining?"),
    "the organiser's name": lambda plan: plan["organiser"].update(name="friend"),  # type: ignore[attr-defined]
    "the organiser's key": lambda plan: plan["organiser"].update(key=SigningKey.generate().public),  # type: ignore[attr-defined]
    "no signature": lambda plan: plan.pop("signature"),
    "a number as signature": lambda plan: plan.update(signature=1),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_changed_plan_is_refused(edit: str) -> None:
    plan = invited()
    found = json.loads(plan.read_text())
    EDITS[edit](found)
    plan.write_text(json.dumps(found))
    for words in (["parties", "show", str(plan)], answer(plan, "--yes", "--at-most", "99")):
        with pytest.raises(BadValue, match="its signature is not that of the organiser"):
            run(*words)
    assert begun() == 0


def test_an_unsigned_plan_of_the_first_format_is_not_answered() -> None:
    plan = invited()
    found = json.loads(plan.read_text())
    del found["organiser"], found["signature"]
    plan.write_text(json.dumps(found | {"format": "banister-meeting/1"}))
    assert "nobody has signed" in run("parties", "show", str(plan))
    with pytest.raises(BadValue, match="Nobody has signed"):
        run(*answer(plan, "--yes", "--at-most", "9"))
    assert begun() == 0


def test_another_key_under_an_organisers_name_is_refused() -> None:
    run(*answer(invited(), "--yes", "--at-most", "9"))
    with pytest.raises(BadValue, match="'board' asked before with another key"):
        run(*answer(invited(name="n", home="stranger"), "--yes", "--at-most", "9", out="b.json"))
    assert begun() == 1


def meeting(*members: Member, organiser: str = "", key: str = "") -> Meeting:
    half = Fraction(1, 2)
    return Meeting("q", "xor", "average", "zero-one", half, members, "0" * 32, organiser=organiser, organiser_key=key)


def other_spellings(key: str) -> list[str]:
    """Every text of the same form that decodes to the same key: base64 leaves two bits of the last letter open."""
    raw = base64.b64decode(key.removeprefix("ed25519:"))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    texts = [key[:-2] + letter + "=" for letter in letters]
    return [t for t in texts if t != key and base64.b64decode(t.removeprefix("ed25519:")) == raw]


def test_one_key_cannot_stand_under_two_names() -> None:
    key, other = SigningKey.generate().public, SigningKey.generate().public
    assert len(other_spellings(key)) == 3
    for double in (key, *other_spellings(key)):
        with pytest.raises(BadValue, match=r"have the key|no usable key"):
            meeting(Member("ann", Guarantee(1), key), Member("bob", Guarantee(1), double))
    two = Member("ann", Guarantee(1), key), Member("bob", Guarantee(1), other)
    assert meeting(*two, organiser="ann", key=key).organiser == "ann"
    for name, chosen in (("board", key), ("ann", SigningKey.generate().public)):
        with pytest.raises(BadValue, match="one key cannot stand under two names"):
            meeting(*two, organiser=name, key=chosen)


def test_what_was_given_cannot_be_made_less_by_a_broken_record() -> None:
    run(*answer(invited(), "--yes", "--at-most", "9"))
    (record,) = Path("ann").glob("answered/ann/*.begun")
    record.write_text("{}")
    with pytest.raises(BadValue, match="is not a record of an answer"):
        run(*answer(invited(name="n"), "--yes", "--at-most", "9", out="b.json"))


def test_the_identity_of_a_plan_covers_who_asks() -> None:
    two = (Member("ann", Guarantee(1), SigningKey.generate().public),)
    one, other = (meeting(*two, organiser="board", key=SigningKey.generate().public) for _ in range(2))
    assert one.hash != other.hash
    assert one.signed_bytes() == canonical(one.document())


def surveyed() -> list[str]:
    Path("k.csv").write_text("answer\nyes\nno\n")
    Path("a.csv").write_text("answer\nyes\n")
    words = ["local", "make", "unary-encoding", "--epsilon", "1", "--categories", "k.csv", "--out", "c.json"]
    run(*words, "--question", "Do you smoke?", "--asked-by", "The health office")
    return ["local", "respond", "c.json", "a.csv", "--out", "r.csv"]


def test_a_survey_shows_its_question_and_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    words = surveyed()
    with pytest.raises(BadValue, match="There is no terminal to ask at"):
        run(*words)
    terminal(monkeypatch)
    for typed in ("n\n", "y\n"):
        done = RUN.invoke(build(), words, input=typed)
        for part in ("Do you smoke?", "The health office", "yes, no", "73.2 %", "before nothing", "Answer it?"):
            assert part in flat(done.output)
        assert Path("r.csv").exists() == (typed == "y\n")
    assert "before 1 answer, together at most epsilon 1" in flat(RUN.invoke(build(), words, input="n\n").output)
    for shown in ("Do you smoke?", "The health office"):
        assert shown in run("local", "show", "c.json")


def test_a_survey_above_the_ceiling_is_refused() -> None:
    words = [*surveyed(), "--yes", "--at-most"]
    with pytest.raises(BudgetExceeded):
        run(*words, "0.9")
    run("local", "ceiling", "--at-most", "1.5")
    run(*words, "5")
    with pytest.raises(BudgetExceeded, match="that is epsilon 2"):
        run(*words, "5")
    assert "Given so far: 1 answer" in run("local", "ceiling")


def test_reports_fit_only_the_words_that_were_answered() -> None:
    run(*surveyed(), "--yes", "--at-most", "1")
    Path("k.csv").write_text("answer\nno\nyes\n")
    words = ["local", "make", "unary-encoding", "--epsilon", "1", "--categories", "k.csv", "--out", "d.json"]
    run(*words, "--question", "Do you smoke?", "--asked-by", "The health office")
    with pytest.raises(BadValue, match="come from another channel"):
        run("local", "estimate", "d.json", "r.csv")


@pytest.mark.parametrize("text", ["", "[]", '{"format": "banister-ceiling/1"}', '{"format": 1}'])
def test_a_broken_ceiling_refuses(tmp_path: Path, text: str) -> None:
    ceilings = Ceilings(tmp_path)
    ceilings.raise_to("ann", Guarantee(1))
    (tmp_path / "ann.json").write_text(text)
    with pytest.raises(BanisterError, match="is not a ceiling"):
        ceilings.check("ann", Given(0, Fraction(0), Fraction(0)), Guarantee(1))


@pytest.mark.parametrize(("epsilon", "delta", "percent"), [(0, 0, "50.1 %"), (1, "0.5", "86.6 %"), (5000, 0, "100 %")])
def test_levels_in_words_are_rounded_up(epsilon: int, delta: object, percent: str) -> None:
    assert percent in level_words(Guarantee(epsilon, str(delta)))
