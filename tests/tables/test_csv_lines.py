"""CSV files are read by rules, and what becomes of a row depends on that row alone."""

import random
import re
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.tables.csv_rules import CsvRules
from banister.tables.frames import csv_lines
from banister.tables.frames.csv_lines import APART, LONGEST, CsvFile, typed
from banister.tables.schema import Schema
from tests.sizes import sized

NAMES = ("a", "b", "c")


def alone(line: bytes, rules: CsvRules) -> tuple[str | None, ...] | None:
    """The values of one line, worked out here; nothing where it cannot be read."""
    try:
        text = line.decode(rules.encoding)
    except UnicodeDecodeError:
        return None
    q, s = re.escape(rules.quote), re.escape(rules.separator)
    value = f"(?:{q}(?:[^{q}]|{q}{q})*{q}|[^{q}{s}]*)"
    if APART in text or not re.fullmatch(f"{value}(?:{s}{value})*", text):
        return None
    values = re.findall(f"(?:^|{s})({value})", text)
    plain = [v[1:-1].replace(2 * rules.quote, rules.quote) if v.startswith(rules.quote) else v for v in values]
    while len(plain) > len(NAMES) and not plain[-1]:
        plain.pop()  # Separators too many at the end are passed over.
    return tuple(v or None for v in plain) if len(plain) == len(NAMES) else None


def read(path: Path, rules: CsvRules) -> list[tuple[str | None, ...]]:
    file = CsvFile(path, rules)
    with duckdb.connect() as connection:
        return connection.execute(file.text_query).fetchall()


def ordered(rows: list[tuple[str | None, ...]]) -> list[str]:
    return sorted(map(repr, rows))


PIECES = [b"a", b"7", b" ", b",", b",", b",", b'"', b'""', b",,", b'","', b"\xc3\xa9", b"\xe9", b";", b"'", b"\x00"]
ODD = [b"\x1f", b"\xff\xfe", b"#", b"\\", b"NULL", b"\xef\xbb\xbf"]
LINES = st.lists(st.lists(st.sampled_from(PIECES + ODD), max_size=9).map(b"".join), max_size=9)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n"])


@settings(max_examples=sized(100, 1000))
@given(LINES, st.lists(ENDS, min_size=9, max_size=9), st.booleans(), st.booleans())
def test_every_row_is_read_as_if_it_were_alone(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], ends: list[bytes], last: bool, semicolons: bool
) -> None:
    rules = CsvRules(separator=";", quote="'") if semicolons else CsvRules()
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    body = b"".join(line + end for line, end in zip(lines, ends, strict=False))
    if last and lines and lines[-1]:
        body = body.rstrip(b"\r\n")
    path.write_bytes(rules.separator.join(NAMES).encode() + b"\n" + body)
    due = [row for row in (alone(line, rules) for line in lines if line) if row is not None]
    assert ordered(read(path, rules)) == ordered(due)


def test_lines_over_many_blocks_are_read_as_if_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and pieces so small that every line stands on their border somewhere."""
    rng = np.random.default_rng(3)
    some = [
        b"1,2,3",
        b'"a,b",2,"c""d"',
        b'"open,2,3',
        b"1,2",
        b"1,2,3,4",
        b"\xff,2,3",
        b"x" * 50 + b",2,3",
        b",,",
        b"y" * 90,
    ]
    lines = [some[i] for i in rng.integers(0, len(some), 3000)]
    ends = [(b"\n", b"\r\n", b"\r")[i] for i in rng.integers(0, 3, len(lines))]
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b,c\r\n" + b"".join(a + b for a, b in zip(lines, ends, strict=True)))
    due = [row for row in (alone(line, CsvRules()) for line in lines if len(line) <= 64) if row is not None]
    for block in (80, 97, 1000):
        monkeypatch.setattr(csv_lines, "LONGEST", 64)
        monkeypatch.setattr(csv_lines, "CHUNK", 32)
        monkeypatch.setattr(csv_lines, "BLOCK", block)
        assert ordered(read(path, CsvRules())) == ordered(due)
        assert CsvFile(path, CsvRules()).lines() == len(lines)


@pytest.mark.parametrize("other", [b"1,2,3\n", b'"1",2,3\n', b"1,2\n", b'"\n', b"z" * (LONGEST + 1) + b"\n", b"\x1f\n"])
def test_another_row_changes_nothing(other: bytes, tmp_path: Path) -> None:
    """A copy is made or not by what others hold; rows are the same, also the longest that is read."""
    rows = [
        b"a,b,c\n",
        b"1,2,3\r\n",
        b"x" * (LONGEST - 4) + b",2,3\n",
        b"x" * (LONGEST - 3) + b",2,3\n",
        b"\xc3\xa9, ,\n",
    ]
    found = []
    for name, lines in (("with", [*rows, other, b"7,8,9"]), ("without", [*rows, b"7,8,9"])):
        path = tmp_path / name
        path.write_bytes(b"".join(lines))
        found.append(read(path, CsvRules()))
    mine = alone(other.rstrip(), CsvRules()) if len(other) < LONGEST else None
    assert ordered(found[0]) == ordered(found[1] + ([] if mine is None else [mine]))
    assert len(found[1]) == 4


def test_a_copy_is_the_owners_alone_and_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "t.csv"
    path.write_text('a,b,c\n"1",2,3\n')
    file = CsvFile(path, CsvRules())
    (folder,) = tmp_path.glob("banister-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [one.stat().st_mode & 0o777 for one in folder.iterdir()] == [0o600]
    del file
    assert not folder.exists()


SCHEMA = """
[source]
table = "t.csv"
{rules}
[columns]
n = {{ kind = "integer", range = [0, 100] }}
x = {{ kind = "number", range = [0, 100], step = 0.01 }}
d = {{ kind = "date", range = [2020-01-01, 2025-12-31] }}
g = {{ kind = "category", values = ["Ja", "Nein"] }}
s = {{ kind = "category" }}
"""


def values(rules: str, *lines: str, encoding: str = "utf-8", separator: str = ",") -> list[tuple[object, ...]]:
    """What a file with these lines holds, each value in its kind."""
    table = Schema.of_text(SCHEMA.format(rules=rules)).main
    with duckdb.connect() as connection:
        path = Path("t.csv")
        path.write_bytes("\n".join([separator.join("nxdgs"), *lines]).encode(encoding))
        items = ", ".join(typed(column.name, column, table.rules) for column in table.columns)
        file = CsvFile(path, table.rules)
        found = connection.execute(f"SELECT {items} FROM ({file.text_query})").fetchall()
    return [(n, x, None if d is None else str(d), g, s) for n, x, d, g, s in found]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_values_are_read_as_they_are_declared() -> None:
    german = (
        'encoding = "cp1252"\nseparator = ";"\ndecimal = ","\ndate_format = "%d.%m.%Y"\ntrim = true\nignore_case = true'
    )
    found = values(german, "5;1,5;29.08.2024; JA ;Köln", "6;2;1.2.2024;nein;KÖLN ", encoding="cp1252", separator=";")
    assert found == [(5, 1.5, "2024-08-29", "Ja", "köln"), (6, 2.0, "2024-02-01", "Nein", "köln")]


def test_what_is_not_written_by_the_rules_is_missing() -> None:
    assert values('decimal = ","', '5,"1.500,5",2024-08-29,Ja,a') == [(5, None, "2024-08-29", "Ja", "a")]
    assert values('date_format = "%d.%m.%Y"', "x,1.5,2024-08-29,ja,a") == [(None, 1.5, None, "ja", "a")]
    assert values("", " 5,,31.02.2024,Ja ,") == [(5, None, None, "Ja ", None)]


def test_thousands_may_stand_apart() -> None:
    """By the declared sign and three by three; anywhere else the sign makes a value that is none."""
    read = {
        "1.234,5": 1234.5,
        "-1.234.567": -1234567,
        "12": 12,
        "0,5": 0.5,
        "1.23": None,
        "1234.567": None,
        ".123": None,
    }
    read |= {"1.234,567.8": None, "1..234": None, "1.234,": 1234, "1,234.5": None}
    for text, number in read.items():
        (row,) = values('separator = ";"\ndecimal = ","\nthousands = "."', f"1.000;{text};;;", separator=";")
        assert row[:2] == (1000, number), text
    assert values('thousands = "\'"', "2'500,1'234.5,,,") == [(2500, 1234.5, None, None, None)]
    assert values("", '2,"1,234.5",,,') == [(2, None, None, None, None)]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ('thousands = "."', "and not what stands before decimals ('.')"),
        ('thousands = "^"', "must be one of . , ' and a blank"),
        ('encoding = "utf-16"', "must be 'utf-8', or one in which a letter is a byte"),
        ('encoding = "shift_jis"', "must be 'utf-8', or one in which a letter is a byte"),
        ('encoding = "gb18030"', "Save the file as UTF-8"),
        ('encoding = "rot13"', "Save the file as UTF-8"),
        ('encoding = "nonsense"', "Save the file as UTF-8"),
        ('separator = ",,"', "separator = ',,' in [source] must be one sign"),
        ('separator = "a"', "must be one sign"),
        ('separator = "\\n"', "must be one sign"),
        ('decimal = "\'"', "must be '.' or ','"),
        ("separator = '\"'", "are the same sign"),
        ('date_format = "dd.mm.yyyy"', "must be a form such as '%d.%m.%Y'"),
        ('trim = "yes"', "trim in [source] must be true or false"),
        ("trimm = true", "Did you mean 'trim'?"),
    ],
)
def test_rules_that_cannot_be_followed_are_refused(rules: str, words: str) -> None:
    with pytest.raises(BadValue, match=re.escape(words)):
        Schema.of_text(SCHEMA.format(rules=rules))


def test_values_that_differ_by_case_alone_are_refused_where_case_is_ignored() -> None:
    column = Schema.of_text('[columns]\ng = { kind = "category", values = ["a", "A"] }').main.columns[0]
    with pytest.raises(BadValue, match="differ by case alone"):
        typed("g", column, CsvRules(ignore_case=True))


def test_headers_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    for text, words in (("", "has no header line"), ("a,A\n1,2\n", "two columns of one name")):
        (tmp_path / "h.csv").write_text(text)
        with pytest.raises(BadValue, match=words):
            CsvFile(tmp_path / "h.csv", CsvRules())


@pytest.mark.parametrize("seed", range(6))
def test_the_short_way_for_quotes_gives_what_the_long_one_gives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, rules, short = random.Random(seed), CsvRules(), 0
    for _ in range(400):
        signs = 'ab,"\n' if chance.random() < 0.5 else 'abc,,\n\n""'
        values = ['"a"', '"b c"', "d", "", '"e', 'f"', '"g,h"', '"i""j"', '""'][: chance.choice([4, 4, 9])]
        lines = [",".join(chance.choices(values, k=3)) for _ in range(4)]
        text = "".join(chance.choices(signs, k=12)) if chance.random() < 0.5 else "\n".join(lines)
        block = np.frombuffer((text + "\n").encode(), dtype=np.uint8)
        one = csv_lines.prepared(block, rules)
        short += b'"' in block.tobytes() and csv_lines._is_regular(block, block.tobytes(), rules)
        with monkeypatch.context() as long:
            long.setattr(csv_lines, "_is_regular", lambda *_: False)
            assert csv_lines.prepared(block, rules) == one, text
    assert short > 20
