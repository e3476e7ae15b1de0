"""The game as text: positions, views, choices, rulings and records."""
