"""Private sketches of graphs and matrices."""
