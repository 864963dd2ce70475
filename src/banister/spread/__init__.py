"""Spread without a source."""
