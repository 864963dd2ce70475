"""Long work: progress, worker processes, threads, and finished pieces kept in a file."""
