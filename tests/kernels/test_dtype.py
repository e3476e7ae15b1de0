"""Positions as records: every field survives a round trip."""

import numpy as np
import pytest

from hegemon.kernels import POSITION_DTYPE, Series, to_bytes, to_position, to_record, to_records
from hegemon.kernels.random_play import set_up
from hegemon.rules.position import FIELDS, Position


def a_position(number=0, **settings):
    series = Series(1, **settings)
    position = series.empty_position()
    set_up(position, series.variant, 7, number)
    return position


def test_a_record_has_the_fields_of_a_position_in_their_order():
    assert POSITION_DTYPE.names == tuple(name for name, _, _ in FIELDS)
    for name, bits, shape in FIELDS:
        field = POSITION_DTYPE.fields[name][0]
        assert field.shape == shape
        assert field.base == np.dtype(f"u{bits // 8}")


def test_a_record_is_aligned_and_small():
    assert POSITION_DTYPE.isalignedstruct
    assert POSITION_DTYPE.itemsize <= 384


def test_no_byte_of_a_record_lies_outside_its_fields():
    assert POSITION_DTYPE.itemsize == sum(field.itemsize for field, *_ in POSITION_DTYPE.fields.values())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_position_goes_into_a_record_and_back(players):
    position = a_position(players=players, variant=1)
    assert to_position(to_record(position)) == position
    back = to_position(to_record(position))
    assert type(back.seat) is int
    assert type(back.deck[0]) is int
    assert type(back.hands[0][0]) is int


def test_bytes_are_the_bytes_of_the_record():
    position = a_position()
    assert to_bytes(position) == to_record(position).tobytes()
    assert len(to_bytes(position)) == POSITION_DTYPE.itemsize


def test_many_positions_are_one_array_that_can_be_written():
    positions = [a_position(number) for number in range(5)]
    records = to_records(positions)
    assert records.shape == (5,)
    records["seat"][2] = 1
    positions[2].seat = 1
    assert [to_position(record) for record in records] == positions


def test_no_positions_are_an_empty_array():
    assert to_records([]).shape == (0,)


def test_every_field_has_its_own_place():
    blank = Position()
    for name, _, shape in FIELDS:
        changed = blank.copy()
        value = np.full(shape, 3, int).tolist()
        setattr(changed, name, value)
        record = to_record(changed)
        assert [
            other for other in POSITION_DTYPE.names if (record[other] != to_record(blank)[other]).any()
        ] in (
            [name],
            [],  # hand_size is 3 from the start
        )
        assert np.all(record[name] == 3)
