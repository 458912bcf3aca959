"""The game master's words at a table: announcements, questions, rulings and notes; and the limits on what players write
to each other.

Press settings are chosen when a game begins, and can only become stricter after that. The press of a muted seat goes
only to the game master's desk until the seat is unmuted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.desk.powers import DeskRequest, PowerInUse, PowerRefused, spoken_words, using
from bot.desk.seats import require_seat
from bot.games.notices import FromSeat, own_words, tell_asker
from bot.games.open_games import Session
from bot.games.seat_mail import DESK_LETTER
from bot.language.commands import MailCommand, Rules
from bot.mail.identity import is_one_address
from bot.press import PressRefused, PressSettings, read_press, require_stricter
from bot.render.letters import press_paragraphs
from bot.render.material import CommandAnswer
from bot.store import acts, desk
from bot.store import press as store
from bot.store.database import Connection
from bot.store.desk import MasterRuling, Note
from bot.store.tournament_rounds import tournament_of
from bot.table.press import names_hidden, said_at, settings_of
from bot.table.table import Table
from bot.wording import say
from bot.wording.filters import speaking
from rules.components import FACTION_FACTS, Faction, as_faction, the_faction
from rules.rulesets.rulebook import clause as find_clause
from rules.rulesets.rulebook import rule_of


def tell(request: DeskRequest, factions: Sequence[Faction], words: str) -> None:
    words = _checked_words(words)
    with using(request, "tell") as used:
        for faction in factions:
            require_seat(used.table, faction)
        used.words = f"{', '.join(factions) or 'the table'}: {words}"
        for faction in factions or used.table.seats:
            paragraphs = [say("desk.told-one" if factions else "desk.told-all"), *_lines(words)]
            paragraphs.append(say("desk.told-how"))
            subject = say("desk.told-subject")
            used.session.writer.notify(used.table, faction, subject, paragraphs, named=DESK_LETTER)


def ask(request: DeskRequest, faction: Faction, words: str) -> None:
    """Ask a player a question. The answer to that letter goes to the desk and has no effect in the game. Raise
    PowerRefused if the text is empty or too long, or if nobody plays that faction."""
    words = _checked_words(words)
    with using(request, "ask") as used:
        seat = require_seat(used.table, faction)
        used.words = f"{faction}: {words}"
        paragraphs = [say("desk.asked"), *_lines(words), say("desk.asked-how")]
        used.session.writer.notify(used.table, faction, say("desk.asked-subject"), paragraphs, named=DESK_LETTER)
        seat.asked_by_desk = seat.last_message_id
        used.table.touched.add(faction)


def rule(request: DeskRequest, words: str, clause: str = "") -> int:
    """Make a ruling where the rules are silent. Return the number of the ruling.

    The table is told, and everybody can read the ruling with ``rules rulings``. Other tables of the same tournament can
    read it once this game is over. Raise PowerRefused if the text is empty or too long, or if there is no such clause.
    """
    words = _checked_words(words)
    if clause and not rule_of(clause):
        raise PowerRefused(f"There is no clause {clause!r}; `mentat rule WORD` finds it.")
    with using(request, "rule") as used:
        conn, table = used.conn, used.table
        used.words = f"{f'{clause}: ' if clause else ''}{words}"
        number = desk.keep_ruling(
            conn, MasterRuling(request.game, tournament_of(conn, request.game), words, clause, request.now)
        )
        told = [say("desk.ruled", clause=clause), *_lines(words), say("desk.ruled-how")]
        used.session.writer.announce(table, say("desk.ruled-subject"), told)
        return number


def strange_clause(table: Table, clause: str) -> str:
    """If a clause does not belong to the rule set of the game, return what to tell the game master about it; else
    return ""."""
    found = find_clause(clause) if rule_of(clause) else None
    if found is None or table.play.game.rules.standing.includes(found):
        return ""
    return say("desk.ruled-elsewhere", clause=clause, ruleset=table.ruleset)


def note(request: DeskRequest, words: str, *, about: str = "", successor: bool = False) -> int:
    """Keep a private note about a game, one of its seats, or a person, named by their address. Return the number of the
    note.

    The act log records that there was a note, but not its text. Raise PowerRefused if the text is empty or too long, or
    if ``about`` names nobody.
    """
    words, about = _checked_words(words), about.strip().lower()
    with using(request, "note") as used:
        if about in FACTION_FACTS:
            require_seat(used.table, as_faction(about))
        elif about and not is_one_address(about):
            raise PowerRefused(f"{about!r} is neither a seat nor an address.")
        return desk.keep_note(used.conn, Note(request.game, about, words, request.use.by, request.now, successor))


def forget_note(request: DeskRequest, number: int) -> None:
    with using(request, "note") as used:
        if not desk.forget_note(used.conn, request.game, number):
            raise PowerRefused(f"{request.game} has no note {number}.")
        used.words = "deleted"


def answers_the_desk(table: Table, faction: Faction, in_reply_to: Collection[str]) -> bool:
    return table.seats[faction].asked_by_desk in in_reply_to


def take_desk_answer(session: Session, table: Table, faction: Faction, words: str) -> bool:
    """Pass a player's answer on to the person who asked, and to nobody else. Return whether anybody at the desk may
    read it."""
    seat = table.seats[faction]
    asked = [
        act
        for act in acts.acts_of(session.conn, game_id=table.id)
        if act.what == "ask" and act.words.startswith(f"{faction}:")
    ]
    asker = (asked[-1].who if asked else "") or session.settings.mentat.game_master
    address = "" if names_hidden(table) else seat.address
    told = say("desk.answer", faction=faction, game=table.id, address=address, words=words)
    subject = say("desk.answer-subject", faction=faction, game=table.id)
    answer = FromSeat(faction, subject, told, f"{seat.asked_by_desk}.answer")
    passed = tell_asker(session, table, asker, answer)
    seat.asked_by_desk = ""
    table.touched.add(faction)
    return passed


def answer_about_rulings(conn: Connection, table: Table, command: MailCommand) -> CommandAnswer | None:
    if not isinstance(command, Rules) or command.word.strip().lower() not in ("rulings", "ruling"):
        return None
    found = desk.rulings_in(conn, table.id, tournament_of(conn, table.id))
    told = [
        say("desk.ruling", words=each.words, clause=each.clause, day=f"{each.at:%Y-%m-%d %H:%M} UTC") for each in found
    ]
    return CommandAnswer("done", "\n".join(told) or say("desk.no-rulings"))


def _checked_words(words: str) -> str:
    said = spoken_words(words)
    if not said:
        raise PowerRefused("The message is empty; write what you want to say.")
    return said


def _lines(words: str) -> list[str]:
    return [line for line in words.splitlines() if line.strip()]


def restrict_press(request: DeskRequest, wanted: str) -> PressSettings:
    """Restrict how the players of a game write to each other, and tell them. Raise PowerRefused if ``wanted`` cannot be
    read, or if it allows something that was forbidden. Raise UnknownGame if there is no game with this id."""
    with using(request, "press") as used:
        table, before = used.table, settings_of(used.table)
        try:
            after = read_press(wanted)
            after = after if after.slots is not None else replace(after, slots=before.slots)
            require_stricter(before, after)
        except PressRefused as refused:
            raise PowerRefused(str(refused)) from None
        if after == before:
            raise PowerRefused(f"The press of {request.game} is already {before.words}.")
        table.press = said_at(table).after(after.words)
        used.words = f"{before.words} to {after.words}"
        with speaking(table.play.game.rules.edition):
            said = [
                say("press-told.changed"),
                *press_paragraphs(after),
                say("press-told.old-ones"),
                *own_words(request.use.tell),
            ]
            used.session.writer.announce(table, say("press-told.subject"), said)
    return after


def mute(request: DeskRequest, faction: Faction) -> None:
    """Stop passing on a seat's press. Tell the seat and the table, without the reason. Where press is unsigned, tell
    only the seat; otherwise everybody would know whose letters have stopped. Raise PowerRefused if the seat is already
    muted or nobody plays that faction, and UnknownGame if there is no game with this id."""
    with using(request, "mute") as used:
        require_seat(used.table, faction)
        if store.is_muted(used.conn, request.game, faction):
            raise PowerRefused(f"In {request.game}, the seat of {the_faction(faction)} is already muted.")
        store.mute(used.conn, request.game, faction, request.now)
        used.words = faction
        _tell_of_muting(used, faction, muted=True)


def unmute(request: DeskRequest, faction: Faction) -> None:
    with using(request, "unmute") as used:
        require_seat(used.table, faction)
        if not store.unmute(used.conn, request.game, faction):
            raise PowerRefused(f"In {request.game}, the seat of {the_faction(faction)} is not muted.")
        used.words = faction
        _tell_of_muting(used, faction, muted=False)


def _tell_of_muting(used: PowerInUse, faction: Faction, *, muted: bool) -> None:
    table, told = used.table, own_words(used.use.tell)
    with speaking(table.play.game.rules.edition):
        for seat in (faction,) if settings_of(table).unsigned else table.seats:
            own = "own" if seat == faction else "other"
            words = say(f"muted.{own}" if muted else f"unmuted.{own}", faction=faction)
            used.session.writer.notify(table, seat, say("muted.subject"), [words, *told])
