"""The mark that every rule bears, so that one source can be run, compiled for the CPU and compiled for CUDA."""

from collections.abc import Callable
from typing import TypeVar

Rule = TypeVar("Rule", bound=Callable[..., object])

#: Every rule of the game, in the order of import.
RULES: list[Callable[..., object]] = []


def rule(function: Rule) -> Rule:
    """Mark a function as a rule.

    Called from Python, a rule is the plain function it was. `hegemon.kernels` compiles it when it is first needed in
    compiled code, so a rule keeps to what both speeds share: integers, loops and small tuples of constants; no
    exceptions, dictionaries, strings or new objects.
    """
    RULES.append(function)
    return function
