"""Pictures in posts: drawn anew from their dots alone, so that nothing else of the file is left, and made small enough.

A file from a camera tells place, time and maker, and its encoding tells the program. Every picture here is decoded,
turned upright, made smaller where it must be and encoded anew, by the same few settings for everybody.
"""

import io
import warnings

from PIL import Image, ImageDraw, ImageOps

from banister import need
from banister.errors import BadValue

LARGEST_FILE = 30_000_000
MOST_DOTS = 50_000_000
"""A file that unfolds to more is refused before it does."""
LARGEST = 100_000
"""Bytes of a picture in a post."""
SIDES = (1600, 1200, 900, 640, 480, 320)
QUALITIES = (80, 65, 50, 35)
KINDS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
"""What is read; everything else stays closed."""
UNREADABLE = (OSError, ValueError, TypeError, SyntaxError, Warning, Image.DecompressionBombError)
_VIDEO = {b"ftyp": 4, b"\x1aE\xdf\xa3": 0, b"AVI ": 8, b"FLV": 0, b"\x00\x00\x01\xba": 0, b"OggS": 0}


def picture_of(file: bytes) -> bytes:
    """The picture of a file as it goes into a post: JPEG, at most 100 kB, with nothing but its dots."""
    if any(file[at : at + len(mark)] == mark for mark, at in _VIDEO.items()):
        raise BadValue(
            "A video is not taken: at one frame a tick a megabyte would keep every link busy for an hour and more. "
            "Take a picture out of it, or say where it can be found."
        )
    if len(file) > LARGEST_FILE:
        raise BadValue(f"The file has {len(file):,} bytes; {LARGEST_FILE:,} is the most. Make it smaller first.")
    drawn = _opened(file)
    for side in SIDES:
        smaller = drawn.copy()
        smaller.thumbnail((side, side))
        for quality in QUALITIES:
            out = io.BytesIO()
            smaller.save(out, "JPEG", quality=quality, optimize=False, progressive=False)
            if out.tell() <= LARGEST:
                return out.getvalue()
    raise BadValue("The picture stays above 100 kB however small it is made. Take another.")


def is_picture(data: bytes) -> bool:
    """Whether bytes of a post are a picture such as `picture_of` makes; it is looked at before any page shows it."""
    if len(data) > LARGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Image.open(io.BytesIO(data), formats=("JPEG",)) as found:
                return found.width <= max(SIDES) and found.height <= max(SIDES) and not found.getexif()
    except UNREADABLE:
        return False


def icon(side: int) -> bytes:
    """The sign of the pages as a PNG, for a phone's home screen: the steps of `icon.svg` on a square field."""
    dots = Image.new("RGB", (4 * side, 4 * side), "#2f6f8f")
    steps = [(3, 11.5), (5.5, 11.5), (5.5, 9), (8, 9), (8, 6.5), (10.5, 6.5), (10.5, 4), (13, 4)]
    unit = side / 4
    ImageDraw.Draw(dots).line(
        [(x * unit, y * unit) for x, y in steps], fill="white", width=round(1.3 * unit), joint="curve"
    )
    out = io.BytesIO()
    dots.resize((side, side), Image.Resampling.LANCZOS).save(out, "PNG")
    return out.getvalue()


def _opened(file: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Whatever the library finds odd about a file is reason enough.
            with Image.open(io.BytesIO(file), formats=KINDS) as found:
                dots_in_all = found.width * found.height
                need.whole("dots", dots_in_all, least=1, most=MOST_DOTS, hint="Make the picture smaller first.")
                upright = ImageOps.exif_transpose(found)
                dots = upright.convert("RGBA")
                plain = Image.new("RGB", dots.size, "white")
                plain.paste(dots, mask=dots.getchannel("A"))
                return plain
    except BadValue:
        raise
    except UNREADABLE:
        raise BadValue("This file is no picture that is read here: take a JPEG, PNG, WebP or GIF.") from None
