"""Joint computation: each party randomizes its own bit once, and anybody decides from what was said.

Nothing drawn in this room is charged to a ledger: a response protects one bit of one party, once. Somebody who answers
twice spends twice. Most users want `bn.parties`, which is `banister.recipes.parties`: it brings a solver, keys, files.
"""
