"""How things look: pages, charts, figures."""
