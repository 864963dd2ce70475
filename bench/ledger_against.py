"""Charges a second of this ledger over another checkout's, in turns in one run: python -m bench.ledger_against FOLDER.

The two take turns within seconds of each other, so that whatever else the machine does falls on both alike.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import sys
from bench.ledger import charges_per_second
print(charges_per_second(sys.argv[1], int(sys.argv[2])))
"""
HERE = Path(__file__).parents[1]


def rate(checkout: Path, address: str, processes: int) -> float:
    """Charges a second of a checkout, measured in a program of its own."""
    environment = os.environ | {"PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"}
    command = [sys.executable, "-c", PROGRAM, address, str(processes)]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def compare(other: Path, turns: int) -> None:
    """Print the median ratio and its quartiles."""
    with tempfile.TemporaryDirectory() as folder:
        for processes in (16, 1):
            ratios, rates = [], []
            for turn in range(turns):
                pair = {}
                order = (HERE, other) if turn % 2 else (other, HERE)
                for checkout in order:
                    place = f"{folder}/{processes}-{turn}-{checkout == HERE}.ledger"
                    pair[checkout] = rate(checkout, place, processes)
                ratios.append(pair[HERE] / pair[other])
                rates.append(pair[HERE])
            low, middle, high = statistics.quantiles(ratios, n=4)
            print(
                f"{processes:2} processes: {statistics.median(rates):6.0f} a second here; "
                f"here/there {middle:.3f} [{low:.3f}, {high:.3f}] over {turns} turns"
            )


if __name__ == "__main__":
    compare(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 15)
