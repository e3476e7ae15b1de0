"""A table whose clients log what a correct server sends them; tests then falsify the log."""

import io
import json

from chaos.checker import Replay, check
from chaos.history import (
    CHAT,
    CREATE,
    FAIL,
    INFO,
    MOVE,
    OK,
    READ,
    Final,
    FinalMessage,
    FinalMove,
    FinalSubstitution,
    History,
)

from hegemon import Game, write_record


class Story:
    """A game that is played move by move: each request ends before the next one begins, a second later."""

    def __init__(self, players=2, variant="basic", *, bots=(), seed=5):
        game = Game(players, variant, seed=seed)
        self.names = game.names
        self.record = write_record(game.record())
        self.replay = Replay(self.record)
        self.moves, self.messages, self.substitutions = [], [], []
        self.bots = frozenset(bots)
        self.lines = []
        self.now = 0.0
        self._numbers = 0
        self.add(self.invoke(CREATE, -1), OK, game="game")

    # ---------------------------------------------------------------- lines

    def write(self, kind, /, **facts):
        self.now += 1
        self.lines.append({"type": kind, "at": self.now, **facts})
        return self.lines[-1]

    def numbered(self, kind, /, **facts):
        self._numbers += 1
        self.write(kind, number=self._numbers, **facts)
        return self._numbers

    def invoke(self, kind, seat, worker=0, **sent):
        return self.numbered(
            "invoke", client=f"seat {seat + 1}", kind=kind, worker=worker, seat=seat, sent=sent
        )

    def add(self, number, outcome, /, **answer):
        """Complete a request."""
        return self.write(outcome, number=number, answer=answer)

    # ---------------------------------------------------------------- what happens

    @property
    def version(self):
        return len(self.moves)

    def apply(self, seat=None, choice=None, key=None):
        """Append an entry, by default the first choice of the seat to move."""
        game = self.replay.game
        seat = game.seat if seat is None else seat
        choice = choice if choice is not None else game.choices_of(seat)[0]
        move = FinalMove(self.version + 1, seat, choice, key)
        self.replay.apply(move)
        self.moves.append(move)
        return move

    def send(self, seat=None, choice=None, *, version=None, worker=0, key=None):
        """Send a move; returns the number of the request, and what was sent."""
        game = self.replay.game
        seat = game.seat if seat is None else seat
        choice = choice if choice is not None else game.choices_of(seat)[0]
        key = key or f"key {self._numbers}"
        version = self.version if version is None else version
        number = self.invoke(MOVE, seat, worker, version=version, key=key, choice=choice)
        return number, {"seat": seat, "choice": choice, "key": key}

    def move(self, seat=None, choice=None, **options):
        """Send a move that is acknowledged."""
        number, sent = self.send(seat, choice, **options)
        move = self.apply(**sent)
        self.add(number, OK, version=move.version)
        return move

    def read(self, viewer, worker=0, version=None):
        """Read the state, by default the current one."""
        version = self.version if version is None else version
        number = self.invoke(READ, viewer, worker)
        return self.add(number, OK, **self.state(viewer, version))

    def state(self, viewer, version):
        return {
            "version": version,
            "view": self.replay.view(version, viewer),
            "table": self.replay.table(version, viewer, (), self.names),
            "substitutes": [],
            "names": list(self.names),
            "waiting": False,
        }

    def stream(self, viewer, since=-1, worker=0, until=None):
        """Follow the game until now; returns the lines of the events."""
        number = self.numbered("stream", client=f"seat {viewer + 1}", worker=worker, seat=viewer, since=since)
        last = self.version if until is None else until
        return [
            self.write("event", stream=number, version=version, events=self.replay.events(version, viewer))
            for version in range(since + 1, last + 1)
        ]

    def say(self, seat, text, key, outcome=OK):
        number = self.invoke(CHAT, seat, key=key, text=text)
        if outcome != FAIL:
            self.messages.append(FinalMessage(len(self.messages) + 1, seat, text, key))
        self.add(number, outcome, **({"number": len(self.messages)} if outcome == OK else {"status": 422}))
        return number

    def substitute(self, seat, reason="clock"):
        self.substitutions.append(FinalSubstitution(self.version, seat, reason))

    def play_to_the_end(self):
        while not self.replay.over:
            seat = self.replay.game.seat
            if seat in self.bots:
                self.apply()
            else:
                self.move()

    # ---------------------------------------------------------------- the verdict

    @property
    def final(self):
        return Final(
            "game",
            self.record,
            tuple(self.moves),
            self.bots,
            tuple(self.substitutions),
            tuple(self.messages),
        )

    @property
    def history(self):
        file = io.StringIO("".join(json.dumps(line) + "\n" for line in self.lines))
        return History.read(file)

    def anomalies(self):
        return check(self.history, self.final)

    def kinds(self):
        return {anomaly.kind for anomaly in self.anomalies()}


__all__ = ["FAIL", "INFO", "OK", "Story"]
