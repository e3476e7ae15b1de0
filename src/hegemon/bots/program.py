"""Bots in any language: programs that get the view of their seat as text and answer on standard output.

`hegemon bot-protocol` prints the protocol; it is in `protocol.md` beside this file.
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

#: The seconds for a choice, unless the name of the bot has others, and for the start of the program.
CHOICE_TIMEOUT: Final = 30.0
START_TIMEOUT: Final = 60.0
#: The seconds that a program has to end by itself.
QUIT_TIMEOUT: Final = 1.0

#: The programs of this process beyond this number are ended while they are not asked, those that waited longest first.
MAX_PROGRAMS: Final = 64
_programs: Final["weakref.WeakSet[Program]"] = weakref.WeakSet()
_starting: Final = threading.Lock()

MAX_LINE_LENGTH: Final = 10_000
_MAX_ERROR_LENGTH: Final = 2_000


class ProgramError(MessageError):
    """A program that does not keep to the protocol; it has been ended."""


def question(view: View, memory: Memory, choices: tuple[str, ...], seconds: float) -> str:
    """The lines that ask for a choice: what the seat may know, and nothing else."""
    lines = f"view {write_view(view)}", f"memory {memory}".rstrip(), f"choices {' '.join(choices)}"
    return "\n".join((*lines, f"choose {seconds:g}\n"))


class Program:
    """A player that is a program of its own; it is started at its first choice, and ends with this object.

    What goes wrong is a `ProgramError`. The next choice starts the program again.
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
        self._asked = 0.0
        self._thinking = threading.Lock()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the command names, the program first: results of other files are other results."""
        program = shutil.which(self._arguments[0]) or ""
        return (program, *(argument for argument in self._arguments[1:] if Path(argument).is_file()))

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        with self._thinking:
            self._asked = time.monotonic()
            try:
                process = self._process or self._start()
                process.send(question(view, memory, choices, self.seconds))
                choice = process.answer("choice", self.seconds)
                if choice not in choices:
                    raise ProgramError(
                        "{program} chose {choice}, which is not one of its choices: {choices}",
                        program=self.command,
                        choice=quoted(choice),
                        choices=" ".join(choices),
                    )
            except BaseException:  # after an interrupt, the answer would be taken for the next one
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
        """Let the program end; the next choice starts it again."""
        if self._process is not None:
            self._process.quit()
            self._process = None

    def close(self) -> None:
        """End the program at once."""
        if self._process is not None:
            self._process.end()
            self._process = None


def end_idle_programs() -> None:
    """End programs that are not thinking, so that one more does not make too many."""
    running = [program for program in _programs if program._process is not None]
    too_many = len(running) + 1 - MAX_PROGRAMS
    for program in sorted(running, key=lambda program: program._asked):
        if too_many > 0 and program._thinking.acquire(blocking=False):
            try:
                program.quit()
            finally:
                program._thinking.release()
            too_many -= 1


class _Process:
    """A running program, and what it has sent."""

    def __init__(self, command: str, arguments: list[str]) -> None:
        self.command = command
        try:
            # In a session of its own an interrupt from the keyboard does not reach it, and what it starts ends with it.
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
        with contextlib.suppress(BrokenPipeError):  # the answer, which does not come, shows why
            self._stdin.write(lines.encode())

    def answer(self, expected: str, seconds: float) -> str:
        """The rest of the line that begins with the expected word; lines of information come before it."""
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
        """Read what has arrived; False if nothing does in time."""
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
                raise self._ended()
        return True

    def _ended(self) -> ProgramError:
        ended = self.end(patience=QUIT_TIMEOUT)
        status = self._process.returncode
        lines = self._errors.decode(errors="replace").splitlines()[-10:]
        errors = "".join(f"\n  {printable(line)}" for line in lines if line.strip())
        facts: dict[str, object] = {"program": self.command, "errors": errors}
        if not ended:
            return ProgramError("{program} closed its standard output.{errors}", **facts)
        if status < 0:
            return ProgramError("{program} was ended by signal {number}.{errors}", number=-status, **facts)
        return ProgramError("{program} ended with status {status}.{errors}", status=status, **facts)

    def quit(self) -> None:
        """Let the program end by itself, and end it if it does not."""
        if not self._stdin.closed:
            self.send("quit\n")
            self._stdin.close()
            self.end(patience=QUIT_TIMEOUT)

    def end(self, patience: float = 0) -> bool:
        """End the program, and all that it has started; return whether it ended by itself, within some seconds."""
        if self._stdout.closed:
            return True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        ended = self._process.returncode is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS forbids it once all have ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.set_blocking(self._stderr.fileno(), False)
        self._errors = (self._errors + (self._stderr.read() or b""))[-_MAX_ERROR_LENGTH:]
        self._pipes.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            pipe.close()
        return ended
