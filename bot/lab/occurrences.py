"""Occurrences in random games: counts of every power and card effect of the rule set, every kind of event, and every
kind of order.

A kind that never occurred is listed with 0, which reveals parts of the rules that the games never reach.

*Powers*: each has a name, the event that shows it in use, and the rule sets that have it. The options of a rule set
determine its powers: a game of advisors and fighters has flips but no coexistence. So the table of a long run lists
exactly what can occur in the games that were played.

*Wishes*: the effects of a Karama that a random game tries to bring about, so that each effect occurs often enough in a
long run. A game has one wish; with an expansion, which adds more effects, it has a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_args

import msgspec

from bot.render import news
from rules.cards.karama import effects_in
from rules.components import FACTION_FACTS, KARAMA, LEADERS, CardKind, Faction, Leader, card_kind
from rules.components.board import MOBILE_STRONGHOLD, TERRITORIES, neighbours, territory_of
from rules.components.cards import CARDS, Card
from rules.components.chance import Chance
from rules.components.factions import TECH_TOKENS, TechToken
from rules.decisions.faction_rules import SPECIAL_KARAMA, TOKEN_PRICE
from rules.engine.log import Submitted
from rules.engine.play import Play
from rules.orders import AnyOrder, KaramaEffect
from rules.rulesets.options import Value
from rules.rulesets.ruleset import RuleSet, cards_in, expansion_of
from rules.state.events import Event

ENOUGH = 30
"""The minimum number of times that each power and effect must occur in ``GAMES`` games."""
GAMES, WITH_EXPANSION = 1000, 2000
"""The number of games in which they must occur that often. It is higher with an expansion, which adds powers."""


class Occurrences:
    def __init__(self, rules: RuleSet) -> None:
        self.enough_in = WITH_EXPANSION if expansion_of(rules) else GAMES
        self.powers: Counter[str] = Counter(dict.fromkeys(power_names(rules), 0))
        self.events: Counter[str] = Counter(dict.fromkeys(news.event_kinds(), 0))
        self.orders: Counter[str] = Counter(dict.fromkeys((order.__name__ for order in get_args(AnyOrder)), 0))

    def add(self, play: Play) -> None:
        rules = play.game.rules
        able = [power for power in POWERS if has_options(rules, power.needs)]
        sides: Sequence[str] = ()
        for event in play.events:
            self.events[event.kind] += 1
            if event.kind == "battle-begins":
                sides = (event.facts["aggressor"], event.facts["defender"])
            self.powers.update(_shown_by(event, able, sides, rules))
        for entry in play.log:
            if isinstance(entry, Submitted):
                self.orders.update(type(order).__name__ for order in entry.orders)

    def merge(self, other: Occurrences) -> None:
        self.powers.update(other.powers)
        self.events.update(other.events)
        self.orders.update(other.orders)

    def too_rare(self, games: int) -> list[str]:
        """Return the kinds that occurred too rarely. The list is empty for fewer than a thousand games, from which
        nothing can be concluded."""
        least = ENOUGH * games / self.enough_in
        return [name for name, times in self.powers.items() if games >= GAMES and times < least]


def _shown_by(event: Event, able: Sequence[Power], sides: Sequence[str], rules: RuleSet) -> Iterator[str]:
    facts = {**event.seen_by("gm"), SIDES: sides}
    yield from (power.name for power in able if power.kind == event.kind and power.happened(facts))
    if event.kind == "karama-played":
        yield f"Karama: {facts['effect']}"
        if facts["card"] != KARAMA:
            yield BY_WORTHLESS_CARD.name
    if event.kind == "plans-revealed":
        for plan in facts["plans"]:
            yield from _in_plan(plan, rules)


def _in_plan(plan: EventFacts, rules: RuleSet) -> Iterator[str]:
    kinds = [card_kind(plan[place]) for place in ("weapon", "defense") if plan[place]]
    yield from (f"Played in battle: {kind}" for kind in kinds if kind in IN_BATTLE)
    if plan["cheap_hero"]:
        yield "Played in battle: cheap-hero"
    yield from (name for name, happened, needs in OF_A_PLAN if has_options(rules, needs) and happened(plan))


EventFacts = Mapping[str, Any]
ShowsPower = Callable[[EventFacts], bool]
Needs = Mapping[str, tuple[Value, ...]]
"""The options that a power depends on, each with the values at which a rule set has the power."""

SIDES = "sides"
"""The key under which the facts of a battle event also list the factions that fight."""


def _always(facts: EventFacts) -> bool:
    return True


def _is_token(token: TechToken, facts: EventFacts) -> bool:
    return bool(facts["token"] == token)


def _is_half_price(facts: EventFacts) -> bool:
    faction, forces = facts["faction"], sum(map(int, facts["forces"].split("+")))
    due = TOKEN_PRICE * (forces - FACTION_FACTS[faction].free_revival)
    return faction != "tleilaxu" and "helper" not in facts and 0 < facts["price"] < due


def _is_far_move_of_cyborgs(facts: EventFacts) -> bool:
    if facts["faction"] != "ixians" or not facts["forces"].startswith("0+"):
        return False
    near = (area for own in TERRITORIES[territory_of(facts["source"])].areas for area in neighbours(own))
    return territory_of(facts["target"]) not in map(territory_of, near)


@dataclass(frozen=True, slots=True)
class Power:
    name: str
    kind: str
    happened: ShowsPower = _always
    needs: Needs = field(default_factory=dict)


HADERACH: Needs = {"kwisatz_haderach": ("on",)}
CAPTURE: Needs = {"leader_capture": ("on",)}
FLIPS: Needs = {"bg_presence_model": ("advisor_fighter",)}
COEXISTENCE: Needs = {"bg_presence_model": ("coexistence",)}
FREE_GUILD: Needs = {"guild_timing": ("free",)}
MARKER: Needs = {"storm_movement": ("fremen_marker_1_6",)}
ELITE: Needs = {"starred_tokens": ("elite",)}
ESCROW: Needs = {"spice_transfer_timing": ("mentat_pause_escrow",)}
OVERBIDS: Needs = {"overbid_found": ("forfeit_and_redraw",)}
SPICE_COUNTS: Needs = {"combat_model": ("spice_supported",)}
LENT_SUPPORT: Needs = {"fremen_support": ("free_and_lendable",)}
WORTHLESS_SERVE: Needs = {"bg_worthless_as_karama": ("yes",)}
HELPED_REVIVAL: Needs = {"emperor_ally_revival": ("plus_three_paid",)}
ALWAYS_CHARITY: Needs = {"bg_charity": ("from_turn_1", "from_turn_2")}

IXIANS: Needs = {"expansion": ("ixians-tleilaxu",)}
TLEILAXU = IXIANS
GHOLAS: Needs = {**TLEILAXU, "tleilaxu_gholas": ("on",)}
TECHNOLOGY: Needs = {**IXIANS, "technology": ("on",)}
CYBORGS_CANCELLED: Needs = {**IXIANS, "combat_model": ("tokens",)}

MENDED: Needs = {"missing_leader": ("lowest_inserted",)}

POWERS: tuple[Power, ...] = (
    Power("Tleilaxu draw face dancers", "face-dancers-drawn", needs=TLEILAXU),
    Power("A face dancer is shown", "face-dancer-revealed", needs=TLEILAXU),
    Power("Tleilaxu tokens take a winner's place", "face-dancer-forces", needs=TLEILAXU),
    Power("All face dancers have been shown", "face-dancers-all-shown", needs=TLEILAXU),
    Power("A face dancer is exchanged", "face-dancer-exchanged", needs=TLEILAXU),
    Power("Tleilaxu raise limits of revival", "revival-limits", lambda facts: bool(facts["raised"]), TLEILAXU),
    Power("The Tleilaxu are paid for a revival", "tokens-revived", lambda facts: "paid_to" in facts, TLEILAXU),
    Power("An ally of the Tleilaxu revives for half the price", "tokens-revived", _is_half_price, TLEILAXU),
    Power("A spice for free revival", "revival-income", lambda facts: facts["why"] != "ghola", TLEILAXU),
    Power("A spice for a Tleilaxu Ghola", "revival-income", lambda facts: facts["why"] == "ghola", TLEILAXU),
    Power("A leader comes back early", "early-revival-agreed", needs=TLEILAXU),
    Power("A price for a leader is declined", "early-revival-declined", needs=TLEILAXU),
    Power("A leader becomes a ghola", "ghola-made", needs=GHOLAS),
    Power("Atreides look at a card for bid", "card-up", lambda facts: "private" in facts),
    Power("Atreides look at the spice card", "spice-card-seen"),
    Power("Prescience answered", "prescience-answered"),
    Power("Prescience for an ally", "prescience-answered", lambda facts: "atreides" not in facts[SIDES]),
    Power("The Kwisatz Haderach awakes", "kwisatz-haderach-ready", needs=HADERACH),
    Power("The Kwisatz Haderach dies", "kwisatz-haderach-killed", needs=HADERACH),
    Power("The Kwisatz Haderach is revived", "kwisatz-haderach-revived", needs=HADERACH),
    Power("The Bene Gesserit foresaw the victory", "game-won", lambda facts: facts["how"] == "prediction"),
    Power("The Voice commands", "voice-given", lambda facts: bool(facts["play"])),
    Power("The Voice forbids", "voice-given", lambda facts: not facts["play"]),
    Power("The Voice for an ally", "voice-given", lambda facts: "bene-gesserit" not in facts[SIDES]),
    Power(
        "The Voice names a card", "voice-given", lambda facts: facts["card"] in CARDS,
        {"voice_vocabulary": ("class_or_exact_card",)},
    ),
    Power("An advisor comes along", "advisor"),
    Power("The Bene Gesserit coexist", "bg-declared", lambda facts: bool(facts["coexists"]), COEXISTENCE),
    Power("The Bene Gesserit fight", "bg-declared", lambda facts: not facts["coexists"], COEXISTENCE),
    Power("Advisors become fighters", "bg-flip", lambda facts: not facts["advisors"], FLIPS),
    Power("Advisors left alone become fighters", "bg-flip", lambda facts: facts["why"] == "alone", FLIPS),
    Power("Fighters become advisors", "bg-flip", lambda facts: bool(facts["advisors"]), FLIPS),
    Power("Charity whatever they hold", "charity", lambda facts: bool(facts["always"]), ALWAYS_CHARITY),
    Power(
        "Charity for one who has spice", "charity", lambda facts: facts["amount"] == 1,
        {"charity_payout": ("top_up_to_two",)},
    ),
    Power("The Emperor is paid for a card", "card-sold", lambda facts: bool(facts["to_emperor"])),
    Power("The Emperor gives to an ally", "spice-given", lambda facts: facts["payer"] == "emperor"),
    Power("The Emperor pays for an ally's revival", "tokens-revived", lambda facts: "helper" in facts, HELPED_REVIVAL),
    Power("A Fremen landing", "shipment", lambda facts: facts["faction"] == "fremen" and not facts["price"]),
    Power("A landing in the storm", "landed-in-storm", needs={"fremen_ship_into_storm": ("half_loss",)}),
    Power("A worm is ridden", "worm-ridden"),
    Power(
        "A further worm is sent", "worm-placed", needs={"extra_worms": ("fremen_any_territory", "fremen_sand_only")}
    ),
    Power("A further worm does nothing", "worm-ignored", needs={"extra_worms": ("ignored",)}),
    Power("A worm eats the Fremen's allies", "allies-fed", needs={"worm_ally_protection": ("fremen_choice",)}),
    Power("Fremen support for an ally", "fremen-support", lambda facts: bool(facts["granted"]), LENT_SUPPORT),
    Power("The Shield Wall becomes a stronghold", "shield-wall-counts", needs={"shield_wall_rule": ("wbc",)}),
    Power(
        "The Guild ships across", "shipment",
        lambda facts: facts["faction"] == "guild" and bool(facts["source"] and facts["target"]),
    ),
    Power("The Guild ships back", "shipment", lambda facts: facts["faction"] == "guild" and facts["target"] is None),
    Power(
        "An ally of the Guild ships across", "shipment",
        lambda facts: facts["faction"] != "guild" and bool(facts["source"] and facts["target"]),
    ),
    Power(
        "An ally of the Guild ships back", "shipment",
        lambda facts: facts["faction"] != "guild" and facts["target"] is None,
        {"guild_ally_shipments": ("all_three",)},
    ),
    Power("The Guild is paid", "shipment", lambda facts: facts["paid_to"] == "guild" and facts["price"] > 0),
    Power("The Guild goes early", "guild-goes-early", needs=FREE_GUILD),
    Power("The Guild waits", "guild-waits", needs=FREE_GUILD),
    Power("Harkonnen draw a free card", "free-card"),
    Power("Harkonnen keep a captive", "leader-captured", needs=CAPTURE),
    Power("Harkonnen kill a captive", "captive-killed", needs=CAPTURE),
    Power("A captive goes home after the battle", "captive-returned", needs=CAPTURE),
    Power("All captives go home", "captives-returned", needs=CAPTURE),
    Power("The Ixians choose their first card", "first-cards-seen", needs=IXIANS),
    Power("The Hidden Mobile Stronghold is placed", "stronghold-placed", needs=IXIANS),
    Power("The Hidden Mobile Stronghold moves", "stronghold-moved", needs=IXIANS),
    Power("The Hidden Mobile Stronghold stays", "stronghold-stays", needs=IXIANS),
    Power("The Hidden Mobile Stronghold takes spice", "stronghold-took-spice", needs=IXIANS),
    Power(
        "Somebody else enters the Hidden Mobile Stronghold", "move",
        lambda facts: facts["target"] == MOBILE_STRONGHOLD and facts["faction"] != "ixians", IXIANS,
    ),
    Power("Cyborgs go two territories", "move", _is_far_move_of_cyborgs, IXIANS),
    Power(
        "A battle in the Hidden Mobile Stronghold", "battle-begins",
        lambda facts: facts["territory"] == MOBILE_STRONGHOLD, IXIANS,
    ),
    Power("The Ixians look at the auction", "auction-looked", needs=IXIANS),
    Power("The Ixians put a card on top", "auction-returned", lambda facts: facts["where"] == "top", IXIANS),
    Power("The Ixians put a card at the bottom", "auction-returned", lambda facts: facts["where"] == "bottom", IXIANS),
    Power("Technology", "technology-used", needs=TECHNOLOGY),
    Power("The ally of the Ixians redraws", "redrawn", needs=IXIANS),
    Power("Suboids for Cyborgs", "exchanged", lambda facts: facts["number"] > 0, IXIANS),
    Power("Treachery", "treachery-called"),
    Power("Treachery for an ally", "treachery-called", lambda facts: facts["caller"] != facts["side"]),
    Power("An alliance", "alliance-formed"),
    Power("An alliance broken", "alliance-broken"),
    Power("Tokens lost beside an ally", "lost-beside-ally", needs={"ally_territory": ("pass_through",)}),
    Power("A public deal", "deal-made", needs={"bribery": ("allowed",)}),
    Power(
        "A deal is paid", "spice-given", lambda facts: facts["why"] == "deal",
        {"spice_transfer_timing": ("immediate", "collection")},
    ),
    Power(
        "A gift in the collection", "spice-given", lambda facts: facts["why"] == "gift" and facts["payer"] != "emperor",
        {"spice_transfer_timing": ("immediate", "collection")},
    ),
    Power("Spice is set aside for the Mentat Pause", "spice-set-aside", needs=ESCROW),
    Power("Spice set aside is taken", "bribes-taken", needs=ESCROW),
    Power("A bid that nothing covers is found out", "overbid-found", needs=OVERBIDS),
    Power("A turn is forfeited", "turn-forfeited", needs=OVERBIDS),
    Power("A leader is revived", "leader-revived", lambda facts: facts["price"] > 0),
    Power("No leader is left to fight", "no-leader"),
    Power("Leaders are waived by consent", "leaders-waived", needs={"leader_waiver_by_consent": ("on",)}),
    Power("Lasgun and shield", "explosion"),
    Power("The storm is dialled", "storm-dialled"),
    Power("The storm marker is drawn", "storm-marker-drawn", needs=MARKER),
    Power("Income of a city", "income", needs={"city_income": ("on",)}),
    Power("Family Atomics", "family-atomics"),
    Power("Thumper", "thumper", needs=IXIANS),
    Power("Harvester", "harvester", needs=IXIANS),
    Power("Amal", "amal", needs=IXIANS),
    Power("The Poison Tooth is withheld", "poison-tooth-withheld", needs=IXIANS),
    Power("A Sandtrout waits", "sandtrout", lambda facts: bool(facts["waits"]), IXIANS),
    Power("A Sandtrout stills a worm", "sandtrout-stilled", needs=IXIANS),
    *(
        Power(f"{facts.name} {does}", kind, partial(_is_token, facts.id), IXIANS)
        for kind, does in (("tech-token-paid", "pay"), ("tech-token-taken", "are taken"))
        for facts in TECH_TOKENS.values()
    ),
    Power("Weather Control", "weather-control"),
    Power("Hajr", "move", lambda facts: bool(facts["hajr"])),
    Power("Ghola for tokens", "ghola-tokens"),
    Power("Ghola for a leader", "ghola-leader"),
    Power("Ghola for the Kwisatz Haderach", "ghola-kwisatz-haderach", needs=HADERACH),
    Power("A card is bought with a Karama", "card-sold", lambda facts: bool(facts["karama"])),
    Power(
        "A shipment at half price for another player", "half-rate-meant",
        needs={"karama_half_rate_for": ("any_player",)},
    ),
    Power("Truthtrance", "truthtrance-answered"),
    Power(
        "A Truthtrance that nobody can answer", "truthtrance-kept",
        needs={"truthtrance_unknown_answer": ("allowed_card_kept",)},
    ),
    Power("An answer about the future cannot be kept", "truthtrance-negated"),
    Power("A question with a not", "truthtrance-answered", lambda facts: "negative" in facts),
    Power("Won by the Fremen at the end", "game-won", lambda facts: facts["how"] == "fremen"),
    Power("Won by the Guild at the end", "game-won", lambda facts: facts["how"] == "guild"),
    Power("Won by strongholds", "game-won", lambda facts: facts["how"] == "strongholds"),
)  # fmt: skip

BY_WORTHLESS_CARD = Power("Karama by a worthless card", "karama-played", needs=WORTHLESS_SERVE)
UNPRINTED = frozenset(leader for leader, facts in LEADERS.items() if facts.strength == 0)
OF_A_PLAN: tuple[tuple[str, ShowsPower, Needs], ...] = (
    ("The Kwisatz Haderach in battle", lambda plan: bool(plan["kwisatz_haderach"]), HADERACH),
    ("A plan is mended", lambda plan: bool(plan["repairs"]), MENDED),
    ("Spice in a plan", lambda plan: plan["spice"] > 0, SPICE_COUNTS),
    ("Weirding Way as a defense", lambda plan: _is_kind(plan["defense"], "weirding-way"), IXIANS),
    ("Chemistry as a weapon", lambda plan: _is_kind(plan["weapon"], "chemistry"), IXIANS),
    ("A Tleilaxu Ghola fights", lambda plan: plan["faction"] == "tleilaxu" and _serves_others(plan["leader"]), GHOLAS),
    ("A leader whose value is the opponent's fights", lambda plan: plan["leader"] in UNPRINTED, TLEILAXU),
)
"""The powers, apart from cards, that a revealed battle plan shows to be in use."""

EFFECT_NEEDS: Mapping[KaramaEffect, Needs] = {
    "cancel kwisatz haderach": HADERACH,
    "cancel sardaukar": ELITE,
    "cancel fedaykin": ELITE,
    "cancel capture": CAPTURE,
    "cancel karama": WORTHLESS_SERVE,
    "cancel fremen support": LENT_SUPPORT,
    "cancel charity": ALWAYS_CHARITY,
    "cancel extra revival": HELPED_REVIVAL,
    "cancel flip": FLIPS,
    "cancel storm card": MARKER,
    "guild in turn": FREE_GUILD,
    "cancel cyborgs": CYBORGS_CANCELLED,
    "cancel technology": TECHNOLOGY,
}
"""The options that must be in force for an effect of a Karama to have anything to cancel."""


def named_effects(names: str) -> frozenset[KaramaEffect]:
    return msgspec.convert(names.split(", "), frozenset[KaramaEffect])


SPECIAL = named_effects("worm, revive, see plan, stop shipment, take cards, hms, stop revival")
"""Effects that belong to a single faction."""

IN_BATTLE = frozenset(card_kind(card) for card in CARDS if CARDS[card].battle_plan)


def _serves_others(leader: Leader | None) -> bool:
    return leader is not None and leader in LEADERS and LEADERS[leader].faction != "tleilaxu"


def _is_kind(card: Card | None, kind: CardKind) -> bool:
    return card is not None and card_kind(card) == kind


def has_options(rules: RuleSet, needs: Needs) -> bool:
    return all(rules.option(name) in values for name, values in needs.items())


def karama_effects(rules: RuleSet) -> list[KaramaEffect]:
    return [
        effect
        for effect in effects_in(rules)
        if has_options(rules, EFFECT_NEEDS.get(effect, {})) and (effect not in SPECIAL or SPECIAL_KARAMA(rules))
    ]


def power_names(rules: RuleSet) -> list[str]:
    found = [power.name for power in (*POWERS, BY_WORTHLESS_CARD) if has_options(rules, power.needs)]
    found += [f"Karama: {effect}" for effect in karama_effects(rules)]
    there = {card_kind(card) for card in cards_in(rules)} & IN_BATTLE
    found += [f"Played in battle: {kind}" for kind in get_args(CardKind) if kind in there]
    found += [name for name, _, needs in OF_A_PLAN if has_options(rules, needs)]
    return found


EASY = named_effects("block spice card, block bidding cards, free card purchase, cancel card payment, guild in turn")

SELDOM_WITH_EIGHT = named_effects("cancel card payment, guild in turn")
"""Effects that occur less often in games where eight factions may be played, because their targets are rarer."""

RAREST = named_effects(
    "cancel flip, cancel advisor, cancel guild shipment, cancel half rate, cancel capture, cancel fedaykin, cancel "
    "sardaukar, cancel karama, cancel free card, cancel worm, cancel exchange, cancel technology, cancel ghola, "
    "cancel early revival, cancel raised limits, cancel dancer swap, cancel token payment, hms"
)
"""Effects for which there are few opportunities. They are wished for twice as often."""

FOR_ALLIES = named_effects("cancel gift, cancel extra revival, cancel ally rate, cancel ally traitor, cancel redraw")
"""Effects that act on what a faction does for an ally. They are wished for only in games with enough players for
alliances, and more often there."""
ENOUGH_FOR_ALLIANCES = 4

AT_ONCE = 2
"""The number of wishes in a game with an expansion."""

_TOUCHED: Mapping[Faction, str] = {
    "bene-gesserit": "cancel voice, cancel karama, cancel advisor, cancel charity, cancel flip",
    "atreides": "cancel prescience, cancel kwisatz haderach, see plan, block spice card, block bidding cards",
    "emperor": "cancel sardaukar, cancel card payment, cancel gift, revive, cancel extra revival",
    "fremen": "cancel fedaykin, cancel worm, cancel fremen support, cancel fremen move, cancel storm card, worm",
    "harkonnen": "cancel free card, cancel capture, cancel ally traitor, take cards",
    "guild": "cancel guild shipment, cancel half rate, cancel shipping payment, cancel ally rate, guild in turn, "
    "stop shipment",
    "ixians": "cancel auction look, cancel cyborg speed, cancel cyborgs, hms, cancel exchange, cancel hms move, "
    "cancel redraw, cancel technology",
    "tleilaxu": "cancel dancer swap, cancel raised limits, cancel half price, cancel revival payment, "
    "cancel early revival, cancel ghola, stop revival",
}
TOUCHED = {effect: faction for faction, names in _TOUCHED.items() for effect in named_effects(names)}
"""For each effect, the faction without which the effect has no target."""


def wishes_for(rules: RuleSet, seed: str, factions: Sequence[Faction]) -> tuple[KaramaEffect, ...]:
    """Return the Karama effects that the players of a game save their Karamas for, limited to effects that they can
    bring about."""
    effects = karama_effects(rules)
    wished: list[KaramaEffect] = []
    many = bool(expansion_of(rules))
    easy = EASY - SELDOM_WITH_EIGHT if many else EASY
    for effect in effects:
        if effect in easy or TOUCHED.get(effect, "") not in ("", *factions):
            continue
        if effect in FOR_ALLIES:
            wished += [effect] * ((8 if many else 4) if len(factions) >= ENOUGH_FOR_ALLIANCES else 0)
        else:
            wished += [effect] * ((4 if many else 2) if effect in RAREST else 1)
    chance, number = Chance(seed, {}), AT_ONCE if many else 1
    return tuple(dict.fromkeys(chance.pick("wish", wished or effects) for _ in range(number)))


def may_hold(effect: KaramaEffect, faction: Faction) -> bool:
    return TOUCHED.get(effect) == faction if effect in SPECIAL else TOUCHED.get(effect) != faction
