"""Channels for people who trust nobody: each person randomizes before sending.

Nothing drawn in this room is charged to a ledger: a channel protects one answer of one person. Somebody who answers
twice spends twice; the losses add up as `accounting` composes them. Most users want `bn.local`, which is
`banister.recipes.local`: it brings a solver and files to what is here.
"""
