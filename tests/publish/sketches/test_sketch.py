"""Sketches from files and objects to files and answers, and every way they may refuse."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array

from banister.accounting.filters import AsYouGo, Guard
from banister.accounting.ledger import Ledger
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.publish.sketches.matrices import read_matrix
from banister.publish.sketches.sketch import SketchWish, answer_cut, answer_variance, sketch_graph, sketch_matrix
from banister.publish.sketches.weighted import read_graph

WISH = SketchWish(epsilon=4, delta=1e-4, rows=60)


@pytest.fixture
def ledger() -> Ledger:
    questions = AsYouGo(guard=Guard.BASIC, reserve="9/10")
    return Ledger.create("memory:", budget=Guarantee(99, 0.01), neighbours=Neighbours.REPLACE, questions=questions)


def ring(nodes: int) -> list[tuple[int, int]]:
    return [(i, (i + step) % nodes) for i in range(nodes) for step in range(1, 40)]


class Network:
    """What a NetworkX graph answers."""

    def __init__(self, *, directed: bool) -> None:
        self._directed = directed

    def is_directed(self) -> bool:
        return self._directed

    def edges(self, *, data: str, default: float) -> list[tuple[object, object, float]]:
        assert data == "weight"
        return [("a", "b", 0.5), ("b", 3, default)]


def test_an_edge_list_is_sketched_and_cut(tmp_path: Path, ledger: Ledger) -> None:
    nodes = 300
    edges = tmp_path / "friends.edges"
    edges.write_text("# who knows whom\n" + "\n".join(f"p{a} p{b}" for a, b in ring(nodes)), encoding="utf-8")
    names = [f"p{i}" for i in range(nodes)]
    plan = sketch_graph(edges, tmp_path / "friends.sketch", WISH, ledger=ledger, nodes=names)
    half = [f"p{i}" for i in range(nodes // 2)]
    estimate, low, high = answer_cut(tmp_path / "friends.sketch", half, confidence="0.999999")
    truth = sum((a < nodes // 2) != (b < nodes // 2) for a, b in ring(nodes))
    assert low <= truth <= high
    assert low <= estimate <= high
    assert plan.nodes == nodes
    assert ledger.remaining().charges == 1


def test_every_source_gives_the_same_graph(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("from,to,weight\na,b,0.5\n3,b,1\nb,a,0.5\n", encoding="utf-8")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM '{tmp_path / 'g.csv'}') TO '{tmp_path / 'g.parquet'}'")
    (tmp_path / "nodes.txt").write_text("a\nb\n3\n", encoding="utf-8")
    for source in (tmp_path / "g.csv", str(tmp_path / "g.parquet"), Network(directed=False)):
        graph = read_graph(source, nodes=tmp_path / "nodes.txt", most_weight=1.0, header=True)
        assert graph.names == ("a", "b", "3")
        assert sorted(zip(graph.first, graph.second, graph.weights, strict=True)) == [(0, 1, 0.5), (1, 2, 1.0)]
    matrix = coo_array(([0.5, 1.0, 0.5, 0.0], ([0, 2, 1, 1], [1, 1, 0, 2])), shape=(3, 3))
    graph = read_graph(matrix, nodes=None, most_weight=1.0)
    assert sorted(zip(graph.first, graph.second, graph.weights, strict=True)) == [(0, 1, 0.5), (1, 2, 1.0)]


@pytest.mark.parametrize(
    ("line", "weights"),
    [
        ("a a", {}),
        ("a b -1", {(0, 1): 0.0}),
        ("a b 3", {(0, 1): 1.0}),
        ("a b inf", {(0, 1): 1.0}),
        ("a b nan", {}),
        ("a b x", {}),
        ("a", {}),
        ("a b 1 2", {}),
        ("a nobody", {}),
        ("a b 0.25\nb a 0.5", {(0, 1): 0.5}),
        ("\ufffd \x00", {}),
    ],
)
@pytest.mark.parametrize("kind", ["edges", "csv"])
def test_no_edge_stops_a_sketch(tmp_path: Path, ledger: Ledger, line: str, weights: dict, kind: str) -> None:  # type: ignore[type-arg]
    """An edge that is none is left out, a weight is held within its bound, and the other edges are as they were."""
    text = f"{line}\nb c 0.75\n"
    path = tmp_path / f"g.{kind}"
    path.write_text(text if kind == "edges" else text.replace(" ", ","), encoding="utf-8")
    names = [*"abc", *(f"n{i}" for i in range(400))]
    graph = read_graph(path, nodes=names, most_weight=1.0, header=None if kind == "edges" else False)
    found = {(int(a), int(b)): w for a, b, w in zip(graph.first, graph.second, graph.weights, strict=True)}
    expected = weights if not (kind == "csv" and line == "a") else {}
    assert found == {**expected, (1, 2): 0.75}
    sketch_graph(path, tmp_path / "g.sketch", WISH, ledger=ledger, nodes=names, header=False)
    assert ledger.remaining().charges == 1


@pytest.mark.parametrize("kind", ["edges", "csv", "network"])
def test_nodes_are_never_taken_from_the_edges(tmp_path: Path, ledger: Ledger, kind: str) -> None:
    """Removing somebody's only edge would remove her name from the sketch, with certainty."""
    (tmp_path / "g.edges").write_text("a b\nb c\n", encoding="utf-8")
    (tmp_path / "g.csv").write_text("a,b\nb,c\n", encoding="utf-8")
    source = Network(directed=False) if kind == "network" else tmp_path / f"g.{kind}"
    with pytest.raises(BadValue, match=r"they have to be public: give all of them, one a line \(--nodes\)"):
        sketch_graph(source, tmp_path / "g.sketch", WISH, ledger=ledger, header=False)
    assert ledger.remaining().charges == 0
    assert not (tmp_path / "g.sketch").exists()


def test_a_csv_file_has_a_header_where_its_owner_says_so(tmp_path: Path, ledger: Ledger) -> None:
    """Nothing is guessed: the first row was published as names, or the first edge was lost."""
    (tmp_path / "g.csv").write_text("a,b\nb,c\n", encoding="utf-8")
    (tmp_path / "m.csv").write_text("n/a,0.31,0.72\n0.1,0.2,0.3\n", encoding="utf-8")
    for told, edges in ((True, 1), (False, 2)):
        assert read_graph(tmp_path / "g.csv", nodes=["a", "b", "c"], most_weight=1.0, header=told).first.size == edges
    with pytest.raises(BadValue, match=r"the first line of 'g\.csv' holds the names of its columns \(--header\)"):
        read_graph(tmp_path / "g.csv", nodes=["a", "b", "c"], most_weight=1.0)
    with pytest.raises(BadValue, match=r"first line of 'm\.csv' holds the names"):
        read_matrix(tmp_path / "m.csv")
    with pytest.raises(BadValue, match=r"Name the columns of 'm\.csv', which has no header line"):
        read_matrix(tmp_path / "m.csv", header=False)
    names, values = read_matrix(tmp_path / "m.csv", header=False, columns=["x", "y", "z"])
    assert (names, values.tolist()) == (("x", "y", "z"), [[0.1, 0.2, 0.3]])


def test_other_bad_graphs(tmp_path: Path) -> None:
    def read(source: object, nodes: "Path | list[str]" = ["a", "b"]) -> None:  # noqa: B006
        read_graph(source, nodes=nodes, most_weight=1.0, header=True)

    with pytest.raises(BadValue, match="The graph is directed"):
        read(Network(directed=True))
    with pytest.raises(BadValue, match="cannot be read from a int"):
        read(3)
    with pytest.raises(BadValue, match="must be square, not 2 × 3"):
        read(coo_array((2, 3)))
    with pytest.raises(BadValue, match="is not a file that is there"):
        read(tmp_path / "none.edges")
    (tmp_path / "g.csv").write_text("from\na\n", encoding="utf-8")
    with pytest.raises(BadValue, match="needs two columns"):
        read(tmp_path / "g.csv")
    (tmp_path / "g.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(BadValue, match=r"'g\.parquet' could not be read"):
        read(tmp_path / "g.parquet")
    (tmp_path / "g.edges").write_text("a b\n", encoding="utf-8")
    with pytest.raises(BadValue, match=r"none.txt does not exist"):
        read(tmp_path / "g.edges", tmp_path / "none.txt")
    (tmp_path / "n.txt").write_text("a\na\nb\n", encoding="utf-8")
    with pytest.raises(BadValue, match="has a name twice"):
        read(tmp_path / "g.edges", tmp_path / "n.txt")


def test_a_matrix_is_sketched_and_asked(tmp_path: Path, ledger: Ledger) -> None:
    rows = [f"{np.cos(i):.6f},{np.sin(i):.6f}" for i in range(3000)]
    (tmp_path / "m.csv").write_text("x,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    sketch_matrix(
        tmp_path / "m.csv",
        tmp_path / "m.sketch",
        WISH,
        ledger=ledger,
        neighbours=Neighbours.REPLACE,
        row_length=2,
        header=True,
    )
    _, low, high = answer_variance(tmp_path / "m.sketch", [3, 4], confidence="0.999999")
    assert low <= 1500 <= high
    with pytest.raises(BadValue, match="The direction must be 2 finite numbers, not all 0: one for each of x, y"):
        answer_variance(tmp_path / "m.sketch", [0, 0])
    with pytest.raises(BadValue, match="is not a cut sketch of format 1"):
        answer_cut(tmp_path / "m.sketch", ["x"])


def test_bad_matrices_and_sketches(tmp_path: Path, ledger: Ledger) -> None:
    def make(source: object) -> None:
        sketch_matrix(source, tmp_path / "m.sketch", WISH, ledger=ledger, neighbours=Neighbours.REPLACE, row_length=1)

    (tmp_path / "m.csv").write_text("x,y\n1,2\n3,\n", encoding="utf-8")
    assert read_matrix(tmp_path / "m.csv", header=True)[1].tolist() == [[1, 2]]
    assert read_matrix(np.array([[np.nan, 1], [1, 2], [1, np.inf]]))[1].tolist() == [[1, 2]]
    with pytest.raises(BadValue, match="A matrix has two axes, not 1"):
        make(np.ones(3))
    with pytest.raises(BadValue, match="is not a file that is there"):
        make(tmp_path / "none.csv")
    (tmp_path / "m.txt").touch()
    with pytest.raises(BadValue, match=r"must end in \.csv or \.parquet"):
        make(tmp_path / "m.txt")
    (tmp_path / "m.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(BadValue, match="The matrix could not be read"):
        make(tmp_path / "m.parquet")
    with pytest.raises(BadValue, match="is not a file that is there"):
        answer_cut(tmp_path / "none.sketch", ["a"])
    (tmp_path / "bad.sketch").write_bytes(b"no")
    with pytest.raises(BadValue, match="is not a sketch of ours, or it is damaged"):
        answer_cut(tmp_path / "bad.sketch", ["a"])
    assert ledger.remaining().charges == 0
    assert not (tmp_path / "m.sketch").exists()


def test_unknown_nodes_are_named(tmp_path: Path, ledger: Ledger) -> None:
    (tmp_path / "g.edges").write_text("\n".join(f"{a} {b}" for a, b in ring(100)), encoding="utf-8")
    names = [str(node) for node in range(100)]
    sketch_graph(tmp_path / "g.edges", tmp_path / "g.sketch", WISH, ledger=ledger, nodes=names)
    with pytest.raises(BadValue, match="Node 'zoe' is not in the sketch, which has 100 nodes"):
        answer_cut(tmp_path / "g.sketch", ["1", "zoe"])
    with pytest.raises(BadValue, match=r"must end in \.sketch"):
        sketch_graph(tmp_path / "g.edges", tmp_path / "g.txt", WISH, ledger=ledger, nodes=names)


ODD_LINES = [
    b"9,9\r\n",
    b"9,9\r",
    b"\r",
    b'"9,9\n',
    b'9,"9\n',
    b'"9""9,9\n',
    b"\xff\xfe,9\n",
    b"9,9,9,9,9\n",
    b"9\n",
    b"\0,9\n",
]
ODD_LINES += [
    b"9" * 2_000_000 + b",9\n",
    b"nan,inf\n",
    b"\x1f,9\n",
    b"#9,9\n",
    b"1e999,9\n",
    b"'9,9'\n",
    b'9,"9"x\n',
    b"\n\n",
]


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("odd", ODD_LINES, ids=lambda line: repr(line[:12]))
def test_no_line_of_a_csv_file_stops_a_sketch_or_hides_another(odd: bytes, header: bool, tmp_path: Path) -> None:
    """One carriage return once ended the run with an error, and one quote swallowed what was behind it."""
    names = ["1", "2", "3", "4"]
    for place in range(3):
        lines = [b"1,2\n", b"3,4\n"]
        lines.insert(place, odd)
        (tmp_path / "m.csv").write_bytes((b"a,b\n" if header else b"") + b"".join(lines))
        _, values = read_matrix(tmp_path / "m.csv", header=header, columns=["a", "b"])
        found = [row for row in values.tolist() if row != [9.0, 9.0]]
        assert found == [[1.0, 2.0], [3.0, 4.0]], place
        graph = read_graph(tmp_path / "m.csv", nodes=names, most_weight=1.0, header=header)
        assert list(zip(graph.first.tolist(), graph.second.tolist(), strict=True)) == [(0, 1), (2, 3)], place


@pytest.mark.filterwarnings("error")
def test_no_entry_of_a_matrix_is_told_by_a_warning_or_an_error(tmp_path: Path, ledger: Ledger) -> None:
    rows = [[1e308, -1e308], [5e-324, 0.0], [np.inf, 1.0], [np.nan, 1.0], [0.3, 0.4]]
    wish = SketchWish(epsilon=1, delta="0.001", rows=8)
    for matrix in (np.array(rows), np.array(rows, dtype=np.longdouble) * 10, pd.DataFrame(rows)):
        out, near = tmp_path / "m.sketch", Neighbours.REPLACE
        sketch_matrix(matrix, out, wish, ledger=ledger, neighbours=near, row_length="0.001")
    mixed = pd.DataFrame({"a": [1] * 1500 + ["x", None], "b": 2}, dtype=object)
    assert read_matrix(mixed)[1].shape == (1500, 2)
    for array in (np.array([[1, "x"]], dtype=object), np.eye(2) * 1j, np.array([["1"]]), np.ma.masked_equal([[1]], 1)):
        with pytest.raises(BadValue, match="is no matrix of numbers") as caught:
            read_matrix(array)
        assert "'x'" not in str(caught.value)
