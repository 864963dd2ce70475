"""Linear programs as values, and the solver that proposes answers to them."""
