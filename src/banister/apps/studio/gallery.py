"""The gallery: each figure of the five documents, drawn here and now, with its corrections beside it.

The figures are loaded when somebody comes here, so that the studio's first page need not wait for them.
"""

from pathlib import Path

from starlette.responses import Response

from banister.apps.studio.same import Same, same_gallery
from banister.apps.web.pictures import picture
from banister.apps.web.site import Site

HERE = "/gallery"
TITLES = {
    "noise": "Noise for a trusted curator",
    "account": "What many answers give away",
    "local": "Nobody is trusted",
    "parties": "Several parties",
    "spread": "Messages without a source",
    "tables": "Whole tables",
}
INSTANCES, TRIALS = 8, 40
"""Little chance, so that a figure is there in seconds; the command takes more."""


class GalleryPages:
    """The routes of this page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/corrections", self.corrections, methods=["GET"], response_model=None)
        add(f"{HERE}/{{name}}", self.one, methods=["GET"], response_model=None)
        add(f"{HERE}/{{name}}/figure.{{kind}}", self.figure, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """All figures by subject."""
        from banister.papers.gallery import GROUPS

        groups = [(TITLES[word], GROUPS[word]) for word in TITLES]
        count = sum(len(found) for _, found in groups)
        return self.site.page(
            "gallery.html", here=HERE, title="Gallery", groups=groups, count=count, same=same_gallery()
        )

    def corrections(self) -> Response:
        """Where the documents err."""
        from banister.papers.errata import errata

        return self.site.page("corrections.html", here=HERE, title="Corrections", errata=errata())

    def one(self, name: str) -> Response:
        """One figure."""
        from banister.papers.errata import beside
        from banister.papers.gallery import figure_named

        found = figure_named(name)
        same = Same(
            command=f"banister figures {found.name} --out figures",
            python="from pathlib import Path\n\nfrom banister.papers.gallery import Effort, draw\n\n"
            f"print(*draw([{found.name!r}], Path('figures'), effort=Effort()))",
        )
        facts = {"figure": found, "beside": beside(found), "same": same}
        return self.site.page("gallery-one.html", here=HERE, title=found.name, **facts)

    async def figure(self, name: str, kind: str) -> Response:
        """The file that `banister figures` writes, or the numbers behind it."""
        return await self.site.computed(self._figure, name, kind)

    def _figure(self, name: str, kind: str) -> Response:
        from banister.papers.gallery import Effort, figure_named

        found = figure_named(name)

        def draw(path: Path) -> None:
            found.draw(path, found.caption, Effort(instances=INSTANCES, trials=TRIALS, workers=1))

        return picture(draw, kind, name=found.name)
