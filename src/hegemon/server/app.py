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
from hegemon.server.cluster.cluster import SingleWorker
from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import StorageError, cannot_open
from hegemon.server.db.store import Store
from hegemon.server.dependencies import DEPENDENCIES
from hegemon.server.health import health
from hegemon.server.identity.requests import identify
from hegemon.server.logging import log_requests
from hegemon.server.monitoring import monitoring_lifespan, show_metrics
from hegemon.server.monotonic_clock import MonotonicClock
from hegemon.server.push.dispatcher import PushDispatcher
from hegemon.server.readiness import Readiness, readiness_lifespan, ready
from hegemon.server.security.csrf import reject_cross_site
from hegemon.server.security.middleware import security_middleware
from hegemon.server.security.rate_limit import SPENDING, RateLimiter, check_limits, share_spending
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

#: The largest request body; uploads of records have a separate limit.
MAX_REQUEST_BYTES: Final = 32 * 1024


def create_app(config: ServerConfig) -> Litestar:
    return configure(register_routes(), config)


def configure(app: Litestar, config: ServerConfig) -> Litestar:
    """Add the state and the middleware that depend on the configuration to an app with routes."""
    app.state = State({"config": config, "readiness": Readiness(), **web.create_state(config)})
    app.asgi_handler = security_middleware(app.asgi_handler, config)
    return app


@asynccontextmanager
async def _lifespan(app: Litestar) -> AsyncIterator[None]:
    config: ServerConfig = app.state.config
    rate_limiter = app.state.rate_limiter = RateLimiter()
    store = Store(config.database)
    peers = create_peers(store) if store.database.is_shared else None
    tables = app.state.tables = TableRegistry(store, config, peers or SingleWorker())
    dispatcher = app.state.dispatcher = WebhookDispatcher(tables, allow_private=config.private_webhooks)
    director = app.state.director = Director(tables)
    notices = app.state.notices = PushDispatcher(tables, allow_private=config.private_webhooks)

    def turn_changed(table: Table) -> None:
        dispatcher.check(table)
        notices.check(table)

    tables.driver.on_turn = turn_changed
    tables.people.on_sign_out = notices.check_devices
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
                await join_cluster(peers, tables, rate_limiter)
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


async def join_cluster(peers: "Peers", tables: TableRegistry, rate_limiter: RateLimiter) -> None:
    """Join the cluster of the workers that share the database."""
    peers.on_change = tables.replicas.handle_change
    peers.on_reconnect = tables.replicas.mark_all_stale
    tables.store.database.on_unknown_outcome = tables.replicas.mark_all_stale
    peers.on_shards_gained = lambda _: tables.driver.take_over()
    peers.on_worker_lost = tables.driver.worker_lost
    if isinstance(tables.config.now, MonotonicClock):
        peers.on_database_time = tables.config.now.follow
    await peers.start()
    if (limits := tables.config.limits) is not None:
        tables.background.start(SPENDING, lambda: share_spending(peers, rate_limiter, limits))


async def _before_request(request: Request[Any, Any, State]) -> None:
    """Check rate limits and the origin of a request, then identify the person behind it."""
    check_limits(request)
    reject_cross_site(request)
    await identify(request)


def _handle_error(request: Request[Any, Any, State], error: Exception) -> Response[Any]:
    """Handle errors outside all routers, such as unknown paths, with a page for browsers and JSON for others."""
    try:
        check_limits(request)
    except HTTPException as limit:
        error = limit
    if "text/html" in request.headers.get("accept", ""):
        return web.error_page(request, error)
    return error_response(request, error)


def register_routes() -> Litestar:
    """An app without a configuration; registering its handlers takes most of the startup time."""
    return resolve_in_order(_app_with_routes())


def resolve_in_order(app: Litestar) -> Litestar:
    """Resolve the dependencies of a request sequentially, in the task of the request.

    Litestar resolves independent dependencies concurrently, each in a new task. Nearly all of ours only read from
    memory, which takes less time than starting a task.
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
        before_request=_before_request,
        exception_handlers={Exception: _handle_error},
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
        middleware=[log_requests],
        logging_config=None,
        debug=False,
    )
