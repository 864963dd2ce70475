"""Write the API pages, docs/api/*.md, from the doors themselves: `make api`. A test notices stale ones."""

import importlib
import inspect
from pathlib import Path
from types import ModuleType

HOME = Path(__file__).with_name("api")
DOORS = {
    "banister": "The front door",
    "banister.accounting": "Accounting",
    "banister.release": "Releases",
    "banister.publish": "Publishing",
    "banister.local": "Local privacy",
    "banister.parties": "Several parties",
    "banister.spread": "Spreading",
    "banister.audit": "Audits and proofs",
    "banister.compare": "The price of trust",
    "banister.mechanisms": "Sharp tools: mechanisms",
}
WARNINGS = {
    "banister.mechanisms": "Nothing that is drawn here is charged to a ledger. Whoever draws keeps the account; "
    "`banister.release` and `banister.publish` charge before they draw.",
    "banister.local": "Nothing that is drawn here is charged to a ledger: a channel protects one answer of one person.",
    "banister.parties": "Nothing that is drawn here is charged to a ledger: a response protects one bit, once.",
    "banister.spread": "This is a laboratory. Nothing that is drawn here is charged to a ledger.",
}
MEETING = """
>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> import banister as bn
>>> from banister.parties.meetings.conduct import write_plan
>>> from banister.parties.meetings.home import PartyHome
>>> with TemporaryDirectory() as folder:
...     here, heard = Path(folder), []
...     write_plan(here / "plan.toml", bn.parties.MeetingRequest.of("xor", [1, 1]))
...     homes = {name: PartyHome(here / name) for name in ("party-1", "party-2")}
...     keys = {name: bn.parties.public_key(name, home) for name, home in homes.items()}
...     mine = PartyHome(here / "mine")
...     meeting, path = bn.parties.invite(here / "plan.toml", here / "meeting", keys=keys, home=mine)
...     for name, home in homes.items():
...         heard += [bn.parties.answer_plan(path, party=name, bit=1, out=here / f"{name}.json", home=home)]
...     same = bn.parties.open_meeting(path) == meeting
...     found = bn.parties.decide_meeting(path, [outcome.path for outcome in heard])
>>> same, isinstance(heard[0], bn.parties.Outcome), isinstance(found, bn.parties.Verdict)
(True, True, True)
>>> str(heard[0].level), found.answer in (0, 1), round(found.accuracy, 6)
('(1, 0)', True, 0.606776)
"""
SHELF = """
>>> from banister import mechanisms
>>> [file.__name__.removeprefix("banister.mechanisms.") for file in mechanisms.ALL][:2]
['integers.discrete_gaussian', 'integers.discrete_laplace']
"""
FIGURES = """
>>> from tempfile import TemporaryDirectory
>>> import banister as bn
>>> with TemporaryDirectory() as folder:
...     [path.name for path in bn.spread.draw_all(folder, trials=20, seed=1, workers=1)][:2]
['spread-line.svg', 'spread-trees.svg']
"""
AGENDA = """
>>> import tempfile
>>> from pathlib import Path
>>> import banister as bn
>>> from banister.parties.meetings.home import PartyHome
>>> asked = '''
... party = [{name = "ann"}, {name = "bob"}]
... question = [{name = "agree", function = "xor", epsilon = 0, delta = "1/2", coin = true}]
... '''
>>> with tempfile.TemporaryDirectory() as folder:
...     here = Path(folder)
...     _ = (here / "agenda.toml").write_text(asked)
...     homes = {name: PartyHome(here / name) for name in ("ann", "bob")}
...     keys = {name: bn.parties.public_key(name, home) for name, home in homes.items()}
...     made, path = bn.parties.invite_agenda(here / "agenda.toml", here, keys=keys, home=PartyHome(here / "org"))
...     secrets = [bn.parties.commit(path, party=n, out=here / f"{n}.1", home=home) for n, home in homes.items()]
...     coin = [bn.parties.open_secret(path, secrets, party=n, out=here / f"{n}.2", home=h) for n, h in homes.items()]
...     heard = [
...         bn.parties.reply(path, party=n, values={"agree": 1}, out=here / f"{n}.3", openings=coin, home=home)
...         for n, home in homes.items()
...     ]
...     total = bn.parties.open_agenda(path).total("ann").epsilon(delta="1/2")
...     found: bn.parties.AgendaResults = bn.parties.decide_agenda(path, heard, openings=coin)
>>> made.items[0].coin.chance(1), total, found.results[0].openly in ((), ("ann", "bob"))
(Fraction(1, 2), 0.0, True)
"""

EXAMPLES = {
    "banister.parties": {
        "A meeting, from the plan to the decision": MEETING,
        "An agenda with a coin that nobody controls": AGENDA,
    },
    "banister.mechanisms": {"The shelf": SHELF},
    "banister.spread": {"All figures (it takes some seconds)": FIGURES},
}
"""Examples of several names at once. Every other name has its example in its own docstring."""


def directive(door: str, name: str) -> str:
    """How Sphinx reads the documentation of a name."""
    value = getattr(importlib.import_module(door), name)
    if inspect.isclass(value):
        return f"```{{eval-rst}}\n.. autoclass:: {door}.{name}\n   :members:\n   :undoc-members:\n```"
    kind = "autofunction" if inspect.isroutine(value) else "autodata"
    return f"```{{eval-rst}}\n.. {kind}:: {door}.{name}\n```"


def first_line(value: object) -> str:
    """What a thing is, in one line."""
    return (inspect.getdoc(value) or "").splitlines()[0]


def elsewhere(name: str, value: object) -> str:
    """The door of a context at which a name of the front door also stands, and is described; or nothing."""
    for door in list(DOORS)[1:]:
        if getattr(importlib.import_module(door), name, None) is value:
            return door
    return ""


def section(door: str, name: str) -> str:
    """What the page says about one name."""
    value = getattr(importlib.import_module(door), name)
    if isinstance(value, ModuleType):
        if value.__name__ in DOORS:
            return f"The door of a context, described on [its own page]({value.__name__}.md): {first_line(value)}"
        return f"```{{eval-rst}}\n.. automodule:: {value.__name__}\n   :members:\n```"
    other = elsewhere(name, value) if door == "banister" else ""
    if other:
        return f"Described at [`{other}`]({other}.md#{name.lower()}): {first_line(value)}"
    return directive(door, name)


def text(door: str) -> str:
    """The whole page of a door."""
    found = importlib.import_module(door)
    parts = [f"# {DOORS[door]}: `{door}`", "Made by `make api` from the door itself; a test holds it to be up to date."]
    if door in WARNINGS:
        parts.append(f":::{{warning}}\n{WARNINGS[door]}\n:::")
    parts.append(first_line(found))
    parts += [f"## {title}\n\n```python{code}```" for title, code in EXAMPLES.get(door, {}).items()]
    for name in found.__all__:
        parts += [f"## {name}", section(door, name)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    HOME.mkdir(exist_ok=True)
    for each in DOORS:
        (HOME / f"{each}.md").write_text(text(each), encoding="utf-8")
