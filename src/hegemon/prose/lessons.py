"""The first game that teaches, in English: positions of a game, what to try in them, and what is said about it.

The sentences have catalogs of their own, in `locale/learning`, with those of puzzles and hints.
"""

from typing import Final, NamedTuple


class Step(NamedTuple):
    """What the learner is asked to try."""

    word: str
    """The word that the step is about; other words on offer are answered kindly, and nothing changes."""
    text: str
    then: tuple[str, ...] = ()
    """What the others say after it."""


class Lesson(NamedTuple):
    """One thing to learn: the position it begins with, a few steps, and what to take home."""

    title: str
    position: str
    steps: tuple[Step, ...]
    closing: str
    seat: int = 0
    """Where the learner sits."""


LESSONS: Final = {
    "playing": Lesson(
        "Playing cards",
        "(M1S1C1)/(M1R1E1)/(M1R1E1) 1p - - - S1M1E1M1E1M1C1R11M1R11S1C1M1S1C2M2R2C2M2C2M2R2E2M2S22E2S"
        "2R2S2R2M2E2M2R22S2M2S22E2R22E3U33S3E33U3M3U33M3U3M3C3S33C3S3U3C3E3U3C33S33U333E3C3E3U3E33C3M3S3U333 - 1 "
        "standard",
        (
            Step(
                "S",
                "These three cards are your hand. Each belongs to a Domain and to an Age, and that is all there "
                "is to a card. Every turn begins with playing one: play Science.",
            ),
            Step(
                ".",
                "Your Science now stands at 1 of 7: whoever ends a turn with seven cards of one Domain wins. "
                "There is nothing more to do yet, so end your turn, and you will draw up to three cards again.",
                ("R", ".", "E", "."),
            ),
        ),
        "Your hand is full again, and the others have had their turns. That is the whole rhythm: play a card, use "
        "effects if you like, draw.",
    ),
    "permanent": Lesson(
        "Permanent effects",
        "R11S1(M1R1C1)/M1R1E1(M1R1S1)/M1E11(R1E1S1) 1p - - - S1C1M11R1M1R1M22S2R22S2M2R2C2S2M2S22M2S2"
        "C2R2E2R2E2R2S2R2M2S2E2M2C2M233U3M3E3S3E3C3E3U3E3U33C3S33U3S3E3S3U33C3S3C3E3S3U33S3C3U3C3U333C3U33E3U3 - "
        "4 standard",
        (
            Step(
                "R",
                "Three rounds later. Two Religion cards lie in front of you, and a third one wakes the permanent "
                "effect of that Domain. Play Religion.",
            ),
            Step(
                "R+",
                "Holy Book is awake: this turn you may draw up to five cards. Permanent effects cost nothing, "
                "and you may use one of every Domain each turn. Use it.",
            ),
            Step(".", "Now end your turn and watch your hand grow."),
        ),
        "Five cards instead of three! With three players, a permanent effect takes three cards of its Domain, "
        "and a stronger one takes five. The reference board by the table tells what each of them does.",
    ),
    "attack": Lesson(
        "Discard effects",
        "M12R11E1S2C1(M2R2S2)/M12R11E2S2C2(M2R2C2)/M1E111222(M2R2S2) 1p - - - "
        "M2R2S2M2C2R2S22R2M2R2U33333C3S3U3333M3U3E3S3E3C3E3S33U3E3C3S3C3U3E3S3E3U3M3C3E3U3C333U3S3M3S3 "
        "M1111R1111S11C111 12 standard",
        (
            Step(
                "M",
                "Look at Zenobia: six Economy cards, and seven win. Something has to be done, so play Military.",
            ),
            Step(
                "mE",
                "A discard effect takes just one card of its Domain, and that card is its price. An Attack costs "
                "Military; you lose a card of the Domain you name, and so does everybody else who has one. "
                "Attack Economy.",
            ),
        ),
        "Zenobia is down to five, at the price of two of your cards. Every Domain but Culture has such an "
        "effect, and each may be used once a turn.",
    ),
    "embargo": Lesson(
        "Embargo",
        "M2R11S22C1(R2E2S2)/M12R12S2C22(M2R2C2)/M1E111222(M2R2E1) 1p - - - "
        "M2R222C2S22M2S3U33333S3C3M3U33E3M3U3E3U33C3S3E3S3U33C3M3E3S3C33M3E3U33E3S3U3C33E3C3U3 "
        "M111112R111112S111C11 13 standard",
        (
            Step(
                "E",
                "Zenobia has her six Economy cards again. This time you hold Economy yourself: play it.",
            ),
            Step(
                "e+2",
                "An Embargo costs that card: it goes face down onto a Domain of another player, who cannot play "
                "that Domain in their next turn. Aim it at Zenobia.",
            ),
            Step("E", "And on which Domain? On Economy, of course."),
            Step(
                ".",
                "There it lies. End your turn, and see what she does.",
                ("M", ".", "M", "."),
            ),
        ),
        "Zenobia had to play something else. When her turn ended, the Embargo went to the discard pile: it buys "
        "you one round, no more.",
    ),
    "democracy": Lesson(
        "Democracy",
        "M2R12E2S23C2(S3C3U3)/M22R11E1S2C12(M3R2E3)/M1R1E112233C2(M3E3S3) 1p - - - "
        "U3E3U33S3C3S3U333C3M3E33C3U3C33M3U3C3U33E3U333C3S3U3 M111112222R1112222E12S1111222222C1112 17 standard",
        (
            Step(
                "U",
                "The third Age has come, and with it Utopia. Against Zenobia's six Economy cards it has an "
                "answer that lasts: play Utopia.",
            ),
            Step(
                "u+2",
                "A Democracy costs that card and stays to the end of the game: a player needs one card more for "
                "Hegemony in one Domain. Aim it at Zenobia.",
            ),
            Step("E", "Economy is what she collects, so choose Economy."),
        ),
        "Now Zenobia needs eight Economy cards instead of seven. Several Democracies in one Domain add up.",
    ),
    "hegemony": Lesson(
        "Hegemony",
        "M2R1S22233U3(S33C3)/M23R12E12S3C23(M3R2E3)/M1R1E112233u3C2(M3E3S3) 1p - - - "
        "M3U3333E3U3S3U3E3C33U3E3U3S3C3U3C3 M1111111222222R111122222E2S111222C1111223U3333 20 standard",
        (
            Step(
                "S",
                "Now it is you who can win! Five Science cards lie in front of you, and two are in your hand, "
                "but a turn plays only one. Begin with it: play Science.",
            ),
            Step(
                "S+",
                "Six. Effects must do the rest: Experiment takes one of your cards back to your hand, and then "
                "you play a card at once. Use Experiment.",
            ),
            Step("M", "Which card shall come back? Not Science: take Military."),
            Step("S", "And now play the seventh Science card."),
            Step(".", "Seven! Hegemony counts when your turn ends, so end it."),
        ),
        "Hegemony: you have won! Most games are decided by a turn like this one, so keep an eye on effects that "
        "let you play a second card.",
    ),
    "majority": Lesson(
        "Majority",
        "M1223R1E23S3C33U3(R2E3S3)/M13R12E1133S2C23U333(E3C3)/M23R122E3S2233C3U333(R2S3C3) 3p - - - - "
        "M11111122223R111122E112223S1112222333C11122233U3333333 27* standard",
        (
            Step(
                "C",
                "Another game: the deck is out, nobody has reached Hegemony, and the last turn is yours. Every "
                "Domain gives a point to whoever has most cards there, also in a tie. One more Culture card and "
                "you tie there: play Culture.",
            ),
            Step(".", "Four Domains are yours now, and Zenobia has three. End your turn, and the points are counted."),
        ),
        "You win by Majority. That is the whole game: the rest you will find out at the table, where every "
        "choice says what it does.",
        seat=2,
    ),
}  # fmt: skip

#: Who else sits at the table, in the order of play after the learner.
OTHERS: Final = {"pericles": "Pericles", "zenobia": "Zenobia"}

#: What the page itself says.
PAGE: Final = {
    "learn": "Learn in five minutes",
    "never": "Never played? Learn in five minutes",
    "lessons": "Lessons",
    "back": "Back",
    "on": "Go on",
    "other": "You could do that in a real game. For now, please try what is asked for; it is marked on the table.",
    "play": "Now play a real game",
    "puzzles": "Try a puzzle",
    "happened": "What happened",
}

SENTENCES: Final = {
    **{f"page.{key}": text for key, text in PAGE.items()},
    **{f"name.{key}": name for key, name in OTHERS.items()},
    **{
        f"{key}.{name}": text
        for key, lesson in LESSONS.items()
        for name, text in (
            ("title", lesson.title),
            *((str(number), step.text) for number, step in enumerate(lesson.steps, 1)),
            ("closing", lesson.closing),
        )
    },
}
