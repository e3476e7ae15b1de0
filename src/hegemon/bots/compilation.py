"""Ahead-of-time compilation of every loop that a game, a batch, a study or a bot may need."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

from hegemon.bots.learned import LearnedSearch
from hegemon.bots.search import Search
from hegemon.kernels.batch import Batch
from hegemon.kernels.mining import positions_of
from hegemon.kernels.network import Network
from hegemon.kernels.random_play import Series, play_compiled
from hegemon.kernels.sequences import perft_compiled
from hegemon.kernels.transcript import transcripts
from hegemon.play.determinization import determinize_batch
from hegemon.play.game import Game
from hegemon.play.player import Player

# The compiled code does not depend on the size of the network.
_WIDTHS: Final = (8, 8, 8)


def compile_games() -> None:
    game = Game(2, seed=1, speed="compiled")
    game.play(game.choices[0])


def compile_batches() -> None:
    game = Game(2, seed=1)
    for batch in (
        determinize_batch(game.view(0), game.memory(0), 1),
        Batch(1, opponents="chance"),
        Batch(1),
    ):
        batch.step(batch.random_actions())
    batch.heuristic_actions()
    batch.observe_seats()
    batch.observation(0, 0)
    batch.states()


def compile_random_play() -> None:
    play_compiled(Series(1))
    list(transcripts(Series(1)))


def compile_sequences() -> None:
    perft_compiled(Game(2, seed=1).position, 1)


def compile_mining() -> None:
    positions_of(Series(1))


def compile_search() -> None:
    choose_once(Search(iterations=2))


def compile_guided_search() -> None:
    choose_once(LearnedSearch(network=Network.random(0, _WIDTHS), iterations=2))


def choose_once(bot: Player) -> None:
    game = Game(2, "draft", seed=1)
    bot.choose(game.view(0), game.memory(0), game.choices_of(0))


#: The functions that compile each part, by name.
PARTS: Final[dict[str, Callable[[], None]]] = {
    "games": compile_games,
    "batches": compile_batches,
    "random-play": compile_random_play,
    "sequences": compile_sequences,
    "mining": compile_mining,
    "search": compile_search,
    "guided-search": compile_guided_search,
}


def compile_all() -> Iterator[tuple[str, float]]:
    """Compile all parts; yield the name of each and the seconds it took."""
    for name, compile_part in PARTS.items():
        started = perf_counter()
        compile_part()
        yield name, perf_counter() - started
