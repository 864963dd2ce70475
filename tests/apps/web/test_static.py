"""What others wrote is vendored unchanged, with its licence, and all of it is in the wheel."""

import hashlib
import re

import pytest

from banister.apps.web.site import HERE

VENDORED = {
    "htmx.min.js": "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717",
    "htmx.LICENSE.txt": "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
    "uplot.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uplot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uplot.LICENSE.txt": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
}
TEMPLATES = sorted((HERE.parent).glob("*/templates/*.html"))


@pytest.mark.parametrize("name", sorted(VENDORED))
def test_what_others_wrote_is_unchanged(name: str) -> None:
    assert hashlib.sha256((HERE / "static" / name).read_bytes()).hexdigest() == VENDORED[name]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_anything_inline(path: "object") -> None:
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|hx-on|hx-vals=.js", text, re.I)
    for tag in re.findall(r"<script[^>]*>", text):
        assert 'src="/static/' in tag
    assert not re.search(r"(src|href|action)=[\"']?(https?:)?//", text)
    assert "|safe" not in text.replace(" ", "")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_form_that_posts_carries_a_key(path: "object") -> None:
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", text, re.S):
        assert 'name="key"' in form
