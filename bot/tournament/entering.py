"""Entering a tournament: asked for by mail or by a director, ended by a code that comes back from the address itself.

What an address is told before it has confirmed does not show who takes part: that there is no such tournament, that
they are not invited and that they are in already are the same answer (``bot.tournament.mail_orders``). Where the truth
matters it goes to the address on file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from bot.clock.instants import stamp
from bot.config import Settings
from bot.games import observers
from bot.games.open_games import OpenGames
from bot.identity.harmless import harmless
from bot.mail.identity import confirmation_code, is_own_address, reply_token
from bot.store import addresses, bans
from bot.store.bans import Ban
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import connections, entry_letters, leaving, waiting_list
from bot.tournament.desk import By, Refused, acting
from bot.tournament.form_at_entry import form_at_entry
from bot.tournament.mail_commands import Games
from bot.tournament.organisers import MAY_PLAY
from bot.tournament.places import require_right
from bot.tournament.progress import promote
from bot.tournament.same_person import entrant_of, right_of
from bot.wording.sentences import say

CODE_HOLDS = addresses.CODE_HOLDS
MOST_GUESSES = 5
DIRECTOR = By()
HERE = ("entered", "confirmed", "invited", "standby", "playing", "advanced", "out")
"""The states of who is in."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants to enter: their address, the name they give, and whether only as a substitute. ``shown``: they gave the
    name themselves, so it may be published."""

    address: str
    name: str = ""
    standby: bool = False
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of it: ``asked`` (a code was made), ``again`` (they have one already), ``in`` (they take part)."""

    entrant: Entrant
    how: Literal["asked", "again", "in"]


def enter(
    open_games: OpenGames, tournament_id: str, address: str, now: datetime, *, name: str = "", standby: bool = False,
    by: By = DIRECTOR, dry_run: bool = False,
) -> Asked:  # fmt: skip
    """A director enters somebody, who still has to confirm by mail. Refused where nobody can enter, or not they, as
    they are banned or direct it; UnknownTournament."""
    with acting(open_games, tournament_id, dry_run=dry_run) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy", "clerk")
        address = address.strip().lower()
        if tournament.state in ("draft", "finished", "cancelled"):
            raise Refused(say(f"tournament-refused.{tournament.state}", id=tournament.id))
        if is_own_address(address, open_games.settings.mentat.address):
            raise Refused(say("desk.own-address", address=address))
        if directs(conn, open_games.settings, tournament, address):
            raise Refused(say("tournament-refused.organiser", id=tournament.id))
        if ban := _ban_of(conn, open_games.settings, tournament.id, address, now):
            raise Refused(say("tournament-refused.banned", address=address, only=ban.tournament_id))
        asked = ask(conn, open_games, tournament, Wish(address, name, standby), now)
        if asked.how == "in":
            return asked
        if asked.how == "asked":
            words = f"{asked.entrant.handle} was entered by a {by.right}"
            acts.add(
                conn, tournament.id, now, "enter", words, who=by.address, right=by.right, why=by.why,
                audience="directors",
            )  # fmt: skip
        return replace(asked, entrant=write_code(conn, open_games, tournament, asked.entrant, now))


def directs(conn: Connection, settings: Settings, tournament: Tournament, address: str) -> bool:
    """Whether somebody has a right by which they cannot play: whoever plays can be no more than a clerk."""
    granted = right_of(conn, settings, tournament.id, address)
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
    return bans.standing(conn, address, now, tournament_id, tags_apart=settings.identity.tags_apart)


def _barred(conn: Connection, tournament: Tournament, sender: str) -> bool:
    """Whether they did not show up in an earlier tournament that keeps such players out of the next one, and this is
    the next."""
    before = [each for each in tournaments.every(conn) if each.created_at < tournament.created_at]
    missed = {own.tournament_id for own in entrants.everywhere(conn, sender) if own.no_show}
    return bool(before) and before[-1].id in missed and before[-1].settings.people.no_show_bars_next


def ask(conn: Connection, open_games: OpenGames, tournament: Tournament, wish: Wish, now: datetime) -> Asked:
    """Note that somebody wants to enter. Whoever is in by any address of theirs is the same entrant; whoever withdrew
    comes back as the same. The letter with the code is written by ``write_code``."""
    known = entrant_of(conn, open_games.settings, tournament.id, wish.address)
    if known is not None and known.state in HERE:
        if known.state != "entered":
            return Asked(known, "in")
        over = known.guesses >= MOST_GUESSES or (known.code_until is not None and known.code_until <= now)
        return Asked(_with_new_code(conn, open_games, known, now) if over else known, "again")
    if known is not None:
        entrants.change(conn, tournament.id, known.number, state="entered", standby=wish.standby)
        return Asked(_with_new_code(conn, open_games, replace(known, state="entered"), now), "asked")
    number = entrants.next_number(conn, tournament.id)
    handle = entrants.handle(number)
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    name = harmless(wish.name, open_games.settings.mentat.address)
    entrant = Entrant(
        tournament.id, number, handle, wish.address, reply_token(secret, f"tournament {tournament.id}", handle), now,
        name, shown=wish.shown and bool(wish.name), standby=wish.standby,
        code=confirmation_code(secret, "tournament", tournament.id, handle, wish.address, stamp(now)),
    )  # fmt: skip
    entrants.add(conn, entrant)
    tournaments.touch(conn, tournament.id)
    return Asked(entrant, "asked")


def _with_new_code(conn: Connection, open_games: OpenGames, entrant: Entrant, now: datetime) -> Entrant:
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    code = confirmation_code(
        secret, "tournament", entrant.tournament_id, entrant.handle, entrant.address, stamp(now)
    )  # fmt: skip
    changed = {"code": code, "code_until": None, "guesses": 0}
    entrants.change(conn, entrant.tournament_id, entrant.number, **changed)
    return replace(entrant, code=code, code_until=None, guesses=0)


def write_code(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime, *,
    answers: str = "",
) -> Entrant:  # fmt: skip
    """The letter with the code, to the address that wants to enter. The code holds from the first of them on."""
    until = entrant.code_until or now + CODE_HOLDS
    entrants.change(conn, tournament.id, entrant.number, code_until=until)
    entrant = replace(entrant, code_until=until)
    entry_letters.code(conn, open_games.writer, tournament, entrant, now, answers)
    return entrant


def confirm(conn: Connection, open_games: OpenGames, code: str, sender: str, now: datetime) -> Entrant | None:
    """The code came back. None where it is none of this address, was used or is over; who guesses does not use up a
    code, but has five guesses of their own."""
    found = entrants.by_code(conn, code)
    fits = (
        found is not None and found.state == "entered" and found.address == sender and found.guesses < MOST_GUESSES
        and found.code_until is not None and now < found.code_until
    )  # fmt: skip
    if found is None or not fits:
        for own in entrants.everywhere(conn, sender):
            if own.state == "entered" and own.code and own.address == sender:
                entrants.change(conn, own.tournament_id, own.number, guesses=own.guesses + 1)
        return None
    tournament = tournaments.find(conn, found.tournament_id)
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
    full = waiting_list.is_full(conn, tournament)
    rating, reliability = form_at_entry(conn, found.address)
    changed = {
        "state": "standby" if late or full or found.standby else "confirmed", "code": "", "code_until": None,
        "guesses": 0, "confirmed_at": now, "rating": rating, "reliability": reliability,
        "conduct": entry_letters.conduct_digest(tournament),
    }  # fmt: skip
    entrants.change(conn, tournament.id, found.number, **changed)
    tournaments.touch(conn, tournament.id)
    entrant = entrants.find(conn, tournament.id, found.handle)
    assert entrant is not None, "they were found a moment ago"
    connections.part(conn, tournament.id)
    observed = observers.strike_out_entrant(conn, entrant.address)
    acts.add(conn, tournament.id, now, "confirm", f"{entrant.handle} confirmed", audience="directors")
    why: entry_letters.Place = "substitute" if found.standby else "late" if late else "full" if full else "in"
    place = waiting_list.place_of(conn, entrant)
    entry_letters.confirmed(conn, open_games.writer, tournament, entrant, now, why, place, observed)
    return entrant


def withdraw(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime, by: By,
    games: Games = "",
) -> None:  # fmt: skip
    """They take no part any more; the next on the waiting list is invited. Who holds a seat must say what becomes of
    their games; Refused until they do (``bot.tournament.leaving``)."""
    if entrant.state in ("withdrawn", "disqualified"):
        return
    if leaving.seats_of(conn, entrant):
        leaving.withdraw(conn, open_games, tournament, entrant, games, by, now)
        return
    entrants.change(conn, tournament.id, entrant.number, state="withdrawn", code="", code_until=None)
    tournaments.touch(conn, tournament.id)
    waiting_list.close_invitations(conn, entrant)
    acts.add(
        conn, tournament.id, now, "withdraw", f"{entrant.handle} withdrew", who=by.address, right=by.right, why=by.why,
        audience="directors",
    )  # fmt: skip
    if entrant.confirmed_at:
        entry_letters.withdrawn(conn, open_games.writer, tournament, entrant, now)
    waiting_list.fill(conn, open_games.writer, tournaments.find(conn, tournament.id), now)
    promote(conn, open_games, tournaments.find(conn, tournament.id), now)
