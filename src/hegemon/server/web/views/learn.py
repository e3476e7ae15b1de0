"""The pages of lessons."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup

from hegemon.play.game import Game
from hegemon.prose.lessons import LESSONS, Lesson
from hegemon.prose.translator import get_translator
from hegemon.rules.cards import LETTERS
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.story import narrator_for
from hegemon.server.web.views.table import TablePages
from hegemon.views import TableInfo, TableView, game_table
from hegemon.views.marks import with_marks

_BOT: Final = "normal"


@dataclass(frozen=True)
class Stop:
    """A page of a lesson, after some of its steps."""

    key: str
    steps_done: int

    @property
    def lesson(self) -> Lesson:
        return LESSONS[self.key]

    @property
    def choice(self) -> str | None:
        """The choice that this page teaches; None at the end of the lesson."""
        return self.lesson.steps[self.steps_done].choice if self.steps_done < len(self.lesson.steps) else None

    @property
    def look(self) -> tuple[str, ...]:
        """The places that this page is about, in addition to the choice."""
        return self.lesson.steps[self.steps_done].look if self.choice is not None else self.lesson.look

    @property
    def sentence(self) -> str:
        """The key of the sentence of this page."""
        return f"lesson.{self.key}.{self.steps_done + 1 if self.choice is not None else 'closing'}"

    def play(self, names: Sequence[str]) -> tuple[Game, int]:
        """The game on this page, and the number of events before the last step."""
        game, before = Game.from_position(self.lesson.position, names), 0
        for step in self.lesson.steps[: self.steps_done]:
            before = len(game.events)
            for choice in (step.choice, *step.replies):
                game.play(choice)
        return game, before


#: The pages of all lessons, in order.
STOPS: Final = tuple(
    Stop(key, steps_done) for key, lesson in LESSONS.items() for steps_done in range(len(lesson.steps) + 1)
)


def selector_of(place: str) -> str:
    """The CSS selector of a place that a lesson is about."""
    region, _, part = place.partition("-")
    if part == "backs":
        return f"#region-{region} .hidden-hand"
    if part:
        return f"#region-{region} .column.d{LETTERS.index(part)}"
    return f"#region-{region} .cards" if region == "hand" else f"#region-{region} .who h2"


def names_at(seat: int, own: str, others: Sequence[str]) -> list[str]:
    """The names by seat: the reader's, and the others' clockwise from there."""
    names = [own, *others]
    return names[-seat:] + names[:-seat] if seat else names


def without_choices(model: TableView) -> TableView:
    hand = tuple(replace(card, choice=None, markable=False) for card in model.hand)
    return replace(model, choices=(), selection=None, place="", hand=hand)


class LearningPages(TablePages):
    def _study(
        self,
        template: str,
        visitor: Visitor,
        game: Game,
        viewer: int,
        *,
        is_open: bool,
        marked: Sequence[str] = (),
        **facts: Any,
    ) -> str:
        bots = tuple(None if seat == viewer else _BOT for seat in range(game.players))
        model = game_table(game, viewer, info=TableInfo(version=len(game.moves), bots=tuple(bots)))
        model = replace(with_marks(model, marked) if marked else model, can_undo=False)
        if not is_open:
            model = without_choices(model)
        regions = {name: Markup(html) for name, html in self._regions(game, model, visitor).items()}
        if not is_open:
            del regions["question"]
        return self._render(template, visitor, t=model, regions=regions, **facts)

    def lesson(self, visitor: Visitor, at: int, *, other: bool = False) -> str:
        """A page of the lessons, counted from 1."""
        stop, tr = STOPS[at - 1], get_translator(visitor.language)
        others = [tr.bot_name(0), tr.bot_name(1)]
        seat = stop.lesson.seat
        own = visitor.name or tr.person_name(seat)
        game, before = stop.play(names_at(seat, own, others))
        events = game.events_seen_by(seat, since=before)
        narrator = narrator_for(game_table(game, seat), tr)
        return self._study(
            "learn.html",
            visitor,
            game,
            seat,
            is_open=stop.choice is not None,
            at=at,
            stop=stop,
            look=", ".join(map(selector_of, stop.look)),
            other=other,
            happened=narrator.narrate(events) if stop.steps_done else [],
            lessons=[
                {"key": key, "at": STOPS.index(Stop(key, 0)) + 1, "current": key == stop.key}
                for key in LESSONS
            ],
            last=at == len(STOPS),
        )
