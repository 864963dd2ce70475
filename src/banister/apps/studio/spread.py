"""The page Spread: one message as a movie with the adversary's belief, and studies with their intervals.

The laboratory is loaded when somebody comes here, so that the studio's first page need not wait for it.
"""

import json
import math
import shlex
import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from fastapi import Request
from starlette.responses import Response

from banister.apps.studio.same import Same
from banister.apps.web.jobs import Job, Teller
from banister.apps.web.pictures import picture, rows
from banister.apps.web.site import Site
from banister.errors import BadValue
from banister.release.answering.wording import number

if TYPE_CHECKING:
    from banister.spread.lab.run import SpreadRun, StepSeen
    from banister.spread.lab.studies import Study, StudyResult

HERE = "/spread"
GRAPHS = ("regular-tree:4", "regular-tree:3", "line", "social:1000:10", "social:10000:20")
PROTOCOLS = ("adaptive:degree=4", "adaptive:cap=3", "tree", "diffusion:0.5", "flooding", "dandelion", "line")
MOST_STEPS = 20
MOST_TRIALS = 20_000
KEPT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadWish:
    """One spread, as it is written in the page."""

    graph: str = "regular-tree:4"
    protocol: str = "adaptive:degree=4"
    steps: str = "8"
    seed: str = "1"

    def run(self) -> "SpreadRun":
        """The spread. A page reads no files by name."""
        from banister.spread.lab.run import run_spread

        graph = generated(self.graph)
        return run_spread(
            graph,
            protocol=self.protocol.strip(),
            steps=whole("steps", self.steps, MOST_STEPS),
            seed=whole("seed", self.seed, 10**9),
        )

    def same(self) -> Same:
        """The command and the Python that spread the same."""
        words = " ".join(f"--{name} {shlex.quote(value.strip())}" for name, value in asdict(self).items())
        python = f"{self.graph.strip()!r}, protocol={self.protocol.strip()!r}, steps={self.steps}, seed={self.seed}"
        return Same(
            command=f"banister spread run {words} --html movie.html",
            python=f"import banister as bn\n\ndone = bn.spread.run_spread({python})\n"
            'print("\\n".join(done.lines()))\ndone.movie("movie.html")',
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyWish:
    """A study, as it is written in the page."""

    graph: str = "regular-tree:4"
    protocols: str = "adaptive:degree=4, diffusion:0.5"
    adversaries: str = "snapshot, spies:0.1"
    steps: str = "4,6,8"
    trials: str = "400"

    def study(self) -> "Study":
        """The study, checked before anything is run."""
        from banister.spread.lab.studies import Study, steps_of
        from banister.spread.lab.written import split_list

        return Study(
            generated(self.graph),
            protocols=split_list(self.protocols),
            adversaries=split_list(self.adversaries),
            steps=steps_of(self.steps),
            trials=whole("trials", self.trials, MOST_TRIALS),
        )

    def same(self) -> Same:
        """The command and the Python that study the same."""
        from banister.spread.lab.studies import steps_of
        from banister.spread.lab.written import split_list

        protocols, adversaries = (split_list(text) for text in (self.protocols, self.adversaries))
        words = f"--protocol {shlex.quote(','.join(protocols))} --adversary {shlex.quote(','.join(adversaries))}"
        return Same(
            command=f"banister spread attack {shlex.quote(self.graph.strip())} {words} \\\n"
            f"  --steps {shlex.quote(self.steps.strip())} --trials {self.trials.strip()} --out study",
            python="import banister as bn\n\n"
            f"study = bn.spread.Study({self.graph.strip()!r}, protocols={protocols}, adversaries={adversaries},\n"
            f"                        steps={steps_of(self.steps)}, trials={self.trials.strip()})\n"
            "print(study.run().table())",
        )


class KeptStudies:
    """The latest results, by the keys of their forms; a study costs no privacy, so none has to be kept for long."""

    def __init__(self) -> None:
        self._found: OrderedDict[str, tuple[StudyWish, StudyResult]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, key: str, wish: StudyWish, result: "StudyResult") -> None:
        with self._lock:
            self._found[key] = wish, result
            while len(self._found) > KEPT:
                self._found.popitem(last=False)

    def find(self, key: str) -> "tuple[StudyWish, StudyResult]":
        with self._lock:
            found = self._found.get(key)
        if found is None:
            raise BadValue("This study is not known here any more. Run it again: the same seed gives the same result.")
        return found


class SpreadPages:
    """The routes of this page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._studies = KeptStudies()
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/run", self.run, methods=["GET"], response_model=None)
        add(f"{HERE}/scene.json", self.scene, methods=["GET"], response_model=None)
        add(f"{HERE}/movie.html", self.movie, methods=["GET"], response_model=None)
        add(f"{HERE}/frame.{{kind}}", self.frame, methods=["GET"], response_model=None)
        add(f"{HERE}/steps.{{kind}}", self.steps, methods=["GET"], response_model=None)
        add(f"{HERE}/study", self.study, methods=["POST"], response_model=None)
        add(f"{HERE}/study/{{key}}", self.studied, methods=["GET"], response_model=None)
        add(f"{HERE}/study/{{key}}/detection.{{kind}}", self.detection, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """Both forms; the movie is asked for at once."""
        facts = {"wish": SpreadWish(), "study": StudyWish(), "graphs": GRAPHS, "protocols": PROTOCOLS}
        return self.site.page("spread.html", here=HERE, title="Spread", refusal="", **facts)

    async def run(self, graph: str = "", protocol: str = "", steps: str = "", seed: str = "") -> Response:
        """The spread step by step, and the player of its movie."""
        wish = SpreadWish(graph=graph, protocol=protocol, steps=steps, seed=seed)
        return await self.site.computed(self._run, wish)

    def _run(self, wish: SpreadWish) -> Response:
        from banister.spread.lab.drawn.movie import scene_of

        done = wish.run()
        scene_of(done.scene())  # What is too large to be drawn is refused here, in words.
        rows = [(m.step, number(m.holders), _chance(m), m.suspects or "–") for m in done.moments()]
        facts = {"rows": rows, "notes": done.spread.notes, "query": urlencode(asdict(wish)), "same": wish.same()}
        return self.site.page("spread-run.html", **facts)

    async def scene(self, graph: str = "", protocol: str = "", steps: str = "", seed: str = "") -> Response:
        """What the player draws."""
        wish = SpreadWish(graph=graph, protocol=protocol, steps=steps, seed=seed)

        def made() -> Response:
            from banister.spread.lab.drawn.movie import scene_of

            return Response(json.dumps(scene_of(wish.run().scene())), media_type="application/json")

        return await self.site.computed(made)

    async def movie(self, graph: str = "", protocol: str = "", steps: str = "", seed: str = "") -> Response:
        """The file that `banister spread run --html` writes, to be kept; a page of ours does not show it."""
        wish = SpreadWish(graph=graph, protocol=protocol, steps=steps, seed=seed)
        return await self.site.computed(self._movie, wish)

    def _movie(self, wish: SpreadWish) -> Response:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="banister-") as folder:
            path = Path(folder) / "movie.html"
            wish.run().movie(path)
            text = path.read_text(encoding="utf-8")
        headers = {"Content-Disposition": 'attachment; filename="movie.html"'}
        return Response(text, media_type="text/html; charset=utf-8", headers=headers)

    async def frame(self, kind: str, graph: str = "", protocol: str = "", steps: str = "", seed: str = "") -> Response:
        """The last frame of the movie as a picture; the steps of the movie as a table."""
        wish = SpreadWish(graph=graph, protocol=protocol, steps=steps, seed=seed)
        return await self.site.computed(self._frame, wish, kind)

    def _frame(self, wish: SpreadWish, kind: str) -> Response:
        from banister.spread.lab.drawn.pictures import draw_frame

        done = wish.run()
        if kind == "csv":
            header = ("step", "holders", "virtual_source", "best_guess_is_right", "equally_suspected")
            told = [(m, "" if math.isnan(m.detection) else m.detection) for m in done.moments()]
            lines = [(m.step, m.holders, m.source if m.source >= 0 else "", chance, m.suspects) for m, chance in told]
            return rows(header, lines, name="steps")
        movie = done.scene()
        return picture(lambda path: draw_frame(movie, path), kind, name="frame")

    async def steps(self, kind: str, graph: str = "", protocol: str = "", steps: str = "", seed: str = "") -> Response:
        """Holders and the adversary's chance at each step."""
        wish = SpreadWish(graph=graph, protocol=protocol, steps=steps, seed=seed)
        return await self.site.computed(self._steps, wish, kind)

    def _steps(self, wish: SpreadWish, kind: str) -> Response:
        from banister.spread.lab.drawn.pictures import Panel, Series, draw_charts

        seen = wish.run().moments()
        known = [m for m in seen if not math.isnan(m.detection)]
        guess = Series("the best guess", [m.step for m in known], [m.detection for m in known])
        blind = Series("one among all holders", [m.step for m in seen], [1 / m.holders for m in seen], dashed=True)
        believed = Panel(
            title="Chance that the adversary names the author",
            x_label="step",
            y_label="chance",
            series=(guess, blind),
            y_floor=0.0,
        )

        def draw(path: Path) -> None:
            draw_charts([believed], path)

        return picture(draw, kind, name="spread")

    async def study(self, request: Request) -> Response:
        """Begin a study, in a thread of its own; it tells how far it is, and can be stopped."""
        fields = await self.site.fields(request)
        key = self.site.forms.checked(fields["key"])
        known = {name: value for name, value in fields.items() if name in StudyWish.__dataclass_fields__}
        wish = StudyWish(**known)
        study = wish.study()

        def work(tell: Teller) -> str:
            total = len(study.cells) * study.trials

            def progress(done: int, pieces: int) -> None:
                share = done / max(pieces, 1)
                tell(f"{number(round(share * total))} of {number(total)} trials", share)

            # One process: a server with threads must not fork, and whoever stops it is obeyed after each piece.
            self._studies.put(key, wish, study.run(workers=1, progress=progress))
            return f"{HERE}/study/{quote(key)}"

        return self.site.start(key, lambda: Job("Studying", work, again=HERE))

    def studied(self, key: str) -> Response:
        """What came of a study."""
        wish, result = self._studies.find(key)
        facts = {"wish": wish, "rows": result.rows, "key": key, "number": number, "same": wish.same()}
        return self.site.page("studied.html", here=HERE, title="Study", isnan=math.isnan, **facts)

    async def detection(self, key: str, kind: str) -> Response:
        """The figure that `banister spread attack --out` writes, or its table."""
        from banister.spread.lab.drawn.pictures import draw_detection

        _, result = self._studies.find(key)
        if kind == "csv":
            headers = {"Content-Disposition": 'attachment; filename="detection.csv"'}
            return Response(result.csv(), media_type="text/csv; charset=utf-8", headers=headers)

        def draw(path: Path) -> None:
            draw_detection(result.rows, path)

        return await self.site.computed(lambda: picture(draw, kind, name="detection"))


def generated(graph: str) -> str:
    """A generator's name; files are for the command line."""
    name = graph.strip()
    if not name or "/" in name or "\\" in name or name.lower().endswith((".edges", ".csv", ".parquet", ".txt")):
        raise BadValue(
            f"'{name[:40]}' is no generator such as regular-tree:4 or social:1000:10. A page reads no file of a graph; "
            "the command does: banister spread."
        )
    return name


def whole(name: str, text: str, most: int) -> int:
    """A whole number from 0 to `most`, as somebody wrote it."""
    given = text.strip()
    if not (given.isdecimal() and len(given) <= 12 and int(given) <= most):
        raise BadValue(f"{name} = {given[:20] or 'nothing'} must be a whole number, {most} at most.")
    return int(given)


def _chance(moment: "StepSeen") -> str:
    return "–" if math.isnan(moment.detection) else f"{100 * moment.detection:.1f} %"
