"""Pages of the messenger: posts, for the owner's browser and for her phones, and what is drawn on them."""
