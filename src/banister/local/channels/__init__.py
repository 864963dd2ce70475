"""Channels, one file each: how a person's answer becomes a report."""
