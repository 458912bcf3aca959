"""Letters about a tournament: to one entrant, to all of them, to its organisers, to somebody who is none of them yet.

A letter to an entrant brings back their token for this tournament, so that their answers are known; what it says are
sentences of ``templates/tournament/``. Everybody gets a letter of their own, so that nobody sees another's address.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.config import Settings
from bot.mail.identity import bounce_token_of, plus_address, tagged_subject
from bot.post.letter_writer import LetterWriter
from bot.reports import letters
from bot.reports.document import Block, Button, Buttons, Paragraph, Title
from bot.reports.links import reply_link
from bot.store import addresses
from bot.store.database import Connection
from bot.store.tournaments import entrants, rights, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rights import Granted
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import bounces
from bot.tournament.given_names import display_name
from bot.wording.sentences import say

Place = tuple[int, int]
"""A table, by its round and number."""


def tell(
    conn: Connection, writer: LetterWriter, entrant: Entrant, now: datetime, subject: str, paragraphs: Sequence[str],
    cause: str, *, blocks: Sequence[Block] = (), ready: Sequence[str] = (), answers: str = "",
) -> None:  # fmt: skip
    """A letter to one entrant. ``cause`` names what it is about, so that it is written once. ``ready`` are lines that
    they may want to send, as buttons; ``blocks`` stand below the paragraphs; ``answers`` is the Message-ID of the mail
    that it answers."""
    if "@" not in entrant.address:  # they were deleted; only their handle is left
        return
    if bounces.is_unreachable(entrant) and not answers:
        return
    title = tournaments.find(conn, entrant.tournament_id).title
    known = say("tournament-letter.you", name=display_name(entrant.handle, entrant.name), title=title)
    body: list[Block] = [Paragraph(known, "small"), Title(_begun(subject))]
    body += [Paragraph(text) for text in paragraphs]
    if ready:
        body.append(Paragraph(say("tournament-letter.ready", lines=list(ready))))
        body.append(Buttons(buttons(writer.settings, entrant.tournament_id, entrant.token, ready)))
    body += [*blocks, Paragraph(say("tournament-letter.end", id=entrant.tournament_id), "small")]
    rendered = letters.of_blocks(entrant.tournament_id, subject, body, paragraphs[0] if paragraphs else "")
    about = f"tournament.{entrant.tournament_id}.{entrant.number}.{cause}|{subject}"
    writer.send(
        conn, now, addresses.in_use(conn, entrant.address), rendered, about, entrant.token, answers,
        bounces_to=bounce_token_of(entrant.token),
    )  # fmt: skip


def tell_all(
    conn: Connection, writer: LetterWriter, readers: Iterable[Entrant], now: datetime, subject: str,
    paragraphs: Sequence[str], cause: str,
) -> None:  # fmt: skip
    """The same letter to several entrants, one each."""
    for entrant in readers:
        tell(conn, writer, entrant, now, subject, paragraphs, cause)


def tell_organisers(
    conn: Connection, writer: LetterWriter, tournament: Tournament, now: datetime, subject: str,
    paragraphs: Sequence[str], cause: str, *, place: Place | None = None,
) -> None:  # fmt: skip
    """A letter to everybody who has a right in the tournament but auditors and deputies, one each; to the game master
    where nobody has. One that is about the table at ``place`` is not for those who play there."""
    every = rights.of_tournament(conn, tournament.id)
    granted: list[Granted | None] = [who for who in every if who.right not in ("auditor", "deputy")]
    for who in granted or [None]:
        if place is None or place not in own_tables(conn, tournament, who):
            tell_one_organiser(conn, writer, tournament, who, now, subject, paragraphs, cause)


def own_tables(conn: Connection, tournament: Tournament, who: Granted | None) -> set[Place]:
    """The tables at which an organiser sits or has sat: of these they are told no more than everybody there."""
    own = entrants.of_person(conn, tournament.id, who.address) if who else None
    held = rounds.tenures(conn, tournament.id) if own else []
    return {(tenure.round, tenure.table) for tenure in held if own and tenure.entrant == own.number}


def tell_one_organiser(
    conn: Connection, writer: LetterWriter, tournament: Tournament, who: Granted | None, now: datetime, subject: str,
    paragraphs: Sequence[str], cause: str, *, blocks: Sequence[Block] = (),
) -> None:  # fmt: skip
    """A letter to one of them, or to the game master (None)."""
    body: list[Block] = [Title(_begun(subject)), *(Paragraph(text) for text in paragraphs), *blocks]
    rendered = letters.of_blocks(tournament.id, subject, body, paragraphs[0] if paragraphs else "")
    address = who.address if who else writer.settings.mentat.game_master
    about = f"tournament.{tournament.id}.{who.address if who else 'game master'}.{cause}|{subject}"
    writer.send(conn, now, address, rendered, about, who.token if who else "")


def tell_stranger(
    conn: Connection, writer: LetterWriter, label: str, address: str, now: datetime, subject: str,
    blocks: Sequence[Block], cause: str, *, token: str = "", answers: str = "", bounces_to: str = "",
) -> None:  # fmt: skip
    """A letter to an address that is nobody's yet."""
    first = next((block.text for block in blocks if isinstance(block, Paragraph)), "")
    rendered = letters.of_blocks(label, subject, [Title(_begun(subject)), *blocks], first)
    writer.send(
        conn, now, address, rendered, f"tournament.{label}.{address}.{cause}", token, answers,
        bounces_to=bounces_to,
    )  # fmt: skip


def own_address(settings: Settings, tournament: Tournament) -> str:
    """The address of a tournament itself, to which anybody may write; Mentat's own where addresses take no plus."""
    mentat = settings.mentat
    return plus_address(mentat.address, tournament.token) if mentat.plus_addressing else mentat.address


def buttons(settings: Settings, label: str, token: str, lines: Sequence[str]) -> tuple[Button, ...]:
    """Links that open a ready mail, one for each line. What has to be filled in stands in capitals."""
    mentat = settings.mentat
    to = plus_address(mentat.address, token) if mentat.plus_addressing and token else mentat.address
    ready = []
    for line in lines:
        subject = say("subject.order", game=label, order=line)
        tagged = tagged_subject(subject, token) if token and not mentat.plus_addressing else subject
        ready.append(Button(line, reply_link(to, tagged, (line,))))
    return tuple(ready)


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]
