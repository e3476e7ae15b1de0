"""The types of what the example uses of PyTorch, which is too large to be installed for the checks."""

from collections.abc import Callable
from typing import Any, TypeVar

from torch import nn as nn

_Function = TypeVar("_Function", bound=Callable[..., Any])

class Tensor:
    shape: tuple[int, ...]
    @property
    def T(self) -> Tensor: ...  # noqa: N802  # PyTorch's name
    def __getitem__(self, place: int) -> Tensor: ...
    def __float__(self) -> float: ...

def from_numpy(array: Any) -> Tensor: ...
def no_grad() -> Callable[[_Function], _Function]: ...
