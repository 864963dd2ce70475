"""A request is checked when it is made, and what is made can be written and foretold."""

import pytest

from banister.errors import BadValue
from banister.parties.forecast import forecast
from banister.parties.request import MeetingRequest, names_of, read_levels


def test_the_usual_request_names_its_parties() -> None:
    asked = MeetingRequest.of("xor", [1, (1, "1e-6")])
    assert asked.names == ("party-1", "party-2")
    assert [str(level) for level in asked.levels] == [str(level) for level in read_levels(None, None, "0", "1,1:1e-6")]
    assert forecast(asked).game.parties == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measure": "best"}, "measure = 'best' must be one of: average, worst"),
        ({"prior": "2"}, "prior = 2 must be"),
        ({"names": ("a",)}, "1 names were given for 2 parties"),
        ({"names": ("a", "../b")}, "The party name"),
    ],
)
def test_a_wrong_request_cannot_be_made(changes: dict[str, str], message: str) -> None:
    usual = {"function": "xor", "levels": read_levels(2, "1", "0", None), "names": names_of("a, b", 2)}
    with pytest.raises(BadValue, match=message):
        MeetingRequest(**{**usual, **changes})  # type: ignore[arg-type]
