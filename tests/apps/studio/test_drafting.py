"""My table: a file without a schema is described by questions, beside the text that they write."""

import re
from pathlib import Path

import pytest

import banister as bn
from banister.apps.studio.drafting import field_of
from banister.apps.studio.site import studio
from banister.apps.web.gate import Place
from banister.apps.web.site import Site
from tests.apps.web.visit import OURS, PORT, owner

HTMX = {**OURS, "hx-request": "true"}
ANSWERS = {
    "person": "each row",
    "neighbours": "add-remove",
    "age.kind": "integer",
    "age.range": "0 to 120",
    "ward.kind": "category",
    "ward.values": "north, south",
    "epsilon": "1",
    "delta": "0",
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "stays.csv"
    path.write_text("age,ward\n" + "34,north\n61,south\n" * 50)
    return path


def sent(site: Site, **more: str) -> dict[str, str]:
    answers = {**ANSWERS, **{name.replace("__", "."): value for name, value in more.items()}}
    return {"key": site.forms.key(), **{field_of(key): value for key, value in answers.items()}}


def written(page: str) -> str:
    from html import unescape

    found = re.search(r'<textarea id="text"[^>]*>(.*?)</textarea>', page, re.S)
    assert found is not None
    return unescape(found.group(1))


def test_a_table_is_described_saved_and_asked(table: Path) -> None:
    site = studio(Place.loopback(PORT), str(table))
    visitor = owner(site)
    assert visitor.get("/").headers["location"] == "/table"
    page = visitor.get("/table").text
    assert "Which column says whom a row is about?" in page
    assert "61" not in written(page), "no value was read"
    last = page.index("How the file is read")
    assert page.count("Which sign stands between two values?") == 1
    assert page.index("Which sign stands between two values?") > last > page.index("Which column says whom")
    page = visitor.post("/table/answers", data=sent(site), headers=HTMX).text
    text = written(page)
    assert (
        "This is a schema"
        in visitor.post("/table/check", data={"key": site.forms.key(), "text": text}, headers=HTMX).text
    )
    saved = visitor.post("/table/save", data={"key": site.forms.key(), "text": text}, headers=OURS)
    assert saved.headers["location"] == "/ask", saved.text
    assert table.with_suffix(".toml").read_text() == text
    plan = bn.open(table.with_suffix(".toml")).plan("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon="0.1")
    assert plan.guarantee.epsilon == bn.Guarantee("0.1").epsilon
    assert "ward" in visitor.get("/ask").text


def test_a_wrong_answer_is_refused_at_its_field_and_the_rest_stays(table: Path) -> None:
    site = studio(Place.loopback(PORT), str(table))
    visitor = owner(site)
    page = visitor.post("/table/answers", data=sent(site, age__range="old"), headers=HTMX).text
    field = page[page.index(f'id="{field_of("age.range")}"') :]
    assert 'aria-invalid="true"' in field[:300]
    assert field.index('role="alert"') < field.index(f'id="{field_of("ward.kind")}"')
    assert "Still open:" in page
    told = visitor.post("/table/check", data={"key": site.forms.key(), "text": written(page)}, headers=HTMX).text
    assert "refusal" not in told, "a blank is no fault yet"
    assert "age" in told
    assert "north" in written(page)


def test_the_owner_may_let_it_look_and_the_schema_says_so(table: Path) -> None:
    site = studio(Place.loopback(PORT), str(table))
    visitor = owner(site)
    page = visitor.post("/table/look", data=sent(site, age__range="", ward__values=""), headers=HTMX).text
    assert "Proposed from the data." in page
    assert "north" in written(page)


def test_text_that_is_no_schema_is_refused_and_nothing_is_written(table: Path) -> None:
    site = studio(Place.loopback(PORT), str(table))
    visitor = owner(site)
    for path, headers in (("/table/check", HTMX), ("/table/save", OURS)):
        told = visitor.post(path, data={"key": site.forms.key(), "text": "[source]\nx = 1"}, headers=headers).text
        assert "refusal" in told
    assert not table.with_suffix(".toml").exists()


def test_a_schema_that_is_there_is_opened_and_never_written_over(table: Path) -> None:
    site = studio(Place.loopback(PORT), str(table))
    visitor = owner(site)
    text = written(visitor.post("/table/answers", data=sent(site), headers=HTMX).text)
    table.with_suffix(".toml").write_text(text + "# mine\n")
    told = visitor.post("/table/save", data={"key": site.forms.key(), "text": text}, headers=OURS).text
    assert "is there already" in told
    assert table.with_suffix(".toml").read_text().endswith("# mine\n")
    opened = owner(studio(Place.loopback(PORT), str(table)))
    assert "stays.toml" in opened.get("/").text


def test_a_dropped_file_is_kept_where_the_owner_says_and_nowhere_else(tmp_path: Path) -> None:
    site = studio(Place.loopback(PORT))
    visitor = owner(site)
    data = {"key": site.forms.key(), "folder": str(tmp_path / "mine")}
    file = {"file": ("stays.csv", b"age,ward\n1,north\n", "text/csv")}
    answer = visitor.post("/table/upload", data=data, files=file, headers=OURS)
    assert answer.headers["location"] == "/table", answer.text
    assert (tmp_path / "mine" / "stays.csv").read_bytes() == b"age,ward\n1,north\n"
    again = visitor.post("/table/upload", data=data, files=file, headers=OURS)
    assert again.status_code == 422
    assert "is there already" in again.text
    for name, folder, words in (
        ("../evil.csv", "", "Say in which folder"),
        ("evil.exe", "x", "must be called"),
        (".csv", "x", "must be called"),
        ("", "x", "Choose a file"),
    ):
        more = {"key": site.forms.key(), "folder": folder}
        told = visitor.post("/table/upload", data=more, files={"file": (name, b"x", "text/csv")}, headers=OURS)
        assert words in told.text or told.status_code == 422
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["stays.csv"]


def test_a_file_too_large_is_refused_in_one_sentence(tmp_path: Path) -> None:
    site = studio(Place.loopback(PORT, most_bytes=2_000))
    visitor = owner(site)
    data = {"key": site.forms.key(), "folder": str(tmp_path)}
    answer = visitor.post("/table/upload", data=data, files={"file": ("a.csv", b"x" * 5_000)}, headers=OURS)
    assert answer.status_code == 413
    assert "The request is larger than 2 kB, the most that is taken. Nothing was kept." in answer.text
    assert not list(tmp_path.iterdir())


def test_a_database_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    site = studio(Place.loopback(PORT))
    visitor = owner(site)
    data = {"key": site.forms.key(), "path": "postgresql://127.0.0.1:1/none", "inner": "stays"}
    answer = visitor.post("/open", data=data, headers=OURS)
    assert answer.status_code == 422
    assert 'class="refusal"' in answer.text
