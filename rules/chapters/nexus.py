"""The nexus: alliances are broken and formed (AH.XII, WBC.HR.2).

Everybody hands in a slip: *I leave*, and *with these I would ally*, the most wanted first. First all breaks take
effect. Then alliances are formed where all who would be in them named each other: in the order of play each player's
wishes are gone through, and two groups become one if every member of either named somebody of the other. What came of
it is public; a wish that was not met stays secret (WBC A-07).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.components import FACTIONS, Faction, faction_name
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.orders import Ally, BreakAlliance, NoAlliance, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def nexus(game: Game) -> Flow:
    """One nexus, held also where nobody will change anything."""
    game.tell("nexus")
    if largest_alliance(game) > 1:
        answers = yield from ask(lambda: [_question(game, faction) for faction in game.order_of_play()])
        settle(game, {faction: answers.all_of(faction) for faction in game.order_of_play()})
    game.tell("nexus-over", alliances=[list(group) for group in game.state.alliances])


def largest_alliance(game: Game) -> int:
    """How many factions an alliance may have here; with 1 there is none (AH.XII.C.2, WBC.HR.2, WBC A-34)."""
    rules, players = game.rules, len(game.state.players)
    if rules.alliances_enabled == "no":
        return 1
    if players < rules.alliance_min_players and rules.alliances_small_games == "pairs_at_3":
        return 2 if players == 3 else 1
    all_play = players == len(FACTIONS)
    if game.state.triple_alliances and all_play:
        return 3
    if rules.alliance_max == 3 and not all_play:
        return 2  # three may ally in a game of six only (WBC.HR.2b)
    return rules.alliance_max or players


def _question(game: Game, faction: Faction) -> Question:
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    others = [other for other in game.order_of_play() if other != faction and other not in allies]

    def choices() -> list[Order]:
        leave: list[Order] = [BreakAlliance()] if allies else []
        return [NoAlliance(), *leave, *(Ally(other) for other in others)]

    return Asked(
        faction,
        "nexus",
        NoAlliance(),
        lambda order: check(game, faction, order),
        choices,
        about={"allies": allies, "others": others, "largest": largest_alliance(game)},
        many=True,
        beside_later=lambda earlier, later: _stands_beside(game, earlier, later),
    )


def _stands_beside(game: Game, earlier: Order, later: Order) -> bool:
    """Leaving and allying anew are two lines of one slip, also sent one by one; so are the allies of a larger
    alliance. Another ally in place of the first, or no alliance at all, replaces."""
    match earlier, later:
        case (BreakAlliance(), Ally()) | (Ally(), BreakAlliance()):
            return True
        case Ally(one), Ally(other):
            return one != other and largest_alliance(game) > 2
    return False


def check(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether this line may stand on the faction's slip."""
    match order:
        case BreakAlliance():
            if len(game.state.ally_group(faction)) == 1:
                return Refusal("You have no ally to leave.", "AH.XII.D.1-a")
        case Ally(other):
            if other == faction:
                return Refusal("You cannot ally with yourself.", "AH.XII.B-a")
            if not game.plays(other):
                return Refusal(f"{faction_name(other)} is not played in this game.", "AH.XII.B-a")
            if game.state.allied(faction, other):
                return Refusal(f"You are allied with {faction_name(other)} already.", "AH.XII.C.4-b")
    return None


def settle(game: Game, slips: Mapping[Faction, Sequence[Order]]) -> None:
    """Carry out what the slips say together."""
    state = game.state
    order_of_play = game.order_of_play()
    for faction in order_of_play:
        group = state.ally_group(faction)
        if BreakAlliance() in slips[faction] and len(group) > 1:
            left = tuple(member for member in group if member != faction)
            place = state.alliances.index(group)
            state.alliances[place : place + 1] = [left] if len(left) > 1 else []
            game.tell("alliance-broken", faction=faction, allies=list(left))
    wishes = {
        faction: [order.faction for order in slips[faction] if isinstance(order, Ally)] for faction in order_of_play
    }
    while _form_one(game, wishes):
        pass


def _form_one(game: Game, wishes: Mapping[Faction, Sequence[Faction]]) -> bool:
    """Join the first two groups in the order of play that want each other; whether there were any."""
    state = game.state
    for faction in game.order_of_play():
        for wanted in wishes[faction]:
            one, other = state.ally_group(faction), state.ally_group(wanted)
            if one == other or len(one) + len(other) > largest_alliance(game):
                continue
            if _all_want(wishes, one, other) and _all_want(wishes, other, one):
                joined = tuple(member for member in state.players if member in one or member in other)
                kept = [group for group in state.alliances if group not in (one, other)]
                state.alliances = [*kept, joined]
                game.tell("alliance-formed", factions=list(joined))
                return True
    return False


def _all_want(wishes: Mapping[Faction, Sequence[Faction]], group: Sequence[Faction], others: Sequence[Faction]) -> bool:
    return all(any(other in wishes[member] for other in others) for member in group)
