"""The service that people who trust nobody can answer to: ingest, the page to answer at, the dashboard."""
