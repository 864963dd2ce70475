"""`banister spread run|attack|locate|advise|figures`."""

from typing import TYPE_CHECKING, Annotated

import typer

from banister.apps.cli.say import tell
from banister.errors import BadValue

if TYPE_CHECKING:
    from banister.spread.lab.run import SpreadRun

GraphArgument = Annotated[
    str, typer.Argument(help="A file (.edges, .csv, .parquet) or a generator such as social:10000:20.")
]
GraphOption = Annotated[str, typer.Option(help="A file, or a generator such as regular-tree:4 or social:10000:20.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Workers = Annotated[int, typer.Option(min=0, help="Processes; 0 takes one for each core.")]


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="Spread messages without a source, and attack them: a laboratory.")
    app.add_typer(family, name="spread")

    @family.command()
    def run(
        graph: GraphOption = "regular-tree:4",
        protocol: Annotated[str, typer.Option(help="Such as adaptive:degree=4, tree, diffusion:0.5.")] = "adaptive",
        steps: Annotated[int, typer.Option(min=1, help="How many steps to spread.")] = 10,
        author: Annotated[str, typer.Option(help="Who writes; drawn when not given.")] = "",
        seed: Seed = 0,
        watch: Annotated[
            bool, typer.Option("--watch", help="See it grow in the terminal, redrawn at every step.")
        ] = False,
        html: Annotated[str, typer.Option(help="Write an animation to this .html file.")] = "",
    ) -> None:
        """Spread one message, and see what an adversary would believe.

        Example: banister spread run --graph regular-tree:4 --protocol adaptive --steps 10 --watch
        """
        from banister.spread.lab.run import run_spread

        done = run_spread(graph, protocol=protocol, steps=steps, seed=seed, author=author or None)
        _tell(done, watch)
        if html:
            done.movie(html)
            tell(f"Wrote {html}")

    @family.command()
    def attack(
        graph: GraphArgument,
        protocol: Annotated[str, typer.Option(help="One or more, separated by commas.")] = "adaptive:cap=3",
        adversary: Annotated[str, typer.Option(help="Such as snapshot,spies:0.1,posts:3.")] = "snapshot",
        steps: Annotated[str, typer.Option(help="One or more, separated by commas.")] = "4,6,8",
        trials: Annotated[int, typer.Option(min=1, help="Spreads for each protocol and number of steps.")] = 1000,
        seed: Seed = 0,
        workers: Workers = 0,
        out: Annotated[str, typer.Option(help="A folder for tables, figure and pieces; a stopped study goes on.")] = "",
    ) -> None:
        """Measure how often adversaries name the author.

        Example: banister spread attack friends.edges --protocol adaptive:cap=3,diffusion --adversary snapshot,spies:0.1
        """
        from banister.spread.lab.studies import Study, steps_of
        from banister.spread.lab.written import split_list

        study = Study(
            graph,
            protocols=split_list(protocol),
            adversaries=split_list(adversary),
            steps=steps_of(steps),
            trials=trials,
            seed=seed,
        )
        try:
            result = study.run(workers=workers, folder=out or None)
        except KeyboardInterrupt:
            tell("Stopped. " + ("The same command goes on where it was." if out else "Nothing was kept."), err=True)
            raise typer.Exit(130) from None
        tell("\n".join([*study.notes, result.table()]))
        if out:
            result.write(out)
            tell(f"Wrote table.txt, table.csv and detection.svg to {out}")

    @family.command()
    def locate(
        graph: GraphArgument,
        holders: Annotated[str, typer.Argument(help="A text file with one name per line.")] = "",
        estimator: Annotated[str, typer.Option(help="rumor, jordan, ml: one or more.")] = "rumor,jordan,ml",
        protocol: Annotated[str, typer.Option(help="What ml assumes.")] = "adaptive",
        steps: Annotated[int, typer.Option(min=0, help="How long it has spread; 0 takes twice the radius.")] = 0,
        top: Annotated[int, typer.Option(min=1, help="Suspects to show.")] = 5,
        spies: Annotated[str, typer.Option(help="Instead of holders: a CSV file with what spies heard.")] = "",
    ) -> None:
        """Who was it? Rank the holders of a message, or everybody by what spies among them wrote down.

        Example: banister spread locate friends.edges holders.txt --estimator rumor,jordan,ml
        """
        from banister.spread.lab.suspects import locate as rank
        from banister.spread.lab.suspects import locate_by_spies
        from banister.spread.lab.written import read_names

        if bool(spies) == bool(holders):
            raise BadValue("Give either a file of holders or, with --spies, a file of what spies heard.")
        found = (
            locate_by_spies(graph, spies, steps=steps)
            if spies
            else rank(graph, read_names(holders), estimators=estimator.split(","), protocol=protocol, steps=steps)
        )
        for answer in found:
            tell(answer.text(top))

    @family.command()
    def advise(
        graph: GraphArgument,
        node: Annotated[str, typer.Option(help="Somebody on the graph, to hear about that position.")] = "",
        trials: Annotated[int, typer.Option(min=20, help="Spreads for each measurement.")] = 400,
        seed: Seed = 0,
        workers: Workers = 0,
    ) -> None:
        """How exposed is an author on this graph: by contacts, posts and spies; and what would help.

        Example: banister spread advise friends.edges --node ann
        """
        from banister.spread.lab.advice import advise as measure

        tell(str(measure(graph, node=node or None, trials=trials, seed=seed, workers=workers)))

    @family.command()
    def figures(
        out: Annotated[str, typer.Option(help="The folder for the figures.")] = "docs/figures",
        trials: Annotated[int, typer.Option(min=20, help="Spreads for each point.")] = 1000,
        seed: Seed = 1,
        workers: Workers = 0,
    ) -> None:
        """Draw the figures of the guide and of the mathematics, from fresh trials.

        Example: banister spread figures --out docs/figures --trials 200
        """
        from banister.spread.lab.drawn.figures import draw_all

        for path in draw_all(out, trials=trials, seed=seed, workers=workers):
            tell(f"Wrote {path}")


def _tell(done: "SpreadRun", watch: bool) -> None:
    if not (watch and done.watch()):
        tell(f"{done.protocol.spec} from {done.name_of(done.spread.author)}\n step  holders  best guess right")
        tell("\n".join(done.lines()))
    for note in done.spread.notes:
        tell(note)
