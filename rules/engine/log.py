"""The log of a game: its entries, from which the whole game can be replayed, and the corrections by a game master.

Each entry is a plain value, which the store and the record write unchanged. ``Play`` (``rules.engine.play``) makes and
replays entries.

A correction changes one fact of the position. There is a type for each kind of fact. A correction never creates or
destroys anything: tokens that are put on the board come from the reserves (or the tanks), and a card is taken from its
current place. Nothing random is repeated: no card is shuffled, and no storm or traitor is drawn again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from rules.components import (
    CARDS,
    FACTION_FACTS,
    LEADERS,
    Card,
    Faction,
    Forces,
    Leader,
    as_faction,
    board,
    the_faction,
)
from rules.components.board import Area
from rules.orders import AnyOrder, Key, Order, PhaseName
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.state import NO_FORCES

MOST_SPICE = 200
"""The highest amount of spice behind one shield or in one place that a correction accepts.

No rule limits the spice in the bank, but no game reaches this amount.
"""
MOST_DIGITS = 3
MOST_TOKENS = max(facts.forces.total for facts in FACTION_FACTS.values())
CardPlace = Literal["deck", "discard"]


class SpiceCorrected(msgspec.Struct, frozen=True, gc=False, tag="spice"):
    """A correction of the spice behind a faction's shield. ``by`` is the spice that comes from the bank; a negative
    number means spice that goes to the bank."""

    faction: Faction
    by: int


class FieldSpiceCorrected(msgspec.Struct, frozen=True, gc=False, tag="field-spice"):
    """A correction that sets the spice in an area to this amount."""

    area: Area
    amount: int


class ForcesCorrected(msgspec.Struct, frozen=True, gc=False, tag="forces"):
    """A correction that sets a faction's tokens in an area. The difference comes from the reserves or goes there."""

    area: Area
    faction: Faction
    forces: Forces


class TanksCorrected(msgspec.Struct, frozen=True, gc=False, tag="tanks"):
    """A correction that sets a faction's tokens in the tanks. The difference comes from the reserves or goes there."""

    faction: Faction
    forces: Forces


class CardCorrected(msgspec.Struct, frozen=True, gc=False, tag="card"):
    """A correction that moves a treachery card to a hand, onto the deck or onto the discard pile."""

    card: Card
    source: Faction | CardPlace
    to: Faction | CardPlace


class LeaderCorrected(msgspec.Struct, frozen=True, gc=False, tag="leader"):
    """A correction of a leader's status: the leader is alive, or in the tanks."""

    leader: Leader
    status: Literal["ready", "dead"]


class StormCorrected(msgspec.Struct, frozen=True, gc=False, tag="storm"):
    """A correction that sets the storm's sector. It destroys nothing."""

    sector: int


Correction = (
    SpiceCorrected
    | FieldSpiceCorrected
    | ForcesCorrected
    | TanksCorrected
    | CardCorrected
    | LeaderCorrected
    | StormCorrected
)

_CARD_FORM = re.compile(r"card\s+(?P<card>.+?)\s+from\s+(?P<source>\S+)\s+to\s+(?P<to>\S+)")
CORRECTION_FORMS = (
    "spice FACTION +N",
    "spice TERRITORY = N",
    "forces TERRITORY FACTION N",
    "tanks FACTION N",
    "card CARD from PLACE to PLACE",
    "leader LEADER alive",
    "leader LEADER dead",
    "storm SECTOR",
)
"""The written forms of corrections; a PLACE is a faction, ``deck`` or ``discard``."""


def read_correction(text: str) -> Correction:
    """Return the correction that a text describes in one of the ``CORRECTION_FORMS``. Raise ValueError, with a
    readable message, for any other text.

    >>> read_correction("spice guild +3")
    SpiceCorrected(faction='guild', by=3)
    """
    said = re.sub(r"\s+", " ", text.strip())
    what, _, rest = said.partition(" ")
    readers: dict[str, Callable[[str], Correction]] = {
        "spice": _spice,
        "forces": _forces,
        "tanks": _tanks,
        "card": lambda _: _card(said),
        "leader": _leader,
        "storm": _storm,
    }
    if what.lower() not in readers:
        raise ValueError(f"{text[:80]!r} is not a correction; write one of: {'; '.join(CORRECTION_FORMS)}.")
    return readers[what.lower()](rest)


def write_correction(correction: Correction) -> str:
    """Return a correction as text, in the form that ``read_correction`` reads.

    >>> write_correction(SpiceCorrected("guild", -2))
    'spice guild -2'
    """
    match correction:
        case SpiceCorrected(faction, by):
            return f"spice {faction} {by:+d}"
        case FieldSpiceCorrected(area, amount):
            return f"spice {area} = {amount}"
        case ForcesCorrected(area, faction, forces):
            return f"forces {area} {faction} {forces}"
        case TanksCorrected(faction, forces):
            return f"tanks {faction} {forces}"
        case CardCorrected(card, source, to):
            return f"card {card} from {source} to {to}"
        case LeaderCorrected(leader, status):
            return f"leader {leader} {'alive' if status == 'ready' else 'dead'}"
        case StormCorrected(sector):
            return f"storm {sector}"


def owners_of_correction(correction: Correction) -> tuple[Faction, ...]:
    """Return the only factions that learn of the correction, because it changes something behind their shields. The
    result is empty if the correction is public."""
    match correction:
        case SpiceCorrected(faction, _):
            return (faction,)
        case CardCorrected(_, source, to) if "discard" not in (source, to):
            return tuple(as_faction(place) for place in (source, to) if place in FACTION_FACTS)
        case _:
            return ()


def looks_behind_shields(correction: Correction) -> bool:
    """Return whether a refusal of this correction could reveal a secret: who has a card or a captive, the size of a
    hand, or an amount of spice."""
    match correction:
        case SpiceCorrected() | LeaderCorrected():
            return True
        case CardCorrected(_, source, to):
            return source != "discard" or to in FACTION_FACTS
        case _:
            return False


def apply_correction(game: Game, correction: Correction) -> None:
    """Apply the correction. Raise ValueError, with a readable message, if the position does not allow it."""
    state = game.state
    match correction:
        case SpiceCorrected(faction, by):
            player = state.players[_played_cards(game, faction)]
            if not 0 <= player.spice + by <= MOST_SPICE:
                raise ValueError(
                    f"{by:+d} spice is impossible for {the_faction(faction)}: they have {player.spice}, and a faction "
                    f"has from 0 to {MOST_SPICE}."
                )
            player.spice += by
        case FieldSpiceCorrected(area, amount):
            _put_spice(game, area, amount)
        case ForcesCorrected(area, faction, forces):
            _put_forces(game, area, _played_cards(game, faction), forces)
        case TanksCorrected(faction, forces):
            player = state.players[_played_cards(game, faction)]
            player.reserves, player.tanks = _taken(faction, player.reserves + player.tanks, forces), forces
        case CardCorrected(card, source, to):
            _move_card(game, card, source, to)
        case LeaderCorrected(leader, status):
            if leader not in state.leaders:
                raise ValueError(f"{leader} is not in this game.")
            if any(leader in player.captured for player in state.players.values()):
                raise ValueError(f"{leader} is held by another faction.")
            standing = state.leaders[leader]
            standing.status, standing.seen_by = status, ()
        case StormCorrected(sector):
            if not 1 <= sector <= board.SECTORS:
                raise ValueError(f"The storm's sector must be from 1 to {board.SECTORS}.")
            state.storm = sector


def _played_cards(game: Game, faction: Faction) -> Faction:
    if faction not in game.state.players:
        raise ValueError(f"Nobody plays {the_faction(faction)} in this game.")
    return faction


def _put_spice(game: Game, area: Area, amount: int) -> None:
    if board.TERRITORIES[board.territory_of(area)].spice_area != area:
        raise ValueError(f"Spice never lies in {area}.")
    if not 0 <= amount <= MOST_SPICE:
        raise ValueError(f"The spice in {area} must be from 0 to {MOST_SPICE}, not {amount}.")
    if amount:
        game.state.spice[area] = amount
    else:
        game.state.spice.pop(area, None)


def _put_forces(game: Game, area: Area, faction: Faction, forces: Forces) -> None:
    state = game.state
    player, here = state.players[faction], state.forces.setdefault(area, {})
    player.reserves = _taken(faction, player.reserves + here.get(faction, NO_FORCES), forces)
    here.pop(faction, None)
    if forces:
        here[faction] = forces
    if not here:
        del state.forces[area]


def _taken(faction: Faction, there: Forces, wanted: Forces) -> Forces:
    if not there.covers(wanted):
        raise ValueError(f"There and in reserve, {the_faction(faction)} can have only {there} tokens, not {wanted}.")
    return there - wanted


def _move_card(game: Game, card: Card, source: Faction | CardPlace, to: Faction | CardPlace) -> None:
    place = _cards_of(game, source)
    if card not in place:
        raise ValueError(f"{card} is not there: {source}.")
    if source in FACTION_FACTS and _is_committed(game, card, as_faction(source)):
        raise ValueError(f"{card} is in a battle plan of {the_faction(as_faction(source))} until the battle is over.")
    place.remove(card)
    target = _cards_of(game, to)
    if to == "deck":
        target.insert(0, card)
    else:
        target.append(card)


def _is_committed(game: Game, card: Card, faction: Faction) -> bool:
    battle = game.moments.battle
    return battle is not None and game.player(faction).hand.count(card) <= battle.committed_cards(faction).count(card)


def _cards_of(game: Game, place: Faction | CardPlace) -> list[Card]:
    if place == "deck":
        return game.state.treachery_deck
    if place == "discard":
        return game.state.treachery_discard
    return game.state.players[_played_cards(game, as_faction(place))].hand


# --- reading -------------------------------------------------------------------------------------------------------


def _spice(rest: str) -> Correction:
    where, _, amount = rest.rpartition(" ")
    if not re.fullmatch(r"[+-]?\d+", amount, re.ASCII):
        raise ValueError(f"{rest!r}: write it like “spice guild +3” or “spice cielago-north = 8”.")
    if where.endswith("="):
        area = _area(where.rstrip("= "))
        return FieldSpiceCorrected(area, _bounded(amount, f"{area} can hold from 0 to {MOST_SPICE} spice"))
    if amount[0] not in "+-":
        raise ValueError(f"{rest!r}: write the difference, for example +3 or -2.")
    faction = as_faction(where)
    return SpiceCorrected(faction, _bounded(amount, f"a faction has from 0 to {MOST_SPICE} spice"))


def _forces(rest: str) -> Correction:
    where, faction, number = _last_two(rest, "forces arrakeen atreides 5")
    return ForcesCorrected(_area(where), as_faction(faction), _tokens(number))


def _tanks(rest: str) -> Correction:
    faction, _, number = rest.rpartition(" ")
    return TanksCorrected(as_faction(faction.strip()), _tokens(number))


def _tokens(said: str) -> Forces:
    if re.fullmatch(r"\d+(?:\+\d+)?", said, re.ASCII):
        for number in said.split("+"):
            _bounded(number, f"a faction has {MOST_TOKENS} tokens in all")
    return Forces.parse(said)


def _card(said: str) -> Correction:
    found = _CARD_FORM.fullmatch(said)
    if not found:
        raise ValueError(f"{said!r}: write it like “card Lasgun from guild to discard”.")
    card = next((each for each in CARDS if each.lower() == found["card"].strip("\"'").lower()), None)
    if card is None:
        raise ValueError(f"There is no treachery card {found['card']!r}.")
    return CardCorrected(card, _place(found["source"]), _place(found["to"]))


def _place(said: str) -> Faction | CardPlace:
    word = said.lower()
    return word if word == "deck" or word == "discard" else as_faction(word)


def _leader(rest: str) -> Correction:
    name, _, status = rest.rpartition(" ")
    leader = next((each for each in LEADERS if each.lower() == name.strip("\"'").lower()), None)
    if leader is None or status.lower() not in ("alive", "dead"):
        raise ValueError(f"{rest!r}: write it like “leader Stilgar alive” or “leader Stilgar dead”.")
    return LeaderCorrected(leader, "ready" if status.lower() == "alive" else "dead")


def _storm(rest: str) -> Correction:
    if not re.fullmatch(r"\d+", rest, re.ASCII):
        raise ValueError(f"{rest!r}: write it like “storm 14”.")
    return StormCorrected(_bounded(rest, f"the storm's sector must be from 1 to {board.SECTORS}"))


def _bounded(number: str, bound: str) -> int:
    """Return a number of at most three digits. Raise ValueError for a longer one, which would be impossible in any
    game."""
    digits = number.lstrip("+-0")
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"{number[:20]} is impossible: {bound}.")
    return -int(digits or 0) if number.startswith("-") else int(digits or 0)


def _last_two(rest: str, like: str) -> tuple[str, str, str]:
    parts = rest.rsplit(" ", 2)
    if len(parts) != 3:
        raise ValueError(f"{rest!r}: write it like “{like}”.")
    return parts[0], parts[1], parts[2]


def _area(said: str) -> Area:
    name = re.sub(r"\s+", "-", said.strip().lower())
    if name in board.AREAS:
        return Area(name)
    fits = [area for area in board.AREAS if board.territory_of(area) == name]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise ValueError(f"{said} has several sectors: {', '.join(fits)}.")
    raise ValueError(f"There is no territory {said!r}.")


class Submitted(msgspec.Struct, frozen=True, gc=False, tag="submit"):
    """The accepted or held orders of one message, in the order written."""

    faction: Faction
    orders: tuple[AnyOrder, ...]


class Expired(msgspec.Struct, frozen=True, gc=False, tag="expire"):
    """Questions whose default was applied because their time had expired."""

    keys: tuple[Key, ...]


class Withdrawn(msgspec.Struct, frozen=True, gc=False, tag="withdraw"):
    """Held orders that the player has withdrawn. An order of None means all of them."""

    faction: Faction
    order: AnyOrder | None = None


class LastTurn(msgspec.Struct, frozen=True, gc=False, tag="last-turn"):
    """The game master's announcement that ``turn`` will be the last turn. The rules for the last turn then apply to
    it."""

    turn: int


class Stopped(msgspec.Struct, frozen=True, gc=False, tag="stop"):
    """The decision of the game master to end a game that its rules have not ended. The game ends by consent of all
    seats, is adjudicated on the public board, or has no winner."""

    how: Literal["agreed", "adjudicated", "void"]
    winners: tuple[Faction, ...] = ()


class Corrected(msgspec.Struct, frozen=True, gc=False, tag="correct"):
    """Corrections of the position, made together by the game master."""

    corrections: tuple[Correction, ...]


Entry = Submitted | Expired | Withdrawn | LastTurn | Stopped | Corrected


class Before(msgspec.Struct, frozen=True, gc=False):
    """The position in the game before an entry of the log. ``events`` and ``draws`` are the numbers of events and draws
    up to then."""

    turn: int
    phase: PhaseName
    events: int
    draws: int


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """The result of one order: it was accepted (as an answer or a play), held for later in the phase, or refused.
    ``refusal`` is the reason for a refusal. ``warnings`` lists the faults of an accepted order that will be repaired
    when it is carried out."""

    order: Order
    status: Literal["accepted", "held", "refused"]
    refusal: Refusal | None = None
    warnings: tuple[Refusal, ...] = ()


class Snapshot(msgspec.Struct, frozen=True):
    state: bytes
    turn: int
    phase: PhaseName
    entries: int
    events: int
