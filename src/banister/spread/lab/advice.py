"""How exposed is an author on this graph, in plain words and from trials on it."""

from collections.abc import Hashable
from dataclasses import dataclass
from textwrap import fill

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.lab.detection import spies_detection
from banister.spread.lab.generators import random_regular
from banister.spread.lab.graph import Graph, Nodes
from banister.spread.lab.studies import Study, StudyResult
from banister.spread.lab.study import MeasuredChance
from banister.spread.lab.written import GraphSource, load_graph
from banister.work.progress import Progress

STEPS = (4, 6, 8)


@dataclass(frozen=True, slots=True)
class Advice:
    """Findings, each a title and a sentence or two.

    >>> advice = Advice((("The graph", "12 people, 24 contacts."),))
    >>> print(advice)
    The graph
      12 people, 24 contacts.
    """

    findings: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "\n\n".join(
            f"{title}\n{fill(text, 78, initial_indent='  ', subsequent_indent='  ')}" for title, text in self.findings
        )


def advise(
    graph: GraphSource,
    *,
    node: Hashable | None = None,
    trials: int = 400,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> Advice:
    """Attack adaptive diffusion on this graph with trials, and say what the numbers mean.

    >>> ring = [(n, (n + 1) % 12) for n in range(12)]
    >>> len(advise(ring, node=3, trials=20, workers=1).findings)
    5
    """
    loaded = load_graph(graph, seed=seed)
    if not isinstance(loaded, Graph):
        raise BadValue("Advice is about a graph of people; give a file or a generator of a finite graph.")
    need.whole("trials", trials, least=20)
    authors = None if node is None else _alike(loaded, node)
    plain = Study(
        loaded,
        protocols=["adaptive:cap=3"],
        adversaries=["snapshot", "posts:2", "posts:3", "spies:0.05"],
        steps=STEPS,
        trials=trials,
        seed=seed,
        authors=authors,
    ).run(workers=workers, progress=progress)
    findings = [_graph_words(loaded), _who(loaded, node, authors), *_snapshot_words(plain)]
    if node is None:
        findings.append(_degree_words(plain))
    findings += [
        _posts_words(plain),
        _spies_words(plain),
        _overlay_words(loaded, plain, trials, seed, workers, progress),
    ]
    return Advice(tuple(finding for finding in findings if finding[1]))


def _alike(graph: Graph, node: Hashable) -> list[int]:
    """The author, and others with as many contacts, so that one position is not mistaken for a law."""
    number = int(graph.numbers_of([node])[0])
    degrees = graph.degrees
    near: Nodes = np.argsort(np.abs(degrees - degrees[number]), kind="stable")[:50]
    return sorted({number, *near[np.abs(degrees[near] - degrees[number]) <= 0.1 * degrees[number]].tolist()})


def _graph_words(graph: Graph) -> tuple[str, str]:
    low, middle, high = np.percentile(graph.degrees, [25, 50, 75])
    text = (
        f"{graph.count:,} people with {graph.edges:,} links. Half of them have {low:.0f} to {high:.0f} contacts "
        f"(middle {middle:.0f}, least {graph.degrees.min()}, most {graph.degrees.max()})."
    )
    return "The graph", " ".join([text, *graph.notes])


def _who(graph: Graph, node: Hashable | None, authors: list[int] | None) -> tuple[str, str]:
    if node is None or authors is None:
        return "The author", "Drawn among everybody. Name one with --node to hear about that position."
    degree = int(graph.degrees[graph.numbers_of([node])[0]])
    return "The author", f"{node} has {degree} contacts; measured over {len(authors)} people with about as many."


def _percent(value: MeasuredChance) -> str:
    return f"{100 * value.mean:.1f} % ({100 * value.low:.1f} to {100 * value.high:.1f})"


def _snapshot_words(result: StudyResult) -> list[tuple[str, str]]:
    rows = [row for row in result.rows if row.adversary == "snapshot"]
    parts = [f"{_percent(row.detection)} at {row.holders:.0f} holders" for row in rows]
    last = rows[-1]
    ideal = 1 / last.holders
    ratio = last.detection.mean / ideal
    text = "Somebody who sees all holders and the links used names the author in " + ", ".join(parts) + "."
    if last.detection.low > 1.5 * ideal:
        text += f" The theorem's 1/holders does not hold here: at the end it is {ratio:.0f} times that."
    return [("One post, one snapshot (adaptive diffusion, three told by each)", text)]


def _degree_words(result: StudyResult) -> tuple[str, str]:
    label, steps, _, parts = next(
        entry for entry in result.by_degree(4) if entry[2] == "snapshot" and entry[1] == STEPS[1]
    )
    words = [
        f"{low if low == high else f'{low} to {high}'} contacts: {100 * chance.mean:.0f} %"
        for low, high, chance in parts
    ]
    few, many = parts[0][2], parts[-1][2]
    text = f"After {steps} steps of {label}: " + "; ".join(words) + "."
    if few.low > many.high:
        text += " People with few contacts carry the risk: most who receive a message have more, so they stand out."
    return "Who is exposed", text


def _posts_words(result: StudyResult) -> tuple[str, str]:
    at = {row.adversary: row.detection for row in result.rows if row.steps == STEPS[1]}
    text = (
        f"One post {100 * at['snapshot'].mean:.0f} %, two {100 * at['posts:2'].mean:.0f} %, three "
        f"{100 * at['posts:3'].mean:.0f} %, if the posts can be linked by style, pseudonym or topic. "
        "Do not post twice where it can be linked; replies are posts."
    )
    return "Several posts by one author", text


def _spies_words(result: StudyResult) -> tuple[str, str]:
    rows = [row for row in result.rows if row.adversary == "spies:0.05"]
    worst = max(rows, key=lambda row: row.detection.mean).detection
    text = (
        f"When one contact in twenty is a spy, spies who pool what they hear name the author in {_percent(worst)}. No "
        f"protocol can be below 5 %: the first to be told may be a spy. On an exact tree with 8 links each they "
        f"would reach {100 * spies_detection(8, 0.05):.0f} %."
    )
    return "Spies among the contacts", text


def _overlay_words(
    graph: Graph, plain: StudyResult, trials: int, seed: int, workers: int, progress: Progress | None
) -> tuple[str, str]:
    now = {row.steps: row.detection for row in plain.rows if row.adversary == "snapshot"}
    words = []
    for links in (4, 8):
        if graph.count <= 4 * links:
            continue
        overlay = random_regular(graph.count, links, seeded(seed, 9, links))
        steps = [4, 6] if links == 8 else [6, 8]
        study = Study(overlay, protocols=["adaptive"], adversaries=["snapshot"], steps=steps, trials=trials, seed=seed)
        rows = study.run(workers=workers, progress=progress).rows
        words.append(f"{links} links: {100 * rows[0].detection.mean:.1f} % at {rows[0].holders:.0f} holders")
    if not words:
        return "What overlay would help", ""
    text = (
        "Spreading over links that are agreed on beforehand, exactly as many for everybody and wired at random, gives "
        + "; ".join(words)
        + f"; on the contacts themselves it is {100 * now[STEPS[1]].mean:.1f} % after {STEPS[1]} steps. Only exact "
        "equality helps, and strangers on such links may be spies."
    )
    return "What overlay would help", text
