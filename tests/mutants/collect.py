"""Mutants of campaigns, repeated answers, a person's ledger and the collector."""

from tests.mutants.mutant import Mutant

_REPEAT = ("tests/local/collect/test_repeat.py",)
_PERSON = ("tests/local/collect/test_person.py",)
_CAMPAIGN = ("tests/local/collect/test_campaign.py",)
_SHARING = ("tests/local/collect/test_sharing.py",)
_SERVICE = ("tests/apps/collect/test_service.py",)

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
        old="named = answer if repetition.kind is Repeat.MEMOISED else next(iter(kept), answer)",
        new="named = next(iter(kept), answer)",
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
        old="return done.rowcount == 1",
        new="return done.rowcount >= 0",
        tests=_SERVICE,
    ),
    Mutant(
        name="ingest-takes-what-comes-after-the-end",
        file="apps/collect/ingest.py",
        old="if self.day() > until:",
        new="if self.day() < until and False:",
        tests=_SERVICE,
    ),
)
