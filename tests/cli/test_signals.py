"""Interrupts are raised where the program waits, and never lost; at any moment, the game is saved."""

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
    """Keep the output of the tests; the list has the descriptors that would be discarded."""
    streams = []
    monkeypatch.setattr(signals, "discard_output", lambda *given: streams.extend(given))
    return streams


@pytest.mark.parametrize("number", SIGNALS)
def test_an_allowed_interrupt_is_raised_at_once(number):
    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.allowed():
        signal.raise_signal(number)


@pytest.mark.parametrize("number", SIGNALS)
def test_any_other_interrupt_is_deferred_until_allowed(number):
    with Interrupts() as interrupts:
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            pytest.fail("the interruptible block was entered")


def test_a_deferring_block_is_finished_first():
    done = []

    def show():
        with interrupts.deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("shown")
        done.append("gone on")

    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.allowed():
        show()
    assert done == ["shown"]


def test_after_a_hangup_output_is_discarded(silenced):
    with Interrupts():
        signal.raise_signal(signal.SIGINT)
        assert silenced == []
        signal.raise_signal(signal.SIGHUP)
    assert silenced == [1, 2]


def test_a_swallowed_interrupt_is_raised_again():
    with Interrupts() as interrupts:
        with interrupts.allowed(), contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            pytest.fail("the interrupt was lost")


def test_further_interrupts_are_ignored_after_the_first():
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        with interrupts.deferred():
            signal.raise_signal(signal.SIGTERM)


def test_ignored_signals_stay_ignored_and_handlers_are_restored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts, interrupts.allowed():
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGHUP, before)


#: Rich is between two states here: an interrupt would silence it permanently.
BRITTLE = {Console.__enter__.__code__, Console.__exit__.__code__}


def interrupt_at(moment, when):
    """Send Ctrl-C at that step of Rich's brittle code."""
    steps = count(1)

    def trace(frame, event, _):
        if frame.f_code not in BRITTLE:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) == moment:
            when()
            signal.raise_signal(signal.SIGINT)
        return trace

    sys._getframe().f_trace_opcodes = True  # Python 3.12 checks this before it traces any step
    sys.settrace(trace)


def test_ctrl_c_at_any_moment_saves_the_game(tmp_path, monkeypatch, untraced):
    """A player prints the table and the log; Ctrl-C comes at each brittle step in turn."""

    def play(moment):
        """The exit status, the output, and the number of lines read when Ctrl-C came, if it came."""
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
        status, output, lines_read = play(moment)
        assert f"Saved: {tmp_path / f'{moment}.toml'}\n" in output, moment
        assert (tmp_path / f"{moment}.toml").exists(), moment
        if not lines_read:
            break
        # After the last line the player has quit anyway.
        assert status == (130 if lines_read < [2] else 0), moment
    assert moment > 20
