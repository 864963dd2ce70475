"""What every page shares: refusals in the library's words, forms with keys, quiet surroundings."""

import threading
from collections.abc import Callable

import pytest
from fastapi import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from banister.apps.web.jobs import Job, Teller
from banister.apps.web.site import Site
from banister.apps.web.visitors import Forms
from banister.errors import BadValue, BudgetExceeded
from tests.apps.web.visit import OURS, client, owner, small_site


@pytest.fixture
def site() -> Site:
    return small_site()


def raising(error: Exception) -> Callable[[Request], Response]:
    def handler(request: Request) -> Response:
        raise error

    return handler


def test_a_refusal_is_a_page_with_the_librarys_words_escaped(site: Site) -> None:
    site.app.add_route("/bad", raising(BadValue("epsilon = <b>-1</b> must be above 0.")))
    site.app.add_route("/full", raising(BudgetExceeded("It does not fit.")))
    answer = owner(site).get("/bad")
    assert answer.status_code == 422
    assert "epsilon = &lt;b&gt;-1&lt;/b&gt; must be above 0." in answer.text
    assert owner(site).get("/full").status_code == 409


def test_while_typing_a_refusal_is_a_piece_of_the_page(site: Site) -> None:
    site.app.add_route("/bad", raising(BadValue("No such column.")))
    answer = owner(site).get("/bad", headers={"hx-request": "true"})
    assert (answer.status_code, answer.text.strip()) == (200, '<p class="refusal" role="alert">No such column.</p>')


def test_a_fault_of_ours_shows_its_kind_and_none_of_its_words(site: Site) -> None:
    site.app.add_route("/fault", raising(RuntimeError("row 17: Ada Lovelace")))
    answer = owner(site).get("/fault")
    assert answer.status_code == 500
    assert "RuntimeError" in answer.text
    assert "Lovelace" not in answer.text


def test_a_page_that_is_not_there(site: Site) -> None:
    answer = owner(site).get("/nowhere")
    assert answer.status_code == 404
    assert "There is no such page." in answer.text


def test_the_style_of_reports_is_that_of_pages(site: Site) -> None:
    from banister.show.page import STYLE

    answer = client(site).get("/static/style.css")
    assert answer.headers["content-type"].startswith("text/css")
    assert answer.text.startswith(STYLE)


def test_a_form_key_is_ours_or_refused() -> None:
    forms = Forms()
    key = forms.key()
    assert forms.checked(key) == forms.checked(key) == key.partition(".")[0]
    for other in ("", ".", key[:-1], "x" + key, key.upper(), Forms().key(), "é.ü"):
        with pytest.raises(BadValue, match="This form was not made by this server"):
            forms.checked(other)


def test_nothing_is_told_to_others_whatever_the_surroundings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The framework would send traces to the address in the surroundings; ours is told never to."""
    from opentelemetry import trace
    from opentelemetry.trace import NoOpTracer, TracerProvider

    class Watching(TracerProvider):
        asked = 0

        def get_tracer(self, *args: object, **more: object) -> NoOpTracer:
            Watching.asked += 1
            return NoOpTracer()

    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(trace, "get_tracer_provider", Watching)
    site = small_site()
    with owner(site) as visitor:
        assert visitor.get("/nowhere").status_code == 404
    assert Watching.asked == 0


def waiting(site: Site, key: str, gate: threading.Event, *, result: str = "/done") -> Job:
    def work(tell: Teller) -> str:
        tell("waiting")
        gate.wait(10)
        tell("charging")
        return result

    return site.jobs.once(key, lambda: Job("A long thing", work, again="/ask"))


def test_work_is_watched_and_leads_to_its_result(site: Site) -> None:
    site.app.router.routes.append(Route("/done", lambda request: PlainTextResponse("done")))
    gate = threading.Event()
    job = waiting(site, "k", gate)
    visitor = owner(site)
    assert "waiting" in visitor.get("/work/k").text
    gate.set()
    assert job.wait(10).finished
    assert visitor.get("/work/k").headers["location"] == "/done"
    events = visitor.get("/work/k/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    assert '"finished": true, "result": "/done"' in events.text


def test_events_come_as_things_happen(site: Site) -> None:
    gate = threading.Event()
    waiting(site, "k", gate)
    threading.Timer(0.3, gate.set).start()
    stages = [line for line in owner(site).get("/work/k/events").text.splitlines() if line]
    assert '"stage": "waiting"' in stages[0]
    assert '"stage": "done"' in stages[-1]


def test_work_that_is_stopped_does_not_begin_its_next_stage(site: Site) -> None:
    gate = threading.Event()
    job = waiting(site, "k", gate)
    visitor = owner(site)
    assert visitor.post("/work/k/stop", data={"key": "none"}, headers=OURS).status_code == 422
    assert visitor.post("/work/k/stop", data={"key": site.forms.key()}, headers=OURS).status_code == 303
    gate.set()
    assert job.wait(10).refusal == "It was stopped. Nothing was paid."
    assert "It was stopped. Nothing was paid." in visitor.get("/work/k").text


def test_after_its_last_stage_has_begun_work_is_not_stopped(site: Site) -> None:
    gate, begun = threading.Event(), threading.Event()

    def work(tell: Teller) -> str:
        tell.last("charging")
        begun.set()
        gate.wait(10)
        tell("drawing")
        return "/done"

    job = site.jobs.once("k", lambda: Job("t", work, again="/"))
    assert begun.wait(10)
    job.stop()
    assert not job.state.stoppable
    assert "hidden" in owner(site).get("/work/k").text.partition("data-stop")[2][:10]
    gate.set()
    assert job.wait(10).result == "/done"


def test_under_one_key_a_thing_is_done_once(site: Site) -> None:
    gate = threading.Event()
    made: list[Job] = [waiting(site, "k", gate) for _ in range(3)]
    gate.set()
    assert made[0] is made[1] is made[2]
    made[0].wait(10)
    assert waiting(site, "k", gate) is made[0]


def test_what_ended_in_nothing_may_be_tried_again(site: Site) -> None:
    def refused(tell: Teller) -> str:
        raise BadValue("The database is away.")

    first = site.jobs.once("k", lambda: Job("t", refused, again="/"))
    assert first.wait(10).refusal == "The database is away."
    gate = threading.Event()
    gate.set()
    assert waiting(site, "k", gate).wait(10).result == "/done"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failure_in_work_shows_its_kind_alone(site: Site) -> None:
    def fails(tell: Teller) -> str:
        raise RuntimeError("row 17: Ada Lovelace")

    state = site.jobs.once("k", lambda: Job("t", fails, again="/")).wait(10)
    assert "RuntimeError" in state.refusal
    assert "Lovelace" not in state.refusal


def test_work_that_is_not_known_is_said_so(site: Site) -> None:
    assert "the server was started again" in owner(site).get("/work/other").text


def test_pages_that_come_later_are_made_once_and_only_for_who_is_let_in(site: Site) -> None:
    made: list[str] = []

    def make() -> None:
        made.append("maps")
        site.app.add_api_route("/maps/{name}", lambda name: PlainTextResponse(name), methods=["GET"])

    site.later(("/maps", "/atlas"), make)
    assert client(site).get("/maps/a").status_code == 403
    visitor = owner(site)
    assert visitor.get("/mapsandmore").status_code == 404
    assert made == []
    assert [visitor.get(f"/maps/{name}").text for name in "ab"] == ["a", "b"]
    site.rest.all()
    assert made == ["maps"]


def test_after_the_first_page_the_others_are_got_ready(site: Site) -> None:
    ready = threading.Event()
    site.later(("/maps",), ready.set)
    site.rest.ahead(0)
    assert not ready.is_set()
    owner(site).get("/")
    assert ready.wait(10)
