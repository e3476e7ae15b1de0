"""Analyze a study: tables with confidence intervals, most of them with a plot."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from hegemon.arena import plots
from hegemon.arena.samples import STANDARD, Array, GameSample, Setup
from hegemon.arena.statistics import Difference, Estimate, difference, effect_value, mean, rate
from hegemon.arena.study import CHANCE, DEFAULT_SETUP, SENSE, SETUPS, GameStudy, setup_for_switch
from hegemon.arena.tables import TextTable
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import MAX_PLAYERS, Ending
from hegemon.rules.rulings import SWITCHES

#: Marks significant differences.
STAR: Final = "*"
#: Shown where no game differs.
SAME: Final = "same"

# More games would not change the plot of lengths.
MAX_PLOTTED_GAMES: Final = 100_000
MIN_PLOTTED_HEGEMONIES: Final = 20

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """One result of the study: a table with a caption, the same as plain data, and perhaps a plot as SVG."""

    name: str
    title: str
    text: str
    table: TextTable
    data: Any
    draw: Callable[[], str] | None = None


def findings(study: GameStudy) -> list[Finding]:
    """All findings that the finished games support."""
    return [finding for find in _FINDINGS if (finding := find(study)).table.rows]


def samples_by_setup(study: GameStudy) -> Iterator[tuple[str, Setup, GameSample]]:
    """All samples with standard rulings."""
    for setup in SETUPS:
        for by in study.players:
            if (games := study.of(by, setup)) is not None:
                yield by, setup, games


def data_row(by: str, setup: Setup, **values: Any) -> dict[str, Any]:
    plain = {key: value.to_data() if isinstance(value, Estimate) else value for key, value in values.items()}
    return {"by": by, "players": setup.players, "variant": setup.variant, "teams": setup.teams, **plain}


def percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} ± {100 * estimate.margin:.1f}"


def signed(found: Difference, comparisons: int, scale: int = 1) -> str:
    """A difference, with a star if it is significant; rates are scaled by 100 to percentage points."""
    if found.identical:
        return SAME
    star = STAR if found.significant(comparisons) else ""
    return f"{scale * found.value:+.2f}{star} ± {scale * found.margin:.2f}"


# ------------------------------------------------------------------ findings


def lengths(study: GameStudy) -> Finding:
    rows, data, shown = [], [], {}
    for by, setup, games in samples_by_setup(study):
        rounds = mean(games.rounds)
        spread = [int(edge) for edge in np.quantile(games.rounds, (0.05, 0.5, 0.95))]
        decisions = mean(games.decisions)
        cells = (
            f"{rounds.value:.2f} ± {rounds.margin:.2f}",
            "–".join(map(str, spread)),
            f"{decisions.value:.0f}",
        )
        rows.append((setup.name, by, str(len(games)), *cells))
        data.append(
            data_row(by, setup, games=len(games), rounds=rounds, decisions=decisions, quantiles=spread)
        )
        if setup == DEFAULT_SETUP:
            shown[by] = games.rounds[:MAX_PLOTTED_GAMES].tolist()
    return Finding(
        "length",
        "How long games are",
        "The spread is the 5th percentile, the median and the 95th percentile.",
        TextTable(("table", "played by", "games", "rounds", "spread", "choices"), rows),
        data,
        partial(plots.histogram, shown, f"rounds, {DEFAULT_SETUP.name}") if shown else None,
    )


def endings(study: GameStudy) -> Finding:
    rows, data = [], []
    bars: dict[str, dict[str, float]] = {by: {} for by in study.players}
    for by, setup, games in samples_by_setup(study):
        parts = {ending: rate(games.ended(ending).sum(), len(games)) for ending in list(Ending)[1:]}
        rows.append((setup.name, by, *(percent(part) for part in parts.values())))
        data.append(data_row(by, setup, **{ending.name.lower(): part for ending, part in parts.items()}))
        bars[by][setup.name] = 100 * parts[Ending.HEGEMONY].value
    names = [setup.name for setup in SETUPS]
    shown = {by: [found.get(name, 0.0) for name in names] for by, found in bars.items() if found}
    labels = [name.replace(", ", "\n") for name in names]
    return Finding(
        "endings",
        "How games end",
        "By Hegemony, by Majority when the Age deck is out, or by a stall when no player draws any more.",
        TextTable(("table", "played by", "Hegemony, %", "Majority, %", "stalled, %"), rows),
        data,
        partial(plots.grouped, labels, shown, "won by Hegemony, percent") if shown else None,
    )


def domains(study: GameStudy) -> Finding:
    names = [domain.name.capitalize() for domain in Domain]
    rows, data, shown = [], [], {}
    for by, setup, games in samples_by_setup(study):
        won = {domain: games.hegemonies(domain) for domain in Domain}
        everything = sum(won.values())
        if not everything:
            continue
        parts = {domain: rate(number, everything) for domain, number in won.items()}
        rows.append((setup.name, by, str(everything), *(percent(part) for part in parts.values())))
        by_domain = {domain.name.lower(): part for domain, part in parts.items()}
        data.append(data_row(by, setup, hegemonies=everything, **by_domain))
        if setup == DEFAULT_SETUP and everything >= MIN_PLOTTED_HEGEMONIES:
            shown[by] = [100 * part.value for part in parts.values()]
    label = f"Hegemonies by Domain, percent\n{DEFAULT_SETUP.name}"
    return Finding(
        "domains",
        "Which Domains win",
        "Of the games that were won by Hegemony, in which Domain.",
        TextTable(("table", "played by", "games", *(f"{name}, %" for name in names)), rows),
        data,
        partial(plots.grouped, names, shown, label) if shown else None,
    )


def seats(study: GameStudy) -> Finding:
    rows, data = [], []
    shown: dict[str, tuple[float, float, float]] = {}
    for by, setup, games in samples_by_setup(study):
        parts = [rate(wins, len(games)) for wins in games.shares.sum(axis=0)]
        cells = [percent(part) for part in parts]
        rows.append((setup.name, by, *cells, *["–"] * (MAX_PLAYERS - len(cells))))
        data.append(data_row(by, setup, seats=[part.to_data() for part in parts]))
        first, even = parts[0], 1 / (2 if setup.teams else setup.players)
        shown[f"{setup.name}, {by}"] = (first.value - even, first.low - even, first.high - even)
    label = "the First Player's games won, percentage points above an even share"
    return Finding(
        "seats",
        "What each seat is worth",
        "Games won from each seat, with the same player on all seats; a shared win is divided, and teammates win "
        "together.",
        TextTable(("table", "played by", *(f"seat {seat}, %" for seat in range(1, MAX_PLAYERS + 1))), rows),
        data,
        partial(plots.intervals, shown, label, even=0.0) if shown else None,
    )


#: The statistics compared between two setups, and the scale on which a difference is shown.
_COMPARED: Final[Mapping[str, tuple[Callable[[GameSample], Array], int]]] = {
    "rounds": (lambda games: games.rounds, 1),
    "hegemony": (lambda games: games.ended(Ending.HEGEMONY), 100),
    "first_seat": (lambda games: games.shares[:, 0], 100),
}


def compare(one: GameSample, other: GameSample, comparisons: int) -> tuple[dict[str, Difference], Cells]:
    """The differences of two samples, and the same as cells of a table."""
    found = {name: difference(of(one), of(other)) for name, (of, _) in _COMPARED.items()}
    cells = (signed(found[name], comparisons, scale) for name, (_, scale) in _COMPARED.items())
    return found, tuple(cells)


def drafts(study: GameStudy) -> Finding:
    pairs = [
        (by, setup, basic, drafted)
        for setup in SETUPS
        for by in study.players
        if setup.variant == "basic"
        and (basic := study.of(by, setup)) is not None
        and (drafted := study.of(by, replace(setup, variant="draft"))) is not None
    ]
    comparisons = len(pairs) * len(_COMPARED)
    rows, data = [], []
    for by, setup, basic, drafted in pairs:
        found, cells = compare(drafted, basic, comparisons)
        rows.append((setup.name.partition(",")[0], by, *cells))
        data.append(data_row(by, setup, **found))
    return Finding(
        "draft",
        "Basic against Draft",
        "How much more there is in games that begin with a draft than in those that do not, over the same shuffles. "
        f"A star marks a significant difference, at 95 % for all {comparisons} comparisons together.",
        TextTable(("players", "played by", "rounds", "Hegemony, points", "seat 1 wins, points"), rows),
        data,
    )


def switches(study: GameStudy) -> Finding:
    pairs = [
        (by, switch, usual, other)
        for switch in SWITCHES
        for by in (CHANCE, SENSE)
        if (usual := study.of(by, setup_for_switch(switch))) is not None
        and (other := study.of(by, setup_for_switch(switch).switched(switch))) is not None
    ]
    comparisons = len(pairs) * len(_COMPARED)
    rows, data = [], []
    for by, switch, usual, other in pairs:
        found, cells = compare(other, usual, comparisons)
        rows.append((other.setup.rulings.removeprefix(STANDARD), usual.setup.name, by, *cells))
        data.append(data_row(by, other.setup, switch=switch, rulings=other.setup.rulings, **found))
    return Finding(
        "rulings",
        "What each switch of the rulings changes",
        "One switch at a time, the other way than the standard has it (`+` on, `!` off), over the same shuffles. "
        f"A star marks a significant difference, at 95 % for all {comparisons} comparisons together; "
        f"`{SAME}` is no difference in any game.",
        TextTable(
            ("switch", "table", "played by", "rounds", "Hegemony, points", "seat 1 wins, points"), rows
        ),
        data,
    )


def effects(study: GameStudy) -> Finding:
    samples = [games for by in study.players if (games := study.of(by, DEFAULT_SETUP)) is not None]
    comparisons = len(samples) * len(Effect)
    rows, data = [], []
    shown: dict[str, tuple[float, float, float]] = {}
    for effect in Effect:
        name = effect.name.capitalize().replace("_", " ")
        for games in samples:
            used, times, found = games.used(effect).mean(), games.times(effect), effect_value(games, effect)
            worth = signed(found, comparisons, 100) if found is not None else "–"
            rows.append((name, games.by, f"{times:.2f}", f"{100 * used:.1f}", worth))
            facts = {
                "effect": effect.name.lower(),
                "times_a_game": round(times, 4),
                "used": round(float(used), 6),
            }
            data.append(data_row(games.by, games.setup, **facts, value=found))
            if found is not None and games is samples[-1]:
                shown[name] = (found.value, found.low, found.high)
    label = "games won by those who used it, percentage points above those who did not"
    return Finding(
        "effects",
        "What each effect is worth",
        f"{DEFAULT_SETUP.name}: how often an effect is applied in a game, by what part of the seats at all, and how "
        "much more often those seats won than the others. A player who applies an effect has the cards for it, so this "
        "is what cards and effect are worth together. A star marks a significant difference, at 95 % for all "
        f"{comparisons} comparisons together.",
        TextTable(("effect", "played by", "times a game", "used by, %", "wins more, points"), rows),
        data,
        partial(plots.intervals, shown, f"{label} ({samples[-1].by})", even=0.0) if shown else None,
    )


_FINDINGS: Final = (lengths, endings, domains, seats, drafts, switches, effects)
