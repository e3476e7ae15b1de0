"""The `/metrics` endpoint for Prometheus, which is off by default."""

import asyncio
import contextlib
import hmac
import os
import platform
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from litestar import Litestar, Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException, NotFoundException

from hegemon.server import metrics
from hegemon.server.config import MetricsConfig, ServerConfig
from hegemon.server.metrics import CurrentCounter, Gauge, Metric
from hegemon.server.tables.registry import TableRegistry

#: The media type of the text format, to which Litestar adds the charset.
MEDIA_TYPE: Final = "text/plain; version=0.0.4"

#: Seconds between two measurements of the event loop, and between two snapshots for the other workers.
_LAG_INTERVAL: Final = 0.5
_SNAPSHOT_INTERVAL: Final = 2.0

#: Seconds after which a snapshot is ignored, because its worker must have died.
_SNAPSHOT_LIFETIME: Final = 15.0

_STARTED_AT: Final = time.time()


@get("/metrics", include_in_schema=False)
async def show_metrics(request: Request[Any, Any, State]) -> Response[bytes]:
    """The metrics of this server: of this process, or of all its workers."""
    settings = request.app.state.config.metrics
    if settings is None:
        raise NotFoundException
    authorization = request.headers.get("authorization", "").encode()
    if settings.token and not hmac.compare_digest(authorization, f"Bearer {settings.token}".encode()):
        raise HTTPException(status_code=401, headers={"WWW-Authenticate": "Bearer"})
    texts = [render_process(request.app.state.tables, settings), *_other_snapshots(settings)]
    return Response(metrics.merge(texts).encode(), media_type=MEDIA_TYPE)


@asynccontextmanager
async def monitoring_lifespan(app: Litestar) -> AsyncIterator[None]:
    """Measure the lag of the event loop, and write snapshots for the other workers."""
    config: ServerConfig = app.state.config
    if config.metrics is None:
        yield
        return
    tasks = [asyncio.create_task(_measure_lag())]
    if config.metrics.folder:
        tasks.append(asyncio.create_task(_write_snapshots(app.state.tables, config.metrics)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if config.metrics.folder:
            with contextlib.suppress(OSError):
                _own_snapshot(config.metrics).unlink()


async def _measure_lag() -> None:
    while True:
        due = time.perf_counter() + _LAG_INTERVAL
        await asyncio.sleep(_LAG_INTERVAL)
        metrics.LOOP_LAG.observe(max(0.0, time.perf_counter() - due))


async def _write_snapshots(tables: TableRegistry, settings: MetricsConfig) -> None:
    while True:
        with contextlib.suppress(OSError):  # a full disk must not stop the server
            snapshot = _own_snapshot(settings)
            temporary = snapshot.with_suffix(".new")
            temporary.write_text(render_process(tables, settings))
            temporary.replace(snapshot)
        await asyncio.sleep(_SNAPSHOT_INTERVAL)


def _own_snapshot(settings: MetricsConfig) -> Path:
    return Path(settings.folder, f"{os.getpid()}.txt")


def _other_snapshots(settings: MetricsConfig) -> Iterator[str]:
    """The latest snapshots of the other workers."""
    if settings.folder:
        for path in sorted(Path(settings.folder).glob("*.txt")):
            with contextlib.suppress(OSError):  # the worker has just exited
                if (
                    path != _own_snapshot(settings)
                    and time.time() - path.stat().st_mtime < _SNAPSHOT_LIFETIME
                ):
                    yield path.read_text()


def render_process(tables: TableRegistry, settings: MetricsConfig) -> str:
    """The metrics of this process; if there are several workers, each sample has the label of its worker."""
    worker = {"worker": str(os.getpid())} if settings.folder else {}
    return metrics.render([*metrics.REGISTRY, *_server_metrics(tables), *_process_metrics()], worker)


def _server_metrics(tables: TableRegistry) -> Iterator[Metric]:
    in_memory = tables.in_memory
    streams = sum(len(table.subscribers) for table in in_memory) + len(tables.followers)
    used, idle = tables.store.database.connections
    build = {"version": version("hegemon"), "python": platform.python_version()}
    yield Gauge("hegemon_build_info", "The versions of the server.", 1, build)
    yield Gauge("hegemon_tables_in_memory", "Tables that are in memory.", len(in_memory))
    yield Gauge("hegemon_streams_open", "Open event streams.", streams)
    yield Gauge(
        "hegemon_bot_queue_length", "Computations of bots that wait for a place.", tables.bots.waiting
    )
    yield Gauge("hegemon_broken_games", "Games that could not be loaded since the start.", len(tables.broken))
    yield Gauge(
        "hegemon_failing_tasks", "Background tasks that currently fail.", len(tables.background.failing)
    )
    yield Gauge("hegemon_database_connections_used", "Connections to the database in use.", used)
    yield Gauge("hegemon_database_connections_idle", "Connections to the database that wait for use.", idle)


def _process_metrics() -> Iterator[Metric]:
    used = os.times()
    yield CurrentCounter("process_cpu_seconds_total", "CPU time of the process.", used.user + used.system)
    yield Gauge("process_start_time_seconds", "When the process started, in Unix time.", _STARTED_AT)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - only their number is needed
        yield Gauge(
            "process_resident_memory_bytes", "Memory of the process.", pages * os.sysconf("SC_PAGE_SIZE")
        )
        yield Gauge("process_open_fds", "Open files of the process.", files)
