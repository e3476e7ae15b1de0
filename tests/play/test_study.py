"""Studies: lines that are tried, with branches and comments, and their records."""

import dataclasses
from random import Random

import pytest

from hegemon.notation.record import Variation, read_record, write_record
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.study import Study, StudyFull
from hegemon.rules.actions import CHOICES

LINE = "M11S1(E1S1C1)/R1E1(M1E1S1) 1p - - - M11R1 - 3 standard"


def study(*lines):
    """A study in which these lines are tried in turn."""
    new = Study(Game.from_position(LINE).record())
    for line in lines:
        node = new.root
        for choice in line.split():
            node = new.play(node, choice)
    return new


def told(tree):
    """The segments of a tree, each as its depth, the number of its first move, and its choices."""
    return [
        (part.depth, part.first, " ".join(CHOICES[node.move[1]] for node in part.nodes))
        for part in tree.segments()
    ]


def test_a_study_begins_with_the_game_alone():
    """Comments and variations of the record are in the tree, and not in the game from which it grows."""
    record = dataclasses.replace(Game.from_position(LINE).record(), comment="look", title="Cup")
    new = Study(record)
    assert (new.root.comment, new.title) == ("look", "Cup")
    assert (new._start.comment, new._start.title, new._start.moves) == ("", "", ())


def test_lines_that_begin_alike_share_their_moves():
    tree = study("S . M .", "S . S .", "C . E", "S . M e+1", "C . M")
    assert len(tree.nodes) == 1 + 4 + 2 + 3 + 1 + 1
    assert told(tree) == [
        (0, 1, "S"),
        (1, 1, "C . E"),
        (2, 3, "M"),
        (0, 2, ". M"),
        (1, 3, "S ."),
        (0, 4, "."),
        (1, 4, "e+1"),
    ]
    assert told(study()) == []


def test_a_study_is_a_record_with_variations():
    tree = study("S . M .", "S . S .", "C . E", "S . M e+1", "C . M")
    tree.title, tree.root.comment = "Two Domains", "Look!"
    tree.nodes[-1].comment = "better"
    record = tree.record()
    assert [(row.line, row.move, len(row.moves)) for row in record.variations] == [
        (0, 1, 3),
        (0, 3, 2),
        (0, 4, 1),
        (1, 3, 1),
    ]
    assert record.variations[-1].comments == {3: "better"}
    assert (record.title, record.comment) == ("Two Domains", "Look!")
    assert read_record(write_record(record)) == record
    assert Study(record).record() == record


@pytest.mark.parametrize("seed", range(8))
def test_every_tree_that_grows_at_random_has_its_record(seed):
    chance, tree = Random(seed), study()
    for _ in range(40):
        node = chance.choice(tree.nodes)
        game = tree.game(node)
        if not game.over:
            node = tree.play(node, chance.choice(game.choices))
            node.comment = chance.choice(("", "a remark"))
        if chance.random() < 0.1:
            tree.promote(node)
        if chance.random() < 0.1:
            tree.delete(node)
    record = tree.record()
    again = Study(read_record(write_record(record)))
    assert again.record() == record
    assert told(again) == told(tree)
    assert [node.comment for node in again.nodes] == [node.comment for node in tree.nodes]


def test_an_ended_main_line_has_its_result():
    tree = Study(Game.from_position("M111111(M1R1S1)/R1(E1E1E1) 1p - - - M1").record())
    for choice in ("R", "."):
        tree.play(tree.nodes[-1], choice)
    last = tree.play(tree.nodes[0], "M")
    tree.promote(last)
    assert tree.record().result is None
    read_record(write_record(tree.record()))


def test_a_choice_that_was_tried_leads_to_its_node():
    tree = study("S .")
    assert tree.play(tree.root, "S") is tree.root.children[0]
    with pytest.raises(IllegalMoveError):
        tree.play(tree.root, "U")
    assert len(tree.nodes) == 3


def test_several_cards_are_several_moves():
    tree = Study(Game.from_position("M11111(E1S1C1)/C1(R1)").record())
    node = tree.play(tree.play(tree.root, "M++"), "S,E")
    assert [CHOICES[step.move[1]] for step in node.path] == ["M++", "E", "S"]


def test_a_variation_is_promoted_and_deleted():
    tree = study("S . M .", "C . E")
    tree.promote(tree.root.children[1].children[0].children[0])
    assert told(tree)[0] == (0, 1, "C")
    tree.promote(tree.root)
    tree.promote(tree.root.children[0])
    assert told(tree)[0] == (0, 1, "C")
    assert tree.delete(tree.root.children[0]) is tree.root
    assert told(tree) == [(0, 1, "S . M .")]
    assert tree.delete(tree.root) is tree.root
    assert len(tree.nodes) == 5


def test_equal_variations_become_one():
    record = study("S . M").record()
    same = Variation(1, record.moves[:2], comments={2: "again"})
    other = Variation(2, ((0, CHOICES.index("mM")),), line=1)
    tree = Study(dataclasses.replace(record, variations=(same, other)))
    assert told(tree) == [(0, 1, "S ."), (1, 2, "mM"), (0, 3, "M")]
    assert tree.root.children[0].children[0].comment == "again"


def test_the_size_of_a_study_is_limited(monkeypatch):
    tree = study("S . M .")
    monkeypatch.setattr("hegemon.play.study.MAX_VARIATIONS", 1)
    tree.play(tree.root, "C")
    with pytest.raises(StudyFull):
        tree.play(tree.root, "E")


def test_the_nesting_of_variations_is_limited(monkeypatch):
    monkeypatch.setattr("hegemon.play.study.MAX_DEPTH", 1)
    tree = study("S . M", "C . M")
    last = tree.root.children[1].children[0]
    with pytest.raises(StudyFull):
        tree.play(last, "E")
