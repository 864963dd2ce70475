"""Real browsers answer: on a phone and at a desk, offline in between, asked again; forged campaigns are refused."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from flint import arb, ctx
from playwright.sync_api import Browser, Page, Request

from banister.apps.collect.saved import saved_page
from banister.apps.collect.site import Service
from banister.core.privacy.guarantee import Guarantee
from banister.keys import SigningKey
from banister.local import MatrixChannel, RandomizedResponse, SubsetSelection, UnaryEncoding, design
from banister.local.channels import ALL
from banister.local.channels.base import Channel
from banister.local.collect.campaign import read_campaign
from banister.local.collect.making import make_campaign
from banister.local.collect.person import matter
from banister.local.collect.repeat import Repetition
from banister.local.collect.sharing import LevelShare
from banister.local.collect.tally import read_values
from tests.apps.collect.service import served
from tests.apps.web.running import watched
from tests.local.collect.campaigns import campaign, signed

FOUR = RandomizedResponse(1, categories=4)
DRAWS = int(os.environ.get("BANISTER_DRAWS", "40000"))
"""BANISTER_DRAWS=1000000 is the whole of it, as a command."""
EXAMPLES = [channel for kind in ALL for channel in kind.examples()]


@contextmanager
def person(browser: Browser, *, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
    """A browser of somebody's own."""
    context = browser.new_context(viewport={"width": width, "height": 740}, locale="en-US", color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    try:
        yield page
    finally:
        context.close()
    assert not problems


def origin(service: Service) -> str:
    return service.site.place.origins[0]


def look(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def draw(page: Page, *answers: str) -> str:
    for answer in answers:
        page.get_by_label(answer, exact=True).check()
    page.get_by_role("button", name="Draw my report").click()
    return page.locator("#wire").inner_text()


def comes_true(page: Page, said: str) -> None:
    """Wait for what no words on the page show. (`wait_for_function` needs eval, which the pages forbid.)"""
    for _ in range(300):
        if page.evaluate(said):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{said} did not come true in 30 seconds.")


def test_two_people_answer_one_offline_in_between_and_the_dashboard_moves(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR)
    with served(tmp_path, asked) as service, watched(browser, service.site) as analyst:
        analyst.go("/d/1")
        analyst.page.get_by_text("0 reports").wait_for()
        with person(browser, width=360) as phone, person(browser) as desk:
            phone.goto(f"{origin(service)}/a/{asked.name}")
            phone.get_by_text("were checked on your machine").wait_for()
            look(phone)
            wire = draw(phone, "answer 2")
            look(phone)
            assert service.writer.store.stored(1) == 0
            phone.get_by_role("button", name="Send it").click()
            phone.get_by_text("Sent and counted").wait_for()
            analyst.page.get_by_text("1 reports").wait_for()
            (sent,) = json.loads(wire)["reports"]["0"]
            assert service.writer.store.total(1, 0).counts[sent] == 1

            desk.goto(f"{origin(service)}/a/{asked.name}")
            desk.get_by_text("were checked on your machine").wait_for()
            comes_true(desk, "navigator.serviceWorker.controller !== null")
            comes_true(desk, "caches.match(location.pathname + '/campaign').then(found => Boolean(found))")
            desk.context.set_offline(True)
            desk.reload()
            desk.get_by_text("Draw my report").wait_for()
            kept = draw(desk, "answer 1")
            desk.get_by_role("button", name="Send it").click()
            desk.get_by_text("cannot be reached").wait_for()
            assert service.writer.store.stored(1) == 1
            desk.context.set_offline(False)
            desk.reload()
            desk.get_by_text("Sent and counted").wait_for()
            assert json.loads(kept)["reports"]["0"][0] in range(4)
        analyst.page.get_by_text("2 reports").wait_for()
        analyst.check()


def test_asked_again_the_same_report_is_sent_and_to_another_agency_too(browser: Browser, tmp_path: Path) -> None:
    wide = RandomizedResponse(1, categories=8)
    one, other = signed(wide), signed(wide, asked_by="An agency", title="Again")
    with served(tmp_path, one, other) as service, person(browser, width=360) as page:
        page.goto(f"{origin(service)}/a/{one.name}")
        first = json.loads(draw(page, "answer 5"))
        page.reload()
        page.get_by_text("Sent and counted").wait_for()  # What waits is sent, as it is.
        page.get_by_text("You have answered").wait_for()
        page.goto(f"{origin(service)}/a/{other.name}")
        page.get_by_text("it costs nothing more").wait_for()
        again = json.loads(draw(page, "answer 5"))
        assert again["reports"] == first["reports"]
        assert again["key"] != first["key"]
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("You have answered").wait_for()
        page.get_by_text("What you have given away, to whom").click()
        page.get_by_text("nothing more: a kept report").wait_for()
        page.get_by_text("All together at most epsilon 1.").wait_for()
        look(page)
        assert service.writer.store.total(1, 0).counts.sum() == service.writer.store.total(2, 0).counts.sum() == 1


def test_a_report_that_few_share_goes_to_one_asker_alone(browser: Browser, tmp_path: Path) -> None:
    wide = RandomizedResponse(1, categories=8)
    one, other = (signed(wide, asked_by=who, title=who, people=159) for who in ("A clinic", "An agency"))
    with served(tmp_path, one, other) as service, person(browser) as page:
        page.goto(f"{origin(service)}/a/{one.name}")
        draw(page, "answer 5")
        page.goto(f"{origin(service)}/a/{other.name}")
        page.get_by_text("All rounds together: epsilon 1.").wait_for()
        seen = page.evaluate(
            """async names => {
              const { open, Person, text } = await import("/a/client.mjs");
              const memory = new Map();
              const person = new Person({ getItem: k => memory.get(k), setItem: (k, v) => memory.set(k, v) });
              const found = names.map(async n => open(await (await fetch(`/c/${n}`)).text(), n));
              const [one, other] = await Promise.all(found);
              const loud = { byte: () => 0, word: () => 0n };   // Keeps the answer; the first report is answer 1.
              person.answer(one, [1], 0, loud); const wire = JSON.parse(person.answer(other, [2], 0, loud));
              return [wire.reports["0"][0], text(person.given)];
            }""",
            [one.name, other.name],
        )
        assert seen == [2, "2"]


def test_rounds_go_through_the_second_step_and_end(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR, repetition=Repetition("memoised", rounds=2, second=1))
    with served(tmp_path, asked) as service, person(browser) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_text("who sees all rounds can see that something changed").wait_for()
        for number, answer in enumerate(("answer 0", "answer 3")):
            draw(page, answer)
            page.get_by_role("button", name="Send it").click()
            page.get_by_text("Round 2 of 2" if number == 0 else "You have answered").wait_for()
            page.reload()
        store = json.loads(page.evaluate("localStorage.getItem('banister-collect')"))
        assert set(next(iter(store["kept"].values()))) == {"0", "3"}
        assert store["ledger"][asked.name]["epsilon"] == "2"


def test_the_page_says_what_one_round_shows_who_shares_a_report_and_delta(browser: Browser, tmp_path: Path) -> None:
    blurred = signed(FOUR, repetition=Repetition("memoised", rounds=2, second=1))
    rows = np.array([[3 << 60, 1 << 60], [1 << 60, 3 << 60]], dtype=np.int64)
    rarely = signed(MatrixChannel(rows, Guarantee(1, "1/8")))
    with served(tmp_path, blurred, rarely) as service, person(browser, width=360) as page:
        page.goto(f"{origin(service)}/a/{blurred.name}")
        page.get_by_text("While your value stays, all of them give away at most epsilon 1;").wait_for()
        page.get_by_label("answer 0", exact=True).check()
        # e/(e + 3) = 0.475 of the channel, blurred by as much again: 0.175 + 0.300 * 0.475 = 0.318.
        page.get_by_text("they see “answer 0” 32 times in 100").wait_for()
        page.get_by_text("What who learns").click()
        page.get_by_text("If 1000 people answer, about 250 share a report.").wait_for()
        assert page.get_by_text("a chance of delta").count() == 0
        page.goto(f"{origin(service)}/a/{rarely.name}")
        page.get_by_text("And with a chance of delta 0.125 a report may tell more").wait_for()
        look(page)


def test_numbers_over_time_are_pasted_and_the_dashboard_draws_the_day(browser: Browser, tmp_path: Path) -> None:
    numbers = {"least": 0, "most": 4, "classes": 8, "unit": "kW"}
    given = {"title": "Load", "asked_by": "A grid", "until": "2999-12-31", "people": 900, "epsilon": 4, "share": "all"}
    made, _ = make_campaign({**given, "question": [{"text": "Your load", "numbers": numbers, "times": 4}]})
    asked = read_campaign(made.signed(SigningKey.generate()))
    with served(tmp_path, asked) as service, person(browser, width=360) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_label("4 numbers").fill("0.2 1.4 x 9")
        page.get_by_role("button", name="Draw my report").click()
        page.get_by_text("4 numbers are asked for").wait_for()
        look(page)
        assert page.evaluate("localStorage.getItem('banister-collect')") is None
        page.get_by_label("4 numbers").fill("0.2 1.4\n0.7 9")
        page.get_by_role("button", name="Draw my report").click()
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("You have answered").wait_for()
        assert [service.writer.store.total(1, place).reports for place in range(4)] == [1, 1, 1, 1]
        with watched(browser, service.site) as analyst:
            analyst.go("/d/1")
            analyst.page.get_by_text("The peak is").wait_for()
            assert analyst.page.get_by_role("heading", name="Your load").count() == 1
            analyst.check()


def test_what_a_collector_refuses_stays_as_it_was_drawn(browser: Browser, tmp_path: Path) -> None:
    """A second draw after a refusal would add: one question of several could be picked anew."""
    asked = signed(FOUR, FOUR, share=LevelShare.ONE, until="2020-01-01")
    with served(tmp_path, asked) as service, person(browser) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_role("group", name="Question 1?").get_by_label("answer 2").check()
        page.get_by_role("group", name="Question 2?").get_by_label("answer 3").check()
        page.get_by_role("button", name="Draw my report").click()
        wire = page.locator("#wire").inner_text()
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("ended on 2020-01-01").wait_for()
        code = "const p = new c.Person(localStorage); return p.answer(await c.open(given), [0, 1]);"
        assert module(page, service, code, asked.text) == wire


def test_kept_answers_come_back_from_a_copy_and_a_second_wave_is_for_others(browser: Browser, tmp_path: Path) -> None:
    first = signed(FOUR)
    second = signed(RandomizedResponse(2, categories=4), title="Second", after=first.name)
    rows = np.array([[3 << 60, 1 << 60], [1 << 60, 3 << 60]], dtype=np.int64)
    delta = signed(MatrixChannel(rows, Guarantee(1, "1/8")))
    with served(tmp_path, first) as service, person(browser) as page:
        code = """
          const store = new Map(), memory = { getItem: k => store.get(k) ?? null, setItem: (k, v) => store.set(k, v) };
          const p = new c.Person(memory), [first, second, delta] = await Promise.all(given.map(one => c.open(one)));
          const said = run => { try { return run(); } catch (error) { return error.message; } };
          const before = p.answer(first, [2]), copy = JSON.stringify(p.all); store.clear();
          const none = said(() => p.restore("{}")); p.restore(copy);
          const found = { none, same: p.answer(first, [2]) === before, wave: said(() => p.answer(second, [1])) };
          p.setCeiling("9"); found.ceiling = said(() => p.answer(delta, [1])); p.setCeiling("");
          p.answer(delta, [1]); found.delta = p.givenDelta.join("/"); found.given = p.given.join("/");
          return found;"""
        found = module(page, service, code, [first.text, second.text, delta.text])
        assert "no copy of kept answers" in found.pop("none")
        assert "for other people" in found.pop("wave")
        assert "allows none" in found.pop("ceiling")
        assert found == {"same": True, "delta": "1/8", "given": "2/1"}


def test_the_true_answer_is_not_kept_and_each_draw_is_paid_for(browser: Browser, tmp_path: Path) -> None:
    wide = RandomizedResponse(4, categories=4)
    memoised = signed(wide, repetition=Repetition("memoised", rounds=2, second="1/10"))
    once = signed(wide)
    with served(tmp_path, once) as service, person(browser) as page:
        code = """
          const memory = store => ({ getItem: k => store.get(k) ?? null, setItem: (k, v) => store.set(k, v) });
          const made = () => new c.Person(memory(new Map()));
          const [memoised, once] = await Promise.all(given.map(one => c.open(one))), p = made();
          p.answer(memoised, [3]); const before = c.text(p.cost(once)); p.answer(once, [1]);
          const found = { before, given: c.text(p.given), under: Object.keys(Object.values(p.all.kept)[0]).sort() };
          const here = made(), there = made(); here.answer(once, [1]); there.answer(once, [1]);
          const copy = JSON.stringify(there.all);
          here.restore(copy); here.restore(copy); here.restore(JSON.stringify(here.all));
          found.both = c.text(here.given); found.again = c.text(here.cost(once));
          return found;"""
        found = module(page, service, code, [memoised.text, once.text])
    # 1/5 was paid for what passes the second step; the report itself costs 4. In two browsers it was drawn twice.
    assert found == {"before": "4", "given": "21/5", "under": ["-1", "3"], "both": "8", "again": "0"}


def test_nothing_is_drawn_above_the_persons_ceiling(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR)
    with served(tmp_path, asked) as service, person(browser) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_text("What you have given away, to whom").click()
        page.get_by_label("Refuse whatever brings all of it above epsilon").fill("0.9")
        page.get_by_text("Draw my report").focus()
        page.get_by_label("answer 2", exact=True).check()
        page.get_by_role("button", name="Draw my report").click()
        page.get_by_text("above your own ceiling of 0.9. Nothing was drawn.").wait_for()
        assert json.loads(page.evaluate("localStorage.getItem('banister-collect')"))["ledger"] == {}
        assert service.writer.store.stored(1) == 0


def test_a_saved_page_answers_from_disk_and_has_the_published_hash(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR)
    with served(tmp_path, asked) as service, person(browser, width=360) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        made = saved_page(asked, origin(service))
        assert page.request.get(f"{origin(service)}/a/{asked.name}/saved.html").body() == made
        saved = tmp_path / "answer.html"
        saved.write_bytes(made)
        page.goto(f"file://{saved}")
        page.get_by_text("were checked on your machine").wait_for()
        look(page)
        draw(page, "answer 0")
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("Sent and counted").wait_for()
        assert service.writer.store.stored(1) == 1


def module(page: Page, service: Service, code: str, given: object = None) -> Any:
    """The value of a piece of code that has the client as `c`."""
    page.goto(f"{origin(service)}/a/client.mjs")
    page.goto(f"{origin(service)}/a/{next(iter(service.ingest.open))}")
    return page.evaluate(f"async given => {{ const c = await import('/a/client.mjs'); {code} }}", given)


def test_a_campaign_changed_by_a_letter_is_refused(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR)
    body, seal, _ = asked.text.split("\n")
    weaker = campaign(RandomizedResponse(9, categories=4)).signed(SigningKey.generate()).split("\n")
    false_level = json.dumps({**json.loads(body), "epsilon": "1/2"}, sort_keys=True, separators=(",", ":"))
    key = SigningKey.generate()
    resealed = json.dumps({**json.loads(seal), "key": key.public, "signature": key.sign(false_level.encode())})
    forged = {
        "a letter": (body.replace("clinic", "Clinic") + f"\n{seal}\n", None),
        "another seal": (f"{body}\n{weaker[1]}\n", None),
        "another campaign under the link": ("\n".join(weaker), asked.name),
        "a level that is not its channels'": (f"{false_level}\n{resealed}\n", None),
        "no campaign": ("{}", None),
        "half a campaign": (body[:-1] + f"\n{seal}\n", None),
    }
    with served(tmp_path, asked) as service, person(browser) as page:
        code = (
            "const found = {}; for (const [name, [file, link]] of Object.entries(given)) {"
            " try { await c.open(file, link); found[name] = ''; }"
            " catch (error) { found[name] = error.constructor.name + ': ' + error.message; } }"
            " return found;"
        )
        found = module(page, service, code, forged)
        assert isinstance(found, dict)
        assert set(found) == set(forged)
        for name, words in found.items():
            assert words.startswith("Refusal: "), name
        assert "states another level" in found["a level that is not its channels'"]
    with served(tmp_path, asked) as service, person(browser) as page:
        page.route("**/campaign", lambda route: route.fulfill(body=forged["a letter"][0]))
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_text("changed after it was signed").wait_for()
        assert page.get_by_role("button", name="Draw my report").count() == 0


def test_a_weaker_matrix_than_stated_is_refused(browser: Browser, tmp_path: Path) -> None:
    """Somebody who signs it herself, with hashes that fit: the weights themselves are compared with the level."""
    asked = signed(design(epsilon=1, prior=[0.5, 0.3, 0.2], utility="estimation"))
    document = json.loads(asked.text.split("\n")[0])["questions"][0]
    weights = document["fields"]["weights"]
    place = max(range(len(weights[0])), key=lambda y: int(weights[0][y]))
    other = max(range(len(weights[0])), key=lambda y: -int(weights[0][y]))
    weights[0][place] = str(int(weights[0][place]) + 1000)
    weights[0][other] = str(int(weights[0][other]) - 1000)
    with served(tmp_path, asked) as service, person(browser) as page:
        code = "try { c.channelOf(given); return ''; } catch (error) { return error.message; }"
        assert module(page, service, code, json.loads(asked.text.split("\n")[0])["questions"][0]) == ""
        assert "weaker than the campaign says" in str(module(page, service, code, document))


def test_hashes_and_coins_are_those_of_python(browser: Browser, tmp_path: Path) -> None:
    asked = signed(*EXAMPLES, title="Été ☃ 𝄞")
    with served(tmp_path, asked) as service, person(browser) as page:
        code = (
            "const found = await c.open(given);"
            " return [found.name, found.matters, found.channels.map(one => String(one.outputs))];"
        )
        name, matters, outputs = module(page, service, code, asked.text)
        assert name == asked.name
        assert matters == [matter(question) for question in asked.campaign.questions]
        assert [int(count) for count in outputs] == [question.channel.outputs for question in asked.campaign.questions]
        levels = [(1, 1), (1, 10), (7, 3), (30, 1), (1, 100_000), (0, 1)]
        code = "return given.map(([a, b]) => c.expMinus([BigInt(a), BigInt(b)], 256).map(String));"
        bounds = module(page, service, code, levels)
        before, ctx.prec = ctx.prec, 600
        try:
            for (a, b), (low, high) in zip(levels, bounds, strict=True):
                true = (-arb(a) / b).exp() * arb(2) ** 256
                assert arb(int(low)) <= true <= arb(int(high))
                assert int(high) - int(low) <= 4
        finally:
            ctx.prec = before


@pytest.mark.parametrize("channel", EXAMPLES, ids=lambda channel: channel.kind)
def test_browser_draws_follow_the_channels_law(browser: Browser, tmp_path: Path, channel: Channel) -> None:
    """Chi-square at a chance of 1e-9 a channel: bits come from the browser's own entropy."""
    from scipy.special import gammaincc

    asked = signed(channel)
    with served(tmp_path, asked) as service, person(browser) as page:
        code = (
            "const [file, draws] = given, { channels: [one], body } = await c.open(file), bits = new c.Bits();"
            "const found = {}; for (let x = 0; x < body.questions[0].labels.length; x++) {"
            " const counts = found[x] = {}; for (let i = 0; i < draws; i++) {"
            " const y = String(one.draw(x, bits)); counts[y] = (counts[y] ?? 0) + 1; } } return found;"
        )
        found = module(page, service, code, [asked.text, DRAWS // channel.categories])
    for x in range(channel.categories):
        counts = np.zeros(channel.outputs)
        for text, count in found[str(x)].items():
            value = read_values(channel, [text if channel.packed else int(text)])[0]
            counts[_place(channel, value)] += count
        law = channel.matrix[x]
        assert counts[law == 0].sum() == 0
        expected = law[law > 0] * counts.sum()
        statistic = float(((counts[law > 0] - expected) ** 2 / expected).sum())
        assert gammaincc((len(expected) - 1) / 2, statistic / 2) > 1e-9


def _place(channel: Channel, value: np.ndarray) -> int:
    """The column of the matrix that a report stands for: for a row of bits, the number that they make."""
    if not channel.packed:
        return int(value)
    bits = np.unpackbits(np.ascontiguousarray(value).view(np.uint8))[: channel.categories]
    return int("".join(map(str, bits)), 2)


@pytest.mark.parametrize(
    "channel", [UnaryEncoding(1, 70), SubsetSelection.least_error(1, 40)], ids=lambda one: one.kind
)
def test_many_answers_are_offered_in_a_list(browser: Browser, tmp_path: Path, channel: Channel) -> None:
    asked = signed(channel)
    with served(tmp_path, asked) as service, person(browser, width=360) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_label("Question 1?").select_option("answer 33")
        look(page)
        page.get_by_role("button", name="Draw my report").click()
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("Sent and counted").wait_for()
        assert service.writer.store.stored(1) == 1


def test_what_leaves_the_machine_is_what_is_shown(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR)
    seen: list[Request] = []
    with served(tmp_path, asked) as service, person(browser) as page:
        page.on("request", lambda request: seen.append(request))
        page.goto(f"{origin(service)}/a/{asked.name}")
        wire = draw(page, "answer 3")
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("Sent and counted").wait_for()
        assert page.context.cookies() == []
    posts = [request for request in seen if request.method != "GET"]
    assert [post.post_data for post in posts] == [wire]
    headers = posts[0].headers
    assert "cookie" not in headers
    assert not headers.get("referer")
    assert {request.url.split("/a/")[0].split("/c/")[0] for request in seen} == {origin(service)}


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        ("delete globalThis.BigInt", "no exact whole numbers"),
        ("Object.defineProperty(crypto, 'subtle', { value: undefined })", "offers no cryptography here"),
        (
            "crypto.subtle.importKey = async () => { throw new DOMException('', 'NotSupportedError'); }",
            "cannot check Ed25519",
        ),
        ("Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }", "no room left"),
    ],
)  # fmt: skip
def test_a_browser_that_cannot_is_told_in_one_sentence(
    browser: Browser, tmp_path: Path, lacking: str, words: str
) -> None:
    asked = signed(FOUR)
    with served(tmp_path, asked) as service, person(browser) as page:
        page.add_init_script(lacking)
        page.goto(f"{origin(service)}/a/{asked.name}")
        if "room" in words:
            page.get_by_label("answer 1", exact=True).check()
            page.get_by_role("button", name="Draw my report").click()
        page.get_by_text(words).wait_for()
        assert service.writer.store.stored(1) == 0


def test_an_ended_campaign_says_so_and_keeps_nothing_waiting(browser: Browser, tmp_path: Path) -> None:
    asked = signed(FOUR, until="2020-01-01")
    with served(tmp_path, asked) as service, person(browser) as page:
        page.goto(f"{origin(service)}/a/{asked.name}")
        draw(page, "answer 1")
        page.get_by_role("button", name="Send it").click()
        page.get_by_text("The campaign ended on 2020-01-01").wait_for()
        assert json.loads(page.evaluate("localStorage.getItem('banister-collect')"))["waiting"] == {}


def test_the_page_is_small(tmp_path: Path, browser: Browser) -> None:
    asked, sizes = signed(FOUR), dict[str, int]()
    with served(tmp_path, asked) as service, person(browser) as page:
        page.on("response", lambda answer: sizes.update({answer.url: int(answer.headers["content-length"])}))
        page.goto(f"{origin(service)}/a/{asked.name}")
        page.get_by_text("were checked on your machine").wait_for()
    assert sum(sizes.values()) < 30_000
