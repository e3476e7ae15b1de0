"""Plans: prepared turns are played once, if their condition holds, and are invisible to other players."""

import asyncio
import html
import re
from random import Random

import pytest
from correspondence import both, serving
from server_browser import visiting
from server_clock import NOON
from server_config import config_at
from test_leaks import indistinguishable_games, replace_game

from hegemon import Game
from hegemon.notation.choices import read_choice
from hegemon.rules.cards import LETTERS
from hegemon.rules.engine import apply
from hegemon.rules.view import View, view
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import UNDO, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.security import tokens
from hegemon.server.tables import moves as table_moves
from hegemon.server.tables.errors import SeatLost
from hegemon.server.tables.plans import (
    MAX_PLANS,
    PlanRejected,
    add_plan,
    own_cards,
    plans_of,
    rehearse,
)
from hegemon.server.tables.registry import TableRegistry
from random_games import new_game

#: Ada's hand is Economy and Military, Ben's Religion and Science; neither can use a permanent effect.
POSITION = "R1(M1E11)/S1(R11S1) 1p - - - M1R1E2S2M1R1E2S2M1R1E2S2"


@pytest.fixture
async def tables(database, hands):
    tables = TableRegistry(Store(database), config_at(database, now=hands, substitute_bot="chance"))
    yield tables
    await tables.close()


async def create(tables, clock="3d a move", position=POSITION, names=("ada", "ben")):
    game = Game.from_position(position, names) if position else Game(2, "draft", seed=1, names=names)
    rows = [SeatRow(None, name) for name in names]
    table = await tables.load(await tables.create(game, rows, options=TableOptions(clock=clock)))
    await tables.planner.wait(table)
    return table


async def play(tables, table, *choices):
    for choice in choices:
        (seat,) = table.to_move
        await table_moves.submit_move(tables, table, seat, choice, table.version, f"by hand {table.version}")
    await tables.planner.wait(table)


async def plan(tables, table, line, *, seat=1, owner="ben", unchanged=True, **condition):
    await add_plan(tables, table, seat, owner, tuple(line.split()), unchanged=unchanged, **condition)


def played(table):
    return [(move.seat, move.choice) for move in table.moves]


# ------------------------------------------------------------------ rehearsing


async def test_a_turn_is_rehearsed_with_the_choices_that_would_be_legal(tables):
    table = await create(tables)
    begun = rehearse(table.game, 1, ())
    assert (begun.steps, begun.choices, begun.ended) == ((), ("R", "S"), False)
    step = rehearse(table.game, 1, ("R",))
    assert "." in step.choices
    assert "r+1" in step.choices
    assert [choice for _, choice in step.steps] == ["R"]
    assert str(step.view.area(1)) == "R1S1"
    end = rehearse(table.game, 1, ("R", "."))
    assert (end.choices, end.ended) == ((), True)
    assert table.game.view(1).seat == 0, "nothing has changed at the table"


async def test_a_rehearsal_stops_where_hidden_cards_matter(tables):
    table = await create(tables)
    drawn = rehearse(table.game, 1, ("S", "sS"))  # a Breakthrough draws cards
    assert (drawn.choices, drawn.ended) == ((), False)
    taken = rehearse(table.game, 1, ("R", "r+1"))  # an Inquisition takes a hand
    assert (taken.choices, taken.ended) == ((), False)
    for line in (("M",), ("R", "R"), ("x",), ("R", ".", "R"), ("S", "sS", "."), ("S", *["."] * 99)):
        with pytest.raises(PlanRejected, match="line"):
            rehearse(table.game, 1, line)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_rehearsal_shows_what_the_player_will_see(players):
    """Until a rehearsal ends, nothing that happens depends on cards that the player cannot see."""
    compared = 0
    for seed in range(3):
        game, chance = Game(players, seed=seed), Random(seed)
        while not game.over:
            if len(game.moves) in game.turn_starts:
                seat, world, line = game.seat, game.position, ()
                while choices := (rehearsal := rehearse(game, seat, line)).choices:
                    assert view(world, seat) == rehearsal.view
                    compared += 1
                    line = (*line, chance.choice(choices))
                    apply(world, read_choice(line[-1]))
            game.play(chance.choice(game.choices))
    assert compared > 100


# ------------------------------------------------------------------ playing


async def test_a_plan_is_played_when_its_turn_comes(tables):
    table = await create(tables)
    await plan(tables, table, "R .")
    await play(tables, table, "M", ".")
    assert played(table) == [(0, "M"), (0, "."), (1, "R"), (1, ".")]
    assert table.to_move == (0,)
    assert await tables.store.plans.of(table.id, 1) == []


async def test_a_plan_that_does_not_end_the_turn_leaves_the_rest_to_the_player(tables):
    table, turns = await create(tables), []
    tables.driver.on_turn = lambda table: turns.append(table.version)
    await plan(tables, table, "R")
    await play(tables, table, "M", ".")
    assert (played(table)[-1], table.to_move) == ((1, "R"), (1,))
    assert 2 not in turns, "players are notified after the plan"
    assert turns[-1] == 3


async def test_a_plan_is_played_no_further_than_the_player_sees_what_was_rehearsed(tables, monkeypatch):
    monkeypatch.setattr(View, "faces", 0)  # a rehearsal that continues although hidden cards were shown
    table = await create(tables)
    choices = rehearse(table.game, 1, ("S", "sS")).choices
    await plan(tables, table, f"S sS {choices[0]}")
    await play(tables, table, "M", ".")
    assert played(table)[2:] == [(1, "S"), (1, "sS")]
    assert await tables.store.plans.of(table.id, 1) == []


async def test_a_plan_stays_while_another_player_undoes_choices(tables):
    table = await create(tables, position="R1(M1E11)/E1(R11E1) 1p - - - M1R1E2S2M1R1E2S2M1R1E2S2")
    await plan(tables, table, "R .")
    await play(tables, table, "M", UNDO, "E", UNDO, "M", ".")
    assert played(table)[6:] == [(1, "R"), (1, ".")]


async def test_a_plan_is_dropped_if_something_touches_its_player(tables):
    table = await create(tables, position="E1(M1E11)/R1(R11S1) 1p - - - M1R1E2S2M1R1E2S2M1R1E2S2")
    await plan(tables, table, "R .")
    await play(tables, table, "M", "e+1", "R", ".")  # an Embargo on Religion
    assert (table.to_move, table.version) == ((1,), 4)
    assert await tables.store.plans.of(table.id, 1) == []


async def test_the_first_plan_that_holds_is_played_and_the_others_are_dropped(tables):
    table = await create(tables)
    await plan(tables, table, "S", other=0, domain="M")
    await plan(tables, table, "R", other=0, domain="E")
    await plan(tables, table, "S .", unchanged=False)
    await play(tables, table, "E", ".")
    assert played(table)[2:] == [(1, "R")]
    assert await tables.store.plans.of(table.id, 1) == []


async def test_an_unconditional_plan_still_needs_legal_choices(tables):
    table = await create(tables, position="E1(M1E11)/R1(R11S1) 1p - - - M1R1E2S2M1R1E2S2M1R1E2S2")
    await plan(tables, table, "R .", unchanged=False)
    await plan(tables, table, "S .", unchanged=False)
    await play(tables, table, "M", "e+1", "R", ".")  # Religion can no longer be played
    assert played(table)[4:] == [(1, "S"), (1, ".")]


async def test_two_players_may_both_have_plans(tables):
    table = await create(tables)
    await plan(tables, table, "R .")
    await play(tables, table, "M")
    with pytest.raises(PlanRejected, match="turn"):
        await plan(tables, table, "E .", seat=0, owner="ada")
    await play(tables, table, ".")
    assert table.to_move == (0,)
    assert table.version == 4


async def test_a_player_with_a_substitute_plays_no_plan(tables, hands):
    table = await create(tables)
    await plan(tables, table, "R .")
    table.set_seat(1, SeatRow(None, "ben", substitute="chance"))
    tables.bots.run = lambda table: None
    await play(tables, table, "M", ".")
    assert table.version == 2


async def test_the_next_player_of_a_seat_neither_sees_nor_plays_the_plan(tables):
    table = await create(tables)
    await plan(tables, table, "R .")
    table.set_seat(1, SeatRow(None, "eve"))
    assert await plans_of(tables, table, 1, "eve") == []
    assert len(await plans_of(tables, table, 1, "ben")) == 1
    await play(tables, table, "M", ".")
    assert (table.version, await tables.store.plans.of(table.id, 1)) == (2, [])


# ------------------------------------------------------------------ crashes and races


@pytest.mark.parametrize("done", [0, 1, 2])
async def test_a_plan_that_a_crash_has_interrupted_is_played_to_its_end_once(tables, database, hands, done):
    table = await create(tables)
    await plan(tables, table, "R .")
    (prepared,) = await tables.store.plans.of(table.id, 1)
    tables.planner.run = lambda table: False
    await play(tables, table, "M", ".")
    assert await tables.store.plans.start(prepared, 2)
    for number, choice in enumerate(prepared.choices[:done]):
        await table_moves.submit_move(tables, table, 1, choice, 2 + number, f"plan-{prepared.id}-{number}")
    again = TableRegistry(Store(database), tables.config)
    loaded = await again.load(table.id)
    await again.planner.wait(loaded)
    await again.reload(loaded)
    assert played(loaded) == [(0, "M"), (0, "."), (1, "R"), (1, ".")]
    await play(again, loaded, "E", ".")
    assert await again.store.plans.of(table.id, 1) == []
    assert loaded.version == 6
    await again.close()


async def test_a_plan_that_was_interrupted_is_dropped_if_the_player_continued(tables, database):
    table = await create(tables)
    await plan(tables, table, "R .")
    (prepared,) = await tables.store.plans.of(table.id, 1)
    tables.planner.run = lambda table: False
    await play(tables, table, "M", ".")
    assert await tables.store.plans.start(prepared, 2)
    assert not await tables.store.plans.start(prepared, 2), "another process was first"
    await table_moves.submit_move(tables, table, 1, "R", 2, f"plan-{prepared.id}-0")
    await table_moves.submit_move(tables, table, 1, UNDO, 3, "by hand")
    again = TableRegistry(Store(database), tables.config)
    loaded = await again.load(table.id)
    await again.planner.wait(loaded)
    assert (loaded.version, loaded.to_move) == (4, (1,))
    assert await again.store.plans.of(table.id, 1) == []
    await again.close()


async def test_two_processes_play_a_plan_once(tables, database):
    table = await create(tables)
    other = TableRegistry(Store(database), tables.config)
    await plan(tables, table, "R .")
    await play(tables, table, "M", ".")
    same = await other.load(table.id)
    await other.planner.wait(same)
    assert played(same) == played(table) == [(0, "M"), (0, "."), (1, "R"), (1, ".")]
    await other.close()


async def test_the_plans_of_a_table_are_checked_once_at_a_time(tables):
    table, asked, goes_on, load = await create(tables), [], asyncio.Event(), tables.store.plans.of
    await plan(tables, table, "R .")

    async def wait(*args):
        asked.append(args)
        await goes_on.wait()
        return await load(*args)

    tables.store.plans.of = wait
    for choice in ("M", "."):
        await table_moves.submit_move(tables, table, 0, choice, table.version, f"by hand {table.version}")
    while not asked:
        await asyncio.sleep(0)
    assert tables.planner.run(table)
    for _ in range(10):  # enough for a second task to ask, if there were one
        await asyncio.sleep(0)
    assert len(asked) == 1
    goes_on.set()
    await tables.planner.wait(table)
    assert played(table) == [(0, "M"), (0, "."), (1, "R"), (1, ".")]


async def test_plans_are_checked_once_a_turn_and_not_after_closing(tables):
    table = await create(tables)
    assert not tables.planner.run(table), "nothing has happened since"
    await play(tables, table, "M")
    tables.planner._checked.clear()
    assert tables.planner.run(table)
    await tables.planner.wait(table)
    tables.planner._checked.clear()
    await tables.close()
    assert not tables.planner.run(table)


async def test_a_failure_is_logged_and_the_players_are_notified(tables, caplog):
    table, turns = await create(tables), []
    await play(tables, table, "M")

    async def fail(*_):
        raise OSError("broken")

    tables.store.plans.of = fail
    tables.driver.on_turn = lambda table: turns.append(table.version)
    await play(tables, table, ".")
    assert "plans could not be played" in caplog.text
    assert turns[-1] == 2


# ------------------------------------------------------------------ what can be prepared


async def test_invalid_plans_are_rejected(tables):
    table = await create(tables)
    for line, condition, key in (
        ("", {}, "line"),
        ("M .", {}, "line"),
        ("R .", {"other": 0}, "condition"),
        ("R .", {"other": 7, "domain": "M"}, "condition"),
        ("R .", {"other": 1, "domain": "M"}, "condition"),
        ("R .", {"other": 0, "domain": "X"}, "condition"),
    ):
        with pytest.raises(PlanRejected, match=key):
            await plan(tables, table, line, **condition)
    with pytest.raises(SeatLost):
        await plan(tables, table, "R .", owner="eve")
    for domain in LETTERS[:MAX_PLANS]:
        await plan(tables, table, "R .", other=0, domain=domain)
        with pytest.raises(PlanRejected, match="same"):
            await plan(tables, table, "R .", other=0, domain=domain)
    with pytest.raises(PlanRejected, match="many"):
        await plan(tables, table, "R .")
    (first, *_) = await plans_of(tables, table, 1, "ben")
    await tables.store.plans.delete(first.id, "ada")
    assert len(await plans_of(tables, table, 1, "ben")) == MAX_PLANS
    await tables.store.plans.delete(first.id, "ben")
    assert len(await plans_of(tables, table, 1, "ben")) == MAX_PLANS - 1


async def test_turns_are_prepared_in_games_of_days_after_the_draft(tables):
    for table, key in (
        (await create(tables, clock="60s a move"), "days"),
        (await create(tables, position=""), "draft"),
    ):
        with pytest.raises(PlanRejected, match=key):
            await plan(tables, table, "R .")


async def test_plans_move_to_a_new_key_and_are_erased(tables):
    table = await create(tables)
    await plan(tables, table, "R .")
    await tables.people.change_owner("ben", "new")
    assert len(await plans_of(tables, table, 1, "new")) == 1
    await tables.store.people.erase("new")
    assert await tables.store.plans.of(table.id, 1) == []


def test_own_cards_are_the_hand_the_area_and_the_markers():
    class Table:
        game = Game.from_position("E1(M1E11)/R1e1u3(R11S1) 1p - - - M1R1")

    assert own_cards(Table(), 0) == "M1E11 E1 [0, 0, 0, 0, 0, 0] [0, 0, 0, 0, 0, 0]"
    assert own_cards(Table(), 1) != own_cards(Table(), 0)


# ------------------------------------------------------------------ pages


async def plan_by_forms(reader, path):
    """Prepare a turn as a person does: choose a card, end the turn, save."""
    await reader.get(f"{path}/plan")
    for wanted in ("Play", "End your turn"):
        links = re.findall(r'<a class="button" href="([^"]+line=[^"]+)">(.*?)</a>', reader.page)
        link = next(link for link, text in links if wanted in text)
        await reader.get(html.unescape(link))
    form = {"seat": reader.hidden("seat"), "line": reader.hidden("line"), "unchanged": "on"}
    await reader.post(f"{path}/plan", form)
    assert (reader.status, reader.path) == (200, f"{path}/plan")


async def test_a_turn_is_prepared_shown_and_deleted_with_forms_alone(database, hands):
    async with serving(database, hands) as (_, people):
        ada, ben, eve = people
        path = await both(people)
        assert "Prepare my turn" not in (await ada.get(path)).page, "it is Ada’s turn"
        assert "Prepare my turn" not in (await eve.get(path)).page
        assert "Prepare my turn" in (await ben.get(path)).page
        await plan_by_forms(ben, path)
        assert "If your hand and your area are unchanged:" in ben.page
        await ben.post(f"{path}/plan/delete", {"seat": "2", "plan": ben.hidden("plan")})
        assert "Prepared turns" not in ben.page
        await plan_by_forms(ben, path)
        form = {"seat": "2", "line": ben_line(ben), "when": "1M"}
        await ben.post(f"{path}/plan", form)
        assert "If Ada plays a card of Military:" in ben.page
        assert (await ben.post(f"{path}/plan", form)).status == 409
        assert "You have prepared this turn already." in ben.page
        table = await ada.client.app.state.tables.load(path.split("/")[2])
        while table.to_move == (0,):
            await ada.get(path)
            await ada.submit_move("." if "." in ada.words else ada.words[0])
        await table_planner(ada).wait(table)
        assert table.to_move == (0,), "Ben’s turn was played"
        await ben.get(f"{path}/plan")
        assert "Prepared turns" not in ben.page


def ben_line(ben):
    return re.search(r"line=(\w)[^%\w]", ben.page)[1]


def table_planner(reader):
    return reader.client.app.state.tables.planner


async def test_pages_explain_why_a_plan_is_rejected(database, hands):
    async with serving(database, hands) as (_, people):
        ada, ben, eve = people
        path = await both(people)
        assert (await ada.get(f"{path}/plan")).status == 409
        assert "It is your turn: play it at the table." in ada.page
        assert (await eve.get(f"{path}/plan")).status == 403
        assert (await ben.get(f"{path}/plan?seat=1")).status == 403
        assert (await ben.get(f"{path}/plan?line=nonsense")).status == 422
        assert "This turn is not possible in the current position." in ben.page
        assert "Prepare your turn" in ben.page
        for form in ({"line": ""}, {"line": "x" * 900}, {"line": ".", "when": "9Q"}):
            assert (await ben.post(f"{path}/plan", {"seat": "2"} | form)).status == 422
        for form in ({"seat": "1", "line": "M"}, {"seat": "x" * 9}):
            await eve.post(f"{path}/plan", form)
            assert eve.status == 403
        await eve.post(f"{path}/plan/delete", {"plan": "x"})
        assert eve.status == 403


# ------------------------------------------------------------------ leaks


async def pages_of(people, path):
    """Everything about a table that the others receive."""
    answers = []
    for reader in people:
        for place in (path, f"{path}/seats", f"{path}/plan", f"/api{path}"):
            answers += [(await reader.get(place)).page]
    return answers


async def test_no_byte_reveals_to_the_others_that_a_turn_was_prepared(database, hands):
    fixed = {"new_idempotency_key": lambda: "key"}
    async with serving(database, hands, **fixed) as (_, people):
        ada, ben, eve = people
        path = await both(people)
        await ben.get(path)
        table = await ada.client.app.state.tables.load(path.split("/")[2])
        before, notified = await pages_of([ada, eve], path), []
        table.notify = lambda: notified.append(True)
        await plan_by_forms(ben, path)
        await ben.post(f"{path}/plan/delete", {"seat": "2", "plan": ben.hidden("plan")})
        await plan_by_forms(ben, path)
        assert notified == [], "no stream reveals when it was done"
        del table.notify
        assert await pages_of([ada, eve], path) == before


async def test_what_can_be_prepared_depends_on_nothing_hidden(database):
    """Two worlds that a seat cannot tell apart: the same page, the same lines, the same outcome of a plan."""
    config = config_at(database, now=lambda: NOON, limits=None)
    async with visiting(database, config) as client:
        tables, different = client.app.state.tables, 0
        token = tokens.new_token()
        client.cookies.set(tokens.COOKIE, token)
        for number in range(12):
            chance, game = Random(number), new_game(number * 5)
            viewer = chance.randrange(game.players)
            owners = [tokens.owner_of(token) if seat == viewer else "other" for seat in range(game.players)]
            options = TableOptions(clock="3d a move")
            rows = [SeatRow(None, owner) for owner in owners]
            table = await tables.load(await tables.create(game.copy(), rows, options=options))
            game, other = indistinguishable_games(game, viewer, chance.randrange(20, 120), chance)
            if other is None or game.over or not game.position.round or game.seat == viewer:
                continue
            pages = []
            for world in (game, other):
                replace_game(table, world)
                lines, page = [""], ""
                for _ in range(3):
                    answer = await client.get(f"/games/{table.id}/plan?seat={viewer + 1}&line={lines[-1]}")
                    page += answer.text
                    lines += re.findall(r"line=([^#]+)#", answer.text)[-1:]
                pages.append(page)
            assert pages[0] == pages[1]
            different += 1
        assert different >= 2
