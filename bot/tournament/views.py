"""What an entrant is shown by mail when they ask: where they stand, their tables, the standings, and what can be
written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.reports.document import Block, Grid, Heading, Paragraph, Row, Rows
from bot.reports.times import by
from bot.store import between_tables
from bot.store.database import Connection
from bot.store.tournaments import entrants, results, rounds
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import standing, waiting_list
from bot.tournament.entry_letters import zone_of
from bot.tournament.filing import VERB, WANTED
from bot.tournament.mail_commands import What
from bot.tournament.mail_lines import FORMS
from bot.wording.sentences import say

FIRST_OF_HELP = ("status", "tables", "standings")
FIRST = 12  # rows of the standings that everybody is shown
NEAR = 3  # and so many above and below the reader's own


def shown_to(
    conn: Connection, tournament: Tournament, entrant: Entrant | None, what: What,
    now: datetime,
) -> list[Block]:  # fmt: skip
    """What was asked for, as this entrant may see it; an organiser (None) sees what all entrants see."""
    match what:
        case "status":
            return _status(conn, tournament, entrant, now)
        case "tables":
            return _tables(conn, tournament, entrant)
        case "standings":
            return _standings(conn, tournament, entrant)
        case "help":
            return _help(tournament)


def _help(tournament: Tournament) -> list[Block]:
    """What can be written here: not how factions are wished for in other tournaments."""
    other = {verb for kind, verb in VERB.items() if WANTED[kind] != tournament.settings.factions.by}
    other |= {"enter", "confirm"} | ({"ready"} if tournament.settings.format != "ladder" else set())
    verbs = [*FIRST_OF_HELP, *(verb for verb in FORMS if verb not in other and verb not in FIRST_OF_HELP)]
    rows = [Row(FORMS[verb].replace(" ID", ""), (say(f"tournament-help.{verb}"),)) for verb in verbs]
    return [Heading(say("tournament-help.heading")), Rows(tuple(rows))]


def _status(conn: Connection, tournament: Tournament, entrant: Entrant | None, now: datetime) -> list[Block]:
    told = say(f"tournament-now.{tournament.state}", title=tournament.title)
    rows = [Row(say("tournament-now.tournament"), (told,))]
    if entrant is not None:
        zone = zone_of(entrant)
        if tournament.state == "open" and tournament.until:
            rows.append(Row(say("tournament-entry.closes"), (by(tournament.until, now, zone),)))
        own = say(f"tournament-state.{entrant.state}")
        if entrant.state == "standby":
            own = say("tournament-state.standby-place", place=waiting_list.place_of(conn, entrant))
        who = entrant.public_name
        rows += [Row(say("tournament-entry.you"), (who, own))]
    return [Rows(tuple(rows)), *_tables(conn, tournament, entrant)]


def _tables(conn: Connection, tournament: Tournament, entrant: Entrant | None) -> list[Block]:
    """Their own tables, then how the others stand: only that they are played or over, and by whom."""
    known = {each.number: each for each in entrants.of_tournament(conn, tournament.id)}
    public = {number for number, state in _states(conn, tournament).items() if state != "planned"}
    tables = [table for table in rounds.tables(conn, tournament.id) if table.round in public]
    if not tables:
        return [Paragraph(say("tournament-tables.none"))]
    held = rounds.tenures(conn, tournament.id)
    mine = {(t.round, t.table) for t in held if entrant is not None and t.entrant == entrant.number and not t.last}
    own: list[Block] = []
    others: list[Row] = []
    unknown = between_tables.tables_unknown(conn, tournament)
    waits = "unknown-round" if between_tables.named_with_the_round(conn, tournament) else "unknown"
    for table in tables:
        there = _there(table, held, own=table.place in mine)
        name = say("tournament-tables.name", round=table.round, table=table.number, game=table.game_id)
        state = say(f"tournament-tables.{table.state}")
        who = [_who(known.get(tenure.entrant), tenure.faction if table.place in mine else "") for tenure in there]
        if table.place in unknown:
            mine_alone = [tenure for tenure in there if entrant is not None and tenure.entrant == entrant.number]
            who = [_who(entrant, tenure.faction) for tenure in mine_alone] if table.place in mine else []
            who.append(say(f"tournament-tables.{waits}"))
        if table.place in mine:
            own += [Heading(name, state), Rows((Row(say("tournament-tables.players"), tuple(who)),))]
        else:
            others.append(Row(f"{table.round}.{table.number}", (say("tournament-tables.line", state=state, who=who),)))
    if others:
        own += [Heading(say("tournament-tables.others")), Rows(tuple(others))]
    return own


def _there(table: RoundTable, held: Sequence[Tenure], *, own: bool) -> list[Tenure]:
    """Who sits at a table; at one that others play, who was drawn for it."""
    every = [each for each in held if (each.round, each.table) == table.place]
    if own or table.state not in between_tables.GOING:
        return [each for each in every if not each.last]
    return between_tables.drawn_for(every)


def _states(conn: Connection, tournament: Tournament) -> dict[int, str]:
    return {each.number: each.state for each in rounds.rounds(conn, tournament.id)}


def _who(entrant: Entrant | None, faction: str) -> str:
    name = entrant.public_name if entrant else say("tournament-tables.nobody")
    return say("tournament-tables.seat", faction=faction, who=name) if faction else name


def _standings(conn: Connection, tournament: Tournament, entrant: Entrant | None) -> list[Block]:
    """The standings with finished tables only: the first, and the reader's own row with who is near it."""
    playing = len(rounds.tables(conn, tournament.id, 0, ["planned", "playing"]))
    nameless = between_tables.named_with_the_round(conn, tournament)
    found = standing.now(conn, tournament, nameless=nameless) if _any_result(conn, tournament) else ()
    rows = [row for row in found if row.made_of]
    if not rows:
        return [Paragraph(say("tournament-standings.none", playing=playing))]
    known = {each.handle: each for each in entrants.of_tournament(conn, tournament.id)}
    own = next((place for place, row in enumerate(rows) if entrant and row.entrant == entrant.handle), None)
    near = range(own - NEAR, own + NEAR + 1) if own is not None else range(0)
    kept = [place for place in range(len(rows)) if place < FIRST or place in near]
    grid = tuple(
        (str(rows[place].rank), _who(known.get(rows[place].entrant), ""), rows[place].points) for place in kept
    )
    head = tuple(say(f"tournament-standings.{name}") for name in ("rank", "who", "points"))
    told = say("tournament-standings.after", playing=playing, more=len(rows) - len(kept))
    mine = kept.index(own) if own is not None else None
    return [Heading(say("tournament-standings.heading")), Grid(head, grid, frozenset({2}), (), mine), Paragraph(told)]


def _any_result(conn: Connection, tournament: Tournament) -> bool:
    return bool(results.newest(conn, tournament.id))
