"""Tournaments and the weekly league: who plays whom, the standings, and what drives them."""
