"""Before a record is read: what is asked for, which noise, how much of it, what to expect."""
