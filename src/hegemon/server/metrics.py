"""Metrics of this process, in the text format of Prometheus (version 0.0.4).

Recording costs about a microsecond, so it is always on; whether `/metrics` shows them is a setting. No label contains
anything that identifies a person or a game, and each has few values.
"""

import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

#: The upper bounds of the buckets of latencies, in seconds.
LATENCY_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

#: A sample: the suffix of its name, its labels, its value.
Sample = tuple[str, Mapping[str, str], float]

#: All metrics of this process, in the order in which they are shown.
REGISTRY: Final[list["Metric"]] = []


class Metric:
    """A family of samples with the same name."""

    kind = "gauge"

    def __init__(
        self, name: str, documentation: str, labels: Sequence[str] = (), *, registered: bool = True
    ) -> None:
        self.name, self.documentation, self.labels = name, documentation, tuple(labels)
        if registered:
            REGISTRY.append(self)

    def samples(self) -> Iterator[Sample]:
        raise NotImplementedError


class Counter(Metric):
    """A number that only increases."""

    kind = "counter"

    def __init__(self, name: str, documentation: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, documentation, labels)
        self._values: dict[tuple[str, ...], float] = {} if labels else {(): 0.0}

    def add(self, *values: str, amount: float = 1) -> None:
        self._values[values] = self._values.get(values, 0.0) + amount

    def value(self, *values: str) -> float:
        return self._values.get(values, 0.0)

    def samples(self) -> Iterator[Sample]:
        for values, number in list(self._values.items()):
            yield "", dict(zip(self.labels, values, strict=True)), number


class Histogram(Metric):
    """The distribution of durations, in seconds."""

    kind = "histogram"

    def __init__(self, name: str, documentation: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, documentation, labels)
        # The count of each bucket and of longer durations, and the sum.
        self._values: dict[tuple[str, ...], list[float]] = {} if labels else {(): self._empty()}

    @staticmethod
    def _empty() -> list[float]:
        return [0.0] * (len(LATENCY_BUCKETS) + 2)

    def observe(self, seconds: float, *values: str) -> None:
        counts = self._values.get(values)
        if counts is None:
            counts = self._values[values] = self._empty()
        counts[bisect.bisect_left(LATENCY_BUCKETS, seconds)] += 1
        counts[-1] += seconds

    def count(self, *values: str) -> float:
        return sum(self._values.get(values, self._empty())[:-1])

    def samples(self) -> Iterator[Sample]:
        for values, counts in list(self._values.items()):
            labels, total = dict(zip(self.labels, values, strict=True)), 0.0
            for bound, count in zip((*LATENCY_BUCKETS, float("inf")), counts, strict=False):
                total += count
                yield "_bucket", labels | {"le": _format_number(bound)}, total
            yield "_sum", labels, counts[-1]
            yield "_count", labels, total


class Gauge(Metric):
    """A number that is read when the metrics are requested."""

    def __init__(
        self, name: str, documentation: str, value: float, labels: Mapping[str, str] | None = None
    ) -> None:
        self._labels = labels or {}
        super().__init__(name, documentation, tuple(self._labels), registered=False)
        self._value = value

    def samples(self) -> Iterator[Sample]:
        yield "", self._labels, self._value


class CurrentCounter(Gauge):
    """A counter whose value is maintained elsewhere."""

    kind = "counter"


REQUESTS: Final = Counter(
    "hegemon_http_requests_total", "Requests by route and status.", ("method", "route", "status")
)
RESPONSE_SECONDS: Final = Histogram(
    "hegemon_http_response_seconds",
    "Time from a request to the beginning of its response.",
    ("method", "route"),
)
MOVES: Final = Counter("hegemon_moves_total", "Submitted moves, accepted or rejected.", ("outcome",))
COMMIT_SECONDS: Final = Histogram("hegemon_database_commit_seconds", "Duration of a commit.")
SEARCHES: Final = Counter(
    "hegemon_bot_searches_total", "Computations of bots and hints, by where they run.", ("place",)
)
SEARCH_SECONDS: Final = Counter(
    "hegemon_bot_search_seconds_total", "Time that computations of bots and hints have taken.", ("place",)
)
QUEUE_SECONDS: Final = Histogram(
    "hegemon_bot_queue_seconds",
    "Time that computations of bots and hints have waited for a place.",
    ("place",),
)
LOOP_LAG: Final = Histogram("hegemon_event_loop_lag_seconds", "How late the event loop runs what is due.")


def render(metrics: Iterable[Metric], extra_labels: Mapping[str, str] | None = None) -> str:
    """The samples of metrics in the text format, each with the extra labels."""
    lines = []
    for metric in metrics:
        lines += [f"# HELP {metric.name} {metric.documentation}", f"# TYPE {metric.name} {metric.kind}"]
        for suffix, labels, value in metric.samples():
            shown = ",".join(
                f'{name}="{_escape(text)}"' for name, text in {**labels, **(extra_labels or {})}.items()
            )
            lines.append(f"{metric.name}{suffix}{{{shown}}} {_format_number(value)}" if shown else
                         f"{metric.name}{suffix} {_format_number(value)}")  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def merge(texts: Iterable[str]) -> str:
    """Merge the output of several processes, grouping the samples of each metric."""
    families: dict[str, list[str]] = {}
    for text in texts:
        name = ""
        for line in text.splitlines():
            if line.startswith("# HELP "):
                name = line.split(" ", 3)[2]
            lines = families.setdefault(name, [])
            if not (line.startswith("#") and line in lines):
                lines.append(line)
    return "".join(f"{line}\n" for lines in families.values() for line in lines)


def _format_number(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    return str(int(value)) if value == int(value) else repr(value)


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
