"""Beacons: the seed of each draw depends on a value that nobody could know when the list of players was fixed.

A draw is first *frozen*. This fixes the list of players and, if the draw uses them, the order of the standings. It also
names the beacon: its source, the time from which its value exists, and the format in which to send it. That time is at
least ``lead_hours`` ahead, and no earlier draw used it. If the list of players changes afterwards, the draw is frozen
again with a later beacon, because people who change the list must not know the outcome.

Mentat does not fetch the value. People send it: `beacon cup 3: 4 8 15 16 23 42`. The beacon is settled once two mails
give the same value. Both may come from the same director; otherwise they must come from two different people, who are
directors, arbiters or, if ``witness`` is set, entrants. If the values differ, the draw waits until the director has
sent the same value twice. A value that was used for an earlier draw is refused.

The source `quicknet` is the public drand chain, which publishes a signed value every three seconds. The number of its
round is computed here, without a network. For any other source, the value is published on ``beacon_date`` or on the
same weekday of a later week, because lotteries are weekly.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from bot.competition.outcomes import Handle
from bot.competition.published import DrawRecord, roster_digest
from bot.competition.settings import QUICKNET, TournamentSettings
from bot.competition.standings import NextRound
from bot.games.open_games import Session
from bot.store import tournament_rounds, tournaments
from bot.store.acts import JUDGES, GrantedRight
from bot.store.database import Connection
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import instant_at
from bot.tournament.desk import By, Refused, log_act
from bot.wording import say

QUICKNET_GENESIS = 1_692_803_367  # seconds since 1970
QUICKNET_PERIOD = 3  # seconds
LONGEST_VALUE = 200


def quicknet_round(instant: datetime) -> int:
    """Return the number of the first round of drand's quicknet at or after an instant.

    >>> quicknet_round(datetime(2027, 3, 13, 20, tzinfo=UTC))
    37388212
    """
    return -(-(int(instant.timestamp()) - QUICKNET_GENESIS) // QUICKNET_PERIOD) + 1


def beacon_instant(
    settings: TournamentSettings, now: datetime, zone: ZoneInfo, earlier: Sequence[datetime] = ()
) -> datetime:
    """Return the time from which the value of a beacon that is named now will exist. It is at least ``lead_hours`` from
    now, and later than the times of all ``earlier`` draws."""
    first = max([now + timedelta(hours=settings.steps.lead_hours), *(each + timedelta(seconds=1) for each in earlier)])
    if settings.beacon == QUICKNET and not settings.beacon_date:
        full = first.replace(minute=0, second=0, microsecond=0)
        return full if full == first else full + timedelta(hours=1)
    day = date.fromisoformat(settings.beacon_date)
    weeks = max(0, (first.astimezone(zone).date() - day).days // 7)
    while (found := _begins(day + timedelta(weeks=weeks), zone)) < first:
        weeks += 1
    return found


def _begins(day: date, zone: ZoneInfo) -> datetime:
    return instant_at(day, time(0), zone).astimezone(UTC)


def first_instant(settings: TournamentSettings, zone: ZoneInfo) -> datetime | None:
    """Return the time from which the beacon that is announced when entries open will exist, or None if the settings
    name no day for it."""
    return _begins(date.fromisoformat(settings.beacon_date), zone) if settings.beacon_date else None


@dataclass(frozen=True, slots=True)
class FrozenDraw:
    """A draw that waits only for its beacon. ``field`` is the digest of its list of players, and ``order`` the digest
    of the standings by which they are seated. ``at`` is the time from which the beacon exists. The players in
    ``sit_out`` are not drawn. If tables are drawn as players become free, ``free`` are the players who were free when
    the draw was frozen; players who became free later wait for the next draw."""

    round: int
    field: str
    order: str
    at: datetime
    source: str
    sit_out: tuple[Handle, ...] = ()
    free: tuple[Handle, ...] = ()

    def of(self, comes: NextRound) -> NextRound:
        """Return the next round without the players who became free after the draw was frozen."""
        return replace(comes, who=tuple(each for each in comes.who if each in self.free)) if self.free else comes

    @property
    def form(self) -> str:
        return beacon_form(self.source, self.at)

    def fits(self, field: str, order: str) -> bool:
        return (self.field, self.order) == (field, order)


def beacon_form(source: str, at: datetime) -> str:
    if source == QUICKNET:
        return f"quicknet {quicknet_round(at)} RANDOMNESS"
    return say("tournament-beacon.form")


def order_digest(ranked: Sequence[Handle]) -> str:
    return hashlib.sha256(" ".join(ranked).encode()).hexdigest()


def field_digest(handles: Sequence[Handle]) -> str:
    return roster_digest(sorted(handles, key=lambda handle: (len(handle), handle)))


def write_frozen(conn: Connection, tournament_id: str, frozen: FrozenDraw, now: datetime) -> None:
    for paper in tournaments.papers_of(conn, tournament_id, "frozen"):
        tournaments.set_paper_state(conn, paper.id, "gone")
    for paper in tournaments.papers_of(conn, tournament_id, "beacon"):
        tournaments.set_paper_state(conn, paper.id, "gone")
    free = (" ".join(("free:", *frozen.free)),) if frozen.free else ()
    words = "\n".join((frozen.field, frozen.order, frozen.at.isoformat(), frozen.source, *free, *frozen.sit_out))
    tournaments.add_paper(conn, Paper(tournament_id, 0, "frozen", words, now, frozen.round))


def _read_frozen(paper: Paper) -> FrozenDraw:
    field, order, at, source, *sit_out = paper.words.split("\n")
    free = sit_out.pop(0).split()[1:] if sit_out[:1] and sit_out[0].startswith("free:") else ()
    return FrozenDraw(paper.round, field, order, datetime.fromisoformat(at), source, tuple(sit_out), tuple(free))


def frozen_draw(conn: Connection, tournament_id: str) -> FrozenDraw | None:
    found = tournaments.papers_of(conn, tournament_id, "frozen")
    return _read_frozen(found[-1]) if found else None


def instants_used(conn: Connection, tournament_id: str) -> list[datetime]:
    return [_read_frozen(paper).at for paper in tournaments.papers_of(conn, tournament_id, "frozen", state=None)]


def end_frozen(conn: Connection, tournament_id: str) -> None:
    for paper in tournaments.papers_of(conn, tournament_id, "frozen", "beacon"):
        tournaments.set_paper_state(conn, paper.id, "answered")


# --- the value -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SentValues:
    """The values that people have sent as the beacon of the frozen draw. ``values`` holds the newest value of each
    person, in the order of each person's first value. ``settled`` is the value that counts, or "" while none does."""

    values: tuple[str, ...] = ()
    settled: str = ""

    @property
    def differ(self) -> bool:
        return len(self.values) > 1 and not self.settled


NOTHING_SENT = SentValues()


def is_done_without(settings: TournamentSettings, frozen: FrozenDraw, sent: SentValues, now: datetime) -> bool:
    """Return True if the draw may proceed without a beacon: the beacon is optional, and nobody has sent its value for
    ``beacon_wait_days``."""
    waited = now >= frozen.at + timedelta(days=settings.beacon_wait_days)
    return waited and settings.beacon_optional and not sent.values


def sent_values(conn: Connection, tournament_id: str) -> SentValues:
    by_sender: dict[str, list[str]] = {}
    for paper in tournaments.papers_of(conn, tournament_id, "beacon"):
        value, _, sender = paper.words.partition("\n")
        by_sender.setdefault(sender, []).append(value)
    newest = {sender: values[-1] for sender, values in by_sender.items()}
    values = tuple(dict.fromkeys(newest.values()))
    twice = [v[-1] for sender, v in by_sender.items() if sender.startswith("director") and v[-2:] == [v[-1]] * 2]
    if twice:
        return SentValues(values, twice[0])
    agreed = [value for value in values if sum(each == value for each in newest.values()) > 1]
    return SentValues(values, agreed[0] if len(values) == 1 and agreed else "")


def plain_value(said: str) -> str:
    return " ".join(said.split())


def refuse_value(value: str, frozen: FrozenDraw, used: Sequence[str], now: datetime) -> str:
    facts = {"round": frozen.round, "value": value, "source": frozen.source, "form": frozen.form}
    if now < frozen.at:
        return say("tournament-beacon.too-early", at=f"{frozen.at:%Y-%m-%d %H:%M}Z", **facts)
    if value in used:
        return say("tournament-beacon.used", **facts)
    if not value or len(value) > LONGEST_VALUE or not value.isprintable():
        return say("tournament-beacon.no-value", most=LONGEST_VALUE, **facts)
    number = quicknet_round(frozen.at)
    if frozen.source == QUICKNET and not re.fullmatch(rf"quicknet {number} [0-9a-fA-F]{{8,}}", value):
        return say("tournament-beacon.no-quicknet", number=number, **facts)
    return ""


_LINE = re.compile(
    r"(?:the\s+)?beacon\b(?:\s+of\b)?(?:\s+(?P<id>(?!round\b)[a-z0-9][a-z0-9-]*[a-z][a-z0-9-]*|[a-z][a-z0-9-]*))??"
    r"(?:\s+(?:round\s+)?(?P<round>[0-9]{1,3}))?\s*(?::|\bis\b:?)\s*(?P<value>\S.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ValueLine:
    tournament: str
    round: int
    value: str


def read_value_line(line: str) -> ValueLine | None:
    """Parse a line that gives the value of a beacon. Return None for any other line.

    >>> read_value_line("Beacon cup 3:  4 8 15 16 23 42")
    ValueLine(tournament='cup', round=3, value='4 8 15 16 23 42')
    >>> read_value_line("The beacon is 4 8 15").value
    '4 8 15'
    """
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return None
    return ValueLine((found["id"] or "").lower(), int(found["round"] or 0), plain_value(found["value"]))


def take_value(session: Session, tournament: Tournament, said: ValueLine, sender: GrantedRight | Entrant) -> str:
    conn = session.conn
    if said.tournament not in ("", tournament.id):
        raise Refused(say("tournament-line.other", id=tournament.id, named=said.tournament))
    who = sender.right if isinstance(sender, GrantedRight) else "entrant"
    if who not in JUDGES and not (who == "entrant" and tournament.settings.witness):
        raise Refused(say("tournament-beacon.not-yours", witness=tournament.settings.witness))
    frozen = frozen_draw(conn, tournament.id)
    if frozen is None or said.round not in (0, frozen.round):
        raise Refused(say("tournament-beacon.nothing-frozen", round=said.round, waits=frozen.round if frozen else 0))
    if settled := sent_values(conn, tournament.id).settled:
        return say("tournament-beacon.settled-before", round=frozen.round, value=settled)
    if why := refuse_value(said.value, frozen, values_used(conn, tournament), session.now):
        raise Refused(why)
    number = sender.number if isinstance(sender, Entrant) else 0
    known = hashlib.sha256(f"{tournament.id} {sender.address}".encode()).hexdigest()[:12]
    paper = Paper(tournament.id, number, "beacon", f"{said.value}\n{who} {known}", session.now, frozen.round)
    tournaments.add_paper(conn, paper)
    found = sent_values(conn, tournament.id)
    if found.settled:
        words = f"round {frozen.round}: {found.settled}"
        log_act(session, tournament.id, "beacon", words, By(sender.address, who))
        return say("tournament-beacon.settled", round=frozen.round, value=found.settled)
    tournaments.touch(conn, tournament.id)
    if found.differ:
        return say("tournament-beacon.differ", round=frozen.round, values=[f"“{each}”" for each in found.values])
    return say("tournament-beacon.once", round=frozen.round, value=said.value, director=who == "director")


def values_used(conn: Connection, tournament: Tournament) -> list[str]:
    every = [each.draw for each in tournament_rounds.rounds_of(conn, tournament.id) if each.draw]
    records = [msgspec.json.decode(draw, type=DrawRecord) for draw in every]
    return [draw.beacon for draw in (*records, *voided_draws(conn, tournament.id)) if draw.beacon]


def write_voided(conn: Connection, tournament_id: str, draw: DrawRecord, now: datetime) -> None:
    words = msgspec.json.encode(draw, order="deterministic").decode()
    tournaments.add_paper(conn, Paper(tournament_id, 0, "voided", words, now, draw.rounds[0]))


def voided_draws(conn: Connection, tournament_id: str) -> list[DrawRecord]:
    found = tournaments.papers_of(conn, tournament_id, "voided", state=None)
    return [msgspec.json.decode(paper.words.encode(), type=DrawRecord) for paper in found]
