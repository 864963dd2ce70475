"""Exact noise against NumPy's inexact Laplace: a million values, one value, and extreme parameters."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

import banister as bn
from bench import peers

VALUES = 10**6
REPEATS = 9


def median(
    call: Callable[[], object], *, repeats: int = REPEATS, clock: Callable[[], float] = time.process_time
) -> float:
    """The median processor time of a call after one to warm up; on a busy machine the wall's tells of the others."""
    call()
    times = []
    for _ in range(repeats):
        start = clock()
        call()
        times.append(clock() - start)
    return statistics.median(times)


def many() -> dict[str, tuple[Callable[[], object], float]]:
    """Name → (a million releases, how many times NumPy's Laplace is allowed)."""
    counts, reals = np.zeros(VALUES, dtype=np.int64), np.linspace(-1000, 1000, VALUES)
    cases: dict[str, tuple[Callable[[], object], float]] = {}

    def integer(name: str, noise: bn.IntegerStaircase | bn.Geometric, reach: float) -> None:
        cases[name] = (lambda: noise.release(counts), reach)

    integer("geometric, epsilon 1", bn.Geometric(epsilon=1), 10)
    integer("integer staircase, sensitivity 5", bn.IntegerStaircase(epsilon=1, sensitivity=5), 10)
    integer("integer staircase, sensitivity 10^12", bn.IntegerStaircase(epsilon=1, sensitivity=10**12), 50)
    integer("geometric, epsilon 10^-6", bn.Geometric(epsilon=Fraction(1, 10**6)), 50)
    line = bn.Staircase(epsilon=1, sensitivity=1)
    cases["staircase on the line"] = (lambda: line.release(reals), 3)
    laplace = bn.Laplace(epsilon=1, sensitivity=1)
    cases["Laplace on the line"] = (lambda: laplace.release(reals), 3)
    gaussian = bn.Gaussian(epsilon=1, delta=1e-6, sensitivity=1)
    cases["Gaussian on the line"] = (lambda: gaussian.release(reals), 3)
    bell = bn.DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1)
    cases["discrete Gaussian"] = (lambda: bell.release(counts), 15)
    cut = bn.TruncatedStaircase(epsilon=1, delta=1e-6, sensitivity=5)
    cases["truncated staircase, sensitivity 5"] = (lambda: cut.release(counts), 10)
    return cases


def import_seconds(module: str) -> float:
    """Wall time of a fresh interpreter that imports the module, less that of an empty one."""

    def start(code: str) -> float:
        run = partial(subprocess.run, [sys.executable, "-c", code], check=True)
        return median(run, repeats=5, clock=time.perf_counter)

    return start(f"import {module}") - start("pass")


def main() -> None:
    generator = np.random.default_rng()
    # diffprivlib does not import with newer releases of its own dependency.
    others = (
        peers.measure("peer_noise.py", ["opendp", "diffprivlib", "scikit-learn<1.6", "numpy"]) if peers.wanted() else {}
    )
    base = median(lambda: generator.laplace(size=VALUES))
    print(f"NumPy's Laplace, inexact: {base / VALUES * 1e9:.1f} ns a value")
    print(f"{'a million values, exact':40} {'ns a value':>11} {'x NumPy':>8} {'allowed':>8}")
    fastest = {}
    for name, (call, allowed) in many().items():
        base = median(lambda: generator.laplace(size=VALUES), repeats=3)  # Measured beside each, on a noisy machine.
        took = median(call)
        fastest[name] = took / VALUES
        print(f"{name:40} {took / VALUES * 1e9:11.1f} {took / base:8.2f} {allowed:8.0f}")
    print(f"{'one value (on the line: at most 10)':40} {'us':>11}")
    for name, one in (
        ("geometric", bn.Geometric(epsilon=1)),
        ("integer staircase, sensitivity 10^12", bn.IntegerStaircase(epsilon=1, sensitivity=10**12)),
        ("staircase on the line", bn.Staircase(epsilon=1, sensitivity=1)),
        ("Laplace on the line", bn.Laplace(epsilon=1, sensitivity=1)),
        ("Gaussian on the line", bn.Gaussian(epsilon=1, delta=1e-6, sensitivity=1)),
        ("discrete Gaussian", bn.DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1)),
    ):
        took = median(lambda noise=one: [noise.release(41) for _ in range(2000)]) / 2000  # type: ignore[misc]
        print(f"{name:40} {took * 1e6:11.2f}")
    print(
        f"import banister: {import_seconds('banister') * 1000:.0f} ms; "
        f"with a mechanism: {import_seconds('banister.mechanisms') * 1000:.0f} ms"
    )
    ours = {"vector": fastest["geometric, epsilon 1"], "reals": fastest["staircase on the line"]}
    for name, seconds in others.items():
        against = ours["reals" if "reals" in name else "vector"]
        times = f"{seconds / against:10.0f} x ours" if "vector" in name else ""
        print(f"{name:40} {seconds * 1e6:11.2f} us a value {times}")


if __name__ == "__main__":
    main()
