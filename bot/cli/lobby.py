"""Commands for open tables.

- to see them: `mentat lobby list|show`
- for the game master: `mentat lobby open|approve|invite|close|merge|move|offer|raise`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

import typer

from bot.cli.options import Game, Power, Seat, address_named, iso_or_none
from bot.cli.session import WRONG_USE, Answer, Call, Listing, command, fail, table
from bot.games.open_games import act
from bot.lobby import joining, starting, tables, vacancies
from bot.lobby.requests import Factions, Open
from bot.store import acts, lobby
from bot.store.database import Connection
from bot.store.lobby import FORMING, HOLDING, LobbyTable
from bot.table.clock import tempo_names
from bot.wording.filters import plural
from rules.components import the_faction
from rules.engine.catalogue import load_rule_set

TableId = Annotated[str, typer.Argument(metavar="ID", help="The table's id.")]


@dataclass
class LobbyAct(Power):
    why: Annotated[str, typer.Option(help="The reason, for the record and for the people at the table.")] = ""


@command("lobby list")
def list_(
    call: Call,
    every: Annotated[bool, typer.Option("--all", help="Include tables that have started or ended.")] = False,
) -> Answer:
    """List the open tables, including private ones.

    Example: `mentat lobby list`
    """
    with call.reading() as conn:
        return _listing(conn, lobby.all_tables(conn, *(() if every else (*FORMING, "proposed"))))


def list_public(call: Call) -> Answer:
    with call.reading() as conn:
        return _listing(conn, [each for each in lobby.all_tables(conn, "open") if each.kind == "open"])


def _listing(conn: Connection, tables: Sequence[LobbyTable]) -> Answer:
    found = [(each, *_count(conn, each)) for each in tables]
    rows = [
        (*_row(each), f"{sits}/{each.settings.size}", waits, f"{each.expires_at:%Y-%m-%d}")
        for each, sits, waits in found
    ]
    document = [_document(each, sits, waits) for each, sits, waits in found]
    if not rows:
        return Listing("No tables are forming now.", document)
    heads = ("table", "kind", "state", "rules", "tempo", "seats", "wait", "until")
    return Listing([table(heads, rows)], document)


def _row(each: LobbyTable) -> tuple[str, ...]:
    return each.id, each.kind, each.state, each.settings.ruleset, each.settings.tempo


def _count(conn: Connection, each: LobbyTable) -> tuple[int, int]:
    return len(lobby.seats_of(conn, each.id, *HOLDING)), len(lobby.seats_of(conn, each.id, "waiting"))


def _document(each: LobbyTable, sits: int, waits: int) -> dict[str, Any]:
    own = each.settings
    return {
        "id": each.id, "kind": each.kind, "state": each.state, "title": each.title, "ruleset": own.ruleset,
        "tempo": own.tempo, "factions": own.factions, "size": own.size, "fewest": own.fewest,
        "taken": sits, "waiting": waits,
        "opener": each.opener or None, "opened_at": each.opened_at.isoformat(),
        "expires_at": each.expires_at.isoformat(), "starts": own.starts, "starts_at": iso_or_none(own.starts_at),
        "check_due": iso_or_none(each.check_due), "commitment": each.commitment, "why": each.why or None,
    }  # fmt: skip


@command("lobby show")
def show(call: Call, table_id: TableId) -> Answer:
    """Show a table: its seats, its waiting list, and what was done to it. The players' wishes stay sealed.

    Example: `mentat lobby show arrakeen-7`
    """
    with call.reading() as conn:
        found = lobby.find_table(conn, table_id)
        if found is None:
            fail(f"There is no table {table_id!r}; see `mentat lobby list`.", WRONG_USE)
        seats, logged = lobby.every_seat(conn, table_id), acts.acts_of(conn, game_id=table_id)
        sits, waits = _count(conn, found)
    own = found.settings
    there = [{"address": each.address, "state": each.state, "joined_at": each.joined_at.isoformat()} for each in seats]
    told = [{"at": each.at.isoformat(), "what": each.what, "words": each.words, "why": each.why} for each in logged]
    document = {**_document(found, sits, waits), "seats": there, "acts": told}
    lines = [
        f"{found.id}: {found.kind}, {found.state}; {own.ruleset}, {own.tempo}, factions by {own.factions}, "
        f"{sits} of {own.size} seats taken.",
        f"Opened {_at(found.opened_at)} {_by(found)}; ends {_at(found.expires_at)}.",
        *(f"  {each.state:9} {each.address}, since {_at(each.joined_at)}" for each in seats),
        *(f"  {_at(each.at)} {each.what}: {each.told}" for each in logged),
    ]
    return Listing(lines, document)


def _by(each: LobbyTable) -> str:
    return f"for the seat of {each.opener}" if each.kind == "vacancy" else f"by {each.opener or 'the game master'}"


def _at(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M}Z"


@command("lobby open", without="tell at")
def open_(
    call: LobbyAct,
    ruleset: Annotated[str, typer.Argument(help="The rule set.")] = "wbc-2018",
    size: Annotated[int, typer.Option(help="How many seats it has.")] = 6,
    fewest: Annotated[int, typer.Option(help="The fewest players with which it may start; 0 for a full table.")] = 0,
    tempo: Annotated[str, typer.Option(help="Its tempo.")] = "steady",
    by: Annotated[str, typer.Option("--by", metavar="DAY", help="If it has not started by this day, it ends.")] = "",
    computers: Annotated[
        bool, typer.Option("--computers", help="Computer opponents take the seats that stay empty.")
    ] = False,
    title: Annotated[str, typer.Option(help="A title for the list.")] = "",
    factions: Annotated[Factions, typer.Option(help="How players get their factions.")] = "wishes",
) -> Answer:
    """Open a public table with all seats free.

    Example: `mentat lobby open gf9-basic --fewest 5 --by 2027-01-31`
    """
    load_rule_set(ruleset)
    if tempo not in tempo_names():
        fail(f"--tempo: {tempo!r} is not one of {', '.join(tempo_names())}.", WRONG_USE)
    day = _day(by) if by else None
    wanted = Open(
        ruleset=ruleset,
        most=size,
        fewest=fewest,
        tempo=tempo,
        by=day,
        opponents=computers,
        title=title,
        factions=factions,
    )
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        made = tables.open_table(session, "", tables.settings_of(session, wanted), title=title)
    return Answer(f"{made.id} is open until {_at(made.expires_at)}.", _document(made, 0, 0))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        fail(f"--by: {text!r} is not a day; write it like 2027-01-31.", WRONG_USE)


@command("lobby approve", without="tell at")
def approve(
    call: LobbyAct,
    table_id: TableId,
    refuse: Annotated[bool, typer.Option("--refuse", help="Refuse the table; its opener is told.")] = False,
) -> Answer:
    """Open a table that is waiting for your approval, or refuse it.

    Example: `mentat lobby approve arrakeen-7`, `mentat lobby approve arrakeen-7 --refuse --why "one like it is open"`
    """
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        found = tables.find_forming(session.conn, table_id)
        tables.approve_table(session, found, call.why, approved=not refuse)
    told = f"{table_id} was refused." if refuse else f"{table_id} is open."
    return Answer(told, {"table": table_id, "approved": not refuse})


@command("lobby invite", without="tell at")
def invite(
    call: LobbyAct,
    table_id: TableId,
    addresses: Annotated[
        list[str], typer.Argument(metavar="ADDRESS...", help="Whom to invite; they may be newcomers.")
    ],
) -> Answer:
    """Reserve a seat for each of these people, and ask them by mail whether they want it.

    Example: `mentat lobby invite arrakeen-7 ann@example.org bob@example.org`
    """
    named = list(dict.fromkeys(address_named(each).strip().lower() for each in addresses))
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        found = tables.find_forming(session.conn, table_id)
        refused = joining.invite_from_desk(session, found, named, call.why)
        starting.settle(session, table_id)
    asked = [each for each in named if each not in refused]
    problems = [f"{address} {why}." for address, why in refused.items()]
    document = {"table": table_id, "invited": asked, "not_invited": refused}
    told = f"Invited to {table_id}: {', '.join(asked)}." if asked else ()
    return Answer(told, document, problems=problems, done=bool(asked))


@command("lobby close", without="tell at")
def close(call: LobbyAct, table_id: TableId) -> Answer:
    """Close a table that has not started. The players and the people on the waiting list are told, with the reason.

    Example: `mentat lobby close arrakeen-7 --why "its opener asked for it"`
    """
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        tables.close_table(session, tables.find_forming(session.conn, table_id), call.why)
    return Answer(f"{table_id} is closed.", {"table": table_id, "state": "ended"})


@command("lobby merge", without="tell at")
def merge(
    call: LobbyAct, table_id: TableId, into: Annotated[str, typer.Argument(help="The table that remains.")]
) -> Answer:
    """Move everybody from one table to another, in the order in which they joined, and close the first.

    Example: `mentat lobby merge arrakeen-7 carthag-8`
    """
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        found = tables.find_forming(session.conn, table_id)
        joining.move_people(session, found, into, call.why)
        starting.settle(session, into)
    return Answer(f"{table_id} is now merged into {into}.", {"table": table_id, "into": into})


@command("lobby move", without="tell at")
def move(
    call: LobbyAct,
    table_id: TableId,
    address: Annotated[str, typer.Argument(help="Whom to move.")],
    into: Annotated[str, typer.Argument(help="The table to which they go.")],
) -> Answer:
    """Move one person from a table to another. They are told, and may leave.

    Example: `mentat lobby move arrakeen-7 ann@example.org carthag-8`
    """
    address_named(address)
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        found = tables.find_forming(session.conn, table_id)
        joining.move_people(session, found, into, call.why, only=address.strip().lower())
        for each in (table_id, into):
            starting.settle(session, each)
    return Answer(f"{address} moved from {table_id} to {into}.", {"address": address, "table": table_id, "into": into})


@command("lobby offer", without="tell at")
def offer(call: LobbyAct, game: Game, faction: Seat) -> Answer:
    """Offer a seat in a game in play to people who have said that they would take over a seat. They are asked one after
    another until one accepts.

    Example: `mentat lobby offer sietch-12 harkonnen --why "resigned"`
    """
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        made = vacancies.offer_seat_of_game(session, game, faction, call.why)
        asked = [seat.address for seat in lobby.seats_of(session.conn, made.id)]
    who = f"{asked[0]} will be asked first" if asked else "nobody is standing by now; the next standby will be asked"
    told = f"The seat of {the_faction(faction)} in {game} is being offered: {who}."
    return Answer(told, {"game": game, "faction": faction, "offer": made.id, "asked": asked})


@command("lobby raise", without="tell at")
def raise_(
    call: LobbyAct,
    address: Annotated[str, typer.Argument(help="The person's address.")],
    more: Annotated[
        int, typer.Argument(min=0, max=50, help="How many more games than the settings allow; 0 for none.")
    ],
) -> Answer:
    """Let a person play more games at once than the settings allow.

    Example: `mentat lobby raise ann@example.org 2`
    """
    address_named(address)
    with act(call.open_games, call.now, dry_run=call.dry_run) as session:
        tables.raise_limit(session, address.strip().lower(), more, call.why)
    return Answer(f"{address} may play {plural(more, 'game')} more.", {"address": address, "more": more})
