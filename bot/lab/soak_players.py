"""Two players for long runs. Each of them plays every seat of a game at random.

*The daring player* prefers what is rare: this player saves Karamas for rare moments, considers every seat's cards at
every stop, prefers unusual answers, and sends battle plans that need repair. So a few hundred games show every card and
power in use.

*The live player* decides as if all players sat at one table, and notes how each decision would be written on a sheet.
Most decisions are made when they are needed. Some were made earlier: the highest bid for a card, or the same answer to
one kind of question for several turns. Those are the decisions that people write on a sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from bot.lab.occurrences import may_hold, named_effects
from bot.language.conditions import Comparison, Condition
from bot.language.facts import Measure, number_of
from bot.language.sheets import SheetLine
from bot.language.truthtrance import with_reading
from rules import orders as o
from rules.cards import promises
from rules.cards.karama_movement_and_battle import FOR_ANY_PLAYER
from rules.cards.special_cards import GHOLA
from rules.cards.truthtrance import TRUTHTRANCE
from rules.chapters.bidding import least_bid, means_of_buyer, pledged_support, raised_bid
from rules.chapters.setup import MAX_TURNS
from rules.components import CARDS, KARAMA, LEADERS, WORTHLESS, Card, Faction
from rules.components.board import STRONGHOLDS, TERRITORIES, territory_of
from rules.components.cards import beside_another
from rules.decisions.catalogue import is_unseen
from rules.decisions.early_orders import never_legal
from rules.decisions.question import Question
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.random_players import RandomPlayer
from rules.state.state import Player, State

RARE: tuple[type[o.Order], ...] = (
    *(o.FamilyAtomics, o.WeatherControl, o.ReviveKwisatzHaderach, o.ReviveLeader, o.BreakAlliance, o.Ride, o.Hajr),
    *(o.FeedAlly, o.StrongholdTo, o.Redraw, o.Exchange, o.RevealDancer, o.NoPoisonTooth, o.SwapDancer),
)

EVERYDAY = named_effects(
    "block spice card, block bidding cards, guild in turn, half shipping, cancel card payment, cancel shipping "
    "payment, cancel storm card, cancel charity, cancel fremen move, cancel half rate, cancel guild shipment, cancel "
    "gift, cancel flip, cancel advisor, cancel auction look, cancel cyborg speed, cancel hms move, cancel half price, "
    "cancel revival payment, cancel raised limits, cancel dancer swap"
)
"""Karama effects that can be used in every turn. The daring player rarely spends the card on one of them."""

OFTEN_LAST = (1, 2, 15)
"""The turns in which random games are most often won."""

SELDOM_ASKED: tuple[o.QuestionKind, ...] = ("prediction", "revival")
"""Kinds of question to which the daring player always gives a rare answer if there is one."""


def _choices(text: str) -> list[str]:
    return text.split("; ")


_ACTS = _choices(
    "enter {place}; attack me; attack me in {place}; ship to {place}; move to {place}; ship {number} tokens to "
    "{place}; ship; revive any tokens; ally with me; ride the worm; take charity; break your alliance; send an "
    "advisor; use the Voice; use prescience on me; call treachery; dial more than {number}; bid {number} or more; "
    "give me {number} spice; give me spice; play {played}"
)
_PLAYED = _choices("the Ghola; the Hajr; a Truthtrance; a Karama; a weapon; a defense; a worthless card; a cheap hero")
_CONDITIONS = _choices(
    "I ship to {there}; there is a nexus; I fight you in {place}; you win a card; we are allied; you can; I am in "
    "{home}; the Emperor bids; you hold a Shield"
)
_PLACES = [TERRITORIES[stronghold].name for stronghold in STRONGHOLDS]

MOST_TRIES = 3
"""The number of tokens that a faction can revive in a turn without help."""

MOST_OFFERS = 3
"""If this many offers are unanswered, nobody makes another."""

_FOR_BATTLE = sorted(card for card in CARDS if CARDS[card].battle_plan)

LASGUN, SHIELD = Card("Lasgun"), Card("Shield")


class DaringPlayer(RandomPlayer):
    """A player who plays every seat, prefers what is rare, and saves Karamas for the effects in ``wish``.

    >>> DaringPlayer("spice", impulses=35).act(play)  # doctest: +SKIP
    """

    def __init__(self, seed: str, *, impulses: int, strays: int, wishes: Sequence[o.KaramaEffect] = ()) -> None:
        super().__init__(seed, impulses=impulses, strays=strays)
        self._state: State | None = None
        self._wishes = wishes
        self._several = len(wishes) > 1
        self._sparing = False  # they rarely spend a Karama on an act that is not a wish
        self._plays_out = False
        self._prefers: tuple[type[o.Order], ...] = ()
        self._likes: Callable[[o.Order], bool] = lambda order: True

    def play_out(self, prefers: tuple[type[o.Order], ...], likes: Callable[[o.Order], bool]) -> None:
        """Set the player up for playing a scene to its end: save every Karama for the wishes, and prefer answers of the
        kinds in ``prefers`` for which ``likes`` returns true."""
        self._plays_out = self._several = True
        self._prefers, self._likes = prefers, likes

    def act(self, play: Play) -> None:
        self._state = play.state
        self._sparing = self._plays_out or (self._several and play.state.turn < MAX_TURNS(play.game.rules))
        if eager := self._eager(play.questions()):
            play.submit(*eager)
            play.advance()
            return
        if self._often(90 if self._several else 70) and (wished := self._wished(play)):
            play.submit(*wished)
            play.advance()
            return
        if self._plays_out and self._often(60) and (preferred := self._preferred(play.questions())):
            play.submit(*preferred)
            play.advance()
            return
        in_window = any(question.kind == "karama-window" for question in play.questions())
        if self._often(2 * self.impulses if in_window else self.impulses):
            thinkers = [faction for faction, player in play.state.players.items() if _has_a_play(player)]
            order = self.impulse(play, faction := self._pick(thinkers)) if thinkers else None
            if order is not None:
                play.submit(faction, [order])
                play.advance()
                return
        super().act(play)

    def _wished(self, play: Play) -> tuple[Faction, list[o.Order]] | None:
        for faction, player in play.state.players.items():
            wished = [effect for effect in self._wishes if may_hold(effect, faction)]
            if not wished or not (has_karama(player) if self._several else KARAMA in player.hand):
                continue
            others = [other for other in play.state.players if other != faction]
            karamas = [*self._karamas(play, player, others), *self._at_half_price(play, player)]
            for order in karamas:
                meant = isinstance(order, o.Karama) and order.effect in wished
                if meant and play.check(faction, order).status == "accepted":
                    return faction, [order]
        return None

    def _preferred(self, questions: Sequence[Question]) -> tuple[Faction, list[o.Order]] | None:
        for question in questions:
            if question.blanket and (liked := self._liked(question)):
                return question.faction, [liked]
        return None

    def _liked(self, question: Question) -> o.Order | None:
        """Return an answer of a kind that the scene prefers, choosing each kind equally often; None if there is none.
        The answer is never a bid with a Karama, because two players could go on outbidding each other like that for
        ever."""
        able = [order for order in question.samples() if isinstance(order, self._prefers) and self._likes(order)]
        able = [order for order in able if not _spends_karama(order)]
        if not able:
            return None
        kind = self._pick(list(dict.fromkeys(map(type, able))))
        of_kind = [order for order in able if type(order) is kind]
        return self._pick([order for order in of_kind if self._wanted(order, question.faction)] or of_kind)

    def answer(self, question: Question) -> o.Order:
        if liked := self._liked(question):
            return liked
        if (
            question.kind == "battle-plan"
            and self._plays_out
            and self._has_lasgun(question.faction)
            and self._often(60)
        ):
            return self._odd_plan(question)
        if self._often(95 if question.kind in SELDOM_ASKED else 50):
            wanted = [order for order in question.samples() if self._wanted(order, question.faction)]
            if wanted:
                return self._pick(wanted)
        if question.kind in ("battle-plan", "prescience-answer") and self._often(40):
            return self._odd_plan(question)
        if question.kind == "voice" and self._often(20):
            return self._exact_voice(question)
        order = super().answer(question)
        return question.default if _spends_karama(order) and not self._often(2 if self._sparing else 20) else order

    def _wanted(self, order: o.Order, faction: Faction) -> bool:
        if isinstance(order, o.Plan):
            return order.weapon is not None or order.defense == SHIELD
        if isinstance(order, o.Revive):
            return order.forces.total > MOST_TRIES
        if isinstance(order, o.Answer):
            return order.word == "unknown"
        if isinstance(order, o.Predict):
            return order.turn in OFTEN_LAST
        if isinstance(order, o.Ally):
            return "harkonnen" in (faction, order.faction)
        if isinstance(order, o.Ship) and order.target is None:
            return True
        if isinstance(order, o.Ship | o.Move) and order.target is not None and self._state is not None:
            there = self._state.forces_in(territory_of(order.target))
            return any(other != faction and not self._state.allied(faction, other) for other in there)
        return isinstance(order, RARE)

    def _truthtrance(self, asker: Faction, target: Faction) -> o.Truthtrance:
        if self._often(30):
            return super()._truthtrance(asker, target)
        place, number = self._pick(_PLACES), 1 + self._draw(5)
        played = self._pick(_PLAYED)
        act = self._pick(_ACTS).format(place=place, number=number, played=played)
        begin = self._pick(["Will you", "Will you", "Will you not"])
        when = self._pick(["", " this turn", " next turn", " this game"])
        there, home = self._pick(_PLACES), self._pick(_PLACES)
        condition = self._pick(_CONDITIONS).format(there=there, place=place, home=home)
        question = f"{begin} {act}{when}{f' if {condition}' if self._often(30) else ''}?"
        return with_reading(o.Truthtrance(target, question), asker)

    def _exact_voice(self, question: Question) -> o.Order:
        spoken = [order for order in question.samples() if isinstance(order, o.Voice)]
        if not spoken:  # earlier commands of the Voice leave nothing to command
            return question.default
        exact = replace(self._pick(spoken), kind=str(self._pick(_FOR_BATTLE)))
        return exact if question.refusal(exact) is None else question.default

    def _odd_plan(self, question: Question) -> o.Order:
        plan = self._pick([order for order in question.samples() if isinstance(order, o.Plan)])
        cards: Sequence[Card | None] = (None, *CARDS)
        if (two := self._plan_of_two(question, plan)) is not None:
            return two
        change = 5 if self._has_lasgun(question.faction) else self._draw(7) if self._often(80) else 0
        if change == 0:
            odd = replace(plan, leader=None, weapon=None, defense=None)
        elif change == 1:
            odd = replace(plan, dial=plan.dial + self._draw(4), spice=plan.spice + self._draw(3))
        elif change == 2:
            odd = replace(plan, weapon=self._pick(cards), defense=self._pick(cards))
        elif change == 3:
            odd = replace(plan, leader=self._pick([o.CHEAP_HERO, *LEADERS]))
        elif change == 4:
            odd = replace(plan, kwisatz_haderach=True)
        elif change == 5:
            return self._explosive_plan(question, plan)
        else:
            filler = self._pick(sorted(WORTHLESS))
            odd = replace(plan, defense=filler) if plan.defense is None else replace(plan, weapon=filler)
        return odd if question.refusal(odd) is None else plan

    def _plan_of_two(self, question: Question, plan: o.Plan) -> o.Plan | None:
        hand = self._state.players[question.faction].hand if self._state is not None else []
        for card in hand:
            for other in hand if (place := beside_another(card)) else ():
                odd = replace(plan, weapon=other, defense=card) if place == "defense" else None
                odd = odd or replace(plan, weapon=card, defense=other)
                if other != card and question.refusal(odd) is None:
                    return odd
        return None

    def _explosive_plan(self, question: Question, plan: o.Plan) -> o.Order:
        haderach = question.faction == "atreides"
        armed = replace(plan, weapon=LASGUN, kwisatz_haderach=haderach)
        tries = [replace(armed, defense=SHIELD), replace(armed, defense=None), replace(plan, weapon=LASGUN)]
        return next((odd for odd in tries if question.refusal(odd) is None), plan)

    def _has_lasgun(self, faction: Faction) -> bool:
        return self._state is not None and LASGUN in self._state.players[faction].hand

    def _plays(self, play: Play, player: Player) -> Iterable[o.Order]:
        for order in super()._plays(play, player):
            if isinstance(order, o.Ghola) and play.state.kwisatz_haderach == "dead" and player.faction == "atreides":
                order = o.Ghola(kwisatz_haderach=True)
            many_offers = isinstance(order, o.EmperorGives | o.Deal) and len(play.state.offers) >= MOST_OFFERS
            if not many_offers and self._often(self._liking(order, player.faction)):
                yield order
        yield from self._at_half_price(play, player)
        battle = play.game.moments.battle
        if battle is not None and player.faction == "atreides" and KARAMA in player.hand:
            yield from (o.Karama("see plan", faction=fighter) for fighter in battle.sides)

    def _liking(self, order: o.Order, faction: Faction) -> int:
        if isinstance(order, o.EmperorGives):
            return 100 if "cancel gift" in self._wishes else 15
        if not isinstance(order, o.Karama) or order.effect in self._wishes:
            return 100
        if "cancel karama" in self._wishes and faction == "bene-gesserit":
            return 60
        if self._sparing:
            return 0 if order.effect == "free card purchase" else 2
        return 1 if order.effect in EVERYDAY else 12

    def _at_half_price(self, play: Play, player: Player) -> Iterable[o.Order]:
        slot = play.game.moments.slot
        shipper = slot.mover if slot else None
        able = FOR_ANY_PLAYER(play.game.rules) and KARAMA in player.hand and shipper not in (None, player.faction)
        if able and self._often(100 if "half shipping" in self._wishes else 10):
            yield o.Karama("half shipping", faction=shipper)


def _spends_karama(order: o.Order) -> bool:
    return isinstance(order, o.BidKarama) or (isinstance(order, o.Bid) and order.karama)


def has_karama(player: Player) -> bool:
    return KARAMA in player.hand or (player.faction == "bene-gesserit" and not WORTHLESS.isdisjoint(player.hand))


def _has_a_play(player: Player) -> bool:
    hand = player.hand
    return (
        has_karama(player) or TRUTHTRANCE in hand or GHOLA in hand or (player.faction == "emperor" and player.spice > 0)
    )


PRICE = number_of("price {test}")
_SETTLED: Mapping[o.QuestionKind, tuple[type[o.Order], ...]] = {
    "charity": (o.Charity, o.NoCharity),
    "bid": (o.Pass, o.Pass),
    "revival": (o.NoRevival,),
    "shipment": (o.NoShipment,),
    "advisor": (o.NoAdvisor,),
    "guild-timing": (o.GoNow, o.Wait),
    "movement": (o.NoMove,),
    "voice": (o.NoVoice,),
    "prescience": (o.NoPrescience,),
    "traitor-call": (o.Treachery, o.NoTreachery),
    "worm-ride": (o.NoRide,),
    "nexus": (o.NoAlliance,),
    "transfer": (o.NoTransfer,),
    "offer": (o.Decline,),
}
HABITS = tuple((kind, order()) for kind, orders in _SETTLED.items() for order in orders)
"""Decisions of a seat for several turns: always the same answer, or a pass whenever the price is above a limit."""

Reason = Literal["thought", "standing", "cap", "kept"]
"""The reason for a statement: it was thought of at the moment, or it follows from a rule for several turns or from a
limit for this card. ``kept`` marks a later bid within such a limit, which does not need a question."""


@dataclass(frozen=True, slots=True)
class Habit:
    faction: Faction
    kind: o.QuestionKind
    order: o.Order
    first: int
    last: int
    over: int | None = None

    @property
    def line(self) -> SheetLine:
        condition: Condition | None = None if self.over is None else Comparison(PRICE, (), Measure(">", self.over))
        return SheetLine(self.order, condition, standing=True)

    def answers(self, question: Question, turn: int) -> bool:
        if (question.faction, question.kind) != (self.faction, self.kind) or not self.first <= turn <= self.last:
            return False
        return (self.over is None or (question.facts["top"] or 0) > self.over) and question.refusal(self.order) is None


@dataclass(frozen=True, slots=True)
class Statement:
    """A seat's statement at a stop, and its reason. If a limit for bids led to it, ``cap`` is that limit and ``card``
    the number of the card."""

    faction: Faction
    order: o.Order
    how: Reason = "thought"
    cap: o.BidUpTo | None = None
    card: int = 0


class LivePlayer(RandomPlayer):
    """A player who plays every seat: at each stop the cards and powers come first, then the answers, in the order of
    play.

    Acts that have no set time (a deal, a gift) are done at the beginning of a phase. ``habits`` lists all habits that
    the seats have had during the game.
    """

    def __init__(self, seed: str, impulses: int) -> None:
        super().__init__(seed, impulses=impulses)
        self.habits: list[Habit] = []
        self._turn = 0
        self._stop = ""
        self._snapshot: Snapshot | None = None
        self._caps: dict[tuple[Faction, int, int], o.BidUpTo | None] = {}
        self._running: set[tuple[Faction, int, int]] = set()

    def decide(self, play: Play) -> Statement:
        if play.state.turn != self._turn:
            self._turn = play.state.turn
            self.habits += self._new_habits(play)
        kept = next((said for question in play.questions() if (said := self._kept(play, question))), None)
        if kept:
            return kept
        order_of_play = play.game.order_of_play()
        windows = {question.faction for question in play.asked() if question.kind == "karama-window"}
        thoughts = self._thoughts(play, order_of_play) if play.stop_name != self._stop else ()
        begins, self._stop, self._snapshot = self._snapshot is not play.snapshot, play.stop_name, play.snapshot
        for faction, order in thoughts:
            if isinstance(order, o.Deal | o.EmperorGives) and not begins:
                continue
            if faction not in windows or is_unseen(play.game, order):
                return Statement(faction, order)
        waiting = play.questions()
        question = next(question for faction in order_of_play for question in waiting if question.faction == faction)
        if question.kind != "karama-window":
            return self._by_habit(question) or self._capped(play, question) or self._at_the_moment(question)
        for _, order in self._thoughts(play, [question.faction]):
            if not is_unseen(play.game, order):
                return Statement(question.faction, order)
        return Statement(question.faction, o.NoKarama())

    def _at_the_moment(self, question: Question) -> Statement:
        return Statement(question.faction, self.answer(question))

    def _thoughts(self, play: Play, factions: Sequence[Faction]) -> Iterator[tuple[Faction, o.Order]]:
        for faction in factions:
            order = self.impulse(play, faction) if self._often(self.impulses) else None
            if order:
                yield faction, order

    # --- for several turns -------------------------------------------------------------------------------------------

    def _new_habits(self, play: Play) -> Iterator[Habit]:
        for faction in play.state.players:
            if any(habit.faction == faction and habit.last >= self._turn for habit in self.habits):
                continue
            if self._often(40):
                kind, order = self._pick(HABITS)
                if never_legal(play.game, faction, order) is None:
                    over = self._draw(5) if kind == "bid" else None
                    yield Habit(faction, kind, order, self._turn, self._turn + 1 + self._draw(3), over)

    def habit_for(self, faction: Faction, kind: o.QuestionKind, turn: int) -> Habit | None:
        found = (habit for habit in self.habits if (habit.faction, habit.kind) == (faction, kind))
        return next((habit for habit in found if habit.first <= turn <= habit.last), None)

    def _by_habit(self, question: Question) -> Statement | None:
        habit = self.habit_for(question.faction, question.kind, self._turn)
        if habit is None or not habit.answers(question, self._turn):
            return None
        return Statement(question.faction, habit.order, "standing")

    # --- for one card ------------------------------------------------------------------------------------------------

    def _kept(self, play: Play, question: Question) -> Statement | None:
        if question.kind != "bid":
            return None
        key, cap = self._cap_of(question)
        if cap is None or key not in self._running or promises.forbid(play.game, question.faction, cap):
            return None
        return Statement(question.faction, _bid_up_to(play, question.faction, cap), "kept", cap, key[2])

    def _capped(self, play: Play, question: Question) -> Statement | None:
        if question.kind != "bid":
            return None
        key, cap = self._cap_of(question)
        if key not in self._caps:
            cap = self._caps[key] = self._new_cap(play, question)
        self._running.discard(key)
        if cap is None:
            return None
        faction = question.faction
        if question.refusal(cap) is None:
            self._running.add(key)
            return Statement(faction, _bid_up_to(play, faction, cap), "cap", cap, key[2])
        outbid = cap.limit <= (question.facts["top"] or 0) and question.refusal(o.Pass()) is None
        return Statement(faction, o.Pass(), "cap", cap, key[2]) if outbid else None

    def _cap_of(self, question: Question) -> tuple[tuple[Faction, int, int], o.BidUpTo | None]:
        key = (question.faction, self._turn, question.facts["number"])
        return key, self._caps.get(key)

    def _new_cap(self, play: Play, question: Question) -> o.BidUpTo | None:
        """Choose a limit for the card now for sale, or None. It is always None if an ally may help to pay, because the
        player then considers each bid separately."""
        faction, spice = question.faction, play.state.players[question.faction].spice
        if len(play.state.ally_group(faction)) > 1 or self.habit_for(faction, "bid", self._turn) or not spice:
            return None
        if not self._often(35):
            return None
        limit = 1 + self._draw(min(spice, 9))
        return o.BidUpTo(limit, 1 + self._draw(3), self._draw(limit + 1) if self._often(40) else 0)


def _bid_up_to(play: Play, faction: Faction, cap: o.BidUpTo) -> o.Order:
    amount = min(raised_bid(play.game, cap), means_of_buyer(play.game, faction, pledged_support(play.game)))
    return o.Bid(amount) if amount >= least_bid(play.game) else o.Pass()
