"""How the game of a table stands or has ended, from what everybody at it was told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from bot.competition.outcomes import Kind, SeatOutcome, TableOutcome
from bot.store import games
from bot.store.database import Connection
from rules.components import as_faction

KINDS: Mapping[str, Kind] = {
    "strongholds": "stronghold", "most strongholds": "stronghold", "prediction": "prediction", "fremen": "default",
    "guild": "default",
}  # fmt: skip
"""What the game's own word for a win is here."""


def finished_outcome(conn: Connection, game_id: str) -> TableOutcome:
    """The outcome of a game, without who held the seats. One that goes on has no winners, and is ``void`` so far. Its
    strongholds are those of the end of the last turn."""
    founded, seats = games.founded(conn, game_id), games.seats_of(conn, game_id)
    over, strongholds, held = Counter[str](), Counter[str](), Counter[str]()
    kind: Kind = "void"
    how, winners = "", tuple[str, ...]()
    turn, _ = games.progress(conn, game_id)
    for event in games.events_of(conn, game_id):
        if event.kind == "strongholds":
            held = Counter({faction: len(places) for faction, places in event.facts["held"].items()})
            strongholds = held
            over += held
        elif event.kind == "game-won":
            how, winners, turn = event.facts["how"], tuple(event.facts["winners"]), event.turn
            kind = KINDS.get(how, "stronghold")
    return TableOutcome(
        game=game_id, ruleset=founded.ruleset, kind=kind, how=how, turn=turn,
        winners=tuple(as_faction(faction) for faction in winners),
        seats=tuple(
            SeatOutcome(
                faction=faction, dot=seat.dot, tenures=(), strongholds=strongholds[faction],
                strongholds_over_turns=over[faction],
            )
            for faction, seat in seats.items()
        ),
        rules=founded.options,
    )  # fmt: skip
