"""Runs in the peers' environment: how long OpenDP and diffprivlib take for a value. Prints one line of JSON."""

import json
import statistics
import time


def per_value(call, values: int, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) / values)
    return statistics.median(times)


def main() -> None:
    found = {}
    import opendp.prelude as dp

    dp.enable_features("contrib")
    n = 20_000
    integers = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=1.0)
    found["opendp discrete Laplace, vector"] = per_value(lambda: integers([0] * n), n)
    reals = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float), scale=1.0)
    found["opendp Laplace on the reals, vector"] = per_value(lambda: reals([0.0] * n), n)
    one = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    found["opendp discrete Laplace, one"] = per_value(lambda: [one(0) for _ in range(2000)], 2000)

    from diffprivlib.mechanisms import Geometric, Laplace, Staircase

    for name, mechanism, value in (
        ("diffprivlib Geometric, one", Geometric(epsilon=1.0, sensitivity=1), 0),
        ("diffprivlib Laplace, one", Laplace(epsilon=1.0, sensitivity=1), 0.0),
        ("diffprivlib Staircase, one", Staircase(epsilon=1.0, sensitivity=1, gamma=0.37754), 0.0),
    ):
        found[name] = per_value(lambda m=mechanism, v=value: [m.randomise(v) for _ in range(500)], 500)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
