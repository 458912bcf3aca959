"""Letters about a tournament: to one or all entrants, to organisers, and to people who have not entered yet.

A letter to an entrant carries their token for this tournament, which identifies their replies. The sentences are in
``templates/tournament/``. Everybody gets a separate letter, so nobody sees anybody else's address.

This module also writes the letters about an entry: the code, the welcome, the invitation and the farewell. The welcome
warns an entrant if the final of another tournament they play in falls in the same period. The dates of a round are
known once it is drawn; until then they are estimated from the lengths in the settings.

Bounces: the envelope sender of a letter names the entrant (VERP), so a bounce can be attributed. A letter that a server
refuses outright is attributed by its recipient. The threshold is the same as for players, and the count for an address
applies in all its tournaments. Above the threshold, Mentat only answers that person's own mails and shows the
organisers who is affected, until mail from that address arrives again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from bot.competition.published import display_name
from bot.competition.settings import TournamentSettings
from bot.config import Settings
from bot.config.time_zones import zone_named
from bot.games.letter_writer import master_token
from bot.games.open_games import Session
from bot.games.silent_players import BELIEVED_POINTS, FORGOTTEN_AFTER, bounce_points
from bot.mail.identity import bounce_token_of, plus_address, tagged_subject
from bot.render import letters
from bot.render.blocks import Ask, Block, Button, Buttons, Heading, Paragraph, Row, Rows, Title
from bot.render.material import Rendering
from bot.render.questions import reply_link
from bot.store import acts, people, tournament_rounds, tournaments
from bot.store.acts import GrantedRight
from bot.store.database import Connection
from bot.store.mail import Letter as StoredLetter
from bot.store.tournaments import Entrant, Tournament
from bot.table.calendar import stamp
from bot.wording import day_and_month, deadline, say

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Letter:
    """The contents of a letter.

    - ``cause`` identifies the occasion of the letter, so that each reader gets it only once.
    - ``blocks`` follow the paragraphs.
    - ``ready`` are lines that the reader may want to send; they are shown as buttons.
    - ``answers`` is the Message-ID of the mail to which the letter replies.
    - ``token`` and ``bounces_to`` are for a reader who has not entered and so has no entrant's token.
    """

    subject: str
    paragraphs: Sequence[str]
    cause: str
    blocks: Sequence[Block] = ()
    ready: Sequence[str] = ()
    answers: str = ""
    token: str = ""
    bounces_to: str = ""

    @property
    def preview(self) -> str:
        return self.paragraphs[0] if self.paragraphs else ""

    def body(self) -> list[Block]:
        return [Title(_begun(self.subject)), *(Paragraph(text) for text in self.paragraphs)]


def tell(session: Session, entrant: Entrant, letter: Letter) -> None:
    if "@" not in entrant.address:  # a deleted entrant has only a handle left
        return
    if is_unreachable(entrant) and not letter.answers:
        return
    title = tournaments.find_tournament(session.conn, entrant.tournament_id).title
    known = say("tournament-letter.you", name=display_name(entrant.handle, entrant.name), title=title)
    body: list[Block] = [Paragraph(known, "small"), *letter.body()]
    if letter.ready:
        body.append(Paragraph(say("tournament-letter.ready", lines=list(letter.ready))))
        body.append(Buttons(buttons(session.settings, entrant.tournament_id, entrant.token, letter.ready)))
    body += [*letter.blocks, Paragraph(say("tournament-letter.end", id=entrant.tournament_id), "small")]
    rendered = letters.of_blocks(entrant.tournament_id, letter.subject, body, letter.preview)
    about = f"tournament.{entrant.tournament_id}.{entrant.number}.{letter.cause}|{letter.subject}"
    session.writer.send(
        people.address_in_use(session.conn, entrant.address),
        rendered,
        about,
        entrant.token,
        letter.answers,
        bounces_to=bounce_token_of(entrant.token),
    )


def tell_all(session: Session, readers: Iterable[Entrant], letter: Letter) -> None:
    for entrant in readers:
        tell(session, entrant, letter)


def tell_organisers(session: Session, tournament: Tournament, letter: Letter, *, place: Place | None = None) -> None:
    """Write to everybody with a right in the tournament except auditors and deputies, or to the game master if nobody
    has one. If ``place`` names a table, leave out the people who play there."""
    every = acts.rights_of(session.conn, tournament_id=tournament.id)
    granted: list[GrantedRight | None] = [who for who in every if who.right not in ("auditor", "deputy")]
    for who in granted or [None]:
        if place is None or place not in own_tables(session.conn, tournament, who):
            tell_one_organiser(session, tournament, who, letter)


def own_tables(conn: Connection, tournament: Tournament, who: GrantedRight | None) -> set[Place]:
    """Return the tables at which an organiser sits or has sat. About these, they may be told no more than the other
    players."""
    own = tournaments.entrant_of_person(conn, tournament.id, who.address) if who else None
    if own is None:
        return set()
    held = tournament_rounds.tenures_of(conn, tournament.id)
    return {(tenure.round, tenure.table) for tenure in held if tenure.entrant == own.number}


def tell_one_organiser(session: Session, tournament: Tournament, who: GrantedRight | None, letter: Letter) -> None:
    token, named = who.token if who else master_token(session.settings), "" if who else f"{tournament.id}: "
    lines = [named + line for line in letter.ready]
    ready = [Buttons(buttons(session.settings, tournament.id, token, lines))] if lines else []
    body = [*letter.body(), *letter.blocks, *ready]
    rendered = letters.of_blocks(tournament.id, letter.subject, body, letter.preview)
    address = who.address if who else session.settings.mentat.game_master
    about = f"tournament.{tournament.id}.{who.address if who else 'game master'}.{letter.cause}|{letter.subject}"
    session.writer.send(address, rendered, about, who.token if who else "")


def in_blocks(label: str, subject: str, blocks: Sequence[Block]) -> Rendering:
    return letters.of_blocks(label, subject, [Title(_begun(subject)), *blocks], "")


def tell_stranger(session: Session, label: str, address: str, letter: Letter) -> None:
    first = next((block.text for block in letter.blocks if isinstance(block, Paragraph)), "")
    rendered = letters.of_blocks(label, letter.subject, [*letter.body(), *letter.blocks], first)
    about = f"tournament.{label}.{address}.{letter.cause}"
    session.writer.send(address, rendered, about, letter.token, letter.answers, bounces_to=letter.bounces_to)


def own_address(settings: Settings, tournament: Tournament) -> str:
    """Return the tournament's address, to which anybody may write, or Mentat's own address if plus addressing is
    off."""
    mentat = settings.mentat
    return plus_address(mentat.address, tournament.token) if mentat.plus_addressing else mentat.address


def buttons(settings: Settings, label: str, token: str, lines: Sequence[str]) -> tuple[Button, ...]:
    """Return links that each open a new mail with one of the lines already in it. Words in capitals mark the parts that
    the reader must fill in."""
    mentat = settings.mentat
    to = plus_address(mentat.address, token) if mentat.plus_addressing else mentat.address
    ready = []
    for line in lines:
        subject = say("subject.order", game=label, order=line)
        tagged = subject if mentat.plus_addressing else tagged_subject(subject, token)
        ready.append(Button(line, reply_link(to, tagged, (line,))))
    return tuple(ready)


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


Admission = Literal["in", "full", "late", "substitute"]
CodeNote = Literal["full", "reminder"]
"""The optional notes in a letter with a code: no place is free now, or the code was already sent."""


def conduct_text(tournament: Tournament) -> str:
    return tournament.settings.people.conduct.strip() or say("tournament-conduct.text")


def conduct_digest(tournament: Tournament) -> str:
    return hashlib.sha256(conduct_text(tournament).encode()).hexdigest()


def zone_of(entrant: Entrant) -> ZoneInfo:
    return zone_named(entrant.timezone)


def send_code(
    session: Session, tournament: Tournament, entrant: Entrant, answers: str, notes: Collection[CodeNote] = ()
) -> None:
    """Send the terms of an entry, and the code that completes it. The reply address also contains the code."""
    now = session.now
    reminds = "reminder" in notes
    until = deadline(entrant.code_until or now, now, zone_of(entrant))
    line = f"confirm {entrant.code}"
    ready = buttons(session.settings, tournament.id, entrant.code, [line])
    settings = tournament.settings
    about = [Row(say("tournament-entry.or-send"), (line,), orders=True)]
    planned = settings.rounds
    what = say(
        f"tournament-format.{settings.format}", heats=planned.heats, parallel=planned.parallel, final=planned.final
    )
    about += [Row(say("tournament-entry.what"), (what,))]
    if tournament.until:
        closes = [deadline(tournament.until, now, zone_of(entrant))]
        if not entrant.standby and now < tournament.until < (entrant.code_until or now):
            closes.append(say("tournament-entry.closes-before"))
        about.append(Row(say("tournament-entry.closes"), tuple(closes)))
    known = say("tournament-entry.known" if entrant.shown else "tournament-entry.nameless", name=entrant.name)
    about.append(Row(say("tournament-entry.you"), (known,)))
    blocks: list[Block] = [
        Paragraph(say(f"tournament-entry.{'remind' if reminds else 'code-lead'}", title=tournament.title), "lead"),
        Ask(
            say("tournament-entry.confirm"),
            (say("tournament-entry.how"), say("tournament-entry.until", until=until)),
            ready,
        ),
        Rows(tuple(about)),
        Paragraph(say("tournament-entry.standby"))
        if entrant.standby
        else Paragraph(_true_now(tournament, "full" in notes, now)),
        Heading(say("tournament-entry.conduct")),
        Paragraph(conduct_text(tournament)),
        Paragraph(say("tournament-entry.digest", digest=conduct_digest(tournament)), "small"),
        Paragraph(say("tournament-entry.connections")),
        Paragraph(say("tournament-entry.not-you"), "small"),
    ]
    blocks = [block for block in blocks if block != Paragraph("")]
    subject = say(f"tournament-entry.{'remind' if reminds else 'code'}-subject", title=tournament.title)
    letter = Letter(
        subject,
        (),
        f"code.{entrant.code}.{stamp(now)}",
        blocks=blocks,
        answers=answers,
        token=entrant.code,
        bounces_to=bounce_token_of(entrant.token),
    )
    tell_stranger(session, tournament.id, entrant.address, letter)


def _true_now(tournament: Tournament, full: bool, now: datetime) -> str:
    if tournament.settings.format == "ladder":
        return ""
    if tournament.state != "open" or (tournament.until is not None and tournament.until <= now):
        return say("tournament-entry.now-late")
    return say("tournament-entry.now-full") if full else ""


def send_welcome(
    session: Session, tournament: Tournament, entrant: Entrant, why: Admission, place: int, observed: int
) -> None:
    """Tell an entrant that they have a place, or that they are on the waiting list, what comes next, and what they can
    write. ``place`` is their place on the waiting list. ``observed`` is the number of the tournament's tables that they
    have observed."""
    who = entrant.public_name
    if why == "in":
        told = [_next_steps(tournament, entrant, session.now)]
    else:
        told = [say(f"tournament-entry.{why}", title=tournament.title, place=place)]
    told.append(say("tournament-entry.shown" if entrant.shown else "tournament-entry.hidden", who=who))
    told += [
        say("tournament-entry.collides", other=other.title, first=day_and_month(first), last=day_and_month(last))
        for other, first, last in colliding_finals(session, tournament, entrant)
    ]
    if observed:
        told.append(say("tournament-entry.observed", games=observed))
    told.append(say("tournament-entry.secret"))
    subject = say(f"tournament-entry.{why}-subject", title=tournament.title)
    ladder = why == "in" and tournament.settings.format == "ladder"
    ready = ("ready", "status", "help") if ladder else ("status", "standings", "help")
    cause = f"confirmed.{stamp(session.now)}"
    tell(session, entrant, Letter(subject, told, cause, ready=ready))


def _next_steps(tournament: Tournament, entrant: Entrant, now: datetime) -> str:
    if tournament.settings.format == "ladder":
        return say("tournament-entry.next-ladder")
    if tournament.until is None:
        return say("tournament-entry.next")
    return say("tournament-entry.next-at", until=deadline(tournament.until, now, zone_of(entrant)))


def send_invitation(session: Session, tournament: Tournament, entrant: Entrant, until: datetime) -> None:
    now = session.now
    told = [
        say("tournament-invitation.free", title=tournament.title),
        say("tournament-invitation.until", until=deadline(until, now, zone_of(entrant))),
    ]
    subject = say("tournament-invitation.subject", title=tournament.title)
    tell(session, entrant, Letter(subject, told, f"invited.{stamp(now)}", ready=("accept", "decline")))


def send_farewell(session: Session, tournament: Tournament, entrant: Entrant) -> None:
    told = [say("tournament-withdrawn.told", title=tournament.title, id=tournament.id)]
    tell(session, entrant, Letter(say("tournament-withdrawn.subject"), told, f"withdrawn.{stamp(session.now)}"))


def colliding_finals(session: Session, tournament: Tournament, entrant: Entrant) -> list[tuple[Tournament, date, date]]:
    conn, now = session.conn, session.now
    first, last = days_of_final(conn, tournament, now)
    found = []
    for other in tournaments.entries_of_person(conn, entrant.address):
        if other.tournament_id == tournament.id or other.state in ("withdrawn", "disqualified", "out", "entered"):
            continue
        its = tournaments.find_tournament(conn, other.tournament_id)
        if its.state not in ("open", "drawn", "running") or its.settings.format == "ladder":
            continue
        begins, ends = days_of_final(conn, its, now)
        if begins <= last and first <= ends and tournament.settings.format != "ladder":
            found.append((its, begins, ends))
    return found


def days_of_final(conn: Connection, tournament: Tournament, now: datetime) -> tuple[date, date]:
    settings = tournament.settings
    days = timedelta(days=settings.rounds.days)
    before = count_stages(settings) - 1
    begins = (tournament.until or tournament.opened_at or now) + before * days
    for each in tournament_rounds.rounds_of(conn, tournament.id):
        if each.kind == "final" and each.opens:
            return each.opens.date(), (each.ends or each.opens + days).date()
    return begins.date(), (begins + days).date()


def count_stages(settings: TournamentSettings) -> int:
    """Return the number of rounds played one after another. Heats that are played at the same time count as one."""
    told = settings.rounds
    if settings.format == "heats":
        heats = 1 if told.parallel else told.heats
        return heats + bool(told.semifinal) + bool(told.final)
    return told.swiss if settings.format == "swiss" else 1


_STATUS = re.compile(r"\(\d{3}[ -](5\.\d{1,3}\.\d{1,3})\b")


def is_unreachable(entrant: Entrant) -> bool:
    return entrant.undelivered >= BELIEVED_POINTS


def bounced_entrants(conn: Connection, came_to: list[str], returned: list[str]) -> Entrant | None:
    found = [tournaments.entrant_by_bounce_token(conn, token) for token in came_to]
    found += [
        tournaments.entrant_by_token(conn, token) or tournaments.entrant_by_code(conn, token) for token in returned
    ]
    return next(filter(None, found), None)


def note_bounce(conn: Connection, entrant: Entrant, points: int, now: datetime) -> None:
    every = [each for each in tournaments.entries_of_person(conn, entrant.address) if not is_unreachable(each)]
    points += max((each.undelivered for each in every if _counts_bounces(each, now)), default=0)
    for each in every:
        tournaments.change_entrant(conn, each.tournament_id, each.number, undelivered=points, undelivered_at=now)


def note_refused_letter(conn: Connection, letter: StoredLetter, why: str, now: datetime) -> None:
    """Count a letter that a server refused, and that belongs to no seat, as a permanent bounce for the entrants at that
    address. ``why`` is the server's answer: its reply code and its status (RFC 3463)."""
    if letter.game_id or people.address_in_use(conn, letter.recipient) != letter.recipient:
        return
    status = _STATUS.search(why)
    for entrant in tournaments.entries_of_person(conn, letter.recipient)[:1]:  # record the bounce once for each person
        note_bounce(conn, entrant, bounce_points(status[1] if status else ""), now)


def _counts_bounces(entrant: Entrant, now: datetime) -> bool:
    return entrant.undelivered_at is not None and now - entrant.undelivered_at < FORGOTTEN_AFTER


def note_arrived_mail(conn: Connection, address: str) -> None:
    for tournament_id, number in tournaments.entries_in_doubt(conn, address):
        tournaments.change_entrant(conn, tournament_id, number, undelivered=0, undelivered_at=None)
