"""A program at a table, through the API."""

from dataclasses import dataclass

from httpx import AsyncClient, Response


@dataclass
class Program:
    """Somebody who holds the token of a seat; without one, somebody who only watches."""

    client: AsyncClient
    game: str
    token: str | None = None

    @classmethod
    async def lay(cls, client: AsyncClient, **wish) -> list["Program"]:
        """A new table: a program for every seat that is not a bot's."""
        answer = await client.post("/api/games", json=wish)
        assert answer.status_code == 201, answer.text
        laid = answer.json()
        return [cls(client, laid["game"], seat["token"]) for seat in laid["seats"] if seat["token"]]

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return ({"authorization": f"Bearer {self.token}"} if self.token else {}) | more

    async def get(self, path: str, **headers: str) -> Response:
        return await self.client.get(f"/api/games/{self.game}{path}", headers=self._headers(headers))

    async def look(self) -> dict:
        answer = await self.get("")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def act(self, choice: str, number: int, idempotency_key: str) -> Response:
        return await self.client.post(
            f"/api/games/{self.game}/moves",
            json={"choice": choice, "version": number, "idempotency_key": idempotency_key},
            headers=self._headers({}),
        )
