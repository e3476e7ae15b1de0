"""Play one deal: the unit of work of a worker."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass
from typing import Any, Final

from hegemon.arena.seats import BotError, BotSeat, ChoiceRequest, Forfeit, limit_for
from hegemon.arena.tournament import Deal, Tournament
from hegemon.arena.workers import is_stopping
from hegemon.bots import warm_up
from hegemon.notation.errors import NotationError
from hegemon.notation.messages import MessageError
from hegemon.notation.record import Move, Record
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.rules.actions import ACTIONS, Effect

#: The ending of a game that is lost by forfeit.
FORFEIT: Final = "forfeit"

#: The seat that lost, `seats.TIME` or `seats.EXIT`, and details.
LostByForfeit = tuple[int, str, str]


class BotFailed(MessageError):
    """A bot raised an error or made an illegal move."""

    trace: str = ""
    """The traceback of the error, in the bot's code."""


@dataclass(frozen=True)
class GameResult:
    """One finished game as plain data, sent between machines and stored in the journal."""

    deal: int
    table: int
    seating: int
    bots: tuple[str, ...]
    """The bot of each seat."""
    shares: tuple[float, ...]
    """Each seat's share of the win; sides that win together have equal shares."""
    ending: str
    domain: str | None
    """The Domain of the Hegemony."""
    rounds: int
    moves: str
    """The choices that were played, in order."""
    effects: tuple[dict[str, int], ...]
    """Uses of each effect by each seat."""
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    """Total thinking time of each seat."""
    slowest: tuple[float, ...]
    """Longest thinking time for one choice."""
    forfeit: LostByForfeit | None = None

    @property
    def identity(self) -> tuple[int, int, int]:
        return self.deal, self.table, self.seating

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "GameResult":
        lists: dict[str, Any] = {name: tuple(fact) for name, fact in data.items() if isinstance(fact, list)}
        return cls(**{**data, **lists})


def effects_of(moves: tuple[Move, ...], seat: int) -> dict[str, int]:
    """The number of uses of each effect by a seat; a copied effect also counts as an Inspiration."""
    used: Counter[str] = Counter()
    for chooser, action in moves:
        if chooser == seat:
            if (effect := ACTIONS[action].effect) is not None:
                used[effect.name.lower()] += 1
            if ACTIONS[action].copied:
                used[Effect.INSPIRATION.name.lower()] += 1
    return dict(used)


def play_deal(tournament: Tournament, deal: Deal) -> list[GameResult]:
    """Play one deal in every seating."""
    warm_up(tournament.names)  # bots with a time limit must not lose time to the compiler
    seatings = tournament.tables[deal.table]
    return [play_seating(tournament, deal, seating) for seating in range(len(seatings))]


def game_of_deal(tournament: Tournament, deal: int, names: tuple[str, ...]) -> Game:
    """The game of a deal before the first move."""
    return Game(
        tournament.players,
        tournament.variant,
        teams=tournament.teams,
        rulings=tournament.rulings,
        seed=tournament.seed_of(deal),
        names=[f"{name} {seat + 1}" for seat, name in enumerate(names)],
    )


def play_seating(tournament: Tournament, deal: Deal, seating: int) -> GameResult:
    names = tournament.tables[deal.table][seating]
    identity = deal.number, deal.table, seating
    seats = [
        BotSeat(
            name, tournament.seed_of(*identity, seat), identity, limit_for(name, tournament.seconds_per_move)
        )
        for seat, name in enumerate(names)
    ]
    game = game_of_deal(tournament, deal.number, names)
    forfeit = play_to_the_end(game, seats)
    shares, ending, domain = outcome(tournament, game, forfeit)
    moves = game.record().moves
    return GameResult(
        deal=deal.number,
        table=deal.table,
        seating=seating,
        bots=names,
        shares=shares,
        ending=ending,
        domain=domain,
        rounds=game.position.round,
        moves=" ".join(game.moves),
        effects=tuple(effects_of(moves, seat) for seat in range(game.players)),
        decisions=tuple(seat.decisions for seat in seats),
        seconds=tuple(round(seat.seconds, 6) for seat in seats),
        slowest=tuple(round(seat.slowest, 6) for seat in seats),
        forfeit=forfeit,
    )


def play_to_the_end(game: Game, seats: Sequence[BotSeat]) -> LostByForfeit | None:
    """Let bots play until the game is over, or until one of them loses by forfeit."""
    while game.result is None:
        if is_stopping():
            raise CancelledError
        seat = game.seat
        bot, facts = seats[seat].name, {"deal": seats[seat].game[0], "moves": len(game.moves)}
        try:
            choice = seats[seat].choose(ChoiceRequest(game.view(seat), game.memory(seat), game.choices))
        except Forfeit as lost:
            return seat, lost.reason, lost.detail
        except BotError as error:
            failed = BotFailed(
                "{bot} failed in deal {deal}, after {moves} moves: {error}",
                bot=bot,
                error=error.reason,
                **facts,
            )
            failed.trace = error.trace
            raise failed from None
        try:
            game.play(choice)
        except (IllegalMoveError, NotationError) as error:
            raise BotFailed(
                "{bot} made an illegal move in deal {deal}, after {moves} moves: {error}",
                bot=bot,
                error=str(error),
                **facts,
            ) from None
    return None


def outcome(
    tournament: Tournament, game: Game, forfeit: LostByForfeit | None
) -> tuple[tuple[float, ...], str, str | None]:
    """Each seat's share of the win, the ending, and the Domain of a Hegemony.

    All other sides share the win of a game that is lost by forfeit.
    """
    sides = tournament.side_of_seat
    if (result := game.result) is not None:
        winners = {sides[seat] for seat in result.winners}
        ending, domain = result.ending.name.lower(), result.domain
    else:
        assert forfeit is not None
        winners = {*sides} - {sides[forfeit[0]]}
        ending, domain = FORFEIT, None
    shares = tuple(1 / len(winners) if side in winners else 0.0 for side in sides)
    return shares, ending, domain.name.lower() if domain is not None else None


def record_of_result(tournament: Tournament, game: GameResult) -> Record:
    replayed = game_of_deal(tournament, game.deal, game.bots)
    for choice in game.moves.split():
        replayed.play(choice)
    return replayed.record()
