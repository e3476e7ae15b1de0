"""English sentences that remember how they were made, so that a translator can say them in another language."""


class Message(str):
    """An English sentence with its template and the facts in it; a fact may be a message itself."""

    template: str = ""
    #: The template for other numbers than one; empty if the sentence has no plural.
    plural: str = ""
    facts: dict[str, object]


def message(template: str, /, **facts: object) -> Message:
    """A sentence; `scripts/catalogs.py` finds its template, so that it can be translated."""
    if isinstance(template, Message):
        return template
    made = Message(template.format(**facts) if facts else template)
    made.template, made.facts = template, facts
    return made


def counted(one: str, more: str, number: int, /, **facts: object) -> Message:
    """A sentence that depends on a number, `{number}`."""
    made = message(one if number == 1 else more, number=number, **facts)
    made.template, made.plural = one, more
    return made


def message_of(error: BaseException) -> str:
    """What an error says: a message where it has one, which `str(error)` does not return."""
    said = getattr(error, "sentence", None) or (error.args[0] if error.args else None)
    return said if isinstance(said, Message) else str(error)


class MessageError(Exception):
    """An error whose sentence can be translated."""

    def __init__(self, template: str, /, **facts: object) -> None:
        super().__init__(message(template, **facts))
