"""The lessons in English: positions, choices to try in them, and conclusions."""

from typing import Final, NamedTuple

from hegemon.prose.data import read_data


class LessonStep(NamedTuple):
    """A choice to try; other legal choices get a friendly reply and have no effect."""

    choice: str
    text: str
    replies: tuple[str, ...] = ()
    """The moves of the other players after it."""
    look: tuple[str, ...] = ()
    """The places that the text refers to, in addition to the choice."""


class Lesson(NamedTuple):
    """One thing to learn: a starting position, a few steps, and the conclusion."""

    title: str
    position: str
    steps: tuple[LessonStep, ...]
    closing: str
    look: tuple[str, ...]
    """The places that the conclusion refers to."""
    seat: int = 0
    """The seat of the learner."""


_DATA: Final = read_data("lessons")

LESSONS: Final = {
    key: Lesson(
        lesson["title"],
        lesson["position"],
        tuple(
            LessonStep(
                step["choice"], step["text"], tuple(step.get("replies", ())), tuple(step.get("look", ()))
            )
            for step in lesson["steps"]
        ),
        lesson["closing"],
        tuple(lesson["look"]),
        lesson.get("seat", 0),
    )
    for key, lesson in _DATA["lessons"].items()
}

SENTENCES: Final[dict[str, str]] = {
    **{f"page.{key}": text for key, text in _DATA["page"].items()},
    **{
        f"{key}.{name}": text
        for key, lesson in LESSONS.items()
        for name, text in (
            ("title", lesson.title),
            *((str(number), step.text) for number, step in enumerate(lesson.steps, 1)),
            ("closing", lesson.closing),
        )
    },
}
