"""The letter writer writes the letters that are due after something has happened at a table.

Each letter is made from its reader's view and from the events that the reader may see. It goes into the outbox in the
same transaction as the act that caused it. Letters go to players with a new question, to the player who has just
written, and to everybody at the end of a turn or of the game. So the sending of a letter reveals only what is public or
known to its reader.

Both parties to a deal, secret or not, are reminded when its condition is met, and told when the deal is broken. Nobody
else gets a letter about it. Players who want one letter a day find the reminder in that letter.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from bot.config import Settings
from bot.games.positions import position_seen
from bot.games.seat_mail import PRESS_LETTER, Reply, SeatLetter, SeatMail, is_message_id, lobby_token, mark_of
from bot.mail.identity import bounce_address, plus_address, reply_token, tagged_subject
from bot.mail.outgoing import Attachment, build_letter
from bot.mail.outgoing import Letter as Mail
from bot.press import OPEN_PRESS
from bot.record.reader import NotARecord
from bot.render import letters
from bot.render.blocks import Block, Button, Buttons, Paragraph
from bot.render.board import Look
from bot.render.letters import archive_paragraphs, press_paragraphs
from bot.render.material import (
    News,
    Party,
    Position,
    PressReceived,
    RecordHead,
    Rendering,
)
from bot.render.picture import board_digest
from bot.render.questions import reply_link
from bot.store import forum_threads, games, mail, people
from bot.store import record as record_parts
from bot.store.archive import full_record, record_lines
from bot.store.database import Connection
from bot.store.tournament_rounds import tournament_of
from bot.table import rounds
from bot.table.clock import round_at
from bot.table.press import names_hidden, settings_of
from bot.table.rounds import is_written_to, next_digest
from bot.table.table import Deadlines, Seat, Table, TableBefore, place_of
from bot.wording import say
from bot.wording.filters import speaking
from rules.chapters.spice_blow import largest_alliance
from rules.chapters.victory import last_turn, needed, race, strongholds_held
from rules.components import Faction
from rules.engine.play import Play
from rules.state.events import Event, Viewer

SOON = timedelta(minutes=10)  # a receipt waits at least this long for another letter


def seats_written_to(table: Table, before: Deadlines, caretaker_after: int = 0) -> set[Faction]:
    """Return the seats that get a letter although they have not written. When a call for sheets opens, every seat gets
    one. Otherwise a seat gets one for a new question that takes time and leaves a choice. ``before`` are the previous
    deadlines."""
    if table.calling:
        table.calling = False
        return set(table.seats)
    play, now = table.play, table.deadlines
    called = round_at(table.call, table.tempo, play.state.turn, play.state.phase)
    timed = [
        q
        for q in play.questions()
        if not (rounds.takes_no_time(table, q) or q.settled or rounds.leaves_no_choice(table, q, caretaker_after))
        and not (q.beside and play.number_of(q) > 1)  # offers to help an ally: one letter per phase
        and not (q.kind == "ally-support" and called)  # the call has asked for it
    ]
    return {q.faction for q in timed if before.get(place := place_of(play, q)) != now.get(place)}


def master_token(settings: Settings) -> str:
    # The game master's answers to our letters come back with this token
    secret = settings.secrets.secret.get_secret_value().encode()
    return reply_token(secret, "game master", settings.mentat.game_master.lower())


@dataclass(frozen=True, slots=True)
class Matter:
    """The subject of a letter to a game's desk. The letter's Message-ID names the game and the seat ("" for none), so
    the lines of an answer apply to them. If the letter is not about a single game, each line of the answer must name
    its game. ``lines`` are ready-made answers; ``cause`` distinguishes the letter from all others."""

    game: str
    faction: str
    subject: str
    told: Sequence[str]
    lines: Sequence[str]
    cause: str


_ABOUT = re.compile(
    r"notice\.[0-9a-f]{24}\.about\.(?P<game>[a-z0-9.-]+?)(?:\.seat-(?P<faction>[a-z-]+))?@.*", re.IGNORECASE
)


def matter_of(conn: Connection, address: str, in_reply_to: Iterable[str]) -> tuple[str, str] | None:
    """Return the game and seat ("" for none) of the letter to which this person's mail is a reply, or None."""
    for identity in in_reply_to:
        found = _ABOUT.fullmatch(identity)
        if found and mail.was_sent_to(conn, identity, people.known_as(conn, address)):
            return found["game"], found["faction"] or ""
    return None


class LetterWriter:
    """The writer of one transaction's letters. A letter about a whole turn includes the picture of the board, unless
    its reader already has it. Players who ask for the picture always get it."""

    def __init__(self, settings: Settings, conn: Connection, now: datetime) -> None:
        self.settings, self.conn, self.now = settings, conn, now
        self._mail = SeatMail(settings, conn, now)
        self._host = settings.mentat.address.rpartition("@")[2]

    # --- a table -------------------------------------------------------------------------------------------------

    def begin(self, table: Table, event: str = "") -> None:
        for seat in table.seats.values():
            position = self.position(table, seat.faction, table.recent)
            named, press = people.pseudonym_at(self.conn, table.id, seat.faction), settings_of(table).archived
            archive = archive_paragraphs(table.policy, named, press=press)
            forum, rules = self._told_of_forum(table), rules_of(table.play)
            position = replace(position, event=event, archive=tuple(archive), forum=forum, rules=rules)
            rendered = self._with_board(letters.setup_letter(position), position, table, seat)
            self._mail.post(table, seat, SeatLetter(rendered))
            seat.told = table.events

    def answer(self, table: Table, before: TableBefore, reply: Reply | None = None) -> None:
        """Write the letters that follow from a message or a deadline. A question that is open now but was not open
        ``before`` is news to its player. The end of a turn or of the game is news to everybody."""
        called = table.calling
        asked = seats_written_to(table, before.deadlines, self.settings.clock.caretaker_after)
        due = seats_with_private_news(table)
        over = table.play.over
        ends = over and not before.over
        ended = [self.position_after(table, turn) for turn in range(before.turn, table.play.state.turn + ends)]
        for seat in table.seats.values():
            if not seat.has_player:
                _has_read(table, seat)
                continue
            passed_over = called and not over and rounds.is_passed_over(table, seat.faction)
            newest = self._summaries(table, seat, ended)
            if reply is not None and reply.faction == seat.faction:
                whole = reply.position or seat.faction in due
                wanted = (ended and newest) or seat.faction in asked
                if not whole and (passed_over or not wanted) and self._may_wait(table, seat, reply):
                    self._keep_receipt(table, seat, reply)
                    continue
                position = self.position(table, seat.faction, table.recent)
                position = replace(position, ended=newest, settles=reply.settles or position.settles)
                rendered = letters.reply_to_orders(position, reply.lines, reply.notes, whole, posted=reply.posted)
                if newest or reply.board:
                    rendered = self._with_board(rendered, position, table, seat, asked_for=reply.board)
                self._mail.post(table, seat, SeatLetter(rendered, reply))
                _has_read(table, seat, rendered.told)
            elif newest and ended and not passed_over:
                self._report(table, seat, newest)
            elif seat.faction in asked | due and not over:
                remind = seat.faction in due and seat.letters_mode != "daily"
                if remind or is_written_to(table, seat.faction, self.now, called=called):
                    self._report(table, seat, newest)
                else:
                    _waits(table, seat, self.now)
        if ends:
            self._endings(table, ended[-1])

    def _summaries(self, table: Table, seat: Seat, ended: Sequence[Position]) -> Position | None:
        # The summary of the last ended turn goes into the letter with the next question, or with the end of the game
        if seat.letters_mode != "all" and not table.play.over:
            if ended:
                _waits(table, seat, self.now)
            return None
        for position in ended[:-1]:
            rendered = letters.public_summary(position)
            shown = self.since(table, position, seat.drawn)
            self._mail.post(table, seat, SeatLetter(self._with_board(rendered, shown, table, seat)))
        if table.play.over:
            return None
        return ended[-1] if ended else self._summary_that_waits(table, seat)

    def _summary_that_waits(self, table: Table, seat: Seat) -> Position | None:
        # The turn ended with a call that was not for this player
        turn = table.play.state.turn
        if all(event.turn == turn for event in table.recent if event.number >= seat.told):
            return None
        return self.position_after(table, turn - 1)

    def _may_wait(self, table: Table, seat: Seat, reply: Reply) -> bool:
        # The answer to a mail may wait for the next letter if every line was taken as meant, and the game is running.
        if reply.at_once or reply.notes or seat.receipts or self.settings.mentat.receipts:
            return False
        goes_on = table.status == "running" and not (table.on_hold or table.stopped_at)
        return goes_on and letters.says_only_taken(reply.lines)

    def _keep_receipt(self, table: Table, seat: Seat, reply: Reply) -> None:
        # Keep the accepted orders for the next letter. If they have not taken effect yet, and no letter goes out, a
        # receipt is sent before the deadline, when a reminder would be. This depends only on what the player knows.
        with speaking(table.play.game.rules.edition):
            seat.taken = (*seat.taken, *letters.words_of_taken(reply.lines))
        waits = self._receipt_due(table, seat)
        seat.receipt_due = min(filter(None, (waits, seat.receipt_due)), default=None)
        table.touched.add(seat.faction)
        _waits(table, seat, self.now)

    def _receipt_due(self, table: Table, seat: Seat) -> datetime | None:
        answered = [question for question, _ in table.play.answered() if question.faction == seat.faction]
        dues = [due for due in (*map(table.due, answered), rounds.call_closes(table, self.now)) if due]
        ahead = timedelta(hours=max(self.settings.clock.reminder_hours, default=0))
        return max(self.now + SOON, min(dues) - ahead) if dues else None

    def receipt(self, table: Table, faction: Faction) -> None:
        seat = table.seats[faction]
        if self._receipt_due(table, seat) is None:  # too late: the orders have taken effect
            seat.receipt_due = None
            table.touched.add(faction)
            return
        self._mail.post(table, seat, SeatLetter(letters.receipt(self.position(table, faction, ()))))

    def _report(self, table: Table, seat: Seat, ended: Position | None = None) -> None:
        """Send a player their open questions and the news since their last letter. If a turn has ``ended``, the letter
        begins with its end. The board is added if a turn has ended, or if the player's last letter is from an earlier
        turn."""
        position = replace(self.position(table, seat.faction, table.recent), ended=ended)
        rendered = letters.private_report(position)
        old = any(news.turn < table.play.state.turn for news in position.news) and seat.letters_mode != "all"
        if ended or old:
            rendered = self._with_board(rendered, position, table, seat)
        self._mail.post(table, seat, SeatLetter(rendered))
        _has_read(table, seat)

    def digest(self, table: Table, faction: Faction) -> None:
        self._report(table, table.seats[faction])

    def remind(self, seats: Sequence[tuple[Table, Faction]], urgency: letters.Urgency = "reminder") -> None:
        positions = [self.position(table, faction, ()) for table, faction in seats]
        table, faction = seats[0]
        several = len(positions) > 1
        rendered = letters.reminder_of_games(positions, urgency) if several else letters.reminder(positions[0], urgency)
        self._mail.post(table, table.seats[faction], SeatLetter(rendered), copied=not several)
        for (here, sat_in_for), position in zip(seats, positions, strict=True) if several else ():
            self._mail.copy_alone(here, here.seats[sat_in_for], position, lambda p: letters.reminder(p, urgency))

    def digest_of_games(
        self, seats: Sequence[tuple[Table, Faction]], label: str, headline: str, told: Sequence[str]
    ) -> None:
        positions = [self.position(table, faction, ()) for table, faction in seats]
        table, faction = seats[0]
        rendered = letters.digest_of_games(positions, label, headline, told)
        self._mail.post(table, table.seats[faction], SeatLetter(rendered), copied=False)
        for (here, sat_in_for), position in zip(seats, positions, strict=True):
            self._mail.copy_alone(here, here.seats[sat_in_for], position, letters.reminder)

    def brief(
        self, table: Table, faction: Faction, happened: Sequence[Event], subject: str, paragraphs: Sequence[str]
    ) -> None:
        seat = table.seats[faction]
        seat.told = 0
        position = replace(self.position(table, faction, happened), forum=self._told_of_forum(table))
        seat.board = ""
        rendered = self._with_board(letters.briefing(position, subject, paragraphs), position, table, seat)
        self._mail.post(table, seat, SeatLetter(rendered))
        seat.told = table.events

    def announce(self, table: Table, subject: str, paragraphs: Sequence[str]) -> None:
        for faction in table.seats:
            self.notify(table, faction, subject, paragraphs)

    def notify(
        self, table: Table, faction: Faction, subject: str, paragraphs: Sequence[str],
        named: str = "", *, copied: bool = True,
    ) -> None:  # fmt: skip
        """Write a notice to one player and, if ``copied``, to the player's sitter. ``named`` becomes part of the
        Message-ID."""
        position = self.position(table, faction, ())
        rendered = letters.notice(position, subject, paragraphs)
        self._mail.post(table, table.seats[faction], SeatLetter(rendered, named=named), copied=copied)

    def ask(
        self, table: Table, faction: Faction, subject: str, paragraphs: Sequence[str], answers: Mapping[str, str]
    ) -> None:
        rendered = letters.notice(self.position(table, faction, ()), subject, paragraphs, answers)
        self._mail.post(
            table, table.seats[faction], SeatLetter(rendered, named=mark_of(next(iter(answers)))), copied=False
        )

    def brief_sitter(
        self, table: Table, faction: Faction, happened: Sequence[Event], subject: str, paragraphs: Sequence[str]
    ) -> None:
        seat = table.seats[faction]
        position = self.position(table, faction, happened)

        def briefing(position: Position) -> Rendering:
            return letters.with_picture(letters.briefing(position, subject, paragraphs), position, Look.of(""))

        self._mail.copy_alone(table, seat, position, briefing)

    def tell_sitter(self, table: Table, faction: Faction, subject: str, paragraphs: Sequence[str]) -> None:
        """Write a last notice to a former sitter. It says nothing about the state of the game."""
        rendered = letters.farewell(table.id, subject, paragraphs)
        self._mail.copy(table, table.seats[faction], SeatLetter(rendered), last=True)

    def farewell(self, table: Table, faction: Faction, subject: str, paragraphs: Sequence[str]) -> None:
        rendered = letters.farewell(table.id, subject, paragraphs)
        self._mail.post(table, table.seats[faction], SeatLetter(rendered))

    def press(self, table: Table, reader: Faction, passed: PressReceived) -> None:
        position = self.position(table, reader, ())
        sender, named = letters.press_sender(position, passed), f"{PRESS_LETTER}{passed.number}"
        letter = SeatLetter(letters.press(position, passed), sender_name=sender, named=named)
        self._mail.post(table, table.seats[reader], letter)

    def tell_game_master(self, subject: str, paragraphs: Sequence[str], cause: str) -> None:
        self.tell(self.settings.mentat.game_master, subject, paragraphs, cause)

    def tell(self, address: str, subject: str, paragraphs: Sequence[str], cause: str, token: str = "") -> None:
        """Write a notice that is not about a single game, once for each ``cause``. If several people get a notice for
        one cause, the cause must include the person's name. An answer to the notice comes back with the ``token``."""
        self.send(address, letters.notice(None, subject, paragraphs), f"{cause}|{subject}", token)

    def tell_master_of(self, matter: Matter) -> None:
        self.tell_of(self.settings.mentat.game_master, matter)

    def tell_of(self, address: str, matter: Matter, token: str = "") -> None:
        """Write about a ``matter`` to a person at a game's desk. An answer then applies to that matter."""
        master = address.lower() == self.settings.mentat.game_master.lower()
        if not (token := token or (master_token(self.settings) if master else "")):
            self.tell(address, matter.subject, matter.told, matter.cause)
            return
        of, lines = f"{matter.game}: " if matter.game else "", (*matter.lines, say("desk-about.stand"))
        how = say("desk-about.how", lines=lines, faction=matter.faction, game=matter.game)
        body: list[Block] = [*map(Paragraph, matter.told), Paragraph(how, "small"), self.buttons(token, lines, of)]
        rendered = letters.to_game_master(matter.subject, body, next(iter(matter.told), ""))
        seat = f".seat-{matter.faction}" if matter.faction else ""
        about = f".about.{matter.game}{seat}" if matter.game else ""
        self.send(address, rendered, f"{matter.cause}|{matter.subject}", token, about=about)

    def buttons(self, token: str, lines: Sequence[str], of: str = "") -> Buttons:
        """Return a button for each line. The button opens a mail to the desk at this token, with that line as its text.
        If ``of`` names a game, each line begins with that name."""
        ready = (Button(line, reply_link(*self._envelope(token, of + line), (of + line,))) for line in lines)
        return Buttons(tuple(ready))

    def _envelope(self, token: str, line: str) -> tuple[str, str]:
        mentat = self.settings.mentat
        if mentat.plus_addressing:
            return plus_address(mentat.address, token), line
        return mentat.address, tagged_subject(line, token)

    def send(
        self,
        address: str,
        rendered: Rendering,
        cause: str,
        token: str = "",
        in_reply_to: str = "",
        bounces_to: str = "",
        about: str = "",
    ) -> None:
        """Put a letter that is not about a single game into the outbox, once for each ``cause``.

        An answer comes back with the ``token``, and a bounce report with ``bounces_to``. ``in_reply_to`` is the
        Message-ID of the mail that the letter answers; ``about`` becomes part of the letter's own Message-ID.
        """
        mentat = self.settings.mentat
        if address.lower() == mentat.game_master.lower():
            token = token or master_token(self.settings)
        plus = bool(token) and mentat.plus_addressing
        digest = hashlib.sha256(cause.encode()).hexdigest()[:24]
        identity = f"notice.{digest}{about}@{self._host}"
        answers = in_reply_to if is_message_id(in_reply_to) else ""
        content = build_letter(
            Mail(
                to=address,
                subject=tagged_subject(rendered.subject, token) if token and not plus else rendered.subject,
                text=rendered.text,
                html=rendered.html,
                attachments=rendered.files,
                sender=self.settings.sender,
                sender_name=mentat.name,
                reply_to=plus_address(mentat.address, token) if plus else "",
                message_id=identity,
                date=self.now,
                game="",
                in_reply_to=answers,
                references=(answers,) if answers else (),
                auto_submitted="auto-replied" if answers else "auto-generated",
            )
        )
        verp = bool(bounces_to) and mentat.plus_addressing
        came_from = bounce_address(mentat.address, bounces_to) if verp else self.settings.sender
        mail.post_once(self.conn, mail.Letter(identity, came_from, address, rendered.subject, content), self.now)

    # --- the reader's view ---------------------------------------------------------------------------------------

    def position(self, table: Table, viewer: Viewer, happened: Sequence[Event]) -> Position:
        made = replace(position_seen(table, viewer, happened, self.settings, self.now), press=_told_of_press(table))
        if viewer == "public" or viewer == "gm":
            return made
        seat = table.seats[viewer]
        reader = replace(made.reader, reply_to=self._mail.reply_to(seat.token), tag=self._mail.tag(seat))
        return replace(made, reader=reader, form_code=self._mail.form_code(table, seat))

    def _told_of_forum(self, table: Table) -> tuple[str, ...]:
        thread = forum_threads.thread_of(self.conn, table.id)
        if thread is None:
            return ()
        where = say("forum-told.where", forum=thread.forum, url=thread.url)
        if names_hidden(table):
            return (where, say("forum-told.by-mail"))
        return (where, say("forum-told.by-hand" if self.settings.is_by_hand(thread.forum) else "forum-told.by-post"))

    def position_after(self, table: Table, turn: int) -> Position:
        position = self.position(table, "public", games.events_of_turn(self.conn, table.id, turn))
        before = _public(games.events_of_turn(self.conn, table.id, turn - 1))
        head = RecordHead(record_parts.head_after(self.conn, table, turn))
        return replace(position, background=before, record=head, race=_race(table.play, position))

    def since(self, table: Table, position: Position, drawn: int) -> Position:
        """Return the position with all news since the player's last picture, which showed ``drawn`` events. If the
        player has had no picture, return the position unchanged."""
        if not drawn:
            return position
        happened = games.events_of(self.conn, table.id, min(drawn, table.events))
        return replace(position, news=self.position(table, "public", happened).news)

    def _with_board(
        self, rendered: Rendering, position: Position, table: Table, seat: Seat, *, asked_for: bool = False
    ) -> Rendering:
        """Attach the picture of the board if this seat's last picture showed a different position, or if the player
        asks for one.

        Otherwise the board is described in words. A requested picture does not count as the last one, so the next
        letter still shows all changes since the picture before it.
        """
        if position.ended:
            position = self.since(table, position.ended, seat.drawn)
        here = board_digest(position.view)
        if not asked_for:
            seat.drawn = table.events
        if seat.board == here and not asked_for:
            return rendered
        seat.board = here
        return letters.with_picture(rendered, position, Look.of(seat.pictures))

    def _endings(self, table: Table, ended: Position) -> None:
        told, packed = _record(self.conn, table)
        attached = (Attachment(told.file, packed),)
        past = _public(games.events_of(self.conn, table.id))
        for seat in table.seats.values():
            position = self.position(table, seat.faction, table.recent)
            position = replace(position, background=past, record=told, ended=ended, again=self._again(table, seat))
            rendered = self._with_board(letters.end_of_game(position), position, table, seat)
            self._mail.post(table, seat, SeatLetter(rendered, attached=attached))
            seat.told, seat.digest_due = table.events, None

    def _again(self, table: Table, seat: Seat) -> str:
        """Return a prepared mail that asks for another game with the same people, or "" if such a game cannot be
        offered."""
        people_here = [each for each in table.seats.values() if "@" in each.address]
        if self.settings.lobby.who == "nobody" or len(people_here) < 2 or tournament_of(self.conn, table.id):
            return ""
        token, line = lobby_token(self.settings, seat.address), f"rematch {table.id}"
        subject = say("subject.order", game=table.id, order=line)
        plus = self.settings.mentat.plus_addressing
        return reply_link(self._mail.reply_to(token), subject if plus else tagged_subject(subject, token), (line,))


def _record(conn: Connection, table: Table) -> tuple[RecordHead, bytes]:
    try:
        lines = record_lines(conn, table.id) if table.head else b""
    except NotARecord:  # the record is damaged, but the log still proves the game
        lines = b""
    if not lines:
        return RecordHead(file=f"{table.id}.json.gz"), full_record(conn, table.id).packed()
    digest = hashlib.sha256(lines).hexdigest()
    return RecordHead(table.head, f"{table.id}.jsonl.gz", digest), gzip.compress(lines, mtime=0)


def _told_of_press(table: Table) -> tuple[str, ...]:
    settings = settings_of(table)
    with speaking(table.play.game.rules.edition):
        return () if settings == OPEN_PRESS else tuple(press_paragraphs(settings))


def _has_read(table: Table, seat: Seat, news: bool = True) -> None:
    if news:
        seat.told, seat.digest_due = table.events, None
    if sheet := table.sheets.get(seat.faction):
        sheet.told()


def _waits(table: Table, seat: Seat, now: datetime) -> None:
    if seat.letters_mode == "daily" and seat.digest_due is None:
        seat.digest_due = next_digest(seat, now)
        table.touched.add(seat.faction)


def _public(happened: Iterable[Event]) -> tuple[News, ...]:
    return tuple(
        News(event.turn, event.phase, event.kind, event.facts, {}) for event in happened if event.visible_to("public")
    )


def _race(play: Play, ended: Position) -> tuple[Party, ...]:
    told = [event.facts["held"] for event in ended.news if event.kind == "strongholds"]
    none = dict.fromkeys(play.state.players, ())
    held = {**none, **told[-1]} if told else strongholds_held(play.game)
    parties = itertools.starmap(Party, race(play.game, held))
    return tuple(sorted(parties, key=lambda party: (party.needs - party.holds, party.needs)))


def rules_of(play: Play) -> dict[str, Any]:
    game, two = play.game, tuple(play.state.players)[:2]
    allied = needed(game, two) if len(two) > 1 and largest_alliance(game) > 1 else 0
    return {**game.rules.options, "alone": needed(game, two[:1]), "allied": allied, "last": last_turn(game)}


def seats_with_private_news(table: Table) -> set[Faction]:
    told = {faction: seat.told for faction, seat in table.seats.items()}
    return {
        faction
        for event in table.recent
        if event.kind in ("deal-due", "shown") or (event.kind == "deal-ended" and event.facts["how"] == "broken")
        for faction in event.facts.get("to", event.audience or ())
        if faction in told and event.number >= told[faction]
    }
