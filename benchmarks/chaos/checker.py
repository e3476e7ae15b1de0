"""Decides from the clients' logs and the final state whether a server has kept its guarantees.

As in Jepsen, the clients log what they send and receive, and the checker then looks for a history of the table that
explains all of it. The table is an append-only log, and the database has its entries in order, so there is only one
candidate. It explains the logs if

- it has every acknowledged move exactly once, at the version and with the choice that was acknowledged, no move that
  was rejected, and no entry that was not sent by a client or played by a bot;
- every entry can have been appended between the moment when it was first sent and the moment when a client first knew
  of it, which makes the log linearizable;
- no read returns an older version than one that any worker had already returned;
- streams send every version once, in order, and with exactly the events that the library shows to that seat when it
  replays the record, and states contain exactly that seat's view: anything more would be a leak;
- the game is over: after the faults, every table can be played to its end.

All functions are pure. A move with an unknown outcome may have been applied or not, but not twice.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final as Constant

from chaos.history import (
    CHAT,
    CREATE,
    FAIL,
    JOIN,
    MOVE,
    OK,
    READ,
    Facts,
    Final,
    FinalMove,
    History,
    Request,
    Stream,
    StreamEvent,
    digest,
)
from hegemon.notation.record import read_record
from hegemon.notation.writing import write_view
from hegemon.play.events import Event
from hegemon.play.game import Game
from hegemon.play.serialization import event_from_dict, event_to_dict
from hegemon.rules.position import Question
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.view import SPECTATOR
from hegemon.views import TableInfo, table_to_dict
from hegemon.views.table import game_table

#: The status of a request above a rate limit.
TOO_MANY: Constant = 429

UNDO: Constant = "undo"
UNDONE: Constant = "undone"
BACK: Constant = "back"

#: Kinds of anomalies.
LOST: Constant = "lost"  # acknowledged, but missing
DOUBLED: Constant = "doubled"  # saved twice, or acknowledged at two versions
PHANTOM: Constant = "phantom"  # saved, though not sent by any client or bot
REJECTED: Constant = "rejected"  # rejected, though it was saved
REORDERED: Constant = "reordered"  # known before it was sent, or before something that preceded it
MISPLACED: Constant = "misplaced"  # applied to a version other than the one it was sent for
DENIED: Constant = "denied"  # a table or a seat that a worker does not know, though it was acknowledged
STALE: Constant = "stale"  # a read older than what a worker had already returned
GAP: Constant = "gap"  # a stream that skips or repeats a version
FORK: Constant = "fork"  # two readers, or a reader and the database, disagree
LEAK: Constant = "leak"  # a hidden card was sent
INTRUSION: Constant = "intrusion"  # a bot moved for a present player, or a player moved despite a substitute
BROKEN: Constant = "broken"  # the rules do not allow the history, or versions are missing in it
STUCK: Constant = "stuck"  # not over, and not playable to the end

KINDS: Constant = (
    LOST, DOUBLED, PHANTOM, REJECTED, REORDERED, MISPLACED, DENIED, STALE, GAP, FORK, LEAK, INTRUSION, BROKEN, STUCK,
)  # fmt: skip


@dataclass(frozen=True)
class Anomaly:
    """A violation of a guarantee."""

    kind: str
    game: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail} (game {self.game})"


Problems = Iterator[tuple[str, str]]


def check(history: History, final: Final | None) -> list[Anomaly]:
    """All anomalies of one table."""
    problems = list(check_access(history))
    if final is None:
        created = [request for request in history.of_kind(CREATE) if request.outcome == OK]
        problems += [(LOST, "the table was acknowledged, and is not there")] if created else []
        if history.of_kind(CREATE) and not created and not problems:
            problems.append((STUCK, "the table could not be created"))
        game = created[0].answer["game"] if created else "unknown"
        return [Anomaly(kind, game, detail) for kind, detail in problems]
    final, replay = with_keys(history, final), Replay.of(final)
    problems += check_log(final)
    if replay.problem:
        problems.append((BROKEN, replay.problem))
    problems += check_moves(history, final, replay)
    problems += check_players(final)
    problems += check_order(history, final)
    problems += check_reads(history)
    problems += check_streams(history, replay)
    problems += check_views(history, replay)
    problems += check_chat(history, final)
    problems += check_audits(history, final)
    if not replay.over and not replay.problem:
        problems.append((STUCK, f"the game is not over at version {len(final.moves)}"))
    return [Anomaly(kind, final.game, detail) for kind, detail in problems]


# ------------------------------------------------------------------ the library's replay


class Replay:
    """The game of a final state, replayed by the library, at every version."""

    def __init__(self, record: str) -> None:
        self.game = Game.from_record(read_record(record))
        self._backs_shown = bool(self.game.position.rulings & SHOW_BACKS)
        self._entries: list[tuple[Event, ...] | Facts] = [self.game.events_at(0)]
        self._games = [self.game.copy()]
        self._versions: list[int] = []
        """The version of each move that has not been undone."""
        self._seen: dict[tuple[int, int], list[Facts]] = {}
        """A cache of the events by version and viewer: many streams have sent the same ones."""
        self.problem = ""
        """Why the rest cannot be replayed."""

    @classmethod
    def of(cls, final: Final) -> "Replay":
        replay = cls(final.record)
        for move in final.moves:
            try:
                replay.apply(move)
            except ValueError as error:
                replay.problem = f"version {move.version}, {describe(move)}, is illegal: {error}"
                break
        return replay

    def apply(self, move: FinalMove) -> None:
        """Play a move, or undo one; an illegal one raises ValueError."""
        game, before = self.game, len(self.game.moves)
        if move.choice == UNDO:
            index = game.undoable(move.seat)
            game.undo(move.seat)
            assert index is not None
            undone = self._versions[index]
            del self._versions[index : index + before - len(game.moves)]
            self._entries.append({"event": UNDONE, "seat": move.seat + 1, "version": undone})
        else:
            game.play(move.choice, move.seat)
            plies = range(before + 1, len(game.moves) + 1)
            self._versions += [move.version] * len(plies)
            self._entries.append(tuple(event for ply in plies for event in game.events_at(ply)))
        self._games.append(game.copy())

    @property
    def version(self) -> int:
        """The last version that can be replayed."""
        return len(self._games) - 1

    @property
    def over(self) -> bool:
        return self.game.over

    def at(self, version: int) -> Game:
        return self._games[version]

    def is_draft(self, version: int) -> bool:
        return self.at(version).position.question == Question.DRAFT

    def events(self, version: int, viewer: int) -> list[Facts]:
        """The events of a version as a stream may send them to a seat or a spectator."""
        if (version, viewer) not in self._seen:
            entry = self._entries[version]
            self._seen[version, viewer] = (
                [entry]
                if isinstance(entry, dict)
                else [event_to_dict(event.seen_by(viewer, self._backs_shown)) for event in entry]
            )
        return self._seen[version, viewer]

    def hidden(self, events: list[Facts], viewer: int) -> list[Facts]:
        """Events that were sent, reduced to what the viewer may see."""
        return [
            event
            if event["event"] == UNDONE
            else event_to_dict(event_from_dict(event).seen_by(viewer, self._backs_shown))
            for event in events
        ]

    def view(self, version: int, viewer: int) -> str:
        return write_view(self.at(version).view(viewer))

    def table(self, version: int, viewer: int, substitutes: Sequence[int], names: Sequence[str]) -> str:
        """The digest of the table as data, as the state of a table contains it."""
        info = TableInfo(substitutes=tuple(substitutes))
        return digest(table_to_dict(game_table(self.at(version), viewer, info=info, names=tuple(names))))


def describe(move: FinalMove) -> str:
    return f"{move.choice} of seat {move.seat + 1}"


# ------------------------------------------------------------------ archived games


def with_keys(history: History, final: Final) -> Final:
    """An archived game with the keys that its moves must have had.

    A move that was acknowledged had the key of that request. One that was not, and was not a bot's, had the key of a
    matching request with an unknown outcome. A move without a matching request gets no key, which is an anomaly.
    """
    if not final.is_archived:
        return final
    keys, unknown = dict[tuple[int, int, str], str](), list[Request]()
    for requests in history.by_key(MOVE).values():
        acknowledged = [request for request in requests if request.outcome == OK]
        for request in acknowledged:
            keys[request.answer["version"], request.seat, request.sent["choice"]] = request.sent["key"]
        if not acknowledged and any(request.outcome != FAIL for request in requests):
            unknown.append(requests[0])
    moves = []
    for move, is_bots_turn in zip(final.moves, bots_turns(final), strict=True):
        key = keys.get((move.version, move.seat, move.choice))
        if key is None and not is_bots_turn:
            fitting = [request for request in unknown if _fits(request, move)]
            if fitting:
                closest = max(fitting, key=lambda request: request.sent["version"])
                unknown.remove(closest)
                key = closest.sent["key"]
        moves.append(replace(move, key=key))
    return replace(final, moves=tuple(moves))


def _fits(request: Request, move: FinalMove) -> bool:
    same = (request.seat, request.sent["choice"]) == (move.seat, move.choice)
    return same and request.sent["version"] < move.version


# ------------------------------------------------------------------ moves


def check_log(final: Final) -> Problems:
    """The database's own log: versions without gaps, and no key twice."""
    versions = [move.version for move in final.moves]
    if versions != list(range(1, len(versions) + 1)):
        yield BROKEN, f"the versions in the database are {versions}"
    keys = Counter(move.key for move in final.moves if move.key is not None)
    for key, count in keys.items():
        if count > 1:
            yield DOUBLED, f"the move with the key {key} is there {count} times"


def check_moves(history: History, final: Final, replay: Replay) -> Problems:
    """Acknowledged moves were saved, rejected ones were not, and all others were sent by a client or made by a bot."""
    sent = history.by_key(MOVE)
    by_version = {move.version: move for move in final.moves}
    by_key = {move.key: move for move in final.moves if move.key is not None}
    known = first_known(history, final)
    for key, requests in sent.items():
        acknowledged = {request.answer["version"] for request in requests if request.outcome == OK}
        if len(acknowledged) > 1:
            yield DOUBLED, f"the move with the key {key} was acknowledged at {sorted(acknowledged)}"
        for version in acknowledged:
            move = by_version.get(version)
            if move is None or (move.key, move.seat, move.choice) != _sent(requests[0]):
                there = describe(move) if move is not None else "nothing"
                yield (
                    LOST,
                    f"{_describe(requests[0])} was acknowledged as version {version}; {there} is there",
                )
        if (move := by_key.get(key)) is not None:
            yield from _check_rejections(requests, move, known)
            yield from _check_place(requests[0], move, replay)
    for move in final.moves:
        if move.key is not None and (
            move.key not in sent or all(_sent(request) != _facts(move) for request in sent[move.key])
        ):
            yield PHANTOM, f"version {move.version}, {describe(move)}, was not sent by any client"


def _sent(request: Request) -> tuple[str, int, str]:
    return request.sent["key"], request.seat, request.sent["choice"]


def _facts(move: FinalMove) -> tuple[str | None, int, str]:
    return move.key, move.seat, move.choice


def _describe(request: Request) -> str:
    return f"{request.sent['choice']} of seat {request.seat + 1} (key {request.sent['key']})"


def _check_rejections(requests: list[Request], move: FinalMove, known: dict[int, float]) -> Problems:
    """A repetition may be rejected while the first request is still on its way, but not once the move is known."""
    rejected = [request for request in requests if request.outcome == FAIL]
    if len(rejected) == len(requests):
        yield REJECTED, f"{_describe(requests[0])} was rejected, and is version {move.version}"
        return
    for request in rejected:
        if request.answer["status"] == TOO_MANY:  # which says nothing about the move
            continue
        if known.get(move.version, float("inf")) < request.began:
            yield (
                REJECTED,
                f"{_describe(request)} was known as version {move.version} when its repetition was rejected",
            )


def _check_place(request: Request, move: FinalMove, replay: Replay) -> Problems:
    """A move changes the version that it answers; only in the draft others may choose at the same time."""
    answered = request.sent["version"]
    if answered + 1 == move.version or move.version > replay.version:
        return
    if answered >= move.version or not all(map(replay.is_draft, range(answered, move.version))):
        yield MISPLACED, f"{_describe(request)} answers version {answered}, and is version {move.version}"


def check_players(final: Final) -> Problems:
    """Bots move for their own seats and for players whom they substitute; these players do not move meanwhile."""
    for move, is_bots_turn in zip(final.moves, bots_turns(final), strict=True):
        what = f"version {move.version}, {describe(move)},"
        if move.key is None and not is_bots_turn:
            yield INTRUSION, f"{what} is a bot's, but the seat is a player's"
        if move.key is not None and is_bots_turn:
            yield INTRUSION, f"{what} is a player's, but a bot had the seat"


def bots_turns(final: Final) -> Iterator[bool]:
    """For each move, whether its seat was a bot's or had a substitute."""
    substituted, substitutions = set[int](), list(final.substitutions)
    for move in final.moves:
        # Changes at the version before this move were saved before it.
        while substitutions and substitutions[0].version < move.version:
            change = substitutions.pop(0)
            (substituted.discard if change.reason == BACK else substituted.add)(change.seat)
        yield move.seat in final.bots | substituted


def check_access(history: History) -> Problems:
    """Clients send only valid requests to create, join and read tables, so no worker may deny them."""
    denying = {CREATE: range(400, TOO_MANY), JOIN: range(400, TOO_MANY), READ: (401, 403, 404)}
    for request in history.requests:
        if request.outcome == FAIL and request.answer["status"] in denying.get(request.kind, ()):
            status, why = request.answer["status"], request.answer.get("why", "")
            who = f"worker {request.worker} answered a request ({request.kind}) of {request.client}"
            yield DENIED, f"{who} with {status}: {why}"


# ------------------------------------------------------------------ order


def first_known(history: History, final: Final) -> dict[int, float]:
    """When any client first received each version of the final history, or a later one."""
    times = defaultdict[int, float](lambda: float("inf"))
    for version, at, _ in observations(history):
        times[version] = min(times[version], at)
    latest, known = float("inf"), dict[int, float]()
    for version in range(max([len(final.moves), *times]), 0, -1):
        latest = min(latest, times[version])
        known[version] = latest
    return known


def observations(history: History) -> Iterator[tuple[int, float, int]]:
    """Every time a client learned of a version: the version, the time and the worker."""
    for request in history.requests:
        if request.outcome == OK and request.kind in (READ, MOVE):
            yield request.answer["version"], request.ended, request.worker
    for stream in history.streams:
        for event in stream.events:
            yield event.version, event.at, stream.worker


def check_order(history: History, final: Final) -> Problems:
    """Every entry was first sent before it, or any later one, was known.

    That is linearizability: if each entry has a moment between being sent and being known, moments can be chosen that
    increase with the versions.
    """
    known, sent = first_known(history, final), history.by_key(MOVE)
    for move in final.moves:
        if move.key is None or move.key not in sent:
            continue
        first_sent = min(request.began for request in sent[move.key])
        if first_sent > known[move.version]:
            yield (
                REORDERED,
                f"version {move.version}, {describe(move)}, was sent after it or a later version was known",
            )


def check_reads(history: History) -> Problems:
    """A read returns at least the latest version that any client knew from any worker when it was sent."""
    seen = sorted((at, version, worker) for version, at, worker in observations(history))
    times, latest = [at for at, *_ in seen], list(accumulate((item[1:] for item in seen), max))
    for request in history.of_kind(READ):
        before = bisect_left(times, request.began)
        if request.outcome != OK or not before:
            continue
        version, worker = latest[before - 1]
        if request.answer["version"] < version:
            answer = f"worker {request.worker} returned version {request.answer['version']}"
            yield STALE, f"{answer} to {request.client} after worker {worker} had shown version {version}"


# ------------------------------------------------------------------ what was shown


def check_streams(history: History, replay: Replay) -> Problems:
    """Streams send every version after the client's last one, with the events as its seat may see them."""
    for stream in history.streams:
        last = stream.since
        for event in stream.events:
            if event.version != last + 1:
                yield (
                    GAP,
                    f"a stream of worker {stream.worker} sent version {event.version} after {last} to {stream.client}",
                )
            last = event.version
            yield from _check_event(stream, event, replay)


def _check_event(stream: Stream, event: StreamEvent, replay: Replay) -> Problems:
    if event.version > replay.version:
        if not replay.problem:
            yield FORK, f"{stream.client} received version {event.version}, which is not there"
        return
    expected = replay.events(event.version, stream.seat)
    if event.events == expected:
        return
    try:
        leaked = replay.hidden(event.events, stream.seat) != event.events
    except (KeyError, TypeError, ValueError):
        leaked = False
    if leaked:
        yield LEAK, f"{stream.client} received hidden cards in version {event.version}: {event.events}"
    else:
        yield FORK, f"{stream.client} received version {event.version} as {event.events}, not {expected}"


def check_views(history: History, replay: Replay) -> Problems:
    """The state of a table shows each seat its own view, and that of a spectator until the game starts."""
    for request in history.of_kind(READ):
        if request.outcome != OK:
            continue
        state = request.answer
        if state["version"] > replay.version:
            if not replay.problem:
                yield FORK, f"{request.client} read version {state['version']}, which is not there"
            continue
        viewer = SPECTATOR if state["waiting"] else request.seat
        expected = replay.view(state["version"], viewer)
        table = replay.table(state["version"], viewer, state["substitutes"], state["names"])
        if state["view"] == expected and state["table"] == table:
            continue
        received = f"{state['view']} (table {state['table']})"
        yield (
            LEAK if shows_more(state["view"], expected) else FORK,
            f"{request.client} read version {state['version']} as {received}, not {expected} ({table})",
        )


def shows_more(view: str, expected: str) -> bool:
    """Whether a view shows cards of a player that are hidden in another one; a hidden card is a question mark."""
    parts = zip(view.split("/"), expected.split("/"), strict=False)
    return any(shown.count("?") < hidden.count("?") for shown, hidden in parts)


# ------------------------------------------------------------------ chat, and the end


def check_chat(history: History, final: Final) -> Problems:
    """Acknowledged messages were saved once, rejected ones were not."""
    numbers = Counter(message.number for message in final.messages)
    by_number = {message.number: message for message in final.messages}
    by_key = Counter((message.seat, message.key) for message in final.messages)
    for number, count in numbers.items():
        if count > 1:
            yield BROKEN, f"{count} messages have the number {number}"
    for (seat, key), count in by_key.items():
        if key is not None and count > 1:
            yield DOUBLED, f"the message of seat {seat + 1} with the key {key} is there {count} times"
    for key, requests in history.by_key(CHAT).items():
        request = requests[0]
        acknowledged = {request.answer["number"] for request in requests if request.outcome == OK}
        if len(acknowledged) > 1:
            yield DOUBLED, f"the message with the key {key} was acknowledged as {sorted(acknowledged)}"
        for number in acknowledged:
            message = by_number.get(number)
            if message is None or (message.seat, message.text) != (request.seat, request.sent["text"]):
                yield LOST, f"message {number}, “{request.sent['text']}”, was acknowledged, and is not there"
        if all(request.outcome == FAIL for request in requests) and (request.seat, key) in by_key:
            yield REJECTED, f"the message with the key {key} was rejected, and is there"
    for stream in history.streams:
        for received in stream.messages:
            message = by_number.get(received.number)
            if message is None or (message.seat, message.text) != (received.seat, received.text):
                yield (
                    FORK,
                    f"{stream.client} received “{received.text}” as message {received.number}, which has another text",
                )


def check_audits(history: History, final: Final) -> Problems:
    """At the end, every worker serves the whole game."""
    for audit in history.audits:
        if audit.version != len(final.moves):
            served = f"version {audit.version} of {len(final.moves)}"
            yield LOST, f"worker {audit.worker} serves seat {audit.seat + 1} the game up to {served}"
