"""How many proofs the small checkers accept in a second, beside the time that it takes to make them.

python -m bench.proofs
"""

import time
from collections.abc import Callable

from banister.audit import Proof, prove_channel, prove_decoder, prove_domination, prove_line, prove_noise, prove_rule
from banister.audit.verifying import checked
from banister.mechanisms.integers.decoder import Decoder
from banister.parties import Game, majority

RESPONSE = (("3/4", "1/4"), ("1/4", "3/4"))
HALVES = (("1/2", "1/2"), ("1/3", "2/3"))
REPEATS = 5

KINDS: dict[str, Callable[[], Proof]] = {
    "noise by program": lambda: prove_noise(epsilon=1, delta="1e-3", sensitivity=2, cost="squared"),
    "the real line": lambda: prove_line(epsilon=1, delta="1e-3", cost="absolute", parts=3),
    "a channel": lambda: prove_channel(epsilon=1, utility="mutual-information", prior=[0.5, 0.3, 0.2]),
    "a worst-case rule": lambda: prove_rule(Game(majority(3), [1, 1, "1/2"])),
    "a decoder": lambda: prove_decoder(Decoder.best(epsilon="0.2", largest=6, aim="worst")),
    "a domination": lambda: prove_domination(RESPONSE, HALVES),
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
