"""Setting up and maintaining an installation: `mentat init`, `manual`, `doctor`, `backup`, `restore`, `move` and
`upgrade`.

The manual page is made from the help of every command (man-pages(7), groff_man(7)).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot import VERSION
from bot.cli.options import iso_or_none
from bot.cli.session import CONFIG, WRONG_USE, Answer, Call, command, fail, instant, styled
from bot.config import load_settings, starter_files
from bot.config.values import DATABASE_EXPECTED, database_url, file_of
from bot.service.backup import VERIFIED_GAMES, Verification, back_up, move, take_back
from bot.service.doctor import examine
from bot.service.machine import utc_now
from bot.service.mail_servers import make_folders, open_kept_mail
from bot.service.restoration import Restoration, check, restore
from bot.service.resumption import Resumption, resume
from bot.service.upgrade import Trial, place_of, try_upgrade
from bot.service.upgrade import upgrade as upgrade_all
from bot.store import glance
from bot.store.database import existing_database, is_url, name_of, open_database
from bot.store.glance import newest_schema
from bot.wording import environment
from bot.wording.filters import plural

_FINDING_MARKS = {"well": "ok", "note": "note", "wrong": "WRONG", "skipped": "left"}
_FINDING_STYLES = {"wrong": "red", "note": "yellow"}


@command("doctor")
def doctor(
    call: Call,
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the test mails; 0 sends none.")
    ] = 120.0,
) -> Answer:
    """Check whether everything works: settings, database, mailbox, sending, and test mails that Mentat sends to itself.

    The command says what is wrong and what to do about it. The exit status is 1 if anything is wrong. You can use it
    while `mentat run` is running.

    Example: `mentat doctor --wait 60`
    """
    found = []
    for one in examine(call.config, wait):
        found.append({"about": one.about, "state": one.state, "told": one.told, "advice": one.advice, **one.facts})
        call.report(styled(f"{_FINDING_MARKS[one.state]:6}{one.about}: {one.told}", _FINDING_STYLES.get(one.state, "")))
        if one.advice:
            call.report(f"      {one.advice}")
    wrong = sum(one["state"] == "wrong" for one in found)
    told = "All is well." if not wrong else f"{plural(wrong, 'problem')} to fix."
    return Answer(told, {"well": not wrong, "findings": found}, failed=bool(wrong))


Verify = Annotated[str, typer.Option("--verify", metavar="N|all", help="How many games to replay; 0 for none.")]


@command("backup")
def backup(
    call: Call,
    file: Annotated[Path, typer.Argument(help="Where to write the copy.")],
    verify: Verify = str(VERIFIED_GAMES),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> Answer:
    """Copy everything into a file, even while Mentat is running, and check the copy and its games.

    The copy contains seeds, hands, tokens and mail, and only you can read it. It does not contain `.env`, so keep a
    copy of that file too.

    Example: `mentat backup /media/usb/mentat-2026-11-23.db`
    """
    most = _games_to_verify(verify)
    engine = existing_database(call.settings.database_direct or call.settings.database_place)
    try:
        made = back_up(engine, call.settings.mentat.address, file, most, call.now, force=force)
    finally:
        engine.dispose()
    lines = [f"wrote {made.file}: {made.size:,} bytes", _verified_line(made.verified)]
    document = {"file": str(made.file), "bytes": made.size, **_verified_json(made.verified)}
    return Answer(lines, document, problems=_broken_games(made.verified))


@command("restore")
def restore_command(
    call: Call,
    file: Annotated[Path | None, typer.Argument(help="The backup.")] = None,
    only_check: Annotated[bool, typer.Option("--check", help="Only check that the backup is complete.")] = False,
    on: Annotated[
        str,
        typer.Option(metavar="URL", help="With --check: a server on which to try the backup of a PostgreSQL database."),
    ] = "",
    verify: Verify = str(VERIFIED_GAMES),
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Replace a database that has games. An old file is kept next to it; data on a server is lost.",
        ),
    ] = False,
    from_another: Annotated[
        bool, typer.Option("--from-another", help="The backup is from another Mentat, whose games continue here.")
    ] = False,
    go_on: Annotated[
        bool, typer.Option("--resume", help="Fetch the mail that came after the backup, and let Mentat continue.")
    ] = False,
    stopped: Annotated[
        str, typer.Option(metavar="ISO", help="With --resume: when Mentat stopped; if left out, the mailbox shows it.")
    ] = "",
) -> Answer:
    """Restore a backup, and hold the restored database: nothing is read, sent or posted until
    `mentat restore --resume`.

    Examples: `mentat restore --check copy.db`, `mentat restore --check copy.dump --on postgresql://localhost/postgres`.
    `mentat restore copy.db`, then `mentat restore --resume`, or both at once: `mentat restore copy.db --resume`
    """
    if stopped and not go_on:
        fail("--stopped needs --resume.", WRONG_USE)
    if on and not only_check:
        fail("--on needs --check.", WRONG_USE)
    if on and (not is_url(on) or _is_no_url(on)):
        fail(
            "--on: name an existing database on a server, without a password (set PGPASSWORD), like "
            "postgresql://mentat@db.example.org/postgres.",
            WRONG_USE,
        )
    if go_on and only_check:
        fail("--check changes nothing, and --resume restarts: give one of them.", WRONG_USE)
    if go_on and file is None:
        if replace or from_another:
            fail("--replace and --from-another need the file of a backup.", WRONG_USE)
        done = _resume(call, stopped)
        return Answer(_resumed_lines(done), _resumed_json(done))
    if file is None:
        fail("Name the backup, or give --resume to continue after a restore.", WRONG_USE)
    most = _games_to_verify(verify)
    if only_check:
        found = check(file, most, call.now, on)
    else:
        found = restore(file, call.settings, most, call.now, replace=replace, from_another=from_another)
    lines, document = _restored_lines(found, held=not only_check and not go_on), _restored_json(found)
    if go_on:
        done = _resume(call, stopped)
        lines, document = lines + _resumed_lines(done), document | _resumed_json(done)
    return Answer(lines, document, problems=_broken_games(found.verified) if found.verified else ())


def _resume(call: Call, stopped: str) -> Resumption:
    when = instant("--stopped", stopped) if stopped else None
    engine = existing_database(call.settings.database_direct or call.settings.database_place)
    try:
        return resume(call.settings, engine, open_kept_mail(call.settings), utc_now(), when)
    finally:
        engine.dispose()


def _resumed_lines(done: Resumption) -> list[str]:
    told = [
        f"Everything is as it was at {done.stopped:%Y-%m-%d %H:%M} UTC, when Mentat was last running: "
        f"{plural(done.messages, 'mail')} read again, {done.put_aside} of them put aside.",
        f"{plural(done.gone_out, 'letter')} went out before and {'is' if done.gone_out == 1 else 'are'} not sent "
        f"again{'' if done.by_copies else ', as far as can be known'}; {done.to_be_sent} will be sent now.",
        "All games get back the time since then, as after any outage.",
    ]
    if changed := [*done.unknown, *done.otherwise]:
        told.append(
            f"{plural(len(changed), 'letter')} that went out could not be recreated unchanged: "
            f"{', '.join(changed[:5])}. Repeat everything that was done at the machine since the backup."
        )
    return [*told, "Start Mentat: mentat run"]


def _restored_lines(found: Restoration, *, held: bool) -> list[str]:
    label = found.label
    what = "PostgreSQL" if label.kind == "postgresql" else "SQLite"
    made = f"of {found.copy_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if found.copy_at else "of an unknown time"
    whose = f", of {label.address} (installation {label.installation})" if label.address else ""
    told = [f"The backup is complete: a {what} database {made}{whose}, schema {label.schema}."]
    if found.aside:
        told.append(f"The previous database is kept as {found.aside}.")
    untried = "Its games were not replayed; a restore replays them, or a check with --on and the URL of a server."
    told.append(_verified_line(found.verified) if found.verified else untried)
    if held:
        told.append("It is held: nothing is read, sent or posted. Once no other Mentat reads the mailbox:")
        told.append("  mentat restore --resume")
    return told


def _verified_line(verified: Verification) -> str:
    held = verified.checked - len(verified.broken)
    again = f"{held} of {verified.checked} that were replayed hold" if verified.checked else "none was replayed"
    return f"{plural(verified.games, 'game')}; {again}."


def _broken_games(verified: Verification) -> list[str]:
    return [f"{proof.id} fails verification. {proof.difference}" for proof in verified.broken]


def _restored_json(found: Restoration) -> dict[str, object]:
    label = found.label
    told: dict[str, object] = {
        "kind": label.kind,
        "schema": label.schema,
        "installation": label.installation,
        "address": label.address,
        "version": label.version,
        "copied_at": iso_or_none(found.copy_at),
        "kept": str(found.aside) if found.aside else None,
    }
    return told | (_verified_json(found.verified) if found.verified else {})


def _resumed_json(done: Resumption) -> dict[str, object]:
    return {
        "copied_at": iso_or_none(done.copy_at),
        "stopped": iso_or_none(done.stopped),
        "messages": done.messages,
        "put_aside": done.put_aside,
        "gone_out": done.gone_out,
        "to_be_sent": done.to_be_sent,
        "by_copies": done.by_copies,
        "unknown": done.unknown,
        "otherwise": done.otherwise,
    }


def _verified_json(verified: Verification) -> dict[str, object]:
    return {
        "games": verified.games,
        "checked": verified.checked,
        "broken": [{"game": proof.id, "difference": proof.difference} for proof in verified.broken],
    }


def _games_to_verify(said: str) -> int | None:
    if said == "all":
        return None
    if not said.isdecimal():
        fail(f"--verify: {said!r} is neither a number nor all.", WRONG_USE)
    return int(said)


@command("move")
def move_command(
    call: Call,
    to: Annotated[str, typer.Option(metavar="URL|FILE", help="A database on a PostgreSQL server, or a new file.")] = "",
    back: Annotated[
        bool, typer.Option("--back", help="After a move, use this database again instead of the other.")
    ] = False,
) -> Answer:
    """Move everything to another database: from a file to a PostgreSQL server, or back.

    No other process may be running during the move. The command compares the whole content of the new database with the
    old one, and replays every game. Then it says how to switch to the new database. From then on the old database is
    held, so that no two databases answer the mail of one mailbox. The password is read from MENTAT_DATABASE_PASSWORD.

    Example: `mentat move --to postgresql://mentat@db.example.org/mentat`
    """
    if bool(to) == back:
        fail("Give --to with a URL or a file, or --back.", WRONG_USE)
    if "://" in to and _is_no_url(to):
        fail(f"--to: name a file, or {DATABASE_EXPECTED}.", WRONG_USE)
    source = existing_database(call.settings.database_direct or call.settings.database_place)
    file = file_of(to) or Path(to)

    def report(table: str, rows: int) -> None:
        if rows:
            call.report(f"  {table}: {plural(rows, 'row')}")

    try:
        if back:
            name, whither = name_of(source), take_back(source)
            told = f"{name} is in use again. Its copy, {whither}, must no longer be used."
            return Answer(told, {"goes_on": name, "was_moved_to": whither})
        place = call.settings.with_password(to) if is_url(to) else file
        moved = move(source, place, call.now, report)
    finally:
        source.dispose()
    switch = f'[database] url = "{to}"' if is_url(to) else f'[mentat] database = "{file}", without [database] url'
    lines = [
        f"{moved.rows:,} rows of {moved.tables} tables are now in {moved.target}, unchanged.",
        _verified_line(moved.verified),
        f"{name_of(source)} is now held. To switch, set in config.toml: {switch}.",
    ]
    document = {"target": moved.target, "tables": moved.tables, "rows": moved.rows, **_verified_json(moved.verified)}
    return Answer(lines, document)


def _is_no_url(text: str) -> bool:
    """Return True if a text is not a database URL, or is one that contains a password. On the command line, other users
    could see the password."""
    try:
        return not database_url(text)
    except ValueError:
        return True


@command("upgrade")
def upgrade(
    call: Call,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try it on a copy, while Mentat runs, and change nothing.")
    ] = False,
    backup: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the backup; beside the database, if left out.")
    ] = None,
    scratch: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to copy a database file for the trial; beside it, if left out."),
    ] = None,
) -> Answer:
    """Upgrade the database for this version of Mentat: back it up, try the upgrade on a copy, do it, and replay all
    games in play.

    If a game takes a different course under the new rules, it is held and named, and the exit status is 1.

    Examples: `mentat upgrade --dry-run`, then, while Mentat is not running, `mentat upgrade`
    """
    folder = scratch or call.settings.mentat.database.parent
    if not folder.is_dir():
        fail(f"There is no folder {folder}; make it, or name another with --scratch.", WRONG_USE)
    if dry_run:
        trial = try_upgrade(place_of(call.settings), folder)
        took = ", ".join(f"{work} {seconds:.1f} s" for work, seconds in trial.seconds.items())
        lines = [
            *_step_lines(trial, "would bring"),
            *_game_lines(trial, "would go on again"),
            f"On a copy of {trial.size / 1e6:,.1f} MB: {took}. Nothing was changed.",
        ]
        return _upgrade_answer(call, trial, lines, _trial_json(trial), "would be held")
    done = upgrade_all(call.settings, backup, folder, call.now)
    kept = str(done.backup.file) if done.backup else None
    lines = [
        *_step_lines(done.trial, "brought"),
        *([f"The backup is {kept}."] if kept else []),
        *_game_lines(done.trial, "goes on again"),
    ]
    document = {**_trial_json(done.trial), "backup": kept, "renewed_in_seconds": done.seconds}
    return _upgrade_answer(call, done.trial, lines, document, "is held now")


def _upgrade_answer(call: Call, trial: Trial, lines: list[str], document: dict[str, object], holds: str) -> Answer:
    problems = [] if call.as_json else [f"{proof.id} {holds}. {proof.difference}" for proof in trial.changed]
    return Answer(lines, document, failed=bool(trial.changed), problems=problems)


def _step_lines(trial: Trial, brought: str) -> list[str]:
    if not trial.steps:
        return [f"The database has the newest schema, {trial.schema}."]
    head = f"Schema {trial.schema}; {plural(len(trial.steps), 'step')} to {newest_schema()}:"
    return [head, *(f"  {step.schema} {brought}: {step.brings}" for step in trial.steps)]


def _game_lines(trial: Trial, goes_on: str) -> list[str]:
    other = f", {trial.other_rules} of them for the first time under the current rules" if trial.other_rules else ""
    return [
        f"{plural(trial.games, 'running game')} replayed{other}.",
        *(f"{game} {goes_on}." for game in trial.released),
        *(f"{game} is already held, and stays held." for game in trial.held),
    ]


def _trial_json(trial: Trial) -> dict[str, object]:
    return {
        "schema": trial.schema,
        "newest": newest_schema(),
        "bytes": trial.size,
        "steps": [{"schema": step.schema, "brings": step.brings} for step in trial.steps],
        "games": trial.games,
        "other_rules": trial.other_rules,
        "changed": [{"game": proof.id, "difference": proof.difference} for proof in trial.changed],
        "held": list(trial.held),
        "released": list(trial.released),
        "seconds": dict(trial.seconds),
    }


@command("init")
def init(
    call: Call, directory: Annotated[Path | None, typer.Argument(help="Where to write them; here, if left out.")] = None
) -> Answer:
    """Write `config.toml` and `.env` from the examples, check them, and create the database and the mail folders.

    Existing files are not changed.

    Example: `mentat init ~/dune`
    """
    if directory is None:
        directory = call.config.parent
    elif call.config != CONFIG:
        fail("Give either a folder or --config FILE, not both.", WRONG_USE)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        written = []
        for name, text in starter_files().items():
            path = directory / (call.config.name if name == "config.toml" else name)
            if not path.exists():
                if name == ".env":
                    glance.write_private_file(path, text)
                else:
                    path.write_text(text, encoding="utf-8")
                written.append(path.name)
    except OSError as error:
        fail(f"{directory} cannot be written ({error.strerror}); choose another folder.", WRONG_USE)
    settings = load_settings(directory / call.config.name)
    try:
        written += [str(folder) for folder in make_folders(settings)]
    except OSError as error:
        fail(f"{error.filename} cannot be created ({error.strerror}); check [mailbox] and [smtp].", WRONG_USE)
    engine = open_database(settings.database_place)
    database = name_of(engine)
    engine.dispose()
    lines = [
        *(f"wrote {directory / name}" for name in written),
        f"the database is {database}",
        "Now enter your mailbox in config.toml and its passwords in .env, then check everything:",
        "  mentat doctor",
    ]
    return Answer(lines, {"directory": str(directory), "written": written, "database": database})


MANUAL_PAGE = "manual/mentat.1.j2"


@dataclass(frozen=True, slots=True)
class ManualOption:
    name: str
    value: str
    told: str


@dataclass(frozen=True, slots=True)
class ManualCommand:
    name: str
    told: list[str]
    arguments: list[ManualOption]
    options: list[ManualOption]


@command("manual")
def manual(context: typer.Context) -> None:
    """Print the manual page, for man(1).

    Example: `mentat manual > /usr/local/share/man/man1/mentat.1`
    """
    commands = list(_commands("", context.find_root().command))
    sys.stdout.write(environment().get_template(MANUAL_PAGE).render(version=VERSION, commands=commands))


def _commands(name: str, command: Any) -> Iterator[ManualCommand]:
    if isinstance(command, TyperGroup):
        for each in command.commands:
            yield from _commands(f"{name} {each}".strip(), command.commands[each])
        return
    shown = [each for each in command.params if not getattr(each, "hidden", False) and each.name != "help"]
    yield ManualCommand(
        _groff(name),
        [_groff(paragraph) for paragraph in (command.help or "").split("\n\n")],
        [_argument(each) for each in shown if each.param_type_name == "argument"],
        [_option(each) for each in shown if each.param_type_name == "option"],
    )


def _argument(found: Any) -> ManualOption:
    return ManualOption(_groff(found.metavar or found.name.upper()), "", _groff(found.help or ""))


def _option(found: Any) -> ManualOption:
    names = ", ".join([*found.opts, *found.secondary_opts])
    return ManualOption(
        _groff(names), "" if found.is_flag else _groff(found.metavar or "VALUE"), _groff(found.help or "")
    )


def _groff(text: str) -> str:
    """Return the text on one line, with everything escaped that groff would interpret: backslashes, hyphens, a leading
    dot.

    >>> print(_groff(".env holds --json"))
    \\&.env holds \\-\\-json
    """
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return f"\\&{line}" if line.startswith((".", "'")) else line
