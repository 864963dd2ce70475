"""Ask: what to expect, refusals in the library's words, a price in words, and one payment for one form."""

import contextlib
import io
import re
import threading
import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.requests import Request

import banister as bn
from banister.apps.studio.ask import AskPages
from banister.apps.studio.gains import other_bounds
from banister.apps.studio.kept import PREFIX, KeptAnswers
from banister.apps.studio.questioning import completions
from banister.apps.studio.same import same_release
from banister.apps.studio.site import studio
from banister.apps.studio.till import StudioTill
from banister.apps.studio.warmer import Warmer
from banister.apps.studio.workbench import AskForm, Workbench, decimal, digits_up, nearest, steps_to
from banister.apps.web.gate import Place
from banister.apps.web.jobs import Job, Teller
from banister.errors import BadValue
from banister.release.answering.wording import number
from tests.apps.studio.place import QUESTION, at_work, charges, fields, released, schema
from tests.apps.web.visit import OURS, PORT

HTMX = {**OURS, "hx-request": "true"}


def test_the_plan_is_that_of_the_library(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    page = visitor.post("/ask/plan", data=fields(site), headers=HTMX).text
    plan = bn.open(path).plan(QUESTION, epsilon="0.1")
    half = plan.parts[0].forecasts(plan.sizes[1], plan.confidence)[0].half_width
    assert f"± {half:.4g}" in page
    assert "There is no ledger yet: the first release makes it. The budget allows it" in page
    assert not (tmp_path / "people.ledger").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"question": ""}, "Write a question first"),
        ({"question": "/etc/secret.sql"}, "a page does not read the file of a question"),
        ({"question": "SELECT height FROM data"}, "height"),
        ({"question": "DROP TABLE data"}, "DROP"),
        ({"epsilon": ""}, "Say what the answers may cost"),
        ({"epsilon": "-1"}, "epsilon = -1"),
        ({"epsilon": "a lot"}, "epsilon"),
        ({"delta": "2"}, "delta = 2"),
        ({"confidence": "3"}, "confidence = 3"),
        ({"question": "SELECT COUNT(*) FROM data ORDER BY age"}, "Add it to GROUP BY"),
    ],
)
def test_refusals_appear_in_the_page_in_the_same_words(tmp_path: Path, more: dict[str, str], words: str) -> None:
    site, visitor = at_work(schema(tmp_path))
    answer = visitor.post("/ask/plan", data=fields(site, **more), headers=HTMX)
    assert answer.status_code == 200
    (field,) = {"question", "epsilon", "delta", "confidence"} & set(more)
    told = re.search(rf'id="said-{field}" data-said="{field}" role="alert"[^>]*>([^<]*)<', answer.text)
    assert told is not None, "at the field that it is about"
    assert words in told.group(1)
    assert answer.text.count('role="alert"') == 1


def test_a_column_that_is_not_there_is_refused_with_its_place(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    question = "SELECT plan, COUNT(*) AS n\nFROM data\nWHERE height > 3 GROUP BY plan"
    page = visitor.post("/ask/plan", data=fields(site, question=question), headers=HTMX).text
    assert "line 3, column 7" in page
    assert "WHERE <mark>height</mark> &gt; 3 GROUP BY plan" in page


def test_an_accuracy_gives_an_epsilon_that_reaches_it(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    page = visitor.post("/ask/within", data=fields(site, within="20 %"), headers=HTMX)
    epsilon = re.search(r'name="epsilon" value="([^"]+)"', page.text)
    assert epsilon is not None
    assert page.headers["hx-trigger-after-settle"] == "planned"
    plan = bn.open(path).plan(QUESTION, epsilon=epsilon.group(1))
    size = plan.sizes[1]
    assert plan.parts[0].forecasts(size, plan.confidence)[0].half_width <= 0.2 * size


def test_an_accuracy_that_cannot_be_had_leaves_the_form_as_it_was(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    for within, words in (("0.001", "budget"), ("a lot", "within"), ("", "within")):
        page = visitor.post("/ask/within", data=fields(site, within=within), headers=HTMX).text
        assert 'name="epsilon" value="0.1"' in page
        assert words in page[page.index('role="alert"') :]


def test_other_bounds_for_a_person_are_those_of_another_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Workbench()
    bench.take("demo")
    asked = AskForm(question="SELECT plan, COUNT(*) AS n FROM data GROUP BY plan", epsilon="0.5")
    (table,) = other_bounds(bench, asked)
    assert [(row.groups, row.rows) for row in table.rows if row.now] == [(1, 5)]
    text = bench.path.read_text().replace("rows = 5", "rows = 10")
    bench.path.with_name("ten.toml").write_text(text)
    plan = bn.open(bench.path.with_name("ten.toml")).plan(asked.question, epsilon="0.5")
    wide = plan.parts[0].forecasts(plan.sizes[1], plan.confidence)[0].half_width
    (ten,) = (row for row in table.rows if (row.groups, row.rows) == (1, 10))
    assert ten.widths == (f"± {number(wide)}",)


def test_how_it_is_done_is_told_to_who_asks(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    page = visitor.post("/ask/how", data=fields(site), headers=HTMX).text
    assert "Noise, cell by cell" in page
    assert "If more or less" not in page, "one row is one person here"


def test_words_that_complete_are_the_schemas_and_can_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Workbench()
    bench.take("demo")
    words = completions(bench)
    assert {"visits", "person_id", "'free'", "TRUE", "COUNT(DISTINCT person_id)", "MEDIAN(", "GROUP BY"} <= set(words)
    assert len(words) == len(set(words))
    bench.dataset.questions("SELECT plan, COUNT(DISTINCT person_id) FROM data WHERE health = 'good' GROUP BY plan")


def test_a_question_is_put_together_from_groups_and_measures(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    data = {"key": site.forms.key(), "group": ["plan", "age", "no such"], "measure": ["rows", "mean age", "median age"]}
    page = visitor.post("/ask/built", data=data, headers=HTMX).text
    question = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.S)
    assert question is not None
    assert question.group(1) == (
        "SELECT BIN(age), plan, COUNT(*) AS n, AVG(age) AS mean_age, QUANTILE(age, 0.5) AS median_age\n"
        "FROM data\nGROUP BY BIN(age), plan"
    )
    checked = visitor.post("/ask/plan", data=fields(site, question=question.group(1)), headers=HTMX).text
    assert "What to expect at epsilon 0.1" in checked


def test_the_price_is_asked_once_in_words_and_can_be_gone_back_from(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    where = visitor.post("/ask/price", data=fields(site, epsilon="0.123"), headers=OURS).headers["location"]
    page = visitor.get(where).text
    assert page == visitor.get(where).text, "a reload is harmless"
    assert "Pay epsilon 0.123 and release" in page
    assert "factor of at most 1.131" in page, "e^0.123 = 1.13088, rounded up"
    assert charges(visitor) == 0
    back = re.search(r'href="(/ask\?draft=[^"]+)"', page)
    assert back is not None
    assert 'value="0.123"' in visitor.get(back.group(1)).text
    key = re.search(r'name="key" value="([^"]+)"', page)
    assert key is not None
    answer = released(site, visitor, fields(site, epsilon="0.123", key=key.group(1)))
    assert visitor.get(where).headers["location"] == answer, "what was paid leads to its answer"


def test_a_release_ends_on_its_report_and_is_in_the_account(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    where = released(site, visitor, fields(site))
    page = visitor.get(where).text
    assert "What this gives away" in page
    assert "&lt;b&gt;paid&lt;/b&gt;" in page
    assert "<b>paid</b>" not in page
    assert visitor.get(f"{where}/answers-1.csv").text.startswith("plan,n,n_low,n_high\n")
    report = visitor.get(f"{where}/report.html")
    assert "'sha256-" in report.headers["content-security-policy"]
    assert "unsafe-inline" not in report.headers["content-security-policy"]
    assert charges(visitor) == 1
    assert where in visitor.get("/account").text


def test_what_is_downloaded_is_verified_by_its_certificate(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    where = released(site, visitor, fields(site))
    there = tmp_path / "downloads"
    there.mkdir()
    for name in ("report.html", "answers-1.csv", "answers.certificate"):
        (there / name).write_bytes(visitor.get(f"{where}/{name}").content)
        assert f"{where}/{name}" in visitor.get(where).text
    said = bn.audit.verify(there / "answers-1.csv")
    assert "line 1 of a ledger charges" in said
    assert "report.html is as it was certified." in said
    report = there / "report.html"
    report.write_bytes(report.read_bytes().replace(b"epsilon", b"epsilom", 1))
    with pytest.raises(BadValue, match=r"report\.html was changed after it was certified"):
        bn.audit.verify(report)


def test_a_form_that_is_sent_often_is_paid_once(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    form = fields(site)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(released(site, visitor, form))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.append(released(site, visitor, form))
    assert len(found) == 5
    assert len(set(found)) == 1
    assert charges(visitor) == 1


def test_another_question_by_the_same_form_is_refused_and_costs_nothing(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    form = fields(site)

    def refused(tell: Teller) -> str:
        raise BadValue("The database is away.")

    key = site.forms.checked(form["key"])
    KeptAnswers(tmp_path / "people.toml").asks(key, AskForm(question=QUESTION, epsilon="0.2"))
    site.jobs.once(key, lambda: Job("t", refused, again="/")).wait(10)
    answer = visitor.post("/ask/release", data=form, headers=OURS)
    assert "Another question was asked by this form before" in answer.text
    assert charges(visitor) == 0


def test_what_does_not_fit_is_refused_and_costs_nothing(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path, budget="0.15"))
    released(site, visitor, fields(site))
    answer = visitor.post("/ask/release", data=fields(site), headers=OURS)
    job = site.jobs.find(answer.headers["location"].removeprefix("/work/"))
    assert "does not fit the budget" in job.wait(60).refusal
    assert "does not fit the budget" in visitor.get(answer.headers["location"]).text
    assert charges(visitor) == 1


def test_a_server_that_dies_after_the_charge_draws_once_and_charges_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    form = fields(site)
    key = site.forms.checked(form["key"])
    with monkeypatch.context() as patched:
        patched.setattr(KeptAnswers, "keep", lambda *given, **more: (_ for _ in ()).throw(BadValue("killed")))
        visitor.post("/ask/release", data=form, headers=OURS)
        assert site.jobs.find(key).wait(60).refusal == "killed"
    again, owner_again = at_work(path)
    assert f'<a href="/answers/{key}">draw it' in owner_again.get("/account").text
    assert "Paid, and not drawn yet" in owner_again.get(f"/answers/{key}").text
    drawn = owner_again.post(f"/answers/{key}/draw", data={"key": again.forms.key()}, headers=OURS)
    assert again.jobs.find(key).wait(60).result == f"/answers/{key}"
    assert drawn.status_code == 303
    first = owner_again.get(f"/answers/{key}/answers-1.csv").text
    owner_again.post(f"/answers/{key}/draw", data={"key": again.forms.key()}, headers=OURS)
    assert owner_again.get(f"/answers/{key}/answers-1.csv").text == first
    assert charges(owner_again) == 1


def test_what_was_never_paid_is_not_drawn(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    released(site, visitor, fields(site))
    key = "0" * 32
    KeptAnswers(path).asks(key, AskForm(question=QUESTION, epsilon="0.5"))
    assert "Nothing was paid here" in visitor.get(f"/answers/{key}").text
    answer = visitor.post(f"/answers/{key}/draw", data={"key": site.forms.key()}, headers=OURS)
    assert "Nothing was paid under this name" in answer.text
    assert charges(visitor) == 1


def test_a_release_is_stopped_before_it_is_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from banister.release import run

    site, visitor = at_work(schema(tmp_path))
    form = fields(site)
    key = site.forms.checked(form["key"])
    begun, hold = threading.Event(), threading.Event()
    add_up = run._add_up

    def slow(*given: "object") -> "object":
        begun.set()
        hold.wait(20)
        return add_up(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "_add_up", slow)
    visitor.post("/ask/release", data=form, headers=OURS)
    assert begun.wait(20)
    assert site.jobs.find(key).state.stage.startswith("adding up")
    assert visitor.post(f"/work/{key}/stop", data={"key": site.forms.key()}, headers=OURS).status_code == 303
    hold.set()
    assert site.jobs.find(key).wait(60).refusal == "It was stopped. Nothing was paid."
    assert not (tmp_path / "people.ledger").exists()
    assert "There is no ledger" in visitor.get("/account").text


@pytest.mark.parametrize("key", ["..", "x", "A" * 32, "%2e%2e%2fhealth", "0" * 31, "0" * 33])
def test_a_key_names_no_other_file(tmp_path: Path, key: str) -> None:
    _, visitor = at_work(schema(tmp_path))
    assert visitor.get(f"/answers/{key}/report.html").status_code in (404, 422)
    with pytest.raises(BadValue, match="no answer under this name"):
        KeptAnswers(tmp_path / "people.toml").find(key)


def test_the_python_that_is_shown_runs_and_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = schema(tmp_path)
    monkeypatch.chdir(tmp_path)
    asked = AskForm(
        question=f"{QUESTION};\nSELECT COUNT(*) AS n FROM data", epsilon="0.1", delta="1e-7", confidence="90%"
    )
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(same_release(asked, str(path)).python, {})
    assert "Plan at (0.1, " in said.getvalue()
    assert (tmp_path / "answers.html").exists()
    assert bn.open(path).remaining().charges == 1


def test_the_command_that_is_shown_runs_and_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    from typer.testing import CliRunner

    from banister.apps.cli import build

    path = schema(tmp_path)
    monkeypatch.chdir(tmp_path)
    asked = AskForm(question="SELECT COUNT(*) AS n\nFROM data WHERE plan = 'free'", epsilon="1/10", confidence="0.9")
    words = shlex.split(same_release(asked, str(path)).command.replace("\\\n", " "))
    done = CliRunner().invoke(build(), words[1:])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "answers.csv").exists()


def test_the_ledger_knows_the_form_by_its_key(tmp_path: Path) -> None:
    path = schema(tmp_path)
    site, visitor = at_work(path)
    form = fields(site)
    released(site, visitor, form)
    with bn.open(path).ledger() as ledger:
        assert [entry.key for entry in ledger.history()] == [PREFIX + site.forms.checked(form["key"])]


def test_the_other_places_of_the_slider_are_planned_ahead(tmp_path: Path) -> None:
    """So that moving it finds its plans; who asks meanwhile comes first, and is not kept waiting for all of them."""
    bench = Workbench()
    bench.take(str(schema(tmp_path)))
    site = studio(Place.loopback(PORT))
    warm = Warmer(site, bench)
    pages = AskPages(site, bench, StudioTill(site, bench), ahead=warm)
    pages._plan(Request({"type": "http"}), AskForm(question=QUESTION, epsilon="0.1"))
    deadline = time.monotonic() + 60
    while len(bench._plans) < len(bench.steps()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    before = set(bench._plans)
    pages.site.mathematics.acquire()
    try:
        warm.begins()
        warm.after(AskForm(question="SELECT COUNT(*) AS n FROM data", epsilon="0.1"))
        warm.begins()
    finally:
        pages.site.mathematics.release()
    time.sleep(0.5)
    assert len(set(bench._plans) - before) <= 1


def test_the_slider_has_even_steps_up_to_the_budget() -> None:
    steps = [Fraction(step) for step in steps_to(Fraction(7, 10))]
    ratios = [later / earlier for earlier, later in pairwise(steps)]
    assert steps[-1] == Fraction(7, 10)
    assert Fraction(7, 1000) <= steps[0] < Fraction(8, 1000)
    assert max(ratios[:-1]) <= Fraction(115, 100)
    assert nearest(("0.1", "0.2", "0.4"), "0.27") == 1


@pytest.mark.parametrize("value", ["1/8", "3", "0.00001", "1/3", "123456789/1000"])
def test_a_decimal_is_the_number_it_shows(value: str) -> None:
    assert Fraction(decimal(Fraction(value))) == Fraction(value)
    assert Fraction(value) <= Fraction(digits_up(Fraction(value))) <= Fraction(value) * Fraction(102, 100)


def test_a_second_tab_that_opens_another_table_ends_the_forms_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = schema(tmp_path / "other").rename(tmp_path / "other" / "others.toml")
    site, visitor = at_work(schema(tmp_path))
    form = fields(site)
    where = released(site, visitor, fields(site))
    opened = visitor.post("/open", data={"key": site.forms.key(), "path": str(other)}, headers=OURS)
    assert opened.status_code == 303
    for path in ("/ask/plan", "/ask/price", "/ask/release", "/look/release", "/publish/release"):
        answer = visitor.post(path, data=form, headers=OURS)
        assert "Another table was opened since this page was loaded" in answer.text
        assert "&#39;people.toml&#39;" in answer.text
    assert not (tmp_path / "other" / "people.ledger").exists()
    assert "It may be about another table" in visitor.get(where).text
    visitor.post("/open", data={"key": site.forms.key(), "path": str(tmp_path / "people.toml")}, headers=OURS)
    assert "Private answers" in visitor.get(where).text, "nothing is lost"
    assert charges(visitor) == 1


def test_a_table_that_goes_away_before_a_release_costs_nothing(tmp_path: Path) -> None:
    site, visitor = at_work(schema(tmp_path))
    (tmp_path / "people.csv").rename(tmp_path / "elsewhere.csv")
    form = fields(site)
    answer = visitor.post("/ask/release", data=form, headers=OURS)
    where = answer.headers["location"]
    state = site.jobs.find(where.removeprefix("/work/")).wait(60)
    assert "people.csv" in state.refusal
    assert not state.result
    assert charges(visitor) == 0
    (tmp_path / "elsewhere.csv").rename(tmp_path / "people.csv")
    assert released(site, visitor, form).startswith("/answers/"), "the same form goes on where it stopped"
    assert charges(visitor) == 1
