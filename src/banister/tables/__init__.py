"""Tables and questions about them, as plain values: schema, bounds, sensitivity. Nothing is read or drawn here.

What is computed in this room is not charged to any ledger: `banister.release` does that.
"""
