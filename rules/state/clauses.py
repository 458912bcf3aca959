"""The clause behind each event: the rule in the books that the engine applied.

``data/topics/events.toml`` names the clause for each kind of event and each book, as is done for refusals. The same
kind of event may have several reasons (tokens may be lost by the loser of a battle, by its winner, or through a
traitor). Then ``Clauses`` finds the possible topics, the most specific first, from the public facts of the event and
from the events just before it. The first clause that applies in the rule set is cited. If none does (as for a card
whose text is in none of the 2019 books), the clause that a refusal would cite is cited instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.components import card_kind
from rules.components.board import SHIELD_WALL
from rules.rulesets.rulebook import CLAUSES, clauses_on
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event

OPENED_BY_ATOMICS = ("arrakeen", "carthag", "imperial-basin")
"""The territories that are exposed to the storm once the Shield Wall is destroyed (AH.AID.TIMED.5-d)."""

_TURNS_OF_A_BATTLE = ("battle-begins", "treachery-called", "explosion", "battle-won")
_STORM_IS_TOLD_BY = {"storm-dialled": "dialled", "storm-marker": "marker", "weather-control": "weather-control"}

KARAMA_TOPICS = {
    "cancel voice": "karama.voice",
    "cancel prescience": "karama.prescience",
    "cancel kwisatz haderach": "karama.kwisatz-haderach",
    "cancel sardaukar": "karama.sardaukar",
    "cancel fedaykin": "karama.fedaykin",
    "cancel advisor": "karama.advisor",
    "cancel worm": "karama.worm",
    "cancel free card": "karama.free-card",
    "cancel capture": "karama.capture",
    "cancel karama": "karama.cancel-karama",
    "cancel fremen support": "karama.support",
    "cancel card payment": "karama.card-payment",
    "cancel gift": "karama.gift",
    "cancel extra revival": "karama.extra-revival",
    "cancel fremen move": "karama.far-move",
    "cancel charity": "karama.charity",
    "cancel guild shipment": "karama.guild-shipment",
    "cancel half rate": "karama.half-rate",
    "cancel shipping payment": "karama.shipping-payment",
    "cancel ally rate": "karama.ally-rate",
    "cancel ally traitor": "karama.ally-traitor",
    "cancel storm card": "karama.storm-marker",
    "cancel flip": "karama.flip",
    "half shipping": "karama.guild-rate",
    "free card purchase": "karama.own-purchase",
    "guild in turn": "karama.guild-in-turn",
    "block spice card": "karama.look-at-the-spice-card",
    "block bidding cards": "karama.look-at-cards",
    "worm": "karama.call-worm",
    "revive": "karama.revive",
    "see plan": "karama.see-plan",
    "stop shipment": "karama.stop-shipment",
    "take cards": "karama.take-cards",
    "cancel dancer swap": "karama.dancer-swap",
    "cancel raised limits": "karama.raised-limits",
    "cancel half price": "karama.half-price",
    "cancel revival payment": "karama.revival-payment",
    "cancel early revival": "karama.early-revival",
    "cancel ghola": "karama.ghola",
    "stop revival": "karama.stop-revival",
    "hms": "karama.mobile-stronghold",
    "cancel auction look": "karama.auction-look",
    "cancel cyborg speed": "karama.cyborg-speed",
    "cancel cyborgs": "karama.cyborgs",
    "cancel exchange": "karama.exchange",
    "cancel hms move": "karama.mobile-stronghold-stays",
    "cancel redraw": "karama.redraw",
    "cancel technology": "karama.technology",
    "cancel token payment": "karama.token-payment",
}
"""The topic of each Karama effect. Both the effect and its refusal use it."""

_STOPPED_BY_KARAMA = {
    "advisor-cancelled": "karama.advisor",
    "charity-cancelled": "karama.charity",
    "dancer-swap-cancelled": "karama.dancer-swap",
    "early-revival-stopped": "karama.early-revival",
    "ghola-cancelled": "karama.ghola",
    "half-price-cancelled": "karama.half-price",
    "raised-limits-cancelled": "karama.raised-limits",
    "revival-payment-cancelled": "karama.revival-payment",
    "revival-stopped": "karama.stop-revival",
    "extra-revival-stopped": "karama.extra-revival",
    "far-move-stopped": "karama.far-move",
    "flip-cancelled": "karama.flip",
    "gift-cancelled": "karama.gift",
    "guild-forced": "karama.guild-in-turn",
}


class Clauses:
    """Finds the clause behind each event of one game. The events must be passed to it in order."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._before: Event | None = None
        self._battle: Event | None = None
        self._storm: Event | None = None

    def of(self, event: Event) -> str | None:
        if event.kind in _TURNS_OF_A_BATTLE:
            self._battle = event
        if event.kind in _STORM_IS_TOLD_BY:
            self._storm = event
        found = _cited(self._topics(event), self._rules)
        self._before = event
        return found

    def _topics(self, event: Event) -> Iterator[str]:
        if topic := self._of_a_karama(event):
            yield topic
        reasons = (*_by_the_battle(event, self._battle), *_by_the_storm(event, self._storm), *_by_itself(event))
        for reason in reasons:
            yield f"event.{event.kind}.{reason}"
        yield f"event.{event.kind}"

    def _of_a_karama(self, event: Event) -> str | None:
        match event.kind:
            case "karama-played":
                return KARAMA_TOPICS.get(event.facts["effect"])
            case "cancelled" | "shipping-power-stopped" | "ixian-power-stopped":
                return KARAMA_TOPICS.get(f"cancel {event.facts.get('what')}")
            case "tokens-revived" | "leader-revived" if self._revived_by_karama():
                return KARAMA_TOPICS["revive"]
        return _STOPPED_BY_KARAMA.get(event.kind)

    def _revived_by_karama(self) -> bool:
        before = self._before
        return before is not None and before.kind == "karama-played" and before.facts["effect"] == "revive"


def clause_of(event: Event, rules: RuleSet) -> str | None:
    """Return the clause behind an event, as far as it can be found without the events before it.

    >>> from rules.engine.catalogue import load_rule_set
    >>> clause_of(Event(0, 1, "bidding", "cards-returned", {}), load_rule_set("gf9-basic"))
    'GF9.BID.12'
    """
    return Clauses(rules).of(event)


def _cited(topics: Iterable[str], rules: RuleSet) -> str | None:
    cited = None
    for topic in topics:
        clauses = clauses_on(topic, rules.books)
        for clause in clauses:
            if rules.standing.includes(CLAUSES[clause]):
                return clause
        cited = clauses[0] if clauses else cited
    return cited


def _by_the_battle(event: Event, battle: Event | None) -> tuple[str, ...]:
    if battle is None or event.phase != "battle":
        return ()
    facts, kind = event.facts, event.kind
    if kind == "leader-killed" and facts["status"] == "face-down":
        return ("twice",)
    if kind not in ("tokens-lost", "leader-killed", "leaders-paid", "cards-discarded"):
        return ()
    if battle.kind == "explosion":
        return ("explosion",)
    if battle.kind == "treachery-called":  # and nobody has won
        return ("two-traitors",)
    if battle.kind != "battle-won":
        return ()
    treachery, won = battle.facts["by"] == "treachery", facts.get("faction") == battle.facts["winner"]
    match kind:
        case "tokens-lost" if won:
            return ("winner-chooses", "winner")
        case "cards-discarded" if won:
            if all(card_kind(card) == "cheap-hero" for card in facts["cards"]):
                return ("cheap-hero",)
            return ("winner-by-treachery",) if treachery else ("winner",)
    return ("betrayed",) if treachery else ()


def _by_the_storm(event: Event, storm: Event | None) -> tuple[str, ...]:
    if event.kind != "storm-moved":
        return ("first-turn",) if event.kind == "storm-dialled" and event.turn == 1 else ()
    if event.turn == 1:
        return ("first-turn",)
    if storm is None or storm.turn != event.turn:
        return ("marker", "dialled")
    return (_STORM_IS_TOLD_BY[storm.kind],)


def _by_itself(event: Event) -> tuple[str, ...]:
    facts = event.facts
    match event.kind:
        case "tokens-placed":
            return (facts["faction"],)
        case "revival-income":
            if facts["why"] != "free revival":
                return ()
            return ("own-free-revival", "free-revival") if facts["by"] == facts["faction"] else ("free-revival",)
        case "storm-marker-drawn":
            return ("by-fremen",) if facts["fremen"] else ()
        case "storm-killed":
            opened = facts["territory"] in OPENED_BY_ATOMICS
            return (*(["fremen"] if facts["faction"] == "fremen" else []), *(["wall-gone"] if opened else []))
        case "spice-blow":
            return ("in-storm",) if facts["in_storm"] else ()
        case "worm-ignored":
            return ("first-turn",) if event.turn == 1 else ()
        case "worm-appeared":
            return ("additional",) if facts["additional"] else ()
        case "worm-control-lost":
            return () if facts["faction"] == "fremen" else ("ally",)
        case "worm-ate" if not facts["sand"]:
            return ("on-the-wall", "not-on-sand") if facts["territory"] == SHIELD_WALL else ("not-on-sand",)
        case "charity":
            return ("always",) if facts["always"] else ()
        case "bid":
            return () if facts["amount"] else ("karama",)
        case "card-sold":
            if facts["karama"]:
                return ("karama",)
            return ("by-emperor",) if facts["buyer"] == "emperor" else ("to-emperor",) if facts["to_emperor"] else ()
        case "ghola-leader":
            return ("sits-out",) if facts["sits_out"] else ()
        case "spice-given":
            if facts["why"] == "deal":
                return ("deal",)
            return ("emperor",) if facts["payer"] == "emperor" and event.phase != "collection" else ()
        case "offer-made":
            return ("emperor",) if facts["what"] == "gift" and facts["giver"] == "emperor" else ()
        case "game-won":
            return _how_won(facts["how"], len(facts["winners"]))
        case "bg-declared":
            return ("coexists",) if facts["coexists"] else ("ended",) if facts["forced"] else ()
        case "bg-flip":
            return ("entered",) if facts["why"] == "announced" and facts["advisors"] else (facts["why"],)
        case "shipment":
            return _how_shipped(event)
        case "advisor":
            return ("polar-sink",) if facts["area"] == "polar-sink" else ()
        case "move":
            return ("hajr",) if facts["hajr"] else ()
        case "tokens-revived":
            return ("helped",) if "helped" in facts else ("bought",) if facts["price"] else ()
        case "treachery-called":
            return ("for-an-ally",) if facts["caller"] != facts["side"] else ()
        case "battle-won":
            if facts["by"] == "treachery":
                return ("treachery",)
            return ("tie",) if len(set(facts["totals"].values())) == 1 else ()
        case "battle-without-winner":
            return (facts["why"].replace(" ", "-"),)
        case "explosion-losses":
            return ("spice",) if facts["spice"] else ()
    return ()


def _how_won(how: str, winners: int) -> tuple[str, ...]:
    if how in ("agreed", "adjudicated", "void"):
        return ("without-the-rules",)
    if how != "strongholds":
        return (how.replace(" ", "-"),)
    if winners == 1:
        return ("strongholds",)
    return ("strongholds-of-two",) if winners == 2 else ("strongholds-of-more", "strongholds-of-two")


def _how_shipped(event: Event) -> tuple[str, ...]:
    facts = event.facts
    guild_form = "back" if facts["target"] is None else "across"
    if facts["faction"] == "guild":
        return () if facts["source"] is None else (guild_form,)
    if facts["faction"] == "fremen":
        own_way = facts["source"] is None and not facts["price"]
        return ("fremen",) if own_way else ("fremen-as-guild", guild_form)
    return () if facts["source"] is None else ("of-an-ally", guild_form)
