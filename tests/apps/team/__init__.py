"""Tests of a team and its server."""
