"""The leak invariant for HTTP: if the cards that a viewer cannot see are shuffled, every response stays the same.

It holds for every viewer (a seat, a spectator, a host without a seat, a player whose seat was given away) and for every
response (pages, forms, the API, both kinds of streams, chat, hints).
"""

import asyncio
from dataclasses import dataclass
from random import Random

import pytest
from server_browser import visiting
from server_clock import NOON
from server_config import config_at

from hegemon.prose.translator import get_translator
from hegemon.rules.actions import CHOICES
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.rows import MessageRow, MoveRow, SeatRow, Substitution
from hegemon.server.push.notices import notices_of, payload
from hegemon.server.security import tokens
from hegemon.server.tables import presence as table_presence
from hegemon.server.tables import seats
from hegemon.server.tables.chat import ChatLog
from hegemon.server.tables.clock import Clock, read_time_control
from hegemon.server.tables.history import History
from hegemon.server.tables.presence import Presence
from hegemon.server.web.async_cache import AsyncCache
from hegemon.server.web.routes import sharing
from hegemon.server.web.views import hints
from hegemon.server.web.views.hints import Adviser
from random_games import new_game
from test_leak import SETS, Story, played_again, rejection, shuffled_names

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 24
WORLDS = 5

MINE, OTHER, HOST, STRANGER, LOST = (tokens.new_token() for _ in range(5))


@pytest.fixture
async def client(database, monkeypatch):
    """A server with a fixed time and fixed idempotency keys, without moves by bots and without rate limits."""
    monkeypatch.setattr(sharing, "png_of", str.encode)
    config = config_at(database, new_idempotency_key=lambda: "command", now=lambda: NOON, limits=None)
    async with visiting(database, config) as client:
        client.app.state.tables.bots.run = lambda table: None
        client.app.state.tables.turns.note = lambda table: (
            None
        )  # lists use the tables, which are changed here without saving
        yield client


@dataclass
class Looker:
    """A viewer of a table, with or without a token, with or without a seat."""

    client: object
    table: object
    token: str | None = None
    seat: int = SPECTATOR
    api: bool = True
    """Whether the API answers this viewer: it rejects a token that belongs neither to a seat nor to the host."""

    async def everything(self, chat=()):
        """Every byte that the viewer gets of the table as it is, and while messages are posted."""
        self.client.cookies.clear()
        self.client.app.state.pictures = AsyncCache(100)  # pictures of another world have the same keys
        if self.token:
            self.client.cookies.set(tokens.COOKIE, self.token)
        bearer = {"authorization": f"Bearer {self.token}"} if self.token else {}
        page, api = f"/games/{self.table.id}", f"/api/games/{self.table.id}"
        query = f"?seat={self.seat + 1}" if self.seat != SPECTATOR else ""
        answers = [
            await self.client.get(f"{page}{query}"),
            await self.client.get(f"{page}/seats"),
            await self.client.get("/me/games"),
            await self.client.get(f"{page}/picture.png"),
            await self.client.get(f"{page}/report"),
            await self.client.get(f"{api}", headers=bearer),
            await self.client.get(f"{api}/seats", headers=bearer),
            await self.client.get(f"{api}/chat", headers=bearer),
            *await self.refusals(page, api, bearer),
            await self.stream(f"{page}/stream{query}", {}, chat),
            await self.stream(f"{page}/seats/stream", {}, chat),
            await self.stream(f"{api}/stream", bearer, chat),
        ]
        allowed = {200, 401, 403, 409, 422}
        assert {answer.status_code for answer in answers} <= allowed, [a.status_code for a in answers]
        state = next(answer for answer in answers if answer.url.path == api)
        assert (state.status_code == 200) == self.api
        # The digest of the shuffle differs between worlds; it is salted and reveals nothing.
        digest = self.table.game.commitment
        pages = [f"{answer.url} {answer.text.replace(digest, '')}" for answer in answers]
        return [*pages, *self.notices()]

    def notices(self):
        """What the viewer's devices show while every page is closed."""
        found = notices_of(self.table, tokens.owner_of(self.token) or "", NOON)
        return [payload(self.table, notice, get_translator("en")) for notice in (*found, None)]

    async def refusals(self, page, api, bearer):
        """The responses to illegal and stale moves, and to requests that are only allowed after the end."""
        game = self.table.game
        rejected = [
            choice for choice in CHOICES if self.seat >= 0 and choice not in game.choices_of(self.seat)
        ]
        words = [*((choice, len(game.moves)) for choice in rejected[::8]), ("M", 10**6)]
        answers = [
            await self.client.post(
                f"{api}/moves",
                json={"choice": choice, "version": number, "idempotency_key": "x"},
                headers=bearer,
            )
            for choice, number in words
        ]
        # A legal set would change the table.
        closed = self.table.is_waiting or self.seat == SPECTATOR
        for cards in SETS:
            if not closed and not isinstance(rejection(game, cards, self.seat), str):
                continue
            body = {"cards": cards, "version": len(game.moves), "idempotency_key": "x"}
            answers.append(await self.client.post(f"{api}/moves", json=body, headers=bearer))
            form = {"card": cards, "version": len(game.moves), "seat": self.seat + 1, "idempotency_key": "x"}
            answers.append(await self.client.post(f"{page}/moves", data=form))
        form = {"choice": "M", "version": str(10**6), "seat": str(self.seat + 1), "idempotency_key": "x"}
        answers.append(await self.client.post(f"{page}/moves", data=form))
        answers.append(await self.client.post(f"{page}/chat", data={"text": "", "seat": str(self.seat + 1)}))
        if not game.over:  # after the end, everything may be seen
            answers += [
                await self.client.get(f"{api}/record", headers=bearer),
                await self.client.get(f"{page}/record"),
                await self.client.get(f"{page}/replay"),
                await self.client.get(f"{page}/shuffle"),
                await self.client.post("/study", data={"game": self.table.id, "at": "9"}),
                *[
                    await self.client.get(f"{page}/moment?at={at}&seat={seat}")
                    for at in {len(game.moves), len(game.moves) // 2}
                    for seat in {0, self.seat + 1}
                ],
            ]
        return answers

    async def stream(self, path, headers, chat):
        """A stream from its beginning until the server stops; meanwhile, messages are added to the chat."""
        lines = self.table.chat.messages
        stream = asyncio.create_task(self.client.get(path, headers=headers))
        while not (self.table.subscribers or stream.done()):
            await asyncio.sleep(0)
        for line in chat:
            self.table.chat.append(line)
            self.table.notify()
        self.client.app.state.tables.disconnect_all()
        answer = await stream
        self.table.chat = ChatLog(lines)
        return answer


def compare(found, expected):
    """Fail with the first difference between two lists of texts, which are too long to show in full."""
    for one, other in zip(found, expected, strict=True):
        if one != other:
            place = next(
                (at for at, pair in enumerate(zip(one, other, strict=False)) if len(set(pair)) > 1), 0
            )
            pytest.fail(f"{one[:80]} … {one[max(80, place - 80) :][:200]}", pytrace=False)


def replace_game(table, game):
    """Put a table into the state of a game."""
    said = game.record().moves
    table.game = game
    table.moves = [MoveRow(number, seat, CHOICES[choice]) for number, (seat, choice) in enumerate(said, 1)]
    start = game.at(0)
    table._history = History(start)
    for move in table.moves:
        table._history.apply(start, move)
    table._snapshot = None
    table.presence = Presence()


def indistinguishable_games(game, viewer, moment, chance):
    """A random game up to some moment, and games that differ from it only in what a viewer cannot have seen."""
    story = Story(game, viewer, moment, chance)
    for _ in range(WORLDS):
        again = played_again(story, shuffled_names(story.cards, chance))
        if again is not None and again[0].position != story.game.position:
            again[0].rename(story.game.names)
            return story.game, again[0]
    return story.game, None


def said_by_players(game):
    return [
        MessageRow(1, NOON, 0, "a", "", phrase="hello"),
        MessageRow(2, NOON, 1, "b", "", phrase="stop", target=0),
        MessageRow(3, NOON, game.players - 1, "c", "", text="I have nothing at all."),
    ]


def posted_by_spectators(chance):
    """Messages of spectators, which no player may see; they differ in each world."""
    return [
        MessageRow(
            number,
            NOON,
            None,
            f"{chance.random()}",
            f"{chance.random()}",
            text=f"Ada holds {chance.random()}!",
        )
        for number in (4, 5)
    ]


# ------------------------------------------------------------------ a game in progress


async def create_table(client, game, rows):
    tables = client.app.state.tables
    return await tables.load(await tables.create(game, rows, host=tokens.owner_of(HOST)))


async def test_no_byte_reveals_what_a_seat_may_not_know(client):
    different = 0
    for number in range(GAMES):
        chance = Random(number)
        game = new_game(number * 5)
        viewer = chance.randrange(game.players)
        rows = [SeatRow(None, tokens.owner_of(MINE if s == viewer else OTHER)) for s in range(game.players)]
        table = await create_table(client, game.copy(), rows)
        game, other = indistinguishable_games(game, viewer, chance.randrange(200), chance)
        if other is None:
            continue
        looker = Looker(client, table, MINE, viewer)
        expected = None
        for world in (game, other):
            replace_game(table, world)
            table.substitutions = [
                (2, Substitution(1, NOON, 1, 0, "clock")),
                (3, Substitution(2, NOON, 1, 0, "back")),
            ]
            # Until the game is over, players do not see messages of spectators.
            beside = [] if world.over else posted_by_spectators(chance)
            table.chat = ChatLog(said_by_players(world) + beside)
            later = [] if world.over else [MessageRow(6, NOON, None, "x", "", text=f"{chance.random()}")]
            found = await looker.everything([*later, MessageRow(7, NOON, 1, "b", "", phrase="thanks")])
            expected = expected or found
            compare(found, expected)
        different += 1
    assert different > GAMES // 4


async def test_no_byte_reveals_to_spectators_what_only_seats_know(client):
    """Spectators, a host without a seat, and a player whose seat was given away see what everyone sees."""
    different = 0
    for number in range(GAMES):
        chance = Random(number)
        game = new_game(number * 5 + 1)
        rows = [SeatRow(None, tokens.owner_of(LOST if seat == 0 else OTHER)) for seat in range(game.players)]
        table = await create_table(client, game.copy(), rows)
        away = SeatRow(None, tokens.owner_of(MINE), "Someone else")
        await seats.reassign_seat(client.app.state.tables, table, 0, away, tokens.owner_of(LOST))
        game, other = indistinguishable_games(game, SPECTATOR, chance.randrange(200), chance)
        if other is None:
            continue
        lookers = [
            Looker(client, table),
            Looker(client, table, HOST),
            Looker(client, table, STRANGER, api=False),
            Looker(client, table, LOST, api=False),
        ]
        expected = None
        for world in (game, other):
            replace_game(table, world)
            table.chat = ChatLog(
                [*said_by_players(world), MessageRow(4, NOON, None, "x", "Eve", text="Hear, hear!")]
            )
            later = [
                MessageRow(5, NOON, 1, "b", "", phrase="thanks"),
                MessageRow(6, NOON, None, "x", "Eve", text="Now!"),
            ]
            found = [text for looker in lookers for text in await looker.everything(later)]
            expected = expected or found
            compare(found, expected)
        different += 1
    assert different > GAMES // 4


async def test_clocks_and_absences_reveal_nothing_that_only_seats_know(client):
    """Running clocks, the time left, presence, votes and substitutes are public."""
    different, tables = 0, client.app.state.tables
    for number in range(GAMES):
        chance = Random(number)
        game = new_game(number * 5 + 2)
        viewer = chance.randrange(-1, game.players)
        rows = [SeatRow(None, tokens.owner_of(MINE if s == viewer else OTHER)) for s in range(game.players)]
        others = [seat for seat in range(game.players) if seat != viewer]
        away, here = others[0], others[-1]
        rows[away] = SeatRow(None, "away", substitute=chance.choice([None, "chance"]))
        table = await create_table(client, game.copy(), rows)
        game, other = indistinguishable_games(game, viewer, chance.randrange(200), chance)
        if other is None:
            continue
        looker = Looker(client, table, MINE if viewer >= 0 else None, viewer)
        expected = None
        for world in (game, other):
            replace_game(table, world)
            table.clock = Clock(read_time_control("5m a game + 10s"), world.players)
            table.clock.start_turns(table.to_move, NOON)
            table_presence.connect(tables, table, [here])
            table.presence.vote([here], away)
            found = await looker.everything()
            expected = expected or found
            compare(found, expected)
        different += 1
    assert different > GAMES // 4


# ------------------------------------------------------------------ open seats and lost seats


async def test_a_waiting_table_reveals_no_cards(client):
    """Not even a player with a seat sees a hand before every seat is taken."""
    different = 0
    for number in range(GAMES):
        chance = Random(number)
        game = new_game(number * 7)
        rows = [SeatRow(None, tokens.owner_of(MINE)), seats.open_seat_row()]
        rows += [SeatRow(None, tokens.owner_of(OTHER))] * (game.players - 2)
        table = await create_table(client, game.copy(), rows)
        game, other = indistinguishable_games(game, SPECTATOR, 0, chance)
        if other is None:
            continue
        lookers = [
            Looker(client, table, MINE, 0),
            Looker(client, table),
            Looker(client, table, HOST),
            Looker(client, table, STRANGER, api=False),
        ]
        expected = None
        for world in (game, other):
            replace_game(table, world)
            client.cookies.clear()
            found = [(await client.get(f"/join/{table.seats[1].invite}")).text]
            found += [text for looker in lookers for text in await looker.everything()]
            expected = expected or found
            compare(found, expected)
        different += 1
    assert different > GAMES // 4


async def test_a_player_who_loses_a_seat_gets_no_further_events_of_it(client):
    """Their streams end, whatever happens at the same time and afterwards."""
    for number in range(GAMES):
        chance = Random(number)
        game = new_game(number * 11)
        viewer = chance.randrange(game.players)
        story = Story(game, viewer, chance.randrange(20), chance)
        mine = SeatRow(None, tokens.owner_of(MINE))
        table = await create_table(client, new_game(number * 11), [mine] * game.players)
        table.seats = tuple(
            mine if seat == viewer else SeatRow(None, "other") for seat in range(game.players)
        )
        client.cookies.set(tokens.COOKIE, MINE)
        bearer = {"authorization": f"Bearer {MINE}"}
        looker = Looker(client, table, MINE, viewer)
        go = f'event: go\ndata: "/games/{table.id}?lost=true"\n\n'.encode()
        for path, headers in (
            (f"/games/{table.id}/stream?seat={viewer + 1}", {}),
            (f"/api/games/{table.id}/stream", bearer),
        ):
            replace_game(table, story.game.copy())
            table.set_seat(viewer, mine)
            before = (await looker.stream(path, headers, ())).content
            following = asyncio.create_task(client.get(path, headers=headers))
            while not table.subscribers:
                await asyncio.sleep(0)
            for _ in range(chance.randrange(20)):
                await asyncio.sleep(0)
            answer_by_chance(table, chance)
            table.set_seat(viewer, SeatRow("chance", None))
            while not following.done():
                answer_by_chance(table, chance)
                await asyncio.sleep(0)
            told = (await following).content
            no_more = told in (go, before + go) if headers == {} else before.startswith(told)
            assert no_more, told[-400:]


def answer_by_chance(table, chance):
    if not table.game.over:
        seat = chance.choice([seat for seat in range(table.game.players) if table.game.choices_of(seat)])
        choice = chance.choice(table.game.choices_of(seat))
        table.apply_move(MoveRow(table.version + 1, seat, choice))


# ------------------------------------------------------------------ hints


async def test_no_hint_reveals_what_a_seat_may_not_know(client, monkeypatch):
    monkeypatch.setattr(hints, "MAX_ITERATIONS", 30)
    monkeypatch.setattr(hints, "MAX_SECONDS", 600.0)
    different = 0
    for number in range(GAMES):
        chance = Random(number)
        game = new_game(number * 3)
        viewer = chance.randrange(game.players)
        owner = tokens.owner_of(MINE)
        rows = [SeatRow(None, owner) if s == viewer else SeatRow("chance", None) for s in range(game.players)]
        table = await create_table(client, game.copy(), rows)
        game, other = indistinguishable_games(game, viewer, chance.randrange(60), chance)
        if other is None or not game.choices_of(viewer):
            continue
        client.cookies.set(tokens.COOKIE, MINE)
        expected = None
        for world in (game, other):
            replace_game(table, world)
            client.app.state.adviser = Adviser()
            found = []
            for step in "123":
                form = {"step": step, "version": str(table.version), "seat": str(viewer + 1)}
                for accept in ("application/json", "text/html"):
                    answer = await client.post(
                        f"/games/{table.id}/hint", data=form, headers={"accept": accept}
                    )
                    assert answer.status_code == 200
                    found.append(answer.text)
            expected = expected or found
            compare(found, expected)
        different += 1
    assert different > GAMES // 8


# ------------------------------------------------------------------ finished games

#: Routes for finished games only.
AFTERWARDS = (
    ("GET", "replay"),
    ("GET", "replay/picture.png"),
    ("GET", "embed"),
    ("GET", "replay/code.svg"),
    ("GET", "analysis/stream"),
    ("POST", "analysis"),
    ("POST", "play-on"),
    ("GET", "record"),
)

#: Routes tested above or in tests/server/test_spectate.py, and routes that change a table instead of showing it.
ELSEWHERE = {
    *(("GET", place) for place in ("", "stream", "seats", "seats/stream", "shuffle", "moment", "hands")),
    ("GET", "picture.png"),
    ("GET", "report"),
    ("POST", "report"),
    ("GET", "hands/stream"),
    *(("POST", place) for place in ("moves", "chat", "mute", "vote", "return", "hint", "rematch", "resign")),
    ("POST", "webhook"),
    *(("GET", "plan"), ("POST", "plan"), ("POST", "plan/delete")),  # tests/server/test_plans.py
}


async def test_pages_of_finished_games_are_rejected_before_the_end(client):
    game = new_game(5)
    rows = [SeatRow(None, tokens.owner_of(MINE if seat == 0 else OTHER)) for seat in range(game.players)]
    table = await create_table(client, game.copy(), rows)
    replace_game(table, Story(game, 0, 20, Random(5)).game)
    assert not table.game.over
    for token in (MINE, OTHER, HOST, STRANGER):
        client.cookies.set(tokens.COOKIE, token)
        for method, place in AFTERWARDS:
            for seat in range(6):
                query = f"?at=3&seat={seat}{'&decided=true' if seat == 1 else ''}"
                form = {"at": "3", "seat": str(seat), "bot": "chance"} if method == "POST" else None
                answer = await client.request(method, f"/games/{table.id}/{place}{query}", data=form)
                assert answer.status_code == 403, (place, seat)
    assert client.app.state.tables.analyst.job(table) is None


async def test_every_route_of_a_table_is_tested(client):
    """A new route has to be added to one of the lists and to the corresponding tests."""
    prefix = "/games/{game_id}"
    found = {
        (method, route.path_format.removeprefix(prefix).lstrip("/"))
        for route in client.app.routes
        if route.path_format.startswith(prefix)
        for method in route.methods - {"OPTIONS"}
    }
    seats = {(method, place) for method, place in found if place.startswith("seats/{")}
    assert found - seats - ELSEWHERE == set(AFTERWARDS)
