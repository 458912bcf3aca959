"""Truthtrance (AH.AID.TIMED.1, WBC.AID.3 to 14): one player asks another a question, which is answered truthfully
before anything else happens.

Question and answer are public. The question was interpreted when the order was accepted (``rules.orders.readings``);
this module applies its consequences. There are three kinds of question:

- About facts that the engine knows (``truth``; AH.AID.TIMED.1-b, WBC.AID.4): an untrue answer is refused, and by
  default the answer is the truth.
- About the future (``meaning``): the answer becomes a promise, and ``rules.cards.promises`` holds the player to it. If
  the program can check the act, the default answer is *no*, and the promise then ensures that this *no* is true.
- Any other question: the player answers freely. A default is announced as "no answer" and binds nobody, because a yes
  or no chosen by the moderator might be untrue (A-02).

``meaning`` determines which turn, battle and card a reading refers to in the current position. If the question names no
time, it means this turn, or the next turn if the phase in which such an act is done is already over. An answer cannot
be checked if there is no such battle or card, if the turn is over, or if the player asked does not have the power in
question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from msgspec.structs import replace

from rules.chapters import battle
from rules.chapters.setup import MAX_TURNS
from rules.components import CARDS, Card, Faction, faction_name, the_faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Question, ask_frozen
from rules.orders import Answer, Order, PhaseName, QuestionKind, Truthtrance
from rules.orders import readings as r
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import not_in_box
from rules.state.game import Game
from rules.state.state import Promise, Scope

__all__ = ["TRUTHTRANCE", "AnswerQuestion", "announced", "answered", "check", "never_legal", "play"]

TRUTHTRANCE = Card("Truthtrance")

YES, NO, UNKNOWN, NO_ANSWER = Answer("yes"), Answer("no"), Answer("unknown"), Answer("no answer")

BESIDE_YES_AND_NO: Option[tuple[Answer, ...]] = Option(
    "truthtrance_unknown_answer", {"not_allowed": (), "allowed_card_kept": (UNKNOWN,)}
)
"""The additional answers allowed when a question concerns neither a fact nor a decision of the player asked.

After such an answer the card goes back to the asker (FAQ.TRUTHTRANCE.5).
"""

ABOUT_THIS_TURN_ONLY = Option("truthtrance_future", {"any": False, "this_turn_only": True})
"""True if questions about acts of later turns are refused (FAQ.TRUTHTRANCE.6)."""

ABOUT_THE_GAME_ONLY = Option("truthtrance_topic", {"anything": False, "the_game": True})
"""True if a question without any word about the game is refused (FAQ.TRUTHTRANCE.2)."""

YES_BRINGS_IT_ABOUT = Option("truthtrance_yes_obliges", {"no": False, "yes": True})
"""True if a player who promised something about a battle must start that battle if they can (WBC.AID.7,
FAQ.TRUTHTRANCE.3)."""


def check(game: Game, faction: Faction, order: Truthtrance) -> Refusal | None:
    if not game.plays(order.faction):
        return Refusal(f"Nobody plays {the_faction(order.faction)} in this game.", "truthtrance.who-is-asked")
    if refusal := never_legal(game, faction, order):
        return refusal
    if not any(letter.isalnum() for letter in order.question):
        why = "Write a yes-or-no question after the colon."
        return Refusal(why, "truthtrance.yes-or-no")
    if len(order.question) > r.LONGEST_QUESTION:
        why = f"Your question has {len(order.question)} characters; the limit is {r.LONGEST_QUESTION}."
        return Refusal(why, "truthtrance.plain-question")
    if order.reading is not None and order.reading.off_topic and ABOUT_THE_GAME_ONLY(game.rules):
        return Refusal("A Truthtrance must ask something about the game.", "truthtrance.about-the-game")
    may_be_unknown = order.reading is not None and order.reading.about_next and BESIDE_YES_AND_NO(game.rules)
    if order.reading is not None and order.reading.about_itself and not may_be_unknown:
        why = "A question cannot be about its own answer; ask about the game."
        return Refusal(why, "truthtrance.no-paradox")
    if ABOUT_THIS_TURN_ONLY(game.rules) and _is_about_later(game, order):
        why = "You can ask only about what happens this turn."
        return Refusal(why, "truthtrance.this-turn")
    if not game.holds(faction, TRUTHTRANCE):
        return Refusal("You hold no Truthtrance.", "truthtrance.in-hand")
    if battle.TRUTHTRANCE_BARRED(game.rules)(game):
        why = "Atreides have asked for an element of a plan; a Truthtrance waits until it is shown."
        return Refusal(why, "truthtrance.in-battle")
    return None


def _is_about_later(game: Game, order: Truthtrance) -> bool:
    reading = order.reading
    if reading is None or (reading.act is None and not reading.matters):
        return False
    if reading.act is None:
        turn = reading.occasion.turn
        return turn in ("next", "this game") or (isinstance(turn, int) and turn > game.state.turn)
    return meaning(game, order.faction, reading).scope.last_turn > game.state.turn


def never_legal(game: Game, faction: Faction, order: Truthtrance) -> Refusal | None:
    if order.faction == faction:
        return Refusal("You must ask another player.", "truthtrance.who-is-asked")
    return None


def play(game: Game, faction: Faction, order: Truthtrance) -> Flow:
    """Discard the card, ask the question and publish the answer, without interruption (WBC.AID.5). If the question
    contains a *not*, the published answer also states its meaning."""
    target, reading = order.faction, order.reading or r.Reading()
    text = " ".join(order.question.split())
    question = AnswerQuestion(game, target, faction, text, reading)
    declared: dict[str, Any] = {"negative": True} if reading.negative else {}
    game.discard(faction, TRUTHTRANCE)
    game.tell("truthtrance-asked", faction=faction, target=target, question=text, **declared)
    answers = yield from ask_frozen(question)
    answer = answers.only()
    assert isinstance(answer, Answer)
    game.state.truths.append(announced(target, faction, text, answer.word, reading.negative))
    game.tell("truthtrance-answered", faction=faction, target=target, question=text, answer=answer.word, **declared)
    if question.truth is None:
        _promise(game, question, answer)
    comes_back = answer in (UNKNOWN, NO_ANSWER) and BESIDE_YES_AND_NO(game.rules)
    if comes_back and TRUTHTRANCE in game.state.treachery_discard:  # a game master may have moved it since
        game.state.treachery_discard.remove(TRUTHTRANCE)
        game.player(faction).hand.append(TRUTHTRANCE)
        game.tell("truthtrance-kept", faction=faction, target=target)


class AnswerQuestion(Question):
    kind = "truthtrance-answer"

    def __init__(self, game: Game, faction: Faction, asker: Faction, text: str, reading: r.Reading) -> None:
        super().__init__(game, faction)
        self.asker, self.text, self.reading = asker, text, reading

    @cached_property
    def truth(self) -> bool | None:
        return truth(self.game, self.faction, self.reading.facts)

    @cached_property
    def meaning(self) -> Meaning:
        return meaning(self.game, self.faction, self.reading)

    def refusal(self, order: Order) -> Refusal | None:
        if order in self.samples() or order == self.default:
            return None
        if order == UNKNOWN and (self.truth is None or not BESIDE_YES_AND_NO(self.game.rules)):
            decided = "; what you will do is up to you" if BESIDE_YES_AND_NO(self.game.rules) else ""
            return Refusal(f"This Truthtrance is answered with yes or no{decided}.", "truthtrance.yes-or-no")
        return Refusal(f"That is not the truth; the answer is {self.default.word}.", "truthtrance.truthfully")

    @property
    def default(self) -> Answer:
        if self.truth is None:
            return NO if self.meaning.act is not None else NO_ANSWER
        return YES if self.truth else NO

    def samples(self) -> Sequence[Answer]:
        if self.truth is not None:
            return [self.default]
        return [YES, NO] if self.meaning.act is not None else [YES, NO, *BESIDE_YES_AND_NO(self.game.rules)]

    @property
    def facts(self) -> Mapping[str, Any]:
        binds, negative = self.meaning.act is not None, self.reading.negative
        unknown = UNKNOWN in self.samples()
        about = {"asker": self.asker, "question": self.text, "binds": binds, "negative": negative}
        return {**about, "unknown": True} if unknown else about


def announced(target: Faction, asker: Faction, question: str, word: str, negative: bool = False) -> str:
    return f"{faction_name(target)} to {faction_name(asker)}: {question} {answered(word, negative)}."


def answered(word: str, negative: bool) -> str:
    """Return the answer, with its meaning added if the question contains a *not*: ``answered("yes", True) == "Yes, will
    not"``."""
    meant = {"yes": ", will not", "no": ", will"}.get(word, "") if negative else ""
    return f"{word.capitalize()}{meant}"


def _promise(game: Game, question: AnswerQuestion, answer: Answer) -> None:
    reading, meant, state = question.reading, question.meaning, game.state
    if answer.word not in ("yes", "no") or (meant.act is None and not reading.matters):
        return
    if (answer.word == "yes") != reading.negative and meant.scope.opponent:
        meant.scope.in_battle = True  # an act against another player can be demanded only in a battle
    state.promises.append(
        Promise(
            question.faction,
            question.asker,
            question.text,
            answer.word,
            made=state.events - 1,
            scope=meant.scope,
            act=meant.act,
            remind_at=[] if meant.act else remind_at(reading),
            negative=reading.negative,
            condition=meant.condition,
            read_to=state.events,
        )
    )
    if answer.word == "yes" and not reading.negative and YES_BRINGS_IT_ABOUT(game.rules):
        _bring_it_about(game, question, meant)


_BEFORE_BATTLES: tuple[PhaseName, ...] = ("storm", "spice", "charity", "bidding", "revival", "movement")


def _bring_it_about(game: Game, question: AnswerQuestion, meant: Meaning) -> None:
    """Oblige a player who has promised something about a battle of this turn to go to the place of that battle if they
    can (FAQ.TRUTHTRANCE.3)."""
    scope, turn = meant.scope, game.state.turn
    if not scope.in_battle or scope.first_turn != turn or game.state.phase not in _BEFORE_BATTLES:
        return
    act: r.Attack | r.Enter | None = None
    if scope.opponent is not None:
        act = r.Attack(scope.opponent, scope.territory)
    elif scope.territory is not None:
        act = r.Enter(scope.territory)
    if act is not None:
        state = game.state
        state.promises.append(
            Promise(
                question.faction,
                question.asker,
                question.text,
                "yes",
                made=state.events - 1,
                scope=Scope(turn, turn),
                act=act,
                condition=meant.condition,
                read_to=state.events,
                on_the_way=True,
            )
        )


_PHASES: tuple[PhaseName, ...] = tuple(phase for phase in get_args(PhaseName) if phase not in ("setup", "over"))


@dataclass(frozen=True, slots=True)
class Meaning:
    """The promise that an answer would make: the act, the time at which the promise applies, and the condition that
    must come true first. ``act`` is None if the program cannot check the act."""

    act: r.AnyAct | None
    scope: Scope
    condition: r.Condition | None = None


def meaning(game: Game, target: Faction, reading: r.Reading) -> Meaning:
    occasion, act = reading.occasion, _with_cards_of_this_game(game, reading.act)
    scope = _scope(game, target, occasion, act)
    if act is None:
        return Meaning(None, scope or Scope(*_turns(game, occasion, None)))
    if scope is None or scope.first_turn < game.state.turn or not _has_power(game, target, act):
        return Meaning(None, Scope(*_turns(game, occasion, None)))
    condition = _condition(game, reading.condition)
    if condition is None and reading.condition is not None:
        return Meaning(None, Scope(*_turns(game, occasion, None)))
    return Meaning(act, scope, condition)


def _scope(game: Game, target: Faction, occasion: r.Occasion, act: r.AnyAct | None) -> Scope | None:
    first, last = _turns(game, occasion, act)
    territory, opponent, card = occasion.territory, occasion.opponent, occasion.card
    if occasion.this_battle:
        battle = game.moments.battle
        if battle is None or target not in battle.sides:
            return None
        territory, opponent = territory or battle.territory, opponent or battle.opponent(target)
    if occasion.this_card:
        auction = game.moments.auction
        if auction is None or not auction.number:
            return None
        card = auction.number
    elsewhere = occasion.only_against and act is not None and _may_be_played_anywhere(game, target, act)
    in_battle = occasion.in_battle and not elsewhere
    return Scope(first, last, in_battle, territory, opponent, card, occasion.nexus)


def _turns(game: Game, occasion: r.Occasion, act: r.AnyAct | None) -> tuple[int, int]:
    turn = game.state.turn
    match occasion.turn:
        case int(number):
            return number, number
        case "next":
            return turn + 1, turn + 1
        case "this game":
            return turn, MAX_TURNS(game.rules)
        case "usual" if act is not None and _PHASES.index(_phase(act)) < _place(game):
            return turn + 1, turn + 1
    return turn, turn


def _place(game: Game) -> int:
    phase = game.state.phase
    return _PHASES.index(phase) if phase in _PHASES else 0


def _phase(act: r.Act) -> PhaseName:
    """Return the phase in which the act is usually done, or the last phase of the turn for an act that is possible at
    any time."""
    match act:
        case r.AllyWith() | r.LeaveAlliance() | r.RideWorm():
            return "spice"
        case r.TakeCharity():
            return "charity"
        case r.BidFor():
            return "bidding"
        case r.ReviveTokens():
            return "revival"
        case r.ShipTo() | r.MoveTo() | r.Enter() | r.Attack() | r.SendAdvisor() | r.ReviveOneOf():
            return "movement"
        case r.Lead() | r.Dial() | r.CallTreachery() | r.UseVoice() | r.UsePrescience():
            return "battle"
        case r.GiveSpice():
            return "collection"
        case r.PlayCard(cards) if all(CARDS[card].battle_plan for card in cards):
            return "battle"
    return "mentat"


def _with_cards_of_this_game(game: Game, act: r.AnyAct | None) -> r.AnyAct | None:
    """Limit the act to the cards of this game. A question about a class of cards ("a poison weapon") was read as naming
    all cards of that class, including those of expansions that are not in play."""
    if not isinstance(act, r.PlayCard):
        return act
    there = tuple(card for card in act.cards if card not in not_in_box(game.rules))
    return replace(act, cards=there) if there else act


def _condition(game: Game, condition: r.Condition | None) -> r.Condition | None:
    if isinstance(condition, r.Buys) and condition.this_card:
        auction = game.moments.auction
        return replace(condition, card=auction.number, this_card=False) if auction and auction.number else None
    return condition


def _has_power(game: Game, target: Faction, act: r.AnyAct) -> bool:
    match act:
        case r.UseVoice():
            return rules_of(game, target).has_voice(game)
        case r.UsePrescience():
            return rules_of(game, target).has_prescience(game)
    return True


def _may_be_played_anywhere(game: Game, target: Faction, act: r.Act) -> bool:
    if not isinstance(act, r.PlayCard):
        return False
    as_karama = rules_of(game, target).serve_as_karama(game)
    return any(not CARDS[card].battle_plan or card in as_karama for card in act.cards)


# --- Answers that cannot be checked --------------------------------------------------------------------------------

DECIDED_AT: dict[r.Matter, tuple[QuestionKind, ...]] = {
    "alliance": ("nexus",),
    "bid": ("bid",),
    "revival": ("revival",),
    "shipment": ("shipment",),
    "movement": ("movement",),
    "worm": ("worm-ride", "worm-placement"),
    "battle": ("battle-plan", "battle-order"),
    "treachery": ("traitor-call",),
    "peace": ("bg-status", "intrusion"),
    "voice": ("voice",),
    "prescience": ("prescience",),
    "spice": ("transfer",),
}
"""The kinds of questions in which each matter is decided."""


def remind_at(reading: r.Reading) -> list[QuestionKind]:
    return [kind for matter in reading.matters for kind in DECIDED_AT[matter]]


def truth(game: Game, target: Faction, facts: Sequence[r.AnyFact]) -> bool | None:
    return all(is_true(game, target, fact) for fact in facts) if facts else None


def is_true(game: Game, target: Faction, fact: r.AnyFact) -> bool:
    player = game.player(target)
    match fact:
        case r.InHand(cards, amount):
            return amount.holds(sum(cards is None or card in cards for card in player.hand))
        case r.HandFull():
            return game.hand_full(target)
        case r.InPay(leaders):
            return not set(leaders).isdisjoint(player.traitors)
        case r.InDisguise(leaders):
            return not set(leaders).isdisjoint(rules_of(game, target).face_dancers(game))
        case r.Captured(leaders):
            return not set(leaders).isdisjoint(player.captured)
        case r.Predicted():
            return _has_predicted(game, target, fact)
        case r.OwnsSpice(amount):
            return amount.holds(player.spice)
        case r.OwnsTokens(where, amount):
            return amount.holds((player.tanks if where == "tanks" else player.reserves).total)


def _has_predicted(game: Game, target: Faction, fact: r.Predicted) -> bool:
    prediction = rules_of(game, target).prediction(game)
    if prediction is None:
        return False
    in_turn = not fact.turns or any(turns.holds(prediction.turn) for turns in fact.turns)
    return in_turn and (not fact.factions or prediction.faction in fact.factions)
