"""A cache whose results are computed only once, even for concurrent requests."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class AsyncCache(Generic[Result]):
    """A cache of the latest results by key; a failed computation is repeated for the next request."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._results: OrderedDict[Hashable, asyncio.Future[Result]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._results)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._results

    async def get(self, key: Hashable, compute: Callable[[], Awaitable[Result]]) -> Result:
        if key not in self._results:
            result = self._results[key] = asyncio.ensure_future(compute())
            result.add_done_callback(lambda _: self._forget_failure(key, result))
            while len(self._results) > self._max_size:
                self._results.popitem(last=False)
        return await asyncio.shield(self._results[key])

    def _forget_failure(self, key: Hashable, result: "asyncio.Future[Result]") -> None:
        failed = result.cancelled() or result.exception() is not None
        if failed and self._results.get(key) is result:
            del self._results[key]
