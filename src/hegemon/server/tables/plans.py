"""Plans: turns that a player prepares while others are to move, in correspondence games.

A plan is a line of choices with a condition. When the player's turn comes, the first plan that holds is played,
and all others are dropped; if none holds, all are dropped. A plan depends only on what its player sees: their own
cards, public events, and which choices are legal. Its choices are ordinary moves with unique idempotency keys, so a
plan that is interrupted by a crash is completed exactly once. No other player ever sees a plan.
"""

import asyncio
import logging
import secrets
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.determinization import determinize
from hegemon.play.events import Played, TurnBegan
from hegemon.play.game import Game
from hegemon.rules.cards import LETTERS
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import jump_to_turn
from hegemon.rules.view import View, view
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.plans import Plan
from hegemon.server.tables.errors import Rejected, SeatLost, StaleVersionError
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.table import Table
from hegemon.server.texts import translatable

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The maximum number of plans per seat.
MAX_PLANS: Final = 6

#: The maximum number of choices in a plan.
MAX_CHOICES: Final = 40

#: Why a turn cannot be prepared: the status of the response, and the sentence.
PLAN_REJECTIONS: Final = {
    "days": (409, translatable("Turns can be prepared in games with days per move.")),
    "over": (409, translatable("This game is not in progress.")),
    "draft": (409, translatable("Turns can be prepared after the draft.")),
    "turn": (409, translatable("It is your turn: play it at the table.")),
    "line": (422, translatable("This turn is not possible in the current position. Prepare it again.")),
    "condition": (422, translatable("Choose a player and a Domain from the list.")),
    "same": (409, translatable("You have prepared this turn already.")),
    "many": (409, translatable("You have prepared as many turns as possible: {most}. Delete one first.")),
}

_LOG: Final = logging.getLogger("hegemon.server")


class PlanRejected(Rejected):
    """A turn that cannot be prepared."""


@dataclass(frozen=True)
class Rehearsal:
    """A line of choices as if the player's turn began now."""

    steps: tuple[tuple[View, str], ...]
    """Each choice, and what the player sees before it."""
    view: View
    choices: tuple[str, ...]
    """The choices that may follow; none where a hidden card would be revealed to the player."""
    ended: bool
    """Whether the turn is over."""


def rehearse(game: Game, seat: int, line: tuple[str, ...]) -> Rehearsal:
    """Play a line of choices in a determinization of the player's view; raises PlanRejected if one is illegal.

    The line ends with the turn, or where a hidden card is revealed, which may be a different one in the real game.
    """
    world = determinize(game.view(seat), game.memory(seat), Random(0))
    jump_to_turn(world, seat)
    steps: list[tuple[View, str]] = []
    seen, choices = view(world, seat), choices_in(legal(world))
    for choice in line:
        if choice not in choices or len(steps) == MAX_CHOICES:
            raise PlanRejected("line")
        steps.append((seen, choice))
        apply(world, read_choice(choice))
        before, seen = seen, view(world, seat)
        continues = _has_turn(world, seat) and seen.faces <= before.faces
        choices = choices_in(legal(world)) if continues else ()
    return Rehearsal(tuple(steps), seen, choices, not _has_turn(world, seat))


def _has_turn(position: Position, seat: int) -> bool:
    return position.seat == seat and position.question != Question.OVER


def own_cards(table: Table, seat: int) -> str:
    """A player's own cards: the hand, the area and the markers on it."""
    seen = table.game.view(seat)
    facts = seen.hand, seen.area(seat), seen.embargoes[seat], seen.democracies[seat]
    return " ".join(str(fact) for fact in facts)


def turns_begun(table: Table, seat: int) -> int:
    return sum(isinstance(event, TurnBegan) and event.seat == seat for event in table.snapshot.events(seat))


def check_plannable(table: Table, seat: int) -> None:
    """Raise PlanRejected if a seat cannot prepare its next turn now."""
    if not table.clock.control.is_correspondence:
        raise PlanRejected("days")
    if table.game.over or table.is_waiting:
        raise PlanRejected("over")
    if not table.game.position.round:
        raise PlanRejected("draft")
    if seat in table.to_move:
        raise PlanRejected("turn")


def is_plannable(table: Table, seat: int) -> bool:
    try:
        check_plannable(table, seat)
    except PlanRejected:
        return False
    return True


async def add_plan(
    tables: "TableRegistry",
    table: Table,
    seat: int,
    owner: str,
    line: tuple[str, ...],
    *,
    unchanged: bool,
    other: int | None = None,
    domain: str = "",
) -> None:
    """Prepare the next turn of a seat: a line of choices, and its condition."""
    async with table.lock:
        if table.seats[seat].owner != owner:
            raise SeatLost
        check_plannable(table, seat)
        if (other is None) != (not domain) or other == seat:
            raise PlanRejected("condition")
        if other is not None and (other not in range(table.game.players) or domain not in LETTERS):
            raise PlanRejected("condition")
        if not rehearse(table.game, seat, line).steps:
            raise PlanRejected("line")
        plan = Plan(
            id=secrets.token_urlsafe(12),
            game=table.id,
            seat=seat,
            owner=owner,
            turn=turns_begun(table, seat) + 1,
            line=" ".join(line),
            unchanged=unchanged,
            cards=own_cards(table, seat),
            other=other,
            domain=domain,
        )
        for known in await tables.store.plans.of(table.id, seat):
            if replace(known, id=plan.id, number=plan.number) == plan:
                raise PlanRejected("same")
        try:
            await tables.store.plans.add(plan, MAX_PLANS)
        except ConflictError:
            raise PlanRejected("many") from None


async def plans_of(tables: "TableRegistry", table: Table, seat: int, owner: str) -> list[Plan]:
    """The plans of a player for the next turn, in order."""
    turn = turns_begun(table, seat) + (seat not in table.to_move)
    plans = await tables.store.plans.of(table.id, seat)
    return [plan for plan in plans if (plan.owner, plan.turn) == (owner, turn)]


def holds(table: Table, seat: int, plan: Plan) -> bool:
    """Whether a plan is the player's own, its condition is fulfilled, and all its choices are legal."""
    if plan.owner != table.seats[seat].owner:
        return False
    if plan.unchanged and plan.cards != own_cards(table, seat):
        return False
    if plan.other is not None and (plan.other, plan.domain) not in _played_since(table, seat):
        return False
    try:
        rehearse(table.game, seat, plan.choices)
    except PlanRejected:
        return False
    return True


def _played_since(table: Table, seat: int) -> set[tuple[int, str]]:
    """Who has played cards of which Domain since the last turn of a seat began."""
    events = table.snapshot.events(seat)
    begun = [at for at, event in enumerate(events) if isinstance(event, TurnBegan) and event.seat == seat]
    since = begun[-2] if len(begun) > 1 else 0
    return {(event.seat, event.card[0]) for event in events[since:] if isinstance(event, Played)}


class Planner:
    """Plays plans when the turns of their players come."""

    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._tasks: WeakKeyDictionary[Table, asyncio.Task[None]] = WeakKeyDictionary()
        self._checked: WeakKeyDictionary[Table, int] = WeakKeyDictionary()
        """The version at which each table was last checked."""

    def run(self, table: Table) -> bool:
        """Start checking the plans of the seat that is to move, if needed; return whether a check is in progress.

        Afterwards the registry is notified that the turn may have changed.
        """
        if self.is_running(table):
            return True
        if self._tables.closed or self._checked.get(table) == table.version or self._seat(table) is None:
            return False
        self._tasks[table] = asyncio.create_task(self._run(table))
        return True

    def is_running(self, table: Table) -> bool:
        return table in self._tasks and not self._tasks[table].done()

    async def wait(self, table: Table) -> None:
        """Wait until the plans of a table have been checked."""
        if table in self._tasks:
            await asyncio.wait([self._tasks[table]])

    async def close(self) -> None:
        """Wait for the moves in progress."""
        await asyncio.gather(*list(self._tasks.values()), return_exceptions=True)

    def _seat(self, table: Table) -> int | None:
        """The seat of a person who is to move and may have plans."""
        if not table.clock.control.is_correspondence or not table.game.position.round:
            return None
        return next(
            (
                seat
                for seat in table.to_move
                if table.seats[seat].owner is not None and table.seats[seat].acting_bot is None
            ),
            None,
        )

    async def _run(self, table: Table) -> None:
        try:
            while (seat := self._seat(table)) is not None and self._checked.get(table) != table.version:
                self._checked[table] = table.version
                await self._play(table, seat)
        except Exception:
            _LOG.exception("plans could not be played", extra={"facts": {"game": table.id}})
        # No await from here on: a later move finds this task done.
        self._tasks.pop(table, None)
        if not self._tables.closed:
            self._tables.driver.turn_changed(table)

    async def _play(self, table: Table, seat: int) -> None:
        """Play the plan of a seat that has already started, or the first one that holds; drop all others."""
        store, version = self._tables.store.plans, table.version
        plans = await store.of(table.id, seat)
        if not plans or table.version != version:
            return
        turn = turns_begun(table, seat)
        plans = [plan for plan in plans if plan.turn == turn]
        plan = next((plan for plan in plans if plan.started is not None), None)
        if plan is None and table.clock.turn_started.get(seat) == version:
            plan = next((plan for plan in plans if holds(table, seat, plan)), None)
            if plan is not None and not await store.start(plan, version):
                return
        if plan is not None:
            started = plan.started if plan.started is not None else version
            await self._submit(table, plan, started)
        await store.clear(table.id, seat)

    async def _submit(self, table: Table, plan: Plan, started: int) -> None:
        """Play the choices of a plan in order, as long as the player sees what the rehearsal showed.

        Choices that were played before a crash are not repeated.
        """
        seat, occupant = plan.seat, table.seats[plan.seat]
        keys = [f"plan-{plan.id}-{number}" for number in range(len(plan.choices))]
        done = sum(key in table.idempotency_keys for key in keys)
        if table.version != started + done:
            return  # the player has moved or undone something
        steps = rehearse(table.game.at(len(table.game.moves) - done), seat, plan.choices).steps
        for number, (seen, choice) in list(enumerate(steps))[done:]:
            if table.game.view(seat) != seen:
                return
            try:
                await submit_move(self._tables, table, seat, choice, started + number, keys[number], occupant)
            except (StaleVersionError, SeatLost):
                return  # the player has moved or undone something, or the time is up
