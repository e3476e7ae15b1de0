"""Analyze a study: tables with confidence intervals, most of them with a plot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from hegemon.arena import plots
from hegemon.arena.samples import STANDARD, Array, GameSample, SampleSetup
from hegemon.arena.statistics import Difference, Estimate, advantage, difference, mean, rate, win_rate
from hegemon.arena.study import BASIC_SETUPS, RIVALS, SETUPS, GameStudy, editions, setup_for_switch
from hegemon.arena.tables import TextTable
from hegemon.notation.cards import domain_name
from hegemon.rules.actions import Effect
from hegemon.rules.cards import KINDS, Domain, age_of, domain_of
from hegemon.rules.position import MAX_PLAYERS, Ending
from hegemon.rules.rulings import PRESETS, SWITCHES

#: Marks significant differences.
STAR: Final = "*"
#: Shown where no game differs.
SAME: Final = "same"

Cells = tuple[str, ...]

_NOT_CAUSAL: Final = (
    "This is a correlation, not a cause: players choose by the cards they hold, and players who are ahead choose "
    "differently from those who are behind."
)


@dataclass(frozen=True)
class Finding:
    """One result of the study: a table with a caption, the same as plain data, and an optional plot as SVG."""

    name: str
    title: str
    text: str
    table: TextTable
    data: Any
    draw: Callable[[], str] | None = None


def findings(study: GameStudy) -> list[Finding]:
    """All findings that the finished games support."""
    return [finding for find in _FINDINGS if (finding := find(study)).table.rows]


def finished_samples(
    study: GameStudy, setups: Sequence[SampleSetup] = SETUPS
) -> Iterator[tuple[SampleSetup, GameSample]]:
    """The setups with finished games."""
    for setup in setups:
        if (games := study.of(setup)) is not None:
            yield setup, games


def data_row(setup: SampleSetup, **values: Any) -> dict[str, Any]:
    plain = {key: value.to_data() if isinstance(value, Estimate) else value for key, value in values.items()}
    return {"players": setup.players, "variant": setup.variant, "teams": setup.teams, **plain}


def percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} ± {100 * estimate.margin:.1f}"


def format_difference(found: Difference | None, comparisons: int, scale: int = 1) -> str:
    """A difference, with a star if it is significant; rates are scaled by 100 to percentage points."""
    if found is None:
        return "–"
    if found.identical:
        return SAME
    star = STAR if found.significant(comparisons) else ""
    return f"{scale * found.value:+.2f}{star} ± {scale * found.margin:.2f}"


def star_note(comparisons: int) -> str:
    return f"A star marks a significant difference, at 95 % for all {comparisons} comparisons together."


def interval(estimate: Estimate | None) -> plots.Interval | None:
    return None if estimate is None else (estimate.value, estimate.low, estimate.high)


# ------------------------------------------------------------------ the players, and how games go


def strength(study: GameStudy) -> Finding:
    setups = [replace(setup, rival=rival) for rival in RIVALS for setup in BASIC_SETUPS]
    rows, data = [], []
    for setup, games in finished_samples(study, setups):
        won = mean((games.shares * games.own).sum(axis=1) / games.own.sum(axis=1))
        even = 1 / setup.sides
        rows.append((setup.name, f"`{setup.rival}`", str(len(games)), percent(won), f"{100 * even:.1f}"))
        data.append(data_row(setup, rival=setup.rival, games=len(games), won=won, even=round(even, 6)))
    return Finding(
        "strength",
        "Strength of the players",
        "The player of this study in one seat, or in the seats of one team, against opponents in all other seats: "
        "`heuristic` is the playout policy of the search, and `argmax` is the same network at temperature 0, which "
        "always makes its most probable choice.",
        TextTable(("table", "opponents", "games", "win rate, %", "fair share, %"), rows),
        data,
    )


def lengths(study: GameStudy) -> Finding:
    rows, data = [], []
    shown: dict[str, plots.Interval] = {}
    for setup, games in finished_samples(study):
        rounds, decisions = mean(games.rounds), mean(games.decisions)
        spread = [int(edge) for edge in np.quantile(games.rounds, (0.05, 0.5, 0.95))]
        cells = (f"{found.value:.2f} ± {found.margin:.2f}" for found in (rounds, decisions))
        rows.append((setup.name, str(len(games)), *cells, "–".join(map(str, spread))))
        data.append(data_row(setup, games=len(games), rounds=rounds, decisions=decisions, quantiles=spread))
        shown[setup.name] = (rounds.value, rounds.low, rounds.high)
    return Finding(
        "length",
        "Length of games",
        "Means of rounds and choices; for rounds, also the 5th percentile, the median and the 95th percentile.",
        TextTable(("table", "games", "rounds", "choices", "rounds: p5, median, p95"), rows),
        data,
        partial(plots.intervals, shown, "rounds", scale=1, form="{:.1f}") if shown else None,
    )


def endings(study: GameStudy) -> Finding:
    kinds = list(Ending)[1:]
    rows, data = [], []
    shown: dict[str, list[plots.Interval | None]] = {kind.name.capitalize(): [] for kind in kinds}
    for setup, games in finished_samples(study):
        parts = {kind.name: rate(games.ended(kind).sum(), len(games)) for kind in kinds}
        rows.append((setup.name, str(len(games)), *map(percent, parts.values())))
        data.append(data_row(setup, **{name.lower(): part for name, part in parts.items()}))
        for name, part in parts.items():
            shown[name.capitalize()].append(interval(part))
    return Finding(
        "endings",
        "Endings",
        "By Hegemony, by Majority when the Age deck is empty, or by a stall when no player draws anymore.",
        TextTable(("table", "games", "Hegemony, %", "Majority, %", "stalled, %"), rows),
        data,
        partial(plots.grouped, names(study), shown, "games, percent") if rows else None,
    )


def names(study: GameStudy, setups: Sequence[SampleSetup] = SETUPS) -> list[str]:
    return [setup.name for setup, _ in finished_samples(study, setups)]


def domains(study: GameStudy) -> Finding:
    rows, data = [], []
    shown: dict[str, list[plots.Interval | None]] = {}
    for setup, games in finished_samples(study):
        won = {domain: games.hegemonies(domain) for domain in Domain}
        total = sum(won.values())
        if not total:
            continue
        parts = {domain: rate(number, total) for domain, number in won.items()}
        rows.append((setup.name, str(total), *(percent(part) for part in parts.values())))
        by_domain = {domain.name.lower(): part for domain, part in parts.items()}
        data.append(data_row(setup, hegemonies=total, **by_domain))
        if setup in BASIC_SETUPS:
            shown[setup.name] = [interval(part) for part in parts.values()]
    titles = [domain_name(domain) for domain in Domain]
    return Finding(
        "domains",
        "Hegemonies by Domain",
        "The Domains of games that were won by Hegemony.",
        TextTable(("table", "Hegemonies", *(f"{title}, %" for title in titles)), rows),
        data,
        partial(plots.grouped, titles, shown, "Hegemonies by Domain, percent") if shown else None,
    )


def seats(study: GameStudy) -> Finding:
    rows, data = [], []
    samples = list(finished_samples(study))
    comparisons = sum(setup.sides for setup, _ in samples)
    shown: dict[str, list[plots.Interval | None]] = {f"seat {seat + 1}": [] for seat in range(MAX_PLAYERS)}
    for setup, games in samples:
        parts = [difference(share, np.full(len(games), 1 / setup.sides)) for share in games.shares.T]
        cells = [
            f"{100 / setup.sides + 100 * part.value:.1f}{STAR if part.significant(comparisons) else ''} "
            f"± {100 * part.margin:.1f}"
            for part in parts
        ]
        rows.append((setup.name, str(len(games)), *cells, *["–"] * (MAX_PLAYERS - len(cells))))
        data.append(data_row(setup, even=round(1 / setup.sides, 6), above=[part.to_data() for part in parts]))
        missing: list[Estimate | None] = [None] * (MAX_PLAYERS - len(parts))
        for name, part in zip(shown, [*parts, *missing], strict=True):
            shown[name].append(interval(part))
    return Finding(
        "seats",
        "Win rate by seat",
        "A shared win is divided, and teammates win together. A star marks a significant difference from a fair "
        f"share, at 95 % for all {comparisons} comparisons together.",
        TextTable(("table", "games", *(f"seat {seat}, %" for seat in range(1, MAX_PLAYERS + 1))), rows),
        data,
        partial(plots.grouped, names(study), shown, "games won, percentage points above an even share")
        if rows
        else None,
    )


# ------------------------------------------------------------------ comparisons of setups

#: The statistics compared between two setups, and the scale on which a difference is shown.
_COMPARED: Final[Mapping[str, tuple[Callable[[GameSample], Array], int]]] = {
    "rounds": (lambda games: games.rounds, 1),
    "hegemony": (lambda games: games.ended(Ending.HEGEMONY), 100),
    "first_seat": (lambda games: games.shares[:, 0], 100),
    "last_seat": (lambda games: games.shares[:, -1], 100),
}
_HEADINGS: Final = ("rounds", "Hegemony, points", "seat 1 wins, points", "last seat wins, points")


def compare(one: GameSample, other: GameSample, comparisons: int) -> tuple[dict[str, Difference], Cells]:
    """The differences between two samples, and their cells in a table."""
    found = {name: difference(of(one), of(other)) for name, (of, _) in _COMPARED.items()}
    cells = (format_difference(found[name], comparisons, scale) for name, (_, scale) in _COMPARED.items())
    return found, tuple(cells)


def drafts(study: GameStudy) -> Finding:
    pairs = [
        (setup, basic, drafted)
        for setup, basic in finished_samples(study, BASIC_SETUPS)
        if (drafted := study.of(replace(setup, variant="draft"))) is not None
    ]
    comparisons = len(pairs) * len(_COMPARED)
    rows, data = [], []
    for setup, basic, drafted in pairs:
        found, cells = compare(drafted, basic, comparisons)
        rows.append((setup.players_label, str(len(drafted)), *cells))
        data.append(data_row(setup, **found))
    return Finding(
        "draft",
        "Effect of the draft",
        "The difference between games with a draft and games without one, over the same shuffles. "
        + star_note(comparisons),
        TextTable(("players", "games", *_HEADINGS), rows),
        data,
    )


_UNTRAINED: Final = (
    "The network was trained with the standard and plays as if it were in force. It does without what other rulings "
    "remove or hide. Choices that they add have probabilities that were never trained: the last column shows how many "
    "of these it makes per game, and where it is not 0.00, the row does not describe strong play. "
)


def compare_rulings(
    study: GameStudy, setups: Mapping[SampleSetup, str]
) -> tuple[list[Cells], list[Any], int]:
    """Rows and data for setups with nonstandard rulings, and the number of comparisons."""
    pairs = [
        (setup, usual, other)
        for setup, other in finished_samples(study, list(setups))
        if (usual := study.of(replace(setup, rulings=STANDARD))) is not None
    ]
    comparisons = len(pairs) * len(_COMPARED)
    rows, data = [], []
    for setup, usual, other in pairs:
        found, cells = compare(other, usual, comparisons)
        new = float(other.counts[usual.counts == 0].sum() / len(other))
        rows.append((setups[setup], setup.name, str(len(other)), *cells, f"{new:.2f}"))
        data.append(data_row(setup, rulings=setup.rulings, new_choices=round(new, 4), **found))
    return rows, data, comparisons


def preset_rulings(study: GameStudy) -> Finding:
    setups = {
        replace(setup, rulings=edition): ", ".join(alike)
        for edition, alike in editions().items()
        for setup in BASIC_SETUPS
    }
    rows, data, comparisons = compare_rulings(study, setups)
    same = [f"`{name}`" for name in PRESETS if name != STANDARD and PRESETS[name] == PRESETS[STANDARD]]
    return Finding(
        "editions",
        "Effect of the editions",
        f"The presets of the editions compared with the standard, over the same shuffles; {' and '.join(same)} are "
        f"the standard. {_UNTRAINED}{star_note(comparisons)}",
        TextTable(("edition", "table", "games", *_HEADINGS, "new choices"), rows),
        data,
    )


def switches(study: GameStudy) -> Finding:
    setups = {setup_for_switch(switch).switched(switch): switch for switch in SWITCHES}
    signed_names = {setup: setup.rulings.removeprefix(STANDARD) for setup in setups}
    rows, data, comparisons = compare_rulings(study, signed_names)
    return Finding(
        "rulings",
        "Effect of each switch",
        "One switch at a time is changed from the standard (`+` on, `!` off), over the same shuffles; "
        f"`{SAME}` means no difference in any game. {_UNTRAINED}{star_note(comparisons)}",
        TextTable(("switch", "table", "games", *_HEADINGS, "new choices"), rows),
        data,
    )


# ------------------------------------------------------------------ what players do


def picks(study: GameStudy) -> Finding:
    samples = [(setup, games) for setup, games in finished_samples(study) if setup.variant == "draft"]
    cards = [card for card in range(len(KINDS)) if any(games.offered(card).any() for _, games in samples)]
    comparisons = len(samples) * len(cards)
    rows, data = [], []
    shown: dict[str, list[plots.Interval | None]] = {setup.name: [] for setup, _ in samples}
    titles = [f"{domain_name(Domain(domain_of(KINDS[card])))} {'I' * age_of(KINDS[card])}" for card in cards]
    for setup, games in samples:
        for card, title in zip(cards, titles, strict=True):
            offered, taken = games.offered(card), games.pick == card
            part = rate(taken.sum(), int(offered.sum()))
            more = advantage(taken, offered & ~taken, games.shares)
            shown[setup.name].append(interval(part))
            rows.append(
                (
                    setup.name,
                    title,
                    str(offered.sum()),
                    percent(part),
                    format_difference(more, comparisons, 100),
                )
            )
            data.append(data_row(setup, card=title, offered=int(offered.sum()), taken=part, more=more))
    return Finding(
        "picks",
        "First picks",
        "The first pick of every seat in the draft: how often a card is taken when it is in the packet, and the "
        "difference in win rate between seats that took it and seats that passed it on. "
        f"{_NOT_CAUSAL} {star_note(comparisons)}",
        TextTable(("table", "card", "offered", "taken, %", "difference, points"), rows),
        data,
        partial(plots.grouped, titles, shown, "taken when offered, percent") if rows else None,
    )


def openings(study: GameStudy) -> Finding:
    samples = list(finished_samples(study))
    comparisons = len(samples) * len(Domain)
    rows, data = [], []
    shown: dict[str, list[plots.Interval | None]] = {setup.name: [] for setup in BASIC_SETUPS}
    for setup, games in samples:
        for domain in Domain:
            opened, number = games.opening == domain, games.opening.size
            part = rate(opened.sum(), number)
            more = advantage(opened, ~opened, games.shares)
            rows.append(
                (setup.name, domain_name(domain), percent(part), format_difference(more, comparisons, 100))
            )
            data.append(data_row(setup, domain=domain.name.lower(), opened=part, more=more))
            if setup in BASIC_SETUPS:
                shown[setup.name].append(interval(part))
    titles = [domain_name(domain) for domain in Domain]
    return Finding(
        "openings",
        "Openings",
        "The Domain of the first card that each seat plays, and the difference in win rate from the other seats. "
        f"{_NOT_CAUSAL} {star_note(comparisons)}",
        TextTable(("table", "Domain", "opened with, %", "difference, points"), rows),
        data,
        partial(
            plots.grouped, titles, {key: row for key, row in shown.items() if row}, "first cards, percent"
        )
        if any(shown.values())
        else None,
    )


def effects(study: GameStudy) -> Finding:
    samples = list(finished_samples(study, BASIC_SETUPS))
    comparisons = len(samples) * len(Effect)
    rows, data = [], []
    shown: dict[str, list[plots.Interval | None]] = {setup.name: [] for setup, _ in samples}
    titles = [effect.name.capitalize().replace("_", " ") for effect in Effect]
    for effect, title in zip(Effect, titles, strict=True):
        for setup, games in samples:
            used, times = games.used(effect), games.times(effect)
            won = win_rate(used, games.shares)
            more = advantage(used, ~used, games.shares)
            cells = (f"{times:.2f}", f"{100 * used.mean():.1f}", percent(won) if won else "–")
            rows.append((title, setup.name, *cells, format_difference(more, comparisons, 100)))
            facts = {"times_a_game": round(times, 4), "used": round(float(used.mean()), 6)}
            data.append(data_row(setup, effect=effect.name.lower(), **facts, won=won, more=more))
            shown[setup.name].append(interval(more))
    return Finding(
        "effects",
        "Effects",
        "How often an effect is applied per game, the share of seats that apply it at all, their win rate, and the "
        f"difference from the other seats. {_NOT_CAUSAL} {star_note(comparisons)}",
        TextTable(
            ("effect", "table", "times per game", "used by, %", "win rate, %", "difference, points"), rows
        ),
        data,
        partial(plots.grouped, titles, shown, "games won by those who used it, points above the others")
        if rows
        else None,
    )


_FINDINGS: Final = (
    strength, lengths, endings, domains, seats, drafts, picks, openings, effects, preset_rulings, switches,
)  # fmt: skip
