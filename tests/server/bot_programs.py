"""A bot in a separate program that speaks the line protocol."""

import sys
from pathlib import Path

PROGRAM = """
import os, pathlib, sys
pathlib.Path(__file__).with_suffix(".pid").write_text(str(os.getpid()))
for line in sys.stdin:
    word, *rest = line.split()
    if word == "hegemon": print("ready", flush=True)
    if word == "choices": choices = rest
    if word == "choose": print("choice", {answer}, flush=True)
"""


def write_program(path: Path, answer: str) -> str:
    """Write a program that plays what an expression of its choices evaluates to; return the name of the bot."""
    path.write_text(PROGRAM.replace("{answer}", answer), encoding="utf-8")
    return f"program:{sys.executable} {path}"
