"""What is audited of other packages: functions of one input, called in an environment that has the package.

This file imports nothing of ours, and each package only where it is asked for. All claim epsilon 1 for inputs that
differ by 1, or for answers of one person, as their documentation says.
"""

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _diffprivlib(name: str) -> Any:
    from diffprivlib import mechanisms

    given: dict[str, object] = {"epsilon": 1.0, "sensitivity": 1}
    if name in ("Gaussian", "GaussianAnalytic", "GaussianDiscrete"):
        given["delta"] = 1e-3
    if name in ("LaplaceTruncated", "LaplaceFolded"):
        given |= {"lower": 0, "upper": 4}
    if name == "Binary":
        given = {"epsilon": 1.0, "value0": "0", "value1": "1"}
    return getattr(mechanisms, name)(**given)


def diffprivlib_staircase(x: float) -> float:
    return float(_diffprivlib("Staircase").randomise(float(x)))


def diffprivlib_laplace(x: float) -> float:
    return float(_diffprivlib("Laplace").randomise(float(x)))


def diffprivlib_geometric(x: int) -> int:
    return int(_diffprivlib("Geometric").randomise(x))


def diffprivlib_gaussian(x: float) -> float:
    return float(_diffprivlib("Gaussian").randomise(float(x)))


def diffprivlib_discrete_gaussian(x: int) -> int:
    return int(_diffprivlib("GaussianDiscrete").randomise(x))


def diffprivlib_snapping(x: float) -> float:
    from diffprivlib.mechanisms import Snapping

    return float(Snapping(epsilon=1.0, sensitivity=1.0, lower=-50, upper=50).randomise(float(x)))


def diffprivlib_binary(x: int) -> str:
    return str(_diffprivlib("Binary").randomise(str(x)))


@lru_cache(maxsize=4)
def _opendp(name: str) -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    kind = float if name.endswith("float") else int
    space = dp.atom_domain(T=kind, nan=False) if kind is float else dp.atom_domain(T=kind)
    metric = dp.absolute_distance(T=kind)
    if name.startswith("laplace"):
        return dp.m.make_laplace(space, metric, scale=1.0)
    return dp.m.make_gaussian(space, metric, scale=3.730631634816464)


def opendp_laplace_int(x: int) -> int:
    return int(_opendp("laplace int")(int(x)))


def opendp_laplace_float(x: float) -> float:
    return float(_opendp("laplace float")(float(x)))


def opendp_gaussian_int(x: int) -> int:
    return int(_opendp("gaussian int")(int(x)))


@lru_cache(maxsize=4)
def _pure_ldp(name: str) -> Any:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient
    from pure_ldp.frequency_oracles.local_hashing import LHClient
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    if name == "direct":
        return DEClient(epsilon=1, d=4)
    if name == "unary":
        return UEClient(epsilon=1, d=4, use_oue=True)
    return LHClient(epsilon=1, d=4, use_olh=True)


def pure_ldp_direct(x: int) -> Any:
    """Its answers are numbered from 1."""
    return _pure_ldp("direct").privatise(x)


def pure_ldp_unary(x: int) -> Any:
    return [int(each) for each in _pure_ldp("unary").privatise(x)]


def pure_ldp_hashing(x: int) -> Any:
    return [float(each) for each in _pure_ldp("hashing").privatise(x)]


@lru_cache(maxsize=4)
def _pydp(name: str) -> Any:
    from pydp.algorithms import numerical_mechanisms as dp

    if name == "laplace":
        return dp.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
    return dp.GaussianMechanism(1.0, 1e-3, 1.0)


def pydp_laplace(x: float) -> float:
    return float(_pydp("laplace").add_noise(float(x)))


def pydp_gaussian(x: float) -> float:
    return float(_pydp("gaussian").add_noise(float(x)))


def pydp_count(table: list[int]) -> int:
    from pydp.algorithms.laplacian import Count

    return int(Count(epsilon=1.0, dtype="int").quick_result(table))


def ldpy_direct(x: int) -> int:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    return int(GRR_Client(x, 4, 1.0))


def ldpy_unary(x: int) -> list[int]:
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    return [int(each) for each in UE_Client(x, 4, 1.0, True)]


_SCHEMA = {
    "": {
        "S": {
            "People": {
                "row_privacy": False,
                "who": {"type": "int", "private_id": True},
                "plan": {"type": "string"},
                "hours": {"type": "int", "lower": 0, "upper": 10},
                "load": {"type": "float", "lower": 0.0, "upper": 1.0},
            }
        }
    }
}


@lru_cache(maxsize=8)
def _smartnoise_mechanism(name: str) -> Any:
    from snsql.sql import _mechanisms

    return getattr(_mechanisms, name)(1.0, delta=1e-3, sensitivity=1)


def smartnoise_laplace(x: float) -> float:
    return float(_smartnoise_mechanism("Laplace").release([x])[0])


def smartnoise_gaussian(x: float) -> float:
    return float(_smartnoise_mechanism("Gaussian").release([x])[0])


@lru_cache(maxsize=8)
def _smartnoise_reader(rows: tuple[tuple[Any, ...], ...], epsilon: float) -> Any:
    import pandas as pd
    from snsql import Privacy, from_df

    table = pd.DataFrame(list(rows), columns=["who", "plan", "hours", "load"])
    return from_df(table, privacy=Privacy(epsilon=epsilon, delta=1e-3), metadata=_SCHEMA)


def _smartnoise(table: list[list[Any]], asked: str, epsilon: float) -> list[Any]:
    """What the private reader answers, without its head; `epsilon` is its level for each column that it measures."""
    reader = _smartnoise_reader(tuple(map(tuple, table)), epsilon)
    return [list(row) for row in reader.execute(asked)[1:]]


def smartnoise_people(table: list[list[Any]]) -> Any:
    """One column is measured, at the whole level, as `get_privacy_cost` says."""
    return _smartnoise(table, "SELECT COUNT(DISTINCT who) AS n FROM S.People", 1.0)[0][0]


def smartnoise_sum(table: list[list[Any]]) -> Any:
    """People are counted beside every sum, so each has half of the level; the same for the others."""
    return _smartnoise(table, "SELECT SUM(hours) AS total FROM S.People", 0.5)[0][0]


def smartnoise_double_sum(table: list[list[Any]]) -> Any:
    return _smartnoise(table, "SELECT SUM(load) AS total FROM S.People", 0.5)[0][0]


def smartnoise_groups(table: list[list[Any]]) -> Any:
    return _smartnoise(table, "SELECT plan, COUNT(*) AS n FROM S.People GROUP BY plan ORDER BY plan", 0.5)


def _smartnoise_copy(kind: str, table: list[list[Any]], rows: int, **given: Any) -> list[Any]:
    """A private copy, of so many rows, of a table with two columns."""
    import pandas as pd
    from snsynth import Synthesizer

    maker = Synthesizer.create(kind, epsilon=1.0, **given)
    maker.fit(pd.DataFrame(table, columns=["a", "b"]), categorical_columns=["a", "b"])
    return list(maker.sample(rows).to_numpy().tolist())


def smartnoise_mwem(table: list[list[Any]]) -> Any:
    """How many of the rows of the copy say 1 in each column, and whether a value that is neither 0 nor 1 is there."""
    return _told(_smartnoise_copy("mwem", table, 10))


def smartnoise_aggregates(table: list[list[Any]]) -> Any:
    """The aggregate-seeded synthesizer: how many rows come out, and what is in them."""
    rows = _smartnoise_copy("pacsynth", table, 10, delta=1e-3)
    return [len(rows), *_told(rows)]


def _told(rows: list[Any]) -> list[int]:
    counts = [sum(str(row[place]) == "1" for row in rows) for place in (0, 1)]
    return [*counts, int(any(str(each) not in ("0", "1") for row in rows for each in row))]
