"""Whether a table of PostgreSQL has changed: a trigger writes one line for each transaction that touches it.

A line is seen by exactly those snapshots that see what its transaction did, so two snapshots with the same lines see
the same rows. A line carries a random number, so that a server that was put back and went on otherwise has others.
Where that is not to be had (no right to make the trigger, a view, a partition, rows that depend on who looks, a table
that a crash empties) there is no index.
"""

from collections.abc import Callable, Sequence

from banister.errors import BadValue

TABLE, FUNCTION, TRIGGER = "banister_changes", "banister_changed", "banister_changes"

Rows = Sequence[tuple[object, ...]]
Ask = Callable[[str], Rows]

_NONCE = "CAST(CAST('x' || SUBSTRING(MD5(CAST(gen_random_uuid() AS TEXT)), 1, 15) AS BIT(60)) AS BIGINT)"

_KINDS = 4 | 8 | 16 | 32
"""In pg_trigger: on INSERT, DELETE, UPDATE and TRUNCATE, once a statement, afterwards."""


def watching(table: str) -> list[str]:
    """The statements by which a table is watched from then on; the same ones again change nothing but the trigger."""
    body = f"BEGIN INSERT INTO {TABLE} VALUES (TG_RELID, txid_current(), {_NONCE}) ON CONFLICT DO NOTHING; "
    return [
        f"CREATE TABLE IF NOT EXISTS {TABLE} "
        "(relation OID, tx BIGINT, nonce BIGINT NOT NULL, PRIMARY KEY (relation, tx))",
        # Whoever writes the table need not have a right to the lines; nothing but this function writes them.
        f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
        f"SET search_path FROM CURRENT AS $$ {body} RETURN NULL; END $$",
        f"GRANT SELECT ON {TABLE} TO PUBLIC",
        f"CREATE OR REPLACE TRIGGER {TRIGGER} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {FUNCTION}()",
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {TRIGGER}",
    ]


def unwatching(table: str) -> list[str]:
    """The statements that take the trigger of a table away, and its lines."""
    return [
        f"DROP TRIGGER IF EXISTS {TRIGGER} ON {table}",
        f"DELETE FROM {TABLE} WHERE relation = CAST(to_regclass('{table.replace(chr(39), 2 * chr(39))}') AS OID)",
    ]


def look(ask: Ask, table: str) -> list[str] | None:
    """How a table looks in the snapshot in which is asked, ready to be written down; nothing where it is not watched.

    Besides the lines: which server, table, file, columns and trigger it is. A trigger that was off for a while is
    another version of its row in the catalogue.
    """
    (there,) = ask(f"SELECT to_regclass('{TABLE}') IS NOT NULL")[0]
    if not there:
        return None
    found = ask(_LOOK.format(table=table.replace("'", "''"), changes=TABLE, trigger=TRIGGER))
    return [str(value) for value in found[0]] if len(found) == 1 else None


_LOOK = f"""
SELECT (SELECT system_identifier FROM pg_control_system()), current_user, c.oid, c.relfilenode, t.oid, t.xmin,
       p.xmin, md5(p.prosrc),
       (SELECT md5(string_agg(a.attname || ' ' || a.atttypid || ' ' || a.attnum, ',' ORDER BY a.attnum))
          FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
       (SELECT count(*) || ' ' || coalesce(sum(b.nonce), 0) FROM {{changes}} b WHERE b.relation = c.oid)
  FROM pg_class c
  JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = '{{trigger}}' AND t.tgenabled = 'A' AND t.tgtype = {_KINDS}
  JOIN pg_proc p ON p.oid = t.tgfoid
 WHERE c.oid = to_regclass('{{table}}') AND c.relkind = 'r' AND c.relpersistence = 'p' AND NOT c.relrowsecurity
   AND NOT EXISTS (SELECT 1 FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))
"""


def cannot_watch(reason: str) -> BadValue:
    """What is said where no trigger can be made."""
    return BadValue(
        f"No index can be kept of this table: PostgreSQL does not let us watch it ({reason}). An index needs the right "
        "to make a table, a function and a trigger there, or it could be stale. Ask its owner to run `banister index`."
    )
