"""The profile of a person: name, color, language and settings."""

from typing import Any

from litestar import Request

from hegemon.prose.translator import get_translator
from hegemon.server.db.store import Store
from hegemon.server.tables.names import check_names
from hegemon.server.tables.seats import clean_name
from hegemon.server.texts import COLORS
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.views.statistics import PersonStatistics


async def profile_section(request: Request[Any, Any, Any], visitor: Visitor) -> dict[str, Any]:
    tr = get_translator(visitor.language)
    return {
        "name": visitor.name,
        "color": visitor.color,
        "colors": [(number, tr.text(name)) for number, name in enumerate(COLORS)],
        "public": visitor.profile is not None and visitor.profile.public,
        "public_id": visitor.profile.public_id if visitor.profile is not None else "",
        "saved": "saved" in request.query_params,
        "problem": "",
    }


async def remember_name(
    store: Store, owner: str, visitor: Visitor, name: str, color: int | None = None
) -> None:
    """Save a typed name and a color in the profile; the first name creates the profile, with the settings."""
    name = clean_name(name)
    await check_names(store, name)
    changes: dict[str, Any] = {"name": name} if name and name != visitor.name else {}
    if color is not None and color != visitor.color:
        changes["color"] = color
    if visitor.profile is None:
        changes["language"] = visitor.language
        changes["settings"] = chosen_settings(visitor)
    if changes and (name or visitor.profile is not None):
        await store.profiles.save(owner, **changes)


def chosen_settings(visitor: Visitor) -> dict[str, str]:
    """The settings that the visitor has chosen, here or elsewhere."""
    return {name: visitor.settings[name] for name in SETTINGS if name not in visitor.undecided}


async def load_statistics(store: Store, owner: str | None, *, public_only: bool = False) -> PersonStatistics:
    """The results of a person as they see them themselves or, in public, as everyone does."""
    owner = owner or ""
    return PersonStatistics(
        await store.results.groups(owner),
        await store.results.months(owner),
        await store.results.opponents(owner, public_only=public_only),
        (await store.players.load([owner])).get(owner),
        await store.players.history(owner),
    )
