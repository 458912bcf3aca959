"""Whole tournaments without games: every seat is drawn, winners come by lot, and all the rest is computed.

It shows that draws, standings, ratings and the export hold for events of any size, and what they cost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import combinations

import msgspec

from bot.competition.draws import DrawRecord, RoundKind, TableDrawn, commitment, roster_digest, round_seed
from bot.competition.outcomes import Handle, Kind, SeatOutcome, TableOutcome, Tenure
from bot.competition.published import Entrant, Published, Result, Round, Standing, TableNow, encode
from bot.competition.ratings_published import recomputed
from bot.competition.seating.draw import Wishes, draw
from bot.competition.settings import TournamentSettings, digest, read
from bot.competition.standings import of_published
from bot.competition.sums import sealed
from bot.competition.verifying import verified
from rules.components import Faction
from rules.components.chance import Chance

SETTINGS = """title = "An event by lot"
format = "heats"

[rounds]
heats = {heats}
semifinal = {semifinal}
final = 6
"""
BEGAN = date(2026, 1, 1)
ENDS: tuple[tuple[Kind, str, int], ...] = (
    ("stronghold", "strongholds", 1), ("stronghold", "strongholds", 2), ("stronghold", "strongholds", 2),
    ("stronghold", "strongholds", 3), ("default", "guild", 1), ("prediction", "prediction", 1),
    ("adjudicated", "", 2), ("void", "", 0),
)  # fmt: skip
"""How tables end here, each as often as it stands: the kind, the game's word for it, and how many win."""


@dataclass(slots=True)
class Made:
    """A made-up tournament at its end, and how many seconds each part of it took."""

    published: Published
    seconds: dict[str, float] = field(default_factory=dict)
    difference: str = ""

    @property
    def met_again(self) -> int:
        """How many pairs met more than once in the heats."""
        met = Counter(pair for table in _heats(self.published) for pair in combinations(sorted(table), 2))
        return sum(times > 1 for times in met.values())


def by_lot(entrants: int, seed: str, *, heats: int = 3) -> Made:
    """A tournament of so many entrants, whose winners come by lot. NoTables if so many cannot be seated."""
    made = _Making(entrants, seed, heats)
    made.play("heat", tuple(range(1, heats + 1)), made.handles)
    best = [row.entrant for row in made.standings()]
    if made.settings.rounds.semifinal:
        best = best[: made.settings.rounds.semifinal]
        made.play("semifinal", (heats + 1,), best)
        best = [row.entrant for row in made.standings()]
    made.play("final", (made.rounds[-1].number + 1,), best[:6])
    return made.end()


class _Making:
    def __init__(self, entrants: int, seed: str, heats: int) -> None:
        self.text = SETTINGS.format(heats=heats, semifinal=36 if entrants > 36 else 0)
        self.settings: TournamentSettings = read(self.text)
        self.handles = tuple(f"E{number:0{max(3, len(str(entrants)))}d}" for number in range(1, entrants + 1))
        self.secret = f"secret of {seed}"
        self.chance = Chance(seed, {})
        self.rounds: list[Round] = []
        self.results: list[Result] = []
        self.seconds: dict[str, float] = {}

    def play(self, kind: RoundKind, numbers: tuple[int, ...], ranked: Sequence[Handle]) -> None:
        """Draw these rounds, and let every table end by lot."""
        roster = tuple(sorted(ranked))
        due, beacon = roster_digest(roster), ""
        history = tuple(
            table for one in self.rounds if one.draw for table in one.draw.tables if table.round == one.number
        )
        asked = DrawRecord(
            rounds=numbers, kind=kind, roster=roster, ranked=tuple(ranked), roster_digest=due, beacon=beacon,
            history=history,
        )  # fmt: skip
        began = time.perf_counter()
        drawn = draw(asked, round_seed(self.secret, numbers[0], due, beacon), Wishes())
        self._took(f"draw of {kind}s", began)
        for table in drawn.tables:
            outcome = self._ends(table)
            self.results.append(Result(outcome=outcome, state="confirmed", day=outcome.ended))
        for number in numbers:
            there = tuple(
                TableNow(table=table.table, state="finished", game=_game(table), seats=_seats(table))
                for table in drawn.tables if table.round == number
            )  # fmt: skip
            self.rounds.append(
                Round(number=number, kind=kind, state="closed", opens=BEGAN, ends=BEGAN, draw=drawn, tables=there)
            )

    def _ends(self, table: TableDrawn) -> TableOutcome:
        kind, how, winners = self.chance.pick("end", ENDS)
        turn = 1 + self.chance.draw("turn", 10)
        order = [faction for faction, _ in _seats(table)]
        self.chance.shuffle("winners", order)
        seats = tuple(
            SeatOutcome(
                faction=seat.faction or order[0], dot=seat.dot,
                tenures=(Tenure(entrant=seat.entrant, first=1, last=turn),),
                strongholds=(held := self.chance.draw("held", 3)), strongholds_over_turns=held * turn,
            )
            for seat in table.seats
        )  # fmt: skip
        won = tuple(order[:winners])
        return TableOutcome(
            game=_game(table), ruleset="wbc-2018", kind=kind, how=how, winners=won, turn=turn, seats=seats,
            round=table.round, table=table.table, ended=BEGAN + timedelta(days=60 * table.round + table.table % 50),
            alliances=(won,) if winners > 1 else (),
        )  # fmt: skip

    def standings(self) -> tuple[Standing, ...]:
        """How it stands now."""
        began = time.perf_counter()
        rows = of_published(self._document("running"))
        self._took("standings", began)
        return rows

    def end(self) -> Made:
        """The export of it, checked."""
        document = self._document("finished")
        began = time.perf_counter()
        document = msgspec.structs.replace(document, ratings=recomputed(document))
        self._took("ratings", began)
        began = time.perf_counter()
        document = sealed(msgspec.structs.replace(document, standings=of_published(document)))
        self._took("standings", began)
        began = time.perf_counter()
        data = encode(document)
        self._took("export", began)
        began = time.perf_counter()
        found = verified(data).difference
        self._took("verify", began)
        return Made(document, self.seconds, found)

    def _document(self, state: str) -> Published:
        finished = state == "finished"
        entrants = tuple(Entrant(handle=handle, state="out" if finished else "playing") for handle in self.handles)
        return Published(
            tournament="by-lot", settings=self.text, settings_sha256=digest(self.text),
            state="finished" if finished else "running", commitment=commitment(self.secret),
            secret=self.secret if finished else "", entrants=entrants, rounds=tuple(self.rounds),
            results=tuple(self.results),
        )  # fmt: skip

    def _took(self, what: str, began: float) -> None:
        self.seconds[what] = self.seconds.get(what, 0.0) + time.perf_counter() - began


def _game(table: TableDrawn) -> str:
    return f"by-lot-r{table.round}-t{table.table:02d}"


def _seats(table: TableDrawn) -> tuple[tuple[Faction, Handle], ...]:
    return tuple((seat.faction, seat.entrant) for seat in table.seats if seat.faction)


def _heats(published: Published) -> list[list[Handle]]:
    return [
        [seat.entrant for seat in table.seats]
        for one in published.rounds
        if one.draw and one.kind == "heat"
        for table in one.draw.tables
        if table.round == one.number
    ]
