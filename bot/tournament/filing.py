"""What entrants file: wishes for factions under seal, protests, votes, and that they withdraw or are ready.

A paper lies sealed until the desk opens it; a new one takes the place of the old. Its writer is told what it says, and
nobody else that there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from bot.competition.factions.auction import read_worths
from bot.competition.factions.box import box_of
from bot.competition.factions.naming import PaperRefused, faction_named
from bot.competition.factions.preferences import read_preferences
from bot.competition.factions.trades import read_trade
from bot.competition.factions.two_cards import read_choice
from bot.competition.settings import Assigning
from bot.games.open_games import OpenGames
from bot.store.database import Connection
from bot.store.tournaments import entrants, papers, rounds
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import entering, faction_choices, leaving, protests, standing, substitutes, voting
from bot.tournament.answered import Answered
from bot.tournament.desk import By, Refused
from bot.tournament.mail_commands import Games
from bot.tournament.mail_lines import FORMS
from bot.tournament.places import written
from bot.wording.sentences import say
from rules.components import Faction, as_faction

Kind = Literal["preferences", "worths", "keep", "swap"]
WANTED: dict[Kind, Assigning] = {
    "preferences": "preference", "worths": "auction", "keep": "two-cards", "swap": "trade"
}  # fmt: skip
VERB: dict[Kind, str] = {"preferences": "preferences", "worths": "bid", "keep": "keep", "swap": "trade"}
MOST_WORDS = 500


def seal(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, kind: Kind, words: str,
    table: str, now: datetime,
) -> Answered:  # fmt: skip
    """File a wish for a faction, if that is how they are given here. Preferences stand for all their tables."""
    if tournament.settings.factions.by != WANTED[kind]:
        return Answered("refused", say(f"tournament-factions.{tournament.settings.factions.by}"))
    words = words[:MOST_WORDS].strip(" .")
    number, place = (0, 0) if kind == "preferences" else _planned(conn, entrant, table)
    try:
        _require_readable(conn, tournament, entrant, kind, words, number, place)
    except PaperRefused as refused:
        return Answered("refused", str(refused), (FORMS[VERB[kind]],))
    papers.file(conn, Paper(tournament.id, entrant.number, kind, words, now, number, place))
    at = f"{number}.{place}" if number else ""
    return Answered("done", say("tournament-line.sealed", words=words, table=at))


def _require_readable(
    conn: Connection, tournament: Tournament, entrant: Entrant, kind: Kind, words: str, number: int, place: int
) -> None:  # fmt: skip
    """PaperRefused for words that the desk could not read when it opens them."""
    if kind == "preferences":
        read_preferences(words, box_of(tournament.settings))
        return
    drawn = next(each for each in rounds.rounds(conn, tournament.id) if each.number == number)
    record = standing.draw_of(drawn)
    table = next((t for t in record.tables if (t.round, t.table) == (number, place)), None) if record else None
    box = box_of(tournament.settings)
    played = faction_choices.factions_of(tournament.settings, record.seed, table) if record and table else box
    held = rounds.now_sitting(conn, tournament.id, number, place)
    if kind == "worths":
        read_worths(words, played)
    elif kind == "swap":
        known = {each.number: each.handle for each in entrants.of_tournament(conn, tournament.id)}
        sits = {known[t.entrant]: as_faction(t.faction) for t in held if t.entrant in known and t.faction}
        read_trade(words, entrant.handle, sits)
    else:
        offers = (
            faction_choices.offers_of(tournament.settings, tournament.secret, record.seed, table)
            if record and table
            else {}
        )
        dot = next(tenure.dot for tenure in held if tenure.entrant == entrant.number)
        drawn_for = next((seat.entrant for seat in table.seats if seat.dot == dot), "") if table else ""
        if drawn_for in offers:
            read_choice(words, offers[drawn_for])
        else:
            faction_named(words, played)


def _planned(conn: Connection, entrant: Entrant, named: str) -> tuple[int, int]:
    """The table of theirs that has been drawn, and whose factions are not settled; Refused where there is none, or
    several."""
    asked = {each.number for each in rounds.rounds(conn, entrant.tournament_id) if each.opens is not None}
    planned = rounds.tables(conn, entrant.tournament_id, 0, ["planned"])
    drawn = {table.place for table in planned if table.round in asked}
    held = rounds.now_sitting(conn, entrant.tournament_id)
    own = sorted({(t.round, t.table) for t in held if t.entrant == entrant.number and (t.round, t.table) in drawn})
    fits = [place for place in own if named in ("", f"{place[0]}.{place[1]}")]
    if len(fits) == 1:
        return fits[0]
    if not own:
        raise Refused(say("tournament-line.no-table"))
    raise Refused(say("tournament-line.which-table", tables=[f"{number}.{table}" for number, table in own]))


def withdraw(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, games: Games, now: datetime
) -> Answered:  # fmt: skip
    """They withdraw: before play at once; with games under way they say what becomes of them."""
    if not games and leaving.plays(conn, entrant):
        lines = (f"withdraw {tournament.id} keep", f"withdraw {tournament.id} leave")
        return Answered("refused", say("tournament-line.keep-or-leave"), lines)
    entering.withdraw(conn, open_games, tournament, entrant, now, By(entrant.address, "entrant"), games)
    return Answered("done", say("tournament-line.withdrawn", title=tournament.title))


def protest(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, table: str, text: str,
    now: datetime,
) -> Answered:  # fmt: skip
    """A protest about a result goes to the arbiters alone."""
    about = protests.protest(conn, open_games, tournament, entrant, table, text, now)
    return Answered("done", say("tournament-line.protest", table=written(about)))


def vote(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, factions: Sequence[Faction],
    table: str, now: datetime,
) -> Answered:  # fmt: skip
    """A secret vote about how a game ends; no factions: it is played on."""
    about = voting.vote(conn, open_games, tournament, entrant, list(factions) or None, now, table)
    return Answered("done", say("tournament-line.vote", table=written(about), factions=list(factions)))


def ready(conn: Connection, tournament: Tournament, entrant: Entrant, now: datetime, *, wanted: bool) -> Answered:
    """They want the next table of a ladder, or no longer."""
    if tournament.settings.format != "ladder":
        return Answered("refused", say("tournament-line.no-ladder"))
    own = [paper for paper in papers.of_tournament(conn, tournament.id, "ready") if paper.entrant == entrant.number]
    if not wanted:
        for paper in own:
            papers.set_state(conn, paper.id, "gone")
        return Answered("done", say("tournament-line.not-ready"))
    if not own:
        papers.file(conn, Paper(tournament.id, entrant.number, "ready", "", now))
    return Answered("done", say("tournament-line.ready"))


def answer(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime, *,
    accepted: bool,
) -> Answered:  # fmt: skip
    """The answer to a seat that they were asked to take."""
    substitutes.answer(conn, open_games, tournament, entrant, accepted, now)
    return Answered("done", say(f"tournament-line.{'accepted' if accepted else 'declined'}"))
