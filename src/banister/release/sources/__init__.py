"""The engines that add up: DuckDB, PostgreSQL, Spark, and the compiler they share."""
