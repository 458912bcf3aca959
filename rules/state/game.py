"""One game as the phases see it: the position, the rule set, chance, and the telling of what happened.

A phase is a flow: a generator that changes ``state`` through the verbs below, tells each fact as an event, and asks
when it needs a decision. The verbs keep the books: tokens move between reserve, board and tanks, spice between
players and the bank, cards between deck, hands and discard, and nothing is made or lost on the way.
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
    """A number that chance gave, as the record of a game has it: what was hashed, and how many ``events`` had been told
    by then."""

    events: int
    label: str
    size: int
    got: int


class Game:
    """A running game. ``events`` holds what was told since this object was made, ``draws`` what was drawn; the numbers
    of both go on from the state's counts."""

    __slots__ = (
        "_seated", "chance", "drawn", "draws", "events", "filed", "held", "moments", "only_able", "rules", "state",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, seed: str, state: State) -> None:
        self.rules = rules
        self.state = state
        self.chance = Chance(seed, state.draws, self._note)
        self.draws: list[Draw] = []
        self.drawn = sum(state.draws.values())  # in the whole game; counted, as it is asked for with every entry
        self.events: list[Event] = []
        self.moments = Moments()
        self._seated: tuple[int, tuple[Faction, ...]] = (0, ())  # the order of play at the storm's last place
        self.only_able: dict[Any, tuple[Faction, ...]] = {}  # who answers a hook that one faction has at most
        self.held: dict[Faction, list[Order]] = {}  # of those who have an order waiting
        self.filed: dict[Key, tuple[Order, ...]] = {}  # the last answers of this phase, also at stops still open

    # --- telling -------------------------------------------------------------------------------------------------

    def tell(
        self,
        kind: str,
        *,
        private: Mapping[Faction, Facts] | None = None,
        audience: Iterable[Faction] | None = None,
        **facts: Any,
    ) -> None:
        """Record a fact: ``facts`` for everybody (or for ``audience``), ``private`` parts by faction.

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
        """Keep an order for the first question of this phase that it can answer."""
        self.held.setdefault(faction, []).append(order)

    def keep_held(self, faction: Faction, orders: list[Order]) -> None:
        """Of the orders that the faction has waiting only these go on to wait."""
        if orders:
            self.held[faction] = orders
        else:
            self.held.pop(faction, None)

    def drop_held(self, order_type: type[Order] | tuple[type[Order], ...], faction: Faction | None = None) -> None:
        """Forget held orders of a type (a cap ends with its card)."""
        for holder in [faction] if faction else list(self.held):
            held = self.held.get(holder, ())
            self.keep_held(holder, [order for order in held if not isinstance(order, order_type)])

    def take_held(self, faction: Faction, order: Order) -> None:
        """One held order waits no longer. ValueError if it does not wait."""
        left = list(self.held.get(faction, ()))
        left.remove(order)
        self.keep_held(faction, left)

    # --- who -----------------------------------------------------------------------------------------------------

    def player(self, faction: Faction) -> Player:
        """The seat of a faction. KeyError if it is not played."""
        return self.state.players[faction]

    def plays(self, faction: Faction) -> bool:
        """Whether the faction is in this game."""
        return faction in self.state.players

    def order_of_play(self) -> tuple[Faction, ...]:
        """All factions from the first player on, counter-clockwise from the storm (AH.IX.A, WBC.MAP.2)."""
        storm = self.state.storm
        if self._seated[0] != storm:
            self._seated = (storm, tuple(board.seat_order(storm, {f: p.dot for f, p in self.state.players.items()})))
        return self._seated[1]

    def hand_limit(self, faction: Faction) -> int:
        """How many treachery cards the faction may hold (AH.VIII.G, AH.SHIELD.HAR.2)."""
        return FACTION_FACTS[faction].hand_limit

    def hand_full(self, faction: Faction) -> bool:
        """Whether the faction may take no further card."""
        return len(self.state.players[faction].hand) >= self.hand_limit(faction)

    def sits_out(self, faction: Faction) -> bool:
        """Whether the faction has forfeited this turn: it neither bids nor ships nor moves (VACA.HR.C-2)."""
        return self.state.forfeits.get(faction) == self.state.turn

    def strongholds(self) -> tuple[TerritoryId, ...]:
        """The strongholds of this game's board: the five that are printed, and the one that moves where its owner
        plays (IT.HMS.1, IT.HMS.30)."""
        return (*board.STRONGHOLDS, _MOBILE.id) if _MOBILE.owner in self.state.players else board.STRONGHOLDS

    # --- spice ---------------------------------------------------------------------------------------------------

    def pay(self, payer: Faction, amount: int, to: Faction | None = None) -> None:
        """Move spice from a player to another or to the bank (None). ValueError if they have not got it."""
        player = self.player(payer)
        if amount < 0 or amount > player.spice:
            raise ValueError(f"{payer} cannot pay {amount} of {player.spice}")
        player.spice -= amount
        if to is not None:
            self.player(to).spice += amount

    def gain(self, faction: Faction, amount: int) -> None:
        """Spice from the bank."""
        if amount < 0:
            raise ValueError(f"a gain of {amount}")
        self.player(faction).spice += amount

    def take_spice(self, area: Area, amount: int | None = None) -> int:
        """Take spice off the board, all of it if no amount is given; how much was there to take."""
        there = self.state.spice.get(area, 0)
        taken = there if amount is None else min(amount, there)
        if there - taken:
            self.state.spice[area] = there - taken
        else:
            self.state.spice.pop(area, None)
        return taken

    def add_spice(self, area: Area, amount: int) -> None:
        """Lay spice from the bank on the board."""
        if amount:
            self.state.spice[area] = self.state.spice.get(area, 0) + amount

    # --- tokens --------------------------------------------------------------------------------------------------

    def here(self, area: Area, faction: Faction) -> Forces:
        """What the faction has in this area."""
        return self.state.forces.get(area, {}).get(faction, NO_FORCES)

    def put(self, area: Area, faction: Faction, forces: Forces) -> None:
        """Set tokens down on the board. The caller took them from somewhere."""
        if forces:
            there = self.state.forces.setdefault(area, {})
            there[faction] = there.get(faction, NO_FORCES) + forces

    def lift(self, area: Area, faction: Faction, forces: Forces) -> None:
        """Take tokens off the board. ValueError if they are not there."""
        left = self.here(area, faction) - forces
        if left:
            self.state.forces[area][faction] = left
        elif forces:
            there = self.state.forces[area]
            del there[faction]
            if not there:
                del self.state.forces[area]

    def deploy(self, faction: Faction, forces: Forces, area: Area) -> None:
        """From reserve onto the board."""
        player = self.player(faction)
        player.reserves -= forces
        self.put(area, faction, forces)

    def withdraw(self, faction: Faction, forces: Forces, area: Area) -> None:
        """From the board back to reserve."""
        self.lift(area, faction, forces)
        self.player(faction).reserves += forces

    def shift(self, faction: Faction, forces: Forces, source: Area, target: Area) -> None:
        """From one area to another."""
        self.lift(source, faction, forces)
        self.put(target, faction, forces)

    def kill(self, area: Area, faction: Faction, forces: Forces | None = None) -> Forces:
        """To the tanks, all that stand there if no number is given; what died."""
        dead = self.here(area, faction) if forces is None else forces
        if dead:
            self.lift(area, faction, dead)
            self.player(faction).tanks += dead
        return dead

    def kill_in(self, territory: TerritoryId, faction: Faction) -> Forces:
        """All tokens of the faction in all sectors of the territory, to the tanks; what died."""
        dead = NO_FORCES
        for area in board.TERRITORIES[territory].areas:
            dead += self.kill(area, faction)
        return dead

    def revive(self, faction: Faction, forces: Forces) -> None:
        """From the tanks to reserve. ValueError if they are not in the tanks."""
        player = self.player(faction)
        player.tanks -= forces
        player.reserves += forces
        self.state.revived[faction] = self.state.revived.get(faction, 0) + forces.total

    # --- cards ---------------------------------------------------------------------------------------------------

    def draw_treachery(self) -> Card | None:
        """The top card of the treachery deck; an empty deck is restocked at once from the discards (AH.III.C,
        WBC.VIII.1).

        None where neither holds a card."""
        self.restock_treachery()
        if not self.state.treachery_deck:
            return None
        if self.state.box.deck_known:
            self._forget_top()
        return self.state.treachery_deck.pop(0)

    def put_in_deck(self, card: Card, *, top: bool, beneath: int = 0, known: bool = False) -> None:
        """A card on top of the treachery deck, ``beneath`` so many that lie there, or at its bottom; ``known`` where it
        is remembered by who put it there."""
        deck, box = self.state.treachery_deck, self.state.box
        for one in box.deck_known:
            one.beyond += top == (one.where == "top") and one.beyond >= beneath
        deck.insert(beneath if top else len(deck), card)
        if known:
            box.deck_known.append(KnownCard(card, "top" if top else "bottom"))

    def forget_deck(self) -> None:
        """The treachery deck was shuffled: nobody knows the place of a card in it any more."""
        if self.state.box.deck_known:
            self.state.box.deck_known = []

    def _forget_top(self) -> None:
        """The top card leaves the deck: whoever knew that place knows nothing of it any more, and the places below move
        up."""
        last = len(self.state.treachery_deck) - 1
        left = []
        for one in self.state.box.deck_known:
            place = one.beyond if one.where == "top" else last - one.beyond
            if place:
                one.beyond -= one.where == "top"
                left.append(one)
        self.state.box.deck_known = left

    def restock_treachery(self) -> None:
        """Shuffle the discards into an empty treachery deck."""
        state = self.state
        if not state.treachery_deck and state.treachery_discard:
            state.treachery_deck, state.treachery_discard = state.treachery_discard, []
            self.chance.shuffle("treachery-deck", state.treachery_deck)
            self.tell("treachery-reshuffled", cards=len(state.treachery_deck))

    def discard(self, faction: Faction, card: Card) -> None:
        """From a hand to the discard pile. ValueError if the hand does not hold it."""
        self.player(faction).hand.remove(card)
        self.state.treachery_discard.append(card)

    def holds(self, faction: Faction, card: Card) -> bool:
        """Whether the card is in the faction's hand."""
        return card in self.player(faction).hand

    # --- leaders -------------------------------------------------------------------------------------------------

    def captor_of(self, leader: Leader) -> Faction | None:
        """Who holds the leader captive."""
        for player in self.state.players.values():
            if leader in player.captured:
                return player.faction
        return None

    def captives(self) -> set[Leader]:
        """All leaders who are held captive."""
        return {leader for player in self.state.players.values() for leader in player.captured}

    def kill_leader(self, leader: Leader, deaths: int = 1) -> None:
        """To the tanks of their own faction; face down if it is the second death (AH.IX.D.5), or counts as two."""
        for player in self.state.players.values():
            player.captured.pop(leader, None)
        standing = self.state.leaders[leader]
        standing.deaths = max(standing.deaths + 1, deaths)
        standing.status = "dead" if standing.deaths < 2 else "face-down"
        standing.fought_in = None

    def revive_leader(self, leader: Leader) -> None:
        """Out of the tanks; while battles are fought they sit out the rest of them (AH.QA.A.5)."""
        standing = self.state.leaders[leader]
        standing.status = "ready"
        standing.seen_by = ()
        standing.fought_in = None
        standing.sits_out = self.state.phase == "battle"

    # --- time ----------------------------------------------------------------------------------------------------

    def enter(self, phase: PhaseName) -> None:
        """Begin a phase: nothing of the last one goes on."""
        self.state.phase = phase
        self.moments = Moments()
        self.held = {}
        self.filed = {}
        self.state.waivers = {f: until for f, until in self.state.waivers.items() if until != phase}
