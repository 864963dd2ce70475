"""The refusal of an expression that is on no list, with the nearest thing that can be asked."""

from sqlglot import exp

from banister.errors import Refused
from banister.questions.reading.place import refused

TEXTS = "Texts are compared as they are: status = 'open', IN, LIKE, or CASE WHEN status = 'open' THEN ... END."

PERIOD = "Group by DATE_TRUNC('month', date), or by YEAR(date) and MONTH(date)."

INSTEAD: dict[str, str] = {
    "CURRENTDATE": "Write the date, e.g. DATE '2021-03-01'.",
    "DAYOFWEEK": "On which day a week begins differs between engines; write ISODOW(date): Monday is 1, Sunday 7.",
    "STRFTIME": PERIOD,
    "TIMETOSTR": PERIOD,
    "TOCHAR": PERIOD,
    "DATE_FORMAT": PERIOD,
    "WIDTHBUCKET": "Write BIN(column, 10): ten bins, all as wide, over the declared range.",
    "WIDTH_BUCKET": "Write BIN(column, 10): ten bins, all as wide, over the declared range.",
    "ILIKE": TEXTS,
    "INTERVAL": "Add whole days to a date, e.g. admitted + 30, and whole seconds to a timestamp.",
    "ATTIMEZONE": 'Declare the zone in the schema: zone = "Europe/Berlin".',
    "DATETRUNC": "It can be grouped by; in a condition compare with its ends, or use YEAR, QUARTER and MONTH.",
    "TIMESTAMPTRUNC": "It can be grouped by; in a condition compare with its ends, or use YEAR, QUARTER and MONTH.",
    "SUBQUERY": "Group by the person in a subquery of FROM.",
    "DAYNAME": "Write ISODOW(date): Monday is 1, Sunday 7.",
    "MONTHNAME": "Write MONTH(date).",
    "UPPER": TEXTS,
    "LOWER": TEXTS,
    "DPIPE": TEXTS,
    "CONCAT": TEXTS,
    "SUBSTRING": TEXTS,
    "LEFT": TEXTS,
    "TRIM": TEXTS,
    "LENGTH": TEXTS,
    "RAND": "Chance comes with the noise; leave it out.",
    "WINDOW": "Compute it in a subquery of FROM: SELECT person, MAX(x) OVER (PARTITION BY person) AS m FROM data.",
}


def unknown(node: exp.Expr) -> Refused:
    """The error for an expression that is not understood."""
    called = node.name if isinstance(node, exp.Anonymous) else type(node).__name__
    instead = INSTEAD.get(called.upper(), "")
    return refused(
        node,
        "this is not on the list of what is safe (+ - * /, MOD, ABS, SIGN, ROUND, FLOOR, CEIL, SQRT, LN, LOG10, EXP, "
        "POWER, LEAST, GREATEST, COALESCE, NULLIF, CASE, YEAR, QUARTER, MONTH, WEEK, DAY, ISODOW, HOUR, MINUTE, "
        "SECOND, CAST to DATE, TIME or TIMESTAMP, comparisons, IN, BETWEEN, LIKE, IS NULL, AND, OR, NOT).",
        instead,
    )
