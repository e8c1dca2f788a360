"""`lolli setup`: the entry for Lolli in the chess programs of this machine."""

from __future__ import annotations

from pathlib import Path

import click

from protocol import about
from protocol.cli.clients.catalogue import CLIENTS
from protocol.cli.clients.installation import CommandError, engine_command
from protocol.cli.clients.plan import Client, ClientFileError, Plan, carry_out
from protocol.cli.shared_options import BadInputError, bad_input, flag_option

_FAILED = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli setup                                   what is found, and what would be written
  lolli setup --write                           write it
  lolli setup cutechess --name "Lolli dev" --write
  lolli setup lichess-bot --file ~/bot/config.yml""",
)
@click.argument("names", nargs=-1, type=click.Choice(list(CLIENTS)), metavar="[CLIENT]...")
@flag_option("--write", help="Write the entries, and keep a copy of each file.")
@click.option("--name", default=about.NAME, show_default=True, help="How the engine is called in the client.")
@click.option(
    "--file",
    "given",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of the client's engines; of one CLIENT.",
)
def command(names: tuple[str, ...], write: bool, name: str, given: Path | None) -> None:
    """Enter Lolli into the list of engines of each CLIENT, or show what would be entered.

    CLIENT is one of cutechess, xboard, pychess, lichess-bot and en-croissant; the default is all that are
    found. Of a file only Lolli's entry changes, and a copy of what was there is kept beside it, with
    .before-lolli at the end of its name. What is already as it should be is left alone. The settings of
    lichess-bot are a person's own: the lines are shown, never written.

    An entry with the same name and another command gets this installation's command; with --name you can
    have several beside each other.
    """
    if given is not None and len(names) != 1:
        raise click.UsageError("--file is for one CLIENT: name it")
    with bad_input(CommandError):
        program = engine_command()
    click.echo(f"Engine: {program}")
    chosen = [CLIENTS[each] for each in names] or [each for each in CLIENTS.values() if each.is_installed()]
    if not chosen:
        raise BadInputError(f"no client found: name one of {', '.join(CLIENTS)}")
    results = [_set_up(client, given, name, program, write=write) for client in chosen]
    if not write and "planned" in results:
        click.echo("\nNothing has been written: add --write.")
    if "failed" in results:
        raise SystemExit(_FAILED)


def _set_up(client: Client, given: Path | None, name: str, program: Path, *, write: bool) -> str:
    """Show one client's plan, and carry it out to `write`. Returns how it went: failed, planned or done."""
    file = given or client.file() or Path("config.yml")
    click.echo(f"\n{client.title}: {file}")
    try:
        plan = client.plan(file.expanduser().absolute(), name, program)
        click.echo(_description(plan, client))
        if plan.new is None:
            return "done"
        if not write:
            return "planned"
        backup = carry_out(plan)
    except ClientFileError as error:
        click.echo(f"Error: {error}", err=True)
        return "failed"
    click.echo("  written" + (f"; what was there is in {backup}" if backup else ""))
    return "done"


def _description(plan: Plan, client: Client) -> str:
    lines = [plan.status.value]
    if plan.new is not None or plan.status.name == "BY_HAND":
        lines += ["", *(f"  {line}" if line else "" for line in plan.entry.splitlines()), "", client.advice]
    return "\n".join(f"  {line}" if line else "" for line in lines)
