"""`mentat tournament new|open|amend|cancel`: how a tournament comes to be, and what changes of it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, fail, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.competition.settings import digest
from bot.game_master.seeds import GuessableSeed
from bot.service.system_clock import utc_now
from bot.tournament import changing, making
from bot.tournament.desk import Refused
from bot.tournament.letters import own_address
from rules.components.facts import data_file

EXAMPLES = ("heats", "wbc", "swiss", "league", "ladder", "knockout")
FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M")


def new(
    tournament: Annotated[str, typer.Argument(metavar="[ID]", help="Its id: small letters, digits, hyphens.")] = "",
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Its settings, a TOML file.")] = None,
    secret: Annotated[str, typer.Option(help="The secret of its draws, of 128 bits; drawn if left out.")] = "",
    example: Annotated[
        str, typer.Option(metavar="FORMAT", help="Write a commented file instead: " + ", ".join(EXAMPLES) + ".")
    ] = "",
    why: Why = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Make a tournament: its settings are checked and frozen, and the commitment to its secret is printed.

    `mentat tournament new --example heats` writes `heats.toml`, which works as it stands;
    `mentat tournament new cup heats.toml` makes the tournament `cup` with it.
    """
    if example:
        _write_example(example, tournament, file, as_json)
        return
    if not tournament or file is None:
        fail(
            "Name the tournament and its settings: `mentat tournament new ID FILE.toml`; `--example heats` writes such "
            "a file.", WRONG_USE,
        )  # fmt: skip
    text = read_text(file)
    session = open_session(config)
    try:
        made = making.new(
            session.moderator.open_games, tournament, text, utc_now(), secret=secret, by=by(why)
        )  # fmt: skip
    except GuessableSeed as error:
        fail(str(error))
    found = made.tournament
    if as_json:
        answer_json(
            {"tournament": found.id, "title": found.title, "state": found.state, "commitment": found.commitment,
             "settings_sha256": found.settings_digest, "already": made.already}
        )  # fmt: skip
        return
    if made.already:
        show_lines(f"{found.id} is there already with these settings; nothing was done.")
    show_lines(
        f"{found.id}: {found.title}",
        f"  commitment  {found.commitment}",
        f"  settings    {found.settings_digest}",
        making.legal(found),
    )


def _write_example(example: str, target: str, file: Path | None, as_json: bool) -> None:
    if example not in EXAMPLES:
        fail(f"--example {example!r}: there are {', '.join(EXAMPLES)}.", WRONG_USE)
    path = file or Path(target or f"{example}.toml")
    if path.suffix != ".toml":
        path = path.with_name(f"{path.name}.toml")
    if path.exists():
        fail(f"{path} is there already, and is left as it is; name another file.")
    text = data_file(f"tournaments/{example}.toml").read_text(encoding="utf-8")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.", WRONG_USE)
    if as_json:
        answer_json({"file": str(path), "format": example, "settings_sha256": digest(text)})
    else:
        show_lines(f"wrote {path}", f"Change what you like, then: mentat tournament new ID {path}")


def open_entries(
    tournament: Id,
    until: Annotated[
        str, typer.Option(metavar="DATE", help="When entries close: 2027-03-01 (the end of that day) or with an hour.")
    ] = "",
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take entries. The beacon of the draw is announced with it, and its date.

    Example: `mentat tournament open cup --until 2027-03-01`
    """
    session = open_session(config)
    closes = read_date(until, session.settings.mentat.timezone) if until else None
    opened = making.open_entries(
        session.moderator.open_games, tournament, utc_now(), until=closes, by=by(why, seen), dry_run=dry_run
    )
    found = opened.tournament
    address = own_address(session.settings, found)
    if as_json:
        answer_json(
            {"tournament": found.id, "state": found.state, "already": opened.already, "until": found.until,
             "commitment": found.commitment, "settings_sha256": found.settings_digest, "beacon": found.settings.beacon,
             "beacon_date": found.settings.beacon_date, "address": address, "dry_run": dry_run}
        )  # fmt: skip
        return
    if opened.already:
        show_lines(f"{found.id} is open already; nothing was done.")
        return
    closing = f" until {found.until:%Y-%m-%d %H:%M}Z" if found.until else ""
    show_lines(
        f"{found.id} takes entries{closing}: the line `enter {found.id} as NAME`, mailed to {address}.",
        f"  commitment  {found.commitment}",
        f"  settings    {found.settings_digest}",
        f"  {making.announced_beacon(found)}",
        dry_run=dry_run,
    )


def amend_settings(
    tournament: str, file: Path, force: bool, why: str, seen: int | None, dry_run: bool, config: Path, as_json: bool
) -> None:
    """Change the settings: everybody is told what was and what is, and why."""
    session = open_session(config)
    changed = changing.amend_settings(
        session.moderator.open_games, tournament, read_text(file), utc_now(), force=force, by=by(why, seen),
        dry_run=dry_run,
    )  # fmt: skip
    if as_json:
        answer_json(
            {"tournament": tournament, "changed": changed.lines, "settings_sha256": changed.settings_digest,
             "dry_run": dry_run}
        )  # fmt: skip
    elif not changed.lines:
        show_lines(f"These are the settings of {tournament} as they are; nothing was done.")
    else:
        show_lines(*changed.lines, f"  settings    {changed.settings_digest}", dry_run=dry_run)


def cancel(
    tournament: Id,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Cancel a tournament; everybody in it is told. Games that have begun may go on as friendly ones.

    Example: `mentat tournament cancel cup --why "Too few have entered."`
    """
    session = open_session(config)
    done = making.cancel(
        session.moderator.open_games, tournament, utc_now(), by=by(why, seen), dry_run=dry_run
    )  # fmt: skip
    if as_json:
        answer_json({"tournament": tournament, "state": "cancelled", "already": not done, "dry_run": dry_run})
    elif done:
        show_lines(f"{tournament} is cancelled.", dry_run=dry_run)
    else:
        show_lines(f"{tournament} was cancelled already; nothing was done.")


def read_text(file: Path) -> str:
    """The text of a file that was named on the command line."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        fail(f"{file} is missing; `mentat tournament new --example heats` writes one.", WRONG_USE)
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)
    except UnicodeDecodeError:
        fail(f"{file} is not UTF-8 text: save it as UTF-8.", WRONG_USE)


def read_date(said: str, zone: ZoneInfo) -> datetime:
    """An instant as it is typed, on the clock of Mentat's zone; a day alone is its end."""
    for form in FORMS:
        try:
            read = datetime.strptime(said.strip(), form)  # noqa: DTZ007  # it gets its zone below
        except ValueError:
            continue
        if form == FORMS[0]:
            read = read.replace(hour=23, minute=59)
        return read.replace(tzinfo=zone)
    raise Refused(f"{said[:40]!r} is no date; write it like 2027-03-01, or '2027-03-01 18:00'.")
