"""Optima with their proofs, one file a kind. Solvers propose; what is claimed comes from the checker's own rules."""
