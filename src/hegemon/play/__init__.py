"""A game being played: history, undo, views, events, memory, and the players' protocol."""
