"""Tables that go in and out: files and frames."""
