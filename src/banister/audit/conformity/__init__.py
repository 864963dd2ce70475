"""Pages to sign: the questions of a guideline, answered from schema, ledger and certificates, or left to the owner."""
