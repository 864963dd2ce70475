"""One error put into the package on purpose, as a value."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/banister")


class DoesNotApply(Exception):
    """The text that a mutant changes is not in its file exactly once, or what comes out is not Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A change of one file under src/banister, and the tests that must fail because of it."""

    name: str
    file: str
    """The file, from src/banister on."""
    old: str
    """Exact text that the file holds exactly once."""
    new: str
    tests: tuple[str, ...]
    """What pytest is asked to run: files, or single tests as file::name."""
    hangs: bool = False
    """Whether running out of time counts as noticed: the change makes a loop endless."""
    explained: str = ""
    """Why no test can notice the change, where none can."""

    def path(self, root: Path) -> Path:
        """The file that it changes, in a copy of the tree."""
        return root / PACKAGE / self.file

    def mutated(self, root: Path) -> str:
        """The text of the changed file."""
        path = self.path(root)
        if not path.is_file():
            raise DoesNotApply(f"there is no file {PACKAGE / self.file}")
        source = path.read_text(encoding="utf-8")
        if (found := source.count(self.old)) != 1:
            raise DoesNotApply(f"its old text stands {found} times in {PACKAGE / self.file}")
        changed = source.replace(self.old, self.new)
        if changed == source:
            raise DoesNotApply("it changes nothing")
        try:
            compile(changed, self.file, "exec")
        except SyntaxError as error:
            raise DoesNotApply(f"what comes out is not Python: {error}") from None
        return changed
