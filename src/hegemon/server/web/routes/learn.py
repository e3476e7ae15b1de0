"""Lessons."""

from typing import Annotated, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter, URLEncodedBody
from litestar.response import Redirect

from hegemon.server.tables.page_moves import TARGET_SEPARATOR
from hegemon.server.web.forms import ChoiceForm
from hegemon.server.web.responses import page, redirect
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.learn import STOPS, LearningPages


@get("/learn")
async def first_lesson(
    visitor: NamedDependency[Visitor], learning_pages: NamedDependency[LearningPages]
) -> Response[str]:
    return page(learning_pages.lesson(visitor, 1))


@get("/learn/{at:int}")
async def lesson(
    at: FromPath[int],
    visitor: NamedDependency[Visitor],
    learning_pages: NamedDependency[LearningPages],
    other: Annotated[bool, QueryParameter()] = False,
) -> Response[str]:
    if not 1 <= at <= len(STOPS):
        raise NotFoundException
    return page(learning_pages.lesson(visitor, at, other=other))


@post("/learn/{at:int}")
async def answer_lesson(at: FromPath[int], data: URLEncodedBody[ChoiceForm]) -> Redirect:
    """Continue after the choice that the step teaches; show the step again after any other."""
    if not 1 <= at <= len(STOPS):
        raise NotFoundException
    is_right = data.choice.partition(TARGET_SEPARATOR)[0] == STOPS[at - 1].choice
    return redirect(f"/learn/{at + 1}" if is_right else f"/learn/{at}?other=true")


ROUTES: Final = (first_lesson, lesson, answer_lesson)
