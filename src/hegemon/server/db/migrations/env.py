"""Run Alembic on the connection that the database passes to it."""

from alembic import context

from hegemon.server.db.schema import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
