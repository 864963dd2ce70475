"""From a table to a first schema: what is stored under which names, what only its owner knows, and the file."""
