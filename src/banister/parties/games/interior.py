"""The worst-case game on a dense matrix, by an interior-point method.

A simplex solver walks over hundreds of pivots on a matrix without zeros (forty seconds for ten parties, measured in
bench/parties.py); two dozen Newton steps with one Cholesky factor each take two. Nothing rests on this file's word:
the rule that it proposes is a rule whatever it is, its worst case is computed afresh, and the prior that it proposes
bounds every rule from above (`worst.certified`).
"""

import numpy as np

from banister.core.programs.linear import Floats

_MOST_STEPS = 60
_BACK_OFF = 0.995
_NEAR = 1e-7


def solve_game(worth: Floats, guesses: int, *, gap: float) -> tuple[Floats, Floats]:
    """A rule and a prior for: maximise the least entry of worth · rule, over rules that are laws for each transcript.

    `worth` has one row per input and, for each transcript in turn, one column per guess; the rule has one row each.
    Mehrotra's predictor and corrector; stops at that gap between the two bounds, or when rounding stops the progress.
    """
    state = _State(worth, guesses)
    best = state.bounds()
    kept = state.rule.copy(), state.prior.copy()
    for _ in range(_MOST_STEPS):
        if best[1] - best[0] <= gap or not state.step():
            break
        low, high = state.bounds()
        stalled = high - low > 0.8 * (best[1] - best[0])
        if high - low < best[1] - best[0]:
            best, kept = (low, high), (state.rule.copy(), state.prior.copy())
        if stalled and best[1] - best[0] < _NEAR:
            break  # Rounding, not the method, now sets the pace.
    rule = np.maximum(kept[0].reshape(-1, guesses), 0)
    prior = np.maximum(kept[1], 0)
    return rule / rule.sum(axis=1, keepdims=True), prior / prior.sum()


class _State:
    """max v with worth·rule - v - slack = 0, the rule a law for each transcript, slack and rule at least 0.

    The multipliers are the prior of the inputs, the price of each transcript, and the regret of each entry of the rule.
    """

    def __init__(self, worth: Floats, guesses: int) -> None:
        rows, columns = worth.shape
        self.worth, self.guesses = worth, guesses
        self.difference = worth[:, ::2] - worth[:, 1::2] if guesses == 2 else worth
        self.rule = np.full(columns, 1 / guesses)
        self.value = float((worth @ self.rule).min()) - 1
        self.slack = worth @ self.rule - self.value
        self.prior = np.full(rows, 1 / rows)
        earned = self.prior @ worth
        self.price = earned.reshape(-1, guesses).max(axis=1) + 1 / (columns // guesses)
        self.regret = self._spread(self.price) - earned

    def bounds(self) -> tuple[float, float]:
        """What the rule secures, and what no rule can exceed against the prior."""
        rule = self.rule / self._spread(self._gather(self.rule))
        prior = self.prior / self.prior.sum()
        high = float((prior @ self.worth).reshape(-1, self.guesses).max(axis=1).sum())
        return float((self.worth @ rule).min()), high

    def step(self) -> bool:
        """One step; False when the linear system can no longer be solved."""
        weights = self.rule / self.regret
        share = self._gather(weights)
        normal = self._normal(weights, share)
        normal[np.diag_indices_from(normal)] += self.slack / self.prior
        try:
            factor: Floats = np.linalg.cholesky(normal).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            return False
        mean = self._complementarity(0.0, (0.0, 0.0, 0.0, 0.0), 0.0)
        guess = self._direction(factor, weights, share, -self.prior * self.slack, -self.regret * self.rule)
        forward, back = self._lengths(guess)
        predicted = self._complementarity(forward, guess[:4], back)
        aim = mean * (predicted / mean) ** 3
        move = self._direction(
            factor,
            weights,
            share,
            aim - self.prior * self.slack - guess[3] * guess[1],
            aim - self.regret * self.rule - guess[2] * guess[0],
        )
        if not all(np.isfinite(part).all() for part in move):
            return False
        forward, back = (_BACK_OFF * length for length in self._lengths(move))
        rule, slack, regret, prior, price, value = move
        self.rule, self.slack = self.rule + forward * rule, self.slack + forward * slack
        self.value += forward * float(value)
        self.regret, self.prior = self.regret + back * regret, self.prior + back * prior
        self.price = self.price + back * price
        return bool(mean > 1e-16)

    def _normal(self, weights: Floats, share: Floats) -> Floats:
        """worth · (weights, with the laws projected out) · worth'; for two guesses only their difference matters."""
        if self.guesses == 2:
            scaled = self.difference * np.sqrt(weights[::2] * weights[1::2] / share)
            only: Floats = scaled @ scaled.T
            return only
        lumped = (self.worth * weights).reshape(self.worth.shape[0], -1, self.guesses).sum(axis=2)
        full: Floats = (self.worth * weights) @ self.worth.T - (lumped / share) @ lumped.T
        return full

    def _direction(
        self, factor: Floats, weights: Floats, share: Floats, for_slack: Floats, for_rule: Floats
    ) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        off_rows = self.worth @ self.rule - self.value - self.slack
        off_laws = self._gather(self.rule) - 1
        off_prices = self._spread(self.price) - self.prior @ self.worth - self.regret
        pull = for_rule / self.rule - off_prices
        settled = weights * (pull - self._spread((off_laws + self._gather(weights * pull)) / share))
        one = _solve(factor, for_slack / self.prior - off_rows - self.worth @ settled)
        other = _solve(factor, np.ones_like(self.prior))
        value = (1 - self.prior.sum() - one.sum()) / other.sum()
        prior = one + value * other
        push = prior @ self.worth
        price = (off_laws + self._gather(weights * (push + pull))) / share
        rule = weights * (push + pull - self._spread(price))
        slack = self.worth @ rule - value + off_rows
        regret = (for_rule - self.regret * rule) / self.rule
        return rule, slack, regret, prior, price, np.array(value)

    def _lengths(self, move: tuple[Floats, Floats, Floats, Floats, Floats, Floats]) -> tuple[float, float]:
        forward = min(_length(self.rule, move[0]), _length(self.slack, move[1]))
        return forward, min(_length(self.regret, move[2]), _length(self.prior, move[3]))

    def _complementarity(self, forward: float, move: tuple[Floats | float, ...], back: float) -> float:
        rule, slack = self.rule + forward * move[0], self.slack + forward * move[1]
        regret, prior = self.regret + back * move[2], self.prior + back * move[3]
        total = float(rule @ regret) + float(slack @ prior)
        return total / float(self.rule.size + self.slack.size)

    def _gather(self, entries: Floats) -> Floats:
        total: Floats = entries.reshape(-1, self.guesses).sum(axis=1)
        return total

    def _spread(self, entries: Floats) -> Floats:
        return np.repeat(entries, self.guesses)


def _solve(factor: Floats, right: Floats) -> Floats:
    from scipy.linalg import solve_triangular  # A quarter of a second to load, so only when a game is solved.

    down = solve_triangular(factor, right, lower=True, check_finite=False)
    return np.asarray(solve_triangular(factor, down, lower=True, trans=1, check_finite=False), dtype=np.float64)


def _length(values: Floats, move: Floats) -> float:
    """How far, at most 1, until an entry would fall below 0."""
    falling = move < 0
    room: list[float] = (-values[falling] / move[falling]).tolist()
    return min(room, default=1.0) if min(room, default=1.0) < 1 else 1.0
