"""One's own rating: each person may ask for it by mail, and keep out of the public list."""

from __future__ import annotations

from bot.competition.ratings import RANKED_FROM, uncertainty
from bot.competition.statistics.reliability import shown
from bot.orders.commands import MailCommand, RatingPrivate, ShowRating
from bot.post.answered import Answered
from bot.store import duties, ratings
from bot.store.database import Connection
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def answer_about_rating(conn: Connection, table: Table, faction: Faction, command: MailCommand) -> Answered | None:
    """Carry out a request about a rating; None if the command is none."""
    own = table.seats[faction].address
    match command:
        case ShowRating():
            return Answered("done", _told(conn, own))
        case RatingPrivate(private):
            ratings.set_private(conn, ratings.person_of(conn, own), private)
            return Answered("done", say("own-rating.private" if private else "own-rating.public"))
    return None


def _told(conn: Connection, address: str) -> str:
    rated, had = ratings.of_person(conn, address), duties.of_person(conn, address)
    said = say(
        "own-rating.rating", rating=round(rated.rating), uncertainty=uncertainty(rated.games), games=rated.games,
        enough=RANKED_FROM,
    )  # fmt: skip
    reliable = say("own-rating.reliability", reliability=shown(had.on_time, had.duties), duties=had.duties)
    return f"{said}\n{reliable}"
