"""Entering and leaving a tournament, and people who are never seated together.

Entry is requested by mail or by a director, and completed by a code that comes back from the address itself. What an
address is told before it has confirmed does not show who takes part: "no such tournament", "not invited" and "entered
already" are the same answer (``incoming_mail``). Where the truth matters it goes to the address on file. Rating and
reliability are kept as they were at entry.

Somebody who leaves plays their games to the end, or leaves them to substitutes. Somebody who is disqualified loses
their seats; their results stay in the record.

Two entrants are kept apart by a director (a family, a team) or by their own declarations. A declaration names a handle
or an address, whether or not its owner takes part, and counts when both have entered. Who is kept apart is secret: the
record says only how many pairs there are, and the writer of a declaration does not learn whether the other takes part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from bot.competition.ratings import six_decimals
from bot.competition.statistics import shown_reliability
from bot.config import Settings
from bot.games import observers
from bot.games.open_games import OpenGames
from bot.games.seat_mail import make_harmless
from bot.mail.identity import confirmation_code, is_own_address, reply_token
from bot.store import deadlines, people, ratings, tournament_rounds, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection
from bot.store.people import Ban
from bot.store.tournament_rounds import RoundTable, Tenure
from bot.store.tournaments import Entrant, PairApart, Tournament
from bot.table.calendar import stamp
from bot.tournament import letters, preparation
from bot.tournament.desk import (
    DIRECTOR,
    MAY_PLAY,
    By,
    Refused,
    acting,
    entrant_behind,
    require_right,
    right_behind,
    table_name,
)
from bot.tournament.letters import Letter, tell
from bot.tournament.mail_lines import Games
from bot.tournament.progress import promote
from bot.tournament.substitutes import ask_next_standby, replace_before_play, vacate_seat
from bot.wording import say

CODE_HOLDS = people.CODE_HOLDS
MOST_GUESSES = 5
BY_DIRECTOR = By()
IN_ALREADY = ("entered", "confirmed", "invited", "standby", "playing", "advanced", "out")
"""The states of who is in."""


@dataclass(frozen=True, slots=True)
class EntryRequest:
    """Who wants to enter: their address, the name they give, and whether only as a substitute. ``shown``: they gave the
    name themselves, so it may be published."""

    address: str
    name: str = ""
    standby: bool = False
    shown: bool = False


@dataclass(frozen=True, slots=True)
class EntryReply:
    """What came of it: ``asked`` (a code was made), ``again`` (they have one already), ``in`` (they take part)."""

    entrant: Entrant
    how: Literal["asked", "again", "in"]


def enter_by_director(
    open_games: OpenGames, tournament_id: str, address: str, now: datetime, *, name: str = "", standby: bool = False,
    by: By = BY_DIRECTOR, dry_run: bool = False,
) -> EntryReply:  # fmt: skip
    """A director enters somebody, who still has to confirm by mail. Refused where nobody can enter, or not they, as
    they are banned or direct it; UnknownTournament."""
    with acting(open_games, tournament_id, dry_run=dry_run) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy", "clerk")
        address = address.strip().lower()
        if tournament.state in ("draft", "finished", "cancelled"):
            raise Refused(say(f"tournament-refused.{tournament.state}", id=tournament.id))
        if is_own_address(address, open_games.settings.mentat.address):
            raise Refused(say("desk.own-address", address=address))
        if directs_tournament(conn, open_games.settings, tournament, address):
            raise Refused(say("tournament-refused.organiser", id=tournament.id))
        if ban := _ban_of(conn, open_games.settings, tournament.id, address, now):
            raise Refused(say("tournament-refused.banned", address=address, only=ban.tournament_id))
        asked = request_entry(conn, open_games, tournament, EntryRequest(address, name, standby), now)
        if asked.how == "in":
            return asked
        if asked.how == "asked":
            words = f"{asked.entrant.handle} was entered by a {by.right}"
            tournaments.add_act(
                conn, tournament.id, now, "enter", words, who=by.address, right=by.right, why=by.why,
                audience="directors",
            )  # fmt: skip
        return replace(asked, entrant=write_code(conn, open_games, tournament, asked.entrant, now))


def directs_tournament(conn: Connection, settings: Settings, tournament: Tournament, address: str) -> bool:
    """Whether somebody has a right by which they cannot play: whoever plays can be no more than a clerk."""
    granted = right_behind(conn, settings, tournament.id, address)
    return granted is not None and granted.right not in MAY_PLAY


def takes_entries(
    conn: Connection, settings: Settings, tournament: Tournament, known: Entrant | None, sender: str, now: datetime
) -> bool:
    """Whether somebody who asks by mail can enter: it is open, or goes on and takes substitutes, to all or to them."""
    if _ban_of(conn, settings, tournament.id, sender, now):
        return False
    if tournament.state not in ("open", "drawn", "running"):
        return False
    if known is not None:
        return known.state != "disqualified"
    return tournament.settings.people.entry == "open" and not _barred(conn, tournament, sender)


def _ban_of(conn: Connection, settings: Settings, tournament_id: str, address: str, now: datetime) -> Ban | None:
    """The ban by which somebody cannot enter; None for most."""
    return people.standing_ban(conn, address, now, tournament_id, tags_apart=settings.identity.tags_apart)


def _barred(conn: Connection, tournament: Tournament, sender: str) -> bool:
    """Whether they did not show up in an earlier tournament that keeps such players out of the next one, and this is
    the next."""
    before = [each for each in tournaments.all_tournaments(conn) if each.created_at < tournament.created_at]
    missed = {own.tournament_id for own in tournaments.entries_of_person(conn, sender) if own.no_show}
    return bool(before) and before[-1].id in missed and before[-1].settings.people.no_show_bars_next


def request_entry(
    conn: Connection, open_games: OpenGames, tournament: Tournament, wish: EntryRequest, now: datetime
) -> EntryReply:
    """Note that somebody wants to enter. Whoever is in by any address of theirs is the same entrant; whoever withdrew
    comes back as the same. The letter with the code is written by ``write_code``."""
    known = entrant_behind(conn, open_games.settings, tournament.id, wish.address)
    if known is not None and known.state in IN_ALREADY:
        if known.state != "entered":
            return EntryReply(known, "in")
        over = known.guesses >= MOST_GUESSES or (known.code_until is not None and known.code_until <= now)
        return EntryReply(_with_new_code(conn, open_games, known, now) if over else known, "again")
    if known is not None:
        tournaments.change_entrant(conn, tournament.id, known.number, state="entered", standby=wish.standby)
        return EntryReply(_with_new_code(conn, open_games, replace(known, state="entered"), now), "asked")
    number = tournaments.next_entrant_number(conn, tournament.id)
    handle = tournaments.handle(number)
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    name = make_harmless(wish.name, open_games.settings.mentat.address)
    entrant = Entrant(
        tournament.id, number, handle, wish.address, reply_token(secret, f"tournament {tournament.id}", handle), now,
        name, shown=wish.shown and bool(wish.name), standby=wish.standby,
        code=confirmation_code(secret, "tournament", tournament.id, handle, wish.address, stamp(now)),
    )  # fmt: skip
    tournaments.add_entrant(conn, entrant)
    tournaments.touch(conn, tournament.id)
    return EntryReply(entrant, "asked")


def _with_new_code(conn: Connection, open_games: OpenGames, entrant: Entrant, now: datetime) -> Entrant:
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    code = confirmation_code(
        secret, "tournament", entrant.tournament_id, entrant.handle, entrant.address, stamp(now)
    )  # fmt: skip
    changed = {"code": code, "code_until": None, "guesses": 0}
    tournaments.change_entrant(conn, entrant.tournament_id, entrant.number, **changed)
    return replace(entrant, code=code, code_until=None, guesses=0)


def write_code(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime, *,
    answers: str = "",
) -> Entrant:  # fmt: skip
    """The letter with the code, to the address that wants to enter. The code holds from the first of them on."""
    until = entrant.code_until or now + CODE_HOLDS
    tournaments.change_entrant(conn, tournament.id, entrant.number, code_until=until)
    entrant = replace(entrant, code_until=until)
    letters.send_code(conn, open_games.writer, tournament, entrant, now, answers)
    return entrant


def confirm_entry(conn: Connection, open_games: OpenGames, code: str, sender: str, now: datetime) -> Entrant | None:
    """The code came back. None where it is none of this address, was used or is over; who guesses does not use up a
    code, but has five guesses of their own."""
    found = tournaments.entrant_by_code(conn, code)
    fits = (
        found is not None and found.state == "entered" and found.address == sender and found.guesses < MOST_GUESSES
        and found.code_until is not None and now < found.code_until
    )  # fmt: skip
    if found is None or not fits:
        for own in tournaments.entries_of_person(conn, sender):
            if own.state == "entered" and own.code and own.address == sender:
                tournaments.change_entrant(conn, own.tournament_id, own.number, guesses=own.guesses + 1)
        return None
    tournament = tournaments.find_tournament(conn, found.tournament_id)
    if tournament.state not in ("open", "drawn", "running"):
        return None
    if _ban_of(conn, open_games.settings, tournament.id, sender, now):
        return None
    return _confirmed(conn, open_games, tournament, found, now)


def _confirmed(
    conn: Connection, open_games: OpenGames, tournament: Tournament, found: Entrant, now: datetime
) -> Entrant:  # fmt: skip
    closed = tournament.state != "open" and tournament.settings.format != "ladder"
    late = closed or (tournament.until is not None and now >= tournament.until)
    full = preparation.is_full(conn, tournament)
    rating, reliability = form_at_entry(conn, found.address)
    changed = {
        "state": "standby" if late or full or found.standby else "confirmed", "code": "", "code_until": None,
        "guesses": 0, "confirmed_at": now, "rating": rating, "reliability": reliability,
        "conduct": letters.conduct_digest(tournament),
    }  # fmt: skip
    tournaments.change_entrant(conn, tournament.id, found.number, **changed)
    tournaments.touch(conn, tournament.id)
    entrant = tournaments.find_entrant(conn, tournament.id, found.handle)
    assert entrant is not None, "they were found a moment ago"
    keep_connected_apart(conn, tournament.id)
    observed = observers.strike_out_entrant(conn, entrant.address)
    tournaments.add_act(conn, tournament.id, now, "confirm", f"{entrant.handle} confirmed", audience="directors")
    why: letters.Admission = "substitute" if found.standby else "late" if late else "full" if full else "in"
    place = preparation.place_on_list(conn, entrant)
    letters.send_welcome(conn, open_games.writer, tournament, entrant, now, why, place, observed)
    return entrant


def withdraw_entrant(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime, by: By,
    games: Games = "",
) -> None:  # fmt: skip
    """They take no part any more; the next on the waiting list is invited. Who holds a seat must say what becomes of
    their games; Refused until they do (``bot.tournament.entries``)."""
    if entrant.state in ("withdrawn", "disqualified"):
        return
    if seats_held(conn, entrant):
        leave_tournament(conn, open_games, tournament, entrant, games, by, now)
        return
    tournaments.change_entrant(conn, tournament.id, entrant.number, state="withdrawn", code="", code_until=None)
    tournaments.touch(conn, tournament.id)
    preparation.drop_invitations(conn, entrant)
    tournaments.add_act(
        conn, tournament.id, now, "withdraw", f"{entrant.handle} withdrew", who=by.address, right=by.right, why=by.why,
        audience="directors",
    )  # fmt: skip
    if entrant.confirmed_at:
        letters.send_farewell(conn, open_games.writer, tournament, entrant, now)
    preparation.invite_next(conn, open_games.writer, tournaments.find_tournament(conn, tournament.id), now)
    promote(conn, open_games, tournaments.find_tournament(conn, tournament.id), now)


def form_at_entry(conn: Connection, address: str) -> tuple[str, str]:
    """The rating (six decimals) and the reliability (four) of whoever has this address."""
    rated, had = ratings.of_person(conn, address), deadlines.duties_of(conn, address)
    rating = six_decimals(rated.rating) if rated.games else ""
    return rating, shown_reliability(had.on_time, had.duties) if had.duties else ""


MOST_CONNECTIONS = 20


def declare_connection(conn: Connection, entrant: Entrant, who: str, why: str) -> bool:
    """Write down a declaration; False if they have made too many."""
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
    """Keep apart all who have declared each other, as far as both are in."""
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


def keep_apart(
    open_games: OpenGames, tournament_id: str, one: str, other: str, now: datetime, *, by: By = DIRECTOR,
    remove: bool = False, dry_run: bool = False,
) -> bool:  # fmt: skip
    """Never seat two entrants together from the next draw on, or (``remove``) let them be; False if it is so
    already."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        if tournament.state in ("finished", "cancelled"):
            raise Refused(f"{tournament_id} is {tournament.state}; nobody is seated there any more.")
        first, second = _named(conn, tournament_id, one), _named(conn, tournament_id, other)
        if first.number == second.number:
            raise Refused(f"{first.handle} is one entrant; name the two who are kept apart.")
        numbers = sorted((first.number, second.number))
        there = [pair for pair in tournaments.pairs_apart(conn, tournament_id) if [pair.one, pair.other] == numbers]
        if bool(there) is not remove:
            return False
        if remove:
            tournaments.end_keeping_apart(conn, tournament_id, first.number, second.number)
        else:
            tournaments.keep_apart(conn, tournament_id, PairApart(numbers[0], numbers[1], by.why))
        words = "a pair is kept apart no longer" if remove else "a pair is kept apart"
        tournaments.add_act(
            conn, tournament_id, now, "apart", words, who=by.address, right=by.right, audience="directors"
        )  # fmt: skip
        return True


def sitting_together(conn: Connection, tournament_id: str, one: str, other: str) -> list[str]:
    """The tables that were drawn, by round and number, at which both sit: a later draw does not change them."""
    wanted = {_named(conn, tournament_id, one).number, _named(conn, tournament_id, other).number}
    places: dict[tuple[int, int], set[int]] = {}
    for tenure in tournament_rounds.now_sitting(conn, tournament_id):
        places.setdefault((tenure.round, tenure.table), set()).add(tenure.entrant)
    going = {table.place for table in tournament_rounds.tables_of(conn, tournament_id, states=("planned", "playing"))}
    return [f"{number}.{table}" for (number, table), there in sorted(places.items())
            if wanted <= there and (number, table) in going]  # fmt: skip


def _named(conn: Connection, tournament_id: str, handle: str) -> Entrant:
    found = tournaments.find_entrant(conn, tournament_id, handle)
    if found is None:
        raise Refused(f"{tournament_id} has no entrant {handle[:20]!r}; name them by handle, like E012.")
    return found


GamesLeft = Literal["", "keep", "leave"]


def seats_held(conn: Connection, entrant: Entrant) -> list[tuple[RoundTable, Tenure]]:
    """The seats that an entrant holds at tables that are not decided."""
    every = rows.tables_of(conn, entrant.tournament_id, states=["planned", "playing"])
    going = {table.place: table for table in every}
    held = rows.now_sitting(conn, entrant.tournament_id)
    return [
        (going[place], each)
        for each in held
        if each.entrant == entrant.number and (place := (each.round, each.table)) in going
    ]


def is_playing(conn: Connection, entrant: Entrant) -> bool:
    """Whether a game of theirs goes on."""
    return any(table.state == "playing" for table, _ in seats_held(conn, entrant))


def leave_tournament(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, games: GamesLeft, by: By,
    now: datetime,
) -> None:  # fmt: skip
    """They are not drawn any more. Their games they play to the end (``keep``), or leave to substitutes (``leave``);
    Refused until they say which."""
    if entrant.state in ("withdrawn", "disqualified"):
        return
    seats = seats_held(conn, entrant)
    if any(table.state == "playing" for table, _ in seats) and not games:
        named = ", ".join(table_name(table) for table, _ in seats)
        raise Refused(
            f"{entrant.handle} plays at {named}: say --games keep, and they play these games to the end, or --games "
            "leave, and substitutes take their seats."
        )
    tournaments.change_entrant(conn, tournament.id, entrant.number, state="withdrawn", code="", code_until=None)
    tournaments.touch(conn, tournament.id)
    _no_more_papers(conn, entrant, but_not=("vote", "protest") if games == "keep" else ())
    words = f"{entrant.handle} withdrew" + (f", games: {games}" if games else "")
    tournaments.add_act(
        conn, tournament.id, now, "withdraw", words, who=by.address, right=by.right, why=by.why, audience="directors"
    )
    for table, held in seats:
        if table.state == "planned" or games == "leave":
            _leave(conn, open_games, tournament, table, held, now)
    subject = say("tournament.leaving.subject", title=tournament.title)
    told = [say(f"tournament.leaving.{games or 'between'}", title=tournament.title)]
    tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"withdrawn.{stamp(now)}"))
    promote(conn, open_games, tournament, now)


def disqualify(
    open_games: OpenGames, tournament_id: str, handle: str, by: By, now: datetime, *, dry_run: bool = False
) -> Entrant:
    """They are out: their results stay in the record and score nothing, those of their opponents and allies stand, and
    substitutes take their seats. Refused without a reason."""
    if not by.why.strip():
        raise Refused("Somebody is disqualified for a reason: say it with --why.")
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "arbiter", "deputy")
        entrant = tournaments.find_entrant(conn, tournament_id, handle)
        if entrant is None:
            raise Refused(f"{tournament_id} has no entrant {handle}.")
        if entrant.state == "disqualified":
            return entrant
        own = tournaments.entrant_of_person(conn, tournament_id, by.address) if by.address else None
        if own is not None and own.number == entrant.number:
            raise Refused("Nobody decides about themselves; another director or arbiter can.")
        tournaments.change_entrant(conn, tournament_id, entrant.number, state="disqualified")
        _no_more_papers(conn, entrant)
        tournaments.add_act(
            conn, tournament_id, now, "disqualify", entrant.handle, who=by.address, right=by.right, why=by.why
        )
        for table, held in seats_held(conn, entrant):
            _leave(conn, open_games, tournament, table, held, now)
        subject = say("tournament.leaving.disqualified-subject", title=tournament.title)
        told = [say("tournament.leaving.disqualified", title=tournament.title, why=by.why)]
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, "disqualified"))
        preparation.invite_next(conn, open_games.writer, tournament, now)
        promote(conn, open_games, tournament, now)
    return entrant


def _leave(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, held: Tenure, now: datetime
) -> None:
    """A seat is left. Where its game has not begun the next standby has it as if they had been drawn."""
    if table.state == "playing":
        vacate_seat(conn, open_games, table, held, now, resigned=True)
        then = next(each for each in rows.now_sitting(conn, tournament.id, *table.place) if each.dot == held.dot)
        ask_next_standby(conn, open_games, tournament, table, then, now)
        return
    replace_before_play(conn, open_games, tournament, table, held, now)


def _no_more_papers(conn: Connection, entrant: Entrant, but_not: tuple[str, ...] = ()) -> None:
    for paper in tournaments.papers_of(conn, entrant.tournament_id):
        if paper.entrant == entrant.number and paper.kind not in but_not:
            tournaments.set_paper_state(conn, paper.id, "gone")
