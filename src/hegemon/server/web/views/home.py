"""The home page."""

from collections.abc import Sequence
from dataclasses import asdict

from hegemon.prose.translator import get_translator
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.server.db.own_games import OwnGame
from hegemon.server.tables.setup import SetupRejected
from hegemon.server.tables.spectate import DELAYS
from hegemon.server.texts import EDITIONS, LEVELS, OTHER_BOTS, PRESET_NAMES, RULING_SWITCHES, SETUP_REJECTIONS
from hegemon.server.web.forms import NewGameForm
from hegemon.server.web.new_game import DEFAULT_SEATS, EMPTY, FRIEND, ME, PERSON
from hegemon.server.web.session import SETTINGS, Visitor
from hegemon.server.web.views.durations import time_control_options
from hegemon.server.web.views.own_games import describe
from hegemon.server.web.views.pages import Pages


def _filled_fields(form: NewGameForm | None) -> dict[str, str]:
    """The fields that were filled in, by name."""
    return {name: value for name, value in asdict(form).items() if value} if form is not None else {}


class HomePages(Pages):
    def home(
        self,
        visitor: Visitor,
        games: Sequence[OwnGame],
        problem: SetupRejected | None = None,
        form: NewGameForm | None = None,
    ) -> str:
        """The home page: the form of a new game, and the games of this browser."""
        tr = get_translator(visitor.language)
        _ = tr.text

        def bots(levels: Sequence[str]) -> list[tuple[str, str]]:
            return [(bot, _("Bot: {level}", level=tr.bots.get(bot, bot))) for bot in levels]

        return self._render(
            "home.html",
            visitor,
            games=[describe(game, tr, self._now()) for game in games],
            problem=_(SETUP_REJECTIONS[problem.key], **problem.facts) if problem is not None else None,
            # The details come from the notation, in English.
            detail=problem.detail if problem is not None and visitor.language == "en" else "",
            form=_filled_fields(form),
            settings=SETTINGS,
            occupants=[
                (
                    "",
                    [
                        (ME, _("Me")),
                        (FRIEND, _("A friend, with a link")),
                        (PERSON, _("Someone else on this device")),
                        (EMPTY, _("Nobody")),
                    ],
                ),
                (_("Bots by level"), bots(LEVELS)),
                (_("Other bots"), bots(OTHER_BOTS)),
                *([(_("Bots of this server"), bots(self._allowed_bots))] if self._allowed_bots else []),
            ],
            default_seats=DEFAULT_SEATS,
            delays=[
                (0, _("see what everyone sees")),
                *(
                    (
                        rounds,
                        tr.numbered(
                            "see all hands with a delay of {number} round",
                            "see all hands with a delay of {number} rounds",
                            rounds,
                        ),
                    )
                    for rounds in DELAYS
                ),
            ],
            clocks=time_control_options(tr),
            presets=[(name, _(PRESET_NAMES[name])) for name in PRESETS],
            switches=[
                {
                    "text": _(RULING_SWITCHES[name]),
                    "editions": tr.listing(editions) if editions else _("no edition"),
                }
                for name, bit in SWITCHES.items()
                for editions in [[_(EDITIONS[preset]) for preset, on in PRESETS.items() if on & bit]]
            ],
        )
