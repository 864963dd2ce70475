"""Certificates of looks, streams, private copies and sketches: made by commands, verified, refused once changed."""

import json
import random
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

import banister as bn
from banister.apps.cli import build
from banister.audit import certificate_beside, certify_copy, verify
from banister.audit.checkers import envelope, release, sketch
from banister.audit.verifying import checked
from banister.core.exact.numbers import ball, precision
from banister.core.laws.chi_square import cumulative, shifted
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue
from banister.publish.noise import FixedTotal, PerCell
from banister.publish.sketches.cut import CutSketch
from banister.publish.sketches.variance import VarianceSketch
from banister.release.demo import write_demo
from banister.release.streams.example import write_visits

KINDS = ("look", "look joint", "stream", "stream pure", "copy", "copy of added", "wide", "cut", "variance", "replaced")


def run(*words: str) -> str:
    done = CliRunner().invoke(build(), list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def made(kind: str, folder: Path) -> tuple[Path, Path]:
    """What the command publishes, and the ledger that paid."""
    name = kind.split()[0]
    if name == "look":
        _, schema, _ = write_demo(folder)
        out, more = folder / "look.csv", ("--delta", "1e-6") if kind == "look joint" else ()
        run("look", str(schema), "--epsilon", "1/2", *more, "--out", str(out), "--page", str(folder / "look.html"))
        return out, folder / "health.ledger"
    if name == "stream":
        write_visits(folder)
        schema, out = folder / "visits.toml", folder / "weekly.csv"
        more = () if kind == "stream pure" else ("--delta", "1e-6")
        sql = "SELECT COUNT(*) AS visits FROM data"
        run("stream", "start", str(schema), sql, "--name", "weekly", "--epsilon", "1", *more)
        run("stream", "release", str(schema), "--name", "weekly", "--early", "--out", str(out))
        return out, folder / "visits.ledger"
    ledger = folder / "t.ledger"
    relation = "replace" if kind in ("copy", "wide", "cut", "replaced") else "add-remove"
    limits = ("--epsilon", "4", "--delta", "0.01", "--neighbours", relation, "--as-you-go", "basic")
    run("ledger", "create", str(ledger), *limits)
    return _whole(kind, folder, relation), ledger


def _whole(kind: str, folder: Path, relation: str) -> Path:
    ledger = str(folder / "t.ledger")
    if kind == "cut":
        names = [str(n) for n in range(100)]
        (folder / "names.txt").write_text("\n".join(names))
        (folder / "ring.edges").write_text("".join(f"{n} {(n + 1) % 100}\n" for n in range(100)))
        level = ("--epsilon", "4", "--delta", "0.001", "--rows", "8", "--ledger", ledger)
        run("sketch", "graph", str(folder / "ring.edges"), *level, "--nodes", str(folder / "names.txt"))
        return folder / "ring.sketch"
    if kind in ("variance", "replaced"):
        (folder / "m.csv").write_text("a,b\n1,0\n0,1\n1,1\n")
        bound = ("--epsilon", "4", "--delta", "0.001", "--rows", "7", "--ledger", ledger, "--row-length", "2")
        run("sketch", "matrix", str(folder / "m.csv"), *bound, "--header", "--neighbours", relation)
        return folder / "m.sketch"
    columns = '[columns]\nsex = { kind = "category", values = ["f", "m"], nulls = false }\n'
    columns += 'age = { kind = "integer", range = [0, 99], bins = [0, 18, 65] }\n'
    (folder / "t.toml").write_text(f'[source]\nneighbours = "{relation}"\n[budget]\nledger = "t.ledger"\n{columns}')
    (folder / "t.csv").write_text("sex,age\n" + "".join(f"{'fm'[i % 2]},{i % 90}\n" for i in range(200)))
    more = ("--wide", "--delta", "0.001") if kind == "wide" else ()
    run("sanitize", str(folder / "t.csv"), "--epsilon", "1", *more, "--out", str(folder / "public.csv"))
    return folder / "public.csv"


@pytest.fixture(scope="module", params=KINDS)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path]:
    folder = tmp_path_factory.mktemp("whole")
    return request.param, *made(request.param, folder)


def test_what_a_command_publishes_is_verified_by_the_certificate_beside_it(published: tuple[str, Path, Path]) -> None:
    _, out, ledger = published
    with bn.Ledger.open(ledger) as book:
        said = verify(out, ledger=book)
    assert "keeps epsilon" in said
    assert "line 1 of a ledger charges" in said
    assert f"{out.name} is as it was certified." in said
    assert "The ledger holds that line" in said


def test_one_byte_changed_anywhere_is_refused_with_its_place(published: tuple[str, Path, Path]) -> None:
    _, out, _ = published
    chance, path = random.Random(3), certificate_beside(out)
    text, content = path.read_text(encoding="utf-8"), out.read_bytes()
    try:
        for place in chance.sample(range(len(text)), 40):
            other = chr((ord(text[place]) - 31) % 94 + 32)
            path.write_text(text[:place] + other + text[place + 1 :], encoding="utf-8")
            with pytest.raises(BadValue, match="is refused: "):
                verify(path)
        path.write_text(text, encoding="utf-8")
        for place in chance.sample(range(len(content)), 20):
            out.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            with pytest.raises(BadValue, match="was changed after it was certified"):
                verify(path)
    finally:
        path.write_text(text, encoding="utf-8")
        out.write_bytes(content)
    verify(out)


def test_a_forger_who_makes_the_digests_anew_is_answered(published: tuple[str, Path, Path]) -> None:
    """Less noise, a smaller claim, or another plan: the mathematics or the ledger's line says no."""
    _, out, _ = published

    def forged(change: str) -> str:
        body = envelope.opened(certificate_beside(out).read_text(encoding="utf-8"))
        promise, noise = body["claim"]["guarantee"], body["witness"]["draws"][0]["noise"]
        if change == "promise":
            promise["epsilon"] = str(Fraction(promise["epsilon"]) * Fraction(99, 100))
        elif change == "plan":
            body["claim"]["plan"] = "0" * 64
        else:
            name = next(each for each in ("sigma", "root", "width", "epsilon", "levels") if each in noise)
            factor = Fraction(101, 100) if name == "epsilon" else Fraction(9, 10)
            noise[name] = str(Fraction(noise[name]) * factor)
        return envelope.sealed(body["kind"], body["claim"], body["witness"])

    with pytest.raises(BadValue, match=r"witness\.line\.body is not the charge for claim\.plan"):
        checked(forged("plan"))
    for change in ("promise", "noise"):
        with pytest.raises(BadValue, match=r"below what|exceeded"):
            checked(forged(change))


@pytest.mark.parametrize(("rows", "level"), [(2, 1), (3, 4), (63, 4), (768, 2)])
def test_the_checker_finds_the_delta_of_a_sketch(rows: int, level: int) -> None:
    """Two roads: certified gamma functions, and sums of fractions; a hundredth less noise is refused. Where people are
    replaced a sketch has an even number of rows: an odd one counts as one more, and never tells less than it does."""
    even = rows + rows % 2
    made = (
        CutSketch(epsilon=level, delta="0.001", nodes=200_000, rows=rows),
        VarianceSketch(epsilon=level, delta="0.001", columns=2, rows=rows, neighbours=Neighbours.ADD_REMOVE),
        VarianceSketch(epsilon=level, delta="0.001", columns=2, rows=even, neighbours=Neighbours.REPLACE),
    )
    odd = VarianceSketch(epsilon=level, delta="0.001", columns=2, rows=even + 1, neighbours=Neighbours.REPLACE)
    stated = dict(odd.stated()[0]["noise"])  # type: ignore[arg-type]
    assert sketch.told(stated, "replace", Fraction(level), "here") > Fraction(1, 1000)
    for each in made:
        law = dict(each.stated()[0]["noise"])  # type: ignore[arg-type]
        found = sketch.told(law, each.neighbours.value, Fraction(level), "here")
        assert Fraction(999_999, 10**9) < found <= Fraction(1, 1000)
        name = "root" if "root" in law else "width"
        law[name] = str(Fraction(law[name]) * Fraction(99, 100))  # type: ignore[arg-type]
        assert sketch.told(law, each.neighbours.value, Fraction(level), "here") > Fraction(1, 1000)


@pytest.mark.parametrize("rows", [1, 2, 7, 768])
def test_chi_square_sums_hold_the_truth_between_them(rows: int) -> None:
    for x in (Fraction(1, 3), Fraction(rows), 2 * rows + Fraction(1, 7)):
        low, high = sketch.below(rows, x)
        with precision(600):
            true = cumulative(rows, ball(x))
            assert ball(low) <= true + ball(Fraction(1, 2**500))
            assert true <= ball(high) + ball(Fraction(1, 2**500))
        assert high - low < Fraction(1, 2**180)


@pytest.mark.parametrize(
    "noise", [FixedTotal(cells=4, epsilon=Fraction(1, 3)), FixedTotal(cells=1, epsilon=Fraction(1))]
)
def test_noise_with_a_fixed_total_is_added_up(noise: FixedTotal) -> None:
    (given,) = release.draws([json.loads(json.dumps(noise.stated()))])
    zero = Fraction(0)
    assert given == (noise.epsilon if noise.cells > 1 else zero, zero, zero)


def test_geometric_noise_in_cells_is_added_up() -> None:
    for relation in Neighbours:
        noise = PerCell(cells=4, epsilon=Fraction(1, 3), neighbours=relation)
        assert release.draws([noise.stated()]) == [(Fraction(1, 3), Fraction(0), Fraction(0))]


def test_what_was_never_charged_has_no_certificate() -> None:
    plan = CutSketch(epsilon=4, delta="0.001", nodes=200, rows=4)
    cost = Guarantee(4, "0.001")
    book = bn.Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    with pytest.raises(BadValue, match="holds no charge for sketch of all cuts"):
        certify_copy(plan, book)


@pytest.mark.parametrize(("rows", "width", "level"), [(2, 5, 1), (8, 9, 2), (768, 230, 1), (64, 1, 60)])
def test_a_replaced_row_is_added_up_and_integrated_to_one_number(rows: int, width: int, level: int) -> None:
    """Two roads: waiting times of two Poisson processes in fractions, and an integral over the lengths of the shift."""
    found = sketch.shifted(rows, Fraction(width), Fraction(level), "here")
    with precision(200):
        gap = shifted(rows, Fraction(2, width), Fraction(level)) - ball(found)
        assert abs(gap) < ball(Fraction(1, 10**9)) * ball(found)
    assert sketch.shifted(rows - 1, Fraction(width), Fraction(level), "here") == found


def test_a_width_that_no_sketch_has_is_refused_by_name() -> None:
    for width, level in ((Fraction(1, 10**300), 1), (Fraction(10**9), 1)):
        with pytest.raises(ValueError, match=r"here\.width is too small, or too large"):
            sketch.shifted(8, width, Fraction(level), "here")
