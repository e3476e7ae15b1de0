"""An interruption is heard where somebody waits, and never lost; whenever it comes, the game is saved and told so."""

import contextlib
import io
import signal
import sys
from itertools import count
from unittest.mock import Mock

import pytest
from rich.console import Console

from hegemon import Game
from hegemon.cli import signals
from hegemon.cli.commands.play import PlaySession
from hegemon.cli.signals import Interrupts
from hegemon.cli.terminal.console import THEME, GameConsole

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def silenced(monkeypatch):
    """The terminal of the tests stays open, whatever signal comes; here is what would be silenced."""
    streams = []
    monkeypatch.setattr(signals, "discard_output", lambda *given: streams.extend(given))
    return streams


@pytest.mark.parametrize("number", SIGNALS)
def test_where_somebody_waits_it_is_heard_at_once(number):
    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.allowed():
        signal.raise_signal(number)


@pytest.mark.parametrize("number", SIGNALS)
def test_otherwise_it_waits_until_somebody_does(number):
    with Interrupts() as interrupts:
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            pytest.fail("what may be left was begun")


def test_what_must_be_whole_is_finished_first():
    done = []

    def show():
        with interrupts.deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("shown")
        done.append("gone on")

    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.allowed():
        show()
    assert done == ["shown"]


def test_when_the_terminal_has_gone_nothing_more_is_written_to_it(silenced):
    with Interrupts():
        signal.raise_signal(signal.SIGINT)
        assert silenced == []
        signal.raise_signal(signal.SIGHUP)
    assert silenced == [1, 2]


def test_an_interruption_that_somebody_swallowed_is_heard_again():
    with Interrupts() as interrupts:
        with interrupts.allowed(), contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            pytest.fail("nobody hears it any more")


def test_whoever_is_impatient_does_not_disturb_what_is_saved():
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        with interrupts.deferred():
            signal.raise_signal(signal.SIGTERM)


def test_what_is_switched_off_stays_off_and_all_is_as_before():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts, interrupts.allowed():
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGHUP, before)


#: Where Rich is between two states: an interruption there would silence it for good.
BRITTLE = {Console.__enter__.__code__, Console.__exit__.__code__}


def interrupt_at(moment, when):
    """Ctrl-C at that step of Rich's brittle code, wherever it is called from."""
    steps = count(1)

    def trace(frame, event, _):
        if frame.f_code not in BRITTLE:
            return trace
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) == moment:
            when()
            signal.raise_signal(signal.SIGINT)
        return trace

    sys._getframe().f_trace_opcodes = True  # Python 3.12 looks at this before it traces any step
    sys.settrace(trace)


def test_wherever_ctrl_c_finds_the_terminal_the_game_is_saved_and_it_is_said_where(
    tmp_path, monkeypatch, untraced
):
    """A person looks at the table and at the log; Ctrl-C comes at each brittle step in turn, until one is the last."""

    def sit(moment):
        """The exit status, what is told, and how many lines were read when Ctrl-C came, if it came."""
        read, lines_read, out = Mock(side_effect=["log", EOFError]), [], io.StringIO()
        monkeypatch.setattr("builtins.input", read)
        game = Game(2, seed=3)
        game.play(game.choices[0])
        console = GameConsole(theme=THEME, file=out, width=80)
        session = PlaySession(console, game, 0, tmp_path / f"{moment}.toml")
        interrupt_at(moment, lambda: lines_read.append(read.call_count))
        try:
            return session.run(), out.getvalue(), lines_read
        finally:
            sys.settrace(None)

    for moment in count(1):
        status, told, lines_read = sit(moment)
        assert f"Saved: {tmp_path / f'{moment}.toml'}\n" in told, moment
        assert (tmp_path / f"{moment}.toml").exists(), moment
        if not lines_read:
            break
        # After the last line the person has left anyway.
        assert status == (130 if lines_read < [2] else 0), moment
    assert moment > 20
