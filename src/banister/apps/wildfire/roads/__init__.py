"""The roads by which nodes reach each other: the local network, Tor, and what leads to an address."""
