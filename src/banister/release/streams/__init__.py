"""Counts that go on: a plan for all periods, one charge, and an answer when each of them ends."""
