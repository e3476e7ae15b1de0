"""The devices that a person is signed in on, and the deletion of a person's data."""

from dataclasses import replace
from typing import Annotated, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response import Redirect

from hegemon.server.logging import log_event
from hegemon.server.security import tokens
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.devices import DevicePages

#: The id of a row, within the range of database integers.
RowId = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]


# ------------------------------------------------------------------ sessions


@post("/me/sessions/{session_id:int}/end")
async def end_session(
    session_id: RowId,
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
) -> Redirect:
    await tables.people.end_session(person, session_id)
    return redirect("/me?done=session#devices")


@post("/me/key/end")
async def end_key(
    visitor: NamedDependency[Visitor], person: NamedDependency[str], tables: NamedDependency[TableRegistry]
) -> Redirect:
    """Sign out the browser with the personal link: the link stops working, and all sessions stay valid."""
    if visitor.session is None:
        return redirect("/me/sign-out")
    if tokens.has_key(person):
        await tables.people.drop_key(person)
    return redirect("/me?done=key#devices")


@get("/me/sign-out")
async def signing_out(
    visitor: NamedDependency[Visitor],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
) -> Response[str] | Redirect:
    """Ask for confirmation to sign out this device, and say whether the visitor can sign in again."""
    if visitor.owner is None:
        return redirect("/me")
    devices = tables.store.devices
    others = [
        session for session in await devices.sessions_of(visitor.owner) if session.id != visitor.session
    ]
    other_ways = (
        others or await devices.passkeys_of(visitor.owner) or await devices.recovery_code_date(visitor.owner)
    )
    return page(
        device_pages.signing_out(visitor, can_return=bool(other_ways), link=tokens.has_key(visitor.owner))
    )


@post("/me/sign-out")
async def sign_out(
    visitor: NamedDependency[Visitor], person: NamedDependency[str], tables: NamedDependency[TableRegistry]
) -> Redirect:
    """Sign out this device: it forgets its token, and no longer shows notices."""
    if visitor.session is not None:
        await tables.people.end_session(person, visitor.session)
    else:
        await tables.store.subscriptions.sign_out(person)
        tables.people.note_sign_out()
    response = redirect("/me?done=here#sign-in")
    response.delete_cookie(tokens.COOKIE)
    return response


# ------------------------------------------------------------------ deletion


@get("/me/delete")
async def deletion(
    visitor: NamedDependency[Visitor], device_pages: NamedDependency[DevicePages]
) -> Response[str] | Redirect:
    """Ask for confirmation to delete everything about the visitor."""
    return page(device_pages.deletion(visitor)) if visitor.owner is not None else redirect("/me")


@post("/me/delete")
async def delete_person(
    visitor: NamedDependency[Visitor],
    person: NamedDependency[str],
    tables: NamedDependency[TableRegistry],
    device_pages: NamedDependency[DevicePages],
) -> Response[str]:
    await tables.people.erase(person)
    log_event("a person was erased")
    response = page(device_pages.deleted(replace(visitor, owner=None, session=None)))
    response.delete_cookie(tokens.COOKIE)
    return response


ROUTES: Final = (end_session, end_key, signing_out, sign_out, deletion, delete_person)
