"""The match loop, and the committed shuffle."""

import pytest

from hegemon import Game, IllegalMoveError, SetupError, check_shuffle, play_match
from hegemon.notation.setup import check_deck
from hegemon.play.commitment import commitment, new_salt


class First:
    """Plays the first legal choice, and records its arguments."""

    def __init__(self):
        self.calls = []

    def choose(self, view, memory, choices):
        self.calls.append((view.viewer, memory.viewer, choices))
        return choices[0]


class Stubborn:
    def choose(self, view, memory, choices):
        return "."


def test_players_choose_in_turn_until_the_game_is_over():
    game = Game(3, "draft", seed=1)
    players = [First(), First(), First()]
    result = play_match(game, players)
    assert game.over
    assert result == game.result
    for seat, player in enumerate(players):
        assert {(viewer, rememberer) for viewer, rememberer, _ in player.calls} == {(seat, seat)}
        assert all(choices for _, _, choices in player.calls)
    assert sum(len(player.calls) for player in players) == len(game.moves)


def test_a_match_continues_a_game_in_progress():
    game = Game(2, seed=1)
    game.play(game.choices[0])
    play_match(game, [First(), First()])
    assert game.over
    assert play_match(game, [First(), First()]) == game.result


def test_every_player_needs_a_seat():
    with pytest.raises(SetupError, match="A game with 3 seats needs as many players, not 2"):
        play_match(Game(3, seed=1), [First(), First()])


def test_an_illegal_choice_of_a_player_raises_an_error():
    game = Game(2, seed=1)
    with pytest.raises(IllegalMoveError, match="Step 1 comes first"):
        play_match(game, [Stubborn(), First()])
    assert game.moves == ()


def test_a_digest_commits_deck_and_salt():
    game = Game(2, seed=1)
    record = game.record()
    assert game.commitment == commitment(record.deck, record.salt)
    assert len(game.commitment) == 64
    assert check_shuffle(record, game.commitment)
    assert not check_shuffle(record, commitment(record.deck, "another salt"))
    assert not check_shuffle(record, commitment(record.deck[::-1], record.salt))
    assert not check_shuffle(record, "ä")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_without_a_seed_the_system_shuffles(players, monkeypatch):
    """Which cards a deck may have, and that each Age is in another order each time."""
    decks = {Game(players).record().deck for _ in range(20)}
    assert len(decks) == 20
    for deck in decks:
        check_deck(list(deck), players)
    monkeypatch.setattr("secrets.SystemRandom.shuffle", lambda _, cards: cards.reverse())
    assert len({Game(players).record().deck for _ in range(20)}) == 1


def test_salt_cannot_be_guessed():
    assert len({new_salt() for _ in range(100)}) == 100
    assert len(new_salt()) == 32
