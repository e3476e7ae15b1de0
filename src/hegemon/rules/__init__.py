"""The rules of Carta Impera Victoria; no other package knows them."""
