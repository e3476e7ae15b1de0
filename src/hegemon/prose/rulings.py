"""The rulings as players read them, in English: questions and answers under the headings of docs/guide/rulings.md."""

from functools import cache
from typing import NamedTuple

from hegemon.prose.data import read_data


class Ruling(NamedTuple):
    question: str
    answer: str


class Chapter(NamedTuple):
    heading: str
    rulings: dict[str, Ruling]


class Rulings(NamedTuple):
    """The page of rulings: its own sentences, the principles that most answers follow from, and the chapters."""

    page: dict[str, str]
    principles: dict[str, str]
    chapters: dict[str, Chapter]

    @property
    def sentences(self) -> dict[str, str]:
        """Every sentence by its key; those of a ruling are `D01.question` and `D01.answer`."""
        return {
            **{f"page.{key}": sentence for key, sentence in self.page.items()},
            **{f"principle.{key}": sentence for key, sentence in self.principles.items()},
            **{f"chapter.{key}": chapter.heading for key, chapter in self.chapters.items()},
            **{
                f"{name}.{part}": sentence
                for chapter in self.chapters.values()
                for name, ruling in chapter.rulings.items()
                for part, sentence in ruling._asdict().items()
            },
        }


@cache
def load_rulings() -> Rulings:
    """Read the rulings when a page first needs them."""
    data = read_data("rulings")
    chapters = {}
    for key, chapter in data["chapters"].items():
        rulings = {name: Ruling(**ruling) for name, ruling in chapter["rulings"].items()}
        chapters[key] = Chapter(chapter["heading"], rulings)
    return Rulings(data["page"], data["principles"], chapters)
