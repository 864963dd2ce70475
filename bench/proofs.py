"""How many proofs, and certificates of releases, the small checkers accept in a second.

python -m bench.proofs
"""

import tempfile
import time
from collections.abc import Callable

import banister as bn
from banister.audit import (
    Proof,
    certify,
    prove_channel,
    prove_decoder,
    prove_domination,
    prove_line,
    prove_noise,
    prove_rule,
)
from banister.audit.verifying import checked
from banister.mechanisms.integers.decoder import Decoder
from banister.parties import Game, majority
from banister.release.demo import write_demo

RESPONSE = (("3/4", "1/4"), ("1/4", "3/4"))
HALVES = (("1/2", "1/2"), ("1/3", "2/3"))
REPEATS = 5

PLANS = "SELECT plan, COUNT(*), SUM(visits) FROM data GROUP BY plan"
COUNTS = "SELECT visits, COUNT(*) FROM data GROUP BY visits"


def certificate(question: str, epsilon: str, delta: str = "0", *, rows: int = 1, groups: int = 1) -> Proof:
    """Of a release of the bundled table under other bounds; with a delta nobody says which plans there are."""
    with tempfile.TemporaryDirectory() as folder:
        schema = write_demo(folder)[1]
        text = schema.read_text(encoding="utf-8").replace("epsilon = 1.0", "epsilon = 100")
        text = text.replace("rows = 5 ", f"rows = {rows} ").replace("groups = 1 ", f"groups = {groups} ")
        if delta != "0":
            text = text.replace(', values = ["free", "shared", "deductible"]', "")
        schema.write_text(text, encoding="utf-8")
        dataset = bn.open(schema)
        answers = dataset.release(dataset.plan(question, epsilon=epsilon, delta=delta))
        with dataset.ledger() as book:
            return certify(answers, book)


KINDS: dict[str, Callable[[], Proof]] = {
    "noise by program": lambda: prove_noise(epsilon=1, delta="1e-3", sensitivity=2, cost="squared"),
    "the real line": lambda: prove_line(epsilon=1, delta="1e-3", cost="absolute", parts=3),
    "a channel": lambda: prove_channel(epsilon=1, utility="mutual-information", prior=[0.5, 0.3, 0.2]),
    "a worst-case rule": lambda: prove_rule(Game(majority(3), [1, 1, "1/2"])),
    "a decoder": lambda: prove_decoder(Decoder.best(epsilon="0.2", largest=6, aim="worst")),
    "a domination": lambda: prove_domination(RESPONSE, HALVES),
    "answers, geometric": lambda: certificate("SELECT COUNT(*) FROM data", "1"),
    "answers, staircase": lambda: certificate(PLANS, "1", rows=5),
    "answers, a choice": lambda: certificate("SELECT plan, MEDIAN(visits) FROM data GROUP BY plan", "1", rows=5),
    "answers, truncated": lambda: certificate(PLANS, "1/2", "1e-7", groups=3),
    "answers, Gaussian": lambda: certificate(COUNTS, "1", "1e-7", groups=50),
    "answers, 10 shaped": lambda: certificate(COUNTS, "2", "1e-6", groups=10),
    "answers, 20 shaped": lambda: certificate(COUNTS, "10", "1e-6", groups=20),
    "answers, 40 shaped": lambda: certificate(COUNTS, "12", "1e-7", groups=40),
}


def processor_seconds(job: Callable[[], object]) -> float:
    """The least processor time of a few calls: this machine has other work."""
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        job()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    for name, make in KINDS.items():
        begun = time.process_time()
        proof = make()
        made = time.process_time() - begun
        text = proof.text()
        check = processor_seconds(lambda text=text: checked(text))  # type: ignore[misc]
        print(f"{name:20} {1 / check:8.0f} a second, {made / check:8.1f} x quicker than making it")


if __name__ == "__main__":
    main()
