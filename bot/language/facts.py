"""The table of facts that a condition can ask for: how each is written, and how it is computed from a seat's knowledge.

In a pattern, words stand for themselves, and `{blank}` is one of `PARTS`: a name as in orders, with "I" for the writer.
`{test}` is a comparison with a number. The fields of a form:

- `pattern`: the canonical way to write the fact. `also` lists other ways, and `denied` the ways to write its negation.
- `value`: returns whether the fact is true, or the number to compare, as far as the seat knows. None means that the
  thing in question does not exist now, or that the seat cannot see it.
- `why_not`: returns the reason for refusing a fact that this player can never know.
- `clash`: returns whether two facts of this form cannot be true together.
- `least` and `most`: the bounds of the number.
- `listed`: false for a form that exists only so that it can be refused with a good reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from bot.language.knowledge import Knowledge
from bot.language.lines import Context, Misread, Node, Reading, read_name, tokens_of
from bot.language.names import (
    CARD_NAMES,
    ELEMENT_NAMES,
    FACTION_NAMES,
    KIND_NAMES,
    LEADER_NAMES,
    PHASE_NAMES,
    TERRITORY_NAMES,
    Names,
)
from bot.language.slots import leader_named
from bot.wording import say
from rules.components import CARDS, WORTHLESS, Card, Faction, Leader, is_defense, is_weapon, leaders_of, traitor_owner
from rules.components.board import SECTORS, SHIELD_WALL, STORM_MARKERS, STRONGHOLDS
from rules.orders import QuestionKind
from rules.state.events import card_played

Operator = Literal["=", "<", ">", "<=", ">=", "between"]

CardSort = Literal["weapon", "projectile weapon", "poison weapon", "defense", "worthless card"]

SORTS: Mapping[CardSort, frozenset[Card]] = {
    "weapon": frozenset(filter(is_weapon, CARDS)),
    "projectile weapon": frozenset(card for card, facts in CARDS.items() if facts.kind == "projectile-weapon"),
    "poison weapon": frozenset(card for card, facts in CARDS.items() if facts.kind == "poison-weapon"),
    "defense": frozenset(filter(is_defense, CARDS)),
    "worthless card": WORTHLESS,
}

_ARTICLES = ("a ", "an ", "the ", "another ")

HOLDING_NAMES: Names[str] = Names(
    "card",
    [
        *((str(name), CARD_NAMES.name(name), facts.aliases, ()) for name, facts in CARDS.items()),
        *(
            (sort, sort, {"worthless card": ("worthless",), "defense": ("defence",)}.get(sort, ()), ())
            for sort in SORTS
        ),
    ],
)

Why = Literal[
    "voice", "prescience", "battle", "capture", "shipment", "advisor", "guild-early", "guild-waits", "free-card",
    "fremen-worm", "worm", "worthless-karama", "flip", "card-payment", "gift", "extra-revival", "fremen-move",
    "charity", "ally-traitor", "storm-card", "auction-look", "technology", "redraw", "hms-move", "exchange",
    "thumper", "harvester", "amal",
    "early-revival", "ghola", "dancer-swap", "token-payment",
]  # fmt: skip

_OTHER_WORDS: Mapping[Why, tuple[str, ...]] = {
    "guild-early": ("guild goes early",),
    "guild-waits": ("guild goes late",),
    "worthless-karama": ("worthless", "karama"),
    "battle": ("before the battle", "last moment"),
}
WHY_NAMES: Names[Why] = Names("window", [(why, why, _OTHER_WORDS.get(why, ()), ()) for why in get_args(Why)])

_OTHER_QUESTIONS: Mapping[QuestionKind, tuple[str, ...]] = {
    "bid": ("bidding",),
    "battle-plan": ("plan",),
    "traitor-call": ("treachery",),
    "guild-timing": ("timing",),
    "karama-window": ("window",),
    "ally-support": ("support",),
    "transfer": ("spice transfer",),
    "revival": ("reviving",),
    "capture": ("captive",),
    "offer": ("deal",),
}
_USUAL_WORDS: Mapping[QuestionKind, str] = {"karama-window": "reaction"}
QUESTION_NAMES: Names[QuestionKind] = Names(
    "question",
    [
        (kind, _USUAL_WORDS.get(kind, kind.replace("-", " ")), (kind, *_OTHER_QUESTIONS.get(kind, ())), ())
        for kind in get_args(QuestionKind)
    ],
)

_ME = frozenset({"i", "me", "my", "myself"})


def cards_meant(name: str) -> frozenset[Card]:
    return SORTS[cast(CardSort, name)] if name in SORTS else frozenset({Card(name)})


@dataclass(frozen=True, slots=True)
class Measure:
    """A comparison with a number, or with two numbers for "between": `Measure("between", 2, 4).passes(4)`."""

    operator: Operator
    number: int
    upto: int = 0

    @property
    def bounds(self) -> tuple[int, int | None]:
        match self.operator:
            case "=":
                return self.number, self.number
            case "<":
                return 0, self.number - 1
            case "<=":
                return 0, self.number
            case ">":
                return self.number + 1, None
            case ">=":
                return self.number, None
            case "between":
                return self.number, self.upto

    def passes(self, value: int) -> bool:
        least, most = self.bounds
        return least <= value and (most is None or value <= most)

    def __str__(self) -> str:
        if self.operator == "between":
            return f"between {self.number} and {self.upto}"
        return f"{self.operator} {self.number}"


@dataclass(frozen=True, slots=True)
class Part:
    placeholder: str
    read: Callable[[Reading, Node], Any]
    write: Callable[[Any], str]


def _read_faction(reading: Reading, node: Node) -> Faction:
    words = reading.words(node)
    context = reading.context
    if words.text.casefold() in _ME:
        return context.faction
    faction = read_name(FACTION_NAMES, words, [context.factions - {context.faction}])
    if faction not in context.factions:
        there = tuple(FACTION_NAMES.name(other) for other in FACTION_NAMES.values if other in context.factions)
        raise Misread(say("unread.not-in-play", name=FACTION_NAMES.name(faction)), words.span, there)
    return faction


def _read_leader(reading: Reading, node: Node) -> Leader:
    context = reading.context
    return leader_named(context, reading.words(node), [leaders_of(context.faction)])


def _read_holding(reading: Reading, node: Node) -> str:
    words = reading.words(node)
    for article in _ARTICLES:
        if words.text.casefold().startswith(article):
            start, end = words.span
            words = type(words)(words.text[len(article) :], (start + len(article), end))
            break
    return read_name(HOLDING_NAMES, words, [frozenset(map(str, reading.context.hand)), frozenset(SORTS)])


def _read_test(reading: Reading, node: Node) -> Measure:
    numbers = map(int, tokens_of(node))
    operator = cast(Operator, {"eq": "=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}.get(str(node.data), "between"))
    return Measure(operator, *sorted(numbers))


def _name(placeholder: str, names: Names[Any], likely: Callable[[Context], Any] = lambda _: ()) -> Part:
    return Part(
        placeholder, lambda reading, node: read_name(names, reading.words(node), likely(reading.context)), names.name
    )


PARTS: Mapping[str, Part] = {
    "faction": Part("FACTION", _read_faction, FACTION_NAMES.name),
    "other": Part("FACTION", _read_faction, FACTION_NAMES.name),
    "territory": _name("TERRITORY", TERRITORY_NAMES),
    "leader": Part("LEADER", _read_leader, LEADER_NAMES.name),
    "phase": _name("PHASE", PHASE_NAMES),
    "card": _name("CARD", CARD_NAMES, lambda context: [frozenset(context.hand)]),
    "holding": Part("CARD", _read_holding, HOLDING_NAMES.name),
    "kind": _name("KIND", KIND_NAMES),
    "element": _name("leader|weapon|defense|number", ELEMENT_NAMES),
    "asking": _name("QUESTION", QUESTION_NAMES),
    "why": _name("REACTION", WHY_NAMES),
    "test": Part("N", _read_test, str),
}


LAST_TURN = 15
"""The greatest number of turns in any rule set."""

Args = tuple[Any, ...]
Value = int | None


@dataclass(frozen=True, slots=True)
class FactForm:
    pattern: str
    value: Callable[..., Value]
    also: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    why_not: Callable[..., str] | None = None
    clash: Callable[[Args, Args], bool] | None = None
    most: int | None = None
    least: int = 0
    listed: bool = True

    @property
    def blanks(self) -> tuple[str, ...]:
        return tuple(word[1:-1] for word in self.pattern.split() if word[0] == "{" and word != "{test}")

    def with_placeholders(self) -> str:
        # "tokens of FACTION in TERRITORY N"
        return " ".join(
            PARTS[word[1:-1]].placeholder if word[0] == "{" else word.replace("_", " ") for word in self.pattern.split()
        )


def _differ(one: Args, other: Args) -> bool:
    return one != other


def _no_common_card(one: Args, other: Args) -> bool:
    return not cards_meant(one[-1]) & cards_meant(other[-1])


def _own(sentence: str, own: str = "") -> Callable[..., str]:
    def why_not(context: Context, faction: Any, *_: Any) -> str:
        return "" if faction == context.faction else say(sentence, name=FACTION_NAMES.name(faction))

    return why_not


def _nobody(sentence: str) -> Callable[..., str]:
    return lambda context, faction, *_: say(sentence, name=FACTION_NAMES.name(faction))


def _only(sentence: str, faction: str) -> Callable[..., str]:
    return lambda context, *_: "" if context.faction == faction else say(sentence)


def _traitor_of_mine(context: Context, leader: Any) -> str:
    if traitor_owner(leader) == context.faction:
        return say("unread.own-traitor", name=LEADER_NAMES.name(leader))
    return ""


def _wall(context: Context, territory: Any) -> str:
    return "" if territory == SHIELD_WALL else say("unread.only-the-wall")


# --- the auction -----------------------------------------------------------------------------------------------------


def _card_is(k: Knowledge, name: str) -> Value:
    return None if k.auction is None or k.auction.card is None else k.auction.card in cards_meant(name)


def _bought(k: Knowledge, faction: Any) -> int:
    return sum(1 for facts in k.told("card-sold") if facts["buyer"] == faction)


def _bought_card(k: Knowledge, faction: Any, name: str) -> bool:
    return any(facts["buyer"] == faction and facts.get("card") in cards_meant(name) for facts in k.told("card-sold"))


# --- battles ---------------------------------------------------------------------------------------------------------


def _fights(k: Knowledge, one: Any, other: Any) -> bool:
    return k.battle is not None and one != other and {one, other} == set(k.battle.sides)


def _voiced(k: Knowledge, kind: Any, play: bool) -> bool:
    command = k.battle.commands(k.faction) if k.battle else None
    return command is not None and (command.kind, command.play) == (kind, play)


def _asked(k: Knowledge, element: Any) -> bool:
    return k.battle is not None and k.battle.asks(k.faction) == element


def _cancelled(k: Knowledge, what: str) -> bool:
    return k.battle is not None and what in k.battle.cancelled


def _won(k: Knowledge, who: str, faction: Any, territory: Any = None) -> int:
    return sum(1 for facts in k.told("battle-won") if facts[who] == faction and territory in (None, facts["territory"]))


# --- the current decision --------------------------------------------------------------------------------------------


def _offered(k: Knowledge) -> Value:
    if k.asked_for != "offer":
        return None
    return int(k.about["amount" if k.about["what"] == "gift" else "they_pay"])


def _to_pay(k: Knowledge) -> Value:
    return int(k.about.get("you_pay", 0)) if k.asked_for == "offer" else None


# --- windows, worms and cards played ---------------------------------------------------------------------------------

_BY: Mapping[str, str] = {
    "voice": "bene-gesserit", "advisor": "bene-gesserit", "prescience": "atreides", "free-card": "harkonnen",
    "capture": "harkonnen", "guild-early": "guild", "guild-waits": "guild", "worm": "fremen", "fremen-worm": "fremen",
    "flip": "bene-gesserit", "storm-card": "fremen",
}  # fmt: skip
"""The faction whose act opens a window of each kind, if the window's question has no `by`."""


def _window(k: Knowledge, why: str) -> bool:
    """Return True if the open window is for reacting to `why`. While the Voice or prescience is in force, every window
    before the battle plans also counts as a window for it, because a Karama can still cancel it then."""
    if k.battle and why in ("voice", "prescience") and k.window in ("voice", "prescience", "battle"):
        return (k.battle.voice if why == "voice" else k.battle.asked) is not None and why not in k.battle.cancelled
    return k.window == why


def _window_by(k: Knowledge, why: str, faction: Any) -> bool:
    return _window(k, why) and faction in (k.about.get("shipper"), k.about.get("by"), _BY.get(why))


def _window_against(k: Knowledge, why: str, faction: Any) -> bool:
    if not _window(k, why):
        return False
    if why == "voice":
        return k.battle is not None and k.battle.commands(faction) is not None
    if why == "prescience":
        return k.battle is not None and k.battle.asks(faction) is not None
    return bool(k.about.get("loser") == faction)


def _worm_appeared(k: Knowledge, territory: Any = None) -> bool:
    worms = k.told("worm-appeared", "worm-placed", "worm-called")
    return any(territory in (None, facts.get("territory")) for facts in worms)


def _played(k: Knowledge, faction: Any, card: Any) -> bool:
    for told in k.happened:
        if told.kind == "plans-revealed":
            plans = [plan for plan in told.facts["plans"] if plan["faction"] == faction]
            if any(card in (plan["weapon"], plan["defense"], plan["leader"]) for plan in plans):
                return True
        elif card_played(told.kind, told.facts, faction) == card:
            return True
    return False


def _answered(k: Knowledge, faction: Any, word: str) -> bool:
    answers = k.told("truthtrance-answered")
    return any(facts["target"] == faction and facts["answer"] == word for facts in answers)


def _any(k: Knowledge, faction: Any, *kinds: str, who: str = "faction") -> bool:
    return any(facts.get(who) == faction for facts in k.told(*kinds))


# --- the table -------------------------------------------------------------------------------------------------------

FACTS: tuple[FactForm, ...] = (
    # time
    FactForm("turn {test}", lambda k: k.turn, ("in turn {test}",), most=LAST_TURN, least=1),
    FactForm("phase {phase}", lambda k, phase: k.phase == phase,
             ("phase is {phase}", "in phase {phase}", "during {phase}"), clash=_differ),
    # the auction
    FactForm("card {test}", lambda k: k.auction and k.auction.number, ("card number {test}",), least=1),
    FactForm("cards_left {test}", lambda k: k.auction and k.auction.left, least=1),
    FactForm("price {test}", lambda k: k.auction and k.auction.price, ("top bid {test}", "the_bid {test}")),
    FactForm("top bidder {faction}", lambda k, faction: k.auction is not None and k.auction.top_bidder == faction,
             ("top bidder is {faction}", "{faction} is top bidder"), ("{faction} is not top bidder",), clash=_differ),
    FactForm("nobody has bid", lambda k: k.auction and not k.auction.bids, ("no bid",)),
    FactForm("{faction} has bid", lambda k, f: k.auction and any(by == f for by, _ in k.auction.bids),
             ("{faction} bid",), ("{faction} has not bid",)),
    FactForm("{faction} has passed", lambda k, f: k.auction and f in k.auction.passed,
             ("{faction} passed",), ("{faction} has not passed",)),
    FactForm("{faction} has bought a_card", lambda k, f: _bought(k, f) > 0, ("{faction} bought a_card",),
             ("{faction} has not bought a_card", "{faction} has bought no_card", "{faction} bought no_card")),
    FactForm("{faction} has bought {test} cards", _bought, ("{faction} bought {test} cards",)),
    FactForm("{faction} has bought {holding}", _bought_card, ("{faction} bought {holding}",),
             ("{faction} has not bought {holding}",), _own("unread.secret-bought")),
    FactForm("card is {holding}", _card_is, (), ("card is not {holding}",), _only("unread.secret-card", "atreides"),
             _no_common_card),
    # the player's own things
    FactForm("spice {test}", lambda k: k.spice, ("my spice {test}",)),
    FactForm("spice of {faction} {test}", lambda k, f: k.spice, ("{faction} has {test} spice",), (),
             _own("unread.secret-spice")),
    FactForm("hand {test}", lambda k: len(k.hand), ("my hand {test}", "hand count {test}")),
    FactForm("{faction} has {test} cards", lambda k, f: k.hand_count(f), ("hand of {faction} {test}",)),
    FactForm("{faction} holds {holding}", lambda k, f, card: any(own in cards_meant(card) for own in k.hand),
             ("{faction} hold {holding}", "{faction} has a {holding}", "{faction} has an {holding}",
              "{faction} has the {holding}"),
             ("{faction} does not hold {holding}", "{faction} do not hold {holding}", "{faction} don't hold {holding}"),
             _own("unread.secret-hand")),
    FactForm("hold {holding}", lambda k, card: any(own in cards_meant(card) for own in k.hand), ("holding {holding}",)),
    FactForm("reserves {test}", lambda k: k.reserves, ("my reserves {test}",)),
    FactForm("reserves of {faction} {test}", lambda k, f: k.reserves, ("{faction} has {test} reserves",), (),
             _own("unread.secret-reserves")),
    FactForm("{leader} is my traitor", lambda k, leader: leader in k.secrets.get("traitors", ()), (),
             ("{leader} is not my traitor",), _traitor_of_mine),
    FactForm("{leader} is traitor of {faction}", lambda k, leader, f: leader in k.secrets.get("traitors", ()), (), (),
             lambda context, leader, f: _own("unread.secret-traitor")(context, f), listed=False),
    FactForm("{faction} has predicted {other}", lambda k, f, other: None, ("{faction} predicted {other}",), (),
             _nobody("unread.secret-prediction"), listed=False),
    # the players
    FactForm("tanks {test}", lambda k: k.tanks(k.faction), ("my tanks {test}",)),
    FactForm("tanks of {faction} {test}", lambda k, f: k.tanks(f), ("{faction} has {test} tokens_in_the_tanks",)),
    FactForm("{leader} wins", lambda k, leader: k.winning_leader == leader if k.winning_leader else None,
             ("{leader} has won", "{leader}")),
    FactForm("{leader} is dead", lambda k, leader: k.leader_is_dead(leader), (),
             ("{leader} is alive", "{leader} is not dead")),
    FactForm("{faction} is allied", lambda k, f: bool(k.allies(f)), ("{faction} has an_ally",),
             ("{faction} is not allied", "{faction} has no_ally")),
    FactForm("{faction} is allied with {other}", lambda k, f, other: other in k.allies(f), (),
             ("{faction} is not allied with {other}",)),
    FactForm("allied with {faction}", lambda k, f: f in k.allies(k.faction), ("{faction} is my ally",),
             ("{faction} is not my ally",)),
    FactForm("{faction} has broken an_alliance", lambda k, f: _any(k, f, "alliance-broken"),
             ("{faction} broke an_alliance",), ("{faction} has not broken an_alliance",)),
    FactForm("{faction} has taken charity", lambda k, f: _any(k, f, "charity"), ("{faction} took charity",),
             ("{faction} has not taken charity",)),
    FactForm("{faction} has ornithopters", lambda k, f: f in k.view["ornithopters"], (),
             ("{faction} has no ornithopters",)),
    FactForm("{faction} has {test} strongholds", lambda k, f: k.strongholds(f), (), most=len(STRONGHOLDS)),
    FactForm("{faction} has played {card}", _played, ("{faction} played {card}",),
             ("{faction} has not played {card}",)),
    FactForm("{card} is discarded", lambda k, card: k.in_discard(card), ("{card} is in discard",),
             ("{card} is not discarded", "{card} is not in discard")),
    # the board
    FactForm("tokens in {territory} {test}", lambda k, t: k.tokens(k.faction, t), ("my tokens in {territory} {test}",)),
    FactForm("tokens of {faction} in {territory} {test}", lambda k, f, t: k.tokens(f, t),
             ("{faction} has {test} tokens in {territory}", "{faction} has {test} in {territory}")),
    FactForm("{faction} is in {territory}", lambda k, f, t: k.tokens(f, t) > 0, (),
             ("{faction} is not in {territory}",)),
    FactForm("{territory} is empty", lambda k, t: k.is_empty(t), (),
             ("{territory} is occupied", "{territory} is not empty")),
    FactForm("spice in {territory} {test}", lambda k, t: k.spice_in(t)),
    FactForm("storm {test}", lambda k: k.view["storm"],
             ("storm sector {test}", "storm is in {test}"), most=SECTORS, least=1),
    FactForm("next storm {test}", lambda k: k.secrets.get("next_storm"), (), (), _only("unread.secret-storm", "fremen"),
             most=max(STORM_MARKERS), least=min(STORM_MARKERS)),
    FactForm("{territory} is destroyed", lambda k, t: not k.view["shield_wall"], (), ("{territory} is intact",), _wall),
    FactForm("worms {test}", lambda k: k.view["worms_seen"], ("worms seen {test}",)),
    FactForm("nexus", lambda k: bool(k.told("nexus"))),
    FactForm("worm appeared", _worm_appeared, ("worm has appeared",)),
    FactForm("worm appeared in {territory}", _worm_appeared, ("worm has appeared in {territory}",)),
    # shipment and movement
    FactForm("{faction} has shipped", lambda k, f: k.shipped(f) > 0, ("{faction} shipped",),
             ("{faction} has not shipped",)),
    FactForm("{faction} has shipped to {territory}", lambda k, f, t: k.shipped(f, t) > 0,
             ("{faction} shipped to {territory}",), ("{faction} has not shipped to {territory}",)),
    FactForm("{faction} has shipped {test} tokens", lambda k, f: k.shipped(f), ("{faction} shipped {test} tokens",)),
    FactForm("{faction} has shipped {test} to {territory}", lambda k, f, t: k.shipped(f, t),
             ("{faction} shipped {test} to {territory}", "{faction} has shipped {test} tokens to {territory}",
              "{faction} shipped {test} tokens to {territory}")),
    FactForm("{faction} has moved", lambda k, f: k.moved(f) > 0, ("{faction} moved",), ("{faction} has not moved",)),
    FactForm("{faction} has moved to {territory}", lambda k, f, t: k.moved(f, t) > 0,
             ("{faction} moved to {territory}",),
             ("{faction} has not moved to {territory}",)),
    FactForm("after {faction}", lambda k, f: k.is_past_slot(f), (), ("before {faction}",)),
    FactForm("after shipment of {faction}", lambda k, f: k.is_past_shipment(f), (), ("before shipment of {faction}",)),
    # battle
    FactForm("fighting {faction}", lambda k, f: _fights(k, k.faction, f), ("i_fight {faction}",), clash=_differ),
    FactForm("{faction} is fighting", lambda k, f: k.battle is not None and f in k.battle.sides, ("{faction} fights",),
             ("{faction} is not fighting",)),
    FactForm("{faction} is fighting {other}", _fights, ("{faction} fights {other}",),
             ("{faction} is not fighting {other}",)),
    FactForm("battle in {territory}", lambda k, t: k.battle is not None and k.battle.territory == t,
             ("fighting in {territory}",), clash=_differ),
    FactForm("attacking", lambda k: k.battle is not None and k.battle.aggressor == k.faction, ("i_attack",)),
    FactForm("defending", lambda k: k.battle is not None and k.battle.defender == k.faction, ("i_defend",)),
    FactForm("{faction} is attacking", lambda k, f: k.battle is not None and k.battle.aggressor == f,
             ("{faction} attacks",), ("{faction} is not attacking",), clash=_differ),
    FactForm("{faction} is defending", lambda k, f: k.battle is not None and k.battle.defender == f,
             ("{faction} defends",), ("{faction} is not defending",), clash=_differ),
    FactForm("voiced", lambda k: k.battle is not None and k.battle.commands(k.faction) is not None),
    FactForm("voiced {kind}", lambda k, kind: _voiced(k, kind, play=True), ("voiced to play {kind}",), clash=_differ),
    FactForm("voiced not {kind}", lambda k, kind: _voiced(k, kind, play=False), ("voiced not to play {kind}",),
             clash=_differ),
    FactForm("{faction} is voiced", lambda k, f: k.battle is not None and k.battle.commands(f) is not None, (),
             ("{faction} is not voiced",)),
    FactForm("asked", lambda k: k.battle is not None and k.battle.asks(k.faction) is not None),
    FactForm("asked {element}", _asked, ("asked for {element}",), clash=_differ),
    *(FactForm(f"{what} cancelled", lambda k, what=what: _cancelled(k, what.replace("_", " ")),
             (f"{what} is cancelled",),
               (f"{what} is not cancelled",)) for what in ("voice", "prescience", "kwisatz_haderach")),
    FactForm("plan of {faction} is known", lambda k, f: k.battle is not None and f in k.battle.seen, (),
             ("plan of {faction} is not known",)),
    FactForm("{faction} plays {holding}", lambda k, f, card: None, (), (), _nobody("unread.secret-plan"), listed=False),
    FactForm("{faction} has won {test} battles", lambda k, f: _won(k, "winner", f), ("{faction} won {test} battles",)),
    FactForm("{faction} has won in {territory}", lambda k, f, t: _won(k, "winner", f, t) > 0,
             ("{faction} won in {territory}",)),
    FactForm("{faction} has lost in {territory}", lambda k, f, t: _won(k, "loser", f, t) > 0,
             ("{faction} lost in {territory}",)),
    # the current decision
    FactForm("question {asking}", lambda k, kind: k.asked_for == kind,
             ("question is {asking}",), ("question is not {asking}",), clash=_differ),
    FactForm("question in {territory}", lambda k, t: k.asked_for is not None and k.about.get("territory") == t,
             ("question about {territory}",), clash=_differ),
    FactForm("question number {test}", lambda k: k.question_number, ("question {test}",), least=1),
    FactForm("waiting for {faction}", lambda k, f: any(f == asked for asked, _ in k.waited_for),
             ("{faction} is to decide",), ("{faction} is not to decide",)),
    FactForm("waiting for {asking} of {faction}", lambda k, kind, f: (f, kind) in k.waited_for),
    FactForm("offer from {faction}", lambda k, f: k.asked_for == "offer" and k.about["from"] == f,
             ("offer is from {faction}", "offer by {faction}"), ("offer is not from {faction}",), clash=_differ),
    FactForm("offer gives {test} spice", _offered, ("offer of {test} spice",)),
    FactForm("offer costs {test} spice", _to_pay, ("offer wants {test} spice",)),
    # reactions and promises
    FactForm("window {why}", _window, ("reacting to {why}",)),
    FactForm("window {why} by {faction}", _window_by, ("reacting to {why} by {faction}",)),
    FactForm("window {why} against {faction}", _window_against,
             ("reacting to {why} against {faction}",)),
    FactForm("{faction} was asked", lambda k, f: _any(k, f, "truthtrance-asked", who="target"),
             ("{faction} was asked under truthtrance",), ("{faction} was not asked",)),
    *(FactForm(f"{{faction}} answered {word}", lambda k, f, word=word: _answered(k, f, word),
               (f"{{faction}} has answered {word}",)) for word in ("yes", "no", "unknown")),
)  # fmt: skip
"""All forms of facts. A fact refers to its form by its index in this table."""


def number_of(pattern: str) -> int:
    return next(number for number, form in enumerate(FACTS) if form.pattern == pattern)


FIGHTING, BATTLE_IN = number_of("fighting {faction}"), number_of("battle in {territory}")
