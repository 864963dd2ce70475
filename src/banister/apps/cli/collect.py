"""`banister collect`: ask people who trust nobody, and answer as one of them."""

from pathlib import Path
from typing import Annotated

import typer

CampaignFile = Annotated[Path, typer.Argument(help="A campaign file, as `new` writes it.")]
Home = Annotated[Path | None, typer.Option(help="The owner's folder; $BANISTER_HOME or ~/.banister if not given.")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree beforehand; without a terminal --at-most is needed too.")]
AtMost = Annotated[str, typer.Option(help="All that all answers may give away together: epsilon. It is kept.")]


def register(app: typer.Typer) -> None:
    collect = typer.Typer(help="Ask people who trust nobody: campaigns, the service, answers.", no_args_is_help=True)
    for command in (new, second, show, serve, key, answer, page, given, example):
        collect.command()(command)
    app.add_typer(collect, name="collect")


def new(
    settings: Annotated[Path, typer.Argument(help="TOML: title, asked_by, until, people, epsilon and [[question]].")],
    out: Annotated[Path, typer.Option(help="Where to write the signed campaign.")],
    key: Annotated[Path, typer.Option(help="Your signing key; made where there is none.")] = Path("collect.key"),
) -> None:
    """Design the channels of a campaign, share its level out, sign it.

    Example: banister collect new patients.toml --out patients.campaign
    """
    from banister.apps.cli.showing import collect_say
    from banister.local.collect.files import own_key, write_campaign
    from banister.local.collect.making import needed, read_request

    campaign, shared = read_request(settings)
    signed = write_campaign(out, campaign, own_key(key))
    collect_say.campaign(signed)
    collect_say.shared(campaign, shared, needed(campaign))
    typer.echo(f"Written to {out}.")


def second(
    first: CampaignFile,
    store: Annotated[str, typer.Argument(help="The store with the reports of the first wave.")],
    people: Annotated[int, typer.Option(help="How many other people the second wave asks.", min=1)],
    until: Annotated[str, typer.Option(help="The last day of the second wave, e.g. 2030-01-31.")],
    out: Annotated[Path, typer.Option(help="Where to write the signed campaign.")],
    key: Annotated[Path, typer.Option(help="Your signing key.")] = Path("collect.key"),
) -> None:
    """Design the second wave, for other people, from what the first one showed, and say what that gains.

    Example: banister collect second pilot.campaign reports.db --people 9000 --until 2030-12-31 --out second.campaign
    """
    from banister.apps.cli.showing import collect_say
    from banister.apps.collect.waves import made_second
    from banister.local.collect.files import own_key, write_campaign

    campaign, gains = made_second(first, store, people=people, until=until)
    collect_say.campaign(write_campaign(out, campaign, own_key(key)))
    collect_say.gains(gains)
    typer.echo(f"Written to {out}.")


def show(campaign: CampaignFile) -> None:
    """Check a campaign and say what it asks, of whom, and what it takes from who answers.

    Example: banister collect show patients.campaign
    """
    from banister.apps.cli.showing import collect_say
    from banister.local.collect.files import campaign_file

    collect_say.campaign(campaign_file(campaign))


def serve(
    store: Annotated[
        str, typer.Argument(help="The file with all reports, made where there is none; or postgresql://... for more.")
    ],
    campaigns: Annotated[list[Path] | None, typer.Argument(help="Campaign files to open here.")] = None,
    port: Annotated[int, typer.Option(help="The port on this machine; 0 takes one that is free.", min=0)] = 0,
    address: Annotated[
        str, typer.Option(help="Where people reach it, e.g. https://ask.example.org; a proxy with TLS leads here.")
    ] = "",
    public: Annotated[bool, typer.Option("--public", help="Show the results of these campaigns to everybody.")] = False,
    relay: Annotated[
        Path | None, typer.Option(help="Also be a relay for meetings of parties: the file with its sealed boxes.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(help="Keys of analysts, as `key` makes them: they see dashboards and reports, too.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser where there is one.")] = False,
) -> None:
    """Collect reports, and show the dashboard to who has the printed address.

    Example: banister collect serve reports.db patients.campaign
    """
    from banister.errors import MissingExtra

    try:
        from banister.apps.collect.running import run
    except ModuleNotFoundError as error:
        raise MissingExtra.naming(str(error.name), "web") from error
    run(
        store,
        campaigns or [],
        port=port,
        address=address,
        public=public,
        relay=relay,
        keys=keys,
        browser=browser,
        say=typer.echo,
    )


def key(
    keys: Annotated[Path, typer.Argument(help="The file of keys, made where there is none.")],
    name: Annotated[str, typer.Argument(help="Whose key it is.")] = "",
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the key back; its sessions end.")] = False,
) -> None:
    """Give an analyst a key for dashboards and reports, take it back, or list who has one.

    Example: banister collect key analysts.json ana
    """
    from banister.apps.collect.analysts import AnalystKeys

    found = AnalystKeys(keys)
    if revoke:
        found.revoke(name)
        typer.echo(f"The key of {name} opens nothing any more.")
    elif name:
        typer.echo(f"{name}: {found.add(name)}\nIt is shown this once; the file keeps its hash.")
    else:
        typer.echo("\n".join(found.names()) or "Nobody has a key.")


def answer(
    campaign: Annotated[str, typer.Argument(help="A campaign file, or the address of the page to answer at.")],
    answers: Annotated[list[str] | None, typer.Argument(help="An answer to each question, in their order.")] = None,
    to: Annotated[str, typer.Option(help="The collector's address, where the campaign is a file.")] = "",
    out: Annotated[Path | None, typer.Option(help="Write what would be sent into a file, and send nothing.")] = None,
    home: Home = None,
    at_most: AtMost = "",
    yes: Yes = False,
) -> None:
    """Show what is asked, ask, draw on this machine, and send the report; asked again, the same report.

    Example: banister collect answer https://ask.example.org/a/NAME never --at-most 2
    """
    from banister.apps.cli.showing import collect_say, consent_say
    from banister.apps.collect.answering import AnswerSession

    asked = AnswerSession.begin(campaign, to=to, home=home, at_most=at_most)
    consent_say.agree(collect_say.asked(asked), yes=yes, at_most=at_most)
    typer.echo(asked.answer(answers or [], out))


def page(
    campaign: CampaignFile,
    address: Annotated[str, typer.Option(help="The collector's address, which the page sends the report to.")],
    out: Annotated[Path, typer.Option(help="Where to write the page.")],
) -> None:
    """The page to answer at as one file, and its hash to publish elsewhere.

    Example: banister collect page patients.campaign --address https://ask.example.org --out answer.html
    """
    import hashlib

    from banister.apps.collect.answering import collector_address
    from banister.apps.collect.saved import saved_page
    from banister.files import whole_bytes
    from banister.local.collect.files import campaign_file

    made = saved_page(campaign_file(campaign), collector_address(address))
    whole_bytes(out, made)
    typer.echo(f"{hashlib.sha256(made).hexdigest()}  {out}")


def given(home: Home = None) -> None:
    """What was given away to whom in campaigns, from this machine.

    Example: banister collect given
    """
    from banister.apps.cli.showing import collect_say
    from banister.local.collect.person import Person
    from banister.local.home import LocalHome

    collect_say.given(Person(LocalHome.default() if home is None else LocalHome(home)))


def example(
    name: Annotated[str, typer.Argument(help="patients or meters.")],
    out: Annotated[Path, typer.Option(help="A new folder for the campaign, its reports and its dashboard's numbers.")],
    people: Annotated[int, typer.Option(help="How many people or households answer.", min=100)] = 10_000,
) -> None:
    """Run a worked campaign from end to end: settings, a signed file, answers, the store, the estimates.

    Example: banister collect example patients --out patients
    """
    from banister.apps.cli.showing import collect_say
    from banister.apps.collect.worked import worked

    collect_say.worked(worked(name, out, people))
