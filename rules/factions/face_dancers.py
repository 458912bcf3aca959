"""Face dancers: three leaders who are Tleilaxu in disguise (IT.SETUP-TL.6, IT.FD).

They are drawn from the traitor cards that nobody has kept. After every battle that another faction has won, once
everything else in it is finished, the Tleilaxu are asked whether they reveal the winner's leader as a face dancer. They
are asked even if the leader is not one, and the answer "no" is not announced, so that a battle never reveals who the
face dancers are. A revealed face dancer dies, the winner's forces go home, and Tleilaxu forces may take their place.

The options of the Tleilaxu are also defined here. They choose between interpretations of rules that the documents leave
open (IT.LIST.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rules.chapters import battle_leaders
from rules.chapters.battle_list import BattleQuestion
from rules.chapters.occupancy import in_storm
from rules.chapters.setup import traitor_cards
from rules.components import CHEAP_HERO_CARD, Faction, Forces, Leader, board, traitor_owner
from rules.components.board import TERRITORIES, Area
from rules.decisions.early_orders import not_theirs
from rules.decisions.question import Flow, Question, ask_one
from rules.decisions.windows import window
from rules.orders import CHEAP_HERO, NoDancer, NoExchange, Order, Replace, RevealDancer, SwapDancer
from rules.rulesets.options import Option, switch
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NO_FORCES

NUMBER_OF_DANCERS = 3
ONLY_TLEILAXU = Refusal("Face dancers are a power of the Tleilaxu.", "battle.face-dancer")


# --- the cards -------------------------------------------------------------------------------------------------------


def cards_of_nobody(game: Game) -> list[Leader]:
    taken = {leader for player in game.state.players.values() for leader in player.traitors}
    taken.update(game.state.box.face_dancers)
    return [card for card in traitor_cards(game) if card not in taken]


def unrevealed_dancers(game: Game) -> list[Leader]:
    box = game.state.box
    return [card for card in box.face_dancers if card not in box.revealed_dancers]


def draw_dancers(game: Game, faction: Faction) -> None:
    pool = cards_of_nobody(game)  # IT.SETUP-TL.6
    game.chance.shuffle("face-dancers", pool)
    game.state.box.face_dancers, game.state.box.revealed_dancers = pool[:NUMBER_OF_DANCERS], []
    game.tell("face-dancers-drawn", faction=faction, private={faction: {"leaders": pool[:NUMBER_OF_DANCERS]}})


# --- after a battle --------------------------------------------------------------------------------------------------


def reveal_after_battle(game: Game, battle: BattleMoment, faction: Faction) -> Flow:
    """Ask whether the Tleilaxu reveal the winner's leader as a face dancer. If they do, let their forces take the
    winner's place (IT.FD.1 to .9)."""
    card = card_in_question(game, battle, faction)
    if card is None:
        return
    order = yield from ask_one(FaceDancerQuestion(game, battle, faction))
    if not isinstance(order, RevealDancer):
        return
    stood = _reveal(game, battle, faction, card)
    most = _room(game, battle, faction, sum(forces.total for forces in stood.values()))
    if most:
        question = ReplaceQuestion(game, battle, faction, most, stood)
        replaced = yield from ask_one(question)
        if isinstance(replaced, Replace) and replaced.groups:
            _take_their_place(game, battle, faction, replaced, question.usual_area)
    if len(game.state.box.revealed_dancers) >= NUMBER_OF_DANCERS:
        game.state.box.face_dancers, game.state.box.revealed_dancers = [], []
        game.tell("face-dancers-all-shown", faction=faction)
        draw_dancers(game, faction)


def card_in_question(game: Game, battle: BattleMoment, faction: Faction) -> Leader | None:
    """Return the traitor card of the winner's leader if, as far as everybody knows, that leader may be a face dancer,
    else None (IT.FD.11 to .16)."""
    winner = battle.winner
    if winner is None or winner == faction:
        return None
    if game.state.allied(winner, faction) and not AGAINST_THE_ALLY(game.rules):
        return None
    card, box = _card_of_leader(battle, winner), game.state.box
    if card is None or card not in traitor_cards(game) or card in (*box.revealed_dancers, *box.known_traitors):
        return None
    if card == CHEAP_HERO_CARD:
        return card if HERO_MAY_BE_ONE(game.rules) else None
    own = traitor_owner(card) == winner
    return card if own or LEADERS_OF_OTHERS_MAY_BE_ONE(game.rules) else None


def _card_of_leader(battle: BattleMoment, winner: Faction) -> Leader | None:
    if battle.committed[winner].plan.leader == CHEAP_HERO:
        return CHEAP_HERO_CARD
    return battle_leaders.shown_leader(battle, winner)


def _reveal(game: Game, battle: BattleMoment, faction: Faction, card: Leader) -> Mapping[Area, Forces]:
    """Reveal the face dancer: the leader dies, nobody is paid for that, and the winner's forces go home. Return the
    areas in which these forces were (IT.FD.4, IT.FD.6)."""
    winner = battle.winner
    assert winner is not None
    game.state.box.revealed_dancers.append(card)
    dies = card != CHEAP_HERO_CARD and game.state.leaders[card].status == "ready"
    if dies:
        game.kill_leader(card)
    stood: dict[Area, Forces] = {}
    for area in TERRITORIES[battle.territory].areas:
        if forces := game.here(area, winner):
            stood[area] = forces
            game.withdraw(winner, forces, area)
    home = sum(stood.values(), NO_FORCES)
    status = {"status": game.state.leaders[card].status} if dies else {}
    told: dict[str, Any] = {
        "winner": winner,
        "leader": card,
        "territory": battle.territory,
        "forces": str(home),
        **status,
    }
    game.tell("face-dancer-revealed", faction=faction, **told)
    return stood


def _room(game: Game, battle: BattleMoment, faction: Faction, left: int) -> int:
    """Return the number of Tleilaxu forces that may come to the territory, at most the number that went home (IT.FD.8,
    IT.FD.10, IT.FD.17). None may come if an ally of theirs is there, or if the whole territory lies under the storm."""
    there = game.state.forces_in(battle.territory)
    beside_an_ally = any(game.state.allied(faction, other) for other in there)
    return left if _open_areas(game, battle) and not beside_an_ally else 0


def _open_areas(game: Game, battle: BattleMoment) -> list[Area]:
    return [area for area in TERRITORIES[battle.territory].areas if not _barred(game, area)]


def _barred(game: Game, area: Area) -> bool:
    """Return whether the storm keeps forces from entering or leaving this area (IT.FD.10)."""
    return BARRED_BY_STORM(game.rules) and in_storm(game, area)


def _take_their_place(game: Game, battle: BattleMoment, faction: Faction, order: Replace, usual: Area) -> None:
    target = order.target or usual
    for forces, source in order.groups:
        if source is None:
            game.deploy(faction, forces, target)
        else:
            game.shift(faction, forces, source, target)
    groups = [[str(forces), source or "reserves"] for forces, source in order.groups]
    game.tell("face-dancer-forces", faction=faction, groups=groups, area=target)
    game.moments.newcomers.append(battle.territory)


class FaceDancerQuestion(BattleQuestion):
    kind = "face-dancer"
    only_refusal = ONLY_TLEILAXU
    of_expansion = True
    default = NoDancer()

    @property
    def _card(self) -> Leader | None:
        return card_in_question(self.game, self.battle, self.faction)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, RevealDancer) and self._card not in unrevealed_dancers(self.game):
            return Refusal(f"{self._card} is not one of your face dancers.", "battle.face-dancer")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        why = "You are asked for a face dancer each time somebody else wins a battle, once for each leader."
        if not isinstance(order, RevealDancer):
            return None
        return not_theirs(game, faction, cls) or Refusal(why, "battle.face-dancer")

    def samples(self) -> Sequence[Order]:
        return [NoDancer(), RevealDancer()] if self._card in unrevealed_dancers(self.game) else [NoDancer()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self.battle.territory,
            "winner": self.battle.winner,
            "leader": self._card,
            "is_one": self._card in unrevealed_dancers(self.game),
        }


class ReplaceQuestion(BattleQuestion):
    kind = "face-dancer-forces"
    only_refusal = ONLY_TLEILAXU
    of_expansion = True

    def __init__(
        self, game: Game, battle: BattleMoment, faction: Faction, most: int, stood: Mapping[Area, Forces]
    ) -> None:
        super().__init__(game, battle, faction)
        self._most = most
        self._stood = stood

    @property
    def usual_area(self) -> Area:
        return max(_open_areas(self.game, self.battle), key=self._tokens_in)

    def _tokens_in(self, area: Area) -> int:
        return self._stood.get(area, NO_FORCES).total

    @property
    def _sources(self) -> dict[Area, int]:
        there = self.game.state.areas_of(self.faction)
        elsewhere = [(area, forces) for area, forces in there if area not in TERRITORIES[self.battle.territory].areas]
        return {area: forces.total for area, forces in elsewhere if not _barred(self.game, area)}

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Replace):
            return Refusal("Say how many forces take their place, and from where.", "battle.face-dancer-forces")
        total = sum(forces.total for forces, _ in order.groups)
        if total > self._most:
            why = f"{self._most} went home, so at most {self._most} may come, not {total}."
            return Refusal(why, "battle.face-dancer-forces")
        if order.target is not None:
            name = TERRITORIES[self.battle.territory].name
            if order.target not in TERRITORIES[self.battle.territory].areas:
                return Refusal(f"They must go to {name}, where the battle was.", "battle.face-dancer-forces")
            if _barred(self.game, order.target):
                why = f"{board.area_name(order.target)} lies under the storm."
                return Refusal(why, "battle.face-dancer-storm")
        return self._refusal_of_sources(order)

    def _refusal_of_sources(self, order: Replace) -> Refusal | None:
        wanted: dict[Area | None, int] = {}
        for forces, source in order.groups:
            if forces.elite:
                return Refusal("You have only one kind of force.", "battle.face-dancer-forces")
            wanted[source] = wanted.get(source, 0) + forces.total
        for source, number in wanted.items():
            if source is None:
                reserves = self.game.player(self.faction).reserves.total
                if number > reserves:
                    return Refusal(f"You have {reserves} in reserve, not {number}.", "battle.face-dancer-forces")
                continue
            if _barred(self.game, source):
                why = f"{board.area_name(source)} lies under the storm: nobody can leave it."
                return Refusal(why, "battle.face-dancer-storm")
            there = self._sources.get(source, 0)
            if number > there:
                why = f"You have {there} to send in {board.area_name(source)}, not {number}."
                return Refusal(why, "battle.face-dancer-forces")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return Refusal("You have revealed no face dancer whose forces went home.", "battle.face-dancer-forces")

    @property
    def default(self) -> Order:
        return self._from_reserves(min(self._most, self.game.player(self.faction).reserves.total))

    def _from_reserves(self, number: int) -> Replace:
        return Replace(((Forces(number), None),)) if number else Replace()

    def samples(self) -> Sequence[Order]:
        reserves = self.game.player(self.faction).reserves.total
        some = [self._from_reserves(number) for number in range(min(self._most, reserves), -1, -1)]
        from_board = [Replace(((Forces(min(n, self._most)), area),)) for area, n in self._sources.items()]
        return [*some, *from_board]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self.battle.territory,
            "most": self._most,
            "reserves": self.game.player(self.faction).reserves.total,
            "sources": self._sources,
            "area": self.usual_area,
        }


# --- the exchange in the Mentat Pause --------------------------------------------------------------------------------


def swap_dancer(game: Game, faction: Faction, order: Order | None) -> Flow:
    """Put one unrevealed face dancer back and draw another card, which may be the same one (IT.FD.21). A Karama may
    stop the exchange (FAQ.KARAMA-TLE.1). All players learn of it, but not which cards were exchanged (IT.FD.24)."""
    if not isinstance(order, SwapDancer):
        return
    game.moments.dancer_going_back = True
    yield from window(game, "dancer-swap", lambda: game.moments.dancer_going_back, by=faction)
    if not game.moments.dancer_going_back:
        return
    game.moments.dancer_going_back = False
    box, pool = game.state.box, [*cards_of_nobody(game), order.leader]
    game.chance.shuffle("face-dancers", pool)
    box.face_dancers = [pool[0] if card == order.leader else card for card in box.face_dancers]
    private = {faction: {"given": order.leader, "leader": pool[0]}}
    game.tell("face-dancer-exchanged", faction=faction, private=private)


class SwapQuestion(Question):
    kind = "dancer-swap"
    only_refusal = ONLY_TLEILAXU
    of_expansion = True
    default = NoExchange()

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, SwapDancer) or order.leader in unrevealed_dancers(self.game):
            return None
        if order.leader in self.game.state.box.revealed_dancers:
            return Refusal(f"{order.leader} is revealed and stays until all three have been.", "mentat.dancer-swap")
        return Refusal(f"{order.leader} is not one of your face dancers.", "mentat.dancer-swap")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        why = "You have already decided about your face dancers this turn."
        return not_theirs(game, faction, cls) or Refusal(why, "mentat.dancer-swap")

    def samples(self) -> Sequence[Order]:
        return [NoExchange(), *(SwapDancer(card) for card in unrevealed_dancers(self.game))]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"dancers": unrevealed_dancers(self.game)}


QUESTIONS: tuple[type[Question], ...] = (FaceDancerQuestion, ReplaceQuestion)
QUESTIONS_OF_PAUSE: tuple[type[Question], ...] = (SwapQuestion,)


GHOLAS = switch("tleilaxu_gholas")
"""True if the Tleilaxu may take dead leaders of others into their service, as in the advanced game (IT.LIST.2)."""

OWN_GHOLA_CARD_PAYS = Option("ghola_card_spice_own", {"yes": True, "no": False})
ALLYS_LEADERS_ROUNDED_UP = Option("tleilaxu_rounding", {"up": True, "down": False})
FACE_DOWN_COME_EARLY = Option("early_face_down", {"yes": True, "no": False})
KARAMA_REVIVAL_PAYS = Option("karama_revival_pays", {"no": False, "yes": True})
KARAMA_STOPS_FREE_PAY = Option("karama_revival_payment", {"price_and_free": True, "price": False})

BARRED_BY_STORM = Option("face_dancer_storm", {"barred": True, "free": False})
HERO_MAY_BE_ONE = Option("cheap_hero_face_dancer", {"yes": True, "no": False})
LEADERS_OF_OTHERS_MAY_BE_ONE = Option("face_dancer_captive", {"yes": True, "no": False})
AGAINST_THE_ALLY = Option("face_dancer_vs_ally", {"yes": True, "no": False})
NEWCOMERS_FIGHT = Option("face_dancer_battle_due", {"yes": True, "no": False})

TraitorValue = Literal["opponent", 3, 0]
_VALUES: Mapping[str | int | bool, TraitorValue] = {"opponent_leader": "opponent", "3": 3, "0": 0}
ZOAL_AS_TRAITOR: Option[TraitorValue] = Option("zoal_traitor_value", _VALUES)
ZOAL_IS_HALVED = Option("zoal_price", {"3_flat": False, "6_halved": True})

DEAD_GHOLA_STAYS = Option("dead_ghola", {"tleilaxu_sell": True, "owner_revives": False})
GHOLA_IS_GONE = Option("ghola_counts_as_gone", {"yes": True, "no": False})
GHOLA_RETURNS_TO_THEM = Option("ghola_captive_returns_to", {"tleilaxu": True, "old_owner": False})

STOPS_ALL = Option("stop_revival", {"all_normal": True, "forces_or_leader": False})
"""True if the special Karama of the Tleilaxu stops both tokens and leaders, instead of one of the two (IT.TL-KARAMA.2).

If it stops only one, it stops leaders when it is played after tokens have come back, and tokens when it is played
before.
"""
STOPS_CARDS = Option("stop_revival_cards", {"no": False, "yes": True})
