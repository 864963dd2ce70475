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
