"""`hegemon play` through a pipe: every choice and every key."""

import re
import shlex
from random import Random

import pytest

from hegemon import Game, read_record, write_record
from hegemon.cli.commands.play import PlaySession

FIRST = "Step 1: play a card from your hand."
SECOND = "Step 2: use an effect, or end your turn."


@pytest.fixture
def play(hegemon):
    """Play with these lines as input."""

    def run(*typed, arguments=("--seed", "3", "--seat", "1")):
        return hegemon("play", *arguments, typed="".join(f"{line}\n" for line in typed))

    return run


def only_game(games):
    (path,) = games.glob("*.toml")
    return path


def moves_in(path):
    return Game.from_record(read_record(path.read_text(encoding="utf-8"))).moves


# ------------------------------------------------------------------ choices


def test_a_game_starts_with_three_players(play):
    run = play()
    assert run.status == 0
    assert "1 Guest (you)" in run.out
    assert "2 Zenobia" in run.out
    assert "3 Ashoka" in run.out
    assert FIRST in run.out
    assert "You are in seat 1, against Zenobia (greedy) and Ashoka (greedy)." in run.out


@pytest.mark.parametrize("typed", ["1", "M", "m", "military", "MILITARY"])
def test_a_choice_is_made_by_number_text_or_name(play, games, typed):
    run = play(typed)
    assert "You played Military I." in run.out
    assert moves_in(only_game(games)) == ("M",)


@pytest.mark.parametrize("typed", [".", "1", "", "end"])
def test_enter_makes_the_only_choice(play, games, typed):
    play("1", typed)
    assert moves_in(only_game(games))[:2] == ("M", ".")


def test_an_effect_is_chosen_by_its_name(play, games):
    run = play("R", "inquisition", "r+2")
    assert "“inquisition” could be r+1, r+2." in run.out
    assert "You discarded Religion I, sent the Inquisition after Ashoka and took" in " ".join(run.out.split())
    assert moves_in(only_game(games)) == ("R", "r+2")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("9", "“9” is not one of the 3 choices."),
        ("0", "“0” is not one of the 3 choices."),
        ("12345", "“12345” is not one of the 3 choices."),
        ("hello", "“hello” is not one of the 3 choices."),
        ("[red]x", "“[red]x” is not one of the 3 choices."),
        ("C", "C is not possible now: There is no Culture card there."),
        ("me", "mE is not possible now: Step 1 comes first"),
    ],
)
def test_input_that_names_no_legal_choice_is_explained(play, games, typed, answer):
    run = play(typed)
    assert answer in " ".join(run.out.split())
    assert "No move was played, so nothing was saved." in run.out
    assert not games.exists()


def test_a_single_choice_is_named(play):
    assert "There is only one choice, “.”" in " ".join(play("M", "7").out.split())


def test_one_question_is_about_several_cards(play):
    run = play("R", "r+1")
    assert "Choose 3 cards to give to Zenobia." in run.out
    assert re.search(
        r"All in one answer, in any order: M( [RESCU]){2}\. One by one: in the order M R E", run.out
    )


@pytest.mark.parametrize("typed", ["S R M", "m s r", "M1,R1,S1", "science Religion military", "M R, S1"])
def test_several_cards_are_one_answer_in_any_order(play, games, typed):
    play("R", "r+1", typed)
    assert moves_in(only_game(games)) == ("R", "r+1", "M", "R", "S")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("M R", "M R is not possible now: Cards to choose: 3. Cards chosen: 2."),
        ("M M M", "M M M is not possible now: There is no Military card there."),
        ("M R .", "“M R .” is not one of the"),
        ("M R U1", "“M R U1” is not one of the"),
    ],
)
def test_cards_that_cannot_be_chosen_together_are_explained(play, games, typed, answer):
    run = play("R", "r+1", typed)
    assert answer in " ".join(run.out.split())
    assert moves_in(only_game(games)) == ("R", "r+1")


def test_several_cards_are_not_an_answer_to_every_question(play):
    assert "M R is not possible now: Cards to choose: 1." in play("M R").out
    assert "You are not choosing several cards now" in " ".join(play("R", "M R").out.split())


def test_several_cards_are_undone_at_once(play, games):
    run = play("R", "r+1", "S R M", "u", "y")
    assert "since you chose “M,R,S”" in " ".join(run.out.split())
    assert "You are back where you chose “M,R,S”." in run.out
    assert moves_in(only_game(games)) == ("R", "r+1")


# ------------------------------------------------------------------ keys


def test_help_has_the_goal_the_keys_and_the_board(play):
    for key in ("?", "help"):
        out = play(key).out
        assert "7 cards of one Domain in play" in out
        assert "save the game and quit" in out
        assert "Breakthrough" in out
    assert "8 cards of one Domain in play" in play("?", arguments=("--players", "2")).out


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("? mE", "Attack. Discard a Military card"),
        ("? mE", "Not possible now: Step 1 comes first"),
        ("?M", "Military: Assassination with 3 cards"),
        ("? M", "You can choose it now."),
        ("? purge", "With 5 Military cards in play: discard 2"),
        ("? Purge", "Not possible now: Step 1 comes first"),
        ("? attack", "Discard a Military card from play and choose a Domain"),
        ("? utopia", "Utopia: Oligarchy with 3 cards"),
        ("? .", "End of step 2"),
        ("? M1", "In the draft, name a card by its Domain and its Age."),
        ("? cS++", "With 5 Science cards in play"),
        ("? r+2", "Inquisition. Discard a Religion card"),
        ("? e+0", "Embargo. Put an Economy card"),
        ("? u+3", "Democracy. Put a Utopia card"),
        ("? sS", "Breakthrough. Discard a Science card from play, draw 5 cards"),
        ("? inspiration", "more Culture cards in play"),
        ("? nonsense", "There is no choice, Domain or effect called “nonsense”."),
    ],
)
def test_choices_effects_and_domains_are_explained(play, typed, answer):
    assert answer in " ".join(play(typed).out.split())


def test_the_discard_pile_is_listed(play):
    assert "The discard pile is empty." in play("d").out
    run = play("R", "r+1", "1", "1", "1", "d")
    assert re.search("The discard pile, 1 card *\n", run.out)
    assert "✚R Religion" in run.out


def test_the_log_lists_all_events(play):
    run = play("M", ".", "log")
    log = run.out.rpartition("> log\n")[2]
    for sentence in (
        "You were dealt Military I, Religion I and Science I.",
        "Round 1: your turn.",
        "You played Military I.",
        "Zenobia played Culture I.",
        "Zenobia drew a card.",
        "Round 2: your turn.",
    ):
        assert sentence in log


def test_the_table_is_redrawn(play):
    assert play("table").out.count(FIRST) == 2
    assert play("").out.count(FIRST) == 2


# ------------------------------------------------------------------ undo


def test_a_choice_without_consequences_is_undone_at_once(play, games):
    run = play("M", "u", "R")
    assert "You undid “M”." in run.out
    assert moves_in(only_game(games)) == ("R",)


def test_at_the_start_there_is_nothing_to_undo(play):
    assert "You have not made a choice yet." in play("u").out


def test_against_bots_any_choice_can_be_undone(play, games):
    run = play("M", ".", "u", "y", ".", "q")
    assert "go back anyway?" in " ".join(run.out.split())
    assert "You are back where you chose “.”." in run.out
    assert moves_in(only_game(games))[:2] == ("M", ".")
    assert run.out.count(SECOND) == 2


def test_undoing_a_choice_with_consequences_needs_confirmation(play, games):
    before = len(moves_in(only_game_after(play, games, "M", ".")))
    run = play("M", ".", "u", "n")
    assert "Nothing was undone." in run.out
    assert len(moves_in(max(games.glob("*.toml")))) == before


def only_game_after(play, games, *typed):
    play(*typed)
    return only_game(games)


# ------------------------------------------------------------------ tables


def test_draft_picks_are_simultaneous(play, games):
    run = play("1", "1", "1", "1", "q", arguments=("--seed", "3", "--variant", "draft", "--seat", "2"))
    assert "Draft: keep one card" in run.out
    assert "Everyone passed their remaining cards to the left; you received" in " ".join(run.out.split())
    assert "The cards in the center were revealed:" in run.out
    assert "Draft: take one card from the center" in run.out
    assert "You took" in run.out
    record = read_record(only_game(games).read_text(encoding="utf-8"))
    assert [seat for seat, _ in record.moves[:6]] == [0, 2, 1, 0, 2, 1]


def test_against_bots_a_pick_can_be_undone(play, games):
    run = play("1", "u", "y", "2", "q", arguments=("--seed", "3", "--variant", "draft"))
    assert "You are back where you chose" in run.out
    assert len(moves_in(only_game(games))) == 5


def test_four_in_teams_with_names_and_seats(play, games):
    table = ["--players", "4", "--teams", "--rulings", "en", "--bots", "greedy,chance,greedy"]
    run = play("1", arguments=[*table, "--seat", "3", "--name", "Ada", "--seed", "8"])
    assert "3 Ada (you)" in run.out
    record = read_record(only_game(games).read_text(encoding="utf-8"))
    assert record.names == ("Zenobia (bot greedy)", "Ashoka (bot chance)", "Ada", "Livia (bot greedy)")
    assert record.teams
    assert record.rulings == "en"


@pytest.mark.parametrize("option", [(), ("--seat", "random")])
def test_the_seat_is_random_unless_it_is_given_and_depends_on_the_seed(play, option):
    def seat(number):
        run = play(arguments=(*option, "--seed", str(number)))
        return next(seat for seat in "123" if f"{seat} Guest (you)" in run.out)

    seats = [seat(number) for number in range(3)]
    assert sorted(seats) == ["1", "2", "3"]
    assert seats == [seat(number) for number in range(3)]
    assert "Guest (you)" in play(arguments=option).out


def test_the_same_seed_is_the_same_game(play):
    assert (
        play("1", "1", "1", "1").out.partition("Saved")[0]
        == play("1", "1", "1", "1").out.partition("Saved")[0]
    )


# ------------------------------------------------------------------ quitting and resuming


@pytest.mark.parametrize("leaving", [("q",), ("quit",), ()])
def test_quitting_saves_and_prints_how_to_resume(play, games, leaving):
    run = play("M", ".", *leaving)
    assert run.status == 0
    path = only_game(games)
    assert f"Saved: {path}" in run.out
    assert "Resume with: hegemon play --resume\n" in run.out
    assert "The file contains the whole deck" in run.out
    assert [file.name for file in games.iterdir()] == [path.name]


def test_a_saved_game_is_resumed(play, hegemon, games):
    play("M", ".", "q")
    path = only_game(games)
    before = moves_in(path)
    run = hegemon("play", "--resume", typed="R\nq\n")
    assert "Zenobia played Culture I." in run.out
    assert "You were dealt" not in run.out
    assert moves_in(path)[: len(before) + 1] == (*before, "R")
    assert only_game(games) == path
    again = hegemon("play", "--resume", path, typed="q\n")
    assert "You played Religion I." in again.out


def test_a_game_in_another_folder_is_named_when_quitting(hegemon, tmp_path):
    path = tmp_path / "my game.toml"
    game = Game(2, seed=1, names=["Ada", "Bo"])
    path.write_text(write_record(game.record()), encoding="utf-8")
    assert "say which seat is yours" in hegemon("play", "--resume", path).err
    run = hegemon("play", "--resume", path, "--seat", "2", "--bots", "chance", typed="1\n")
    assert f"Resume with: hegemon play --resume '{path}'" in run.out
    assert read_record(path.read_text(encoding="utf-8")).names == ("Ada (bot chance)", "Bo")
    assert "Seat 1 of that game is a bot’s" in hegemon("play", "--resume", path, "--seat", "1").err


def test_the_latest_unfinished_game_is_resumed(play, hegemon, games):
    play("M", "q")
    (games / "later.toml").write_text("rubbish", encoding="utf-8")
    assert "Step 2" in hegemon("play", "--resume", typed="q\n").out


def test_a_whole_game_is_played_and_saved(hegemon, games):
    run = hegemon("play", "--players", "2", "--seed", "35", typed="1\n" * 400)
    assert run.status == 0
    assert " won " in run.out or "You won" in run.out
    path = only_game(games)
    assert f"Replay with: hegemon replay {path}" in run.out
    record = read_record(path.read_text(encoding="utf-8"))
    assert record.result is not None
    assert "That game is over." in hegemon("play", "--resume", path).err
    assert "There is no unfinished game" in hegemon("play", "--resume").err


# ------------------------------------------------------------------ continuing from a position

STUDY = "M11(S1C1)/R1(E1M1) 1p - - - M1R1C1S1M1R1C1E1M2R2C2S2 - 3"
DRAFT = "(M1E1C1)[M1]/(M1R1E1)[S1]/(R1S1C1)[E1] 1d"


def test_a_game_starts_at_any_position_and_can_be_resumed(hegemon, games):
    run = hegemon("play", "--position", STUDY, typed="S\nu\nC\n.\nq\n")
    assert run.status == 0, run.err
    assert "You are in seat 1, against Zenobia (greedy)." in run.out
    assert "You undid “S”." in run.out
    assert "Zenobia played" in run.out
    assert not games.exists()
    (hint,) = (line for line in run.out.splitlines() if line.startswith("Play on with: hegemon "))
    again = hegemon(*shlex.split(hint)[4:], typed="q\n")
    assert again.status == 0, again.err
    assert hint in again.out


@pytest.mark.parametrize(
    ("seat", "question"), [((), FIRST), (("--seat", "2"), FIRST), (("--seat", "random"), FIRST)]
)
def test_the_seat_at_a_position_is_the_one_to_move_unless_it_is_given(hegemon, seat, question):
    run = hegemon("play", "--position", STUDY, *seat, "--bots", "chance", typed="q\n")
    assert question in run.out
    assert ("You are in seat 1" in run.out) or seat


def test_a_study_is_played_to_its_end(hegemon, games):
    run = hegemon("play", "--position", STUDY, "--bots", "chance", typed="1\n" * 200)
    assert run.status == 0, run.err
    assert "game over" in run.out
    assert "Saved" not in run.out
    assert not games.exists()


def test_a_draft_can_be_continued(hegemon):
    run = hegemon("play", "--position", "-", typed=f"{DRAFT}\n1\n1\n1\n1\nq\n")
    assert run.status == 0, run.err
    assert "Play on with" in run.out


def test_a_finished_game_can_be_continued_from_any_move(hegemon, games):
    hegemon("play", "--players", "2", "--seed", "35", typed="1\n" * 400)
    path = only_game(games)
    before = path.read_text(encoding="utf-8")
    run = hegemon("play", "--resume", path, "--at", "4", typed="1\nq\n")
    assert run.status == 0, run.err
    assert path.read_text(encoding="utf-8") == before
    (other,) = {*games.glob("*.toml")} - {path}
    assert moves_in(other)[:4] == moves_in(path)[:4]
    assert 4 < len(moves_in(other)) < len(moves_in(path))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--position", STUDY, "--players", "2"], "A position has its settings: leave out --players."),
        (["--position", STUDY, "--resume"], "leave out --position"),
        (["--position", "M1(R1"], "table"),
        (["--position", STUDY.replace("1p", "1m")], "The game is over in that position"),
        (["--position", STUDY, "--seat", "3"], "A seat is a number from 1 to 2"),
        (["--position", STUDY, "--bots", "greedy,chance"], "This table needs 1 bot, but 2 are named."),
        (["--position", ""], "expected"),
        (["--at", "3"], "--at needs --resume and a saved game."),
    ],
)
def test_a_position_that_cannot_be_played_is_explained(hegemon, arguments, sentence):
    run = hegemon("play", *arguments)
    assert run.status == 2
    assert sentence in " ".join(run.err.split())


def test_a_game_is_not_resumed_after_its_end(hegemon, games):
    hegemon("play", "--players", "2", "--seed", "35", typed="1\n" * 400)
    path = only_game(games)
    moves = len(moves_in(path))
    for ply, status in ((moves - 1, 0), (moves, 2), (moves + 1, 2)):
        run = hegemon("play", "--resume", path, "--at", ply)
        assert run.status == status
        assert status == 0 or f"after 0 to {moves - 1} moves, not after {ply}." in run.err


def test_two_games_in_one_second_have_two_files(play, games, monkeypatch):
    monkeypatch.setattr("hegemon.cli.saves.time.strftime", lambda form: "now")
    play("1")
    play("1")
    assert sorted(path.name for path in games.iterdir()) == ["now-guest-2.toml", "now-guest.toml"]


def test_without_a_folder_it_is_saved_in_the_temporary_folder(play, tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run = play("1")
    assert run.status == 0
    (path,) = tmp_path.glob("*.toml")
    assert f"Saved: {path}" in run.out
    assert "The usual folder could not be used:" in run.out
    assert f"hegemon play --resume {path}" in run.out


def test_a_full_disk_is_reported(play, tmp_path, monkeypatch):
    def full(path, record):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("hegemon.cli.saves.write", full)
    run = play("1")
    assert run.status == 1
    assert "The disk is full" in run.err


def test_a_game_is_saved_atomically(tmp_path, monkeypatch):
    from hegemon.cli import saves

    def interrupted(*_):
        raise KeyboardInterrupt

    record = Game(2, seed=1).record()
    path = tmp_path / "game.toml"
    saves.write(path, record)
    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        saves.write(path, record)
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]


def test_without_xdg_games_are_saved_in_the_home_folder(monkeypatch, tmp_path):
    from hegemon.cli import saves

    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert saves.folder() == tmp_path / ".local" / "share" / "hegemon" / "games"

    def homeless():
        raise RuntimeError

    monkeypatch.setattr("pathlib.Path.home", homeless)
    with pytest.raises(saves.SaveError, match="XDG_DATA_HOME"):
        saves.folder()


def test_the_game_is_saved_if_the_program_fails(hegemon, games, monkeypatch):
    def broken(self):
        if self.game.moves:
            raise RuntimeError("a bug")
        return original(self)

    original = PlaySession.prompt
    monkeypatch.setattr(PlaySession, "prompt", broken)
    run = hegemon("play", "--seed", "3", typed="1\n")
    assert run.status == 1
    assert "a bug in hegemon, not your mistake (RuntimeError: a bug)" in run.err
    assert moves_in(only_game(games)) == ("M",)
    monkeypatch.setenv("HEGEMON_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="a bug"):
        hegemon("play", "--seed", "3", typed="1\n")


def test_random_input_does_no_harm(hegemon):
    chance = Random(5)
    letters = "MRESCUmresu+123. ?dqlogtab\x1b\x00\x7f[]äλ\N{COLLISION SYMBOL}\ud800"
    lines = ["".join(chance.choices(letters, k=chance.randrange(6))) for _ in range(150)]
    typed = "\n".join(line for line in lines if line.strip() != "q") + "\n"
    run = hegemon("play", "--seed", "3", typed=typed.encode("utf-8", "replace").decode())
    assert run.status == 0
    assert run.err == ""
    assert "Saved: " in run.out


def test_control_characters_in_names_are_replaced(hegemon, tmp_path):
    path = tmp_path / "game.toml"
    game = Game(2, seed=1, names=["\x1b[31mEve\x07", "Bo (bot greedy)"])
    path.write_text(write_record(game.record()), encoding="utf-8")
    run = hegemon("replay", path)
    assert "\x1b" not in run.out
    assert "\x07" not in run.out
    assert "[31mEve" in run.out
