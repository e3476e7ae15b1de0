"""The OpenSpiel games: importing this module registers `hegemon` and `hegemon_mini` with `pyspiel`.

The game starts with explicit chance nodes, one for each card of the Age deck, from the top, as in OpenSpiel's own card
games. The outcomes are the remaining kinds of card of the Age, with their probabilities; cards that are not drawn stay
in the box. After that, nothing is random. Draft picks are simultaneous: the seats that owe one choose in order and do
not see the other picks.

`hegemon_mini` is an endgame with the same rules: a position whose hidden cards are dealt again, small enough for exact
methods.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Any, Final

import numpy as np
import pyspiel

from hegemon.kernels.determinization import deal_unseen
from hegemon.kernels.observation import FEATURES, OBSERVATION
from hegemon.notation.cards import write_cards
from hegemon.notation.choices import read_choice
from hegemon.notation.reading import read_position
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import check_players, read_variant
from hegemon.notation.writing import write_position, write_view
from hegemon.play.determinization import determinize, unseen_cards
from hegemon.play.game import Game
from hegemon.play.memory import Memory
from hegemon.play.observation import observation
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import ALL_CARDS, DOMAINS, KINDS, NUMBER_OF_CARDS, age_of, card_of_age, domain_of
from hegemon.rules.piles import KIND_OF
from hegemon.rules.position import MAX_PLAYERS, Position, Question
from hegemon.rules.setup import cards_of_age
from hegemon.rules.shuffle import stream
from hegemon.rules.victory import STALLED_ROUNDS
from hegemon.rules.view import SPECTATOR

# An upper bound: in each round, every seat would have to pick every card and choose every action.
_MAX_LENGTH: Final = ALL_CARDS * STALLED_ROUNDS * MAX_PLAYERS * (ALL_CARDS + len(CHOICES))

#: The default position of `hegemon_mini`: the last two rounds of two players, with five hidden cards.
MINI: Final = "C3(M3E3)/C3(M3U3) 1p - - - U3 - 9 standard"


def _game_type(short_name: str, long_name: str, parameters: dict[str, Any]) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name=short_name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


GAME_TYPE: Final = _game_type(
    "hegemon", "Hegemon", {"players": 2, "variant": "basic", "teams": False, "rulings": "standard"}
)
MINI_TYPE: Final = _game_type("hegemon_mini", "Hegemon, the end of a game", {"position": MINI})


class Start(ABC):
    """How games start: the cards that chance deals, and the resulting game. Copies of a state share it."""

    players: int
    ages: tuple[int, ...]
    """The Ages of the cards that chance deals, in order."""
    cards: Counter[int]
    """The number of cards of each kind that chance deals from."""

    @abstractmethod
    def game(self, dealt: list[int]) -> Game:
        """The game after all cards are dealt."""

    @abstractmethod
    def determinize(self, game: Game, memory: Memory, rng: Random) -> Position:
        """A determinization for the viewer, uniform over all consistent positions."""

    def __deepcopy__(self, memo: dict[int, object]) -> "Start":
        return self


class WholeGame(Start):
    """A game from the deal: chance draws the Age deck from the top."""

    def __init__(self, players: int, variant: str, teams: bool, rulings: str) -> None:
        check_players(players, teams)
        read_variant(variant)
        read_rulings(rulings)
        self.players = players
        self.ages = tuple(age for age in (1, 2, 3) for _ in range(cards_of_age(players, age)))
        self.cards = Counter({kind: NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1] for kind in KINDS})
        self._options = {"variant": variant, "teams": teams, "rulings": rulings}

    def game(self, dealt: list[int]) -> Game:
        options: dict[str, Any] = self._options
        return Game(self.players, deck=write_cards(dealt), speed="compiled", **options)

    def determinize(self, game: Game, memory: Memory, rng: Random) -> Position:
        return determinize(game.view(memory.viewer), memory, rng)


class LatePosition(Start):
    """A game from a position: its hidden cards, in hands and in the deck, are dealt again, by Age."""

    def __init__(self, position: str) -> None:
        self._position = read_position(position)
        seat = self._position.seat
        if self._position.question != Question.PLAY or any(self._position.embargoes[seat]):
            raise ValueError(
                "A small game begins with a turn: step 1 is open, and no Embargo binds the player."
            )
        self.players = self._position.players
        hidden = [kind for seat in range(self.players) for kind in kinds_in_hand(self._position, seat)]
        hidden += self._position.deck[: self._position.deck_size][::-1]
        self.ages = tuple(map(age_of, hidden))
        self.cards = Counter(hidden)

    def game(self, dealt: list[int]) -> Game:
        position = self._position.copy()
        left = iter(dealt)
        for seat in range(self.players):
            position.hands[seat] = [0] * DOMAINS
            for kind in islice(left, len(self._position.hand(seat))):
                position.hands[seat][domain_of(kind)] += card_of_age(age_of(kind))
        position.deck[: position.deck_size] = [*left][::-1]
        return Game.from_position(position)

    def determinize(self, game: Game, memory: Memory, rng: Random) -> Position:
        """A determinization from the cards of the position; no cards are in the box."""
        certain, unseen = unseen_cards(game.view(memory.viewer), memory)
        position = game.position
        hidden = Counter(position.deck[: position.deck_size])
        for seat in set(range(self.players)) - {memory.viewer}:
            hidden += Counter(kinds_in_hand(position, seat))
            hidden -= Counter(kinds_in_hand(certain, seat))
        hidden -= Counter((*unseen.bundled, *unseen.loose))
        for age in (1, 2, 3):
            kinds = [kind for kind in sorted(hidden.elements()) if age_of(kind) == age]
            unseen.pool[age][: len(kinds)] = kinds
            unseen.sizes[age] = len(kinds)
        deal_unseen(certain, unseen._replace(boxed=0), stream(rng.getrandbits(63), 0))
        return certain


def kinds_in_hand(position: Position, seat: int) -> list[int]:
    return [KIND_OF[str(card)] for card in position.hand(seat)]


class HegemonGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """The OpenSpiel game: `pyspiel.load_game("hegemon(players=4,variant=draft)")`."""

    game_type: pyspiel.GameType = GAME_TYPE
    start_of: Callable[..., Start] = WholeGame

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.start = type(self).start_of(**{**self.game_type.parameter_specification, **(params or {})})
        info = pyspiel.GameInfo(
            num_distinct_actions=len(CHOICES),
            max_chance_outcomes=len(KINDS),
            num_players=self.start.players,
            min_utility=-1.0,
            max_utility=self.start.players - 1.0,
            utility_sum=0.0,
            max_game_length=_MAX_LENGTH,
        )
        super().__init__(self.game_type, info, params or {})

    def new_initial_state(self) -> "HegemonState":
        return HegemonState(self, self.start)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> "HegemonObserver":
        if params:
            raise ValueError(f"An observer of Hegemon takes no parameters, not {params}.")
        return HegemonObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class MiniGame(HegemonGame):
    """The endgame: `pyspiel.load_game("hegemon_mini")`."""

    game_type = MINI_TYPE
    start_of = LatePosition


class HegemonState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state: the cards dealt so far, and after the deal a `Game`."""

    def __init__(self, game: HegemonGame, start: Start) -> None:
        super().__init__(game)
        self._start = start
        self._dealt: list[int] = []
        self._game: Game | None = None
        self._earlier_events: tuple[tuple[str, ...], ...] = ((),) * start.players
        self._memories: tuple[Memory, ...] = ()

    @property
    def game_played(self) -> Game | None:
        return self._game

    def current_player(self) -> int:
        if self._game is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self._game.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self._game.seat

    def is_terminal(self) -> bool:
        return self._game is not None and self._game.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The possible kinds of the next card with their probabilities."""
        age = self._start.ages[len(self._dealt)]
        cards = self._start.cards - Counter(self._dealt)
        left = [(number, cards[kind]) for number, kind in enumerate(KINDS) if age_of(kind) == age]
        total = sum(copies for _, copies in left)
        return [(number, copies / total) for number, copies in left if copies]

    def _legal_actions(self, player: int) -> list[int]:
        if self._game is None or player != self._game.seat:
            return []
        return [read_choice(choice) for choice in self._game.choices]

    def _apply_action(self, action: int) -> None:
        if self._game is not None:
            self._game.play(CHOICES[action])
            return
        self._dealt.append(KINDS[action])
        if len(self._dealt) == len(self._start.ages):
            self._game = self._start.game(self._dealt)

    def _action_to_string(self, player: int, action: int) -> str:
        return write_cards([KINDS[action]]) if player == pyspiel.PlayerId.CHANCE else CHOICES[action]

    def returns(self) -> list[float]:
        """-1 for each losing seat, an equal share of that for each winner; 0 while the game is in progress."""
        players = self._start.players
        result = self._game.result if self._game is not None else None
        if result is None:
            return [0.0] * players
        share = players / len(result.winners) - 1
        return [share if seat in result.winners else -1.0 for seat in range(players)]

    def information(self, player: int) -> tuple[str, ...]:
        """The events that a player has seen."""
        assert self._game is not None
        return (*self._earlier_events[player], *map(repr, self._game.events_seen_by(player)))

    def memory(self, player: int) -> Memory:
        """A player's memory, including what precedes a position that the state starts from."""
        assert self._game is not None
        if not self._memories:
            return self._game.memory(player)
        memory = self._memories[player].copy()
        memory.see(self._game.events_seen_by(player))
        return memory

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "HegemonState":
        """A state that is indistinguishable from this one for the player, uniform over all consistent positions.

        It starts from a position and has no history. The player keeps its memory; the other players have only what was
        public, and what they see from then on.
        """
        if self._game is None:
            return self.clone()  # type: ignore[no-any-return]  # pyspiel has no types
        rng = Random(int(sampler() * (1 << 53)))
        state = HegemonState(self.get_game(), self._start)
        state._dealt = self._dealt[:]
        state._game = Game.from_position(self._start.determinize(self._game, self.memory(player), rng))
        public = tuple(map(repr, self._game.events_seen_by(SPECTATOR)))
        state._earlier_events = tuple(
            self.information(seat) if seat == player else public for seat in range(self._start.players)
        )
        state._memories = tuple(
            self.memory(seat) if seat == player else Memory(seat, self._start.players)
            for seat in range(self._start.players)
        )
        return state

    def __str__(self) -> str:
        if self._game is None:
            return write_cards(self._dealt) or "-"
        return write_position(self._game.position)


class HegemonObserver:
    """Observes a state for a player: the observation of `hegemon.Batch` as a tensor, a view line as a string.

    With perfect recall, the string also contains all events that the player has seen. There is no tensor then, because
    a whole game does not fit into a row of a fixed length.
    """

    def __init__(self, kind: pyspiel.IIGObservationType) -> None:
        self._perfect_recall = kind.perfect_recall
        self.tensor = None if self._perfect_recall else np.zeros(FEATURES, np.float32)
        self.dict = {}
        if self.tensor is not None:
            for piece in OBSERVATION:
                part = self.tensor[piece.offset : piece.offset + piece.length]
                self.dict[piece.name] = part.reshape(piece.shape)

    def set_from(self, state: HegemonState, player: int) -> None:
        game = state.game_played
        if self.tensor is not None:
            self.tensor[:] = 0 if game is None else observation(game.view(player), state.memory(player))

    def string_from(self, state: HegemonState, player: int) -> str:
        game = state.game_played
        if game is None:
            return "the deck is being shuffled"
        seen = write_view(game.view(player))
        if self._perfect_recall:
            return "\n".join((seen, *state.information(player)))
        return seen


pyspiel.register_game(GAME_TYPE, HegemonGame)
pyspiel.register_game(MINI_TYPE, MiniGame)
