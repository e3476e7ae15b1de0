"""A game in progress: history, undo, views, events, memory, and the protocol of players."""
