"""Tables, joins and subqueries: what is understood, by which bounds, and what is refused with which words."""

import pytest

from banister.errors import BadValue, Refused
from banister.questions.measures import reach
from banister.questions.question import Listed, Question
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from banister.tables.public import Known
from banister.tables.schema import Schema
from tests.release.sources.shop import shop_schema

SHOP = shop_schema("data.parquet", bounds="rows = 20\ngroups = 3")


def ask(text: str, schema: Schema = SHOP) -> Question:
    (found,) = read_questions(text, schema, aggregates=ALL)
    return found


REFUSED = (
    ("SELECT COUNT(*) FROM goods", "this table is public, and answers need no noise"),
    ("SELECT COUNT(*) FROM items JOIN goods ON items.qty > goods.level", "is looked up by its key, column = column"),
    ("SELECT COUNT(*) FROM items JOIN goods ON items.qty = goods.level", "several rows can have the same level"),
    ("SELECT COUNT(*) FROM items RIGHT JOIN goods USING (sku)", "rows of a public table belong to nobody"),
    (
        "SELECT COUNT(*) FROM data JOIN (VALUES (1, 'a'), (1, 'b')) AS v(n, t) ON data.visits = v.n",
        "so a row would count",
    ),
    ("SELECT COUNT(*) FROM data JOIN (VALUES (1, 'a'), (2)) AS v(n, t) ON data.visits = v.n", "same number of values"),
    ("SELECT COUNT(*) FROM data JOIN (VALUES (1, 2)) AS v(n) ON data.visits = v.n", "needs a name for each of its 2"),
    ("SELECT COUNT(*) FROM data JOIN (VALUES (1, 'a'), ('b', 'c')) AS v(n, t) ON data.plan = v.t", "mixes kinds"),
    ("SELECT COUNT(*) FROM orders JOIN items ON orders.amount = items.qty", "a key that `through` declares"),
    ("SELECT COUNT(*) FROM orders JOIN parts ON orders.oid = parts.iid", "on the person key only"),
    ("SELECT COUNT(*) FROM orders, items", "nothing says what ties these tables together"),
    ("SELECT COUNT(*) FROM orders CROSS JOIN items", "LEFT, RIGHT and FULL JOIN"),
    ("SELECT COUNT(*) FROM data a FULL JOIN people b ON a.who = b.who AND age > 3", "on the person alone"),
    (
        "SELECT COUNT(*) FROM data a FULL JOIN people b ON a.who = b.who JOIN orders o ON a.who = o.who",
        "is missing where",
    ),
    ("SELECT SUM(oid) FROM orders", "this key ties tables together and is not for answers"),
    ("SELECT COUNT(*) FROM data WHERE plan IN (SELECT kind FROM orders)", "would tell people of each other"),
    ("SELECT COUNT(*) FROM data WHERE who IN (SELECT who, amount FROM orders)", "must select the person column, and"),
    ("SELECT COUNT(*) FROM data WHERE EXISTS (SELECT 1 FROM orders)", "about the rows of the same person"),
    (
        "SELECT COUNT(*) FROM data d WHERE EXISTS (SELECT 1 FROM orders o WHERE o.who = d.who AND o.amount > d.visits)",
        "'d.visits' at line 1, column 101: inside EXISTS only the person may come from outside",
    ),
    ("SELECT COUNT(*) FROM (SELECT MAX(visits) OVER (PARTITION BY plan) AS m FROM data) q", "the rows of one person"),
    ("SELECT COUNT(*) FROM (SELECT MAX(visits) OVER () AS m FROM data) q", "the rows of one person"),
    ("SELECT COUNT(*) FROM (SELECT who, ROW_NUMBER() OVER (PARTITION BY who) AS n FROM data) q", "this needs an order"),
    ("SELECT COUNT(*) FROM (SELECT who, NTILE(4) OVER (PARTITION BY who) AS n FROM data) q", "ROW_NUMBER, RANK"),
    (
        "SELECT COUNT(*) FROM "
        "(SELECT SUM(visits) OVER (PARTITION BY who ORDER BY came ROWS 2 PRECEDING) AS n FROM data) q",
        "SPEC is not understood here",
    ),
    ("SELECT COUNT(*) FROM (SELECT who FROM data UNION SELECT who FROM orders) q", "Write UNION ALL"),
    ("SELECT COUNT(*) FROM (SELECT who, plan FROM data UNION ALL SELECT who, amount FROM orders) q", "different kinds"),
    ("SELECT COUNT(*) FROM (SELECT who, plan FROM data UNION ALL SELECT kind, who FROM orders) q", "the same place"),
    ("SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM data) q", "must be grouped by the person column"),
    (
        "SELECT COUNT(*) FROM data NATURAL JOIN people",
        "NATURAL is not understood here. Say what ties the tables together",
    ),
    (
        "SELECT m, COUNT(*) FROM (SELECT who, DATE_TRUNC('month', came) AS m FROM data) q GROUP BY m",
        "Select came there, and write DATE_TRUNC outside",
    ),
    ("SELECT COUNT(*) FROM (SELECT who, 'a' AS k FROM data UNION ALL SELECT who, 3 FROM orders) q", "different kinds"),
    ("SELECT COUNT(*) FROM (SELECT who, 'a' AS k FROM data) q WHERE k = 'b'", "Declared are: a"),
    ("SELECT SUM(k) FROM (SELECT who, visits > 1 AS k FROM data) q", "a category is not a number"),
    ("SELECT COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM data GROUP BY 1, 3) q", "no number 3"),
    ("SELECT COUNT(*) FROM nowhere", "Declared are: data, people, orders, items, parts, goods"),
)


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_would_mix_people_is_refused(text: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        ask(text)
    assert words in str(caught.value)


BOUNDS = (
    ("SELECT COUNT(*) FROM data", 20, 1),
    ("SELECT COUNT(*) FROM people", 20, 1),
    ("SELECT COUNT(*) FROM orders", 3, 1),
    ("SELECT kind, COUNT(*) FROM orders GROUP BY kind", 3, 2),
    ("SELECT COUNT(*) FROM items", 4, 1),
    ("SELECT COUNT(*) FROM orders JOIN items ON orders.oid = items.oid", 4, 1),
    ("SELECT COUNT(*) FROM data JOIN orders ON data.who = orders.who", 60, 1),
    ("SELECT plan, COUNT(*) FROM data JOIN orders ON data.who = orders.who GROUP BY plan", 60, 3),
    ("SELECT COUNT(*) FROM items JOIN goods USING (sku)", 4, 1),
    ("SELECT COUNT(*) FROM (SELECT who, amount FROM orders UNION ALL SELECT who, qty FROM items) u", 7, 1),
    ("SELECT COUNT(*) FROM orders WHERE who IN (SELECT who FROM data)", 3, 1),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT who FROM data) q", 1, 1),
)


@pytest.mark.parametrize(("text", "rows", "groups"), BOUNDS)
def test_a_question_is_bounded_by_the_tables_that_it_reads(text: str, rows: int, groups: int) -> None:
    found = reach(ask(text), SHOP)
    assert (found.rows, found.groups) == (rows, groups)


def test_values_of_a_public_table_need_no_declaration() -> None:
    (axis,) = ask("SELECT class, COUNT(*) FROM items JOIN goods USING (sku) GROUP BY class").axes
    assert isinstance(axis, Listed)
    assert axis.values == ("food", "toy")


def test_the_main_table_has_its_own_name() -> None:
    text = '[source]\ntable = "clinic/stays.csv"\nperson = "id"\nrows = 3\nneighbours = "replace"\n'
    stays = Schema.of_text(text + '[columns]\ndays = { kind = "integer", range = [0, 9] }')
    assert ask("SELECT SUM(stays.days) FROM stays", stays).rows == 3
    assert ask("SELECT SUM(s.days) FROM data s", stays).rows == 3


ORDERS = '[source]\ntable = "orders.csv"\nperson = "who"\nneighbours = "replace"\n[columns]\n'
ITEMS = '[tables.items]\ntable = "items.csv"\ncolumns = {}\n'
BAD = (
    (ITEMS, "[tables.items] declares no person column"),
    (ITEMS + 'through = "orders"\n', "must be a table and its key, such as 'orders.order_id'"),
    (ITEMS + 'through = "elsewhere.oid"\n', "goes through 'elsewhere', which is no declared table"),
    (ITEMS + 'through = "orders.oid"\nperson = "who"\n', "declares person and through"),
    (ITEMS + 'key = "oid"\nperson = "who"\n', "key in [tables.items] is the column that `through` compares"),
    (ITEMS + 'through = "items.oid"\n', "through goes in a circle, and reaches no person: items -> items"),
    (
        ITEMS + 'through = "parts.iid"\n[tables.parts]\ntable = "p.csv"\nthrough = "items.iid"\ncolumns = {}\n',
        "through goes in a circle, and reaches no person: items -> parts -> items",
    ),
    ('[tables.goods]\ntable = "goods.csv"\npublic = true\n', "is public and needs a key"),
    ('[tables.goods]\ntable = "goods.csv"\npublic = true\nkey = "a"\nperson = "b"\n', "is public, so person means"),
)


@pytest.mark.parametrize(("text", "words"), BAD)
def test_a_way_that_reaches_nobody_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadValue) as caught:
        Schema.of_text(ORDERS + text)
    assert words in str(caught.value)


def test_the_key_of_a_public_table_is_there_and_unique() -> None:
    text = ORDERS + '[tables.goods]\ntable = "goods.csv"\npublic = true\nkey = ["region", "year"]\n'
    schema = Schema.of_text(text)
    twice = Known.of_columns({"region": ["n", "n"], "year": [1, 1]})
    with pytest.raises(BadValue, match="region, year of the public table 'goods' is not unique"):
        schema.with_public({"goods": twice})
    with pytest.raises(BadValue, match=r"has no key region, year that can be compared. It has: region"):
        schema.with_public({"goods": Known.of_columns({"region": ["n"]})})
    with pytest.raises(BadValue, match=r"has 50001 rows; up to 50000 are read"):
        schema.with_public({"goods": Known.of_columns({"region": ["n"] * 50_001, "year": list(range(50_001))})})
    right = Known.of_columns({"region": ["n", "n", None, None], "year": [1, 2, 1, 1]})
    assert schema.with_public({"goods": right}).public[0].known == right
