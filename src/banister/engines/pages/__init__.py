"""Pages for people: self-contained HTML, no outside request."""
