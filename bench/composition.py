"""Exact composition: time and width of certified brackets, and what a grid accountant says about the same questions.

`--peers` installs dp-accounting into an environment of its own under build/peers and runs it side by side.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

import banister as bn
from banister.core.exact.numbers import Bracket
from banister.mechanisms import DiscreteGaussian, Laplace

Found = TypeVar("Found")
REPEATS = 5
PEERS = Path("build/peers")
PEER_CODE = """
import json, time, sys
from dp_accounting.pld import privacy_loss_distribution as pld

def timed(make):
    start = time.perf_counter()
    value = make()
    return {"value": value, "seconds": time.perf_counter() - start}

from dp_accounting.pld import common

def guarantee(epsilon, delta, count, step):
    level = common.DifferentialPrivacyParameters(epsilon, delta)
    one = pld.from_privacy_parameters(level, value_discretization_interval=step)
    return one.self_compose(count).get_epsilon_for_delta(1e-6)

def laplace(step):
    one = pld.from_laplace_mechanism(20, value_discretization_interval=step)
    return one.self_compose(1000).get_epsilon_for_delta(1e-6)

print(json.dumps({
    "30 x (0.1, 1e-9)": timed(lambda: guarantee(0.1, 1e-9, 30, 1e-4)),
    "1000 x (0.1, 1e-10)": timed(lambda: guarantee(0.1, 1e-10, 1000, 1e-4)),
    "1000000 x (0.001, 1e-13)": timed(lambda: guarantee(0.001, 1e-13, 10**6, 1e-3)),
    "1000 x Laplace, scale 20": timed(lambda: laplace(1e-4)),
}))
"""


def thousand_different() -> bn.Total:
    """epsilon from 0.005 to 0.05, spread like multiples of the golden ratio and so on no lattice; delta 1e-10 each."""
    levels = [0.005 + 0.045 * ((i * 0.6180339887498949) % 1.0) for i in range(1000)]
    return bn.compose(bn.Guarantee(level, "1e-10") for level in levels)


CASES: tuple[tuple[str, Callable[[], Bracket]], ...] = (
    ("30 x (0.1, 1e-9)", lambda: bn.compose([(bn.Guarantee("0.1", "1e-9"), 30)]).bracket(delta="1e-6")),
    ("1000 x (0.1, 1e-10)", lambda: bn.compose([(bn.Guarantee("0.1", "1e-10"), 1000)]).bracket(delta="1e-6")),
    ("1000000 x (0.001, 1e-13)", lambda: bn.compose([(bn.Guarantee("0.001", "1e-13"), 10**6)]).bracket(delta="1e-6")),
    ("1000000000 x (1e-5, 1e-16)", lambda: bn.compose([(bn.Guarantee("1e-5", "1e-16"), 10**9)]).bracket(delta="1e-6")),
    (
        "1000 x Laplace, scale 20",
        lambda: bn.compose([(bn.PrivacyLoss.laplace(Fraction(1, 20)), 1000)]).bracket(delta="1e-6"),
    ),
    (
        "30 x Laplace, scale 10",
        lambda: bn.compose([(bn.PrivacyLoss.laplace(Fraction(1, 10)), 30)]).bracket(delta="1e-6"),
    ),
    (
        "5 x discrete Gaussian",
        lambda: bn.compose([(DiscreteGaussian(epsilon=1, delta="1e-6", sensitivity=1), 5)]).bracket(delta="1e-6"),
    ),
    ("1000 different, width 1e-4", lambda: thousand_different().bracket(delta="1e-6", relative_width=1e-4)),
    ("1000 different, width 1e-6", lambda: thousand_different().bracket(delta="1e-6", relative_width=1e-6)),
)


def timed(work: Callable[[], Found]) -> tuple[Found, float]:
    """The answer, and the median of a few runs in seconds of processor time, which a busy machine does not change."""
    work()
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        found = work()
        seconds.append(time.process_time() - start)
    return found, statistics.median(seconds)


def peers() -> dict[str, dict[str, float]]:
    """dp-accounting on the same questions, in its own environment."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "dp-accounting"], check=True)
    done = subprocess.run([str(python), "-c", PEER_CODE], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, float]] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    others = peers() if "--peers" in sys.argv else {}
    print(f"{'questions':30} {'epsilon at delta 1e-6, from both sides':>42} {'width':>9} {'ms':>8}")
    for name, work in CASES:
        found, seconds = timed(work)
        width = found.width / found.up
        print(f"{name:30} {found.down:20.13g}, {found.up:20.13g} {width:9.1e} {1000 * seconds:8.1f}")
        if name in others:
            value, slow = others[name]["value"], others[name]["seconds"]
            side = "below the truth" if value < found.down else "above it" if value > found.up else "inside"
            print(
                f"{'  dp-accounting':30} {value:20.13g} {side:>21} {'':>9} {1000 * slow:8.1f}  ({slow / seconds:.0f} x)"
            )
    thirty = bn.compose([(Laplace(epsilon="0.1", sensitivity=1), 30)])
    found, seconds = timed(lambda: thirty.delta_bracket(epsilon=1))
    width = found.width / found.up
    print(f"30 x Laplace, scale 10: delta at epsilon 1 is {found.up:.15g}, {width:.1e} wide, {1000 * seconds:.1f} ms")
    for questions, total in ((10, bn.Guarantee(1, 1e-6)), (1000, bn.Guarantee(8, 1e-6))):
        scale, seconds = timed(partial(bn.calibrate_laplace, total=total, questions=questions, sensitivity=1))
        took = 1000 * seconds
        print(f"Laplace scale for {questions} questions within {total}: {float(scale):.6f} in {took:.1f} ms")


if __name__ == "__main__":
    main()
