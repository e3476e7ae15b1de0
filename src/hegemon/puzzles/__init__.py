"""Puzzles: positions of played games with a unique way to win, to defend, or to pick; mining, proofs and texts."""
