"""Bots in any language: programs that read the view of their seat on standard input and answer on standard output.

`hegemon bot-protocol` prints the protocol, which is in `protocol.md`.
"""

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from io import FileIO
from pathlib import Path
from typing import Final, cast

from hegemon.notation.errors import printable, quoted
from hegemon.notation.messages import MessageError
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_view
from hegemon.play.memory import Memory
from hegemon.rules.view import View

PROTOCOL_VERSION: Final = 1

#: The default seconds for a choice, and those for the start of the program.
CHOICE_TIMEOUT: Final = 30.0
START_TIMEOUT: Final = 60.0
#: The seconds that a program has to exit after `quit`.
QUIT_TIMEOUT: Final = 1.0

#: The maximum number of running programs; above it, the programs that have been idle longest are ended.
MAX_PROGRAMS: Final = 64
_programs: Final["weakref.WeakSet[Program]"] = weakref.WeakSet()
_starting: Final = threading.Lock()

MAX_LINE_LENGTH: Final = 10_000
_MAX_ERROR_LENGTH: Final = 2_000


class ProgramError(MessageError):
    """A program violated the protocol; it has been ended."""


def choice_request(view: View, memory: Memory, choices: tuple[str, ...], seconds: float) -> str:
    """The lines that request a choice; they contain only what the seat may know."""
    lines = f"view {write_view(view)}", f"memory {memory}".rstrip(), f"choices {' '.join(choices)}"
    return "\n".join((*lines, f"choose {seconds:g}\n"))


class Program:
    """A player that is an external program, started at its first choice and ended with this object.

    Failures raise a `ProgramError`. The next choice starts the program again.
    """

    def __init__(self, command: str, seed: int = 0, *, seconds: float = CHOICE_TIMEOUT) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise SetupError(
                "The command {command} cannot be read: {error}", command=quoted(command), error=error
            ) from None
        if not self._arguments or shutil.which(self._arguments[0]) is None:
            raise SetupError("There is no program for the command {command}.", command=quoted(command))
        self.command = command
        self.seed = seed
        self.seconds = seconds
        self._process: _Process | None = None
        self._last_used = 0.0
        self._busy = threading.Lock()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the command names, the program first; results depend on their contents."""
        program = shutil.which(self._arguments[0]) or ""
        return (program, *(argument for argument in self._arguments[1:] if Path(argument).is_file()))

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        with self._busy:
            self._last_used = time.monotonic()
            try:
                process = self._process or self._start()
                process.send(choice_request(view, memory, choices, self.seconds))
                choice = process.answer("choice", self.seconds)
                if choice not in choices:
                    raise ProgramError(
                        "{program} chose {choice}, which is not one of its choices: {choices}",
                        program=self.command,
                        choice=quoted(choice),
                        choices=" ".join(choices),
                    )
            except BaseException:
                # After an interrupt, a late answer would be read as the answer to the next request.
                self.close()
                raise
            return choice

    def _start(self) -> "_Process":
        with _starting:
            end_idle_programs()
            process = self._process = _Process(self.command, self._arguments)
            _programs.add(self)
        weakref.finalize(self, process.quit)
        process.send(f"hegemon {PROTOCOL_VERSION}\nseed {self.seed}\n")
        process.answer("ready", START_TIMEOUT)
        return process

    def quit(self) -> None:
        """Ask the program to exit; the next choice starts it again."""
        if self._process is not None:
            self._process.quit()
            self._process = None

    def close(self) -> None:
        """Kill the program."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def end_idle_programs() -> None:
    """End idle programs, so that starting another one does not exceed `MAX_PROGRAMS`."""
    running = [program for program in _programs if program._process is not None]
    too_many = len(running) + 1 - MAX_PROGRAMS
    for program in sorted(running, key=lambda program: program._last_used):
        if too_many > 0 and program._busy.acquire(blocking=False):
            try:
                program.quit()
            finally:
                program._busy.release()
            too_many -= 1


class _Process:
    """A running program and its unread output."""

    def __init__(self, command: str, arguments: list[str]) -> None:
        self.command = command
        try:
            # In its own session, a keyboard interrupt does not reach it, and its child processes can be killed with it.
            self._process = subprocess.Popen(
                arguments,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramError(
                "{program} cannot be started: {reason}", program=command, reason=error.strerror or error
            ) from None
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._stdin, self._stdout, self._stderr = cast(tuple[FileIO, FileIO, FileIO], pipes)
        self._received = b""
        self._errors = b""
        self._pipes = selectors.DefaultSelector()
        self._pipes.register(self._stdout, selectors.EVENT_READ)
        self._pipes.register(self._stderr, selectors.EVENT_READ)

    def send(self, lines: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # reading the answer reports why
            self._stdin.write(lines.encode())

    def answer(self, expected: str, seconds: float) -> str:
        """The rest of the line that begins with the expected word; `info` lines before it are skipped."""
        deadline = time.monotonic() + seconds
        while True:
            while b"\n" not in self._received:
                if len(self._received) > MAX_LINE_LENGTH:
                    raise ProgramError("{program} sent a line that does not end.", program=self.command)
                if not self._receive(deadline - time.monotonic()):
                    raise ProgramError(
                        "{program} did not answer within {seconds} seconds.",
                        program=self.command,
                        seconds=f"{seconds:g}",
                    )
            received, _, self._received = self._received.partition(b"\n")
            line = received.decode(errors="replace").strip()
            word, _, rest = line.partition(" ")
            if word == expected:
                return rest.strip()
            if word not in ("", "info"):
                raise ProgramError(
                    "{program} answered {line}; the protocol expects a line with {expected}.",
                    program=self.command,
                    line=quoted(line),
                    expected=quoted(expected),
                )

    def _receive(self, seconds: float) -> bool:
        """Read available output; return False on timeout."""
        if seconds <= 0 or not (ready := self._pipes.select(seconds)):
            return False
        for key, _ in ready:
            data = os.read(key.fd, 1 << 16)
            if key.fileobj is self._stderr:
                self._errors = (self._errors + data)[-_MAX_ERROR_LENGTH:]
                if not data:
                    self._pipes.unregister(self._stderr)
            elif data:
                self._received += data
            else:
                raise self._exit_error()
        return True

    def _exit_error(self) -> ProgramError:
        has_exited = self.kill(grace_period=QUIT_TIMEOUT)
        status = self._process.returncode
        lines = self._errors.decode(errors="replace").splitlines()[-10:]
        errors = "".join(f"\n  {printable(line)}" for line in lines if line.strip())
        facts: dict[str, object] = {"program": self.command, "errors": errors}
        if not has_exited:
            return ProgramError("{program} closed its standard output.{errors}", **facts)
        if status < 0:
            return ProgramError("{program} was ended by signal {number}.{errors}", number=-status, **facts)
        return ProgramError("{program} ended with status {status}.{errors}", status=status, **facts)

    def quit(self) -> None:
        """Ask the program to exit, and kill it if it does not."""
        if not self._stdin.closed:
            self.send("quit\n")
            self._stdin.close()
            self.kill(grace_period=QUIT_TIMEOUT)

    def kill(self, grace_period: float = 0) -> bool:
        """Wait `grace_period` seconds, then kill the program and its child processes; return whether it had exited."""
        if self._stdout.closed:
            return True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace_period)
        has_exited = self._process.returncode is not None
        # macOS raises PermissionError once all of them have exited.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.set_blocking(self._stderr.fileno(), False)
        self._errors = (self._errors + (self._stderr.read() or b""))[-_MAX_ERROR_LENGTH:]
        self._pipes.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            pipe.close()
        return has_exited
