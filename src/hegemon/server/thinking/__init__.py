"""Searches of bots in other processes, on this machine or on another host, outside the event loop of the server."""
