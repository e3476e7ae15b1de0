"""The pages about the devices of a person, in addition to the section of the person's page."""

from datetime import date

from babel.dates import format_date

from hegemon.server.web.session import Visitor
from hegemon.server.web.views.pages import Pages


class DevicePages(Pages):
    def arrival(self, visitor: Visitor, problem: str = "") -> str:
        """The choice of what to do with the games of a browser that signs in as another person."""
        return self._render("arrival.html", visitor, problem=problem)

    def recovery_code(self, visitor: Visitor, code: str, base_url: str, today: date) -> str:
        """A new recovery code, to be printed."""
        made = format_date(today, "long", visitor.language)
        return self._render("recovery_code.html", visitor, code=code, address=f"{base_url}/me", made=made)

    def signing_out(self, visitor: Visitor, *, can_return: bool, link: bool) -> str:
        """The confirmation for signing out this device, which says whether the visitor can sign in again."""
        return self._render("sign_out.html", visitor, can_return=can_return, link=link)

    def deletion(self, visitor: Visitor) -> str:
        return self._render("deletion.html", visitor, is_done=False)

    def deleted(self, visitor: Visitor) -> str:
        return self._render("deletion.html", visitor, is_done=True)
