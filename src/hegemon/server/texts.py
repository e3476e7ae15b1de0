"""Texts of pages that are defined in code: the names of presets, bots and switches, and rejections."""

from typing import Final

from hegemon import bots


def translatable(sentence: str) -> str:
    """Mark a sentence for the catalogs; it is translated where it is shown."""
    return sentence


PRESET_NAMES: Final = {
    "standard": translatable("Standard"),
    "en": translatable("English edition"),
    "el": translatable("Greek edition"),
    "de": translatable("German edition"),
    "hu": translatable("Hungarian edition"),
    "pl": translatable("Polish edition"),
}

VARIANT_NAMES: Final = {"basic": translatable("Basic"), "draft": translatable("Draft")}
TEAMS: Final = translatable("Teams of two")

#: The names of presets within a sentence.
EDITIONS: Final = {
    "standard": translatable("the standard rulings"),
    "en": translatable("the English edition"),
    "el": translatable("the Greek edition"),
    "de": translatable("the German edition"),
    "hu": translatable("the Hungarian edition"),
    "pl": translatable("the Polish edition"),
}

#: The bots that a person may want to play against, by level.
LEVELS: Final = tuple(bots.LEVELS)

#: Names of other bots.
OTHER_BOTS: Final = ("chance", "greedy")

RULING_SWITCHES: Final = {
    "embargo-self": translatable("You may put an Embargo on yourself."),
    "democracy-self": translatable("You may put a Democracy on yourself."),
    "democracy-teammate": translatable("You may put a Democracy on a teammate."),
    "breakthrough-any": translatable(
        "A Breakthrough may be paid for with a card of any Domain except Culture."
    ),
    "coin-tie": translatable(
        "The coin goes back as soon as another player ties for the most Culture; otherwise only when they have more."
    ),
    "passive-religion": translatable("Religion counts automatically when you draw."),
    "show-backs": translatable("The Ages of cards in other players’ hands are visible."),
}

#: Why a table cannot be created, or a file cannot be opened.
SETUP_REJECTIONS: Final = {
    "occupant": translatable("There is no player or bot called “{who}”."),
    "alone": translatable("Two to four can play: give a second seat to a bot or to someone else."),
    "no-person": translatable("At least one person must sit at the table."),
    "name": translatable("This name is blocked on this server. Please choose another one."),
    "teams": translatable("Teams are two against two, so all four seats must be taken."),
    "variant": translatable("Choose the Basic or the Draft variant."),
    "rulings": translatable("There are no such rulings. Choose one of the editions."),
    "key": translatable("This idempotency key belongs to a table with other seats."),
    "clock": translatable("There is no such time limit. Choose one of those listed."),
    "bot": translatable("There is no such bot."),
    "bot-or-open": translatable("A seat is either a bot’s or open, not both."),
    "hands": translatable("Hands can be shown one, two or four rounds later, or not at all."),
    "record-text": translatable("This file is not a game record: it is not UTF-8 text."),
    "record-form": translatable("This file is not a game record, or it is incomplete."),
    "record-game": translatable("This record cannot be replayed: what it says does not fit the rules."),
    "record-study": translatable("This record begins at a position: open it on the study board."),
}

#: The names of the players' colors, by number.
COLORS: Final = (
    translatable("red"),
    translatable("blue"),
    translatable("green"),
    translatable("yellow"),
    translatable("violet"),
    translatable("brown"),
    translatable("pink"),
    translatable("gray"),
)

#: Why a seat cannot be taken or changed: the status of the response, and the sentence.
SEAT_REJECTIONS: Final = {
    "unknown": (
        404,
        translatable("There is no such invitation. Perhaps the host has withdrawn it: ask for a new one."),
    ),
    "used": (
        410,
        translatable("Someone has already used this invitation. Ask the host for another one."),
    ),
    "sitting": (409, translatable("You are already seated at this table.")),
    "full": (409, translatable("Every seat at this table is taken.")),
    "over": (409, translatable("The game is over.")),
    "going-on": (409, translatable("The game is still going.")),
    "lost": (403, translatable("That seat is not yours.")),
    "host": (403, translatable("Only the host of the table can do that.")),
    "bot": (422, translatable("There is no such bot.")),
    "removed": (403, translatable("The host of this server has removed you from this table.")),
    "time-up": (409, translatable("Your time for this turn is up. The bot finishes the turn first.")),
    "resigned": (409, translatable("You have resigned this game. The bot plays it to the end.")),
    "left": (
        409,
        translatable("You have withdrawn from this tournament. The bot plays the game to the end."),
    ),
    "not-begun": (409, translatable("The game has not begun yet.")),
    "rated": (409, translatable("The players of a rated game stay the same until it ends.")),
    "daily": (409, translatable("The players of the deal of the day stay the same until it ends.")),
    "tournament": (409, translatable("The players of a tournament game stay the same until it ends.")),
    "key": (
        422,
        translatable("That is not a personal link. Copy the whole link, down to the last character."),
    ),
    "empty-key": (
        422,
        translatable("Nothing belongs to this link. Perhaps it was replaced by a new one."),
    ),
}

#: The notice for a player whose seat was given away.
SEAT_LOST: Final = translatable("You are no longer seated at this table, but you can watch.")

#: Why a request is rejected.
REJECTIONS: Final = {
    "seat": translatable("That seat is not yours."),
    "nobody": translatable("There is no such player."),
    "curtain": translatable("Choose a seat whose cards you may see."),
    "record": translatable("The record shows every card, so it is only available once the game is over."),
    "hands": translatable("At this table nobody can see all hands until the game is over."),
    "own-hands": translatable("You are playing here: only spectators may see all hands."),
    "foreign": translatable("This command came from another site."),
    "no-token": translatable("This needs a seat: send its token as `Authorization: Bearer TOKEN`."),
    "no-person": translatable("You have nothing here yet. Play a game first, or sign in."),
    "merge": translatable(
        "Both are playing in the same game or tournament. Finish it first, or continue without the games here."
    ),
    "passkey": translatable("This passkey could not be used here. Please try again, or use another way."),
    "passkeys": translatable("This passkey is known already, or you have too many: remove one first."),
    "code": translatable(
        "This recovery code is not valid. Each code works once, and a new one replaces the last."
    ),
    "token-in-use": translatable("That token is already in use: make a new one of 32 random bytes."),
    "webhook": translatable("Notifications are only available in games with days per move."),
    "hint": translatable("Hints are only available in games against bots."),
    "daily-hint": translatable("There are no hints in the deal of the day: everyone plays it unaided."),
    "tournament-hint": translatable("There are no hints in a tournament: everyone plays unaided."),
    "round": translatable(
        "All tables of this round play the same cards, so this can be seen when the round is over."
    ),
    "daily": translatable(
        "This is the deal of a day that is not over yet. You can look at it when you have finished that deal yourself."
    ),
    "closed": translatable("The host of this server has closed this table."),
    "name": translatable("This name is blocked on this server. Please choose another one."),
    "no-name": translatable("Please type a name."),
    "host-token": translatable("Only the host of this server can do that: sign in with the host token."),
    "broken": translatable(
        "This game is damaged and cannot be opened. Please tell the host of this server; all other games go on."
    ),
}

#: Why a report is not accepted: the status of the response, and the sentence.
REPORT_REJECTIONS: Final = {
    "nothing": (422, translatable("Choose what you want to report.")),
    "tournament": (
        409,
        translatable("A table of a tournament cannot be closed. Let bots take seats there instead."),
    ),
    "pattern": (422, translatable("Type a name to block.")),
    "patterns": (422, translatable("Too many names are blocked: allow some of them first.")),
    "many": (
        429,
        translatable(
            "You have reached today’s limit for reports. The host of this server will look at those you sent."
        ),
    ),
}

#: General messages by the status of the response, for errors without a message of their own.
FAILURES: Final = {
    400: translatable("This request could not be understood."),
    404: translatable("There is no such page here."),
    405: translatable("This page does not accept that request."),
    413: translatable("That is too large."),
    429: translatable("Too many requests. Please wait a moment and try again."),
    431: translatable("That is too large."),
    500: translatable("Something went wrong here. Your game is safe; please try again."),
    503: translatable(
        "The server cannot save anything at the moment. Your game is safe; please try again later."
    ),
}
