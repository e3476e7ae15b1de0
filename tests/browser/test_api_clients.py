"""Programs at the same table as people: a remote bot plays a whole game through the API against a browser."""

import os
import subprocess
import sys
from pathlib import Path

from browser_players import invite
from browser_site import (
    ANSWERS,
    END,
    OVER,
    answer,
    cards_of,
    cards_on,
    game_on,
    is_over,
    wait_for_a_question,
)
from playwright.sync_api import expect
from waiting import WAIT_TIMEOUT

from hegemon.client import Server

EXAMPLE = Path(__file__).parents[2] / "examples" / "remote_bot" / "remote_bot.py"
HEGEMON = (sys.executable, "-c", "from hegemon.cli import main; main()")


def start(*idempotency_key, **environment):
    return subprocess.Popen(
        idempotency_key,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def play_to_the_end(page):
    """A simple player who ends the turn or makes the first choice."""
    wait_for_a_question(page)
    while not is_over(page):
        end = page.locator(END)
        answer(page, (end if end.count() else page.locator(ANSWERS)).first.click)


def test_a_remote_bot_plays_a_whole_game_against_a_browser(visit, site):
    page = visit("de")
    (link,) = invite(page, "me", "friend", name1="Ada")
    with start(sys.executable, EXAMPLE, link) as bot:
        page.wait_for_selector(ANSWERS)
        expect(page.get_by_role("region", name="Solon")).to_be_visible()
        expect(page.locator("[data-region=chat]")).to_contain_text("Hallo")
        game_id = game_on(page)
        assert cards_on(page) == cards_of(site.game(game_id).view(0))
        play_to_the_end(page)
        told, problems = bot.communicate(timeout=WAIT_TIMEOUT)
    assert (bot.returncode, problems) == (0, "")
    expect(page.locator(OVER)).to_be_visible()
    game = site.game(game_id)
    assert told == f"Won by {' and '.join(('Ada', 'Solon')[winner] for winner in game.result.winners)}.\n"
    assert {seat for seat, _ in game.record().moves} == {0, 1}


def test_remote_bots_draft_with_a_browser_while_a_program_spectates(visit, site, tmp_path):
    page = visit("en")
    links = invite(page, "me", "friend", "friend", name1="Ada", variant="draft")
    server = Server(site.address)
    watching = server.seat(game_on(page)).watch()
    assert next(watching).state.is_waiting
    bots = [
        start(*HEGEMON, "join", link, "--bot", "greedy", "--name", name, XDG_DATA_HOME=str(tmp_path))
        for link, name in zip(links, ("Zenobia", "Ashoka"), strict=True)
    ]
    page.wait_for_selector(ANSWERS)
    play_to_the_end(page)
    for bot in bots:
        with bot:
            told, problems = bot.communicate(timeout=WAIT_TIMEOUT)
        assert (bot.returncode, problems) == (0, "")
        assert "game over" in told
    *_, last = watching
    game = site.game(game_on(page))
    assert last.state.result == game.result
    assert last.state.names == ("Ada", "Zenobia", "Ashoka")
    server.close()
