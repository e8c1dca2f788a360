"""`lolli setup`: the entry for Lolli in the chess programs of this machine."""

from __future__ import annotations

from pathlib import Path

import click

from lolli.cli.clients import (
    CLIENTS,
    Client,
    ClientFileError,
    CommandError,
    Status,
    carry_out,
    engine_command,
)
from lolli.cli.shared_options import BadInputError, bad_input, flag_option
from protocol import about
from protocol.text import quoted

_FAILED = 1  # exit status


def _check_name(_ctx: click.Context, _param: click.Parameter, name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise click.BadParameter(f"{quoted(name)} is not a name of one line")
    return name


def _check_file(_ctx: click.Context, _param: click.Parameter, name: str | None) -> Path | None:
    if name == "":
        raise click.BadParameter("the name of the file is empty")
    return None if name is None else Path(name)


@click.command(
    epilog="""\b
Examples:
  lolli setup                                   what is found, and what would be written
  lolli setup --write                           write it
  lolli setup cutechess --name "Lolli dev" --write"""
)
@click.argument("names", nargs=-1, type=click.Choice(list(CLIENTS)), metavar="[CLIENT]...")
@flag_option("--write", help="Write the entries, and keep a copy of each file.")
@click.option(
    "--name",
    default=about.NAME,
    show_default=True,
    callback=_check_name,
    help="How the engine is called in the client.",
)
@click.option(
    "--file",
    "given",
    type=click.Path(dir_okay=False),
    callback=_check_file,
    help="The file of the client's engines; of one CLIENT.",
)
def command(names: tuple[str, ...], write: bool, name: str, given: Path | None) -> None:
    """Add Lolli to the list of engines of each CLIENT, or show what would be added.

    CLIENT is one of cutechess, xboard, pychess and en-croissant; the default is all that are found. Only
    Lolli's entry in the file is changed (a JSON list is rewritten in the client's layout). The old file is
    kept beside it, with .before-lolli at the end of its name. An entry that is already right is left alone.

    An entry with the same name and another command gets this installation's command; use --name to keep
    several side by side.
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
    missing = [] if names else [each for each in CLIENTS if each not in {client.key for client in chosen}]
    if missing:
        click.echo(f"\nNot found: {', '.join(missing)}. To enter Lolli all the same, name the client.")
    if not write and "planned" in results:
        click.echo("\nNothing has been written: add --write.")
    if "failed" in results:
        raise SystemExit(_FAILED)


def _whole(file: Path) -> Path:
    try:
        return file.expanduser().absolute()
    except FileNotFoundError:
        raise BadInputError("the folder that you are in is gone: give --file with a whole name") from None
    except RuntimeError as error:  # nobody of that name has a home
        raise BadInputError(f"{file}: {error}") from None


def _set_up(client: Client, given: Path | None, name: str, program: Path, *, write: bool) -> str:
    file = _whole(given or client.file())
    click.echo(f"\n{client.title}: {file}")
    try:
        plan = client.plan(file, name, program)
        lines = [plan.status.value]
        if plan.new is not None or plan.status is Status.BY_HAND:
            entry = (f"  {line}" if line else "" for line in plan.entry.splitlines())
            lines += ["", *entry, "", client.advice]
        click.echo("\n".join(f"  {line}" if line else "" for line in lines))
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
