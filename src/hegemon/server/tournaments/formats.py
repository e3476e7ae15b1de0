"""The formats of tournaments, and their limits."""

from typing import Final

from hegemon.server.texts import translatable

SWISS: Final = "swiss"
ROUND_ROBIN: Final = "round-robin"
DUPLICATE: Final = "duplicate"
GROUPS: Final = "groups"

#: The formats that a host can choose, with the possible numbers of players at a table.
FORMATS: Final = {SWISS: (2,), ROUND_ROBIN: (2,), DUPLICATE: (3, 4)}

FORMAT_NAMES: Final = {
    SWISS: translatable("Swiss"),
    ROUND_ROBIN: translatable("Round robin"),
    DUPLICATE: translatable("Duplicate"),
    GROUPS: translatable("Groups of four"),
}

#: How the games of each format are chosen, in a sentence.
EXPLANATIONS: Final = {
    SWISS: translatable(
        "In every round, players with similar points meet, and no two of them meet twice. With an odd number of "
        "players, one of the last has a bye, which counts as a win."
    ),
    ROUND_ROBIN: translatable(
        "Everyone plays everyone else once. With an odd number of players, everyone has one bye, which counts as a win."
    ),
    DUPLICATE: translatable(
        "In a round, all tables play the same cards. Everyone changes seats from round to round, so that all sit on "
        "every seat equally often. Bots fill the empty places. A game can be watched when its round is over."
    ),
    GROUPS: translatable(
        "Players of similar strength form groups of four. Everyone in a group plays everyone else once, all games at "
        "the same time. Bots fill the empty places."
    ),
}

#: Explanations of points and tie-breaks.
POINTS: Final = translatable("Points: a win counts 1, a shared win ½.")
BUCHHOLZ: Final = translatable(
    "Buchholz: the points of all your opponents together; a bye counts as an opponent with as many points as you have."
)
SONNEBORN_BERGER: Final = translatable(
    "Sonneborn-Berger: the points of those you have beaten, and half of the points of those with whom you shared a win."
)
SCORE: Final = translatable(
    "Game points: a win counts 10, and every Domain in which you have the majority 1; a Hegemony counts like all six."
)
COMPARISON: Final = translatable(
    "Comparison: 1 for everyone who held the same cards on the same seat and has a lower score, ½ for an equal one."
)
WINS: Final = translatable("Wins: the number of games that you have won.")

#: The names of points and tie-breaks, by key.
CRITERION_NAMES: Final = {
    "points": translatable("Points"),
    "buchholz": translatable("Buchholz"),
    "sonneborn-berger": translatable("Sonneborn-Berger"),
    "score": translatable("Game points"),
    "comparison": translatable("Comparison"),
    "wins": translatable("Wins"),
}

CRITERION_TEXTS: Final = {
    "points": POINTS,
    "buchholz": BUCHHOLZ,
    "sonneborn-berger": SONNEBORN_BERGER,
    "score": SCORE,
    "comparison": COMPARISON,
    "wins": WINS,
}

#: The keys of points and tie-breaks of each format, in order of precedence.
CRITERIA: Final = {
    SWISS: ("points", "buchholz", "sonneborn-berger", "score"),
    ROUND_ROBIN: ("points", "sonneborn-berger", "score"),
    GROUPS: ("points", "sonneborn-berger", "score"),
    DUPLICATE: ("score", "comparison", "wins"),
}

MAX_ENTRIES: Final = 64
MAX_ROUNDS: Final = 15
MAX_PAUSE: Final = 24 * 60 * 60
GROUP_SIZE: Final = 4


def rounds_of(format_name: str, requested: int, entries: int) -> int:
    """The number of rounds of a tournament; a Swiss one has at most one per opponent."""
    opponents = entries - 1 + entries % 2
    if format_name == GROUPS:
        return 1
    if format_name == ROUND_ROBIN:
        return opponents
    return min(requested, opponents) if format_name == SWISS else requested


def missing_bots(format_name: str, players: int, entries: int) -> int:
    """The number of bots needed to fill a field: to at least one table, and in duplicate to full tables."""
    if format_name == DUPLICATE:
        return max(players - entries, -entries % players)
    if format_name == GROUPS:
        return max(GROUP_SIZE - entries, -entries % GROUP_SIZE)
    return max(0, players - entries)
