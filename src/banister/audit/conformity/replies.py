"""Answers that several guidelines ask for, each from the files alone."""

import math

from banister.audit.conformity.asked import Replied, ReplyStanding, owner
from banister.audit.conformity.facts import ConformFacts
from banister.core.privacy.guarantee import Neighbours


def guarantee(facts: ConformFacts) -> Replied:
    if not facts.budget:
        return Replied(
            "The schema names no budget: nothing limits what is given away.", facts.schema_name, ReplyStanding.OPEN
        )
    return Replied(
        f"All releases together keep {facts.budget}; the ledger refuses what would exceed it.", _schema(facts)
    )


def relation(facts: ConformFacts) -> Replied:
    words = {
        Neighbours.ADD_REMOVE: "one person, with all her rows, more or less; the number of people is protected too",
        Neighbours.REPLACE: "one person, with all her rows, exchanged for another; the number of people is not "
        "protected",
    }
    return Replied(f"Two tables are neighbours when they differ in {words[facts.schema.neighbours]}.", _schema(facts))


def unit(facts: ConformFacts) -> Replied:
    person = facts.schema.main.person
    if person is None:
        return Replied(
            "A row: the schema names no person column. That is right only where nobody has two rows.", _schema(facts),
            ReplyStanding.OPEN,
        )  # fmt: skip
    rows, groups = facts.schema.rows, facts.schema.groups
    bounds = f" At most {rows} of her rows count in a group" if rows else " No bound on her rows is declared"
    more = f", and she counts in at most {groups} group{'s' if groups > 1 else ''}." if groups else "."
    return Replied(
        f"A person, told by the column '{person}', whatever she has in the table.{bounds}{more}", _schema(facts)
    )


def spent(facts: ConformFacts) -> Replied:
    if not facts.chain:
        return Replied(facts.ledger, "", ReplyStanding.OPEN)
    return Replied(f"{facts.ledger} {facts.left}", facts.chain)


def composed(facts: ConformFacts) -> Replied:
    if not facts.chain:
        return Replied(facts.ledger, "", ReplyStanding.OPEN)
    return Replied(
        "Every release is charged before its first bit is drawn. The ledger adds up the losses of all charges, "
        "not their "
        "epsilons, within certified bounds, and refuses what does not fit. What was released without it, it "
        "does not know.",
        facts.chain,
    )


def laws(facts: ConformFacts) -> Replied:
    if not facts.certificates:
        return Replied("No certificate of a release was found in the folder.", "", ReplyStanding.OPEN)
    names = sorted({law for each in facts.certificates for law in each.laws if law})
    return Replied(f"Drawn by: {', '.join(names)}. Their exact parameters stand in the certificates.", _named(facts))


def checked(facts: ConformFacts) -> Replied:
    bad = [each for each in facts.certificates if not each.proven]
    if bad:
        return Replied(f"Refused: {bad[0].holds}", bad[0].name, ReplyStanding.OPEN)
    missing = len({each.plan for each in facts.charges}) - len({each.claim.get("plan") for each in facts.certificates})
    if not facts.certificates:
        return Replied("No certificate of a release was found in the folder.", "", ReplyStanding.OPEN)
    rest = f" {missing} more plans were charged, whose certificates are not here." if missing > 0 else ""
    return Replied(
        f"Certificates: {len(facts.certificates)}. Each was checked anew, in fractions, by a program that shares "
        f"nothing with "
        f"what drew the answers; each keeps what it claims.{rest}",
        _named(facts),
    )


def bounds(facts: ConformFacts) -> Replied:
    looked = [each.name for each in facts.schema.main.columns if each.from_data]
    looked += list(facts.schema.from_data)
    if looked:
        return Replied(
            f"The bounds or values of {', '.join(looked)} were taken from the data, which no guarantee covers.",
            _schema(facts), ReplyStanding.OPEN,
        )  # fmt: skip
    return Replied(
        "All ranges and values are declared in the schema; values outside are clamped or left out. The schema "
        "does not say "
        "that any was taken from the data.",
        _schema(facts),
    )


def unknown_keys(facts: ConformFacts) -> Replied:
    bars = sum("bar" in draw for each in facts.certificates for draw in each.draws)
    if bars:
        return Replied(f"{bars} draws show a value only above a bar, which is paid for with delta.", _named(facts))
    return Replied(
        "No draw shows values that were found in the data: every group is one that the schema declares, and is "
        "shown also "
        "where nobody is in it.",
        _named(facts),
    )


def exactness(facts: ConformFacts) -> Replied:
    return Replied(
        "Noise is drawn on whole numbers from the operating system's entropy, in exact arithmetic; no answer's "
        "low bits tell "
        "of the data. `banister audit` attacks each of these laws.",
        f"banister {facts.version}, docs/guide/audit.md",
    )


def timing(facts: ConformFacts) -> Replied:
    return Replied(
        "How long a release takes may depend on the data and is not protected. Let nobody who is not trusted "
        "with the table "
        "measure it.",
        "docs/limits.md",
        ReplyStanding.OPEN,
    )


def accuracy(facts: ConformFacts) -> Replied:
    return Replied(
        "Each answer has an interval that the noise is inside of with the confidence stated; it was foreseen in "
        "the plan, "
        "before any record was read.",
        _named(facts) or _schema(facts),
    )


def trust(facts: ConformFacts) -> Replied:
    place = facts.schema.main.location.split("@")[-1] or "frames at hand"
    return Replied(
        f"One curator holds the table ({place}) and is trusted with it; readers of the answers are not trusted at all.",
        _schema(facts),
    )


def signatures(facts: ConformFacts) -> Replied:
    keys = sorted({each.signed_by for each in facts.certificates if each.signed_by})
    if not keys:
        return Replied(
            "No certificate is signed; `banister release --sign KEY` does.", _named(facts), ReplyStanding.OPEN
        )
    return Replied(f"Certificates are signed by {', '.join(keys)}.", _named(facts))


def data_described(facts: ConformFacts) -> Replied:
    kinds = ", ".join(f"{each.name} ({each.kind.value})" for each in facts.schema.main.columns)
    return Replied(f"Columns that can be asked about: {kinds}. Others are never read.", _schema(facts))


def questions_described(facts: ConformFacts) -> Replied:
    if not facts.charges:
        return Replied("Nothing was released so far.", facts.chain)
    labels = [f"{each.label} ({each.at[:10]})" for each in facts.charges[:12]]
    more = f" and {len(facts.charges) - 12} more" if len(facts.charges) > 12 else ""
    return Replied(f"Released: {'; '.join(labels)}{more}.", facts.chain)


def residual(facts: ConformFacts) -> Replied:
    found = facts.schema.budget
    if found is None or found.epsilon > 50:
        return owner("No budget that means anything is declared.")
    grown = math.exp(float(found.epsilon))
    most = (grown + float(found.delta)) / (1 + grown)
    return Replied(
        "Whoever knows everything else, and guesses from all releases together which of two neighbouring tables "
        "it was, "
        f"both as likely before, is right in at most {math.ceil(most * 1000) / 10:.1f} % of cases.",
        _schema(facts),
    )


def _schema(facts: ConformFacts) -> str:
    return f"{facts.schema_name}, sha256 {facts.schema_hash[:16]}…"


def _named(facts: ConformFacts) -> str:
    return ", ".join(each.name for each in facts.certificates)
