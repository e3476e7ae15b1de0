"""Tournaments and the weekly league: pairings, standings, and the director that runs them."""
