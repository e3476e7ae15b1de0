"""Bots that are programs: the protocol, and everything that can go wrong with a program."""

import gc
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hegemon import Game, Memory, SetupError, play_match, read_view, write_view
from hegemon.bots import Chance, make_bot
from hegemon.bots.program import Program, ProgramError, choice_request

EXAMPLES = Path(__file__).parents[2] / "examples"

#: Answers as the protocol says; the first argument is what to do instead of answering.
SPEAKER = """
import os, sys, time
fault, log = sys.argv[1:]
file = open(log, "a", buffering=1)
print(os.getpid(), file=file)
for line in sys.stdin:
    print(line, end="", file=file)
    word, _, rest = line.rstrip("\\n").partition(" ")
    if word == "hegemon":
        if fault == "deaf": time.sleep(1000)
        print("info I am\\n\\nready" if fault != "rude" else "hello", flush=True)
    elif word == "choices":
        choices = rest.split()
    elif word == "choose":
        if fault == "crash": sys.exit("out of ideas")
        if fault == "signal": os.kill(os.getpid(), 9)
        if fault == "hang": time.sleep(1000)
        if fault == "parent" and (child := os.fork()):
            print(child, file=file)
        if fault in ("mute", "parent"):
            os.close(1)
            time.sleep(1000)
        if fault == "nonsense": print("let me see", flush=True)
        if fault == "illegal": print("choice Q9", flush=True)
        if fault == "endless":
            while True: sys.stdout.write("info" * 1000)
        if fault == "chatty":
            while True: print("info thinking")
        print("info", "x" * 500, file=sys.stderr)
        print("info thinking\\nchoice", choices[-1], flush=True)
    elif word == "quit" and fault != "stubborn":
        break
while fault == "stubborn": time.sleep(1000)
"""


@pytest.fixture
def speaker(tmp_path, monkeypatch):
    """The command of a program with a fault, and the lines that it received after its process id."""
    monkeypatch.setattr("hegemon.bots.program.QUIT_TIMEOUT", 60)  # however busy this machine is
    (tmp_path / "speaker.py").write_text(SPEAKER, encoding="utf-8")
    log = tmp_path / "log"

    def command(fault="none"):
        return f"{sys.executable} {tmp_path / 'speaker.py'} {fault} {log}"

    command.log = lambda: log.read_text(encoding="utf-8").splitlines()
    return command


def is_there(number):
    """Whether a process exists, even if only as a zombie."""
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    return True


def is_at_work(number):
    """Whether a process exists and is not a zombie, which its parent has not reaped yet."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", number], capture_output=True, text=True, check=False
    ).stdout
    return bool(state.strip()) and not state.startswith("Z")


def ask(bot, game=None):
    game = game or Game(players=3, seed=1)
    return bot.choose(game.view(game.seat), game.memory(game.seat), game.choices)


# ------------------------------------------------------------------ the protocol


def test_a_program_gets_the_view_the_memory_and_the_choices_and_answers(speaker):
    game, bot = Game(players=3, seed=1), Program(speaker(), seed=7, seconds=20)
    assert ask(bot, game) == game.choices[-1]
    del bot
    view = write_view(game.view(0))
    choices = " ".join(game.choices)
    assert speaker.log()[1:] == [
        "hegemon 1",
        "seed 7",
        f"view {view}",
        "memory",
        f"choices {choices}",
        "choose 20",
        "quit",
    ]


def test_a_question_has_all_that_the_seat_may_know_and_can_be_read_back():
    game = Game(players=3, variant="draft", seed=3)
    while not game.memory(game.seat).bundles:
        game.play(game.choices[0])
    seat = game.seat
    lines = dict(
        line.split(" ", 1)
        for line in choice_request(game.view(seat), game.memory(seat), game.choices, 2.5).splitlines()
    )
    assert read_view(lines["view"]) == game.view(seat)
    assert Memory(seat, 3, lines["memory"]) == game.memory(seat)
    assert tuple(lines["choices"].split()) == game.choices
    assert lines["choose"] == "2.5"


def test_programs_play_whole_games(speaker):
    game = Game(players=3, variant="draft", seed=5)
    bots = [make_bot(f"program:{speaker()}", 1), Chance(1), make_bot(f"program:9s:{speaker()}", 2)]
    assert bots[2].seconds == 9
    assert play_match(game, bots) == game.result


def test_a_program_ends_with_its_bot(speaker):
    bot = Program(speaker())
    ask(bot)
    (number,) = [line for line in speaker.log() if line.isdigit()]
    assert is_there(number)
    del bot
    gc.collect()
    assert not is_there(number)


def test_a_bot_that_has_not_chosen_starts_no_program(speaker, tmp_path):
    make_bot(f"program:{speaker()}")
    assert not (tmp_path / "log").exists()


def test_the_number_of_programs_is_limited_and_one_that_was_ended_is_restarted(speaker, monkeypatch):
    monkeypatch.setattr("hegemon.bots.program.MAX_PROGRAMS", 2)
    bots = [Program(speaker(), seed) for seed in range(3)]
    for bot in bots:
        ask(bot)
    numbers = [line for line in speaker.log() if line.isdigit()]
    assert [is_there(number) for number in numbers] == [False, True, True]
    assert ask(bots[0]) == "C"
    assert [is_there(number) for number in numbers] == [False, False, True]


def test_a_program_that_is_thinking_is_not_ended_for_another(speaker, monkeypatch):
    monkeypatch.setattr("hegemon.bots.program.MAX_PROGRAMS", 1)
    first, second = Program(speaker()), Program(speaker())
    ask(first)
    with first._busy:
        ask(second)
        assert is_there(speaker.log()[0])
    ask(second)
    ask(first)
    assert speaker.log().count("hegemon 1") == 2


def test_a_program_names_its_files(speaker, tmp_path):
    assert Program(speaker()).files == (sys.executable, str(tmp_path / "speaker.py"))


def test_a_program_that_does_not_quit_is_ended(speaker, monkeypatch):
    monkeypatch.setattr("hegemon.bots.program.QUIT_TIMEOUT", 0.05)
    bot = Program(speaker("stubborn"))
    ask(bot)
    number = speaker.log()[0]
    del bot
    gc.collect()
    assert not is_there(number)


# ------------------------------------------------------------------ faults


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("rude", r'{program} answered "hello"; the protocol expects a line with "ready"\.'),
        ("nonsense", r'{program} answered "let me see"; the protocol expects a line with "choice"\.'),
        ("illegal", r'{program} chose "Q9", which is not one of its choices: R C$'),
        ("endless", r"{program} sent a line that does not end\."),
        ("crash", r"{program} ended with status 1\.\n  out of ideas$"),
        ("signal", r"{program} was ended by signal 9\.$"),
    ],
)
def test_a_program_that_breaks_the_protocol_is_ended_and_the_error_says_why(speaker, fault, sentence):
    bot = Program(speaker(fault))
    with pytest.raises(ProgramError, match=sentence.format(program=re.escape(speaker(fault)))):
        ask(bot)
    assert not is_there(speaker.log()[0])


@pytest.mark.parametrize("fault", ["hang", "chatty"])
def test_a_program_that_does_not_answer_is_ended_in_time(speaker, fault):
    with pytest.raises(ProgramError, match=r"did not answer within 0\.2 seconds"):
        ask(Program(speaker(fault), seconds=0.2))
    assert not is_there(speaker.log()[0])


def test_a_program_that_does_not_get_ready_is_ended_in_time(speaker, monkeypatch):
    monkeypatch.setattr("hegemon.bots.program.START_TIMEOUT", 0.2)
    with pytest.raises(ProgramError, match=r"did not answer within 0\.2 seconds"):
        ask(Program(speaker("deaf")))


@pytest.mark.parametrize("fault", ["mute", "parent"])
def test_a_program_that_closes_its_output_is_ended_with_all_that_it_has_started(speaker, fault, monkeypatch):
    monkeypatch.setattr("hegemon.bots.program.QUIT_TIMEOUT", 0.2)
    with pytest.raises(ProgramError, match="closed its standard output"):
        ask(Program(speaker(fault)))
    first, *others = (line for line in speaker.log() if line.isdigit())
    assert not is_there(first)
    for number in others:
        while is_at_work(number):
            time.sleep(0.01)  # the system takes a moment to end it


def test_after_a_fault_the_program_is_started_again(speaker):
    bot = Program(speaker("illegal"))
    for _ in range(2):
        with pytest.raises(ProgramError, match="Q9"):
            ask(bot)
    assert speaker.log().count("hegemon 1") == 2


def test_an_interrupted_question_is_not_answered_later(speaker, monkeypatch):
    bot = Program(speaker("hang"))
    ready = Program._start

    def start(self):
        ready(self)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Program, "_start", start)
    with pytest.raises(KeyboardInterrupt):
        ask(bot)
    assert not is_there(speaker.log()[0])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("program:no-such-program at all", 'There is no program for the command "no-such-program at all"'),
        ("program: ", 'There is no program for the command " "'),
        ("program:'open", 'The command "\'open" cannot be read: No closing quotation'),
        ("program:", 'There is no bot "program:"'),
    ],
)
def test_a_missing_program_is_named_before_the_game(name, sentence):
    with pytest.raises(SetupError, match=sentence):
        make_bot(name)


def test_a_file_that_is_not_a_program_cannot_be_started(tmp_path):
    file = tmp_path / "bot"
    file.write_bytes(b"\x00\x01 no program")
    file.chmod(0o755)
    with pytest.raises(ProgramError, match="bot cannot be started: Exec format error"):
        ask(Program(str(file)))


# ------------------------------------------------------------------ classes of modules


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a module `gambits`, which is not installed."""
    (tmp_path / "gambits.py").write_text(
        "class Outer:\n    class Last:\n        def __init__(self, seed):\n            self.seed = seed\n"
        "        def choose(self, view, memory, choices):\n            return choices[-1]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    sys.modules.pop("gambits", None)


def test_a_class_of_a_module_is_a_bot(here):
    bot = make_bot("gambits:Outer.Last", 5)
    assert bot.seed == 5
    assert play_match(game := Game(players=2, seed=1), [bot, Chance(1)]) == game.result


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gambits:Missing", "has no attribute 'Missing'"),
        ("no.where:Bot", "No module named 'no'"),
        ("gambits:Outer", "takes no arguments"),
    ],
)
def test_a_class_that_cannot_be_instantiated_is_named(here, name, sentence):
    with pytest.raises(
        SetupError, match=f"^The bot {name} of another package cannot be created: .*{sentence}"
    ):
        make_bot(name)


@pytest.mark.parametrize("name", ["search:fast", "greedy:Bot", "a b:C", "1a:C", "a:", ":C"])
def test_other_names_with_a_colon_import_nothing(name):
    with pytest.raises(SetupError, match="There is no bot"):
        make_bot(name)
