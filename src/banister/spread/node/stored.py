"""A node's state as text, and back: what a restart needs, with a version, and without the bodies of posts.

Bodies are kept elsewhere, under keys that can be thrown away. Nothing here says who wrote a post but the links of a
copy that nobody has taken yet.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace

from banister.errors import BadValue
from banister.spread.node.messages import Asked, Copy, FrameKind, MessageId, Token, Wave
from banister.spread.node.state import Alarm, Held, NodeState, Settings, Waiting

VERSION = 1


def write_held(held: Held) -> str:
    """One message without its body."""
    return json.dumps({**asdict(replace(held, body=b"")), "id": held.id.hex(), "body": None})


def read_held(text: str, body: bytes) -> Held:
    """What `write_held` wrote, with its body."""
    found = json.loads(text)
    found.update(id=bytes.fromhex(found["id"]), body=body)
    links = {name: tuple(found[name]) for name in ("children", "asked", "untried", "known")}
    return Held(**{**found, **links})


def write_rest(state: NodeState) -> str:
    """Everything but the messages themselves."""
    return json.dumps(
        {
            "version": VERSION,
            "contacts": state.contacts,
            "waiting": [
                [each.link, each.again_at, each.left, *_written(each.frame)] for each in state.waiting.values()
            ],
            "alarms": [[alarm.at, alarm.id.hex(), alarm.what] for alarm in state.alarms],
            "forgotten": [[name.hex(), parent] for name, parent in state.forgotten.items()],
            "secret": state.secret.hex(),
            "epoch": state.epoch,
            "taken": list(state.taken.items()),
            "approved": list(state.approved.items()),
        }
    )


def read_state(text: str, settings: Settings, held: Mapping[MessageId, Held]) -> NodeState:
    """The state that was written; all contacts are away until their links are up."""
    found = json.loads(text)
    if found.get("version") != VERSION:
        raise BadValue(f"The node's state is of version {found.get('version')}; this program reads version {VERSION}.")
    waiting = [
        Waiting(each[0], _read(each[3:], held), each[1], each[2]) for each in found["waiting"] if _lives(each, held)
    ]
    return NodeState(
        settings,
        tuple(found["contacts"]),
        dict(held),
        {(each.link, each.frame.id, each.frame.kind, each.frame.number): each for each in waiting},
        tuple(
            Alarm(at, bytes.fromhex(name), what) for at, name, what in found["alarms"] if bytes.fromhex(name) in held
        ),
        {bytes.fromhex(name): parent for name, parent in found["forgotten"]},
        away=frozenset(found["contacts"]),
        secret=bytes.fromhex(found["secret"]),
        epoch=found["epoch"],
        taken=dict(found["taken"]),
        approved=dict(found["approved"]),
    )


def _written(frame: Asked) -> tuple[object, ...]:
    if isinstance(frame, Copy):
        return frame.kind.value, frame.id.hex(), frame.climbing, frame.level
    if isinstance(frame, Token):
        return frame.kind.value, frame.id.hex(), frame.time, frame.hops
    return frame.kind.value, frame.id.hex(), frame.number


def _lives(each: list[object], held: Mapping[MessageId, Held]) -> bool:
    return bytes.fromhex(str(each[4])) in held


def _read(parts: list[int], held: Mapping[MessageId, Held]) -> Asked:
    name = bytes.fromhex(str(parts[1]))
    if parts[0] == FrameKind.COPY.value:
        return Copy(name, held[name].body, bool(parts[2]), parts[3])
    if parts[0] == FrameKind.TOKEN.value:
        return Token(name, parts[2], parts[3])
    return Wave(name, parts[2])
