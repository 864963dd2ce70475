"""Meetings through the service: rooms of sealed boxes, the relay in front of them, and a party's side."""
