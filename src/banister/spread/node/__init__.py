"""A node: what it remembers, what it says, and one step of it."""
