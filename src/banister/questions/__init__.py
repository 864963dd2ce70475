"""From SQL text to a checked question. An allow-list: what is not understood is refused."""
