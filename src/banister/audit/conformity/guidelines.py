"""The questions of each guideline, in our own words; of what text they were made is said."""

from banister.audit.conformity import replies
from banister.audit.conformity.asked import Guideline, GuidelineQuestion, Replied, owner
from banister.audit.conformity.facts import ConformFacts


def _owner(part: str, question: str, hint: str = "") -> GuidelineQuestion:
    def reply(facts: ConformFacts) -> Replied:
        return owner(hint)

    return GuidelineQuestion(part, question, reply)


_TOP = "Top of the pyramid: how strong the guarantee is"
_MIDDLE = "Middle: what can undermine it"
_BOTTOM = "Bottom: what all of it rests on"

NIST = Guideline(
    title="NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees",
    source=(
        "Edition: final, March 2025 (doi 10.6028/NIST.SP.800-226). At hand were its abstract, which names a pyramid of "
        "factors and privacy hazards, and NIST's notice of December 2023 on the draft, which describes the "
        "pyramid's three "
        "levels. The publication itself was not, so no section of it is cited, and the questions below are this "
        "program's "
        "words for those levels and hazards. Compare them with the publication before you sign."
    ),
    questions=(
        GuidelineQuestion(_TOP, "What is promised, with which epsilon and delta?", replies.guarantee),
        GuidelineQuestion(_TOP, "Which tables are neighbours?", replies.relation),
        GuidelineQuestion(_TOP, "What is the unit of privacy: whom or what does the promise protect?", replies.unit),
        _owner(_TOP, "Why are these parameters strong enough for these people?", "Name who decided, and on what "
            "grounds."),
        GuidelineQuestion(_TOP, "What does that leave somebody to learn who knows all else?", replies.residual),
        GuidelineQuestion(_TOP, "How much of it is used up?", replies.spent),
        GuidelineQuestion(_MIDDLE, "How are several releases added up?", replies.composed),
        GuidelineQuestion(_MIDDLE, "By which mechanisms are answers drawn?", replies.laws),
        GuidelineQuestion(_MIDDLE, "Has anybody else checked that they keep the promise?", replies.checked),
        GuidelineQuestion(_MIDDLE, "Were bounds and lists of values learnt from the data?", replies.bounds),
        GuidelineQuestion(_MIDDLE, "Can a value appear because one person has it?", replies.unknown_keys),
        GuidelineQuestion(_MIDDLE, "Do the low bits of floating-point numbers tell of the data?", replies.exactness),
        GuidelineQuestion(_MIDDLE, "Does the time that it takes, or an error, tell of the data?", replies.timing),
        GuidelineQuestion(_MIDDLE, "How accurate are the answers, and does their reader know?", replies.accuracy),
        _owner(
            _MIDDLE, "Whom does the noise serve worse: are small groups judged by answers that are mostly noise?",
            "The intervals beside the answers show where."
        ),
        GuidelineQuestion(_MIDDLE, "Can a reader find out who vouches for an answer?", replies.signatures),
        _owner(_MIDDLE, "Who can read the table, the ledger and the keys, and who saw that they were kept safe?"),
        GuidelineQuestion(_BOTTOM, "Who is trusted with the data?", replies.trust),
        _owner(_BOTTOM, "How was the data collected, and is it exposed there?"),
        _owner(_BOTTOM, "Was anything of this table published without the ledger, before or beside it?"),
        _owner(_BOTTOM, "How long is the data kept, and who deletes it?"),
    ),
)  # fmt: skip

DPIA = Guideline(
    title="Data protection impact assessment: the technical part",
    source=(
        "Regulation (EU) 2016/679, Article 35(7), points (a) to (d). This page holds what files can say of the "
        "releases; an "
        "assessment is more than that, and whether one is needed is for the controller to decide."
    ),
    questions=(
        GuidelineQuestion("(a) The processing, described", "Which data are read?", replies.data_described),
        GuidelineQuestion(
            "(a) The processing, described", "What has been released from them?", replies.questions_described
        ),
        GuidelineQuestion(
            "(a) The processing, described", "Where are they, and who is trusted with them?", replies.trust
        ),
        _owner("(a) The processing, described", "What is the purpose, and on what legal ground?"),
        _owner("(b) Necessity and proportionality", "Why are these data needed for that purpose, and no fewer?"),
        GuidelineQuestion("(b) Necessity and proportionality", "Is what is published limited?", replies.guarantee),
        GuidelineQuestion("(b) Necessity and proportionality", "How much of that limit is used up?", replies.spent),
        GuidelineQuestion(
            "(c) Risks to people", "What can be learnt of one person from all releases?", replies.residual
        ),
        GuidelineQuestion("(c) Risks to people", "Who is protected, and against which change?", replies.unit),
        GuidelineQuestion("(c) Risks to people", "What is not protected?", replies.timing),
        GuidelineQuestion(
            "(c) Risks to people", "Was anything taken from the data that no guarantee covers?", replies.bounds
        ),
        _owner("(c) Risks to people", "What would it mean for them if the table itself got out?"),
        GuidelineQuestion("(d) Measures", "By what are answers protected?", replies.laws),
        GuidelineQuestion("(d) Measures", "Who has checked it?", replies.checked),
        GuidelineQuestion("(d) Measures", "How are several releases added up?", replies.composed),
        GuidelineQuestion("(d) Measures", "Who vouches for the answers?", replies.signatures),
        _owner("(d) Measures", "Who can read the table, the ledger and the keys, and how is that enforced?"),
        _owner("(d) Measures", "How do people use their rights, and whom do they ask?"),
    ),
)

GUIDELINES = {"nist-800-226": NIST, "dpia": DPIA}
