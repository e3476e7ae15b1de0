"""The server as an ASGI application: routers, dependencies and middleware."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from litestar import Litestar, Request, Response
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.routes import HTTPRoute
from sqlalchemy.exc import DBAPIError

from hegemon.server.api import router as api
from hegemon.server.api.auth import COMPONENTS
from hegemon.server.api.errors import error_response
from hegemon.server.api.validation import ClosedSchemas
from hegemon.server.cluster.cluster import Alone
from hegemon.server.config import ServerConfig
from hegemon.server.db.database import StorageError
from hegemon.server.db.files import cannot_open
from hegemon.server.db.store import Store
from hegemon.server.dependencies import DEPENDENCIES
from hegemon.server.health import health
from hegemon.server.identity.requests import identify
from hegemon.server.logging import noting_requests
from hegemon.server.monitoring import monitoring_lifespan, show_metrics
from hegemon.server.push.dispatcher import PushDispatcher
from hegemon.server.readiness import Readiness, readiness_lifespan, ready
from hegemon.server.security.csrf import guard
from hegemon.server.security.edge import guarded
from hegemon.server.security.rate_limit import SPENDING, Counters, check_limits, share_spending
from hegemon.server.steady import SteadyClock
from hegemon.server.tables import daily, ratings, results
from hegemon.server.tables.archiving import start_archiving
from hegemon.server.tables.expiry import start_expiring
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.tournaments.director import Director
from hegemon.server.web import router as web
from hegemon.server.web.assets import static_file
from hegemon.server.webhooks.dispatcher import WebhookDispatcher

if TYPE_CHECKING:
    from hegemon.server.cluster.peers import Peers

#: The largest request body; the upload of a record has a limit of its own.
MAX_REQUEST_BYTES: Final = 32 * 1024


def create_app(config: ServerConfig) -> Litestar:
    return configure(register_routes(), config)


def configure(app: Litestar, config: ServerConfig) -> Litestar:
    """Add everything that depends on the configuration to an app that has its routes."""
    app.state = State({"config": config, "readiness": Readiness(), **web.create_state(config)})
    app.asgi_handler = guarded(app.asgi_handler, config)
    return app


@asynccontextmanager
async def _lifespan(app: Litestar) -> AsyncIterator[None]:
    config: ServerConfig = app.state.config
    counters = app.state.counters = Counters()
    store = Store(config.database)
    peers = create_peers(store) if store.database.is_shared else None
    tables = app.state.tables = TableRegistry(store, config, peers or Alone())
    dispatcher = app.state.dispatcher = WebhookDispatcher(tables, private=config.private_webhooks)
    director = app.state.director = Director(tables)
    notices = app.state.notices = PushDispatcher(tables, private=config.private_webhooks)

    def turn_changed(table: Table) -> None:
        dispatcher.check(table)
        notices.check(table)

    tables.on_turn = turn_changed
    tables.on_sign_out = notices.check_devices
    tables.on_catch_up = dispatcher.forget

    async def game_over(table: Table) -> None:
        await results.save_results(tables.store, table)
        await ratings.rate_game(tables.store, table)
        await daily.analyze(tables, table)
        await director.game_over(table)

    tables.on_game_over = game_over
    try:
        await store.migrate()
        if peers is not None:
            try:
                await join(peers, tables, counters)
            except (StorageError, DBAPIError) as error:
                raise cannot_open(store.database.location, error) from error
        await tables.start()
        dispatcher.start()
        director.start()
        notices.start()
        start_expiring(tables)
        results.start_counting(tables)
        start_archiving(tables)
        yield
    finally:
        await notices.close()
        await dispatcher.close()
        if peers is not None:
            await peers.close()
        await tables.close()


def create_peers(store: Store) -> "Peers":
    from hegemon.server.cluster.peers import Peers  # needs the driver of PostgreSQL

    return Peers(store)


async def join(peers: "Peers", tables: TableRegistry, counters: Counters) -> None:
    """Connect a server with the other workers that use its database."""
    peers.on_change = tables.replicas.found_change
    peers.on_reconnect = tables.replicas.note_all
    peers.on_gain = lambda _: tables.gained()
    peers.on_worker_lost = tables.worker_lost
    if isinstance(tables.config.now, SteadyClock):
        peers.on_time = tables.config.now.follow
    await peers.start()
    if (limits := tables.config.limits) is not None:
        tables.background.start(SPENDING, lambda: share_spending(peers, counters, limits))


async def _check(request: Request[Any, Any, State]) -> None:
    """Check rate limits and the origin of a request, then identify the person behind it."""
    await guard(request)
    await identify(request)


def _failure(request: Request[Any, Any, State], error: Exception) -> Response[Any]:
    """Answer unknown paths and methods, which no router handles: a page for browsers, else JSON."""
    try:
        check_limits(request)
    except HTTPException as limit:
        error = limit
    if "text/html" in request.headers.get("accept", ""):
        return web.failure(request, error)
    return error_response(request, error)


def register_routes() -> Litestar:
    """An app without a configuration; registering its many handlers takes up most of the startup time."""
    return in_one_task(_app_with_routes())


def in_one_task(app: Litestar) -> Litestar:
    """Let the dependencies of a request be resolved one after the other, in its own task.

    Litestar resolves those that do not depend on each other concurrently. Nearly all of ours are in memory, where
    starting a task takes far longer than what it does.
    """
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for _, model in route.route_handler_map.values():
                model.dependency_batches = [
                    {dependency}
                    for batch in model.dependency_batches
                    for dependency in sorted(batch, key=lambda dependency: dependency.key)
                ]
    return app


def _app_with_routes() -> Litestar:
    return Litestar(
        [
            web.ROUTER,
            api.ROUTER,
            health,
            ready,
            show_metrics,
            static_file,
        ],
        dependencies=DEPENDENCIES,
        lifespan=[_lifespan, monitoring_lifespan, readiness_lifespan],
        # Litestar's own CSRF and rate-limit middleware is not used: ours checks the origin, so forms need no
        # token and pages can be cached for all readers; and it limits by token as well as by address, so one
        # pupil cannot shut out a whole school behind one address.
        before_request=_check,
        exception_handlers={Exception: _failure},
        compression_config=CompressionConfig(backend="gzip", gzip_compress_level=5, exclude=["/stream"]),
        request_max_body_size=MAX_REQUEST_BYTES,
        multipart_form_part_limit=10,
        openapi_config=OpenAPIConfig(
            title="Hegemon",
            version=version("hegemon"),
            description="Tables of Carta Impera Victoria for programs.",
            path="/schema",
            render_plugins=[JsonRenderPlugin()],
            components=COMPONENTS,
            use_handler_docstrings=True,
        ),
        plugins=[ClosedSchemas()],
        middleware=[noting_requests],
        logging_config=None,
        debug=False,
    )
