"""Several people at one table, each with their own browser."""

import pytest
from browser_players import invite, panel_of, presence_of, take_seat
from browser_site import (
    ANSWERS,
    OVER,
    cards_of,
    cards_on,
    game_on,
    shortest_answer,
    to_move,
    wait_for_number,
)
from playwright.sync_api import expect
from waiting import block_until

from hegemon.prose.translator import get_translator
from hegemon.rules.position import Question

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="module")
def site(company):
    """The server of these tests."""
    return company


def everyone_sees(pages, number):
    for page in pages:
        wait_for_number(page, number)


def play(pages, site, game_id, turns=1_000, until=lambda game: game.over):
    """Let everyone make the shortest choices on their own page, this many times or until a condition is met."""

    def ready():
        game = site.game(game_id)
        return until(game) or not pages.keys().isdisjoint(to_move(game))

    for _ in range(turns):
        block_until(ready)
        game = site.game(game_id)
        if until(game):
            break
        page = next(pages[seat] for seat in to_move(game) if seat in pages)
        wait_for_number(page, len(game.moves))
        shortest_answer(page).click()
        wait_for_number(page, len(game.moves) + 1)
    return site.game(game_id)


def test_four_people_play_a_draft_in_teams(visit, site):
    names = {"en": "Ada", "de": "Zenobia", "el": "Ashoka", "pl": "Hypatia"}
    pages = [visit(language) for language in names]
    host, *friends = pages
    links = invite(host, "me", "friend", "friend", "friend", name1="Ada", variant="draft", teams=True)
    for page, name, link in zip(friends, list(names.values())[1:], links, strict=True):
        take_seat(page, link, name)
        expect(host.get_by_text(name, exact=True).filter(visible=True).first).to_be_visible()
    for page in pages:
        page.wait_for_selector(ANSWERS)
    game_id = game_on(host)

    # Ashoka has picked, and everyone sees who has not.
    pages[2].locator(ANSWERS).first.click()
    for page, (language, own) in zip(pages, names.items(), strict=True):
        said = get_translator(language).text
        for name in set(names.values()) - {own}:
            state = said("here") if name == "Ashoka" else said("still has to pick")
            expect(presence_of(page, name)).to_have_text(state)

    # From now on, everyone picks simultaneously.
    game = site.game(game_id)
    while game.view(0).question == Question.DRAFT:
        for seat in to_move(game):
            pages[seat].locator(ANSWERS).first.evaluate("button => button.click()")
        everyone_sees(pages, len(game.moves) + len(to_move(game)))
        game = site.game(game_id)
    for seat, page in enumerate(pages):
        assert cards_on(page) == cards_of(game.view(seat))

    play(dict(enumerate(pages)), site, game_id, turns=24)
    game = site.play_on(game_id)
    for page, language in zip(pages, names, strict=True):
        expect(page.locator(OVER)).to_be_visible()
        expect(page.locator(".panel .laurel")).to_have_count(2)
        expect(page.locator(".panel .laurel").first).to_have_text(get_translator(language).text("won"))
    assert len(game.result.winners) == 2


def test_a_button_that_is_being_pressed_stays_while_others_pick(visit, site):
    """Everyone picks at once, and the page changes with every pick; no click may be lost."""
    ada, ben = visit(), visit("hu")
    (link,) = invite(ada, "me", "friend", variant="draft")
    take_seat(ben, link, "Ben")
    ada.locator(ANSWERS).first.hover()
    ada.mouse.down()
    ben.locator(ANSWERS).first.click()
    wait_for_number(ada, 1)
    ada.mouse.up()
    everyone_sees((ada, ben), 2)


def test_two_people_play_with_a_bot_and_one_leaves_and_comes_back(visit, site):
    ada, ben, cleo = visit("en"), visit("hu"), visit("de")
    links = invite(ada, "me", "friend", "greedy", "friend", name1="Ada")
    take_seat(ben, links[0], "Ben")
    take_seat(cleo, links[1], "Cleo")
    for page in (ada, ben):
        page.locator("#table").wait_for()
    game_id, home = game_on(ada), cleo.context
    pages = {0: ada, 1: ben, 3: cleo}
    play(pages, site, game_id, turns=8)
    hand = cards_of(site.game(game_id).view(3))

    # She closes the tab; a player who merely thinks for a long time is still present.
    site.leave(cleo)
    for page, language in ((ada, "en"), (ben, "hu")):
        expect(presence_of(page, "Cleo")).to_have_text(get_translator(language).text("away"))
    site.let_pass(3600)
    expect(presence_of(ben, "Ada")).not_to_have_text(get_translator("hu").text("away"))
    play({0: ada, 1: ben}, site, game_id, until=lambda game: 3 in to_move(game))
    expect(ada.get_by_text(get_translator("en").text("Waiting for {name}…", name="Cleo"))).to_be_visible()

    # She comes back: this browser still has her seat.
    cleo = pages[3] = home.new_page()
    cleo.goto("/")
    cleo.get_by_role("link", name="Ada, Ben").click()
    cleo.wait_for_selector(ANSWERS)
    assert cards_on(cleo) == hand
    expect(presence_of(ada, "Cleo")).to_have_text(get_translator("en").text("is thinking"))
    play(pages, site, game_id, turns=1)

    # She continues on another device, with her personal link.
    said = get_translator("de").text
    cleo.goto("/me")
    cleo.get_by_text(said("QR code")).click()
    expect(cleo.get_by_role("img", name=said("My personal link"))).to_be_visible()
    link = cleo.get_by_label(said("My personal link")).first.input_value()
    cleo.close()
    phone = pages[3] = visit("de", **PHONE)
    phone.goto(link)
    expect(phone.get_by_label(said("Your personal link"))).not_to_have_value("")
    assert "#" not in phone.url
    phone.get_by_role("button", name=said("Continue here")).tap()
    game = phone.get_by_role("link", name="Ada, Ben")
    expect(game).to_be_in_viewport()
    game.tap()
    phone.locator("#table").wait_for()
    assert cards_on(phone) == cards_of(site.game(game_id).view(3))
    play(pages, site, game_id, turns=6)


def test_the_others_vote_for_a_bot_and_the_seat_comes_back(visit, site):
    """More than half of the present players must vote for it."""
    ada, ben, cleo = visit(), visit("pl"), visit("el")
    links = invite(ada, "me", "friend", "friend", name1="Ada")
    take_seat(ben, links[0], "Ben")
    take_seat(cleo, links[1], "Cleo")
    game_id, home = game_on(cleo), cleo.context
    play({0: ada, 1: ben, 2: cleo}, site, game_id, until=lambda game: 2 in to_move(game))
    site.leave(cleo)
    polish = get_translator("pl").text
    ada.get_by_role("button", name="Let a bot play for Cleo").click()
    expect(
        ben.get_by_text(polish("{number} of {all} want a bot to take over.", number=1, all=2))
    ).to_be_visible()
    expect(ada.get_by_role("button", name="Let a bot play for Cleo")).to_have_count(0)
    ben.get_by_role("button", name=polish("Let a bot play for {name}", name="Cleo")).click()
    ada.wait_for_selector(ANSWERS)
    cleo = home.new_page()
    cleo.goto(f"/games/{game_id}")
    cleo.get_by_role("button", name=get_translator("el").text("I am back")).click()
    expect(presence_of(ada, "Cleo")).to_have_text("here")
    play({0: ada, 1: ben, 2: cleo}, site, game_id, turns=4)


def test_a_rematch_rotates_the_seats_and_shows_the_score(visit, site):
    ada, ben, eve = visit("en"), visit("hu"), visit("de")
    (link,) = invite(ada, "me", "friend", name1="Ada")
    take_seat(ben, link, "Ben")
    first = game_on(ben)
    eve.goto(f"/games/{first}")
    game = site.play_on(first)
    winner = game.names[game.result.winners[0]]
    expect(ada.locator(OVER)).to_be_visible()
    ben.get_by_role("button", name=get_translator("hu").text("Play again")).click()
    for page in (ada, ben, eve):
        page.wait_for_url(lambda address: first not in address)
        page.locator("#table").wait_for()
    second = game_on(ada)
    assert second == game_on(ben) == game_on(eve)
    score = ", ".join(f"{name} {int(name == winner)}" for name in ("Ben", "Ada"))
    expect(ada.locator(".series")).to_have_text(f"Game 2 of the series: {score}")
    expect(eve.locator(".series")).to_contain_text(score)
    expect(ben.locator(ANSWERS).first).to_be_visible()  # another player is the First Player now
    expect(ada.locator(ANSWERS)).to_have_count(0)
    play({0: ben, 1: ada}, site, second, turns=4)


def test_a_phone_and_a_large_screen_share_a_table(visit, site):
    desk, phone = visit("en"), visit("el", **PHONE)
    (link,) = invite(desk, "me", "friend", name1="Ada")
    phone.goto(link)
    phone.locator("input[name=name]").fill("Κλειώ")
    phone.locator("form[action^='/join/'] button").tap()
    phone.wait_for_selector("#table")
    game_id, pages = game_on(desk), {0: desk, 1: phone}
    for _ in range(12):
        game = site.game(game_id)
        (seat,) = to_move(game)
        page = pages[seat]
        wait_for_number(page, len(game.moves))
        button = shortest_answer(page)
        button.tap() if page is phone else button.click()
        everyone_sees(pages.values(), len(game.moves) + 1)
        assert phone.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for seat, page in pages.items():
        assert cards_on(page) == cards_of(site.game(game_id).view(seat))
    expect(panel_of(desk, "Κλειώ")).to_be_visible()


def test_the_host_removes_a_player_lets_a_bot_play_and_opens_the_seat_again(visit, site):
    ada, ben, eve = visit("en"), visit("pl"), visit("de")
    (link,) = invite(ada, "me", "friend", name1="Ada")
    take_seat(ben, link, "Ben")
    game_id, pages = game_on(ben), {0: ada, 1: ben}
    play(pages, site, game_id, turns=3)

    # Ben is removed in the middle of his turn; he is notified and no longer sees a hand.
    ada.get_by_role("link", name="Seats").click()
    seat = ada.locator("#region-seat2")
    seat.get_by_text("Hand over this seat").click()
    seat.get_by_role("button", name="Remove this player and open the seat").click()
    expect(ben.get_by_role("alert")).to_have_text(
        get_translator("pl").text("You are no longer seated at this table, but you can watch.")
    )
    expect(ben.locator("[data-place^=hand-]:not([data-card^='?'])")).to_have_count(0)

    # A bot takes over.
    ada.wait_for_load_state()
    new = ada.locator("input.link").input_value()
    assert new != link
    seat.get_by_text("Hand over this seat").click()
    seat.get_by_role("combobox").select_option("greedy")
    seat.get_by_role("button", name="Let the bot play").click()
    ada.get_by_role("link", name="Back to the table").click()
    ada.wait_for_selector(ANSWERS)
    expect(ada.locator(".panel .tag", has_text="bot")).to_be_visible()

    # The seat is opened again, and another person takes it.
    ada.get_by_role("link", name="Seats").click()
    seat.get_by_text("Hand over this seat").click()
    seat.get_by_role("button", name="Open the seat for a friend, by link").click()
    ada.wait_for_selector("input.link")
    take_seat(eve, ada.locator("input.link").input_value(), "Eve")
    eve.locator("#table").wait_for()
    expect(seat).to_contain_text("Eve")
    assert cards_on(eve) == cards_of(site.game(game_id).view(1))
    ada.get_by_role("link", name="Back to the table").click()
    play({0: ada, 1: eve}, site, game_id, turns=4)


def test_a_host_without_a_name_can_enter_one_while_waiting(visit, site):
    ada = visit("de")
    said = get_translator("de").text
    ada.goto("/")
    ada.get_by_role("button", name=said("Invite a friend with a link")).click()
    name = ada.get_by_label(said("Your name"))
    expect(name).to_be_visible()
    name.fill("Ada")
    ada.get_by_role("button", name=said("Save"), exact=True).click()
    expect(ada.locator("#region-seat1 .player")).to_have_text("Ada")
    expect(name).to_be_hidden()
