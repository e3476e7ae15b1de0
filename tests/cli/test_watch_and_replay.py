"""`hegemon watch` and `hegemon replay` as in a terminal."""

import pytest

from hegemon import Game, read_record, write_record
from hegemon.bots import BOTS, Chance
from hegemon.cli.commands.watch import WatchSession


@pytest.fixture(autouse=True)
def _interactive(monkeypatch):
    for module in ("replay", "watch"):
        monkeypatch.setattr(f"hegemon.cli.commands.{module}.is_interactive", lambda console: True)


@pytest.fixture
def record(tmp_path):
    def write(over=False, comments=None):
        game = Game(2, seed=3, names=["Ada", "Bo"])
        while len(game.moves) < 4 or (over and not game.over):
            game.play(game.choices[-1])
        path = tmp_path / "game.toml"
        text = write_record(game.record())
        if comments:
            text += "\n[comments]\n" + "".join(
                f'{number} = "{remark}"\n' for number, remark in comments.items()
            )
        path.write_text(text, encoding="utf-8")
        return path

    return write


def plies(out):
    """The plies that the replay showed."""
    return [int(line.split()[1]) for line in out.splitlines() if line.startswith("Move ")]


def test_keys_of_a_replay(hegemon, record):
    keys = ["", "n", "b", "t", "e", "", "3", "0", "b", "99", "x", "quit"]
    run = hegemon("replay", record(), typed="\n".join(keys) + "\n")
    assert run.status == 0
    assert plies(run.out) == [0, 1, 2, 1, 2, 4, 4, 3, 0, 0, 0, 0]
    assert "This game is not over, and all hands are visible here." in run.out
    assert run.out.count("There are 4 moves: type a number from 0 to 4.") == 2
    assert "The record ends here; the game is not over." in run.out


def test_end_of_input_ends_the_replay(hegemon, record):
    run = hegemon("replay", record(), typed="\n\n")
    assert run.status == 0
    assert plies(run.out) == [0, 1, 2]


def test_a_replay_as_one_seat(hegemon, record):
    run = hegemon("replay", record(), "--seat", "2", typed="\n\n\nq\n")
    assert "all hands are visible" not in run.out
    assert "Ada drew a card." in run.out
    assert "Step 1: play a card from your hand." in run.out


def test_a_replay_shows_comments_and_the_end(hegemon, record):
    run = hegemon("replay", record(over=True, comments={1: "A bold opening."}), typed="\ne\nt\nq\n")
    assert "A bold opening." in run.out
    assert "That was the last move." in run.out
    assert " won " in run.out


def test_comments_are_printed_and_in_json(hegemon, monkeypatch, record):
    path = record(comments={2: "A \\u001b[31mbold opening."})
    moves = hegemon("replay", path, "--json").json()["moves"]
    assert [move["comment"] for move in moves] == [None, "A \x1b[31mbold opening.", None, None]
    monkeypatch.setattr("hegemon.cli.commands.replay.is_interactive", lambda console: False)
    assert "Move 2: A \N{REPLACEMENT CHARACTER}[31mbold opening." in hegemon("replay", path).out


def test_a_replay_turn_by_turn(hegemon, record):
    run = hegemon("replay", record(over=True), typed="t\n" * 6 + "q\n")
    turns = plies(run.out)
    assert turns == sorted(turns)
    assert len(set(turns)) == 7


def test_watching_draws_after_every_move(hegemon, monkeypatch):
    waited = []
    monkeypatch.setattr("hegemon.cli.commands.watch.time.sleep", waited.append)
    run = hegemon("watch", "--seed", "57", "--players", "2", "--bots", "greedy,chance", "--delay", "0.5")
    assert run.status == 0
    assert set(waited) == {0.5}
    assert run.out.count("Ctrl-C stops") == len(waited)
    assert run.out.rstrip().endswith(".")
    assert "game over" in run.out


@pytest.mark.parametrize(
    ("choice", "reason"), [("xyz", "expected one of the 64 choices"), (None, "NoneType")]
)
def test_a_failing_bot_of_another_package_is_named(hegemon, monkeypatch, choice, reason):
    class Stranger(Chance):
        def choose(self, view, memory, choices):
            return choice

    monkeypatch.setitem(BOTS, "stranger", Stranger)
    assert "another package" not in hegemon("watch", "--fast", "--bots", "stranger").err
    monkeypatch.setattr("hegemon.bots.registry.entry_point_bots", lambda: {"stranger": Stranger})
    watched = hegemon("watch", "--fast", "--bots", "stranger")
    assert watched.status == 2
    assert watched.err.startswith("The bot stranger of another package failed: ")
    assert reason in watched.err


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interrupted_watch_is_saved(hegemon, monkeypatch, tmp_path, options):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(WatchSession, "play_silently", interrupt)
    assert hegemon("watch", "--fast", "--save", tmp_path / "game.toml", *options).status == 130
    assert read_record((tmp_path / "game.toml").read_text()).result is None


def test_an_interrupted_watch_prints_the_number_of_moves(hegemon, monkeypatch, tmp_path):
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        if len(waited) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("hegemon.cli.commands.watch.time.sleep", sleep)
    run = hegemon("watch", "--seed", "5", "--save", tmp_path / "seen.toml")
    assert run.status == 130
    assert "Stopped after 4 moves." in run.out
    assert hegemon("replay", tmp_path / "seen.toml", typed="q\n").status == 0


def test_variations_are_listed_and_in_json(hegemon, monkeypatch, tmp_path):
    monkeypatch.setattr("hegemon.cli.commands.replay.is_interactive", lambda console: False)
    path = tmp_path / "study.toml"
    path.write_text(
        'format = 1\nplayers = ["Ada", "Grace"]\nposition = "M11S1(E1S1C1)/R1E1(M1E1S1) 1p"\nmoves = ["S . M ."]\n'
        '[[variations]]\nmove = 1\nmoves = ["C . E ."]\ncomments = {2 = "and now?"}\n'
        '[[variations]]\nline = 1\nmove = 3\nmoves = ["S ."]\n',
        encoding="utf-8",
    )
    run = hegemon("replay", path)
    assert "Variation 1, instead of move 1: C . E ." in run.out
    assert "Variation 2, instead of move 3 of variation 1: S ." in run.out
    variations = hegemon("replay", path, "--json").json()["variations"]
    assert [(row["line"], row["move"], len(row["moves"])) for row in variations] == [(0, 1, 4), (1, 3, 2)]
    assert variations[0]["moves"][1] == {"ply": 2, "seat": 1, "choice": ".", "comment": "and now?"}
