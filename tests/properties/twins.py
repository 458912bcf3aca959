"""Two games that differ only in facts hidden from one viewer, played in the same way side by side.

A twin is made at the start of a phase by one hidden change. Cards are exchanged between hidden hands or with the deep
deck, or another player's spice, traitors, captives, prediction or storm marker changes. Then everybody acts in the same
way in both games. To the viewer, both games must look the same at every moment of the phase: the position, the
questions, the events, and the number of stops. Facts that the rules would reveal through defaults or the chosen orders
are not changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from bot.language.truthtrance import with_reading
from rules.cards.karama import EFFECTS
from rules.chapters.public_facts import CAPTIVES_SEEN
from rules.components import LEADERS, Card, Faction, Forces, leaders_of
from rules.components.board import Area, TerritoryId
from rules.components.chance import Chance
from rules.decisions.question import Question
from rules.engine.log import Outcome, Snapshot
from rules.engine.play import Play
from rules.orders import (
    Accept,
    Advise,
    Ally,
    Answer,
    AskForLeader,
    Bid,
    BidKarama,
    BidUpTo,
    BreakAlliance,
    Capture,
    Charity,
    ChooseBattle,
    ChooseTraitor,
    Coexist,
    Deal,
    Decline,
    EmperorGives,
    Exchange,
    FamilyAtomics,
    FeedAlly,
    Fight,
    FremenSupport,
    Ghola,
    Give,
    GoNow,
    Hajr,
    Karama,
    Keep,
    Lose,
    Move,
    NamePrice,
    NoExchange,
    NoRedraw,
    NoRequest,
    NoSwapAll,
    NoTreachery,
    Order,
    PlaceWorm,
    Plan,
    Predict,
    Prescience,
    PutBack,
    RaiseLimits,
    Redraw,
    Replace,
    ReturnCards,
    RevealDancer,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ship,
    Show,
    SpareAlly,
    StartWith,
    StormDial,
    StrongholdAt,
    StrongholdStays,
    StrongholdTo,
    Support,
    Swap,
    SwapDancer,
    Treachery,
    Truthtrance,
    Voice,
    WeatherControl,
)
from rules.orders.readings import PublicFact
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.state import Deal as AnnouncedDeal
from rules.state.state import Offer, Prediction, State, Terms
from rules.views import known, view

OUT_OF_REACH = 14
"""No phase draws this many treachery cards."""

_decoder = msgspec.msgpack.Decoder(State)
_encoder = msgspec.msgpack.Encoder()


class Leak(AssertionError):
    """The viewer could tell apart two games that differ only in facts hidden from them."""


def compare(
    rules: RuleSet, seed: str, snapshot: Snapshot, viewer: Faction, chance: Chance, steps: int = 60,
    asking: Callable[[Play, Faction], dict[str, Any]] = lambda *_: {},
) -> str:  # fmt: skip
    """Play a phase twice, the second time with a change that is hidden from the viewer. Return the name of the change,
    or "" if none was possible. ``asking`` returns further facts that the viewer could learn at each moment.

    Raise Leak if the viewer can tell the games apart.
    """
    state = _decoder.decode(snapshot.state)
    unseen = {name: change for name, change in CHANGES.items() if not (name == CAPTIVE and CAPTIVES_SEEN(rules))}
    changes = [name for name, change in unseen.items() if change(_decoder.decode(snapshot.state), viewer, chance)]
    if not changes:
        return ""
    seldom = [name for name in changes if name in SELDOM]
    changed = chance.pick("change", seldom if seldom and chance.draw("seldom", 4) else changes)
    if not CHANGES[changed](state, viewer, chance):
        return ""
    first = Play.resume(rules, seed, snapshot, [])
    second = Play.resume(rules, seed, msgspec.structs.replace(snapshot, state=_encoder.encode(state)), [])
    for _ in range(steps):
        for onlooker in (viewer, "public"):
            one, other = sight(first, snapshot, onlooker), sight(second, snapshot, onlooker)
            if onlooker == viewer and _in_phase(first, snapshot) and _in_phase(second, snapshot):
                one, other = one | asking(first, viewer), other | asking(second, viewer)
            for what in (*one, *other):
                if one.get(what) != other.get(what):
                    raise Leak(
                        f"{changed}: to {onlooker} {what} differs in the {snapshot.phase} phase of turn "
                        f"{snapshot.turn}:\n{difference(one.get(what), other.get(what))}"
                    )
        if not _in_phase(first, snapshot):
            break
        _act(first, second, viewer, chance)
    return changed


def _in_phase(play: Play, snapshot: Snapshot) -> bool:
    return (play.state.turn, play.state.phase) == (snapshot.turn, snapshot.phase)


def sight(play: Play, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
    """Return everything that the viewer could learn at this moment. Once the phase is over, this is only its events."""
    told = [event for event in play.events if (event.turn, event.phase) == (snapshot.turn, snapshot.phase)]
    seen = [(event.kind, event.seen_by(viewer)) for event in told if event.visible_to(viewer)]
    if not _in_phase(play, snapshot):
        return {"the events": seen}
    return {
        "the events": seen,
        "the position": view(play, viewer),
        "what they alone know": known(play, viewer),
        "what they may answer": [list(q.samples()) for q in play.questions() if q.faction == viewer],
        "what they are told of their orders": [] if viewer == "public" else _told(play, viewer),
        "how often it waits": play.stop_name,
    }


def _told(play: Play, viewer: Faction) -> list[Outcome]:
    """Return the outcomes of orders of every kind, mostly out of place. Refusals must not reveal secrets."""
    others = [faction for faction in play.state.players if faction != viewer]
    tried: list[Order] = [Karama(effect, territory=TerritoryId("red-chasm")) for effect in EFFECTS]
    for other in others:
        tried += [Karama("take cards", faction=other, number=number) for number in range(1, 10)]
        tried += [Karama("see plan", faction=other), ChooseTraitor(leaders_of(other)[0]), Predict(other, 3)]
        tried += [
            with_reading(Truthtrance(other, "Do you hold Karama?"), viewer),
            Deal(other, "Peace", 1, 9),
            EmperorGives(1, other),
        ]
        tried += [Give(1, other), Ally(other), Voice(other, "lasgun"), ChooseBattle(other, TerritoryId("carthag"))]
    tried += [Bid(3), Bid(9, karama=True), BidKarama(), Support(2), Prescience("weapon"), Plan(1.0), Treachery()]
    tried += [Revive(Forces(2)), Ship(Forces(1), None, Area("carthag/11")), Keep(()), Capture("kill"), Ghola(Forces(1))]
    own = leaders_of(viewer)[-1]
    tried += [
        ReviveLeader(own),
        Ghola(leader=own),
        Karama("revive", leader=own),
        ReviveKwisatzHaderach(),
        Lose(Forces(1)),
    ]
    tried += [StormDial(2), WeatherControl(3), FamilyAtomics(), PlaceWorm(TerritoryId("red-chasm")), GoNow(), Accept()]
    tried += [Coexist(TerritoryId("carthag")), Move(Forces(1), Area("carthag/11"), Area("arrakeen/10")), Decline()]
    tried += [Advise(Area("carthag/11")), FremenSupport(granted=False), Answer("yes"), ReturnCards((Card("Karama"),))]
    tried += [Karama("half shipping", faction=other) for other in others] + [SpareAlly(), FeedAlly()]
    tried += [Voice(other, "Maula Pistol") for other in others] + [Fight(TerritoryId("carthag"))]
    tried += [AskForLeader(own), NoRequest(), NamePrice(2, own), RaiseLimits(everybody=True), RevealDancer(), Replace()]
    for other in others:
        foreign = leaders_of(other)[0]
        tried += [Karama("stop revival", faction=other), Karama("cancel ghola", leader=foreign), ReviveLeader(foreign)]
        tried += [Karama("cancel revival payment", faction=other), AskForLeader(foreign), SwapDancer(foreign)]
    tried += [Hajr(Move(Forces(1), Area("carthag/11"), Area("arrakeen/10"))), Charity(), BidUpTo(5), BreakAlliance()]
    red_chasm, card = Area("red-chasm/7"), Card("Baliset")
    tried += [StrongholdAt(red_chasm), StrongholdTo(red_chasm), StrongholdStays(), Karama("hms", area=red_chasm)]
    tried += [StartWith(card), PutBack(card, top=True), Swap(card), NoSwapAll(), Redraw(), NoRedraw()]
    tried += [
        Exchange(1),
        NoExchange(),
        Show(cards=(card,)),
        Show("traitors"),
        Show("prediction", readers=(others[0],)),
    ]
    return [play.check(viewer, order) for order in tried]


def difference(one: Any, other: Any) -> str:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next(f"{key}: {difference(one[key], other[key])}" for key in one if one[key] != other[key])
    if isinstance(one, list) and isinstance(other, list):
        pairs = next(((a, b) for a, b in zip(one, other, strict=False) if a != b), None)
        return difference(*pairs) if pairs else f"{one[len(other) :]} beside {other[len(one) :]}"
    return f"{one} beside {other}"


# --- equal acts --------------------------------------------------------------------------------------------------


def _act(first: Play, second: Play, viewer: Faction, chance: Chance) -> None:
    """Act in the same way in both games: the viewer freely, the others legally in both, or by default."""
    waiting = {question.key: question for question in second.questions()}
    both = [question for question in first.questions() if question.key in waiting]
    question = chance.pick("question", both or first.questions())
    twin = waiting.get(question.key)
    order = None
    if twin is not None:
        order = _answer(question, twin, chance, free=question.faction == viewer)
    for play in (first, second):
        if order is None:
            play.expire([question.key] if question.key in {q.key for q in play.questions()} else None)
        elif any(outcome.refusal for outcome in play.submit(question.faction, [order])):
            raise Leak(f"{question.faction} may answer {question.kind} with {order} in one game only")
        play.advance()


def _answer(question: Question, twin: Question, chance: Chance, *, free: bool) -> Order | None:
    """Return an order that is legal in both games, or None for the default.

    Other players leave battle plans to the default, because these are revealed, and call no traitors. The Bene Gesserit
    avoid Karama in purchases, because the card used is revealed. Nobody uses the Voice, because a default under it
    reveals a card.
    """
    if question.kind == "traitor-call" and not free:
        return NoTreachery()
    if question.kind == "voice" or (not free and question.kind in ("battle-plan", "prescience-answer", "offer")):
        return None
    if chance.draw("boldness", 100) < 40:
        return None
    order = chance.pick("choice", question.samples())
    if question.faction == "bene-gesserit" and not free and getattr(order, "karama", isinstance(order, BidKarama)):
        return None
    return order if free or (question.refusal(order) is None and twin.refusal(order) is None) else None


# --- hidden changes ----------------------------------------------------------------------------------------------


def _hands(state: State, viewer: Faction, chance: Chance) -> bool:
    """Exchange a card between two other players."""
    hands = [player.hand for player in state.players.values() if player.faction != viewer and player.hand]
    if len(hands) < 2:
        return False
    chance.shuffle("hands", hands)
    one, other = hands[:2]
    i, j = chance.draw("card", len(one)), chance.draw("card", len(other))
    one[i], other[j] = other[j], one[i]
    return one[i] != other[j]


def _deck(state: State, viewer: Faction, chance: Chance) -> bool:
    """Exchange another player's card with one deep in the deck."""
    hands = [player.hand for player in state.players.values() if player.faction != viewer and player.hand]
    deep = len(state.treachery_deck) - OUT_OF_REACH
    if not hands or deep < 1:
        return False
    hand = chance.pick("hand", hands)
    i, j = chance.draw("card", len(hand)), OUT_OF_REACH + chance.draw("depth", deep)
    hand[i], state.treachery_deck[j] = state.treachery_deck[j], hand[i]
    return hand[i] != state.treachery_deck[j]


def _number(state: State, viewer: Faction, chance: Chance) -> bool:
    """Give another player one more card, unless hand sizes matter in this phase, as in the bidding."""
    others = [player for player in state.players.values() if player.faction != viewer and 0 < len(player.hand) < 4]
    counted = state.phase in ("setup", "charity", "bidding")
    if counted or not others or len(state.treachery_deck) <= OUT_OF_REACH:
        return False
    chance.pick("number", others).hand.append(state.treachery_deck.pop())
    return True


def _order_of_decks(state: State, viewer: Faction, chance: Chance) -> bool:
    """Reorder the parts of the decks from which this phase draws no cards and which Atreides have not seen."""
    if state.phase == "setup":
        return False
    known = OUT_OF_REACH if viewer == "atreides" or state.phase == "bidding" else 0
    top, deep = state.treachery_deck[:known], state.treachery_deck[known:]
    before = list(deep), list(state.spice_deck)
    chance.shuffle("treachery", deep)
    state.treachery_deck = [*top, *deep]
    if state.phase != "spice" and viewer != "atreides":
        chance.shuffle("spice cards", state.spice_deck)
    return (deep, state.spice_deck) != before


def _offer(state: State, viewer: Faction, chance: Chance) -> bool:
    """Add an offer between two others."""
    others = [faction for faction in state.players if faction != viewer]
    if len(others) < 2:
        return False
    chance.shuffle("offer", others)
    state.offers.append(Offer(others[0], Deal(others[1], "Peace", 1, 0), 1))
    return True


def _note(state: State, viewer: Faction, chance: Chance) -> bool:
    """Add a secret deal between two others, which ends this turn. Not in the Mentat Pause, because the end of a game,
    which comes then, reveals all deals."""
    others = [faction for faction in state.players if faction != viewer]
    if len(others) < 2 or state.phase == "mentat":
        return False
    chance.shuffle("note", others)
    nexus, turn = PublicFact("nexus"), state.turn
    terms = Terms(secret=True, until=turn, broken_if=nexus, counted_in=turn, read_to=state.events)
    state.deals.append(AnnouncedDeal((others[0], others[1]), "Peace", turn, {}, terms))
    return True


def _spice(state: State, viewer: Faction, chance: Chance) -> bool:
    """Give another player more spice.

    In the set-up, everybody knows how much they have. Charity reveals amounts of none and one, and payments reveal
    debts. An ally sees how much help the other could afford.
    """
    telling = {faction for deal in state.deals for faction, owed in deal.pays.items() if owed}
    telling.update(state.ally_group(viewer))
    others = [player for player in state.players.values() if player.spice > 1 and player.faction not in telling]
    if not others or state.phase == "setup":
        return False
    chance.pick("spice", others).spice += 1 + chance.draw("amount", 9)
    return True


def _traitors(state: State, viewer: Faction, chance: Chance) -> bool:
    """Replace another player's traitor with a leader whom nobody else has in their pay. Not for the Tleilaxu in phases
    in which they may draw a face dancer, because they draw from the remaining cards."""
    if viewer == "tleilaxu" and state.phase in ("setup", "battle", "mentat"):
        return False
    paid = {leader for player in state.players.values() for leader in player.traitors}
    paid.update(state.box.face_dancers)
    others = [player for player in state.players.values() if player.faction != viewer and player.traitors]
    if not others:
        return False
    player = chance.pick("payer", others)
    free = [name for name in state.leaders if name not in paid and LEADERS[name].faction != player.faction]
    if not free:
        return False
    player.traitors[chance.draw("traitor", len(player.traitors))] = chance.pick("free", free)
    return True


def _known_card(state: State, viewer: Faction, chance: Chance) -> bool:
    """Change the card that was put at the bottom of the deck before the auction. The player who put it there knows the
    new one."""
    deck, at_bottom = state.treachery_deck, [one for one in state.box.deck_known if one.where == "bottom"]
    if viewer == "ixians" or not at_bottom or len(deck) <= OUT_OF_REACH + len(at_bottom):
        return False
    known = chance.pick("known", at_bottom)
    i = len(deck) - 1 - known.beyond
    j = OUT_OF_REACH + chance.draw("other", len(deck) - OUT_OF_REACH - len(at_bottom))
    if deck[i] == deck[j]:
        return False
    deck[i], deck[j] = deck[j], deck[i]
    known.card = deck[i]
    return True


def _dancers(state: State, viewer: Faction, chance: Chance) -> bool:
    """Replace a hidden face dancer with a leader who is in nobody's pay."""
    dancers = state.box.face_dancers
    hidden = [card for card in dancers if card not in state.box.revealed_dancers]
    paid = {leader for player in state.players.values() for leader in (*player.traitors, *player.dealt_traitors)}
    free = [name for name in state.leaders if name not in paid and name not in dancers]
    if viewer == "tleilaxu" or not hidden or not free:
        return False
    dancers[dancers.index(chance.pick("dancer", hidden))] = chance.pick("free", free)
    return True


def _tech_tokens(state: State, viewer: Faction, chance: Chance) -> bool:
    """Change the hidden order in which tech tokens are stored; everybody sees who owns them. In the set-up, change the
    order in which they will be dealt."""
    box = state.box
    if state.phase == "setup":
        state.draws["tech-tokens"] = state.draws.get("tech-tokens", 0) + 1 + chance.draw("tokens to come", 20)
        return True
    before = list(box.tech_tokens), list(box.tech_spice)
    tokens = list(box.tech_tokens.items())
    chance.shuffle("tech tokens", tokens)
    chance.shuffle("tech spice", box.tech_spice)
    box.tech_tokens = dict(tokens)
    return (list(box.tech_tokens), list(box.tech_spice)) != before


def _drawn(state: State, viewer: Faction, chance: Chance) -> bool:
    """Replace one of the leaders from whom another player must still choose a traitor."""
    known = {leader for player in state.players.values() for leader in (*player.traitors, *player.dealt_traitors)}
    others = [player for player in state.players.values() if player.faction != viewer and player.dealt_traitors]
    free = [name for name in state.leaders if name not in known]
    if not others or not free:
        return False
    dealt = chance.pick("drawer", others).dealt_traitors
    dealt[chance.draw("drawn", len(dealt))] = chance.pick("free", free)
    return True


def _prediction(state: State, viewer: Faction, chance: Chance) -> bool:
    """Change the Bene Gesserit's prediction, but not to or from the current turn."""
    there = state.prediction
    if there is None or viewer == "bene-gesserit" or there.turn == state.turn:
        return False
    turn = 1 + (state.turn + chance.draw("turn", 14)) % 15
    faction = chance.pick("winner", [f for f in state.players if f != "bene-gesserit"])
    state.prediction = Prediction(faction, turn)
    return turn != state.turn and state.prediction != there


def _captive(state: State, viewer: Faction, chance: Chance) -> bool:
    """Exchange a captive for another leader of the same player. Not in a battle, where the captive could be seen."""
    for player in state.players.values():
        for leader, owner in player.captured.items():
            others = [
                name
                for name in leaders_of(owner)
                if name != leader and state.leaders[name] == state.leaders[leader] and name not in player.captured
            ]
            if viewer not in (player.faction, owner) and others and state.phase != "battle":
                del player.captured[leader]
                player.captured[chance.pick("captive", others)] = owner
                return True
    return False


def _marker(state: State, viewer: Faction, chance: Chance) -> bool:
    """Change the next storm. Not in the storm phase, in which it is revealed."""
    if state.next_storm is None or viewer == "fremen" or state.phase == "storm":
        return False
    state.next_storm = state.next_storm % 6 + 1
    return True


CAPTIVE = "a captive"
CHANGES: dict[str, Callable[[State, Faction, Chance], bool]] = {
    "cards between hands": _hands,
    "a card of the deep deck": _deck,
    "the number of cards": _number,
    "the order of the decks": _order_of_decks,
    "an offer": _offer,
    "a secret deal": _note,
    "spice": _spice,
    "traitors": _traitors,
    "face dancers": _dancers,
    "a card known in the deck": _known_card,
    "the order of tech tokens": _tech_tokens,
    "traitors drawn": _drawn,
    "the prediction": _prediction,
    CAPTIVE: _captive,
    "the storm marker": _marker,
}
SELDOM = frozenset({"face dancers", "a card known in the deck"})
"""Changes that are seldom possible. When one is, it is usually chosen."""
