"""What the commands draw in a terminal and read from it."""
