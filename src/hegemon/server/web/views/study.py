"""The pages of the study board: setting up a position, and trying lines from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup

from hegemon.notation.arrangement import DEMOCRACY, EMBARGOES, Arrangement
from hegemon.notation.errors import NotationError
from hegemon.notation.messages import Message
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position
from hegemon.play.events import GameEnded
from hegemon.play.game import Game
from hegemon.play.study import Node, Study
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.actions import ACTIONS, Action, ActionKind, Effect
from hegemon.rules.cards import KINDS, LETTERS, Domain, age_of, count_of_age, domain_of
from hegemon.rules.position import Position
from hegemon.rules.rulings import PRESETS
from hegemon.server.db.rows import StudyRow
from hegemon.server.studies import MAX_COMMENT_LENGTH, MAX_TITLE_LENGTH
from hegemon.server.texts import PRESET_NAMES, translatable
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.learn import without_choices
from hegemon.server.web.views.own_games import ago
from hegemon.server.web.views.story import narrator_for
from hegemon.server.web.views.table import TablePages
from hegemon.server.web.views.thoughts import EvaluationPanel
from hegemon.views import TableInfo, game_table
from hegemon.views.marks import with_marks
from hegemon.views.table import CardView, cards_in

#: The items that can be placed on the board, in notation: cards, Embargoes and Democracies.
TOOLS: Final = (*(f"{LETTERS[domain_of(kind)]}{age_of(kind)}" for kind in KINDS), *EMBARGOES, DEMOCRACY)

STEPS: Final = {
    "p": translatable("Step 1: play a card"),
    "e": translatable("Step 2: use effects"),
    "d": translatable("Draft: keep a card"),
    "c": translatable("Draft: take a card from the center"),
}


@dataclass(frozen=True)
class MoveLink:
    """A move in the tree of lines."""

    at: int
    seat: int
    name: str
    """Who moved, if that is a different player than before; otherwise empty."""
    text: str
    comment: str


@dataclass(frozen=True)
class LineRow:
    depth: int
    number: int
    branches: bool
    """Whether a variation begins here."""
    moves: tuple[MoveLink, ...]


def short_text(seat: int, action: int, names: Sequence[str], tr: Translator) -> str:
    """A choice in a few words, regardless of the position."""
    match ACTIONS[action]:
        case Action(kind=ActionKind.END):
            return tr.text("End turn")
        case Action(kind=ActionKind.DRAFT, text=card):
            return tr.card(card)
        case Action(effect=Effect() as effect, distance=int() as distance):
            return f"{tr.effects[effect]}: {names[(seat + distance) % len(names)]}"
        case Action(effect=Effect() as effect, domain=Domain() as domain) if effect.level == 0:
            return f"{tr.effects[effect]}: {tr.domains[domain]}"
        case Action(effect=Effect() as effect):
            return tr.effects[effect]
        case Action(domain=domain):
            return tr.domains[Domain(domain or 0)]


def line_rows(study: Study, names: Sequence[str], tr: Translator) -> list[LineRow]:
    """The rows of the tree of lines, in reading order."""
    numbers = {node: number for number, node in enumerate(study.nodes)}
    rows = []
    for part in study.segments():
        links, mover = [], -1
        for node in part.nodes:
            assert node.move is not None
            seat, action = node.move
            name = names[seat] if seat != mover else ""
            links.append(
                MoveLink(numbers[node], seat, name, short_text(seat, action, names, tr), node.comment)
            )
            mover = seat
        parent = part.nodes[0].parent
        branches = part.depth > 0 and parent is not None and part.nodes[0] is not parent.children[0]
        rows.append(LineRow(part.depth, part.first, branches, tuple(links)))
    return rows


def translated(text: str, tr: Translator) -> str:
    return tr.message(text) if isinstance(text, Message) else text


def problem_of(error: NotationError, tr: Translator) -> str:
    return tr.message(error.sentence)


@dataclass(frozen=True)
class PlaceView:
    """A place of the setup board: its name in forms, and its cards."""

    name: str
    cards: tuple[CardView, ...]


@dataclass(frozen=True)
class ColumnSetup:
    domain: Domain
    name: str
    cards: tuple[CardView, ...]
    embargoes: tuple[int, ...]
    democracies: int


@dataclass(frozen=True)
class SeatSetup:
    number: int
    name: str
    columns: tuple[ColumnSetup, ...]
    hand: PlaceView
    kept: PlaceView


def seat_setup(places: Position, seat: int, name: str) -> SeatSetup:
    return SeatSetup(
        seat + 1,
        name,
        tuple(
            ColumnSetup(
                domain,
                f"area{seat + 1}{domain.letter}",
                tuple(card for card in cards_in(places.areas[seat]) if card.domain is domain),
                tuple(
                    age for age in (1, 2, 3) for _ in range(count_of_age(places.embargoes[seat][domain], age))
                ),
                places.democracies[seat][domain],
            )
            for domain in Domain
        ),
        PlaceView(f"hand{seat + 1}", cards_in(places.hands[seat])),
        PlaceView(f"kept{seat + 1}", cards_in(places.kept[seat])),
    )


class StudyPages(TablePages):
    def studies(self, visitor: Visitor, rows: Sequence[StudyRow], problem: str = "") -> str:
        """The studies of a visitor, and ways to begin one."""
        return self._render(
            "studies.html",
            visitor,
            problem=problem,
            studies=[
                {"id": row.id, "title": row.title, "ago": ago(row.updated_at, visitor.language)}
                for row in rows
            ],
        )

    def setup(
        self, visitor: Visitor, line: str, arrangement: Arrangement | None, tool: str, notice: str = ""
    ) -> str:
        """The board for setting up a position; without an arrangement, only the line that could not be read."""
        tr = get_translator(visitor.language)
        facts: dict[str, Any] = {"playable": False, "problems": [], "error": notice}
        try:
            facts["problems"] = [translated(text, tr) for text in problems(read_position(line))]
            facts["playable"] = True
        except NotationError as error:
            facts["error"] = notice or problem_of(error, tr)
        if arrangement is not None:
            facts |= self._board(arrangement, tr)
        return self._render(
            "study_new.html",
            visitor,
            line=line,
            board=arrangement is not None,
            tool=tool if tool in TOOLS else TOOLS[0],
            cards=[CardView(Domain(domain_of(kind)), age_of(kind)) for kind in KINDS],
            **facts,
        )

    def _board(self, arrangement: Arrangement, tr: Translator) -> dict[str, Any]:
        places, _ = arrangement.places, tr.text
        names = [tr.person_name(seat) for seat in range(places.players)]
        rules, comma, teams = arrangement.rules.partition(",")
        step = arrangement.turn[1:2]
        deck = places.deck[: places.deck_size][::-1]
        return {
            "seats": [seat_setup(places, seat, name) for seat, name in enumerate(names)],
            "pile": PlaceView("pile", cards_in(places.discard_piles)),
            "center": PlaceView("center", cards_in(places.center_piles)),
            "deck": [CardView(Domain(domain_of(kind)), age_of(kind)) for kind in deck],
            "deck_ages": [sum(age_of(kind) == age for kind in deck) for age in (1, 2, 3)],
            "draft": step in ("d", "c"),
            "turn_seat": arrangement.turn[:1],
            "step": step,
            "steps": [(value, _(text)) for value, text in STEPS.items()],
            "coins": [
                (f"{owner + 1}>{seat + 1}{domain.letter}", names[owner], names[seat], tr.domains[domain])
                for owner in range(len(names))
                for seat in range(len(names))
                for domain in Domain
                if seat != owner and domain is not Domain.CULTURE
            ],
            "coin": arrangement.coin,
            "used": arrangement.used.replace("-", ""),
            "asked": arrangement.asked.replace("-", ""),
            "round": arrangement.round.replace("-", ""),
            "rulings": rules,
            "presets": [(name, _(PRESET_NAMES[name])) for name in PRESETS],
            "teams": bool(comma and teams),
        }

    def study(
        self,
        visitor: Visitor,
        row: StudyRow,
        study: Study,
        at: int,
        *,
        open_cards: bool = True,
        base: str = "",
        notice: str = "",
        marked: Sequence[str] = (),
        typed: str | None = None,
        thoughts: EvaluationPanel | None = None,
    ) -> str:
        """A moment of a study, by the number of its node."""
        tr, nodes = get_translator(visitor.language), study.nodes
        at = min(at, len(nodes) - 1)
        node, own = nodes[at], visitor.owner == row.owner
        game = study.game(node)
        names = shown_names(game, tr)
        model = game_table(
            game,
            game.seat,
            info=TableInfo(version=row.version),
            memory=None if open_cards else game.memory(game.seat),
            open_hands=open_cards,
            names=names,
        )
        model = replace(with_marks(model, marked) if marked else model, can_undo=False)
        if not own or game.over:
            model = without_choices(model)
        regions = {name: Markup(html) for name, html in self._regions(game, model, visitor).items()}
        if game.over:
            del regions["question"]
        return self._render(
            "study_board.html",
            visitor,
            t=model,
            regions=regions,
            id=row.id,
            path=f"/study/{row.id}",
            link=f"{base}/study/{row.id}",
            title=study.title,
            own=own,
            at=at,
            version=row.version,
            shown="" if open_cards else "&closed=true",
            open_cards=open_cards,
            rows=line_rows(study, names, tr),
            start_comment=study.root.comment,
            number=len(node.path),
            comment=node.comment if typed is None else typed,
            children=children_of(node, nodes, names, tr),
            steps=steps_of(node, nodes),
            ending=narrator_for(model, tr).ending(GameEnded(game.result)) if game.result else "",
            notice=notice,
            thoughts=thoughts,
            mover=names[game.seat],
            longest=MAX_COMMENT_LENGTH,
            longest_title=MAX_TITLE_LENGTH,
            is_variation=any(one.parent and one.parent.children[0] is not one for one in node.path),
        )


def shown_names(game: Game, tr: Translator) -> tuple[str, ...]:
    """The names of the players; default names are translated."""
    return tuple(tr.player_name(name) for name in game.names)


def children_of(node: Node, nodes: list[Node], names: Sequence[str], tr: Translator) -> list[tuple[int, str]]:
    """The children of a node, each with its number and its choice."""
    return [
        (nodes.index(child), short_text(*child.move, names, tr))
        for child in node.children
        if child.move is not None
    ]


def steps_of(node: Node, nodes: list[Node]) -> dict[str, int]:
    """The nodes before and after, and the last one of this line."""
    *_, last = node.following()
    return {
        "previous": nodes.index(node.parent) if node.parent is not None else 0,
        "next": nodes.index(node.children[0]) if node.children else nodes.index(node),
        "last": nodes.index(last),
    }
