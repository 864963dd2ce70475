"""The compiler that the engines share: the exact work of a release as one SQL query."""
