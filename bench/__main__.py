"""`make bench`: every benchmark of this folder, or those named. Ratios are measured side by side in one run.

python -m bench                 all of them
python -m bench noise ledger    some of them
python -m bench noise --peers   with peer packages, in an environment of their own
"""

import sys
from importlib import import_module
from pkgutil import iter_modules

import bench


def main() -> None:
    words = sys.argv[1:]
    wanted = [word for word in words if not word.startswith("-")]
    for found in iter_modules(bench.__path__):
        module = import_module(f"bench.{found.name}") if not found.name.startswith(("__main__", "peer_")) else None
        if module is None or not hasattr(module, "main") or (wanted and found.name not in wanted):
            continue
        print(f"\n== {found.name}: {(module.__doc__ or '').strip().splitlines()[0]}")
        module.main()


if __name__ == "__main__":
    main()
