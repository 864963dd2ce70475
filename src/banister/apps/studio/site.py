"""All pages of the studio, put together."""

from pathlib import Path

from banister.apps.studio.account import AccountPages
from banister.apps.studio.answers import AnswerPages
from banister.apps.studio.ask import AskPages
from banister.apps.studio.drafting import DraftPages
from banister.apps.studio.gallery import GalleryPages
from banister.apps.studio.local import LocalPages
from banister.apps.studio.look import LookPages
from banister.apps.studio.noise import NoisePages
from banister.apps.studio.parties import PartiesPages
from banister.apps.studio.publish import PublishPages
from banister.apps.studio.spread import SpreadPages
from banister.apps.studio.start import StartPages
from banister.apps.studio.workbench import DEMO, Workbench
from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site

LINKS = (
    NavLink("/", "Table"),
    NavLink("/ask", "Ask"),
    NavLink("/publish", "Publish"),
    NavLink("/account", "Account"),
    NavLink("/noise", "Noise"),
    NavLink("/local", "Local"),
    NavLink("/parties", "Parties"),
    NavLink("/spread", "Spread"),
    NavLink("/gallery", "Gallery"),
)
UPLOAD_BYTES = 64_000_000
"""The largest file that is taken by a page; a larger one is named by its path."""


def studio(place: Place, target: str = "") -> Site:
    """The studio with a table open, with one that is to be described first, or with none."""
    site = Site("banister studio", place=place, links=LINKS, templates=(Path(__file__).parent / "templates",))
    bench = Workbench()
    drafts = DraftPages(site, bench)
    start = StartPages(site, bench, drafts)
    AnswerPages(site, bench, AskPages(site, bench))
    LookPages(site, bench)
    PublishPages(site, bench)
    AccountPages(site, bench)
    NoisePages(site)
    LocalPages(site)
    PartiesPages(site)
    SpreadPages(site)
    GalleryPages(site)
    if target == DEMO or target.lower().endswith(".toml"):
        bench.take(target)
    elif target:
        start.describe(target, "")
    return site
