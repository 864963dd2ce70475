"""One file a job. This is the safe path: it charges the ledger first and draws afterwards."""
