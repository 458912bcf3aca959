"""The letters by which somebody comes into a tournament: the code, the welcome, an invitation, the farewell."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from bot.clock.instants import stamp
from bot.mail.identity import bounce_token_of
from bot.post.letter_writer import LetterWriter
from bot.reports.document import Ask, Block, Heading, Paragraph, Row, Rows
from bot.reports.times import by, day
from bot.store.database import Connection
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import collisions
from bot.tournament.letters import Letter, buttons, tell, tell_stranger
from bot.wording.sentences import say

Place = Literal["in", "full", "late", "substitute"]


def conduct(tournament: Tournament) -> str:
    """What an entrant agrees to; they accept it by its hash."""
    return tournament.settings.people.conduct.strip() or say("tournament-conduct.text")


def conduct_digest(tournament: Tournament) -> str:
    """The SHA-256 of it, by which they accept it."""
    return hashlib.sha256(conduct(tournament).encode()).hexdigest()


def zone_of(entrant: Entrant) -> ZoneInfo:
    """The clock of an entrant."""
    return ZoneInfo(entrant.timezone)


def code(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime, answers: str
) -> None:
    """What they enter, what they agree to, and the code that ends it. It is their answer's address, too."""
    until = by(entrant.code_until or now, now, zone_of(entrant))
    line = f"confirm {entrant.code}"
    ready = buttons(writer.settings, tournament.id, entrant.code, [line])
    settings = tournament.settings
    about = [Row(say("tournament-entry.or-send"), (line,), orders=True)]
    planned = settings.rounds
    what = say(
        f"tournament-format.{settings.format}", heats=planned.heats, parallel=planned.parallel, final=planned.final
    )
    about += [Row(say("tournament-entry.what"), (what,))]
    if tournament.until:
        closes = [by(tournament.until, now, zone_of(entrant))]
        if not entrant.standby and now < tournament.until < (entrant.code_until or now):
            closes.append(say("tournament-entry.closes-before"))
        about.append(Row(say("tournament-entry.closes"), tuple(closes)))
    known = say("tournament-entry.known" if entrant.shown else "tournament-entry.nameless", name=entrant.name)
    about.append(Row(say("tournament-entry.you"), (known,)))
    blocks: list[Block] = [
        Paragraph(say("tournament-entry.code-lead", title=tournament.title), "lead"),
        Ask(
            say("tournament-entry.confirm"),
            (say("tournament-entry.how"), say("tournament-entry.until", until=until)), ready,
        ),
        Rows(tuple(about)), Paragraph(say("tournament-entry.standby")) if entrant.standby else Paragraph(""),
        Heading(say("tournament-entry.conduct")), Paragraph(conduct(tournament)),
        Paragraph(say("tournament-entry.digest", digest=conduct_digest(tournament)), "small"),
        Paragraph(say("tournament-entry.connections")), Paragraph(say("tournament-entry.not-you"), "small"),
    ]  # fmt: skip
    blocks = [block for block in blocks if block != Paragraph("")]
    subject = say("tournament-entry.code-subject", title=tournament.title)
    letter = Letter(subject, (), f"code.{entrant.code}.{stamp(now)}", blocks=blocks, answers=answers)
    tell_stranger(
        conn, writer, tournament.id, entrant.address, now, letter, token=entrant.code,
        bounces_to=bounce_token_of(entrant.token),
    )  # fmt: skip


def confirmed(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime, why: Place,
    place: int, observed: int = 0,
) -> None:  # fmt: skip
    """They are in, or on the list; what comes next, and what they can write. So many of its tables they observed until
    now."""
    who = entrant.public_name
    if why == "in":
        told = [_next(tournament, entrant, now)]
    else:
        told = [say(f"tournament-entry.{why}", title=tournament.title, place=place)]
    told.append(say("tournament-entry.shown" if entrant.shown else "tournament-entry.hidden", who=who))
    told += [
        say("tournament-entry.collides", other=other.title, first=day(first), last=day(last))
        for other, first, last in collisions.of(conn, tournament, entrant, now)
    ]
    if observed:
        told.append(say("tournament-entry.observed", games=observed))
    told.append(say("tournament-entry.secret"))
    subject = say(f"tournament-entry.{why}-subject", title=tournament.title)
    ready = ("status", "standings", "help")
    cause = f"confirmed.{stamp(now)}"
    tell(conn, writer, entrant, now, Letter(subject, told, cause, ready=ready))


def _next(tournament: Tournament, entrant: Entrant, now: datetime) -> str:
    if tournament.until is None:
        return say("tournament-entry.next")
    return say("tournament-entry.next-at", until=by(tournament.until, now, zone_of(entrant)))


def invited(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime, until: datetime
) -> None:
    """A place is free for them."""
    told = [
        say("tournament-invitation.free", title=tournament.title),
        say("tournament-invitation.until", until=by(until, now, zone_of(entrant))),
    ]
    subject = say("tournament-invitation.subject", title=tournament.title)
    tell(conn, writer, entrant, now, Letter(subject, told, f"invited.{stamp(now)}", ready=("accept", "decline")))


def withdrawn(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime
) -> None:  # fmt: skip
    """They take no part any more."""
    told = [say("tournament-withdrawn.told", title=tournament.title, id=tournament.id)]
    tell(conn, writer, entrant, now, Letter(say("tournament-withdrawn.subject"), told, f"withdrawn.{stamp(now)}"))
