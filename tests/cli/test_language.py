"""The terminal in five languages: how one is selected, and that no English is left in the others."""

import ast
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from waiting import WAIT_TIMEOUT

import hegemon as package
from hegemon import Game, write_record
from hegemon.bots.compilation import PARTS
from hegemon.cli import app, prose
from hegemon.cli.help_pages import help_texts
from hegemon.cli.language import read_language, requested_language
from hegemon.cli.prose import MESSAGES, SCREEN, sentence_of, use_language
from hegemon.cli.seats import display_name
from hegemon.cli.terminal.prompt import find_domain, find_effect, matching_choices
from hegemon.notation.errors import NotationError, RecordError
from hegemon.notation.messages import MessageError, counted, message, message_of
from hegemon.notation.reading import read_position
from hegemon.notation.setup import SetupError
from hegemon.play.legality import IllegalMoveError, Reason
from hegemon.prose.data import read_data
from hegemon.prose.translator import LANGUAGES, get_translator, tables_of, terminal_catalog
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain

SOURCE = Path(package.__file__).parent
OTHERS = [code for code in LANGUAGES if code != "en"]
LINE = "M112e1R1(E1S2)/C1(S1) 1e"
COMMANDS = list(app.build_command().commands)
ENGLISH_HELP = [text.split("\n")[0] for text in help_texts(app.build_command())]


@pytest.fixture
def saved(tmp_path):
    game = Game(2, seed=3, names=("Ada", "Grace"))
    for _ in range(30):
        game.play(game.choices[0])
    path = tmp_path / "game.toml"
    path.write_text(write_record(game.record()), encoding="utf-8")
    return path


# ------------------------------------------------------------------ which language


@pytest.mark.parametrize(
    ("arguments", "environment", "language"),
    [
        ((), {}, "en"),
        ((), {"LANG": "de_DE.UTF-8"}, "de"),
        ((), {"LANG": "de_DE.UTF-8", "LC_MESSAGES": "hu_HU"}, "hu"),
        ((), {"LANG": "de_DE.UTF-8", "LC_MESSAGES": "hu_HU", "LC_ALL": "pl_PL@euro"}, "pl"),
        ((), {"LANG": "el", "LC_ALL": ""}, "el"),
        ((), {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "en"),
        ((), {"LANG": "fr_FR.UTF-8"}, "en"),
        (("--language", "el"), {"LC_ALL": "pl_PL"}, "el"),
        (("--language=en",), {"LC_ALL": "pl_PL"}, "en"),
        (("--language", "de-AT"), {}, "de"),
    ],
)
@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after it"])
def test_the_option_decides_then_the_locale_then_english(
    hegemon, monkeypatch, arguments, environment, language, before
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    command = ("show", LINE)
    run = hegemon(*arguments, *command) if before else hegemon(*command, *arguments)
    assert run.status == 0
    use_language(language)
    assert SCREEN["round"].format(round=1) in run.out


def test_the_last_option_before_two_dashes_counts():
    assert requested_language(["--language", "de", "play", "--language=hu"]) == "hu"
    assert requested_language(["play", "--", "--language", "de"]) is None
    assert requested_language(["play", "--language"]) is None


@pytest.mark.parametrize("text", ["", "C", "POSIX", "fr", "english", "d"])
def test_other_locales_have_no_language(text):
    assert read_language(text) is None


def test_an_unknown_language_is_bad_input_and_the_known_ones_are_listed(hegemon, monkeypatch):
    run = hegemon("--language", "fr", "show", LINE)
    assert (run.status, run.out) == (2, "")
    assert "There is no language “fr”." in run.err
    assert all(code in run.err and name in run.err for code, name in LANGUAGES.items())
    monkeypatch.setenv("LANG", "pl_PL.UTF-8")
    assert "Nie ma języka „fr”." in hegemon("show", LINE, "--language=fr").err


def test_a_language_without_a_value_is_bad_input(hegemon):
    run = hegemon("show", LINE, "--language")
    assert run.status == 2
    assert "--language needs a value." in run.err


# ------------------------------------------------------------------ nothing is left in English


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_translated(hegemon, monkeypatch, command, language):
    monkeypatch.setenv("COLUMNS", "1000")
    run = hegemon(*filter(None, [command]), "--help", "--language", language)
    assert run.status == 0
    page = read_data("terminal")["page"]
    english = [
        *ENGLISH_HELP,
        *(page[key] for key in ("usage", "help")),
        *(f"─ {page[key]} ─" for key in ("options", "commands")),
    ]
    assert [text for text in english if text in run.out] == []
    use_language(language)
    assert prose.PAGE["usage"] in run.out
    assert prose.PAGE["help"] in run.out


@cache
def english_phrases(language):
    """The English sentences and phrases of the terminal that a language translates differently."""
    found = set()
    for table, sentences in (tables_of("terminal") | tables_of("")).items():
        for key, sentence in sentences.items():
            words = sentence.partition("{")[0].strip()
            translated = terminal_catalog(language).pgettext(f"{table}.{key}".lower(), sentence)
            if len(words) > 7 and " " in words and words not in translated:
                found.add(words)
    return found


def english_in(text, language):
    """The English sentences and phrases that a text still contains."""
    return {words for words in english_phrases(language) if words in text}


@pytest.mark.parametrize("language", OTHERS)
def test_every_command_for_players_is_translated(hegemon, saved, language):
    typed = "?\n? mE\n? purge\n? utopia\n? x\nxyzzy\nmE\nu\n1\nu\nd\nlog\ntable\n1\nq\n"
    outputs = [
        hegemon("play", "--seed", "1", "--language", language, typed=typed),
        hegemon("watch", "--seed", "1", "--fast", "--language", language),
        hegemon(
            "watch",
            "--seed",
            "1",
            "--fast",
            "--teams",
            "-p",
            "4",
            "--variant",
            "draft",
            "--language",
            language,
        ),
        hegemon("replay", saved, "--language", language),
        hegemon("replay", saved, "--seat", "1", "--language", language),
        hegemon("show", LINE, "--language", language),
        hegemon("rulings", "--language", language),
        hegemon("rulings", "pl", "--language", language),
    ]
    for run in outputs:
        assert run.status == 0, run.err
        assert english_in(run.out, language) == set()
    use_language(language)
    assert MESSAGES["resume"].partition("{")[0] in outputs[0].out
    assert MESSAGES["replay.unfinished"] in outputs[3].out
    assert MESSAGES["problems"] in outputs[5].out


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--players", "9"),
        ("play", "--players", "x"),
        ("play", "--bots", "nobody"),
        ("play", "--rulings", "xx"),
        ("play", "--rulings", "pl+coin"),
        ("play", "--seat", "7"),
        ("play", "--name", ""),
        ("play", "--resume"),
        ("play", "--resume", "--seed", "1"),
        ("play", "--unknown"),
        ("play", "--seed"),
        ("plax",),
        ("play", "game.toml"),
        ("watch", "--delay", "99"),
        ("watch", "--variant", "chess"),
        ("replay",),
        ("replay", "missing.toml"),
        ("replay", "/"),
        ("show", ""),
        ("show", "M1(S9)/(S1)"),
        ("show", LINE, "more"),
        ("perft", LINE, "99"),
        ("perft", LINE, "x"),
        ("serve", "--port", "99999"),
        ("serve", "--port", "-1"),
        ("serve", "--log", "loud"),
        ("serve", "--base-url", "x"),
        ("serve", "--database", "/no/such/folder/tables.db"),
        ("join", "x", "--bot", "greedy"),
        ("join", "http://localhost:1/elsewhere", "--bot", "greedy"),
        ("arena", "--seats", "greedy,chance", "--games", "0"),
        ("arena", "--seats", ""),
        ("study", "--games", "0"),
        ("bench", "--seconds", "x"),
        ("bench", "--plot", "x.gif"),
    ],
    ids=" ".join,
)
def test_errors_are_translated(hegemon, arguments):
    english = hegemon(*arguments)
    for language in OTHERS:
        run = hegemon(*arguments, "--language", language)
        if arguments[-1] == "--seed":  # --language would be taken as its value
            run = hegemon("--language", language, *arguments)
        assert english.status == run.status in (1, 2)
        assert run.out == ""
        assert run.err
        assert not set(english.err.splitlines()) & {
            line for line in run.err.splitlines() if len(line.split()) > 3
        }
        assert english_in(run.err, language) == set()


def makers(kind=MessageError):
    """The functions and errors that make messages."""
    return {"message", "counted", kind.__name__}.union(*map(makers, kind.__subclasses__()))


def templates(path):
    """The English templates of the messages that a module makes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in makers():
            yield from (argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant))


@pytest.mark.parametrize("folder", ["notation", "play", "bots", "client", "arena", "server/db"])
def test_every_message_is_in_the_catalogs(folder):
    known = {key if isinstance(key, str) else key[0] for key in terminal_catalog("de")._catalog}
    found = {text for path in (SOURCE / folder).rglob("*.py") for text in templates(path)}
    assert found
    assert found - known == set()


# ------------------------------------------------------------------ messages


def test_a_message_is_its_english_sentence():
    said = message(
        "{key} should be {kind}, not {found}.", key='"teams"', kind=message("true or false"), found="1"
    )
    assert said == '"teams" should be true or false, not 1.'
    assert message_of(SetupError(said)) is message(said) is said
    assert type(str(SetupError(said))) is str
    assert message_of(OSError("odd")) == "odd"
    assert message_of(OSError()) == ""


def test_a_message_and_the_messages_in_it_are_translated():
    said = message("{key} should be {kind}, not {found}.", key="x", kind=message("a whole number"), found="y")
    assert get_translator("de").message(said) == "x sollte eine ganze Zahl sein, nicht y."
    assert get_translator("en").message(said) == said


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (1, "Na stole brakuje 1 karty Epoki I."),
        (2, "Na stole brakuje 2 kart Epoki I."),
        (5, "Na stole brakuje 5 kart Epoki I."),
    ],
)
def test_a_message_has_the_plural_of_its_language(number, sentence):
    said = counted(
        "There is {number} card of Age {age} too few on the table.",
        "There are {number} cards of Age {age} too few on the table.",
        number,
        age="I",
    )
    assert get_translator("pl").message(said) == sentence


def test_bots_and_guests_have_names_in_the_language_and_others_keep_theirs():
    use_language("hu")
    names = ("Guest", "Zenobia (bot greedy)", "Zenobia")
    assert [display_name(name) for name in names] == ["Vendég", "Zénóbia", "Zenobia"]


def test_a_message_with_a_domain_names_it_in_the_language():
    with pytest.raises(NotationError) as caught:
        read_position("U1(R1)/(R1)")
    use_language("hu")
    assert sentence_of(caught.value).startswith("asztal, 2. karakter: nincs I. korbeli Utópia lap")


def test_illegal_moves_and_untranslated_errors_have_a_sentence():
    use_language("de")
    assert sentence_of(IllegalMoveError(Reason("over"), (".",))).endswith("Jetzt möglich: .")
    assert sentence_of(IllegalMoveError(Reason("over"))) == get_translator("de").reason(Reason("over"))
    assert sentence_of(RecordError("{odd}")) == "{odd}"
    assert sentence_of(OSError("odd")) == "odd"


# ------------------------------------------------------------------ input


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_understood_in_the_language_and_in_english(language):
    use_language(language)
    names = get_translator(language)
    assert find_effect(names.effects[Effect.PURGE].upper()) is find_effect("purge") is Effect.PURGE
    assert find_domain(names.domains[Domain.SCIENCE].lower()) == find_domain("science") == Domain.SCIENCE
    assert matching_choices(names.domains[Domain.ECONOMY], ("M", "E")) == ["E"]
    for word in (prose.TYPED["end"].split(",")[0], "done"):
        assert matching_choices(word, ("M+", ".")) == ["."]


@pytest.mark.parametrize(
    ("language", "yes"), [("de", "ja"), ("el", "ΝΑΙ"), ("hu", "i"), ("pl", "tak"), ("pl", "y")]
)
def test_an_offer_is_accepted_in_the_language(hegemon, language, yes):
    run = hegemon("play", "--seed", "1", "--language", language, typed=f"1\n.\nu\n{yes}\nq\n")
    use_language(language)
    assert MESSAGES["rewound"].partition("{")[0].strip() in run.out


# ------------------------------------------------------------------ what stays the same


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", LINE, "--json"),
        ("rulings", "--json"),
        ("perft", LINE, "1", "--json"),
        ("watch", "--seed", "1", "--json"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_json_is_the_same_in_every_language(hegemon, arguments):
    outputs = {hegemon(*arguments, "--language", language).out for language in LANGUAGES}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())


#: `hegemon show` in each language in turn.
SHOWING = """
import os, sys
from hegemon.cli import main
line, *languages = sys.argv[1:]
for language in languages:
    os.environ["LC_ALL"], sys.argv = f"{language}_XX", ["hegemon", "show", line]
    try:
        main()
    except SystemExit as end:
        assert not end.code
    sys.stdout.flush()
    sys.stdout.buffer.write(b"END")
"""


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1250"])
def test_a_pipe_that_is_not_utf8_gets_question_marks(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    run = subprocess.run(
        [sys.executable, "-c", SHOWING, LINE, *OTHERS],
        capture_output=True,
        env=environment,
        timeout=WAIT_TIMEOUT,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    *outputs, rest = run.stdout.split(b"END")
    assert (len(outputs), rest) == (len(OTHERS), b"")
    assert all(b"Hegemon" in output for output in outputs)
    assert len({*outputs}) == len(OTHERS)


def test_no_sentence_of_the_terminal_is_unused():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCE / "cli").rglob("*.py"))
    whole = {"overview", "switch", "domain-help", "short", "bench"}  # read by keys built at run time
    for table, sentences in read_data("terminal").items():
        for key in sentences:
            plain = key.removesuffix(".one")
            assert table in whole or f'"{plain}"' in source or f"'{plain}'" in source or plain in KNOWN, (
                table,
                key,
            )


#: Keys that are built at run time.
KNOWN = {
    "embargo.you",
    "democracy.you",
    "coin.you",
    "coin.on-you",
    "embargo",
    "democracy",
    "coin",
    "first",
    "second",
    *PARTS,
}
