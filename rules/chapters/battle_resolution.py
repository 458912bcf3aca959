"""Resolving a battle, and what the winner gets, keeps and gives up (AH.X.C, AH.X.D, AH.AID.BATTLE, AH.XXII.C, WBC.X.13,
WBC.X.33 and 34).

Treachery comes before everything, then lasgun and shield, then weapons, totals, losses; by ``traitor_vs_lasgun_shield``
a lasgun with a shield explodes although treachery is called. Spice set aside is gone, whoever wins; only a winner by
treachery has it back (AH.XXII.A.2-b, AH.XXII.A.2-c).

The Poison Tooth (IT.CARD.13, IT.CARD.14, FAQ.ERRATA.2): a fighter who has shown it may withhold it, knowing what comes
of the battle with it and without. All see that the card lies in the plan, so all know who is asked, and when. Where a
traitor decides the battle, or it ends in an explosion, there is nothing to ask.

Winners are paid for every leader killed, their own among them. They choose which tokens make up the dial and which of
the cards played they keep; they are asked only where there is something to choose. Tokens of several sectors are taken
first where no spice lies. A faction that beats another, by treachery too, takes one of its tech tokens; an explosion or
two traitors move none (IT.TECH.15 to 17).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.chapters import battle_leaders, battle_list, battle_strength, tech_tokens
from rules.chapters.battle_list import BattleQuestion
from rules.components import KWISATZ_HADERACH_STRENGTH, LEADERS, Card, Faction, Forces, Leader
from rules.components.board import TERRITORIES
from rules.components.factions import TECH_TOKENS, TechToken
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Answers, Flow, Question, ask
from rules.orders import CHEAP_HERO, Discard, Keep, Lose, NoPoisonTooth, Order, TakeToken, UsePoisonTooth
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet, expansion_of
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NO_FORCES

TOOTH_AFTER_TRAITORS = Option("poison_tooth_when", {"after_traitors": True, "before_traitors": False})

POISON_TOOTH_OPTIONS = (TOOTH_AFTER_TRAITORS,)


def ask_tooth_before_traitors(game: Game, battle: BattleMoment) -> Flow:
    """The choice, where it comes before treachery is called."""
    if not TOOTH_AFTER_TRAITORS(game.rules):
        yield from _choose_tooth(game, battle)


def ask_tooth_after_traitors(game: Game, battle: BattleMoment) -> Flow:
    """The choice, where it comes when nobody has called treachery."""
    if TOOTH_AFTER_TRAITORS(game.rules):
        yield from _choose_tooth(game, battle)


def _choose_tooth(game: Game, battle: BattleMoment) -> Flow:
    holder = battle_strength.holder_of_tooth(battle)
    if holder is None or battle_strength.battle_explodes(battle):
        return
    answers = yield from ask(lambda: [PoisonToothQuestion(game, battle, holder)])
    battle.tooth_withheld = isinstance(answers.of(holder), NoPoisonTooth)
    if battle.tooth_withheld:
        game.tell("poison-tooth-withheld", faction=holder, territory=battle.territory)


class PoisonToothQuestion(BattleQuestion):
    """Do you use the Poison Tooth that you have shown?"""

    kind = "poison-tooth"

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return bool(expansion_of(rules))

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return battle_list.refusal_without_battle(game, faction)

    @property
    def default(self) -> Order:
        return UsePoisonTooth()

    def samples(self) -> Sequence[Order]:
        return [UsePoisonTooth(), NoPoisonTooth()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "opponent": self.battle.opponent(self.faction)}


WINNER_BY_TREACHERY_DISCARDS = switch("traitor_winner_may_discard")
EXPLODES_ALL_THE_SAME = Option("traitor_vs_lasgun_shield", {"traitor_first": False, "explosion_too": True})

HADERACH_COUNTS = Option("artillery_stops_kh", {"yes": False, "no": True})
"""Whether the Kwisatz Haderach adds to the total though an Artillery Strike takes the leader's strength away
(IT.CARD.19)."""

OPTIONS = (WINNER_BY_TREACHERY_DISCARDS, EXPLODES_ALL_THE_SAME, HADERACH_COUNTS, *POISON_TOOTH_OPTIONS)


def resolve(game: Game, battle: BattleMoment) -> Flow:
    """Step eleven."""
    yield from ask_tooth_before_traitors(game, battle)
    called = yield from battle_leaders.treachery_calls(game, battle)
    if called and battle_strength.battle_explodes(battle) and EXPLODES_ALL_THE_SAME(game.rules):
        explosion(game, battle)
    elif len(called) == len(battle.sides):
        both_betrayed(game, battle)
    elif called:
        yield from betrayed(game, battle, called[0])
    elif battle_strength.battle_explodes(battle):
        explosion(game, battle)
    else:
        yield from ask_tooth_after_traitors(game, battle)
        yield from fight_out(game, battle)


# --- Treachery ------------------------------------------------------------------------------------------------


def both_betrayed(game: Game, battle: BattleMoment) -> None:
    """Each leader in the other's pay: both lose everything, and nobody is paid (AH.X.D.4)."""
    for faction in battle.sides:
        lose_leader(game, battle, faction)
        lose_tokens(game, battle, faction)
        discard_played(game, battle, faction)
    game.tell("battle-without-winner", territory=battle.territory, sides=list(battle.sides), why="two traitors")


def betrayed(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """The caller's side wins at once and loses nothing but a cheap hero; the traitor's pay is the leader's strength
    (AH.X.D.2 and 3). Like every winner they may keep or discard the cards they played (AH.X.C.6).
    """
    loser = battle.opponent(winner)
    traitor = battle_leaders.shown_leader(battle, loser)
    game.gain(winner, battle.committed[winner].plan.spice)
    opposing = battle_leaders.shown_leader(battle, winner)
    pay = _owner(game, traitor).pay_for_traitor(game, traitor, opposing) if traitor else 0
    game.tell("battle-won", territory=battle.territory, winner=winner, loser=loser, by="treachery", totals=None)
    lose_leader(game, battle, loser)
    lose_tokens(game, battle, loser)
    discard_played(game, battle, loser)
    discard_hero(game, battle, winner)
    pay_reward(game, winner, pay)
    battle.winner = winner
    if WINNER_BY_TREACHERY_DISCARDS(game.rules):
        yield from give_up_cards(game, battle, winner)


# --- Lasgun and shield ------------------------------------------------------------------------------------------


def explosion(game: Game, battle: BattleMoment) -> None:
    """Everything in the territory is lost, and nobody is paid (AH.AID.BATTLE.5-d, AH.AID.BATTLE.5-e, AH.QA.A.3)."""
    game.tell("explosion", territory=battle.territory)
    lost_spice = 0
    for area in TERRITORIES[battle.territory].areas:
        lost_spice += game.take_spice(area)
    dead: dict[str, str] = {}
    for faction in game.order_of_play():
        if forces := game.kill_in(battle.territory, faction):
            dead[faction] = str(forces)
            rules_of(game, faction).lost_in_battle(game, battle, forces.total)
    game.tell("explosion-losses", territory=battle.territory, spice=lost_spice, tokens_lost=dead)
    for faction in battle.sides:
        if battle.committed[faction].plan.kwisatz_haderach:
            game.state.kwisatz_haderach = "dead"
            game.tell("kwisatz-haderach-killed")
        lose_leader(game, battle, faction)
        discard_played(game, battle, faction)
    game.tell("battle-without-winner", territory=battle.territory, sides=list(battle.sides), why="explosion")


# --- Weapons and totals -----------------------------------------------------------------------------------------


def fight_out(game: Game, battle: BattleMoment) -> Flow:
    """Leaders die, totals are compared, the loser loses all and the winner what was dialed (AH.X.C.1 to 6)."""
    battle.tooth_used = battle_strength.holder_of_tooth(battle) is not None and not battle.tooth_withheld
    killed = {faction: battle_strength.leader_is_killed(battle, faction) for faction in battle.sides}
    totals, winner = outcome(game, battle)
    loser = battle.opponent(winner)
    battle.winner = winner
    game.tell(
        "battle-won",
        territory=battle.territory,
        winner=winner,
        loser=loser,
        by="strength",
        totals={faction: totals[faction] / 2 for faction in battle.sides},
    )
    reward = 0
    for faction in battle.sides:
        leader = battle_leaders.shown_leader(battle, faction)
        if killed[faction] and leader:
            lose_leader(game, battle, faction)
            reward += worth_of_leader(game, battle, faction)
    lose_tokens(game, battle, loser)
    discard_played(game, battle, loser)
    pay_reward(game, winner, 0 if battle_strength.artillery_strikes(battle) else reward)
    discard_hero(game, battle, winner)
    yield from settle_winner(game, battle, winner)


def outcome(game: Game, battle: BattleMoment) -> tuple[dict[Faction, int], Faction]:
    """The totals of both sides in halves, and who wins by them: the aggressor where they are equal (AH.X.C.2)."""
    totals = {
        faction: total_strength(game, battle, faction, battle_strength.leader_is_killed(battle, faction))
        for faction in battle.sides
    }
    aggressor, defender = battle.sides
    return totals, aggressor if totals[aggressor] >= totals[defender] else defender


def total_strength(game: Game, battle: BattleMoment, faction: Faction, killed: bool) -> int:
    """Dial and leader together, in halves; a killed leader adds nothing, nor does the Kwisatz Haderach beside them
    (AH.X.C.3-b). With an Artillery Strike no leader does (IT.CARD.17)."""
    plan = battle.committed[faction].plan
    halves = battle_strength.in_halves(plan.dial) or 0
    if battle_strength.artillery_strikes(battle):
        haderach = not killed and plan.kwisatz_haderach and HADERACH_COUNTS(game.rules)
        return halves + 2 * KWISATZ_HADERACH_STRENGTH if haderach else halves
    if killed or plan.leader is None:
        return halves
    halves += 2 * worth_of_leader(game, battle, faction)
    return halves + (2 * KWISATZ_HADERACH_STRENGTH if plan.kwisatz_haderach else 0)


def worth_of_leader(game: Game, battle: BattleMoment, faction: Faction) -> int:
    """What the leader whom the fighter has shown counts: their strength, or what follows from the opponent's leader; 0
    for a cheap hero or nobody."""
    leader, opposing = (
        battle_leaders.shown_leader(battle, faction),
        battle_leaders.shown_leader(battle, battle.opponent(faction)),
    )
    return _owner(game, leader).worth_of_leader(game, leader, opposing) if leader else 0


def _owner(game: Game, leader: Leader) -> FactionRules:
    """The rules of the faction that the leader belongs to, whoever uses them."""
    return rules_of(game, LEADERS[leader].faction)


# --- What is lost -------------------------------------------------------------------------------------------------


def lose_leader(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """The leader in the fighter's plan goes to the tanks of the faction it belongs to (AH.X.C.4-a,
    AH.SHIELD.HAR.3-f).
    """
    leader = battle_leaders.shown_leader(battle, faction)
    if leader:
        game.kill_leader(leader)
        game.tell("leader-killed", leader=leader, user=faction, status=game.state.leaders[leader].status)


def lose_tokens(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """All tokens of the fighter in this battle go to the tanks, whatever was dialed (AH.X.C.5-a)."""
    dead: Forces = NO_FORCES
    for area in battle.areas:
        dead += game.kill(area, faction)
    if dead:
        game.tell("tokens-lost", faction=faction, forces=str(dead), territory=battle.territory)
    rules_of(game, faction).lost_in_battle(game, battle, dead.total)


def discard_played(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """Every card of the plan is discarded (AH.X.C.5-b)."""
    discard_cards(game, faction, battle.committed[faction].cards)


def discard_hero(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """A cheap hero goes once it was played, the winner's too (AH.AID.BATTLE.6-c), and so do weapons that work once
    (FAQ.ERRATA.2)."""
    committed = battle.committed[faction]
    hero = committed.cards[:1] if committed.plan.leader == CHEAP_HERO else ()
    discard_cards(
        game,
        faction,
        (*hero, *(card for card in committed.cards if battle_strength.is_discarded_once_played(battle, card))),
    )


def pay_reward(game: Game, winner: Faction, amount: int) -> None:
    """Spice from the bank for leaders killed."""
    if amount:
        game.gain(winner, amount)
        game.tell("leaders-paid", faction=winner, spice=amount)


def discard_cards(game: Game, faction: Faction, cards: Iterable[Card]) -> None:
    """Cards of a plan to the discard pile, for all to see."""
    gone = list(cards)
    for card in gone:
        game.discard(faction, card)
    if gone:
        game.tell("cards-discarded", faction=faction, cards=gone)


def settle_winner(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """The winner's losses and the cards to keep, asked together."""

    def build() -> list[Question]:
        losses = _possible_losses(game, battle, winner)
        questions = [LossesQuestion(game, battle, winner, losses)] if len(losses) > 1 else []
        return [*questions, *_cards_to_choose(game, battle, winner)]

    answers = yield from ask(build)
    losses = _possible_losses(game, battle, winner)
    chosen = answers.of(winner, "losses")
    lost = chosen.forces if isinstance(chosen, Lose) else rules_of(game, winner).losses_unless_told(losses)
    _bury(game, battle, winner, lost)
    yield from rules_of(game, winner).after_losses(game, battle, lost)
    _discard_chosen(game, battle, winner, answers)


def give_up_cards(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """What a winner who loses no tokens keeps of the cards played."""
    answers = yield from ask(lambda: _cards_to_choose(game, battle, winner))
    _discard_chosen(game, battle, winner, answers)


# --- Losses -------------------------------------------------------------------------------------------------------


class LossesQuestion(BattleQuestion):
    """Which tokens make up your dial?"""

    kind = "losses"

    def __init__(self, game: Game, battle: BattleMoment, winner: Faction, losses: Sequence[Forces]) -> None:
        super().__init__(game, battle, winner, "losses")
        self._losses = losses
        self._plan = battle.committed[winner].plan

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Lose) and order.forces in self._losses:
            return None
        losses = " or ".join(map(str, self._losses[:5]))
        spice = f" with {self._plan.spice} spice" if battle_strength.SPICE_COUNTS(self.game.rules) else ""
        why = f"Your losses must make up the {self._dial} you dialed{spice}: {losses}."
        return Refusal(why, "battle.losses")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return battle_list.refusal_without_battle(game, faction)

    @property
    def default(self) -> Order:
        return Lose(rules_of(self.game, self.faction).losses_unless_told(self._losses))

    def samples(self) -> Sequence[Order]:
        return [Lose(forces) for forces in self._losses]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "territory": self.battle.territory,
            "dial": self._dial,
            "spice": self._plan.spice,
            "losses": [str(forces) for forces in self._losses],
            "default": str(rules_of(self.game, self.faction).losses_unless_told(self._losses)),
        }

    @property
    def _dial(self) -> str:
        return battle_strength.dial_text(battle_strength.in_halves(self._plan.dial) or 0)


def _possible_losses(game: Game, battle: BattleMoment, winner: Faction) -> tuple[Forces, ...]:
    """What makes up their dial; all that stands there where nothing does, as a game master has put the tokens right
    since."""
    plan = battle.committed[winner].plan
    forces, worth = (
        battle_strength.forces_in(game, battle, winner),
        battle_strength.worth_of_tokens(game, battle, winner),
    )
    return battle_strength.LOSSES(game.rules)(forces, worth, plan.spice, battle_strength.in_halves(plan.dial) or 0) or (
        forces,
    )


def _bury(game: Game, battle: BattleMoment, winner: Faction, lost: Forces) -> None:
    """Tokens lost go to the tanks, first from sectors without spice."""
    left = lost
    for area in sorted(battle.areas, key=lambda area: bool(game.state.spice.get(area))):
        here = game.here(area, winner)
        dead = Forces(min(here.ordinary, left.ordinary), min(here.elite, left.elite))
        game.kill(area, winner, dead)
        left -= dead
    if lost:
        game.tell("tokens-lost", faction=winner, forces=str(lost), territory=battle.territory)
    rules_of(game, winner).lost_in_battle(game, battle, lost.total)


# --- Cards --------------------------------------------------------------------------------------------------------


class DiscardsQuestion(BattleQuestion):
    """Which of the cards you played do you keep?"""

    kind = "discards"

    def __init__(self, game: Game, battle: BattleMoment, winner: Faction, played: tuple[Card, ...]) -> None:
        super().__init__(game, battle, winner, "discards")
        self._played = played

    def refusal(self, order: Order) -> Refusal | None:
        named = order.cards if isinstance(order, Keep | Discard) else ()
        extra = Counter(named) - Counter(self._played)
        if not extra:
            return None
        card = next(iter(extra))
        if card in self.battle.committed[self.faction].cards and card not in self._played:
            return Refusal(f"{card} is discarded once played.", "battle.cheap-hero-discarded")
        why = f"You did not play {card}; you played {', '.join(self._played)}."
        return Refusal(why, "battle.cards-kept")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return battle_list.refusal_without_battle(game, faction)

    @property
    def default(self) -> Order:
        return Keep(self._played)

    def samples(self) -> Sequence[Order]:
        return [Keep(self._played), *(Discard((card,)) for card in dict.fromkeys(self._played)), Keep(())]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "cards": list(self._played)}


def _playable_again(battle: BattleMoment, winner: Faction) -> tuple[Card, ...]:
    """The cards played that the winner may keep: all but a cheap hero, and weapons that work once."""
    committed = battle.committed[winner]
    hero = committed.plan.leader == CHEAP_HERO
    cards = committed.cards[1:] if hero else committed.cards
    return tuple([card for card in cards if not battle_strength.is_discarded_once_played(battle, card)])


def _cards_to_choose(game: Game, battle: BattleMoment, winner: Faction) -> list[Question]:
    played = _playable_again(battle, winner)
    return [DiscardsQuestion(game, battle, winner, played)] if played else []


def _discard_chosen(game: Game, battle: BattleMoment, winner: Faction, answers: Answers) -> None:
    decision = answers.of(winner, "discards")
    if decision is not None:
        discard_cards(game, winner, _given_up(_playable_again(battle, winner), decision))


def _given_up(played: Sequence[Card], decision: Order) -> list[Card]:
    if isinstance(decision, Keep):
        return sorted((Counter(played) - Counter(decision.cards)).elements())
    return list(decision.cards) if isinstance(decision, Discard) else []


def take_tech_token(game: Game, battle: BattleMoment) -> Flow:
    """The winner takes one of the loser's tokens; they are asked which where there are several."""
    winner = battle.winner
    if winner is None or not game.state.box.tech_tokens:
        return
    loser = battle.opponent(winner)

    def build() -> list[Question]:
        several = len(tech_tokens.owned_by(game, loser)) > 1
        return [TokenQuestion(game, battle, winner, loser)] if several else []

    answers = yield from ask(build)
    if there := tech_tokens.owned_by(game, loser):
        order = answers.of(winner)
        token = order.token if isinstance(order, TakeToken) else _first_token(there)
        game.state.box.tech_tokens[token] = winner
        game.tell("tech-token-taken", token=token, faction=winner, loser=loser)


def _first_token(there: Sequence[TechToken]) -> TechToken:
    """What is taken where nobody says which; with two to take from, either of them fills a set or none does."""
    return next(token for token in TECH_TOKENS if token in there)


class TokenQuestion(BattleQuestion):
    """Which of the loser's tech tokens do you take?"""

    kind = "tech-token"

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return bool(expansion_of(rules))

    def __init__(self, game: Game, battle: BattleMoment, winner: Faction, loser: Faction) -> None:
        super().__init__(game, battle, winner)
        self._loser = loser

    @property
    def _there(self) -> list[TechToken]:
        return tech_tokens.owned_by(self.game, self._loser)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, TakeToken) and order.token in self._there:
            return None
        names = " or ".join(TECH_TOKENS[token].name for token in self._there)
        return Refusal(f"You can take {names}.", "tech-tokens.taken")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not game.state.box.tech_tokens:
            return Refusal("There are no tech tokens in this game.", "tech-tokens.none")
        return None

    @property
    def default(self) -> Order:
        return TakeToken(_first_token(self._there))

    def samples(self) -> Sequence[Order]:
        return [TakeToken(token) for token in self._there]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"loser": self._loser, "tokens": self._there, "territory": self.battle.territory}
