"""Other packages under audit, each in an environment of its own: what was found, with the versions, as a table.

    python -m tests.audit.peers            installs them under build/peers and prints the table
    python -m tests.audit.peers --write    also writes it into docs/guide/audit-peers.md
    python -m tests.audit.peers --only MWEM --write     audits these anew, and leaves the other lines as they are

A package that does not install is said so, and left out.
"""

import argparse
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from banister.audit import Finding
from banister.audit.attacking import attack_target
from banister.audit.targets.python import PythonFunction
from banister.errors import BadValue

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "build" / "peers"
PAGE = ROOT / "docs" / "guide" / "audit-peers.md"
BESIDE = {"diffprivlib": ("scikit-learn<1.6",), "pure-ldp": ("scikit-learn", "statsmodels")}
"""What a package needs and does not declare, or not in the releases with which it can be imported."""
FAILED = "Could not be audited: "
VERSION = "import importlib.metadata as m; print(m.version('{}'))"
HEAD = """# What audits found in other packages

Each was installed in an environment of its own and audited as it comes, at epsilon 1 and a confidence of 0.999, with
at most {draws:,} draws a side; `python -m tests.audit.peers --write` makes this page. "Nothing found" is no proof:
200 draws, for calls that take a tenth of a second, show a gross break and nothing less. What is broken on a machine's
doubles may be harmless where nobody sees their low bits, and noise that forks share where nothing forks. Ours are
audited in the same way, by `make audit`. SmartNoise's SQL reader is asked at the level at which its `get_privacy_cost`
says 1 in all; "a new value" is one that a single person has, and that no table names beforehand.

| package | mechanism | claimed | shown | the event | draws | processor, s |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A function of `peer_targets`, the package that it needs, and the claim."""

    package: str
    mechanism: str
    function: str
    pair: tuple[object, object] = (0, 1)
    delta: str = "0"
    most: int = 1_000_000
    """Draws a side that are worth their time: a call of some takes a second."""


_PEOPLE = [[who, "basic", 5, 0.5] for who in range(20)]
_ONE_MORE = (_PEOPLE, [*_PEOPLE, [20, "basic", 10, 1.0]])
_FIVE_ROWS = (_PEOPLE, [*_PEOPLE, *([20, "basic", 10, 1.0] for _ in range(5))])
_ALONE = (_PEOPLE, [*_PEOPLE, [20, "rare", 10, 1.0]])
"""One person more: with a row like others, with five rows, with a value that nobody else has."""
_ROWS = [[i % 2, i // 2 % 2] for i in range(12)]
_ROW_MORE = (_ROWS, [*_ROWS, [1, 1]])
_ROW_ALONE = (_ROWS, [*_ROWS, [2, 1]])

PEERS = (
    Peer("diffprivlib", "Staircase", "diffprivlib_staircase", (0.0, 1.0)),
    Peer("diffprivlib", "Laplace", "diffprivlib_laplace", (0.0, 1.0)),
    Peer("diffprivlib", "Geometric", "diffprivlib_geometric"),
    Peer("diffprivlib", "Gaussian", "diffprivlib_gaussian", (0.0, 1.0), "1e-3"),
    Peer("diffprivlib", "GaussianDiscrete", "diffprivlib_discrete_gaussian", (0, 1), "1e-3"),
    Peer("diffprivlib", "Snapping", "diffprivlib_snapping", (0.0, 1.0)),
    Peer("diffprivlib", "Binary", "diffprivlib_binary"),
    Peer("opendp", "make_laplace, whole numbers", "opendp_laplace_int"),
    Peer("opendp", "make_laplace, doubles", "opendp_laplace_float", (0.0, 1.0)),
    Peer("opendp", "make_gaussian, whole numbers", "opendp_gaussian_int", (0, 1), "1e-3"),
    Peer("python-dp", "LaplaceMechanism", "pydp_laplace", (0.0, 1.0)),
    Peer("python-dp", "GaussianMechanism", "pydp_gaussian", (0.0, 1.0), "1e-3"),
    Peer("python-dp", "Count", "pydp_count", ([1] * 20, [1] * 21)),
    Peer("multi-freq-ldpy", "GRR", "ldpy_direct"),
    Peer("multi-freq-ldpy", "optimised unary encoding", "ldpy_unary"),
    Peer("pure-ldp", "direct encoding", "pure_ldp_direct", (1, 2)),
    Peer("pure-ldp", "optimised unary encoding", "pure_ldp_unary", (1, 2)),
    Peer("pure-ldp", "optimised local hashing", "pure_ldp_hashing", (1, 2)),
    Peer("smartnoise-sql", "Laplace", "smartnoise_laplace", (0.0, 1.0)),
    Peer("smartnoise-sql", "Gaussian", "smartnoise_gaussian", (0.0, 1.0), "1e-3"),
    Peer("smartnoise-sql", "SQL: COUNT(DISTINCT person)", "smartnoise_people", _ONE_MORE, "0.0015", 200),
    Peer("smartnoise-sql", "SQL: SUM, whole numbers, five rows", "smartnoise_sum", _FIVE_ROWS, "0.0015", 200),
    Peer("smartnoise-sql", "SQL: SUM, doubles", "smartnoise_double_sum", _ONE_MORE, "0.0015", 200),
    Peer("smartnoise-sql", "SQL: COUNT by group, a new group", "smartnoise_groups", _ALONE, "0.0015", 200),
    Peer("smartnoise-synth", "MWEM, a new value", "smartnoise_mwem", _ROW_ALONE, "0", 200),
    Peer("smartnoise-synth", "aggregate-seeded, known values", "smartnoise_aggregates", _ROW_MORE, "1e-3"),
    Peer("smartnoise-synth", "aggregate-seeded, a new value", "smartnoise_aggregates", _ROW_ALONE, "1e-3"),
)


def python_of(package: str) -> Path:
    """The interpreter of a package's environment, made where it is not there."""
    home = PLACE / package
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    if subprocess.run([str(python), "-c", VERSION.format(package)], capture_output=True).returncode == 0:
        return python
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", package, *BESIDE.get(package, ())],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BadValue(f"{package} does not install: {done.stderr.strip().splitlines()[-1]}")
    return python


def version_of(python: Path, package: str) -> str:
    return subprocess.run(
        [str(python), "-c", VERSION.format(package)], capture_output=True, text=True, check=True
    ).stdout.strip()


def audited_peer(peer: Peer, python: Path, *, draws: int) -> Finding:
    """One audit, with the calls in the peer's own environment."""
    target = PythonFunction(
        module="peer_targets",
        function=peer.function,
        seconds=3600,
        most_bytes=16 << 30,  # Some reserve far more than they use.
        python=str(python),
        folder=str(Path(__file__).parent),
    )
    return attack_target(
        target,
        peer.mechanism,
        epsilon=1,
        delta=peer.delta,
        pairs=[peer.pair],
        draws=min(draws, peer.most),
        confidence="0.999",
    )


def row(peer: Peer, version: str, found: Finding, seconds: float) -> str:
    """One line of the table."""
    claim = "1" + (f", delta {peer.delta}" if found.delta else "")
    verdict = f"**broken**: {found.shown:.2f}" if found.broken else f"nothing found ({found.shown:.2f})"
    event = found.event.replace("|", "/")[:110] if found.broken else ""
    cells = (f"{peer.package} {version}", peer.mechanism, claim, verdict, event, f"{found.draws:,}", f"{seconds:.1f}")
    return f"| {' | '.join(cells)} |"


def _processor() -> float:
    """Seconds of the processor so far, ours and of all processes that were started, however busy the machine is."""
    used = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=50_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    rows, failed = [], []
    some = [peer for peer in PEERS if asked.only in f"{peer.package} {peer.mechanism}"]
    for package in dict.fromkeys(peer.package for peer in some):
        try:
            python = python_of(package)
            version = version_of(python, package)
        except (BadValue, subprocess.CalledProcessError) as error:
            failed.append(f"{package}: {error}")
            continue
        for peer in (each for each in some if each.package == package):
            begin = _processor()
            try:
                found = audited_peer(peer, python, draws=asked.draws)
            except BadValue as error:
                failed.append(f"{package} {version}, {peer.mechanism}: {error}")
                continue
            rows.append(row(peer, version, found, _processor() - begin))
            print(rows[-1], flush=True)
    for line in failed:
        print(FAILED + line)
    if asked.write:
        PAGE.write_text(page(asked.draws, rows, failed), encoding="utf-8")
    return 0


def page(draws: int, rows: list[str], failed: list[str]) -> str:
    """The page: what was audited now, and of all others the lines as they stand on it."""
    told = [*_standing("| "), *_standing(FAILED), *rows, *(FAILED + line for line in failed)]
    last = {place: each for each in told for place in ORDER if _about(each, place)}
    shown = [last[place] for place in ORDER if place in last]
    text = HEAD.format(draws=draws) + "".join(each + "\n" for each in shown if each.startswith("|"))
    return text + "".join(f"\n{each}\n" for each in dict.fromkeys(shown) if not each.startswith("|"))


def _about(line: str, place: tuple[str, str]) -> bool:
    """Whether a line is about this package and mechanism; one about a package that does not install is about all."""
    package, mechanism = place
    if line.startswith(f"{FAILED}{package}: "):
        return True
    return line.startswith((f"| {package} ", f"{FAILED}{package} ")) and (
        f" | {mechanism} | " in line or f", {mechanism}: " in line
    )


def _standing(start: str) -> list[str]:
    """The lines on the page that begin so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    return [each for each in lines if each.startswith(start)]


ORDER = [(peer.package, peer.mechanism) for peer in PEERS]


if __name__ == "__main__":
    sys.exit(main())
