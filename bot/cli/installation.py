"""The care of an installation: `mentat doctor`, `backup`, `restore`, `move` and `upgrade`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import CONFIG, NO, WRONG_USE, AsJson, Config, answer_json, fail, instant, print_aside, print_line
from bot.config import load_settings
from bot.config.values import DATABASE_EXPECTED, database_url, file_of
from bot.monitoring.checks import Finding
from bot.service.backup import VERIFIED_GAMES, Verification, back_up, move, take_back
from bot.service.doctor import examine
from bot.service.machine import utc_now
from bot.service.mail_servers import open_kept_mail
from bot.service.restoration import Restoration, check, restore
from bot.service.resumption import CannotResume, Resumption, resume
from bot.service.upgrade import Trial, Upgrade, UpgradeRefused, place_of, try_upgrade
from bot.service.upgrade import upgrade as upgrade_all
from bot.store.copies import CopyFailed
from bot.store.database import is_url, name_of, open_database
from bot.store.glance import newest_schema
from bot.store.installation import AlreadyRunning
from bot.wording.filters import plural

_FINDING_MARKS = {"well": "ok", "note": "note", "wrong": "WRONG", "skipped": "left"}


def doctor(
    config: Config = CONFIG,
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for its own mails; 0 sends none.")
    ] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Look whether everything works: settings, database, mailbox, sending, and mails that it sends to itself.

    Says what is wrong and what to do; exits 1 if anything is. May be asked while `mentat run` is at work.
    Example: `mentat doctor --wait 60`
    """
    found = []
    for finding in examine(config, wait):
        found.append(finding)
        if not as_json:
            _tell_finding(finding)
    wrong = sum(finding.state == "wrong" for finding in found)
    if as_json:
        told = [{"about": one.about, "state": one.state, "told": one.told, "advice": one.advice, **one.facts}
                for one in found]  # fmt: skip
        answer_json({"well": not wrong, "findings": told})
    else:
        print_line("All is well." if not wrong else f"{wrong} thing{'' if wrong == 1 else 's'} to mend.")
    if wrong:
        raise typer.Exit(NO)


def _tell_finding(finding: Finding) -> None:
    style = {"wrong": "red", "note": "yellow"}.get(finding.state, "")
    line = f"{_FINDING_MARKS[finding.state]:6}{finding.about}: {finding.told}"
    print_line(line, style=style)
    if finding.advice:
        print_line(f"      {finding.advice}")


Verify = Annotated[str, typer.Option("--verify", metavar="N|all", help="How many games are played again; 0 for none.")]


def backup(
    file: Annotated[Path, typer.Argument(help="Where to write the copy.")],
    verify: Verify = str(VERIFIED_GAMES),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Copy everything into a file while Mentat runs, and look whether the copy is whole and its games hold.

    It holds seeds, hands, tokens and mail, and is made for you alone. `.env` is not in it: keep that beside it.
    Example: `mentat backup /media/usb/mentat-2026-11-23.db`
    """
    most = _games_to_verify(verify)
    settings = load_settings(config)
    engine = open_database(settings.database_direct or settings.database_place)
    try:
        made = back_up(engine, settings.mentat.address, file, most, utc_now(), force=force)
    except (CopyFailed, AlreadyRunning) as error:
        fail(str(error))
    finally:
        engine.dispose()
    if as_json:
        answer_json({"file": str(made.file), "bytes": made.size, **_verified_json(made.verified)})
    else:
        print_line(f"wrote {made.file}: {made.size:,} bytes")
        _tell_verified(made.verified)
    _exit_unless_games_hold(made.verified)


def restore_command(
    file: Annotated[Path | None, typer.Argument(help="The backup.")] = None,
    only_check: Annotated[bool, typer.Option("--check", help="Only look whether it is whole.")] = False,
    on: Annotated[
        str, typer.Option(metavar="URL", help="With --check: a server that a copy of a server is tried on.")
    ] = "",
    verify: Verify = str(VERIFIED_GAMES),
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Put it in the place of a database with games. A file is kept beside; what a server had is gone.",
        ),
    ] = False,
    from_another: Annotated[
        bool, typer.Option("--from-another", help="It is a backup of another Mentat, whose games go on here.")
    ] = False,
    go_on: Annotated[
        bool, typer.Option("--resume", help="Take in what has come since the backup was made, and let Mentat go on.")
    ] = False,
    stopped: Annotated[
        str, typer.Option(metavar="ISO", help="With --resume: when Mentat stopped; else the mailbox tells.")
    ] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Put a backup back. The database is held then: nothing is read, sent or posted until `mentat restore --resume`.

    Examples: `mentat restore --check copy.db`, `mentat restore --check copy.dump --on postgresql://localhost/postgres`;
    `mentat restore copy.db`, then `mentat restore --resume`;
    or both at once, `mentat restore copy.db --resume`
    """
    if stopped and not go_on:
        fail("--stopped goes with --resume.", WRONG_USE)
    if on and not only_check:
        fail("--on goes with --check.", WRONG_USE)
    if on and (not is_url(on) or _is_no_url(on)):
        fail(
            "--on: name a database of a server that is there, without a password (PGPASSWORD has it), as "
            "postgresql://mentat@db.example.org/postgres.",
            WRONG_USE,
        )
    if go_on and only_check:
        fail("--check only looks, and --resume goes on: give one of them.", WRONG_USE)
    if go_on and file is None:
        if replace or from_another:
            fail("--replace and --from-another go with the file of a backup.", WRONG_USE)
        done = _resume(config, stopped)
        if as_json:
            answer_json(_resumed_json(done))
        else:
            _tell_resumed(done)
        return
    if file is None:
        fail("Name the backup, or give --resume to go on after one was put back.", WRONG_USE)
    most = _games_to_verify(verify)
    now = utc_now()
    try:
        if only_check:
            found = check(file, most, now, on)
        else:
            settings = load_settings(config)
            found = restore(file, settings, most, now, replace=replace, from_another=from_another)
    except (CopyFailed, AlreadyRunning) as error:
        fail(str(error))
    resumed = _resume(config, stopped) if go_on else None
    if as_json:
        answer_json(_restored_json(found) | (_resumed_json(resumed) if resumed else {}))
    else:
        _tell_restored(found, held=not only_check and not resumed)
        if resumed:
            _tell_resumed(resumed)
    if found.verified:
        _exit_unless_games_hold(found.verified)


def _resume(config: Path, stopped: str) -> Resumption:
    when = instant("--stopped", stopped) if stopped else None
    settings = load_settings(config)
    engine = open_database(settings.database_direct or settings.database_place)
    try:
        return resume(settings, engine, open_kept_mail(settings), utc_now(), when)
    except (CannotResume, AlreadyRunning) as error:
        fail(str(error))
    finally:
        engine.dispose()


def _tell_resumed(done: Resumption) -> None:
    told = [
        f"Until {done.stopped:%Y-%m-%d %H:%M} UTC, when Mentat last was at work, it is as it was again: "
        f"{plural(done.messages, 'mail')} read again, {done.put_aside} of them put aside.",
        f"{plural(done.gone_out, 'letter')} went out before and {'does' if done.gone_out == 1 else 'do'} not go out "
        f"again{'' if done.by_copies else ', as far as can be known'}; {done.to_be_sent} go out now.",
        "The time since then is given back to all games, as after any outage.",
    ]
    if changed := [*done.unknown, *done.otherwise]:
        told.append(
            f"{plural(len(changed), 'letter')} that went out could not be written again as it was: "
            f"{', '.join(changed[:5])}. What was done at the machine since the backup must be done again."
        )
    told.append("Start Mentat: mentat run")
    for line in told:
        print_line(line)


def _tell_restored(found: Restoration, *, held: bool) -> None:
    label = found.label
    what = "PostgreSQL" if label.kind == "postgresql" else "SQLite"
    made = f"of {found.copy_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if found.copy_at else "of an unknown time"
    whose = f", of {label.address} (installation {label.installation})" if label.address else ""
    told = [f"The backup is whole: a {what} database {made}{whose}, schema {label.schema}."]
    if found.aside:
        told.append(f"What was there before is kept as {found.aside}.")
    for line in told:
        print_line(line)
    if found.verified:
        _tell_verified(found.verified)
    else:
        untried = "Its games were not played again; that is done when it is put back, or now with --on URL of a server."
        print_line(untried)
    if held:
        held_now = "It is held: nothing is read, sent or posted. When no other Mentat reads the mailbox any more:"
        print_line(held_now)
        print_line("  mentat restore --resume")


def _tell_verified(verified: Verification) -> None:
    held = verified.checked - len(verified.broken)
    again = f"{held} of {verified.checked} that were played again hold" if verified.checked else "none was played again"
    print_line(f"{plural(verified.games, 'game')}; {again}.")


def _exit_unless_games_hold(verified: Verification) -> None:
    """Exit 1 where a game does not hold."""
    for proof in verified.broken:
        print_aside(f"{proof.id} does not hold. {proof.difference}", style="red")
    if verified.broken:
        raise typer.Exit(NO)


def _restored_json(found: Restoration) -> dict[str, object]:
    label = found.label
    told: dict[str, object] = {
        "kind": label.kind, "schema": label.schema, "installation": label.installation, "address": label.address,
        "version": label.version, "copied_at": _instant_text(found.copy_at),
        "kept": str(found.aside) if found.aside else None,
    }  # fmt: skip
    return told | (_verified_json(found.verified) if found.verified else {})


def _resumed_json(done: Resumption) -> dict[str, object]:
    return {
        "copied_at": _instant_text(done.copy_at), "stopped": _instant_text(done.stopped), "messages": done.messages,
        "put_aside": done.put_aside, "gone_out": done.gone_out, "to_be_sent": done.to_be_sent,
        "by_copies": done.by_copies, "unknown": done.unknown, "otherwise": done.otherwise,
    }  # fmt: skip


def _verified_json(verified: Verification) -> dict[str, object]:
    return {
        "games": verified.games, "checked": verified.checked,
        "broken": [{"game": proof.id, "difference": proof.difference} for proof in verified.broken],
    }  # fmt: skip


def _instant_text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _games_to_verify(said: str) -> int | None:
    """How many games to play again; None for all."""
    if said == "all":
        return None
    if not said.isdecimal():
        fail(f"--verify: {said!r} is neither a number nor all.", WRONG_USE)
    return int(said)


def move_command(
    to: Annotated[
        str,
        typer.Option(metavar="URL|FILE", help="A database of a PostgreSQL server, or a file that is not there."),
    ] = "",
    back: Annotated[
        bool, typer.Option("--back", help="Go on with this database after it was moved: the other is used no more.")
    ] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Carry everything to another database: from a file to a PostgreSQL server, or back.

    Nobody may be at work meanwhile. Everything there is compared, and every game is played again, before it is said how
    to switch. This database is held then, so that no two answer one mailbox. A password is taken from
    MENTAT_DATABASE_PASSWORD.
    Example: `mentat move --to postgresql://mentat@db.example.org/mentat`
    """
    if bool(to) == back:
        fail("Say --to with a URL or a file, or --back.", WRONG_USE)
    if "://" in to and _is_no_url(to):
        fail(f"--to: name a file, or {DATABASE_EXPECTED}.", WRONG_USE)
    settings = load_settings(config)
    source = open_database(settings.database_direct or settings.database_place)
    file = file_of(to) or Path(to)
    try:
        if back:
            _tell_taken_back(name_of(source), take_back(source), as_json=as_json)
            return
        place = settings.with_password(to) if is_url(to) else file
        moved = move(source, place, utc_now(), _tell_nothing if as_json else _tell_table)
    except (CopyFailed, AlreadyRunning) as error:
        fail(str(error))
    finally:
        source.dispose()
    if as_json:
        answer_json(
            {"target": moved.target, "tables": moved.tables, "rows": moved.rows, **_verified_json(moved.verified)}
        )
        return
    carried = f"{moved.rows:,} rows of {moved.tables} tables are in {moved.target}, and are the same."
    print_line(carried)
    _tell_verified(moved.verified)
    switch = f'[database] url = "{to}"' if is_url(to) else f'[mentat] database = "{file}", without [database] url'
    told = f"{name_of(source)} is held now. Switch in config.toml: {switch}."
    print_line(told)


def _is_no_url(text: str) -> bool:
    """Whether it cannot be the URL of a database; a password in it would be seen by whoever lists processes."""
    try:
        return not database_url(text)
    except ValueError:
        return True


def _tell_taken_back(name: str, whither: str, *, as_json: bool) -> None:
    if as_json:
        answer_json({"goes_on": name, "was_moved_to": whither})
    else:
        told = f"{name} goes on. What it was moved to, {whither}, must not be used any more."
        print_line(told)


def _tell_nothing(table: str, rows: int) -> None:
    pass


def _tell_table(table: str, rows: int) -> None:
    if rows:
        print_line(f"  {table}: {plural(rows, 'row')}")


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
        answer_json(_trial_json(trial))
    else:
        _say_steps(trial, "would bring")
        _say_games(trial, "would be held", "would go on again")
        took = ", ".join(f"{work} {seconds:.1f} s" for work, seconds in trial.seconds.items())
        print_line(f"On a copy of {trial.size / 1e6:,.1f} MB: {took}. Nothing was changed.")
    _exit_unless_games_go_on(trial)


def _tell_upgraded(done: Upgrade, as_json: bool) -> None:
    trial = done.trial
    if as_json:
        kept = str(done.backup.file) if done.backup else None
        answer_json({**_trial_json(trial), "backup": kept, "renewed_in_seconds": done.seconds})
    else:
        _say_steps(trial, "brought")
        if done.backup:
            print_line(f"The backup is {done.backup.file}.")
        _say_games(trial, "is held now", "goes on again")
    _exit_unless_games_go_on(trial)


def _say_steps(trial: Trial, brought: str) -> None:
    if trial.steps:
        print_line(f"Schema {trial.schema}; {plural(len(trial.steps), 'step')} to {newest_schema()}:")
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


def _trial_json(trial: Trial) -> dict[str, object]:
    return {
        "schema": trial.schema, "newest": newest_schema(), "bytes": trial.size,
        "steps": [{"schema": step.schema, "brings": step.brings} for step in trial.steps],
        "games": trial.games, "other_rules": trial.other_rules,
        "changed": [{"game": proof.id, "difference": proof.difference} for proof in trial.changed],
        "held": list(trial.held), "released": list(trial.released), "seconds": dict(trial.seconds),
    }  # fmt: skip


def _exit_unless_games_go_on(trial: Trial) -> None:
    """Exit 1 where a game goes otherwise."""
    if trial.changed:
        raise typer.Exit(NO)
