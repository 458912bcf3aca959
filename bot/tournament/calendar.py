"""The timed events of tournaments, and the daily letters to organisers and entrants.

Each task first records in the database that it has done its work, so running it twice does no harm.

The organisers' letter lists tables that are behind schedule and why, players who have not shown up, people whose mail
bounces, and tasks that are waiting for the organisers. It contains only facts that everybody at a table may know, never
a player's holdings or orders, and nothing about a table at which its reader plays. A person who organises several
events gets one letter. The game master's events are part of the game master's own daily letter. If the organisers do
nothing for several days, a deputy takes over.

An entrant's letter lists their duties at all their tables, with the deadlines. It is sent once a day, when the entrant
wakes up by their own clock, and only if they have a duty. Other people's duties do not affect the decision to send it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.competition.published import display_name
from bot.config.time_zones import zone_named
from bot.desk.desk import EventBlocks, is_master
from bot.games.open_games import OpenGames, Session, act
from bot.render.blocks import Block, Buttons, Heading, Paragraph, Row, Rows
from bot.render.questions import duty
from bot.store import acts, games, installation, people, tournaments
from bot.store import tournament_rounds as kept_rounds
from bot.store import tournament_rounds as rows
from bot.store.acts import GrantedRight
from bot.store.database import Connection, DatabaseUnavailable, reading
from bot.store.deadlines import missed_duties
from bot.store.tournament_rounds import Matter, Round, RoundTable, Tenure
from bot.store.tournaments import Entrant, Tournament
from bot.table import rounds as calls
from bot.table.calendar import instant_at, stamp
from bot.table.table import Table
from bot.tournament import (
    adjudication,
    automatic,
    beacons,
    factions,
    game_starts,
    incoming_mail,
    letters,
    preparation,
    progress,
    results,
    rounds,
    substitutes,
)
from bot.tournament.desk import Caller, acting, guarded, hold_of, log_act
from bot.tournament.letters import Letter, own_tables, tell_all, tell_one_organiser
from bot.tournament.preparation import draw_power
from bot.tournament.substitutes import awaited_since
from bot.wording import clock_of, day_and_month, deadline, moment, say
from rules.chapters.victory import last_turn
from rules.components import Faction, as_faction

HOUR = timedelta(hours=1)
FIRST_HOUR_OF_ORGANISERS = 6
BEHIND = 2  # turns
ACTING = ("director", "arbiter", "clerk")
DECIDING = ("director", "arbiter")
"""The rights whose holders decide protests and are told about them."""
MOST_ROWS = 40


Told = Mapping[str, list[tuple[str, str]]]
"""For each heading, a list of table names, each with a sentence about that table."""


@dataclass
class _Watch:
    """The contents of the organisers' letter. Each list holds the sentences for one heading, each with the round and
    number of its table."""

    tournament: Tournament
    now: datetime
    do: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    protests: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    blocks: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    behind: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    people: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    done: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    next: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    is_news: bool = False  # True if ``next`` is news
    ready: tuple[str, ...] = ()  # lines to show as buttons

    def told(self, own: set[tuple[int, int]], *, protests: bool) -> Told:
        """Return the sentences for an organiser, leaving out their ``own`` tables. In an event that runs automatically,
        a table is mentioned only if it is behind."""
        do = [*(self.protests if protests else []), *self.do]
        parts = {"do": do, "next": self.next, "done": self.done}
        parts |= {"behind": self.behind, "blocks": [] if self.tournament.settings.auto else self.blocks}
        parts["people"] = self.people
        told = {name: [(_named(at), text) for at, text in part if at not in own] for name, part in parts.items()}
        told = {name: lines for name, lines in told.items() if lines}
        return {} if told.keys() == {"next"} and not self.is_news else told


def _named(place: tuple[int, int]) -> str:
    if place[1]:
        return f"{place[0]}.{place[1]}"
    return say("tournament-watch.round", round=place[0]) if place[0] else say("tournament-watch.all")


def write_organiser_letters(open_games: OpenGames, now: datetime) -> None:
    """Write the daily letter to the organisers of each tournament, and let a deputy take over if necessary. The letter
    is due from ``FIRST_HOUR_OF_ORGANISERS`` on. If Mentat was not running at that hour, the next run writes it, even at
    night."""
    zone = open_games.settings.mentat.timezone
    today = (now.astimezone(zone) - timedelta(hours=FIRST_HOUR_OF_ORGANISERS)).date()
    with reading(open_games.engine) as conn:
        due = [
            each.id
            for each in tournaments.all_tournaments(conn, "open", "drawn", "running")
            if each.digest_on is None or each.digest_on < today
        ]
    if not due:
        return
    with act(open_games, now) as session:
        readers: dict[str, list[EventToday]] = {}
        for tournament_id in due:
            with guarded("the letter of the day", tournament_id), session.conn.begin_nested():
                tournament = tournaments.find_tournament(session.conn, tournament_id)
                if tournament.digest_on is not None and tournament.digest_on >= today:
                    continue  # another process has written the letter
                tournaments.note_organisers_told(session.conn, tournament_id, today)
                waiting = kept_rounds.waiting_matters(session.conn, tournament, now)
                found = _events_today(session, tournament, waiting)
                _deputise(session, tournament, waiting)
                for part in found:
                    readers.setdefault(part.address(session), []).append(part)
        for address, parts in readers.items():
            if not _reads_desk_letter(session, address):
                _write_to_organiser(session, address, parts, f"{today}")


@dataclass(frozen=True, slots=True)
class EventToday:
    """Today's news of one event for an organiser. ``who`` is the organiser, or None for the game master if nobody holds
    a right in the event."""

    tournament: Tournament
    who: GrantedRight | None
    told: Told
    ready: tuple[str, ...] = ()

    def address(self, session: Session) -> str:
        return self.who.address if self.who else session.settings.mentat.game_master

    @property
    def needs(self) -> int:
        """Return the number of matters that need the organiser. If the event does not run automatically, this counts
        everything that the letter mentions."""
        return len(self.told.get("do", ())) if self.tournament.settings.auto else sum(map(len, self.told.values()))


def _reads_desk_letter(session: Session, address: str) -> bool:
    return session.settings.mentat.desk_mail is not None and is_master(session.conn, session.settings)(address)


def events_of_master(session: Session) -> EventBlocks:
    conn = session.conn
    parts: list[EventToday] = []
    for tournament in tournaments.all_tournaments(conn, "open", "drawn", "running"):
        waiting = kept_rounds.waiting_matters(conn, tournament, session.now)
        every = _events_today(session, tournament, waiting)
        parts += [part for part in every if _reads_desk_letter(session, part.address(session))]
    blocks = [block for part in parts for block in _of_event(session, part, named=True)]
    return EventBlocks(blocks, sum(part.needs for part in parts), frozenset(part.tournament.id for part in parts))


def _events_today(session: Session, tournament: Tournament, waiting: list[Matter]) -> list[EventToday]:
    zone = session.settings.mentat.timezone
    seen = _Watch(tournament, session.now)
    step, waits = automatic.step_noticed(session.conn, tournament), _waits_for(session, tournament)
    if waits in ("known", "beacon", "players"):
        waiting = [matter for matter in waiting if matter.kind != "draw"]
    if waits == "silence":
        seen.ready = ("resume games",)
        waiting = [matter for matter in waiting if matter.kind != "overdue"]
    if waits and not any(matter.kind in rows.STEP_OF for matter in waiting):
        part = seen.next if waits in ("known", "tables", "results") else seen.do
        facts = _beacon_facts(session, tournament) | _round_facts(session, tournament)
        part.append(((0, 0), say(f"tournament-watch.waits-{waits}", **facts)))
    asked = {paper.words for paper in tournaments.papers_of(session.conn, tournament.id, "question")}
    for matter in waiting:
        if f"protest {matter.number}" in asked:
            continue  # the arbiters are deciding it
        if step is not None and step.words.split()[0] in rows.STEPS_TO.get(matter.kind, ()):
            continue  # the letter mentions the step itself
        part = seen.protests if matter.kind == "protest" else seen.do
        part.append((matter.place, _matter(session.conn, tournament, matter, zone)))
    known = {each.number: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    every = {each.number: each for each in kept_rounds.rounds_of(session.conn, tournament.id)}
    for table in kept_rounds.tables_of(session.conn, tournament.id, 0, ["playing"]):
        _look_at(session, every[table.round], table, known, seen)
    _entries(session, known, seen)
    _by_itself(session, seen)
    every_right = acts.rights_of(session.conn, tournament_id=tournament.id)
    acting_now = ACTING if not tournament.settings.auto else ("director", "clerk")  # arbiters are asked by mail
    granted: list[GrantedRight | None] = [who for who in every_right if who.right in acting_now]
    found = []
    for who in granted or [None]:
        told = seen.told(own_tables(session.conn, tournament, who), protests=who is None or who.right in DECIDING)
        if told:
            found.append(EventToday(tournament, who, told, seen.ready))
    return found


def _beacon_facts(session: Session, tournament: Tournament) -> dict[str, object]:
    facts: dict[str, object] = {"id": tournament.id, "silent": "", "goes_on": ""}
    silence, hours = installation.heartbeat(session.conn, "silence"), session.settings.clock.silence_hours
    if silence and silence.failing_since:
        zone, until = session.settings.mentat.timezone, silence.at + timedelta(hours=hours)
        facts |= {"silent": _at(silence.failing_since, zone), "goes_on": _at(until, zone) if hours else ""}
    if frozen := beacons.frozen_draw(session.conn, tournament.id):
        sent = beacons.sent_values(session.conn, tournament.id)
        facts |= {"beacon": frozen.source, "at": _at(frozen.at, session.settings.mentat.timezone)}
        values = [f"“{each}”" for each in sent.values]
        told = say("tournament-watch.beacons-differ", sent=values) if len(values) > 1 else ""
        told = say("tournament-watch.beacon-once", sent=values[0]) if len(values) == 1 else told
        facts |= {"round": frozen.round, "form": frozen.form, "sent": told}
    return facts


def _round_facts(session: Session, tournament: Tournament) -> dict[str, object]:
    ends = [each.ends for each in kept_rounds.rounds_of(session.conn, tournament.id) if each.state == "playing"]
    last = max((at for at in ends if at), default=None)
    shown = _at(last, session.settings.mentat.timezone) if last else ""
    return {"ends": shown, "closes": tournament.settings.is_automatic("round")}


def _waits_for(session: Session, tournament: Tournament) -> str:
    """Return the reason why an automatic tournament is waiting, or "" if it does not concern any organiser."""
    if not tournament.settings.auto:
        return ""
    waits = automatic.next_step(automatic.event_facts(session.conn, tournament, session.now), session.now)
    if waits == "beacon" and (frozen := beacons.frozen_draw(session.conn, tournament.id)) and session.now < frozen.at:
        return "known"
    return waits if waits in ("beacon", "players", "director", "tables", "results", "silence") else ""


def _write_to_organiser(session: Session, address: str, parts: Sequence[EventToday], today: str) -> None:
    day = day_and_month(session.now.astimezone(session.settings.mentat.timezone).date())
    needs, first, several = sum(part.needs for part in parts), parts[0], len(parts) > 1
    title, by_itself = first.tournament.title, any(part.tournament.settings.auto for part in parts)
    subject = say("tournament-watch.subject", title=title, day=day, matters=needs, by_itself=by_itself)
    opening = say("tournament-watch.opening", title=title, by_itself=by_itself)
    if several:
        subject = say("tournament-watch.subject-several", day=day, matters=needs)
        opening = say("tournament-watch.opening-several")
    blocks = [block for part in parts for block in _of_event(session, part, named=several)]
    blocks.append(Paragraph(opening, "small"))
    label = say("tournament-watch.label") if several else first.tournament.id
    rendered = letters.in_blocks(label, subject, blocks)
    session.writer.send(address, rendered, f"events.{address}.{today}", first.who.token if first.who else "")


def _of_event(session: Session, part: EventToday, *, named: bool) -> list[Block]:
    blocks: list[Block] = []
    for name, lines in part.told.items():
        rows: dict[str, list[str]] = {}
        for table, text in lines[:MOST_ROWS]:
            rows.setdefault(table, []).append(text)
        shown_rows = tuple(Row(table, tuple(texts)) for table, texts in rows.items())
        heading = say(f"tournament-watch.{name}")
        heading = say("tournament-watch.of-event", title=part.tournament.title, part=heading) if named else heading
        blocks += [Heading(heading), Rows(shown_rows)]
    token, event = part.who.token if part.who else "", part.tournament.id
    if part.ready:
        pressed = [f"{event}: {line}" if named else line for line in part.ready]
        blocks.append(Buttons(letters.buttons(session.settings, event, token, pressed)))
    if "next" in part.told:
        ready = letters.buttons(session.settings, event, token, [f"hold {event}" if named else "hold"])
        how = say("tournament-watch.how-to-hold", event=event if named else "")
        blocks += [Paragraph(how), Buttons(ready)]
    return blocks


def _matter(conn: Connection, tournament: Tournament, matter: Matter, zone: ZoneInfo) -> str:
    facts = {
        "id": tournament.id,
        "since": _at(matter.since, zone),
        "table": matter.table,
        "round": matter.place[0],
        "number": matter.number,
        "who": tournaments.handle(matter.entrant),
        "game": matter.game,
        "command": draw_power(conn, tournament),
    }
    return say(f"tournament-watch.{matter.kind}", **facts)


def _at(when: datetime, zone: ZoneInfo) -> str:
    return f"{moment(when, zone)} {clock_of(zone)}"


TOLD_BEFORE = timedelta(hours=26)
"""The age from which an announced step was already in the previous day's letter."""
DONE_BY_ITSELF = ("close entries", "check in", "freeze", "draw", "start", "close", "adjudicate", "finish")
"""The acts that the next day's letter reports if a tournament runs automatically."""


def _by_itself(session: Session, seen: _Watch) -> None:
    conn, tournament, zone = session.conn, seen.tournament, session.settings.mentat.timezone
    if not tournament.settings.auto:
        return
    if paper := automatic.step_noticed(conn, tournament):
        _, _, why = paper.words.partition("\n")
        seen.is_news = paper.at > session.now - TOLD_BEFORE
        step, place = automatic.step_in_words(paper), (0, 0)
        held = hold_of(conn, tournament.id, session.now, automatic.held_as(paper.words.split()[0]))
        due = (held.until if held else None) or paper.until
        if why:
            seen.do.append((place, say("tournament-watch.refused", step=step, why=why)))
        elif due is None or (held and held.until is None):
            _, _, why_held = held.words.partition(f"\n{automatic.RESTORED}") if held else ("", "", "")
            seen.do.append((place, say("tournament-watch.held-step", step=step, why=why_held)))
        else:
            seen.next.append(
                (place, say("tournament-watch.next-step", step=step, held=bool(held), when=_at(due, zone)))
            )
    since = session.now - timedelta(days=1)
    for done in acts.acts_of(conn, tournament_id=tournament.id):
        if done.at > since and not done.who and not done.right and done.what in DONE_BY_ITSELF:
            told = say("tournament-watch.done-act", what=done.words.partition(";")[0], kind=done.what)
            undo = say("tournament.step.undo-draw", id=tournament.id) if done.what == "draw" else ""
            seen.done.append(((0, 0), f"{told} {undo}".strip()))


# --- a table ---------------------------------------------------------------------------------------------------------


def _look_at(
    session: Session, its_round: Round, seat_at: RoundTable, known: Mapping[int, Entrant], seen: _Watch
) -> None:
    table = session.games.table(session.conn, seat_at.game_id)
    place = (seat_at.round, seat_at.number)
    held = kept_rounds.now_sitting(session.conn, seen.tournament.id, seat_at.round, seat_at.number)
    sits = {tenure.faction: shown_as(known.get(tenure.entrant)) for tenure in held}
    zone = session.settings.mentat.timezone
    if its_round.opens and (late := _forecast(seen.tournament, its_round, table, session.now)):
        turn = table.play.state.turn
        seen.blocks += [(place, text) for text in _blocks(table, sits, zone)]
        seen.behind.append((place, say("tournament-watch.slow", turn=turn, forecast=late)))
    ordered = people.who_ordered(session.conn, table.id)
    missed = missed_duties(session.conn, [table.id])
    for tenure in held:
        tenure = replace(tenure, ordered=tenure.ordered or tenure.faction in ordered)
        own = missed.get((table.id, as_faction(tenure.faction)), ()) if tenure.faction else ()
        since = awaited_since(tenure, its_round.opens, own) if its_round.opens and not tenure.ordered else None
        _person(seen, since, table, tenure, sits[tenure.faction])


def shown_as(entrant: Entrant | None) -> str:
    return display_name(entrant.handle, entrant.name) if entrant else say("tournament-tables.nobody")


def _blocks(table: Table, sits: Mapping[str, str], zone: ZoneInfo) -> list[str]:
    if table.stopped_at or table.status != "running":
        return []
    turn = table.play.state.turn
    asked: dict[tuple[str, datetime, datetime], list[str]] = {}
    nameless = None
    for question in table.play.asked():
        due = table.due(question)
        if question.blanket:
            nameless = max(nameless or due, due) if due else nameless
            continue
        if not question.public or due is None:
            continue
        one = say("tournament-watch.one", faction=question.faction, who=sits.get(question.faction, ""))
        asked.setdefault((question.kind, _asked_at(table, question.key) or due, due), []).append(one)
    found = [
        say("tournament-watch.duty", turn=turn, duty=duty(kind), who=who, since=_at(since, zone), due=_at(due, zone))
        for (kind, since, due), who in asked.items()
    ]
    if nameless and not found:
        found.append(say("tournament-watch.nameless", turn=turn, due=_at(nameless, zone)))
    return found


def _asked_at(table: Table, key: object) -> datetime | None:
    found = [deadline.asked_at for (_, of), deadline in table.deadlines.items() if of == key]
    return min((when for when in found if when), default=None)


def _forecast(tournament: Tournament, its_round: Round, table: Table, now: datetime) -> int:
    """Return the turn that a table should have reached by now if its turns were spread evenly over the round, or 0 if
    the table is not far behind that turn."""
    assert its_round.opens is not None, "only a round in play is forecast"
    ends = its_round.ends or its_round.opens + timedelta(days=tournament.settings.rounds.days)
    share = min((now - its_round.opens) / (ends - its_round.opens), 1.0)
    last = last_turn(table.play.game)
    forecast = 1 + int(share * (last - 1))
    return forecast if table.play.state.turn + BEHIND <= forecast else 0


def _person(seen: _Watch, since: datetime | None, table: Table, tenure: Tenure, who: str) -> None:
    place, now = (tenure.round, tenure.table), seen.now
    facts = {"who": who, "faction": tenure.faction}
    if not tenure.entrant:
        seen.people.append((place, say("tournament-watch.vacant", faction=tenure.faction)))
        return
    hours = seen.tournament.settings.people.show_hours
    if since is not None and since + hours * HOUR / 2 <= now < since + hours * HOUR:
        gone = int((now - since) / HOUR)
        seen.people.append((place, say("tournament-watch.no-show", **facts, hours=gone, most=hours)))
    seat = next((seat for faction, seat in table.seats.items() if faction == tenure.faction), None)
    if seat is not None and seat.unreachable:
        seen.people.append((place, say("tournament-watch.unreachable", **facts)))


def _entries(session: Session, known: Mapping[int, Entrant], seen: _Watch) -> None:
    tournament, zone = seen.tournament, session.settings.mentat.timezone
    nowhere = (0, 0)
    late = [each.handle for each in known.values() if each.state == "entered" and each.entered_at < session.now]
    # if it runs automatically, they are reminded and then left out
    if late and tournament.state == "open" and not tournament.settings.auto:
        seen.people.append((nowhere, say("tournament-watch.unconfirmed", count=len(late), handles=late)))
    if gone := [each.handle for each in known.values() if letters.is_unreachable(each)]:
        seen.people.append((nowhere, say("tournament-watch.comes-back", handles=gone)))
    for paper in tournaments.papers_of(session.conn, tournament.id, "invitation", "substitution"):
        if paper.until is None:
            continue
        facts = {"handle": known[paper.entrant].handle, "until": _at(paper.until, zone)}
        place = (paper.round, paper.table)
        if paper.kind == "invitation":
            seen.people.append((nowhere, say("tournament-watch.invited", **facts)))
        else:
            seen.people.append((place, say("tournament-watch.asked", **facts)))


# --- the deputy ------------------------------------------------------------------------------------------------------


def _deputise(session: Session, tournament: Tournament, waiting: list[Matter]) -> None:
    """If a matter has waited for several days without any act by the organisers, make the deputies directors and tell
    everybody."""
    days = tournament.settings.people.deputy_after_days
    since = session.now - timedelta(days=days)
    deputies = [who for who in acts.rights_of(session.conn, tournament_id=tournament.id) if who.right == "deputy"]
    if not deputies or not any(matter.since <= since for matter in waiting):
        return
    if any(act.at > since and act.right in ACTING for act in acts.acts_of(session.conn, tournament_id=tournament.id)):
        return
    for who in deputies:
        acts.grant_right(
            session.conn, GrantedRight(who.address, "director", who.token, session.now, tournament_id=tournament.id)
        )
    words = say("tournament-deputy.subject", title=tournament.title)
    log_act(session, tournament.id, "deputy", words)
    told = [say("tournament-deputy.told", title=tournament.title, days=days)]
    taking_part = [each for each in tournaments.entrants_of(session.conn, tournament.id) if each.confirmed_at]
    cause = f"deputy.{stamp(session.now)}"
    tell_all(session, taking_part, Letter(words, told, cause))
    told.append(say("tournament-deputy.organiser"))
    for granted in acts.rights_of(session.conn, tournament_id=tournament.id):
        tell_one_organiser(session, tournament, granted, Letter(words, told, cause))


FIRST_HOUR_OF_ENTRANTS = 7
"""The hour of the daily letter to a person whose waking hours are unknown."""


@dataclass(frozen=True, slots=True)
class WaitingSeat:
    table: Table
    faction: Faction
    due: datetime | None


def next_digest(entrant: Entrant, now: datetime) -> datetime:
    zone = zone_named(entrant.timezone)
    today = now.astimezone(zone).date()
    mornings = (instant_at(today + timedelta(days=number), time(_wakes(entrant, now)), zone) for number in range(3))
    return next(moment for moment in mornings if moment > now)


def _wakes(entrant: Entrant, now: datetime) -> int:
    mask = entrant.hours
    if not mask or mask == (1 << 24) - 1:
        return FIRST_HOUR_OF_ENTRANTS
    first = next(hour for hour in range(24) if mask >> hour & 1 and not mask >> ((hour - 1) % 24) & 1)
    return now.replace(hour=first, minute=0).astimezone(zone_named(entrant.timezone)).hour


def write_digests(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        running = [each for each in tournaments.all_tournaments(conn, "running") if each.settings.people.digest]
        due = {(each.tournament_id, each.number) for each in tournaments.entrant_digests_due(conn, now)}
        todo = [each.id for each in running if _to_note(conn, each.id)]
    for tournament_id in todo:
        with acting(Caller(open_games, now), tournament_id) as (session, _):
            for entrant in _to_note(session.conn, tournament_id):
                tournaments.change_entrant(
                    session.conn, tournament_id, entrant.number, digest_due=next_digest(entrant, now)
                )
    for tournament_id, number in sorted(due):
        with acting(Caller(open_games, now), tournament_id) as (session, tournament):
            for entrant in tournaments.entrant_digests_due(session.conn, now, tournament_id, number):
                _write_digest(session, tournament, entrant)


def _to_note(conn: Connection, tournament_id: str) -> list[Entrant]:
    playing = {(table.round, table.number) for table in rows.tables_of(conn, tournament_id, 0, ["playing"])}
    seated = {t.entrant for t in rows.now_sitting(conn, tournament_id) if (t.round, t.table) in playing}
    everybody = tournaments.entrants_of(conn, tournament_id) if seated else []
    return [entrant for entrant in everybody if entrant.number in seated and entrant.digest_due is None]


def _write_digest(session: Session, tournament: Tournament, entrant: Entrant) -> None:
    plays = tournament.state == "running" and rows.games_of(session.conn, tournament.id, entrant.number)
    again = next_digest(entrant, session.now) if plays and tournament.settings.people.digest else None
    tournaments.change_entrant(session.conn, tournament.id, entrant.number, digest_due=again)
    if again is None:
        return
    waits = waiting_seats(session.conn, session.games, entrant)
    if not waits:
        return
    first = next((each.due for each in waits if each.due), None)
    zone = zone_named(entrant.timezone)
    told = [say("tournament-digest.first", by=deadline(first, session.now, zone))] if first else []
    headline = say("tournament-digest.headline", title=tournament.title, games=len(waits))
    seats = [(each.table, each.faction) for each in waits]
    session.writer.digest_of_games(seats, tournament.id, headline, told)
    for table in {each.table.id: each.table for each in waits}.values():
        games.close(session.conn, table)


def waiting_seats(conn: Connection, open_games: OpenGames, entrant: Entrant) -> list[WaitingSeat]:
    known = people.known_as(conn, entrant.address)
    found = []
    for game_id in rows.games_of(conn, entrant.tournament_id, entrant.number):
        table = open_games.table(conn, game_id)
        if table.status != "running" or table.stopped_at:
            continue
        for seat in table.seats.values():
            if seat.address not in known:
                continue
            asked = [q for q in table.play.questions() if q.faction == seat.faction]
            dues = [table.due(q) for q in asked if not q.blanket and not calls.takes_no_time(table, q)]
            if calls.awaits(table, seat.faction):
                dues.append(table.call_due)
            if dues:
                found.append(WaitingSeat(table, seat.faction, min((due for due in dues if due), default=None)))
    return sorted(found, key=lambda each: (each.due is None, each.due, each.table.id))


log = logging.getLogger(__name__)

Work = Callable[[OpenGames, datetime], None]
WORK: tuple[Work, ...] = (
    factions.make_trades,
    factions.settle_factions,
    results.withdraw_undone_results,
    results.record_ended_games,
    adjudication.count_due_votes,
    adjudication.count_due_verdicts,
    results.confirm_results,
    results.update_ratings,
    preparation.expire_ready,
    game_starts.seat_free_players,
    automatic.advance,
    rounds.give_time_back,
    substitutes.look_after_seats,
    rounds.announce_due_last_turns,
    rounds.repeat_last_turns,
    rounds.report_late_tables,
    incoming_mail.write_waiting_codes,
    incoming_mail.remind_unconfirmed,
    preparation.expire_invitations,
    preparation.end_check_ins,
    progress.finish_due,
    write_digests,
    write_organiser_letters,
)


def tick(open_games: OpenGames, now: datetime) -> None:
    """Do everything that is due in all tournaments. If the work for one tournament fails, the others continue, and the
    failed work is retried later."""
    with reading(open_games.engine) as conn:
        if not tournaments.any_tournament(conn):
            return
    for work in WORK:
        try:
            work(open_games, now)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("%s failed and will be retried", work.__name__)
