"""The PostgreSQL server of the tests is a real one, on loopback, not run by root."""

import psycopg


def test_the_server_answers_and_writes_durably(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        row = connection.execute("SELECT current_setting('fsync'), inet_server_addr()::text").fetchone()
    assert row == ("on", "127.0.0.1/32")
