"""Joint questions: what they are worth, and the best decision."""
