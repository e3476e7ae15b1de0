"""Workers: which ones are alive, which shards they hold, and which games each of them has changed.

Only PostgreSQL has these tables, because only PostgreSQL can be shared by several workers. Leases are not logged: they
describe processes, so none outlives a crash of the database. Changes are: workers go on after such a crash, and must
find what others had saved before it.
"""

from alembic import op

revision = "0023"
down_revision = "0022"

#: The number of shards in `hegemon.server.db.leases`.
_SHARDS = 32

#: The tables whose changes concern a game, with the column of the game and the operations that count. A move is
#: always saved together with a change of its game.
_OBSERVED = (
    ("games", "id", "UPDATE OR DELETE"),
    ("seats", "game", "INSERT OR UPDATE"),
    ("messages", "game", "INSERT OR UPDATE OR DELETE"),
    ("substitutions", "game", "INSERT"),
    ("closures", "game", "INSERT OR DELETE"),
    ("webhooks", "game", "INSERT OR UPDATE OR DELETE"),
)

_FUNCTION = """
CREATE FUNCTION note_change_by_{column}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (game, writer, revision)
    VALUES (
        COALESCE(NEW.{column}, OLD.{column}),
        COALESCE(current_setting('hegemon.worker', true), ''),
        pg_current_xact_id()::text::bigint
    )
    ON CONFLICT (game, writer) DO UPDATE SET revision = EXCLUDED.revision;
    RETURN NULL;
END $$
"""


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute(
        "CREATE UNLOGGED TABLE workers (id varchar(16) PRIMARY KEY, until timestamp with time zone NOT NULL)"
    )
    op.execute(
        "CREATE UNLOGGED TABLE shards (shard integer PRIMARY KEY, holder varchar(16) NOT NULL, "
        "until timestamp with time zone NOT NULL)"
    )
    op.execute(f"INSERT INTO shards SELECT shard, '', 'epoch' FROM generate_series(0, {_SHARDS - 1}) shard")
    op.execute(
        "CREATE TABLE changes (game varchar(22), writer varchar(16), revision bigint NOT NULL, "
        "PRIMARY KEY (game, writer))"
    )
    op.execute("CREATE INDEX ix_changes_revision ON changes (revision)")
    for column in ("id", "game"):
        op.execute(_FUNCTION.format(column=column))
    for table, column, operations in _OBSERVED:
        op.execute(
            f"CREATE TRIGGER note_change AFTER {operations} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION note_change_by_{column}()"
        )


def downgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, _, _ in _OBSERVED:
        op.execute(f"DROP TRIGGER note_change ON {table}")
    for column in ("id", "game"):
        op.execute(f"DROP FUNCTION note_change_by_{column}")
    for table in ("changes", "shards", "workers"):
        op.execute(f"DROP TABLE {table}")
