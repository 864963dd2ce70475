"""The lists of mutants fit the sources and tests as they are, and the runner tells apart what it should."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.mutants.lists import ALL, ROOMS
from tests.mutants.mutant import ROOT, DoesNotApply, Mutant
from tests.mutants.run import Fate, run

BY_NAME = {mutant.name: mutant for mutant in ALL}
QUICK = ("receipt-works-twice", "uniform-lets-n-through")


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_a_mutant_still_applies_and_names_tests_that_exist(mutant: Mutant) -> None:
    mutant.mutated(ROOT)
    assert mutant.tests
    for asked in mutant.tests:
        file, _, name = asked.partition("::")
        assert (ROOT / file).is_file(), f"there is no file {file}"
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8") or not name, f"there is no test {asked}"


def test_names_tell_mutants_apart_and_no_two_make_the_same_change() -> None:
    assert [name for name, count in Counter(mutant.name for mutant in ALL).items() if count > 1] == []
    changes = Counter((mutant.file, mutant.old, mutant.new) for mutant in ALL)
    assert [change for change, count in changes.items() if count > 1] == []
    assert all(ROOMS.values())


def test_a_text_that_is_not_there_once_or_gives_no_python_does_not_apply() -> None:
    good = BY_NAME["receipt-works-twice"]
    for bad, words in (
        (replace(good, file="accounting/nowhere.py"), "no file"),
        (replace(good, old="this is not in it"), "stands 0 times"),
        (replace(good, old="self"), "times in"),
        (replace(good, new=good.old), "changes nothing"),
        (replace(good, new="            self._used = = True\n"), "not Python"),
    ):
        with pytest.raises(DoesNotApply, match=words):
            bad.mutated(ROOT)


def test_the_runner_tells_killed_survived_explained_and_stale_apart() -> None:
    """The short form of `make mutants`: two of the list for real, and four that are made to end otherwise."""
    noticed = tuple(BY_NAME[name] for name in QUICK)
    harmless = replace(noticed[0], name="harmless", old="has been used, or belongs", new="has been used or belongs")
    asked = (
        *noticed,
        harmless,
        replace(harmless, name="explained", explained="It only changes the words of a message."),
        replace(noticed[0], name="stale", old="this is not in it"),
        replace(noticed[0], name="untested", tests=("tests/mutants/no_such_test.py",)),
    )
    told: list[str] = []
    outcomes = run(asked, jobs=2, tell=lambda outcome: told.append(str(outcome)))
    assert [outcome.fate for outcome in outcomes] == [
        *[Fate.KILLED] * len(noticed),
        Fate.SURVIVED,
        Fate.EXPLAINED,
        Fate.STALE,
        Fate.UNTESTED,
    ]
    assert [outcome.fate.good for outcome in outcomes] == [True, True, False, True, False, False]
    assert sorted(told) == sorted(str(outcome) for outcome in outcomes)
