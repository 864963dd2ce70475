"""Noise for several numbers at once, one file each."""
