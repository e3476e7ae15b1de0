"""Hints, in English: what to look at, what to choose, and why. The sentences are with those of lessons and puzzles."""

from typing import Final

SENTENCES: Final = {
    # What the page offers, one after the other.
    "ask": "Give me a hint",
    "ask.choice": "Show me the choice",
    "ask.why": "Tell me why",
    "title": "Hint",
    # What to look at.
    "look.win": "You can win this turn. Count your cards of {domain}, in your hand and in front of you.",
    "look.danger": "Look at {name}: {domain} stands at {count} of {needed} there.",
    "look.card": "Look at {domain}: in your hand, and in front of everybody.",
    "look.effect": "Look at what {domain} can do for you now.",
    "look.copy": "Look at what your lead in Culture lets you copy.",
    "look.target": "Look at what {name} is collecting.",
    "look.end": "Look at what your effects would cost you now.",
    # What to choose.
    "choice": "I would choose this: {choice}",
    # Why.
    "why.win": "It wins the game in this turn.",
    "why.only": "There is no other choice.",
    "why.odds": "With it I would win about {percent} % of the games from here.",
    "why.next": "With the next best choice it would be {percent} %: {choice}",
    "why.close": "The next best choice is nearly as good: {choice}",
    "why.line": "How the turn could go on: {line}",
}
