"""The server that the browser tests visit, its store, and how a page is read and answered."""

import asyncio
import dataclasses
import json
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from analyses import analyzed_at_once
from playwright.sync_api import Locator, Page

from hegemon.analysis import Analysis
from hegemon.bots import make_bot
from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.play.study import Study
from hegemon.prose.translator import get_translator
from hegemon.rules.actions import CHOICES
from hegemon.rules.view import View
from hegemon.server.db import tournaments
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import GameRow, MessageRow, MoveRow, SeatRow, StudyRow
from hegemon.server.db.store import Store
from hegemon.server.db.tournament_rows import OPEN, RUNNING, Entry, Outcome, Pairing, Round, TournamentRow
from hegemon.server.runner import database_url
from hegemon.server.security import tokens
from hegemon.server.tables.seats import open_seat_row
from hegemon.server.web.new_game import FRIEND, PERSON

ANSWERS = "[data-region=question] button[name=choice]:not([value=undo])"
END = "[data-region=question] button[name=choice][value='.']"
UNDO = "button[name=choice][value=undo]"
OVER = "[data-region=question] h1.over"


@dataclass(frozen=True)
class Site:
    """A running server. Games can be created directly in its store, so that a test can begin at any position."""

    address: str
    database: str

    def lay(
        self,
        game: Game,
        seats: tuple[str | None, ...] = (),
        owner: str | None = None,
        *,
        public: bool = False,
        clock: str = "",
    ) -> str:
        """Create a table with this game so far; a seat has a bot, by its name, or (None) the token's player.

        It may also be open for a "friend", or have an unknown "person".
        """
        game_id, record = secrets.token_urlsafe(12), game.record()
        held = tokens.owner_of(owner) if owner else None
        others = {None: SeatRow(None, held), PERSON: SeatRow(None, "somebody")}
        rows = [
            open_seat_row() if who == FRIEND else others.get(who) or SeatRow(who, None)
            for who in seats or (None,) * game.players
        ]
        made = [
            MoveRow(number, seat, CHOICES[choice]) for number, (seat, choice) in enumerate(record.moves, 1)
        ]
        text = write_record(dataclasses.replace(record, moves=(), result=None))
        self._in_store(
            lambda store: store.games.create(
                game_id,
                text,
                rows,
                made,
                finished=game.over,
                host=held,
                options=TableOptions(clock=clock),
                public=public,
            )
        )
        return game_id

    def lay_tournament(
        self, state: str, owner: str, *, game_id: str | None = None, league: str | None = None
    ) -> str:
        """Save a tournament of five in some state, whose host and first player has this token; return its path.

        While it is running, the player plays the given game.
        """
        now = datetime.now(UTC)
        tournament = TournamentRow(
            secrets.token_urlsafe(12), tokens.owner_of(owner), "The cup of the long winter evenings", "swiss", 2,
            "basic", 2, "3d a move", 60, "greedy", 1, now, public=True, league=league,
        )  # fmt: skip
        entries = [Entry(1, "Ada", tournament.host), Entry(2, "Zenobia of Palmyra", "somebody")]
        entries += [Entry(number, f"Bot {number}", bot="greedy") for number in (3, 4, 5)]
        rounds = [
            [Pairing(1, 1, (1, 2), secrets.token_urlsafe(12)), Pairing(1, 2, (3, 4), secrets.token_urlsafe(12)),
             Pairing(1, 3, (5,))],
            [Pairing(2, 1, (5, 1), game_id), Pairing(2, 2, (2, 3), secrets.token_urlsafe(12)),
             Pairing(2, 3, (4,))],
        ]  # fmt: skip

        async def go(store):
            await store.tournaments.create(tournament, entries, 99)
            if state == OPEN:
                return
            await store.tournaments.start(tournament, 2, [])
            await store.tournaments.start_round(tournament.id, Round(1, now), rounds[0])
            for pairing in rounds[0][:2]:
                await store.tournaments.save_outcome(tournament.id, pairing, Outcome((0, 1), (13, 12)))
            await store.tournaments.end_round(tournament.id, 1, now, last=state == tournaments.OVER)
            if state == RUNNING:
                await store.tournaments.start_round(tournament.id, Round(2, now), rounds[1])

        self._in_store(go)
        return f"/tournaments/{tournament.id}"

    def keep_study(self, study: Study, owner: str) -> str:
        """Save a study that belongs to this token; return its path."""
        row = StudyRow(
            secrets.token_urlsafe(12),
            tokens.owner_of(owner),
            study.title,
            write_record(study.record()),
            1,
            datetime.now(UTC),
        )
        self._in_store(lambda store: store.studies.create(row, 100))
        return f"/study/{row.id}"

    def submit_move(self, game_id: str, *lines: tuple[int | None, str]) -> None:
        """Save chat messages of some seats, or (None) of a spectator, at a table."""

        async def go(store):
            for number, (seat, text) in enumerate(lines, 1):
                await store.messages.add(
                    game_id, MessageRow(number, datetime.now(UTC), seat, f"voice {seat}", text=text)
                )

        self._in_store(go)

    def save_analysis(self, game_id: str) -> None:
        """Save an analysis of a finished game."""
        analysis = Analysis.from_items((), 0, 0, analyzed_at_once(self.game(game_id)))
        self._in_store(lambda store: store.analyses.save(game_id, json.dumps(analysis.to_dict())))

    def row(self, game_id: str) -> GameRow:
        """The saved row of a game."""
        return self._in_store(lambda store: store.games.load(game_id))

    def game(self, game_id: str) -> Game:
        """A game as it is saved."""
        row = self.row(game_id)
        game = Game.from_record(read_record(row.record))
        for move in row.moves:
            if move.choice == "undo":
                game.undo(move.seat)
            else:
                game.play(move.choice, move.seat)
        return game

    def _in_store(self, act):
        async def go():
            store = Store(database_url(self.database))
            try:
                return await act(store)
            finally:
                await store.close()

        with ThreadPoolExecutor(1) as another_thread:  # Playwright's loop is running in this one
            return another_thread.submit(asyncio.run, go()).result()


def played(game: Game, until: Callable[[Game], bool] = lambda game: False, bot: str = "greedy") -> Game:
    """Let bots continue a game, always in the same way, until a condition is met or it is over."""
    bots = [make_bot(bot, seat) for seat in range(game.players)]
    while not game.over and not until(game):
        seat = to_move(game)[0]
        game.play(bots[seat].choose(game.view(seat), game.memory(seat), game.choices_of(seat)), seat)
    return game


def to_move(game: Game) -> list[int]:
    """The seats that may choose now."""
    return [seat for seat in range(game.players) if game.choices_of(seat)]


# ------------------------------------------------------------------ the start page


def create_table(page: Page, *occupants: str, **fields: str | bool) -> None:
    """Fill in the form of the start page: who sits where, what is entered or selected, and what is checked."""
    form = page.locator("form", has=page.locator("select[name=seat1]"))
    for seat, who in enumerate((*occupants, "nobody", "nobody")[:4], 1):
        form.locator(f"select[name=seat{seat}]").select_option(who)
    for name, value in fields.items():
        field = form.locator(f"[name={name}]")
        if value is True:
            field.check()
        elif name == "variant":
            form.locator(f"[name=variant][value={value}]").check()
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    form.locator("button[type=submit], button:not([type])").last.click()


# ------------------------------------------------------------------ reading a page


def game_on(page: Page) -> str:
    """The game whose table a page shows."""
    return urlsplit(page.url).path.split("/")[2]


def read_in(page: Page, language: str) -> Callable[..., str]:
    """Switch a page to another language; return the function that translates its sentences."""
    page.evaluate(
        "language => fetch('/settings', { method: 'POST', body: new URLSearchParams({ language }) })",
        language,
    )
    page.reload()
    assert page.locator("html").get_attribute("lang") == language
    return get_translator(language).text


def number(page: Page) -> int:
    """The number of the question that a page asks."""
    return int(page.locator("input[name=version]").get_attribute("value"))


def cards_on(page: Page) -> list[str]:
    """The cards of the hand that a page shows, and those that were kept in the draft."""
    found = page.locator("[data-region=hand] [data-place^=hand]").all()
    return sorted(card.get_attribute("data-card") for card in found)


def cards_of(view: View) -> list[str]:
    """The cards of a seat, as a page names them."""
    return sorted([*view.hand, *view.kept])


def wait_for_a_question(page: Page) -> None:
    """Wait until a page asks something, or the game is over; and until its script handles keys and clicks."""
    page.wait_for_selector(f"{ANSWERS}, {OVER}", state="attached")  # the choices may be in a closed sheet
    page.wait_for_load_state()


def wait_for_number(page: Page, least: int) -> None:
    """Wait until a page shows the question with this number, or a later one."""
    page.wait_for_function(
        "least => document.querySelector('input[name=version]')?.value >= least", arg=least
    )


def is_over(page: Page) -> bool:
    return page.locator(OVER).count() > 0


def answer(page: Page, act: Callable[[], None]) -> None:
    """Give an answer and wait until the page asks the next question, or the game is over."""
    page.wait_for_selector("#table:not([aria-busy])")  # in a draft, others may choose while a pick is sent
    before = number(page)
    act()
    wait_for_number(page, before + 1)
    wait_for_a_question(page)


def shortest_answer(page: Page) -> Locator:
    """The button that ends the turn, or else that of the first choice; on a phone its sheet is opened."""
    page.wait_for_selector(ANSWERS, state="attached")
    button = (page.locator(END) if page.locator(END).count() else page.locator(ANSWERS)).first
    if not button.is_visible():
        page.locator("[popovertarget=choices]").click()
    return button


def open_answers(page: Page) -> list[str]:
    """The choices that a page offers, in order."""
    return [button.get_attribute("value") for button in page.locator(ANSWERS).all()]


def in_tab_order(page: Page, wanted: str, most: int = 80) -> None:
    """Go to an element by the Tab key alone."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", wanted):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached by Tab")
