"""The story on a page: the recap, effects on the reader, moments of the game, and the ending."""

import re
from functools import cache
from html import unescape
from random import Random

import pytest
from markupsafe import Markup
from server_browser import Browser, visiting
from server_config import config_at

from hegemon.play.game import Game
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import LANGUAGES, get_translator
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.rows import SeatRow
from hegemon.server.security import tokens
from hegemon.server.tables.rematch import next_seating
from hegemon.server.web.render import Renderer
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.views.regions import RegionRenderer
from hegemon.server.web.views.story import TurnLog, ending_of
from hegemon.views import game_table
from hegemon.views.story import recap
from random_games import new_game, play_by_chance, played

MINE, OTHER = tokens.new_token(), tokens.new_token()
NAMES = ("Ada", "Ben", "Cy", "Di")

#: Words that tell where a card is, as pages do.
CARDS = re.compile(r'data-kind="([MRESCU]\d)"')


@pytest.fixture
async def client(database):
    async with visiting(database, config_at(database)) as client:
        client.app.state.tables.bots.run = lambda table: None
        yield client


@pytest.fixture
def ada(client):
    client.cookies.set(tokens.COOKIE, MINE)
    return Browser(client)


async def create_table(client, game, viewer=0):
    """A table with that game; the visitor has one seat, and another person the rest."""
    tables = client.app.state.tables
    rows = [SeatRow(None, tokens.owner_of(MINE if s == viewer else OTHER)) for s in range(game.players)]
    table = await tables.load(await tables.create(Game(game.players, seed=0), rows))
    table.game, table._snapshot = game, None
    return f"/games/{table.id}"


def region(page, name):
    """The HTML of a region: up to the next one, or the end of the form."""
    start = page.index(f'data-region="{name}"')
    end = re.search(r'data-region="|</form>', page[start + 10 :])
    return page[start : start + 10 + end.start()]


def game_until(wanted, players=3, seed=5, names=NAMES):
    """A random game up to the first position that is wanted."""
    for number in range(seed, seed + 400):
        game = Game(players, seed=number, names=names[:players])
        for _ in play_by_chance(game, Random(number)):
            if wanted(game):
                return game
    raise AssertionError("no such game")


@cache
def hurt_by(effect):
    """A game in which that effect was the last one used against seat 0, which is to move."""

    def wanted(game):
        against = recap(game, 0).against(0) if game.choices_of(0) else ()
        return bool(against) and against[-1].used.effect.name == effect

    return game_until(wanted)


# ------------------------------------------------------------------ the recap


async def test_a_recap_stays_until_the_reader_acts(client, ada):
    game = game_until(
        lambda game: game.choices_of(0) and len(recap(game, 0).actions) > 3 and recap(game, 0).changes
    )
    path = await create_table(client, game)
    await ada.get(path)
    html = region(ada.page, "recap")
    actions = recap(game, 0).actions
    assert html.count('class="sr">') > len(actions)
    assert "Since your last turn" in html
    assert [int(ply) for ply in re.findall(r"&amp;at=(\d+)", html)] == [action.ply for action in actions]
    assert 'class="delta' in ada.page
    game.play(game.choices[0])
    (table,) = client.app.state.tables._tables.values()
    table._snapshot = None
    await ada.get(path)
    assert "Since your last turn" not in ada.page
    assert 'class="delta' not in ada.page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("effect", ["ATTACK", "INQUISITION", "EMBARGO", "DEMOCRACY"])
async def test_effects_on_the_reader_are_shown_separately(client, ada, effect, language):
    game = hurt_by(effect).copy()
    action, tr = recap(game, 0).against(0)[-1], get_translator(language)
    await ada.get(await create_table(client, game), **{"accept-language": language})
    note = region(ada.page, "recap").split('class="deeds"')[0]
    assert tr.text("Done to you") in note
    assert tr.effects[action.used.effect] in note
    assert note.count('class="mini') >= len(action.lost_by(0)) + len(action.given_to(0)) + (
        action.marked is not None
    )
    assert 'type="checkbox"' in note


async def test_a_spectator_reads_about_the_last_turn(client):
    game = game_until(lambda game: len(recap(game, SPECTATOR).actions) > 2)
    eve = Browser(client)
    await eve.get(await create_table(client, game))
    assert "The last turn" in region(eve.page, "recap")
    assert "Done to you" not in eve.page


async def test_pages_show_no_flying_card_that_the_reader_may_not_know(client, ada):
    """A card on its way into or out of another hand is a back, unless the rules have shown it."""
    for number in range(12):
        chance, game = Random(number), new_game(number)
        viewer, path = chance.randrange(game.players), None
        for _ in play_by_chance(game, chance):
            if chance.random() < 0.03:
                path = path or await create_table(client, game, viewer)
                table = await client.app.state.tables.load(path.split("/")[2])
                table._snapshot, table._drawings = None, {}
                await ada.get(path)
                seen = repr(game.events_at(len(game.moves), viewer)).replace("PutDemocracy", "U3")
                assert all(card in seen for card in CARDS.findall(region(ada.page, "moment")))


# ------------------------------------------------------------------ moments


async def test_every_line_of_the_log_leads_to_its_moment(client, ada):
    game = game_until(lambda game: game.choices_of(0) and len(game.moves) > 60)
    await ada.get(await create_table(client, game))
    lines = re.findall(r'<p><a href="([^"]+)"[^>]*>([^<]+)</a></p>', region(ada.page, "log"))
    assert len(lines) > 12
    for address, sentence in lines[:: len(lines) // 6]:
        await ada.get(unescape(address))
        assert ada.status == 200
        happened = re.search(r'class="happened"[^>]*>(.*?)</p>', ada.page, re.DOTALL)[1]
        words = set(unescape(sentence).split())
        assert len(words & set(unescape(happened).split())) > len(words) // 3, (sentence, happened)
        assert "as you saw it then" in ada.page


async def test_a_moment_shows_what_the_visitor_saw_then_and_nothing_else(client, ada):
    game = game_until(lambda game: game.choices_of(0) and len(game.moves) > 40)
    path, at = await create_table(client, game), 33
    await ada.get(f"{path}/moment?at={at}&seat=1")
    then = game.at(at)
    hand = re.findall(r'data-card="(\w\d)" data-place="hand-0"', ada.page)
    assert sorted(hand) == sorted(then.view(0).hand)
    assert not re.findall(r'data-card="\w\d" data-place="hand-[12]"', ada.page)
    assert set(re.findall(r'<option value="(\d)"', ada.page)) == {"0", "1"}
    for seat in (2, 3):
        await ada.get(f"{path}/moment?at={at}&seat={seat}")
        assert (ada.status, "That seat is not yours" in ada.page) == (403, True)
    assert (await ada.get(f"{path}/moment?at={at}&seat=5")).status == 400
    await ada.get(f"{path}/moment?at=100000")
    assert f"{len(game.moves)} / {len(game.moves)}" in ada.page
    assert not re.findall(r'data-card="\w\d" data-place="hand-\d"', ada.page)


async def test_a_moment_of_a_finished_game_is_in_its_replay(client, ada):
    path = await create_table(client, played(6))
    await ada.get(f"{path}/moment?at=7&seat=2")
    assert ada.path == f"{path}/replay"
    await ada.get(path)
    assert f"{path}/replay?seat=1&amp;at=" in region(ada.page, "log")


async def test_there_is_no_moment_before_the_game_starts(client, ada):
    await ada.take_seat(seat1="me", seat2="friend")
    path = ada.path.removesuffix("/seats")
    assert (await ada.get(f"{path}/moment?seat=1")).status == 403


# ------------------------------------------------------------------ endings


def endings(wanted):
    """A finished game, and a viewer for whom it ended like that."""
    for number in range(600):
        game = played(number)
        for viewer in range(-1, game.players):
            model = game_table(game, viewer)
            if ending_of(game.result, model, get_translator("en")).kind == wanted:
                return game, viewer
    raise AssertionError("no such ending")


@pytest.mark.parametrize("kind", ["won", "lost", "watched"])
async def test_an_ending_has_a_kind_reasons_and_next_steps(client, ada, kind):
    game, viewer = endings(kind)
    path = await create_table(client, game, max(viewer, 0))
    reader = ada if viewer >= 0 else Browser(client.another())
    await reader.get(path)
    html = region(reader.page, "question")
    assert f'class="ending {kind}"' in html
    assert ('class="wreath"' in html) == (kind == "won")
    assert 'class="because"' in html
    assert ('class="winning"' in html) != ('class="majority"' in html)
    assert ("Play again" in html) == (viewer >= 0)
    assert f'data-share="{path}/replay"' in html


def test_a_shared_win_is_a_separate_kind_of_ending():
    game = Game.from_position("M1R1(S1)/M1R1(C1) 2e - - - - - 9", moves="2:.")
    assert len(game.result.winners) == 2
    model, reader = (
        game_table(game, 0),
        Visitor(None, "en", {name: values[0] for name, values in SETTINGS.items()}),
    )
    html = RegionRenderer(game, model, reader).regions(Renderer(), "", None)["question"]
    assert 'class="ending shared"' in html
    assert 'class="wreath"' in html
    assert "share the victory" in html


def test_a_win_of_two_teammates_is_not_shared():
    game = next(g for g in map(played, range(6, 600, 8)) if g.position.teams and len(g.result.winners) == 2)
    (winner, _) = game.result.winners
    assert ending_of(game.result, game_table(game, winner), get_translator("en")).kind == "won"
    assert ending_of(game.result, game_table(game, (winner + 1) % 4), get_translator("en")).kind == "lost"


def test_the_seats_of_a_rematch():
    assert next_seating(3) == (1, 2, 0)
    assert next_seating(2, other_seats=True) == (1, 0)
    for players in (3, 4):
        orders = {tuple(next_seating(players, other_seats=True)) for _ in range(200)}
        assert orders.isdisjoint({tuple(range(players)), next_seating(players)})
        assert all(sorted(order) == list(range(players)) for order in orders)


async def test_a_rematch_with_other_seats_keeps_the_score_with_its_player(client, ada):
    game = played(2)
    path = await create_table(client, game)
    await ada.post(f"{path}/rematch?other_seats=true", {})
    assert ada.status == 200
    table = await client.app.state.tables.load(path.split("/")[2])
    following = await client.app.state.tables.load(table.next_game)
    assert following.options.score == tuple(
        int(table.game.names.index(name) in game.result.winners) for name in following.game.names
    )


# ------------------------------------------------------------------ sounds


async def test_sounds_are_chosen_once(client, ada):
    path = await create_table(client, game_until(lambda game: len(game.moves) > 5))
    await ada.get(path)
    assert 'id="sound-choice"' in ada.page
    await ada.post("/settings", {"sound": "off", "back": path})
    assert 'data-sound="off"' in ada.page
    assert 'id="sound-choice"' not in ada.page


def rendered_log(log, game, reader):
    return log.turns(game, Narrator(game.names, reader), ())


def as_html(turn):
    return Markup(" ").join(Markup("<p>{}</p>").format(line) for line in turn)


@pytest.mark.parametrize("variant", ["basic", "draft"])
def test_a_log_that_is_continued_equals_a_new_one(variant):
    game, chance = Game(3, variant, seed=8), Random(5)
    logs = {reader: TurnLog(as_html) for reader in (None, 0, 2)}
    while not game.over:
        seat = game.seat
        game.play(chance.choice(game.choices))
        if chance.random() < 0.2 and game.undoable(seat) is not None:
            game.undo(seat)
        for reader, log in logs.items():
            assert rendered_log(log, game, reader) == rendered_log(TurnLog(as_html), game, reader)


def test_a_turn_that_is_over_is_rendered_once():
    game, chance, rendered = Game(3, seed=8), Random(5), []
    log = TurnLog(lambda turn: rendered.append(turn) or as_html(turn))
    while len(game.turn_starts) < 6:
        game.play(chance.choice(game.choices))
    rendered_log(log, game, 0)
    rendered.clear()
    ended = len(game.turn_starts)
    while len(game.turn_starts) == ended:
        game.play(chance.choice(game.choices))
        rendered_log(log, game, 0)
        assert len(rendered) <= 2
        rendered.clear()
