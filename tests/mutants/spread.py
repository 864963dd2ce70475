"""Mutants of the messenger's rules: each makes an author differ from a relay, or lets one friend take from others."""

from tests.mutants.mutant import Mutant

_SAME = ("tests/spread/node/test_exchange.py::test_an_author_sends_the_bytes_of_a_relay_at_the_ticks_of_a_relay",)
_KEPT = ("tests/spread/node/test_exchange.py::test_2016_the_authors_copy_is_kept_as_a_received_one",)
_EPOCH = ("tests/spread/node/test_exchange.py::test_posts_of_an_epoch_take_the_same_way_whoever_wrote_them",)
_QUOTA = ("tests/spread/node/test_exchange.py::test_a_flood_is_held_to_its_quota_and_approval_doubles_it",)
_SECOND = ("tests/spread/node/test_exchange.py::test_a_second_friend_who_has_it_is_its_quota",)
_TURNS = ("tests/spread/node/test_exchange.py::test_links_take_turns_and_what_was_sent_goes_when_nothing_else_does",)
_OWN_AT_REST = (
    "tests/spread/node/test_own.py::test_own_posts_beyond_a_friends_quota_are_kept_as_those_that_two_offered",
)
_OWN = ("tests/spread/node/test_exchange.py::test_ones_own_post_waits_in_a_friends_turn",)
_CROSSED = ("tests/spread/node/test_exchange.py::test_who_brought_it_is_not_told_it",)
_PAUSE = ("tests/spread/node/test_step.py::test_gossip_after_the_deadline_waits_for_no_step",)
_PACE = ("tests/spread/node/test_exchange.py::test_a_long_post_goes_in_pieces_and_has_its_own_pace",)

MUTANTS = (
    Mutant(
        name="author-begins-a-step-earlier",
        file="spread/node/rules/counter.py",
        old="        self.arrived(desk, own)\n",
        new='        desk.remind(held, "tell", 0)\n',
        tests=_SAME,
    ),
    Mutant(
        name="author-stays-without-a-parent",
        file="spread/node/rules/counter.py",
        old="            desk.settle_as_leaf(held, link)\n",
        new="            pass\n",
        tests=_KEPT,
    ),
    Mutant(
        name="leaf-keeps-the-moment-of-the-post",
        file="spread/node/own.py",
        old="        link,\n        since,\n",
        new="        link,\n        held.since,\n",
        tests=_SAME + _KEPT,
    ),
    Mutant(
        name="own-posts-leave-the-epochs-order",
        file="spread/node/step.py",
        old="        if not self.settings.epoch:\n            return self.pick(links)\n",
        new="        if not self.settings.epoch or held.parent is None:\n            return self.pick(links)\n",
        tests=_EPOCH,
    ),
    Mutant(
        name="quota-never-counts",
        file="spread/node/quotas.py",
        old="max(taken.get(link, 0) - _parts(settings, now), 0)",
        new="0",
        tests=_QUOTA,
    ),
    Mutant(
        name="long-posts-at-the-pace-of-short-ones",
        file="spread/node/ages.py",
        old="    return settings.step_ticks + (pieces - 1) * PIECE_TICKS\n",
        new="    return settings.step_ticks\n",
        tests=_PACE,
    ),
    Mutant(
        name="one-friend-twice-is-two",
        file="spread/node/step.py",
        old="            elif self._offered.get(frame.id, link) == link:\n",
        new="            elif frame.id not in self._offered:\n",
        tests=_SECOND,
    ),
    Mutant(
        name="a-second-friend-is-none",
        file="spread/node/step.py",
        old="            elif self._offered.get(frame.id, link) == link:\n",
        new="            else:\n",
        tests=_SECOND,
    ),
    Mutant(
        name="whoever-brings-most-goes-first",
        file="spread/node/exchange.py",
        old="        came = next(iter(self._waits))\n",
        new="        came = max(self._waits, key=lambda link: len(self._waits[link]))\n",
        tests=_TURNS,
    ),
    Mutant(
        name="own-posts-have-a-turn-of-their-own",
        file="spread/node/own.py",
        old="    if held.parent is not None or not state.contacts:\n",
        new="    if True:\n",
        tests=_OWN,
    ),
    Mutant(
        name="told-to-who-brought-it",
        file="spread/node/exchange.py",
        old="            if held is not None and link not in held.known:\n",
        new="            if held is not None:\n",
        tests=_CROSSED,
    ),
    Mutant(
        name="gossip-waits-for-a-step",
        file="spread/node/rules/hybrid.py",
        old="        if self.pause and age >= first:\n",
        new="        if False:\n",
        tests=_PAUSE,
    ),
    Mutant(
        name="what-is-hidden-is-told-at-once",
        file="spread/node/rules/hybrid.py",
        old="        if self.pause and age >= first:\n",
        new="        if self.pause:\n",
        tests=_PAUSE,
    ),
    Mutant(
        name="an-own-post-beyond-the-quota-has-no-witness",
        file="spread/node/own.py",
        old="    witnesses = () if room else others[:1]\n",
        new="    witnesses = ()\n",
        tests=_OWN_AT_REST,
    ),
    Mutant(
        name="an-own-post-beyond-the-quota-is-charged",
        file="spread/node/step.py",
        old="        if room:\n            self._charge(link, held.body)\n",
        new="        self._charge(link, held.body)\n",
        tests=_OWN_AT_REST,
    ),
    Mutant(
        name="own-posts-never-wait-for-a-witness",
        file="spread/node/own.py",
        old="    if not (room or others):\n",
        new="    if False:\n",
        tests=_OWN_AT_REST,
    ),
)
