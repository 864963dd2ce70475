"""The bundled table: the RAND Health Insurance Experiment, with a schema and a question."""

from importlib import resources
from pathlib import Path

from banister.errors import BadValue
from banister.files import folder as made_folder
from banister.files import whole_bytes

FILES = ("randhie.parquet", "health.toml", "questions.sql")


def write_demo(folder: str | Path) -> list[Path]:
    """Copy the demo's files into a new folder; nothing that is there is overwritten."""
    target = Path(folder)
    taken = [name for name in FILES if (target / name).exists()]
    if taken:
        raise BadValue(f"'{target / taken[0]}' is there already. Name another folder: banister demo <folder>.")
    for name in FILES:
        whole_bytes(made_folder(target) / name, (resources.files("banister") / "demo" / name).read_bytes())
    return [target / name for name in FILES]
