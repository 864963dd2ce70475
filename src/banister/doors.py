"""The one way to open a door: a package's stub lists its public names, and each is loaded when first asked for."""

from collections.abc import Callable

import lazy_loader


def opened(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from the `.pyi` file beside its `__init__.py`."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def found(name: str) -> object:
        if name not in names:  # Also asked by the import system, which then looks for a module of that name.
            raise AttributeError(f"{package} has no '{name}'. It has: {', '.join(names)}.")
        value: object = load(name)
        return value

    return found, listed, names
