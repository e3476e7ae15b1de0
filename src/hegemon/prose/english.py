"""The English texts for players: the tables of `data/english.toml`, by name or by the enums of the rules."""

from typing import Final

from hegemon.play.legality import SENTENCES
from hegemon.prose.data import read_data
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import MAX_PLAYERS, Question

#: Sentences by table and key; together these are the context of a sentence in the catalogs.
TABLES: Final[dict[str, dict[str, str]]] = {**read_data("english"), "reason": SENTENCES}

DOMAIN_NAMES: Final = {domain: TABLES["domain"][domain.name.lower()] for domain in Domain}
EFFECT_NAMES: Final = {effect: TABLES["effect"][effect.name.lower()] for effect in Effect}
QUESTIONS: Final = {question: TABLES["question"][question.name.lower()] for question in Question}

#: The default names of bots and people, by seat.
BOT_NAMES: Final = tuple(TABLES["name"].values())[:MAX_PLAYERS]
PERSON_NAMES: Final = tuple(TABLES["name"].values())[MAX_PLAYERS : 2 * MAX_PLAYERS]

#: The stored name of a person whose data was erased; it is translated for display.
FORMER_PLAYER: Final = TABLES["name"]["former"]

AGES: Final = ("", "I", "II", "III")

#: The reader in a list of players.
YOU: Final = "you"
