"""`banister verify`, `banister prove …`, `banister decode`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banister.apps.cli.say import cost_word

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.audit import Proof

Epsilon = Annotated[str, typer.Option(help="Privacy level, such as 0.5 or 1/2.")]
Delta = Annotated[str, typer.Option(help="Chance of a larger loss, above 0.")]
Out = Annotated[Path, typer.Option(help="Write the proof into this file.")]
CostWord = Annotated[str, typer.Option(help="absolute, squared, zero-one, or an exponent.")]
Law = Annotated[str, typer.Option(help="Chances with commas between them, such as 0.5,0.3,0.2.")]


def register(app: typer.Typer) -> None:
    @app.command()
    def verify(
        files: Annotated[list[Path], typer.Argument(help="Proofs, certificates, or answers beside their certificate.")],
        ledger: Annotated[str, typer.Option(help="Also look the charge up in this ledger, and walk all of it.")] = "",
        by: Annotated[str, typer.Option(help="The public key that must have signed, ed25519:...")] = "",
    ) -> None:
        """Check proofs of optimality and certificates of releases in exact arithmetic, without a solver.

        For answers the certificate beside them is found: the loss is worked out anew from the laws that it states, the
        charge is checked, and the files are compared with their hashes.

        Example: banister verify least.proof
        """
        from contextlib import nullcontext

        from banister.audit import verify as checked

        with _ledger(ledger) if ledger else nullcontext() as book:
            for file in files:
                typer.echo(f"{file}: {checked(file, ledger=book, by=by)}")

    @app.command()
    def decode(
        epsilon: Epsilon,
        largest: Annotated[str, typer.Option(help="Counts are known to lie between 0 and this one.")],
        aim: Annotated[str, typer.Option(help="average (over counts that are alike likely) or worst.")],
        cost: CostWord = "absolute",
        noisy: Annotated[
            list[int] | None, typer.Option(help="Noisy counts to decode; may be given several times.")
        ] = None,
        proof: Annotated[Path | None, typer.Option(help="Write the proof into this file.")] = None,
    ) -> None:
        """Say the best number after a noisy count that is known to lie in a range; it costs no privacy.

        Example: banister decode --epsilon 0.2 --largest 10 --aim worst --noisy 13
        """
        _show_decoder(epsilon, largest, aim, cost_word(cost), noisy or [], proof)

    family = typer.Typer(help="Write optima to files together with their proofs.", no_args_is_help=True)
    app.add_typer(family, name="prove")

    @family.command()
    def noise(
        epsilon: Epsilon,
        delta: Delta,
        sensitivity: Annotated[str, typer.Option(help="How far one person can move the answer, a whole number.")],
        out: Out,
        cost: CostWord = "absolute",
    ) -> None:
        """The least noise on the whole numbers.

        Example: banister prove noise --epsilon 1 --delta 1e-6 --sensitivity 3 --out least.proof
        """
        from banister.audit import prove_noise

        _save(prove_noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity, cost=cost_word(cost)), out)

    @family.command()
    def line(
        epsilon: Epsilon,
        delta: Delta,
        out: Out,
        cost: Annotated[str, typer.Option(help="absolute or squared.")] = "absolute",
        parts: Annotated[str, typer.Option(help="Parts of the sensitivity; more of them come closer.")] = "10",
    ) -> None:
        """The least noise on the real line, for a sensitivity of 1.

        Example: banister prove line --epsilon 1 --delta 1e-3 --cost squared --out line.proof
        """
        from banister.audit import prove_line

        _save(prove_line(epsilon=epsilon, delta=delta, cost=cost_word(cost), parts=parts), out)

    @family.command()
    def channel(
        epsilon: Epsilon,
        out: Out,
        utility: Annotated[str, typer.Option(help="mutual-information with --prior, else a divergence such as kl.")],
        prior: Law = "",
        first: Law = "",
        second: Law = "",
    ) -> None:
        """The private report that keeps most of an answer.

        Example: banister prove channel --epsilon 1 --utility kl --first 0.5,0.3,0.2 --second 0.2,0.3,0.5 --out kl.proof
        """
        from banister.audit import prove_channel

        between = (_law("first", first), _law("second", second)) if first or second else None
        known = _law("prior", prior) if prior else None
        _save(prove_channel(epsilon=epsilon, utility=utility, between=between, prior=known), out)

    @family.command()
    def rule(
        function: Annotated[str, typer.Argument(help="xor, and, or, majority, or a formula.")],
        epsilons: Annotated[str, typer.Option(help="One level a party, with commas between them.")],
        out: Out,
    ) -> None:
        """The best rule for the worst case after one private bit of each party.

        Example: banister prove rule majority --epsilons 1,1,1 --out majority.proof
        """
        from banister.audit import prove_rule
        from banister.parties import Game, function_of

        levels = [each.strip() for each in epsilons.split(",")]
        _save(prove_rule(Game(function_of(function, len(levels)), levels)), out)

    @family.command()
    def domination(
        first: Annotated[str, typer.Option(help="Two laws with a semicolon between them: 3/4,1/4;1/4,3/4.")],
        second: Annotated[str, typer.Option(help="Two laws with a semicolon between them.")],
        out: Out,
    ) -> None:
        """Whether one pair of laws gives away at least as much as another.

        Example: banister prove domination --first "3/4,1/4;1/4,3/4" --second "1/2,1/2;1/3,2/3" --out pair.proof
        """
        from banister.audit import prove_domination

        _save(prove_domination(_pair("first", first), _pair("second", second)), out)


def _ledger(address: str) -> "Ledger":
    from banister.accounting.ledger import Ledger

    return Ledger.open(address)


def _save(proof: "Proof", out: Path) -> None:
    proof.save(out)
    typer.echo(f"{out}: {proof.says()}")


def _law(name: str, text: str) -> list[float]:
    from banister import need

    return [float(need.exact(f"--{name}", each.strip())) for each in text.split(",")]


def _pair(name: str, text: str) -> tuple[list[str], list[str]]:
    from banister.errors import BadValue

    laws = [[each.strip() for each in law.split(",")] for law in text.split(";")]
    if len(laws) != 2:
        raise BadValue(f"--{name} needs two laws with a semicolon between them, such as 3/4,1/4;1/4,3/4.")
    return laws[0], laws[1]


def _show_decoder(epsilon: str, largest: str, aim: str, cost: str, noisy: list[int], proof: Path | None) -> None:
    from typing import Literal, cast

    from banister import need
    from banister.mechanisms.integers.decoder import Decoder

    chosen = cast(Literal["average", "worst"], need.one_of("--aim", aim, ("average", "worst")))
    found = Decoder.best(epsilon=epsilon, largest=largest, aim=chosen, cost=cost)
    usual = Decoder.clamping(epsilon=epsilon, largest=largest, aim=chosen, cost=cost)
    typer.echo(f"Expected {found.cost.in_words}, {aim}: {found.risk.up:.6g}; clamping has {usual.risk.up:.6g}.")
    typer.echo(f"No rule has less than {found.bound:.6g} (certified).")
    for count in noisy or range(found.largest + 1):
        low, high = found.interval(count, "0.95")
        typer.echo(f"noisy {count:>4}  say {found.decode(count):.6g}  95 % {low} to {high}")
    if proof is not None:
        from banister.audit import prove_decoder

        _save(prove_decoder(found), proof)
