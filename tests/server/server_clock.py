"""A clock that tests advance."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Hands:
    """The hands of such a clock: they show the time, and advance when a test moves them."""

    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now

    def go(self, seconds=0, **more):
        self.now += timedelta(seconds=seconds, **more)
