"""Find puzzles: positions of real games whose player can win this turn for certain, though it does not look like it.

python scripts/puzzles.py --games 200 --seed 1      play games by chance and greedily, and print what was found

A position qualifies if the shortest win takes at least `--length` moves, if random play wins less often than
`--chance`, and if the greedy bot misses the win. For each one the script prints its game, the odds of random play, the
cards whose play still wins, a shortest win, and the position. `--write FOLDER` saves the record of every such game up
to the position.
"""

import argparse
from pathlib import Path

from hegemon.bots import make_bot
from hegemon.notation.record import write_record
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.play.solver import Outlook, TurnTooLarge, solve
from hegemon.rules.cards import CULTURE, DOMAINS, ECONOMY, SCIENCE, UTOPIA, count
from hegemon.rules.position import Question
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold

#: Seats and bots of the games; weak bots leave wins for others.
TABLES = (
    (2, ("greedy", "chance")),
    (3, ("chance", "greedy", "chance")),
    (3, ("greedy", "greedy", "chance")),
    (3, ("greedy", "greedy", "greedy")),
    (4, ("greedy", "chance", "greedy", "chance")),
)


def may_win(game: Game) -> bool:
    """Whether a search is worthwhile: effects could play and fetch enough cards in some Domain.

    This is optimistic: effects that are one card away count as well.
    """
    table, seat = game.position, game.seat
    area, hand = ([count(pile) for pile in piles[seat]] for piles in (table.areas, table.hands))
    others = [[count(pile) for pile in table.areas[other]] for other in range(game.players) if other != seat]
    inspired = area[CULTURE] + hand[CULTURE] > max(counts[CULTURE] for counts in others)

    def level(domain: int) -> int:
        best = area[domain] + hand[domain]
        if inspired:
            best = max(best, *(counts[domain] for counts in others))
        return sum(best >= threshold(table, level) for level in (1, 2))

    plays = 1 + level(ECONOMY) + level(SCIENCE)
    for domain in range(DOMAINS):
        missing = hegemony_threshold(table, seat, domain) - area[domain]
        fetched = min(level(UTOPIA), count(table.discard_piles[domain]))
        if 2 <= missing <= min(plays, hand[domain] + fetched):
            return True
    return table.deck_size == 0 and seat == game.players - 1


def greedy_wins(game: Game) -> bool:
    """Whether the greedy bot finds the win."""
    trial, seat, bot = game.copy(), game.seat, make_bot("greedy", 1)
    while not trial.over and trial.seat == seat:
        trial.play(bot.choose(trial.view(seat), trial.memory(seat), trial.choices))
    return trial.result is not None and seat in trial.result.winners


def look(game: Game, wanted: argparse.Namespace) -> Outlook | None:
    """The solution of the turn, if it makes a puzzle."""
    try:
        outlook = solve(game.view(game.seat), wanted.positions)
    except TurnTooLarge:
        return None
    good = outlook.wins and len(outlook.line) >= wanted.length and outlook.chance < wanted.chance
    return outlook if good and not greedy_wins(game) else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=5)
    parser.add_argument("--chance", type=float, default=0.05)
    parser.add_argument("--positions", type=int, default=20_000)
    parser.add_argument("--write", type=Path)
    wanted = parser.parse_args()
    for seed in range(wanted.seed, wanted.seed + wanted.games):
        players, names = TABLES[seed % len(TABLES)]
        game = Game(players, seed=seed, names=names)
        bots = [make_bot(name, seed + seat) for seat, name in enumerate(names)]
        while not game.over:
            seat = game.seat
            view = game.view(seat)
            if view.question == Question.PLAY and may_win(game) and (outlook := look(game, wanted)):
                moment = f"{seed}-{len(game.moves)}"
                print(
                    f"{moment}: chance {outlook.chance:.4f}, first {' '.join(outlook.choices)} of "
                    f"{' '.join(game.choices)}, {' '.join(outlook.line)}\n  {write_position(game.position)}",
                    flush=True,
                )
                if wanted.write:
                    (wanted.write / f"{moment}.toml").write_text(write_record(game.record()))
            game.play(bots[seat].choose(view, game.memory(seat), game.choices))


if __name__ == "__main__":
    main()
