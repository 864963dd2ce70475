"""Programs for people: they read arguments, call a recipe and print."""
