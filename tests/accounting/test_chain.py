"""Any change to a line, however small, breaks the chain."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.accounting.chain import ChainLine, check, check_head, digest
from banister.errors import LedgerDamaged


def chain(bodies: list[str]) -> list[ChainLine]:
    lines = [ChainLine.first("terms")]
    for body in bodies:
        lines.append(lines[-1].follow(body))
    return lines


def test_an_untouched_chain_is_clean() -> None:
    lines = chain(["a", "b", "c"])
    assert check(lines) == lines[-1]
    check_head(lines[-1], (3, lines[-1].hash))


def test_the_hash_is_the_one_that_is_written_down() -> None:
    """Number, hash of the line before, and body, under the version: a ledger must be read by every later version."""
    assert digest(3, "ab", "x") == hashlib.sha256(b"banister ledger 1\n3\nab\nx").hexdigest()
    first = ChainLine.first("terms")
    assert first.hash == hashlib.sha256(b"banister ledger 1\n0\n\nterms").hexdigest()
    assert first.follow("a").hash == digest(1, first.hash, "a")


def test_an_empty_chain_has_no_last_line() -> None:
    assert check([]) is None
    with pytest.raises(LedgerDamaged, match="the last that is there is none"):
        check_head(None, (0, "x"))


@given(st.lists(st.text(max_size=5), min_size=1, max_size=6), st.data())
def test_changing_any_body_is_found(bodies: list[str], data: st.DataObject) -> None:
    lines = chain(bodies)
    where = data.draw(st.integers(0, len(lines) - 1))
    lines[where] = replace(lines[where], body=lines[where].body + "0")
    with pytest.raises(LedgerDamaged, match=f"Line {where} of the ledger was changed"):
        check(lines)


@given(st.lists(st.text(max_size=5), min_size=2, max_size=6), st.data())
def test_dropping_a_line_in_the_middle_is_found(bodies: list[str], data: st.DataObject) -> None:
    lines = chain(bodies)
    where = data.draw(st.integers(0, len(lines) - 2))
    del lines[where]
    with pytest.raises(LedgerDamaged, match=f"Line {where} of the ledger is missing"):
        check(lines)


def test_swapping_two_equal_looking_lines_is_found() -> None:
    lines = chain(["same", "same"])
    lines[1], lines[2] = replace(lines[2], sequence=1), replace(lines[1], sequence=2)
    with pytest.raises(LedgerDamaged, match="Line 1 of the ledger was changed"):
        check(lines)


def test_dropping_the_last_line_is_found_by_the_head() -> None:
    lines = chain(["a", "b"])
    head = (lines[-1].sequence, lines[-1].hash)
    with pytest.raises(LedgerDamaged, match="should end with line 2, but the last that is there is line 1"):
        check_head(check(lines[:-1]), head)


def test_another_last_line_of_the_same_number_is_found_by_the_head() -> None:
    lines, others = chain(["a", "b"]), chain(["a", "forged"])
    with pytest.raises(LedgerDamaged, match="or another one"):
        check_head(check(others), (lines[-1].sequence, lines[-1].hash))


def test_rewriting_history_needs_every_later_hash() -> None:
    lines = chain(["a", "b", "c"])
    lines[1] = lines[0].follow("forged")
    with pytest.raises(LedgerDamaged, match="Line 2 of the ledger was changed"):
        check(lines)
