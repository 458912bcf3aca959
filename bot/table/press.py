"""What counts of a table when one of its seats writes to others: nothing that only some may know."""

from __future__ import annotations

from datetime import datetime

from bot.press import PressConsents, PressSettings, consents_in, settings_in
from bot.table.rounds import is_duty
from bot.table.table import Table, place_of
from rules.components import FACTION_FACTS, Faction
from rules.components.board import TerritoryId, territory_of, within


def settings_of(table: Table) -> PressSettings:
    """How the players of a game may write to each other."""
    return settings_in(table.press)


def said_at(table: Table) -> PressConsents:
    """What its players themselves have said about it."""
    return consents_in(table.press)


def note_said(table: Table, said: PressConsents) -> None:
    """They say something else from now on."""
    table.press = said.after(settings_of(table).words)


def all_agree(table: Table) -> bool:
    """Whether every player has agreed that letters may name false readers."""
    return said_at(table).false_readers >= set(table.seats) - unmanned(table)


def names_hidden(table: Table) -> bool:
    """Whether nobody is told who plays which faction: with gunboat, until the game is over or the round of its
    tournament is closed."""
    settings = settings_of(table)
    return settings.gunboat and (settings.names_until == "round" or not table.play.over)


def person(table: Table, faction: Faction) -> tuple[str, ...]:
    """By what a player, or whoever sits in for them, could be known: their address, and the name they go by, unless
    that is a faction's."""
    seat = table.seats[faction]
    names = (name for name in (seat.name, seat.sitter_name) if name.casefold() not in FACTION_FACTS)
    return tuple(filter(None, (seat.address, seat.sitter, *names)))


def unmanned(table: Table) -> frozenset[Faction]:
    """The seats that the caretaker plays, as everybody is told."""
    return frozenset(faction for faction, seat in table.seats.items() if seat.care)


def owes(table: Table, faction: Faction) -> bool:
    """Whether something is asked of a player that everybody may know of, and they have not answered."""
    return any(question.faction == faction and is_duty(table, question) for question in table.play.questions())


def overdue(table: Table, faction: Faction, now: datetime) -> bool:
    """Whether that was due before, be it that their time bank runs."""
    for question in table.play.questions():
        if question.faction == faction and is_duty(table, question):
            place = place_of(table.play, question)
            deadline = table.deadlines.get(place)
            if place in table.overruns or (deadline and deadline.due < now):
                return True
    return False


def near(table: Table, faction: Faction) -> frozenset[Faction]:
    """The factions that have tokens in a territory in which this one has some too, or beside one, for all to see."""
    there: dict[Faction, set[TerritoryId]] = {}
    for area, forces in table.play.state.forces.items():
        for other, tokens in forces.items():
            if tokens:
                there.setdefault(other, set()).add(territory_of(area))
    around = {near for territory in there.get(faction, ()) for near in within(territory, 1)}
    return frozenset(other for other, territories in there.items() if other != faction and territories & around)
