"""`hegemon bench`: the table, the JSON output, and the plot."""

import json

import pytest
from typer.testing import CliRunner

from hegemon.cli.app import app
from hegemon.cli.commands.bench import PLOT_SUFFIXES

FIGURES = {
    "interpreted": 100_000.0,
    "compiled": 25_000_000.0,
    "all_cores": 49_000_000.0,
    "batch": 6_000_000.0,
    "cuda": None,
    "clone_ns": 8.0,
    "import_ms": 90.0,
    "compile_cold_s": 9.0,
    "compile_warm_s": 0.6,
}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("hegemon.kernels.benchmark.measure", lambda seconds: FIGURES.items())


def bench(*options):
    return CliRunner().invoke(app, ["bench", *options])


def test_bench_prints_a_table():
    shown = bench("--seconds", "1")
    assert shown.exit_code == 0
    assert "25,000,000 decisions/s" in shown.stdout
    assert "on the GPU" in shown.stdout


def test_bench_prints_json():
    assert json.loads(bench("--json").stdout) == FIGURES


@pytest.mark.parametrize("ending", PLOT_SUFFIXES)
def test_bench_plots_the_speeds(tmp_path, ending):
    picture = tmp_path / f"speeds{ending}"
    assert bench("--plot", str(picture)).exit_code == 0
    assert picture.stat().st_size > 1000


def test_a_bad_plot_file_is_rejected_before_anything_is_measured(tmp_path):
    for picture in (tmp_path / "speeds.txt", tmp_path / "nowhere" / "speeds.svg"):
        assert bench("--plot", str(picture)).exit_code == 2
    assert not list(tmp_path.iterdir())


def test_a_plot_needs_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert bench("--plot", str(tmp_path / "speeds.svg")).exit_code == 2
