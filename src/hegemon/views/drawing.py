"""Drawings of positions, views and games for notebooks and previews, as self-contained SVG."""

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

from hegemon.notation.writing import write_position, write_view
from hegemon.play.events import GameEnded
from hegemon.play.game import Game
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import get_translator
from hegemon.rules.cards import LETTERS, Domain
from hegemon.rules.position import Position
from hegemon.rules.view import SPECTATOR, View
from hegemon.views.table import ColumnView, PlayerPanel, TableView, position_table, view_table

# The colors of the pages in light mode: general ones, those of the Domains, and those of the backs by Age.
_INK, _SOFT, _SHEET, _FELT, _LINE, _ACCENT = "#241f1a", "#6a5f52", "#fffaf0", "#e9dfca", "#d9cdb8", "#7a2e1d"
_STRONG: Final = dict(
    zip(LETTERS, ("#a62f26", "#6c4bb0", "#8a6410", "#0f7076", "#a8377c", "#2b62a8"), strict=True)
)
_PALE: Final = dict(
    zip(LETTERS, ("#fbe4df", "#ece5fa", "#f8ecc9", "#d9f1f0", "#fbe2f0", "#dfeafb"), strict=True)
)
_ON_BACK: Final = "#fff8ee"
_AGES: Final = {"": ("?", "#4b443b"), "1": ("I", "#8c6239"), "2": ("II", "#5f6b74"), "3": ("III", "#b0841a")}
_VARIABLES: Final = {
    _INK: "ink",
    _SOFT: "soft",
    _SHEET: "sheet",
    _FELT: "felt",
    _LINE: "line",
    _ACCENT: "accent",
    **{color: f"d{place}" for place, color in enumerate(_STRONG.values())},
    **{color: f"t{place}" for place, color in enumerate(_PALE.values())},
    **{color: f"age{age}" if age else "soft" for age, (_, color) in _AGES.items()},
    _ON_BACK: "on-accent",
}
_FONT: Final = "font-family='Palatino, Georgia, serif'"

# The size of a card, and the visible part of a card under another.
_WIDTH, _HEIGHT, _STEP = 40, 50, 15
_COLUMN, _PANEL, _GAP = 46, 300, 12
_MAX_NAME: Final = 20


@cache
def _symbols() -> str:
    """The emblems of the pages, with ids that are unique in a notebook."""
    art = files("hegemon").joinpath("server", "web", "static", "art.svg").read_text(encoding="utf-8")
    wanted = (*(domain.name.lower() for domain in Domain), "coin", "embargo", "democracy")
    return "".join(
        f'<symbol id="hegemon-{name}"{found[1]}'
        for name in wanted
        if (found := re.search(rf'<symbol id="{name}"(.*?</symbol>)', art, re.DOTALL))
    )


def _emblem(name: str, x: float, y: float, size: float, color: str) -> str:
    return f"<use href='#hegemon-{name}' x='{x}' y='{y}' width='{size}' height='{size}' color='{color}'/>"


def _text(x: float, y: float, text: str, size: float = 12, *, color: str = _INK, attributes: str = "") -> str:
    return f"<text x='{x}' y='{y}' font-size='{size}' fill='{color}' {attributes}>{escape(text)}</text>"


def _card(x: float, y: float, card: str) -> str:
    """A card in notation, `M1`, or a back, `?1` or `?`."""
    letter, (age, color) = card[0], _AGES[card[1:]]
    back = letter == "?"
    fill, strong = (color, _ON_BACK) if back else (_PALE[letter], _STRONG[letter])
    box = (
        f"<rect x='{x}' y='{y}' width='{_WIDTH}' height='{_HEIGHT}' rx='5' fill='{fill}' stroke='{strong}'/>"
    )
    if back:
        return box + _text(x + _WIDTH / 2, y + 31, age, 17, color=strong, attributes="text-anchor='middle'")
    # Only the upper or left edge of a card under others is visible.
    label = _text(x + 4, y + 12, f"{letter} {age}", 10.5, color=strong, attributes="font-weight='bold'")
    return box + label + _emblem(Domain(LETTERS.index(letter)).name.lower(), x + 10, y + 20, 20, strong)


def _row(x: float, y: float, cards: Sequence[str], width: float) -> Iterator[str]:
    """A row of cards, which overlap if there are many."""
    step = min(_WIDTH + 5, (width - _WIDTH) / max(1, len(cards) - 1))
    for place, card in enumerate(cards):
        yield _card(x + place * step, y, card)


def _column(x: float, y: float, height: float, column: ColumnView) -> Iterator[str]:
    """The cards of a Domain in a play area, the markers on them, and the number needed for Hegemony."""
    letter = column.domain.letter
    for place, age in enumerate(column.ages):
        yield _card(x, y + place * _STEP, f"{letter}{age}")
    if not column.cards:
        box = (
            f"width='{_WIDTH}' height='{_HEIGHT}' rx='5' fill='none' stroke='{_LINE}' stroke-dasharray='3 3'"
        )
        yield f"<rect x='{x}' y='{y}' {box}/>"
        yield _emblem(column.domain.name.lower(), x + 10, y + 15, 20, _LINE)
    marks = ["embargo"] * len(column.embargoes) + ["democracy"] * column.democracies
    marks += ["coin"] if column.coin_of is not None else []
    for place, mark in enumerate(marks):
        left, top = x + _WIDTH - 13, y - 5 + place * 17
        yield f"<circle cx='{left + 8}' cy='{top + 8}' r='9' fill='{_SHEET}' stroke='{_ACCENT}'/>"
        yield _emblem(mark, left + 1.5, top + 1.5, 13, _ACCENT)
    weight = "font-weight='bold'" if column.leads or column.won else ""
    count = f"{column.count}/{column.needed}{'★' if column.leads else ''}"
    color = _STRONG[letter] if column.cards else _SOFT
    yield _text(
        x + _WIDTH / 2, y + height + 14, count, 11, color=color, attributes=f"text-anchor='middle' {weight}"
    )


def _panel(
    x: float, y: float, area: float, table: TableView, panel: PlayerPanel, labels: bool
) -> Iterator[str]:
    """One player: the name, the play area, the hand and, in the draft, the kept cards."""
    hands = [("hand", table.hand_of(panel.seat))]
    if table.view.round == 0:
        hands.append(("kept", table.kept_of(panel.seat)))
    height = _panel_height(area, table)
    border = f"stroke='{_ACCENT}' stroke-width='2.5'" if panel.to_move or panel.won else f"stroke='{_LINE}'"
    yield f"<rect x='{x}' y='{y}' width='{_PANEL}' height='{height}' rx='10' fill='{_SHEET}' {border}/>"
    name = panel.name if len(panel.name) <= _MAX_NAME else panel.name[: _MAX_NAME - 1] + "…"
    sign = "★ " if panel.won else "▶ " if panel.to_move else ""
    yield _text(x + 12, y + 22, f"{sign}{panel.seat + 1} {name}", 15, attributes="font-weight='bold'")
    you = "viewer · " if panel.own else ""
    points = f"{you}{_counted(panel.points, 'point')}" if labels else f"★ {panel.points}"
    yield _text(x + _PANEL - 12, y + 22, points, 12, color=_SOFT, attributes="text-anchor='end'")
    for place, column in enumerate(panel.columns):
        yield from _column(x + 14 + place * _COLUMN, y + 38, area, column)
    for place, (label, cards) in enumerate(hands):
        top = y + 38 + area + 26 + place * (_HEIGHT + 8)
        if labels:
            yield _text(x + 12, top + 30, label, 12, color=_SOFT)
        yield from _row(x + 48, top, cards, _PANEL - 60)


def _panel_height(area: float, table: TableView) -> float:
    return 38 + area + 26 + (_HEIGHT + 8) * (2 if table.view.round == 0 else 1) + 4


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _piles(x: float, y: float, width: float, table: TableView, labels: bool) -> Iterator[str]:
    """The deck by Age, the center, and the discard pile by Domain and Age."""
    if labels:
        yield _text(x, y + 30, "deck", 12, color=_SOFT)
        x += 36
    for age, number in enumerate(table.deck, 1):
        if number:
            yield _card(x, y, f"?{age}")
            yield _text(x + _WIDTH + 3, y + 31, f"×{number}", 12)
            x += _WIDTH + 36
    if labels and not any(table.deck):
        yield _text(x, y + 30, "empty", 12)
        x += 50
    center = [card.kind for card in table.center]
    for label, cards in (("center", center), ("discard pile", [card.kind for card in table.discard_pile])):
        if cards:
            if labels:
                yield _text(x + 8, y + 30, label, 12, color=_SOFT)
            x += 18 + 6 * len(label) * labels
            kinds = Counter(cards)
            step = min(28, (width - x - _WIDTH) / len(kinds))
            for card, number in kinds.items():
                yield _card(x, y, card)
                if number > 1:
                    yield _text(x + 3, y + _HEIGHT - 5, f"×{number}", 11, attributes="font-weight='bold'")
                x += step
            x += _WIDTH


def _sentences(table: TableView) -> list[str]:
    """The round, the question and the choices, or the result."""
    tr = get_translator("en")
    when = f"Round {table.view.round}. " if table.view.round else ""
    if table.result is not None:
        narrator = Narrator(table.names, teams=bool(table.view.teams), tr=tr)
        return [f"{when}{narrator.ending(GameEnded(table.result))}"]
    question = ChoiceDescriber(table.view, table.names, tr).question()
    return [f"{when}{question}", *([f"Choices: {' '.join(table.choices)}"] if table.choices else [])]


def _draw_table(
    table: TableView, notation: str, title: str, sentences: Sequence[str] | None = None, size: str = ""
) -> str:
    """The drawing of a table, with its notation as alternative text.

    It has English labels and sentences unless sentences are given.
    """
    labels = sentences is None
    longest = max(column.count for panel in table.panels for column in panel.columns)
    area = _HEIGHT + _STEP * max(0, longest - 1)
    per_row = 3 if len(table.panels) == 3 else 2
    rows = -(-len(table.panels) // per_row)
    panel = _panel_height(area, table)
    width = per_row * (_PANEL + _GAP) + _GAP
    lines = [
        line
        for text in (_sentences(table) if sentences is None else sentences)
        for line in textwrap.wrap(text, width // 8)
    ]
    below = _GAP + rows * (panel + _GAP)
    height = below + _HEIGHT + 16 + 20 * len(lines)
    size = size or f"width='{width}' style='max-width:100%;height:auto'"
    parts: list[Iterable[str]] = [
        _panel(
            _GAP + place % per_row * (_PANEL + _GAP),
            _GAP + place // per_row * (panel + _GAP),
            area,
            table,
            shown,
            labels,
        )
        for place, shown in enumerate(table.panels)
    ]
    parts.append(_piles(_GAP + 4, below, width, table, labels))
    parts.append(_text(_GAP + 4, below + _HEIGHT + 24 + 20 * n, text, 14) for n, text in enumerate(lines))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' role='img' {_FONT} "
        f"{size}><title>{escape(title)}</title><desc>{escape(notation)}</desc>"
        f"<defs>{_symbols()}</defs><rect width='{width}' height='{height}' rx='12' fill='{_FELT}'/>"
        f"{''.join(part for group in parts for part in group)}</svg>"
    )


def draw_preview(table: TableView, sentences: Sequence[str], width: int, height: int) -> str:
    """The framed drawing of a table with these sentences as the only text, for any SVG renderer."""
    board = _draw_table(table, "", " · ".join(table.names), sentences, f"width='100%' height='{height}'")
    board = board.replace("var(--g,1.8)", "1.8")  # only browsers support variables
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'>"
        f"<rect width='100%' height='100%' fill='{_FELT}'/>{board}</svg>"
    )


def draw_themed(table: TableView) -> str:
    """The drawing of a table without text, in the colors of the style sheet of the page."""
    svg = _draw_table(table, "", " · ".join(table.names), (), "class='picture'")
    return re.sub("|".join(_VARIABLES), lambda color: f"var(--{_VARIABLES[color[0]]})", svg)


def draw_cover(title: str, width: int, height: int, line: str = "") -> str:
    """The six emblems with a title and an optional line below it, for link previews without a position."""
    size, gap = 120, 40
    left = (width - 6 * size - 5 * gap) / 2
    emblems = "".join(
        f"<rect x='{x - 12}' y='140' width='{size + 24}' height='{size + 24}' rx='16' fill='{_PALE[domain.letter]}' "
        f"stroke='{_STRONG[domain.letter]}' stroke-width='2'/>"
        + _emblem(domain.name.lower(), x, 152, size, _STRONG[domain.letter])
        for domain in Domain
        for x in [left + domain * (size + gap)]
    )
    font_size = min(110, 1.4 * width / max(1, len(title)))
    words = _text(
        width / 2, 440, title, font_size, color=_ACCENT, attributes="text-anchor='middle' font-weight='bold'"
    )
    words += _text(width / 2, 530, line, 44, color=_SOFT, attributes="text-anchor='middle'")
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' {_FONT}>"
        f"<defs>{_symbols()}</defs><rect width='100%' height='100%' fill='{_FELT}'/>{emblems}{words}</svg>"
    ).replace("var(--g,1.8)", "1.8")


def draw_bars(rows: Sequence[tuple[str, float, str]], caption: str) -> str:
    """A bar chart of the values of choices, from 0 to 1, with a note for each."""
    lines = textwrap.wrap(caption, 60)
    height = _GAP + 24 * len(rows) + 20 * len(lines) + 8
    parts = []
    for place, (choice, part, note) in enumerate(rows):
        top = _GAP + 24 * place
        parts.append(_text(_GAP, top + 14, choice, 14, attributes="font-weight='bold'"))
        for width, fill in ((240, _SHEET), (round(240 * part), _ACCENT)):
            parts.append(f"<rect x='60' y='{top}' width='{width}' height='18' rx='3' fill='{fill}'/>")
        parts.append(_text(308, top + 14, f"{100 * part:.0f} %  {note}", 12, color=_SOFT))
    parts += [_text(_GAP, height - 20 * (len(lines) - n) + 6, line, 12) for n, line in enumerate(lines)]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 480 {height}' width='480' role='img' "
        f"style='max-width:100%;height:auto' {_FONT}><title>{escape(caption)}</title>"
        f"<rect width='480' height='{height}' rx='12' fill='{_FELT}'/>{''.join(parts)}</svg>"
    )


def _names(players: int) -> list[str]:
    return [f"Player {seat + 1}" for seat in range(players)]


def draw(shown: Position | View | Game) -> str:
    """The drawing of a position or a game with all hands open, or of a view."""
    match shown:
        case Game():
            title = f"A game after {_counted(len(shown.moves), 'move')}"
            return _draw_table(
                position_table(shown.position, shown.names), write_position(shown.position), title
            )
        case Position():
            return _draw_table(
                position_table(shown, _names(shown.players)), write_position(shown), "A position"
            )
        case View():
            viewer = "a spectator" if shown.viewer == SPECTATOR else f"seat {shown.viewer + 1}"
            return _draw_table(
                view_table(shown, _names(shown.players)), write_view(shown), f"What {viewer} sees"
            )
