"""Random questions from a grammar, and random schemas: most of them sensible, some of them hostile."""

import random
from dataclasses import dataclass, replace

from tests.release.sources.places import PEOPLE, PERSONAL
from tests.release.sources.shop import SHOP, SHOP_QUESTIONS

WORDS = """1e999999999 1e-999999999 99999999999999999999 0 -0 '' NULL ( ) ; * who SELECT FROM WHERE GROUP BY AND OR
NOT HAVING LIMIT OVER FILTER DISTINCT UNION JOIN LEFT data people plan site visits came 'x' \x00 \\ -- /* ÿ 🦆 $1 ? @
CASE WHEN END AVG( SUM( MIN( COUNT(*) COUNT(*)AS_n 0.5 1/0 TRUE INTERVAL CAST( ROLLUP( nan inf :: % {} a.b.c"""
TOKENS = WORDS.split()
"""What is thrown into questions."""

NUMBERS = ("visits", "far", "income", "cost", "visits", "income")
DATES = ("came", "went")
KEYS = (
    "plan",
    "plan",
    "site",
    "ok",
    "code",
    "visits",
    "BIN(income)",
    "BIN(visits, 3)",
    "came",
    "DATE_TRUNC('quarter', went)",
    "YEAR(came)",
    "ISODOW(went)",
    "CASE WHEN visits < 3 THEN 'few' WHEN income > 5 THEN 'rich' END",
    "CASE plan WHEN 'free' THEN 7 ELSE -1 END",
    "visits > 3",
    "NOT (far < 1 OR site = 'a')",
    "MOD(ABS(visits), 3)",
    "FLOOR(income / 10)",
)
CONDITIONS = ("plan = 'free'", "plan <> 'none'", "plan IN ('free', 'none')", "plan LIKE 'f%'", "TRUE")
ALSO = ("site = 'a'", "site <> ''", "ok = TRUE", "ok IS NOT NULL", "code IN (0, -1)")
DIALECTS = (None, None, None, "duckdb", "postgres", "spark", "mysql")


def schema_text(chance: random.Random, *, person: bool) -> str:
    """A schema over the columns of the test tables, with ranges, steps, values and bounds of its own."""
    low, high = sorted(chance.sample([-3, -1, 0, 1, 2, 5, 10, 12], 2))
    bottom, top = sorted(chance.sample([-5, 0, 7, 50, 100, 1000], 2))
    step = chance.choice(["0.5", "0.25", "1", "0.001", "3", "7.5"])
    far = chance.choice(["[-1000000, 1000000]", "[0, 3]", "[-4503599627370000, 0]", "[999999, 1000001]"])
    cost = chance.choice(["[-20, 500]", "[0, 0.5]", "[-0.005, 0.005]"])
    plans = ["free", "none", *chance.sample(["it's", "?", "Free"], chance.randint(0, 3))]
    nulls = [chance.choice(["", ", nulls = false"]) for _ in range(4)]
    bins = f", bins = [{bottom}, {(bottom + top) // 2}]"
    relation = chance.choice(["add-remove", "replace"])
    bounds = f"rows = {chance.choice([1, 2, 3, 9])}\n" + chance.choice(["", "groups = 1", "groups = 2", "groups = 50"])
    text = f"""
[source]
table = "data.parquet"
{PERSONAL if person else ""}
neighbours = "{relation}"
{bounds if person else ""}
[columns]
visits = {{ kind = "integer", range = [{low}, {high}]{nulls[0]} }}
income = {{ kind = "number", range = [{bottom}, {top}], step = {step}{bins}{nulls[1]} }}
plan = {{ kind = "category", values = {[*plans]}{nulls[2]} }}
site = {{ kind = "category" }}
ok = {{ kind = "category", values = {chance.choice(["[true, false]", "[true]"])} }}
far = {{ kind = "integer", range = {far}{nulls[3]} }}
cost = {{ kind = "number", range = {cost}, step = {chance.choice(["0.01", "0.001", "0.005"])} }}
code = {{ kind = "category"{chance.choice(["", ", values = [0, 1, -1, 32767]"])} }}
came = {{ kind = "date", range = [1969-11-15, 1972-03-20], every = "{chance.choice(["week", "month", "year"])}" }}
went = {{ kind = "date", range = [{chance.choice(["1969-12-20", "0001-01-01"])}, 1972-06-30] }}
"""
    if not person:
        return text
    places = {name: f"{name}.parquet" for name in ("orders", "items", "parts")}
    return text + PEOPLE.format(people="people.parquet") + SHOP.format(**places)


@dataclass(frozen=True)
class Asker:
    """Writes questions with the chances that it is given."""

    chance: random.Random
    person: bool
    numbers: tuple[str, ...] = NUMBERS
    dates: tuple[str, ...] = DATES
    keys: tuple[str, ...] = KEYS
    conditions: tuple[str, ...] = CONDITIONS + ALSO

    def question(self) -> str:
        """A question; about one in six is spoilt."""
        text = self._sensible()
        return self._spoilt(text) if self.chance.random() < 0.17 else text

    def _sensible(self) -> str:
        if self.person and self._one_in(12):
            return self.chance.choice(SHOP_QUESTIONS)
        start, source, inside = self._source()
        return f"{start}{inside._select(source)}"

    def _select(self, source: str) -> str:
        keys = [self.chance.choice(self.keys) for _ in range(self.chance.choice([0, 0, 1, 1, 1, 2]))]
        items = [self._item() for _ in range(self.chance.choice([1, 1, 2, 3]))]
        named = [f"{item} AS {self.chance.choice('abcdefgh')}" if self._one_in(3) else item for item in items]
        where = f" WHERE {self.condition(2)}" if self._one_in(2) else ""
        group = f" GROUP BY {self._grouped(keys)}" if keys else ""
        return f"SELECT {', '.join([*keys, *named])} FROM {source}{where}{group}{self._after(keys, len(named))}"

    def _item(self) -> str:
        """An aggregate, or now and then a number made of two."""
        a, b = self._aggregate(), self._aggregate()
        if not self._one_in(5):
            return a
        return self.chance.choice(
            [f"{a} / {b}", f"{a} * 100.0 / NULLIF({b}, 0)", f"ROUND({a} - {b}, 2)", f"ABS({a}) + 1", f"-({a}) * ({b})"]
        )

    def _after(self, keys: list[str], answers: int) -> str:
        """What is done with the drawn answers."""
        having = f" HAVING {self._item()} > 3 OR NOT ({self._item()} BETWEEN -1 AND 7.5)" if self._one_in(8) else ""
        place = self.chance.randint(1, len(keys) + answers)
        order = f" ORDER BY {place} {self.chance.choice(['', 'DESC'])}, {self._item()}" if self._one_in(8) else ""
        return having + order + (f" LIMIT {self.chance.choice([1, 2, 100])}" if self._one_in(8) else "")

    def _grouped(self, keys: list[str]) -> str:
        if self._one_in(8):
            return "ALL"
        if self._one_in(6):
            return f"{self.chance.choice(['ROLLUP', 'CUBE'])} ({', '.join(keys)})"
        return ", ".join(keys if self._one_in(2) else [str(place + 1) for place in range(len(keys))])

    def _source(self) -> "tuple[str, str, Asker]":
        """WITH, FROM, and who knows what can be seen there."""
        if not self.person or self._one_in(2):
            return "", "data", self
        inner = (
            f"SELECT who, plan, COUNT(*) AS far, SUM({self.number(1)}) AS visits, MIN(came) AS came, "
            f"MAX(income) AS income FROM data WHERE {self.condition(1)} GROUP BY who, plan"
        )
        grouped = Asker(self.chance, True, ("visits", "far", "income"), ("came",), ("plan", "YEAR(came)"), CONDITIONS)
        joined = replace(self, numbers=(*NUMBERS, "age", "age"), keys=(*KEYS, "age"))
        if self._one_in(2):
            return self._wider(inner, joined)
        return self.chance.choice(
            [
                ("", "data JOIN people ON data.who = people.who", joined),
                ("", "data LEFT JOIN people USING (who)", joined),
                ("", "people LEFT JOIN data ON people.who = data.who", joined),
                ("", f"({inner}) AS q", grouped),
                (f"WITH q AS ({inner}) ", "q", grouped),
                (f"WITH data AS ({inner}) ", "data", grouped),
                ("WITH q AS (SELECT who, COUNT(*) AS visits FROM q GROUP BY who) ", "q", self)
                if self._one_in(4)
                else ("", "people", replace(joined, numbers=("age",), keys=("age",), conditions=("TRUE",))),
                ("", "data a LEFT JOIN people b ON a.who = b.who JOIN people e ON b.who = e.who", joined)
                if self._one_in(4)
                else ("", "data a LEFT JOIN people b ON a.who = b.who JOIN people e ON a.who = e.who", self),
            ]
        )

    def _wider(self, inner: str, joined: "Asker") -> "tuple[str, str, Asker]":
        """Several tables, public ones, rows of subqueries, windows and unions."""
        x, order = self.number(1), self.chance.choice(["came", "visits, plan", "site DESC NULLS LAST", "income"])
        over = self.chance.choice([f"MAX({x})", f"MIN({x})", f"SUM({x})", "COUNT(site)", "COUNT(*)"])
        by = self.chance.choice(["who", "who, plan", "plan, who"])
        placed = self.chance.choice(["ROW_NUMBER()", "RANK()", "DENSE_RANK()", f"LAG({x})", f"LEAD({x}, 2)"])
        rows = (
            f"SELECT who, plan, came, visits, {over} OVER (PARTITION BY {by}) AS far, {placed} OVER (PARTITION BY {by} "
            f"ORDER BY {order}) AS income FROM data WHERE {self.condition(1)}"
        )
        chosen = Asker(self.chance, True, ("visits", "far", "income"), ("came",), ("plan", "YEAR(came)"), CONDITIONS)
        shop = Asker(
            self.chance, True, ("qty", "amount", "qty * 2"), ("DATE '1970-03-01'",), ("kind", "sku"), ("TRUE",)
        )
        sold = replace(shop, numbers=("price", "level", "qty"), keys=("class", "level", "qty"))
        both = (
            f"SELECT who, plan, {x} AS visits, came FROM data WHERE {self.condition(1)} UNION ALL "
            f"SELECT who, kind, amount, DATE '1970-03-01' FROM orders"
        )
        united = replace(chosen, numbers=("visits",), keys=("plan",))
        member = self.chance.choice(
            [
                f"who IN (SELECT who FROM orders WHERE amount {self.chance.choice('<>')} 2)",
                f"who NOT IN (SELECT who FROM data GROUP BY who HAVING COUNT(*) > 1 OR SUM({x}) < 2)",
                f"EXISTS (SELECT 1 FROM data AS z WHERE z.who = data.who AND z.visits > {self.chance.choice('0123')})",
                "who IN (SELECT DISTINCT who FROM items WHERE qty > 1)",
            ]
        )
        side = self.chance.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN"])
        return self.chance.choice(
            [
                ("", f"({rows}) AS w", chosen),
                (f"WITH w AS ({rows}) ", "w", chosen),
                ("", f"({both}) AS u", united),
                ("", "data", replace(self, conditions=(*self.conditions, member, member, member))),
                ("", f"data FULL JOIN ({inner}) AS q USING (who)", replace(self, numbers=("far",), keys=("site",))),
                ("", f"people {side} data ON people.who = data.who AND age > visits", joined),
                ("", f"orders o {side} items i ON i.oid = o.oid", shop),
                ("", f"items {self.chance.choice(['JOIN', 'LEFT JOIN'])} goods USING (sku)", sold),
                ("", "data JOIN (VALUES (0, 'x'), (1, 'y'), (5, 'x')) AS v(n, age) ON data.visits = v.n", joined),
                ("", "items i JOIN parts p ON p.iid = i.iid", replace(shop, numbers=("weight", "qty"), keys=("sku",))),
            ]
        )

    def _aggregate(self) -> str:
        x = self.number(2)
        order = self.chance.choice(["0.5", "0.1", "0.999", "0.25"])
        if self._one_in(8):
            call = self.chance.choice(
                ["COUNT(*)", f"COUNT({self.keys[0]})", f"SUM({x})", f"AVG({x})", f"QUANTILE({x}, {order})"]
            )
            return f"{call} FILTER (WHERE {self.condition(1)})"
        return self.chance.choice(
            [
                "COUNT(*)",
                "COUNT(*)",
                f"COUNT({x})",
                f"COUNT({self.keys[0]})",
                "COUNT(DISTINCT who)",
                f"COUNT(DISTINCT {self.chance.choice([self.keys[0], x])})",
                f"SUM({x})",
                f"SUM({x})",
                f"AVG({x})",
                f"STDDEV({x})",
                f"VAR_POP({x})",
                f"{self.chance.choice(['CORR', 'COVAR_POP', 'COVAR_SAMP', 'REGR_SLOPE'])}({x}, {self.numbers[0]})",
                f"MEDIAN({x})",
                f"QUANTILE({x}, {order})",
                f"MEDIAN({self.date(1) if self.dates[0] in DATES else x})",
                f"AVG(CASE WHEN {self.condition(1)} THEN 1 ELSE 0 END)",
            ]
        )

    def number(self, depth: int) -> str:
        """An expression that is a number."""
        if depth == 0 or self._one_in(3):
            return self.chance.choice([*self.numbers * 5, "1", "0", "2.5", "-3", "1000000", "0.001"])
        a, b = self.number(depth - 1), self.number(depth - 1)
        by = self.chance.choice(["2", "3", "7", "0.1", "1.5", "-7", "2.5"])
        return self.chance.choice(
            [
                f"{a} + {b}",
                f"{a} - {b}",
                f"{a} * {b}",
                f"({a}) * {by}",
                f"({a}) / {by}",
                f"MOD(ABS({a}), {by})",
                f"-({a})",
                f"ABS({a})",
                f"ROUND({a}, {self.chance.choice(['0', '1', '-2'])})",
                f"ROUND(({a}) / {self.chance.choice([f'NULLIF({b}, 0)', f'GREATEST({b}, 1)', f'({b})'])}, 1)",
                f"({a}) / {self.chance.choice([f'NULLIF({b}, 0)', f'GREATEST(ABS({b}), 0.5)'])}",
                f"{self.chance.choice(['SQRT', 'LN', 'LOG10'])}(GREATEST({a}, {self.chance.choice('012')}))",
                f"EXP(LEAST(GREATEST({a}, -9), {self.chance.choice(['2', '9.5', '50'])}))",
                f"POWER({a}, {self.chance.choice(['2', '3', '0.5', '-1', '0', '2.75'])})",
                f"SIGN({a})",
                f"NULLIF({a}, {self.chance.choice(['0', '1', '2.5'])})",
                f"FLOOR(({a}) / {by})",
                f"CEIL({a})",
                f"LEAST({a}, {b})",
                f"GREATEST({a}, {b}, 1)",
                f"COALESCE({a}, {b})",
                f"CASE WHEN {self.condition(depth - 1)} THEN {a} ELSE {b} END",
                f"CASE WHEN {self.condition(depth - 1)} THEN {a} END",
                f"YEAR({self.date(depth - 1)})",
                f"MONTH({self.date(depth - 1)})",
                f"ISODOW({self.date(depth - 1)})",
                f"({self.date(depth - 1)} - {self.date(depth - 1)})",
            ]
        )

    def date(self, depth: int) -> str:
        """An expression that is a date."""
        if depth == 0 or self._one_in(2):
            return self.chance.choice([*self.dates * 3, "DATE '1970-03-01'", "'1971-12-31'"])
        a, b = self.date(depth - 1), self.date(depth - 1)
        return self.chance.choice(
            [f"{a} + 30", f"{a} - 400", f"LEAST({a}, {b})", f"COALESCE({a}, {b})", f"{a} + {self.numbers[0]}"]
        )

    def condition(self, depth: int) -> str:
        """An expression that is true, false or missing."""
        sign = self.chance.choice(["=", "<>", "<", "<=", ">", ">="])
        if depth > 0 and self._one_in(2):
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return self.chance.choice([f"({a}) AND ({b})", f"{a} OR {b}", f"NOT ({a})"])
        x, y = self.number(max(depth - 1, 0)), self.number(max(depth - 1, 0))
        return self.chance.choice(
            [
                f"{x} {sign} {y}",
                f"{x} {sign} {y}",
                f"{self.date(max(depth - 1, 0))} {sign} {self.date(0)}",
                f"{x} BETWEEN {y} AND 5",
                f"{x} IN (1, 2, {y})",
                f"{x} IS NULL",
                *self.conditions,
            ]
        )

    def _spoilt(self, text: str) -> str:
        words = text.split(" ")
        for _ in range(self.chance.randint(1, 3)):
            place = self.chance.randrange(len(words))
            how = self.chance.randrange(4)
            if how == 0:
                words[place] = self.chance.choice(TOKENS)
            elif how == 1:
                words.insert(place, self.chance.choice(TOKENS))
            elif how == 2:
                del words[place]
                words = words or ["SELECT"]
            else:
                words[place : place + 1] = [words[place]] * self.chance.choice([2, 3, 40])
        return " ".join(words)

    def _one_in(self, count: int) -> bool:
        return self.chance.randrange(count) == 0
