"""Long work: progress, worker processes, and finished pieces kept in a file."""
