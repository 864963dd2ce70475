"""All pages of the studio, put together."""

from pathlib import Path

from banister.apps.studio.drafting import DraftPages
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

OTHER_TABLE = (
    "Another table was opened since this page was loaded, in another tab, say; the page was about '{name}'. Nothing "
    "was done and nothing was paid. Open that table again, or load the page for the one that is open now."
)


def studio(place: Place, target: str = "") -> Site:
    """The studio with a table open, with one that is to be described first, or with none."""
    site = Site("banister studio", place=place, links=LINKS, templates=(Path(__file__).parent / "templates",))
    bench = Workbench(lambda before: site.forms.end(OTHER_TABLE.format(name=before.name)))
    drafts = DraftPages(site, bench)
    start = StartPages(site, bench, drafts)
    site.later(("/ask", "/answers"), lambda: _asking(site, bench))
    site.later(("/look", "/looks"), lambda: _looking(site, bench))
    site.later(("/publish", "/published"), lambda: _publishing(site, bench))
    site.later(("/account",), lambda: _account(site, bench))
    site.later(("/noise",), lambda: _noise(site))
    site.later(("/local",), lambda: _local(site))
    site.later(("/parties",), lambda: _parties(site))
    site.later(("/spread",), lambda: _spread(site))
    site.later(("/gallery",), lambda: _gallery(site))
    if target == DEMO or target.lower().endswith(".toml"):
        bench.take(target)
    elif target:
        start.describe(target, "")
    return site


def _asking(site: Site, bench: Workbench) -> None:
    from banister.apps.studio.answers import AnswerPages
    from banister.apps.studio.ask import AskPages
    from banister.apps.studio.till import StudioTill
    from banister.apps.studio.warmer import Warmer

    till = StudioTill(site, bench)
    AskPages(site, bench, till, ahead=Warmer(site, bench))
    AnswerPages(site, bench, till)


def _looking(site: Site, bench: Workbench) -> None:
    from banister.apps.studio.look import LookPages

    LookPages(site, bench)


def _publishing(site: Site, bench: Workbench) -> None:
    from banister.apps.studio.publish import PublishPages

    PublishPages(site, bench)


def _account(site: Site, bench: Workbench) -> None:
    from banister.apps.studio.account import AccountPages

    AccountPages(site, bench)


def _noise(site: Site) -> None:
    from banister.apps.studio.noise import NoisePages

    NoisePages(site)


def _local(site: Site) -> None:
    from banister.apps.studio.local import LocalPages

    LocalPages(site)


def _parties(site: Site) -> None:
    from banister.apps.studio.parties import PartiesPages

    PartiesPages(site)


def _spread(site: Site) -> None:
    from banister.apps.studio.spread import SpreadPages

    SpreadPages(site)


def _gallery(site: Site) -> None:
    from banister.apps.studio.gallery import GalleryPages

    GalleryPages(site)
