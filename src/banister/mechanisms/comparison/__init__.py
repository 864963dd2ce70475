"""Which noise is least: all that give a guarantee, side by side."""
