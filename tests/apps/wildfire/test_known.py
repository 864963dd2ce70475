"""What the node knows and the traffic it makes are shown as they are; what goes wrong is said and ends no link."""

import io
from collections import Counter
from pathlib import Path

import httpx
import pytest
from PIL import Image

from banister.apps.web.gate import Place
from banister.apps.wildfire.figures import A_FRAME, traffic_gb
from banister.apps.wildfire.identity import LinkKey
from banister.apps.wildfire.messenger import Messenger, Seen
from banister.apps.wildfire.pages.drawn import link_map
from banister.apps.wildfire.pages.posts import MOST_BYTES
from banister.apps.wildfire.site import wildfire
from banister.apps.wildfire.terminal import Talk
from banister.errors import BadValue
from tests.apps.web.running import running
from tests.apps.wildfire.people import TICK, WORDS, befriend, heard, here, people, until

OURS = {"sec-fetch-site": "same-origin"}


def test_posts_are_counted_at_the_link_over_which_they_came(tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, cleo):
        befriend(ann, ben)
        befriend(ann, cleo)
        for words in ("one", "two"):
            cleo.post(words, although_few=True)
        until(lambda: heard(ann) == {"one", "two"})
        (of_cleo,) = (link for link in here(ann) if ann.came()[link])
        assert ann.came() == Counter({of_cleo: 2})
        sent, came, seconds = ann.traffic()
        assert sent > 0 < came
        assert sent % A_FRAME == came % A_FRAME == 0
        assert seconds > 0
        # Two links and a frame at each tick: no more than the page says beforehand.
        assert sent <= traffic_gb(TICK, 2) * 1e9 / (30 * 86_400) * (seconds + 10 * TICK)


def test_the_map_has_every_link_its_state_and_its_posts_and_no_markup_of_others() -> None:
    friends = [
        Seen(1, "<b>Ann</b>", "here", ""),
        Seen(2, "Benedikt with a name that is very long", "away", ""),
        Seen(3, "Cleo", "asked", ""),
    ]
    drawn = str(link_map(friends, Counter({1: 1, 2: 3})))
    assert "&lt;b&gt;Ann&lt;/b&gt;" in drawn
    assert "<b>" not in drawn
    assert "here · 1 post<" in drawn
    assert "away · 3 posts<" in drawn
    assert "has asked · 0 posts<" in drawn
    assert drawn.count('<path class="up"') == 1
    assert drawn.count('<path class="down"') == 2
    assert "Benedikt with a nam…" in drawn


def test_a_picture_as_cameras_make_it_is_taken_by_the_page(tmp_path: Path) -> None:
    """Larger than a megabyte, which pages take otherwise."""
    noise = Image.effect_noise((1800, 1400), 90).convert("RGB")
    file = io.BytesIO()
    noise.save(file, "PNG")
    assert file.tell() > 1_500_000
    with (
        people(tmp_path, 1) as (ann,),
        running(lambda place: wildfire(_roomy(place), ann)) as site,
        httpx.Client(base_url=site.place.origins[0], headers=OURS) as client,
    ):
        client.get(f"/?token={site.visitors.token}")
        form = {"key": site.forms.key(), "words": "a picture", "few": "yes"}
        answer = client.post("/post", data=form, files={"picture": ("x.png", file.getvalue(), "image/png")})
        assert answer.status_code == 303, answer.text
        (post,) = ann.feed()
        assert len(ann.picture(post.name)) <= 100_000


def _roomy(place: Place) -> Place:
    return Place.loopback(int(place.hosts[0].rpartition(":")[2]), most_bytes=MOST_BYTES)


def test_a_full_disk_ends_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with people(tmp_path, 2) as (ann, ben):
        full = BadValue("The store cannot be written (database or disk is full). Nothing was lost; free some space.")

        def no_room(_: int) -> None:
            raise full

        monkeypatch.setattr(ben.store, "met", no_room)
        ben.join(ann.invite(), friend="Ann")
        ann.accept(ann.friends()[0].link)
        until(lambda: here(ben))
        until(lambda: here(ann))
        monkeypatch.undo()
        ann._do(lambda: ann.node._drop(1))
        until(lambda: ben.confirmed() == 1 and here(ben))


def test_nobody_is_waited_for_at_a_relay_once_an_invitation_has_expired(tmp_path: Path) -> None:
    one = Messenger(tmp_path, WORDS, tick_seconds=TICK, relay="127.0.0.1:9")
    try:
        one.invite(seconds=600)
        assert len(one.node._awaited()) == 1
        one.invite(seconds=-1)
        assert len(one.node._awaited()) == 1
        waiting = [name for name in one.node._tasks if isinstance(name, tuple) and name[0] == "meet"]
        assert len(waiting) == 1
    finally:
        one.close()


def test_a_friend_with_a_changed_key_is_said_until_it_is_she_again(tmp_path: Path) -> None:
    """Who learnt the secret of a link and answers at the address with a key of her own."""
    with people(tmp_path, 2) as (ann, ben):
        befriend(ann, ben)
        (hers,) = ann.store.friends()

        def answers_with(key: LinkKey) -> None:
            with ann.store.writing():
                own = key.private, key.certificate, hers.link
                ann.store.rows("UPDATE friends SET private = ?, certificate = ? WHERE link = ?", *own)
            ann._do(ann.node.refresh)
            ann._do(lambda: ann.node._drop(hers.link))

        answers_with(LinkKey.generate())
        until(lambda: [friend.state for friend in ben.friends()] == ["strange"])
        said: list[str] = []
        Talk(ben, said.append).run(["friends"])
        assert "Another key than hers answers" in "\n".join(said)
        assert not here(ann)
        answers_with(hers.own)
        until(lambda: here(ben) and here(ann))
        assert ben.node.strange == set()
