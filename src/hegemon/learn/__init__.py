"""Learning the game from self-play: on a CPU with NumPy, on an NVIDIA GPU with CuPy."""
