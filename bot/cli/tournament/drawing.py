"""`mentat tournament draw`: who sits with whom."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.competition.draws import Cost, DrawRecord
from bot.service.system_clock import utc_now
from bot.tournament import drawing


def draw(
    tournament: Id,
    number: Annotated[int, typer.Option("--round", metavar="N", help="The round; the next if left out.")] = 0,
    beacon: Annotated[str, typer.Option(metavar="TEXT", help="The beacon that was announced.")] = "",
    no_beacon: Annotated[
        bool, typer.Option("--no-beacon", help="Go without it, which stands in the record for ever.")
    ] = False,
    without_unconfirmed: Annotated[
        bool, typer.Option("--without-unconfirmed", help="Leave out who has not confirmed.")
    ] = False,
    sit_out: Annotated[
        list[str] | None, typer.Option(metavar="E012", help="Who volunteers to sit out; once for each.")
    ] = None,
    standby: Annotated[
        list[str] | None, typer.Option(metavar="E050", help="A substitute who plays; once for each.")
    ] = None,
    sit_out_again: Annotated[
        bool, typer.Option("--sit-out-again", help="Even who sat out before, while others have not.")
    ] = False,
    despite_apart: Annotated[
        bool, typer.Option("--despite-apart", help="Even if some who are kept apart must sit together.")
    ] = False,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Close the entries and draw what comes next; rounds that are played at the same time are drawn together.

    Everybody is mailed their tables. A dry run seats by another seed, so that nobody can choose among draws.
    Example: `mentat tournament draw cup --beacon "4 8 15 16 23 42"`
    """
    session = open_session(config)
    asked = drawing.Asked(
        number,
        beacon,
        no_beacon,
        without_unconfirmed,
        despite_apart,
        tuple(sit_out or ()),
        sit_out_again,
        tuple(standby or ()),
    )
    drawn = drawing.draw(
        session.moderator.open_games, tournament, utc_now(), asked, by=by(why, seen), dry_run=dry_run
    )  # fmt: skip
    record = drawn.record
    if as_json:
        said = {
            "tournament": tournament, "rounds": drawn.rounds, "already": drawn.already, "trial": drawn.trial,
            "draw": None if drawn.trial else msgspec.to_builtins(record),
            "entrants": len(record.roster), "tables": len(record.tables), "sat_out": record.sat_out,
        }  # fmt: skip
        answer_json(said)
        return
    if drawn.already:
        show_lines(
            f"{_numbers(drawn.rounds)} of {tournament}: drawn already; nothing was done. Its games start with "
            f"`mentat tournament start {tournament}`."
        )
        return
    show_lines(*_told(tournament, record, trial=drawn.trial), dry_run=dry_run)


def _told(tournament: str, record: DrawRecord, *, trial: bool) -> list[str]:
    told = [
        f"{_numbers(record.rounds)} of {tournament} ({record.kind}): {len(record.roster)} entrants at "
        f"{len(record.tables)} {'table' if len(record.tables) == 1 else 'tables'}."
    ]
    if record.sat_out:
        told.append(f"  sat out     {', '.join(record.sat_out)}")
    told.append(f"  cost        {_cost(record.cost)}")
    if trial:
        return [*told, "Who sits where is known when it is drawn; a dry run uses a seed of its own."]
    told += [
        f"  roster      {record.roster_digest}",
        f"  beacon      {record.beacon or 'none'}",
        f"  seed        {record.seed}",
        f"  candidate   {record.candidate}",
    ]
    for table in record.tables:
        seats = ", ".join(f"{seat.entrant} {seat.faction or f'dot {seat.dot}'}" for seat in table.seats)
        told.append(f"  table {table.round}.{table.table}  {seats}")
    return told


def _numbers(rounds: tuple[int, ...]) -> str:
    return f"Rounds {rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else f"Round {rounds[0]}"


def _cost(cost: Cost) -> str:
    named = {name: getattr(cost, name) for name in cost.__struct_fields__ if getattr(cost, name)}
    return ", ".join(f"{name} {value}" for name, value in named.items()) or "0"
