"""The OpenSpiel game: importing this module registers `hegemon` with `pyspiel`.

Chance comes first and is explicit: the Age deck is drawn from the top, one chance node a card, as OpenSpiel's own card
games deal. The outcomes are the kinds of card that are left of the Age, each with its share of them; the cards that
stay in the box are those that were never drawn. After that nothing is random. In the draft, where picks are
simultaneous, the seats that owe one choose in their order and see nothing of the others' picks.
"""

from typing import Any, Final

import numpy as np
import pyspiel

from hegemon.kernels.observation import FEATURES, OBSERVATION, observation
from hegemon.notation.cards import write_cards
from hegemon.notation.choices import read_choice
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import check_players, read_variant
from hegemon.notation.writing import write_position, write_view
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import ALL_CARDS, KINDS, NUMBER_OF_CARDS, age_of, domain_of
from hegemon.rules.position import MAX_PLAYERS
from hegemon.rules.setup import cards_of_age
from hegemon.rules.victory import STALLED_ROUNDS

# Every game is shorter: in each round, every seat would have to pick every card and choose every action.
_MAX_LENGTH: Final = ALL_CARDS * STALLED_ROUNDS * MAX_PLAYERS * (ALL_CARDS + len(CHOICES))

GAME_TYPE: Final = pyspiel.GameType(
    short_name="hegemon",
    long_name="Hegemon",
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
    parameter_specification={"players": 2, "variant": "basic", "teams": False, "rulings": "standard"},
)


class HegemonGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """The game as OpenSpiel knows it: `pyspiel.load_game("hegemon(players=4,variant=draft)")`."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        self.players: int = given["players"]
        self.variant: str = given["variant"]
        self.teams: bool = given["teams"]
        self.rulings: str = given["rulings"]
        check_players(self.players, self.teams)
        read_variant(self.variant)
        read_rulings(self.rulings)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(CHOICES),
            max_chance_outcomes=len(KINDS),
            num_players=self.players,
            min_utility=-1.0,
            max_utility=self.players - 1.0,
            utility_sum=0.0,
            max_game_length=_MAX_LENGTH,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> "HegemonState":
        return HegemonState(self)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> "HegemonObserver":
        if params:
            raise ValueError(f"An observer of Hegemon takes no parameters, not {params}.")
        return HegemonObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class HegemonState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """While the deck is drawn, the cards so far; then a `Game`."""

    def __init__(self, game: HegemonGame) -> None:
        super().__init__(game)
        self._settings = (game.players, game.variant, game.teams, game.rulings)
        self._deck: list[int] = []
        self._game: Game | None = None

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
        """The kinds that the next card of the deck may be, with their odds."""
        age = self._next_age()
        left = [
            (number, NUMBER_OF_CARDS[domain_of(kind)][age - 1] - self._deck.count(kind))
            for number, kind in enumerate(KINDS)
            if age_of(kind) == age
        ]
        cards = sum(copies for _, copies in left)
        return [(number, copies / cards) for number, copies in left if copies]

    def _next_age(self) -> int:
        """The Age of the next card from the top of the deck; 0 when all are drawn."""
        below = len(self._deck)
        for age in (1, 2, 3):
            below -= cards_of_age(self._settings[0], age)
            if below < 0:
                return age
        return 0

    def _legal_actions(self, player: int) -> list[int]:
        if self._game is None or player != self._game.seat:
            return []
        return [read_choice(choice) for choice in self._game.choices]

    def _apply_action(self, action: int) -> None:
        if self._game is not None:
            self._game.play(CHOICES[action])
            return
        self._deck.append(KINDS[action])
        if self._next_age() == 0:
            players, variant, teams, rulings = self._settings
            deck = write_cards(self._deck)
            self._game = Game(players, variant, teams=teams, rulings=rulings, deck=deck, speed="compiled")

    def _action_to_string(self, player: int, action: int) -> str:
        return write_cards([KINDS[action]]) if player == pyspiel.PlayerId.CHANCE else CHOICES[action]

    def returns(self) -> list[float]:
        """Every seat that lost pays 1, and those that won share it evenly; 0 while the game goes on."""
        players = self._settings[0]
        result = self._game.result if self._game is not None else None
        if result is None:
            return [0.0] * players
        share = players / len(result.winners) - 1
        return [share if seat in result.winners else -1.0 for seat in range(players)]

    def __str__(self) -> str:
        if self._game is None:
            return write_cards(self._deck) or "-"
        return write_position(self._game.position)


class HegemonObserver:
    """Observes a state for a player: the observation of `hegemon.Batch` as a tensor, a view line as a string.

    With perfect recall the string also holds every event that the player's seat has seen.
    """

    def __init__(self, kind: pyspiel.IIGObservationType) -> None:
        self._recalls = kind.perfect_recall
        self.tensor = np.zeros(FEATURES, np.float32)
        self.dict = {
            piece.name: self.tensor[piece.offset : piece.offset + piece.length].reshape(piece.shape)
            for piece in OBSERVATION
        }

    def set_from(self, state: HegemonState, player: int) -> None:
        game = state.game_played
        self.tensor[:] = 0 if game is None else observation(game.position, player)

    def string_from(self, state: HegemonState, player: int) -> str:
        game = state.game_played
        if game is None:
            return "the deck is being shuffled"
        seen = write_view(game.view(player))
        if self._recalls:
            return "\n".join((seen, *map(repr, game.events_seen_by(player))))
        return seen


pyspiel.register_game(GAME_TYPE, HegemonGame)
