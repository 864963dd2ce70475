"""Sphinx settings: Markdown pages, one theme, no outside request."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from docstrings import turned

project = "banister"
author = "The banister authors"
copyright = "2026, the banister authors"  # noqa: A001
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_math_renderer = "mathjax"
extensions.append("sphinx.ext.mathjax")
exclude_patterns = ["_build"]
nitpicky = False
# Signatures are shown as they are written: names of types that are lists of a dozen types help nobody.
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"


def setup(app: Any) -> None:
    def plain(app: Any, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
        lines[:] = turned(lines)

    app.connect("autodoc-process-docstring", plain)
