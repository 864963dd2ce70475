"""A year of weekly releases from one charge, with the process killed again and again, and the error beside the plan's.

Run as a program: python -m tests.release.streams.year FOLDER SEED WEEKS EPSILON DELTA. Each week rows come for new
people, some of them late, then a child releases the week and is killed before one of the calls that change a disk;
whoever comes next releases it. At the end: charges, kills, and the error of all cells by week beside the plan's.
"""

import math
import os
import random
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from banister.release import open as open_dataset
from banister.release import open_stream, plan_stream, start_stream
from banister.release.streams.plan import StreamPlan
from tests.release.kept_kills import die_before

SITES = 150
MONDAY = date(2026, 1, 5)
SQL = "SELECT site, COUNT(*) AS visits FROM data GROUP BY site"
SCHEMA = """
[source]
table = "visits.csv"
person = "id"
neighbours = "add-remove"
rows = 2
groups = 1
[budget]
epsilon = 2
delta = 1e-5
ledger = "visits.ledger"
[columns]
day = { kind = "date", range = [2020-01-01, 2040-12-31] }
site = { kind = "category", values = [SITES] }
[stream]
date = "day"
every = "week"
start = 2026-01-05
periods = WEEKS
person_periods = 2
"""


@dataclass(frozen=True)
class Year:
    """What became of it: the plan, how many were killed, and by week the root mean square error over all sites."""

    plan: StreamPlan
    kills: int
    errors: dict[int, float]
    charges: list[tuple[str, str]]
    """Labels and epsilons of the ledger's lines."""


def run_year(folder: Path, *, seed: int, weeks: int, epsilon: str, delta: str) -> Year:
    names = ", ".join(f'"s{site}"' for site in range(SITES))
    (folder / "visits.toml").write_text(SCHEMA.replace("SITES", names).replace("WEEKS", str(weeks)))
    (folder / "visits.csv").write_text("id,day,site\n")
    chance, exact, kills, errors = random.Random(seed), [0] * SITES, 0, {}
    dataset = open_dataset(folder / "visits.toml")
    plan = plan_stream(dataset, SQL, epsilon=epsilon, delta=delta)
    start_stream(dataset, plan, name="weekly")
    person = 0
    for week in range(1, weeks + 1):
        with (folder / "visits.csv").open("a") as file:
            for site in range(SITES):
                for _ in range(chance.randrange(4)):
                    person += 1
                    late = timedelta(days=7 * chance.randrange(week)) if chance.random() < 0.2 else timedelta()
                    day = MONDAY + timedelta(days=7 * (week - 1) + chance.randrange(7)) - late
                    file.write(f"{person},{day},s{site}\n")
                    exact[site] += 1
        while _killed(folder, week, chance):
            kills += 1
        answer = open_stream(open_dataset(folder / "visits.toml"), name="weekly").release(week)
        found = answer.table.answers["visits"].values
        errors[week] = math.sqrt(sum((a - b) ** 2 for a, b in zip(found.tolist(), exact, strict=True)) / SITES)
    with dataset.ledger() as ledger:
        charges = [(entry.label, entry.epsilon) for entry in ledger.history()]
    return Year(plan, kills, errors, charges)


def _killed(folder: Path, week: int, chance: random.Random) -> bool:
    """Release a week in a child that may be killed on the way; whether it was."""
    number = chance.randrange(1, 60)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            stream = open_stream(open_dataset(folder / "visits.toml"), name="weekly")
            stream.dataset.source()
            die_before(number)
            stream.release(week)
            code = 0
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended > 0:
        raise SystemExit("a release failed by itself")
    return ended < 0


def main() -> None:
    folder, seed, weeks, epsilon, delta = sys.argv[1:]
    year = run_year(Path(folder), seed=int(seed), weeks=int(weeks), epsilon=epsilon, delta=delta)
    print(year.plan)
    paid = [label for label, cost in year.charges if cost != "0"]
    print(f"{year.kills} killed, {len(paid)} charge that costs, {len(year.charges) - len(paid)} periods drawn")
    for week, found in year.errors.items():
        print(f"week {week}: error {found:.2f}, planned {year.plan.error_at(week)['visits']:.2f}")


if __name__ == "__main__":
    main()
