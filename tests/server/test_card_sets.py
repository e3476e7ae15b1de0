"""Several cards chosen together with forms or the API: saved as one move and undone as one."""

import json
import re

import pytest
from server_browser import Browser

from hegemon.play.game import Game
from hegemon.prose.translator import get_translator
from hegemon.puzzles.collection import all_puzzles
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import Question
from hegemon.server.api.sse import table_events
from hegemon.server.db.rows import MoveRow, SeatRow
from hegemon.server.security import tokens
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables import page_moves
from hegemon.server.tables.errors import StaleVersionError
from random_games import asking_for_cards, some_set

#: The questions that ask for several cards, and the place of the cards.
QUESTIONS = {
    Question.DISCARD_FROM_HAND: "hand-",
    Question.GIVE: "hand-",
    Question.PLAY_MORE: "hand-",
    Question.DISCARD_FROM_AREA: "area-",
    Question.TAKE_BACK: "area-",
    Question.FETCH: "pile",
}

MINE = tokens.new_token()


def has_several_sets(game):
    """Whether the question allows different sets, and its cards are from several Domains."""
    selection = game.selection()
    letters = {card[0] for card in selection.cards}
    return len(selection.cards) > selection.number and len(letters) > 1


@pytest.fixture
async def create_table(client):
    """Create a table in the position of a game; the browser belongs to the player to move."""

    async def create_table(game: Game):
        rows = [
            SeatRow(None, tokens.owner_of(MINE) if seat == game.seat else "other")
            for seat in range(game.players)
        ]
        record = game.record()
        tables = client.app.state.tables
        game_id = await tables.create(Game.from_record(record).at(0), rows)
        for number, (seat, action) in enumerate(record.moves, 1):
            await tables.store.moves.append(game_id, MoveRow(number, seat, CHOICES[action]), finished=False)
        client.cookies.set(tokens.COOKIE, MINE)
        client.cookies.set("passing", "off")
        return await tables.load(game_id)

    return create_table


@pytest.fixture
async def asked(create_table):
    """A table whose player must discard two or more cards from hand, and can choose which."""
    return await create_table(asking_for_cards(Question.DISCARD_FROM_HAND, has_several_sets))


async def at_table(client, table):
    return await Browser(client).get(f"/games/{table.id}")


async def mark(page, cards, **changes):
    """Submit marked cards as a browser without JavaScript does."""
    fields = {name: page.hidden(name) for name in ("version", "seat", "idempotency_key")} | changes
    return await page.post(f"{page.path.removesuffix('/moves')}/moves", {**fields, "card": cards})


def boxes(page):
    """The cards that can be marked on a page, and those that are marked."""
    found = re.findall(r'<input type="checkbox"[^>]* value="(\w\d)"[^>]*?( checked)?>', page)
    return [card for card, _ in found], [card for card, checked in found if checked]


# ------------------------------------------------------------------ forms


@pytest.mark.parametrize(("question", "place"), QUESTIONS.items())
async def test_every_card_that_can_be_chosen_is_a_checkbox(client, create_table, question, place):
    game = asking_for_cards(question, has_several_sets)
    page = await at_table(client, await create_table(game))
    assert boxes(page.page) == ([*map(str, game.selection().cards)], [])
    places = re.findall(r'class="[^"]*\bmark\b[^"]*" data-card="\w\d" data-place="([^"]+)"', page.page)
    assert len(places) == len(game.selection().cards)
    assert all(found.startswith(place) for found in places)
    assert page.page.count('<button class="answer end confirm"') == (2 if place == "pile" else 1)
    assert f">0 of {game.selection().number}</output>" in page.page
    assert list(game.choices) == [word for word in page.words if word != "undo"], (
        "the cards can also be chosen one by one"
    )


async def test_cards_that_all_have_to_be_chosen_are_marked_from_the_start(client, create_table):
    game = asking_for_cards(
        Question.DISCARD_FROM_HAND, lambda game: len(game.selection().cards) == game.selection().number
    )
    page = await at_table(client, await create_table(game))
    cards, marked = boxes(page.page)
    assert cards == marked == [*map(str, game.selection().cards)]
    number = game.selection().number
    assert f">{number} of {number}</output>" in page.page
    await mark(page, marked)
    assert page.status == 200


async def test_a_set_is_forced_only_if_all_cards_have_to_be_chosen(client, create_table):
    def has_one_set(game):
        return len(game.selection().cards) == game.selection().number

    def has_one_first_card(game):
        return len(game.choices) == 1 and not has_one_set(game)

    game = asking_for_cards(Question.DISCARD_FROM_HAND, has_one_set)
    table = await create_table(game)
    text = ",".join(card[0] for card in game.selection().cards)
    assert page_moves.forced_choice(table, game.seat) == text
    client.cookies.set("passing", "on")
    assert f'data-forced="{text}"' in (await at_table(client, table)).page
    game = asking_for_cards(Question.DISCARD_FROM_HAND, has_one_first_card)
    assert page_moves.forced_choice(await create_table(game), game.seat) is None


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_set_is_chosen_in_any_order_and_saved_as_one_move(client, create_table, question):
    game = asking_for_cards(question, has_several_sets)
    table = await create_table(game)
    cards, version = some_set(game), table.version
    page = await mark(await at_table(client, table), cards)
    assert page.status == 200
    game.play(cards)
    assert (table.version, table.game.moves) == (version + 1, game.moves)
    row = await client.app.state.tables.store.games.load(table.id)
    assert row.moves[-1].choice == ",".join(game.moves[-len(cards) :])
    assert row.moves[-1].version == version + 1


async def test_an_incomplete_set_is_rejected_and_stays_marked(client, asked):
    page, version = await at_table(client, asked), asked.version
    number = asked.game.selection().number
    card = str(next(iter(asked.game.selection().cards)))
    await mark(page, [card])
    assert page.status == 422
    assert f"Cards to choose: {number}. Cards chosen: 1." in page.page
    assert boxes(page.page)[1] == [card]
    assert f">1 of {number}</output>" in page.page
    await mark(page, [])
    assert page.status == 422
    assert f"Cards to choose: {number}. Cards chosen: 0." in page.page
    assert asked.version == version


async def test_an_invalid_card_is_rejected(client, asked):
    page = await mark(await at_table(client, asked), ["mE", "<b>"])
    assert page.status == 422
    assert "That is not a valid move." in page.page


async def test_a_choice_takes_precedence_over_marked_cards(client, asked):
    page = await at_table(client, asked)
    choice = asked.game.choices[0]
    await mark(page, some_set(asked.game), choice=choice)
    assert asked.game.moves[-1] == choice


async def test_one_undo_takes_back_the_whole_set(client, asked):
    page, before = await at_table(client, asked), asked.game.moves
    cards = some_set(asked.game)
    await mark(page, cards)
    assert len(asked.game.moves) == len(before) + len(cards)
    await page.submit_move("undo")
    assert (page.status, asked.game.moves) == (200, before)
    assert boxes(page.page)[0] == [*map(str, asked.game.selection().cards)]


async def test_sets_and_undos_are_replayed_from_the_store(client, asked):
    page, cards = await at_table(client, asked), some_set(asked.game)
    for choose in (
        lambda: mark(page, cards),
        lambda: page.submit_move("undo"),
        lambda: mark(page, cards[::-1]),
    ):
        await choose()
    tables = client.app.state.tables
    tables._tables.clear()
    again = await tables.load(asked.id)
    assert again is not asked
    assert (again.game.moves, again.version) == (asked.game.moves, asked.version)
    assert again.game.undoable(again.game.seat) == asked.game.undoable(again.game.seat)
    assert again.event_dicts(0, again.version) == asked.event_dicts(0, asked.version)


async def test_a_set_saved_by_another_worker_is_applied(client, asked):
    tables, cards = client.app.state.tables, some_set(asked.game)
    text = ",".join(sorted(card[0] for card in cards)[::-1])
    game = asked.game.copy()
    game.play(cards)
    move = MoveRow(asked.version + 1, asked.game.seat, text, "elsewhere")
    await tables.store.moves.append(asked.id, move, finished=False)
    with pytest.raises(StaleVersionError):
        await table_moves.submit_move(tables, asked, asked.game.seat, cards, asked.version, "here")
    assert asked.game.moves == game.moves


async def test_a_page_in_another_language_says_what_is_missing(client, asked):
    client.cookies.set("language", "de")
    page = await mark(await at_table(client, asked), [])
    assert "Gewählte Karten: 0." in page.page
    assert f">0 von {asked.game.selection().number}</output>" in page.page


# ------------------------------------------------------------------ the API


class Program:
    """A program that plays the seat to move."""

    def __init__(self, client, table):
        self.client, self.path = client, f"/api/games/{table.id}"
        self.headers = {"authorization": f"Bearer {MINE}"}

    async def state(self):
        return (await self.client.get(self.path, headers=self.headers)).json()

    async def move(self, version, key="key", **move):
        body = {"version": version, "idempotency_key": key, **move}
        return await self.client.post(f"{self.path}/moves", json=body, headers=self.headers)


async def test_the_state_has_the_selection(client, asked):
    state, selection = await Program(client, asked).state(), asked.game.selection()
    assert state["selection"] == {"number": selection.number, "cards": [*map(str, selection.cards)]}
    assert (await client.get(f"/api/games/{asked.id}")).json()["selection"] is None, "spectators get none"


async def test_a_list_of_cards_is_one_move_with_one_event_and_one_undo(client, asked):
    program, version, cards = Program(client, asked), asked.version, some_set(asked.game)
    before, seat = asked.game.moves, asked.game.seat
    answer = await program.move(version, cards=cards)
    assert (answer.status_code, answer.json()) == (200, {"version": version + 1})
    events = asked.event_dicts(seat, version + 1)
    discarded = [event["card"] for event in events if event["event"] == "discarded"]
    assert sorted(discarded) == sorted(cards)
    answer = await program.move(version + 1, "undo", choice="undo")
    assert answer.json() == {"version": version + 2}
    assert asked.event_dicts(seat, version + 2) == [
        {"event": "undone", "seat": seat + 1, "version": version + 1}
    ]
    assert asked.game.moves == before


async def test_the_same_set_with_the_same_key_counts_once_in_any_order(client, asked):
    program, version, cards = Program(client, asked), asked.version, some_set(asked.game)
    first = await program.move(version, cards=cards)
    again = await program.move(version, cards=[card[0] for card in reversed(cards)])
    assert first.json() == again.json() == {"version": version + 1}
    assert asked.version == version + 1
    other = await program.move(version, cards=cards[1:])
    assert (other.status_code, other.json()["version"]) == (409, version + 1)


@pytest.mark.parametrize("move", [{}, {"choice": "M", "cards": ["M1"]}])
async def test_a_move_is_a_choice_or_cards(client, asked, move):
    answer = await Program(client, asked).move(asked.version, **move)
    assert (answer.status_code, answer.json()["why"]) == (422, "A move is either a choice or several cards.")


async def test_an_illegal_set_is_rejected_with_the_choices(client, asked):
    answer = await Program(client, asked).move(asked.version, cards=[])
    assert answer.status_code == 422
    assert answer.json()["why"].startswith("Cards to choose: ")
    assert set(asked.game.choices) <= set(answer.json()["choices"])


async def test_the_stream_sends_a_set_as_one_move(client, asked):
    program, version = Program(client, asked), asked.version
    await program.move(version, cards=some_set(asked.game))
    await program.move(version + 1, "undo", choice="undo")
    stream = table_events(asked, asked.game.seat, version, get_translator("en"))
    sent = [(await anext(stream)).decode() for _ in range(2)]
    await stream.aclose()
    moves = [json.loads(line[6:]) for text in sent for line in text.splitlines() if line.startswith("data: ")]
    assert [move["version"] for move in moves] == [version + 1, version + 2]
    assert len(moves[0]["events"]) > 1


# ------------------------------------------------------------------ puzzles


def puzzle_that_asks_for_cards():
    """The number of a puzzle, its moves up to a question for several cards, and the solution from there."""
    for number, puzzle in enumerate(all_puzzles()[:9], 1):
        for ply in range(len(puzzle.solution)):
            game = puzzle.game(moves=puzzle.solution[:ply])
            selection = game.selection()
            if selection is not None and 1 < selection.number < len(selection.cards):
                return number, puzzle.solution[:ply], puzzle.solution[ply : ply + selection.number]
    raise LookupError


async def test_cards_can_be_marked_in_puzzles_too(browser):
    number, moves, chosen = puzzle_that_asks_for_cards()
    before = " ".join(moves)
    await browser.get(f"/puzzles/{number}?moves={before.replace('+', '%2B')}")
    cards = boxes(browser.page)[0]
    wanted = []
    for letter in reversed(chosen):
        card = next(card for card in cards if card[0] == letter)
        cards.remove(card)
        wanted.append(card)
    await browser.post(f"/puzzles/{number}", {"moves": before, "card": wanted[:1]})
    assert browser.status == 422
    assert "Cards chosen: 1." in browser.page
    assert boxes(browser.page)[1] == wanted[:1]
    await browser.post(f"/puzzles/{number}", {"moves": before, "card": wanted})
    assert browser.status == 200
    assert browser.hidden("moves") == f"{before} {','.join(chosen)}"


async def test_a_puzzle_that_is_over_accepts_no_cards(browser):
    await browser.post("/puzzles/1", {"moves": "M .", "card": ["mE"]})
    assert browser.status == 422
    await browser.post("/puzzles/1", {"moves": "M .", "choice": "M"})
    assert browser.status == 200
