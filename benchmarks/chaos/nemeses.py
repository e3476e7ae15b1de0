"""Nemeses make a cluster fail: a strike injects a fault, waits, and ends the fault."""

import asyncio
import random
import signal
from typing import ClassVar, Final

from chaos.cluster import POSTGRESQL, Cluster
from chaos.proxy import Proxy

#: The clock steps, in seconds.
CLOCK_STEPS: Final = (-3600.0, -60.0, -7.0, -1.0, 1.0, 7.0, 60.0, 3600.0)

#: The maximum pause of a worker in seconds: longer than any lease.
MAX_PAUSE: Final = 12.0


class Nemesis:
    """A kind of fault."""

    name: ClassVar[str]
    needs_postgresql: ClassVar[bool] = False
    targets_workers: ClassVar[bool] = False
    """Whether it strikes the workers, not the clients' network or the database; the two groups strike in parallel."""

    def reason_to_skip(self, cluster: Cluster) -> str:
        """Why it cannot strike this cluster; empty if it can."""
        if self.needs_postgresql and cluster.kind != POSTGRESQL:
            return "it needs PostgreSQL"
        return ""

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        """Inject the fault and end it after about that time; return a description."""
        raise NotImplementedError


class KillWorker(Nemesis):
    """`kill -9` of a worker, and a new one in its place."""

    name, targets_workers = "kill worker", True

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        server = chance.choice(cluster.servers)
        return await server.end_worker(signal.SIGKILL, chance, seconds * chance.random())


class RestartWorker(Nemesis):
    """An orderly restart of a worker."""

    name, targets_workers = "restart worker", True

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        return await chance.choice(cluster.servers).end_worker(signal.SIGTERM, chance, 0)


class PauseWorker(Nemesis):
    """A worker is suspended at any point, and resumes without noticing that time has passed."""

    name, targets_workers = "pause worker", True

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        server, pause = chance.choice(cluster.servers), min(MAX_PAUSE, 2 * seconds)
        paused = server.pause_worker(chance)
        await asyncio.sleep(pause)
        server.resume()
        return f"{paused} for {pause:.1f} s"


class StepClock(Nemesis):
    """A step of a server's clock, which stays wrong until the next step or a restart of the server."""

    name, targets_workers = "step clock", True

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        server, step = chance.choice(cluster.servers), chance.choice(CLOCK_STEPS)
        server.step_clock(step)
        await asyncio.sleep(seconds)
        return f"server {server.number} by {step:+g} s"


class RestartDatabase(Nemesis):
    """A restart of PostgreSQL: fast, which closes connections, or immediate, which needs recovery."""

    name, needs_postgresql = "restart database", True

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        how = chance.choice((signal.SIGINT, signal.SIGQUIT))
        await cluster.restart_database(how, pause=seconds * chance.random())
        return "fast" if how == signal.SIGINT else "immediate"


class TerminateBackends(Nemesis):
    """`pg_terminate_backend` for some of the connections to PostgreSQL."""

    name, needs_postgresql = "terminate backends", True

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        share = chance.choice((0.2, 0.5, 1))
        await cluster.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            f"AND backend_type = 'client backend' AND random() < {share}"
        )
        return f"{share:.0%} of them"


class _Partition(Nemesis):
    """A partition of some workers from the clients or from the database."""

    def proxies(self, cluster: Cluster) -> list[Proxy]:
        raise NotImplementedError

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        proxies = self.proxies(cluster)
        chosen = chance.sample(proxies, chance.randint(1, len(proxies)))
        how = chance.choice((Proxy.cut, Proxy.stall, Proxy.lose_answers, Proxy.half_close))
        for proxy in chosen:
            how(proxy)
        await asyncio.sleep(seconds)
        for proxy in chosen:
            proxy.heal()
        return f"{how.__name__.replace('_', ' ')}, {len(chosen)} of {len(proxies)} servers, {seconds:.1f} s"


class PartitionDatabase(_Partition):
    """A partition between workers and PostgreSQL."""

    name, needs_postgresql = "partition database", True

    def proxies(self, cluster: Cluster) -> list[Proxy]:
        return [server.database for server in cluster.servers if server.database is not None]


class PartitionClients(_Partition):
    """A partition between clients and workers."""

    name = "partition clients"

    def proxies(self, cluster: Cluster) -> list[Proxy]:
        return [server.clients for server in cluster.servers]


class FillDisk(Nemesis):
    """A full disk under the database; PostgreSQL may stop, and is restarted when there is space."""

    name = "fill disk"

    def reason_to_skip(self, cluster: Cluster) -> str:
        if not cluster.disk.is_limited:
            return "a small file system cannot be mounted here (it needs root)"
        return super().reason_to_skip(cluster)

    async def strike(self, cluster: Cluster, chance: random.Random, seconds: float) -> str:
        await asyncio.to_thread(cluster.disk.fill)
        await asyncio.sleep(seconds)
        cluster.disk.free()
        has_ended = await cluster.heal_database()
        return f"{seconds:.1f} s{'; PostgreSQL stopped' if has_ended else ''}"


ALL: Final[tuple[type[Nemesis], ...]] = (
    KillWorker,
    RestartWorker,
    PauseWorker,
    StepClock,
    RestartDatabase,
    TerminateBackends,
    PartitionDatabase,
    PartitionClients,
    FillDisk,
)
