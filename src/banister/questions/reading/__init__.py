"""From SQL text to values: an allow-list, with the place of whatever is refused."""
