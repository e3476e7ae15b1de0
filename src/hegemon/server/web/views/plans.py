"""The page on which a waiting player prepares a turn."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.translator import Translator, get_translator
from hegemon.rules.cards import LETTERS, Domain
from hegemon.server.db.plans import Plan
from hegemon.server.tables.plans import PlanRejected, Rehearsal, rehearse
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pages import Pages
from hegemon.views.effects import domain_of_choice


class PlanPages(Pages):
    def plan(
        self,
        table: Table,
        visitor: Visitor,
        seat: int,
        plans: Sequence[Plan],
        rehearsal: Rehearsal | None,
        problem: str = "",
    ) -> str:
        """The plans of a seat, and the turn that is being prepared, if one can be."""
        tr = get_translator(visitor.language)
        names = shown_names(table, tr)
        path = f"/games/{table.id}/plan?seat={seat + 1}"
        return self._render(
            "plan.html",
            visitor,
            id=table.id,
            seat=seat + 1,
            problem=problem,
            plans=[
                {
                    "id": plan.id,
                    "condition": condition_text(plan, names, tr),
                    "steps": self._steps_of(table, plan, names, tr),
                }
                for plan in plans
            ],
            draft=rehearsal and _draft(rehearsal, path, names, tr),
            path=path,
            conditions=[
                (names[other], [(f"{other + 1}{domain.letter}", tr.domains[domain]) for domain in Domain])
                for other in range(table.game.players)
                if other != seat
            ],
        )

    def _steps_of(
        self, table: Table, plan: Plan, names: Sequence[str], tr: Translator
    ) -> list[dict[str, Any]]:
        """The choices of a plan as sentences; none if they are no longer possible."""
        try:
            return _steps(rehearse(table.game, plan.seat, plan.choices), names, tr)
        except PlanRejected:
            return []


def _steps(rehearsal: Rehearsal, names: Sequence[str], tr: Translator) -> list[dict[str, Any]]:
    return [
        {"text": ChoiceDescriber(view, names, tr).describe(choice), "domain": domain_of_choice(choice)}
        for view, choice in rehearsal.steps
    ]


def _draft(rehearsal: Rehearsal, path: str, names: Sequence[str], tr: Translator) -> dict[str, Any]:
    line = [choice for _, choice in rehearsal.steps]
    describer = ChoiceDescriber(rehearsal.view, names, tr)

    def link(choices: Sequence[str]) -> str:
        return f"{path}&line={quote(' '.join(choices))}#next"

    return {
        "line": " ".join(line),
        "steps": _steps(rehearsal, names, tr),
        "back": link(line[:-1]),
        "ended": rehearsal.ended,
        "question": describer.question() if rehearsal.choices else "",
        "choices": [
            {
                "link": link([*line, choice]),
                "text": describer.describe(choice),
                "domain": domain_of_choice(choice),
            }
            for choice in rehearsal.choices
        ],
    }


def condition_text(plan: Plan, names: Sequence[str], tr: Translator) -> str:
    """When a plan is played."""
    if plan.other is None:
        if plan.unchanged:
            return tr.text("If your hand and your area are unchanged")
        return tr.text("Whatever happens")
    facts = {"name": names[plan.other], "domain": tr.domains[Domain(LETTERS.index(plan.domain))]}
    if plan.unchanged:
        return tr.text(
            "If {name} plays a card of {domain}, and your hand and your area are unchanged", **facts
        )
    return tr.text("If {name} plays a card of {domain}", **facts)
