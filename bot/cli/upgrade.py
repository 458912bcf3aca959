"""`mentat upgrade`: from an older Mentat to the one that is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import (
    CONFIG,
    NO,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    fail,
    print_aside,
    print_line,
)
from bot.config import load_settings
from bot.service.system_clock import utc_now
from bot.store.copies.label import CopyFailed
from bot.store.only_one import AlreadyRunning
from bot.store.schema import newest
from bot.upgrade.trial import Trial, UpgradeRefused, try_upgrade
from bot.upgrade.upgrading import Upgraded, place_of
from bot.upgrade.upgrading import upgrade as upgrade_all
from bot.wording.filters import plural


def upgrade(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try it on a copy, while Mentat runs, and change nothing.")
    ] = False,
    backup: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the backup; beside the database, if left out.")
    ] = None,
    scratch: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the copy of a file is made; beside it, if left out.")
    ] = None,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Bring the database to this Mentat: tried on a copy, after a backup; then play all running games by its rules.

    A game that would have gone otherwise is held and named. Exit 1 if there is one.
    Examples: `mentat upgrade --dry-run`, then, while Mentat does not run, `mentat upgrade`
    """
    settings = load_settings(config)
    folder = scratch or settings.mentat.database.parent
    if not folder.is_dir():
        fail(f"There is no folder {folder}; make it, or name another with --scratch.", WRONG_USE)
    try:
        if dry_run:
            _tell_trial(try_upgrade(place_of(settings), folder), as_json)
        else:
            _tell_upgraded(upgrade_all(settings, backup, folder, utc_now()), as_json)
    except (AlreadyRunning, CopyFailed, UpgradeRefused) as error:
        fail(str(error))


def _tell_trial(trial: Trial, as_json: bool) -> None:
    if as_json:
        answer_json(_as_json(trial))
    else:
        _say_steps(trial, "would bring")
        _say_games(trial, "would be held", "would go on again")
        took = ", ".join(f"{work} {seconds:.1f} s" for work, seconds in trial.seconds.items())
        print_line(f"On a copy of {trial.size / 1e6:,.1f} MB: {took}. Nothing was changed.")
    _end(trial)


def _tell_upgraded(done: Upgraded, as_json: bool) -> None:
    trial = done.trial
    if as_json:
        kept = str(done.backup.file) if done.backup else None
        answer_json({**_as_json(trial), "backup": kept, "renewed_in_seconds": done.seconds})
    else:
        _say_steps(trial, "brought")
        if done.backup:
            print_line(f"The backup is {done.backup.file}.")
        _say_games(trial, "is held now", "goes on again")
    _end(trial)


def _say_steps(trial: Trial, brought: str) -> None:
    if trial.steps:
        print_line(f"Schema {trial.schema}; {plural(len(trial.steps), 'step')} to {newest()}:")
        for step in trial.steps:
            print_line(f"  {step.schema} {brought}: {step.brings}")
    else:
        print_line(f"The database has the newest schema, {trial.schema}.")


def _say_games(trial: Trial, holds: str, goes_on: str) -> None:
    other = f", {trial.other_rules} of them for the first time by the rules installed now" if trial.other_rules else ""
    print_line(f"{plural(trial.games, 'running game')} played again{other}.")
    for game in trial.released:
        print_line(f"{game} {goes_on}.")
    for game in trial.held:
        print_line(f"{game} is held already, and stays so.")
    for proof in trial.changed:
        told = f"{proof.id} {holds}. {proof.difference}"
        print_aside(told, style="red")


def _as_json(trial: Trial) -> dict[str, object]:
    return {
        "schema": trial.schema, "newest": newest(), "bytes": trial.size,
        "steps": [{"schema": step.schema, "brings": step.brings} for step in trial.steps],
        "games": trial.games, "other_rules": trial.other_rules,
        "changed": [{"game": proof.id, "difference": proof.difference} for proof in trial.changed],
        "held": list(trial.held), "released": list(trial.released), "seconds": dict(trial.seconds),
    }  # fmt: skip


def _end(trial: Trial) -> None:
    """Exit 1 where a game goes otherwise."""
    if trial.changed:
        raise typer.Exit(NO)
