"""The messenger: a node that people run, its encrypted store, and its pages. The rules are in `spread.node`."""
