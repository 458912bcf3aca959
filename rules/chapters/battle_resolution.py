"""The resolution of a battle, and its winner's gains and losses.

Clauses: AH.X.C, AH.X.D, AH.AID.BATTLE, AH.XXII.C, WBC.X.13, WBC.X.33 and 34.

Treachery is resolved first, then the explosion of lasgun and shield, then weapons, totals and losses. If the option
``traitor_vs_lasgun_shield`` says so, a lasgun and a shield explode even if there is treachery. The spice set aside for
the plans is lost, whoever wins; only a player who wins by treachery gets it back (AH.XXII.A.2-b, AH.XXII.A.2-c).

The Poison Tooth (IT.CARD.13, IT.CARD.14, FAQ.ERRATA.2): a fighter whose plan shows it may decide not to use it, knowing
the result of the battle with it and without it. The plan is public by then, so everybody knows who is asked, and when.
If a traitor or an explosion decides the battle, the fighter is not asked.

Winners are paid for every leader killed, their own included. They choose which tokens to lose for their dial and which
of their played cards to keep; they are asked only if there is a choice. If the tokens are in several sectors, those in
sectors without spice are lost first. A faction that beats another, even by treachery, takes one of its tech tokens. In
an explosion, or if both leaders are traitors, no tech token changes hands (IT.TECH.15 to 17).
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
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NO_FORCES

TOOTH_AFTER_TRAITORS = Option("poison_tooth_when", {"after_traitors": True, "before_traitors": False})


def ask_tooth_before_traitors(game: Game, battle: BattleMoment) -> Flow:
    if not TOOTH_AFTER_TRAITORS(game.rules):
        yield from _choose_tooth(game, battle)


def ask_tooth_after_traitors(game: Game, battle: BattleMoment) -> Flow:
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
    kind = "poison-tooth"
    of_expansion = True
    default = UsePoisonTooth()

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return battle_list.refusal_without_battle(game, faction)

    def samples(self) -> Sequence[Order]:
        return [UsePoisonTooth(), NoPoisonTooth()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "opponent": self.battle.opponent(self.faction)}


WINNER_BY_TREACHERY_DISCARDS = switch("traitor_winner_may_discard", usual="on")
EXPLODES_ALL_THE_SAME = Option(
    "traitor_vs_lasgun_shield", {"traitor_first": False, "explosion_too": True}, usual="traitor_first"
)

HADERACH_COUNTS = Option("artillery_stops_kh", {"yes": False, "no": True})
"""True if the Kwisatz Haderach counts when an Artillery Strike removes the leader's strength (IT.CARD.19)."""


def resolve(game: Game, battle: BattleMoment) -> Flow:
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
    """Make both sides lose everything, because each leader is a traitor for the other side. Nobody is paid
    (AH.X.D.4)."""
    for faction in battle.sides:
        lose_leader(game, battle, faction)
        lose_tokens(game, battle, faction)
        discard_played(game, battle, faction)
    game.tell("battle-without-winner", territory=battle.territory, sides=list(battle.sides), why="two traitors")


def betrayed(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
    """Let the side that called treachery win at once. It loses nothing but a cheap hero, and gains the traitor's
    strength in spice (AH.X.D.2 and 3). Like every winner, it may keep or discard the cards it played (AH.X.C.6)."""
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
    """Destroy everything in the territory. Nobody is paid (AH.AID.BATTLE.5-d, AH.AID.BATTLE.5-e, AH.QA.A.3)."""
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
    """Kill leaders and compare the totals. The loser loses all tokens, and the winner loses the tokens dialed (AH.X.C.1
    to 6)."""
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
    """Return the totals of both sides, in halves, and the winner. The aggressor wins a tie (AH.X.C.2)."""
    totals = {
        faction: total_strength(game, battle, faction, battle_strength.leader_is_killed(battle, faction))
        for faction in battle.sides
    }
    aggressor, defender = battle.sides
    return totals, aggressor if totals[aggressor] >= totals[defender] else defender


def total_strength(game: Game, battle: BattleMoment, faction: Faction, killed: bool) -> int:
    """Return the sum of the dial and the leader's strength, in halves. A killed leader adds nothing, nor does a Kwisatz
    Haderach who fights beside that leader (AH.X.C.3-b). If there is an Artillery Strike, no leader counts
    (IT.CARD.17)."""
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
    leader, opposing = (
        battle_leaders.shown_leader(battle, faction),
        battle_leaders.shown_leader(battle, battle.opponent(faction)),
    )
    return _owner(game, leader).worth_of_leader(game, leader, opposing) if leader else 0


def _owner(game: Game, leader: Leader) -> FactionRules:
    return rules_of(game, LEADERS[leader].faction)


# --- Leaders, tokens ----------------------------------------------------------------------------------------------


def lose_leader(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """Send the leader in the fighter's plan to the tanks of the faction to which the leader belongs (AH.X.C.4-a,
    AH.SHIELD.HAR.3-f)."""
    leader = battle_leaders.shown_leader(battle, faction)
    if leader:
        game.kill_leader(leader)
        game.tell("leader-killed", leader=leader, user=faction, status=game.state.leaders[leader].status)


def lose_tokens(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """Send all tokens that the fighter has in this battle to the tanks, regardless of the dial (AH.X.C.5-a)."""
    dead: Forces = NO_FORCES
    for area in battle.areas:
        dead += game.kill(area, faction)
    if dead:
        game.tell("tokens-lost", faction=faction, forces=str(dead), territory=battle.territory)
    rules_of(game, faction).lost_in_battle(game, battle, dead.total)


def discard_played(game: Game, battle: BattleMoment, faction: Faction) -> None:
    discard_cards(game, faction, battle.committed[faction].cards)  # AH.X.C.5-b


def discard_hero(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """Discard the cards that even a winner loses: a cheap hero who was played (AH.AID.BATTLE.6-c), and weapons that can
    be used only once (FAQ.ERRATA.2)."""
    committed = battle.committed[faction]
    hero = committed.cards[:1] if committed.plan.leader == CHEAP_HERO else ()
    discard_cards(
        game,
        faction,
        (*hero, *(card for card in committed.cards if battle_strength.is_discarded_once_played(battle, card))),
    )


def pay_reward(game: Game, winner: Faction, amount: int) -> None:
    if amount:
        game.gain(winner, amount)
        game.tell("leaders-paid", faction=winner, spice=amount)


def discard_cards(game: Game, faction: Faction, cards: Iterable[Card]) -> None:
    gone = list(cards)
    for card in gone:
        game.discard(faction, card)
    if gone:
        game.tell("cards-discarded", faction=faction, cards=gone)


def settle_winner(game: Game, battle: BattleMoment, winner: Faction) -> Flow:
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
    answers = yield from ask(lambda: _cards_to_choose(game, battle, winner))
    _discard_chosen(game, battle, winner, answers)


# --- Losses -------------------------------------------------------------------------------------------------------


class LossesQuestion(BattleQuestion):
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
        why = f"Your losses must make up the {self._dial} you dialled{spice}: {losses}."
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
    """Return the combinations of tokens that the winner may lose for the dial. If no combination makes up the dial,
    because a game master has corrected the tokens since, return all tokens that are there."""
    plan = battle.committed[winner].plan
    forces, worth = (
        battle_strength.forces_in(game, battle, winner),
        battle_strength.worth_of_tokens(game, battle, winner),
    )
    return battle_strength.LOSSES(game.rules)(forces, worth, plan.spice, battle_strength.in_halves(plan.dial) or 0) or (
        forces,
    )


def _bury(game: Game, battle: BattleMoment, winner: Faction, lost: Forces) -> None:
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
    """Return the token that the winner takes by default. If there are two tokens to choose from, it makes no difference
    which one is taken: either both or neither would complete a set of three."""
    return next(token for token in TECH_TOKENS if token in there)


class TokenQuestion(BattleQuestion):
    kind = "tech-token"
    of_expansion = True

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
