"""Who may do what in a tournament: rights are granted, and a tournament is handed over to another director.

`director` may do all; `arbiter` rules and adjudicates; `clerk` looks after roster, clocks and letters, and sees no
secrets; `auditor` reads everything after the end. Whoever plays in the tournament can be no more than a clerk.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clock.instants import stamp
from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.mail.identity import confirmation_code, is_own_address, reply_token
from bot.mail.typed_address import is_one_address
from bot.store.addresses import CODE_HOLDS
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, papers, rights, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.rights import Granted, Right
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import DIRECTOR, By, Refused, acting
from bot.tournament.places import require_right
from bot.tournament.same_person import entrant_of
from bot.wording.sentences import say

TAKES_PART = ("invited", "entered", "confirmed", "playing", "advanced", "standby")
MAY_PLAY = ("clerk",)
"""What somebody who plays may be besides."""


def grant(
    open_games: OpenGames, tournament_id: str, address: str, right: Right, now: datetime, *, by: By = DIRECTOR,
    dry_run: bool = False,
) -> bool:  # fmt: skip
    """Give somebody a right, in the place of one that they had; False if they have it already."""
    address = _checked(open_games, address)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        had = rights.of_person(conn, tournament_id, address)
        if had is not None and had.right == right:
            return False
        _require_no_player(conn, open_games.settings, tournament, address, right)
        given = _give(conn, open_games, tournament, had.address if had else address, right, now)
        words = f"the right {right} was granted"
        acts.add(
            conn, tournament_id, now, "grant", words, who=by.address, right=by.right, why=by.why, audience="entrants"
        )  # fmt: skip
        told = [say("tournament-desk.granted", title=tournament.title, right=right)]
        subject = say("tournament-desk.granted-subject", title=tournament.title)
        cause = f"tournament.{tournament_id}.{address}.granted.{right}.{stamp(now)}"
        open_games.writer.tell(conn, now, given.address, subject, told, cause, given.token)
        return True


def hand_over(
    open_games: OpenGames, tournament_id: str, address: str, now: datetime, *, by: By = DIRECTOR, dry_run: bool = False
) -> bool:
    """Ask somebody to be the director instead of those who are. They answer from their own address with the code that
    they are sent; until then nothing changes. False if they are the only director already."""
    address = _checked(open_games, address)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        if tournament.state in ("finished", "cancelled"):
            raise Refused(f"{tournament_id} is {tournament.state}; there is nothing to hand over any more.")
        directors = [who.address for who in rights.of_tournament(conn, tournament_id) if who.right == "director"]
        if directors == [address]:
            return False
        _require_no_player(conn, open_games.settings, tournament, address, "director")
        secret = open_games.settings.secrets.secret.get_secret_value().encode()
        code = confirmation_code(secret, "handover", tournament_id, address, stamp(now))
        papers.file(conn, Paper(tournament_id, 0, "handover", f"{code} {address}", now, until=now + CODE_HOLDS))
        acts.add(
            conn, tournament_id, now, "handover", "somebody was asked to be the director", who=by.address,
            right=by.right, why=by.why, audience="directors",
        )  # fmt: skip
        told = [
            say("tournament-desk.handover", title=tournament.title, id=tournament_id),
            say("tournament-desk.handover-how", code=code),
            say("tournament-desk.handover-until", days=CODE_HOLDS // timedelta(days=1)),
        ]
        subject = say("tournament-desk.handover-subject", title=tournament.title)
        cause = f"tournament.{tournament_id}.{address}.handover.{stamp(now)}"
        open_games.writer.tell(conn, now, address, subject, told, cause)
        return True


def confirm_handover(conn: Connection, open_games: OpenGames, code: str, sender: str, now: datetime) -> bool:
    """The code came back from the address to which it was sent: they are the director, and nobody else is any more.
    False for any other code or address, or one that is over, and as long as they take part themselves. ``code`` may
    stand for a tournament of any name."""
    for tournament in tournaments.every(conn, "draft", "open", "drawn", "running"):
        for paper in papers.of_tournament(conn, tournament.id, "handover"):
            if paper.words != f"{code} {sender}" or (paper.until is not None and paper.until <= now):
                continue
            if _plays(conn, open_games.settings, tournament, sender):
                continue
            papers.set_state(conn, paper.id, "answered", words=sender)
            to = _known_as(conn, tournament, sender)
            for who in rights.of_tournament(conn, tournament.id):
                if who.right in ("director", "deputy"):
                    rights.revoke(conn, tournament.id, who.address)
                    told = [say("tournament-desk.handed-over", title=tournament.title, to=to)]
                    cause = f"tournament.{tournament.id}.{who.address}.handed-over.{stamp(now)}"
                    subject = say("tournament-desk.handed-over-subject", title=tournament.title)
                    open_games.writer.tell(conn, now, who.address, subject, told, cause)
            given = _give(conn, open_games, tournament, sender, "director", now)
            tournaments.touch(conn, tournament.id)
            words = "there is a new director; the rights of the former ones have ended"
            acts.add(conn, tournament.id, now, "handover", words, who=sender, right="director")
            told = [say("tournament-desk.director", title=tournament.title, id=tournament.id)]
            subject = say("tournament-desk.director-subject", title=tournament.title)
            cause = f"tournament.{tournament.id}.{sender}.director.{stamp(now)}"
            open_games.writer.tell(conn, now, sender, subject, told, cause, given.token)
            return True
    return False


def _known_as(conn: Connection, tournament: Tournament, address: str) -> str:
    """How a new director is named to others: as the entrant whom they were here, by handle, with the name if they let
    it be shown. Empty for somebody who never took part. Their address is told to nobody."""
    own = entrants.of_person(conn, tournament.id, address)
    return own.public_name if own is not None and own.confirmed_at else ""


def _give(
    conn: Connection, open_games: OpenGames, tournament: Tournament, address: str, right: Right, now: datetime
) -> Granted:
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    token = reply_token(secret, f"tournament {tournament.id} rights", f"{address} {right} {stamp(now)}")
    given = Granted(tournament.id, address, right, token, now)
    rights.grant(conn, given)
    return given


def _checked(open_games: OpenGames, address: str) -> str:
    said = address.strip().lower()
    if not is_one_address(said):
        raise Refused(f"{address[:80]!r} is not one mail address, like ann@example.org.")
    if is_own_address(said, open_games.settings.mentat.address):
        raise Refused(say("desk.own-address", address=said))
    return said


def _plays(conn: Connection, settings: Settings, tournament: Tournament, address: str) -> Entrant | None:
    """The entrant who is this person, if they take part."""
    own = entrant_of(conn, settings, tournament.id, address)
    return own if own is not None and own.state in TAKES_PART else None


def _require_no_player(
    conn: Connection, settings: Settings, tournament: Tournament, address: str, right: Right
) -> None:  # fmt: skip
    own = _plays(conn, settings, tournament, address)
    if own is not None and right not in MAY_PLAY:
        raise Refused(
            f"{address} takes part in {tournament.id} as {own.handle}: whoever plays can be its clerk, but not its "
            f"{right}."
        )
