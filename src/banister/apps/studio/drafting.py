"""My table: a file or a database becomes a schema, by questions in plain words, beside the text that they write."""

import hashlib
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from banister.apps.studio.same import Same
from banister.apps.studio.workbench import Workbench
from banister.apps.web.site import Site
from banister.errors import BadValue, BanisterError
from banister.files import Access, folder, new_bytes, new_text
from banister.foreign import parse_toml
from banister.tables.blanks import blanks_in
from banister.tables.schema import Schema

if TYPE_CHECKING:
    from banister.release.drafting.draft import Draft

HERE = "/"
PAGE = "/table"
ENDINGS = (".csv", ".parquet", ".duckdb")
OF_THE_FILE = ("encoding", "separator", "decimal")
"""Questions that are nearly always answered already: they stand aside."""
_NAME = re.compile(r"[\w][\w .-]{0,120}")


@dataclass(slots=True, kw_only=True)
class OpenDraft:
    """The table that a schema is being written for, and what was answered so far."""

    place: str
    inner: str
    target: Path
    draft: "Draft"
    faults: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, place: str, inner: str = "") -> "OpenDraft":
        """Begin: names and types are read, no value is."""
        from banister.release.drafting.draft import draft

        server = "://" in place or place.startswith("spark:")
        stem = inner.rpartition(".")[2] or "table"
        target = Path(f"{stem}.toml") if server else Path(place).with_suffix(".toml")
        return cls(place=place, inner=inner, target=target, draft=draft(place, table=inner, out=target))

    def answered(self, given: "dict[str, str]") -> "OpenDraft":
        """The same with all answers of the form; what cannot be read stays open, with the reason at its field."""
        begun, faults = replace(self.draft, answers={}), {}
        while (question := begun.next) is not None:
            text = given.get(field_of(question.key), "")
            try:
                begun = begun.answer(question.key, text)
            except BadValue as error:
                faults[question.key] = str(error)
                begun = replace(begun, answers={**begun.answers, question.key: ""})
        return replace(self, draft=begun, faults=faults)


def field_of(key: str) -> str:
    """The name of a question's field: a column may be called anything, a field may not."""
    return "q" + hashlib.sha256(key.encode()).hexdigest()[:12]


class DraftPages:
    """The routes of this page."""

    def __init__(self, site: Site, bench: Workbench) -> None:
        self.site = site
        self.bench = bench
        self.open: OpenDraft | None = None
        add = site.app.add_api_route
        add(PAGE, self.show, methods=["GET"], response_model=None)
        add(f"{PAGE}/upload", self.upload, methods=["POST"], response_model=None)
        add(f"{PAGE}/answers", self.answers, methods=["POST"], response_model=None)
        add(f"{PAGE}/look", self.look, methods=["POST"], response_model=None)
        add(f"{PAGE}/check", self.check, methods=["POST"], response_model=None)
        add(f"{PAGE}/save", self.save, methods=["POST"], response_model=None)

    def begin(self, place: str, inner: str = "") -> None:
        """Begin a draft for a table that has no schema yet."""
        self.open = OpenDraft.of(place, inner)
        if self.open.target.exists():
            raise BadValue(f"'{self.open.target}' is there already: open that schema, or take it away first.")

    def show(self) -> Response:
        """The form beside the text."""
        if self.open is None:
            return RedirectResponse(HERE, status_code=303)
        return self.site.page("table.html", here=HERE, title="My table", **self._facts(self.open.answered({})))

    async def upload(self, request: Request) -> Response:
        """Keep a file that was dropped, in the folder that the owner says and nowhere else; never over another."""
        form = await self.site.form(request)
        given, place = form.get("file"), str(form.get("folder", "")).strip()
        try:
            self.begin(str(await _kept(given, place)))
        except BanisterError as error:
            facts = {"path": "", "refusal": str(error)}
            return self.site.page("open.html", 422, here=HERE, title="Open a table", **facts)
        finally:
            await form.close()
        return RedirectResponse(PAGE, status_code=303)

    async def answers(self, request: Request) -> Response:
        """The form anew, as the answers so far lead on; and the text that they write."""
        fields = await self.site.fields(request)
        return await self.site.computed(lambda: self._answered(fields))

    def _answered(self, fields: "dict[str, str]") -> Response:
        self.open = self._begun().answered(fields)
        return self.site.page("table-form.html", **self._facts(self.open))

    async def look(self, request: Request) -> Response:
        """The owner lets it look at the data: proposals are taken from there, and marked so."""
        fields = await self.site.fields(request)

        def looked() -> Response:
            from banister.release.drafting.looked import look_as_owner

            begun = self._begun()
            seen = look_as_owner(begun.place, begun.draft.found)
            self.open = replace(begun, draft=replace(begun.draft, looked=seen)).answered(fields)
            return self.site.page("table-form.html", **self._facts(self.open))

        return await self.site.computed(looked)

    async def check(self, request: Request) -> Response:
        """Whether the text is a schema, as somebody edits it; a blank that is left is no fault yet."""
        fields = await self.site.fields(request)
        text = fields.get("text", "").replace("\r\n", "\n")
        blanks = blanks_in(parse_toml(text, "The schema cannot be read"))
        if not blanks:
            Schema.of_text(text)
        return self.site.page("table-said.html", target=self._begun().target, blanks=blanks)

    async def save(self, request: Request) -> Response:
        """Write the schema, never over another, and open it."""
        fields = await self.site.fields(request)
        return await self.site.computed(lambda: self._save(fields.get("text", "").replace("\r\n", "\n")))

    def _save(self, text: str) -> Response:
        begun = self._begun()
        Schema.of_text(text)
        try:
            new_text(begun.target, text)
        except FileExistsError:
            raise BadValue(f"'{begun.target}' is there already. Take it away first, or open it as it is.") from None
        self.bench.take(str(begun.target))
        self.open = None
        return RedirectResponse("/ask", status_code=303)

    def _begun(self) -> OpenDraft:
        if self.open is None:
            raise BadValue("No table is being described. Name one on the first page.")
        return self.open

    def _facts(self, begun: OpenDraft) -> dict[str, object]:
        columns = set(begun.draft.found.names)
        groups: dict[str, list[object]] = {"": []}
        reading = [question for question in begun.draft.questions if question.key in OF_THE_FILE]
        for question in begun.draft.questions:
            if question.key in OF_THE_FILE:
                continue
            column = question.key.rpartition(".")[0]
            groups.setdefault(column if column in columns else "", []).append(question)
        return {
            "begun": begun,
            "groups": [(name, found) for name, found in groups.items() if found],
            "reading": reading,
            "blanks": begun.draft.blanks,
            "field_of": field_of,
            "text": begun.draft.text(),
            "same": _same(begun),
        }


def _same(begun: OpenDraft) -> Same:
    import shlex

    inner = f" --table {shlex.quote(begun.inner)}" if begun.inner else ""
    return Same(
        command=f"banister draft {shlex.quote(begun.place)}{inner} --out {shlex.quote(str(begun.target))}",
        python="from pathlib import Path\n\nimport banister as bn\n\n"
        f"begun = bn.draft({begun.place!r}, table={begun.inner!r}, out={str(begun.target)!r})\n"
        "for question in begun.questions:\n    print(question.key, question.ask)\n"
        "done = begun.with_proposals()  # begun.answer(key, text) says what only you know\n"
        f"Path({str(begun.target)!r}).write_text(done.text())",
    )


async def _kept(given: object, place: str) -> Path:
    if not isinstance(given, UploadFile) or not given.filename:
        raise BadValue("Choose a file first.")
    name = Path(given.filename).name
    if not (_NAME.fullmatch(name) and name.lower().endswith(ENDINGS)):
        raise BadValue(f"The file must be called something like stays.csv: letters, digits, and {', '.join(ENDINGS)}.")
    if not place:
        raise BadValue("Say in which folder to keep the file; it is kept nowhere else.")
    target = folder(Path(place)) / name
    try:
        new_bytes(target, await given.read(), access=Access.OWNER)
    except FileExistsError:
        raise BadValue(f"'{target}' is there already. Open it by its path, or choose another folder.") from None
    return target
