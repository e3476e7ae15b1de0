"""Dependencies that Litestar injects into the handlers of pages, in addition to those of the whole server."""

from typing import Any, Final

from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.exceptions import HTTPException

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.dependencies import from_state
from hegemon.server.identity.requests import owner_in_cookie
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import REJECTIONS
from hegemon.server.web.session import Visitor, visitor_of, with_profile


async def provide_visitor(request: Request[Any, Any, Any], tables: NamedDependency[TableRegistry]) -> Visitor:
    visitor = visitor_of(request)
    profile = await tables.store.profiles.load(visitor.owner)
    return with_profile(visitor, profile)


def provide_translator(visitor: NamedDependency[Visitor]) -> Translator:
    return get_translator(visitor.language)


def provide_token(request: Request[Any, Any, Any]) -> str:
    """The token of this browser, or a new one."""
    is_known = owner_in_cookie(request) is not None
    return request.cookies[tokens.COOKIE] if is_known else tokens.new_token()


def provide_owner(request: Request[Any, Any, Any], token: NamedDependency[str]) -> str:
    return owner_in_cookie(request) or tokens.digest(token)


def provide_person(visitor: NamedDependency[Visitor]) -> str:
    """The owner of the visitor's data; visitors without any are rejected."""
    if visitor.owner is None:
        raise HTTPException(REJECTIONS["no-person"], status_code=403)
    return visitor.owner


def provide_wants_json(request: Request[Any, Any, Any]) -> bool:
    """Whether a page's script sent the request, and will show the response without loading another page."""
    return request.headers.get("accept", "").startswith("application/json")


DEPENDENCIES: Final = {
    "visitor": Provide(provide_visitor),
    "tr": Provide(provide_translator, sync_to_thread=False),
    "token": Provide(provide_token, sync_to_thread=False),
    "owner": Provide(provide_owner, sync_to_thread=False),
    "person": Provide(provide_person, sync_to_thread=False),
    "wants_json": Provide(provide_wants_json, sync_to_thread=False),
    **{
        name: from_state(name)
        for name in (
            "pages",
            "home_pages",
            "table_pages",
            "person_pages",
            "learning_pages",
            "puzzle_pages",
            "replay_pages",
            "seat_pages",
            "spectator_pages",
            "daily_pages",
            "days_pages",
            "device_pages",
            "plan_pages",
            "statistics_pages",
            "study_pages",
            "sharing_pages",
            "admin_pages",
            "tournament_pages",
            "adviser",
            "study_evaluator",
            "pictures",
            "service_workers",
            "feed_entries",
        )
    },
}
