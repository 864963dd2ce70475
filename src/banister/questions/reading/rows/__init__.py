"""FROM and what stands in it: relations in which every row keeps its person."""
