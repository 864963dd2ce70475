"""Whatever states a loss is examined: the contract has a place for every class of the house that does."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import banister
from banister import mechanisms
from banister.local import channels

SOURCE = Path(banister.__file__).parent
HERE = Path(__file__).parent


def stating_a_loss() -> Iterator[tuple[str, str]]:
    """Every class with a `loss` of its own that is not merely asked for: its name and its file."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "def loss(" in text else "")):
            if isinstance(node, ast.ClassDef) and _is_more_than_a_port(node):
                yield node.name, path.relative_to(SOURCE).as_posix()


def _is_more_than_a_port(node: ast.ClassDef) -> bool:
    port = any(ast.unparse(base) == "Protocol" for base in node.bases)
    return not port and any(_states_a_loss(part) for part in node.body)


def _states_a_loss(part: ast.stmt) -> bool:
    if not isinstance(part, ast.FunctionDef) or part.name != "loss" or part.returns is None:
        return False
    merely_asked = any(ast.unparse(name) == "abstractmethod" for name in part.decorator_list)
    return ast.unparse(part.returns).strip("\"'") == "PrivacyLoss" and not merely_asked


def on_shelves() -> set[str]:
    """What the contract takes from shelves: mechanisms and channels, with whatever their examples are made of."""
    noises = {type(example) for module in mechanisms.ALL for example in module.examples()}
    found = {base.__name__ for kind in noises for base in kind.__mro__}
    return found | {base.__name__ for module in channels.ALL for base in module.__mro__}


def test_every_class_that_states_a_loss_is_examined() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py") if path != Path(__file__))
    paid = "release/payments/"  # Examined as a whole: test_every_kind_of_payment_is_examined.
    missing = [
        f"{name} in {file}"
        for name, file in stating_a_loss()
        if name not in on_shelves() and not re.search(rf"\b{name}\b", written) and not file.startswith(paid)
    ]
    assert missing == []


def test_the_census_sees_losses() -> None:
    found = dict(stating_a_loss())
    assert {"Plan", "Part", "LookPlan", "CutSketch", "Geometric", "WidePlan", "CellByCell"} <= found.keys()
