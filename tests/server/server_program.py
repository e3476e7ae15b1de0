"""A program at a table, through the API."""

from dataclasses import dataclass

from httpx import AsyncClient, Response


@dataclass
class Program:
    """The player of a seat, by its token; without one, a spectator."""

    client: AsyncClient
    game: str
    token: str | None = None

    @classmethod
    async def create(cls, client: AsyncClient, **options) -> list["Program"]:
        """A new table: a program for every seat that is not a bot's."""
        answer = await client.post("/api/games", json=options)
        assert answer.status_code == 201, answer.text
        table = answer.json()
        return [cls(client, table["game"], seat["token"]) for seat in table["seats"] if seat["token"]]

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return ({"authorization": f"Bearer {self.token}"} if self.token else {}) | more

    async def get(self, path: str, **headers: str) -> Response:
        return await self.client.get(f"/api/games/{self.game}{path}", headers=self._headers(headers))

    async def state(self) -> dict:
        answer = await self.get("")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def submit_move(self, choice: str, version: int, idempotency_key: str) -> Response:
        return await self.client.post(
            f"/api/games/{self.game}/moves",
            json={"choice": choice, "version": version, "idempotency_key": idempotency_key},
            headers=self._headers({}),
        )
