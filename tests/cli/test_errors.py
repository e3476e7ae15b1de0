"""Every error ends in a sentence and an exit status, never in a traceback."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from hegemon import IllegalMoveError
from hegemon.cli import main
from hegemon.cli.errors import BROKEN_PIPE, os_error_sentence, run_command
from hegemon.play.legality import Reason


def raising(error):
    def program():
        raise error

    return program


@pytest.mark.parametrize(
    ("number", "sentence", "status"),
    [
        (errno.ENOENT, "There is no file here.toml.", 2),
        (errno.EISDIR, "here.toml is a folder", 2),
        (errno.EACCES, "You do not have permission to read or write", 1),
        (errno.ENOSPC, "The disk is full", 1),
        (errno.EIO, "here.toml: ", 1),
    ],
)
def test_errors_of_the_operating_system_are_reported(number, sentence, status, capsys):
    error = OSError(number, os.strerror(number), "here.toml")
    assert run_command(raising(error)) == status
    assert sentence in capsys.readouterr().err
    assert os_error_sentence(OSError("odd"))[0].endswith("odd.")


def test_an_illegal_move_is_reported(capsys):
    assert run_command(raising(IllegalMoveError(Reason("over")))) == 2
    assert "The game is over." in capsys.readouterr().err


def test_ctrl_c_is_reported(capsys):
    assert run_command(raising(KeyboardInterrupt())) == 130
    assert "Interrupted." in capsys.readouterr().err


def test_the_status_of_a_command_is_the_status_of_the_program():
    assert run_command(lambda: 130) == 130
    assert run_command(lambda: None) == 0


@pytest.fixture
def interruptible():
    """Restore the handler of SIGINT, which `main` ignores at its end."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_main_exits_with_the_status(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["hegemon", "--version"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert "hegemon" in capsys.readouterr().out


def test_ctrl_c_during_imports_is_silent(monkeypatch, capsys):
    class Slow:
        def __getattr__(self, name):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setitem(sys.modules, "hegemon.cli.app", Slow())
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130
    assert capsys.readouterr().err == ""


RUN = [sys.executable, "-c", "from hegemon.cli import main; main()"]


@pytest.mark.slow
@pytest.mark.parametrize("command", [["watch", "--json", "--players", "2"], ["rulings"], ["--help"]])
def test_a_broken_pipe_is_silent(command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        run = subprocess.run([*RUN, *command], stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert run.stderr == b""
    assert run.returncode == BROKEN_PIPE


def test_another_system_exit_is_passed_on():
    with pytest.raises(SystemExit):
        run_command(raising(SystemExit(3)))


def test_an_ascii_terminal_is_enough():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    line = "M112e1R1(E1S2)/C1(S1) 1e"
    shown = subprocess.run([*RUN, "show", line], env=environment, capture_output=True, check=True)
    assert b"^M Military 3/8* 1 1 2 . . . . ." in shown.stdout
