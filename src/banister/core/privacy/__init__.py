"""What is promised, what a mechanism gives away, and the region that both draw."""
