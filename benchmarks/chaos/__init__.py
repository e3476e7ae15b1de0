"""Chaos: programs play on servers whose processes, database, network, clocks and disks fail; a checker decides."""
