"""Training by self-play: with NumPy on a CPU, with CuPy on an NVIDIA GPU."""
