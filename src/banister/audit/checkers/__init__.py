"""Small checkers of proofs: one file a kind, whole numbers and fractions only, nothing of the package in them."""
