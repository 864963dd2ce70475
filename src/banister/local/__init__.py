"""Local privacy: design a channel for your question, draw from it, decode, test.

    channel = bn.local.design(epsilon=1, prior=p, utility="mutual-information")
    reports = channel.respond(answers)
    estimate = channel.estimate(reports)

Nothing drawn here is charged to a ledger: a channel protects one answer of one person. Somebody who answers twice
gives away twice; the losses add up as `banister.accounting` composes them. `__init__.pyi` lists what is offered.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
