"""Foreign files of agendas, campaigns, proofs, imports, invitations and logs, changed; what is signed is signed anew.

A signature keeps strangers out. Whoever sends a file may have signed it after changing it, so the readers behind the
signature are tried too.
"""

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path

from banister.accounting.elsewhere import SpentElsewhere
from banister.apps.wildfire.invitation import Invitation
from banister.audit import prove_domination, verify
from banister.audit.anonymity.records import read_authors, read_capture, read_spies
from banister.audit.canaries.planting import Planting
from banister.audit.checkers import envelope
from banister.keys import Ed25519Verifier, SigningKey
from banister.local.channels import RandomizedResponse
from banister.local.collect.campaign import SEAL, read_campaign
from banister.parties.meetings.agenda import read_agenda
from banister.parties.meetings.agenda_conduct import invite_agenda
from banister.parties.meetings.conduct import public_key
from banister.parties.meetings.home import PartyHome
from tests.drills.mutations import json_mutator, text_mutator
from tests.local.collect.campaigns import campaign

Make = Callable[[random.Random], bytes]
Read = Callable[[bytes], object]

AGENDA = """
title = "A survey"
party = [{name = "ann"}, {name = "bob"}, {name = "cem"}]
[[question]]
name = "flu"
function = "majority"
epsilon = 3
[[question]]
name = "age"
low = 0
high = 120
levels = ["1", "1", "2"]
"""
EVENT = {"event": "epsilon-delta", "epsilon": "1/2", "delta": "1e-8"}
SPENT = {
    "format": "banister spent 1",
    "label": "x",
    "neighbours": "add-remove",
    "unit": "person",
    "tables": ["t"],
    "event": {"event": "composed", "of": [EVENT, {"event": "poisson-sampled", "rate": "0.1", "of": EVENT}]},
}


def sealed_formats(folder: Path) -> dict[str, tuple[Make, Read]]:
    """How changed files of each kind are made, and how they are read."""
    folder.mkdir()
    homes = {name: PartyHome(folder / name) for name in ("ann", "bob", "cem")}
    keys = {name: public_key(name, home) for name, home in homes.items()}
    asked = folder / "agenda.toml"
    asked.write_text(AGENDA)
    _, agenda = invite_agenda(asked, folder / "out", keys=keys, home=PartyHome(folder / "org"))
    key = SigningKey.of_bytes(bytes(32))
    one = campaign(RandomizedResponse(1, categories=3))
    body = json.loads(one.signed(key).split("\n")[0])
    proof = prove_domination((("3/4", "1/4"), ("1/4", "3/4")), (("1/2", "1/2"), ("1/2", "1/2")))
    written = proof.save(folder / "pair.proof").read_text()
    canaries = Planting(tuple("abcdefghij"), (True, False) * 5)
    invitation = Invitation(b"i" * 16, b"s" * 32, b"f" * 32, 2_000_000_000, "127.0.0.1", 8000).text()
    return {
        "agenda": (json_mutator([json.loads(agenda.read_text())]), _read_agenda),
        "campaign": (json_mutator([body]), lambda data: read_campaign(_campaign_of(data, key))),
        "campaign-text": (text_mutator([one.signed(key)]), lambda data: read_campaign(_text(data))),
        "proof": (json_mutator([json.loads(written)]), _through(folder / "x.proof", lambda p: verify(p), _resealed)),
        "proof-text": (text_mutator([written]), _through(folder / "y.proof", lambda p: verify(p))),
        "spent": (json_mutator([SPENT]), _through(folder / "s.json", SpentElsewhere.of_file)),
        "invitation": (text_mutator([invitation]), lambda data: Invitation.read(_text(data))),
        "canaries": (
            json_mutator([json.loads(canaries.save(folder / "c.json").read_text())]),
            _through(folder / "d.json", Planting.load),
        ),
        "spies": (text_mutator(["post,spy,sender,time\na,b,c,1.5\nd,e,f,2\n"]), _through(folder / "a.csv", read_spies)),
        "capture": (text_mutator(["time,sender,receiver,bytes\n1,a,b,99\n"]), _through(folder / "b.csv", read_capture)),
        "authors": (text_mutator(["post,author\na,b\nc,d\n"]), _through(folder / "c.csv", read_authors)),
    }


def _through(path: Path, read: Callable[[Path], object], change: Callable[[bytes], bytes] = bytes) -> Read:
    def through(data: bytes) -> object:
        path.write_bytes(change(data))
        return read(path)

    return through


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _read_agenda(data: bytes) -> object:
    """Under a signature that holds, whatever was changed."""
    return read_agenda(_text(data), _Trusting())


class _Trusting(Ed25519Verifier):
    def holds(self, key: str, body: bytes, signature: str) -> bool:
        return True


def _campaign_of(data: bytes, key: SigningKey) -> str:
    line = _text(data).replace("\n", " ")
    with contextlib.suppress(ValueError, RecursionError):  # As campaigns are written, where it is JSON at all.
        line = json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"))
    seal = {"format": SEAL, "key": key.public, "signature": key.sign(line.encode("utf-8"))}
    return f"{line}\n{json.dumps(seal)}\n"


def _resealed(data: bytes) -> bytes:
    """A changed proof with digests that fit it, where it still has the parts of one."""
    try:
        found = json.loads(data)
        return envelope.sealed(found["kind"], found["claim"], found["witness"]).encode()
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return data
