"""Puzzles, in English: win this turn. Every position comes from a game that was played, and can be won for certain.

`scripts/puzzles.py` found them; the records of their games are in `tests/golden/puzzles`, and a test solves each again.
"""

from typing import Final, NamedTuple


class Puzzle(NamedTuple):
    """A position whose player can win this turn with the cards that can be seen."""

    game: str
    """The game it comes from, by the name of its record, and how many words had been said."""
    players: int
    seat: int
    position: str
    first: tuple[str, ...]
    """The cards to play that still win, whatever is hidden."""
    solution: tuple[str, ...]
    """A shortest way to win."""
    difficulty: int
    why: str


PUZZLES: Final = (
    Puzzle(
        game="430-109",
        players=2,
        seat=0,
        position="M11111S1122222(M222)/R11112(R222) 1p - - - "
        "R2S2R2M2C2S2M2C3S3U33E3U3S3C3E3M3U3C3M3C3U333S3E33U33E3M3S333U33C3U3S3E3C3S3U3C3U33M3U3 "
        "M12R111122E11112222S12C111122 15 standard",
        first=("M",),
        solution=("M", "S++", "S", "S", "M", "M", "."),
        difficulty=1,
        why="Research puts two cards down at once. The two Science cards that it takes back are not needed, and "
        "with the card of step 1 three Military cards come into play in one turn: eight.",
    ),
    Puzzle(
        game="248-177",
        players=3,
        seat=2,
        position="E112233u3U3(M3S33C33U33)/R12222S2(E3333S3U33)/M112222u3R2(M22C3) 3p - - - M3S3E3C3S3M3C3U3C3U3333 "
        "M1111123R11111122E11223S11122222233C1111222233U33 12* standard",
        first=("C",),
        solution=("C", "cE++", "R", "C", "M", "M", "."),
        difficulty=2,
        why="Play Culture first: a single card is the lead, and the lead lets you copy Monopoly from the player "
        "with six Economy cards. It costs the two cards you can do without, and plays two Military cards.",
    ),
    Puzzle(
        game="364-228",
        players=4,
        seat=3,
        position="M11233u3E3u3C3u3(E33S3)/(E33)/M11112u3C2U33(M1S33)/S113C3(S3U33) 4p - - - - "
        "M122222233R1111111122222222E11112222333S1122222222333C1111222333333U33333333 12* standard",
        first=("S", "U"),
        solution=("U", "S+", "S", "U", "."),
        difficulty=2,
        why="This is the last turn, so points count. A second Utopia card ties that Domain, and then three "
        "players have three points each. Utopia is compared first, then Culture, then Science, and there you have "
        "the most.",
    ),
    Puzzle(
        game="793-216",
        players=3,
        seat=2,
        position="M11122u3E3C2U3(E3C3U3)/R11222u333C11333U3(R12S3C33U3)/E3S1112(M3U33) 3p - - 2>3S - "
        "M1111222233R1111222E111222233333S122222223333333C1122233U3333 16* standard",
        first=("U",),
        solution=("U", "S+", "E", "U", "."),
        difficulty=3,
        why="This is the last turn, so points count. Leading in Utopia makes two Domains for each of three "
        "players, and between equals most Utopia cards decide. So both must come into play: one in step 1, "
        "the other by Experiment.",
    ),
    Puzzle(
        game="864-223",
        players=4,
        seat=3,
        position="R1222u3C1u3U3(S3C2233U3)/C3(M3E33S3C3U3)/Mu3E1223333u3C3U3(M3S3)/M2S23(M3C33) 4p - - - - "
        "M1111111122222223R111111122222E1112233S111122222223333C111223U33333333 11* standard",
        first=("C",),
        solution=("C", "S+", "S", "C", "."),
        difficulty=3,
        why="This is the last turn, so points count. In Culture nobody has more than one card: play one in step "
        "1 and another by Experiment, and you lead in three Domains, which nobody else does.",
    ),
    Puzzle(
        game="103-146",
        players=3,
        seat=1,
        position="S111123u3C22(M3R2S3)/R11122E2C11(R22C3U3333)/M11222S2C2(M2E3U3) 2p - - - "
        "E3U33E3U3E3S3E33U33C3333S3U3C3E3M3U3S33U3S3C33U3 M111122223R111122E1111222S222223C11 14* standard",
        first=("C",),
        solution=("C", "cS++", "E", "C", "R", "R", "."),
        difficulty=4,
        why="A third Culture card is the lead, and the lead lets you copy Research from the player with six "
        "Science cards. Take back two cards you can spare and play two Religion cards: seven. Even Culture "
        "may go, for a copied effect asks only once.",
    ),
    Puzzle(
        game="942-115",
        players=3,
        seat=0,
        position="R11122C1(M2R222S2C22)/S11222C1(E22C1122)/M1S2(M1S22) 1p - - - "
        "M23C3S3C3U3S3U333M3S3U3M3C3U33S3E3U33S3C3E3U3E33U3E3U3C3M3E3U33C3S3E3C3S3E3U3 "
        "M111111222222R111122E112S11 10 standard",
        first=("C",),
        solution=("C", "cS++", "C", "C", "R", "R", "."),
        difficulty=4,
        why="A second Culture card is the lead, and the lead lets you copy Research. The trick is what to take "
        "back: the very Culture cards that gave you the lead, so that no Religion card is missing.",
    ),
    Puzzle(
        game="984-217",
        players=4,
        seat=0,
        position="M1S12233C2U3u3(S3U33)/(M3U33)/M3Ru33E1233C33(M3S3U3)/(E3S3U3) 1p - - - E33S3C3 "
        "M1111111222222223R1111111122222222E111222333S11122222233C111122233333U333333 12 standard",
        first=("U",),
        solution=("U", "U+", "S", "S++", "M", "C", "S", "S", "."),
        difficulty=5,
        why="With four players two Utopia cards wake Oligarchy. It fetches a Science card from the discard pile, "
        "and Research plays it together with the one in your hand: seven.",
    ),
    Puzzle(
        game="379-220",
        players=4,
        seat=0,
        position="S1122222u33U3u3(S3C3U3)/(S3C3U3)/M122C2(M3S3C3)/M3(E33U3) 1p - - - U333S3 "
        "M111111122222233R1111111122222222E11112222333333S112223333C111122233333U333333 12 standard",
        first=("U",),
        solution=("U", "U+", "S", "S++", "U", "U", "S", "S", "."),
        difficulty=5,
        why="Two Democracies ask for nine Science cards, and seven lie there. Utopia wakes Oligarchy, which "
        "fetches one from the discard pile; then Research takes both Utopia cards back and plays two Science "
        "cards. Every other order fails.",
    ),
)

#: What the pages themselves say.
PAGE: Final = {
    "title": "Puzzles",
    "lead": "Win this turn! Every position comes from a real game, and every puzzle can be won with the cards you see, "
    "whatever the others hold.",
    "number": "Puzzle {number}",
    "difficulty": "Difficulty: {number} of {all}",
    "solved": "solved",
    "task": "It is your turn. Win before it ends.",
    "going": "It is your turn still. Win before it ends.",
    "lost": "The turn is over, and the win has slipped away. Take back a step, or start over.",
    "won": "Solved!",
    "again": "Start over",
    "back": "Take back",
    "show": "Show me",
    "way": "The shortest way",
    "why": "Why it works",
    "next": "Next puzzle",
    "all": "All puzzles",
}

#: The hardest puzzle has so many stars.
MOST_STARS: Final = 5

SENTENCES: Final = {
    **{f"page.{key}": text for key, text in PAGE.items()},
    **{puzzle.game: puzzle.why for puzzle in PUZZLES},
}
