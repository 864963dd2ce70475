"""SQL expressions over the columns of one row, read as bounded terms."""
