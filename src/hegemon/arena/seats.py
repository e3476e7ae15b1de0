"""The bots at a table: in this process, or in separate ones, so that a bot that hangs or exits only loses its game."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import hegemon
from hegemon.arena.workers import initialize_process, interrupts_blocked, is_stopping
from hegemon.bots import Program, ProgramError, make_bot, warm_up
from hegemon.bots.registry import is_third_party
from hegemon.notation.setup import SetupError
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.rules.view import View

#: The time limit per move of a third-party bot in seconds, unless the tournament has one for all bots.
SECONDS_PER_MOVE: Final = 60.0

#: The seconds that a process has to start and compile, and that a program in it has to start.
START_TIMEOUT: Final = 300.0

# The seconds between two checks of a waiting thread whether its result is still needed.
POLL_INTERVAL: Final = 0.25

# The seconds that a process has to exit, and those after the limit until it ends itself if its parent does not.
_GRACE_PERIOD: Final = 1.0

TIME: Final = "time"
EXIT: Final = "exit"


class BotError(Exception):
    """A bot raised an exception: its message and traceback."""

    def __init__(self, reason: str, trace: str) -> None:
        super().__init__(reason, trace)
        self.reason = reason
        self.trace = trace


class Forfeit(Exception):
    """A bot lost its game because it took too long (`TIME`) or because it exited (`EXIT`)."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class ChoiceRequest(NamedTuple):
    """The arguments of a bot's choice."""

    view: View
    memory: Memory
    choices: tuple[str, ...]


def limit_for(name: str, seconds_per_move: float | None) -> float | None:
    """The time limit of a bot per move, in seconds; built-in bots have one only if the tournament sets it."""
    if seconds_per_move is not None:
        return seconds_per_move
    if not is_third_party(name):
        return None
    bot = make_bot(name)
    return bot.seconds if isinstance(bot, Program) else SECONDS_PER_MOVE


def choose(bot: Player, request: ChoiceRequest) -> tuple[str, float]:
    """A bot's choice, and the seconds that it took."""
    began = time.perf_counter()
    try:
        choice: object = bot.choose(*request)
    except SystemExit as error:
        raise Forfeit(EXIT, f"SystemExit: {error}") from None
    except ProgramError as error:
        timed_out = isinstance(bot, Program) and time.perf_counter() - began >= bot.seconds
        raise Forfeit(TIME if timed_out else EXIT, str(error)) from None
    except Exception as error:
        raise BotError(f"{type(error).__name__}: {error}", trace_of(error)) from None
    seconds = time.perf_counter() - began
    if not isinstance(choice, str):
        raise BotError(f"TypeError: a choice is a str, not {type(choice).__name__}", "")
    return choice, seconds


def trace_of(error: BaseException) -> str:
    """The traceback of an exception in a bot, without our own frames."""
    found = traceback.TracebackException.from_exception(error)
    others = (place for place, frame in enumerate(found.stack) if not is_ours(frame.filename))
    del found.stack[: next(others, 0)]
    return "".join(found.format()).rstrip()


def is_ours(file: str) -> bool:
    """Whether a file belongs to this package or to Python's import system."""
    return "importlib" in file or Path(file).is_relative_to(Path(hegemon.__file__).parent)


@dataclass
class BotSeat:
    """A bot in a game, with its thinking time."""

    name: str
    seed: int
    game: tuple[int, ...]
    limit: float | None
    """Seconds per move, in a separate process; None for no limit, in this process."""
    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    @cached_property
    def _bot(self) -> Player:
        return make_bot(self.name, self.seed)

    def choose(self, request: ChoiceRequest) -> str:
        if self.limit is None:
            choice, seconds = choose(self._bot, request)
        else:
            choice, seconds = process_for(self.name).choose(self.game, self.seed, self.limit, request)
        self.decisions += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        return choice


# ------------------------------------------------------------------ processes


class BotProcess:
    """A process for the bots of one name, in one game at a time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process: Any = None
        self._pipe: Any = None
        # A program enforces the limit itself, and its first choice also has to start it.
        self._start_allowance = START_TIMEOUT if isinstance(make_bot(name), Program) else 0.0

    def choose(
        self, game: tuple[int, ...], seed: int, limit: float, request: ChoiceRequest
    ) -> tuple[str, float]:
        if self._process is None:
            self._start()
        seconds = limit + self._start_allowance
        chosen: tuple[str, float] = self._call(
            seconds, choose_here, self.name, game, seed, limit, seconds, request
        )
        return chosen

    def _start(self) -> None:
        # Dask workers are daemonic processes, which may not have children; these are safe, because they exit with it.
        vars(multiprocessing.current_process())["_config"]["daemon"] = False
        # A forked process would inherit locks held by other threads.
        context = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=serve, args=(child_pipe,), daemon=True)
        with interrupts_blocked():
            self._process.start()
        child_pipe.close()
        self._call(START_TIMEOUT, prepare, self.name)

    def _call(self, seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the process; on a timeout, kill the process."""
        try:
            self._pipe.send((function, arguments))
            answered = self._wait(seconds)
            answer = self._pipe.recv() if answered else Forfeit(TIME)
        except (EOFError, OSError):
            answered, answer = False, Forfeit(EXIT)
        if not answered:
            self.end()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not self._pipe.poll(min(POLL_INTERVAL, max(0.0, deadline - time.monotonic()))):
            if is_stopping():
                self.end()
                raise CancelledError
            if time.monotonic() >= deadline:
                return False
        return True

    def end(self) -> None:
        if self._process is not None:
            self._process.terminate()  # also ends a program that it has started
            self._process.join(_GRACE_PERIOD)
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def serve(pipe: Any) -> None:
    """Call functions received through a pipe, until it is closed."""
    initialize_process(close_bots)
    signal.signal(signal.SIGTERM, exit_on_signal)
    os.dup2(2, 1)  # output of a bot must not get into the results
    with contextlib.suppress(EOFError, BrokenPipeError):  # the parent may have exited
        while True:
            function, arguments = pipe.recv()
            try:
                answer = function(*arguments)
            except (BotError, Forfeit, SetupError) as error:
                answer = error
            pipe.send(answer)


def exit_on_signal(*_: object) -> None:
    """Exit this process, and end the programs that it has started."""
    try:
        close_bots()
    finally:
        os._exit(1)


_processes = threading.local()


def process_for(name: str) -> BotProcess:
    """The process for the bots of a name; each thread has its own."""
    processes: dict[str, BotProcess] = vars(_processes)
    if name not in processes:
        processes[name] = BotProcess(name)
    return processes[name]


# The bots of the current game in this process, by seed.
_bots: dict[int, Player] = {}
_game: list[tuple[int, ...]] = []


def prepare(name: str) -> None:
    """Compile the kernels of a bot, so that it does not lose time to the compiler."""
    warm_up([name])


def choose_here(
    name: str, game: tuple[int, ...], seed: int, limit: float, seconds: float, request: ChoiceRequest
) -> tuple[str, float]:
    """Let a bot of a game choose in this process."""
    if _game != [game]:
        close_bots()
        _game[:] = [game]
    if seed not in _bots:
        _bots[seed] = make_bot(name, seed)
    bot = _bots[seed]
    if isinstance(bot, Program):
        bot.seconds = limit
    with alarm(seconds + _GRACE_PERIOD):
        return choose(bot, request)


def close_bots() -> None:
    """End the programs among the bots of this process."""
    for bot in _bots.values():
        if isinstance(bot, Program):
            bot.close()
    _bots.clear()


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Kill this process by a timer of the operating system, if available, even if a bot hangs."""
    if not hasattr(signal, "setitimer"):  # pragma: no cover: only Windows has none
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
