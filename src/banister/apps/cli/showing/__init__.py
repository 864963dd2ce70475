"""How each command speaks in a terminal of 80 columns, and to programs."""
