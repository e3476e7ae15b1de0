"""Every command through pipes: its output, its exit status and its JSON."""

import json

import pytest

from hegemon import Game, read_record, write_record
from hegemon.kernels import perft_interpreted
from hegemon.notation.reading import read_position
from hegemon.rules.rulings import PRESETS, SWITCHES

LINE = "M112e1R1(E1S2)/C1(S1) 1e"
VIEW = "M112e1R1(?11)/C1(S1) 2p - - - ?1112 - 3 standard @2"


@pytest.fixture
def saved(tmp_path):
    """Save a game of two bots, finished or cut after some moves."""

    def save(moves=None, **setup):
        from hegemon.bots import make_bot
        from hegemon.play.match import play_match

        names = setup.pop("names", ("Ada", "Zenobia (bot greedy)"))
        game = Game(len(names), seed=3, names=names, **setup)
        play_match(game, [make_bot("greedy", seat) for seat in range(len(names))])
        if moves is not None:
            game.rewind(moves)
        path = tmp_path / "game.toml"
        path.write_text(write_record(game.record()), encoding="utf-8")
        return path

    return save


# ------------------------------------------------------------------ the command itself


def test_version_option(hegemon):
    run = hegemon("--version")
    assert run.status == 0
    assert run.out.startswith("hegemon 0.")


def test_without_arguments_help_is_printed(hegemon):
    run = hegemon()
    assert run.status == 2
    assert "play" in run.out
    assert run.err == ""


@pytest.mark.parametrize("command", ["play", "watch", "replay", "show", "perft", "rulings"])
def test_every_command_has_help(hegemon, command):
    run = hegemon(command, "--help")
    assert run.status == 0
    assert command in run.out


# ------------------------------------------------------------------ show


def test_show_draws_a_position(hegemon):
    run = hegemon("show", LINE)
    assert run.status == 0
    assert "▲M Military 3/8★ 1 1 2 · · · · ·   e" in run.out
    assert "hand E1  S2" in run.out
    assert "Step 2: Seat 1 may use effects." in run.out
    assert "Choices: M+ mM mR r+1 ." in run.out
    assert "No real game could reach this position:" in run.out


def test_show_draws_a_view(hegemon):
    run = hegemon("show", VIEW)
    assert run.status == 0
    assert "2 Seat 2 (you)" in run.out
    assert "Your hand  ◆S1" in run.out
    assert "Choices: S" in run.out
    assert VIEW in run.out


def test_show_reads_from_a_pipe(hegemon):
    assert hegemon("show", "-", typed=f"{LINE}\n").out == hegemon("show", LINE).out
    assert "expected" in hegemon("show", "-", typed="").err


def test_show_as_json(hegemon):
    data = hegemon("show", LINE, "--json").json()
    assert data["line"] == f"{LINE} - - - - - 1 standard"
    assert data["seats"][0]["columns"]["M"] == {
        "cards": [1, 1, 2],
        "needed": 8,
        "embargoes": 1,
        "democracies": 0,
        "coin_of": None,
        "leads": True,
    }
    assert data["seats"][0]["hand"] == ["E1", "S2"]
    assert data["choices"] == ["M+", "mM", "mR", "r+1", "."]
    assert data["question"] == "effects"
    assert data["problems"]


def test_show_a_view_as_json(hegemon):
    data = hegemon("show", VIEW, "--json").json()
    assert data["seats"][0]["hand"] == ["?1", "?1"]
    assert data["deck"] == {"I": 3, "II": 1, "III": 0}
    assert data["choices"] == ["S"]
    assert data["problems"] is None
    spectator = hegemon("show", VIEW.replace("(S1)", "(?1)").replace("@2", "@0"), "--json").json()
    assert spectator["choices"] == []


def test_show_draws_a_draft_and_a_finished_game(hegemon):
    draft = hegemon("show", "()[M1E1C1]/()[M1S11]/()[R11E1]|M1E1C1 3c")
    assert "Center  ▲M1  ●E1  ♪C1" in draft.out
    assert "Seat 3 has to take a card from the center" in draft.out
    end = hegemon("show", "M1111111(R1E1S1)/C1(S1)/C1(S1) 1x")
    assert "game over" in end.out


# ------------------------------------------------------------------ perft


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_perft_counts(hegemon, depth):
    run = hegemon("perft", LINE, depth)
    assert int(run.out) == perft_interpreted(read_position(LINE), depth)


def test_perft_divides(hegemon):
    run = hegemon("perft", LINE, 2, "--divide")
    counted = dict(line.split() for line in run.out.splitlines() if len(line.split()) == 2)
    assert sum(map(int, counted.values())) == int(run.out.split()[-1])
    assert set(counted) == {"M+", "mM", "mR", "r+1", "."}


def test_perft_as_json(hegemon):
    data = hegemon("perft", LINE, 2, "--divide", "--json").json()
    assert data["depth"] == 2
    assert data["count"] == sum(data["divide"].values())
    assert "divide" not in hegemon("perft", LINE, 2, "--json").json()


# ------------------------------------------------------------------ rulings


def test_rulings_lists_every_switch_and_preset(hegemon):
    run = hegemon("rulings")
    for name in (*SWITCHES, *PRESETS):
        assert name in run.out


def test_rulings_explains_a_preset(hegemon):
    run = hegemon("rulings", "pl")
    assert "on   embargo-self" in run.out
    assert "off  democracy-self" in run.out


def test_rulings_as_json(hegemon):
    data = hegemon("rulings", "--json").json()
    assert set(data["switches"]) == set(SWITCHES)
    assert data["presets"]["pl"]["embargo-self"] is True
    changed = hegemon("rulings", "standard+embargo-self", "--json").json()
    assert changed == {
        "rulings": "standard+embargo-self",
        "switches": {**data["presets"]["standard"], "embargo-self": True},
    }


# ------------------------------------------------------------------ watch and replay


def test_watch_prints_a_whole_game(hegemon, tmp_path):
    run = hegemon("watch", "--seed", "5", "--players", "2", "--save", tmp_path / "kept" / "game.toml")
    assert run.status == 0
    assert "Round 1: Zenobia’s turn." in run.out
    assert " won " in run.out
    record = read_record((tmp_path / "kept" / "game.toml").read_text(encoding="utf-8"))
    assert record.names == ("Zenobia (bot greedy)", "Ashoka (bot greedy)")
    assert record.result is not None
    assert hegemon("watch", "--seed", "5", "--players", "2").out == run.out


def test_watch_as_json(hegemon):
    data = hegemon("watch", "--seed", "5", "--players", "4", "--teams", "--bots", "chance", "--json").json()
    assert data["teams"] is True
    assert len(data["result"]["winners"]) in (2, 4)
    assert [move["ply"] for move in data["moves"]] == list(range(1, len(data["moves"]) + 1))
    assert data["moves"][-1]["events"][-1]["event"] == "game_ended"
    assert data["start"]["events"][0]["event"] == "dealt"
    game = Game(4, seed=5, teams=True)
    for move in data["moves"]:
        game.play(move["choice"], move["seat"] - 1)
    assert game.over


def test_replay_prints_a_whole_game(hegemon, saved):
    run = hegemon("replay", saved())
    assert run.status == 0
    assert "Round 1: Ada’s turn." in run.out
    assert "Ada drew " in run.out
    assert "Zenobia drew " in run.out
    assert "game over" in run.out


def test_replay_as_one_seat(hegemon, saved):
    run = hegemon("replay", saved(moves=20), "--seat", "1")
    assert "Round 1: your turn." in run.out
    assert "Zenobia drew a card." in run.out
    assert "The record ends here; the game is not over." in run.out


def test_replay_as_json(hegemon, saved):
    path = saved(variant="draft")
    data = hegemon("replay", path, "--json").json()
    assert data["variant"] == "draft"
    assert data["players"] == ["Ada", "Zenobia (bot greedy)"]
    assert data["result"]["ending"] in ("hegemony", "majority", "stall")
    assert {"event": "kept", "seat": 1, "card": data["moves"][0]["choice"]} in data["moves"][0]["events"]
    assert json.loads(json.dumps(data)) == data


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["plya"], "There is no command plya."),
        (["play", "--foo"], "There is no option --foo."),
        (["play", "--players", "5"], "Two, three or four can play, not 5."),
        (["play", "--players", "many"], "players"),
        (["play", "--players", "3", "--teams"], "Teams are two against two"),
        (["play", "--variant", "poker"], 'The variants are basic and draft; there is no "poker".'),
        (["play", "--rulings", "xx"], "expected one of the presets"),
        (["play", "--seat", "4"], "A seat is a number from 1 to 3, or random, not 4."),
        (["play", "--bots", "deepblue"], 'There is no bot "deepblue"; the bots are chance, greedy'),
        (["play", "--bots", "greedy,chance,greedy"], "This table needs 2 bots, but 3 are named."),
        (["play", "--name", ""], "A name has 1 to 24 characters"),
        (["play", "--name", "Eve (bot greedy)"], "does not end like a bot’s"),
        (["play", "--seed", "-1"], "A seed is a whole number from 0 to"),
        (["play", "game.toml"], "To resume a saved game: hegemon play --resume game.toml"),
        (["play", "--resume"], "There is no unfinished game in"),
        (["play", "--resume", "--players", "4"], "leave out --players"),
        (["play", "--resume", "nowhere.toml"], "There is no file nowhere.toml."),
        (["watch", "--delay", "-3"], "A delay is 0 to 60 seconds, not -3"),
        (["watch", "--save", "/"], "/ is a folder; name a file in it."),
        (["watch", "--save", "/etc/passwd/game.toml"], "part of the path is a file"),
        (["watch", "--players", "1"], "Two, three or four can play, not 1."),
        (["replay"], "is missing."),
        (["replay", "nowhere.toml"], "There is no file nowhere.toml."),
        (["replay", "/"], "/ is a folder; name a file in it."),
        (["replay", "/etc/passwd/x"], "part of the path is a file"),
        (["show", "M9"], "table, character 2: expected an Age"),
        (["show", "M1(R1)/E1(S1) 1p - - - - - 1 standard @7"], "expected"),
        (["perft", "M1(R1)/E1(S1) 1p", "--", "-1"], "A depth is a whole number from 0 to"),
        (["perft", "M1(R1)/E1(S1) 1p", "999"], "A depth is a whole number from 0 to"),
        (["perft", "M1(R1)", "2"], "expected"),
        (["rulings", "klingon"], "expected one of the presets"),
    ],
)
def test_wrong_input_is_explained_with_status_2(hegemon, arguments, sentence):
    run = hegemon(*arguments)
    assert run.status == 2
    assert sentence in run.err
    assert run.out == ""
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "is not a text file in UTF-8"),
        (b"format = 99", "update hegemon"),
        (b"hello", "is not a record that can be read"),
        (b"", "A record begins with its format"),
        (b"#" * 1_000_001, "is too large for a record"),
    ],
)
def test_a_file_that_is_not_a_record_is_rejected(hegemon, tmp_path, content, sentence):
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    for command in (["replay", path], ["play", "--resume", path]):
        run = hegemon(*command)
        assert run.status == 2
        assert sentence in run.err
        assert str(path) in run.err
        assert run.out == ""


def test_a_bad_option_points_to_the_help(hegemon):
    assert "See: hegemon play --help" in hegemon("play", "--foo").err
