"""The rim: the only rooms that know an outside library, a file, a clock or a socket."""
