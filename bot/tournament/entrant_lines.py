"""What the lines of an entrant do: their own settings, what they file under seal, answers, withdrawing.

What is filed is only looked at here; the desk opens it when its time comes, and the arbiters decide about protests.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from bot.clock.calendar import at
from bot.games.open_games import OpenGames
from bot.identity.harmless import harmless
from bot.store.database import Connection
from bot.store.tournaments import entrants, papers
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import connections, filing, waiting_list
from bot.tournament.answered import Answered
from bot.tournament.desk import Refused
from bot.tournament.given_names import display_name
from bot.tournament.mail_commands import (
    Awake,
    Confirm,
    Connected,
    Enter,
    Filed,
    Line,
    Named,
    Protest,
    Ready,
    Reply,
    Show,
    Unread,
    Vote,
    Withdraw,
)
from bot.tournament.mail_lines import FORMS
from bot.wording.sentences import say

ASKED: tuple[Literal["invitation", "substitution"], ...] = ("invitation", "substitution")
"""What is answered by `accept` or `decline`."""


def settle(conn: Connection, entrant: Entrant, line: Line, address: str) -> Answered | None:
    """Carry out a line about the entrant alone, which takes effect at once; None for any other. ``address`` is this
    program's own."""
    of = (entrant.tournament_id, entrant.number)
    match line:
        case Named(name):
            name = harmless(name, address)
            entrants.change(conn, *of, name=name or entrant.name, shown=bool(name))
            who = display_name(entrant.handle, name)
            return Answered("done", say("tournament-line.named", who=who))
        case Awake(hours, zone):
            return _awake(conn, entrant, hours, zone)
        case Connected(who, why):
            if not connections.declare(conn, entrant, who, why):
                return Answered("refused", say("tournament-line.too-many-connections", most=connections.MOST))
            return Answered("done", say("tournament-line.connected", who=who))
    return None


def carry_out(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, line: Line, now: datetime
) -> Answered:  # fmt: skip
    """Carry out a line of somebody who is in; one that is refused leaves nothing behind. What is shown to who asks for
    it (`standings`) is told elsewhere."""
    try:
        with conn.begin_nested():
            return settle(conn, entrant, line, open_games.settings.mentat.address) or _carry_out(
                conn, open_games, tournament, entrant, line, now
            )
    except Refused as refused:
        open_games.forget()
        return Answered("refused", str(refused))


def _carry_out(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, line: Line, now: datetime
) -> Answered:  # fmt: skip
    match line:
        case Unread(why, suggestions):
            return Answered("unread", why, suggestions)
        case Enter() | Confirm():
            return Answered("done", say("tournament-line.in", who=display_name(entrant.handle, entrant.name)))
        case Withdraw(named, games):
            if named not in ("", tournament.id):
                return Answered("refused", say("tournament-line.other", id=tournament.id, named=named))
            return filing.withdraw(conn, open_games, tournament, entrant, games, now)
        case Filed(kind, words, table):
            return filing.seal(conn, open_games, tournament, entrant, kind, words, table, now)
        case Reply(accepted):
            return _reply(conn, open_games, tournament, entrant, now, accepted=accepted)
        case Protest(table, text):
            return filing.protest(conn, open_games, tournament, entrant, table, text, now)
        case Vote(factions, table):
            return filing.vote(conn, open_games, tournament, entrant, factions, table, now)
        case Ready(wanted):
            return filing.ready(conn, tournament, entrant, now, wanted=wanted)
        case Show():
            return Answered("done", say("tournament-line.below"))
    raise TypeError(f"{line} is no line of an entrant")


def _awake(conn: Connection, entrant: Entrant, hours: str, said: str) -> Answered:
    zone = entrant.timezone
    if said:
        wanted = said.replace(" ", "_").casefold()
        known = sorted(name for name in available_timezones() if name[:1].isupper())
        fits = [name for name in known if wanted in (name.casefold(), name.casefold().rpartition("/")[2])]
        if len(fits) != 1:
            near = [name for name in known if wanted[:4] in name.casefold()] if len(wanted) > 3 else []
            lines = tuple(f"awake {hours} {name}" for name in (fits or near)[:3]) or (FORMS["awake"],)
            return Answered("refused", say("tournament-line.zone", zone=said[:60]), lines)
        zone = fits[0]
    mask = hours_mask(hours, zone, entrant.entered_at)
    entrants.change(conn, entrant.tournament_id, entrant.number, timezone=zone, hours=mask)
    return Answered("done", say("tournament-line.awake", hours=hours, zone=zone))


def hours_mask(hours: str, zone: str, day: datetime) -> int:
    """Waking hours at a place as hours of UTC: bit 0 is the hour after midnight. Their beginning and their end are
    rounded to the full hour, the half one up.

    >>> bin(hours_mask("22:00-02:00", "UTC", datetime(2026, 1, 1, tzinfo=UTC)))
    '0b110000000000000000000011'
    """
    first, last = (time.fromisoformat(part) for part in hours.split("-"))
    begins = at(day.date(), first, ZoneInfo(zone)).astimezone(UTC)
    start = begins.hour * 60 + begins.minute
    length = (last.hour * 60 + last.minute - first.hour * 60 - first.minute) % (24 * 60)
    return sum(1 << (number % 24) for number in range((start + 30) // 60, (start + length + 30) // 60))


def _reply(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime, *, accepted: bool
) -> Answered:  # fmt: skip
    """The answer to the newest thing that they were asked."""
    own = [paper for paper in papers.of_tournament(conn, tournament.id, *ASKED, state=None)
           if paper.entrant == entrant.number]  # fmt: skip
    waits = [paper for paper in own if paper.state == "open"]
    if not own:
        return Answered("refused", say("tournament-line.nothing-asked"))
    paper = (waits or own)[-1]
    if paper.kind == "invitation":
        if entrant.state == "confirmed":
            return Answered("done", say("tournament-line.in", who=display_name(entrant.handle, entrant.name)))
        if waiting_list.answer(conn, open_games.writer, tournament, entrant, paper, now, accepted=accepted):
            return Answered("done", say("tournament-line.place-taken", title=tournament.title))
        place = waiting_list.place_of(conn, replace(entrant, state="standby"))
        return Answered("done", say(f"tournament-line.place-{'gone' if accepted else 'left'}", place=place))
    return filing.answer(conn, open_games, tournament, entrant, now, accepted=accepted)
