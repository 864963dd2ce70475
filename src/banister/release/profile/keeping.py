"""A look as it is kept between the charge and the caller: every noisy count, and the values that appeared."""

from collections.abc import Mapping, Sequence
from typing import cast

from banister.accounting.kept import KeptRequest, array_of, array_text
from banister.errors import BadValue
from banister.release.answering.keeping import CELL_BYTES, label_document, label_of
from banister.release.profile.plan import LookPlan
from banister.release.profile.profile import Drawn


def kept_look(plan: LookPlan, key: str) -> KeptRequest:
    """What is asked under a key. Intervals are read off what was drawn, so another confidence is the same request."""
    level = plan.guarantee
    return KeptRequest(key=key, plan=plan.digest, label=plan.label, epsilon=str(level.epsilon), delta=str(level.delta))


def look_bytes(plan: LookPlan) -> int:
    """About how many bytes a look takes; values that are not declared are counted as a thousand."""
    return CELL_BYTES * sum(piece.cells or 1000 for piece in plan.pieces)


def look_document(drawn: Sequence[Drawn], proof: str) -> dict[str, object]:
    """What was drawn, as a JSON object."""
    pieces = [[array_text(one.counts), [label_document(label) for label in one.labels]] for one in drawn]
    return {"proof": proof, "drawn": pieces}


def look_of(plan: LookPlan, document: Mapping[str, object]) -> tuple[tuple[Drawn, ...], str]:
    """What was drawn, read back."""
    try:
        proof, pieces = document["proof"], cast(Sequence[tuple[object, Sequence[object]]], document["drawn"])
        if not isinstance(proof, str) or len(pieces) != len(plan.pieces):
            raise TypeError
        return tuple(Drawn(array_of(text), tuple(map(label_of, labels))) for text, labels in pieces), proof
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadValue(
            "What is kept under this key is not a look as banister keeps them. Nothing was charged or drawn; restore "
            "it from a copy."
        ) from None
