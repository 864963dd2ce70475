"""Several parties, one answer: each party randomizes its own bit once, and anybody decides from what was said.

    game = bn.parties.Game(function=bn.parties.xor(5), levels=[1.0] * 5)
    game.accuracy(measure="average"), game.accuracy(measure="worst")
    game.decide([1, 0, 0, 1, None])

Nothing drawn here is charged to a ledger: a response protects one bit of one party, once. Somebody who answers twice
gives away twice. `__init__.pyi` lists what is offered.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
