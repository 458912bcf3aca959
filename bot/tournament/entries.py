"""Entering and leaving a tournament, and people who are never seated together.

A person asks to enter by mail, or a director enters them; the entry is complete once a code has been sent back from the
person's own address. The answers to an address that has not confirmed reveal nothing about who takes part: an unknown
tournament, a missing invitation and an existing entry all get the same answer (``incoming_mail``). If the truth matters
to the entrant, it is sent to the address on file. The rating and reliability at the time of entry are stored.

Entrants who leave either play their games to the end or leave them to substitutes. Disqualified entrants lose their
seats, but their results stay in the record.

Two entrants are kept apart if a director decides so (for a family or a team), or if one of them declares it. A
declaration names a handle or an address, even that of a person who has not entered, and takes effect once both have
entered. The pairs are secret: the record contains only their number, and the writer of a declaration does not learn
whether the other person takes part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.competition.ratings import six_decimals
from bot.competition.statistics import shown_reliability
from bot.config import Settings
from bot.games import observers
from bot.games.open_games import Session
from bot.games.seat_mail import make_harmless
from bot.mail.identity import confirmation_code, is_own_address, reply_token
from bot.store import deadlines, people, ratings, tournament_rounds, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection
from bot.store.people import Ban
from bot.store.tournament_rounds import RoundTable, Tenure
from bot.store.tournaments import Entrant, PairApart, Paper, Tournament
from bot.table.calendar import stamp
from bot.tournament import desk, letters, preparation
from bot.tournament.letters import Letter, tell
from bot.tournament.mail_lines import Games
from bot.tournament.progress import promote
from bot.tournament.substitutes import ask_next_standby, replace_before_play, vacate_seat
from bot.wording import say

CODE_HOLDS = people.CODE_HOLDS
MOST_GUESSES = 5
IN_ALREADY = ("entered", "confirmed", "invited", "standby", "playing", "advanced", "out")


@dataclass(frozen=True, slots=True)
class EntryRequest:
    """A request to enter. ``standby`` is true if the person wants to be only a substitute. ``shown`` is true if the
    person gave the name themselves, so it may be published."""

    address: str
    name: str = ""
    standby: bool = False
    shown: bool = False


@dataclass(frozen=True, slots=True)
class EntryReply:
    """The result of a request to enter. ``how`` is ``asked`` if a new code was made, ``again`` if the person already
    has a code, and ``in`` if they already take part."""

    entrant: Entrant
    how: Literal["asked", "again", "in"]


def enter_by_director(
    caller: desk.Caller, tournament_id: str, address: str, *, name: str = "", standby: bool = False
) -> EntryReply:
    """Enter a person in the tournament; they still have to confirm by mail. Raise Refused if entries are closed, or if
    the person is banned or directs the tournament. Raise UnknownTournament if there is no such tournament."""
    with desk.acting(desk.Caller(caller.games, caller.now, dry_run=caller.dry_run), tournament_id) as (
        session,
        tournament,
    ):
        conn = session.conn
        desk.require_power(conn, tournament_id, caller.by, "enter")
        address = address.strip().lower()
        if tournament.state in ("draft", "finished", "cancelled"):
            raise desk.Refused(say(f"tournament-refused.{tournament.state}", id=tournament.id))
        if is_own_address(address, caller.games.settings.mentat.address):
            raise desk.Refused(say("desk.own-address", address=address))
        if directs_tournament(conn, caller.games.settings, tournament, address):
            raise desk.Refused(say("tournament-refused.organiser", id=tournament.id))
        if ban := _ban_of(conn, caller.games.settings, tournament.id, address, caller.now):
            raise desk.Refused(say("tournament-refused.banned", address=address, only=ban.tournament_id))
        asked = request_entry(session, tournament, EntryRequest(address, name, standby))
        if asked.how == "in":
            return asked
        if asked.how == "asked":
            words = f"{asked.entrant.handle} was entered by a {caller.by.right}"
            desk.log_act(session, tournament.id, "enter", words, caller.by)
        return replace(asked, entrant=write_code(session, tournament, asked.entrant))


def directs_tournament(conn: Connection, settings: Settings, tournament: Tournament, address: str) -> bool:
    """Return True if the person with this address holds a right in the tournament that a player must not hold. A player
    can be a clerk at most."""
    granted = desk.right_behind(conn, settings, tournament.id, address)
    return granted is not None and granted.right not in desk.MAY_PLAY


def takes_entries(session: Session, tournament: Tournament, known: Entrant | None, sender: str) -> bool:
    """Return True if the sender may enter by mail. If entry is open to everybody, new people may enter, even during the
    tournament (as substitutes). A person who has entered before may enter again unless they were disqualified or
    banned."""
    if _ban_of(session.conn, session.settings, tournament.id, sender, session.now):
        return False
    if tournament.state not in ("open", "drawn", "running"):
        return False
    if known is not None:
        return known.state != "disqualified"
    return tournament.settings.people.entry == "open" and not _barred(session.conn, tournament, sender)


def _ban_of(conn: Connection, settings: Settings, tournament_id: str, address: str, now: datetime) -> Ban | None:
    return people.standing_ban(conn, address, now, tournament_id, tags_apart=settings.identity.tags_apart)


def _barred(conn: Connection, tournament: Tournament, sender: str) -> bool:
    """Return True if the sender was a no-show in the previous tournament, and that tournament bars its no-shows from
    the next one."""
    before = [each for each in tournaments.all_tournaments(conn) if each.created_at < tournament.created_at]
    missed = {own.tournament_id for own in tournaments.entries_of_person(conn, sender) if own.no_show}
    return bool(before) and before[-1].id in missed and before[-1].settings.people.no_show_bars_next


def request_entry(session: Session, tournament: Tournament, wish: EntryRequest) -> EntryReply:
    """Record that a person wants to enter; ``write_code`` then sends the code. A person who has entered before under
    any of their addresses, even if they withdrew, remains the same entrant."""
    known = desk.entrant_behind(session.conn, session.settings, tournament.id, wish.address)
    if known is not None and known.state in IN_ALREADY:
        if known.state != "entered":
            return EntryReply(known, "in")
        over = known.guesses >= MOST_GUESSES or (known.code_until is not None and known.code_until <= session.now)
        return EntryReply(_with_new_code(session, known) if over else known, "again")
    if known is not None:
        tournaments.change_entrant(session.conn, tournament.id, known.number, state="entered", standby=wish.standby)
        return EntryReply(_with_new_code(session, replace(known, state="entered")), "asked")
    number = tournaments.next_entrant_number(session.conn, tournament.id)
    handle = tournaments.handle(number)
    secret = session.settings.key
    name = make_harmless(wish.name, session.settings.mentat.address)
    entrant = Entrant(
        tournament.id,
        number,
        handle,
        wish.address,
        reply_token(secret, f"tournament {tournament.id}", handle),
        session.now,
        name,
        shown=wish.shown and bool(wish.name),
        standby=wish.standby,
        code=confirmation_code(secret, "tournament", tournament.id, handle, wish.address, stamp(session.now)),
    )
    tournaments.add_entrant(session.conn, entrant)
    tournaments.touch(session.conn, tournament.id)
    return EntryReply(entrant, "asked")


def _with_new_code(session: Session, entrant: Entrant) -> Entrant:
    code = confirmation_code(
        session.settings.key, "tournament", entrant.tournament_id, entrant.handle, entrant.address, stamp(session.now)
    )
    changed = {"code": code, "code_until": None, "guesses": 0}
    tournaments.change_entrant(session.conn, entrant.tournament_id, entrant.number, **changed)
    return replace(entrant, code=code, code_until=None, guesses=0)


def write_code(session: Session, tournament: Tournament, entrant: Entrant, *, answers: str = "") -> Entrant:
    """Send the code to the address that wants to enter. The code's period of validity starts with the first such
    letter."""
    until = entrant.code_until or session.now + CODE_HOLDS
    tournaments.change_entrant(session.conn, tournament.id, entrant.number, code_until=until)
    entrant = replace(entrant, code_until=until)
    notes: list[letters.CodeNote] = ["full"] if preparation.is_full(session.conn, tournament) else []
    letters.send_code(session, tournament, entrant, answers, notes)
    return entrant


REMIND_AFTER = timedelta(hours=48)
REMIND_BEFORE = timedelta(hours=24)


def unconfirmed_to_remind(conn: Connection, tournament: Tournament, now: datetime) -> list[Entrant]:
    """Return the entrants who were sent a code two days ago and have not confirmed, if entries stay open for at least
    another day. Each entrant is returned only once."""
    if tournament.state != "open" or (tournament.until is not None and tournament.until <= now + REMIND_BEFORE):
        return []
    reminded = {paper.entrant for paper in tournaments.papers_of(conn, tournament.id, "reminded", state=None)}
    return [
        each
        for each in tournaments.entrants_of(conn, tournament.id, ["entered"])
        if each.code
        and each.code_until is not None
        and now < each.code_until <= now + CODE_HOLDS - REMIND_AFTER
        and each.number not in reminded
    ]


def remind_unconfirmed(session: Session, tournament: Tournament, entrant: Entrant) -> None:
    tournaments.add_paper(session.conn, Paper(tournament.id, entrant.number, "reminded", "", session.now))
    letters.send_code(session, tournament, entrant, "", ["reminder"])


def confirm_entry(session: Session, code: str, sender: str) -> Entrant | None:
    """Confirm the entry to which a code belongs. Return None if the code is not for this address, was already used or
    has expired. A wrong guess does not use up a code, but each sender has only five guesses."""
    found = tournaments.entrant_by_code(session.conn, code)
    fits = (
        found is not None
        and found.state == "entered"
        and found.address == sender
        and found.guesses < MOST_GUESSES
        and found.code_until is not None
        and session.now < found.code_until
    )
    if found is None or not fits:
        for own in tournaments.entries_of_person(session.conn, sender):
            if own.state == "entered" and own.code and own.address == sender:
                tournaments.change_entrant(session.conn, own.tournament_id, own.number, guesses=own.guesses + 1)
        return None
    tournament = tournaments.find_tournament(session.conn, found.tournament_id)
    if tournament.state not in ("open", "drawn", "running"):
        return None
    if _ban_of(session.conn, session.settings, tournament.id, sender, session.now):
        return None
    return _confirmed(session, tournament, found)


def _confirmed(session: Session, tournament: Tournament, found: Entrant) -> Entrant:
    closed = tournament.state != "open" and tournament.settings.format != "ladder"
    late = closed or (tournament.until is not None and session.now >= tournament.until)
    full = preparation.is_full(session.conn, tournament)
    rating, reliability = form_at_entry(session.conn, found.address)
    changed = {
        "state": "standby" if late or full or found.standby else "confirmed",
        "code": "",
        "code_until": None,
        "guesses": 0,
        "confirmed_at": session.now,
        "rating": rating,
        "reliability": reliability,
        "conduct": letters.conduct_digest(tournament),
    }
    tournaments.change_entrant(session.conn, tournament.id, found.number, **changed)
    entrant = tournaments.find_entrant(session.conn, tournament.id, found.handle)
    assert entrant is not None, "the entrant was found a moment ago"
    keep_connected_apart(session.conn, tournament.id)
    observed = observers.strike_out_entrant(session.conn, entrant.address)
    desk.log_act(session, tournament.id, "confirm", f"{entrant.handle} confirmed")
    why: letters.Admission = "substitute" if found.standby else "late" if late else "full" if full else "in"
    place = preparation.place_on_list(session.conn, entrant)
    letters.send_welcome(session, tournament, entrant, why, place, observed)
    return entrant


def withdraw_entrant(
    session: Session, tournament: Tournament, entrant: Entrant, by: desk.By, games: Games = ""
) -> None:
    """Withdraw an entrant, and invite the next person on the waiting list. An entrant who holds a seat must say what
    should happen to their games; raise Refused if they have not."""
    if entrant.state in ("withdrawn", "disqualified"):
        return
    if seats_held(session.conn, entrant):
        leave_tournament(session, tournament, entrant, games, by)
        return
    tournaments.change_entrant(session.conn, tournament.id, entrant.number, state="withdrawn", code="", code_until=None)
    preparation.drop_invitations(session.conn, entrant)
    desk.log_act(session, tournament.id, "withdraw", f"{entrant.handle} withdrew", by)
    if entrant.confirmed_at:
        letters.send_farewell(session, tournament, entrant)
    preparation.invite_next(session, tournaments.find_tournament(session.conn, tournament.id))
    promote(session, tournaments.find_tournament(session.conn, tournament.id))


def withdraw_by(caller: desk.Caller, tournament_id: str, handle: str, games: Games = "") -> Entrant:
    with desk.acting(caller, tournament_id) as (session, tournament):
        desk.require_power(session.conn, tournament_id, caller.by, "enter")
        entrant = tournaments.find_entrant(session.conn, tournament_id, handle)
        if entrant is None:
            raise desk.Refused(
                f"{tournament_id} has no entrant {handle!r}; `mentat tournament show {tournament_id}` lists them."
            )
        withdraw_entrant(session, tournament, entrant, caller.by, games)
        return entrant


def form_at_entry(conn: Connection, address: str) -> tuple[str, str]:
    """Return the current rating (to six decimals) and reliability (to four) of the person with this address, in the
    form that is stored at entry."""
    rated, had = ratings.of_person(conn, address), deadlines.duties_of(conn, address)
    rating = six_decimals(rated.rating) if rated.games else ""
    return rating, shown_reliability(had.on_time, had.duties) if had.duties else ""


MOST_CONNECTIONS = 20


def declare_connection(conn: Connection, entrant: Entrant, who: str, why: str) -> bool:
    lines = [line for line in entrant.connections.splitlines() if line]
    new = f"{who} {why}".strip()
    if new not in lines:
        if len(lines) >= MOST_CONNECTIONS:
            return False
        lines.append(new)
    tournaments.change_entrant(conn, entrant.tournament_id, entrant.number, connections="\n".join(lines))
    keep_connected_apart(conn, entrant.tournament_id)
    return True


def keep_connected_apart(conn: Connection, tournament_id: str) -> None:
    everybody = tournaments.entrants_of(conn, tournament_id)
    declared = [entrant for entrant in everybody if entrant.connections and entrant.confirmed_at]
    if not declared:
        return
    apart = {(pair.one, pair.other) for pair in tournaments.pairs_apart(conn, tournament_id)}
    by_handle = {entrant.handle.lower(): entrant for entrant in everybody}
    for entrant in declared:
        for line in entrant.connections.splitlines():
            who, _, why = line.partition(" ")
            other = by_handle.get(who) or (
                tournaments.entrant_of_person(conn, tournament_id, who) if "@" in who else None
            )
            if other is None or other.number == entrant.number or _pair(entrant.number, other.number) in apart:
                continue
            one, two = _pair(entrant.number, other.number)
            tournaments.keep_apart(conn, tournament_id, PairApart(one, two, why))
            apart.add((one, two))


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def keep_apart(caller: desk.Caller, tournament_id: str, one: str, other: str, *, remove: bool = False) -> bool:
    """Keep these two entrants apart from the next draw on; with ``remove``, let them sit together again. Return False
    if nothing changes."""
    with desk.acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        desk.require_power(conn, tournament_id, caller.by, "apart")
        if tournament.state in ("finished", "cancelled"):
            raise desk.Refused(f"{tournament_id} is {tournament.state}; nobody can be seated there any more.")
        first, second = _named(conn, tournament_id, one), _named(conn, tournament_id, other)
        if first.number == second.number:
            raise desk.Refused(f"Both names mean {first.handle}; name two entrants to keep apart.")
        numbers = sorted((first.number, second.number))
        there = [pair for pair in tournaments.pairs_apart(conn, tournament_id) if [pair.one, pair.other] == numbers]
        if bool(there) is not remove:
            return False
        if remove:
            tournaments.end_keeping_apart(conn, tournament_id, first.number, second.number)
        else:
            tournaments.keep_apart(conn, tournament_id, PairApart(numbers[0], numbers[1], caller.by.why))
        words = "a pair is kept apart no longer" if remove else "a pair is kept apart"
        desk.log_act(session, tournament_id, "apart", words, replace(caller.by, why=""))
        return True


def sitting_together(conn: Connection, tournament_id: str, one: str, other: str) -> list[str]:
    """Return the tables, by round and number, to which both have already been drawn. They keep their seats there."""
    wanted = {_named(conn, tournament_id, one).number, _named(conn, tournament_id, other).number}
    places: dict[tuple[int, int], set[int]] = {}
    for tenure in tournament_rounds.now_sitting(conn, tournament_id):
        places.setdefault((tenure.round, tenure.table), set()).add(tenure.entrant)
    going = {table.place for table in tournament_rounds.tables_of(conn, tournament_id, states=("planned", "playing"))}
    return [
        f"{number}.{table}"
        for (number, table), there in sorted(places.items())
        if wanted <= there and (number, table) in going
    ]


def _named(conn: Connection, tournament_id: str, handle: str) -> Entrant:
    found = tournaments.find_entrant(conn, tournament_id, handle)
    if found is None:
        raise desk.Refused(f"{tournament_id} has no entrant {handle[:20]!r}; name them by handle, like E012.")
    return found


GamesLeft = Literal["", "keep", "leave"]


def seats_held(conn: Connection, entrant: Entrant) -> list[tuple[RoundTable, Tenure]]:
    every = rows.tables_of(conn, entrant.tournament_id, states=["planned", "playing"])
    going = {table.place: table for table in every}
    held = rows.now_sitting(conn, entrant.tournament_id)
    return [
        (going[place], each)
        for each in held
        if each.entrant == entrant.number and (place := (each.round, each.table)) in going
    ]


def is_playing(conn: Connection, entrant: Entrant) -> bool:
    return any(table.state == "playing" for table, _ in seats_held(conn, entrant))


def leave_tournament(session: Session, tournament: Tournament, entrant: Entrant, games: GamesLeft, by: desk.By) -> None:
    """Exclude an entrant from all further draws. They play their games to the end (``keep``) or leave them to
    substitutes (``leave``). Raise Refused if they have not chosen."""
    if entrant.state in ("withdrawn", "disqualified"):
        return
    seats = seats_held(session.conn, entrant)
    if any(table.state == "playing" for table, _ in seats) and not games:
        named = ", ".join(desk.table_name(table) for table, _ in seats)
        raise desk.Refused(
            f"{entrant.handle} plays at {named}: add --games keep to let them play these games to the end, or --games "
            "leave to give their seats to substitutes."
        )
    tournaments.change_entrant(session.conn, tournament.id, entrant.number, state="withdrawn", code="", code_until=None)
    _no_more_papers(session.conn, entrant, but_not=("vote", "protest") if games == "keep" else ())
    words = f"{entrant.handle} withdrew" + (f", games: {games}" if games else "")
    desk.log_act(session, tournament.id, "withdraw", words, by)
    for table, held in seats:
        if table.state == "planned" or games == "leave":
            _leave(session, tournament, table, held)
    subject = say("tournament.leaving.subject", title=tournament.title)
    told = [say(f"tournament.leaving.{games or 'between'}", title=tournament.title)]
    tell(session, entrant, Letter(subject, told, f"withdrawn.{stamp(session.now)}"))
    promote(session, tournament)


def disqualify(caller: desk.Caller, tournament_id: str, handle: str) -> Entrant:
    """Disqualify an entrant. Substitutes take their seats. Their results stay in the record but earn no points; the
    results of their opponents and allies do not change. Raise Refused if no reason is given."""
    if not caller.by.why.strip():
        raise desk.Refused("A disqualification needs a reason: give it with --why.")
    with desk.acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        desk.require_power(conn, tournament_id, caller.by, "disqualify")
        entrant = tournaments.find_entrant(conn, tournament_id, handle)
        if entrant is None:
            raise desk.Refused(f"{tournament_id} has no entrant {handle}.")
        if entrant.state == "disqualified":
            return entrant
        own = tournaments.entrant_of_person(conn, tournament_id, caller.by.address) if caller.by.address else None
        if own is not None and own.number == entrant.number:
            raise desk.Refused("Nobody can decide about themselves; another director or arbiter can.")
        tournaments.change_entrant(conn, tournament_id, entrant.number, state="disqualified")
        _no_more_papers(conn, entrant)
        desk.log_act(session, tournament_id, "disqualify", entrant.handle, caller.by)
        for table, held in seats_held(conn, entrant):
            _leave(session, tournament, table, held)
        subject = say("tournament.leaving.disqualified-subject", title=tournament.title)
        told = [say("tournament.leaving.disqualified", title=tournament.title, why=caller.by.why)]
        tell(session, entrant, Letter(subject, told, "disqualified"))
        preparation.invite_next(session, tournament)
        promote(session, tournament)
    return entrant


def _leave(session: Session, tournament: Tournament, table: RoundTable, held: Tenure) -> None:
    if table.state == "playing":
        vacate_seat(session, table, held, resigned=True)
        then = next(
            each for each in rows.now_sitting(session.conn, tournament.id, *table.place) if each.dot == held.dot
        )
        ask_next_standby(session, tournament, table, then)
        return
    replace_before_play(session, tournament, table, held)


def _no_more_papers(conn: Connection, entrant: Entrant, but_not: tuple[str, ...] = ()) -> None:
    for paper in tournaments.papers_of(conn, entrant.tournament_id):
        if paper.entrant == entrant.number and paper.kind not in but_not:
            tournaments.set_paper_state(conn, paper.id, "gone")
