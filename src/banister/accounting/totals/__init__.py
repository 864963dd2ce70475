"""Exact totals of many releases, what the usual theorems say beside them, and how much each of many may give away."""
