"""Campaigns that somebody wrote by hand, with hashes and a signature that fit, to learn more than they say.

A browser and Python must refuse the same ones: a field beyond its range would make a channel weaker than its level.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from banister.errors import BadValue
from banister.keys import SigningKey
from banister.local import (
    EverySet,
    HadamardResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
    design,
)
from banister.local.channels.hadamard import BASES
from banister.local.collect.campaign import SignedCampaign, read_campaign
from banister.local.collect.repeat import Repetition
from banister.local.collect.sharing import LevelShare
from tests.apps.collect.service import served
from tests.apps.collect.test_browser import module, person
from tests.local.collect.campaigns import signed

KEY = SigningKey.of_bytes(bytes(range(32)))
ASKED = ("format", "kind", "epsilon", "delta", "fields", "labels", "question", "asked_by")
Change = Callable[[dict[str, Any]], object]

FOUR = signed(RandomizedResponse(1, categories=4))
TWICE = signed(RandomizedResponse(1, categories=4), RandomizedResponse(1, categories=4), share=LevelShare.ONE)
KEPT = signed(RandomizedResponse(1, categories=4), repetition=Repetition("permanent", rounds=3, second=1))
BITS = signed(UnaryEncoding(1, 5))
SUBSETS = signed(SubsetSelection(1, 5, 2))
SETS = signed(EverySet(1, 6, 2))
FIELD = signed(HadamardResponse(1, 5, base=4))
MATRIX = signed(design(epsilon=1, prior=[0.5, 0.3, 0.2], utility="estimation"))


def fields(**more: object) -> Change:
    return lambda body: body["questions"][0]["fields"].update(more)


def said(**more: object) -> Change:
    return lambda body: body.update(more)


HOSTILE: dict[str, tuple[SignedCampaign, Change]] = {
    "a cell below 0 comes from one answer alone": (FOUR, fields(cell_of=[-1, 0, 1, 2])),
    "cells with gaps": (FOUR, fields(cell_of=[0, 1, 2, 9])),
    "cells that are no whole numbers": (FOUR, fields(cell_of=[0, 1, 2, "3"])),
    "cells for other answers": (FOUR, fields(cell_of=[0, 1, 2, 3, 3])),
    "more categories than answers": (FOUR, fields(categories=5)),
    "a set larger than all": (SUBSETS, fields(size=6)),
    "all as a set": (SUBSETS, fields(size=5)),
    "a set of fewer than none": (SUBSETS, fields(size=-1)),
    "half a set": (SUBSETS, fields(size=1.5)),
    "a set in words": (SUBSETS, fields(size="2")),
    "every set and more": (SETS, fields(size=7)),
    "no set": (SETS, fields(size=0)),
    "no field": (FIELD, fields(base=1)),
    "a field of nothing": (FIELD, fields(base=0)),
    "a field of six": (FIELD, fields(base=6)),
    "a field below 0": (FIELD, fields(base=-2)),
    "a row that does not exist": (MATRIX, fields(cell_of=[0, 1, 99])),
    "a row before the first": (MATRIX, fields(cell_of=[0, 1, -1])),
    "weights that are not as many": (MATRIX, lambda body: body["questions"][0]["fields"]["weights"][0].append("0")),
    "weights below 0": (MATRIX, lambda body: body["questions"][0]["fields"]["weights"][0].extend(["1", "-1"])),
    "a delta of two": (MATRIX, lambda body: (body["questions"][0].update(delta="2"), body.update(delta="2"))),
    "a kind that is none": (FOUR, lambda body: body["questions"][0].update(kind="constructor")),
    "the same report once, again and again": (FOUR, said(rounds=5)),
    "another question in another round": (TWICE, said(rounds=2, repeat="permanent", second="1")),
    "no round": (KEPT, said(rounds=0)),
    "rounds in words": (KEPT, said(rounds="3")),
    "rounds before the first": (KEPT, said(rounds=-3)),
    "kept without a second step": (KEPT, said(second="", people=79)),
    "memoised without a second step": (KEPT, said(second="", repeat="memoised")),
    "a second step of rows of bits": (BITS, said(repeat="permanent", rounds=3, second="1")),
    "a second step of what is given once": (FOUR, said(second="1")),
    "nobody is asked": (KEPT, said(people=0)),
    "no question": (FOUR, said(questions=[], epsilon="0")),
    "a level in another script": (FOUR, said(epsilon="١")),
    "no title": (FOUR, said(title=7)),
}


def forged(asked: SignedCampaign, change: Change) -> str:
    """The changed campaign, with hashes and a signature that fit."""
    body = json.loads(asked.text.split("\n")[0])
    change(body)
    for question in body["questions"]:
        matter = {name: question[name] for name in ASKED}
        question["hash"] = hashlib.sha256(_line(matter).encode()).hexdigest()
    line = _line(body)
    seal = {**json.loads(asked.text.split("\n")[1]), "key": KEY.public, "signature": KEY.sign(line.encode())}
    return f"{line}\n{json.dumps(seal)}\n"


def _line(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def test_a_forged_campaign_without_a_change_is_read(browser: Browser, tmp_path: Path) -> None:
    """So each refusal below is of its change."""
    bases = {id(asked): forged(asked, lambda body: None) for asked, _ in HOSTILE.values()}
    for text in bases.values():
        read_campaign(text)
    with served(tmp_path, FOUR) as service, person(browser) as page:
        found = module(
            page, service, "for (const file of given) await c.open(file); return given.length;", [*bases.values()]
        )
        assert found == len(bases)
        listed = module(page, service, "return c.BASES;")
        assert tuple(listed) == BASES


@pytest.mark.parametrize("name", HOSTILE)
def test_python_refuses_it(name: str) -> None:
    with pytest.raises(BadValue):
        read_campaign(forged(*HOSTILE[name]))


def test_a_browser_refuses_each_in_one_sentence(browser: Browser, tmp_path: Path) -> None:
    files = {name: forged(*one) for name, one in HOSTILE.items()}
    code = (
        "const found = {}; for (const [name, file] of Object.entries(given)) {"
        " try { await c.open(file); found[name] = 'taken'; }"
        " catch (error) { found[name] = error.constructor.name + ': ' + error.message; } }"
        " return found;"
    )
    with served(tmp_path, FOUR) as service, person(browser) as page:
        found = module(page, service, code, files)
    wrong = {name: words for name, words in found.items() if not words.startswith("Refusal: ")}
    assert not wrong
    assert set(found) == set(files)
