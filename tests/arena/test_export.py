"""`hegemon export`: the files contain the games that were played, however they were written."""

import dataclasses
import json
import re
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from hegemon import CHOICES, Batch, Game
from hegemon.arena.code import Code
from hegemon.arena.export import Export, ExportRun, arrays_of, path_of, record_of_row, write_file
from hegemon.arena.workers import Workers, threads
from hegemon.kernels import FEATURES, OBSERVATION, OBSERVATION_VERSION
from hegemon.notation.record import RecordError, replay, result_of
from hegemon.notation.setup import SetupError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "data.md"

KINDS = [
    Export(12, "records", ("heuristic", "chance"), 2, seed=1, games_per_file=5),
    Export(9, "records", ("greedy", "chance"), 3, "draft", rulings="pl", seed=2, games_per_file=4),
    Export(6, "decisions", ("chance",), 4, "draft", teams=True, seed=3, games_per_file=4),
    Export(6, "decisions", ("heuristic",), 3, seed=4, games_per_file=4),
    Export(4, "decisions", ("chance", "greedy"), 2, "draft", seed=5, games_per_file=3),
]
RECORDS = [kind for kind in KINDS if kind.what == "records"]
DECISIONS = [kind for kind in KINDS if kind.what == "decisions"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write an export into a folder, once for all tests."""

    @cache
    def write(export, jobs=1):
        folder = tmp_path_factory.mktemp("export")
        ExportRun(export, folder, threads(jobs)).play()
        return folder

    return write


@pytest.mark.parametrize("export", RECORDS, ids=str)
def test_every_record_replays_to_its_result(written, export):
    rows = ds.dataset(written(export)).to_table().to_pylist()
    assert [row["game"] for row in rows] == list(range(export.games))
    for row in rows:
        record = record_of_row(row)
        *_, end = replay(record)
        result = result_of(end)
        assert record.result == result
        assert (row["ending"], tuple(row["winners"])) == (result.ending.name.lower(), result.winners)
        assert row["domain"] == (result.domain.name.lower() if result.domain is not None else None)
        assert (row["rounds"], row["decisions"]) == (end.round, len(record.moves))
        assert sum(row["outcome"]) == pytest.approx(0)
        assert [share > 0 for share in row["outcome"]] == [
            seat in result.winners and len(result.winners) < export.players for seat in range(export.players)
        ]
        assert row["bots"] == list(export.seats(row["game"]))
        assert (row["players"], row["variant"]) == (export.players, export.variant)
        assert (row["teams"], row["rulings"]) == (export.teams, export.rulings)


@pytest.mark.parametrize("export", DECISIONS, ids=str)
def test_decisions_are_the_rows_of_a_batch(written, export):
    """A reader who has only a file can replay its games and reproduce every row."""
    for path in sorted(written(export).iterdir()):
        table = pq.read_table(path)
        facts = json.loads(table.schema.metadata[b"hegemon"])
        options = facts["options"]
        batch = Batch(
            facts["games"], options["players"], options["variant"], teams=options["teams"],
            rulings=options["rulings"], seed=facts["seed"], auto_restart=False,
        )  # fmt: skip
        observations, masks = arrays_of(table)
        columns = {name: table[name].to_numpy() for name in ("game", "ply", "seat", "action", "outcome")}
        outcomes = np.zeros((facts["games"], options["players"]), np.float32)
        rows = 0
        for ply in range(int(columns["ply"].max()) + 1):
            found = np.flatnonzero(columns["ply"] == ply)
            places = columns["game"][found] - facts["first"]
            assert list(places) == list(np.flatnonzero(~batch.dones))
            assert np.array_equal(observations[found], batch.observations[places])
            assert np.array_equal(masks[found], batch.masks[places])
            assert np.array_equal(columns["seat"][found], batch.seats[places])
            actions = np.zeros(len(batch), np.int64)
            actions[places] = columns["action"][found]
            batch.step(actions)
            outcomes += batch.rewards
            rows += len(found)
        assert batch.dones.all()
        assert rows == len(table)
        assert np.array_equal(columns["outcome"], outcomes[columns["game"] - facts["first"], columns["seat"]])
        games_and_seats = zip(columns["game"], columns["seat"], strict=True)
        assert table["bot"].to_pylist() == [export.seats(int(game))[seat] for game, seat in games_and_seats]


@pytest.mark.parametrize("export", KINDS, ids=str)
def test_the_number_of_workers_changes_nothing(written, export):
    one, two = written(export), written(export, jobs=2)
    assert [path.name for path in sorted(one.iterdir())] == [path.name for path in sorted(two.iterdir())]
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes()


def test_all_bots_play_in_every_seat():
    export = Export(100, bots=("chance", "greedy"), players=3)
    assert {export.seats(game) for game in range(4)} == {
        ("chance", "greedy", "chance"),
        ("greedy", "chance", "greedy"),
    }
    teams = Export(100, bots=("chance", "greedy"), players=4, teams=True)
    assert teams.seats(0) == ("chance", "greedy", "chance", "greedy")  # teammates sit opposite each other


def test_files_suit_the_export():
    assert (Export(1_000_000).games_per_file, Export(1_000_000).files) == (2000, 500)
    assert Export(1_000_000, "decisions").games_per_file == 500
    assert Export(1000).files >= 60  # every core has some of them
    assert sum(len(Export(1001).games_of(file)) for file in range(Export(1001).files)) == 1001


@pytest.mark.parametrize("wrong", [{"winners": [7]}, {"ending": "stall"}, {"moves": "M M M"}])
def test_a_row_that_is_wrong_does_not_replay(written, wrong):
    row = ds.dataset(written(Export(1, bots=("chance",), seed=1))).to_table().to_pylist()[0]
    Game.from_record(record_of_row(row))
    with pytest.raises(RecordError):
        Game.from_record(record_of_row({**row, **wrong}))


# ------------------------------------------------------------------ resuming


def test_an_export_is_resumed(tmp_path):
    export = Export(20, bots=("chance",), games_per_file=4)
    for file in (0, 3):
        write_file(export, tmp_path, file)
    (tmp_path / ".part-000001.parquet.123.unfinished").write_bytes(b"a kill left this")
    before = path_of(tmp_path, 3).stat().st_mtime_ns
    run = ExportRun(export, tmp_path, threads(1))
    assert (run.progress.finished_before, run.missing) == (8, [1, 2, 4])
    run.play()
    assert path_of(tmp_path, 3).stat().st_mtime_ns == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"part-00000{file}.parquet" for file in range(5)
    ]
    assert ExportRun(export, tmp_path, threads(1)).missing == []


def test_more_games_are_appended_to_existing_ones(tmp_path):
    ExportRun(Export(6, bots=("chance",), games_per_file=4), tmp_path, threads(1)).play()
    longer = Export(12, bots=("chance",), games_per_file=4)
    run = ExportRun(longer, tmp_path, threads(1))
    assert run.missing == [1, 2]  # the last file was not full
    run.play()
    assert ds.dataset(tmp_path).to_table()["game"].to_pylist() == list(range(12))


@pytest.mark.parametrize(
    "other", [{"seed": 1}, {"bots": ("heuristic",)}, {"what": "decisions"}, {"games": 4, "games_per_file": 4}]
)
def test_files_of_another_export_are_not_mixed_in(tmp_path, other):
    export = Export(8, bots=("chance",), games_per_file=4)
    ExportRun(export, tmp_path, threads(1)).play()
    with pytest.raises(SetupError, match=r"Choose another folder|does not belong"):
        ExportRun(dataclasses.replace(export, **other), tmp_path, threads(1))


def test_files_of_another_version_are_not_mixed_in(tmp_path, monkeypatch):
    ExportRun(Export(4, bots=("chance",)), tmp_path, threads(1)).play()
    monkeypatch.setattr(Code, "digest", "other")
    with pytest.raises(SetupError, match="by another version"):
        ExportRun(Export(4, bots=("chance",)), tmp_path, threads(1))


def test_files_that_are_not_exports_are_rejected(tmp_path):
    path_of(tmp_path, 0).write_bytes(b"hello")
    with pytest.raises(SetupError, match="is not a file of an export"):
        ExportRun(Export(4), tmp_path, threads(1))
    pq.write_table(pa.table({"a": [1]}), path_of(tmp_path, 0))
    with pytest.raises(SetupError, match="is not a file of an export"):
        ExportRun(Export(4), tmp_path, threads(1))


class Breaking(ThreadPoolExecutor):
    """A pool that breaks at the third file, as if one of its processes had been killed."""

    def submit(self, function, export, folder, file):
        if file == 2:
            raise BrokenExecutor
        return super().submit(function, export, folder, file)


def test_a_broken_pool_is_replaced(tmp_path):
    pools = iter([Breaking, ThreadPoolExecutor])
    workers = Workers(lambda: next(pools)(1), 1, lambda executor: executor.shutdown())
    ExportRun(Export(20, bots=("chance",), games_per_file=4), tmp_path, workers).play()
    assert ds.dataset(tmp_path).count_rows() == 20
    always = Workers(lambda: Breaking(1), 1, lambda executor: executor.shutdown())
    with pytest.raises(BrokenExecutor):
        ExportRun(Export(20, bots=("chance",), games_per_file=4, seed=1), folder_in(tmp_path), always).play()


def folder_in(path):
    (path / "other").mkdir()
    return path / "other"


# ------------------------------------------------------------------ the schema


@pytest.mark.parametrize("export", [RECORDS[0], DECISIONS[0]], ids=str)
def test_the_files_and_the_page_document_the_schema(written, export):
    schema = pq.read_schema(path_of(written(export), 0))
    section = (
        PAGE.read_text(encoding="utf-8")
        .partition(f"## {export.what.capitalize()}\n")[2]
        .partition("\n## ")[0]
    )
    documented = re.findall(r"^\| `(\w+)` \| `(.*?)` \| (.*?) \|$", section, re.MULTILINE)
    described = [
        (field.name, str(field.type).replace(str(FEATURES), "N"), field.metadata[b"description"].decode())
        for field in schema
    ]
    assert documented == described
    facts = json.loads(schema.metadata[b"hegemon"])
    assert facts["actions"] == list(CHOICES)
    assert facts["observation_version"] == OBSERVATION_VERSION
    assert [piece["name"] for piece in facts["observation"]] == [piece.name for piece in OBSERVATION]
    assert set(facts) == set(re.findall(r"^- `(\w+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def test_an_export_needs_a_game():
    with pytest.raises(SetupError, match="1 game or more"):
        Export(0)
