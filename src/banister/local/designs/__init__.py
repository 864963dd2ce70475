"""Which channel is best for a question, and the proof that none is better."""
