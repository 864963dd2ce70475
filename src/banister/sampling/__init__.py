"""Exact draws from a stream of random bits. What is drawn here is not charged to any ledger."""
