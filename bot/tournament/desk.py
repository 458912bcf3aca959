"""The framework of an organiser's act, in one transaction: the rights that it needs, and the table that it concerns.

Either the whole act takes place, including its letters, or none of it. If the state of the tournament does not permit
an act, it is refused with a sentence that says what would be possible. Repeating an act changes nothing, and the answer
says so. Every change to the entrants, a table or a result is logged as an act, and the revision of a tournament is the
number of its acts.

Organisers hold rights. A `director` may do everything. An `arbiter` rules on disputes and adjudicates games. A `clerk`
looks after entrants, clocks and letters, and sees no secrets. An `auditor` may read everything after the end. A person
who plays in the tournament can be a clerk at most. Two addresses belong to the same person if they differ only in tags
and letter case. For checking a person's rights, addresses are compared as written (``known_as`` in the store).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.config import Settings
from bot.config.time_zones import zone_named
from bot.games.identity import are_one_person, identifiers
from bot.games.open_games import OpenGames, Session, act
from bot.mail.identity import confirmation_code, is_one_address, is_own_address, reply_token
from bot.store import acts, people, press, tournaments
from bot.store import tournament_rounds as rows
from bot.store.acts import CLERKS, DIRECTORS, JUDGES, Audience, DeskAct, GrantedRight, Right
from bot.store.database import Connection, DatabaseUnavailable
from bot.store.people import CODE_HOLDS
from bot.store.tournament_rounds import RoundTable, Tenure
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.wording import clock_of, moment, say
from bot.wording.filters import either


class Refused(ValueError):
    """Raised if an act is impossible. The message gives the reason and says what would be possible instead."""


@dataclass(frozen=True, slots=True)
class By:
    """The person who acts: their address, the right that permits the act, and their reason. A person at the machine's
    command line acts as a director.

    ``seen`` is the revision of the tournament that this person last saw. If the tournament has changed since, the act
    is refused; None accepts any revision. ``named`` is the person's name in letters, by default the name of the right.
    """

    address: str = ""
    right: Right | str = "director"
    why: str = ""
    seen: int | None = None
    named: str = ""


DIRECTOR = By()
"""A person at the machine's command line."""


@dataclass(frozen=True, slots=True)
class Caller:
    games: OpenGames
    now: datetime
    by: By = DIRECTOR
    dry_run: bool = False


BY_ITSELF = By("", "", "")
"""No person: the act follows from the calendar or from the end of a game."""


@dataclass(frozen=True, slots=True)
class Power:
    """A kind of act on a tournament. ``rights`` are the rights that permit it, ``audience`` is the group that may read
    about it in the act log, and ``command`` is its name in that log if it has another name there."""

    rights: tuple[str, ...] = ()
    audience: Audience = "all"
    command: str = ""


POWERS: Mapping[str, Power] = {
    "new": Power(DIRECTORS),
    "open": Power(DIRECTORS),
    "amend settings": Power(DIRECTORS),
    tournaments.SCORING_CHANGED: Power(DIRECTORS),
    "cancel": Power(DIRECTORS),
    "tell": Power(CLERKS),
    "grant": Power(DIRECTORS, "entrants"),
    "handover": Power(DIRECTORS, "directors"),
    "take over": Power(command="handover"),
    "deputy": Power(),
    "enter": Power(CLERKS, "directors"),
    "confirm": Power(audience="directors"),
    "hold": Power(DIRECTORS),
    "answer": Power(audience="directors"),
    "withdraw": Power(audience="directors"),
    "invite": Power(audience="directors"),
    "let in": Power(audience="directors"),
    "advance": Power(audience="directors"),
    "disqualify": Power(JUDGES),
    "apart": Power(DIRECTORS, "directors"),
    "close entries": Power(DIRECTORS),
    "check in": Power(audience="directors"),
    "freeze": Power(DIRECTORS),
    "beacon": Power(JUDGES),
    "draw": Power(DIRECTORS),
    "void draw": Power(DIRECTORS),
    "draw stands": Power(),
    "factions": Power(),
    "trade": Power(),
    "start": Power(DIRECTORS),
    "extend": Power(DIRECTORS),
    "close": Power(DIRECTORS),
    "notice": Power(DIRECTORS, "directors"),
    "late": Power(audience="directors"),
    "time back": Power(audience="directors"),
    "outage": Power(),
    "pause": Power(DIRECTORS),
    "resume": Power(DIRECTORS),
    "substitute": Power(DIRECTORS, "directors"),
    "seat taken": Power(audience="directors"),
    "vacant": Power(audience="directors"),
    "no-show": Power(audience="directors"),
    "silent": Power(audience="directors"),
    "back": Power(audience="directors"),
    "vote": Power(audience="directors"),
    "adjudicate": Power(JUDGES),
    "result": Power(),
    "confirm result": Power(command="confirm"),
    "withdraw result": Power(),
    "protest": Power(audience="directors"),
    "dismiss": Power(JUDGES, "directors"),
    "void": Power(JUDGES),
    "finish": Power(DIRECTORS),
}


@contextmanager
def acting(caller: Caller, tournament_id: str) -> Iterator[tuple[Session, Tournament]]:
    """Open one exclusive transaction for one act.

    Raise UnknownTournament if no tournament has this id, and Refused if the tournament has changed since the person saw
    it (``By``). A dry run does everything, lists the letters that would be written (``would_be_written``), and then
    rolls everything back.
    """
    with act(caller.games, caller.now, dry_run=caller.dry_run) as session:
        tournament, seen = tournaments.find_tournament(session.conn, tournament_id), caller.by.seen
        if seen not in (None, tournament.revision):
            raise Refused(
                f"{tournament_id} has changed since (it is at revision {tournament.revision}, not {seen}): "
                f"look at it with `mentat tournament show {tournament_id}` and try again."
            )
        yield session, tournament


log = logging.getLogger(__name__)
_TABLE_NAME = re.compile(r"(?:([0-9]{1,5})[./-])?([0-9]{1,5})", re.ASCII)


def table_name(table: RoundTable) -> str:
    return f"{table.round}.{table.number}"


def find_table(conn: Connection, tournament_id: str, said: str) -> RoundTable:
    """Find a table by its round and number ("1.3"), by its number alone if only one round is being played, or by its
    game. Raise Refused if there is no such table."""
    every = rows.tables_of(conn, tournament_id)
    found = _TABLE_NAME.fullmatch(said.strip())
    if found and found[1]:
        fits = [table for table in every if table.place == (int(found[1]), int(found[2]))]
    elif found:
        open_now = [each.number for each in rows.rounds_of(conn, tournament_id) if each.state != "closed"]
        fits = [table for table in every if table.number == int(found[2]) and table.round in open_now]
    else:
        fits = [table for table in every if table.game_id and table.game_id == said.strip()]
    if len(fits) == 1:
        return fits[0]
    if fits:
        named = ", ".join(map(table_name, fits))
        raise Refused(f"{said} may be one of several tables ({named}): name it with its round.")
    raise Refused(f"{tournament_id} has no table {said!r}; name it like 1.3, the third table of round 1.")


def reload_table(conn: Connection, table: RoundTable) -> RoundTable:
    found = rows.tables_of(conn, table.tournament_id, table.round)
    return next(each for each in found if each.number == table.number)


def entrants_by_number(conn: Connection, tournament_id: str) -> Mapping[int, Entrant]:
    return {entrant.number: entrant for entrant in tournaments.entrants_of(conn, tournament_id)}


def seat_holders(conn: Connection, table: RoundTable) -> list[tuple[Tenure, Entrant | None]]:
    known = entrants_by_number(conn, table.tournament_id)
    held = rows.now_sitting(conn, table.tournament_id, table.round, table.number)
    return [(tenure, known.get(tenure.entrant)) for tenure in held]


def players_at(conn: Connection, table: RoundTable) -> list[Entrant]:
    return [entrant for _, entrant in seat_holders(conn, table) if entrant is not None]


def all_players_at(conn: Connection, table: RoundTable) -> list[Entrant]:
    known = entrants_by_number(conn, table.tournament_id)
    held = rows.tenures_of(conn, table.tournament_id, table.round, table.number)
    return [known[number] for number in dict.fromkeys(tenure.entrant for tenure in held) if number in known]


def require_unconcerned(conn: Connection, table: RoundTable, by: By) -> None:
    """Raise Refused if the person who decides sits or has sat at the table, observes its game with all secrets visible,
    or is kept apart from somebody there. The message does not name that player."""
    if not by.address:
        return
    known = people.known_as(conn, by.address)
    there = all_players_at(conn, table)
    if any(entrant.address in known for entrant in there):
        raise Refused(f"A player at table {table_name(table)} cannot decide about it; another arbiter can.")
    watching = press.observers_of_game(conn, table.game_id) if table.game_id else ()
    if any(each.full and each.address in known for each in watching):
        raise Refused(f"You observe table {table_name(table)} with all secrets visible; another arbiter can decide.")
    own = tournaments.entrant_of_person(conn, table.tournament_id, by.address)
    if own is None:
        return
    seated = {entrant.number for entrant in there}
    for pair in tournaments.pairs_apart(conn, table.tournament_id):
        if own.number in (pair.one, pair.other) and {pair.one, pair.other} - {own.number} <= seated:
            raise Refused(f"You cannot decide about table {table_name(table)}: you are involved; another arbiter can.")


def is_unconcerned(conn: Connection, table: RoundTable, address: str) -> bool:
    try:
        require_unconcerned(conn, table, By(address))
    except Refused:
        return False
    return True


def require_power(conn: Connection, tournament_id: str, by: By, power: str) -> None:
    """Raise Refused if this person's right does not include ``power``. A person at the machine's command line may do
    everything."""
    if not by.address:
        return
    granted, wanted = acts.right_of(conn, by.address, tournament_id=tournament_id), POWERS[power].rights
    if granted is None or granted.right not in wanted:
        raise Refused(f"This needs the {either(wanted)} right in {tournament_id}; {by.address} lacks it.")


def log_act(session: Session, tournament_id: str, power: str, words: str, by: By = BY_ITSELF) -> None:
    done = POWERS[power]
    tournaments.touch(session.conn, tournament_id)
    what = done.command or power
    made = DeskAct(session.now, what, by.why, by.address, by.right, words, audience=done.audience)
    acts.log_act(session.conn, made, tournament_id=tournament_id)


def was_logged(conn: Connection, tournament_id: str, power: str, words: str) -> bool:
    return any((act.what, act.words) == (power, words) for act in acts.acts_of(conn, tournament_id=tournament_id))


def local_instant(when: datetime, entrant: Entrant) -> str:
    zone = zone_named(entrant.timezone)
    return f"{moment(when, zone)} {clock_of(zone)}"


@contextmanager
def guarded(what: str, table: str) -> Iterator[None]:
    """Log any failure in the work on one table, so that the work on the other tables continues. The failed work is
    retried later."""
    try:
        yield
    except DatabaseUnavailable:
        raise
    except Exception:
        log.exception("%s failed for %s and will be retried", what, table)


def hold_of(conn: Connection, tournament_id: str, now: datetime, step: str = "") -> Paper | None:
    held = [
        paper for paper in tournaments.papers_of(conn, tournament_id, "hold") if not paper.until or paper.until > now
    ]
    return next((paper for paper in held if paper.words.partition("\n")[0] in ("", step)), None)


def entrant_behind(conn: Connection, settings: Settings, tournament_id: str, address: str) -> Entrant | None:
    known = tournaments.entrant_of_person(conn, tournament_id, address)
    if known is not None or settings.identity.tags_apart:
        return known
    return tournaments.entrant_at_mailbox(conn, tournament_id, identifiers(conn, settings, address))


def right_behind(conn: Connection, settings: Settings, tournament_id: str, address: str) -> GrantedRight | None:
    granted = acts.rights_of(conn, tournament_id=tournament_id)
    return next((each for each in granted if are_one_person(conn, settings, each.address, address)), None)


TAKES_PART = ("invited", "entered", "confirmed", "playing", "advanced", "standby")
MAY_PLAY = ("clerk",)
"""The rights that a person may hold while they play."""


def grant_right(caller: Caller, tournament_id: str, address: str, right: Right) -> bool:
    """Give a person this right in place of any earlier one. Return False if they already have it."""
    address = _checked(caller.games, address)
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "grant")
        had = acts.right_of(conn, address, tournament_id=tournament_id)
        if had is not None and had.right == right:
            return False
        _require_no_player(conn, caller.games.settings, tournament, address, right)
        given = _give(session, tournament, had.address if had else address, right)
        words = f"the right {right} was granted"
        log_act(session, tournament_id, "grant", words, caller.by)
        told = [say("tournament-desk.granted", title=tournament.title, right=right)]
        subject = say("tournament-desk.granted-subject", title=tournament.title)
        cause = f"tournament.{tournament_id}.{address}.granted.{right}.{stamp(caller.now)}"
        session.writer.tell(given.address, subject, told, cause, given.token)
        return True


def grant_by_mail(caller: Caller, tournament_id: str, right: Right, address: str) -> bool:
    return grant_right(caller, tournament_id, address, right)


def hand_over(caller: Caller, tournament_id: str, address: str) -> bool:
    """Offer a person the role of sole director. Return False if they already have it. They accept by sending back, from
    their own address, the code that Mentat sends them. Nothing changes until then."""
    address = _checked(caller.games, address)
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "handover")
        if tournament.state in ("finished", "cancelled"):
            raise Refused(f"{tournament_id} is {tournament.state}; there is nothing left to hand over.")
        directors = [
            who.address for who in acts.rights_of(conn, tournament_id=tournament_id) if who.right == "director"
        ]
        if directors == [address]:
            return False
        _require_no_player(conn, caller.games.settings, tournament, address, "director")
        code = confirmation_code(caller.games.settings.key, "handover", tournament_id, address, stamp(caller.now))
        tournaments.file_paper(
            conn, Paper(tournament_id, 0, "handover", f"{code} {address}", caller.now, until=caller.now + CODE_HOLDS)
        )
        log_act(session, tournament_id, "handover", "somebody was asked to be the director", caller.by)
        told = [
            say("tournament-desk.handover", title=tournament.title, id=tournament_id),
            say("tournament-desk.handover-how", code=code),
            say("tournament-desk.handover-until", days=CODE_HOLDS // timedelta(days=1)),
        ]
        subject = say("tournament-desk.handover-subject", title=tournament.title)
        cause = f"tournament.{tournament_id}.{address}.handover.{stamp(caller.now)}"
        session.writer.tell(address, subject, told, cause)
        return True


def confirm_handover(session: Session, code: str, sender: str) -> bool:
    """Make the person who sent back the code the sole director. Return False if the code is unknown or has expired, if
    the mail came from another address, or if that person is playing. ``code`` may belong to any tournament."""
    for tournament in tournaments.all_tournaments(session.conn, "draft", "open", "drawn", "running"):
        for paper in tournaments.papers_of(session.conn, tournament.id, "handover"):
            if paper.words != f"{code} {sender}" or (paper.until is not None and paper.until <= session.now):
                continue
            if _plays(session.conn, session.settings, tournament, sender):
                continue
            tournaments.set_paper_state(session.conn, paper.id, "answered", words=sender)
            to = _known_as(session.conn, tournament, sender)
            for who in acts.rights_of(session.conn, tournament_id=tournament.id):
                if who.right in ("director", "deputy"):
                    acts.revoke_right(session.conn, who)
                    told = [say("tournament-desk.handed-over", title=tournament.title, to=to)]
                    cause = f"tournament.{tournament.id}.{who.address}.handed-over.{stamp(session.now)}"
                    subject = say("tournament-desk.handed-over-subject", title=tournament.title)
                    session.writer.tell(who.address, subject, told, cause)
            given = _give(session, tournament, sender, "director")
            words = "there is a new director; the rights of the former ones have ended"
            log_act(session, tournament.id, "take over", words, By(sender, "director"))
            told = [say("tournament-desk.director", title=tournament.title, id=tournament.id)]
            subject = say("tournament-desk.director-subject", title=tournament.title)
            cause = f"tournament.{tournament.id}.{sender}.director.{stamp(session.now)}"
            session.writer.tell(sender, subject, told, cause, given.token)
            return True
    return False


def _known_as(conn: Connection, tournament: Tournament, address: str) -> str:
    """Return the public name of a new director: their handle as an entrant, and their name if they allow it. Return ""
    for a person who never took part. The address stays secret."""
    own = tournaments.entrant_of_person(conn, tournament.id, address)
    return own.public_name if own is not None and own.confirmed_at else ""


def _give(session: Session, tournament: Tournament, address: str, right: Right) -> GrantedRight:
    secret = session.settings.key
    token = reply_token(secret, f"tournament {tournament.id} rights", f"{address} {right} {stamp(session.now)}")
    given = GrantedRight(address, right, token, session.now, tournament_id=tournament.id)
    acts.grant_right(session.conn, given)
    return given


def _checked(open_games: OpenGames, address: str) -> str:
    said = address.strip().lower()
    if not is_one_address(said):
        raise Refused(f"{address[:80]!r} is not one mail address, like ann@example.org.")
    if is_own_address(said, open_games.settings.mentat.address):
        raise Refused(say("desk.own-address", address=said))
    return said


def _plays(conn: Connection, settings: Settings, tournament: Tournament, address: str) -> Entrant | None:
    own = entrant_behind(conn, settings, tournament.id, address)
    return own if own is not None and own.state in TAKES_PART else None


def _require_no_player(
    conn: Connection, settings: Settings, tournament: Tournament, address: str, right: Right
) -> None:
    own = _plays(conn, settings, tournament, address)
    if own is not None and right not in MAY_PLAY:
        raise Refused(
            f"{address} takes part in {tournament.id} as {own.handle}: a player can be its clerk, but not its {right}."
        )
