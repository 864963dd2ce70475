"""What to say after noisy reports, with the proof that no rule does better."""

from fractions import Fraction

from banister.audit.checkers import rule as checker
from banister.audit.proof import Json, Proof, as_law, exact, rounded_down, rounded_up, texts
from banister.core.programs.default import SOLVER
from banister.errors import BadValue
from banister.mechanisms.integers.decoder import Decoder
from banister.parties.games.game import Game
from banister.parties.games.tables import protocol_matrix
from banister.parties.games.worst import best_worst_case


def prove_rule(game: Game) -> Proof:
    """The best rule of an observer for the worst case of a game, and the proof that no rule does better.

    For up to 8 parties of pure levels, and costs other than squared. What is proven is the least expected loss: for
    the zero-one cost the chance of a wrong answer.

    >>> from banister.parties import majority
    >>> proof = prove_rule(Game(majority(3), [1, 1, 1]))
    >>> round(1 - float(Fraction(proof.claim["reached"])), 6)
    0.640201
    """
    if game.parties > checker.MOST_PARTIES:
        raise BadValue(f"A proof takes up to {checker.MOST_PARTIES} parties, not {game.parties}.")
    if any(level.delta for level in game.levels) or game.score.free:
        raise BadValue("A proof takes levels without delta, and a cost other than squared.")
    answers = game.function.table()
    law, worth = protocol_matrix(game.levels), game.score.worth
    case = best_worst_case(law, answers, worth, SOLVER)
    top = Fraction(float(worth.max()))
    losses: list[Json] = [texts([top - Fraction(float(w)) for w in worth[answer]]) for answer in answers]
    rule: list[Json] = [texts(as_law(row.tolist())) for row in case.rule]
    said: dict[str, Json] = {"kind": "randomized response", "epsilons": texts([x.epsilon for x in game.levels])}
    claim: dict[str, Json] = {"law": said, "losses": losses, "measure": "worst"}
    return _sealed(claim, {"rule": rule, "prior": texts(as_law(case.prior.tolist()))})


def prove_decoder(decoder: Decoder) -> Proof:
    """The proof that a decoder for bounded counts is the best one, for the absolute or the squared cost.

    >>> proof = prove_decoder(Decoder.best(epsilon="0.2", largest=10, aim="worst"))
    >>> round(float(Fraction(proof.claim["bound"])), 6), round(float(Fraction(proof.claim["reached"])), 6)
    (2.559718, 2.559718)
    """
    counts = range(decoder.largest + 1)
    reports: dict[str, Json] = {
        "kind": "geometric",
        "epsilon": exact(decoder.epsilon),
        "largest": decoder.largest,
    }
    claim: dict[str, Json] = {"law": reports, "measure": decoder.aim}
    witness: dict[str, Json] = {}
    (witness if decoder.aim == "worst" else claim)["prior"] = texts(list(decoder.prior))
    if decoder.cost.exponent == 2:
        claim |= {"losses": "squared", "truths": list(counts)}
        return _sealed(claim, witness | {"said": texts(list(decoder.said))})
    if decoder.cost.exponent != 1:
        raise BadValue(f"cost = {decoder.cost.in_words} has no proof. Write absolute or squared.")
    # Between whole numbers the absolute cost is linear, so a number to say is a chance of the two around it.
    losses: list[Json] = [[abs(x - g) for g in counts] for x in counts]
    rule: list[Json] = [texts(_between(said, decoder.largest)) for said in decoder.said]
    return _sealed(claim | {"losses": losses}, witness | {"rule": rule})


def _between(said: Fraction, largest: int) -> list[Fraction]:
    below = min(int(said), largest - 1)
    row = [Fraction(0)] * (largest + 1)
    row[below], row[below + 1] = below + 1 - said, said - below
    return row


def _sealed(claim: dict[str, Json], witness: dict[str, Json]) -> Proof:
    """The proof with the two numbers that the checker's own rules give."""
    reached, bound = checker.values(claim, witness)
    claim |= {"reached": exact(rounded_up(reached)), "bound": exact(max(Fraction(0), rounded_down(bound)))}
    return Proof("rule", claim, witness)
