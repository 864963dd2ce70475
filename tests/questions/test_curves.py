"""Functions and quotients of bounded numbers: within a step of the truth, in their bounds, and far from every jump."""

import math
from collections.abc import Callable
from fractions import Fraction

import duckdb
import mpmath
import pytest

from banister.errors import BadValue, Refused
from banister.questions import curves
from banister.questions.nodes import FunctionOf
from banister.questions.reading.parser import read_questions
from banister.questions.terms import Quantity
from banister.release.aggregates import ALL, Sum
from banister.release.sources.duckdb import DuckDBDialect
from banister.release.sources.sql.render import Renderer
from banister.release.work import Physical
from banister.tables.schema import Schema

TEXT = """
[source]
table = "t.csv"
neighbours = "add-remove"
[columns]
n = { kind = "integer", range = [0, 2000] }
z = { kind = "integer", range = [-30, 30] }
far = { kind = "number", range = [0, 200000], step = 0.01 }
wide = { kind = "integer", range = [0, 4503599627370000] }
"""
SCHEMA = Schema.of_text(TEXT)
TYPES = {("r1", name): Physical.INTEGER for name in ("n", "z", "wide")} | {("r1", "far"): Physical.DECIMAL}


def quantity(expression: str, dialect: str | None = None) -> Quantity:
    asked = read_questions(f"SELECT SUM({expression}) AS t FROM data", SCHEMA, aggregates=ALL, dialect=dialect)[0]
    found = asked.outputs[0].aggregate
    assert isinstance(found, Sum)
    return found.quantity


def values(found: Quantity, column: str, rows: list[Fraction | None]) -> list[Fraction | None]:
    """The expression for values of one column, worked out by an engine."""
    text = Renderer(TYPES, DuckDBDialect()).term(found.term).sql(dialect="duckdb")
    kind = "DECIMAL(18, 2)" if column == "far" else "BIGINT"
    table = ", ".join(f"({i}, CAST({'NULL' if x is None else float(x)} AS {kind}))" for i, x in enumerate(rows))
    with duckdb.connect() as engine:
        told = engine.execute(f'SELECT {text} FROM (VALUES {table}) AS r1(i, "{column}") ORDER BY i').fetchall()
    assert all(one is None or found.low <= one <= found.high for (one,) in told)
    return [None if one is None else one * found.step for (one,) in told]


FUNCTIONS: list[tuple[str, str, Callable[[float], float], range]] = [
    ("SQRT(n)", "n", math.sqrt, range(0, 2001, 7)),
    ("LN(n + 1)", "n", math.log1p, range(0, 2001, 7)),
    ("LOG10(n + 1)", "n", lambda n: math.log10(n + 1), range(0, 2001, 7)),
    ("EXP(z / 10)", "z", lambda z: math.exp(z / 10), range(-30, 31)),
    ("POWER(n, 1.5)", "n", lambda n: n**1.5, range(0, 2001, 7)),
    ("POWER(z, 3)", "z", lambda z: z**3, range(-30, 31)),
    ("POWER(n + 1, -0.5)", "n", lambda n: (n + 1) ** -0.5, range(0, 2001, 7)),
    ("LN(far + 1)", "far", math.log1p, range(0, 200001, 997)),
    ("SIGN(z)", "z", lambda z: (z > 0) - (z < 0), range(-30, 31)),
    ("100 / NULLIF(z, 0)", "z", lambda z: 100 / z if z else math.nan, range(-30, 31)),
    ("z / GREATEST(ABS(z), 4)", "z", lambda z: z / max(abs(z), 4), range(-30, 31)),
    ("z / (z * z + 0.5)", "z", lambda z: z / (z * z + 0.5), range(-30, 31)),
    ("7 / (z - 40)", "z", lambda z: 7 / (z - 40), range(-30, 31)),
]


@pytest.mark.parametrize(("expression", "column", "truth", "rows"), FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
def test_a_function_is_within_a_step_of_the_truth_and_missing_where_it_should(
    expression: str, column: str, truth: Callable[[float], float], rows: range
) -> None:
    found = quantity(expression)
    assert found.step * 9_000 <= found.step * (found.high - found.low) or found.step == 1
    given: list[Fraction | None] = [None, *map(Fraction, rows)]
    told = values(found, column, given)
    for x, y in zip(given, told, strict=True):
        if x is None or math.isnan(truth(float(x))):
            assert y is None
        else:
            assert y is not None
            assert abs(y - Fraction(truth(float(x)))) <= found.step, x


@pytest.mark.parametrize("expression", ["ROUND(LN(n + 1), 2)", "ROUND(SQRT(n), 2)", "ROUND(n / (n + 3), 2)"])
def test_round_says_the_step(expression: str) -> None:
    assert quantity(expression).step == Fraction(1, 100)


def test_a_rounded_quotient_is_exact_with_halves_up() -> None:
    told = values(quantity("ROUND((z - 3) / GREATEST(ABS(z), 8), 0)"), "z", [Fraction(z) for z in range(-30, 31)])
    assert told == [math.floor(Fraction(z - 3, max(abs(z), 8)) + Fraction(1, 2)) for z in range(-30, 31)]


@pytest.mark.parametrize("expression", ["SQRT(n)", "LN(far + 1)", "EXP(z / 3)", "POWER(far + 1, 0.3)", "LOG10(n + 1)"])
def test_no_whole_number_is_near_a_jump(expression: str) -> None:
    """The claim behind one answer on every engine, looked at with 40 digits at every place near a jump."""
    found = quantity(expression).term
    assert isinstance(found, FunctionOf)
    functions = {"SQRT": mpmath.sqrt, "LN": mpmath.log, "LOG10": mpmath.log10, "EXP": mpmath.exp}
    by = mpmath.mpf(found.exponent.numerator) / found.exponent.denominator
    function = functions.get(found.name, lambda x: mpmath.power(x, by))
    with mpmath.workdps(40):
        given, step, shift = (mpmath.mpf(f.numerator) / f.denominator for f in (found.given, found.step, found.shift))

        def steps(n: int) -> mpmath.mpf:
            return function(n * given) / step + shift

        every = range(found.first, found.last + 1) if found.last - found.first < 4000 else _near_jumps(found, steps)
        nearest = min(abs(s - mpmath.nint(s)) / (abs(s) + 1 / step) for s in map(steps, every))
    assert nearest > 2.0**-49


def _near_jumps(found: FunctionOf, steps: Callable[[int], "mpmath.mpf"]) -> list[int]:
    """For a sample of jumps the whole numbers on both sides, by halving."""
    near = []
    for jump in range(found.low + 1, found.high + 1, max(1, (found.high - found.low) // 300)):
        low, high = found.first, found.last
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if steps(middle) < jump else (low, middle)
        near += [low, high]
    return near


def test_a_shift_is_looked_for_where_one_half_would_tie() -> None:
    """√n in steps of 2/3 meets a half exactly at n = 1: one half is no good there."""
    a = Quantity(term=quantity("n").term, low=0, high=2000, step=Fraction(1), nulls=False)
    found = curves.applied(curves.SQRT, a, step=Fraction(2, 3)).term
    assert isinstance(found, FunctionOf)
    assert found.shift != Fraction(1, 2)


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("SQRT(z)", "can be below 0, where there is no answer. Hold it in what you know, e.g. GREATEST(z, 0)"),
        ("LN(n)", "can be 0 or below, where there is no answer. Hold it in what you know, e.g. GREATEST(n, 1)"),
        ("LOG(2, n + 1)", "logarithms are LN and LOG10"),
        ("POWER(n, z)", "the exponent has to be a number between 0.01 and 100"),
        ("POWER(n, 0)", "the exponent has to be a number between 0.01 and 100"),
        ("EXP(n)", "leaves the range of doubles"),
        ("ROUND(EXP(z / 2), 6)", "more than 1000000 steps of 1e-06. Round to fewer digits"),
        ("SQRT(wide)", "is taken of up to 2^40 steps"),
        ("n / z", "Hold it away from 0, e.g. / GREATEST(z, 1), or leave such rows out: / NULLIF(z, 0)"),
        ("n / 0", "this divides by 0"),
        ("n / NULLIF(0, 0)", "this divides by 0"),
        ("n / NULLIF(z, 1)", "the divisor can be 0"),
        ("NULLIF(n, z)", "NULLIF takes a number written in the question"),
        ("POWER(-wide, 3)", "more than 2^62 steps"),
    ],
)
def test_what_has_no_answer_is_refused_with_what_to_write(expression: str, says: str) -> None:
    with pytest.raises(Refused) as caught:
        quantity(expression)
    assert says in str(caught.value)
    assert "at line 1" in str(caught.value)


def test_where_whole_over_whole_is_cut_a_quotient_asks_for_a_point() -> None:
    with pytest.raises(Refused, match=r"Write 1\.0 \* n / GREATEST\(n, 1\)"):
        quantity("n / GREATEST(n, 1)", "postgres")
    assert quantity("1.0 * n / GREATEST(n, 1)", "postgres").step == Fraction(1, 10)


def test_too_many_steps_for_any_rounding_are_refused() -> None:
    a = Quantity(term=quantity("n").term, low=1, high=2**40, step=Fraction(1), nulls=False)
    with pytest.raises(BadValue, match="No rounding keeps LN the same on every engine"):
        curves.applied(curves.LN, a, step=Fraction(1, 10**4))
