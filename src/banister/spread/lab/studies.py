"""Studies: protocols against adversaries on one graph, over many trials and all cores, and resumable."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banister import files, need
from banister.errors import BadValue
from banister.spread.lab.adversaries import Adversary
from banister.spread.lab.graph import Graph
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.study import Cell, Floats, MeasuredChance, Row, by_degree, rows_of, run_trials
from banister.spread.lab.trees import InfiniteTree
from banister.spread.lab.written import GraphSource, load_graph, need_contacts, parse_adversary, parse_protocol
from banister.work.checkpoints import Checkpoint
from banister.work.progress import Progress, bar
from banister.work.workers import in_processes

PIECE = 200
"""Trials computed and saved at once."""


class Study:
    """Protocols against adversaries on a graph.

    Protocols and adversaries are values or text such as `adaptive:cap=3` and `spies:0.1`. Each trial draws an author
    (among `authors` where they are given) and is the same whatever the number of cores.

    >>> study = Study("regular-tree:3", protocols=["adaptive:degree=3"], adversaries=["snapshot"], steps=[4], trials=20)
    >>> print(study.run(workers=1).rows[0].detection.mean.__round__(4))
    0.1111
    """

    def __init__(
        self,
        graph: GraphSource,
        *,
        protocols: Sequence[SpreadProtocol | str],
        adversaries: Sequence[Adversary | str],
        steps: Sequence[int] = (4, 6, 8, 10),
        trials: int = 1000,
        seed: int = 0,
        authors: Sequence[int] | None = None,
    ) -> None:
        self.graph = load_graph(graph, seed=seed)
        made = [parse_protocol(each) if isinstance(each, str) else each for each in protocols]
        against = tuple(parse_adversary(each) if isinstance(each, str) else each for each in adversaries)
        if not (made and against and len(steps)):
            raise BadValue("A study needs at least one protocol, one adversary and one number of steps.")
        self.trials = need.whole("trials", trials, least=1)
        self.seed = need.whole("seed", seed, least=0)
        for count in steps:
            need.whole("steps", count, least=1)
        _check_authors(self.graph, authors)
        chosen = None if authors is None else np.asarray(authors, dtype=np.int64)
        self.cells = tuple(Cell(self.graph, each, int(count), against, chosen) for each in made for count in steps)

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be repaired when the graph was read."""
        return self.graph.notes if isinstance(self.graph, Graph) else ()

    def memory_bytes(self, workers: int) -> int:
        """Roughly what the study needs at its largest: the arrays of a spread for each worker, and the results."""
        graph = self.graph
        nodes = graph.count if isinstance(graph, Graph) else 200_000
        links = len(graph.links) if isinstance(graph, Graph) else 0
        results = self.trials * sum(2 + 2 * len(cell.adversaries) for cell in self.cells) * 8
        spied = any("spies" in each.spec for cell in self.cells for each in cell.adversaries)
        each_link = 140 if spied else 40  # Walks of the token are summed on links, in a dozen arrays.
        return workers * (links * each_link + nodes * 64) + 2 * results + 60_000_000 * workers

    def run(
        self, *, workers: int = 0, folder: str | Path | None = None, progress: Progress | None = None
    ) -> "StudyResult":
        """Run all trials on `workers` processes (0: one for each core). With a folder every finished piece is saved,
        and a study that was stopped goes on where it was."""
        count = need.whole("workers", workers, least=0) or os.cpu_count() or 1
        self._check_memory(count)
        saved = None if folder is None else Checkpoint(Path(folder) / "trials.jsonl", self.fingerprint())
        pieces = [(c, p) for c in range(len(self.cells)) for p in range(-(-self.trials // PIECE))]
        done: dict[tuple[int, int], Floats] = {} if saved is None else dict(saved.done)
        if progress is None:
            with bar("trials") as shown:
                self._fill(pieces, done, saved, count, shown)
        else:
            self._fill(pieces, done, saved, count, progress)
        cells = len(self.cells)
        return StudyResult(self, tuple(np.concatenate([done[c, p] for k, p in pieces if k == c]) for c in range(cells)))

    def _fill(
        self,
        pieces: list[tuple[int, int]],
        done: dict[tuple[int, int], Floats],
        saved: Checkpoint | None,
        workers: int,
        progress: Progress,
    ) -> None:
        missing = [piece for piece in pieces if piece not in done]
        progress(len(pieces) - len(missing), len(pieces))
        for (cell, piece), rows in in_processes(self._work, missing, workers):
            done[cell, piece] = rows
            if saved is not None:
                saved.save(cell, piece, rows)
            progress(len(done), len(pieces))

    def _work(self, job: tuple[int, int]) -> Floats:
        """The trials of one piece of one cell."""
        cell, piece = job
        first = piece * PIECE
        return run_trials(self.cells[cell], self.seed, first, min(PIECE, self.trials - first))

    def fingerprint(self) -> str:
        """What the results depend on, as one short text."""
        mark = hashlib.blake2b(digest_size=16)
        if isinstance(self.graph, Graph):
            mark.update(self.graph.starts.tobytes() + self.graph.links.tobytes())
        else:
            mark.update(self.graph.spec.encode())
        for cell in self.cells:
            authors = b"" if cell.authors is None else cell.authors.tobytes()
            mark.update(f"{cell.label} {[each.spec for each in cell.adversaries]}".encode() + authors)
        mark.update(f"{self.trials} {self.seed}".encode())
        return mark.hexdigest()

    def _check_memory(self, workers: int) -> None:
        room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        needed = self.memory_bytes(workers)
        if needed > 0.8 * room:
            raise BadValue(
                f"The study needs about {needed / 2**30:.1f} GiB on {workers} workers; this machine has "
                f"{room / 2**30:.1f} GiB. Take fewer workers, trials or a smaller graph."
            )


def steps_of(text: str) -> list[int]:
    """Numbers of steps from text such as `4,6,8`."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadValue(f"steps = {text!r} must be whole numbers separated by commas, such as 4,6,8.") from None


def _check_authors(graph: Graph | InfiniteTree, authors: Sequence[int] | None) -> None:
    if authors is None:
        return
    if not isinstance(graph, Graph):
        raise BadValue("On an endless tree the author is node 0; leave authors out.")
    if len(authors) == 0:
        raise BadValue("authors is empty: nobody could write. Leave it out to let everybody write.")
    for author in authors:
        need_contacts(graph, need.whole("author", author, least=0, most=graph.count - 1))


@dataclass(frozen=True, slots=True, eq=False)
class StudyResult:
    """All trials of a study, and what they add up to.

    >>> study = Study("regular-tree:3", protocols=["adaptive:degree=3"], adversaries=["snapshot"], steps=[4], trials=20)
    >>> print(study.run(workers=1).table())
    protocol                 steps adversary           holders  detection (95 %)
    adaptive:degree=3            4 snapshot                 10  0.111 0.033-0.315
    """

    study: Study
    trials: tuple[Floats, ...]
    """For each cell of the study one row a trial: see `spread.study.run_trials`."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row for each protocol, number of steps and adversary."""
        cells = zip(self.study.cells, self.trials, strict=True)
        return tuple(row for cell, trials in cells for row in rows_of(cell, trials))

    def by_degree(
        self, parts: int = 4
    ) -> tuple[tuple[str, int, str, tuple[tuple[int, int, MeasuredChance], ...]], ...]:
        """Detection by the author's number of contacts, for each protocol, steps and adversary."""
        return tuple(
            (cell.protocol.spec, cell.steps, adversary.spec, by_degree(trials, place, parts))
            for cell, trials in zip(self.study.cells, self.trials, strict=True)
            for place, adversary in enumerate(cell.adversaries)
        )

    def table(self) -> str:
        """The rows as text, at most 80 columns wide."""
        lines = [f"{'protocol':<24} {'steps':>5} {'adversary':<18} {'holders':>8}  detection (95 %)"]
        for row in self.rows:
            found = f"{row.detection.mean:.3f} {row.detection.low:.3f}-{row.detection.high:.3f}"
            lines.append(
                f"{row.protocol[:24]:<24} {row.steps:>5} {row.adversary[:18]:<18} {row.holders:>8.0f}  {found}"
            )
        return "\n".join(lines)

    def csv(self) -> str:
        """The rows as comma-separated text with a header."""
        lines = ["protocol,steps,adversary,trials,holders,detection,low,high,hops"]
        for row in self.rows:
            e = row.detection
            numbers = f"{e.trials},{row.holders:.3f},{e.mean:.6f},{e.low:.6f},{e.high:.6f},{row.hops:.4f}"
            lines.append(f'"{row.protocol}",{row.steps},"{row.adversary}",{numbers}')
        return "\n".join(lines) + "\n"

    def plot(self, path: str | Path) -> None:
        """Detection over holders, one line for each protocol and adversary, to an SVG, PNG or PDF file."""
        from banister.spread.lab.drawn.pictures import draw_detection

        draw_detection(self.rows, Path(path))

    def write(self, folder: str | Path) -> None:
        """`table.txt`, `table.csv` and `detection.svg` in a folder."""
        target = files.folder(Path(folder))
        files.whole_text(target / "table.txt", self.table() + "\n")
        files.whole_text(target / "table.csv", self.csv())
        self.plot(target / "detection.svg")
