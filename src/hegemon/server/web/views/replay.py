"""Where the steps of a replay lead."""

from hegemon.notation.record import Record


def previous_turn(record: Record, ply: int) -> int:
    """The ply at which this turn began, or the turn before if it begins here."""
    ply -= 1
    while ply > 0 and record.moves[ply - 1][0] == record.moves[ply][0]:
        ply -= 1
    return max(ply, 0)


def next_turn(record: Record, ply: int) -> int:
    """The ply at which the next turn begins, or the last one."""
    moves, ply = record.moves, ply + 1
    while ply < len(moves) and moves[ply][0] == moves[ply - 1][0]:
        ply += 1
    return min(ply, len(moves))
