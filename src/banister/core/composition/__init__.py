"""Ways to put losses together, one file each, and the choice between them."""
