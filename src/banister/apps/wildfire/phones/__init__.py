"""Phones that take part through their owner's node: how they are paired, what they may, and the door they come by."""
