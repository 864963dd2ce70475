"""Linear programming, one library a file."""
