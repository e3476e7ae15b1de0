"""THE game: the only place that knows the rules of Carta Impera Victoria."""
