"""Animated cards: each moves from its old place to its new one, and none is in two places."""

from browser_site import ANSWERS, END, answer, create_table, number, played, wait_for_a_question
from playwright.sync_api import expect

from hegemon.play.game import Game
from hegemon.server.security import tokens
from hegemon.views.story import last_move

#: Records every moving card: its picture, its start and end, and whether its new place looks empty meanwhile.
NOTING = """
  window.flights = [];
  window.pointed = 0;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, timing) {
    if (this.parentElement?.id === "sky") {
      if (this.matches(".badge")) window.pointed += 1;
      else {
        const [from, to] = frames.map((frame) => frame.transform);
        window.flights.push({ kind: this.dataset.kind, from, to, hidden: false });
      }
    } else if (frames[0].visibility === "hidden" && window.flights.length) {
      window.flights.at(-1).hidden = this.matches("[data-card]");
    }
    return animate.call(this, frames, timing);
  };
"""


def play_turns(page, turns):
    """Make the shortest choices until the others have played this many times."""
    for _ in range(turns):
        while not (end := page.locator(END)).count():
            answer(page, page.locator(ANSWERS).first.click)
        answer(page, end.first.click)


def test_cards_fly_and_none_is_in_two_places(visit):
    page = visit(animation_speed="fast")
    page.add_init_script(NOTING)
    page.goto("/")
    create_table(page, "me", "greedy", "greedy")
    wait_for_a_question(page)
    play_turns(page, 2)
    flights = page.evaluate("flights")
    assert flights
    assert all(flight["from"] != flight["to"] for flight in flights)
    assert any(flight["hidden"] for flight in flights)
    assert any(flight["kind"].startswith("?") for flight in flights), "others draw cards from the deck"
    assert page.evaluate("pointed") > 0
    expect(page.locator("#sky > *")).to_have_count(0)  # all have landed


def test_without_motion_the_same_is_announced_and_nothing_moves(visit):
    page = visit(animation_speed="fast", reduced_motion="reduce")
    page.add_init_script(NOTING)
    page.goto("/")
    create_table(page, "me", "greedy", "greedy")
    wait_for_a_question(page)
    play_turns(page, 1)
    assert page.evaluate("flights") == []
    assert page.evaluate("pointed") > 0
    expect(page.locator("[data-region=recap] .deeds li")).not_to_have_count(0)


def test_a_card_that_is_discarded_goes_to_the_pile(visit, site):
    """Every card of a move has a start and an end on the page."""

    def next_discards(game):
        if not (game.choices_of(0) and len(game.moves) > 20):
            return False
        for choice in game.choices:
            after = game.copy()
            after.play(choice)
            if any(flight.target == "pile" for flight in last_move(after, 0).flights):
                return True
        return False

    game = played(Game(3, seed=4), next_discards)
    choice = next(c for c in game.choices if "pile" in {f.target for f in after(game, c)})
    token = tokens.new_token()
    page = visit(token=token, animation_speed="fast")
    page.add_init_script(NOTING)
    page.goto(f"/games/{site.lay(game, (None, 'person', 'person'), token)}")
    wait_for_a_question(page)
    before = number(page)
    page.locator(f"{ANSWERS}[value='{choice}']").first.evaluate("button => button.click()")
    page.wait_for_function(
        "least => document.querySelector('input[name=version]').value >= least", arg=before + 1
    )
    assert len(page.evaluate("flights")) >= len(after(game, choice))


def after(game, choice):
    """The flights of a choice, as the first seat sees them."""
    copy = game.copy()
    copy.play(choice)
    return last_move(copy, 0).flights
