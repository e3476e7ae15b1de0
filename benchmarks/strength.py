"""The strength of bots: matchups with duplicate deals on all cores, within a time limit.

    python benchmarks/strength.py --deals 400 --limit-s 540 --out strength.json
    python benchmarks/strength.py --deals 0 --out strength.json --plot strength.svg --by time

Every deal is played once for every seat that the first bot can take, so that the luck of the deal and of the seat
cancels out. With `--rotate`, every deal is played once, with the bot one seat further each time. Results are saved
every few seconds; a run that ends early reports its results so far, and the same command resumes it. With no deals to
play, it reports the saved results, and `--plot` draws the win rate by time or iterations. Thinking time is CPU time of
one core. It requires only the package itself, NumPy and Numba, and Matplotlib for the plot.
"""

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from math import sqrt
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from hegemon.bots import Search, make_bot, warm_up
from hegemon.play.game import Game
from hegemon.play.match import play_match

#: The matchups by name: the number of players, the tested bot, its opponents.
MATCHUPS: dict[str, tuple[int, str, str]] = {
    "greedy-2p": (2, "greedy", "chance"),
    "greedy-4p": (4, "greedy", "chance"),
    "search-2p": (2, "search:1s", "greedy"),
    "search-4p": (4, "search:1s", "greedy"),
    **{f"time-{players}p-{seconds}s": (players, f"search:{seconds}s", "greedy")
       for players in (2, 4) for seconds in ("0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1")},
    **{f"iterations-{players}p-{number}": (players, f"search:{number}", "greedy")
       for players in (2, 4) for number in (1, 10, 30, 100, 300, 1000, 3000, 10000, 30000)},
}  # fmt: skip


def play_one(players: int, bot: str, opponents: str, variant: str, deal: int, seat: int) -> dict[str, Any]:
    """One game: the bot in one seat, the opponents in all others."""
    began = time.perf_counter()
    bots = [make_bot(bot if place == seat else opponents, 1000 * deal + place) for place in range(players)]
    for player in bots:
        if isinstance(player, Search):
            player.clock = time.process_time
    game = Game(players, variant, seed=deal)
    result = play_match(game, bots)
    won = 1 / len(result.winners) if seat in result.winners else 0.0
    return {
        "deal": deal,
        "seat": seat + 1,
        "won": won,
        "ending": result.ending.name.lower(),
        "moves": len(game.moves),
        "seconds": round(time.perf_counter() - began, 2),
    }


def interval(won: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a win rate, by Wilson's formula."""
    if games == 0:
        return 0.0, 1.0
    z, rate = 1.959964, won / games
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def summary(games: list[dict[str, Any]]) -> dict[str, Any]:
    """The result of a matchup."""
    won = sum(game["won"] for game in games)
    low, high = interval(won, len(games))
    seats = sorted({game["seat"] for game in games})
    return {
        "games": len(games),
        "deals": len({game["deal"] for game in games}),
        "won": won,
        "rate": won / len(games) if games else None,
        "low": low,
        "high": high,
        "by_seat": {
            seat: sum(g["won"] for g in games if g["seat"] == seat) / sum(g["seat"] == seat for g in games)
            for seat in seats
        },
        "moves": sum(game["moves"] for game in games) / len(games) if games else None,
        "seconds_a_game": sum(game["seconds"] for game in games) / len(games) if games else None,
    }


def initialize_worker() -> None:
    """Ignore interrupts, which the parent handles, and compile the bots before the first game."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warm_up()


class Run:
    """Matchups that are being played, and the file they are written to."""

    def __init__(self, out: Path, variant: str) -> None:
        self.out = out
        self.variant = variant
        self.games: dict[str, list[dict[str, Any]]] = {}
        if out.exists():
            stored = json.loads(out.read_text(encoding="utf-8"))
            self.games = {name: matchup["games_played"] for name, matchup in stored["matchups"].items()}

    def missing(self, name: str, deals: int, *, rotate: bool) -> list[tuple[str, int, int]]:
        """The games of a matchup that are still to be played, deal by deal."""
        players = MATCHUPS[name][0]
        done = {(game["deal"], game["seat"]) for game in self.games.get(name, [])}
        return [
            (name, deal, seat)
            for deal in range(deals)
            for seat in ((deal % players,) if rotate else range(players))
            if (deal, seat + 1) not in done
        ]

    def write(self) -> None:
        """Save all finished games atomically."""
        matchups = {}
        for name, games in self.games.items():
            players, bot, opponents = MATCHUPS[name]
            about = {"players": players, "bot": bot, "opponents": opponents, "variant": self.variant}
            matchups[name] = {**about, **summary(games), "games_played": games}
        partial = self.out.with_suffix(".part")
        partial.write_text(json.dumps({"matchups": matchups}) + "\n", encoding="utf-8")
        partial.replace(self.out)

    def print_results(self) -> None:
        """Print one line per matchup."""
        for name, games in self.games.items():
            result = summary(games)
            if games:
                print(
                    f"{name:22} {result['games']:5} games  {result['rate']:6.1%}  "
                    f"[{result['low']:.1%}, {result['high']:.1%}]  {result['moves']:.0f} moves, "
                    f"{result['seconds_a_game']:.1f} s a game",
                    flush=True,
                )


def draw(run: Run, file: Path, by: str) -> None:
    """Plot the win rate by time or iterations, for two and four players, from all saved games."""
    from hegemon.arena.plots import Interval, curves

    rows: dict[str, list[tuple[float, Interval]]] = {}
    for name, games in sorted(run.games.items(), key=lambda item: _effort(item[0])):
        players, _, opponents = MATCHUPS[name]
        if games and name.startswith(by):
            label = f"against {opponents}" if players == 2 else f"against three {opponents}"
            result = summary(games)
            rows.setdefault(label, []).append(
                (_effort(name), (result["rate"], result["low"], result["high"]))
            )
    even = {"against greedy": 1 / 2, "against three greedy": 1 / 4}
    effort = "seconds of a core a decision" if by == "time" else "iterations a decision"
    svg = curves(rows, effort, "games won, percent; dotted: an even share", even)
    file.write_text(svg + "\n", encoding="utf-8")


def _effort(name: str) -> float:
    """The limit of the bot of a matchup, in seconds or iterations."""
    return float(MATCHUPS[name][1].partition(":")[2].rstrip("s") or 0)


def main() -> None:
    """Play the matchups of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("matchups", nargs="*", default=["search-2p", "search-4p"], help=", ".join(MATCHUPS))
    parser.add_argument("--deals", type=int, default=400, help="deals per matchup")
    parser.add_argument(
        "--rotate", action="store_true", help="one game per deal, with the bot one seat further each time"
    )
    parser.add_argument("--variant", default="basic", help="basic or draft")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="number of processes")
    parser.add_argument("--limit-s", type=float, default=float("inf"), help="time limit in seconds")
    parser.add_argument(
        "--out", type=Path, default=Path("strength.json"), help="file to save results to and resume from"
    )
    parser.add_argument("--plot", type=Path, help="write the plot to this file")
    parser.add_argument("--by", choices=["time", "iterations"], default="time", help="the x-axis of the plot")
    options = parser.parse_args()
    unknown = [name for name in options.matchups if name not in MATCHUPS]
    if unknown:
        parser.error(f"there is no matchup {unknown[0]}; there are {', '.join(MATCHUPS)}")
    end = time.monotonic() + options.limit_s
    run = Run(options.out, options.variant)
    if options.plot is not None:
        draw(run, options.plot, options.by)
    if options.deals == 0:
        run.print_results()
        return
    warm_up()  # fill the cache once, before the workers start
    # Deal by deal through all matchups, so that at the time limit all of them have about the same number of games.
    work = sorted(
        (job for name in options.matchups for job in run.missing(name, options.deals, rotate=options.rotate)),
        key=lambda job: (job[1], job[0]),
    )
    print(f"{len(work)} games on {options.jobs} processes", flush=True)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(options.jobs, mp_context=context, initializer=initialize_worker)
    running: dict[Future[dict[str, Any]], str] = {}
    queue = iter(work)
    finished, last_report = 0, time.monotonic()
    try:
        while True:
            while len(running) < 2 * options.jobs and (job := next(queue, None)) is not None:
                name, deal, seat = job
                players, bot, opponents = MATCHUPS[name]
                future = pool.submit(play_one, players, bot, opponents, options.variant, deal, seat)
                running[future] = name
            if not running:
                break
            done, _ = wait(
                running, timeout=max(0.0, min(5.0, end - time.monotonic())), return_when=FIRST_COMPLETED
            )
            for future in done:
                run.games.setdefault(running.pop(future), []).append(future.result())
                finished += 1
            if time.monotonic() - last_report > 15 or not running:
                last_report = time.monotonic()
                run.write()
                print(f"--- {finished} of {len(work)}", flush=True)
                run.print_results()
            if time.monotonic() >= end:
                print("time limit reached; finished games have been saved", flush=True)
                break
    except KeyboardInterrupt:
        print("interrupted; finished games have been saved", flush=True)
    run.write()
    run.print_results()
    working = list(pool._processes.values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in working:  # abandon unfinished games
        process.kill()


if __name__ == "__main__":
    main()
