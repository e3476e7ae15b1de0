"""Metrics for Prometheus: off by default, well-formed, and without anything that identifies a person or a game."""

import asyncio
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from server_browser import visiting
from server_config import config_at
from server_program import Program
from waiting import wait_until

from hegemon.cli.commands.serve import metrics_config
from hegemon.cli.errors import CommandError
from hegemon.server import metrics, monitoring
from hegemon.server.config import Limit, Limits, MetricsConfig, ServerConfig
from hegemon.server.metrics import MOVES, Counter, Gauge, Histogram, merge, render
from hegemon.server.tables import fair_queue
from hegemon.server.tables.fair_queue import FairQueue
from hegemon.server.workers import _sharing_metrics

#: A line of the text format: a name, labels in quotation marks, a number.
SAMPLE = re.compile(
    r'(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?P<labels>\w+="(\\.|[^"\\\n])*"(,\w+="(\\.|[^"\\\n])*")*)\})? '
    r"(?P<value>[-+]?(\d+(\.\d+)?([eE][-+]?\d+)?|Inf)|NaN)"
)


@pytest.fixture
def _forget(monkeypatch):
    monkeypatch.setattr(metrics, "REGISTRY", [])


def read(text):
    """Parse the text format strictly; return the samples by name and labels."""
    samples, kinds, family = {}, {}, ""
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split(" ")[2]
            assert family not in kinds, "the samples of a metric are together"
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == family
            kinds[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            suffix = found["name"].removeprefix(family)
            allowed = {"histogram": ("_bucket", "_sum", "_count")}.get(kinds[family], ("",))
            assert suffix in allowed, line
            labels = tuple(re.findall(r'(\w+)="((?:\\.|[^"\\])*)"', found["labels"] or ""))
            key = found["name"], labels
            assert key not in samples, "no sample is repeated"
            samples[key] = float(found["value"])
    return samples


def total(samples, name, **labels):
    return sum(
        value
        for (found, having), value in samples.items()
        if found == name and labels.items() <= dict(having).items()
    )


@pytest.mark.usefixtures("_forget")
def test_the_output_follows_the_text_format():
    counter = Counter("things_total", "Things.", ("kind",))
    counter.add('a "quoted" \\ one\n')
    counter.add("b", amount=2.5)
    times = Histogram("seconds", "Times.")
    for seconds in (0.0005, 0.001, 0.3, 99):
        times.observe(seconds)
    text = render([counter, times, Gauge("now", "A number.", 3)], {"worker": "7"})
    assert text.startswith(
        "# HELP things_total Things.\n# TYPE things_total counter\n"
        'things_total{kind="a \\"quoted\\" \\\\ one\\n",worker="7"} 1\nthings_total{kind="b",worker="7"} 2.5\n'
    )
    samples = read(text)
    buckets = [value for (name, _), value in samples.items() if name == "seconds_bucket"]
    assert buckets == sorted(buckets)
    assert buckets[0] == 2
    assert buckets[-1] == samples["seconds_count", (("worker", "7"),)] == times.count() == 4
    assert samples["seconds_sum", (("worker", "7"),)] == pytest.approx(99.3015)
    assert ('seconds_bucket{le="+Inf",worker="7"} 4') in text
    assert text.endswith('now{worker="7"} 3\n')
    assert (counter.value("b"), counter.value("c")) == (2.5, 0)


@pytest.mark.usefixtures("_forget")
def test_the_output_of_workers_is_merged_by_metric():
    first, second = Counter("a_total", "A."), Counter("b_total", "B.")
    texts = [render([first, second], {"worker": name}) for name in ("1", "2")]
    assert merge(texts) == (
        '# HELP a_total A.\n# TYPE a_total counter\na_total{worker="1"} 0\na_total{worker="2"} 0\n'
        '# HELP b_total B.\n# TYPE b_total counter\nb_total{worker="1"} 0\nb_total{worker="2"} 0\n'
    )
    assert merge([render([first])]) == render([first])


async def test_there_are_no_metrics_by_default(client):
    assert (await client.get("/metrics")).status_code == 404


async def test_requests_moves_and_commits_are_counted(database):
    async with visiting(database, config_at(database, metrics=MetricsConfig())) as client:
        before = read((await client.get("/metrics")).text)
        ada, ben = await Program.create(client, seats=[{"name": "Ada"}, {}])
        state = await ada.state()
        await ada.submit_move(state["choices"][0]["choice"], 0, "key")
        assert (await ben.submit_move("M", 99, "other")).status_code == 409
        await client.get("/nowhere/at/all")
        await client.request("BREW", "/")
        answer = await client.get("/metrics")
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        after = read(answer.text)

    def grown(name, **labels):
        return total(after, name, **labels) - total(before, name, **labels)

    moves = "/api/games/{game_id}/moves"
    assert grown("hegemon_moves_total", outcome="accepted") == 1
    assert grown("hegemon_moves_total", outcome="rejected") == 1
    assert grown("hegemon_http_requests_total", route=moves, status="200") == 1
    assert grown("hegemon_http_requests_total", route=moves, status="409") == 1
    assert grown("hegemon_http_requests_total", route="unknown", status="404") == 1
    assert grown("hegemon_http_requests_total", method="other") == 1
    assert grown("hegemon_http_response_seconds_count", route=moves) == 2
    assert grown("hegemon_database_commit_seconds_count") >= 2
    assert total(after, "hegemon_tables_in_memory") == 1
    assert total(after, "hegemon_build_info") == 1
    for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"):
        assert total(after, name) > 0
    for secret in (ada.game, ada.token, ben.token, "Ada", "nowhere", "BREW"):
        assert secret not in answer.text


async def test_streams_are_counted_while_they_are_open(database):
    async with visiting(database, config_at(database, metrics=MetricsConfig())) as client:
        ada, _ = await Program.create(client, seats=[{}, {}])
        table = await client.app.state.tables.load(ada.game)
        table.subscribers.add(object())
        assert total(read((await client.get("/metrics")).text), "hegemon_streams_open") == 1
        table.subscribers.clear()


async def test_a_configured_token_is_required(database):
    token = "a-token-of-a-monitor"
    async with visiting(database, config_at(database, metrics=MetricsConfig(token))) as client:
        for given in (
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": token},
            {"authorization": "Bearer ü"},
        ):
            answer = await client.get(
                "/metrics", headers={name: value.encode() for name, value in given.items()}
            )
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        answer = await client.get("/metrics", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 200


async def test_metrics_have_no_rate_limit(database):
    strict = Limits(token=Limit(0.001, 2), address=Limit(0.001, 2))
    config = config_at(database, metrics=MetricsConfig(), limits=strict)
    async with visiting(database, config) as client:
        assert {(await client.get("/metrics")).status_code for _ in range(10)} == {200}


async def test_each_worker_shows_the_snapshots_of_all_workers(database, tmp_path, monkeypatch):
    monkeypatch.setattr(monitoring, "_SNAPSHOT_INTERVAL", 0.01)
    monkeypatch.setattr(monitoring, "_SNAPSHOT_LIFETIME", 1800)
    own = tmp_path / f"{os.getpid()}.txt"
    for name, age in (("1", 0), ("2", 3600)):
        other = tmp_path / f"{name}.txt"
        other.write_text(
            "# HELP hegemon_moves_total M.\n# TYPE hegemon_moves_total counter\n"
            f'hegemon_moves_total{{worker="{name}"}} 5\n'
        )
        os.utime(other, (time.time() - age,) * 2)
    config = config_at(database, metrics=MetricsConfig(folder=str(tmp_path)))
    async with visiting(database, config) as client:
        await wait_until(own.exists)
        text = (await client.get("/metrics")).text
        workers = set(re.findall(r'worker="(\d+)"', text))
        assert workers == {"1", str(os.getpid())}, "the worker that has died is left out"
        assert 'hegemon_moves_total{worker="1"} 5\n' in text
        assert "process_open_fds{worker=" in text
    assert not own.exists()


async def test_the_time_that_bots_think_and_wait_is_added_up(monkeypatch):
    now = 100.0
    monkeypatch.setattr(fair_queue, "time", SimpleNamespace(perf_counter=lambda: now))
    queue = FairQueue(1, 1, "test")
    await queue.enter("ada")
    waiting = asyncio.create_task(queue.enter("ben"))
    await asyncio.sleep(0)
    assert queue.waiting == 1
    began = metrics.SEARCH_SECONDS.value("test")
    now += 3
    queue.leave("ada")
    await waiting
    now += 2
    queue.leave("ben")
    assert metrics.SEARCH_SECONDS.value("test") - began == 5
    assert metrics.SEARCHES.value("test") == metrics.QUEUE_SECONDS.count("test") == 2
    assert queue.waiting == 0


async def test_the_lag_of_the_event_loop_is_measured(database, monkeypatch):
    monkeypatch.setattr(monitoring, "_LAG_INTERVAL", 0.001)
    before = metrics.LOOP_LAG.count()
    async with visiting(database, config_at(database, metrics=MetricsConfig())):
        await wait_until(lambda: metrics.LOOP_LAG.count() > before)


def test_the_token_is_read_from_a_file(tmp_path):
    file = tmp_path / "token"
    assert metrics_config(False, None) is None
    assert metrics_config(True, None) == MetricsConfig()
    file.write_text("a-token-of-a-monitor\n")
    assert metrics_config(False, file) == MetricsConfig("a-token-of-a-monitor")
    for wrong in ("", "short", "with a blank in between it"):
        file.write_text(wrong)
        with pytest.raises(CommandError, match="at least 16"):
            metrics_config(True, file)
    with pytest.raises(FileNotFoundError):
        metrics_config(True, tmp_path / "nowhere")


def test_moves_have_two_outcomes():
    assert {dict(labels)["outcome"] for _, labels, _ in MOVES.samples()} <= {"accepted", "rejected"}


def test_workers_share_a_folder_only_if_metrics_are_enabled():
    config = ServerConfig("sqlite+aiosqlite://")
    with _sharing_metrics(config) as same:
        assert same is config
    with _sharing_metrics(replace(config, metrics=MetricsConfig("a-token-of-a-monitor"))) as shared:
        folder = Path(shared.metrics.folder)
        assert folder.is_dir()
        assert shared.metrics.token == "a-token-of-a-monitor"
    assert not folder.exists()
