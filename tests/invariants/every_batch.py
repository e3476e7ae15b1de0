"""Batches of every kind, for the invariants: every table and variant, under rulings that differ in every switch."""

from itertools import product

from hegemon import Batch
from random_games import TABLES

GAMES = 4
STEPS = 330

RULINGS = ("standard", "en", "pl", "standard+embargo-self+passive-religion!democracy-teammate!show-backs")

BATCHES = tuple(
    Batch(GAMES, players, variant, teams=teams, rulings=rulings, seed=1_000 + number)
    for number, (variant, (players, teams), rulings) in enumerate(
        product(("basic", "draft"), TABLES, RULINGS)
    )
)
