"""Free ports for programs that cannot choose one themselves."""

import secrets
import socket
from contextlib import suppress


def free_port() -> int:
    """A port below the ephemeral range, so that no connection takes it before the program does."""
    while True:
        port = secrets.choice(range(20_000, 32_000))
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
