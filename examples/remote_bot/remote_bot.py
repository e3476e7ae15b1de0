"""A remote bot in thirty lines; it is started with an invitation: python remote_bot.py https://…/join/… ."""

import sys

from hegemon import View
from hegemon.client import ClientError, join
from hegemon.rules.cards import LETTERS, count


def choose(view: View, choices: tuple[str, ...]) -> str:
    """Play what there is most of, draw as much as there is to draw, and leave everybody in peace."""
    if "." in choices:
        return next((word for word in ("R++", "R+") if word in choices), ".")
    columns = view.areas[view.viewer]
    return max(choices, key=lambda word: count(columns[LETTERS.index(word[0])]))


def main() -> None:
    """Take the seat, play to the end of the game, and say who won."""
    try:
        seat = join(sys.argv[1], name="Solon", on_trouble=print)
        seat.speak(phrase="hello")
        for moment in seat.moments():
            moment.say(choose(moment.view, moment.choices))
        seat.speak(phrase="well-played")
        look = seat.look()
        print(f"Won by {' and '.join(look.names[winner] for winner in look.result.winners)}.")
    except ClientError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
