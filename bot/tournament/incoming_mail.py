"""Incoming mail about tournaments: one mail, one transaction.

It comes to a tournament's own address, in answer to one of its letters, or to Mentat with a line that names one
(`enter cup`). What a mail changes and what is answered belong together.

Anybody may write, so every answer is bounded. An address that has not confirmed gets one answer an hour, in the same
words whether there is no such tournament, it is not invited, or it has entered already. The truth goes to the address
on file. A change needs the entrant's own token, which their letters carry, or a code; without either, a letter with
the token goes to the address on file. Whoever has a token without its address gets nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome
from bot.games.open_games import OpenGames, joining
from bot.mail.disposition import Examined
from bot.mail.identity import TOKEN_CHARS
from bot.store import mail, people, tournaments
from bot.store.database import Connection, reading
from bot.store.tournaments import Entrant, GrantedTournamentRight, Tournament, UnknownTournament
from bot.tournament import desk, entrant_lines, entries, letters, mail_lines
from bot.tournament.desk import acting, entrant_behind
from bot.tournament.mail_lines import Command, Confirm, Enter, Line, Reply, Show, Talk, Unread
from bot.wording import say

HOUR = timedelta(hours=1)
A_DAY = timedelta(days=1)
MOST_LINES = 30
MOST_FRUITLESS = 5
"""So many mails of an entrant in a day of which no line was understood are answered: more are a program's."""


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """A mail about tournaments: its sender, its lines, and its key and Message-ID."""

    sender: str
    lines: tuple[tuple[str, Line], ...]
    key: str
    message_id: str

    def first(self, *kinds: type[Command]) -> Command | None:
        """The first line of one of these kinds."""
        return next((line for _, line in self.lines if isinstance(line, kinds)), None)


@dataclass(frozen=True, slots=True)
class _Aim:
    """To whom a mail brings back a token, or for which tournament it is."""

    entrant: Entrant | None = None
    asked: Entrant | None = None  # whose code it brings back
    organiser: GrantedTournamentRight | None = None
    tournament: Tournament | None = None


def needs_proof(conn: Connection, seen: Examined) -> bool:
    """Whether a mail must show that it comes from where it says: its sender is the one whose token it brings back."""
    sender = seen.incoming.sender if seen.incoming else ""
    aim = _aim(conn, seen.tokens) if sender else _Aim()
    owner = aim.entrant or aim.asked or aim.organiser
    return owner is not None and sender in people.known_as(conn, owner.address)


def receive_mail(
    conn: Connection, open_games: OpenGames, seen: Examined, unproved: str, key: str, now: datetime
) -> MailOutcome | None:  # fmt: skip
    """What became of a mail about a tournament, with all that follows from it; None for any other mail. ``unproved``
    says why its sender is not proved, where they must be."""
    incoming = seen.incoming
    if incoming is None or seen.verdict.disposition not in ("orders", "empty"):
        return None
    if not unproved:
        letters.note_arrived_mail(conn, incoming.sender)
    if any(
        people.seat_by_token(conn, each, now) or people.seat_by_sitter_token(conn, each, now) for each in seen.tokens
    ):
        return None
    post = IncomingMail(incoming.sender, _lines(seen), key, incoming.message_id or "")
    with joining(conn):
        return _receive(conn, open_games, seen.tokens, post, unproved, now)


def _receive(
    conn: Connection, open_games: OpenGames, tokens: Sequence[str], post: IncomingMail, unproved: str, now: datetime
) -> MailOutcome | None:  # fmt: skip
    aim = _aim(conn, tokens)
    owner = aim.entrant or aim.asked or aim.organiser
    if owner is not None:
        if post.sender not in people.known_as(conn, owner.address):
            return MailOutcome("rejected", f"a token of {owner.tournament_id}, but not from its owner's address")
        if unproved:
            return MailOutcome("rejected", f"an address of {owner.tournament_id} that is not proved: {unproved}")
        if mail.notices_since(conn, owner.address, now - HOUR) >= open_games.settings.limits.answers_per_hour:
            return MailOutcome("rejected", TOO_MANY_MESSAGES)
    if aim.asked:
        return _with_code(conn, open_games, post, aim.asked.code, now)
    if aim.entrant:
        return _of_entrant(conn, open_games, post, aim.entrant, now)
    if aim.organiser:
        return _of_organiser(conn, open_games, post, aim.organiser, now)
    if aim.tournament or not tokens:
        return _of_anybody(conn, open_games, post, aim.tournament, now)
    codes = [said.code or token for _, said in post.lines if isinstance(said, Confirm) for token in tokens]
    return _handed_over(conn, open_games, post, codes, now)


def _handed_over(
    conn: Connection, open_games: OpenGames, post: IncomingMail, codes: Sequence[str], now: datetime
) -> MailOutcome | None:  # fmt: skip
    """Somebody agrees to direct a tournament; None where it is no code for that."""
    if any(desk.confirm_handover(conn, open_games, code, post.sender, now) for code in codes):
        return MailOutcome("orders", "a tournament was handed over")
    return None


def _aim(conn: Connection, tokens: Sequence[str]) -> _Aim:
    """Whose token a mail brings back; the first that is one of a tournament."""
    for token in tokens:
        if entrant := tournaments.entrant_by_token(conn, token):
            return _Aim(entrant=entrant)
        if asked := tournaments.entrant_by_code(conn, token):
            return _Aim(asked=asked)
        if organiser := tournaments.right_by_token(conn, token):
            return _Aim(organiser=organiser)
        if tournament := tournaments.tournament_by_token(conn, token):
            return _Aim(tournament=tournament)
    return _Aim()


# --- the words -------------------------------------------------------------------------------------------------------


_LABEL = re.compile(r"\[[^\]]{0,80}\]\s*")
_ANSWERS = re.compile(r"^\s*(?:re|aw|sv|antw|fwd?|wg|tr)\s*:", re.IGNORECASE)


def _lines(seen: Examined) -> tuple[tuple[str, Line], ...]:
    """The lines of a mail with what they say. A mail whose body says nothing is read by its subject, if that is its
    sender's own."""
    own = [line for section in seen.reading.sections if not section.form for line in section.lines]
    read = _at_most([(line, mail_lines.read_line(line)) for line in own])
    if any(not isinstance(line, Talk) for _, line in read) or seen.incoming is None:
        return tuple(read)
    subject = seen.incoming.subject
    said = mail_lines.read_line(_LABEL.sub("", subject).strip())
    if _ANSWERS.match(_LABEL.sub("", subject)) or isinstance(said, Talk | Unread):
        return tuple(read)
    return ((_LABEL.sub("", subject).strip(), said),)


def _at_most(read: list[tuple[str, Line]]) -> list[tuple[str, Line]]:
    """So many lines of a mail that say something; of those below the first is answered."""
    said = [number for number, (_, line) in enumerate(read) if not isinstance(line, Talk)]
    if len(said) <= MOST_LINES:
        return read
    first, left = said[MOST_LINES], len(said) - MOST_LINES
    return [*read[:first], (read[first][0], Unread(say("tournament-unread.too-many", most=MOST_LINES, left=left)))]


# --- whoever writes --------------------------------------------------------------------------------------------------


def _with_code(
    conn: Connection, open_games: OpenGames, post: IncomingMail, code: str, now: datetime
) -> MailOutcome | None:
    """A mail to the address of a code: the word confirm, with the code or without it, is the answer."""
    said = post.first(Confirm)
    given = said.code if isinstance(said, Confirm) else ""
    agreed = any(_agrees(text, line) for text, line in post.lines)
    if not (agreed or given):
        return MailOutcome("orders", "the code of an entry came back, without the word confirm")
    return _confirm(conn, open_games, post, code if agreed and len(given) != TOKEN_CHARS else given, now)


def _agrees(text: str, line: Line) -> bool:
    """Whether a line confirms without a code, in the form for it or in words of one's own that say nothing else: not
    that a mail program confirms the receipt of a letter."""
    return (isinstance(line, Confirm) and not line.code) or (
        bool(_CONFIRMS.search(text)) and bool(_NOTHING_ELSE.fullmatch(text))
    )


_CONFIRMS = re.compile(r"\bconfirm(?:ed)?\b", re.IGNORECASE)
_NOTHING_ELSE = re.compile(
    r"(?:\b(?:confirm|confirmed|i|yes|ok|okay|sure|please|do|hereby|my|the|this|it|entry|thanks|thank|you)\b|[\s,.!:–-])+",
    re.IGNORECASE,
)


def _confirm(conn: Connection, open_games: OpenGames, post: IncomingMail, code: str, now: datetime) -> MailOutcome:
    return _confirmed(conn, open_games, post, code, now) or _neutral(conn, open_games, post, now)


def _confirmed(
    conn: Connection, open_games: OpenGames, post: IncomingMail, code: str, now: datetime
) -> MailOutcome | None:
    """What a code of the writer's own confirms; None for any other."""
    pending = tournaments.entrant_by_code(conn, code)
    settled: Sequence[Line] = ()
    if pending is not None and pending.address == post.sender:
        _, settled = _settle(conn, open_games, pending, post)
    if entrant := entries.confirm_entry(conn, open_games, code, post.sender, now):
        _answer_beside(conn, open_games, entrant, post, settled, now)
        return MailOutcome("orders", f"{entrant.handle} confirmed that they enter {entrant.tournament_id}")
    if desk.confirm_handover(conn, open_games, code, post.sender, now):
        return MailOutcome("orders", "a tournament has another director")
    return None


def _answer_beside(
    conn: Connection,
    open_games: OpenGames,
    entrant: Entrant,
    post: IncomingMail,
    settled: Sequence[Line],
    now: datetime,
) -> None:
    """Carry out and answer what stood beside the word confirm and was not settled with it."""
    lines = [
        (text, line)
        for text, line in post.lines
        if not (isinstance(line, Talk | Enter | Reply | Confirm) or line in settled or _agrees(text, line))
    ]
    if lines:
        tournament = tournaments.find_tournament(conn, entrant.tournament_id)
        entrant_lines.answer_entrant(conn, open_games, tournament, entrant, lines, post.key, now, post.message_id)


def _of_anybody(
    conn: Connection, open_games: OpenGames, post: IncomingMail, tournament: Tournament | None, now: datetime
) -> MailOutcome | None:  # fmt: skip
    """A mail without a token of the sender's own: to the address of a tournament, or to Mentat itself."""
    if tournament is None and not tournaments.any_tournament(conn):
        return None
    for _, line in post.lines:
        if isinstance(line, Confirm) and line.code and (done := _confirmed(conn, open_games, post, line.code, now)):
            return done
    said = next((line for _, line in post.lines if not isinstance(line, Talk | Unread)), None)
    match said:
        case Confirm(code) if code:
            return _neutral(conn, open_games, post, now)
        case Enter(named):
            return _enter(conn, open_games, post, said, _found(conn, named), now)
    if tournament is None:
        named = getattr(said, "tournament", "")
        tournament = _found(conn, named) if named else None
        if not named or tournament is None or not _takes_part(conn, tournament, post.sender):
            return _not_theirs(conn, open_games, post, said, now) if named else None
    granted = tournaments.right_of(conn, tournament.id, post.sender)
    if granted is not None and not isinstance(said, Show):
        return MailOutcome("rejected", f"an organiser of {tournament.id}, without the token of their letters")
    own = tournaments.entrant_of_person(conn, tournament.id, post.sender)
    if own is None or not own.confirmed_at:
        return _neutral(conn, open_games, post, now)
    if _too_many(conn, open_games, own.address, now):
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    if isinstance(said, Show):
        entrant_lines.answer_entrant(conn, open_games, tournament, own, [_only(post, said)], post.key, now)
        return MailOutcome("orders", f"{own.handle} asked about {tournament.id}")
    entrant_lines.ask_for_token(conn, open_games, tournament, own, [text for text, _ in post.lines], now)
    return MailOutcome("orders", f"lines for {own.handle} of {tournament.id} without their token: they were asked")


def _only(post: IncomingMail, wanted: Line) -> tuple[str, Line]:
    return next((text, line) for text, line in post.lines if line is wanted)


def _found(conn: Connection, named: str) -> Tournament | None:
    try:
        return tournaments.find_tournament(conn, named)
    except UnknownTournament:
        return None


def _takes_part(conn: Connection, tournament: Tournament, address: str) -> bool:
    own = tournaments.entrant_of_person(conn, tournament.id, address)
    return (own is not None and own.confirmed_at is not None) or tournaments.right_of(
        conn, tournament.id, address
    ) is not None


def _not_theirs(
    conn: Connection, open_games: OpenGames, post: IncomingMail, said: Command | None, now: datetime
) -> MailOutcome | None:  # fmt: skip
    """A mail that names something which is no tournament of its sender's; nothing in what becomes of it depends on
    whether there is one of that name. What is a word of games too, or comes from a player, is left to the games."""
    plays = bool(people.seats_at_addresses(conn, people.known_as(conn, post.sender)))
    if plays or (isinstance(said, Show) and said.what in ("status", "help")):
        return None
    return _neutral(conn, open_games, post, now)


def _enter(
    conn: Connection,
    open_games: OpenGames,
    post: IncomingMail,
    said: Enter,
    tournament: Tournament | None,
    now: datetime,
) -> MailOutcome:
    known = entrant_behind(conn, open_games.settings, tournament.id, post.sender) if tournament else None
    if tournament is not None and entries.directs_tournament(conn, open_games.settings, tournament, post.sender):
        if not _too_many(conn, open_games, post.sender, now):
            entrant_lines.tell_organiser_cannot_play(conn, open_games, tournament, post.sender, now)
        return MailOutcome("orders", f"an organiser of {tournament.id} cannot enter it")
    if tournament is None or not entries.takes_entries(conn, open_games.settings, tournament, known, post.sender, now):
        if known is not None and known.confirmed_at and not _too_many(conn, open_games, known.address, now):
            entrant_lines.tell_cannot_enter(conn, open_games, known, now)
            return MailOutcome("orders", f"{known.handle} cannot enter {known.tournament_id}")
        return _neutral(conn, open_games, post, now)
    asked = entries.request_entry(
        conn, open_games, tournament, entries.EntryRequest(post.sender, said.name, said.standby, shown=True), now
    )
    entrant = asked.entrant
    if asked.how == "in":
        if not _too_many(conn, open_games, entrant.address, now):
            entrant_lines.tell_in_already(conn, open_games, entrant, now)
        return MailOutcome("orders", f"{entrant.handle} is in {tournament.id} already")
    if asked.how == "asked":
        entrant, _ = _settle(conn, open_games, entrant, post)
    if not _too_many(conn, open_games, entrant.address, now, is_code=True):
        entries.write_code(conn, open_games, tournament, entrant, now, answers=post.message_id)
    return MailOutcome("orders", f"{entrant.handle} wants to enter {tournament.id}")


def _settle(
    conn: Connection, open_games: OpenGames, entrant: Entrant, post: IncomingMail
) -> tuple[Entrant, list[Line]]:
    """Carry out the lines about the entrant alone, one after the other; the entrant as they are then, and the lines
    that were done."""
    settled: list[Line] = []
    for _, line in post.lines:
        done = entrant_lines.settle_own_line(conn, entrant, line, open_games.settings.mentat.address)
        if done and done.status == "done":
            settled.append(line)
        entrant = tournaments.find_entrant(conn, entrant.tournament_id, entrant.handle) or entrant
    return entrant, settled


def _neutral(conn: Connection, open_games: OpenGames, post: IncomingMail, now: datetime) -> MailOutcome:
    """The one answer for all that does not concern this address, or that it must not know; once an hour."""
    if not _too_many(conn, open_games, post.sender, now):
        entrant_lines.answer_neutrally(conn, open_games, post.sender, now, post.message_id)
    return MailOutcome("orders", "about a tournament; answered without a word about it")


def _too_many(
    conn: Connection, open_games: OpenGames, address: str, now: datetime, *, is_code: bool = False
) -> bool:  # fmt: skip
    """Whether this address has had its answers of the hour. Until it has confirmed that is one, and there are so many
    in a day, half of them for codes, and so many in an hour for all such addresses: whoever writes in the name of
    others fills nobody's mailbox."""
    limits, written = open_games.settings.limits, mail.notices_since(conn, address, now - HOUR)
    if _is_known(conn, address):
        return written >= limits.answers_per_hour
    a_day = limits.strangers_letters_per_day if is_code else max(1, limits.strangers_letters_per_day // 2)
    if written or mail.notices_since(conn, address, now - A_DAY) >= a_day:
        return True
    most = limits.strangers_letters_per_hour
    return tournaments.count_letters_to_strangers(conn, now - HOUR, open_games.settings.mentat.game_master) >= most


def _is_known(conn: Connection, address: str) -> bool:
    return any(own.confirmed_at for own in tournaments.entries_of_person(conn, address))


# --- entrants and organisers -----------------------------------------------------------------------------------------


def _of_entrant(
    conn: Connection, open_games: OpenGames, post: IncomingMail, entrant: Entrant, now: datetime
) -> MailOutcome:  # fmt: skip
    """The lines of an entrant, each with its answer, in one letter."""
    tournament = tournaments.find_tournament(conn, entrant.tournament_id)
    lines = [(text, line) for text, line in post.lines if not isinstance(line, Talk)]
    others = [line.tournament for _, line in lines if isinstance(line, Enter) and line.tournament != tournament.id]
    if others:
        for _, line in lines:
            if isinstance(line, Enter) and line.tournament != tournament.id:
                _enter(conn, open_games, post, line, _found(conn, line.tournament), now)
        lines = [(text, line) for text, line in lines if not isinstance(line, Enter)]
        if not lines:
            return MailOutcome("orders", f"{entrant.handle} of {tournament.id} enters {', '.join(others)}")
    if all(isinstance(line, Unread) for _, line in lines):
        reason = f"{entrant.handle} of {tournament.id} wrote, and no line was understood"
        if mail.kept_for_since(conn, post.sender, reason, now - A_DAY) < MOST_FRUITLESS:
            entrant_lines.answer_entrant(conn, open_games, tournament, entrant, lines, post.key, now, post.message_id)
        return MailOutcome("orders", reason)
    taken = entrant_lines.answer_entrant(conn, open_games, tournament, entrant, lines, post.key, now, post.message_id)
    if any(not isinstance(line, Show) for _, line in lines):
        tournaments.touch(conn, tournament.id)
    return MailOutcome("orders", f"{entrant.handle} of {tournament.id} wrote", taken=taken)


def _of_organiser(
    conn: Connection, open_games: OpenGames, post: IncomingMail, organiser: GrantedTournamentRight, now: datetime
) -> MailOutcome:  # fmt: skip
    """What organisers can read by mail; acts are typed."""
    tournament = tournaments.find_tournament(conn, organiser.tournament_id)
    asked = [line for _, line in post.lines if isinstance(line, Show)]
    entrant_lines.answer_organiser(conn, open_games, tournament, organiser, asked, post.key, now, post.message_id)
    return MailOutcome("orders", f"an organiser of {tournament.id} wrote")


def write_waiting_codes(open_games: OpenGames, now: datetime) -> None:
    """The letters with codes that had to wait, as their address, or all of its kind, had been written to often."""
    with reading(open_games.engine) as conn:
        waiting = {entrant.tournament_id for entrant in tournaments.entrants_to_write(conn)}
    for tournament_id in sorted(waiting):
        with acting(open_games, tournament_id, quietly=True) as (conn, tournament):
            if tournament.state not in ("open", "drawn", "running"):
                continue
            for entrant in tournaments.entrants_to_write(conn):
                here = entrant.tournament_id == tournament_id
                if here and not _too_many(conn, open_games, entrant.address, now, is_code=True):
                    entries.write_code(conn, open_games, tournament, entrant, now)
