"""Noise for a trusted curator, one file each. What is drawn here is not charged to any ledger."""
