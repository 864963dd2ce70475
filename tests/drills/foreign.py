"""Every foreign file, changed in as many ways as one likes: it is read, or refused with one message of ours.

Run as a program: python -m tests.drills.foreign --inputs 1000000 [--format channel] [--seed 1]. Anything but an answer
or an error of ours counts as a fault: another exception, more than four gigabytes, or more than ten seconds.
"""

import argparse
import faulthandler
import io
import json
import random
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import duckdb
import numpy as np

import banister as bn
from banister.accounting.chain import ChainLine
from banister.accounting.kept import Kept, KeptRequest
from banister.accounting.terms import Entry, Terms
from banister.consent import Ceilings
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BanisterError
from banister.keys import Ed25519Verifier, SigningKey
from banister.local.channels import ALL, makers
from banister.local.designing import design
from banister.local.document import Survey, write_document
from banister.local.files import gather_reports, read_answers, read_laws, read_survey, write_survey
from banister.parties.meetings.conduct import decide_meeting, invite, open_meeting, read_keys, write_plan
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.papers import SignedAnswer, hear
from banister.parties.request import MeetingRequest
from banister.publish.sketches.matrices import read_matrix
from banister.publish.sketches.sketch import SketchWish, answer_variance, sketch_matrix
from banister.publish.sketches.weighted import read_graph
from banister.release.rungs import _Sealed, release_rungs
from banister.spread.lab.written import load_graph
from banister.tables.schema import Schema
from banister.work.checkpoints import Checkpoint
from tests.drills.mutations import bytes_mutator, json_mutator, text_mutator
from tests.drills.sealed import sealed_formats

LONGEST_SECONDS = 10.0
NODES = ("ann", "bob", "cy", "0", "1", "2")
MEMORY_BYTES = 4 << 30
SCHEMA = """[source]
table = "t.csv"
person = "who"
neighbours = "add-remove"
people = 400
rows = 3
[budget]
epsilon = 1.5
delta = 1e-6
ledger = "here.ledger"
[columns]
x = { kind = "integer", range = [0, 20], bins = [5, 10], nulls = false }
y = { kind = "number", range = [-1, 1], step = 0.001 }
g = { kind = "category", values = ["a", "b"] }
day = { kind = "date", range = [2024-01-01, 2024-12-31], every = "month" }
"""


@dataclass(frozen=True, slots=True)
class Format:
    """How inputs of a format are made, and how they are read."""

    make: Callable[[random.Random], bytes]
    read: Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Fault:
    """An input that was neither read nor refused."""

    format: str
    number: int
    why: str
    data: bytes


def through(path: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Read by way of a file."""

    def run(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return run


def formats(folder: Path) -> dict[str, Format]:
    """Every format, with valid files to start from; they lie in a folder."""
    made = [_parties, _local, _graphs, _rest, _sealed]
    return {name: one for part in made for name, one in part(folder).items()}


def _sealed(folder: Path) -> dict[str, Format]:
    return {name: Format(make, read) for name, (make, read) in sealed_formats(folder / "sealed").items()}


def _parties(folder: Path) -> dict[str, Format]:
    asked = MeetingRequest(
        function="majority",
        levels=(Guarantee(1), Guarantee("1/2", "1e-6"), Guarantee(1)),
        names=("ann", "bob", "cy"),
        title="Is it safe?",
    )
    plan = folder / "plan.toml"
    write_plan(plan, asked)
    keys = {name: PartyHome(folder / name).make_key(name) for name in asked.names}
    public = {name: key.public for name, key in keys.items()}
    home = PartyHome(folder / "organiser")
    meeting, path = invite(plan, folder / "meeting", keys=public, home=home)
    bare = SignedAnswer(meeting.hash, "ann", 1, "")
    answer = SignedAnswer(meeting.hash, "ann", 1, keys["ann"].sign(bare.signed_bytes()))
    lines = "".join(f"{name} {key}\n" for name, key in public.items())
    signed = json.loads(path.read_text())
    unsigned = {k: v for k, v in signed.items() if k not in ("organiser", "signature")} | {
        "format": "banister-meeting/1"
    }
    record = folder / "ann" / "answered" / "ann" / "x.begun"
    home_of_ann = PartyHome(folder / "ann")
    home_of_ann.begin("ann", "x", epsilon=meeting.members[0].level.epsilon, delta=meeting.members[0].level.delta)
    begun = json.loads(record.read_text())

    def invited(keys_file: Path) -> object:
        (folder / "again" / "plan.json").unlink(missing_ok=True)
        return invite(plan, folder / "again", keys=read_keys(keys_file), home=home)

    def replanned(toml: Path) -> object:
        (folder / "again" / "plan.json").unlink(missing_ok=True)
        return invite(toml, folder / "again", keys=public, home=home)

    def heard(data: bytes) -> object:
        found = hear(meeting, [("a.json", data.decode("utf-8", errors="replace"))], Ed25519Verifier())
        (folder / "a.json").write_bytes(data)
        return decide_meeting(path, [folder / "a.json"]) if found.missing != ("ann", "bob", "cy") else found

    return {
        "plan": Format(json_mutator([signed, unsigned]), through(folder / "p.json", open_meeting)),
        "answer": Format(json_mutator([answer.document()]), heard),
        "keys": Format(text_mutator([lines]), through(folder / "k.txt", invited)),
        "plan-toml": Format(text_mutator([plan.read_text()]), through(folder / "q.toml", replanned)),
        "record": Format(json_mutator([begun]), through(record, lambda _: home_of_ann.given("ann"))),
        "private-key": Format(
            text_mutator([SigningKey.generate().raw_bytes().hex() + "\n"]),
            through(folder / "ann" / "keys" / "zoe.key", lambda _: home_of_ann.key("zoe")),
        ),
    }


def _local(folder: Path) -> dict[str, Format]:
    surveys = [
        Survey(make(Guarantee(1, "0.01") if name == "quaternary" else Guarantee(1), 2), ["yes", "no"], "Q?", "me")
        for name, make in makers().items()
    ]
    surveys += [Survey(design(epsilon=1, prior=[0.5, 0.3, 0.2], utility="mutual-information"), ["a", "b", "c"])]
    assert len(ALL) <= len(surveys)
    new = [json.loads(json.dumps(write_document(survey))) for survey in surveys]
    old = [
        {**s.channel.definition(), "level": s.channel.level, "hash": s.channel.hash, "labels": s.labels}
        for s in surveys
        if np.isfinite(s.channel.level)
    ]
    write_survey(folder / "c.json", surveys[0])
    survey = read_survey(folder / "c.json")
    report = f"channel,report\n{survey.identity[:16]},1\n{survey.identity[:16]},0\n"

    def laws(path: Path) -> object:
        labels, (law,) = read_laws(path, 1)
        return design(epsilon=1, prior=law.tolist(), utility="mutual-information") if len(labels) < 9 else law

    return {
        "channel": Format(json_mutator([*new, *json.loads(json.dumps(old))]), through(folder / "d.json", read_survey)),
        "reports": Format(text_mutator([report]), through(folder / "r.csv", lambda p: gather_reports([p], survey))),
        "answers": Format(
            text_mutator(["answer\nyes\nno\n"]), through(folder / "a.csv", lambda p: read_answers(survey, p))
        ),
        "laws": Format(
            text_mutator(["category,probability\na,0.5\nb,0.25\nc,0.25\n"]), through(folder / "l.csv", laws)
        ),
    }


def _graphs(folder: Path) -> dict[str, Format]:
    edges = "# a graph\nann bob\nbob cy\ncy ann 2\n"
    numbers = "0 1\n1 2\n2 0\n"
    comma = "source,target\nann,bob\nbob,cy\n"
    budget = Guarantee(100, "0.5")
    relation = bn.Neighbours.REPLACE
    book = bn.Ledger.create("memory:", budget=budget, neighbours=relation, questions=bn.AsYouGo())
    out = folder / "m.sketch"
    sketch_matrix(np.eye(3), out, SketchWish(epsilon=4, delta="0.001", rows=8), ledger=book, neighbours=relation)
    with np.load(out) as file:
        header, values = json.loads(file["header"].tobytes()), file["values"]
    inside = json_mutator([header])

    def packed(chance: random.Random) -> bytes:
        """The file with its bytes changed; or a whole file with a changed header, or with other arrays."""
        if chance.random() < 0.2:
            return bytes_mutator([out.read_bytes()])(chance)
        found = io.BytesIO()
        arrays: list[object] = [
            values,
            values[:, :2],
            values.astype(np.int64),
            values[0],
            np.full((2, 3), np.nan, np.float32),
        ]
        content = np.frombuffer(inside(chance), dtype=np.uint8)
        np.savez(found, header=content, values=arrays[chance.choice([0, 0, 0, 0, 0, 0, 1, 2, 3, 4])])  # type: ignore[arg-type]
        return found.getvalue()

    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file_:
        file_.writestr("values.npy", b"\0" * (1 << 24))
    return {
        "graph": Format(text_mutator([edges, numbers]), through(folder / "g.edges", load_graph)),
        "graph-csv": Format(text_mutator([comma]), through(folder / "g.csv", load_graph)),
        "weighted": Format(
            text_mutator([edges.replace("cy ann 2", "cy ann 0.5"), numbers]),
            through(folder / "w.edges", lambda p: read_graph(p, nodes=NODES, most_weight=1.0)),
        ),
        "weighted-csv": Format(
            text_mutator([comma, comma.replace("cy", '"cy"')]),
            through(folder / "w.csv", lambda p: read_graph(p, nodes=NODES, most_weight=1.0, header=True)),
        ),
        "matrix-csv": Format(
            text_mutator(["a,b\n1,2\n0.5,-3\n", 'a,b\r\n"1",2\r\n']),
            through(folder / "m.csv", lambda p: read_matrix(p, header=True)),
        ),
        "sketch": Format(packed, through(folder / "s.sketch", lambda p: answer_variance(p, [1, 0, -1]))),
        "sketch-bomb": Format(
            bytes_mutator([bomb.getvalue()]), through(folder / "b.sketch", lambda p: answer_variance(p, [1]))
        ),
    }


def _rest(folder: Path) -> dict[str, Format]:
    relation = bn.Neighbours.REPLACE
    books = [
        bn.Ledger.create("memory:", budget=bn.Guarantee(1, 1e-6), neighbours=relation, questions=questions)
        for questions in (bn.AsYouGo(), [(bn.Guarantee("0.1"), 5)])
    ]
    for book in books:
        book.charge(bn.Guarantee("0.1"), label="ages", neighbours=relation, key="k")
    first, later = ([json.loads(book._store.line(n).body) for book in books] for n in (0, 1))  # type: ignore[union-attr]
    asked = KeptRequest(key="june", plan="p", label="ages", epsilon="1", delta="0")
    kept = Kept(folder / "kept", books[0]._store)
    kept.place.mkdir()
    paid, answer = kept.place / f"{sha256(b'june').hexdigest()[:40]}.paid", {"n": ["<i8:2:AQAAAAAAAAACAAAAAAAAAA=="]}
    body = {name: getattr(asked, name) for name in KeptRequest.__slots__}
    paid.write_text(json.dumps({"format": "banister-paid/1", **body, "answer": answer}))
    rungs = folder / "r.rungs"
    release_rungs([41], epsilons=["0.1", "0.2"], ledger=books[0], label="wards", sealed=rungs)
    ceilings = Ceilings(folder / "ceilings")
    ceilings.raise_to("ann", Guarantee(1))
    study = folder / "study.jsonl"
    line = json.dumps({"cell": 0, "piece": 1, "rows": [[1.0, None], [2.0, 3.0]]})
    study_text = json.dumps({"format": "banister-study-1", "study": "x"}) + f"\n{line}\n{line}\n"
    return {
        "ledger-terms": Format(json_mutator(first), lambda data: Terms.of_line(ChainLine(0, _text(data), "0" * 64))),
        "ledger-charge": Format(
            json_mutator(later), lambda data: Entry.of_line(ChainLine(1, _text(data), "0" * 64)).in_words()
        ),
        "kept": Format(json_mutator([json.loads(paid.read_text())]), through(paid, lambda _: kept.fetch(asked))),
        "ceiling": Format(
            json_mutator([json.loads((folder / "ceilings" / "ann.json").read_text())]),
            through(folder / "ceilings" / "ann.json", lambda _: ceilings.of("ann")),
        ),
        "schema": Format(text_mutator([SCHEMA]), through(folder / "s.toml", lambda p: bn.open(p).schema.domain.shape)),
        "schema-only": Format(text_mutator([SCHEMA]), lambda data: Schema.of_text(_text(data))),
        "rungs": Format(json_mutator([json.loads(rungs.read_text())]), through(folder / "x.rungs", _Sealed.read)),
        "study": Format(text_mutator([study_text]), through(study, lambda p: Checkpoint(p, "x"))),
    }


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def drill(
    name: str, one: Format, *, inputs: int, seed: int, seconds: float = float("inf")
) -> tuple[Counter[str], list[Fault]]:
    """Read so many inputs of a format, or as many as there is time for; gives how many were read and refused, and what
    was neither."""
    told: Counter[str] = Counter()
    faults: list[Fault] = []
    until = time.monotonic() + seconds
    for number in range(inputs):
        if time.monotonic() > until:
            break
        data = one.make(random.Random(f"{seed}-{name}-{number}"))
        began = time.monotonic()
        faulthandler.dump_traceback_later(6 * LONGEST_SECONDS, exit=True)  # Also out of C code that hears no signal.
        try:
            one.read(data)
            told["read"] += 1
        except BanisterError:
            told["refused"] += 1
        except Exception as error:  # Nothing is swallowed: what is not ours is a fault, and is told.
            faults.append(Fault(name, number, f"{type(error).__name__}: {error}"[:200], data))
        if time.monotonic() - began > LONGEST_SECONDS:
            faults.append(Fault(name, number, f"took {time.monotonic() - began:.1f} s", data))
        if len(faults) >= 20:
            break
    faulthandler.cancel_dump_traceback_later()
    return told, faults


@contextmanager
def one_engine() -> Iterator[None]:
    """Every reader that opens an engine in memory gets a connection of its own to one that is there already, for to
    start one takes fifty times as long as what a small file takes."""
    start, engine = duckdb.connect, duckdb.connect()

    def connect(*given: object, **words: object) -> duckdb.DuckDBPyConnection:
        return start(*given, **words) if given or words else engine.cursor()  # type: ignore[arg-type]

    duckdb.connect = connect
    try:
        yield
    finally:
        duckdb.connect = start
        engine.close()


@contextmanager
def workshop() -> Iterator[dict[str, Format]]:
    """All formats, in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        yield formats(Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drills.foreign", description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--format", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for each format at most")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    bad = 0
    with workshop() as known, one_engine():
        for name in asked.format or known:
            began = time.monotonic()
            told, faults = drill(name, known[name], inputs=asked.inputs, seed=asked.seed, seconds=asked.seconds)
            took = time.monotonic() - began
            print(
                f"{name:14} {sum(told.values()):>9,} inputs: {told['read']:,} read, {told['refused']:,} refused, "
                f"{len(faults)} faults, {took:.0f} s",
                flush=True,
            )
            for fault in faults[:5]:
                print(f"  input {fault.number}: {fault.why}\n    {fault.data[:300]!r}", flush=True)
            bad += len(faults)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
