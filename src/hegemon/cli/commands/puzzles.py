"""`hegemon puzzle`: solve a puzzle; `hegemon puzzles`: mine games for more, and check those in the package."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import track
from rich.text import Text
from typer import Argument, Option

from hegemon.cli.errors import CommandError
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, Jobs
from hegemon.cli.prose import PUZZLES, translator
from hegemon.cli.runs import check_file, number_of_jobs
from hegemon.cli.terminal.console import error_console, output_console
from hegemon.cli.terminal.prompt import matching_choices
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game
from hegemon.prose.choices import ChoiceDescriber
from hegemon.puzzles.collection import (
    DRAFT,
    MAX_STARS,
    THEMES,
    Puzzle,
    all_puzzles,
    daily_puzzle,
    puzzles_with,
    write_puzzles,
)
from hegemon.puzzles.words import ending, explanation, names_at, refutation, solution_steps, task
from hegemon.views import game_table

DEFAULT_GAMES: Final = 10_000
_SOLUTION: Final = "?"
_QUIT: Final = "q"


def puzzle(
    number: Annotated[int | None, Argument(help="The number of a puzzle; otherwise today's.")] = None,
    theme: Annotated[
        str, Option(help="A theme, such as research or defense: a puzzle of it at random.")
    ] = "",
) -> None:
    """Solve a puzzle: win this turn, stop the others from winning, or pick a card. Nothing is sent or stored."""
    solve(output_console(), chosen_puzzle(number, theme))


def chosen_puzzle(number: int | None, theme: str) -> Puzzle:
    if theme:
        if not (found := puzzles_with(theme)):
            raise SetupError(PUZZLES["no-theme"].format(theme=theme, themes=", ".join(THEMES)))
        return found[(number or datetime.now(UTC).microsecond) % len(found)]
    if number is None:
        return daily_puzzle(datetime.now(UTC).date())
    if not 1 <= number <= len(all_puzzles()):
        raise SetupError(PUZZLES["none"].format(number=number, most=len(all_puzzles())))
    return all_puzzles()[number - 1]


def solve(console: Console, puzzle: Puzzle) -> None:
    """Prompt for choices until the puzzle is solved, its solution is shown, or the player quits."""
    tr = translator()
    words = tr.learning
    stars = words["puzzle.page.difficulty"].format(number=puzzle.stars, all=MAX_STARS)
    console.print(Text(f"{words['puzzle.page.number'].format(number=puzzle.number)} · {stars}", style="bold"))
    console.print(Text(task(puzzle, tr), style="question"))
    start = puzzle.game(names_at(puzzle, tr))
    game = start.copy()
    console.print(TerminalRenderer.of(console).table(game_table(game, puzzle.seat)))
    console.print(Text(PUZZLES["over"], style="quiet"))
    while puzzle.is_in_progress(game):
        show_choices(console, game)
        typed = read_answer(console)
        if typed.casefold() == _QUIT:
            return
        if typed == _SOLUTION:
            show_solution(console, puzzle)
            return
        found = matching_choices(typed, game.choices)
        if len(found) != 1:
            console.print(Text(PUZZLES["over"], style="alert"))
            continue
        right = puzzle.keeps_goal(game, found[0])
        game.play(found[0])
        if not puzzle.is_in_progress(game):
            right = puzzle.is_solved(game)
        if not right:
            console.print(
                Text(f"{words['puzzle.page.wrong']} {refutation(puzzle, game, tr)}".strip(), style="alert")
            )
            game = start.copy()
    console.print(Text(f"{words['puzzle.page.won']} {ending(puzzle, game, tr)}", style="bold"))
    console.print(Text(explanation(puzzle, tr)))


def read_answer(console: Console) -> str:
    try:
        return console.input(Text(f"{PUZZLES['ask']} ")).strip()
    except EOFError:
        return _QUIT


def show_choices(console: Console, game: Game) -> None:
    describer = ChoiceDescriber(game.view(game.seat), game.names, translator())
    console.print(Text(describer.question(), style="question"))
    for number, choice in enumerate(game.choices, 1):
        console.print(Text(f"{number:>2}  {choice:<4} {describer.describe(choice)}"))


def show_solution(console: Console, puzzle: Puzzle) -> None:
    for number, step in enumerate(solution_steps(puzzle, translator()), 1):
        console.print(Text(f"{number:>2}. {step}"))
    console.print(Text(explanation(puzzle, translator())))


def puzzles(
    journal: Annotated[
        Path | None, Argument(help="A file for what is found; an interrupted run goes on from there.")
    ] = None,
    games: Annotated[int, Option(min=1, help="The number of games.")] = DEFAULT_GAMES,
    seed: Annotated[int, Option(min=0, help="The same seed finds the same puzzles.")] = 1,
    jobs: Jobs = None,
    write: Annotated[Path | None, Option(help="Write the puzzles to ship to this file.")] = None,
    draft: Annotated[
        bool,
        Option("--draft", help="Look in drafts for picks that are best by far according to a long search."),
    ] = False,
    check: Annotated[bool, Option("--check", help="Prove or judge every shipped puzzle again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mine games between bots for puzzles: positions with one way to win or to stop the others, proved by search."""
    for file in (journal, write):
        check_file(file)
    if journal is None and not check:
        raise typer.BadParameter(PUZZLES["nothing"])
    console = error_console() if as_json else output_console()
    facts: dict[str, int] = {}
    if journal is not None:
        facts |= mine_games(console, journal, games, seed, number_of_jobs(jobs), write, draft=draft)
    if check:
        facts |= check_all(console, number_of_jobs(jobs))
    if as_json:
        write_json(facts)


def mine_games(
    console: Console, path: Path, games: int, seed: int, jobs: int, write: Path | None, *, draft: bool
) -> dict[str, int]:  # fmt: skip
    """Mine games, select puzzles to write if a file is given, and return the numbers of both."""
    from hegemon.puzzles import drafting, mining
    from hegemon.puzzles.journal import mine, read_journal
    from hegemon.puzzles.selecting import select_puzzles

    if draft:
        theme, mine_batch, size = DRAFT, drafting.mine_drafts, drafting.BATCH
    else:
        theme, mine_batch, size = "", mining.mine_batch, mining.BATCH
    batches = -(-games // size)
    mined = mine(path, mine_batch, seed=seed, batches=batches, jobs=jobs, theme=theme)
    for _ in progress(mined, batches, "mining"):
        pass
    done = read_journal(path, seed, theme)
    found = [one for number, batch in done.items() if number < batches for one in batch]
    console.print(PUZZLES.numbered("found", len(found), games=batches * size))
    facts = {"games": batches * size, "found": len(found)}
    if write is not None:
        from hegemon.prose.puzzles import PUZZLES as MADE_BY_HAND

        chosen = select_puzzles(found, len(MADE_BY_HAND) + 1)
        write.write_text(write_puzzles(chosen), encoding="utf-8")
        console.print(PUZZLES.numbered("written", len(chosen), path=write))
        facts["written"] = len(chosen)
    return facts


def check_all(console: Console, jobs: int) -> dict[str, int]:
    """Check all puzzles of the package again; return their numbers, or raise a CommandError if one is wrong."""
    from hegemon.puzzles.selecting import problem_of

    wrong = False
    with ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext() as pool:
        problems = (pool.map if pool else map)(problem_of, all_puzzles())
        for one, problem in zip(
            all_puzzles(), progress(problems, len(all_puzzles()), "checking"), strict=True
        ):
            if problem:
                wrong = True
                console.print(PUZZLES["wrong"].format(number=one.number, problem=problem))
    if wrong:
        raise CommandError(PUZZLES["not-right"])
    judged = sum(bool(one.judged) for one in all_puzzles())
    facts = {"proved": len(all_puzzles()) - judged, "judged": judged}
    console.print(PUZZLES["right"].format(**facts))
    return facts


def progress(items: Iterable[object], number: int, key: str) -> Iterator[object]:
    """The items, with a progress bar on standard error."""
    return iter(track(items, PUZZLES[key], number, console=error_console(), transient=True))
