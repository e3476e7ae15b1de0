"""Games that begin with a position: played by the same rules, told by the same events, without a record."""

import pickle

import pytest

from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_position
from hegemon.play.events import Played
from hegemon.play.legality import IllegalMoveError
from hegemon.play.study import Study

LINE = "M11(S1C1)/R1(E1) 1p - - - M1R1 - 3 standard"
NAMES = ("Ada", "Zenobia")


def test_a_study_begins_with_its_position_and_goes_on_by_the_rules():
    study = Study(LINE, NAMES)
    assert write_position(study.position) == LINE
    assert study.choices == ("S", "C")
    study.play("S")
    assert [type(event) for event in study.events] == [Played]
    with pytest.raises(IllegalMoveError):
        study.play("C")


def test_a_study_can_be_copied_and_taken_back():
    study = Study(LINE, NAMES)
    study.play("C")
    other = study.copy()
    assert isinstance(other, Study)
    assert other.events == study.events
    assert study.undo() == "C"
    assert write_position(study.position) == LINE
    assert other.moves == ("C",)


def test_a_study_needs_a_name_for_every_seat():
    with pytest.raises(SetupError):
        Study(LINE, ("Ada",))


def test_a_study_has_no_record_and_no_shuffle():
    study = Study(LINE, NAMES)
    with pytest.raises(TypeError, match="begins with a position"):
        study.record()
    with pytest.raises(TypeError, match="nothing was shuffled"):
        _ = study.commitment
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(study)
