"""Choices among candidates by score."""
