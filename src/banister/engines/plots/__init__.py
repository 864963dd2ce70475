"""Pictures, one library a file."""
