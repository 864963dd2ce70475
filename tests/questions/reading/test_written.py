"""What cannot be read as SQL gets one sentence of ours, and nothing else is said by anybody."""

import logging

import pytest

from banister.errors import Refused
from banister.questions.reading.parser import read_questions
from banister.release.aggregates import ALL
from tests.release.sources.places import schema

COMMANDS = [
    "END SELECT COUNT(*) FROM data",
    "ALTER x SELECT COUNT(*) FROM data",
    "SELECT COUNT(*) FROM data; VACUUM data",
    "CALL count_all(1, 2",
    "EXPLAIN SELECT COUNT(*) FROM data",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_what_the_parser_logs_is_not_shown_beside_the_refusal(
    text: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG, logger="sqlglot"), pytest.raises(Refused):
        read_questions(text, schema(person=True), aggregates=ALL)
    assert not [each for each in caplog.records if each.name == "sqlglot"]
    assert capfd.readouterr() == ("", "")


def test_others_still_hear_the_parser(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Refused):
        read_questions(COMMANDS[0], schema(person=True), aggregates=ALL)
    logging.getLogger("sqlglot").warning("somebody else's text")
    assert [each.message for each in caplog.records] == ["somebody else's text"]


def test_no_dialect_is_advised_in_which_a_text_is_no_question() -> None:
    """T-SQL reads END SELECT as a command of its own, which is refused as well."""
    with pytest.raises(Refused, match="not SQL that can be read") as refused:
        read_questions(COMMANDS[0], schema(person=True), aggregates=ALL)
    assert "tsql" not in str(refused.value)


def test_a_dialect_is_advised_in_which_a_text_is_a_question() -> None:
    with pytest.raises(Refused, match=r"It can be read as SQL of \w+: --dialect"):
        read_questions("SELECT COUNT(*) FROM data WHERE `plan` = 'free'", schema(person=True), aggregates=ALL)
