"""How `banister draft` asks, and what it says at the end."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill

from banister.apps.cli.say import tell
from banister.errors import BadValue
from banister.files import new_text
from banister.release.drafting.draft import Draft, draft
from banister.tables.blanks import NAMED

LOOKING = (
    "You let it look at the data. Ranges and values that it proposes are taken from there: a range fitted to data "
    "gives away its most extreme person. They are marked in the file, and every plan repeats it."
)


@dataclass(frozen=True, slots=True)
class DraftPlace:
    """Where the table is, and where its schema goes."""

    table: str
    name: str
    path: Path

    def draft(self, *, owner_looks: bool, answers: Sequence[str]) -> Draft:
        """The draft as it begins, with what was said beforehand."""
        from dataclasses import replace

        begun = draft(self.table, table=self.name, out=self.path)
        if owner_looks:
            from banister.release.drafting.looked import look_as_owner

            tell(_wrapped(LOOKING), err=True)
            begun = replace(begun, looked=look_as_owner(self.table, begun.found))
        said: dict[str, str] = {}
        for answer in answers:
            key, sign, text = answer.partition("=")
            if not sign:
                raise BadValue(f"--set {answer[:40]} must be a key and its answer, e.g. --set person=patient.")
            said[key.strip()] = text
        # Some questions follow from the answers to others, so their answers come after, in whatever order they stand.
        for key in sorted(said, key=_turn):
            begun = _told(begun, key, said[key])
        return begun


def begin(table: str, out: str, name: str) -> DraftPlace:
    """The place of the schema: beside the table, or here for a table on a server."""
    if out:
        return DraftPlace(table, name, Path(out))
    if "://" in table or table.startswith("spark:"):
        return DraftPlace(table, name, Path(f"{name.rpartition('.')[2] or 'table'}.toml"))
    return DraftPlace(table, name, Path(table).with_suffix(".toml"))


def _turn(key: str) -> int:
    """Who a person is comes first, then kinds, then what columns are, then how dates are written."""
    return 0 if key == "person" else 1 if key.endswith(".kind") else 3 if key == "date_format" else 2


def _told(begun: Draft, key: str, text: str) -> Draft:
    """An answer that was given beforehand; a column's range also needs its kind, which is taken as proposed."""
    kind = f"{key.rpartition('.')[0]}.kind"
    if kind != key and not begun.given(kind) and any(question.key == kind for question in begun.questions):
        begun = begun.answer(kind, "")
    return begun.answer(key, text)


def talk(begun: Draft) -> Draft:
    """Ask what is open, one question after the other; a wrong answer is asked for again."""
    tell(
        _wrapped("Enter takes what stands in [brackets]; where nothing does, it leaves a blank to fill in later."),
        err=True,
    )
    while (question := begun.next) is not None:
        mark = " (from the data)" if question.from_data and question.proposal else ""
        tell(f"\n{_wrapped(question.ask)}\n{_wrapped(question.why, '  ')}", err=True)
        text = _typed(f"{f'[{question.proposal}]{mark} ' if question.proposal else ''}> ")
        try:
            begun = begun.answer(question.key, text)
        except BadValue as wrong:
            tell(_wrapped(str(wrong)), err=True)
    return begun


def _wrapped(text: str, before: str = "") -> str:
    return fill(text, width=min(get_terminal_size().columns, 100), initial_indent=before, subsequent_indent=before)


def _typed(prompt: str) -> str:
    tell(prompt.rstrip(), err=True)
    line = sys.stdin.readline()
    if not line:
        raise BadValue("The answers ended before the questions did. Nothing was written; --yes asks nothing.")
    return line


def refuse_taken(path: Path) -> None:
    """Refuse a name that is taken, before anything is asked."""
    if path.exists() or path.is_symlink():
        raise BadValue(f"'{path}' is there already. Give another name with --out, or take it away first.")


def finish(done: Draft, path: Path) -> None:
    """Write the file, whole and never over another, and say what comes next."""
    try:
        new_text(path, done.text())
    except FileExistsError:
        refuse_taken(path)
    tell(f"Wrote {path}")
    if done.blanks:
        more = f", and {len(done.blanks) - NAMED} more" if len(done.blanks) > NAMED else ""
        tell(f'Fill in what is marked "FILL IN": {", ".join(done.blanks[:NAMED])}{more}.')
    else:
        tell(f'Ask, e.g.: banister plan {path} "SELECT COUNT(*) FROM data" --epsilon 0.1')
