"""Readers of contact graphs, one third-party library a file."""
