"""All pages of a team's server, on the foundation and with the pages of the studio."""

from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from banister.apps.team.frame import place_of, team_site
from banister.apps.team.page_ask import TeamAskPages
from banister.apps.team.page_budget import BudgetPages
from banister.apps.team.page_people import PeoplePages
from banister.apps.team.page_requests import RequestPages
from banister.apps.web.site import Site

if TYPE_CHECKING:
    from banister.apps.team.interface import Interface


def team_pages(room: "Interface") -> Site:
    """The site that answers every address that is not the interface's."""
    site = team_site(room, place_of(room.settings.origin))
    openid = room.settings.openid
    PeoplePages(site, room, outside="" if openid is None else openid.name)
    if openid is not None:
        from banister.apps.team.page_outside import OutsidePages

        OutsidePages(site, room, openid)
    BudgetPages(site, room)
    RequestPages(site, room)
    TeamAskPages(site, room)
    return site


class Parted:
    """The interface at its addresses, pages at all others."""

    def __init__(self, app: ASGIApp, pages: ASGIApp) -> None:
        self.app = app
        self.pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ours = scope["type"] == "http" and not scope["path"].startswith("/api")
        await (self.pages if ours else self.app)(scope, receive, send)
