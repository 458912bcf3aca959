"""Notices to a whole table, to the desk of a game, and to the game master of this Mentat.

Their sentences are in ``templates/letters/clocks.toml`` and ``notices.toml``. A notice to a table says the same to all
its readers, with times in each reader's own time zone. Individual seats may get a different wording.

The desk of a game consists of its directors and arbiters, and those of its tournament. A person who plays at the table,
or at another table of the tournament, gets no desk notices and does not judge between its players.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from bot.config.time_zones import zone_named
from bot.config.values import ArchivePolicy
from bot.games.identity import MailOutcome, warn_owners
from bot.games.letter_writer import LetterWriter, Matter
from bot.games.open_games import Session
from bot.mail.disposition import Examined
from bot.mail.identity import mailbox_of
from bot.mail.mailbox import StuckMail
from bot.render.letters import shown_after_the_end, shown_while_running
from bot.store import acts, mail, people, publication, tournament_rounds
from bot.store.acts import DIRECTORS, JUDGES, RIGHTS
from bot.store.database import Connection
from bot.store.people import SeatName, persons_at
from bot.store.publication import place_of
from bot.table.calendar import stamp
from bot.table.press import names_hidden
from bot.table.table import Seat, Table
from bot.wording import clock_of, deadline, moment, say
from rules.components import Faction, faction_name


def announce(
    session: Session, table: Table, subject: str, text: Callable[[Seat], str], but_not: Collection[Faction] = ()
) -> None:
    for faction, seat in table.seats.items():
        if faction not in but_not:
            session.writer.notify(table, faction, subject, [text(seat)])


def same_words(text: str) -> Callable[[Seat], str]:
    return lambda _: text


def announce_caretaker(session: Session, table: Table, factions: Collection[Faction]) -> None:
    for faction in factions:
        missed = table.seats[faction].missed
        told = say("caretaker.notice", faction=faction, missed=missed, how=table.seats[faction].opponent)
        announce(session, table, say("caretaker.subject", faction=faction), same_words(told))
        for_game_master = say(
            "caretaker.game-master",
            faction=faction,
            game=table.id,
            address=table.seats[faction].address,
            another=another_player(session.conn, table.id, faction),
        )
        subject = f"{table.id}: {say('caretaker.subject', faction=faction)}"
        cause = f"{table.id}.{faction}.{table.seats[faction].letters}"
        lines = (f"caretaker {faction} off", f"more {faction}")
        matter = Matter(table.id, faction, subject, [for_game_master], lines, cause)
        session.writer.tell_master_of(matter)


def announce_return(session: Session, table: Table, faction: Faction) -> None:
    told = say("caretaker.back", faction=faction)
    announce(session, table, say("caretaker.back-subject", faction=faction), same_words(told), (faction,))


LostTimeCause = Literal["mailbox", "canary", "service", "silence"]


def tell_clock_notice(writer: LetterWriter, table: Table, what: str, told: str = "", **facts: Any) -> None:
    """Write the same notice to everybody at a table; ``told`` is the game master's own addition."""
    writer.announce(table, say(f"{what}.subject"), [say(f"{what}.notice", **facts), *own_words(told)])


def own_words(told: str) -> list[str]:
    return [say("desk.own-words", words=told)] if told else []


def tell_new_deadline(writer: LetterWriter, table: Table, what: str, *before: str, told: str = "") -> None:
    """Tell everybody at a table, in their own time zone, the new deadline of the publicly open questions. ``what``
    names the template. The paragraphs in ``before`` come first; the game master's own words, ``told``, come last. In an
    anonymous game the notice gives no deadline, because the deadline may reveal an absence or a time bank."""
    hidden = names_hidden(table)
    asked = (q for q in table.play.asked() if (q.public and not hidden) or q.blanket)
    dues = [due for q in asked if (due := table.due(q)) and due > writer.now]
    for faction, seat in table.seats.items():
        said = list(before)
        if dues:
            said.append(say(f"{what}.open", by=deadline(max(dues), writer.now, zone_named(seat.timezone))))
        elif not said:
            said.append(say(f"{what}.unknown"))
        writer.notify(table, faction, say(f"{what}.subject"), [*said, *own_words(told)])


def tell_time_given_back(writer: LetterWriter, cause: LostTimeCause, games: Sequence[str], since: datetime) -> None:
    """Tell the game master, and everybody in these games (one mail per person), that lost time is given back. Each loss
    is announced only once, however often this function is called."""
    if not games:
        return
    name = f"{cause}.{stamp(since)}"
    for address, (zone, own) in persons_at(writer.conn, games).items():
        facts = {"since": _instant(since, zone), "back": _instant(writer.now, zone)}
        told = [say(f"outage.{cause}", **facts), say("outage.games", games=own)]
        writer.tell(address, say("outage.subject"), told, f"{name}.{_digest(address)}")
    zone = writer.settings.mentat.timezone
    told = [
        say(f"outage.{cause}", since=_instant(since, zone), back=_instant(writer.now, zone)),
        say("outage.game-master", games=len(games)),
    ]
    lines = ["all: waits", "all: extend 12"] if len(games) > 1 else _for_each(games, "waits")
    lines += _for_each(games, "extend 12")
    writer.tell_master_of(Matter("", "", say("outage.subject"), told, lines, name))


MOST_READY = 3  # how many games get a ready-made line


def _for_each(games: Sequence[str], line: str) -> list[str]:
    return [f"{game}: {line}" for game in games[:MOST_READY]]


def tell_mass_silence(writer: LetterWriter, persons: int, since: datetime, games: Sequence[str]) -> None:
    mentat = writer.settings.mentat
    told = [
        say("silence.notice", persons=persons, since=_instant(since, mentat.timezone)),
        say(
            "silence.advice",
            address=mentat.address,
            games=games[:MOST_READY],
            hours=writer.settings.clock.silence_hours,
        ),
    ]
    lines = ["all: resume", *_for_each(games, "resume")]
    writer.tell_master_of(Matter("", "", say("silence.subject"), told, lines, f"silence.{stamp(writer.now)}"))


def tell_withheld_mail(writer: LetterWriter, stuck: StuckMail, games: Sequence[str]) -> None:
    mentat = writer.settings.mentat
    since = _instant(stuck.since or writer.now, mentat.timezone)
    told = [
        say("withheld.notice", size=stuck.size, sender=stuck.sender, since=since, why=stuck.why),
        say("withheld.games", games=games),
        say("withheld.advice"),
        say("withheld.by-hand", address=mentat.address, games=games[:MOST_READY]),
    ]
    lines = _for_each(games, "resume")
    writer.tell_master_of(Matter("", "", say("withheld.subject"), told, lines, f"withheld.{stuck.key}.{since}"))


def tell_unmoved_mail(writer: LetterWriter, stuck: StuckMail) -> None:
    box = writer.settings.mailbox
    told = [
        say("unmoved.notice", address=writer.settings.mentat.address, folder=stuck.folder),
        say("unmoved.why", why=stuck.why),
        say("unmoved.advice", processed=box.processed, shunted=box.shunted),
    ]
    writer.tell_game_master(say("unmoved.subject"), told, f"unmoved.{stuck.key}.{stuck.since}")


def tell_clocks_after_withheld_mail(writer: LetterWriter, table: Table, since: datetime) -> None:
    words = say("withheld.players", since=_instant(since, writer.settings.mentat.timezone))
    tell_new_deadline(writer, table, "resume", words)


def tell_clock_jump(writer: LetterWriter, seconds: float) -> None:
    minutes = round(abs(seconds) / 60)
    told = [say("jump.notice", minutes=minutes, way="forward" if seconds > 0 else "back"), say("jump.advice")]
    writer.tell_game_master(say("jump.subject"), told, f"jump.{stamp(writer.now)}")


def _instant(instant: datetime, zone: ZoneInfo) -> str:
    return f"{moment(instant, zone)} {clock_of(zone)}"


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()[:16]


def tell_archive_policy(session: Session, table: Table, policy: ArchivePolicy) -> None:
    shown = f"{shown_while_running(policy)} {shown_after_the_end(policy)}"
    paragraphs = [say("archive-told.changed"), shown, say("archive-told.licence")]
    session.writer.announce(table, say("archive-told.changed-subject"), paragraphs)


@dataclass(frozen=True, slots=True)
class AtTheDesk:
    """A person at the desk of a game. Their answers come back with the ``token``, which is "" if they need none."""

    address: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class FromSeat:
    """A message or request from a seat to be passed on to the desk. ``cause`` distinguishes the letters about it from
    all others; ``ready`` are the lines that would grant the request."""

    by: Faction
    subject: str
    told: str
    cause: str
    ready: Sequence[str] = ()


def arbiters_of(writer: LetterWriter, table: Table) -> list[AtTheDesk]:
    return _at_the_desk(writer, table, JUDGES)


def directors_of(writer: LetterWriter, table: Table) -> list[AtTheDesk]:
    return _at_the_desk(writer, table, DIRECTORS)


def tell_directors(session: Session, table: Table, said: FromSeat) -> bool:
    """Send a seat's message to all directors of its game; their answers are commands to the desk of that game. If every
    director plays in the game, write nothing and return False."""
    found = directors_of(session.writer, table)
    _tell_desk(session, table, found, said)
    return bool(found)


def tell_asker(session: Session, table: Table, asker: str, said: FromSeat) -> bool:
    """Send a seat's answer to the person at the desk who asked the question, or to all directors if that person no
    longer has the right."""
    found = [each for each in _at_the_desk(session.writer, table, RIGHTS) if each.address == asker.lower()]
    found = found or directors_of(session.writer, table)
    _tell_desk(session, table, found, said)
    return bool(found)


def _tell_desk(session: Session, table: Table, to: Sequence[AtTheDesk], said: FromSeat) -> None:
    for each in to:
        how = [say("asks.how", game=table.id, by=said.by)]
        lines = (*said.ready, f"tell {said.by}: WORDS", f"more {said.by}", "waits")
        matter = Matter(table.id, said.by, said.subject, [said.told, *how], lines, f"{said.cause}.{each.address}")
        session.writer.tell_of(each.address, matter, each.token)


def _at_the_desk(writer: LetterWriter, table: Table, rights: Collection[str]) -> list[AtTheDesk]:
    conn = writer.conn

    def reads(right: str, address: str) -> bool:
        return right in rights and (right == "clerk" or not publication.waits_for_round(conn, table.id, address))

    of_game = acts.rights_of(conn, game_id=table.id)
    found = [AtTheDesk(each.address, each.token) for each in of_game if reads(each.right, each.address)]
    found.append(AtTheDesk(writer.settings.mentat.game_master))
    if seated := tournament_rounds.table_of_game(conn, table.id):
        organisers = acts.rights_of(conn, tournament_id=seated.tournament_id)
        found += [AtTheDesk(each.address) for each in organisers if reads(each.right, each.address)]
    at_the_table = [address for seat in table.seats.values() for address in (seat.address, seat.sitter) if address]
    apart = writer.settings.identity.tags_apart
    seen = {mark for address in at_the_table for mark in people.identifiers(conn, address, tags_apart=apart)}
    kept: list[AtTheDesk] = []
    for each in sorted(found, key=lambda each: each.address != writer.settings.mentat.game_master):
        own = people.identifiers(conn, each.address, tags_apart=apart)
        if seen.isdisjoint(own):
            kept.append(each)
            seen |= own
    return kept


NOTICES_PER_HOUR = 20
NOTICES_OF_ONE_SENDER = 5
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class PutAside:
    """A message in quarantine: the reason, its key in the mailbox and its number in the database. ``game`` is the game
    for which the message would count if the game master vouched for it; it is "" if the game master cannot do so."""

    reason: str
    key: str
    number: int
    game: str = ""


def report_rejected_message(writer: LetterWriter, seen: Examined, aside: PutAside) -> None:
    """Report a quarantined message to the game master. Its sender gets no answer. If many such messages arrive, only a
    few are reported."""
    incoming, reason, number, game = seen.incoming, aside.reason, aside.number, aside.game
    notices = mail.notices_since(writer.conn, writer.settings.mentat.game_master, writer.now - HOUR)
    of_this = mail.rejected_since(writer.conn, incoming.sender, writer.now - HOUR) if incoming else 1  # with this one
    if notices >= NOTICES_PER_HOUR or of_this > NOTICES_OF_ONE_SENDER:
        return
    told = [say("put-aside.game-master", whose=_whose(seen), reason=reason), say("put-aside.not-answered")]
    if incoming and incoming.date:
        zone = writer.settings.mentat.timezone
        times = {"written": _instant(incoming.date, zone), "read": _instant(writer.now, zone)}
        told.append(say("put-aside.when", number=number, **times))
    told += [say("put-aside.believe", game=game, number=number)] if game else []
    master = writer.settings.mentat.game_master
    if reason == mail.OF_NOBODY and incoming and mailbox_of(incoming.sender) == mailbox_of(master):
        told.append(say("put-aside.yours"))
    elif reason == mail.OF_NOBODY and incoming and (known := _known_sender(writer, incoming.sender)):
        plays = people.seats_at_addresses(writer.conn, people.known_as(writer.conn, incoming.sender))
        words = [line for section in seen.reading.sections for line in section.lines if line.strip()]
        told += [known, *([] if plays else words[:MOST_WORDS])]  # the game master must not see a player's orders
    elif reason == mail.OF_NOBODY and incoming and incoming.sender and not game:
        told.append(say("put-aside.stranger", sender=incoming.sender))
    else:
        told.append(say("put-aside.advice"))
    if notices == NOTICES_PER_HOUR - 1 or of_this == NOTICES_OF_ONE_SENDER:
        told.append(say("put-aside.last"))
    lines = (*([f"{game}: believe {number}"] if game else []), f"mail {number}")
    writer.tell_master_of(Matter("", "", say("put-aside.subject"), told, lines, aside.key))


MOST_WORDS = 30


def _known_sender(writer: LetterWriter, sender: str) -> str:
    """Return a sentence about the sender of a mail that is not a reply to any of our letters, or "" if the address is
    unknown. A sender who has a right at a game's desk is also told how to write to that desk."""
    conn, apart = writer.conn, writer.settings.identity.tags_apart
    if people.standing_ban(conn, sender, writer.now, tags_apart=apart):
        return say("put-aside.banned", sender=sender)
    if rights := acts.rights_of_person(conn, sender):
        right = rights[0]
        cause = f"no-letter.{sender}.{writer.now.date().isoformat()}"
        how = [say("put-aside.helper-how", game=right.game_id)]
        writer.tell(right.address, say("put-aside.helper-subject", game=right.game_id), how, cause, right.token)
        return say("put-aside.helper", sender=sender, right=right.right, game=right.game_id)
    plays = people.seats_at_addresses(conn, people.known_as(conn, sender))
    return say("put-aside.player", sender=sender) if plays else ""


def report_lines_for_others(
    session: Session, game_id: str, faction: Faction, aimed_at: Iterable[SeatName], key: str
) -> None:
    for other_game, other in dict.fromkeys(aimed_at):
        seat = f"{faction_name(other)} in {other_game}"
        told = say("suspicion.game-master", game=game_id, faction=faction, seat=seat)
        subject = say("suspicion.game-master-subject", game=game_id)
        lines, cause = (f"more {faction}", f"ask {faction}: WORDS"), f"{key}.{other_game}.{other}"
        session.writer.tell_master_of(Matter(game_id, faction, subject, [told], lines, cause))
    warn_owners(session, aimed_at)


def report_message_read_again(writer: LetterWriter, outcome: MailOutcome, seen: Examined, key: str) -> None:
    facts = {"game": outcome.game_id, "faction": outcome.faction, "taken": outcome.taken}
    told = say("put-aside.read-again", whose=_whose(seen), **facts)
    writer.tell_game_master(say("put-aside.read-again-subject"), [told], f"again.{key}")


def _whose(seen: Examined) -> str:
    incoming = seen.incoming
    if incoming is None:
        return say("put-aside.unreadable-sender")
    return say("put-aside.whose", sender=incoming.sender, about=incoming.subject[:80])


def warn_of_too_many_messages(writer: LetterWriter, table: Table, seat: Seat) -> None:
    told = [say("too-many-mails.notice", most=writer.settings.limits.answers_per_hour)]
    writer.notify(table, seat.faction, say("too-many-mails.subject"), told)


def report_message_fault(writer: LetterWriter, key: str, fault: Exception) -> None:
    told = [
        say("message-fault.game-master"),
        say("message-fault.fault", fault=repr(fault)),
        say("message-fault.advice"),
    ]
    writer.tell_game_master(say("message-fault.subject"), told, key)


def report_game_fault(writer: LetterWriter, game_id: str, fault: Exception) -> None:
    told = [say("game-fault.game-master", game=game_id, fault=repr(fault)), say("game-fault.advice")]
    subject, lines = say("game-fault.subject", game=game_id), ("waits", "acts")
    writer.tell_master_of(Matter(game_id, "", subject, told, lines, f"{game_id}.{fault!r}"))


def report_unanswered_truthtrances(writer: LetterWriter, table: Table) -> None:
    """Report each Truthtrance question that was answered by default although only its player knows the answer. The game
    master can ask that player."""
    news = (event for event in table.play.events if event.number >= table.events)
    for event in news:
        if event.kind == "truthtrance-answered" and event.facts["answer"] == "no answer":
            asker, target = event.facts["faction"], event.facts["target"]
            told = [
                say("truthtrance-silence.game-master", game=table.id, target=target, asker=asker),
                say("truthtrance-silence.question", question=event.facts["question"]),
                say("truthtrance-silence.advice"),
            ]
            subject, lines = say("truthtrance-silence.subject", game=table.id), (f"ask {target}: WORDS",)
            matter = Matter(table.id, target, subject, told, lines, f"{table.id}.{event.number}")
            writer.tell_master_of(matter)


def report_held_game(writer: LetterWriter, game_id: str, difference: str, installed: str) -> str:
    """Report a game that would have gone differently under the installed rules. Return the sentence for the log, which
    leaves out the difference, because the difference may be a secret."""
    told, advice = say("held-game.game-master", game=game_id), say("held-game.advice")
    subject = say("held-game.subject", game=game_id)
    lines = ("log", "show", "acts")
    writer.tell_master_of(Matter(game_id, "", subject, [told, difference, advice], lines, f"{game_id}.{installed}"))
    return told


def report_lost_letter(writer: LetterWriter, letter: mail.Letter, why: str) -> None:
    mentat = writer.settings.mentat
    if letter.recipient in (mentat.game_master, mentat.address) and letter.game_id is None:
        return  # there is nobody else to tell; the canary reports rejected mail from Mentat to itself
    told = [
        say("lost-letter.game-master", about=letter.subject, address=letter.recipient, why=why),
        say("lost-letter.advice"),
    ]
    seat = letter.faction or ""
    lines = (f"resend {seat}", f"address {seat} ADDRESS", f"more {seat}") if seat else ()
    game = letter.game_id or ""
    writer.tell_master_of(Matter(game, seat, say("lost-letter.subject"), told, lines, letter.message_id))


def report_failing_forum(writer: LetterWriter, forum: str, why: str, since: datetime) -> None:
    told = [say("forum-fails.game-master", forum=forum, why=why), say("forum-fails.costs-nobody", forum=forum)]
    writer.tell_game_master(say("forum-fails.subject", forum=forum), told, f"forum.{forum}.{since.isoformat()}")


def another_player(conn: Connection, game_id: str, faction: Faction, *, shell: bool = False) -> str:
    """Return a sentence on how to give a seat to somebody else: by mail or, with ``shell``, by a shell command."""
    place = place_of(conn, game_id)
    if place is None:
        return say("substitute.command", game=game_id, faction=faction, shell=shell)
    table = f"{place.round}.{place.table}"
    facts = {"tournament": place.tournament, "table": table, "faction": faction, "shell": shell}
    return say("substitute.command-in-tournament", **facts)
