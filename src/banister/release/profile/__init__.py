"""A private look at all columns of a table at once, by one charge."""
