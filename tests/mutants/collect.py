"""Mutants of campaigns, repeated answers, a person's ledger and the collector."""

from tests.mutants.mutant import Mutant

_REPEAT = ("tests/local/collect/test_repeat.py",)
_PERSON = ("tests/local/collect/test_person.py",)
_CAMPAIGN = ("tests/local/collect/test_campaign.py",)
_SHARING = ("tests/local/collect/test_sharing.py",)
_SERVICE = ("tests/apps/collect/test_service.py",)

_WAVES = ("tests/local/collect/test_waves.py",)
_TELLING = ("tests/local/test_telling.py",)
_RELAY = ("tests/apps/collect/test_relay.py",)
_POSTGRES = ("tests/apps/collect/test_postgres.py",)
_ANALYSTS = ("tests/apps/collect/test_analysts.py",)

MUTANTS = (
    Mutant(
        name="repeat-one-round-for-all",
        file="local/collect/repeat.py",
        old="grown = (ball(self.second * times)).expm1() * ball(peak)",
        new="grown = (ball(self.second)).expm1() * ball(peak)",
        tests=_REPEAT,
    ),
    Mutant(
        name="repeat-memoised-as-if-nothing-changed",
        file="local/collect/repeat.py",
        old="if self.kind is not Repeat.MEMOISED or times == 1:",
        new="if self.kind is not Repeat.MEMOISED or times >= 1:",
        tests=_REPEAT,
    ),
    Mutant(
        name="repeat-fresh-charged-once",
        file="local/collect/repeat.py",
        old="return Guarantee(promise.epsilon * self.rounds, min(Fraction(1), promise.delta * self.rounds))",
        new="return Guarantee(promise.epsilon, min(Fraction(1), promise.delta * self.rounds))",
        tests=_REPEAT,
    ),
    Mutant(
        name="name-tag-of-nineteen",
        file="local/collect/repeat.py",
        old="if self.kept and self.second is None and SHARED_BY * channel.outputs > people:",
        new="if self.kept and self.second is None and (SHARED_BY - 1) * channel.outputs > people:",
        tests=_REPEAT,
    ),
    Mutant(
        name="campaign-of-the-largest-question",
        file="local/collect/campaign.py",
        old="if self.share is LevelShare.ONE:  # The largest",
        new="if self.share is not LevelShare.ONE:  # The largest",
        tests=_CAMPAIGN,
    ),
    Mutant(
        name="campaign-believed-without-reading-it-again",
        file="local/collect/campaign.py",
        old="if campaign.body != lines[0]:",
        new="if len(campaign.body) > len(lines[0]) + 99:",
        tests=_CAMPAIGN,
    ),
    Mutant(
        name="split-forgets-a-part",
        file="local/collect/sharing.py",
        old="for _ in range(total - len(laws)):",
        new="for _ in range(total - len(laws) - 1):",
        tests=_SHARING,
    ),
    Mutant(
        name="person-draws-before-it-pays",
        file="local/collect/person.py",
        old="self._write(before)  # On disk before anything is drawn.",
        new="pass",
        tests=_PERSON,
    ),
    Mutant(
        name="person-forgets-the-ceiling",
        file="local/collect/person.py",
        old="self.home.ceilings.check(OWNER, self.given(), cost)",
        new="self.home.ceilings.of(OWNER)",
        tests=_PERSON,
    ),
    Mutant(
        name="person-memoises-one-report-for-all-values",
        file="local/collect/person.py",
        old="named = answer if repetition.kind is Repeat.MEMOISED else WHATEVER",
        new="named = WHATEVER",
        tests=_PERSON,
    ),
    Mutant(
        name="person-keeps-the-true-answer",
        file="local/collect/person.py",
        old="named = answer if repetition.kind is Repeat.MEMOISED else WHATEVER",
        new="named = answer",
        tests=_PERSON,
    ),
    Mutant(
        name="person-takes-a-memoised-report-for-paid",
        file="local/collect/person.py",
        old="and WHATEVER in self.kept(question):",
        new="and self.kept(question):",
        tests=_PERSON,
    ),
    Mutant(
        name="person-sends-the-kept-report-itself",
        file="local/collect/person.py",
        old="return int(repetition.step(channel).draw(np.array([int(kept[named])]), bits)[0])",
        new="return int(kept[named])",
        tests=_PERSON,
    ),
    Mutant(
        name="store-counts-a-request-twice",
        file="apps/collect/store.py",
        old="return self._fresh.knows(campaign, key) or self._base",
        new="return False and self._base",
        tests=_SERVICE,
    ),
    Mutant(
        name="store-keeps-a-log-of-commits",
        file="apps/collect/store.py",
        old='self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")',
        new='self._base.execute("PRAGMA wal_checkpoint(PASSIVE)")',
        tests=_SERVICE,
    ),
    Mutant(
        name="store-leaves-what-it-deletes",
        file="apps/collect/store.py",
        old='self._base.execute("PRAGMA secure_delete=ON")',
        new='self._base.execute("PRAGMA secure_delete=OFF")',
        tests=_SERVICE,
    ),
    Mutant(
        name="ingest-takes-what-comes-after-the-end",
        file="apps/collect/ingest.py",
        old="if self.day() > until:",
        new="if self.day() < until and False:",
        tests=_SERVICE,
    ),
    Mutant(
        name="waves-weighed-the-wrong-way-round",
        file="local/collect/waves.py",
        old="weight = other / (one + other)",
        new="weight = one / (one + other)",
        tests=_WAVES,
    ),
    Mutant(
        name="waves-a-third-one",
        file="local/collect/waves.py",
        old="if asked.hypotheses is not None or asked.after:",
        new="if asked.hypotheses is not None:",
        tests=_WAVES,
    ),
    Mutant(
        name="waves-second-forgets-the-first",
        file="local/collect/waves.py",
        old="wave = replace(made, about=asked.about, after=first.name)",
        new="wave = replace(made, about=asked.about)",
        tests=_WAVES,
    ),
    Mutant(
        name="telling-a-tie-is-right",
        file="local/telling.py",
        old="alone = ordered[-1] - ordered[-2] > 1e-9",
        new="alone = ordered[-1] - ordered[-2] > -1e-9",
        tests=_TELLING,
    ),
    Mutant(
        name="telling-one-pair-for-all",
        file="local/telling.py",
        old="min(1.0, sum(tail_between(channel, laws[i], laws[j], people=count) for j in range(len(laws)) if j != i))",
        new="min(1.0, max(tail_between(channel, laws[i], laws[j], people=count) for j in range(len(laws)) if j != i))",
        tests=_TELLING,
    ),
    Mutant(
        name="relay-box-of-its-own-size",
        file="parties/meetings/room.py",
        old="while size < len(content) + 4:\n            size *= 2",
        new="while size < len(content) + 4:\n            size += 16",
        tests=("tests/apps/collect/test_relay.py",),
    ),
    Mutant(
        name="relay-drops-a-roll-unnoticed",
        file="parties/meetings/room.py",
        old='if number != place or _body(paper).get("before") != before:',
        new='if _body(paper).get("before") == "never":',
        tests=_RELAY,
    ),
    Mutant(
        name="relay-forgets-what-was-seen",
        file="parties/meetings/room.py",
        old="for one in seen if one not in given]",
        new="for one in seen if one == given]",
        tests=_RELAY,
    ),
    Mutant(
        name="relay-believes-unsigned-rolls",
        file="parties/meetings/room.py",
        old="if key is None or not Ed25519Verifier().holds(key, canonical(body), str(signature)):",
        new="if key is None:",
        tests=_RELAY,
    ),
    Mutant(
        name="relay-room-without-a-limit",
        file="apps/collect/relaying/rooms.py",
        old="elif held[0] + len(content) > MOST_BYTES:",
        new="elif held[0] > MOST_BYTES:",
        tests=_RELAY,
    ),
    Mutant(
        name="postgres-never-comes-back",
        file="apps/collect/postgres.py",
        old="if self._base.closed:  # The server went away",
        new="if False:  # The server went away",
        tests=_POSTGRES,
    ),
    Mutant(
        name="postgres-counts-a-request-twice",
        file="apps/collect/postgres.py",
        old="return {cast(bytes, row[0]) for row in self._base.execute(_FIRST, (campaign, keys))}",
        new="self._base.execute(_FIRST, (campaign, keys))\n        return set(keys)",
        tests=_POSTGRES,
    ),
    Mutant(
        name="postgres-keeps-the-order-of-commits",
        file="apps/collect/postgres.py",
        old="if self._hour not in (None, hour):",
        new="if self._hour is NotImplemented:",
        tests=_POSTGRES,
    ),
    Mutant(
        name="analysts-sessions-outlive-their-key",
        file="apps/web/visitors.py",
        old="return not name or (self._guests is not None and self._guests.welcome(name))",
        new="return True",
        tests=_ANALYSTS,
    ),
    Mutant(
        name="analysts-keys-in-clear",
        file="apps/collect/analysts.py",
        old='return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()',
        new="return key",
        tests=_ANALYSTS,
    ),
    Mutant(
        name="analysts-any-bearer",
        file="apps/web/gate.py",
        old="if self.visitors.guest(key.strip()):",
        new="if key.strip():",
        tests=_ANALYSTS,
    ),
)
