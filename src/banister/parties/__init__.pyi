from .chance import seeded as seeded
from .games.closed_forms import and_accuracy as and_accuracy
from .games.closed_forms import curator_accuracy as curator_accuracy
from .games.closed_forms import majority_limit as majority_limit
from .games.closed_forms import sum_squared_error as sum_squared_error
from .games.closed_forms import two_party_and_worst as two_party_and_worst
from .games.closed_forms import xor_accuracy as xor_accuracy
from .games.coin import PublicCoin as PublicCoin
from .games.coin import public_coin as public_coin
from .games.functions import JointFunction as JointFunction
from .games.functions import argmax as argmax
from .games.functions import conjunction as conjunction
from .games.functions import disjunction as disjunction
from .games.functions import formula as formula
from .games.functions import function_of as function_of
from .games.functions import majority as majority
from .games.functions import mean as mean
from .games.functions import of_table as of_table
from .games.functions import threshold as threshold
from .games.functions import total as total
from .games.functions import xor as xor
from .games.game import Decision as Decision
from .games.game import Game as Game
from .games.levels import Symbol as Symbol
from .games.protocols import coincident_reveals as coincident_reveals
from .games.protocols import protocol_average as protocol_average
from .games.protocols import protocol_delta as protocol_delta
from .games.rebuilding import Rebuilt as Rebuilt
from .games.rebuilding import rebuild as rebuild
from .games.scores import Score as Score
from .games.turns import TurnProtocol as TurnProtocol
from .games.turns import TurnQuestion as TurnQuestion
from .games.turns import best_turns as best_turns
from .games.turns import bitwise_value as bitwise_value
from .games.two import TwoPartyProtocol as TwoPartyProtocol
from .games.two import TwoPartyQuestion as TwoPartyQuestion
from .games.two import hamming_distance as hamming_distance
from .games.two import xor_or_and as xor_or_and
from .games.views import View as View
from .games.views import coalition_view as coalition_view
from .games.views import views_together as views_together
from .games.worst import WorstCase as WorstCase
from .meetings.agenda import Agenda as Agenda
from .meetings.agenda_conduct import AgendaResults as AgendaResults
from .meetings.agenda_conduct import commit as commit
from .meetings.agenda_conduct import decide_agenda as decide_agenda
from .meetings.agenda_conduct import invite_agenda as invite_agenda
from .meetings.agenda_conduct import open_agenda as open_agenda
from .meetings.agenda_conduct import open_secret as open_secret
from .meetings.agenda_conduct import reply as reply
from .meetings.conduct import Outcome as Outcome
from .meetings.conduct import Verdict as Verdict
from .meetings.conduct import answer_plan as answer_plan
from .meetings.conduct import decide_meeting as decide_meeting
from .meetings.conduct import invite as invite
from .meetings.conduct import open_meeting as open_meeting
from .meetings.conduct import public_key as public_key
from .meetings.papers import Meeting as Meeting
from .numbers import NumberReport as NumberReport
from .numbers import SumEstimate as SumEstimate
from .numbers import estimate_sum as estimate_sum
from .numbers import number_report as number_report
from .pairs import Curves as Curves
from .pairs import best_protocol as best_protocol
from .pairs import curves as curves
from .request import MeetingRequest as MeetingRequest

__all__ = [
    "Agenda",
    "AgendaResults",
    "Curves",
    "Decision",
    "Game",
    "JointFunction",
    "Meeting",
    "MeetingRequest",
    "NumberReport",
    "Outcome",
    "PublicCoin",
    "Rebuilt",
    "Score",
    "SumEstimate",
    "Symbol",
    "TurnProtocol",
    "TurnQuestion",
    "TwoPartyProtocol",
    "TwoPartyQuestion",
    "Verdict",
    "View",
    "WorstCase",
    "and_accuracy",
    "answer_plan",
    "argmax",
    "best_protocol",
    "best_turns",
    "bitwise_value",
    "coalition_view",
    "coincident_reveals",
    "commit",
    "conjunction",
    "curator_accuracy",
    "curves",
    "decide_agenda",
    "decide_meeting",
    "disjunction",
    "estimate_sum",
    "formula",
    "function_of",
    "hamming_distance",
    "invite",
    "invite_agenda",
    "majority",
    "majority_limit",
    "mean",
    "number_report",
    "of_table",
    "open_agenda",
    "open_meeting",
    "open_secret",
    "protocol_average",
    "protocol_delta",
    "public_coin",
    "public_key",
    "rebuild",
    "reply",
    "seeded",
    "sum_squared_error",
    "threshold",
    "total",
    "two_party_and_worst",
    "views_together",
    "xor",
    "xor_accuracy",
    "xor_or_and",
]
