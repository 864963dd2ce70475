"""Costs, expectations, counts of lattice points and histograms, divergences."""
