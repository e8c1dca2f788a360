"""`lolli doctor`: what is installed, compiled, found and wrong, for a bug report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from lolli.cli.clients.catalogue import CLIENTS
from lolli.cli.clients.installation import CommandError, engine_command
from lolli.cli.clients.plan import ClientFileError, Plan, Status, UnreadableClientFileError
from lolli.cli.defaults import defaults, unknown_sections
from lolli.cli.diagnosis import engine_checks, installation_checks
from lolli.cli.diagnosis.record import Record
from lolli.cli.lazy_group import LazyGroup
from lolli.cli.shared_options import json_option
from protocol.config_file import load

if TYPE_CHECKING:
    from pathlib import Path

    from lolli.cli.clients.plan import Client

_WRONG = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli doctor
  lolli doctor --json > doctor.json""",
)
@json_option("Print JSON, one object.")
def command(as_json: bool) -> None:
    """Tell what is installed, compiled and found, how fast it is, and the remedy for what is wrong.

    This takes a few seconds. Put the output into a bug report: it names folders, with ~ for your home. The
    exit status is 1 if something is wrong.

    With --json the sections are objects of one object; `problems` is a list of objects with `problem` and
    `remedy`.
    """
    record = Record()
    installation_checks.examine_installation(record)
    installation_checks.examine_machine(record)
    installation_checks.examine_kernel(record)
    installation_checks.examine_packages(record)
    engine_checks.examine_evaluators(record)
    engine_checks.examine_config(record)
    _examine_sections(record)
    _examine_clients(record)
    engine_checks.examine_speed(record)
    if as_json:
        click.echo(json.dumps(record.content(), ensure_ascii=False))
    else:
        click.echo("\n".join(record.lines()))
    if record.problems:
        raise SystemExit(_WRONG)


def _examine_sections(record: Record) -> None:
    """The defaults for commands, of which there may be mistakes that no other command has told."""
    context = click.get_current_context().find_root()
    group = context.command
    if not isinstance(group, LazyGroup):
        return
    own = load()
    names = group.list_commands(context)
    faults = list(unknown_sections(own, names))
    for name in own.sections:
        found = group.get_command(context, name) if name in names else None
        if found is not None:
            faults += defaults(own, name, found)[1]
    for fault in faults:
        record.complain(fault, f"correct {own.path}")


def _examine_clients(record: Record) -> None:
    """The clients that are found, and whether they know this installation."""
    try:
        program = engine_command()
    except CommandError:
        return
    for client in CLIENTS.values():
        file = client.file()
        if not client.is_installed() or file is None:
            record.add("clients", **{client.key: None})
            continue
        try:
            plan = client.plan(file, "Lolli", program)
        except ClientFileError as error:
            record.add("clients", **{client.key: str(file)})
            unreadable = isinstance(error, UnreadableClientFileError)
            remedy = (
                f"make {file} a file that you can read, or move it away"
                if unreadable
                else f"move {file} away, and let {client.title} write it anew"
            )
            record.complain(f"{client.title}: {error}", remedy)
            continue
        record.add("clients", **{client.key: f"{file}: {_state(client, plan, program)}"})


def _state(client: Client, plan: Plan, program: Path) -> str:
    if plan.status is Status.PRESENT:
        return f"starts {program}"
    if plan.status is Status.OUTDATED:
        return f"starts another Lolli (lolli setup {client.key})"
    return f"Lolli is not there (lolli setup {client.key})"
