"""Games in progress: moves, bots, clocks, seats, chat."""
