"""Audits of a whole pipeline from outside, in one run: people planted in a table, and guesses which of them were."""
