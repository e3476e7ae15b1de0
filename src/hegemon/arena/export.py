"""Games as data for other programs: records or single decisions, in a folder of Parquet files.

A file is the unit of work. Its games follow from the options and the number of the file alone, so the contents do not
depend on the number of workers, and an existing file need not be written again.
"""

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from hegemon.arena.code import Code
from hegemon.arena.games import BotFailed, play_to_the_end
from hegemon.arena.runner import Progress, run_tasks
from hegemon.arena.seats import BotSeat, limit_for
from hegemon.arena.workers import Workers
from hegemon.bots import make_bot, warm_up
from hegemon.kernels.batch import Batch
from hegemon.kernels.observation import FEATURES, OBSERVATION, OBSERVATION_VERSION
from hegemon.notation.cards import read_deck, write_cards
from hegemon.notation.moves import read_moves
from hegemon.notation.record import Record, Result, initial_position, result_of
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, check_players, check_seed, read_variant
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import Domain
from hegemon.rules.position import Ending, Position
from hegemon.rules.shuffle import MAX_SEED, shuffle, stream

Array = np.ndarray[Any, np.dtype[Any]]
Chooser = Callable[[Batch], Array]

#: The version of the columns.
FORMAT: Final = 1

RECORDS: Final = "records"
DECISIONS: Final = "decisions"

#: The built-in policies of a batch, which choose for all games at once.
CHANCE: Final = "chance"
HEURISTIC: Final = "heuristic"

#: The maximum number of games in a file: a worker holds those of one file in memory.
MAX_GAMES_PER_FILE: Final = {RECORDS: 2000, DECISIONS: 500}
# The minimum number of files, so that every core has some to write.
_MIN_FILES: Final = 64

_UNFINISHED: Final = ".unfinished"

#: The key of a file's metadata.
METADATA: Final = b"hegemon"

COLUMN_DESCRIPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    RECORDS: {
        "game": "the number of the game in the export, from 0",
        "players": "the number of players",
        "variant": "basic or draft",
        "teams": "whether seats 0 and 2 play against 1 and 3",
        "rulings": "the rulings, in the notation",
        "bots": "the bot of each seat",
        "deck": "the Age deck before the deal, from the top, in the notation",
        "moves": "the choices of all seats in order, in the notation, with spaces between them",
        "ending": "hegemony, majority or stall",
        "domain": "the Domain of the Hegemony; null for other endings",
        "winners": "the seats that won, from 0",
        "outcome": "what each seat won: -1 for a loss, and the winners share what the others lost",
        "rounds": "the number of rounds",
        "decisions": "the number of moves",
    },
    DECISIONS: {
        "game": "the number of the game in the export, from 0",
        "ply": "the number of moves before this one",
        "seat": "the seat that chose, from 0",
        "bot": "the bot of that seat",
        "observation": "what the seat saw: a byte for each number of a row of hegemon.Batch",
        "mask": "the legal actions: bit a is set if action a was one of them",
        "action": "the action that was chosen, an index into hegemon.CHOICES",
        "outcome": "what the seat won in the end: -1 for a loss, and the winners share what the others lost",
    },
}


@dataclass(frozen=True)
class Export:
    """The options of an export, which determine the contents of every file."""

    games: int
    what: str = RECORDS
    bots: tuple[str, ...] = (HEURISTIC,)
    """Seat `s` of game `g` has bot `g + s`, modulo their number, so that each of them plays in every seat."""
    players: int = 3
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"
    seed: int = 0
    games_per_file: int = 0
    """0 to choose a suitable number."""

    def __post_init__(self) -> None:
        if self.what not in COLUMN_DESCRIPTIONS:
            raise SetupError("An export has records or decisions, not {what}.", what=self.what)
        if self.games < 1 or self.games_per_file < 0:
            raise SetupError("An export has 1 game or more, and so does each of its files.")
        check_players(self.players, self.teams)
        read_variant(self.variant)
        read_rulings(self.rulings)
        check_seed(self.seed)
        if not self.batched:
            if HEURISTIC in self.bots:
                raise SetupError("{name} plays only with itself and chance.", name=HEURISTIC)
            for name in self.bots:
                make_bot(name)  # an unknown name raises an error that lists the known ones
        if not self.games_per_file:
            suitable = min(MAX_GAMES_PER_FILE[self.what], -(-self.games // _MIN_FILES))
            object.__setattr__(self, "games_per_file", suitable)

    @property
    def batched(self) -> bool:
        """Whether all bots are built-in policies of a batch."""
        return set(self.bots) <= {CHANCE, HEURISTIC}

    @property
    def files(self) -> int:
        return -(-self.games // self.games_per_file)

    def games_of(self, file: int) -> range:
        """The numbers of the games of a file."""
        return range(file * self.games_per_file, min((file + 1) * self.games_per_file, self.games))

    def seats(self, game: int) -> tuple[str, ...]:
        return tuple(self.bots[(game + seat) % len(self.bots)] for seat in range(self.players))

    def seed_of(self, *parts: int) -> int:
        """The seed of a file, or of a bot in one of its games."""
        text = ":".join(map(str, ("export", self.seed, *parts)))
        return int.from_bytes(sha256(text.encode()).digest()[:8], "big") & MAX_SEED

    @cached_property
    def identity(self) -> dict[str, Any]:
        """The metadata that all files of an export share."""
        options = {name: value for name, value in asdict(self).items() if name != "games"}
        return {
            "format": FORMAT,
            "source": Code.of(() if self.batched else self.bots).digest,
            "version": version("hegemon"),
            "options": json.loads(json.dumps(options)),
            "actions": list(CHOICES),
            "observation_version": OBSERVATION_VERSION,
            "observation": [{**asdict(piece), "shape": list(piece.shape)} for piece in OBSERVATION],
        }

    def metadata(self, file: int) -> dict[str, Any]:
        numbers = self.games_of(file)
        return {
            **self.identity,
            "file": file,
            "seed": self.seed_of(file),
            "first": numbers.start,
            "games": len(numbers),
        }

    def record(self, file: int, place: int) -> Record:
        """A game of a file before the first move."""
        deck = Position(players=self.players)
        shuffle(deck, stream(self.seed_of(file), place))
        return Record(
            names=self.seats(self.games_of(file)[place]),
            deck=tuple(deck.deck[: deck.deck_size][::-1]),
            variant=self.variant,
            teams=self.teams,
            rulings=self.rulings,
        )


def arrays_of(decisions: Any) -> tuple[Array, Array]:
    """The observations of a table or a batch of decisions, rows by features, and the masks, rows by actions."""
    rows = b"".join(decisions["observation"].to_pylist())
    bits = decisions["mask"].to_numpy()[:, None].astype("<u8").view(np.uint8)
    masks = np.unpackbits(bits, axis=1, bitorder="little").astype(np.bool_)
    return np.frombuffer(rows, np.uint8).reshape(-1, FEATURES), masks


def record_of_row(row: Mapping[str, Any]) -> Record:
    """The record of a row; `Game.from_record` replays it and rejects wrong moves and results."""
    start = Record(
        tuple(row["bots"]), tuple(read_deck(row["deck"])), row["variant"], row["teams"], row["rulings"]
    )
    domain = Domain[row["domain"].upper()] if row["domain"] else None
    return replace(
        start,
        moves=tuple(read_moves(initial_position(start), row["moves"].split())),
        result=Result(Ending[row["ending"].upper()], tuple(row["winners"]), domain),
    )


# ------------------------------------------------------------------ playing


@dataclass
class PlayedGames:
    """The decisions of all games of a file, by game and ply, and the results."""

    batch: Batch
    outcomes: Array
    game: Array
    seat: Array
    action: Array
    rows: tuple[Array, ...]
    """The observation and the mask of each decision, if decisions are exported."""

    @property
    def counts(self) -> Array:
        """The number of decisions of each game."""
        return np.bincount(self.game, minlength=len(self.batch))


def play_file(export: Export, file: int) -> PlayedGames:
    """Play the games of a file in a batch."""
    batch = Batch(
        len(export.games_of(file)), export.players, export.variant, teams=export.teams, rulings=export.rulings,
        seed=export.seed_of(file), auto_restart=False,
    )  # fmt: skip
    choose = batch_chooser(export, file) if export.batched else script_chooser(export, file)
    outcomes = np.zeros((len(batch), export.players), np.float32)
    steps: list[tuple[Array, ...]] = []
    while not batch.dones.all():
        actions = choose(batch)
        (playing,) = np.nonzero(~batch.dones)
        rows = (batch.observations, batch.masks) if export.what == DECISIONS else ()
        chosen = (batch.seats, actions.astype(np.uint8), *rows)
        steps.append((playing, *(array[playing] for array in chosen)))
        batch.step(actions)
        outcomes += batch.rewards
    columns = [np.concatenate(arrays) for arrays in zip(*steps, strict=True)]
    del steps
    order = np.argsort(columns[0], kind="stable")
    for place, column in enumerate(columns):
        columns[place] = column[order]
    game, seat, action, *observed = columns
    return PlayedGames(batch, outcomes, game, seat, action, tuple(observed))


def prepare(export: Export) -> None:
    """Compile once, before the workers start, so that each of them only loads the code."""
    play_file(replace(export, games=1, bots=(CHANCE, HEURISTIC)), 0)
    if not export.batched:
        warm_up(export.bots)


def batch_chooser(export: Export, file: int) -> Chooser:
    """Actions of the built-in policies, each in its seats."""
    heuristic_seats = np.array(
        [[name == HEURISTIC for name in export.seats(game)] for game in export.games_of(file)]
    )
    games = np.arange(len(heuristic_seats))

    def choose(batch: Batch) -> Array:
        if heuristic_seats.all():
            return batch.heuristic_actions()
        if not heuristic_seats.any():
            return batch.random_actions()
        return np.where(
            heuristic_seats[games, batch.seats], batch.heuristic_actions(), batch.random_actions()
        )

    return choose


def script_chooser(export: Export, file: int) -> Chooser:
    """Play the games with bots one by one; the batch replays them."""
    warm_up(export.bots)  # bots with a time limit must not lose time to the compiler
    scripts = [iter(bots_play(export, file, place)) for place in range(len(export.games_of(file)))]
    return lambda batch: np.array([next(script, 0) for script in scripts])


def bots_play(export: Export, file: int, place: int) -> list[int]:
    """The actions of a game of bots."""
    start, number = export.record(file, place), export.games_of(file)[place]
    game = Game.from_record(start)
    seats = [
        BotSeat(name, export.seed_of(file, place, seat), (number,), limit_for(name, None))
        for seat, name in enumerate(start.names)
    ]
    if (forfeit := play_to_the_end(game, seats)) is not None:
        seat, _, detail = forfeit
        raise BotFailed(
            "{bot} did not finish game {game}: {detail}", bot=start.names[seat], game=number, detail=detail
        )
    return [action for _, action in game.record().moves]


# ------------------------------------------------------------------ tables


def schema(export: Export, file: int) -> Any:
    """The schema of a file: every column has a description, and the metadata says how the file was made."""
    pa: Any = import_module("pyarrow")
    seats = {
        "bots": pa.list_(pa.string()),
        "winners": pa.list_(pa.uint8()),
        "outcome": pa.list_(pa.float32()),
    }
    text, number = pa.string(), pa.uint16()
    types = {
        RECORDS: {
            "game": pa.int64(),
            "players": pa.uint8(),
            "teams": pa.bool_(),
            "rounds": number,
            "decisions": number,
            "variant": text,
            "rulings": text,
            "deck": text,
            "moves": text,
            "ending": text,
            "domain": text,
            **seats,
        },
        DECISIONS: {
            "game": pa.int64(),
            "ply": number,
            "seat": pa.uint8(),
            "action": pa.uint8(),
            "bot": pa.dictionary(pa.int8(), text),
            "outcome": pa.float32(),
            "observation": pa.binary(FEATURES),
            "mask": pa.uint64(),
        },
    }[export.what]
    fields = [
        pa.field(name, types[name], nullable=name == "domain", metadata={"description": meaning})
        for name, meaning in COLUMN_DESCRIPTIONS[export.what].items()
    ]
    return pa.schema(fields, {METADATA: json.dumps(export.metadata(file))})


def records_table(export: Export, file: int, played: PlayedGames) -> Any:
    pa: Any = import_module("pyarrow")
    names = np.array(CHOICES)
    ends = np.cumsum(played.counts)[:-1]
    rows = [
        record_row(export, file, place, " ".join(names[actions]), played)
        for place, actions in enumerate(np.split(played.action, ends))
    ]
    return pa.Table.from_pylist(rows, schema=schema(export, file))


def record_row(export: Export, file: int, place: int, moves: str, played: PlayedGames) -> dict[str, Any]:
    start, end = export.record(file, place), played.batch.position(place)
    result = result_of(end)
    assert result is not None  # all games are over
    return {
        "game": export.games_of(file)[place],
        "players": export.players,
        "variant": export.variant,
        "teams": export.teams,
        "rulings": export.rulings,
        "bots": start.names,
        "deck": write_cards(list(start.deck)),
        "moves": moves,
        "ending": result.ending.name.lower(),
        "domain": result.domain.name.lower() if result.domain is not None else None,
        "winners": result.winners,
        "outcome": played.outcomes[place],
        "rounds": end.round,
        "decisions": moves.count(" ") + 1,
    }


def decisions_table(export: Export, file: int, played: PlayedGames) -> Any:
    pa: Any = import_module("pyarrow")
    observations, masks = played.rows
    numbers = played.game + export.games_of(file).start
    starts = np.cumsum(played.counts) - played.counts
    bots = pa.array((numbers + played.seat) % len(export.bots), pa.int8())
    columns = {
        "game": numbers,
        "ply": (np.arange(len(numbers)) - starts[played.game]).astype(np.uint16),
        "seat": played.seat,
        "bot": pa.DictionaryArray.from_arrays(bots, pa.array(export.bots)),
        "observation": pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(FEATURES), len(numbers), [None, pa.py_buffer(observations)]
        ),
        "mask": np.packbits(masks, axis=1, bitorder="little").view("<u8")[:, 0],
        "action": played.action,
        "outcome": played.outcomes[played.game, played.seat],
    }
    return pa.table(columns, schema=schema(export, file))


# ------------------------------------------------------------------ files


def path_of(folder: Path, file: int) -> Path:
    return folder / f"part-{file:06}.parquet"


def write_file(export: Export, folder: Path, file: int) -> int:
    """Play the games of a file and write it atomically; return the number of games."""
    parquet: Any = import_module("pyarrow.parquet")
    played = play_file(export, file)
    table = (records_table if export.what == RECORDS else decisions_table)(export, file, played)
    path = path_of(folder, file)
    # Readers skip such names, and the process id makes the name unique.
    unfinished = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED}")
    with unfinished.open("wb") as stream:
        parquet.write_table(table, stream, compression="zstd", use_dictionary=["bot"])
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(path)
    return len(export.games_of(file))


def is_written(export: Export, folder: Path, file: int) -> bool:
    """Whether a file of the export exists and is complete; a file of another export is an error."""
    parquet: Any = import_module("pyarrow.parquet")
    path = path_of(folder, file)
    if not path.exists():
        return False
    try:
        found = json.loads(parquet.read_schema(path).metadata[METADATA])
        common = {name: found[name] for name in export.identity}
    except (ValueError, KeyError, TypeError):
        raise SetupError("{path} is not a file of an export.", path=path) from None
    if common != export.identity:
        raise SetupError(
            "{path} was exported with other options or by another version. Choose another folder.", path=path
        )
    # The last file of a shorter export has fewer games.
    return bool(found["games"] == len(export.games_of(file)))


class ExportRun:
    """Writes the missing files of an export."""

    def __init__(self, export: Export, folder: Path, workers: Workers) -> None:
        self.export = export
        self.folder = folder
        self.workers = workers
        expected = {path_of(folder, file) for file in range(export.files)}
        if others := sorted(set(folder.glob("*.parquet")) - expected):
            raise SetupError("{path} does not belong to this export. Choose another folder.", path=others[0])
        self.missing = [file for file in range(export.files) if not is_written(export, folder, file)]
        done = export.games - sum(len(export.games_of(file)) for file in self.missing)
        self.progress = Progress(done, export.games, finished_before=done)

    def play(self, report: Callable[[Progress], None] = lambda progress: None) -> None:
        """Write all missing files, reporting progress. Finished files survive an interrupt or a crash."""

        def submit(executor: Executor, file: int) -> Future[int]:
            return executor.submit(write_file, self.export, self.folder, file)

        def collect(file: int, games: int) -> None:
            self.progress.games += games

        run_tasks(self.missing, self.workers, submit, collect, lambda: report(self.progress))
        for unfinished in self.folder.glob(f".part-*{_UNFINISHED}"):
            unfinished.unlink()
