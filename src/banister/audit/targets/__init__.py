"""What can be audited, one file a kind: a Python function, a shell command, noise of ours, a callable at hand."""
