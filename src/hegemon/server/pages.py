"""The pages: what a visitor may see of a table, in the visitor's language, as HTML."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from babel.dates import format_timedelta
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from litestar import MediaType, Request, Response
from markupsafe import Markup

from hegemon.notation.cards import write_cards
from hegemon.notation.record import Record, Result
from hegemon.play.events import Event, GameEnded, TurnBegan
from hegemon.play.game import Game
from hegemon.play.imagine import public_position
from hegemon.play.refusal import Reason, Refusal
from hegemon.prose.meanings import Meanings, explain_effect
from hegemon.prose.rulings import CHAPTERS, PRINCIPLES
from hegemon.prose.speech import Speech, languages, speech
from hegemon.prose.telling import Teller
from hegemon.rules.cards import NUMBER_OF_CARDS, Domain, count
from hegemon.rules.effects.board import Effect
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold
from hegemon.rules.view import SPECTATOR
from hegemon.rules.words import END, WORDS
from hegemon.server.absence import NOTES, NOTES_TO_ONESELF
from hegemon.server.attendance import Attendant, Reader, attendants, terms_of
from hegemon.server.failures import what_went_wrong
from hegemon.server.guards import HEADERS
from hegemon.server.hindsight import DELAYS
from hegemon.server.hints import Hint
from hegemon.server.model import (
    BOARD,
    Seating,
    TableModel,
    domain_of_word,
    majority_rows,
    table_model,
    tie_breaks,
)
from hegemon.server.moments import Moment
from hegemon.server.opening import FRIEND, ME, NOBODY, PERSON, USUAL, CannotOpen
from hegemon.server.seats import colour_of, score_after
from hegemon.server.store import Summary
from hegemon.server.streams import Regions
from hegemon.server.tables import NotBegun, Stale, StoodIn, Table, by_the_clock
from hegemon.server.talk import LONGEST_TEXT, phrases_for, sentence_of, speaker_of, voice_of
from hegemon.server.texts import CANNOT_OPEN, LEVELS, ODDITIES, PRESET_NAMES, RULING_SWITCHES
from hegemon.server.times import paces_on_offer
from hegemon.server.visitor import SETTINGS, Visitor, visitor_of

_TEMPLATES: Final = Path(__file__).parent / "templates"
_END: Final = WORDS[END]

#: The perspective of a replay in which every card lies open.
_ALL_OPEN: Final = 5

#: So many turns of the log are sent with every change; afterwards the replay tells them all.
_LOG_TURNS: Final = 12


def new_command() -> str:
    """A name for a command, which no other command has."""
    return secrets.token_urlsafe(12)


def ago(moment: datetime, language: str) -> str:
    """How long ago something was, in words."""
    # SQLite forgets the time zone; what is kept is UTC.
    since = datetime.now(UTC) - moment.replace(tzinfo=UTC)
    return format_timedelta(-since, add_direction=True, locale=language)


def first_of_last_turns(events: Sequence[Event], turns: int) -> int:
    """Where the last so many turns begin among the events."""
    began = [number for number, event in enumerate(events) if isinstance(event, TurnBegan)]
    return began[-turns] if len(began) > turns else 0


def turns_with_notes(
    teller: Teller, events: Sequence[Event], notes: Sequence[tuple[int, str]]
) -> list[list[str]]:
    """What happened in each turn, with the notes where they belong: after so many events. Older ones are left out."""
    turns: list[list[str]] = []
    cuts = [(at, [note]) for at, note in notes if at >= 0]
    told = 0
    for at, note in (*cuts, (len(events), [])):
        part = events[told:at]
        sentences = teller.tell_by_turns(part)
        if turns and sentences and not isinstance(part[0], TurnBegan):
            turns[-1] += sentences.pop(0)
        turns += sentences
        told = max(told, min(at, len(events)))
        if note:
            turns[-1:] = [[*turns[-1], *note]] if turns else [note]
    return turns


def seating_of(table: Table) -> Seating:
    """Who sits at a table, and which game of its series it is."""
    return Seating(
        table.id,
        table.number,
        tuple(row.bot for row in table.seats),
        tuple(colour_of(table.seats, seat) for seat in range(table.game.players)),
        tuple(seat for seat, row in enumerate(table.seats) if row.is_open),
        score_after(table) if table.terms.before or table.game.over else (),
        table.terms.before,
        table.following,
        table.here,
        tuple(seat for seat, row in enumerate(table.seats) if row.stand_in is not None),
    )


def has_company(table: Table, visitor: Visitor) -> bool:
    """Whether somebody else could read what a visitor says: another person plays, or the visitor looks on."""
    if not table.seats_of(visitor.holder or ""):
        return any(row.holder is not None for row in table.seats)
    return any(row.bot is None and row.holder != visitor.holder for row in table.seats)


def because(result: Result, model: TableModel, said: Speech) -> list[str]:
    """Why a game was won: the column, or the points and what decided between equals."""
    table = public_position(model.view)
    if result.domain is not None:
        seat = model.view.seat
        return [
            said.text(
                "{name} has {count} cards in {domain}; it took {needed}.",
                name=model.names[seat],
                count=count(table.areas[seat][result.domain]),
                domain=said.domains[result.domain],
                needed=hegemony_threshold(table, seat, result.domain),
            )
        ]
    rows = majority_rows(model)["rows"]

    def names(chosen: Iterable[int]) -> str:
        return said.listing([" + ".join(rows[side]["names"]) for side in chosen])

    most = max(row["points"] for row in rows)
    told = [
        said.text(
            "Most points: {names}, with {number}.",
            names=names(side for side, row in enumerate(rows) if row["points"] == most),
            number=most,
        )
    ]
    for tie in tie_breaks(table):
        facts = {"domain": said.domains[tie.domain], "names": names(tie.ahead)}
        told.append(
            said.numbered(
                "The tie is broken in {domain}: {names}, with {number} card.",
                "The tie is broken in {domain}: {names}, with {number} cards.",
                tie.most,
                **facts,
            )
            if len(tie.ahead) == 1
            else said.text("Still equal in {domain}: {names}.", **facts)
        )
    return told


class Whys:
    """Why what cannot be chosen cannot be, in the reader's words."""

    def __init__(self, model: TableModel, said: Speech, question: str) -> None:
        self._model = model
        self._said = said
        self._question = question

    def card(self, place: str, domain: Domain) -> str:
        """Why a card of that Domain is no answer there; nothing for who only looks on."""
        model = self._model
        if model.viewer == SPECTATOR or model.question is Question.OVER:
            return ""
        reason = model.whys.get(place, {}).get(domain)
        if reason is not None:
            return self.sentence(reason)
        if place == model.place and domain.letter in model.choices:
            return self._said.text("Of one Domain the card of the oldest Age goes first.")
        return self._question

    def sentence(self, reason: Reason) -> str:
        """A reason; players are named by their names."""
        if reason.code == "not-asked":
            chooser = self._model.names[self._model.view.seat]
            return self._said.text("Not now: {name} is choosing.", name=chooser)
        if reason.code == "kept-already":
            return self._said.text("You have kept a card already; others are still choosing.")
        return self._said.refusal(reason)


class Pages:
    """Draws every page of the server."""

    def __init__(
        self,
        command: Callable[[], str] = new_command,
        *,
        lobby: bool = False,
        now: Callable[[], datetime] = by_the_clock,
    ) -> None:
        self._new_command = command
        self._now = now
        self._jinja = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # nobody edits templates while they are served, and looking for that takes time
        )
        self._jinja.globals["lobby"] = lobby

    def _draw(self, template: str, visitor: Visitor, **facts: Any) -> str:
        said = speech(visitor.language)
        return self._jinja.get_template(template).render(
            visitor=visitor,
            languages=languages(),
            _=said.text,
            numbered=said.numbered,
            domain_names=said.domains,
            learning=said.learning,
            **facts,
        )

    # ---------------------------------------------------------------- the start

    def start(
        self,
        visitor: Visitor,
        games: list[Summary],
        problem: CannotOpen | None = None,
        form: dict[str, str] | None = None,
    ) -> str:
        """The start page: a new table, and the games of this browser."""
        said = speech(visitor.language)
        _ = said.text

        def bots(levels: dict[str, str]) -> list[tuple[str, str]]:
            return [(name, _("Bot: {level}", level=_(level))) for name, level in levels.items()]

        return self._draw(
            "start.html",
            visitor,
            games=[
                {
                    "id": game.id,
                    "names": game.names,
                    "finished": game.finished,
                    "ago": ago(game.changed, visitor.language),
                }
                for game in games
            ],
            problem=_(CANNOT_OPEN[problem.key], **problem.facts) if problem is not None else None,
            # What is wrong in a file is told in the words of the notation, which are English.
            detail=problem.detail if problem is not None and visitor.language == "en" else "",
            form=form or {},
            sitters=[
                (
                    "",
                    [
                        (ME, _("Me")),
                        (FRIEND, _("A friend, by link")),
                        (PERSON, _("Somebody else at this device")),
                        (NOBODY, _("Nobody")),
                    ],
                ),
                (_("Bots by level"), bots(LEVELS)),
                (_("Other bots"), bots(ODDITIES)),
            ],
            usual=USUAL,
            delays=[
                (0, _("see what everybody sees")),
                *(
                    (
                        rounds,
                        said.numbered(
                            "see all hands {number} round later",
                            "see all hands {number} rounds later",
                            rounds,
                        ),
                    )
                    for rounds in DELAYS
                ),
            ],
            clocks=paces_on_offer(said),
            presets=[(name, _(PRESET_NAMES[name])) for name in PRESETS],
            switches=[
                {
                    "text": _(RULING_SWITCHES[name]),
                    "editions": said.listing(
                        [_(PRESET_NAMES[preset]) for preset, bits in PRESETS.items() if bits & bit]
                    ),
                }
                for name, bit in SWITCHES.items()
            ],
        )

    # ---------------------------------------------------------------- a table

    def table(
        self, table: Table, visitor: Visitor, viewer: int, notice: str = "", hint: Hint | None = None
    ) -> str:
        """The whole page of a table."""
        model = self._model(table, visitor, viewer)
        drawn = self._regions_of(table, model, visitor, hint, live=False)
        regions = {name: Markup(html) for name, html in drawn.items()}
        return self._draw(
            "table.html",
            visitor,
            t=model,
            regions=regions,
            notice=notice,
            settings=SETTINGS,
            talk=self._talk(table, visitor, model),
            waiting=not model.choices and not table.game.over,
        )

    def regions(self, table: Table, visitor: Visitor, viewer: int) -> Regions:
        """The regions of a table's page, each by its name."""
        model = self._model(table, visitor, viewer)
        regions = self._regions_of(table, model, visitor, live=True)
        if has_company(table, visitor):
            regions["talk"] = self._talk_region(table, visitor, model)
        return regions

    def _regions_of(
        self, table: Table, model: TableModel, visitor: Visitor, hint: Hint | None = None, *, live: bool
    ) -> Regions:
        """The regions of a table with people at it: who they are, and what is noted of them."""
        said = speech(visitor.language)
        notes = [
            (at, said.text(texts[note.what], name=model.names[note.seat]))
            for at, note in table.notes
            for texts in [NOTES_TO_ONESELF if note.seat == model.viewer else NOTES]
        ]
        reader = Reader(model.viewer, table.seats_of(visitor.holder or ""), self._now(), live)
        people = attendants(table, reader, said)
        regions = self._regions(table.game, model, visitor, hint, notes, people)
        return regions | {"here": self._draw("regions/here.html", visitor, **terms_of(table, reader, said))}

    def _talk(self, table: Table, visitor: Visitor, model: TableModel) -> dict[str, Any] | None:
        """What the talk box shows; there is none where nobody else could read it."""
        if not has_company(table, visitor):
            return None
        said = speech(visitor.language)
        own = [line.name for line in table.talk.lines if line.speaker == visitor.holder and line.name]
        return {
            "region": Markup(self._talk_region(table, visitor, model)),
            "phrases": phrases_for(model.viewer, said),
            "longest": LONGEST_TEXT,
            "name": own[-1] if own else "",
        }

    def _talk_region(self, table: Table, visitor: Visitor, model: TableModel) -> str:
        said, over = speech(visitor.language), table.game.over
        heard = table.talk.heard_by(model.viewer, over, visitor.muted, table.id)
        voices = {
            f"seat{seat + 1}": name
            for seat, name in enumerate(model.names)
            if table.seats[seat].holder not in (None, visitor.holder)
        }
        for line in table.talk.heard_by(model.viewer, over):
            if line.speaker != visitor.holder:
                voices.setdefault(voice_of(line, table.id), speaker_of(line, model.names, said))
        return self._draw(
            "regions/talk.html",
            visitor,
            lines=[
                {
                    "number": line.number,
                    "name": speaker_of(line, model.names, said),
                    "onlooker": line.seat is None,
                    "sentence": sentence_of(line, model.names, said),
                }
                for line in reversed(heard)
            ],
            voices=[
                {"key": key, "name": name, "muted": key in visitor.muted} for key, name in voices.items()
            ],
        )

    def hint(self, table: Table, visitor: Visitor, hint: Hint) -> str:
        """A hint, to be put where it was asked for."""
        return self._draw("regions/hint.html", visitor, id=table.id, hint=hint)

    def _model(self, table: Table, visitor: Visitor, viewer: int) -> TableModel:
        if table.waits:
            viewer = SPECTATOR  # nobody sees a hand before everybody has come
        memory = table.memory(viewer) if viewer != SPECTATOR and visitor.settings["memory"] == "on" else None
        return table_model(table.game, seating_of(table), viewer, memory)

    def _regions(
        self,
        game: Game,
        model: TableModel,
        visitor: Visitor,
        hint: Hint | None = None,
        notes: Sequence[tuple[int, str]] = (),
        people: Mapping[int, Attendant] = MappingProxyType({}),
    ) -> Regions:
        said = speech(visitor.language)

        def draw(name: str, **facts: Any) -> str:
            return self._draw(f"regions/{name}.html", visitor, t=model, **facts)

        question = Meanings(model.view, model.names, said).question()
        first = first_of_last_turns(game.events, _LOG_TURNS)
        recent = game.events_seen_by(model.viewer, since=first)
        turns = turns_with_notes(
            self._teller(model, said), recent, [(at - first, note) for at, note in notes]
        )
        whys = Whys(model, said, question)
        command = self._new_command() if model.viewer != SPECTATOR else ""
        regions = {
            "status": draw("status", command=command, where=self._where(model, said)),
        }
        for number, panel in enumerate(model.others, 1):
            known = model.known.get(panel.seat, ())
            regions[f"other{number}"] = draw(
                "panel", p=panel, a=people.get(panel.seat), known=known, whys=whys
            )
        if model.me is not None:
            regions["me"] = draw("panel", p=model.me, a=people.get(model.viewer), known=(), whys=whys)
        regions["hand"] = draw("hand" if model.me is not None else "centre", whys=whys)
        regions["question"] = draw(
            "question", hint=hint, a=people.get(model.viewer), **self._question(game, model, said, turns)
        )
        regions["pile"] = draw("pile", kinds=Counter(model.pile), whys=whys)
        regions["majority"] = draw("majority", **majority_rows(model))
        regions["board"] = draw("board", rows=self._board(game.position, model, said, whys))
        regions["log"] = draw("log", turns=turns[::-1])
        return regions

    def _where(self, model: TableModel, said: Speech) -> str:
        return (
            said.text("Round {number}", number=model.view.round) if model.view.round else said.text("Draft")
        )

    def _question(
        self, game: Game, model: TableModel, said: Speech, turns: list[list[str]]
    ) -> dict[str, Any]:
        meanings = Meanings(model.view, model.names, said)
        result = game.result
        ending = self._teller(model, said).ending(GameEnded(result)) if result is not None else ""
        return {
            "question": ending or meanings.question(),
            "over": result is not None,
            "because": because(result, model, said) if result is not None else [],
            "latest": turns[-1][-1] if turns else "",
            "waiting": [
                said.text("{name} is thinking …", name=panel.name)
                if panel.bot or panel.here or panel.stand_in
                else said.text("Waiting for {name} …", name=panel.name)
                for panel in model.panels
                if panel.seat in model.waiting_for
            ],
            "warming_up": any(
                panel.bot or panel.stand_in for panel in model.panels if panel.seat in model.waiting_for
            ),
            "answers": [
                {
                    "word": word,
                    "text": meanings.meaning(word),
                    "domain": domain_of_word(word),
                    "end": word == _END,
                }
                for word in model.choices
            ],
        }

    def _teller(self, model: TableModel, said: Speech) -> Teller:
        reader = model.viewer if model.viewer != SPECTATOR else None
        return Teller(model.names, reader, teams=bool(model.view.teams), language=said)

    def _board(
        self, position: Position, model: TableModel, said: Speech, whys: "Whys"
    ) -> list[dict[str, Any]]:
        """The reference board: what each effect needs, what it would do now, or why it cannot be used now."""
        open_now = {row.effect: row for row in model.effects}
        meanings = Meanings(model.view, model.names, said)
        rows = []
        for effect, domain, level in BOARD:
            row = open_now.get(effect)
            rows.append(
                {
                    "domain": domain,
                    "name": said.effects[effect],
                    "need": self._need(effect, level, position, said),
                    "text": explain_effect(effect, position, said),
                    "open": bool(row and row.words),
                    "now": [meanings.meaning(word) for word in row.words] if row else [],
                    "why": whys.sentence(row.why_not) if row and row.why_not else "",
                }
            )
        return rows

    def _need(self, effect: Effect, level: int, position: Position, said: Speech) -> str:
        if effect is Effect.INSPIRATION:
            return said.text("the most Culture")
        number = threshold(position, level) if level else 1
        return said.numbered("{number} card", "{number} cards", number)

    def curtain(self, table: Table, visitor: Visitor) -> str:
        """The curtain between people who share a device."""
        own = table.seats_of(visitor.holder or "")
        asked = [seat for seat in table.asked if seat in own] or list(own)
        return self._draw("curtain.html", visitor, table=table, seats=asked[:1], names=table.game.names)

    # ---------------------------------------------------------------- afterwards

    def shuffle(self, table: Table, visitor: Visitor) -> str:
        """What commits the shuffle, and after the game what it can be checked by."""
        record = table.game.record()
        return self._draw(
            "shuffle.html",
            visitor,
            id=table.id,
            digest=table.game.commitment,
            over=table.game.over,
            salt=record.salt if table.game.over else "",
            deck=write_cards(list(record.deck)) if table.game.over else "",
        )

    def replay(self, record: Record, visitor: Visitor, path: str, at: int, seat: int, back: str = "") -> str:
        """One moment of a game, seen by a player (1 to 4), by a spectator (0), or with open cards (5).

        A game that goes on is shown as far as those who look on may see it, with a way back to it.
        """
        said = speech(visitor.language)
        moment = Moment(record, min(at, len(record.said)))
        viewer = seat - 1 if 1 <= seat <= record.players else SPECTATOR
        all_open = seat == _ALL_OPEN
        seating = Seating("", moment.at, (None,) * record.players)
        memory = moment.game.memory(viewer) if viewer != SPECTATOR else None
        model = table_model(moment.game, seating, viewer, memory, open_hands=all_open)
        model = replace(model, choices=(), can_undo=False)
        regions = self._regions(moment.game, model, visitor)
        shown = {
            name: Markup(html)
            for name, html in regions.items()
            if name not in ("status", "question", "board")
        }
        perspectives = [
            (0, said.text("a spectator")),
            *enumerate(record.names, 1),
            (_ALL_OPEN, said.text("all cards open")),
        ]
        teller = self._teller(model, said)
        sentences = teller.tell(moment.events_seen_by(None if all_open else viewer))
        if (
            moment.at and not sentences
        ):  # one of several cards: what becomes of them is told when all are chosen
            sentences = teller.tell(moment.game.events_seen_by(viewer))[-1:]
        return self._draw(
            "replay.html",
            visitor,
            t=model,
            regions=shown,
            path=path,
            seat=seat if viewer != SPECTATOR or all_open else 0,
            at=moment.at,
            last=len(record.said),
            previous_turn=moment.previous_turn,
            next_turn=moment.next_turn,
            where=self._where(model, said),
            sentences=sentences,
            perspectives=perspectives,
            back=back,
        )

    # ---------------------------------------------------------------- reading

    def rules(self, visitor: Visitor) -> str:
        """The rules in our words."""
        said = speech(visitor.language)
        tables = [Position(players=players) for players in (2, 3, 4)]
        return self._draw(
            "rules.html",
            visitor,
            numbers={domain: NUMBER_OF_CARDS[domain] for domain in Domain},
            thresholds=[
                {
                    "players": table.players,
                    "first": threshold(table, 1),
                    "second": threshold(table, 2),
                    "hegemony": hegemony_threshold(table, 0, 0),
                }
                for table in tables
            ],
            effects=[
                (
                    domain,
                    [
                        {
                            "name": said.effects[effect],
                            "need": self._need(effect, level, tables[1], said),
                            "text": explain_effect(effect, tables[1], said),
                        }
                        for effect, of, level in BOARD
                        if of is domain
                    ],
                )
                for domain in Domain
            ],
        )

    def rulings(self, visitor: Visitor) -> str:
        """How it is played where the rulebooks differ or are silent."""
        said = speech(visitor.language)
        _ = said.text
        return self._draw(
            "rulings.html",
            visitor,
            words=said.rulings,
            principles=PRINCIPLES,
            chapters=CHAPTERS,
            presets=[_(PRESET_NAMES[name]) for name in PRESETS],
            switches=[
                {"text": _(RULING_SWITCHES[name]), "on": [bool(preset & bit) for preset in PRESETS.values()]}
                for name, bit in SWITCHES.items()
            ],
        )

    # ---------------------------------------------------------------- what went wrong

    def why(self, visitor: Visitor, reason: Exception) -> str:
        """Why nothing has changed."""
        said = speech(visitor.language)
        if isinstance(reason, NotBegun):
            return said.text("The game begins when every seat is taken.")
        if isinstance(reason, StoodIn):
            return said.text("A bot plays for you. Take your seat back first.")
        if isinstance(reason, Stale):
            return said.text("Meanwhile something else has happened. This is the table as it is now.")
        if isinstance(reason, Refusal):
            return said.refusal(reason.reason)
        return said.text("That is no word of the game.")

    def failure(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        """A page, or a few words for a program, that says what went wrong and what to do."""
        visitor = visitor_of(request)
        status, sentence = what_went_wrong(error, speech(visitor.language))
        if request.headers.get("accept", "").startswith("application/json"):
            return Response({"why": sentence}, status_code=status, media_type=MediaType.JSON, headers=HEADERS)
        html = self._draw("failure.html", visitor, status=status, sentence=sentence)
        return Response(html, status_code=status, media_type=MediaType.HTML, headers=HEADERS)
