"""The facts about a table on which decisions about a seat's press depend. They include nothing that only some players
may know."""

from __future__ import annotations

from datetime import datetime

from bot.press import PressConsents, PressSettings, consents_in, settings_in
from bot.table.rounds import is_duty
from bot.table.table import Table, place_of
from rules.components import FACTION_FACTS, Faction
from rules.components.board import TerritoryId, territory_of, within


def settings_of(table: Table) -> PressSettings:
    return settings_in(table.press)


def said_at(table: Table) -> PressConsents:
    return consents_in(table.press)


def note_said(table: Table, said: PressConsents) -> None:
    table.press = said.after(settings_of(table).words)


def all_agree(table: Table) -> bool:
    return said_at(table).false_readers >= set(table.seats) - unmanned(table)


def names_hidden(table: Table) -> bool:
    """Return True if nobody may learn yet who plays which faction. With the gunboat option, names stay hidden until the
    game is over, or until its tournament round is closed."""
    settings = settings_of(table)
    return settings.gunboat and (settings.names_until == "round" or not table.play.over)


def slots_of(table: Table) -> int:
    """Return the number of hours between the moments at which the game moves, or 0 if it may move at any time."""
    return (settings_of(table).slots or 0) if names_hidden(table) else 0


def known_players(table: Table) -> tuple[tuple[Faction, str], ...]:
    return () if names_hidden(table) else tuple((faction, seat.name) for faction, seat in table.seats.items())


def person(table: Table, faction: Faction) -> tuple[str, ...]:
    """Return the addresses and names by which a player, or their sitter, could be recognised. Faction names are not
    included."""
    seat = table.seats[faction]
    names = (name for name in (seat.name, seat.sitter_name) if name.casefold() not in FACTION_FACTS)
    return tuple(filter(None, (seat.address, seat.sitter, *names)))


def unmanned(table: Table) -> frozenset[Faction]:
    return frozenset(faction for faction, seat in table.seats.items() if seat.care)


def owes(table: Table, faction: Faction) -> bool:
    return any(question.faction == faction and is_duty(table, question) for question in table.play.questions())


def overdue(table: Table, faction: Faction, now: datetime) -> bool:
    """Return True if the deadline of a public question to the player has passed, even if their time bank is still
    running."""
    for question in table.play.questions():
        if question.faction == faction and is_duty(table, question):
            place = place_of(table.play, question)
            deadline = table.deadlines.get(place)
            if place in table.overruns or (deadline and deadline.due < now):
                return True
    return False


def near(table: Table, faction: Faction) -> frozenset[Faction]:
    there: dict[Faction, set[TerritoryId]] = {}
    for area, forces in table.play.state.forces.items():
        for other, tokens in forces.items():
            if tokens:
                there.setdefault(other, set()).add(territory_of(area))
    around = {near for territory in there.get(faction, ()) for near in within(territory, 1)}
    return frozenset(other for other, territories in there.items() if other != faction and territories & around)
