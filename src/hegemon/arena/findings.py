"""What a study found: tables with intervals, and a plot to most of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hegemon.arena import plots
from hegemon.arena.measures import Difference, Measure, difference, mean, rate, value_of
from hegemon.arena.samples import STANDARD, Array, Games, Kind
from hegemon.arena.study import CHANCE, KINDS, SENSE, USUAL, Study, home_of
from hegemon.rules.cards import Domain
from hegemon.rules.effects.board import Effect
from hegemon.rules.position import MAX_PLAYERS, Ending
from hegemon.rules.rulings import SWITCHES

#: What is more than chance makes.
STAR: Final = "*"
#: Where no game differs.
SAME: Final = "same"

# A plot of lengths needs no more games than this: the rest would lie on the same line.
_ENOUGH: Final = 100_000
# Fewer Hegemonies than this are not worth a bar.
_FEW: Final = 20

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """One question to the games, and the answer."""

    name: str
    title: str
    text: str
    """What the table shows, in a sentence or two."""
    headings: Cells
    rows: tuple[Cells, ...]
    data: Any
    """The same for a program."""
    draw: Callable[[], str] | None = None
    """Draws it, where there is something to draw; as SVG."""


def findings(study: Study) -> list[Finding]:
    """Everything that the finished games tell."""
    return [finding for find in _FINDINGS if (finding := find(study)).rows]


def seen(study: Study) -> Iterator[tuple[str, Kind, Games]]:
    """All games at tables with standard rulings, table by table."""
    for kind in KINDS:
        for by in study.players:
            games = study.of(by, kind)
            if games is not None:
                yield by, kind, games


def facts(by: str, kind: Kind, **found: Any) -> dict[str, Any]:
    """What was found, and where, for a program."""
    return {"by": by, "players": kind.players, "variant": kind.variant, "teams": kind.teams, **found}


def per_cent(measure: Measure) -> str:
    """A rate and its interval, in per cent."""
    return f"{100 * measure.value:.1f} ± {100 * measure.margin:.1f}"


def figure(measure: Measure) -> str:
    """A mean and its interval."""
    return f"{measure.value:.2f} ± {measure.margin:.2f}"


def points(found: Difference, comparisons: int) -> str:
    """A difference of rates in percentage points, its interval, and a star if it is more than chance makes."""
    if found.nothing:
        return SAME
    star = STAR if found.significant(comparisons) else ""
    return f"{100 * found.value:+.2f}{star} ± {100 * found.margin:.2f}"


def change(found: Difference, comparisons: int) -> str:
    """A difference of means, likewise."""
    if found.nothing:
        return SAME
    star = STAR if found.significant(comparisons) else ""
    return f"{found.value:+.2f}{star} ± {found.margin:.2f}"


# ------------------------------------------------------------------ one table after the other


def lengths(study: Study) -> Finding:
    """How long games are."""
    rows, data, shown = [], [], {}
    for by, kind, games in seen(study):
        rounds = mean(games.rounds)
        low, middle, high = (int(edge) for edge in np.quantile(games.rounds, (0.05, 0.5, 0.95)))
        decisions = mean(games.decisions)
        cells = (kind.name, by, str(len(games)), figure(rounds), f"{low}–{middle}–{high}")
        rows.append((*cells, f"{decisions.value:.0f}"))
        data.append(
            facts(
                by, kind, games=len(games), rounds=rounds.to_data(), decisions=decisions.to_data(),
                quantiles=[low, middle, high],
            )
        )  # fmt: skip
        if kind == USUAL:
            shown[by] = games.rounds[:_ENOUGH].tolist()

    def draw() -> str:
        most = int(max(map(max, shown.values())))
        step = max(1, most // 40)
        return plots.histogram(
            shown, f"rounds, {USUAL.name}", [edge - 0.5 for edge in range(0, most + step + 1, step)]
        )

    return Finding(
        "length",
        "How long games are",
        "Of a hundred games five are shorter than the first figure of the spread, half are shorter than the second, "
        "and five are longer than the third.",
        ("table", "played by", "games", "rounds", "spread", "choices"),
        tuple(rows),
        data,
        draw if shown else None,
    )


def endings(study: Study) -> Finding:
    """Hegemony or Majority."""
    rows, data = [], []
    bars: dict[str, dict[str, float]] = {by: {} for by in study.players}
    for by, kind, games in seen(study):
        parts = {ending: rate(games.ended(ending).sum(), len(games)) for ending in list(Ending)[1:]}
        rows.append((kind.name, by, *(per_cent(part) for part in parts.values())))
        data.append(
            facts(by, kind, **{ending.name.lower(): part.to_data() for ending, part in parts.items()})
        )
        bars[by][kind.name] = 100 * parts[Ending.HEGEMONY].value

    def draw() -> str:
        names = [kind.name for kind in KINDS]
        shown = {by: [found.get(name, 0.0) for name in names] for by, found in bars.items() if found}
        return plots.grouped([name.replace(", ", "\n") for name in names], shown, "won by Hegemony, per cent")

    return Finding(
        "endings",
        "How games end",
        "By Hegemony, by Majority when the Age deck is out, or because nobody draws any more.",
        ("table", "played by", "Hegemony, %", "Majority, %", "stalled, %"),
        tuple(rows),
        data,
        draw if rows else None,
    )


def domains(study: Study) -> Finding:
    """Which Domains win."""
    rows, data, shown = [], [], {}
    for by, kind, games in seen(study):
        won = {domain: games.hegemonies(domain) for domain in Domain}
        everything = sum(won.values())
        if not everything:
            continue
        parts = {domain: rate(number, everything) for domain, number in won.items()}
        rows.append((kind.name, by, str(everything), *(per_cent(part) for part in parts.values())))
        data.append(
            facts(
                by,
                kind,
                hegemonies=everything,
                **{domain.name.lower(): part.to_data() for domain, part in parts.items()},
            )
        )
        if kind == USUAL and everything >= _FEW:
            shown[by] = [100 * part.value for part in parts.values()]

    def draw() -> str:
        return plots.grouped(
            [domain.name.capitalize() for domain in Domain],
            shown,
            f"Hegemonies by Domain, per cent\n{USUAL.name}",
        )

    return Finding(
        "domains",
        "Which Domains win",
        "Of the games that were won by Hegemony, in which Domain.",
        ("table", "played by", "games", *(f"{domain.name.capitalize()}, %" for domain in Domain)),
        tuple(rows),
        data,
        draw if shown else None,
    )


def seats(study: Study) -> Finding:
    """What each seat is worth."""
    rows, data = [], []
    shown: dict[str, tuple[float, float, float]] = {}
    for by, kind, games in seen(study):
        parts = [rate(wins, len(games)) for wins in games.shares.sum(axis=0)]
        cells = [per_cent(part) for part in parts]
        rows.append((kind.name, by, *cells, *["–"] * (MAX_PLAYERS - len(cells))))
        data.append(facts(by, kind, seats=[part.to_data() for part in parts]))
        first = parts[0]
        even = 1 / (2 if kind.teams else kind.players)
        shown[f"{kind.name}, {by}"] = (first.value - even, first.low - even, first.high - even)

    def draw() -> str:
        return plots.intervals(
            shown, "the First Player's games won, percentage points above an even share", even=0.0
        )

    return Finding(
        "seats",
        "What each seat is worth",
        "Games won from each seat, everybody playing alike; a shared win counts in parts, and teammates win together.",
        ("table", "played by", *(f"seat {seat}, %" for seat in range(1, MAX_PLAYERS + 1))),
        tuple(rows),
        data,
        draw if shown else None,
    )


#: What is compared between two kinds of tables.
_COMPARED: Final[Mapping[str, Callable[[Games], Array]]] = {
    "rounds": lambda games: games.rounds,
    "hegemony": lambda games: games.ended(Ending.HEGEMONY),
    "first_seat": lambda games: games.shares[:, 0],
}


def compared(one: Games, other: Games) -> dict[str, Difference]:
    """By how much the one is above the other."""
    return {name: difference(of(one), of(other)) for name, of in _COMPARED.items()}


def told(found: dict[str, Difference], comparisons: int) -> Cells:
    """The same as cells of a table."""
    return (
        change(found["rounds"], comparisons),
        points(found["hegemony"], comparisons),
        points(found["first_seat"], comparisons),
    )


def drafts(study: Study) -> Finding:
    """Basic against Draft."""
    pairs = [
        (by, kind, basic, drafted)
        for kind in KINDS
        for by in study.players
        if kind.variant == "basic"
        and (basic := study.of(by, kind)) is not None
        and (drafted := study.of(by, kind.with_variant("draft"))) is not None
    ]
    comparisons = len(pairs) * len(_COMPARED)
    rows, data = [], []
    for by, kind, basic, drafted in pairs:
        found = compared(drafted, basic)
        rows.append((kind.name.partition(",")[0], by, *told(found, comparisons)))
        data.append(facts(by, kind, **{name: apart.to_data() for name, apart in found.items()}))
    return Finding(
        "draft",
        "Basic against Draft",
        "How much more there is in games that begin with a draft than in those that do not, over the same shuffles. "
        f"What has a star is more than chance makes, at 95 % for all {comparisons} comparisons together.",
        ("players", "played by", "rounds", "Hegemony, points", "seat 1 wins, points"),
        tuple(rows),
        data,
    )


def switches(study: Study) -> Finding:
    """What each switch of the rulings changes."""
    pairs = [
        (by, switch, usual, other)
        for switch in SWITCHES
        for by in (CHANCE, SENSE)
        if (usual := study.of(by, home_of(switch))) is not None
        and (other := study.of(by, home_of(switch).switched(switch))) is not None
    ]
    comparisons = len(pairs) * len(_COMPARED)
    rows, data = [], []
    for by, switch, usual, other in pairs:
        found = compared(other, usual)
        rows.append(
            (other.kind.rulings.removeprefix(STANDARD), usual.kind.name, by, *told(found, comparisons))
        )
        told_apart = {name: apart.to_data() for name, apart in found.items()}
        data.append(facts(by, other.kind, switch=switch, rulings=other.kind.rulings, **told_apart))
    return Finding(
        "rulings",
        "What each switch of the rulings changes",
        "One switch at a time, the other way than the standard has it (`+` on, `!` off), over the same shuffles. "
        f"What has a star is more than chance makes, at 95 % for all {comparisons} comparisons together; "
        f"`{SAME}` is no difference in any game.",
        ("switch", "table", "played by", "rounds", "Hegemony, points", "seat 1 wins, points"),
        tuple(rows),
        data,
    )


def effects(study: Study) -> Finding:
    """What each effect is worth."""
    samples = [games for by in study.players if (games := study.of(by, USUAL)) is not None]
    comparisons = len(samples) * len(Effect)
    rows, data = [], []
    shown: dict[str, tuple[float, float, float]] = {}
    for effect in Effect:
        name = effect.name.capitalize().replace("_", " ")
        for games in samples:
            used = games.used(effect).mean()
            found = value_of(games, effect)
            worth = points(found, comparisons) if found is not None else "–"
            rows.append((name, games.by, f"{games.times(effect):.2f}", f"{100 * used:.1f}", worth))
            data.append(
                facts(
                    games.by,
                    games.kind,
                    effect=effect.name.lower(),
                    times_a_game=round(games.times(effect), 4),
                    used=round(float(used), 6),
                    value=found.to_data() if found is not None else None,
                )
            )
            if found is not None and games is samples[-1]:
                shown[name] = (found.value, found.low, found.high)

    def draw() -> str:
        label = (
            f"games won by those who used it, percentage points above those who did not ({samples[-1].by})"
        )
        return plots.intervals(shown, label, even=0.0)

    return Finding(
        "effects",
        "What each effect is worth",
        f"{USUAL.name}: how often an effect is applied in a game, by what part of the seats at all, and how much "
        "more often those won who applied it than those who did not. Whoever applies an effect has the cards for it, "
        "so this is what cards and effect are worth together. What has a star is more than chance makes, at 95 % for "
        f"all {comparisons} comparisons together.",
        ("effect", "played by", "times a game", "used by, %", "wins more, points"),
        tuple(rows),
        data,
        draw if shown else None,
    )


_FINDINGS: Final = (lengths, endings, domains, seats, drafts, switches, effects)
