"""Bots off the request path: what a searching bot may know goes to a process that thinks, here or on another host."""
