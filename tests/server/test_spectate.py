"""Spectating: what everyone sees and, if the host has chosen so, all hands as they were some rounds ago.

The leak invariant for hindsight: whatever is drawn and chosen after the moment that is shown, not a byte changes.
"""

import asyncio
import json
import re
from dataclasses import replace
from random import Random

import pytest
from server_browser import Browser, finish, visiting
from server_config import config_at

from hegemon.notation.cards import write_cards
from hegemon.play.events import TurnBegan
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import KINDS, NUMBER_OF_CARDS, age_of, domain_of
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import MoveRow, SeatRow
from hegemon.server.security import tokens
from hegemon.server.tables.spectate import DELAYS, delayed_ply
from random_games import new_game, play_by_chance

GAMES = 24


def turns_begun(game):
    return sum(isinstance(event, TurnBegan) for event in game.events)


def entries_of(game):
    return [
        MoveRow(number, seat, CHOICES[choice]) for number, (seat, choice) in enumerate(game.record().moves, 1)
    ]


# ------------------------------------------------------------------ the game as it was


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("number", range(0, 96, 8))
def test_the_delayed_game_is_at_the_start_of_a_turn_whole_rounds_ago(number):
    """Whatever is undone meanwhile, in the draft too."""
    chance, game = Random(number), new_game(number)
    rounds = DELAYS[number % len(DELAYS)]
    shown = 0
    while not game.over and len(game.moves) < 400:
        for seat in range(game.players):
            if game.undoable(seat) is not None and chance.random() < 0.2:
                game.undo(seat)
        next(play_by_chance(game, chance))
        if chance.random() < 0.5:
            continue
        began = turns_begun(game)
        ply = delayed_ply(game, rounds)
        if began <= rounds * game.players:
            assert ply is None
            continue
        then = game.at(ply)
        assert then.record().moves == game.record().moves[: len(then.moves)]
        assert began - turns_begun(then) == rounds * game.players
        assert isinstance(then.events[-1], TurnBegan) or isinstance(then.events[-2], TurnBegan)
        assert ply >= shown
        shown = ply
    assert shown or game.players * rounds > 4


# ------------------------------------------------------------------ the leak invariant


def before_the_last(game, turns):
    """The game at the start of the turn before the last `turns` ones, found step by step from its record."""
    wanted, then = turns_begun(game) - turns, Game.from_record(replace(game.record(), moves=()))
    for seat, choice in game.record().moves:
        if turns_begun(then) == wanted:
            break
        then.play(CHOICES[choice], seat)
    return then


def another_world(game, then, chance):
    """The same game up to then, and a different one afterwards: other cards in deck and box, other choices."""
    record = game.record()
    drawn = len(record.deck) - then.position.deck_size
    known, rest = record.deck[:drawn], record.deck[drawn:]
    pools = {}
    for age in (1, 2, 3):
        everything = [kind for kind in KINDS for _ in range(number_of(kind)) if age_of(kind) == age]
        for kind in (kind for kind in known if age_of(kind) == age):
            everything.remove(kind)
        pools[age] = chance.sample(everything, len(everything))
    deck = write_cards([*known, *(pools[age_of(kind)].pop() for kind in rest)])
    other = Game(record.players, record.variant, teams=record.teams, rulings=record.rulings, deck=deck)
    for seat, choice in then.record().moves:
        other.play(CHOICES[choice], seat)
    playing = play_by_chance(other, chance)
    while turns_begun(other) < turns_begun(game):
        next(playing)
    return other


def number_of(kind):
    return NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1]


async def sent(client, table, game):
    """Every byte that a spectator receives of a table as it was."""
    table.game, table.moves, table._delayed_game = game, entries_of(game), None
    last = len(table.delayed_game().moves)
    paths = [
        f"/games/{table.id}/hands",
        *(
            f"/games/{table.id}/replay?at={at}&seat={seat}"
            for at, seat in ((last, 5), (last // 2, 5), (last, 0), (last, 1))
        ),
    ]
    answers = [await client.get(path) for path in paths]
    answers.append(await until_dismissed(client, table, f"/games/{table.id}/hands/stream"))
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    return [answer.content for answer in answers]


async def until_dismissed(client, table, path):
    stream = asyncio.create_task(client.get(path))
    while not (table.subscribers or stream.done()):
        await asyncio.sleep(0)
    client.app.state.tables.disconnect_all()
    return await stream


@pytest.mark.usefixtures("untraced")
async def test_the_delayed_view_reveals_nothing_that_happened_later(database):
    different = 0
    async with visiting(database, config_at(database, new_idempotency_key=lambda: "command")) as client:
        for number in range(GAMES):
            chance, game = Random(number), new_game(number * 4)
            options = TableOptions(spectator_delay=DELAYS[number % 2])
            until = options.spectator_delay * game.players + chance.randrange(1, 8)
            playing = play_by_chance(game, chance)
            while not game.over and turns_begun(game) < until:
                next(playing)
            if game.over:
                continue
            then = before_the_last(game, options.spectator_delay * game.players)
            rows = [SeatRow(None, tokens.owner_of(tokens.new_token()))] * game.players
            game_id = await client.app.state.tables.create(
                Game(game.players, seed=number), rows, options=options
            )
            table = await client.app.state.tables.load(game_id)
            other = another_world(game, then, chance)
            if other.over:
                continue
            expected = await sent(client, table, game)
            assert await sent(client, table, other) == expected
            different += other.position != game.position
    assert different > GAMES // 2


# ------------------------------------------------------------------ pages


@pytest.fixture
async def people(database):
    """Ada, Ben, and Eve a spectator, each with a browser of their own."""
    async with visiting(database, config_at(database, lobby=True)) as client:
        yield [Browser(client.another()) for _ in range(3)]


async def created(people, **form):
    """Ada and Ben at a table of two that has begun."""
    ada, ben, _ = people
    await ada.take_seat(**{"seat1": "me", "seat2": "friend", "name1": "Ada", "hands": "1"} | form)
    path = ada.path
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    ben.page = (await ben.client.get(link)).text
    told = ben.page
    await ben.post(link, {"name": "Ben"})
    return path, told


async def play_on(people, path, turns):
    """Ada and Ben play that many turns, each making the last choice on offer, which ends the turn if that is legal."""
    table = await people[0].client.app.state.tables.load(path.split("/")[2])
    until = turns_begun(table.game) + turns
    while turns_begun(table.game) < until and not table.game.over:
        friend = people[table.to_move[0]]
        await friend.get(path)
        await friend.submit_move("." if "." in friend.words else friend.words[-1])
    return table


def open_hands(page):
    """The cards in hands that lie open on a page."""
    return re.findall(r'data-card="([MRESCU]\d)" data-place="hand-', page)


async def test_players_see_that_spectators_will_see_all_hands(people):
    path, invitation = await created(people)
    told = "Spectators see all hands as they were 1 round ago."
    assert told in invitation
    for friend in people:
        for place in (path, f"{path}/seats"):
            await friend.get(place)
            assert told in friend.page
    for friend in people[:2]:
        await friend.get(path)
        assert "Anyone can watch, players included." in friend.page
        assert f"{path}/hands" not in friend.page
    assert f"{path}/hands" in (await people[2].get(path)).page


async def test_the_lobby_shows_the_delay(people):
    ada, _, eve = people
    await ada.take_seat(seat1="me", seat2="friend", public="on", hands="4")
    assert "as they were 4 rounds ago" in (await eve.get("/lobby")).page


async def test_without_a_delay_nothing_is_shown_about_it(people):
    path, invitation = await created(people, hands="")
    assert "all hands" not in invitation
    for friend in people:
        await friend.get(path)
        assert "all hands" not in friend.page
    eve = people[2]
    await eve.get(f"{path}/hands")
    assert (eve.status, "At this table nobody can see all hands" in eve.page) == (403, True)
    assert (await eve.client.get(f"{path}/hands/stream")).status_code == 403
    assert (await eve.get(f"{path}/replay")).status == 403


@pytest.mark.parametrize("hands", ["3", "-1", "all"])
async def test_other_delays_are_rejected(people, hands):
    await people[0].post("/games", {"seat1": "me", "seat2": "easy", "hands": hands})
    assert people[0].status == 422
    assert "Hands can be shown one, two or four rounds later" in people[0].page


async def test_a_spectator_sees_all_hands_a_round_later(people):
    ada, ben, eve = people
    path, _ = await created(people)
    await eve.get(path)
    assert not open_hands(eve.page)
    await eve.get(f"{path}/hands")
    assert "It is too early for that" in eve.page
    assert (await eve.get(f"{path}/replay")).status == 403
    at_first = [card for friend in (ada, ben) for card in open_hands((await friend.get(path)).page)]
    await play_on(people, path, 2)
    await eve.get(f"{path}/hands")
    assert "As it was before Ada’s turn in round 1" in eve.page
    assert sorted(open_hands(eve.page)) == sorted(at_first)
    assert 'name="choice"' not in eve.page
    await play_on(people, path, 1)
    await eve.get(f"{path}/hands")
    assert "As it was before Ben’s turn in round 1" in eve.page
    assert not open_hands((await eve.get(path)).page)


async def test_a_spectator_steps_through_the_game_so_far(people):
    eve = people[2]
    path, _ = await created(people)
    table = await play_on(people, path, 5)
    last = len(table.delayed_game().moves)
    await eve.get(f"{path}/replay?at=100000&seat=5")
    assert "You can step through it as far as spectators are allowed to see." in eve.page
    assert f"{last} / {last}" in eve.page
    assert open_hands(eve.page)
    assert (await eve.get(f"{path}/record")).status == 403
    assert (await people[0].get(f"{path}/replay")).status == 403


async def test_players_do_not_see_the_hands_of_the_others(people):
    path, _ = await created(people)
    await play_on(people, path, 3)
    for friend in people[:2]:
        await friend.get(f"{path}/hands")
        assert (friend.status, "You are playing here" in friend.page) == (403, True)
        assert (await friend.client.get(f"{path}/hands/stream")).status_code == 403


@pytest.mark.slow
async def test_the_page_follows_turn_by_turn_until_the_game_is_over(people):
    eve = people[2]
    path, _ = await created(people)
    table = await people[0].client.app.state.tables.load(path.split("/")[2])
    await eve.get(f"{path}/hands")
    (early_stream,) = re.findall(r'data-stream="([^"]+)"', eve.page)
    early = asyncio.create_task(eve.client.get(early_stream))
    while not table.subscribers:
        await asyncio.sleep(0)
    assert table.presence.spectators == 1
    await play_on(people, path, 2)
    assert (await early).text.endswith(f'event: go\ndata: "{path}/hands"\n\n')
    # The page was early, its stream is not: it was slow to connect, or has lost its connection.
    assert (await eve.client.get(early_stream)).text == f'event: go\ndata: "{path}/hands"\n\n'
    late = asyncio.create_task(eve.client.get(f"{path}/hands/stream"))
    while not table.subscribers:
        await asyncio.sleep(0)
    await play_on(people, path, 2)
    await finish(people[0].client, path)
    followed = (await late).text
    assert followed.endswith(f'event: go\ndata: "{path}"\n\n')
    assert json.dumps("before Ben’s turn in round 1")[1:-1] in followed
    await eve.get(f"{path}/hands")
    assert eve.path == path
    assert "Spectators see" not in eve.page
    assert (await eve.get(f"{path}/replay?seat=5&at=3")).status == 200


async def test_a_spectator_who_takes_a_seat_is_redirected_to_the_table(people):
    ada, _, eve = people
    path, _ = await created(people)
    table = await play_on(people, path, 3)
    eve.client.cookies.set(tokens.COOKIE, tokens.new_token())
    following = asyncio.create_task(eve.client.get(f"{path}/hands/stream"))
    while not table.subscribers:
        await asyncio.sleep(0)
    await ada.post(f"{path}/seats/2/open", {})
    (link,) = re.findall(r'value="http://[^/"]+(/join/[^"]+)"', ada.page)
    await eve.post(link, {"name": "Eve"})
    assert (await following).text.endswith(f'event: go\ndata: "{path}"\n\n')
    assert (await eve.get(f"{path}/hands")).status == 403


@pytest.mark.slow
async def test_a_rematch_has_the_same_delay(people):
    ada, _, _ = people
    path, _ = await created(people)
    await finish(ada.client, path)
    await ada.post(f"{path}/rematch", {})
    again = await ada.client.app.state.tables.load(ada.path.split("/")[2])
    assert again.options.spectator_delay == 1
