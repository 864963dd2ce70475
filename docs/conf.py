"""Sphinx settings: Markdown pages, one theme, no outside request."""

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
