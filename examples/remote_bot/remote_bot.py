"""A remote bot in thirty lines; it is started with an invitation: python remote_bot.py https://…/join/… ."""

import sys

from hegemon import Domain, View
from hegemon.client import ClientError, join

DOMAIN_OF = {domain.letter: domain for domain in Domain}


def choose(view: View, choices: tuple[str, ...]) -> str:
    """Play a card of the largest column, draw as many as possible, and attack no other player."""
    if "." in choices:
        return next((choice for choice in ("R++", "R+") if choice in choices), ".")
    return max(choices, key=lambda choice: view.area(view.viewer).count(DOMAIN_OF[choice[0]]))


def main() -> None:
    """Take the seat, play to the end of the game, and say who won."""
    try:
        seat = join(sys.argv[1], name="Solon", on_trouble=print)
        seat.speak(phrase="hello")
        for moment in seat.moments():
            moment.say(choose(moment.view, moment.choices))
        seat.speak(phrase="well-played")
        look = seat.look()
        winners = look.result.winners if look.result is not None else ()
        print(f"Won by {' and '.join(look.names[winner] for winner in winners)}.")
    except ClientError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
