"""Other packages, in an environment of their own under build/, so that they never mix with ours."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1] / "build" / "peers"


def wanted() -> bool:
    """Whether the run was asked to measure peers."""
    return "--peers" in sys.argv


def install(packages: list[str]) -> bool:
    """Whether the packages could be installed in the peers' environment."""
    python = HOME / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(HOME)], check=True)
    return subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages]).returncode == 0


def measure(script: str, packages: list[str], *arguments: str) -> dict[str, Any]:
    """Install the packages, run the script of this folder with them, and read the JSON that it prints."""
    python = HOME / "bin" / "python"
    if not install(packages):
        raise SystemExit(f"These could not be installed together: {', '.join(packages)}")
    path = Path(__file__).parent / script
    done = subprocess.run([str(python), str(path), *arguments], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found
