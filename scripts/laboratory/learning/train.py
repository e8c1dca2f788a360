"""`scripts/lab train`: from games to a value network."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from engine.system.services import processors
from eval.network_file import NetworkWeights, load_network, save_network
from eval.network_shape import WIDTH_STEP
from eval.training.float_network import KING_BUCKETS, FloatNetwork
from eval.training.training import (
    DEVICES,
    LAST,
    MEAN,
    PROCESSOR,
    SCALE,
    NetworkPlan,
    Settings,
    train,
)
from scripts.laboratory.lab_options import (
    WIDE,
    amount_option,
    choice_option,
    count_option,
    file_option,
    seed_option,
)
from scripts.laboratory.learning.selfplay import how_sampled
from scripts.laboratory.long_run import (
    FAILED,
    INTERRUPTED,
    JournalError,
    RunDisplay,
    checkout_commit,
    interrupt_on_sigterm,
    the_only_run,
)

_MOST_FORESIGHT = 0.99
_FOLDER = click.Path(exists=True, path_type=Path)


@click.command("train", context_settings=WIDE)
@click.argument("games", nargs=-1, metavar="[GAMES_FOLDER]...", type=_FOLDER)
@click.option(
    "--taught",
    multiple=True,
    type=_FOLDER,
    help="Folder or file of sampled positions with the scores of searches, to learn among those of games.",
)
@file_option("--out", "File of the network to write; what is unfinished is kept beside it.", required=True)
@count_option("--width", 256, "Hidden units for each side, a multiple of 32.", least=32, most=1024)
@click.option(
    "--king-buckets",
    type=click.Choice([str(number) for number in KING_BUCKETS]),
    default="1",
    show_default=True,
    help="Number of sets of hidden weights, by the place of the own king.",
)
@file_option("--start", "Network to go on from.")
@count_option("--epochs", 6, "Epochs on games.")
@count_option("--batch", 16384, "Positions of games in a batch.")
@count_option(
    "--chunk",
    32_000_000,
    "Size of the shuffle buffer in positions, approximately; two are in memory, 40 bytes a position.",
)
@amount_option("--rate", 1e-3, "First learning rate.", above_least=True)
@amount_option("--last-rate", 1e-5, "Last learning rate, to which a cosine leads.", above_least=True)
@amount_option("--decay", 0.01, "Weight decay of AdamW.")
@amount_option(
    "--share", 0.1, "Share of the game's result in the first targets; the rest is from scores.", most=1
)
@amount_option("--last-share", 0.3, "That share at the end; it changes from chunk to chunk.", most=1)
@amount_option(
    "--foresight",
    0.9,
    "Weight of the score a ply later in the game, for each ply; 0: a position's own score alone.",
    most=_MOST_FORESIGHT,
)
@count_option("--held-out", 25, "Use every N-th game for validation.", least=2)
@choice_option(
    "--keep",
    [LAST, MEAN],
    LAST,
    "The network to write: the last, or the mean of 20 from the last fifth of the training.",
    to="kept",
)
@seed_option("the first weights and the order of the positions")
@click.option(
    "--threads",
    type=click.IntRange(1),
    default=processors(),
    show_default="all processors",
    help="Threads that learn; another number gives slightly other weights.",
)
@choice_option("--device", DEVICES, PROCESSOR, "Where to learn; all but `cpu` need PyTorch.")
@click.option(
    "--mean",
    "networks",
    multiple=True,
    type=_FOLDER,
    help="Learn nothing: write the mean of networks that went on from the same one; repeatable.",
)
def train_command(
    *,
    games: tuple[Path, ...],
    taught: tuple[Path, ...],
    out: Path,
    width: int,
    king_buckets: str,
    networks: tuple[Path, ...],
    **options: Any,
) -> None:
    """Train a value network on the games in folders that scripts/lab selfplay has filled.

    \b
    scripts/lab train data/first --taught data/taught --out first.lolli
    scripts/lab train data/first data/second --taught data/taught --start first.lolli --out second.lolli
    scripts/lab train --mean one.lolli --mean other.lolli --out mean.lolli

    With the same command, a training that was interrupted (Ctrl-C, SIGTERM) goes on where it was, one that
    was killed where it was at most three minutes earlier, and both with what the files held when it began.
    The same data, settings and --threads give the same network.

    The positions are unpacked into the folder of --out, 32 bytes each, until the training ends.

    This is for chess; Connect Four, Go and Othello have scripts/lab learn-policy.
    """
    if networks:
        if games:
            raise click.UsageError("--mean learns nothing: name no games")
        sys.exit(average(networks, out))
    if not games:
        raise click.UsageError("nothing to learn from: name a folder of games")
    if width % WIDTH_STEP:
        raise click.UsageError(f"--width must be a multiple of {WIDTH_STEP}: {width}")
    of_plan = {name: options.pop(name) for name in ("start", "share", "last_share", "foresight")}
    plan = NetworkPlan(
        games=games,
        taught=taught,
        width=width,
        king_buckets=int(king_buckets),
        sampled={path: how_sampled(path) for path in taught},
        settings=Settings(**options),
        **of_plan,
    )
    sys.exit(_train(plan, out))


def _train(plan: NetworkPlan, out: Path) -> int:
    state_file = out.with_name(out.name + ".state")
    interrupt_on_sigterm()
    epochs = plan.settings.epochs
    with RunDisplay("epochs", epochs, 0, epochs + 1) as display:
        try:
            with the_only_run(state_file.with_name(f"{state_file.name}.lock")):
                network, about = train(plan, state_file, display.say, display.show)
                save_network(out, network.for_file(SCALE, {**_made(), **about}))
                state_file.unlink(missing_ok=True)
        except KeyboardInterrupt:
            if state_file.exists():
                display.say(f"Interrupted: the same command goes on from {state_file}")
            return INTERRUPTED
        except (JournalError, ValueError, OSError) as error:  # all errors of learning are ValueErrors
            display.say(f"Cannot go on: {error}")
            return FAILED
        display.console.print(_loss_table(about["stages"][-1]["judgement"]))
        display.say(f"{out}: {out.stat().st_size} bytes")
    return 0


def _made() -> dict[str, Any]:
    return {"made": datetime.now(UTC).date().isoformat(), "commit": checkout_commit()}


def _loss_table(judgement: dict[str, Any]) -> Table:
    table = Table(title="Loss in the validation games, in nats")
    table.add_column("positions")
    for heading in ("number", "loss", "least possible", "against results"):
        table.add_column(heading, justify="right")
    for naming, bands in (
        ("{}", [judgement["total"]]),
        ("{} men", judgement["men"]),
        ("ply {}", judgement["plies"]),
    ):
        for band in bands:
            if band["positions"]:
                numbers = (f"{band[key]:.5f}" for key in ("loss", "least", "result"))
                table.add_row(naming.format(band["name"]), f"{band['positions']}", *numbers)
        table.add_section()
    return table


_LEARNED = ("mean_of", "games", "taught", "start", "share", "last_share", "foresight", "seed", "settings")


def average(networks: tuple[Path, ...], out: Path) -> int:
    """Write the mean of networks that went on from the same one. The exit status.

    Networks that learned from other games, or at other rates, from the same start are near each other, and
    their mean evaluates better than most of them (M. Wortsman et al., "Model soups", 2022). The scale, the
    rules for endings and the model of the outcome are those of the first.
    """
    try:
        found = [load_network(path) for path in networks]
        first = found[0]
        about = {**first.about, **_made(), "mean_of": [_learned(each) for each in found]}
        mean = FloatNetwork.mean([FloatNetwork.of_file(each) for each in found]).for_file(
            first.scale, about, won_endings=first.won_endings, drawish_endings=first.drawish_endings
        )
        save_network(out, replace(mean, outcome=first.outcome))
    except (ValueError, OSError) as error:
        click.echo(f"Cannot take the mean: {error}")
        return FAILED
    click.echo(f"{out}: the mean of {len(found)} networks, {mean.digest()}")
    return 0


def _learned(weights: NetworkWeights) -> dict[str, Any]:
    known = {key: weights.about[key] for key in _LEARNED if key in weights.about}
    return {"digest": weights.digest(), **known}
