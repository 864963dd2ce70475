"""What was given away: charges, filters and the ledger. A pure room: no file, no clock, no chance."""
