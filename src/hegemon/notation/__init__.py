"""The game as text: positions, views, choices, rulings and records."""

# Registers the texts that positions and views have as their repr.
import hegemon.notation.writing  # noqa: F401
