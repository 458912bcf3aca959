"""Letters about a tournament: to an entrant, to all of them, to organisers, and to people who have not entered yet.

A letter to an entrant carries their token for this tournament, so that Mentat recognises their answers. The sentences
stand in ``templates/tournament/``. Everybody gets a letter of their own, so nobody sees another's address.

The letters of an entry are here too: the code, the welcome, the invitation, the farewell. The welcome warns entrants
of other tournaments of theirs whose final falls into the same time. The dates of a round are known once it is drawn;
before that they are reckoned from the days in the settings.

Entrants whose mail comes back: letters carry the entrant in the envelope sender (VERP), so a bounce can be attributed.
A letter that a server refuses at once is attributed by its recipient. The threshold is the same as for players, and
counts in every tournament of that address. Mentat then writes only answers to their own mails, and shows the
organisers who is affected, until mail arrives from that address again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from bot.competition.published import display_name
from bot.competition.settings import TournamentSettings
from bot.config import Settings
from bot.games.letter_writer import LetterWriter
from bot.games.silent_players import BELIEVED_POINTS, FORGOTTEN_AFTER, bounce_points
from bot.mail.identity import bounce_token_of, plus_address, tagged_subject
from bot.render import letters
from bot.render.blocks import Ask, Block, Button, Buttons, Heading, Paragraph, Row, Rows, Title
from bot.render.questions import reply_link
from bot.store import people, tournament_rounds, tournaments
from bot.store.database import Connection
from bot.store.mail import Letter as StoredLetter
from bot.store.tournaments import Entrant, GrantedTournamentRight, Tournament
from bot.table.calendar import stamp
from bot.wording import day_and_month, deadline, say

Place = tuple[int, int]
"""A table, by its round and number."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What is written.

    ``cause`` names what it is about, so that it is written once to each reader. ``blocks`` stand below the paragraphs,
    ``ready`` are lines that an entrant may want to send, as buttons, and ``answers`` is the Message-ID of the mail that
    it answers.
    """

    subject: str
    paragraphs: Sequence[str]
    cause: str
    blocks: Sequence[Block] = ()
    ready: Sequence[str] = ()
    answers: str = ""

    @property
    def preview(self) -> str:
        """What a list of mails shows of it."""
        return self.paragraphs[0] if self.paragraphs else ""

    def body(self) -> list[Block]:
        """Its title and its paragraphs."""
        return [Title(_begun(self.subject)), *(Paragraph(text) for text in self.paragraphs)]


def tell(conn: Connection, writer: LetterWriter, entrant: Entrant, now: datetime, letter: Letter) -> None:
    """A letter to one entrant."""
    if "@" not in entrant.address:  # they were deleted; only their handle is left
        return
    if is_unreachable(entrant) and not letter.answers:
        return
    title = tournaments.find_tournament(conn, entrant.tournament_id).title
    known = say("tournament-letter.you", name=display_name(entrant.handle, entrant.name), title=title)
    body: list[Block] = [Paragraph(known, "small"), *letter.body()]
    if letter.ready:
        body.append(Paragraph(say("tournament-letter.ready", lines=list(letter.ready))))
        body.append(Buttons(buttons(writer.settings, entrant.tournament_id, entrant.token, letter.ready)))
    body += [*letter.blocks, Paragraph(say("tournament-letter.end", id=entrant.tournament_id), "small")]
    rendered = letters.of_blocks(entrant.tournament_id, letter.subject, body, letter.preview)
    about = f"tournament.{entrant.tournament_id}.{entrant.number}.{letter.cause}|{letter.subject}"
    writer.send(
        conn, now, people.address_in_use(conn, entrant.address), rendered, about, entrant.token, letter.answers,
        bounces_to=bounce_token_of(entrant.token),
    )  # fmt: skip


def tell_all(
    conn: Connection, writer: LetterWriter, readers: Iterable[Entrant], now: datetime, letter: Letter
) -> None:  # fmt: skip
    """The same letter to several entrants, one each."""
    for entrant in readers:
        tell(conn, writer, entrant, now, letter)


def tell_organisers(
    conn: Connection, writer: LetterWriter, tournament: Tournament, now: datetime, letter: Letter, *,
    place: Place | None = None,
) -> None:  # fmt: skip
    """A letter to everybody who has a right in the tournament but auditors and deputies, one each; to the game master
    where nobody has. One that is about the table at ``place`` is not for those who play there."""
    every = tournaments.rights_of(conn, tournament.id)
    granted: list[GrantedTournamentRight | None] = [who for who in every if who.right not in ("auditor", "deputy")]
    for who in granted or [None]:
        if place is None or place not in own_tables(conn, tournament, who):
            tell_one_organiser(conn, writer, tournament, who, now, letter)


def own_tables(conn: Connection, tournament: Tournament, who: GrantedTournamentRight | None) -> set[Place]:
    """The tables at which an organiser sits or has sat: of these they are told no more than everybody there."""
    own = tournaments.entrant_of_person(conn, tournament.id, who.address) if who else None
    if own is None:
        return set()
    held = tournament_rounds.tenures_of(conn, tournament.id)
    return {(tenure.round, tenure.table) for tenure in held if tenure.entrant == own.number}


def tell_one_organiser(
    conn: Connection,
    writer: LetterWriter,
    tournament: Tournament,
    who: GrantedTournamentRight | None,
    now: datetime,
    letter: Letter,
) -> None:
    """A letter to one of them, or to the game master (None)."""
    rendered = letters.of_blocks(tournament.id, letter.subject, [*letter.body(), *letter.blocks], letter.preview)
    address = who.address if who else writer.settings.mentat.game_master
    about = f"tournament.{tournament.id}.{who.address if who else 'game master'}.{letter.cause}|{letter.subject}"
    writer.send(conn, now, address, rendered, about, who.token if who else "")


def tell_stranger(
    conn: Connection, writer: LetterWriter, label: str, address: str, now: datetime, letter: Letter, *,
    token: str = "", bounces_to: str = "",
) -> None:  # fmt: skip
    """A letter to an address that is nobody's yet."""
    first = next((block.text for block in letter.blocks if isinstance(block, Paragraph)), "")
    rendered = letters.of_blocks(label, letter.subject, [*letter.body(), *letter.blocks], first)
    about = f"tournament.{label}.{address}.{letter.cause}"
    writer.send(conn, now, address, rendered, about, token, letter.answers, bounces_to=bounces_to)


def own_address(settings: Settings, tournament: Tournament) -> str:
    """The address of a tournament itself, to which anybody may write; Mentat's own where addresses take no plus."""
    mentat = settings.mentat
    return plus_address(mentat.address, tournament.token) if mentat.plus_addressing else mentat.address


def buttons(settings: Settings, label: str, token: str, lines: Sequence[str]) -> tuple[Button, ...]:
    """Links that open a ready mail, one for each line. What has to be filled in stands in capitals."""
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


def conduct_text(tournament: Tournament) -> str:
    """What an entrant agrees to; they accept it by its hash."""
    return tournament.settings.people.conduct.strip() or say("tournament-conduct.text")


def conduct_digest(tournament: Tournament) -> str:
    """The SHA-256 of it, by which they accept it."""
    return hashlib.sha256(conduct_text(tournament).encode()).hexdigest()


def zone_of(entrant: Entrant) -> ZoneInfo:
    """The clock of an entrant."""
    return ZoneInfo(entrant.timezone)


def send_code(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime, answers: str
) -> None:
    """What they enter, what they agree to, and the code that ends it. It is their answer's address, too."""
    until = deadline(entrant.code_until or now, now, zone_of(entrant))
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
        closes = [deadline(tournament.until, now, zone_of(entrant))]
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
        Heading(say("tournament-entry.conduct")), Paragraph(conduct_text(tournament)),
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


def send_welcome(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime, why: Admission,
    place: int, observed: int = 0,
) -> None:  # fmt: skip
    """They are in, or on the list; what comes next, and what they can write. So many of its tables they observed until
    now."""
    who = entrant.public_name
    if why == "in":
        told = [_next_steps(tournament, entrant, now)]
    else:
        told = [say(f"tournament-entry.{why}", title=tournament.title, place=place)]
    told.append(say("tournament-entry.shown" if entrant.shown else "tournament-entry.hidden", who=who))
    told += [
        say("tournament-entry.collides", other=other.title, first=day_and_month(first), last=day_and_month(last))
        for other, first, last in colliding_finals(conn, tournament, entrant, now)
    ]
    if observed:
        told.append(say("tournament-entry.observed", games=observed))
    told.append(say("tournament-entry.secret"))
    subject = say(f"tournament-entry.{why}-subject", title=tournament.title)
    ready = ("status", "standings", "help")
    cause = f"confirmed.{stamp(now)}"
    tell(conn, writer, entrant, now, Letter(subject, told, cause, ready=ready))


def _next_steps(tournament: Tournament, entrant: Entrant, now: datetime) -> str:
    if tournament.until is None:
        return say("tournament-entry.next")
    return say("tournament-entry.next-at", until=deadline(tournament.until, now, zone_of(entrant)))


def send_invitation(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime, until: datetime
) -> None:
    """A place is free for them."""
    told = [
        say("tournament-invitation.free", title=tournament.title),
        say("tournament-invitation.until", until=deadline(until, now, zone_of(entrant))),
    ]
    subject = say("tournament-invitation.subject", title=tournament.title)
    tell(conn, writer, entrant, now, Letter(subject, told, f"invited.{stamp(now)}", ready=("accept", "decline")))


def send_farewell(
    conn: Connection, writer: LetterWriter, tournament: Tournament, entrant: Entrant, now: datetime
) -> None:  # fmt: skip
    """They take no part any more."""
    told = [say("tournament-withdrawn.told", title=tournament.title, id=tournament.id)]
    tell(conn, writer, entrant, now, Letter(say("tournament-withdrawn.subject"), told, f"withdrawn.{stamp(now)}"))


def colliding_finals(
    conn: Connection, tournament: Tournament, entrant: Entrant, now: datetime
) -> list[tuple[Tournament, date, date]]:  # fmt: skip
    """The other tournaments of this entrant whose final falls into the time of this one's, with the days of theirs."""
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
    """The days between which the last round is likely to be played."""
    settings = tournament.settings
    days = timedelta(days=settings.rounds.days)
    before = count_stages(settings) - 1
    begins = (tournament.until or tournament.opened_at or now) + before * days
    for each in tournament_rounds.rounds_of(conn, tournament.id):
        if each.kind == "final" and each.opens:
            return each.opens.date(), (each.ends or each.opens + days).date()
    return begins.date(), (begins + days).date()


def count_stages(settings: TournamentSettings) -> int:
    """How many rounds follow each other; heats that are played at the same time are one."""
    told = settings.rounds
    if settings.format == "heats":
        heats = 1 if told.parallel else told.heats
        return heats + bool(told.semifinal) + bool(told.final)
    return told.swiss if settings.format == "swiss" else 1


_STATUS = re.compile(r"\(\d{3}[ -](5\.\d{1,3}\.\d{1,3})\b")


def is_unreachable(entrant: Entrant) -> bool:
    """Whether enough letters to them came back for that to be believed."""
    return entrant.undelivered >= BELIEVED_POINTS


def bounced_entrants(conn: Connection, came_to: list[str], returned: list[str]) -> Entrant | None:
    """Whose letter came back, by the envelope sender of the letter, or by what was returned of it."""
    found = [tournaments.entrant_by_bounce_token(conn, token) for token in came_to]
    found += [
        tournaments.entrant_by_token(conn, token) or tournaments.entrant_by_code(conn, token) for token in returned
    ]
    return next(filter(None, found), None)


def note_bounce(conn: Connection, entrant: Entrant, points: int, now: datetime) -> None:
    """A letter to this entrant came back; ``points`` is how much that says of their mailbox."""
    every = [each for each in tournaments.entries_of_person(conn, entrant.address) if not is_unreachable(each)]
    points += max((each.undelivered for each in every if _counts_bounces(each, now)), default=0)
    for each in every:
        tournaments.change_entrant(conn, each.tournament_id, each.number, undelivered=points, undelivered_at=now)


def note_refused_letter(conn: Connection, letter: StoredLetter, why: str, now: datetime) -> None:
    """A server would not take a letter that belongs to no seat: for entrants whose letters go to that address it counts
    as one that came back for good. ``why`` is what the server answered, its status (RFC 3463) behind its code."""
    if letter.game_id or people.address_in_use(conn, letter.recipient) != letter.recipient:
        return
    status = _STATUS.search(why)
    for entrant in tournaments.entries_of_person(conn, letter.recipient)[:1]:  # of each event of theirs, once
        note_bounce(conn, entrant, bounce_points(status[1] if status else ""), now)


def _counts_bounces(entrant: Entrant, now: datetime) -> bool:
    return entrant.undelivered_at is not None and now - entrant.undelivered_at < FORGOTTEN_AFTER


def note_arrived_mail(conn: Connection, address: str) -> None:
    """Something has come from this address, so mail arrives there."""
    for tournament_id, number in tournaments.entries_in_doubt(conn, address):
        tournaments.change_entrant(conn, tournament_id, number, undelivered=0, undelivered_at=None)
