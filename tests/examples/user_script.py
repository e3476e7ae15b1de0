"""A script of a user in strict mode: every public value has the type that the documentation says."""

from random import Random
from typing import assert_type

from hegemon import (
    SPECTATOR,
    Card,
    Cards,
    Discarded,
    Domain,
    Drew,
    Ending,
    Event,
    Game,
    GameEnded,
    IllegalMoveError,
    Memory,
    Player,
    Position,
    Record,
    Result,
    View,
    check_shuffle,
    determinize,
    play_match,
    problems,
    read_position,
    read_record,
    read_view,
    write_position,
    write_record,
    write_view,
)
from hegemon.bots import bot_names, make_bot


class Last:
    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        return choices[-1]


def play() -> Result:
    players: list[Player] = [Last(), make_bot("chance", 1)]
    game = Game(2, "draft", seed=1, names=["Ada", "Grace"])
    return assert_type(play_match(game, players), Result)


def look(game: Game) -> None:
    view = assert_type(game.view(0), View)
    assert_type(view.hand, Cards)
    assert_type(view.area(1), Cards)
    assert_type(view.discard_pile, Cards)
    assert_type(view.hand.count(Domain.MILITARY, 1), int)
    for card in view.hand:
        assert_type(card, Card)
        assert_type(card.domain, Domain)
        assert_type(card.age, int)
    assert_type("M1" in view.hand, bool)
    assert_type(game.position, Position)
    assert_type(game.position.hand(1), Cards)
    assert_type(game.memory(0).known(1), Cards)
    assert_type(determinize(view, game.memory(0), Random(1)), Position)


def follow(game: Game) -> None:
    assert_type(game.at(0).moves, tuple[str, ...])
    assert_type(game.undoable(0), int | None)
    for event in game.events_seen_by(SPECTATOR):
        assert_type(event, Event)
        match event:
            case Discarded(seat, card, from_hand=True):
                print(seat, card)
            case Drew(seat=0, cards=cards):
                assert_type(cards, tuple[str, ...])
            case GameEnded(result):
                assert_type(result.ending, Ending)
                assert_type(result.domain, Domain | None)
            case _:
                pass


def write(game: Game) -> None:
    assert_type(game.record(), Record)
    assert_type(read_record(write_record(game.record())), Record)
    assert_type(read_view(write_view(game.view(0))), View)
    position = assert_type(read_position(write_position(game.position)), Position)
    assert_type(problems(position), list[str])
    assert_type(Game.from_position(position, moves="").choices, tuple[str, ...])
    assert_type(check_shuffle(game.record(), game.commitment), bool)


def main() -> None:
    game = Game(players=3, seed=1)
    try:
        game.play("X")
    except IllegalMoveError as error:
        print(error.reason.code, error.choices)
    except ValueError as error:
        print(error)
    for show in (look, follow, write):
        show(game)
    print(play(), bot_names())


if __name__ == "__main__":
    main()
