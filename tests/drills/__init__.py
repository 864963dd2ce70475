"""Long checks with a command of their own; the unit tests run a few cases of each."""
