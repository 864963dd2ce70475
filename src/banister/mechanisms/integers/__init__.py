"""Noise for whole numbers, one file each."""
