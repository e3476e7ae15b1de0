"""The cost of a table, a stream and a move: CPU time, memory, and bytes and transactions in the database.

    python benchmarks/planning.py                                        # SQLite, in a temporary folder
    python benchmarks/planning.py --database postgresql://me@host/empty  # PostgreSQL: an empty database

Programs play at tables of two, one move at a time; then idle streams are opened. CPU time and resident memory are
those of the server process, read from /proc, so this requires Linux.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path

from hegemon.server.runner import database_url

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Server:
    """A server in a separate process."""

    def __init__(self, database: str) -> None:
        program = "from hegemon.cli import main; main()"
        command = [sys.executable, "-c", program, "serve", "--port", "0", "--log", "quiet"]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*command, "--database", database], stdout=subprocess.PIPE, text=True, env=environment
        )
        self.address = ""
        while not self.address:
            line = self.process.stdout.readline()
            assert line, "the server has not started"
            if found := re.search(r"http://([\w.:]+)", line):
                self.address = found[1]
        self._connection = self.connect()

    def connect(self) -> HTTPConnection:
        return HTTPConnection(self.address, timeout=60)

    def request(self, method: str, path: str, body: object = None, token: str = "") -> dict:
        headers = {"content-type": "application/json"} | (
            {"authorization": f"Bearer {token}"} if token else {}
        )
        self._connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status < 400, (path, answer.status, text)
        return json.loads(text)

    @property
    def memory(self) -> int:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE

    @property
    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Table:
    def __init__(self, server: Server) -> None:
        self._server = server
        created = server.request("POST", "/api/games", {"seats": [{}, {}]})
        self.path = f"/api/games/{created['game']}"
        self.tokens = [seat["token"] for seat in created["seats"]]
        self._version = 0

    def play(self, moves: int) -> float:
        """Play some moves; return the CPU time of the moves themselves."""
        spent = 0.0
        for _ in range(moves):
            state = next(
                seat_state
                for token in self.tokens
                if (seat_state := self._server.request("GET", self.path, token=token))["choices"]
            )
            move = {
                "choice": state["choices"][0]["choice"],
                "version": self._version,
                "idempotency_key": f"planning-{self._version:06}",
            }
            before = self._server.cpu
            token = self.tokens[state["seat"] - 1]
            self._version = self._server.request("POST", f"{self.path}/moves", move, token)["version"]
            spent += self._server.cpu - before
        return spent


async def postgresql_state(url: str) -> tuple[int, int, int]:
    """The bytes of PostgreSQL's write-ahead log so far, the size of the database, and its transactions."""
    import asyncpg

    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    try:
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        row = await connection.fetchrow(
            "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, pg_database_size(current_database()), xact_commit "
            "FROM pg_stat_database WHERE datname = current_database()"
        )
        return int(row[0]), int(row[1]), int(row[2])
    finally:
        await connection.close()


def state_of(url: str, file: Path) -> tuple[int, int]:
    """The bytes that the database has logged so far, and its size after a checkpoint of SQLite's log."""
    if url.startswith("sqlite"):
        import sqlite3

        connection = sqlite3.connect(file)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return 0, file.stat().st_size
    logged, size, _ = asyncio.run(postgresql_state(url))
    return logged, size


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default="")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--moves", type=int, default=20, help="moves at each table")
    parser.add_argument("--streams", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "games.db")
        place = options.database or str(file)
        url = database_url(place)
        server = Server(place)
        try:
            Table(server).play(options.moves)  # load everything that is loaded only once
            base = server.memory
            logged, size = state_of(url, file)
            tables = [Table(server) for _ in range(options.tables)]
            created_logged, created_size = state_of(url, file)
            spent = sum(table.play(options.moves) for table in tables)
            with_tables = server.memory
            moved_logged, moved_size = state_of(url, file)
            streams = []
            for number in range(options.streams):
                table = tables[number % len(tables)]
                connection = server.connect()
                token = table.tokens[number % 2]
                connection.request(
                    "GET", f"{table.path}/stream", headers={"authorization": f"Bearer {token}"}
                )
                answer = connection.getresponse()
                answer.readline()
                streams.append((connection, answer))
            with_streams = server.memory
        finally:
            server.stop()
    moves = options.tables * options.moves
    print(f"database                 {url.partition('+')[0]}")
    print(f"server without tables    {base / 1e6:.0f} MB")
    print(f"a table in memory        {(with_tables - base) / options.tables / 1e3:.0f} kB")
    print(f"an idle stream           {(with_streams - with_tables) / options.streams / 1e3:.0f} kB")
    print(f"a move: CPU time         {spent / moves * 1e3:.1f} ms")
    print(f"a new table: log         {(created_logged - logged) / options.tables / 1e3:.1f} kB")
    print(f"a new table: database    {(created_size - size) / options.tables / 1e3:.1f} kB")
    print(f"a move: log              {(moved_logged - created_logged) / moves:.0f} B")
    print(f"a move: database         {(moved_size - created_size) / moves:.0f} B")


if __name__ == "__main__":
    main()
