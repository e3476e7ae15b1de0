"""Texts for players: events, questions, choices and errors as sentences, in five languages."""
