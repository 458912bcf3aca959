"""Positions in which to search for leaks: silent games, and hands that are changed in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from sqlalchemy import select, update

from bot.store.database import unpack, writing
from bot.store.tables import SNAPSHOT
from rules.components import FACTIONS, Card, Faction, Leader
from rules.state.events import Viewer
from rules.state.state import State
from tests.moderator.table import World
from tests.moderator.twins import Twins

TEMPOS = ("table", "steady", "swift")
HOURS = 12


def silent_game(folder: Path, tempo: str, phase: str, turn: int = 1) -> World:
    """Return a game of six in which nobody wrote until this phase began."""
    world = World.at(folder)
    world.silent_game(phase, turn, "wbc-2018", tempo)
    return world


def deal_hands(
    world: World, hands: Mapping[Faction, Sequence[str]], traitors: Mapping[Faction, Sequence[str]] | None = None
) -> World:
    """Give players these cards and traitors, as if they had had them since the phase began, and return the world. Their
    old cards go into the deck, and nobody else keeps any of the new ones."""
    with writing(world.engine) as conn:
        last = conn.execute(select(SNAPSHOT).order_by(SNAPSHOT.c.number.desc()).limit(1)).one()
        state = msgspec.msgpack.Decoder(State).decode(unpack(last.state))
        for faction in hands:
            player = state.players[faction]
            state.treachery_deck += player.hand
            player.hand = []
        for faction, cards in hands.items():
            for card in cards:
                _take(state, Card(card))
                state.players[faction].hand.append(Card(card))
        for faction, leaders in (traitors or {}).items():
            state.players[faction].traitors = [Leader(leader) for leader in leaders]
        kept = msgspec.msgpack.encode(state)
        conn.execute(update(SNAPSHOT).where(SNAPSHOT.c.number == last.number).values(state=kept))
    world.engine.dispose()
    return world.another_process()


def _take(state: State, card: Card) -> None:
    """Take a card from its place. If another player has it, replace it with one from the deck."""
    if card in state.treachery_deck:
        state.treachery_deck.remove(card)
        return
    if card in state.treachery_discard:
        state.treachery_discard.remove(card)
        return
    holder = next(player for player in state.players.values() if card in player.hand)
    holder.hand[holder.hand.index(card)] = state.treachery_deck.pop()


def differ_in_purses(twins: Twins, faction: Faction, one: int, other: int) -> None:
    """Give a player different amounts of spice in the two worlds, and no cards."""
    for world, spice in ((twins.one, one), (twins.other, other)):
        _give(deal_hands(world, {faction: []}), faction, spice)
    twins.one, twins.other = twins.one.another_process(), twins.other.another_process()


def _give(world: World, faction: Faction, spice: int) -> None:
    with writing(world.engine) as conn:
        last = conn.execute(select(SNAPSHOT).order_by(SNAPSHOT.c.number.desc()).limit(1)).one()
        state = msgspec.msgpack.Decoder(State).decode(unpack(last.state))
        state.players[faction].spice = spice
        kept = msgspec.msgpack.encode(state)
        conn.execute(update(SNAPSHOT).where(SNAPSHOT.c.number == last.number).values(state=kept))
    world.engine.dispose()


def differ_in_hands(twins: Twins, one: Mapping[Faction, Sequence[str]], other: Mapping[Faction, Sequence[str]]) -> None:
    """Give these players different cards in the two worlds."""
    twins.one, twins.other = deal_hands(twins.one, one), deal_hands(twins.other, other)


def both_say(twins: Twins, faction: Faction, *lines: str) -> None:
    """Deliver the same mail, byte for byte, in both worlds."""
    name = f"<{faction}.{hash(lines) & 0xFFFFFFFF}.{twins.one.now.timestamp()}@players.example>"
    for world in (twins.one, twins.other):
        world.moderator.deliver(world.mail(faction, *lines, message_id=name), world.now)


def onlookers(*parties: Faction) -> list[Viewer]:
    """Return all factions except these, and the public."""
    return [*(faction for faction in FACTIONS if faction not in parties), "public"]


def unlike(twins: Twins, viewers: Sequence[Viewer], until: str, most: int = 60) -> list[str]:
    """Let time pass until this phase or the next turn. Return the first differences that these viewers see."""
    turn = twins.one.table().play.state.turn
    for _ in range(most):
        if found := list(twins.differences(viewers)):
            return found
        states = [world.table().play.state for world in (twins.one, twins.other)]
        if any(state.phase == until or state.turn > turn for state in states):
            return []
        for world in (twins.one, twins.other):
            world.wait(HOURS)
    raise AssertionError(f"{until} was never reached")
