"""All mutants, by room."""

from tests.mutants import (
    accounting,
    audit,
    collect,
    composition,
    laws,
    ledger,
    local,
    mechanisms,
    plan,
    proofs,
    samplers,
    sampling,
    shares,
    spread,
    streams,
    tables,
    team,
)
from tests.mutants.mutant import Mutant

ROOMS: dict[str, tuple[Mutant, ...]] = {
    "sampling": sampling.MUTANTS + samplers.MUTANTS,
    "mechanisms": mechanisms.MUTANTS,
    "accounting": accounting.MUTANTS,
    "ledger": ledger.MUTANTS + shares.MUTANTS,
    "laws": laws.MUTANTS,
    "composition": composition.MUTANTS,
    "plan": plan.MUTANTS,
    "audit": audit.MUTANTS,
    "proofs": proofs.MUTANTS,
    "local": local.MUTANTS,
    "collect": collect.MUTANTS,
    "spread": spread.MUTANTS,
    "tables": tables.MUTANTS,
    "streams": streams.MUTANTS,
    "team": team.MUTANTS,
}

ALL = tuple(mutant for mutants in ROOMS.values() for mutant in mutants)
