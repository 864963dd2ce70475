"""Noise for the real line, released on a grid, one file each."""
