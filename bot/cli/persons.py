"""`mentat person ban|unban|warn|list`: who may play here."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, answer, use_of
from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session, print_line
from bot.game_master import persons
from bot.game_master.sitters import end_of_day, last_day
from bot.service.system_clock import utc_now
from bot.store import bans
from bot.store.database import reading

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="A mail address of the person.")]
Tournament = Annotated[str, typer.Option(metavar="ID", help="In this tournament alone.")]
Why = Annotated[str, typer.Option(help="For the record; they are not told.")]


def ban(
    address: Address,
    until: Annotated[
        str, typer.Option(metavar="DATE", help="Until this day, like 2027-01-31; for good if left out.")
    ] = "",
    tournament: Tournament = "",
    why: Why = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a person play no more: they cannot enter, nor be given a seat. They are told, not why, and nobody else is.
    The seats that they hold are named, so that you can give them to others.

    Example: `mentat person ban ann@example.org --until 2027-01-31 --why "wrote for somebody else"`
    """
    session = open_session(config)
    end = end_of_day(session.settings, until) if until else None
    use = use_of(why, dry_run=dry_run)
    held = persons.ban(session.moderator.open_games, address, utc_now(), use, until=end, tournament_id=tournament)
    document = {"address": address, "until": until or None, "seats": [list(seat) for seat in held]}
    told = f"{address} cannot play {'in ' + tournament if tournament else 'here'}."
    answer(told, document, dry_run=dry_run, as_json=as_json)
    for game, faction in () if as_json else held:
        print_line(f"  to give their seat away: mentat game replace {game} {faction} ADDRESS")


def unban(
    address: Address,
    tournament: Tournament = "",
    why: Why = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a person play again; they are told, not why.

    Example: `mentat person unban ann@example.org --why "it was their brother"`
    """
    open_games, use = open_session(config).moderator.open_games, use_of(why, dry_run=dry_run)
    persons.unban(open_games, address, utc_now(), use, tournament_id=tournament)
    answer(f"{address} can play again.", {"address": address}, dry_run=dry_run, as_json=as_json)


def warn(
    address: Address,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What they are told.")],
    why: Why = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Warn a person in your words; it is kept, and forbids nothing.

    Example: `mentat person warn ann@example.org "Please keep to the tone of the table."`
    """
    open_games, use = open_session(config).moderator.open_games, use_of(why, dry_run=dry_run)
    persons.warn(open_games, address, words, utc_now(), use)
    answer(f"{address} will be told.", {"address": address}, dry_run=dry_run, as_json=as_json)


def list_persons(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """List bans and warnings, those that are over too. Example: `mentat person list`"""
    session = open_session(config)
    with reading(session.engine) as conn:
        found = bans.every(conn)
    if as_json:
        answer_json([
            {"address": each.address, "kind": each.kind, "tournament": each.tournament_id, "why": each.why,
             "since": each.since.isoformat(), "until": each.until.isoformat() if each.until else None,
             "lifted_at": each.lifted_at.isoformat() if each.lifted_at else None, "lifted_why": each.lifted_why}
            for each in found
        ])  # fmt: skip
        return
    for each in found or ():
        where = f" in {each.tournament_id}" if each.tournament_id else ""
        until = f" until {last_day(session.settings, each.until)}" if each.until else ""
        why_over = f" ({each.lifted_why})" if each.lifted_why else ""
        over = f", lifted {each.lifted_at:%Y-%m-%d}{why_over}" if each.lifted_at else ""
        line = f"{each.since:%Y-%m-%d}  {each.kind}  {each.address}{where}{until}{over}  {each.why}"
        print_line(line.rstrip())
    if not found:
        print_line("Nobody is banned, and nobody was warned.")
