"""English sentences with their templates and values, so that they can be translated."""


class Message(str):
    """An English sentence with its template and values; a value may be a message itself."""

    template: str = ""
    #: The template for numbers other than one; empty if the sentence has no plural.
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
    """The text of an error, as a `Message` if it has one, which `str(error)` would lose."""
    sentence = getattr(error, "sentence", None) or (error.args[0] if error.args else None)
    return sentence if isinstance(sentence, Message) else str(error)


class MessageError(Exception):
    """An error whose sentence can be translated."""

    def __init__(self, template: str, /, **facts: object) -> None:
        super().__init__(message(template, **facts))
