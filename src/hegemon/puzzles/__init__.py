"""Puzzles: positions of played games with one way to win, to hold on, or to choose; found, proved and told in words."""
