"""`banister parties`: several parties, one answer, and nobody's bit told with confidence."""

from pathlib import Path
from typing import Annotated

import typer

from banister.apps.cli.say import cost_word

PlanFile = Annotated[Path, typer.Argument(help="The plan that every party received: meeting/plan.json.")]
Function = Annotated[
    str,
    typer.Option(
        help="xor, and, or, majority, threshold:M, sum, mean, argmax, table:0,1,1,0 or a formula of x1, x2, ..."
    ),
]
Home = Annotated[Path | None, typer.Option(help="The party's own folder; $BANISTER_HOME or ~/.banister if not given.")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree beforehand; without a terminal --at-most is needed too.")]
AtMost = Annotated[
    str, typer.Option(help="All that all answers may give away together: epsilon, or epsilon:delta. It is kept.")
]
Levels = Annotated[str | None, typer.Option(help="One level for each party: 1,1,0.5 or 1:1e-6,0.5 (epsilon:delta).")]


def register(app: typer.Typer) -> None:
    parties = typer.Typer(help="Several parties, one answer: plan, invite, respond, decide.", no_args_is_help=True)
    for command in (plan, key, invite, show, respond, ceiling, decide, view, figure):
        parties.command()(command)
    app.add_typer(parties, name="parties")


def plan(
    function: Function,
    parties: Annotated[int | None, typer.Option(help="How many parties, all of one level.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Level of every party, such as 1 or 1/2.")] = None,
    delta: Annotated[str, typer.Option(help="Chance with which a party may say its bit openly.")] = "0",
    levels: Levels = None,
    cost: Annotated[str, typer.Option(help="zero-one, absolute, squared, or an exponent.")] = "zero-one",
    prior: Annotated[str, typer.Option(help="Chance that a bit is 1, for the average.")] = "1/2",
    measure: Annotated[str, typer.Option(help="What the saved plan decides by: average or worst.")] = "average",
    names: Annotated[str | None, typer.Option(help="Names of the parties in the saved plan: a,b,c.")] = None,
    title: Annotated[str, typer.Option(help="What the saved plan asks.")] = "",
    save: Annotated[Path | None, typer.Option(help="Write a plan to complete with keys (TOML).")] = None,
) -> None:
    """Say how accurate the answer will be, before anyone takes part.

    Example: banister parties plan --function majority --parties 501 --epsilon 1
    """
    from banister.apps.cli.showing import parties_say
    from banister.parties.forecast import forecast
    from banister.parties.meetings.conduct import write_plan
    from banister.parties.request import MeetingRequest, names_of, read_levels

    each = read_levels(parties, epsilon, delta, levels)
    called = names_of(names, len(each))
    asked = MeetingRequest(
        function=function, levels=each, names=called, cost=cost_word(cost), prior=prior, measure=measure, title=title
    )
    parties_say.forecast(forecast(asked))
    if save is not None:
        write_plan(save, asked)
        typer.echo(f"\nPlan in {save}. Next: collect the parties' keys, then `banister parties invite`.")


def key(
    party: Annotated[str, typer.Option(help="The party's name in the plan.")],
    home: Home = None,
) -> None:
    """Print the party's public key for the plan; it is made where there is none.

    Example: banister parties key --party clinic-3
    """
    from banister.parties.meetings import conduct as parties_meeting

    typer.echo(f"{party} {parties_meeting.public_key(party, parties_meeting.home_of(home))}")


def invite(
    plan: Annotated[Path, typer.Argument(help="The plan as TOML, as `plan --save` writes it.")],
    out: Annotated[Path, typer.Option(help="Folder for the plan that every party receives.")],
    keys: Annotated[Path | None, typer.Option(help="Lines as `key` prints them, one per party.")] = None,
    organiser: Annotated[str, typer.Option(help="Who asks, as the parties will read it.")] = "organiser",
    home: Home = None,
) -> None:
    """Make the plan that every party receives, signed with the organiser's key.

    Example: banister parties invite plan.toml --keys keys.txt --out meeting/
    """
    from banister.apps.cli.showing import parties_say
    from banister.parties.meetings import conduct as parties_meeting

    known = {} if keys is None else parties_meeting.read_keys(keys)
    place = parties_meeting.home_of(home)
    parties_say.invitation(*parties_meeting.invite(plan, out, keys=known, organiser=organiser, home=place))


def show(plan: PlanFile) -> None:
    """Check a plan and say what it asks, who asks, of whom, and at which levels, before anyone answers.

    Example: banister parties show meeting/plan.json
    """
    from banister.apps.cli.showing import parties_say
    from banister.parties.meetings import conduct as parties_meeting

    parties_say.meeting(parties_meeting.open_meeting(plan))


def respond(
    plan: PlanFile,
    party: Annotated[str, typer.Option(help="Who answers.")],
    out: Annotated[Path, typer.Option(help="Where to write the answer.")],
    bit: Annotated[int | None, typer.Option(help="The private bit, 0 or 1; asked for if not given.")] = None,
    home: Home = None,
    at_most: AtMost = "",
    yes: Yes = False,
) -> None:
    """Show what is asked, ask, and answer, once: a randomized symbol, signed. A second answer is refused.

    Example: banister parties respond meeting/plan.json --party clinic-3 --at-most 1 --out clinic-3.json
    """
    from banister.apps.cli.showing import consent_say, parties_say
    from banister.consent import read_level
    from banister.parties.meetings import conduct as parties_meeting

    place = parties_meeting.home_of(home)
    asked = parties_meeting.PlanRequested.of(plan, party=party, home=place)
    most = read_level(at_most) if at_most else None
    consent_say.agree(parties_say.asked(asked, most), yes=yes, at_most=at_most)
    told = bit if bit is not None else typer.prompt("Bit", type=int, hide_input=True)
    done = parties_meeting.answer_plan(plan, party=party, bit=told, out=out, home=place, at_most=most)
    parties_say.outcome(done)


def ceiling(
    party: Annotated[str, typer.Option(help="Whose ceiling it is.")],
    at_most: AtMost = "",
    home: Home = None,
) -> None:
    """Say what a party may give away in all its answers; --at-most sets it, also to a higher one.

    Example: banister parties ceiling --party clinic-3 --at-most 2
    """
    from banister.apps.cli.showing import parties_say
    from banister.consent import read_level
    from banister.parties.meetings import conduct as parties_meeting
    from banister.parties.meetings.papers import checked_name

    place, who = parties_meeting.home_of(home), checked_name(party)
    if at_most:
        place.ceilings.raise_to(who, read_level(at_most))
    parties_say.ceiling(who, place.given(who), place.ceilings.of(who))


def decide(
    plan: PlanFile,
    answers: Annotated[list[Path], typer.Argument(help="The answers that came back.")],
) -> None:
    """Check the answers and decide: the answer, its accuracy, who is missing, what was set aside.

    Example: banister parties decide meeting/plan.json answers/*.json
    """
    from banister.apps.cli.showing import parties_say
    from banister.parties.meetings import conduct as parties_meeting

    meeting = parties_meeting.open_meeting(plan)
    parties_say.verdict(meeting, parties_meeting.decide_meeting(plan, answers))


def view(
    party: Annotated[int, typer.Option(help="The party that others are curious about, from 1.")],
    coalition: Annotated[str, typer.Option(help="Who puts together what they know: 2,3.")],
    levels: Annotated[str, typer.Option(help="One level for each party: 1,1,0.5 or 1:1e-6,0.5.")],
) -> None:
    """Say what a coalition learns about a party from everything that is said.

    Example: banister parties view --levels 1,1,0.5 --party 3 --coalition 1,2
    """
    from banister.apps.cli.showing import parties_say
    from banister.parties.games.views import coalition_view
    from banister.parties.request import read_levels

    found = read_levels(None, None, "0", levels)
    members = [int(part) for part in coalition.split(",") if part.strip().isdigit()]
    parties_say.view(coalition_view(found, party, members), party, members, found[party - 1])


def figure(
    out: Annotated[Path, typer.Option(help="Where to draw it: .svg, .png, .pdf or .html.")],
    points: Annotated[int, typer.Option(help="Levels between 0 and 5.")] = 101,
) -> None:
    """Draw the two questions with several bits per party: randomizing every bit against answering what was heard.

    Example: banister parties figure --out two-parties.svg
    """
    from banister.parties import pairs as parties_two

    parties_two.draw_figure(out, points)
    typer.echo(f"Figure in {out}.")
