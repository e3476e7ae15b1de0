"""A chaos run: clients play while nemeses strike; then every table is played to its end, and the logs are checked."""

import asyncio
import contextlib
import json
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chaos.checker import Anomaly, check
from chaos.clients import Table, World, run_until_first
from chaos.cluster import POSTGRESQL, WORKER, Cluster, running
from chaos.history import Final as FinalState
from chaos.history import FinalMessage, FinalMove, FinalSubstitution, History
from chaos.nemeses import ALL, Nemesis
from hegemon.server.db.errors import StorageError
from hegemon.server.db.rows import GameRow
from hegemon.server.db.store import Store
from hegemon.server.security.connections import raise_file_limit

Report = Callable[[str], None]

#: The range of seconds that a fault lasts, and of seconds between two faults of the same group of nemeses.
STRIKE_SECONDS: Final = (0.5, 6.0)
CALM_SECONDS: Final = (1.0, 8.0)

#: Seconds between attempts to read from a database that is down.
RETRY_DELAY: Final = 0.5


@dataclass(frozen=True)
class Plan:
    """The options of a run."""

    database: str = POSTGRESQL
    workers: int = 3
    seconds: float = 600.0
    tables: int = 12
    """Tables at the same time."""
    pace: float = 0.4
    """Seconds between two moves of a player, on average."""
    seed: int = 0
    strikes: int | None = None
    """The number of strikes of each nemesis, in turn, with moves in between; replaces `seconds`."""
    moves_between: int = 20
    """The number of new versions between two strikes, if `strikes` is set."""
    stuck_timeout: float = 120.0
    """Seconds with answers but without a new version, after the chaos, after which a table is stuck."""
    nemeses: Sequence[type[Nemesis]] = ALL
    program: Path = WORKER
    """The program of a worker."""
    shared_port: bool = False
    """Whether all workers are behind one port, as with `hegemon serve --workers`."""


@dataclass
class Verdict:
    """The counts and the anomalies of a run."""

    seconds: float = 0.0
    tables: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    strikes: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, str] = field(default_factory=dict)
    """The nemeses that could not strike, and why."""
    crashes: int = 0
    """The number of unexpected exits of workers."""
    anomalies: list[Anomaly] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.anomalies

    def to_dict(self) -> dict[str, object]:
        return {
            "seconds": round(self.seconds, 1),
            "tables": self.tables,
            "counts": dict(sorted(self.counts.items())),
            "strikes": dict(self.strikes),
            "skipped": self.skipped,
            "crashes": self.crashes,
            "anomalies": [str(anomaly) for anomaly in self.anomalies],
        }


class Run:
    """A run on a started cluster; logs and final states are written to a folder."""

    def __init__(self, cluster: Cluster, plan: Plan, folder: Path, report: Report) -> None:
        self.cluster, self.plan, self.report = cluster, plan, report
        self.logs = folder
        self.chance = random.Random(plan.seed)
        self.world = World(
            [server.address for server in cluster.servers],
            plan.pace,
            plan.stuck_timeout,
            max(server.workers for server in cluster.servers),
        )
        self.store = Store(cluster.url)
        self.tables: list[Table] = []
        self.verdict = Verdict()
        self._began = time.monotonic()

    async def play(self) -> Verdict:
        players = [asyncio.create_task(self._play_tables()) for _ in range(self.plan.tables)]
        try:
            await self._run_unless_failed(players, self._chaos())
            self.report("the faults are over; every table is played to its end")
            await self.cluster.heal()
            self.world.finishing.set()
            await asyncio.gather(*players)
            self.report(f"{len(self.tables)} games have ended; every worker serves them again")
            await self._audit()
            for table in self.tables:
                await self._save_final_state(table)
        finally:
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            await self.world.close()
            await self.store.close()
            for table in self.tables:
                table.log.close()
        self.verdict.seconds = time.monotonic() - self._began
        self.verdict.tables = len(self.tables)
        self.verdict.counts = self.world.counts
        self.verdict.crashes = sum(server.crashes for server in self.cluster.servers)
        return self.verdict

    async def _run_unless_failed(
        self, players: "list[asyncio.Task[None]]", work: "asyncio.Future[None]"
    ) -> None:
        """Wait for a coroutine, or raise the error of the first client that fails."""
        working = asyncio.ensure_future(work)
        try:
            await asyncio.wait([working, *players], return_when=asyncio.FIRST_COMPLETED)
            for player in players:
                if player.done():
                    await player
            await working
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    async def _play_tables(self) -> None:
        """Play tables in turn, until the faults are over."""
        while not self.world.finishing.is_set():
            number = len(self.tables) + 1
            chance = random.Random(self.chance.getrandbits(64))
            table = Table(self.world, self.logs / f"table-{number:05}.jsonl", chance)
            self.tables.append(table)
            await table.run()
            await self._save_final_state(table)

    # ---------------------------------------------------------------- faults

    async def _chaos(self) -> None:
        chosen = [nemesis() for nemesis in self.plan.nemeses]
        for nemesis in chosen:
            if reason := nemesis.reason_to_skip(self.cluster):
                self.verdict.skipped[nemesis.name] = reason
                self.report(f"{nemesis.name} is skipped: {reason}")
        chosen = [nemesis for nemesis in chosen if nemesis.name not in self.verdict.skipped]
        if self.plan.strikes is not None:
            await self._strike_in_turn(chosen, self.plan.strikes)
            return
        groups = [
            [nemesis for nemesis in chosen if nemesis.targets_workers is targets_workers]
            for targets_workers in (True, False)
        ]
        end = time.monotonic() + self.plan.seconds
        async with asyncio.TaskGroup() as group:
            for nemeses in filter(None, groups):
                chance = random.Random(self.chance.getrandbits(64))
                group.create_task(self._strike_until(end, nemeses, chance))

    async def _strike_until(self, end: float, nemeses: Sequence[Nemesis], chance: random.Random) -> None:
        """Strike until that time, with all nemeses in a random order before any of them strikes again."""
        while time.monotonic() < end:
            for nemesis in chance.sample(nemeses, len(nemeses)):
                await asyncio.sleep(min(chance.uniform(*CALM_SECONDS), max(0, end - time.monotonic())))
                if time.monotonic() < end:
                    await self._strike(nemesis, chance, chance.uniform(*STRIKE_SECONDS))

    async def _strike_in_turn(self, nemeses: Sequence[Nemesis], times: int) -> None:
        chance = random.Random(self.chance.getrandbits(64))
        for _ in range(times):
            for nemesis in nemeses:
                await self._wait_for_versions(self.plan.moves_between)
                await self._strike(nemesis, chance, chance.uniform(1.0, 2.0))
        await self._wait_for_versions(self.plan.moves_between)

    async def _wait_for_versions(self, number: int) -> None:
        """Wait for new versions, or until there is no progress: the end of the run shows whether a table is stuck."""
        counts = self.world.counts
        goal = counts["versions"] + number

        async def reach() -> None:
            while counts["versions"] < goal:
                await asyncio.sleep(0.05)

        await run_until_first(
            reach(), self.world.wait_until_stalled(lambda: counts["versions"], lambda: counts["read ok"])
        )

    async def _strike(self, nemesis: Nemesis, chance: random.Random, seconds: float) -> None:
        what = await nemesis.strike(self.cluster, chance, seconds)
        self.verdict.strikes[nemesis.name] += 1
        self.report(f"{nemesis.name}: {what}")

    # ---------------------------------------------------------------- the end

    async def _audit(self) -> None:
        slots = asyncio.Semaphore(8)

        async def audit(table: Table) -> None:
            async with slots:
                await table.audit()

        await asyncio.gather(*(audit(table) for table in self.tables if not table.is_stuck))

    async def _save_final_state(self, table: Table) -> None:
        """Save the state of a table in the database, as soon as it can be read.

        This is done at the end of the game, because archiving drops the idempotency keys, and at the end of the run.
        """
        while table.game is not None:
            with contextlib.suppress(StorageError):
                if (row := await self.store.games.load(table.game)) is not None:
                    path, final = final_path(table.path), final_state(row)
                    (final.with_keys_of(FinalState.read(path)) if path.exists() else final).write(path)
                else:
                    final_path(table.path).unlink(missing_ok=True)
                return
            await asyncio.sleep(RETRY_DELAY)


def final_path(log: Path) -> Path:
    """The file of the final state that belongs to a log."""
    return log.with_suffix(".final.json")


def final_state(row: GameRow) -> FinalState:
    return FinalState(
        row.id,
        row.record,
        tuple(FinalMove(move.version, move.seat, move.choice, move.idempotency_key) for move in row.moves),
        frozenset(seat for seat, player in enumerate(row.seats) if player.bot is not None),
        tuple(FinalSubstitution(item.version, item.seat, item.reason) for item in row.substitutions),
        tuple(
            FinalMessage(message.number, message.seat, message.text, message.idempotency_key)
            for message in row.messages
            if message.seat is not None
        ),
        row.finished and all(move.idempotency_key is None for move in row.moves),
    )


def check_log(path: Path) -> list[Anomaly]:
    """Check the log and the final state of one table."""
    final = final_path(path)
    with path.open(encoding="utf-8") as lines:
        history = History.read(lines)
    return check(history, FinalState.read(final) if final.exists() else None)


def check_folder(folder: Path, processes: int = 1) -> list[Anomaly]:
    """Check the logs and final states of all tables of a run."""
    paths = sorted(folder.glob("table-*.jsonl"))
    if processes == 1:
        return [anomaly for path in paths for anomaly in check_log(path)]
    # This process has threads, so it must not fork.
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        return [anomaly for found in pool.map(check_log, paths) for anomaly in found]


async def run(plan: Plan, folder: Path, report: Report, processes: int = 1) -> Verdict:
    """Run a plan with all its files in a folder, and check the logs."""
    logs = folder / "logs"
    logs.mkdir()
    raise_file_limit()
    async with running(
        folder, plan.database, plan.workers, plan.program, shared_port=plan.shared_port
    ) as cluster:
        report(f"{plan.workers} workers are ready")
        verdict = await Run(cluster, plan, logs, report).play()
    report("checking the logs")
    verdict.anomalies = await asyncio.to_thread(check_folder, logs, processes)
    (folder / "verdict.json").write_text(json.dumps(verdict.to_dict(), indent=2) + "\n", encoding="utf-8")
    return verdict
