"""A shop: orders of people, items of orders, parts of items, and a public list of what is sold."""

import random

from banister.tables.public import Known
from banister.tables.schema import Schema
from tests.release.sources.places import PEOPLE, PERSONAL, SCHEMA, Tables, random_tables

SHOP = """
[tables.orders]
table = "{orders}"
name = "orders"
person = "who"
rows = 3
groups = 2
[tables.orders.columns]
amount = {{ kind = "integer", range = [-3, 9] }}
kind = {{ kind = "category", values = ["web", "shop"] }}

[tables.items]
table = "{items}"
name = "items"
through = "orders.oid"
rows = 4
columns = {{ sku = {{ kind = "category" }}, qty = {{ kind = "integer", range = [0, 5] }} }}

[tables.parts]
table = "{parts}"
name = "parts"
through = "items.iid"
columns = {{ weight = {{ kind = "integer", range = [0, 7] }} }}

[tables.goods]
table = "goods.csv"
public = true
key = "sku"
"""

GOODS = Known.of_columns(
    {
        "sku": ["a", "b", "A", "'", None],
        "class": ["food", "toy", "food", None, "toy"],
        "price": [1.5, -2.25, 10.0, 0.5, 3.0],
        "level": [3, 1, 3, -2, 1],
    }
)

SHOP_QUESTIONS = (
    "SELECT COUNT(*), SUM(qty) FROM items",
    "SELECT kind, COUNT(*), SUM(qty), AVG(amount) FROM orders JOIN items ON orders.oid = items.oid GROUP BY kind",
    "SELECT kind, COUNT(*), COUNT(qty) FROM items i RIGHT JOIN orders o ON o.oid = i.oid AND i.qty > 1 GROUP BY kind",
    "SELECT class, level, COUNT(*), SUM(price * qty) FROM items JOIN goods USING (sku) GROUP BY class, level",
    "SELECT COUNT(*), SUM(price), COUNT(class) FROM items LEFT JOIN goods g ON items.sku = g.sku "
    "WHERE g.sku IS NULL OR level > 1",
    "SELECT SUM(weight), COUNT(DISTINCT who) FROM parts",
    "SELECT kind, SUM(weight), COUNT(*) FROM orders o JOIN items i ON o.oid = i.oid JOIN parts p ON i.iid = p.iid "
    "GROUP BY kind",
    "SELECT plan, COUNT(*) FROM data d JOIN orders o ON d.who = o.who AND d.visits = o.amount GROUP BY plan",
    "SELECT plan, COUNT(*) FROM data WHERE who IN (SELECT who FROM orders WHERE amount > 2) GROUP BY plan",
    "SELECT kind, COUNT(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM data WHERE data.who = orders.who AND ok = TRUE) "
    "OR who IN (SELECT who FROM data GROUP BY who, plan HAVING COUNT(*) > 1 AND SUM(visits) > 2) GROUP BY kind",
    "SELECT COUNT(*) FROM (SELECT DISTINCT who FROM items WHERE qty > 1) q",
    "SELECT plan, COUNT(*) FROM (SELECT DISTINCT who, plan FROM data) q GROUP BY plan",
    "SELECT COUNT(*), AVG(age), COUNT(n), SUM(n) FROM people FULL JOIN "
    "(SELECT who, COUNT(*) AS n FROM orders GROUP BY who) o USING (who)",
    "SELECT kind, COUNT(*), SUM(x) FROM (SELECT who, kind, amount AS x FROM orders UNION ALL "
    "SELECT who, plan, income * 2 FROM data WHERE visits > 1) u GROUP BY kind",
    "SELECT n, COUNT(*), SUM(m - amount), COUNT(before), SUM(s), SUM(c) FROM (SELECT who, amount, "
    "ROW_NUMBER() OVER (PARTITION BY who ORDER BY amount DESC) AS n, MAX(amount) OVER (PARTITION BY who) AS m, "
    "LAG(amount) OVER (PARTITION BY who, kind ORDER BY oid_text, amount NULLS LAST) AS before, "
    "SUM(amount) OVER (PARTITION BY who ORDER BY amount) AS s, COUNT(kind) OVER (PARTITION BY who) AS c "
    "FROM (SELECT who, amount, kind, kind AS oid_text FROM orders) o) w WHERE amount = m OR n > 1 GROUP BY n",
    "SELECT kind, next, COUNT(*) FROM (SELECT who, kind, LEAD(kind) OVER (PARTITION BY who ORDER BY kind, amount) "
    "AS next, FIRST_VALUE(amount) OVER (PARTITION BY who ORDER BY kind DESC) AS f, "
    "RANK() OVER (PARTITION BY who ORDER BY kind) AS r, DENSE_RANK() OVER (PARTITION BY who ORDER BY kind) AS d "
    "FROM orders) w WHERE f > 0 OR r = d GROUP BY kind, next",
    "SELECT AVG(m), SUM(m), COUNT(*) FROM "
    "(SELECT who, AVG(amount) AS m FROM orders GROUP BY who HAVING MAX(amount) > 0) p",
    "SELECT kind, COVAR_POP(amount, age), CORR(age, amount * 2), REGR_SLOPE(age, amount) FROM orders JOIN people "
    "USING (who) GROUP BY kind",
    "SELECT t.c, COUNT(*) FROM data JOIN (VALUES (1, 'one'), (3, 'three'), (-1, 'one'), (NULL, 'x')) AS t(v, c) "
    "ON data.visits = t.v GROUP BY t.c",
    "WITH w(day, name) AS (VALUES (DATE '1970-01-01', 'new'), (DATE '1969-12-31', 'old')) "
    "SELECT name, COUNT(*) FROM w JOIN data ON data.came = w.day GROUP BY name",
    "SELECT COUNT(*) FROM orders d JOIN orders o ON d.who = o.who AND d.kind = o.kind",
    "SELECT CASE WHEN who IN (SELECT who FROM people WHERE age > 3) THEN 'old' ELSE 'young' END AS k, COUNT(*), "
    "COUNT(*) FILTER (WHERE EXISTS (SELECT 1 FROM orders o WHERE o.who = data.who)) FROM data GROUP BY k",
    "SELECT source, k, COUNT(*) FROM (SELECT who, 'order' AS source, CASE WHEN amount > 2 THEN 'much' WHEN amount < 0 "
    "THEN NULL ELSE 'it''s' END AS k FROM orders UNION ALL SELECT who, 'item', sku FROM items) u GROUP BY source, k",
    "SELECT big, kind, COUNT(*), SUM(m), COUNT(n) FROM (SELECT who, big, kind, m, LAG(big) OVER (PARTITION BY who "
    "ORDER BY big, m) AS n FROM (SELECT who, big, kind, MAX(amount) AS m FROM (SELECT who, kind, amount, "
    "amount > 2 AS big FROM orders) a GROUP BY 1, 2, 3) o) w GROUP BY big, kind",
    "SELECT k, COUNT(*), SUM(d), COUNT(big) FROM (SELECT *, COALESCE(kind, 'none') AS k, "
    "amount - LAG(amount) OVER (PARTITION BY who ORDER BY kind, amount) AS d, "
    "MAX(amount) OVER (PARTITION BY who) > 2 AND amount < 9 AS big FROM orders "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY who ORDER BY amount, kind) > 1) w GROUP BY k",
)


def shop_text(data: str, *, bounds: str, neighbours: str) -> str:
    """The schema of the shop, as text."""
    places = {name: data.replace("data.parquet", f"{name}.parquet") for name in ("people", "orders", "items", "parts")}
    text = SCHEMA.format(data=data, person=PERSONAL, neighbours=neighbours, bounds=bounds)
    return text + PEOPLE.format(people=places["people"]) + SHOP.format(**places)


def shop_schema(data: str, *, bounds: str = "rows = 2\ngroups = 2", neighbours: str = "add-remove") -> Schema:
    """The schema of the shop with what is public about it."""
    return Schema.of_text(shop_text(data, bounds=bounds, neighbours=neighbours)).with_public({"goods": GOODS})


def shop_tables(seed: int, *, rows: int = 14) -> Tables:
    """Random tables of the shop: some keys are held by several people, some by nobody, some are missing."""
    chance = random.Random(f"shop {seed}")
    whole = random_tables(seed, rows=rows)
    people = (1, 2, 3, 4, -(2**63), 2**63 - 1)
    keys, names = (100, 101, 102, 103, 104, None), ("i1", "i2", "I1", "", "i4", None)
    amounts = (None, -4, 0, 2, 2, 9, 2**31 - 1)
    orders = [
        (
            chance.choice(people),
            chance.choice(keys),
            chance.choice(amounts),
            chance.choice(("web", "shop", "Web", None)),
        )
        for _ in range(14)
    ]
    sold = ("a", "b", "A", "'", "z", None)
    items = [
        (chance.choice((*keys, 999)), chance.choice(sold), chance.choice((None, 0, 1, 5, 6)), chance.choice(names))
        for _ in range(9)
    ]
    parts = [(chance.choice((*names, "i9")), chance.choice((None, 0, 3, 7, 8))) for _ in range(7)]
    return {**whole, "orders": orders, "items": items, "parts": parts}
