"""Policies for everything except shipments, moves and rides: the set-up, the auction, revival, alliances, battles,
cards and offers.

A policy receives the seat and the question, and returns orders, the best first. If there is no policy for a kind of
question, or if the policy finds nothing better, the default applies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rules.components import (
    KARAMA,
    LEADERS,
    WORTHLESS,
    Card,
    Faction,
    Forces,
    Leader,
    card_kind,
    classes,
    is_defense,
    is_weapon,
    leader_strength,
)
from rules.components.board import STRONGHOLDS, Area, TerritoryId, sector_of, sheltered, territory_of
from rules.components.cards import Element
from rules.orders import (
    Bid,
    Capture,
    Charity,
    ChooseBattle,
    ChooseTraitor,
    Coexist,
    FamilyAtomics,
    Fight,
    Ghola,
    GoNow,
    Karama,
    Keep,
    NoPrescience,
    NoRevival,
    NoVoice,
    Order,
    Pass,
    Place,
    Predict,
    Prescience,
    QuestionKind,
    ReturnCards,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    StormDial,
    Support,
    Treachery,
    Truthtrance,
    Voice,
    Wait,
    WeatherControl,
)
from rules.orders.readings import InPay, Reading
from rules.players import fight, marches, worth
from rules.players.marches import Scored, fights_here, ranked
from rules.players.seat import Asked, Seat, parsed
from rules.players.worth import Worth

Policy = Callable[[Seat, Asked], Sequence[Order]]

# --- the set-up ------------------------------------------------------------------------------------------------------

LIKELY_WINNERS: Mapping[Faction, int] = {"emperor": 5, "fremen": 5, "atreides": 4, "harkonnen": 4, "guild": 4}


def prediction(seat: Seat, asked: Asked) -> Sequence[Order]:
    factions, turns = asked.facts["factions"], int(asked.facts["turns"])
    drawn = [faction for faction in factions for _ in range(LIKELY_WINNERS.get(faction, 2))]
    faction = seat.chance.pick("foretold", sorted(drawn))
    turn = min(turns, 3 + seat.chance.draw("foretold turn", max(1, turns // 2)))
    return [Predict(faction, turn)]


def traitor(seat: Seat, asked: Asked) -> Sequence[Order]:
    def worth(leader: Leader) -> float:
        if leader not in LEADERS:
            return 1.0
        owner = LEADERS[leader].faction
        if owner == seat.me:
            return 0.0
        return leader_strength(leader) * {"guild": 0.8, "bene-gesserit": 0.8}.get(owner, 1.0)

    return ranked(seat, [(worth(Leader(one)), ChooseTraitor(Leader(one))) for one in asked.facts["eligible"]])


def fremen_placement(seat: Seat, asked: Asked) -> Sequence[Order]:
    groups = (
        (Forces(3, 0), Area("sietch-tabr/14")),
        (Forces(2, 2), Area("false-wall-south/4")),
        (Forces(2, 1), Area("false-wall-west/16")),
    )
    return [Place(groups)]


def storm_dial(seat: Seat, asked: Asked) -> Sequence[Order]:
    """Dial the number with which the storm is likely to kill the most tokens of others and the fewest of mine. The
    number that the other player dials is unknown, so several are tried."""
    least, most = int(asked.facts["least"]), int(asked.facts["most"])
    scored: Scored = [
        (sum(_harm(seat, number + other) for other in range(least, most + 1, 3)), StormDial(number))
        for number in range(least, most + 1)
    ]
    return ranked(seat, scored)


def _harm(seat: Seat, sectors: int, wall: bool | None = None) -> float:
    """Return the number of other players' tokens that a storm over this many sectors kills, minus one and a half times
    the number of my own and my allies' tokens."""
    swept = {(seat.storm + step - 1) % 18 + 1 for step in range(1, sectors + 1)}
    standing = seat.view["shield_wall"] if wall is None else wall
    total = 0.0
    for area, here in seat.areas.items():
        if sector_of(area) in swept and not sheltered(territory_of(area), standing):
            total += sum((-1.5 if seat.friends(faction) else 1.0) * one.total for faction, one in here.items())
    return total


def _behind_the_wall(seat: Seat) -> float:
    """Return the additional harm that the next storm would do without the Shield Wall. The storm marker gives the
    distance if I know it; otherwise the result is an average."""
    marker = seat.known.get("next_storm") or seat.memory.marker
    lengths = [int(marker)] if marker else range(1, 7)
    return sum(_harm(seat, one, wall=False) - _harm(seat, one) for one in lengths) / len(lengths)


def storm_cards(seat: Seat, asked: Asked) -> Sequence[Order]:
    """Play Weather Control if it kills at least four more tokens of others than the storm would otherwise, or spares as
    many of mine. Play Family Atomics if the storm then kills at least six more."""
    card = Card(asked.facts["card"])
    if card not in seat.hand:
        return []
    if card_kind(card) == "family-atomics":
        return [FamilyAtomics()] if _behind_the_wall(seat) >= 6 else []
    if card_kind(card) != "weather-control":
        return []
    without = _harm(seat, int(asked.facts["sectors"]))
    scored: Scored = [(_harm(seat, number), WeatherControl(number)) for number in range(11)]
    return ranked(seat, [one for one in scored if one[0] >= without + 4])


# --- the auction -----------------------------------------------------------------------------------------------------


def card_worth(seat: Seat, card: Card) -> float:
    hand, kind = seat.hand, card_kind(card)
    if card in WORTHLESS:
        return 2.0 if seat.me == "bene-gesserit" else 0.0
    if is_weapon(card):
        mine = [own for own in hand if is_weapon(own)]
        fresh = all(set(classes(own, "weapon")) != set(classes(card, "weapon")) for own in mine)
        return 6.5 if not mine else 4.5 if fresh else 2.0
    if is_defense(card):
        mine = [own for own in hand if is_defense(own)]
        fresh = all(set(classes(own, "defense")) != set(classes(card, "defense")) for own in mine)
        return 6.5 if not mine else 5.0 if fresh else 2.0
    return _SPECIAL.get(kind, 2.5)


_SPECIAL: Mapping[str, float] = {
    "karama": 5.0,
    "cheap-hero": 4.0,
    "truthtrance": 2.0,
    "ghola": 3.0,
    "hajr": 3.0,
    "weather-control": 2.5,
    "family-atomics": 2.0,
}


def bid(seat: Seat, asked: Asked) -> Sequence[Order]:
    top = asked.facts["top"] or 0
    means = int(asked.facts["means"])
    top_price = min(ceiling(seat), means)
    return [Bid(top + 1), Pass()] if top < top_price else [Pass()]


def ceiling(seat: Seat) -> int:
    card = seat.memory.on_sale
    if card is not None:
        worth = card_worth(seat, card)
    else:
        unseen = seat.unseen
        worth = sum(card_worth(seat, one) for one in unseen) / len(unseen) if unseen else 2.0
    held = len(seat.hand)
    worth -= 0.4 * held
    if seat.me == "harkonnen":
        worth *= 1.5
    limit = 8 if seat.me == "harkonnen" else 4
    if held >= limit - 1 and card is None:
        worth -= 1.0
    keep = seat.weights["keep"] if held else seat.weights["keep"] / 2
    free = seat.spice - keep
    rich = 1 + max(0.0, seat.spice - 10) / 20
    luck = seat.chance.draw("bid", 3) - 1 if card is None else 0
    if seat.turns_left <= 1:
        worth *= 0.7
    return int(min(worth * rich * seat.weights["bid"] + luck, max(free, seat.spice / 3)))


def charity(seat: Seat, asked: Asked) -> Sequence[Order]:
    return [Charity()] if asked.facts["entitled"] else []


def ally_support(seat: Seat, asked: Asked) -> Sequence[Order]:
    if asked.facts["purpose"] != "shipment":
        return []
    spare = int(asked.facts["spice"]) - int(seat.weights["keep"]) - 2
    return [Support(spare)] if spare > 0 and seat.purse(asked.facts["buyer"]) < 6 else []


# --- revival ---------------------------------------------------------------------------------------------------------


def revival(seat: Seat, asked: Asked) -> Sequence[Order]:
    facts = asked.facts
    found: list[Order] = []
    if facts.get("what") == "tokens":
        tanks = parsed(facts["tanks"])
        most, free, price = int(facts["most"]), int(facts["free"]), max(1, int(facts["price"]))
        spare = max(0, seat.spice - int(seat.weights["keep"]) - 2) // price
        wanted = min(most, tanks.total, max(free, free + spare if seat.reserves[seat.me] < 8 else free))
        for number in range(wanted, 0, -1):
            if tanks.elite and number - 1 <= tanks.ordinary:
                found.append(Revive(Forces(number - 1, 1)))
            if number <= tanks.ordinary:
                found.append(Revive(Forces(number)))
        return found
    if len(seat.leaders(seat.me)) < 3 or seat.spice >= 12:
        samples = [order for order in asked.samples() if isinstance(order, ReviveLeader | ReviveKwisatzHaderach)]
        scored: Scored = [
            (9.0 if isinstance(order, ReviveKwisatzHaderach) else float(leader_strength(order.leader)), order)
            for order in samples
        ]
        found = ranked(seat, scored)
    return [*found[:4], NoRevival()]


# --- the status of Bene Gesserit tokens ------------------------------------------------------------------------------


def fight_or_coexist(seat: Seat, asked: Asked) -> Sequence[Order]:
    place = TerritoryId(asked.facts["territory"])
    others = asked.facts["others"]
    if not others:
        return [Fight(place), Coexist(place)]
    if place not in seat.strongholds or any(seat.friends(other) for other in others):
        return [Coexist(place)]
    return [Fight(place), Coexist(place)] if fights_here(seat, place, others) > 2.0 else [Coexist(place)]


def guild_timing(seat: Seat, asked: Asked) -> Sequence[Order]:
    return [Wait()] if seat.yet_to_move else [GoNow()]


# --- battles ---------------------------------------------------------------------------------------------------------


def _stakes(seat: Seat, place: TerritoryId, opponent: Faction) -> tuple[float, float]:
    worth = Worth(seat)
    groups = seat.groups
    here = groups.get(place, {})
    mine = {faction: one for faction, one in here.items() if faction != opponent}
    theirs = {faction: one for faction, one in here.items() if not seat.friends(faction)}
    nobody = {faction: one for faction, one in mine.items() if not seat.friends(faction)}
    reserves = seat.reserves[seat.me]
    after = [worth.of({**groups, place: left}, {}, seat.spice, reserves) for left in (mine, theirs, nobody)]
    lying = sum(amount for area, amount in seat.spice_on_board.items() if territory_of(area) == place)
    return after[0] - after[1] + 0.3 * min(lying, 8), after[2] - after[1]


def battle_plan(seat: Seat, asked: Asked) -> Sequence[Order]:
    mine, theirs = fight.facing(seat, asked.facts)
    place = TerritoryId(asked.facts["territory"])
    won, void = _stakes(seat, place, theirs.faction)
    told, spoken, shown = asked.facts["voice"], seat.memory.voice, seat.memory.shown
    battle = fight.Battle(
        mine,
        theirs,
        won,
        void,
        aggressor=bool(asked.facts["aggressor"]),
        voice=Voice(seat.me, told["card"], told["play"]) if told else None,
        their_voice=_command_to(theirs.faction, spoken),
        shown=shown if shown and shown["target"] == theirs.faction else None,
        told=shown if shown and shown["target"] == seat.me else None,
    )
    chair = partial(_stakes, place=place, opponent=seat.me) if seat.weights["chairs"] else None
    plans = fight.ranked_plans(seat, battle, chair)
    if shown and shown["target"] == seat.me:
        plans = [line for line in plans if fight.keeps_word(line, shown)] or plans
    return [fight.as_plan(line) for line in plans[:40]]


def _command_to(faction: Faction, spoken: Mapping[str, Any] | None) -> Voice | None:
    if spoken is None or spoken["target"] != faction:
        return None
    return Voice(faction, spoken["card"], spoken["play"])


def _battle_ahead(seat: Seat, asked: Asked) -> tuple[fight.Battle, fight.Stakes] | None:
    """Return the battle for which plans will be made next, and a function that returns its stakes for a seat. Return
    None if the seat does not fight in it, or if its temperament does not plan from the opponent's point of view."""
    begun, foe = seat.memory.battle, asked.facts["target"]
    if not seat.weights["chairs"] or begun is None or seat.me not in begun["forces"]:
        return None
    stakes = partial(_stakes, place=TerritoryId(asked.facts["territory"]))
    mine, theirs = (parsed(begun["forces"][one]) for one in (seat.me, foe))
    sides = fight.side_of(seat, seat.me, mine, foe), fight.side_of(seat, foe, theirs, seat.me)
    command = _command_to(foe, seat.memory.voice)
    first = begun["aggressor"] == seat.me
    return fight.Battle(*sides, *stakes(seat, opponent=foe), first, None, command), partial(stakes, opponent=seat.me)


def voice(seat: Seat, asked: Asked) -> Sequence[Order]:
    """Forbid a weapon against which the seat has no defense, or else the defense that would save the opponent's leader
    from the seat's own weapon."""
    target = asked.facts["target"]
    if ahead := _battle_ahead(seat, asked):
        battle, stakes = ahead
        commands = [o for o in asked.samples() if isinstance(o, Voice) and (not o.play or o.kind == "worthless")]
        chairs = [(seat.again(), command) for command in commands]
        return ranked(seat, [(fight.after_voice(c, battle._replace(their_voice=o), stakes), o) for c, o in chairs])
    stops = {one for card in seat.hand for one in classes(card, "defense")}
    known = seat.known_cards(target)
    kinds = {one for card in known for one in classes(card, "weapon")}
    if "poison" in stops and "projectile" not in stops:
        return [Voice(target, "projectile weapon", play=False), NoVoice()]
    if "projectile" in stops and "poison" not in stops:
        return [Voice(target, "poison weapon", play=False), NoVoice()]
    if not stops:
        worse = "projectile weapon" if "projectile" in kinds and "poison" not in kinds else "poison weapon"
        return [Voice(target, worse, play=False), NoVoice()]
    mine = {one for card in seat.hand for one in classes(card, "weapon")}
    saving = "snooper" if "poison" in mine else "shield"
    return [Voice(target, saving, play=False), NoVoice()]


def prescience(seat: Seat, asked: Asked) -> Sequence[Order]:
    if ahead := _battle_ahead(seat, asked):
        theirs = fight.expected(seat, *ahead)
        elements = [order for order in asked.samples() if isinstance(order, Prescience)]
        return ranked(seat, [(fight.after_answer(seat, ahead[0], theirs, o.element), o) for o in elements])
    stops = {one for card in seat.hand for one in classes(card, "defense")}
    armed = {one for card in seat.hand for one in classes(card, "weapon")}
    element: Element = "number"
    if len(stops) >= 2 or (stops and not armed):
        element = "weapon"
    elif len(armed) >= 2:
        element = "defense"
    elif stops:
        element = "weapon"
    return [Prescience(element), NoPrescience()]


def treachery(seat: Seat, asked: Asked) -> Sequence[Order]:
    return [Treachery()] if asked.facts.get("in_pay") else []


def battle_order(seat: Seat, asked: Asked) -> Sequence[Order]:
    scored: Scored = []
    for one in asked.facts["battles"]:
        place = TerritoryId(one["territory"])
        here = seat.groups.get(place, {})
        worth = Worth(seat).against_each_other(here, seat.spice).get(tuple(seat.sides[seat.me]), 0.5)
        scored.append((worth + (0.3 if place in STRONGHOLDS else 0), ChooseBattle(one["opponent"], place)))
    return ranked(seat, scored)


def discards(seat: Seat, asked: Asked) -> Sequence[Order]:
    keep = [Card(card) for card in asked.facts["cards"] if card not in WORTHLESS or seat.me == "bene-gesserit"]
    return [Keep(tuple(keep))]


def capture(seat: Seat, asked: Asked) -> Sequence[Order]:
    leader = asked.facts["leader"]
    return [Capture("keep" if leader in LEADERS and leader_strength(Leader(leader)) >= 3 else "kill")]


def card_return(seat: Seat, asked: Asked) -> Sequence[Order]:
    samples = [order for order in asked.samples() if isinstance(order, ReturnCards)]
    return ranked(seat, [(-sum(card_worth(seat, card) for card in order.cards), order) for order in samples])


# --- Karama ----------------------------------------------------------------------------------------------------------


def may_react(hand: Sequence[Card], faction: Faction) -> bool:
    return _has_karama(hand, faction) or any(card_kind(card) in ("ghola", "truthtrance") for card in hand)


def _has_karama(hand: Sequence[Card], faction: Faction) -> bool:
    return KARAMA in hand or (faction == "bene-gesserit" and not WORTHLESS.isdisjoint(hand))


def reaction(seat: Seat, asked: Asked) -> Sequence[Order]:
    tanks = parsed(seat.view["players"][seat.me]["tanks"])
    found = _karama(seat, asked) if _has_karama(seat.hand, seat.me) else []
    if any(card_kind(card) == "truthtrance" for card in seat.hand):
        found += _truthtrance(seat)
    if tanks.total >= 7 and any(card_kind(card) == "ghola" for card in seat.hand):
        elite = min(1, tanks.elite)
        found.append(Ghola(forces=Forces(min(5 - elite, tanks.ordinary), elite)))
    return found


def _karama(seat: Seat, asked: Asked) -> list[Order]:
    """Play a Karama where it matters: against the Voice or prescience in a large battle, against a shipment that could
    win the game, to halve the price of an expensive shipment of the seat's own, or for the faction's special power."""
    memory, why = seat.memory, asked.facts.get("why")
    found: list[Order] = []
    if why == "voice" and memory.voice and memory.voice["target"] == seat.me and _is_large(seat):
        found.append(Karama("cancel voice"))
    if why == "prescience" and memory.looked_at == seat.me and _is_large(seat):
        found.append(Karama("cancel prescience"))
    if why == "shipment" and memory.last_shipment:
        shipper = memory.last_shipment["faction"]
        if shipper == seat.me and memory.last_shipment["price"] >= 6:
            found.append(Karama("half shipping"))
        elif seat.me == "guild" and not seat.friends(shipper) and Worth(seat).nearness(shipper) > 0.3:
            found.append(Karama("stop shipment"))
    return [*found, *_special_karama(seat)]


def _truthtrance(seat: Seat) -> list[Order]:
    battle = seat.memory.battle
    able = [leader for leader, strength in seat.leaders(seat.me) if strength >= 4]
    if battle is None or not able or not _is_large(seat):
        return []
    opponent = next((one for one in battle["forces"] if not seat.friends(one)), None)
    if opponent is None or seat.traitor_risk(able[0], opponent) < 0.05:
        return []
    question = f"Is {able[0]} your traitor?"
    return [Truthtrance(opponent, question, Reading((InPay((able[0],)),)))]


def _is_large(seat: Seat) -> bool:
    battle = seat.memory.battle
    if battle is None or battle["territory"] not in seat.strongholds:
        return False
    return seat.me in battle["forces"] and parsed(battle["forces"][seat.me]).total >= 4


def _special_karama(seat: Seat) -> list[Order]:
    tanks = parsed(seat.view["players"][seat.me]["tanks"])
    if seat.me == "emperor" and tanks.total >= 3:
        elite = min(3, tanks.elite)
        return [Karama("revive", forces=Forces(3 - elite, elite))]
    if seat.me == "harkonnen":
        useless = sum(1 for card in seat.hand if card_worth(seat, card) < 2.5)
        victims = [(seat.cards_held(other), other) for other in seat.players if not seat.friends(other)]
        most, whom = max(victims, default=(0, ""))
        if most >= 3 and useless >= 2:
            return [Karama("take cards", faction=whom, number=min(most, useless))]
    return []


POLICIES: Mapping[QuestionKind, Policy] = {
    "prediction": prediction,
    "traitor": traitor,
    "fremen-placement": fremen_placement,
    "storm-dial": storm_dial,
    "storm-cards": storm_cards,
    "worm-placement": marches.worm_placement,
    "worm-ride": marches.worm_ride,
    "nexus": worth.nexus,
    "charity": charity,
    "bid": bid,
    "ally-support": ally_support,
    "revival": revival,
    "bg-status": fight_or_coexist,
    "intrusion": fight_or_coexist,
    "shipment": marches.shipment,
    "advisor": marches.advisor,
    "guild-timing": guild_timing,
    "movement": marches.movement,
    "battle-order": battle_order,
    "voice": voice,
    "prescience": prescience,
    "prescience-answer": battle_plan,
    "battle-plan": battle_plan,
    "traitor-call": treachery,
    "discards": discards,
    "capture": capture,
    "card-return": card_return,
    "offer": worth.offer,
    "karama-window": reaction,
}
