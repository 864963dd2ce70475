"""Invitations as QR codes, drawn here and asked from nobody."""

import segno
from markupsafe import Markup


def qr_code(text: str) -> Markup:
    """The picture as SVG that can stand in a page; dark on light in every colour scheme, as cameras want it."""
    drawn = segno.make(text, error="m").svg_inline(scale=4, border=4, dark="#000", light="#fff", omitsize=True)
    return Markup(drawn)  # It holds squares alone.
