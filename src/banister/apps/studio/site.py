"""All pages of the studio, put together."""

from pathlib import Path

from banister.apps.studio.account import AccountPages
from banister.apps.studio.answers import AnswerPages
from banister.apps.studio.ask import AskPages
from banister.apps.studio.local import LocalPages
from banister.apps.studio.noise import NoisePages
from banister.apps.studio.start import StartPages
from banister.apps.studio.workbench import Workbench
from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site

LINKS = (
    NavLink("/", "Table"),
    NavLink("/ask", "Ask"),
    NavLink("/account", "Account"),
    NavLink("/noise", "Noise"),
    NavLink("/local", "Local"),
)


def studio(place: Place, target: str = "") -> Site:
    """The studio with a table open, or with none."""
    site = Site("banister studio", place=place, links=LINKS, templates=(Path(__file__).parent / "templates",))
    bench = Workbench()
    if target:
        bench.take(target)
    StartPages(site, bench)
    AnswerPages(site, bench, AskPages(site, bench))
    AccountPages(site, bench)
    NoisePages(site)
    LocalPages(site)
    return site
