"""The public board of a game as it was at its last completed Mentat pause, by which a stopped game is decided."""

from __future__ import annotations

import msgspec

from bot.competition.adjudication import Side
from bot.store import games
from bot.store.database import Connection
from rules.chapters.victory import needed, strongholds_held
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.state.game import Game
from rules.state.state import State

AFTER_THE_PAUSE: PhaseName = "storm"
"""The phase that a turn begins with."""


class _Watched(Play):
    """A game that keeps how it stood when its turns began."""

    __slots__ = ("pauses",)

    pauses: list[Snapshot]

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        if phase == AFTER_THE_PAUSE and self.snapshot.phase == phase and self.snapshot.turn > 1:
            self.pauses = [self.snapshot]


def sides(conn: Connection, game_id: str) -> tuple[Side, ...]:
    """The sides of a game as they were on the public board at its last completed Mentat pause; none before the first.
    Whoever is allied is one side."""
    founded, seats = games.founded(conn, game_id), games.seats_of(conn, game_id)
    rules = games.rule_set(founded.ruleset, founded.options)
    play = _Watched.start(rules, founded.seed, {faction: seat.dot for faction, seat in seats.items()})
    play.replay(games.log_of(conn, game_id))
    pauses = getattr(play, "pauses", [])
    if not pauses:
        return ()
    state = msgspec.msgpack.decode(pauses[-1].state, type=State)
    return _sides(Game(rules, founded.seed, state))


def _sides(game: Game) -> tuple[Side, ...]:
    held, order = strongholds_held(game), game.order_of_play()
    parties = list(dict.fromkeys(game.state.ally_group(faction) for faction in order))
    return tuple(
        Side(
            members=party, needed=needed(game, party), held=len({place for member in party for place in held[member]}),
            tokens=sum(_tokens(game, member, held[member]) for member in party),
            order=1 + min(order.index(member) for member in party),
        )
        for party in parties
    )  # fmt: skip


def _tokens(game: Game, faction: Faction, places: tuple[TerritoryId, ...]) -> int:
    return sum(game.state.forces_in(place)[faction].total for place in places)
