"""Carta Impera Victoria as a library."""
