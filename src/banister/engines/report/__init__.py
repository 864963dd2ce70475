"""Pages that people read: one file, nothing from outside."""
