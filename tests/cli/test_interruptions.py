"""An interruption is heard where somebody waits, and never lost; whenever it comes, the game is saved and told so."""

import io
import signal
import sys
from itertools import count
from unittest.mock import Mock

import pytest
from rich.console import Console

from hegemon import Game
from hegemon.cli.console import Terminal
from hegemon.cli.drawing import THEME
from hegemon.cli.interruptions import Interruptions
from hegemon.cli.sitting import Sitting

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_where_somebody_waits_it_is_heard_at_once(number):
    with Interruptions() as interruptions, pytest.raises(KeyboardInterrupt), interruptions.heard():
        signal.raise_signal(number)


@pytest.mark.parametrize("number", SIGNALS)
def test_otherwise_it_waits_until_somebody_does(number):
    with Interruptions() as interruptions:
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt), interruptions.heard():
            pytest.fail("what may be left was begun")


def test_what_must_be_whole_is_finished_first():
    done = []

    def show():
        with interruptions.unheard():
            signal.raise_signal(signal.SIGINT)
            done.append("shown")
        done.append("gone on")

    with Interruptions() as interruptions, pytest.raises(KeyboardInterrupt), interruptions.heard():
        show()
    assert done == ["shown"]


def test_whoever_is_impatient_does_not_disturb_what_is_saved():
    with Interruptions() as interruptions:
        with pytest.raises(KeyboardInterrupt), interruptions.heard():
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        with interruptions.unheard():
            signal.raise_signal(signal.SIGTERM)


def test_what_is_switched_off_stays_off_and_all_is_as_before():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruptions() as interruptions, interruptions.heard():
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGHUP, before)


#: Where Rich is between two states: an interruption there would silence it for good.
BRITTLE = {Console.__enter__.__code__, Console.__exit__.__code__}


def interrupt_at(moment):
    """Ctrl-C at that step of Rich's brittle code, wherever it is called from."""
    steps = count(1)

    def trace(frame, event, _):
        if frame.f_code not in BRITTLE:
            return trace
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) == moment:
            signal.raise_signal(signal.SIGINT)
        return trace

    sys.settrace(trace)


def test_whenever_ctrl_c_comes_the_game_is_saved_and_it_is_said_where(tmp_path, monkeypatch, untraced):
    """A person looks at the table and at the log; Ctrl-C comes at each step in turn, until one is after the end."""

    def sit(moment):
        monkeypatch.setattr("builtins.input", Mock(side_effect=["log", EOFError]))
        game = Game(2, seed=3)
        game.play(game.choices[0])
        out = io.StringIO()
        console = Terminal(theme=THEME, file=out, width=80)
        sitting = Sitting(console, game, 0, tmp_path / f"{moment}.toml")
        interrupt_at(moment)
        try:
            status = sitting.run()
        finally:
            sys.settrace(None)
        return status, out.getvalue()

    for moment in count(1):
        status, text = sit(moment)
        assert f"Saved: {tmp_path / f'{moment}.toml'}\n" in text, moment
        assert (tmp_path / f"{moment}.toml").exists(), moment
        if status == 0:
            break
    assert moment > 20
