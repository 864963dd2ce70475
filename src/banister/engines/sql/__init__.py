"""Questions in SQL, and the three engines that add up: DuckDB, PostgreSQL, Spark."""
