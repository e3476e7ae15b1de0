"""Moves from pages: forced choices are played automatically, and an effect comes with its target."""

import pytest
from server_browser import Browser, visiting
from server_config import config_at

from hegemon import Game
from hegemon.notation.cards import read_deck, write_cards
from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.security import tokens
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.errors import SeatLost, StaleVersionError
from hegemon.server.tables.page_moves import forced_choice, submit_choice
from hegemon.server.tables.registry import TableRegistry

PEOPLE = [SeatRow(None, "ada"), SeatRow(None, "ben")]


def game_with(top, players=2, variant="basic"):
    """A game whose deck begins with some cards: all of seat 1's, then seat 2's, then what is drawn."""
    rest = list(Game(players, seed=1).record().deck)
    first = read_deck(top.replace(" ", ""))
    for kind in first:
        rest.remove(kind)
    return Game(players, variant, deck=write_cards([*first, *rest]))


@pytest.fixture
async def tables(database):
    tables = TableRegistry(Store(database), config_at(database))
    await tables.store.migrate()
    yield tables
    await tables.close()


class Sitting:
    """Two people at a table, who submit what their pages would."""

    def __init__(self, tables, table):
        self.tables = tables
        self.table = table
        self.requests = 0

    async def submit(self, seat, choice, *, play_forced=True, version=None, key=None):
        self.requests += 1
        version = self.table.version if version is None else version
        await submit_choice(
            self.tables, self.table, seat, choice, version, key or f"key{self.requests}", self.table.seats[seat],
            play_forced=play_forced,
        )  # fmt: skip

    async def play(self, *moves, play_forced=True):
        for move in moves:
            seat, _, choice = move.partition(":")
            await self.submit(int(seat) - 1, choice.replace("_", " "), play_forced=play_forced)

    @property
    def moves(self):
        return " ".join(self.table.game.moves)


@pytest.fixture
async def sitting(tables):
    async def sit(top):
        return Sitting(tables, await tables.load(await tables.create(game_with(top), PEOPLE)))

    return sit


MILITARY = "M1 M1 M1 R1 R1 R1 M1 R1 M1 R1"


async def test_the_only_choice_at_the_beginning_of_a_turn_is_forced(sitting):
    at = await sitting(MILITARY)
    assert forced_choice(at.table, 0) == "M"
    assert forced_choice(at.table, 1) is None


async def test_a_player_who_has_lost_the_seat_submits_nothing(sitting):
    at = await sitting("M1 E1 S1")
    with pytest.raises(SeatLost):
        await submit_choice(at.tables, at.table, 0, "M", 0, "key", SeatRow(None, "eve"), play_forced=True)
    assert at.table.version == 0


async def test_a_real_decision_is_not_forced(sitting):
    assert forced_choice((await sitting("M1 E1 S1")).table, 0) is None


async def test_a_turn_does_not_end_automatically_while_it_can_be_undone(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M")
    assert at.table.game.choices == (".",)
    assert at.moves == "M"
    assert forced_choice(at.table, 0) is None


async def test_a_question_with_one_legal_answer_is_answered(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", "2:.", "1:M", "1:.", "2:R", "2:.", "1:M", "1:M+")
    assert at.moves.endswith("M M+ M")
    assert at.table.game.choices == ("mM", ".")


async def test_one_undo_returns_to_the_last_decision(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", "2:.", "1:M", "1:.", "2:R", "2:.", "1:M", "1:M+", "1:undo")
    assert at.table.game.choices == ("M+", "mM", ".")
    assert at.table.to_move == (0,)


async def test_an_undone_forced_choice_is_not_repeated(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:undo")
    assert at.moves == ""
    assert forced_choice(at.table, 0) is None
    await at.play("1:M")
    assert at.moves == "M"


async def test_a_turn_ends_automatically_when_nothing_can_be_chosen_or_undone(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", "2:r+1")
    assert at.moves == "M . R r+1"  # Military is in every set of three cards, but the set is one decision
    await at.play("2:R,M,R")
    assert at.moves == "M . R r+1 M R R ."
    assert at.table.to_move == (0,)


async def test_the_setting_turns_forced_choices_off(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", "2:r+1", play_forced=False)
    assert at.moves == "M . R r+1"
    await at.play("2:M", "2:undo", play_forced=False)
    assert at.moves == "M . R r+1"


async def test_with_the_setting_off_the_only_answer_is_left_to_the_player(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", "2:.", "1:M", "1:.", "2:R", "2:.", "1:M", "1:M+", play_forced=False)
    assert at.table.game.choices == ("M",)
    assert at.moves.endswith("M M+")
    await at.play("1:M", "1:undo", play_forced=False)
    assert at.moves.endswith("M M+")


async def test_cards_that_all_have_to_be_chosen_are_one_move(sitting):
    at = await sitting("M1 M1 S1 E1 E1 E1 R1 R1 E1 S1 C1")
    await at.play("1:S", "1:sS", "1:R")  # five of seven cards, in the order of their Domains
    assert [move.choice for move in at.table.moves] == ["S", "sS", "R", "R,E,S,C"]


async def test_undoing_a_pick_does_not_undo_another_players_pick(tables):
    game = game_with("M1 M1 M1 M1", players=3, variant="draft")
    people = [*PEOPLE, SeatRow(None, "cy")]
    at = Sitting(tables, await tables.load(await tables.create(game, people)))
    await at.play("1:M1", play_forced=False)
    await at.submit(1, at.table.game.choices_of(1)[0])
    await at.play("1:undo")
    assert at.table.game.choices_of(0) == ("M1",)
    assert at.table.to_move == (0, 2)


async def test_programs_make_every_choice_themselves(tables, sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", play_forced=False)
    await table_moves.submit_move(tables, at.table, 1, "r+1", 3, "key")
    assert at.moves == "M . R r+1"


async def test_a_request_that_is_sent_again_counts_once(sitting):
    at = await sitting(MILITARY)
    await at.play("1:M", "1:.", "2:R", "2:.", "1:M", "1:.", "2:R", "2:.", "1:M")
    for _ in range(2):
        await at.submit(0, "M+", version=9, key="once")
    assert at.moves == "M . R . M . R . M M+ M"


async def test_an_effect_comes_with_its_aim(sitting):
    at = await sitting("M1 R1 S1 E1 E1 E1")
    await at.play("1:M", "1:.", "2:E", "2:e+1_M")
    assert at.moves == "M . E e+1 M ."
    assert [move.idempotency_key for move in at.table.moves[3:]] == ["key4", "key4.4", "key4.5"]


async def test_neither_an_effect_nor_its_aim_counts_if_one_is_illegal(sitting):
    at = await sitting("M1 R1 S1 E1 E1 E1")
    await at.play("1:M", "1:.", "2:E")
    for choice in ("e+1 S", "undo M", "u+1 M"):
        with pytest.raises((IllegalMoveError, NotationError)):
            await at.submit(1, choice)
    assert at.moves == "M . E"


async def test_an_aim_of_a_page_that_is_out_of_date_is_stale(sitting):
    at = await sitting("M1 R1 S1 E1 E1 E1")
    await at.play("1:M", "1:.", "2:E")
    with pytest.raises(StaleVersionError):
        await at.submit(1, "e+1 M", version=1)


async def test_the_setting_is_on_the_page(database):
    async with visiting(database) as client:
        token = tokens.new_token()
        client.cookies.set(tokens.COOKIE, token)
        seats = [SeatRow(None, tokens.owner_of(token)), SeatRow(None, "ben")]
        game = await client.app.state.tables.create(game_with(MILITARY), seats)
        browser = await Browser(client).get(f"/games/{game}")
        assert 'data-forced="M"' in browser.page
        await browser.post("/settings", {"passing": "off"})
        assert "data-forced" not in (await browser.get(f"/games/{game}")).page
