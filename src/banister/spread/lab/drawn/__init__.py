"""How spreads are shown: figures, movies and the terminal."""
