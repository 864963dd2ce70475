"""Where a ledger's lines are kept: one file on this machine, a PostgreSQL server, or memory."""
