"""The same small graph through every reader."""

from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
from banister.spread.lab.graph import Graph
from banister.spread.lab.readers.csv_file import read_csv
from banister.spread.lab.readers.edges import read_edges
from banister.spread.lab.readers.parquet import read_parquet
from banister.spread.lab.written import load_graph

PAIRS = [("ann", "bob"), ("bob", "cy"), ("cy", "ann"), ("cy", "dee")]


def named_links(graph: object) -> set[frozenset[str]]:
    assert isinstance(graph, Graph)
    return {
        frozenset((str(graph.name_of(v)), str(graph.name_of(int(w)))))
        for v in range(graph.count)
        for w in graph.contacts(v)
    }


WANTED = {frozenset(pair) for pair in PAIRS}


def test_edge_lists_with_comments_tabs_and_weights(tmp_path: Path) -> None:
    file = tmp_path / "friends.edges"
    file.write_text("# contacts\nann bob\nbob\tcy 0.5\n\ncy ann\ncy dee\n")
    graph = load_graph(file)
    assert named_links(graph) == WANTED
    assert isinstance(graph, Graph)
    assert graph.notes == ("Columns after the second were ignored in 1 lines.",)


def test_edge_lists_of_numbers_keep_their_names(tmp_path: Path) -> None:
    file = tmp_path / "friends.txt"
    file.write_text("10 20\n20 30\n30 10\n10 20\n")
    graph = read_edges(file)
    assert graph.names == (10, 20, 30)
    assert graph.notes == ("1 repeated edge was merged.",)
    file.write_text("0 1\n1 2\n")
    assert read_edges(file).names is None


def test_bad_edge_lists_are_named(tmp_path: Path) -> None:
    file = tmp_path / "friends.edges"
    file.write_text("ann bob\ncy\n")
    with pytest.raises(BadValue, match=r"Line 2 of friends\.edges has one name"):
        load_graph(str(file))
    file.write_text("")
    with pytest.raises(BadValue, match="The graph has no edge"):
        load_graph(str(file))


@pytest.mark.parametrize("head", ["", "source,target\n", "weight,FROM,to\n"])
def test_csv_with_and_without_header(tmp_path: Path, head: str) -> None:
    file = tmp_path / "friends.csv"
    before = "1," if head.startswith("weight") else ""
    file.write_text(head + "".join(f"{before}{a}, {b}\n" for a, b in PAIRS))
    assert named_links(load_graph(file)) == WANTED


def test_bad_csv_is_named(tmp_path: Path) -> None:
    file = tmp_path / "friends.csv"
    file.write_text("ann,bob\ncy\n")
    with pytest.raises(BadValue, match=r"Line 2 of friends\.csv has 1 cells; the edge is in 1 and 2"):
        read_csv(file)
    file.write_text("")
    with pytest.raises(BadValue, match=r"friends\.csv is empty"):
        read_csv(file)


def test_parquet(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path / "friends.parquet"
    values = ", ".join(f"('{a}', '{b}')" for a, b in PAIRS)
    duckdb.execute(f"COPY (SELECT * FROM (VALUES {values}) AS t(source, target)) TO '{file}' (FORMAT PARQUET)")
    assert named_links(load_graph(file)) == WANTED
    duckdb.execute(f"COPY (SELECT 1 AS source) TO '{file}' (FORMAT PARQUET)")
    with pytest.raises(BadValue, match=r"friends\.parquet has 1 column"):
        read_parquet(file)


def test_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph(PAIRS)
    graph.add_node("eve")
    read = load_graph(graph)
    assert named_links(read) == WANTED
    assert isinstance(read, Graph)
    assert read.notes == ("1 node without contacts was left out.",)
    with pytest.raises(BadValue, match=r"The graph is directed.*to_undirected"):
        load_graph(networkx.DiGraph(PAIRS))


def test_igraph() -> None:
    igraph = pytest.importorskip("igraph")
    assert named_links(load_graph(igraph.Graph.TupleList(PAIRS))) == WANTED
    plain = load_graph(igraph.Graph([(0, 1), (1, 2)]))
    assert isinstance(plain, Graph)
    assert plain.names is None
    with pytest.raises(BadValue, match="The graph is directed"):
        load_graph(igraph.Graph([(0, 1)], directed=True))


def test_sparse_matrices() -> None:
    from scipy import sparse

    matrix = sparse.coo_array((np.ones(4), ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    graph = load_graph(matrix.tocsr())
    assert isinstance(graph, Graph)
    assert graph.degrees.tolist() == [1, 2, 1]
    assert graph.notes == ()
    with pytest.raises(BadValue, match="The matrix is not symmetric"):
        load_graph(sparse.coo_array((np.ones(1), ([0], [1])), shape=(3, 3)))
    with pytest.raises(BadValue, match="The matrix is 2 by 3"):
        load_graph(sparse.coo_array((np.ones(1), ([0], [1])), shape=(2, 3)))


def test_pairs_and_graphs_are_taken_as_they_are() -> None:
    graph = load_graph(PAIRS)
    assert named_links(graph) == WANTED
    assert load_graph(graph) is graph


def test_unknown_files_and_generators_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        BadValue, match=r"neither a file nor a generator\. Generators are, with examples: regular-tree:4"
    ):
        load_graph("friends")
    with pytest.raises(BadValue, match=r"There is no file friends\.edges"):
        load_graph("friends.edges")
    with pytest.raises(BadValue, match="'social:100' needs 2 numbers after its name"):
        load_graph("social:100")
    with pytest.raises(BadValue, match="'regular-tree:x' needs 1 number after its name"):
        load_graph("regular-tree:x")
    file = tmp_path / "friends.doc"
    file.write_text("ann bob")
    with pytest.raises(BadValue, match=r"ends in '\.doc'; graphs are read from \.csv"):
        load_graph(file)
