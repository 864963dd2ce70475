"""Mathematics only: no input or output, no chance, no clock."""
