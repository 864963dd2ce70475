"""A witness on a PostgreSQL server: postgresql://host/database#name, best one that other people look after."""

from banister.accounting.stores.postgres import faults, session, split
from banister.accounting.stores.witness import Head, beside
from banister.errors import LedgerExists, LedgerForeign, LedgerMissing

SCHEMA = """
SELECT pg_advisory_xact_lock(42414549);
CREATE TABLE IF NOT EXISTS banister_witness (
  name text PRIMARY KEY, ledger text NOT NULL, sequence bigint NOT NULL, hash text NOT NULL);
"""
TELL = """
UPDATE banister_witness SET sequence = %(sequence)s, hash = %(hash)s
WHERE name = %(name)s AND ledger = %(ledger)s AND sequence < %(sequence)s
"""


class PostgresWitness:
    """The port `Witness`, kept on a server. Each call has a session of its own: nothing is carried over a fork."""

    def __init__(self, address: str, *, wait_seconds: float = 30) -> None:
        self._server, self._name = split(address)
        self._wait_seconds = wait_seconds

    def make(self, ledger: str, head: Head) -> None:
        """Begin with this head; what is there already is never overwritten."""
        with faults(self._name), session(self._server, self._wait_seconds) as connection, connection.transaction():
            connection.execute(SCHEMA)
            made = connection.execute(
                "INSERT INTO banister_witness VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING name",
                (self._name, ledger, *head),
            ).fetchone()
            if made is None:
                raise LedgerExists(
                    f"There is already a witness '{self._name}' in that database, and one is never overwritten. Choose "
                    f"another name."
                )

    def begin(self, ledger: str, head: Head) -> None:
        """The same, unless there is one for this ledger already."""
        try:
            self.newest(ledger)
        except LedgerMissing:
            self.make(ledger, head)

    def unmake(self) -> None:
        """Take away what `make` has just made, when the ledger itself could not be made."""
        with faults(self._name), session(self._server, self._wait_seconds) as connection:
            connection.execute("DELETE FROM banister_witness WHERE name = %s", (self._name,))

    def newest(self, ledger: str) -> Head:
        """The head that was told last."""
        with faults(self._name), session(self._server, self._wait_seconds) as connection:
            row = connection.execute(
                "SELECT ledger, sequence, hash FROM banister_witness WHERE name = %s", (self._name,)
            ).fetchone()
        if row is None:
            raise LedgerMissing(
                f"The ledger's witness '{self._name}' is not there. Bring it back, or find out who took it away, "
                f"before you trust the ledger."
            )
        if row[0] != ledger:
            raise LedgerForeign(f"'{self._name}' is the witness of another ledger. Name the one of this ledger.")
        return int(str(row[1])), str(row[2])

    def tell(self, ledger: str, head: Head) -> None:
        """Keep a head and return when it is on disk. Another line of the same number is refused."""
        fields = {"name": self._name, "ledger": ledger, "sequence": head[0], "hash": head[1]}
        with faults(self._name), session(self._server, self._wait_seconds) as connection:
            moved = connection.execute(TELL, fields).rowcount
        if moved == 0:
            there = self.newest(ledger)
            if there[0] == head[0] and there[1] != head[1]:
                raise beside(self._name, head[0])
