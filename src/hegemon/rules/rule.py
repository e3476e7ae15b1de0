"""The decorator of every rule: one source runs in the interpreter, compiled for the CPU and compiled for CUDA."""

from collections.abc import Callable
from typing import TypeVar

Rule = TypeVar("Rule", bound=Callable[..., object])

#: Every rule of the game, in the order of import.
RULES: list[Callable[..., object]] = []


def rule(function: Rule) -> Rule:
    """Mark a function as a rule.

    Called from Python, it is a plain function. `hegemon.kernels` compiles it when compiled code first needs it, so a
    rule uses only integers, loops and small tuples of constants: no exceptions, dictionaries, strings or new objects.
    """
    RULES.append(function)
    return function
