"""From round to round: which comes next and for whom, who has advanced and who is out, and how a tournament ends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.clock.instants import stamp
from bot.competition.outcomes import Handle
from bot.competition.progress import After, Differs, Field, Next, Past, after, would_have_differed
from bot.competition.published import EntrantState
from bot.games.open_games import OpenGames
from bot.store.database import Connection, reading
from bot.store.tournaments import acts, entrants, papers, results, tournaments
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import standing
from bot.tournament.desk import By, Refused, acting
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.places import guarded, require_right
from bot.wording.sentences import say

ABLE: tuple[EntrantState, ...] = ("confirmed", "playing", "advanced", "out")
"""Who may still be drawn; who is out may come back to fill a place."""

CHOSEN = ("semifinal", "final", "knockout")
"""Rounds that not everybody plays."""


def following(conn: Connection, tournament: Tournament) -> After:
    """What comes after the rounds that there are."""
    past = [Past(each.number, each.kind, each.state) for each in rows.rounds(conn, tournament.id)]
    return after(tournament.settings, past, _field(conn, tournament, None))


def _field(conn: Connection, tournament: Tournament, upto: int | None) -> Field:
    """Who may play on after the rounds up to a number, or all of them."""
    able = {each.handle for each in entrants.of_tournament(conn, tournament.id, ABLE)}
    order = [row.entrant for row in standing.now(conn, tournament, upto) if row.entrant in able]
    order += sorted(able - set(order))
    every = [each for each in rows.rounds(conn, tournament.id) if upto is None or each.number <= upto]
    last = max((each.number for each in every), default=0)
    found = results.newest(conn, tournament.id)
    won = standing.winners([kept.outcome for (number, _), kept in found.items() if number == last])
    seated = {tenure.entrant for tenure in rows.tenures(conn, tournament.id) if tenure.entrant}
    return Field(tuple(order), won, len(seated), _busy(conn, tournament))


def _busy(conn: Connection, tournament: Tournament) -> frozenset[Handle]:
    """Who sits at as many tables as they may; on a ladder, who has not said that they are ready."""
    known = {each.number: each.handle for each in entrants.of_tournament(conn, tournament.id)}
    if tournament.settings.format == "ladder":
        ready = {paper.entrant for paper in papers.of_tournament(conn, tournament.id, "ready")}
        return frozenset(handle for number, handle in known.items() if number not in ready)
    wanted = tournament.settings.rounds
    if not wanted.load:
        return frozenset()
    going = {table.place for table in rows.tables(conn, tournament.id, states=("planned", "playing"))}
    sits, sat = dict.fromkeys(known, 0), dict.fromkeys(known, 0)
    for tenure in rows.tenures(conn, tournament.id):
        if tenure.entrant and not tenure.number:
            sat[tenure.entrant] += 1
        if tenure.entrant and not tenure.last and (tenure.round, tenure.table) in going:
            sits[tenure.entrant] += 1
    return frozenset(known[n] for n in known if sits[n] >= wanted.load or sat[n] >= wanted.heats)


# --- results that come after a draw ----------------------------------------------------------------------------------


def drawn_before(conn: Connection, tournament: Tournament) -> Mapping[int, tuple[Handle, ...]]:
    """For each round that was drawn by the standings: who would be drawn for it with the results that there are, the
    best first."""
    every = rows.rounds(conn, tournament.id)
    past = [Past(each.number, each.kind, "closed") for each in every]
    found: dict[int, tuple[Handle, ...]] = {}
    for place, each in enumerate(every):
        if not each.draw or not place or each.kind not in (*CHOSEN, "swiss"):
            continue
        comes = after(tournament.settings, past[:place], _field(conn, tournament, every[place - 1].number))
        if isinstance(comes, Next):
            found[each.number] = comes.who
    return found


def what_differs(
    conn: Connection, tournament: Tournament, before: Mapping[int, tuple[Handle, ...]], now: datetime, by: By
) -> tuple[Differs, ...]:
    """What would have been drawn otherwise with the results that there are now; it goes into the record."""
    later = drawn_before(conn, tournament)
    found = [would_have_differed(number, before[number], later.get(number, ())) for number in before]
    differs = tuple(each for each in found if each is not None)
    for each in differs:
        acts.add(conn, tournament.id, now, "draw stands", each.words, who=by.address, right=by.right, why=by.why)
    return differs


# --- who has advanced ------------------------------------------------------------------------------------------------


def promote(conn: Connection, open_games: OpenGames, tournament: Tournament, now: datetime) -> After:
    """Note who plays the next round and who is out, where not everybody does, and tell those for whom it is new. It is
    done again when somebody withdraws: the next in the standings fills their place."""
    comes = following(conn, tournament)
    if not isinstance(comes, Next) or comes.kind not in CHOSEN or comes.numbers == (1,):
        return comes
    places = {row.entrant: row.rank for row in standing.now(conn, tournament)}
    for entrant in entrants.of_tournament(conn, tournament.id, ABLE):
        state: EntrantState = "advanced" if entrant.handle in comes.who else "out"
        if entrant.state == state:
            continue
        entrants.change(conn, tournament.id, entrant.number, state=state)
        told = say(f"tournament.progress.{state}", round=comes.kind, place=places.get(entrant.handle, 0))
        subject = say("tournament.progress.subject", title=tournament.title)
        cause = f"progress.{comes.numbers[0]}.{state}.{stamp(now)}"
        tell(conn, open_games.writer, entrant, now, Letter(subject, [told], cause))
    return comes


# --- the end ---------------------------------------------------------------------------------------------------------


def finish_over(open_games: OpenGames, now: datetime) -> None:
    """Finish the tournaments whose last round is closed and whose results stand."""
    with reading(open_games.engine) as conn:
        going = [each for each in tournaments.every(conn, "running") if _may_finish(conn, each)]
    for each in going:
        with guarded("finishing", each.id), acting(open_games, each.id) as (conn, tournament):
            if tournament.state == "running" and _may_finish(conn, tournament):
                _finish(conn, open_games, tournament, now, By("", "", ""))


def finish(open_games: OpenGames, tournament_id: str, by: By, now: datetime, *, dry_run: bool = False) -> None:
    """End a tournament that has no last round of its own (a ladder), or of which no more is played. Refused while a
    round is not closed."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        if tournament.state == "finished":
            return
        if tournament.state != "running":
            raise Refused(f"{tournament_id} is {tournament.state}; only a tournament that is running can be finished.")
        still = [each.number for each in rows.rounds(conn, tournament_id) if each.state != "closed"]
        if still:
            raise Refused(
                f"Round {still[0]} of {tournament_id} is not closed; `mentat tournament round {tournament_id} "
                f"{still[0]} close` closes it."
            )
        _finish(conn, open_games, tournament, now, by)


def _may_finish(conn: Connection, tournament: Tournament) -> bool:
    past = rows.rounds(conn, tournament.id)
    if not past or any(each.state != "closed" for each in past):
        return False
    if rows.tables(conn, tournament.id, states=("planned", "playing")):
        return False  # one that is played again, though its round was closed
    if any(kept.state == "provisional" for kept in results.newest(conn, tournament.id).values()):
        return False
    return following(conn, tournament) == "finished"


def _finish(conn: Connection, open_games: OpenGames, tournament: Tournament, now: datetime, by: By) -> None:
    """The secret is published, and everybody gets the final letter."""
    tournaments.touch(conn, tournament.id, state="finished", finished_at=now)
    final = standing.now(conn, tournament)
    words = f"finished; the secret is {tournament.secret}"
    acts.add(conn, tournament.id, now, "finish", words, who=by.address, right=by.right, why=by.why)
    known = {each.handle: each for each in entrants.of_tournament(conn, tournament.id)}
    first = [known[row.entrant].public_name for row in final[:3]]
    places = {row.entrant: row for row in final}
    subject = say("tournament.progress.finished-subject", title=tournament.title)
    told = [
        say("tournament.progress.finished", title=tournament.title, first=first),
        say("tournament.progress.secret", secret=tournament.secret, commitment=tournament.commitment,
            tournament=tournament.id),
    ]  # fmt: skip
    for handle, entrant in known.items():
        if entrant.state in ABLE:
            entrants.change(conn, tournament.id, entrant.number, state="out")
        if row := places.get(handle):
            own = say("tournament.progress.own", place=row.rank, of=len(final), points=row.points)
            tell(conn, open_games.writer, entrant, now, Letter(subject, [told[0], own, told[1]], "finished"))
    tell_organisers(conn, open_games.writer, tournament, now, Letter(subject, told, "finished"))
