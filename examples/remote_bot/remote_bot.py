"""A remote bot in thirty lines, started with an invitation: python remote_bot.py https://…/join/… ."""

import sys

from hegemon import Domain, View
from hegemon.client import ClientError, join

DOMAIN_OF = {domain.letter: domain for domain in Domain}


def choose(view: View, choices: tuple[str, ...]) -> str:
    """Play a card of the largest Domain, draw as many cards as possible, and never attack."""
    if "." in choices:
        return next((choice for choice in ("R++", "R+") if choice in choices), ".")
    return max(choices, key=lambda choice: view.area(view.viewer).count(DOMAIN_OF[choice[0]]))


def main() -> None:
    """Take the seat, play to the end of the game, and print the winner."""
    try:
        seat = join(sys.argv[1], name="Solon", on_connection_problem=print)
        seat.post_message(phrase="hello")
        for moment in seat.moments():
            moment.play(choose(moment.view, moment.choices))
        seat.post_message(phrase="well-played")
        state = seat.state()
        winners = state.result.winners if state.result is not None else ()
        print(f"Won by {' and '.join(state.names[winner] for winner in winners)}.")
    except ClientError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
