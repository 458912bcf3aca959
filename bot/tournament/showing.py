"""How a tournament stands: its rounds and tables, what waits and for whom, and when it may end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from bot.competition.progress import LEAST, SEATS, Next, Waits
from bot.store import between_tables
from bot.store.database import Connection
from bot.store.tournaments import entrants, papers, results, rights, rounds
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import Round
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import bounces, progress
from bot.tournament.desk import Refused
from bot.tournament.making import announced_beacon, beacon_wanted, legal
from bot.tournament.places import written
from bot.wording.filters import listed, plural

Viewer = str
"""``director``, ``public``, or the handle of an entrant."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that waits: what, and the command by which it goes on ("" where only time does it)."""

    what: str
    command: str = ""


def viewer_named(conn: Connection, tournament: Tournament, said: str) -> Viewer:
    """Who looks. Refused for nobody that there is."""
    if said in ("director", "public"):
        return said
    found = entrants.find(conn, tournament.id, said)
    if found is None:
        raise Refused(f"--as {said[:40]!r}: a viewer is director, public, or an entrant of {tournament.id} by handle.")
    return found.handle


def view(
    conn: Connection, tournament: Tournament, now: datetime, viewer: Viewer = "director", number: int = 0
) -> dict[str, Any]:
    """What this viewer may know of it. Addresses, reasons and papers stand in none of it; what waits and who has not
    confirmed is for directors, a running table shows no more than that it is one."""
    every = rounds.rounds(conn, tournament.id)
    if number and number not in {each.number for each in every}:
        raise Refused(f"{tournament.id} has no round {number}; it has {len(every)}.")
    everybody = entrants.of_tournament if viewer == "director" else between_tables.entrants_as_known
    known = {each.number: each for each in everybody(conn, tournament.id)}
    seen: dict[str, Any] = {
        "tournament": tournament.id, "title": tournament.title, "state": tournament.state,
        "format": tournament.settings.format, "commitment": tournament.commitment,
        "settings_sha256": tournament.settings_digest, "beacon": tournament.beacon or announced_beacon(tournament),
        "until": tournament.until, "entrants": _counts(known),
        "rounds": [_round(conn, tournament, each, known, viewer) for each in every if number in (0, each.number)],
        "ends_about": forecast(conn, tournament, now), "next": legal(tournament),
    }  # fmt: skip
    if viewer == "director":
        seen["revision"] = tournament.revision
        seen["waits"] = [{"what": each.what, "command": each.command} for each in waits(conn, tournament, now)]
        seen["rights"] = {who.right: sum(1 for other in rights.of_tournament(conn, tournament.id)
                                         if other.right == who.right)
                          for who in rights.of_tournament(conn, tournament.id)}  # fmt: skip
    elif viewer != "public":
        own = next(each for each in known.values() if each.handle == viewer)
        seen["you"] = {"handle": own.handle, "state": own.state, "standby": own.standby}
    return seen


def _counts(known: Mapping[int, Entrant]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entrant in known.values():
        counts[entrant.state] = counts.get(entrant.state, 0) + 1
    return counts


def _round(
    conn: Connection, tournament: Tournament, each: Round, known: Mapping[int, Entrant], viewer: Viewer
) -> dict[str, Any]:  # fmt: skip
    held = rounds.tenures(conn, tournament.id, each.number)
    turns = {going.table.place: going.turn for going in rounds.playing(conn, tournament.id)}
    decided = results.newest(conn, tournament.id)
    tables = []
    unknown = between_tables.tables_unknown(conn, tournament) if viewer != "director" else frozenset()
    for table in rounds.tables(conn, tournament.id, each.number):
        every = [tenure for tenure in held if tenure.table == table.number]
        there = [tenure for tenure in every if not tenure.last]
        own = any(known[t.entrant].handle == viewer for t in there if t.entrant)
        if not (own or viewer == "director") and table.state in between_tables.GOING:
            there = between_tables.drawn_for(every)
        if table.place in unknown:
            there = [t for t in there if t.entrant and known[t.entrant].handle == viewer]
        shown_table: dict[str, Any] = {
            "table": written(table), "state": table.state, "game": table.game_id,
            "seats": [
                {"entrant": known[t.entrant].public_name
                 if t.entrant else "", "dot": t.dot, "faction": t.faction}
                for t in there
            ],
        }  # fmt: skip
        if (viewer == "director" or own) and table.place in turns:
            shown_table["turn"] = turns[table.place]
        if kept := decided.get(table.place):
            open_to_all = each.state == "closed" or viewer == "director" or own
            if open_to_all:
                shown_table["winners"] = list(kept.outcome.winners)
                shown_table["kind"] = kept.outcome.kind
        tables.append(shown_table)
    return {
        "round": each.number, "kind": each.kind, "state": each.state, "opens": each.opens, "ends": each.ends,
        "tables": tables,
    }  # fmt: skip


# --- what waits ------------------------------------------------------------------------------------------------------


def waits(conn: Connection, tournament: Tournament, now: datetime) -> list[Waiting]:
    """What waits for a director, an arbiter, or time, the most urgent first."""
    found: list[Waiting] = []
    for each in rounds.rounds(conn, tournament.id):
        planned = rounds.tables(conn, tournament.id, each.number, ["planned"])
        going = rounds.tables(conn, tournament.id, each.number, ["playing"])
        if each.state == "drawn" and each.opens is not None:
            by = tournament.settings.factions.by
            words = f"round {each.number}: factions ({by}) until {each.opens:%Y-%m-%d %H:%M}Z"
            found.append(Waiting(words))
        elif planned:
            command = f"mentat tournament start {tournament.id} --round {each.number}"
            found.append(Waiting(f"round {each.number}: {_tables(planned, 'has', 'have')} not begun", command))
        if each.state == "playing" and going:
            until = f", until {each.ends:%Y-%m-%d %H:%M}Z" if each.ends else ""
            found.append(Waiting(f"round {each.number}: {_tables(going, 'is', 'are')} playing{until}"))
        if each.state == "playing" and not going and not planned:
            command = f"mentat tournament round {tournament.id} {each.number} close"
            found.append(Waiting(f"round {each.number}: every table has its result", command))
    for protest in papers.of_tournament(conn, tournament.id, "protest"):
        found.append(Waiting(f"a protest about table {protest.round}.{protest.table} waits for an arbiter"))
    unconfirmed = entrants.of_tournament(conn, tournament.id, ["entered"])
    if unconfirmed and tournament.state == "open":
        have = "has" if len(unconfirmed) == 1 else "have"
        found.append(Waiting(f"{len(unconfirmed)} {have} not confirmed: {', '.join(e.handle for e in unconfirmed)}"))
    if gone := [each.handle for each in entrants.of_tournament(conn, tournament.id) if bounces.is_unreachable(each)]:
        found.append(Waiting(f"mail to {', '.join(gone)} comes back; nothing is written there until they write"))
    return found + _next(conn, tournament, now)


def _tables(several: Sequence[object], one: str, more: str) -> str:
    """ "1 table is", "3 tables are"."""
    return f"{plural(len(several), 'table')} {one if len(several) == 1 else more}"


def _next(conn: Connection, tournament: Tournament, now: datetime) -> list[Waiting]:
    if tournament.state not in ("open", "running"):
        return [Waiting(legal(tournament))] if tournament.state == "draft" else []
    comes = progress.following(conn, tournament)
    command = f"mentat tournament draw {tournament.id}{beacon_wanted(tournament)}"
    if isinstance(comes, Next):
        least = LEAST - tournament.settings.tables.fours
        too_few = tournament.state == "open" and len(comes.who) < least
        if tournament.state == "open" and tournament.until is not None:
            close = "closed" if tournament.until <= now else "close"
            closes = f"entries {close} on {tournament.until:%Y-%m-%d %H:%M}Z; {len(comes.who)} are in"
            return [Waiting(closes, "" if too_few else command)]
        if too_few:
            return [Waiting(f"entries are open; {len(comes.who)} are in, and a table needs {least}")]
        numbers = listed(map(str, comes.numbers))
        rounds_named = f"{'rounds' if len(comes.numbers) > 1 else 'round'} {numbers} ({comes.kind})"
        return [Waiting(f"{rounds_named} can be drawn for {len(comes.who)}", command)]
    if isinstance(comes, Waits) and not comes.rounds:
        return [Waiting("the next table is drawn when six are free")]
    return []


def forecast(conn: Connection, tournament: Tournament, now: datetime) -> datetime | None:
    """When the last round may end, if each that is still to come begins when the one before it ends; None for a ladder,
    and where nothing is known."""
    settings = tournament.settings
    if settings.format == "ladder" or tournament.state in ("draft", "finished", "cancelled"):
        return tournament.finished_at
    every = rounds.rounds(conn, tournament.id)
    begin = now if tournament.state != "open" or tournament.until is None else max(now, tournament.until)
    ends = [each.ends for each in every if each.state == "playing" and each.ends is not None]
    length = timedelta(days=settings.rounds.days)
    if any(each.state == "drawn" for each in every):
        ends.append(begin + length)
    here = sum(1 for each in known_players(conn, tournament))
    return max([begin, *ends]) + length * _still_to_come(tournament, every, here)


def known_players(conn: Connection, tournament: Tournament) -> list[Entrant]:
    """Who may still be drawn."""
    return entrants.of_tournament(conn, tournament.id, progress.ABLE)


def _still_to_come(tournament: Tournament, every: list[Round], here: int) -> int:
    """How many rounds come one after the other that have not been drawn."""
    wanted, kinds = tournament.settings.rounds, [each.kind for each in every]
    match tournament.settings.format:
        case "heats":
            missing = max(0, wanted.heats - kinds.count("heat"))
            heats = min(1, missing) if wanted.parallel else missing
            semifinal = int(bool(wanted.semifinal) and here > wanted.semifinal and "semifinal" not in kinds)
            return heats + semifinal + int(bool(wanted.final) and "final" not in kinds)
        case "swiss":
            return max(0, wanted.swiss - len(every))
        case "league":
            return int(not every)
        case _:
            tables, rest = ceil(here / SEATS), 1
            while tables > 1:  # two win a table, as a rule, and six sit at each of the next round
                tables, rest = ceil(2 * tables / SEATS), rest + 1
            return max(0, rest - len(every))
