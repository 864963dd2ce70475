"""Audits of a messenger: whether the authors of posts are found more often than is stated."""
