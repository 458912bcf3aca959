"""One game as the phases use it: the position, the rule set, the random numbers, and the recording of events.

A phase is a flow: a generator that changes ``state`` through the methods below, records each fact as an event, and asks
a question when it needs a decision. The methods only move things: tokens between reserves, board and tanks, spice
between players and the bank, and cards between deck, hands and discard pile. Nothing is created or lost on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rules.components import FACTION_FACTS, Card, Faction, Forces, Leader, board
from rules.components.board import Area, TerritoryId
from rules.components.chance import Chance
from rules.orders import Key, Order, PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event, Facts
from rules.state.moments import Moments
from rules.state.state import NO_FORCES, KnownCard, Player, State

_MOBILE = board.TERRITORIES[board.territory_of(board.MOBILE_STRONGHOLD)]


class Draw(NamedTuple):
    """A random number in the record of a game. ``label`` and ``size`` are its label and the number of possible results,
    ``got`` is the result, and ``events`` is the number of events before it."""

    events: int
    label: str
    size: int
    got: int


class Game:
    """A running game. ``events`` and ``draws`` hold only the events and draws since this object was created. Their
    numbers continue the counts in the state."""

    __slots__ = (
        "_seated", "chance", "drawn", "draws", "events", "filed", "held", "moments", "only_able", "rules", "state",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, seed: str, state: State) -> None:
        self.rules = rules
        self.state = state
        self.chance = Chance(seed, state.draws, self._note)
        self.draws: list[Draw] = []
        self.drawn = sum(state.draws.values())  # in the whole game; a running count, needed for every entry
        self.events: list[Event] = []
        self.moments = Moments()
        self._seated: tuple[int, tuple[Faction, ...]] = (0, ())  # the order of play for the storm's last place
        self.only_able: dict[Any, tuple[Faction, ...]] = {}  # for each hook with at most one faction: that faction
        self.held: dict[Faction, list[Order]] = {}  # orders waiting, by faction
        self.filed: dict[Key, tuple[Order, ...]] = {}  # the last answers of this phase, including stops still open

    # --- events --------------------------------------------------------------------------------------------------

    def tell(
        self,
        kind: str,
        *,
        private: Mapping[Faction, Facts] | None = None,
        audience: Iterable[Faction] | None = None,
        **facts: Any,
    ) -> None:
        """Record an event. ``facts`` are for everybody, or for the ``audience`` if there is one; ``private`` holds
        further facts for each faction.

        >>> game.tell("card-sold", buyer="guild", price=3, private={"guild": {"card": "Shield"}})  # doctest: +SKIP
        """
        state = self.state
        heard = None if audience is None else tuple(sorted(audience))
        self.events.append(Event(state.events, state.turn, state.phase, kind, facts, private or {}, heard))
        state.events += 1

    def _note(self, label: str, size: int, got: int) -> None:
        self.drawn += 1
        self.draws.append(Draw(self.state.events, label, size, got))

    # --- orders sent ahead ---------------------------------------------------------------------------------------

    def hold(self, faction: Faction, order: Order) -> None:
        self.held.setdefault(faction, []).append(order)

    def keep_held(self, faction: Faction, orders: list[Order]) -> None:
        if orders:
            self.held[faction] = orders
        else:
            self.held.pop(faction, None)

    def drop_held(self, order_type: type[Order] | tuple[type[Order], ...], faction: Faction | None = None) -> None:
        for holder in [faction] if faction else list(self.held):
            held = self.held.get(holder, ())
            self.keep_held(holder, [order for order in held if not isinstance(order, order_type)])

    def take_held(self, faction: Faction, order: Order) -> None:
        left = list(self.held.get(faction, ()))
        left.remove(order)
        self.keep_held(faction, left)

    # --- factions ------------------------------------------------------------------------------------------------

    def player(self, faction: Faction) -> Player:
        return self.state.players[faction]

    def plays(self, faction: Faction) -> bool:
        return faction in self.state.players

    def order_of_play(self) -> tuple[Faction, ...]:
        """Return all factions in the order of play: counterclockwise from the storm, beginning with the first player
        (AH.IX.A, WBC.MAP.2)."""
        storm = self.state.storm
        if self._seated[0] != storm:
            self._seated = (storm, tuple(board.seat_order(storm, {f: p.dot for f, p in self.state.players.items()})))
        return self._seated[1]

    def hand_limit(self, faction: Faction) -> int:
        return FACTION_FACTS[faction].hand_limit  # AH.VIII.G, AH.SHIELD.HAR.2

    def hand_full(self, faction: Faction) -> bool:
        return len(self.state.players[faction].hand) >= self.hand_limit(faction)

    def sits_out(self, faction: Faction) -> bool:
        """Return whether the faction has forfeited this turn, so that it does not bid, ship or move (VACA.HR.C-2)."""
        return self.state.forfeits.get(faction) == self.state.turn

    def strongholds(self) -> tuple[TerritoryId, ...]:
        """Return the five strongholds printed on the board and, if its owner plays, the mobile one (IT.HMS.1,
        IT.HMS.30)."""
        return (*board.STRONGHOLDS, _MOBILE.id) if _MOBILE.owner in self.state.players else board.STRONGHOLDS

    # --- spice ---------------------------------------------------------------------------------------------------

    def pay(self, payer: Faction, amount: int, to: Faction | None = None) -> None:
        """Move spice from a player to another player, or to the bank if ``to`` is None. Raise ValueError if the payer
        has too little."""
        player = self.player(payer)
        if amount < 0 or amount > player.spice:
            raise ValueError(f"{payer} cannot pay {amount} of {player.spice}")
        player.spice -= amount
        if to is not None:
            self.player(to).spice += amount

    def gain(self, faction: Faction, amount: int) -> None:
        if amount < 0:
            raise ValueError(f"a gain of {amount}")
        self.player(faction).spice += amount

    def take_spice(self, area: Area, amount: int | None = None) -> int:
        there = self.state.spice.get(area, 0)
        taken = there if amount is None else min(amount, there)
        if there - taken:
            self.state.spice[area] = there - taken
        else:
            self.state.spice.pop(area, None)
        return taken

    def add_spice(self, area: Area, amount: int) -> None:
        if amount:
            self.state.spice[area] = self.state.spice.get(area, 0) + amount

    # --- tokens --------------------------------------------------------------------------------------------------

    def here(self, area: Area, faction: Faction) -> Forces:
        return self.state.forces.get(area, {}).get(faction, NO_FORCES)

    def put(self, area: Area, faction: Faction, forces: Forces) -> None:
        """Set tokens down on the board. The caller must have taken them from another place."""
        if forces:
            there = self.state.forces.setdefault(area, {})
            there[faction] = there.get(faction, NO_FORCES) + forces

    def lift(self, area: Area, faction: Faction, forces: Forces) -> None:
        left = self.here(area, faction) - forces
        if left:
            self.state.forces[area][faction] = left
        elif forces:
            there = self.state.forces[area]
            del there[faction]
            if not there:
                del self.state.forces[area]

    def deploy(self, faction: Faction, forces: Forces, area: Area) -> None:
        player = self.player(faction)
        player.reserves -= forces
        self.put(area, faction, forces)

    def withdraw(self, faction: Faction, forces: Forces, area: Area) -> None:
        self.lift(area, faction, forces)
        self.player(faction).reserves += forces

    def shift(self, faction: Faction, forces: Forces, source: Area, target: Area) -> None:
        self.lift(source, faction, forces)
        self.put(target, faction, forces)

    def kill(self, area: Area, faction: Faction, forces: Forces | None = None) -> Forces:
        dead = self.here(area, faction) if forces is None else forces
        if dead:
            self.lift(area, faction, dead)
            self.player(faction).tanks += dead
        return dead

    def kill_in(self, territory: TerritoryId, faction: Faction) -> Forces:
        dead = NO_FORCES
        for area in board.TERRITORIES[territory].areas:
            dead += self.kill(area, faction)
        return dead

    def revive(self, faction: Faction, forces: Forces) -> None:
        player = self.player(faction)
        player.tanks -= forces
        player.reserves += forces
        self.state.revived[faction] = self.state.revived.get(faction, 0) + forces.total

    # --- cards ---------------------------------------------------------------------------------------------------

    def draw_treachery(self) -> Card | None:
        """Draw the top treachery card, or return None if deck and discard pile are both empty. When the deck becomes
        empty, the discards are shuffled into a new deck at once (AH.III.C, WBC.VIII.1)."""
        self.restock_treachery()
        if not self.state.treachery_deck:
            return None
        if self.state.box.deck_known:
            self._forget_top()
        return self.state.treachery_deck.pop(0)

    def put_in_deck(self, card: Card, *, top: bool, beneath: int = 0, known: bool = False) -> None:
        """Put a card into the treachery deck: at its bottom or, if ``top``, under its first ``beneath`` cards.
        ``known`` means that the player who put it there remembers where it is."""
        deck, box = self.state.treachery_deck, self.state.box
        for one in box.deck_known:
            one.beyond += top == (one.where == "top") and one.beyond >= beneath
        deck.insert(beneath if top else len(deck), card)
        if known:
            box.deck_known.append(KnownCard(card, "top" if top else "bottom"))

    def forget_deck(self) -> None:
        if self.state.box.deck_known:
            self.state.box.deck_known = []

    def _forget_top(self) -> None:
        """Forget that the place of the top card was known, because it leaves the deck, and adjust the known places of
        the cards below it."""
        last = len(self.state.treachery_deck) - 1
        left = []
        for one in self.state.box.deck_known:
            place = one.beyond if one.where == "top" else last - one.beyond
            if place:
                one.beyond -= one.where == "top"
                left.append(one)
        self.state.box.deck_known = left

    def restock_treachery(self) -> None:
        state = self.state
        if not state.treachery_deck and state.treachery_discard:
            state.treachery_deck, state.treachery_discard = state.treachery_discard, []
            self.chance.shuffle("treachery-deck", state.treachery_deck)
            self.tell("treachery-reshuffled", cards=len(state.treachery_deck))

    def discard(self, faction: Faction, card: Card) -> None:
        self.player(faction).hand.remove(card)
        self.state.treachery_discard.append(card)

    def holds(self, faction: Faction, card: Card) -> bool:
        return card in self.player(faction).hand

    # --- leaders -------------------------------------------------------------------------------------------------

    def captor_of(self, leader: Leader) -> Faction | None:
        for player in self.state.players.values():
            if leader in player.captured:
                return player.faction
        return None

    def captives(self) -> set[Leader]:
        return {leader for player in self.state.players.values() for leader in player.captured}

    def kill_leader(self, leader: Leader, deaths: int = 1) -> None:
        """Send a leader to the tanks of their own faction. The disc lies face down if it is the leader's second death,
        or if the death counts as two (AH.IX.D.5)."""
        for player in self.state.players.values():
            player.captured.pop(leader, None)
        standing = self.state.leaders[leader]
        standing.deaths = max(standing.deaths + 1, deaths)
        standing.status = "dead" if standing.deaths < 2 else "face-down"
        standing.fought_in = None

    def revive_leader(self, leader: Leader) -> None:
        """Revive a leader from the tanks. A leader revived during battles takes no part in the rest of them
        (AH.QA.A.5)."""
        standing = self.state.leaders[leader]
        standing.status = "ready"
        standing.seen_by = ()
        standing.fought_in = None
        standing.sits_out = self.moments.battles_begun

    # --- time ----------------------------------------------------------------------------------------------------

    def enter(self, phase: PhaseName) -> None:
        self.state.phase = phase
        self.moments = Moments()
        self.held = {}
        self.filed = {}
        self.state.waivers = {f: until for f, until in self.state.waivers.items() if until != phase}
