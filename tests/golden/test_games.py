"""Golden games: for each way a game can end, a finished game that replays exactly.

A file is named after what it shows. That is computed here by counting cards, independently of the rules.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from hegemon.notation.record import read_record, replay, result_of, write_record
from hegemon.play.commitment import check_shuffle
from hegemon.play.game import Game
from hegemon.rules.actions import ACTIONS, ActionKind
from hegemon.rules.cards import LETTERS, Domain, count
from hegemon.rules.position import Ending, Question
from hegemon.rules.rulings import PRESETS

GAMES = sorted((Path(__file__).parent / "games").glob("*.toml"))

NAMES = [domain.name.lower() for domain in Domain]

#: Every ending that must have a game.
ENDINGS = {
    *(f"hegemony-in-{name}" for name in NAMES),
    "hegemony-over-a-democracy",
    "hegemony-over-a-democracy-between-two",
    "hegemony-with-the-last-card",
    "hegemony-in-the-last-round",
    "majority-by-points",
    "majority-by-points-with-other-switches",
    *(f"tie-broken-by-{name}" for name in NAMES),
    "shared-by-two-of-three",
    "shared-by-both",
    "team-wins-by-hegemony",
    "team-wins-by-points",
    "team-tie-broken-by-culture",
    "team-tie-shared",
    "stall-by-chance",
    "stall-by-the-loop",
    "last-card-drawn-by-a-breakthrough",
    "last-card-drawn-by-the-last-seat",
    "last-card-drawn-by-the-first-seat",
    "last-card-drawn-by-a-seat-between",
}


def what_it_shows(record):
    """What a finished game is an example of, determined by counting cards."""
    positions = list(replay(record))
    end = positions[-1]
    return {*how_it_ended(record, positions, end), *who_drew_the_last_card(record, positions)}


def how_it_ended(record, positions, end):
    team = "team-" if record.teams else ""
    if end.ending == Ending.HEGEMONY:
        yield from how_hegemony_was_won(record, positions, end)
    elif end.ending == Ending.STALL:
        assert end.deck_size > 0
        yield "stall-by-the-loop" if repeats(positions) else "stall-by-chance"
    else:
        assert end.deck_size == 0
        broken_by, winners = majority(end)
        assert result_of(end).winners == winners
        if broken_by == "points":
            other = "" if record.rulings in PRESETS else "-with-other-switches"
            yield f"{team}wins-by-points" if team else f"majority-by-points{other}"
        elif broken_by != "nothing":
            yield f"{team}tie-broken-by-{broken_by}"
        elif team:
            yield "team-tie-shared"
        else:
            yield {(2, 2): "shared-by-both", (2, 3): "shared-by-two-of-three"}.get(
                (len(winners), record.players), "shared"
            )


def how_hegemony_was_won(record, positions, end):
    seat = end.seat
    needed = 8 if record.players == 2 else 7
    reached = {
        name
        for domain, name in enumerate(NAMES)
        if count(end.areas[seat][domain]) >= needed + end.democracies[seat][domain]
    }
    domain = result_of(end).domain
    assert domain.name.lower() in reached
    yield from (f"hegemony-in-{name}" for name in reached)
    if record.teams and result_of(end).winners == (seat % 2, seat % 2 + 2):
        yield "team-wins-by-hegemony"
    if end.democracies[seat][domain]:
        assert count(end.areas[seat][domain]) > needed
        yield "hegemony-over-a-democracy" + ("-between-two" if record.players == 2 else "")
    if end.deck_size == 0:
        drawer = next(before for before, after in pairwise(positions) if after.deck_size == 0)
        same_turn = (drawer.seat, drawer.round) == (seat, end.round)
        yield "hegemony-with-the-last-card" if same_turn else "hegemony-in-the-last-round"


def majority(end):
    """What decided a Majority, and who won it, counted as in the rulebook."""
    sides = [[0, 2], [1, 3]] if end.teams else [[seat] for seat in range(end.players)]
    columns = [
        [max(count(end.areas[seat][domain]) for seat in side) for domain in range(6)] for side in sides
    ]
    points = [
        sum(0 < column[domain] == max(other[domain] for other in columns) for domain in range(6))
        for column in columns
    ]
    tied = [side for side in range(len(sides)) if points[side] == max(points)]
    decided = "points" if len(tied) == 1 else ""
    for letter in "UCSERM":
        domain = LETTERS.index(letter)
        most = max(columns[side][domain] for side in tied)
        tied = [side for side in tied if columns[side][domain] == most]
        if len(tied) == 1 and not decided:
            decided = NAMES[domain]
    return decided or "nothing", tuple(sorted(seat for side in tied for seat in sides[side]))


def repeats(positions):
    """Whether each of the last ten rounds began with the same number of cards of each Domain in each hand and area."""
    last = positions[-1].round
    starts = {
        position.round: position for position in reversed(positions) if position.question == Question.PLAY
    }
    tables = [
        [count(pile) for piles in (*starts[number].hands, *starts[number].areas) for pile in piles]
        for number in range(last - 9, last + 1)
    ]
    return all(table == tables[0] for table in tables)


def who_drew_the_last_card(record, positions):
    for (seat, action), (before, after) in zip(record.moves, pairwise(positions), strict=True):
        if before.deck_size > 0 and after.deck_size == 0:
            if ACTIONS[action].kind is ActionKind.BREAKTHROUGH:
                yield "last-card-drawn-by-a-breakthrough"
            else:
                which = {0: "the-first-seat", record.players - 1: "the-last-seat"}
                yield f"last-card-drawn-by-{which.get(seat, 'a-seat-between')}"
            # The round is finished, and no other begins.
            assert positions[-1].round == before.round
            if positions[-1].ending == Ending.MAJORITY:
                assert positions[-1].seat == record.players - 1


@pytest.mark.parametrize("file", GAMES, ids=lambda file: file.stem)
def test_a_golden_game_replays_exactly_and_shows_what_it_is_named_for(file):
    text = file.read_text(encoding="utf-8")
    record = read_record(text)
    assert file.stem in what_it_shows(record)
    # A comment says what the file is an example of; the record below it is in canonical form.
    assert text.startswith("# ")
    assert text.endswith(f"\n{write_record(record)}")
    game = Game.from_record(text)
    assert game.over
    assert game.result == record.result
    assert game.record() == record


def test_there_is_a_golden_game_for_every_ending():
    assert {file.stem for file in GAMES} == ENDINGS


def test_the_golden_games_are_of_every_kind():
    records = [read_record(file.read_text(encoding="utf-8")) for file in GAMES]
    assert {(record.players, record.variant) for record in records} == {
        (players, variant) for players in (2, 3, 4) for variant in ("basic", "draft")
    }
    assert {record.rulings for record in records} > set(PRESETS)


def test_the_committed_shuffle_of_a_golden_game_can_be_checked():
    text = (Path(__file__).parent / "games" / "majority-by-points.toml").read_text(encoding="utf-8")
    digest = text.splitlines()[1].removeprefix("# ")
    assert check_shuffle(read_record(text), digest)
    assert not check_shuffle(read_record(text.replace('salt = "5', 'salt = "6')), digest)
