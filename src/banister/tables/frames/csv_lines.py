"""CSV files for DuckDB, read by rules: what becomes of a row depends on that row alone.

A line is a row. It ends with a line feed, a carriage return or both; an empty line is no row. A row that has another
number of values than the header (separators too many at its end are passed over), a quote that is not closed on its
line, bytes that are no text, or more than a million bytes is left out; a value that is not of its column's kind is
missing. DuckDB splits the lines, without quotes: where a file has quotes or carriage returns, or is not UTF-8, a copy
without them is made first, in a folder that only its owner can open, and taken away afterwards.
"""

import csv
import shutil
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister.errors import BadValue
from banister.files import Access, whole
from banister.tables.columns import Column, Kind
from banister.tables.csv_rules import CsvRules
from banister.tables.frames.paths import literal_path
from banister.tables.reading import Value
from banister.tables.zones import DAY, shifts_of

LONGEST = 2**20
"""A longer line is left out."""

CHUNK = LONGEST // 2
"""A line that is too long fills one of these pieces of the file, at least."""

BLOCK = 2**19
"""So many bytes are prepared at a time; a block that is no longer than a line may be holds none that is too long."""

APART = "\x1f"
"""What separates values in a prepared copy: a sign that ASCII has for it. A line that holds one is left out."""

ISO_DAY = "%Y-%m-%d"
FROM_UTC = r":[0-9]{2}([.][0-9]+)? ?(Z|z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)$"
"""How the text of a moment ends that says how far from UTC its clock was."""

BOM = b"\xef\xbb\xbf"
LINE_FEED, CARRIAGE_RETURN = 10, 13

Bytes = NDArray[np.uint8]


class CsvFile:
    """One CSV file: its header, and the SQL that reads it as text. A copy of it lives as long as this object.

    A file whose first line is a row already has no header; its owner says what its columns are called.
    """

    def __init__(self, path: Path, rules: CsvRules, *, names: Sequence[str] = ()) -> None:
        self.path, self.rules = path, rules
        self.header = list(names) or _header(path, rules)
        self._headed = not names
        self._copied = not _is_plain(path, rules)
        self._plain = self._prepared() if self._copied else path

    def _prepared(self) -> Path:
        folder = mkdtemp(prefix="banister-")  # Only its owner can open it.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        copy = Path(folder) / "rows.csv"
        whole(copy, self._prepare, access=Access.OWNER)
        return copy

    def _prepare(self, draft: Path) -> None:
        with draft.open("wb") as file:
            for block in blocks(self.path, headed=self._headed):
                file.write(prepared(block, self.rules))

    @property
    def text_query(self) -> str:
        """The rows that can be read, every value as text; an empty one is missing."""
        return self._query("false")

    @property
    def padded_query(self) -> str:
        """The same, and rows with fewer values than the header, whose last ones are missing then."""
        return self._query("true")

    def _query(self, padded: str) -> str:
        names = ", ".join(f"{_text(name)}: 'VARCHAR'" for name in self.header)
        apart, skipped = (APART, 0) if self._copied else (self.rules.separator, int(self._headed))
        source = (
            f"read_csv({literal_path(self._plain)}, columns = {{{names}}}, header = false, skip = {skipped}, "
            f"delim = {_text(apart)}, quote = '', escape = '', comment = '', new_line = '\\n', auto_detect = false, "
            f"strict_mode = true, null_padding = {padded}, ignore_errors = true, max_line_size = {4 * LONGEST})"
        )
        only = f" WHERE {_name(self.header[0])} IS NOT NULL" if len(self.header) == 1 else ""
        return f"SELECT * FROM {source}{only}"

    def lines(self) -> int:
        """How many lines there are beside the header, empty ones left out."""
        found, ended = 0, True
        with self.path.open("rb") as file:
            while piece := file.read(BLOCK):
                ends = _marked(LINE_FEED, CARRIAGE_RETURN)[np.frombuffer(piece, dtype=np.uint8)]
                before = np.concatenate(([ended], ends[:-1]))
                found, ended = found + int(np.count_nonzero(before & ~ends)), bool(ends[-1])
        return found - 1


class Written(Protocol):
    """What must be known of a column to read it from text."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def values(self) -> tuple[Value, ...] | None: ...


def normal(column: Written, rules: CsvRules) -> str:
    """SQL for a value of a column as text that needs no rules: a point in numbers, dates as in ISO 8601, values as they
    are declared; what is none becomes NULL."""
    text = _trimmed(column.name, rules)
    match column.kind:
        case Kind.INTEGER:
            return _together(text, rules)
        case Kind.NUMBER:
            return number_text(text, rules)
        case Kind.DATE:
            return f"CAST({_date(text, rules)} AS VARCHAR)"
        case Kind.TIMESTAMP:
            return f"CAST({_moment(text, rules)} AS VARCHAR)"
    named = column.values and isinstance(column.values[0], str)
    return _spelled(text, column) if named and rules.ignore_case else text


def typed(name: str, column: Column | None, rules: CsvRules) -> str:
    """SQL for a value of a column, from its text; what is none becomes NULL."""
    text = _trimmed(name, rules)
    if column is None:
        return text
    match column.kind:
        case Kind.INTEGER:
            return f"TRY_CAST({_together(text, rules)} AS BIGINT)"
        case Kind.NUMBER:
            return f"TRY_CAST({number_text(text, rules)} AS DOUBLE)"
        case Kind.DATE if not column.zone:
            return _date(text, rules)
        case Kind.DATE | Kind.TIMESTAMP:
            return _by_clocks(text, column, rules)
    if column.values is not None and not isinstance(column.values[0], str):
        return f"TRY_CAST({text} AS {'BOOLEAN' if isinstance(column.values[0], bool) else 'BIGINT'})"
    return _spelled(text, column) if rules.ignore_case else text


def _trimmed(name: str, rules: CsvRules) -> str:
    return f"NULLIF(trim({_name(name)}), '')" if rules.trim else f"NULLIF({_name(name)}, '')"


def _date(text: str, rules: CsvRules) -> str:
    if rules.date_format:
        return f"CAST(try_strptime({text}, {_text(rules.date_format)}) AS DATE)"
    return f"TRY_CAST({text} AS DATE)"


def _moment(text: str, rules: CsvRules) -> str:
    """A timestamp without a zone; what a text says about one is passed over."""
    if rules.date_format and rules.date_format != ISO_DAY:
        return f"CAST(try_strptime({text}, [{', '.join(map(_text, _forms(rules.date_format)))}]) AS TIMESTAMP)"
    return f"TRY_CAST({text} AS TIMESTAMP)"


def _forms(date_format: str) -> tuple[str, ...]:
    """The format, and where it says nothing about a time, the same with one behind it."""
    if "%H" in date_format or "%I" in date_format:
        return (date_format,)
    return (date_format, *(f"{date_format} {time}" for time in ("%H:%M:%S.%f", "%H:%M:%S", "%H:%M")))


def _by_clocks(text: str, column: Column, rules: CsvRules) -> str:
    """What clocks of the declared zone showed: as it is written, or shifted where a text says how far from UTC it is.

    Without a declared zone a text that says so is none.
    """
    form = rules.date_format or ""
    far = "TRUE" if "%z" in form.lower() else f"regexp_matches({text}, '{FROM_UTC}')"
    if not column.zone:
        return f"CASE WHEN NOT {far} THEN {_moment(text, rules)} END"
    days = [int(end) // (1 if column.kind is Kind.DATE else DAY) for end in (column.low, column.high)]
    shifts = shifts_of(column.zone, *days)
    even = f"regexp_replace({text}, ' ?([+-][0-9]{{2}}):?([0-9]{{2}})$', '\\1:\\2')"
    moment = f"try_strptime({text}, {_text(form)})" if far == "TRUE" else f"TRY_CAST({even} AS TIMESTAMPTZ)"
    utc = f"epoch_us({moment})"

    def ahead(first: int, last: int) -> str:
        if first == last:
            return f"CAST({shifts.ahead[first]}000000 AS BIGINT)"
        middle = (first + last) // 2
        earlier = f"{utc} < {shifts.turns[middle]}000000"
        return f"CASE WHEN {earlier} THEN {ahead(first, middle)} ELSE {ahead(middle + 1, last)} END"

    shown = f"make_timestamp({utc} + ({ahead(0, len(shifts.turns))}))"
    sane = f"{utc} BETWEEN -62135596800000000 AND 253402300799999999"
    found = f"CASE WHEN {far} THEN CASE WHEN {sane} THEN {shown} END ELSE {_moment(text, rules)} END"
    return f"CAST({found} AS DATE)" if column.kind is Kind.DATE else found


def number_text(text: str, rules: CsvRules) -> str:
    """With decimal commas a point would be anything: such a value is none, unless it stands between thousands."""
    text = _together(text, rules)
    if rules.decimal == ".":
        return text
    return f"CASE WHEN NOT contains({text}, '.') THEN replace({text}, ',', '.') END"


def _together(text: str, rules: CsvRules) -> str:
    """A number without the sign between its thousands; where that stands anywhere else, the value is none."""
    if not rules.thousands:
        return text
    sign, form = _text(rules.thousands), _text(thousands_form(rules))
    grouped = f"CASE WHEN regexp_full_match({text}, {form}) THEN replace({text}, {sign}, '') END"
    return f"CASE WHEN contains({text}, {sign}) THEN {grouped} ELSE {text} END"


def thousands_form(rules: CsvRules) -> str:
    """How a number with its thousands apart looks, as a regular expression."""
    return f"[+-]?[0-9]{{1,3}}([{rules.thousands}][0-9]{{3}})+([{rules.decimal}][0-9]*)?"


def _spelled(text: str, column: Written) -> str:
    """The declared spelling of a value, whatever its letters' case; unknown values are all in lower case."""
    if column.values is None:
        return f"lower({text})"
    small = [str(value).lower() for value in column.values]
    if len(set(small)) < len(small):
        raise BadValue(f"Column '{column.name}' lists values that differ by case alone, and ignore_case is true.")
    place = f"enum_code(TRY_CAST(lower({text}) AS ENUM({', '.join(map(_text, small))})))"
    spelled = f"list_extract([{', '.join(_text(str(value)) for value in column.values)}], CAST({place} AS INTEGER) + 1)"
    return f"COALESCE({spelled}, {text})"


def blocks(path: Path, *, headed: bool = True) -> Iterator[Bytes]:
    """Whole lines, some megabytes at a time, each ended by a line feed; without the header and lines that are too long.

    A carriage return becomes a line feed, and so perhaps an empty line.
    """
    rest, skipping = b"", headed  # The header is skipped as a line that is too long is.
    with path.open("rb") as file:
        if file.read(len(BOM)) != BOM:
            file.seek(0)
        while piece := file.read(BLOCK):
            piece = piece.replace(b"\r", b"\n")
            if skipping:
                _, ended, piece = piece.partition(b"\n")
                skipping = not ended
            lines, ended, behind = piece.rpartition(b"\n")
            if ended:
                yield np.frombuffer(rest + lines + b"\n", dtype=np.uint8)
                rest = b""
            rest += behind
            if len(rest) > LONGEST:
                rest, skipping = b"", True
    if rest:
        yield np.frombuffer(rest + b"\n", dtype=np.uint8)


def prepared(block: Bytes, rules: CsvRules) -> bytes:
    """The lines of a block in UTF-8, without quotes, values apart by a sign of their own; what cannot be read is gone.

    Only the signs that matter are looked at: quotes, separators and ends of lines.
    """
    quote, separator, apart = ord(rules.quote), ord(rules.separator), ord(APART)
    text = block.tobytes()
    if rules.quote.encode() not in text and APART.encode() not in text and len(block) <= LONGEST:
        return _in_utf8(text.replace(rules.separator.encode(), APART.encode()), rules)
    if _is_regular(block, text, rules):
        apart_now = bytes.maketrans(rules.separator.encode(), APART.encode())
        return _in_utf8(text.translate(apart_now, rules.quote.encode()), rules)
    places = np.flatnonzero(_marked(quote, separator, LINE_FEED, apart)[block])
    signs = block[places]
    quotes, ends = signs == quote, signs == LINE_FEED
    inside = _inside(quotes, ends)
    last, following = block[places - 1], block[np.minimum(places + 1, len(block) - 1)]
    last[places == 0] = LINE_FEED
    again = quotes & inside & (last == quote)  # A quote that is doubled within quotes.
    wrong = quotes & inside & ~again & (last != separator) & (last != LINE_FEED)
    wrong |= quotes & ~inside & (following != separator) & (following != LINE_FEED) & (following != quote)
    wrong |= (signs == apart) | (ends & inside)
    plain, kept = block.copy(), np.ones(len(block), dtype=np.bool_)
    plain[places[(signs == separator) & ~inside]] = apart
    kept[places[quotes & ~again]] = False
    _leave_out(kept, places[ends], np.searchsorted(places[ends], places[wrong]))
    return _in_utf8(plain[kept].tobytes(), rules)


def _is_regular(block: Bytes, text: bytes, rules: CsvRules) -> bool:
    """Whether all quotes stand around whole values, none is doubled, and no separator stands within them: then they can
    all be taken away, at a third of the cost of looking at each."""
    quote = rules.quote.encode()
    if 2 * quote in text or APART.encode() in text or len(block) > LONGEST:
        return False
    quotes, ends = block == ord(quote), (block == ord(rules.separator)) | (block == LINE_FEED)
    inside = (np.cumsum(quotes, dtype=np.uint8) & 1).view(np.bool_)  # An opening quote is, a closing one is not.
    opened_late = (quotes & inside)[1:] & ~ends[:-1]
    closed_early = (quotes & ~inside)[:-1] & ~ends[1:]
    return not ((inside & ends).any() or opened_late.any() or closed_early.any())


def _in_utf8(text: bytes, rules: CsvRules) -> bytes:
    return text if rules.encoding == "utf-8" else text.decode(rules.encoding, "replace").encode("utf-8")


def _inside(quotes: NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a sign stands within quotes; an opening quote does, a closing one does not. Each line begins outside."""
    inside = np.logical_xor.accumulate(quotes)
    if inside[ends].any():  # Some line leaves a quote open, which must not reach into the next.
        opened = np.concatenate(([False], inside[ends]))
        inside ^= opened[np.cumsum(ends) - ends]
    return inside


def _marked(*signs: int) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(signs)] = True
    return table


def _leave_out(kept: NDArray[np.bool_], ends: NDArray[np.intp], wrong: NDArray[np.intp]) -> None:
    """Forget the lines that cannot be read, and those that are too long."""
    starts = np.concatenate(([0], ends[:-1] + 1))
    for number in {*wrong.tolist(), *np.flatnonzero(ends - starts > LONGEST).tolist()}:
        kept[starts[number] : ends[number] + 1] = False


def _is_plain(path: Path, rules: CsvRules) -> bool:
    """Whether DuckDB can split the lines of the file as it is: UTF-8, line feeds, no quotes, no line too long."""
    if rules.encoding != "utf-8":
        return False
    odd = (rules.quote.encode(), APART.encode(), b"\r")
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            if any(sign in piece for sign in odd):
                return False
            if len(piece) == CHUNK and b"\n" not in piece:
                return False
    return True


def first_line(path: Path) -> bytes:
    """The first line of a file, and nothing behind it: it is read byte by byte, up to where it ends."""
    first = bytearray()
    try:
        with path.open("rb", buffering=0) as file:
            while len(first) < LONGEST and (sign := file.read(1)) not in (b"", b"\n", b"\r"):
                first += sign
    except OSError:
        raise BadValue(f"'{path.name}' cannot be read.") from None
    return bytes(first).removeprefix(BOM)


def _header(path: Path, rules: CsvRules) -> list[str]:
    try:
        with path.open("rb") as file:
            first = file.read(LONGEST).removeprefix(BOM).replace(b"\r", b"\n").split(b"\n", 1)[0]
    except OSError:
        raise BadValue(f"'{path.name}' cannot be read.") from None
    if b"\0" in first:
        raise BadValue(f"'{path.name}' looks like UTF-16, or like no text at all. Save it as UTF-8.")
    text = first.decode(rules.encoding, "replace")
    header = next(csv.reader([text], delimiter=rules.separator, quotechar=rules.quote), [])
    header = [name.strip() if rules.trim else name for name in header]
    if not any(header):
        raise BadValue(f"'{path.name}' is empty: it has no header line.")
    if len({name.lower() for name in header}) < len(header):
        raise BadValue(f"'{path.name}' has two columns of one name (upper and lower case alike). Rename one.")
    return header


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
