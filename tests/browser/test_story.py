"""The story of a game: a recap until the next move, one announcement per move, sounds, and different endings."""

from itertools import count

import pytest
from browser_site import ANSWERS, END, OVER, answer, number, played, wait_for_a_question, wait_for_number
from playwright.sync_api import expect

from hegemon.play.events import TurnBegan
from hegemon.play.game import Game
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import get_translator
from hegemon.rules.actions import Effect
from hegemon.rules.position import Ending, Question
from hegemon.server.security import tokens
from hegemon.views.story import recap

NAMES = ("Ada", "Zenobia", "Ashoka")
SEATS = (None, "greedy", "greedy")
RECAP = "[data-region=recap]"

#: Records every announcement for screen readers.
HEARING = """
  window.heard = [];
  document.addEventListener("DOMContentLoaded", () => {
    const noting = new MutationObserver(() => window.heard.push(document.getElementById("live").textContent));
    noting.observe(document.getElementById("live"), { childList: true, characterData: true, subtree: true });
  });
"""

#: An audio context that counts the sources that were started.
LISTENING = """
  window.sources = 0;
  const nothing = () => {};
  const parameter = () => ({
    value: 0, setValueAtTime: nothing, linearRampToValueAtTime: nothing, exponentialRampToValueAtTime: nothing,
  });
  const node = () => ({
    connect: (other) => other, start: () => { window.sources += 1; }, stop() {},
    gain: parameter(), frequency: parameter(), type: "", buffer: null,
  });
  window.AudioContext = class {
    constructor() { this.sampleRate = 8000; this.state = "running"; this.destination = node(); }
    get currentTime() { return performance.now() / 1000; }
    createOscillator() { return node(); }
    createGain() { return node(); }
    createBufferSource() { return node(); }
    createBiquadFilter() { return node(); }
    createBuffer(channels, length) { return { getChannelData: () => new Float32Array(length) }; }
  };
"""


@pytest.fixture
def token():
    return tokens.new_token()


def asked(game):
    return bool(game.choices_of(0)) and game.view(0).question == Question.PLAY


def hit_by(effect):
    """Whether this effect has just hit the first player, whose turn begins."""
    return lambda game: asked(game) and any(d.used.effect is effect for d in recap(game, 0).against(0))


def game_with(wanted):
    games = (played(Game(3, seed=seed, names=NAMES), wanted) for seed in count(1))
    return next(game for game in games if not game.over)


# ------------------------------------------------------------------ the recap


@pytest.mark.parametrize("language", ["pl"])
def test_a_recap_stays_until_the_reader_acts(visit, site, token, language):
    game = game_with(lambda game: asked(game) and len(recap(game, 0).actions) > 3 and recap(game, 0).changes)
    page = visit(language, token=token)
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    wait_for_a_question(page)
    entries = page.locator(f"{RECAP} .deeds > li")
    expect(entries).to_have_count(len(recap(game, 0).actions))
    expect(page.locator(".delta")).to_have_count(len(recap(game, 0).changes))
    page.reload()
    expect(entries).to_have_count(len(recap(game, 0).actions))
    page.locator(f"{RECAP} .more").click()
    sheet = page.get_by_role("dialog", name=get_translator(language).text("Since your last turn"))
    expect(sheet.get_by_role("link")).to_have_count(len(recap(game, 0).actions))
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    answer(page, page.locator(ANSWERS).first.click)
    expect(entries).to_have_count(0)
    expect(page.locator(".delta")).to_have_count(0)


@pytest.mark.parametrize(
    ("effect", "scripts"), [(Effect.ATTACK, True), (Effect.INQUISITION, False), (Effect.EMBARGO, True)]
)
def test_what_was_done_to_the_reader_stands_out_until_it_is_dismissed(visit, site, token, effect, scripts):
    game, tr = game_with(hit_by(effect)), get_translator("en")
    page = visit(token=token, java_script_enabled=scripts)
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    note = page.get_by_role("note", name="Done to you")
    expect(note).to_be_visible()
    expect(note).to_contain_text(tr.effects[effect])
    lost = [card for action in recap(game, 0).against(0) for card in action.lost_by(0)]
    assert note.locator(".loss .mini").count() == len(lost)
    if effect is Effect.EMBARGO:
        note.get_by_role("checkbox", name="Dismiss").press("Space")
    else:
        note.locator(".dismiss").click()
    expect(note).to_be_hidden()
    expect(page.locator(f"{RECAP} .deeds > li")).not_to_have_count(0)


def test_a_line_of_the_log_leads_to_its_moment_and_back(visit, site, token):
    game = game_with(lambda game: asked(game) and len(game.moves) > 40)
    page = visit(token=token)
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    wait_for_a_question(page)
    lines = page.locator("[data-region=log] .turn a")
    lines.first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(lines.nth(3)).to_be_focused()
    sentence = lines.nth(3).inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/moment?*")
    expect(page.get_by_role("status")).to_contain_text(sentence.split()[0])
    assert page.locator("[data-place^=hand-]:not([data-card^='?']):not([data-place=hand-0])").count() == 0
    page.get_by_role("link", name="Go to the live table").click()
    expect(page.locator(ANSWERS).first).to_be_attached()


# ------------------------------------------------------------------ announcements and sounds


def said_of(game, since):
    """The announcement of each later move for the first player."""
    narrator = Narrator(game.names, 0)
    moves = [game.events_at(ply, 0) for ply in range(since + 1, len(game.moves) + 1)]
    return [
        " ".join(narrator.narrate([e for e in events if not isinstance(e, TurnBegan)])) for events in moves
    ]


def test_every_move_is_announced_once(visit, site, token):
    """The reader's turn, then those of two bots: each move is announced once, and the question on the reader's turn."""
    game = game_with(lambda game: asked(game) and len(game.moves) > 30)
    page = visit(token=token, animation_speed="fast", settings={"passing": "off"})
    page.add_init_script(HEARING)
    game_id = site.lay(game, SEATS, token)
    page.goto(f"/games/{game_id}")
    wait_for_a_question(page)
    first = number(page)
    while not page.locator(END).count():
        answer(page, page.locator(ANSWERS).first.click)
    page.locator(END).first.click()
    wait_for_number(page, first + 3)
    wait_for_a_question(page)
    question = page.locator("#question").inner_text()
    page.wait_for_function("question => heard.at(-1)?.endsWith(question)", arg=question)
    moves = [said for said in said_of(site.game(game_id), len(game.moves)) if said]
    heard = page.evaluate("heard")
    everything = " ".join(heard)
    assert len(heard) <= len(moves)  # on a busy machine, moves that are shown late are announced together
    assert [everything.count(move) for move in moves] == [moves.count(move) for move in moves]
    assert sorted(moves, key=everything.index) == sorted(moves, key=moves.index)
    assert heard[0].startswith(moves[0])
    assert everything.count(question) == 1


@pytest.mark.parametrize("facts", [{"reduced_motion": "reduce"}, {"animation_speed": "none"}])
def test_sounds_are_played_without_motion(visit, site, token, facts):
    game = game_with(lambda game: asked(game) and len(game.moves) > 20)
    page = visit(token=token, settings={"sound": "on"}, **facts)
    page.add_init_script(LISTENING)
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    wait_for_a_question(page)
    expect(page.locator(".sound-choice")).to_have_count(0)
    assert page.evaluate("sources") == 0
    answer(page, page.locator(ANSWERS).first.click)
    page.wait_for_function("sources > 0")


def test_sounds_are_chosen_at_the_first_table_and_remembered(visit, site, token):
    path = f"/games/{site.lay(game_with(asked), SEATS, token)}"
    page = visit(token=token)
    page.add_init_script(LISTENING)
    page.goto(path)
    wait_for_a_question(page)
    with page.expect_response("**/settings"):
        page.get_by_role("group", name="Sounds").get_by_role("button", name="on").click()
    expect(page.locator(".sound-choice")).to_have_count(0)
    page.wait_for_function("sources > 0")
    page.reload()
    expect(page.locator("#table")).to_have_attribute("data-sound", "on")
    expect(page.locator(".sound-choice")).to_have_count(0)


def test_sounds_are_chosen_without_a_script(visit, site, token):
    page = visit(token=token, java_script_enabled=False)
    page.goto(f"/games/{site.lay(game_with(asked), SEATS, token)}")
    page.get_by_role("group", name="Sounds").get_by_role("button", name="off").click()
    expect(page.locator("#table")).to_have_attribute("data-sound", "off")
    expect(page.locator(".sound-choice")).to_have_count(0)


# ------------------------------------------------------------------ endings


def finished(wanted, bot):
    games = (played(Game(3, seed=seed, names=NAMES), bot=bot) for seed in count(1))
    return next(game for game in games if wanted(game.result))


def before_the_end():
    """A game that seat 0 wins with its only choice: to end its turn."""
    game = played(Game(3, seed=678, names=NAMES))
    before = game.at(len(game.moves) - 1)
    assert before.choices_of(0) == (".",)
    assert 0 in game.result.winners
    return before


@pytest.mark.parametrize(
    ("kind", "bot", "ending", "scripts", "width", "height"),
    [
        ("won", "greedy", Ending.HEGEMONY, True, 1280, 800),
        ("lost", "greedy", Ending.HEGEMONY, False, 844, 390),
        ("lost", "chance", Ending.MAJORITY, True, 390, 844),
    ],
)
def test_each_ending_looks_different_and_offers_the_next_steps(
    visit, site, token, kind, bot, ending, scripts, width, height
):
    game = finished(lambda r: r.ending == ending and (0 in r.winners) == (kind == "won"), bot)
    page = visit(token=token, java_script_enabled=scripts, viewport={"width": width, "height": height})
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    expect(page.locator(f".ending.{kind} {OVER.split()[-1]}")).to_be_visible()
    assert page.locator(".ending .wreath").count() == (kind == "won")
    shown = page.locator(".ending .winning" if ending == Ending.HEGEMONY else ".ending .majority")
    expect(shown).to_be_in_viewport(ratio=0.9)
    for name in ("Play again", "Rematch with other seats"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=0.9)
    for name in ("Step through the game", "Share"):
        expect(page.get_by_role("link", name=name)).to_be_in_viewport(ratio=0.9)
    if ending == Ending.HEGEMONY:
        expect(page.locator(".column.won")).to_be_in_viewport()


def test_a_spectator_sees_who_won_and_no_laurel(visit, site, token):
    game = finished(lambda result: result.ending == Ending.HEGEMONY, "greedy")
    page = visit()
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    expect(page.locator(".ending.watched")).to_be_visible()
    expect(page.get_by_role("button", name="Play again")).to_have_count(0)
    expect(page.get_by_role("link", name="Share")).to_be_visible()


def test_an_ending_has_its_own_sound_and_is_played_once(visit, site, token):
    game = before_the_end()
    page = visit(token=token, settings={"sound": "on", "passing": "off"})
    page.add_init_script(HEARING)
    page.add_init_script(LISTENING)
    page.goto(f"/games/{site.lay(game, SEATS, token)}")
    wait_for_a_question(page)
    page.locator(END).first.click()
    expect(page.locator(".ending.won")).to_be_visible()
    verdict = page.locator("#question").inner_text()
    page.wait_for_function("verdict => heard.at(-1)?.includes(verdict)", arg=verdict)
    assert " ".join(page.evaluate("heard")).count(verdict) == 1
    page.wait_for_function("sources >= 5")


def test_a_finished_game_is_shared_by_its_link(visit, site, token):
    game_id = site.lay(finished(lambda result: True, "greedy"), SEATS, token)
    page = visit(token=token)
    page.add_init_script(
        "Object.defineProperty(navigator, 'share', { value: async (facts) => { window.shared = facts; } });"
    )
    page.goto(f"/games/{game_id}")
    page.wait_for_load_state()
    page.get_by_role("link", name="Share").click()
    page.wait_for_function("window.shared")
    assert page.evaluate("shared.url") == f"{site.address}/games/{game_id}/replay"
