import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.foreign import parse_json, read_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_what_python_writes_is_read_as_it_is(value: object, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only), "no") == value


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:0123456789eE+-.\\ untrfalsNI', max_size=60).map(str.encode))
def test_any_bytes_are_a_value_or_our_error(data: bytes) -> None:
    try:
        parse_json(data, "It is not a plan")
    except BadValue as error:
        told = str(error)
    else:
        return
    assert told.startswith("It is not a plan: ")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"a": 1, "a": 2}', "a key stands in it twice"),
        ("NaN", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[" * 100_000, "nested more than 64 deep"),
        ('{"a":' * 100_000, "nested more than 64 deep"),
        ("9" * 100_000, "more than 1000 digits"),
        ("1e300000000", "beyond what can be read"),
        ("1e-300000000", "beyond what can be read"),
        ("1e399", "beyond what can be read"),
        (b"\xff\xfe", "not text in UTF-8"),
        ("{", "not JSON"),
        ("", "not JSON"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_each_trick_has_one_clear_error(data: str | bytes, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        parse_json(data, "It is not a plan")


def test_brackets_inside_texts_do_not_nest() -> None:
    assert parse_json(json.dumps('["' * 500), "no") == '["' * 500


def test_files_that_are_missing_too_long_or_folders_are_refused(tmp_path: Path) -> None:
    long = tmp_path / "long.json"
    long.write_text("[" + "1," * 100 + "1]")
    for path, words in ((tmp_path / "none", "does not exist"), (tmp_path, "cannot be read"), (long, "longer than 50")):
        with pytest.raises(BadValue, match=words):
            read_json(path, "a plan", most_bytes=50)
