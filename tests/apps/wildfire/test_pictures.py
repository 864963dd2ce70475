"""Pictures lose everything but their dots, stay small, and hostile files stay closed."""

import io

import pytest
from PIL import Image

from banister.apps.wildfire.content import LARGEST_PICTURE, Text, read_body, write_body
from banister.apps.wildfire.pictures import LARGEST, is_picture, picture_of
from banister.errors import BadValue
from banister.sampling.simulation import seeded
from banister.spread.node.pieces import LONGEST_POST


def file_of(picture: Image.Image, kind: str, **more: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **more)
    return out.getvalue()


NOISE = Image.frombytes("RGB", (700, 500), seeded(1).bytes(700 * 500 * 3))


def test_a_picture_is_small_upright_and_tells_nothing_else() -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0112], exif[0x9003] = "MakerOfCameras", 6, "2026:11:18 07:00:00"
    made = picture_of(file_of(NOISE, "JPEG", quality=95, exif=exif, comment=b"by ann"))
    assert len(made) <= LARGEST == LARGEST_PICTURE
    for word in (b"MakerOfCameras", b"2026", b"by ann", b"Exif"):
        assert word not in made
    shown = Image.open(io.BytesIO(made))
    assert shown.height > shown.width  # It lay on its side.
    assert set(shown.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert is_picture(made)


def test_the_same_dots_give_the_same_bytes_whatever_file_they_came_in() -> None:
    dots = NOISE.resize((200, 100))
    files = [file_of(dots, "PNG"), file_of(dots, "BMP"), file_of(dots, "TIFF"), file_of(dots.convert("RGBA"), "PNG")]
    assert len({picture_of(file) for file in files}) == 1


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (b"\0\0\0 ftypisom" + bytes(100), "A video is not taken: at one frame a tick"),
        (b"\x1aE\xdf\xa3" + bytes(100), "A video is not taken"),
        (b"RIFF....AVI LIST" + bytes(50), "A video is not taken"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "This file is no picture that is read here"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "This file is no picture that is read here"),
        (b"", "This file is no picture that is read here"),
        (file_of(NOISE, "PNG")[:900], "This file is no picture that is read here"),
        (file_of(Image.new("1", (9000, 9000)), "PNG"), "dots = 81000000 must be a whole number from 1 to 50000000"),
    ],
)
def test_what_is_no_picture_is_refused_with_the_reason(file: bytes, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        picture_of(file)


def test_a_picture_goes_in_a_post_and_what_only_claims_to_be_one_is_not_shown() -> None:
    made = picture_of(file_of(NOISE, "PNG"))
    body = write_body(Text("look", b"r" * 32, made))
    assert len(body) <= LONGEST_POST
    assert read_body(body) == Text("look", b"r" * 32, made)
    assert read_body(write_body(Text("", picture=made))) == Text("", b"", made)
    assert read_body(body[:53]) is None
    assert read_body(body + bytes(LARGEST_PICTURE)) is None
    assert not is_picture(b"<script>")
    assert not is_picture(file_of(NOISE, "PNG"))
    with pytest.raises(BadValue, match=r"The picture has 100,001 bytes; 100,000 is the most"):
        write_body(Text("x", picture=bytes(100_001)))
