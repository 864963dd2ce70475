"""From what people write to graphs, protocols and adversaries: `regular-tree:4`, `adaptive:cap=3`, `spies:0.1`."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import cast

from banister import need
from banister.errors import BadValue
from banister.foreign import read_text
from banister.sampling.simulation import Generator, seeded
from banister.spread.lab import generators
from banister.spread.lab.adversaries import ALL as ADVERSARIES
from banister.spread.lab.adversaries import Adversary
from banister.spread.lab.frames import Frames
from banister.spread.lab.graph import Graph
from banister.spread.lab.overlay import agree
from banister.spread.lab.protocols import ALL as PROTOCOLS
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.readers.csv_file import SUFFIXES as CSV
from banister.spread.lab.readers.csv_file import read_csv
from banister.spread.lab.readers.edges import SUFFIXES as EDGES
from banister.spread.lab.readers.edges import read_edges
from banister.spread.lab.readers.igraph_graph import IGraphGraph, is_igraph, read_igraph
from banister.spread.lab.readers.networkx_graph import NetworkXGraph, is_networkx, read_networkx
from banister.spread.lab.readers.parquet import SUFFIXES as PARQUET
from banister.spread.lab.readers.parquet import read_parquet
from banister.spread.lab.readers.sparse import read_sparse
from banister.spread.lab.trees import InfiniteTree, degrees_of
from banister.spread.node.overlay import OverlaySettings
from banister.tables.sparse import SparseMatrix, is_sparse

GraphSource = (
    str | Path | Graph | InfiniteTree | NetworkXGraph | IGraphGraph | SparseMatrix | Iterable[Sequence[Hashable]]
)
"""Where a graph can come from."""

FILES: dict[str, Callable[[Path], Graph]] = {
    **dict.fromkeys(EDGES, read_edges),
    **dict.fromkeys(CSV, read_csv),
    **dict.fromkeys(PARQUET, read_parquet),
}
MADE: dict[str, tuple[str, Callable[[list[float], Generator], Graph]]] = {
    "line": ("line:1001", lambda x, chance: generators.line(int(x[0]))),
    "cut-tree": ("cut-tree:4:6", lambda x, chance: generators.regular_tree(int(x[0]), int(x[1]))),
    "random-regular": (
        "random-regular:6000:4",
        lambda x, chance: generators.random_regular(int(x[0]), int(x[1]), chance),
    ),
    "small-world": ("small-world:10000:10:0.1", lambda x, c: generators.small_world(int(x[0]), int(x[1]), x[2], c)),
    "holme-kim": ("holme-kim:10000:10:0.5", lambda x, chance: generators.holme_kim(int(x[0]), int(x[1]), x[2], chance)),
    "social": ("social:10000:20", lambda x, chance: generators.social(int(x[0]), x[1], chance)),
}
WHOLE = (int, int | None)
"""Types of options that are whole numbers."""
_READ: dict[object, Callable[[str], str | float | int]] = {str: str, float: float, int: int}
ENDLESS = ("regular-tree:4", "galton-watson:3,6")
OVERLAY = "overlay:social:10000:20:8"
AGREE_TURNS = 60
"""Nearly everybody has all links by then."""


def load_graph(source: GraphSource, *, seed: int = 0) -> Graph | InfiniteTree:
    """A graph from a file, a library's object, pairs of names, or the name of a generator.

    Files are edge lists, CSV or Parquet. A generator is written with its parameters, such as `social:10000:20`;
    `regular-tree:4` and `galton-watson:3=0.5,6=0.5` are endless trees. `overlay:friends.edges:8` is what friends
    agree on when each shall have 8 links (`spread.lab.overlay`); they come from a file or a generator.

    >>> load_graph("holme-kim:200:3:0.5", seed=7).count
    200
    """
    if isinstance(source, Graph | InfiniteTree):
        return source
    if isinstance(source, str | Path):
        return _named(str(source), seed)
    if is_networkx(source):
        return read_networkx(source)
    if is_igraph(source):
        return read_igraph(source)
    if is_sparse(source):
        return read_sparse(source)
    return Graph.of_edges(cast(Iterable[Sequence[Hashable]], source))


def _named(text: str, seed: int) -> Graph | InfiniteTree:
    path = Path(text)
    if path.exists() and not path.is_dir():
        reader = FILES.get(path.suffix.lower())
        if reader is None:
            raise BadValue(f"{path.name} ends in {path.suffix!r}; graphs are read from {', '.join(sorted(FILES))}.")
        return reader(path)
    name, _, rest = text.partition(":")
    if name == "regular-tree":
        return InfiniteTree.regular(int(_numbers(text, rest, 1)[0]))
    if name == "galton-watson":
        choices, weights = degrees_of(rest)
        return InfiniteTree(tuple(choices), tuple(weights))
    if name == "overlay":
        return _agreed(text, rest, seed)
    if name in MADE:
        example, make = MADE[name]
        return make(_numbers(text, rest, example.count(":")), seeded(seed, 1))
    if path.suffix.lower() in FILES:
        raise BadValue(f"There is no file {text}. Check the path.")
    known = ", ".join([*ENDLESS, *(example for example, _ in MADE.values()), OVERLAY])
    raise BadValue(f"graph = {text!r} is neither a file nor a generator. Generators are, with examples: {known}.")


def _agreed(text: str, rest: str, seed: int) -> Graph:
    """The overlay of friends who are all honest."""
    inner, _, links = rest.rpartition(":")
    friends = _named(inner, seed) if inner and links.isdigit() else None
    if not isinstance(friends, Graph):
        raise BadValue(f"{text!r} must name a graph that ends, and how many links each shall have, such as {OVERLAY}.")
    settings = OverlaySettings.for_links(int(links))
    return agree(friends, settings, turns=AGREE_TURNS, chance=seeded(seed, 2)).graph


def _numbers(text: str, rest: str, count: int) -> list[float]:
    parts = rest.split(":") if rest else []
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if len(values) != count:
        raise BadValue(f"{text!r} needs {count} number{'s'[: count > 1]} after its name, separated by colons.")
    return values


def need_contacts(graph: Graph, node: int) -> int:
    """The node, if it has somebody to tell."""
    if len(graph.contacts(node)) == 0:
        raise BadValue(f"Node {graph.name_of(node)!r} has no contacts, so what it writes reaches nobody. Name another.")
    return node


def read_names(path: str | Path) -> list[str]:
    """The names in a text file, one per line."""
    file = Path(path)
    if not file.is_file():
        raise BadValue(f"There is no file {path}. Give a text file with one name per line.")
    names = [line.strip() for line in read_text(file, "a list of names").splitlines()]
    return [name for name in names if name and not name.startswith("#")]


def parse_protocol(text: str) -> SpreadProtocol:
    """A protocol from text: `adaptive`, `adaptive:cap=3`, `diffusion:0.2`, `hybrid:switch=8,rate=0.5`.

    >>> parse_protocol("adaptive:degree=4,cap=3").spec
    'adaptive:degree=4,cap=3'
    """
    name, _, rest = text.strip().partition(":")
    known: dict[str, type[SpreadProtocol]] = {**{each.name: each for each in PROTOCOLS}, Frames.name: Frames}
    if name not in known:
        raise BadValue(f"protocol = {name!r} must be one of: {', '.join(known)}.")
    options = fields(known[name])  # type: ignore[arg-type]
    given = _options(text, rest, [option.name for option in options])
    whole = {option.name for option in options if option.type in WHOLE}
    return known[name](**{key: need.whole(key, x, least=1) if key in whole else x for key, x in given.items()})


def _options(text: str, rest: str, allowed: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        key, value = (key, value) if equals else (allowed[0] if allowed else "", key)
        if key not in allowed:
            raise BadValue(f"{text!r}: {key or part!r} is not an option; possible are: {', '.join(allowed) or 'none'}.")
        try:
            found[key] = float(Fraction(value)) if "/" in value else float(value)
        except (ValueError, ZeroDivisionError):
            raise BadValue(f"{text!r}: {key} = {value!r} must be a number.") from None
    return found


def parse_adversary(text: str) -> Adversary:
    """An adversary from text: `snapshot`, `snapshot:rumor`, `spies:0.1`, `snapshot+spies:0.1`, `posts:3`.

    >>> parse_adversary("spies:0.1:first").spec
    'spies:0.1:first'
    """
    name, *rest = text.strip().split(":")
    for kind in ADVERSARIES:
        if kind.name == name:
            types = [option.type for option in fields(kind)]  # type: ignore[arg-type]
            try:
                return kind(*(_READ[of](part) for of, part in zip(types, rest, strict=len(rest) > len(types))))
            except BadValue:
                raise
            except (TypeError, ValueError):
                break
    forms = [form for kind in ADVERSARIES for form in kind.forms]
    raise BadValue(f"adversary = {text!r} must look like {', '.join(forms[:-1])} or {forms[-1]}.")


def split_list(text: str) -> list[str]:
    """Parts between commas; a part without a name of its own (`cap=3`) belongs to the one before.

    >>> split_list("adaptive:degree=4,cap=3,tree")
    ['adaptive:degree=4,cap=3', 'tree']
    """
    parts: list[str] = []
    for part in text.split(","):
        if parts and "=" in part and ":" not in part:
            parts[-1] += "," + part
        elif part.strip():
            parts.append(part.strip())
    return parts
