"""The game master's powers over clocks: stop, resume, extend or change them, cut a duty short, or end the game.

Everybody at the table is told, in fixed words that name nobody; only the game master and the archive see the reason.

A default may be applied early: to all duties whose announced deadline has passed, or to a single duty at once. Only a
question that everybody knows about can be cut short. A reaction cannot, because the length of the wait would show
whether somebody has a card. The duty ends as if its player had stayed silent; any sheet lines that apply to it have
already acted.

The game master can end a game before its rules would end it. Either the game master announces a last turn, which
follows the rules for last turns, or the game ends at once: by consent of all seats, by adjudication on the public
board, or without a winner. Both kinds of end are entries in the game's log, so they are replayed and can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from bot.config.time_zones import write_zone, zone_named
from bot.config.values import ArchivePolicy
from bot.desk.powers import DeskRequest, PowerInUse, PowerRefused, using
from bot.desk.seats import require_seat
from bot.games import notices
from bot.games.notices import own_words, tell_archive_policy
from bot.games.open_games import OpenGames, Session, acts_of
from bot.render.questions import duty
from bot.store import deadlines, games, record
from bot.store.acts import DeskAct
from bot.table import rounds
from bot.table.clock import shown_settings
from bot.table.deadlines import note_missed, open_duties
from bot.table.deputy import expire
from bot.table.press import names_hidden
from bot.table.rounds import go_on, is_duty
from bot.table.table import Place, Table, TableBefore, place_of
from bot.wording import deadline, say
from bot.wording.filters import speaking
from rules.components import Faction, as_faction, faction_name, the_faction
from rules.decisions.question import Question

MOST_HOURS = 8_760
"""The maximum number of hours that can be given at once: one year."""
PAUSE, SILENCE, WITHHELD, HOLD = "pause", "silence", "withheld", "hold"
"""The reasons why a game's clocks are stopped: a pause by its game master, a mass silence, a mail that the mail server
does not deliver, or a hold."""


def pause(request: DeskRequest) -> None:
    with using(request, "pause") as used:
        if used.table.stopped_why == PAUSE:
            raise PowerRefused(f"{request.game} is already paused; `mentat game resume {request.game}` resumes it.")
        pause_now(used.session, used.table, request.use.tell)


def pause_now(session: Session, table: Table, tell: str = "") -> None:
    table.stopped_at, table.stopped_why = table.stopped_at or session.now, PAUSE
    notices.tell_clock_notice(session.writer, table, "pause", tell)


def hold(request: DeskRequest) -> None:
    """Put a game on hold: orders are accepted and answered, but nothing is resolved until the game is released
    (``Moderator.release``). Raise PowerRefused if the game is already on hold, or over."""
    with using(request, "hold") as used:
        table = used.table
        if table.on_hold:
            raise PowerRefused(f"{request.game} is already on hold; `mentat game release {request.game}` releases it.")
        table.on_hold = request.now
        if not table.stopped_at:
            table.stopped_at, table.stopped_why = request.now, HOLD
        notices.tell_clock_notice(used.session.writer, table, "hold", request.use.tell)


def resume(request: DeskRequest) -> None:
    """Restart the clocks of a game. Open questions have as much time left as when the clocks stopped. Raise
    PowerRefused if the clocks are running."""
    with using(request, "resume") as used:
        table = used.table
        if table.on_hold:
            raise PowerRefused(f"{request.game} is on hold; `mentat game release {request.game}` releases it.")
        if not table.stopped_at:
            raise PowerRefused(
                f"The clocks of {request.game} are not stopped; `mentat game pause {request.game}` stops them."
            )
        resume_now(used.session, table, request.use.tell)


def resume_now(session: Session, table: Table, tell: str = "") -> None:
    give_time_back(session, table)
    words = say("resume.notice")
    notices.tell_new_deadline(session.writer, table, "resume", words, told=tell)


def resume_automatically(session: Session, table: Table, why: str) -> None:
    give_time_back(session, table)
    record.note_act(session.conn, table, "resume", why, session.now)


def give_time_back(session: Session, table: Table) -> None:
    if since := table.stopped_at:
        clock = session.games.clock(table)
        deadlines.give_back(session.conn, table, clock, since, session.now)
        if table.call_due and table.call_due > since:
            table.call_due = clock.later(table.call_due, since, session.now)
    table.stopped_at, table.stopped_why = None, ""


def extend(request: DeskRequest, hours: float, faction: Faction | None = None) -> None:
    with using(request, "extend") as used:
        conn, table, used.words = used.conn, used.table, f"{faction or ''} {hours:g} h".strip()
        if not (places := places_given(table, faction)):
            raise PowerRefused(say("desk.no-deadline", game=request.game, faction=faction or ""))
        clock = request.games.clock(table)
        deadlines.extend(conn, table, places, hours, clock)
        if faction:
            _tell_of_seat(used, faction, places, "extend-seat")
        else:
            rounds.extend_call(table, hours, clock)
            notices.tell_new_deadline(used.session.writer, table, "extend", told=request.use.tell)


def places_given(table: Table, faction: Faction | None, asked_by: datetime | None = None) -> list[Place]:
    """Return the open deadlines that an extension moves. Without a faction, these are all open deadlines; for a single
    seat, only those of its public duties."""
    stop = [place for place in table.deadlines if place[0] == table.play.stop_name]
    places = open_duties(table, (require_seat(table, faction).faction,)) if faction else stop
    since = ((place, table.deadlines[place].asked_at) for place in places)
    return [place for place, asked in since if not (asked and asked_by and asked > asked_by)]


def _tell_of_seat(used: PowerInUse, faction: Faction, places: Sequence[Place], what: str) -> None:
    """Tell everybody a seat's new deadline. In an anonymous game, tell the others neither the seat nor the deadline."""
    table, now, hidden = used.table, used.session.now, names_hidden(used.table)
    due = max(table.deadlines[place].due for place in places)
    for reader, seat in table.seats.items():
        by = "" if hidden and reader != faction else deadline(due, now, zone_named(seat.timezone))
        words = say(f"{what}.theirs", faction=faction, by=by) if by else say(f"{what}.hidden")
        words = say(f"{what}.yours", by=by) if reader == faction else words
        subject = say(f"{what}.subject")
        used.session.writer.notify(table, reader, subject, [words, *own_words(used.use.tell)])


LEAST_NOTICE = 12
"""At least this many hours are left after an extension is undone."""
_GIVEN = re.compile(r"(?:(?P<faction>[a-z-]+) )?(?P<hours>[0-9.]+) h")


@dataclass(frozen=True, slots=True)
class Extension:
    faction: Faction | None  # None if it was for everything that was open
    hours: float
    at: datetime


def last_extension(acts: Sequence[DeskAct]) -> Extension | None:
    taken_back = 0
    for act in reversed([act for act in acts if act.what == "extend"]):
        if found := _GIVEN.fullmatch(act.words):
            if not taken_back:
                faction = as_faction(found["faction"]) if found["faction"] else None
                return Extension(faction, float(found["hours"]), act.at)
            taken_back -= 1
        taken_back += act.words.startswith("back: ")
    return None


_BANK = re.compile(r"(?P<faction>[a-z-]+) (?P<hours>\+[0-9.]+) h: .*")


def line_taking_time_back(acts: Sequence[DeskAct]) -> str:
    last = next((act for act in reversed(acts) if act.what in ("extend", "bank")), None)
    bank = _BANK.fullmatch(last.words) if last else None
    return f"bank {bank['faction']} -{bank['hours'][1:]}" if bank else "unextend"


def take_extension_back(request: DeskRequest) -> Extension:
    """Undo the last extension. Duties that are still open are due when they would have been without the extension, but
    no earlier than ``LEAST_NOTICE`` hours from now. Raise PowerRefused if no deadline would become earlier."""
    with using(request, "extend") as used:
        table, clock = used.table, request.games.clock(used.table)
        given = last_extension(acts_of(used.conn, request.game))
        if given is None:
            raise PowerRefused(say("desk.no-extension", game=request.game))
        used.words = f"back: {given.faction or ''} {given.hours:g} h".replace("  ", " ")
        least = (table.stopped_at or request.now) + timedelta(hours=LEAST_NOTICE)
        places = places_given(table, given.faction, given.at)

        def earlier(due: datetime) -> datetime:
            return min(due, max(least, clock.before_extension(due, given.hours)))

        dues = ((place, table.deadlines[place].due) for place in places)
        moved = {place: at for place, due in dues if (at := earlier(due)) < due}
        if not moved:
            raise PowerRefused(say("desk.extension-over", game=request.game, hours=LEAST_NOTICE))
        deadlines.bring_forward(used.conn, table, moved)
        if given.faction:
            _tell_of_seat(used, given.faction, places, "unextend-seat")
            return given
        if table.call_due and table.call_due > request.now:
            table.call_due = earlier(table.call_due)
        notices.tell_new_deadline(used.session.writer, table, "unextend", told=request.use.tell)
        return given


def change_clock(request: DeskRequest, own: Mapping[str, Any]) -> None:
    """Change some of a game's own clock settings (``bot.table.clock.read_own_settings``); the others stay. A deadline
    that has been announced stays as it is, or moves to the next moment that the new clock allows."""
    with using(request, "clock") as used:
        conn, table = used.conn, used.table
        used.words = ", ".join(f"{name}={write_zone(str(own[name]))}" for name in own)
        table.clock = {**table.clock, **own}
        clock = request.games.clock(table)
        for place, deadline in list(table.deadlines.items()):
            deadlines.postpone(conn, table, [place], clock.extended(deadline.due, 0))
        changed = say("clock.notice", changes=shown_settings(own))
        notices.tell_new_deadline(used.session.writer, table, "clock", changed, told=request.use.tell)


def process_overdue(request: DeskRequest) -> None:
    """Apply the default to every duty whose announced deadline has passed, even if a grace period or a time bank is
    still running. Duties that are not due yet stay open. Raise PowerRefused if no duty is open, or none is overdue."""
    with using(request, "process") as used:
        duties = _duties(used.table)
        if not duties:
            raise PowerRefused(
                f"Nobody has an open public duty in {request.game}. Open reactions keep their deadlines."
            )
        late = [question for question in duties if _is_late(used.table, question, request.now)]
        if not late:
            first = min(duties, key=lambda question: used.table.due(question) or request.now)
            until = f" has until {due:%Y-%m-%d %H:%M}Z" if (due := used.table.due(first)) else " is asked"
            raise PowerRefused(
                f"{faction_name(first.faction)}{until} for {first.kind}. "
                f"`mentat game default {request.game} {first.faction} {first.kind}` applies the default now."
            )
        _apply_defaults(used, late, say("desk.processed"))


def _is_late(table: Table, question: Question, now: datetime) -> bool:
    """Return whether the announced deadline has passed, even if a time bank or a grace period is still running."""
    place = place_of(table.play, question)
    deadline = table.deadlines.get(place)
    return place in table.overruns or deadline is None or deadline.due <= now


def apply_default(request: DeskRequest, faction: Faction, kind: str) -> None:
    """Apply the default to one duty now. Raise PowerRefused if that faction has no such duty, or if the question is a
    reaction that nobody else may know about."""
    with using(request, "default") as used:
        require_seat(used.table, faction)
        duties = [question for question in _duties(used.table) if question.faction == faction]
        fits = [question for question in duties if question.kind == kind]
        if not fits:
            known = ", ".join(sorted({question.kind for question in duties})) or "none"
            raise PowerRefused(
                f"{faction_name(faction)} has no open public duty {kind!r}; its open duties: {known}. Reactions and "
                "secret questions keep their deadlines."
            )
        _apply_defaults(used, fits, say("desk.defaulted", faction=faction, duty=duty(kind)))


def _duties(table: Table) -> list[Question]:
    return [question for question in table.play.questions() if is_duty(table, question)]


def _apply_defaults(used: PowerInUse, duties: Sequence[Question], told: str) -> None:
    session, table = used.session, used.table
    used.words = ", ".join(f"{question.faction} {question.kind}" for question in duties)
    before = TableBefore.of(table)
    places = [place_of(table.play, question) for question in duties]
    session.writer.announce(table, say("desk.silence-subject"), [told, *own_words(used.use.tell)])
    if not used.may_foresee:
        return
    gone = expire(table, [question.key for question in duties])
    note_missed(table.deadlines, [place for place in places if place[1] in gone and place in table.deadlines])
    go_on(table, session.now)
    session.save(table)
    session.writer.answer(table, before)


# --- the end of a game -----------------------------------------------------------------------------------------------


EndKind = Literal["agreed", "adjudicated", "void"]


class EndRefused(PowerRefused):
    """Raised if the game cannot be ended in this way. The message says why."""


def announce_last_turn(request: DeskRequest, turn: int) -> None:
    """Announce the last turn of a game to everybody at its table. Raise PowerRefused if the game is over, or if that
    turn is not earlier than the current last turn. Raise UnknownGame if there is no game with this id."""
    with using(request, "last-turn") as used:
        used.words = f"turn {turn}"
        _announce(used.session, used.table, turn, request.use.tell)


def announce_last_turn_now(session: Session, table: Table, last: int) -> None:
    _announce(session, table, last)
    record.record_act(session.conn, table, DeskAct(session.now, "last-turn", words=f"turn {last}"))


def _announce(session: Session, table: Table, last: int, told: str = "") -> None:
    _require_running(table)
    try:
        table.play.announce_last_turn(last)
    except ValueError as refused:
        raise EndRefused(f"{table.id}: {refused}") from None
    session.save(table)
    tell_last_turn(session, table, last, told)


def tell_last_turn(session: Session, table: Table, last: int, told: str = "") -> None:
    with speaking(table.play.game.rules.edition):
        paragraphs = [say("event.last-turn.public", turn=last), say("last-turn.what-to-do"), *own_words(told)]
        session.writer.announce(table, say("last-turn.subject", turn=last), paragraphs)


def end_game(request: DeskRequest, how: EndKind, winners: Sequence[Faction]) -> None:
    """End a game at once and write its last letters. Raise PowerRefused if the game is over, if one of the winners is
    not a player, or if the winners are impossible for an end of the kind ``how``. Raise UnknownGame if there is no game
    with this id."""
    with using(request, "end") as used:
        used.words = how
        end_game_now(used.session, used.table, how, winners, used.line())


def end_game_now(
    session: Session, table: Table, how: EndKind, winners: Sequence[Faction], act: DeskAct | None = None
) -> None:
    """End a game at once, within the given transaction. The act is written first, because ending the game closes its
    record."""
    _require_running(table)
    if twice := next((faction for faction in winners if winners.count(faction) > 1), None):
        raise EndRefused(f"You have named {the_faction(twice)} twice; name each winner once.")
    before = TableBefore.of(table)
    record.record_act(session.conn, table, act or DeskAct(session.now, "end", words=how))
    try:
        table.play.stop(how, winners)
    except ValueError as refused:
        raise EndRefused(f"{table.id}: {refused}") from None
    table.stopped_at, table.stopped_why, table.on_hold = None, "", None
    go_on(table, session.now)
    session.save(table)
    session.writer.answer(table, before)


def _require_running(table: Table) -> None:
    if table.status == "over":
        raise EndRefused(f"{table.id} is over.")
    if table.status == "held":
        raise EndRefused(f"{table.id} is held: its rules have changed. `mentat game rollback {table.id}` frees it.")


def set_archive_policy(open_games: OpenGames, game_id: str, policy: ArchivePolicy, now: datetime) -> bool:
    """Set what the archive shows of a game, and tell the players of a change unless the game is over. Return True if
    they were told. Raise UnknownGame if there is no game with this id."""
    with open_games.transaction(game_id) as (conn, table):
        changed, told = table.policy != policy, not table.play.over
        if not changed:
            return False
        games.set_policy(conn, game_id, policy)
        table.policy = policy
        if told:
            tell_archive_policy(Session(conn, open_games, now), table, policy)
        return told
