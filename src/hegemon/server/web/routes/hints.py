"""Hints for who plays against bots alone: what to look at, what to choose, and why.

A search thinks about the open question, from what the seat sees and remembers and nothing else. It is asked once for
each question; the three steps only tell more and more of what it found.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Annotated, Any, Final

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.enums import MediaType, RequestEncodingType
from litestar.exceptions import HTTPException
from litestar.params import Body, FromPath

from hegemon.bots.search import Opinion, Search, Thoughts
from hegemon.notation.choices import read_choice
from hegemon.play.imagine import position_to_move
from hegemon.play.memory import Memory
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import ACTIONS, END, Action, ActionKind, Effect
from hegemon.rules.cards import Domain, count
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.victory import hegemony, hegemony_threshold
from hegemon.rules.view import View
from hegemon.rules.view import view as look
from hegemon.server.errors import move_rejection_text
from hegemon.server.tables.registry import StaleVersionError, Table, Tables
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.session import visitor_of

#: So long a hint is thought about, whichever is over first.
ITERATIONS: Final = 4_000
SECONDS: Final = 1.2

#: What to look at, what to choose, why.
STEPS: Final = 3

#: Choices that are so near to each other are about as good, in per cent.
_CLOSE: Final = 3

#: The thoughts about so many questions are kept, for the next steps of a hint.
_KEPT: Final = 200


@dataclass(frozen=True)
class Hint:
    """What is told so far, and up to which step."""

    step: int
    sentences: tuple[str, ...]


def is_alone(table: Table) -> bool:
    """Whether only one person sits at a table, and bots."""
    return len(table.people) == 1


def run_in_bot_thread(view: View, memory: Memory, choices: tuple[str, ...]) -> Thoughts:
    """What a search thinks of the choices; the same question always gets the same thoughts if there is time."""
    if len(choices) == 1:
        return Thoughts((Opinion(choices[0], 0, 0.0),), choices, 0, 0.0)
    return Search(0, iterations=ITERATIONS, seconds=SECONDS).think(view, memory, choices)


class Adviser:
    """Thinks about each question once, however often somebody asks."""

    def __init__(self) -> None:
        self._thinking: OrderedDict[tuple[str, int, int], asyncio.Future[Thoughts]] = OrderedDict()

    async def thoughts(self, tables: Tables, table: Table, seat: int) -> Thoughts:
        """What to think of the question that is open to a seat."""
        key = (table.id, table.version, seat)
        if key not in self._thinking:
            view, memory, choices = (
                table.game.view(seat),
                table.game.memory(seat),
                table.game.choices_of(seat),
            )
            self._thinking[key] = asyncio.ensure_future(
                tables.run_in_bot_thread(lambda: run_in_bot_thread(view, memory, choices))
            )
            while len(self._thinking) > _KEPT:
                self._thinking.popitem(last=False)
        return await asyncio.shield(self._thinking[key])


# ------------------------------------------------------------------ sentences


class Advice:
    """The sentences of a hint, in one language."""

    def __init__(self, view: View, names: tuple[str, ...], thoughts: Thoughts, tr: Translator) -> None:
        self._view = view
        self._names = names
        self._thoughts = thoughts
        self._tr = tr
        self._line, self._won = followed(view, thoughts.line, names, tr)

    def hint(self, step: int) -> Hint:
        """What is told up to a step."""
        sentences = (self.what_to_look_at(), self.choice(), *self.why())
        return Hint(step, sentences if step == STEPS else sentences[:step])

    def _tell(self, key: str, **facts: object) -> str:
        return self._tr.learning[f"hint.{key}"].format(**facts)

    def _domain(self, domain: int) -> str:
        return self._tr.domains[Domain(domain)]

    def _meaning(self, choice: str) -> str:
        return ChoiceDescriber(self._view, self._names, self._tr).describe(choice)

    def what_to_look_at(self) -> str:
        """Where the best choice comes from, without naming it."""
        if self._won is not None:
            return self._tell("look.win", domain=self._domain(self._won))
        action, view = ACTIONS[read_choice(self._thoughts.choice)], self._view
        if view.question in (Question.EMBARGO, Question.DEMOCRACY):
            return self._tell("look.target", name=self._names[view.target])
        match action:
            case Action(kind=ActionKind.CARD | ActionKind.DRAFT, domain=Domain() as domain):
                return self._tell("look.card", domain=self._domain(domain))
            case Action(kind=ActionKind.COPY):
                return self._tell("look.copy")
            case Action(kind=ActionKind.ATTACK, domain=domain):
                return self._danger(None, domain)
            case Action(kind=ActionKind.INQUISITION, distance=int() as distance):
                return self._tell("look.target", name=self._names[(view.viewer + distance) % view.players])
            case Action(distance=int() as distance):
                return self._danger((view.viewer + distance) % view.players, None)
            case Action(effect=Effect() as effect):
                return self._tell("look.effect", domain=self._domain(effect.domain))
            case _:
                return self._tell("look.end")

    def _danger(self, seat: int | None, domain: int | None) -> str:
        """The column that is nearest to Hegemony: of that seat, or of all others in that Domain."""
        table = position_to_move(self._view)
        columns = [
            (hegemony_threshold(table, other, of) - count(table.areas[other][of]), other, of)
            for other in range(table.players)
            for of in Domain
            if (other != self._view.viewer if seat is None else other == seat) and domain in (None, of)
        ]
        _, other, of = min(columns)
        return self._tell(
            "look.danger",
            name=self._names[other],
            domain=self._domain(of),
            count=count(table.areas[other][of]),
            needed=hegemony_threshold(table, other, of),
        )

    def choice(self) -> str:
        """The best choice."""
        return self._tell("choice", choice=self._meaning(self._thoughts.choice))

    def why(self) -> list[str]:
        """What speaks for it: what it wins, what the next best would, and how the turn could go on."""
        best, *others = self._thoughts.opinions
        if not best.visits:
            return [self._tell("why.only")]
        told = [
            self._tell("why.win")
            if self._won is not None
            else self._tell("why.odds", percent=percent(best.expected))
        ]
        if others and self._won is None:
            key = "why.close" if percent(best.expected) - percent(others[0].expected) < _CLOSE else "why.next"
            told.append(
                self._tell(key, percent=percent(others[0].expected), choice=self._meaning(others[0].choice))
            )
        if len(self._line) > 1:
            told.append(self._tell("why.line", line=" → ".join(self._line)))
        return told


def percent(part: float) -> int:
    """A part of one in per cent."""
    return round(100 * part)


def followed(
    view: View, line: tuple[str, ...], names: tuple[str, ...], tr: Translator
) -> tuple[list[str], Domain | None]:
    """What the words of a line would do in this turn, and the Domain in which they win it, if they do.

    Nothing is followed further than the viewer can see: to the end of the turn, or to where hidden cards would show.
    """
    position, told = position_to_move(view), list[str]()
    position.deck_size = view.deck_size
    for choice in line:
        number = read_choice(choice)
        kind = ACTIONS[number].kind
        if position.question == Question.OVER or not legal(position) >> number & 1:
            break
        told.append(ChoiceDescriber(seen_again(position, view), names, tr).describe(choice))
        if number == END:
            won = hegemony(position, view.viewer)
            return told, Domain(won) if won >= 0 else None
        if kind in (ActionKind.DRAFT, ActionKind.INQUISITION, ActionKind.BREAKTHROUGH):
            break
        apply(position, number)
    return told, None


def seen_again(position: Position, view: View) -> View:
    """A position of the viewer's thoughts as a view: what is hidden stays as it was."""
    seen = look(position, view.viewer)
    seen.backs, seen.deck_backs = view.backs, view.deck_backs
    return seen


# ------------------------------------------------------------------ the route


@dataclass(frozen=True)
class Asked:
    """Somebody who asks for a step of a hint about the question of that number."""

    step: int
    version: int
    seat: int


@post("/games/{game_id:str}/hint", include_in_schema=False, status_code=200)
async def give_hint(
    request: Request[Any, Any, State],
    game_id: FromPath[str],
    data: Annotated[Asked, Body(media_type=RequestEncodingType.URL_ENCODED)],
    state: State,
) -> Response[Any]:
    """Tell a step of a hint: as a part of the page, or on the whole of it."""
    table, visitor, seat = await state.tables.table(game_id), visitor_of(request), data.seat - 1
    if seat not in table.seats_of(visitor.owner or ""):
        raise HTTPException(REJECTIONS["seat"], status_code=403)
    if not is_alone(table):
        raise HTTPException(REJECTIONS["hint"], status_code=403)
    live = request.headers.get("accept", "").startswith("application/json")
    hint = None
    if data.version == table.version and seat in table.to_move:
        view, names = table.game.view(seat), table.game.names
        thoughts = await state.adviser.thoughts(state.tables, table, seat)
        hint = Advice(view, names, thoughts, get_translator(visitor.language)).hint(
            min(max(data.step, 1), STEPS)
        )
    # Meanwhile a word may have been said; then the hint is about a question that is no longer open.
    if hint is None or data.version != table.version:
        why = move_rejection_text(StaleVersionError(), get_translator(visitor.language))
        if live:
            return Response(
                {"why": why, "version": table.version}, status_code=409, media_type=MediaType.JSON
            )
        return shown(state.pages.table(table, visitor, seat, why), 409)
    if live:
        return Response({"html": state.pages.hint(table, visitor, hint)}, media_type=MediaType.JSON)
    return shown(state.pages.table(table, visitor, seat, hint=hint))


def shown(html: str, status: int = 200) -> Response[str]:
    """A page of ours."""
    return Response(
        html, status_code=status, media_type=MediaType.HTML, headers={"Cache-Control": "no-store"}
    )
