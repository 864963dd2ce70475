"""Numbers: exact fractions, balls, brackets, and the searches that end in a proof."""
