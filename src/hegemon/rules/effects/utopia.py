"""Utopia: Democracy."""

from hegemon.rules.actions import FIRST_DEMOCRACY
from hegemon.rules.cards import UTOPIA, oldest
from hegemon.rules.effects.economy import oneself
from hegemon.rules.position import Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import DEMOCRACY_SELF, DEMOCRACY_TEAMMATE
from hegemon.rules.turn import begin_effects


@rule
def democracies_on_offer(position: Position, others: int) -> int:
    """A Democracy may be put on another player who has a face-up card; the rulings say who else (D02, A75)."""
    if position.teams and not position.rulings & DEMOCRACY_TEAMMATE:
        others &= ~4
    return (others | oneself(position, DEMOCRACY_SELF)) << FIRST_DEMOCRACY


@rule
def democracy(position: Position, domain: int) -> None:
    """Put a Utopia card face down into the target's Domain: Hegemony there takes one more card, to the end."""
    area = position.areas[position.seat]
    area[UTOPIA] -= oldest(area[UTOPIA])
    position.democracies[position.target][domain] += 1
    position.target = 0
    begin_effects(position)
