"""Tables that cannot be created, and the reasons."""

import pytest

from hegemon.server.db.rows import SeatRow
from hegemon.server.tables.setup import SetupRejected, check_setup

PERSON, BOT = SeatRow(None, "ada"), SeatRow("easy", None)


@pytest.mark.parametrize(
    ("seats", "teams", "variant", "rulings"),
    [
        ([PERSON, BOT], False, "basic", "standard"),
        ([PERSON, PERSON, BOT, BOT], True, "draft", "standard"),
        ([PERSON] * 3, False, "basic", "de"),
    ],
)
def test_a_table_of_people_and_bots_can_be_created(seats, teams, variant, rulings):
    check_setup(seats, teams, variant, rulings)


@pytest.mark.parametrize(
    ("seats", "teams", "variant", "rulings", "key"),
    [
        ([PERSON], False, "basic", "standard", "alone"),
        ([BOT, BOT], False, "basic", "standard", "no-person"),
        ([PERSON, BOT, BOT], True, "basic", "standard", "teams"),
        ([PERSON, BOT], False, "chess", "standard", "variant"),
    ],
)
def test_an_invalid_table_is_rejected_with_the_key_of_the_reason(seats, teams, variant, rulings, key):
    with pytest.raises(SetupRejected) as rejected:
        check_setup(seats, teams, variant, rulings)
    error = rejected.value
    assert (error.key, error.detail, error.facts, error.args) == (key, "", {}, (key, "", {}))


def test_unknown_rulings_are_rejected_with_the_detail():
    with pytest.raises(SetupRejected) as rejected:
        check_setup([PERSON, BOT], False, "basic", "nonsense")
    assert rejected.value.key == "rulings"
    assert "nonsense" in rejected.value.detail
    assert SetupRejected("occupant", who="Ada").facts == {"who": "Ada"}
