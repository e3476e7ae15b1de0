"""The study board: setting up positions, trying lines, evaluations, and sharing."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
import pytest
from server_browser import Browser, finish

from hegemon import Game, read_record, write_record
from hegemon.bots.search import Evaluation, SearchResult
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position
from hegemon.prose.translator import get_translator
from hegemon.server import studies
from hegemon.server.studies import STUDY_REJECTIONS
from hegemon.server.tables.page_moves import TARGET_SEPARATOR
from hegemon.server.texts import REJECTIONS, SETUP_REJECTIONS
from hegemon.server.web.views import thoughts

LINE = "M11S1(E1S1C1)/R1E1(M1E1S1) 1p - - - M11R1 - 3 standard"


@pytest.fixture
def quick(monkeypatch):
    """A search that finds the last choice best, at once."""

    class Search:
        def __init__(self, seed, **limits):
            assert limits["seconds"] <= 2

        def analyze(self, view, memory, choices):
            best = choices[-1]
            return SearchResult(
                (Evaluation(best, 7, 0.75), Evaluation(choices[0], 1, 0.5)), (best, ".", "M"), 8, 0.1
            )

    monkeypatch.setattr(thoughts, "LearnedSearch", Search)


def sees(browser, sentence, language="en"):
    return get_translator(language).text(sentence) in unescape(browser.page)


async def begin(browser, line=LINE):
    """Begin a study; return its path."""
    await browser.post("/study", {"position": line})
    assert browser.status == 200, browser.page
    return browser.path


async def change(browser, path, what, at=0, **fields):
    await browser.post(f"{path}/{what}", {"at": str(at), "version": browser.hidden("version"), **fields})
    return browser


async def stored(browser, path):
    return read_record((await browser.client.get(f"{path}/record")).text)


# ------------------------------------------------------------------ setting up


async def arranged(browser, line, **fields):
    """The line after a form of the board was sent."""
    answer = await browser.client.post("/study/new", data={"position": line, **fields})
    assert answer.status_code == 303
    return parse_qs(urlsplit(answer.headers["location"]).query)["position"][0]


async def test_a_new_board_has_a_deal_that_can_occur(browser):
    for players in (2, 3, 4):
        answer = await browser.client.get(f"/study/new?deal={players}")
        line = parse_qs(urlsplit(answer.headers["location"]).query)["position"][0]
        assert (read_position(line).players, problems(read_position(line))) == (players, [])
        await browser.get(answer.headers["location"])
        assert sees(browser, "This position can occur in a game.")


async def test_cards_are_placed_and_removed(browser):
    assert await arranged(browser, "()/() 1e", put="hand1", tool="M1") == "(M1)/() 1e - - - - - - -"
    assert (await arranged(browser, LINE, put="area2C", tool="e2")).startswith("M11S1(E1S1C1)/R1E1Ce2(")
    assert (await arranged(browser, LINE, take="hand1C1")).startswith("M11S1(E1S1)/")
    four = await arranged(
        browser, LINE, players="4", seat="3", step="e", rulings="pl", teams="on", coin="1>2R"
    )
    assert four == "M11S1(E1S1C1)/R1E1(M1E1S1)/()/() 3e - - 1>2R M11R1 - 3 pl,teams"
    turn = await arranged(browser, LINE, step="e", used="m", asked="", round="7 *")
    assert turn == "M11S1(E1S1C1)/R1E1(M1E1S1) 1e m - - M11R1 - 7* standard"
    full = await arranged(browser, LINE, fill="1")
    assert "too few" not in " ".join(problems(read_position(full)))
    assert await arranged(browser, LINE, put="nowhere", take="nothing", players="9", tool="X9") == LINE


async def test_the_board_shows_every_place(browser):
    line = "M112e1u3(E1S2)[R1]/C1(R1)|S1 1d - - 1>2S U3M1 E3 2 standard+coin-tie"
    await browser.get(f"/study/new?{urlencode({'position': line, 'tool': 'e2'})}")
    for token in (
        "hand1S2",
        "area1M2",
        "embargo1M1",
        "democracy1M3",
        "kept1R1",
        "centerS1",
        "pileE3",
        "deck2",
    ):
        assert f'name="take" value="{token}"' in browser.page
    assert 'value="e2" checked' in browser.page
    assert 'value="1&gt;2S" selected' in browser.page
    assert "standard+coin-tie" in browser.page


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_position_that_cannot_occur_is_shown_with_the_reasons(browser, language):
    line = "M112R1(E1S2)/C1(R1)"
    await browser.get(f"/study/new?{urlencode({'position': line})}", **{"accept-language": language})
    tr = get_translator(language)
    for sentence in problems(read_position(line)):
        assert tr.message(sentence) in unescape(browser.page)
    assert "disabled" not in browser.page


@pytest.mark.parametrize("line", ["()/() 1p", "M9(R1)/()", "(M1)/(R1) @1", "<script>", "(M1)/(R1) 1e zz"])
async def test_an_unplayable_position_is_shown_unchanged(browser, line):
    await browser.get(f"/study/new?{urlencode({'position': line})}")
    assert browser.status == 200
    assert sees(browser, "The rules cannot go on from this position:")
    assert line in unescape(re.search(r"<textarea.*?>(.*?)</textarea>", browser.page, re.DOTALL)[1])
    await browser.post("/study", {"position": line})
    assert browser.status == 422
    assert line in unescape(browser.page)
    await browser.post("/study/new", {"position": line, "put": "hand1", "tool": "M1"})
    assert browser.status == 200


# ------------------------------------------------------------------ lines


async def test_lines_are_tried_with_branches_and_comments(browser):
    path = await begin(browser)
    for at, choice in enumerate(("S", ".", "M")):
        await change(browser, path, "move", at, choice=choice)
        assert browser.status == 200
    await change(browser, path, "move", 0, choice="C")
    await change(browser, path, "note", 4, comment="Culture\r\ncopies \u202e\x01.", title=" Two\tDomains ")
    record = await stored(browser, path)
    assert record.title == "Two Domains"
    (variation,) = record.variations
    assert (variation.move, len(variation.moves)) == (1, 1)
    assert variation.comments == {1: "Culture\ncopies   ."}
    assert "Culture\ncopies" in browser.page
    assert 'aria-current="step"' in browser.page
    await change(browser, path, "line", 4, do="promote")
    assert len((await stored(browser, path)).moves) == 1
    await change(browser, path, "line", 2, do="delete")
    assert (await stored(browser, path)).variations == ()
    version = browser.hidden("version")
    await change(browser, path, "move", 0, choice="C")
    assert browser.hidden("version") == version
    await browser.get("/study")
    assert "Two Domains" in browser.page


async def test_a_set_of_cards_an_aimed_effect_and_the_draft(browser):
    path = await begin(browser, "M11111E1(E1S1C1)/C1(R1M1S1) 1e - - - M1")
    await change(browser, path, "move", 0, choice="M++")
    assert 'name="card"' in browser.page
    await change(browser, path, "move", 1, card=["E1"])
    assert browser.status == 422
    assert 'role="alert"' in browser.page
    await change(browser, path, "move", 1, card=["S1", "E1"])
    await change(browser, path, "move", 3, choice=f"e+1{TARGET_SEPARATOR}C")
    assert browser.status == 200
    path = await begin(browser, "(M1E1C1)[M1]/(M1R1E1)[S1]/(R1S1C1)[E1] 1d")
    await change(browser, path, "move", 0, choice="M1")
    assert browser.status == 200


async def test_a_wrong_choice_changes_nothing(browser):
    path = await begin(browser)
    before = await stored(browser, path)
    for choice in ("U", "nonsense", ""):
        await change(browser, path, "move", 0, choice=choice)
        assert browser.status == 422
    await change(browser, path, "line", 0, do="explode")
    assert browser.status == 400
    assert await stored(browser, path) == before


async def test_text_entered_for_an_older_version_is_kept(browser):
    path = await begin(browser)
    version = browser.hidden("version")
    await change(browser, path, "move", 0, choice="C")
    await browser.post(f"{path}/note", {"at": "0", "version": version, "comment": "my long thoughts"})
    assert browser.status == 409
    assert sees(browser, STUDY_REJECTIONS["stale"][1])
    assert "my long thoughts" in browser.page
    assert (await stored(browser, path)).comment == ""


async def test_hands_are_open_or_as_the_seat_could_know_them(browser):
    path = await begin(browser)
    assert 'data-place="hand-1"' in browser.page
    opened = browser.page.count('data-card="M1" data-place="hand-1"')
    await browser.get(f"{path}?closed=true")
    assert opened == 1
    assert browser.page.count('data-card="M1" data-place="hand-1"') == 0
    await change(browser, path, "move", 0, choice="C", closed="true")
    assert browser.page.count('data-card="M1" data-place="hand-1"') == 0


async def test_a_game_ends_in_a_study(browser):
    path = await begin(browser, "M11111111(R1S1C1)/C1(R1M1S1) 1e - - - M1")
    await change(browser, path, "move", 0, choice=".")
    await browser.get(f"{path}?at=999")
    assert (await stored(browser, path)).result.winners == (0,)
    assert 'name="choice"' not in browser.page
    await browser.post(f"{path}/think", {"at": "1", "how": "open"})
    assert sees(browser, "The game is over here.")


# ------------------------------------------------------------------ evaluations


@pytest.mark.parametrize("how", ["known", "open"])
async def test_the_network_and_the_search_evaluate_a_position(browser, quick, how):
    path = await begin(browser)
    await browser.post(f"{path}/think", {"at": "0", "how": how})
    table = browser.page.partition('<div class="thoughts"')[2]
    assert "75 %" in table
    assert "8 iterations" in table
    assert sees(browser, "Expected line:")
    shares = [int(share) for share in re.findall(r'class="share"><b>\w+</b> (\d+) %', table)]
    assert sum(shares) in (99, 100, 101)
    odds = [int(number) for number in re.findall(r"</svg>(\d+) %", table)]
    assert len(odds) == 3
    assert 98 <= sum(odds) <= 102
    # A single choice needs no search.
    await browser.post("/study", {"position": "(M1)/(R1) 1p"})
    await browser.post(f"{browser.path}/think", {"at": "0", "how": how})
    assert "100 %" in browser.page


async def test_a_study_with_cards_that_the_game_does_not_have_is_evaluated_too(browser, quick):
    path = await begin(browser, f"U{'3' * 16}(M1S1)/(R1) 1p")
    await browser.post(f"{path}/think", {"at": "0", "how": "open"})
    assert browser.status == 200


# ------------------------------------------------------------------ where studies come from, and whose they are


async def test_a_finished_game_can_be_studied_and_no_other(browser):
    await browser.take_seat(seat1="me", seat2="person", name1="Ada", name2="Bo")
    game_id = browser.path.split("/")[2]
    await browser.post("/study", {"game": game_id, "at": "4"})
    assert browser.status == 403
    assert sees(browser, REJECTIONS["record"])
    assert await browser.client.app.state.tables.store.studies.ids() == []
    table = await finish(browser.client, f"/games/{game_id}")
    await browser.get(f"/games/{game_id}/replay?at=4")
    assert 'action="/study"' in browser.page
    await browser.post("/study", {"game": game_id, "at": "4"})
    assert browser.status == 200
    record = await stored(browser, browser.path)
    assert record.moves == table.game.record().moves
    assert record.deck == table.game.record().deck
    await browser.post("/study", {"game": "nonsense"})
    assert browser.status == 404
    # Everyone could read the study of a deal of the day, and play the deal afterwards.
    table.options = msgspec.structs.replace(table.options, daily="2999-01-01")
    await browser.post("/study", {"game": game_id})
    assert browser.status == 403


async def test_a_puzzle_can_be_studied_when_its_solution_is_known(browser):
    await browser.get("/puzzles/1")
    assert 'action="/study"' not in browser.page
    await browser.get("/puzzles/1?show=true")
    line = unescape(browser.hidden("position"))
    await browser.post("/study", {"position": line})
    assert browser.status == 200
    assert read_position((await stored(browser, browser.path)).position) == read_position(line)


async def test_a_record_is_downloaded_and_uploaded_again(browser):
    path = await begin(browser)
    await change(browser, path, "move", 0, choice="C")
    text = (await browser.client.get(f"{path}/record")).text
    for content, key in ((b"\xff", "record-text"), (b"nonsense", "record-form"), (text[:-40].encode(), None)):
        answer = await browser.client.post("/study/upload", files={"record": ("game.toml", content)})
        assert answer.status_code == 422
        if key is not None:
            assert SETUP_REJECTIONS[key] in unescape(answer.text)
    named = text.replace("Solon", "\\u202eSolon who is called by a very long name")
    answer = await browser.client.post("/study/upload", files={"record": ("game.toml", named.encode())})
    assert answer.status_code == 303
    again = await stored(browser, answer.headers["location"])
    assert again.moves == read_record(text).moves
    assert again.names[0] == "Solon who is called by a"
    assert (await browser.client.post("/study/upload", data={"record": "x"})).status_code == 422


async def test_others_read_and_copy_a_study_and_do_not_change_it(browser):
    path = await begin(browser)
    await change(browser, path, "move", 0, choice="C")
    other = Browser(browser.client.another())
    await other.get(path)
    assert other.status == 200
    assert 'name="choice"' not in other.page
    await other.post(f"{path}/move", {"at": "0", "version": "2", "choice": "S"})
    assert other.status == 403
    assert sees(other, STUDY_REJECTIONS["owner"][1])
    await other.post(f"{path}/delete", {})
    assert other.status == 403
    await other.post(f"{path}/copy", {})
    assert other.path != path
    await change(other, other.path, "move", 0, choice="S")
    assert len((await stored(other, other.path)).variations) == 1
    assert (await stored(browser, path)).variations == ()
    await browser.post(f"{path}/delete", {})
    assert browser.path == "/study"
    await other.get(path)
    assert other.status == 404
    assert sees(other, STUDY_REJECTIONS["unknown"][1])


async def test_studies_are_limited_in_number_and_size(browser, monkeypatch):
    monkeypatch.setattr(studies, "MAX_STUDIES", 1)
    path = await begin(browser)
    await browser.post("/study", {"position": LINE})
    assert browser.status == 409
    assert "Delete one of them first" in browser.page
    monkeypatch.setattr(studies, "MAX_NODES", 2)
    await browser.get(path)
    await change(browser, path, "move", 0, choice="C")
    await change(browser, path, "move", 0, choice="S")
    assert browser.status == 422
    assert sees(browser, STUDY_REJECTIONS["full"][1])
    monkeypatch.setattr("hegemon.play.study.MAX_MOVES", 2)
    await browser.get(path)
    await change(browser, path, "move", 1, choice=".")
    assert browser.status == 422


async def test_studies_expire(browser):
    tables = browser.client.app.state.tables
    path = await begin(browser)
    assert await tables.store.studies.expire(tables.now() - timedelta(days=1)) == 0
    assert await tables.store.studies.expire(tables.now() + timedelta(days=1)) == 1
    await browser.get(path)
    assert browser.status == 404


def test_a_record_of_a_study_has_only_texts_that_a_page_may_show():
    record = Game.from_position(LINE, ["\u202ea", "b"], moves="S").record()
    odd = read_record(
        write_record(record).replace("format = 1", 'format = 1\ntitle = "x\\ny"\ncomment = "a\\u0000b"')
        + '[comments]\n1 = "c\\u202ed"\n[[variations]]\nmove = 1\nmoves = ["C"]\ncomments = {1 = "\\u0007"}\n'
    )
    clean = studies.clean_record(odd)
    assert (clean.names, clean.title, clean.comment) == (("a", "b"), "x y", "a b")
    assert clean.comments == {1: "c d"}
    assert clean.variations[0].comments == {1: ""}


async def test_only_one_of_two_concurrent_changes_is_saved(browser):
    tables = browser.client.app.state.tables
    path = await begin(browser)
    row = await tables.store.studies.load(path.rpartition("/")[2])
    study = studies.read_study(row)
    assert (await studies.save_study(tables, row, study)).version == 2
    with pytest.raises(studies.StudyRejected, match="stale"):
        await studies.save_study(tables, row, study)
