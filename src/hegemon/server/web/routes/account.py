"""The page of a person, the personal link (seats without accounts, on several devices), and statistics."""

from dataclasses import replace
from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from hegemon.prose.translator import Translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import ConflictError
from hegemon.server.identity.requests import start_session
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.texts import REJECTIONS, SEAT_REJECTIONS
from hegemon.server.web.forms import KeyForm, NewKeyForm
from hegemon.server.web.me.link import shown_link
from hegemon.server.web.me.page import my_page
from hegemon.server.web.me.profile import load_statistics
from hegemon.server.web.responses import page, redirect, redirect_with_token
from hegemon.server.web.routes.signing_in import merge_or_sign_out
from hegemon.server.web.session import Visitor, without_return_path
from hegemon.server.web.views.statistics import StatisticsPages


@get("/me")
async def me(request: Request[Any, Any, Any], visitor: NamedDependency[Visitor]) -> Response[str]:
    return await my_page(request, visitor)


@get("/me/statistics")
async def statistics(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    statistics_pages: NamedDependency[StatisticsPages],
) -> Response[str]:
    """The visitor's own results; the results of others are on their public profiles."""
    return page(statistics_pages.statistics(visitor, await load_statistics(tables.store, visitor.owner)))


@post("/me")
async def use_personal_link(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[KeyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
    tr: NamedDependency[Translator],
) -> Response[str] | Redirect:
    """Use the seats of another browser in this one, by its personal link or the key in it.

    A stranger's link could take away the seats of this browser, so a key is replaced only after confirmation. This
    device gets a new session. A key without any games is rejected, because its creator could be waiting for someone
    else to play with it.
    """
    token, people = data.key.strip().rpartition("#")[2], tables.store.people
    owner = tokens.owner_of(token)
    if owner is not None and owner == visitor.owner:
        return redirect("/#games")
    if owner is None or not await people.has_data(owner):
        status, sentence = SEAT_REJECTIONS["key" if owner is None else "empty-key"]
        return await my_page(request, visitor, status, link={"problem": tr.text(sentence)})
    if visitor.owner not in (None, data.replaces) and await people.has_data(visitor.owner):
        return await my_page(request, visitor, 409, link={"offered_key": token})
    try:
        await merge_or_sign_out(tables, visitor, owner, merge=data.do == "merge")
    except ConflictError:
        sentence = REJECTIONS["merge"]
        problem = {"offered_key": token, "problem": tr.text(sentence)}
        return await my_page(request, visitor, 409, link=problem)
    return redirect_with_token("/#games", await start_session(request, tables, owner), config)


@post("/me/key")
async def replace_key(
    request: Request[Any, Any, Any],
    data: URLEncodedBody[NewKeyForm],
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    config: NamedDependency[ServerConfig],
) -> Response[str] | Redirect:
    """Replace the visitor's key with a new one from the page, so that a form that is sent twice counts once.

    All other devices are signed out. A device with a session keeps it, and shows the new link this once.
    """
    new = tokens.owner_of(data.new_key)
    # Only the page knows the owner, so no other site can choose the new key.
    if new is None or visitor.owner is None or data.owner != visitor.owner:
        return redirect("/me")
    try:
        await tables.people.change_owner(visitor.owner, new, visitor.session)
    except ConflictError:
        return redirect("/me")
    if visitor.session is not None:
        renewed = without_return_path(replace(visitor, owner=new))
        shown = shown_link(request, renewed, data.new_key)
        return await my_page(request, renewed, link=shown | {"is_new": True})
    return redirect_with_token("/me", data.new_key, config)


ROUTES: Final = (me, statistics, use_personal_link, replace_key)
