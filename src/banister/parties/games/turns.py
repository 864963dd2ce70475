"""Several parties with several bits each, who speak in turn: any number of them, each hearing what was said before.

Privacy is per bit, as for two parties. With all other channels held, the best channel of one party is a linear program
for each history that she can have heard; improving them in turn never loses. The last party says the guess itself.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import ONE, Weights
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, Ints, LinearSolver
from banister.errors import BadValue
from banister.parties.games.two import MOST_BITS, best_channel, bitwise_response, edge_weights

MOST_STATES = 1 << 20
"""Inputs times transcripts up to which all of them are added up."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnQuestion:
    """worth[z₁, …, zₙ, g]: what guess g earns when party i holds the bits zᵢ; all inputs are equally likely.

    >>> together = np.add.outer(np.add.outer([0, 1, 1, 2], [0, 1, 1, 2]), [0, 1])  # How many of five bits are set?
    >>> question = TurnQuestion.of_function("most of five", (together >= 3).astype(int), np.eye(2))
    >>> question.bits
    (2, 2, 1)
    """

    name: str
    bits: tuple[int, ...]
    worth: Floats

    @classmethod
    def of_function(cls, name: str, values: Ints, worth: Floats) -> "TurnQuestion":
        """From a table values[z₁, …, zₙ] of answers 0, 1, … and what guess g earns for answer a, worth[a, g]."""
        bits = tuple(size.bit_length() - 1 for size in values.shape)
        if len(bits) < 2 or values.shape != tuple(1 << b for b in bits) or not all(1 <= b <= MOST_BITS for b in bits):
            raise BadValue(
                f"The table has the shape {values.shape}; two parties or more have 2, 4, up to 2^{MOST_BITS} inputs "
                "each."
            )
        if values.min() < 0 or values.max() >= worth.shape[0]:
            raise BadValue(f"The table names answers outside 0 to {worth.shape[0] - 1}.")
        states = values.size * prod(values.shape[:-1]) * worth.shape[1]
        if states > MOST_STATES:
            raise BadValue(
                f"{states} inputs with what may be said are more than can be added up ({MOST_STATES}). Ask about "
                "fewer bits."
            )
        return cls(name, bits, worth[values])


@dataclass(frozen=True, slots=True, eq=False)
class TurnProtocol:
    """Channels in the order of speaking, in whole multiples of 2^-62: said[heard…, own bits, what is said].

    Private:  per bit, checked on the whole numbers for every history.
    Exact:    `value` is the average score of these very channels; a lower bound on the best interactive protocol.

    >>> parity = np.bitwise_xor.outer(np.bitwise_xor.outer([0, 1], [0, 1]), [0, 1])
    >>> found = best_turns(TurnQuestion.of_function("parity", parity, np.eye(2)), 1)
    >>> round(found.value, 6), round(found.bitwise, 6)  # One bit each: nothing is better than randomized response.
    (0.549343, 0.549343)
    """

    said: tuple[Weights, ...]
    value: float
    bitwise: float
    """What is reached when everybody randomizes every bit and anybody decides."""
    history: tuple[float, ...]


def best_turns(
    question: TurnQuestion, epsilon: Number, *, rounds: int = 12, solver: LinearSolver = SOLVER
) -> TurnProtocol:
    """The best protocol found by improving each party's channel in turn, from bitwise randomized response on.

    >>> both = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])  # Do all four bits say yes?
    >>> round(best_turns(TurnQuestion.of_function("all", both, np.eye(2)), 4).value, 4)
    0.9932
    """
    level = need.positive("epsilon", epsilon)
    if level > 30:
        raise BadValue(f"epsilon = {float(level):g} is above 30, where the answer is open for all purposes.")
    channels = _at_first(question, level)
    history: list[float] = []
    for _ in range(need.whole("rounds", rounds, least=1)):
        for party in reversed(range(len(question.bits))):
            gain = _gain(question, channels, party)
            channels[party] = _improved(gain, question.bits[party], level, solver)
        history.append(float((gain * channels[0]).sum()))
        if len(history) > 1 and history[-1] <= history[-2] + 1e-10:
            break
    whole = tuple(_whole(each, level) for each in channels)
    exact = [each / float(ONE) for each in whole]
    value = float((_gain(question, exact, 0) * exact[0]).sum())
    return TurnProtocol(whole, value, bitwise_value(question, level), tuple(history))


def bitwise_value(question: TurnQuestion, epsilon: Number) -> float:
    """The best average score when every party randomizes every bit, whatever the others say, and anybody decides.

    >>> parity = np.bitwise_xor.outer([0, 1], [0, 1])
    >>> round(bitwise_value(TurnQuestion.of_function("parity", parity, np.eye(2)), 1), 6)
    0.606776
    """
    heard = question.worth
    for place, bits in enumerate(question.bits):
        law = bitwise_response(bits, epsilon)
        heard = np.moveaxis(np.tensordot(heard, law, axes=(place, 0)), -1, place)
    return float(heard.max(axis=-1).sum() / prod(1 << b for b in question.bits))


def _at_first(question: TurnQuestion, level: Fraction) -> list[Floats]:
    """Every bit by randomized response, and of the last party anything: she is improved first."""
    shape: tuple[int, ...] = ()
    channels = []
    for bits in question.bits[:-1]:
        law = bitwise_response(bits, level)
        channels.append(np.broadcast_to(law, (*shape, *law.shape)).astype(np.float64))
        shape = (*shape, law.shape[1])
    guesses = question.worth.shape[-1]
    channels.append(np.full((*shape, 1 << question.bits[-1], guesses), 1 / guesses))
    return channels


def _gain(question: TurnQuestion, channels: list[Floats], party: int) -> Floats:
    """What each message of a party earns, by what she heard and holds: all other channels held, inputs added up."""
    count = len(channels)
    holds, says = ascii_lowercase[:count], ascii_uppercase[:count]
    terms, given = [holds + says[-1]], [question.worth]
    for place, channel in enumerate(channels):
        if place != party:
            terms.append(says[:place] + holds[place] + says[place])
            given.append(channel)
    wanted = says[:party] + holds[party] + says[party]
    found = np.einsum(",".join(terms) + "->" + wanted, *given, optimize=True)
    return np.asarray(found / prod(1 << b for b in question.bits), dtype=np.float64)


def _improved(gain: Floats, bits: int, level: Fraction, solver: LinearSolver) -> Floats:
    flat = gain.reshape(-1, *gain.shape[-2:])
    return np.stack([best_channel(each, bits, level, solver) for each in flat]).reshape(gain.shape)


def _whole(channel: Floats, level: Fraction) -> Weights:
    flat = channel.reshape(-1, *channel.shape[-2:])
    return np.stack([edge_weights(each, level) for each in flat]).reshape(channel.shape)
