"""A joint law of many columns: what is measured for it, the tree that holds it, its fit, and what is dealt from it."""
