"""A meeting by files: the plan, one signed answer from each party, the decision."""
