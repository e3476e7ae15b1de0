"""The child processes of a process, with and without those that multiprocessing has spawned."""

import os
import subprocess
import sys
from multiprocessing import get_context

import pytest
from child_processes import children_of, process_tree, spawned_by

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds child processes in /proc")


def test_only_spawned_processes_are_workers():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        event = get_context("spawn").Event()
        worker = get_context("spawn").Process(target=event.wait)
        worker.start()
        assert {other.pid, worker.pid} <= set(children_of(os.getpid()))
        assert worker.pid in spawned_by(os.getpid())
        assert other.pid not in spawned_by(os.getpid())
        assert process_tree(os.getpid())[0] == os.getpid()
        assert {other.pid, worker.pid} <= set(process_tree(os.getpid()))
        event.set()
        worker.join()
        other.communicate(b"\n")
    assert not {other.pid, worker.pid} & set(children_of(os.getpid()))
