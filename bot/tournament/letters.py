"""Letters about a tournament: to one entrant, to all of them, to its organisers, to somebody who is none of them yet.

A letter to an entrant brings back their token for this tournament, so that their answers are known; what it says are
sentences of ``templates/tournament/``. Everybody gets a letter of their own, so that nobody sees another's address.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
    if bounces.is_unreachable(entrant) and not letter.answers:
        return
    title = tournaments.find(conn, entrant.tournament_id).title
    known = say("tournament-letter.you", name=display_name(entrant.handle, entrant.name), title=title)
    body: list[Block] = [Paragraph(known, "small"), *letter.body()]
    if letter.ready:
        body.append(Paragraph(say("tournament-letter.ready", lines=list(letter.ready))))
        body.append(Buttons(buttons(writer.settings, entrant.tournament_id, entrant.token, letter.ready)))
    body += [*letter.blocks, Paragraph(say("tournament-letter.end", id=entrant.tournament_id), "small")]
    rendered = letters.of_blocks(entrant.tournament_id, letter.subject, body, letter.preview)
    about = f"tournament.{entrant.tournament_id}.{entrant.number}.{letter.cause}|{letter.subject}"
    writer.send(
        conn, now, addresses.in_use(conn, entrant.address), rendered, about, entrant.token, letter.answers,
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
    every = rights.of_tournament(conn, tournament.id)
    granted: list[Granted | None] = [who for who in every if who.right not in ("auditor", "deputy")]
    for who in granted or [None]:
        if place is None or place not in own_tables(conn, tournament, who):
            tell_one_organiser(conn, writer, tournament, who, now, letter)


def own_tables(conn: Connection, tournament: Tournament, who: Granted | None) -> set[Place]:
    """The tables at which an organiser sits or has sat: of these they are told no more than everybody there."""
    own = entrants.of_person(conn, tournament.id, who.address) if who else None
    if own is None:
        return set()
    held = rounds.tenures(conn, tournament.id)
    return {(tenure.round, tenure.table) for tenure in held if tenure.entrant == own.number}


def tell_one_organiser(
    conn: Connection, writer: LetterWriter, tournament: Tournament, who: Granted | None, now: datetime, letter: Letter
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
