"""The draw of a round: the players, seats and factions of each table. Anybody can recompute it.

The seed is made from the committed secret, the list of players, and a beacon that did not exist when the draw was
frozen (``bot.tournament.beacons``). A refusal always comes before anything about the outcome is known, because a person
who has seen several outcomes could choose among them. For the same reason, a dry run draws with a different seed and
shows only the number of tables, not their players.

In a league whose settings name the previous season, entrants move up and down between divisions by the final standings
of that season. The letters about a draw are in ``bot.tournament.draw_letters``.
"""

from __future__ import annotations

import dataclasses
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

import msgspec

from bot.competition.credits import STAGES
from bot.competition.outcomes import Handle
from bot.competition.published import DrawRecord, Pair, TableDrawn, apart_digest, roster_digest, round_seed
from bot.competition.ratings import START_RATING
from bot.competition.seating import count_byes, draw_seating, ladder_tables, lot, out_too_soon
from bot.competition.seating_designs import NoLeague, divisions, last_season
from bot.competition.seating_search import SEATS, NoTables, least_apart, table_sizes, too_many
from bot.competition.settings import TournamentSettings
from bot.competition.standings import NextRound, RoundWaits
from bot.competition.verification import seating_wishes
from bot.games.open_games import Session, joining
from bot.store import tournament_rounds, tournaments
from bot.store.database import Connection
from bot.store.people import known_as
from bot.store.publication import played_unknown, published_tournament
from bot.store.tournament_rounds import Round, RoundTable, Tenure
from bot.store.tournaments import Entrant, Tournament
from bot.tournament import beacons, preparation, progress
from bot.tournament.beacons import FrozenDraw
from bot.tournament.desk import By, Caller, Refused, acting, log_act, require_power, table_name
from bot.tournament.draw_letters import tell_draw, tell_frozen, tell_voided
from bot.tournament.preparation import legal_acts, require_frozen
from bot.wording import say
from bot.wording.filters import listed, plural

BY_RATING = ("heat", "league", "ladder")
"""Rounds for which entrants are ranked by their rating at entry rather than by the standings."""


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """A director's request for a draw.

    - ``number`` is the round to draw, or 0 for the next one.
    - ``no_beacon`` draws without the announced beacon. The record will always show this.
    - ``despite_apart`` draws even if two people who are kept apart must then sit together.
    - ``sit_out`` lists entrants to leave out, and ``standbys`` lists substitutes to include, so that the number fits
      the tables.
    - ``sit_out_again`` lets a person sit out again even if others have not sat out yet.
    - ``provisional`` draws even if results on which the draw depends may still change.
    - ``by_itself`` is set if the calendar draws, as soon as enough players are free. Players who have already met then
      wait for others who are still playing.
    """

    number: int = 0
    beacon: str = ""
    no_beacon: bool = False
    without_unconfirmed: bool = False
    despite_apart: bool = False
    sit_out: tuple[Handle, ...] = ()
    sit_out_again: bool = False
    standbys: tuple[Handle, ...] = ()
    provisional: bool = False
    by_itself: bool = False


@dataclass(frozen=True, slots=True)
class DrawResult:
    """The rounds that were drawn, and the record of the draw. ``already`` is true if they had been drawn before, so
    nothing happened. ``trial`` is true if another seed was used, as in a dry run. ``provisional`` lists the tables
    whose results may still change."""

    rounds: tuple[int, ...]
    record: DrawRecord
    already: bool = False
    trial: bool = False
    provisional: tuple[str, ...] = ()


def draw(caller: Caller, tournament_id: str, asked: DrawRequest = DrawRequest()) -> DrawResult:
    """Close the entries and draw the next round. Rounds that are played at the same time are drawn together. If the
    draw is impossible, raise Refused with a message that says what would be possible."""
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "draw")
        require_frozen(tournament)
        if tournament.state not in ("open", "drawn", "running"):
            raise Refused(f"{tournament_id} is {tournament.state} and cannot be drawn. {legal_acts(tournament)}")
        if before := _drawn_before(conn, tournament, asked.number):
            return before
        if tournament.state == "open" and tournament.settings.format != "ladder":
            _require_confirmed(conn, tournament, asked)
            tournament = _close_entries(session, tournament)
        comes = _next_round(conn, tournament, asked.number)
        if comes is None:
            last = tournament_rounds.rounds_of(conn, tournament_id)[-1]
            return _same_draw(conn, tournament, last)
        if asked.standbys:
            _let_play(session, tournament, asked.standbys, caller.by)
            comes = _next_round(conn, tournament, asked.number) or comes
        provisional = _provisional_results(conn, tournament, comes, asked)
        if frozen := beacons.frozen_draw(conn, tournament_id):
            comes = frozen.of(comes)
            asked = dataclasses.replace(asked, sit_out=asked.sit_out or frozen.sit_out)
        beacon = _beacon(session, tournament, comes, asked, caller.by)
        made = _seated(session, tournament, comes, beacon, asked, trial=caller.dry_run)
        _write_draw(conn, tournament, made, comes, caller.now)
        changed = {"state": "drawn"} if tournament.state == "open" else {}
        tournaments.touch(conn, tournament_id, beacon=tournament.beacon or beacon, **changed)
        beacons.end_frozen(conn, tournament_id)
        words = _draw_in_words(made, tournament)
        words += f"; results that may still change: {', '.join(provisional)}" if provisional else ""
        log_act(session, tournament_id, "draw", words, caller.by)
        tell_draw(session, tournaments.find_tournament(conn, tournament_id), made)
        return DrawResult(made.rounds, made, trial=caller.dry_run, provisional=provisional)


@dataclass(frozen=True, slots=True)
class FreezeResult:
    """A draw that waits for its beacon. ``already`` is true if the draw had been frozen in the same way before, so
    nothing happened."""

    frozen: FrozenDraw
    already: bool = False


def freeze(caller: Caller, tournament_id: str, asked: DrawRequest = DrawRequest()) -> FreezeResult:
    """Close the entries, fix the participants of the next draw, and name its beacon, whose value nobody knows yet. If
    the draw would be impossible, raise Refused with a message that says what would be possible."""
    with acting(caller, tournament_id) as (session, tournament):
        conn, settings = session.conn, tournament.settings
        require_power(conn, tournament_id, caller.by, "freeze")
        require_frozen(tournament)
        if not settings.beacon:
            raise Refused(f"{tournament_id} has no beacon in its settings: draw without one. {legal_acts(tournament)}")
        if tournament.state not in ("open", "drawn", "running"):
            raise Refused(f"{tournament_id} is {tournament.state} and cannot be drawn. {legal_acts(tournament)}")
        if tournament.state == "open":
            _require_confirmed(conn, tournament, asked)
            tournament = _close_entries(session, tournament)
        comes = _next_round(conn, tournament, asked.number)
        if comes is None:
            raise Refused(f"{tournament_id} has already been drawn. {legal_acts(tournament)}")
        if asked.standbys:
            _let_play(session, tournament, asked.standbys, caller.by)
            comes = _next_round(conn, tournament, asked.number) or comes
        _provisional_results(conn, tournament, comes, asked)
        before = beacons.frozen_draw(conn, tournament_id)
        if before and before.fits(*fixed_by(before.of(comes), asked.sit_out)):
            return FreezeResult(before, already=True)
        # refuse now, rather than after the beacon is known
        _seated(session, tournament, comes, "", asked, trial=True)
        used = beacons.instants_used(conn, tournament_id)
        at = beacons.beacon_instant(settings, caller.now, caller.games.settings.mentat.timezone, used)
        made = FrozenDraw(comes.numbers[0], *fixed_by(comes, asked.sit_out), at, settings.beacon, asked.sit_out)
        if asked.by_itself:
            made = dataclasses.replace(made, free=comes.who)
        beacons.write_frozen(conn, tournament_id, made, caller.now)
        count = len(comes.who) - len(set(asked.sit_out) & set(comes.who))
        words = f"round {listed(map(str, comes.numbers))} ({comes.kind}) frozen: {plural(count, 'entrant')}"
        words += f"; roster {made.field}; the beacon will be {made.source}, of {made.at:%Y-%m-%d %H:%M}Z"
        log_act(session, tournament_id, "freeze", words, caller.by)
        tell_frozen(session, tournament, comes, made)
        return FreezeResult(made)


def void_draw(caller: Caller, tournament_id: str, number: int = 0) -> DrawRecord:
    """Void the draw of a round, by default the newest, before any of its games begins. It will be drawn again with
    another beacon. Return the void draw. Both draws stay in the record. Raise Refused if no reason is given."""
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "void draw")
        drawn = _still_to_start(conn, tournament, number)
        made = progress.draw_record(drawn)
        assert made is not None, "an existing round has a draw"
        tables = tournament_rounds.tables_of(conn, tournament_id)
        begun = [table_name(table) for table in tables if table.round in made.rounds and table.state != "planned"]
        if begun:
            raise Refused(say("tournament-draw-void.begun", tables=begun, id=tournament_id))
        if not caller.by.why.strip():
            raise Refused(say("tournament-draw-void.no-why"))
        tournament_rounds.remove_rounds(conn, tournament_id, made.rounds)
        for paper in tournaments.papers_of(conn, tournament_id):
            if paper.round in made.rounds:
                tournaments.set_paper_state(conn, paper.id, "gone")
        beacons.write_voided(conn, tournament_id, made, caller.now)
        is_first = not tournament_rounds.rounds_of(conn, tournament_id)
        changed = {"state": "open", "beacon": ""} if is_first else {}
        tournaments.touch(conn, tournament_id, **changed)
        log_act(session, tournament_id, "void draw", _voided_in_words(made), caller.by)
        tell_voided(session, tournament, made, caller.by.why)
        return made


def _voided_in_words(made: DrawRecord) -> str:
    beacon = f"beacon {made.beacon!r}" if made.beacon else "no beacon"
    return f"the draw of round {', '.join(map(str, made.rounds))} is void: roster {made.roster_digest}; {beacon}"


def _still_to_start(conn: Connection, tournament: Tournament, number: int) -> Round:
    every = [each for each in tournament_rounds.rounds_of(conn, tournament.id) if each.draw]
    found = [each for each in every if each.number == number] if number else every[-1:]
    if tournament.settings.format == "ladder" or tournament.settings.rounds.load:
        raise Refused(say("tournament-draw-void.rolling", id=tournament.id))
    if not found or tournament.state not in ("drawn", "running"):
        raise Refused(say("tournament-draw-void.nothing", round=number))
    return found[0]


_VOIDS = re.compile(
    r"(?:please\s+)?(?:void|undo|cancel|annul)\s+(?:the\s+|this\s+)?draw\b(?:\s+of\b)?(?:\s+(?:the\s+)?(?P<id>(?!rounds?\b|"
    r"because\b|as\b|since\b)[a-z][a-z0-9.-]*))?(?:\s+(?:rounds?\s+)?(?P<round>[0-9]{1,3})(?:(?:,|\s+and|\s+to)?\s*[0-9]+)*)?"
    r"(?P<why>\s*[:,;.!–-].*|\s+(?:because|as|since)\b.*)?",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?:(?P<before>.*?)\s*[,;:.!–-]\s*(?:so\s+|and\s+)?)?(?:please,?\s+)?(?:let'?s\s+)?"
    r"(?:draw\s+(?:it\s+|(?:rounds?\s+)?(?P<round>[0-9]{1,3})\s+)?(?:again|anew)|redraw(?:\s+it)?|make\s+(?:a\s+new|another)\s+draw)"
    r"(?:,?\s+please)?(?P<why>\s*[:,;.!–-].*|\s+(?:because|as|since)\b.*)?",
    re.IGNORECASE,
)


def read_void(lines: Sequence[str], tournament_id: str = "") -> tuple[int, str] | None:
    """Parse a director's request to void a draw. Return the round (0 if none is named) and the reason ("" if none is
    given).

    >>> read_void(["void the draw of round 2: Ann is out"])
    (2, 'Ann is out')
    >>> read_void(["The draw was wrong,", "please draw again."])
    (0, 'The draw was wrong')
    """
    said = [" ".join(line.split()) for line in lines if line.strip()]
    for text in (" ".join(said[:1]), " ".join(said[:2])):
        if found := None if "?" in text else _VOIDS.fullmatch(text):
            if (found["id"] or tournament_id).lower() != tournament_id:
                return None
        elif not (found := None if "?" in text else _AGAIN.fullmatch(text)):
            continue
        why = found.groupdict().get("before") or found["why"] or ""
        why = re.sub(r"^(?:because|as|since)\s+", "", why.strip(" :;,.–-!"))
        return int(found["round"] or 0), "" if why.lower() in ("please", "thanks", "thank you") else why
    return None


def void_by_mail(session: Session, tournament: Tournament, by: By, said: tuple[int, str]) -> str:
    number, why = said
    caller = Caller(session.games, session.now, dataclasses.replace(by, why=why))
    try:
        with joining(session.conn):
            made = void_draw(caller, tournament.id, number)
    except Refused as refused:
        return str(refused)
    return say(
        "tournament-draw-void.done",
        rounds=list(map(str, made.rounds)),
        id=tournament.id,
        beacon=bool(tournament.settings.beacon),
        by_itself=tournament.settings.is_automatic("draw"),
    )


def fixed_by(comes: NextRound, sit_out: Sequence[Handle]) -> tuple[str, str]:
    """Return two digests: of the list of players to be drawn, and of the order of the standings. The second is "" if
    the round is seated by rating rather than by the standings."""
    who = [handle for handle in comes.who if handle not in sit_out]
    return beacons.field_digest(who), "" if comes.kind in BY_RATING else beacons.order_digest(who)


# --- possible draws --------------------------------------------------------------------------------------------------


def _drawn_before(conn: Connection, tournament: Tournament, number: int) -> DrawResult | None:
    found = next(
        (each for each in tournament_rounds.rounds_of(conn, tournament.id) if each.number == number and each.draw), None
    )
    return _same_draw(conn, tournament, found) if found else None


def _same_draw(conn: Connection, tournament: Tournament, drawn: Round) -> DrawResult:
    record = progress.draw_record(drawn)
    assert record is not None, "an existing round has a draw"
    return DrawResult(record.rounds, record, already=True)


def _next_round(conn: Connection, tournament: Tournament, number: int) -> NextRound | None:
    comes = progress.round_to_come(conn, tournament)
    every = tournament_rounds.rounds_of(conn, tournament.id)
    waiting = [each.number for each in every if each.state == "drawn"]
    if isinstance(comes, NextRound):
        if number and number not in comes.numbers:
            named = ", ".join(map(str, comes.numbers))
            raise Refused(f"Round {number} of {tournament.id} cannot be drawn now; the next is round {named}.")
        return comes
    if comes == "finished":
        raise Refused(f"{tournament.id} has no round left to draw. {legal_acts(tournament)}")
    if waiting and not number:
        return None
    assert isinstance(comes, RoundWaits), "the next round, a wait, or the end"
    if comes.rounds:
        named = ", ".join(map(str, comes.rounds))
        raise Refused(
            f"Nothing can be drawn before round {named} of {tournament.id} is closed; "
            f"`mentat tournament round {tournament.id} {comes.rounds[0]} show` shows what it is waiting for."
        )
    raise Refused(f"Fewer than six players are free in {tournament.id}; Mentat draws another table when six are.")


def _provisional_results(
    conn: Connection, tournament: Tournament, comes: NextRound, asked: DrawRequest
) -> tuple[str, ...]:
    """Return the tables on which the next round depends but whose results are not final: a result may still change, or
    a table is being replayed. Raise Refused if there are any, unless the director has asked for a draw despite them."""
    if comes.kind not in (*progress.SELECTIVE_ROUNDS, "swiss"):
        return ()
    newest = tournament_rounds.newest_results(conn, tournament.id)
    found = tuple(f"{number}.{table}" for (number, table), kept in newest.items() if kept.state == "provisional")
    if found and not asked.provisional:
        raise Refused(
            f"The next round of {tournament.id} would depend on results that may still change: {listed(found)}. Wait "
            "until the time for protests is over, or add --provisional: the draw then counts even if they change."
        )
    again = tuple(map(table_name, tournament_rounds.tables_of(conn, tournament.id, states=("planned", "playing"))))
    if again and not asked.provisional:
        raise Refused(
            f"The next round of {tournament.id} would be drawn without a result for {listed(again)}. Wait until it is "
            "played, or add --provisional: the draw then counts no matter who wins there."
        )
    return (*found, *again)


def _require_confirmed(conn: Connection, tournament: Tournament, asked: DrawRequest) -> None:
    unconfirmed = [each.handle for each in tournaments.entrants_of(conn, tournament.id, ["entered"])]
    if unconfirmed and not asked.without_unconfirmed:
        raise Refused(
            f"{len(unconfirmed)} {'has' if len(unconfirmed) == 1 else 'have'} not confirmed their entry, and would "
            f"not be drawn: {', '.join(unconfirmed)}. "
            "Wait for them, or add --without-unconfirmed."
        )


def _close_entries(session: Session, tournament: Tournament) -> Tournament:
    if tournament.until is None or tournament.until > session.now:
        tournaments.touch(session.conn, tournament.id, until=session.now)
    preparation.end_invitations(session, tournament.id)
    return tournaments.find_tournament(session.conn, tournament.id)


def _let_play(session: Session, tournament: Tournament, standbys: Sequence[Handle], by: By) -> None:
    for handle in standbys:
        found = _named_entrant(session.conn, tournament, handle)
        if found.state == "standby":
            tournaments.change_entrant(session.conn, tournament.id, found.number, state="confirmed", standby=False)
            log_act(session, tournament.id, "let in", f"{found.handle} plays, who was on standby", by)
        elif found.state not in progress.ABLE:
            raise Refused(f"{found.handle} is {found.state}, not on standby.")


def _named_entrant(conn: Connection, tournament: Tournament, handle: Handle) -> Entrant:
    found = tournaments.find_entrant(conn, tournament.id, handle)
    if found is None:
        raise Refused(f"{tournament.id} has no entrant {handle[:20]!r}; name them by handle, like E012.")
    return found


# --- the beacon ------------------------------------------------------------------------------------------------------


def _beacon(session: Session, tournament: Tournament, comes: NextRound, asked: DrawRequest, by: By) -> str:
    """Return the text of the beacon, or "" if the draw uses none. Raise Refused if the beacon was not announced, is not
    known yet, is missing or was used before, or if the frozen facts have changed."""
    settings, said = tournament.settings, beacons.plain_value(asked.beacon)
    if tournament.settings.format == "ladder":
        return ""
    if said and asked.no_beacon:
        raise Refused("Give either --beacon TEXT or --no-beacon.")
    if not settings.beacon:
        if said:
            raise Refused(f"No beacon was announced for {tournament.id} when it was opened; draw it without --beacon.")
        return ""
    if asked.no_beacon:
        return ""
    freezes, frozen = f"`mentat tournament freeze {tournament.id}`", beacons.frozen_draw(session.conn, tournament.id)
    if frozen is None:
        at = beacons.first_instant(settings, session.settings.mentat.timezone)
        voided = beacons.voided_draws(session.conn, tournament.id)
        if tournament_rounds.rounds_of(session.conn, tournament.id) or voided or at is None:
            raise Refused(
                f"Each draw has its own beacon, named before anybody can know it: {freezes} names the beacon of round "
                f"{comes.numbers[0]}. Or add --no-beacon, which stays in the record for ever."
            )
        frozen = FrozenDraw(comes.numbers[0], *fixed_by(comes, asked.sit_out), at, settings.beacon)
    elif not frozen.fits(*fixed_by(comes, asked.sit_out)):
        raise Refused(
            f"The list of players or the standings have changed since the draw was frozen; {freezes} freezes it "
            "again with a later beacon."
        )
    known = beacons.sent_values(session.conn, tournament.id)
    if known.settled and said not in ("", known.settled):
        raise Refused(f"The beacon of round {frozen.round} is {known.settled!r} and cannot be replaced.")
    value, at = said or known.settled, frozen.at
    day = at.astimezone(session.settings.mentat.timezone)
    if session.now < at:
        raise Refused(
            f"The beacon of {tournament.id} ({frozen.source}) is not published before "
            f"{day:%Y-%m-%d}: draw then, or add --no-beacon, which stays in the record for ever."
        )
    if not value:
        differ = f" The values that were sent differ: {listed(known.values)}." if known.differ else ""
        raise Refused(
            f"The beacon is missing: give --beacon with {frozen.source}, of {day:%Y-%m-%d}; or --no-beacon, "
            f"which stays in the record for ever.{differ}"
        )
    if why := beacons.refuse_value(value, frozen, beacons.values_used(session.conn, tournament), session.now):
        raise Refused(why)
    if beacons.frozen_draw(session.conn, tournament.id) and not known.settled:
        log_act(session, tournament.id, "beacon", f"round {frozen.round}: {value}", by)
    return value


# --- seating ---------------------------------------------------------------------------------------------------------


def _seated(
    session: Session, tournament: Tournament, comes: NextRound, beacon: str, asked: DrawRequest, *, trial: bool
) -> DrawRecord:
    settings = tournament.settings
    known = {each.handle: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    out = {_named_entrant(session.conn, tournament, handle).handle for handle in asked.sit_out}
    ranked = [handle for handle in comes.who if handle not in out]
    history = _history(session.conn, tournament, session.now)
    earlier = [
        record for each in tournament_rounds.rounds_of(session.conn, tournament.id) if (record := _first_draw(each))
    ]
    before = count_byes(earlier, set(comes.who))
    again = out_too_soon(out & set(comes.who), ranked, before) if comes.kind not in STAGES else []
    if again and not asked.sit_out_again:
        raise Refused(
            f"{', '.join(again)} sat out before, and another player has sat out less often: let them sit out, or "
            "add --sit-out-again."
        )
    if comes.kind in BY_RATING:
        everybody = roster_digest(sorted(ranked, key=lambda handle: known[handle].number))
        drawn = round_seed("a trial" if trial else tournament.secret, comes.numbers[0], everybody, beacon)
        ranked.sort(key=lambda handle: (-_rating(known[handle]), lot(drawn, handle)))
    if comes.kind == "league":
        ranked = order_after_last_season(session.conn, settings, ranked, known, session.now)
    if comes.kind == "ladder":
        ranked = _ladder(session.conn, tournament, ranked, known, history)
    ranked, left = _that_fit(settings, comes, ranked, rolling=bool(settings.rounds.load and history))
    roster = tuple(sorted(ranked, key=lambda handle: known[handle].number))
    digest = roster_digest(roster)
    shown, hidden = _apart(session.conn, tournament, roster, known)
    record = DrawRecord(
        rounds=comes.numbers,
        kind=comes.kind,
        roster=roster,
        ranked=tuple(ranked),
        roster_digest=digest,
        beacon=beacon,
        apart=tuple(sorted((*shown, *hidden))),
        hours=tuple(known[h].hours for h in roster) if settings.tables.overlap_hours else (),
        sat_out=tuple(sorted(out | left, key=lambda handle: known[handle].number)),
        byes=count_byes(earlier, roster),
        history=history,
    )
    number = comes.numbers[0]
    seed = round_seed("a trial", number, digest, "") if trial else round_seed(tournament.secret, number, digest, beacon)
    made = draw_seating(record, seed, seating_wishes(settings))
    if made.cost.apart and not asked.despite_apart:
        raise Refused(
            f"Of the pairs that are kept apart, {made.cost.apart} would sit together{_must_sit_together(made)}. "
            "Take pairs away with `mentat tournament apart … --remove`, or add --despite-apart."
        )
    if (
        asked.by_itself
        and (trial or not settings.beacon)  # a frozen draw is carried out in any case
        and made.cost.meetings
        and tournament_rounds.tables_of(session.conn, tournament.id, states=["playing"])
    ):
        raise Refused("The free players have met before; they are waiting for others.")
    if hidden:
        salt = hmac.digest(session.settings.key, f"apart {tournament.id}".encode(), "sha256")
        made = msgspec.structs.replace(made, apart=tuple(shown), apart_digest=apart_digest(salt, made.apart))
    return made


def _must_sit_together(made: DrawRecord) -> str:
    tables = len(made.tables) // len(made.rounds)
    groups = too_many(made.apart, tables)
    if made.kind == "league" or not groups:
        return ""
    least = least_apart(made.apart, tables) * len(made.rounds)
    named = "; ".join(" ".join(group) for group in groups)
    return f", and at least {least} must: all of {named} are kept apart from each other, and there are {tables} tables"


def _rating(entrant: Entrant) -> Fraction:
    return Fraction(entrant.rating or str(START_RATING))


def _that_fit(
    settings: TournamentSettings, comes: NextRound, ranked: Sequence[Handle], *, rolling: bool
) -> tuple[list[Handle], set[Handle]]:
    """Return the players who can be seated and, in a league, the players left over. In a ``rolling`` draw, players for
    whom there is no full table wait for the next draw. If the number of players does not fit the tables, raise Refused
    with a message that suggests a remedy."""
    if rolling and comes.kind == "heat" and len(ranked) >= SEATS:
        return list(ranked[: len(ranked) // SEATS * SEATS]), set()
    try:
        if comes.kind == "league":
            played = sum(design.players for design in divisions(len(ranked), fours=settings.tables.fours))
            return list(ranked[:played]), set(ranked[played:])
        table_sizes(len(ranked), fours=settings.tables.fours)
    except NoLeague as error:
        raise Refused(str(error)) from None
    except NoTables as error:
        hints = [hint for word, hint in _WAYS_OUT.items() if any(word in way for way in error.ways)]
        raise Refused(f"{error} {' '.join(hints)}") from None
    return list(ranked), set()


_WAYS_OUT = {
    "standby": "Let a standby play with --standby E050.",
    "sit out": "Let a volunteer sit out with --sit-out E012.",
    "fours": "Change the settings with `mentat tournament amend ID settings FILE --why …`.",
}


def _ladder(
    conn: Connection,
    tournament: Tournament,
    free: Sequence[Handle],
    known: dict[Handle, Entrant],
    history: Sequence[TableDrawn],
) -> list[Handle]:
    asked = {paper.entrant: paper for paper in tournaments.papers_of(conn, tournament.id, "ready")}
    ready = sorted(free, key=lambda handle: asked[known[handle].number].id)
    lately = {
        frozenset((one.entrant, other.entrant))
        for table in history
        for one in table.seats
        for other in table.seats
        if one.entrant != other.entrant
    }
    tables = ladder_tables(ready, {handle: _rating(known[handle]) for handle in ready}, lately)
    if not tables:
        raise Refused(f"No six ready players in {tournament.id} are new to each other; they keep waiting.")
    seated = [handle for there in tables for handle in there]
    for handle in seated:
        tournaments.set_paper_state(conn, asked[known[handle].number].id, "answered")
    return seated


def _first_draw(drawn: Round) -> DrawRecord | None:
    record = progress.draw_record(drawn)
    return record if record and record.rounds[0] == drawn.number else None


def _history(conn: Connection, tournament: Tournament, now: datetime) -> tuple[TableDrawn, ...]:
    found: dict[tuple[int, int], TableDrawn] = {}
    since = now - timedelta(days=tournament.settings.rounds.ladder_days)
    factions = {
        (t.round, t.table, t.dot): t.faction for t in tournament_rounds.tenures_of(conn, tournament.id) if not t.number
    }
    for each in tournament_rounds.rounds_of(conn, tournament.id):
        record = progress.draw_record(each)
        old = tournament.settings.format == "ladder" and each.opens is not None and each.opens < since
        for table in record.tables if record and not old else ():
            if table.round == each.number:
                seats = tuple(
                    msgspec.structs.replace(s, faction=factions.get((table.round, table.table, s.dot)) or s.faction)
                    for s in table.seats
                )
                found[table.round, table.table] = msgspec.structs.replace(table, seats=seats)
    return tuple(found.values())


def _apart(
    conn: Connection, tournament: Tournament, roster: Sequence[Handle], known: dict[Handle, Entrant]
) -> tuple[list[Pair], list[Pair]]:
    handle_of = {known[handle].number: handle for handle in roster}
    shown, hidden = list[Pair](), list[Pair]()
    for pair in tournaments.pairs_apart(conn, tournament.id):
        if pair.one in handle_of and pair.other in handle_of:
            (shown if pair.shown else hidden).append((handle_of[pair.one], handle_of[pair.other]))
    return shown, hidden


# --- stored draws ----------------------------------------------------------------------------------------------------


def _write_draw(conn: Connection, tournament: Tournament, made: DrawRecord, comes: NextRound, now: datetime) -> None:
    by, settings = tournament.settings.factions.by, tournament.settings
    opens = None if by == "draw" else now + timedelta(hours=settings.factions.trade_hours)
    data = msgspec.json.encode(made, order="deterministic")
    numbers = {each.handle: each.number for each in tournaments.entrants_of(conn, tournament.id)}
    for number in comes.numbers:
        tournament_rounds.add_round(conn, Round(tournament.id, number, comes.kind, "drawn", opens=opens, draw=data))
    tables = [RoundTable(tournament.id, table.round, table.table, len(table.seats)) for table in made.tables]
    seats = [
        Tenure(tournament.id, table.round, table.table, seat.dot, numbers[seat.entrant], faction=seat.faction or "")
        for table in made.tables
        for seat in table.seats
    ]
    tournament_rounds.add_tables(conn, tables, seats)


def _draw_in_words(made: DrawRecord, tournament: Tournament) -> str:
    said = [
        f"round {', '.join(map(str, made.rounds))} ({made.kind}) drawn: {len(made.roster)} entrants, "
        f"{plural(len(made.tables), 'table')}",
        f"roster {made.roster_digest}",
        "its seed is told when the round is closed" if played_unknown(tournament) else f"seed {made.seed}",
    ]
    if tournament.settings.beacon and not made.beacon:
        said.append("without the beacon that was announced")
    else:
        said.append(f"beacon {made.beacon!r}" if made.beacon else "no beacon")
    if made.sat_out:
        said.append(f"sat out: {', '.join(made.sat_out)}")
    if made.apart_digest:
        said.append("computed with pairs that are kept apart, which are not published")
    return "; ".join(said)


def order_after_last_season(
    conn: Connection,
    settings: TournamentSettings,
    ranked: Sequence[Handle],
    known: Mapping[Handle, Entrant],
    now: datetime,
) -> list[Handle]:
    """Rank a league's entrants by the previous season: the last ``down`` of each division change places with the first
    ``up`` of the division below.

    Newcomers follow in the order given by ``ranked``. Raise Refused if that season was not a league on this Mentat, or
    is not finished.
    """
    before = settings.rounds.after
    if not before:
        return list(ranked)
    earlier = tournaments.find_tournament(conn, before)
    if earlier.settings.format != "league" or earlier.state != "finished":
        raise Refused(f"[rounds] after names {before}, which is not a finished league.")
    season = published_tournament(conn, before, now, "directors")
    draw = next((one.draw for one in season.rounds if one.draw is not None), None)
    if draw is None:
        raise Refused(f"[rounds] after names {before}, which was not drawn.")
    standing = [row.entrant for row in season.standings]
    fours = earlier.settings.tables.fours
    order = last_season(draw.ranked, standing, settings.rounds.up, settings.rounds.down, fours=fours)
    persons = {each.handle: known_as(conn, each.address) for each in tournaments.entrants_of(conn, before)}
    places = {address: place for place, handle in enumerate(order) for address in persons.get(handle, ())}
    behind = len(order)
    return sorted(ranked, key=lambda handle: places.get(known[handle].address, behind))
