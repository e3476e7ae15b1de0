"""The routes of the pages, with their dependencies and their exception handler."""

from typing import Any, Final

from litestar import Request, Response, Router
from litestar.datastructures import State
from litestar.di import Provide

from hegemon.prose.translator import languages
from hegemon.server.config import ServerConfig
from hegemon.server.web.async_cache import AsyncCache
from hegemon.server.web.dependencies import DEPENDENCIES
from hegemon.server.web.form_request import FormRequest
from hegemon.server.web.routes import (
    account,
    admin,
    analysis,
    app,
    chat,
    daily,
    days,
    devices,
    hints,
    home,
    learn,
    lobby,
    moments,
    new_study,
    notices,
    own_games,
    passkeys,
    plans,
    profile,
    puzzles,
    replay,
    reports,
    seating,
    sharing,
    signing_in,
    spectate,
    study,
    substitutes,
    table,
    tournaments,
    webhooks,
)
from hegemon.server.web.views.admin import AdminPages
from hegemon.server.web.views.daily import DailyPages
from hegemon.server.web.views.days import DaysPages
from hegemon.server.web.views.devices import DevicePages
from hegemon.server.web.views.hints import Adviser
from hegemon.server.web.views.home import HomePages
from hegemon.server.web.views.learn import LearningPages
from hegemon.server.web.views.me import PersonPages
from hegemon.server.web.views.pages import Pages
from hegemon.server.web.views.plans import PlanPages
from hegemon.server.web.views.puzzles import PuzzlePages
from hegemon.server.web.views.replay import ReplayPages
from hegemon.server.web.views.seating import SeatPages
from hegemon.server.web.views.sharing import FeedEntry, SharingPages
from hegemon.server.web.views.spectate import SpectatorPages
from hegemon.server.web.views.statistics import StatisticsPages
from hegemon.server.web.views.study import StudyPages
from hegemon.server.web.views.table import TablePages
from hegemon.server.web.views.thoughts import StudyEvaluator
from hegemon.server.web.views.tournaments import TournamentPages

_MODULES: Final = (
    home, table, replay, moments, analysis, seating, account, lobby, chat, substitutes, hints, learn, spectate,
    webhooks, daily, days, plans, new_study, study, puzzles, sharing, admin, reports, profile, own_games, app, devices,
    signing_in, passkeys, notices, tournaments,
)  # fmt: skip

#: The maximum number of cached link previews, about 14 MB.
_MAX_PICTURES: Final = 200

#: The maximum number of cached entries of the feed of results, in all languages.
_MAX_FEED_ENTRIES: Final = 200


def error_page(request: Request[Any, Any, State], error: Exception) -> Response[Any]:
    page: Response[Any] = request.app.state.pages.error(request, error)
    return page


ROUTER: Final = Router(
    "/",
    route_handlers=[handler for module in _MODULES for handler in module.ROUTES],
    dependencies=DEPENDENCIES | {"context": Provide(study.provide_study_context)},
    exception_handlers={Exception: error_page},
    include_in_schema=False,
    request_class=FormRequest,
)


def create_state(config: ServerConfig) -> dict[str, Any]:
    """The state that provides the dependencies of pages: a renderer for each kind of page, hints and pictures."""
    kinds = {
        "pages": Pages,
        "home_pages": HomePages,
        "table_pages": TablePages,
        "person_pages": PersonPages,
        "learning_pages": LearningPages,
        "puzzle_pages": PuzzlePages,
        "replay_pages": ReplayPages,
        "seat_pages": SeatPages,
        "spectator_pages": SpectatorPages,
        "daily_pages": DailyPages,
        "days_pages": DaysPages,
        "device_pages": DevicePages,
        "plan_pages": PlanPages,
        "statistics_pages": StatisticsPages,
        "study_pages": StudyPages,
        "sharing_pages": SharingPages,
        "admin_pages": AdminPages,
        "tournament_pages": TournamentPages,
    }
    return {name: kind(config) for name, kind in kinds.items()} | {
        "adviser": Adviser(),
        "study_evaluator": StudyEvaluator(),
        "pictures": AsyncCache[bytes](_MAX_PICTURES),
        "service_workers": AsyncCache[str](len(languages())),
        "feed_entries": AsyncCache[FeedEntry | None](_MAX_FEED_ENTRIES),
    }
