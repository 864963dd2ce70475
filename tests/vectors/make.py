"""Known answers, computed with 40 digits from the definitions and not from our code: `make vectors`."""

import json
from pathlib import Path

import mpmath as mp

HOME = Path(__file__).with_name("noise.json")


def cost_on_the_line(epsilon: mp.mpf, gamma: mp.mpf, exponent: int) -> mp.mpf:
    """E|X|^m of the staircase with sensitivity 1, summed period by period ([G13] eq. 2.13)."""
    b = mp.exp(-epsilon)
    height = (1 - b) / (2 * (gamma + b * (1 - gamma)))
    power = exponent + 1

    def period(k: mp.mpf) -> mp.mpf:
        inner = (k + gamma) ** power - k**power
        outer = (k + 1) ** power - (k + gamma) ** power
        return b**k * (inner + b * outer) / power

    return 2 * height * mp.nsum(period, [0, mp.inf])


def cost_on_integers(epsilon: mp.mpf, sensitivity: int, step: int, exponent: int) -> mp.mpf:
    """E|Z|^m of the integer staircase, summed value by value ([G13] eq. 2.17)."""
    b = mp.exp(-epsilon)
    peak = (1 - b) / (2 * step + 2 * b * (sensitivity - step) - (1 - b))
    parts = [
        mp.nsum(lambda k, j=j: b ** (k + (j >= step)) * (k * sensitivity + j) ** exponent, [0, mp.inf])
        for j in range(sensitivity)
    ]
    return 2 * peak * mp.fsum(parts)


def main() -> None:
    mp.mp.dps = 40
    line = []
    for epsilon in ("0.1", "0.5", "1", "2", "5", "10"):
        for exponent in (1, 2, 3):
            e = mp.mpf(epsilon)
            gamma = _minimum(lambda g, e=e, m=exponent: cost_on_the_line(e, g, m))
            record = {"epsilon": epsilon, "exponent": exponent, "gamma": mp.nstr(gamma, 12)}
            line.append(record | {"cost": mp.nstr(cost_on_the_line(e, gamma, exponent), 15)})
    integers = [
        {
            "epsilon": epsilon,
            "sensitivity": sensitivity,
            "exponent": exponent,
            "cost": mp.nstr(
                min(cost_on_integers(mp.mpf(epsilon), sensitivity, r, exponent) for r in range(1, sensitivity + 1)), 15
            ),
        }
        for epsilon in ("0.5", "1", "3")
        for sensitivity in (1, 2, 5)
        for exponent in (1, 2, 3)
    ]
    source = "definitions in [G13] eq. 2.13 and 2.17, minimised numerically with 40 digits by tests/vectors/make.py"
    HOME.write_text(json.dumps({"source": source, "line": line, "integers": integers}, indent=1) + "\n")


def _minimum(cost) -> mp.mpf:
    """The minimum of a function without false minima on (0, 1), by golden section to 13 digits."""
    ratio = (mp.sqrt(5) - 1) / 2
    low, high = mp.mpf(0), mp.mpf(1)
    while high - low > mp.mpf(10) ** -15:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if cost(left) < cost(right) else (left, high)
    return (low + high) / 2


if __name__ == "__main__":
    main()
