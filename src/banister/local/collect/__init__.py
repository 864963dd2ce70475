"""Collecting from people who trust nobody: campaigns, answers that repeat themselves, a person's ledger, totals."""
