"""Every gate by the name under which a ledger writes it."""

from dataclasses import fields
from fractions import Fraction

from banister.accounting.filters.basic import Basic
from banister.accounting.filters.concentrated import Concentrated
from banister.accounting.filters.curve import Curve
from banister.accounting.filters.gate import Gate
from banister.accounting.filters.gaussian import GaussianGate
from banister.accounting.filters.renyi import Renyi
from banister.accounting.filters.units import Units
from banister.errors import LedgerForeign

GATES: dict[str, type[Gate]] = {
    "basic": Basic,
    "renyi": Renyi,
    "zcdp": Concentrated,
    "gdp": GaussianGate,
    "units": Units,
    "curve": Curve,
}


def as_document(gate: Gate) -> dict[str, str]:
    """The gate as it is written in a ledger: its name and its exact numbers."""
    name = next(key for key, kind in GATES.items() if kind is type(gate))
    numbers = {part.name: str(getattr(gate, part.name)) for part in fields(gate)}  # type: ignore[arg-type]
    return {"gate": name, **numbers}


def of_document(document: dict[str, str]) -> Gate:
    """The gate that a ledger names."""
    kind = GATES.get(document["gate"])
    if kind is None:
        raise LedgerForeign(
            f"The ledger is guarded by '{document['gate']}', which this version of banister does not know. "
            f"Use the version that made it."
        )
    numbers = {part.name: Fraction(document[part.name]) for part in fields(kind) if part.name in document}  # type: ignore[arg-type]
    return kind(**numbers)
