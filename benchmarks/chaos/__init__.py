"""Chaos testing: programs play while processes, database, network, clocks and disk fail; a checker reads their logs."""
