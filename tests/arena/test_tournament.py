"""Tournaments: schedule, games, journal, standings and report."""

import json
from dataclasses import replace

import pytest

from hegemon import SetupError, read_record, write_record
from hegemon.arena import BotFailed, Deal, Journal, Run, Standings, Tournament, play_deal, threads
from hegemon.arena.games import record_of_result
from hegemon.arena.journal import JournalError
from hegemon.arena.report import tournament_page, write_report
from hegemon.arena.runner import Progress
from hegemon.arena.standings import spread
from hegemon.bots import BOTS
from hegemon.notation.record import replay
from hegemon.rules.actions import CHOICES

pytestmark = pytest.mark.slow

TOURNAMENT = Tournament(("greedy", "chance"))


def played(tournament, games, path=None):
    journal = Journal(tournament, path)
    Run(tournament, games, threads(2), journal).play()
    return journal


# ------------------------------------------------------------------ schedule


def test_every_deal_is_played_in_every_seating():
    assert Tournament(("greedy", "chance")).tables == ((("greedy", "chance"), ("chance", "greedy")),)
    assert Tournament(("search", "greedy", "greedy", "greedy")).games_per_deal == 4
    assert Tournament(("chance", "greedy", "search")).games_per_deal == 6
    assert Tournament(("greedy", "greedy")).games_per_deal == 1


def test_the_last_bot_takes_the_seats_that_are_left():
    assert Tournament(("search", "greedy"), players=4).tables[0][0] == (
        "search",
        "greedy",
        "greedy",
        "greedy",
    )


def test_more_bots_than_seats_meet_in_every_set():
    tournament = Tournament(("chance", "greedy", "search"), players=2)
    assert [seatings[0] for seatings in tournament.tables] == [
        ("chance", "greedy"),
        ("chance", "search"),
        ("greedy", "search"),
    ]
    assert tournament.games_per_deal == 6


def test_sides_of_a_team_game_stay_together():
    tournament = Tournament(("greedy", "chance"), teams=True)
    assert tournament.players == 4
    assert tournament.tables == (
        (("greedy", "chance", "greedy", "chance"), ("chance", "greedy", "chance", "greedy")),
    )
    assert Tournament(("greedy", "chance", "greedy", "chance"), teams=True).tables == tournament.tables
    assert Tournament(("greedy",), teams=True).tables == ((("greedy",) * 4,),)


def test_more_than_two_sides_meet_in_pairs():
    tournament = Tournament(("chance", "greedy", "easy"), teams=True)
    assert [tournament.sides_at(seatings[0]) for seatings in tournament.tables] == [
        [("chance",) * 2, ("greedy",) * 2],
        [("chance",) * 2, ("easy",) * 2],
        [("greedy",) * 2, ("easy",) * 2],
    ]


def test_mixed_sides_sit_in_every_order():
    tournament = Tournament(("greedy+chance", "easy+chance"), teams=True)
    (seatings,) = tournament.tables
    assert len(set(seatings)) == len(seatings) == 8
    for seating in seatings:
        assert sorted(tournament.sides_at(seating)) == [("chance", "easy"), ("chance", "greedy")]
    assert set(tournament.sides.values()) == {"chance+greedy", "chance+easy"}
    assert tournament.names == ("greedy", "chance", "easy")


def test_games_are_rounded_up_to_whole_deals():
    tournament = Tournament(("chance", "greedy", "search"))
    assert tournament.number_of_games(7) == 12
    assert list(tournament.deals(7)) == [Deal(0, 0), Deal(1, 0)]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bots": ()}, "Name the bots"),
        ({"bots": ("greedy", "")}, "Name the bots"),
        ({"bots": ("greedy", "deep blue")}, "no bot"),
        ({"bots": ("chance",) * 5}, "5 bots do not fit"),
        ({"bots": ("chance", "greedy"), "players": 5}, "Two, three or four"),
        ({"bots": ("chance", "greedy"), "players": 3, "teams": True}, "Teams are two against two"),
        ({"bots": ("chance+greedy", "chance")}, "is a team"),
        ({"bots": ("chance+greedy+chance", "chance"), "teams": True}, "A team has two bots, not 3"),
        ({"bots": ("chance+", "chance"), "teams": True}, "Name the bots"),
        ({"bots": ("chance+deep blue", "chance"), "teams": True}, 'no bot "deep blue"'),
        ({"bots": ("chance", "greedy"), "variant": "chess"}, "basic"),
        ({"bots": ("chance", "greedy"), "rulings": "martian"}, "martian"),
        ({"bots": ("chance", "greedy"), "seed": -1}, "A seed is"),
        ({"bots": ("chance", "greedy"), "seconds_per_move": 0.0}, "seconds for a move, not 0"),
        ({"bots": ("chance", "greedy"), "seconds_per_move": float("nan")}, "seconds for a move, not nan"),
    ],
)
def test_an_impossible_tournament_is_rejected(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        Tournament(**wrong)


# ------------------------------------------------------------------ playing


def test_a_deal_is_the_same_whenever_it_is_played():
    def facts():
        return [replace(game, seconds=(), slowest=()) for game in play_deal(TOURNAMENT, Deal(3, 0))]

    assert facts() == facts()


def test_both_seatings_of_a_deal_have_the_same_cards():
    first, second = (record_of_result(TOURNAMENT, game) for game in play_deal(TOURNAMENT, Deal(3, 0)))
    assert first.deck == second.deck
    assert first.names == ("greedy 1", "chance 2")
    assert second.names == ("chance 1", "greedy 2")


def test_a_game_is_saved_as_a_record_that_replays():
    tournament = Tournament(("chance", "greedy"), 4, "draft", teams=True, rulings="pl", seed=5)
    game = play_deal(tournament, Deal(0, 0))[0]
    record = read_record(write_record(record_of_result(tournament, game)))
    assert sum(1 for _ in replay(record)) == len(game.moves.split()) + 1
    assert record.result is not None
    assert {seat for seat, share in enumerate(game.shares) if share} == set(record.result.winners)


def test_teams_share_a_win():
    tournament = Tournament(("chance",), 4, teams=True)
    for number in range(5):
        for game in play_deal(tournament, Deal(number, 0)):
            assert game.shares[0] == game.shares[2]
            assert game.shares[1] == game.shares[3]
            assert sum(game.shares) == 2


class Broken:
    def __init__(self, seed=0):
        pass

    def choose(self, view, memory, choices):
        raise RuntimeError("out of ideas")


class Cheating(Broken):
    def choose(self, view, memory, choices):
        return next(choice for choice in CHOICES if choice not in choices)


@pytest.mark.parametrize(
    ("bot", "sentence"), [(Broken, "broken failed .*: out of ideas"), (Cheating, "illegal move")]
)
def test_a_bot_that_fails_is_named(monkeypatch, bot, sentence):
    monkeypatch.setitem(BOTS, "broken", bot)
    with pytest.raises(BotFailed, match=sentence):
        play_deal(Tournament(("broken", "chance")), Deal(0, 0))


# ------------------------------------------------------------------ the journal


def test_a_killed_run_resumes(tmp_path):
    path = tmp_path / "games.jsonl"
    whole = played(TOURNAMENT, 12, path).games
    text = path.read_bytes()
    path.write_bytes(text[: len(text) * 2 // 3])  # in the middle of a line
    journal = Journal(TOURNAMENT, path)
    assert 0 < len(journal.games) < 12
    finished = journal.games
    run = Run(TOURNAMENT, 12, threads(1), journal)
    assert run.progress.finished_before == len(finished)
    run.play()
    assert [(game.identity, game.moves) for game in journal.games] == [
        (game.identity, game.moves) for game in whole
    ]
    assert [game.identity for game in Journal(TOURNAMENT, path).games] == [game.identity for game in whole]


def test_a_finished_run_can_be_extended(tmp_path):
    path = tmp_path / "games.jsonl"
    played(TOURNAMENT, 4, path)
    assert len(played(TOURNAMENT, 10, path).games) == 10
    assert len(path.read_text().splitlines()) == 1 + 5


def test_a_deal_that_comes_twice_counts_once(tmp_path):
    path = tmp_path / "games.jsonl"
    journal = played(TOURNAMENT, 4, path)
    assert not journal.add(Deal(0, 0), journal.deals[Deal(0, 0)])
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[1]]))
    assert len(Journal(TOURNAMENT, path).games) == 4


def test_the_journal_of_another_tournament_is_rejected(tmp_path):
    path = tmp_path / "games.jsonl"
    played(TOURNAMENT, 2, path)
    with pytest.raises(JournalError, match=r"another tournament. What is different: seed 0 → 7$"):
        Journal(replace(TOURNAMENT, seed=7), path)
    header, *lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([json.dumps({**json.loads(header), "format": 2}) + "\n", *lines]))
    with pytest.raises(JournalError, match=r"other code. What has changed: format 2 → 3$"):
        Journal(TOURNAMENT, path)
    games = '{"number": 1, "table": 0, "games": [1]}\n'
    for text in ("hello\n", "[1, 2]\n", header + '{"number": 1}\n', header + "\xff\n", header + games):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(JournalError, match="does not contain"):
            Journal(TOURNAMENT, path)


@pytest.mark.parametrize("text", ["", "no line ends", "a line ends,\nand another does not"])
def test_a_file_that_is_not_a_journal_is_left_unchanged(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(f"Not to be lost: {text}")
    with pytest.raises(JournalError, match="does not contain"):
        Journal(TOURNAMENT, path)
    assert path.read_text() == f"Not to be lost: {text}"


def test_an_empty_journal_is_a_new_one(tmp_path):
    path = tmp_path / "deep" / "games.jsonl"
    assert Journal(TOURNAMENT, path).games == []
    path.write_bytes(path.read_bytes()[:30])  # killed while it wrote the first line
    journal = Journal(TOURNAMENT, path)
    assert journal.games == []
    journal.delete()
    assert not path.exists()
    Journal(TOURNAMENT).delete()


def test_progress_estimates_the_time_left():
    progress = Progress(10, 30, finished_before=10)
    assert progress.seconds_left is None
    progress.started -= 10
    progress.games = 20
    assert 9.9 < progress.seconds_left < 11


# ------------------------------------------------------------------ standings


def test_lengths_of_no_games_are_none():
    assert spread([]) is None
    assert spread([3, 1, 2]) == {"mean": 2, "least": 1, "median": 2, "most": 3}


@pytest.fixture(scope="module")
def journal():
    return played(Tournament(("greedy", "chance", "chance"), seed=4), 18)


@pytest.fixture(scope="module")
def standings(journal):
    return Standings.of(journal.tournament, journal.games)


def test_standings_count_every_seat_of_every_game(standings):
    assert standings.games == 18
    assert standings.sides["greedy"].games == standings.bots["greedy"].seats == 18
    assert standings.sides["chance"].games == standings.bots["chance"].seats == 36
    assert standings.sides["greedy"].wins + standings.sides["chance"].wins == pytest.approx(18)
    assert sum(seat.wins for seat in standings.seats) == pytest.approx(18)
    assert standings.endings.total() == 18
    assert sum(standings.sides_by_seat["greedy"][seat].games for seat in range(3)) == 18


def test_greedy_is_rated_above_chance(standings):
    assert standings.ratings["greedy"].low > standings.ratings["chance"].high
    assert standings.pairs["greedy", "chance"].win_rate > 0.8
    assert standings.pairs["greedy", "chance"].wins + standings.pairs["chance", "greedy"].wins == (
        standings.pairs["greedy", "chance"].games
    )


def test_ratings_do_not_depend_on_the_order_in_which_results_came_in(journal, standings):
    again = Journal(journal.tournament)
    for deal in sorted(journal.deals, reverse=True):
        again.add(deal, journal.deals[deal])
    assert Standings.of(journal.tournament, again.games).to_data() == standings.to_data()


def test_teams_are_counted_and_rated_together():
    tournament = Tournament(("greedy", "chance"), teams=True)
    standings = Standings.of(tournament, played(tournament, 6).games)
    assert set(standings.ratings) == {"greedy", "chance"}
    assert standings.sides["greedy"].win_rate > 0.9
    assert standings.sides["greedy"].games == 6
    assert standings.bots["greedy"].seats == 12


def test_one_bot_alone_is_not_rated():
    tournament = Tournament(("chance",))
    standings = Standings.of(tournament, played(tournament, 2).games)
    assert standings.ratings == {}
    assert "rating" not in standings.to_data()["sides"]["chance"]
    assert "only one side" in tournament_page(standings, [], "hegemon arena")


def test_standings_as_data(standings):
    data = json.loads(json.dumps(standings.to_data()))
    greedy = data["sides"]["greedy"]
    assert {"games", "wins", "win_rate", "low", "high", "rating", "rating_low", "rating_high"} <= set(greedy)
    assert greedy["low"] <= greedy["win_rate"] <= greedy["high"]
    assert data["bots"]["greedy"]["decisions"] > 100
    assert data["tournament"]["bots"] == ["greedy", "chance", "chance"]
    assert data["length"]["rounds"]["least"] <= data["length"]["rounds"]["most"]


# ------------------------------------------------------------------ the report


def test_the_report_is_one_page_and_the_games(tmp_path, journal, standings):
    page = write_report(tmp_path / "report", standings, journal.games, "hegemon arena --seats <greedy>")
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") >= 4
    assert "hegemon arena --seats &lt;greedy&gt;" in text
    for elsewhere in ("<script", "<link", "<img", 'src="', "@import", 'href="http'):
        assert elsewhere not in text
    ids = [part.split('"')[0] for part in text.split('id="')[1:]]
    assert len(ids) == len(set(ids))
    records = sorted((tmp_path / "report" / "games").glob("*.toml"))
    assert len(records) == 18
    assert read_record(records[0].read_text(encoding="utf-8")).result is not None


def test_the_report_of_no_games():
    standings = Standings.of(TOURNAMENT, [])
    assert "No game was finished" in tournament_page(standings, [], "hegemon arena")
    assert standings.to_data()["length"]["rounds"] is None


def test_table_errors_are_what_a_tournament_raises():
    with pytest.raises(SetupError):
        Tournament(("unknown",))
