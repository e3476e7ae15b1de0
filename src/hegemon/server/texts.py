"""Texts of pages that stand in the code: the names of presets, bots and switches, and refusals."""

from typing import Final


def translatable(sentence: str) -> str:
    """Mark a sentence for the catalogues; it is translated where it is shown."""
    return sentence


PRESET_NAMES: Final = {
    "standard": translatable("Standard"),
    "en": translatable("English edition"),
    "el": translatable("Greek edition"),
    "de": translatable("German edition"),
    "hu": translatable("Hungarian edition"),
    "pl": translatable("Polish edition"),
}

BOT_NAMES: Final = {
    "chance": translatable("plays by chance"),
    "greedy": translatable("takes what is good now"),
    "easy": translatable("easy"),
    "normal": translatable("normal"),
    "hard": translatable("hard"),
    "expert": translatable("expert"),
}

RULING_SWITCHES: Final = {
    "embargo-self": translatable("An Embargo may be put on oneself."),
    "democracy-self": translatable("A Democracy may be put on oneself."),
    "democracy-teammate": translatable("A Democracy may be put on a teammate."),
    "breakthrough-any": translatable("A Breakthrough may be paid with a card of any Domain but Culture."),
    "coin-tie": translatable(
        "The coin leaves when another player has as many Culture cards; otherwise it takes more."
    ),
    "passive-religion": translatable("Religion is counted when drawing and need not be applied."),
    "show-backs": translatable("The Ages of the cards in other hands are shown."),
}

#: What the server says when it refuses something.
REFUSED: Final = {
    "seat": translatable("That seat is not yours."),
    "curtain": translatable("Name the seat whose cards you may see."),
    "record": translatable("The record shows every card, so it can be had when the game is over."),
    "foreign": translatable("This command came from another site."),
}

#: What went wrong, by the status of the answer, where nothing more is known.
FAILURES: Final = {
    400: translatable("This request cannot be understood."),
    404: translatable("There is no such page here."),
    405: translatable("This page takes no such command."),
    413: translatable("That is too large."),
    500: translatable("Something went wrong here. Your game is safe; please try again."),
}
