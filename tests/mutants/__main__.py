"""`python -m tests.mutants [word ...] [--jobs N]`: run the mutants whose name or file holds one of the words."""

import argparse
import sys
from collections import Counter

from tests.mutants.lists import ROOMS
from tests.mutants.run import Fate, Outcome, run


def main() -> int:
    """Run, print a line for each mutant and the score; 1 where one survives without a reason or no longer applies."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="words that the name or the file must hold; without any, all are run")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    rooms = {
        room: [m for m in mutants if not asked.only or any(word in f"{m.name} {m.file}" for word in asked.only)]
        for room, mutants in ROOMS.items()
    }
    chosen = [mutant for mutants in rooms.values() for mutant in mutants]
    if not chosen:
        print(f"No mutant is called {' or '.join(asked.only)}.", file=sys.stderr)
        return 2
    outcomes = run(chosen, jobs=asked.jobs, tell=lambda outcome: print(outcome, flush=True))
    _score({room: [o for o in outcomes if o.mutant in mutants] for room, mutants in rooms.items() if mutants})
    return 0 if all(outcome.fate.good for outcome in outcomes) else 1


def _score(rooms: dict[str, list[Outcome]]) -> None:
    print(f"\n{'room':14}{'mutants':>9}{'killed':>9}{'explained':>11}{'neither':>9}")
    total: Counter[str] = Counter()
    for room, outcomes in rooms.items():
        row = Counter(_column(outcome.fate) for outcome in outcomes) + Counter({"mutants": len(outcomes)})
        total += row
        _row(room, row)
    _row("all", total)


def _column(fate: Fate) -> str:
    return {Fate.KILLED: "killed", Fate.EXPLAINED: "explained"}.get(fate, "neither")


def _row(room: str, row: Counter[str]) -> None:
    print(f"{room:14}{row['mutants']:9}{row['killed']:9}{row['explained']:11}{row['neither']:9}")


if __name__ == "__main__":
    sys.exit(main())
