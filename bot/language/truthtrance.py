"""Parse Truthtrance questions in English into typed readings (`rules.orders.readings`).

All Truthtrance questions are read here: those in players' mails, in sheets, in rulings, and in logs from before
readings were stored (`with_reading`). This module knows the words, who asks whom, and public names; it does not see the
position. Questions that it does not understand are left to the players. If it later learns a new form of question, that
form is checked only from then on, and earlier games do not change.

A question is about facts (`truthtrance_facts`), about the future, or about neither. Questions about the future are
"will you" and an act: *play CARD or a kind of card*, *use LEADER*, *dial*, *call treachery*, *bid*, *ship*, *move*,
*enter*, *attack*, *send an advisor*, *ally*, *break your alliance*, *ride the worm*, *revive*, *take charity*, *use the
Voice*, *use prescience*, *give spice*. Words may follow that say when and where the act counts: *in Carthag*, *against
me*, *this turn*. "Will you not" swaps the meanings of yes and no. For any other question, the module determines only
what the question is about, so that the player who was asked can be reminded of the answer.

A condition with "if" may come before or after the act (WBC.AID.7). It is an act of a player ("I ship to Carthag", "the
Emperor allies with you"), an event ("there is a nexus", "you win this card") or a state ("we are allied", "I am in
Arrakeen", "you hold a Shield"). Every promise about a battle implies "if that battle takes place", and every promise
implies "if you can".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import TypeVar

from msgspec.structs import replace

from bot.language import truthtrance_facts
from bot.language.names import LEADER_NAMES, words_of
from bot.language.truthtrance_facts import QuestionInWork, read_facts, read_occasion
from rules.components import CARDS, FACTION_FACTS, LEADERS, Faction, Leader
from rules.components.board import TERRITORIES
from rules.components.cards import CHEAP_HERO, Element
from rules.orders import Order, Truthtrance
from rules.orders.readings import (
    IN_BATTLE,
    KWISATZ_HADERACH,
    LONGEST_QUESTION,
    Act,
    Allied,
    AllyWith,
    Amount,
    AnyAct,
    Attack,
    BidFor,
    Buys,
    CallTreachery,
    Comes,
    Condition,
    Dial,
    Does,
    Enter,
    GiveSpice,
    Holds,
    Lead,
    LeaveAlliance,
    Matter,
    MoveTo,
    Occasion,
    PlayCard,
    Reading,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    SendAdvisor,
    ShipTo,
    Stands,
    TakeCharity,
    UsePrescience,
    UseVoice,
)

__all__ = ["read", "with_reading"]


AnyOrder = TypeVar("AnyOrder", bound=Order)

_WILL = re.compile(
    r"(?:please )?(?:(?:will|would|shall) (?:you|not you)|are you going to|are you not going to|wont you|wouldnt you"
    r"|do you (?:intend|plan|mean) (?:not )?to)(?: not| never| refrain from| abstain from| avoid)? "
)
_NOT = re.compile(r"\b(?:not|never|wont|wouldnt|refrain|abstain|avoid)\b")
_IF = r"(?:if|when|in case|provided|provided that)"
_TO_COME = re.compile(r"\b(?:will|would|shall|going to|intend|plan to|next turn)\b")
_ABOUT_ITSELF = re.compile(
    r"\byour answer\b|\banswer\b.*\bthis\b|\bthis (?:question|truthtrance)\b"
    r"|\b(?:answer|reply|say) (?:with )?\W*(?:yes|no)\W*(?:$| to (?:this|my|me)\b)"
    r"|\b(?:are you|will you be|do you|will you) (?:lying|lie)\b",
    re.IGNORECASE,
)


_ABOUT_NEXT = re.compile(
    r"\b(?:answer|reply|say)\b.*\b(?:next|second|other|another|later|following)\b.*\b(?:truth ?trance|question|card)\b",
    re.IGNORECASE,
)


def with_reading(order: AnyOrder, asker: Faction) -> AnyOrder:
    if isinstance(order, Truthtrance) and order.reading is None:
        return replace(order, reading=read(asker, order.faction, order.question))
    return order


@lru_cache(maxsize=256)
def read(asker: Faction, target: Faction, question: str) -> Reading:
    """Return the meaning of a question, as far as it is understood.

    >>> read("guild", "emperor", "Will you not ship to Carthag?").negative
    True
    """
    if len(question) > LONGEST_QUESTION:
        return Reading()  # the rules will refuse it
    question = _without_additions(question)
    future = _read_future(asker, target, question)
    reading = replace(
        future,
        facts=read_facts(asker, target, question),
        matters=() if _is_checked_anywhere(future) else _matters(question),
        about_itself=_ABOUT_ITSELF.search(question) is not None,
        about_next=_ABOUT_NEXT.search(question) is not None,
    )
    return replace(reading, off_topic=reading == Reading() and not _is_about_the_game(question))


def _without_additions(question: str) -> str:
    # "Tell me, is Feyd-Rautha (6) your traitor? Thanks!" asks what "is Feyd-Rautha your traitor?" asks
    said = _IS_IT_TRUE.sub("do you ", _STRESS.sub("", _COURTESY.sub("", question.strip())))
    said = _BRACKETS.sub(_without_mark, _STRENGTH.sub(_in_brackets, said))
    return _OR_MORE.sub(lambda m: f"{'at least' if m[3] == 'more' else 'at most'} {m[1]}{m[2]}", said).strip()


def _in_brackets(match: re.Match[str]) -> str:
    return f"{match[1]} ({match[2]})" if LEADER_NAMES.whole(match[1]) else match[0]


def _without_mark(match: re.Match[str]) -> str:
    words = match[1].replace("-", " ").split()
    for length in range(min(4, len(words)), 0, -1):
        name = LEADER_NAMES.whole(" ".join(words[-length:]))
        if name:
            facts = LEADERS[Leader(name)]
            marks = {str(facts.strength or "x"), str(facts.faction), *words_of(FACTION_FACTS[facts.faction].name)}
            if marks.issuperset(words_of(match[2])):
                return match[1]
    return match[0]


_COURTESY = re.compile(
    r"^(?:(?:tell me(?: truthfully)?|answer me(?: this)?|(?:my )?question|honestly|truthfully|please|ok|so|hey|now"
    rf"|(?:dear |hello |hi )?(?:{'|'.join(facts.name for facts in FACTION_FACTS.values())}))[,:. ]+)+"
    r"|(?<=\?)[ .!]*(?:please answer|answer please|yes or no|thanks|thank you|thx|please)[ .!?]*$"
    r"|[,;. ]+(?:please|thanks|thank you|my friend|yes or no|honestly|truthfully)(?=[?.! ]*$)",
    re.IGNORECASE,
)
_STRESS = re.compile(r"\b(?:really|truly|actually|honestly|truthfully) (?=[a-z])", re.IGNORECASE)
_IS_IT_TRUE = re.compile(r"^is it (?:true|correct|right) that you (?=(?:have|hold|own)\b)", re.IGNORECASE)
_STRENGTH = re.compile(r"([A-Za-z'’-]{3,}),? (\d)(?=,? (?:your|among|one|in your)\b|\?$|,)", re.IGNORECASE)
_BRACKETS = re.compile(r"((?:[\w.'’-]+ ){0,3}[\w.'’-]+) ?\(([^()]{1,30})\)")
_OR_MORE = re.compile(r"\b([0-9]{1,3})((?: [a-z]+){1,2}) or (more|less|fewer)\b", re.IGNORECASE)


def _is_about_the_game(question: str) -> bool:
    """Return True if any word shows that the question concerns the game (AH.AID.TIMED.1-b, FAQ.TRUTHTRANCE.2)."""
    words = truthtrance_facts.fold_words(question).split()
    return not words or any(word in _names() or word.startswith(_OF_THE_GAME) for word in words)


@cache
def _names() -> frozenset[str]:
    names = (*FACTION_FACTS, *LEADERS, *CARDS, *TERRITORIES, *(one.name for one in TERRITORIES.values()))
    return frozenset(
        word for name in names for word in truthtrance_facts.fold_words(name.replace("-", " ")).split() if len(word) > 3
    )


_OF_THE_GAME = (
    "advis", "agree", "all", "answer", "army", "atomic", "attack", "bank", "batt", "betray", "bid", "board",
    "break", "brib", "bought", "buy", "captur", "card", "charity", "city", "coexist", "control", "dancer", "dead",
    "deal", "death", "defen", "deny", "dial", "die", "discard", "draw", "drew", "elite", "enem", "faction", "fedaykin",
    "fight", "forc", "free", "game", "give", "guild", "hand", "help", "hero", "hold", "honest", "hous", "keep",
    "kill", "know", "lead", "lie", "lose", "loss", "lying", "map", "move", "nexus", "offer", "opponent",
    "ornithopter", "pay", "peace", "plan", "play", "player", "poison", "predict", "prescien", "project",
    "promis", "reserv", "reviv", "rid", "sardaukar", "sector", "secret", "sell", "shai", "ship", "sietch",
    "spic", "star", "storm", "strong", "support", "tank", "territor", "threat", "token", "traitor", "treach",
    "troop", "truth", "turn", "victor", "voice", "wall", "weapon", "weather", "win", "won", "worm", "worthless",
)  # fmt: skip


def _is_checked_anywhere(reading: Reading) -> bool:
    """Return True if Mentat can check the promise in every position. It must know the act, and the act must not depend
    on the current battle or card, on a numbered turn, or on a power such as the Voice."""
    occasion, condition = reading.occasion, reading.condition
    there = occasion.this_battle or occasion.this_card or (isinstance(condition, Buys) and condition.this_card)
    power = isinstance(reading.act, UseVoice | UsePrescience)
    return reading.act is not None and not there and not power and not isinstance(occasion.turn, int)


def _read_future(asker: Faction, target: Faction, question: str) -> Reading:
    words, clause = _split(truthtrance_facts.fold_words(question))
    begin = _WILL.match(words)
    if begin is None:
        return Reading()
    asked = QuestionInWork(asker, target, target, words)
    negative = len(_NOT.findall(begin[0])) == 1
    known = read_occasion(asked)
    act = _act(asked, begin) if known else None
    condition: Condition | None = None
    if act is not None and clause:
        condition, understood = read_condition(asked, clause, act)
        act = act if understood else None
    if act is None or not _fits(asked.occasion, act):
        return Reading(occasion=asked.occasion, negative=negative)
    if asked.occasion.opponent and not asked.battle_named:
        asked.set(only_against=True)
    if asked.occasion.turn == "usual" and "never" in begin[0]:
        asked.set(turn="this game")
    return Reading(act=act, occasion=asked.occasion, negative=negative, condition=condition)


def _split(words: str) -> tuple[str, str]:
    before = re.fullmatch(rf"{_IF} (.+?) ((?:please )?(?:will|would|shall|wont|wouldnt|are|do) (?:not )?you .+)", words)
    if before:
        return before[2], before[1]
    behind = re.fullmatch(rf"(.+?) {_IF} (.+)", words)
    return (behind[1], behind[2]) if behind else (words, "")


def _act(asked: QuestionInWork, begin: re.Match[str]) -> AnyAct | None:
    words: str | None = asked.words[begin.end() :]
    if words and begin[0].endswith(("from ", "avoid ")):
        words = with_plain_verb(words)
    return read_act(asked, words) if words else None


def _fits(occasion: Occasion, act: Act) -> bool:
    return (
        (isinstance(act, IN_BATTLE) or not occasion.in_battle)
        and (not (occasion.card or occasion.this_card) or isinstance(act, BidFor))
        and (not occasion.nexus or isinstance(act, AllyWith | LeaveAlliance))
    )


def _matters(question: str) -> tuple[Matter, ...]:
    folded = truthtrance_facts.fold_words(question)
    if not _TO_COME.search(folded):
        return ()
    words = set(folded.split())
    found = [matter for matter, stems in _STEMS if any(word.startswith(stems) for word in words)]
    return tuple(found or [matter for matter, _ in _STEMS])


_STEMS: Sequence[tuple[Matter, tuple[str, ...]]] = (
    ("alliance", ("all", "nexus", "break")),
    ("bid", ("bid", "buy", "auction")),
    ("revival", ("reviv",)),
    ("shipment", ("ship", "land", "send", "enter", "attack", "come", "go")),
    ("movement", ("move", "enter", "attack", "leave", "come", "go", "occupy", "stay")),
    ("worm", ("rid", "worm", "shai")),
    ("battle", ("battle", "fight", "attack", "play", "use", "dial", "weapon", "leader")),
    ("treachery", ("trait", "treach", "betray")),
    ("peace", ("coexist", "fight", "peace")),
    ("voice", ("voice",)),
    ("prescience", ("prescience", "foresee")),
    ("spice", ("give", "pay", "spice")),
)


ConditionRead = tuple[Condition | None, bool]

ALWAYS: ConditionRead = (None, True)
UNKNOWN: ConditionRead = (None, False)

_ABLE = re.compile(r"(?:you (?:can|are able(?: to)?|are able to do so|can do so)|(?:it is )?(?:possible|legal)|able)")
_NEXUS = re.compile(r"(?:there (?:is|comes|will be) (?:a|another) nexus|(?:a|another) nexus (?:comes|happens|occurs))")
_WORM = re.compile(r"(?:(?:a|the|another) (?:worm|sandworm|shai hulud) (?:comes|appears)|there is a worm)")
_BATTLE = re.compile(
    r"(?:there is a battle(?: (?:between|with) (?P<with>[a-z ]+?))?"
    r"|(?P<who>[a-z ]+?) (?:attacks?|fights?|battles?|(?:have|has) a battle)"
    r"(?: (?:with |against )?(?P<whom>[a-z ]+?))??)(?: (?:in|at|for) (?P<where>[a-z0-9 ]+))?"
)
_BUYS = re.compile(r"(.+) (?:wins?|buys?|gets?) (this|the|a|any) card")
_ALLIED = re.compile(r"(?:we are (?:allied|allies)|(.+) (?:am|are|is) (?:allied with|(?:an |the )?ally of) (.+))")
_ALLY_OF = re.compile(r"(.+) (?:am|are|is) (my|your) ally")
_STANDS = re.compile(r"(.+?) (?:am|are|is|stands?|(?:has|have) (?:tokens|forces|troops)) (?:still )?in (.+)")
_HOLDS = re.compile(r"you (?:still )?(?:hold|have) (.+)")


def read_condition(asked: QuestionInWork, clause: str, act: Act) -> ConditionRead:
    words = re.sub(r" (?:later )?this (?:turn|round)$", "", clause)
    if _ABLE.fullmatch(words):
        return ALWAYS
    if _NEXUS.fullmatch(words):
        return ALWAYS if isinstance(act, AllyWith | LeaveAlliance) else (Comes("nexus"), True)
    if _WORM.fullmatch(words):
        return ALWAYS if isinstance(act, RideWorm) else (Comes("worm-appeared"), True)
    if isinstance(act, IN_BATTLE) and (match := _BATTLE.fullmatch(words)):
        return ALWAYS if _read_battle(asked, match) else UNKNOWN
    condition = _state(asked, words) or _purchase(asked, words) or _action(asked, words)
    return (condition, True) if condition else UNKNOWN


def _read_battle(asked: QuestionInWork, match: re.Match[str]) -> bool:
    names = [name for name in (match["who"], match["whom"], match["with"]) if name not in (None, "you", "each other")]
    factions = [asked.faction(name) for name in names if name]
    territory = truthtrance_facts.territory_called(match["where"]) if match["where"] else None
    others = {faction for faction in factions if faction != asked.target}
    if None in factions or len(others) > 1 or (match["where"] and territory is None):
        return False
    occasion, opponent = asked.occasion, next(iter(others), None)
    if (occasion.opponent and opponent not in (None, occasion.opponent)) or (
        occasion.territory and territory not in (None, occasion.territory)
    ):
        return False
    asked.set(in_battle=True, opponent=opponent or occasion.opponent, territory=territory or occasion.territory)
    return True


def _state(asked: QuestionInWork, words: str) -> Condition | None:
    if match := _ALLIED.fullmatch(words):
        one, other = (asked.faction(match[1]), asked.faction(match[2])) if match[1] else (asked.asker, asked.target)
        return Allied(one, other) if one and other and one != other else None
    if match := _ALLY_OF.fullmatch(words):
        one, other = asked.faction(match[1]), asked.asker if match[2] == "my" else asked.target
        return Allied(one, other) if one and one != other else None
    if match := _STANDS.fullmatch(words):
        faction, territory = asked.faction(match[1]), truthtrance_facts.territory_called(match[2])
        return Stands(faction, territory) if faction and territory else None
    if match := _HOLDS.fullmatch(words):
        cards = truthtrance_facts.cards_named(match[1])
        return Holds(tuple(sorted(cards))) if cards else None
    return None


def _purchase(asked: QuestionInWork, words: str) -> Condition | None:
    match = _BUYS.fullmatch(words)
    buyer = asked.faction(match[1]) if match else None
    if match is None or buyer is None:
        return None
    return Buys(buyer, this_card=match[2] in ("this", "the"))


def _action(asked: QuestionInWork, words: str) -> Condition | None:
    said = words.split()
    for size in range(1, min(4, len(said))):
        actor, verb = asked.faction(" ".join(said[:size])), with_plain_verb(" ".join(said[size:]))
        if actor is None or verb is None:
            continue
        clause = QuestionInWork(asked.asker, actor, asked.target, verb)
        act = read_act(clause, verb)
        if act is not None and not clause.occasion.in_battle and _is_seen(act):
            return Does(actor, act)
    return None


def _is_seen(act: Act) -> bool:
    if isinstance(act, PlayCard):
        return not any(CARDS[card].battle_plan for card in act.cards)
    return not isinstance(act, (*IN_BATTLE, Attack))


_NUMBER = r"[0-9]{1,4}(?:[.,]5)?"
_BOUND = "more than|over|at least|less than|fewer than|under|at most|up to|no more than|exactly"
_VERBS = (
    "play", "use", "put", "commit", "lead", "fight", "send", "dial", "call", "bid", "make", "ship", "move", "place",
    "ally", "form", "enter", "break", "leave", "ride", "revive", "take", "claim", "collect", "attack", "invade", "go",
    "come", "give", "pay", "voice",
)  # fmt: skip


def read_act(asked: QuestionInWork, words: str) -> AnyAct | None:
    for pattern, read in _ACTS:
        match = pattern.fullmatch(words)
        if match and (act := read(asked, *(part or "" for part in match.groups()))):
            return act
    return None


def with_plain_verb(words: str) -> str | None:
    """Return the words with the first verb in its plain form, or None if the verb is unknown. `with_plain_verb("ships
    to carthag") == "ship to carthag"`"""
    first, *rest = words.split()
    verb = _inflected().get(first)
    return " ".join((verb, *rest)) if verb else None


@cache
def _inflected() -> dict[str, str]:
    found: dict[str, str] = {}
    for verb in _VERBS:
        stem = verb[:-1] if verb.endswith("e") else verb
        forms = (verb, f"{verb}s", f"{verb}es", f"{verb[:-1]}ies", f"{stem}ing", f"{verb}ing", f"{verb}{verb[-1]}ing")
        found.update(dict.fromkeys(forms, verb))
    return found


def _amount(words: str, step: float = 1) -> Amount | None:
    match = re.fullmatch(
        rf"(?:({_BOUND}) )?({_NUMBER})"
        r"(?: or (more|less|fewer))?",
        words,
    )
    if match is None:
        return None
    number = float(match[2].replace(",", "."))
    match match[1], match[3]:
        case (("more than" | "over"), None):
            return Amount(number + step)
        case ("at least", None) | (None, "more"):
            return Amount(number)
        case (("less than" | "fewer than" | "under"), None):
            return Amount(0 if step < 1 else 1, number - step)
        case (("at most" | "up to" | "no more than"), None) | (None, ("less" | "fewer")):
            return Amount(0 if step < 1 else 1, number)
        case ((None | "exactly"), None):
            return Amount(number, number)
    return None


def _tokens(words: str) -> Amount | None:
    return _amount(words) if words not in ("", "any", "some", "a") else Amount()


def _play(asked: QuestionInWork, what: str) -> AnyAct | None:
    if act := _lead(asked, what):
        return act
    cards = truthtrance_facts.cards_named(what)
    return PlayCard(tuple(sorted(cards))) if cards else None


def _lead(asked: QuestionInWork, what: str) -> AnyAct | None:
    found = _fighters(asked.actor, what.removesuffix(" as leader").removesuffix(" as your leader"))
    return Lead(found) if found else None


def _fighters(owner: Faction, words: str) -> tuple[str, ...]:
    """Return the leaders that the words name; "a leader" means any of the owner's leaders. The result is empty if any
    name is unknown."""
    found: set[str] = set()
    for one in words.split(" or "):
        name = truthtrance_facts.without_articles(one)
        if name in ("leader", "leaders"):
            found.update(leader for leader, facts in LEADERS.items() if facts.faction == owner)
        elif name in ("cheap hero", "cheap heroine"):
            found.add(CHEAP_HERO)
        elif name in (KWISATZ_HADERACH, "kh"):
            found.add(KWISATZ_HADERACH)
        elif leaders := truthtrance_facts.leaders_named(name):
            found.update(leaders)
        else:
            return ()
    return tuple(sorted(found))


def _dial(asked: QuestionInWork, words: str) -> AnyAct | None:
    amount = _amount(words, step=0.5)
    return Dial(amount) if amount else None


def _bid(asked: QuestionInWork, words: str) -> AnyAct | None:
    amount = _tokens(words)
    return BidFor(amount) if amount else None


def _ship(asked: QuestionInWork, number: str, goal: str) -> AnyAct | None:
    amount, territory = _tokens(number), truthtrance_facts.territory_called(goal)
    return ShipTo(territory, amount) if amount and (territory or not goal) else None


def _move(asked: QuestionInWork, number: str, goal: str) -> AnyAct | None:
    amount, territory = _tokens(number), truthtrance_facts.territory_called(goal)
    return MoveTo(territory, amount) if amount and (territory or not goal) else None


def _advise(asked: QuestionInWork, goal: str) -> AnyAct | None:
    territory = truthtrance_facts.territory_called(goal)
    return SendAdvisor(territory) if territory or not goal else None


def _ally(asked: QuestionInWork, whom: str) -> AnyAct | None:
    faction = asked.faction(whom)
    return AllyWith(faction) if faction and faction != asked.actor else None


def _leave(asked: QuestionInWork, whose: str) -> AnyAct | None:
    return LeaveAlliance()


def _ride(asked: QuestionInWork, goal: str) -> AnyAct | None:
    territory = truthtrance_facts.territory_called(goal)
    return RideWorm(territory) if territory or not goal else None


def _revive(asked: QuestionInWork, what: str) -> AnyAct | None:
    tokens = re.fullmatch(r"(.*?) ?(?:tokens?|forces?|troops?)", what)
    if tokens:
        amount = _tokens(tokens[1])
        return ReviveTokens(amount) if amount else None
    found = _fighters(asked.actor, what)
    return ReviveOneOf(found) if found and CHEAP_HERO not in found else None


def _enter(asked: QuestionInWork, goal: str) -> AnyAct | None:
    territory = truthtrance_facts.territory_called(goal)
    return Enter(territory) if territory else None


def _attack(asked: QuestionInWork, whom: str, where: str) -> AnyAct | None:
    faction, territory = asked.faction(whom), truthtrance_facts.territory_called(where) if where else None
    if faction is None:
        return _enter(asked, whom)
    occasion = asked.occasion
    if faction == asked.actor or (where and territory is None) or occasion.opponent or occasion.this_battle:
        return None
    territory = territory or occasion.territory
    asked.set(in_battle=False, territory=None)
    return Attack(faction, territory)


def _voice(asked: QuestionInWork, whom: str) -> AnyAct | None:
    return UseVoice() if _read_victim(asked, whom) else None


def _foresee(asked: QuestionInWork, what: str) -> AnyAct | None:
    return UsePrescience((_ELEMENTS[what],)) if what else UsePrescience()


def _foresee_on(asked: QuestionInWork, whom: str) -> AnyAct | None:
    return UsePrescience() if _read_victim(asked, whom) else None


def _read_victim(asked: QuestionInWork, whom: str) -> bool:
    if whom:
        asked.set(opponent=asked.faction(whom), in_battle=True)
        return asked.occasion.opponent is not None
    return True


def _give(asked: QuestionInWork, whom: str, number: str) -> AnyAct | None:
    faction, amount = asked.faction(whom), _tokens(number)
    return GiveSpice(faction, amount) if faction and amount and faction != asked.actor else None


_ELEMENTS: dict[str, Element] = {
    "leader": "leader",
    "weapon": "weapon",
    "defense": "defense",
    "defence": "defense",
    "number": "number",
    "dial": "number",
}
_ELEMENT = rf"(?:my |our |the |his |her |their )?({'|'.join(_ELEMENTS)})"
_IN_COLLECTION = r"(?: (?:in|during|at) (?:the |this )?collection(?: (?:phase|round))?)?"
_SOME = rf"(?:any|some|(?:(?:{_BOUND}) )?{_NUMBER}(?: or (?:more|less|fewer))?)"
_HOW_MANY = r"(?:(.*?) ?(?:tokens?|forces?|troops?) |(?:(?=[a-z0-9 ]*[0-9]))(.*?) )?"
_TO = r"(?:in|into|to|onto) ([a-z0-9 ]+)"


def _journey(read: Callable[[QuestionInWork, str, str], AnyAct | None]) -> Callable[..., AnyAct | None]:
    return lambda asked, some, number, goal="": read(asked, some or number, goal)


_ACTS: Iterable[tuple[re.Pattern[str], Callable[..., AnyAct | None]]] = (
    (
        re.compile(r"(?:(?:use|give) (?:the |your )?voice(?: on (.+))?|voice (.+))"),
        lambda asked, one, other: _voice(asked, one or other),
    ),
    (re.compile(rf"(?:use (?:your |the )?(?:prescience|foresight)(?: (?:on|for) {_ELEMENT})?)"), _foresee),
    (re.compile(r"use (?:your |the )?(?:prescience|foresight) on (.+)"), _foresee_on),
    (re.compile(rf"(?:foresee|ask for|ask about|ask to see|look at) {_ELEMENT}"), _foresee),
    (re.compile(r"attack (.+?)(?: (?:in|into|at) ([a-z0-9 ]+))?"), _attack),
    (
        re.compile(
            r"(?:enter|invade|(?:go|come|ship or move|move or ship)(?: (?:any|some) (?:tokens|forces|troops))?"
            r" (?:in|into|to|onto)) ([a-z0-9 ]+)"
        ),
        _enter,
    ),
    (re.compile(rf"(?:give|pay) (.+?) (?:({_SOME}) )?spice{_IN_COLLECTION}"), _give),
    (
        re.compile(rf"(?:give|pay) (?:({_SOME}) )?spice to (.+?){_IN_COLLECTION}"),
        lambda asked, number, whom: _give(asked, whom, number),
    ),
    (re.compile(r"(?:play|use|put down|commit) (.+)"), _play),
    (re.compile(r"(?:lead|fight|lead with|fight with|be led by|send) (.+)"), _lead),
    (re.compile(r"dial (.+)"), _dial),
    (
        re.compile(r"call (?:treachery|(?:a |the |your |my leader a |my leader )?(?:traitors?|treachery))"),
        lambda asked: CallTreachery(),
    ),
    (re.compile(r"(?:bid|make a bid)(?: (.+?)(?: spice)?)?"), _bid),
    (re.compile(rf"ship {_HOW_MANY}{_TO}"), _journey(_ship)),
    (re.compile(r"(?:ship|make a shipment|ship anything|ship any(?: tokens| forces)?)()()"), _ship),
    (re.compile(rf"move {_HOW_MANY}{_TO}"), _journey(_move)),
    (re.compile(r"(?:move|make a move|move anything|move any(?: tokens| forces)?)()()"), _move),
    (re.compile(rf"(?:send|place) an? (?:spiritual )?advis[eo]r(?: {_TO})?"), _advise),
    (re.compile(r"(?:ally|be allied|(?:form|make|enter) an alliance) with ([a-z ]+)"), _ally),
    (re.compile(r"(?:break|leave) (your|our|the|this) alliance"), _leave),
    (re.compile(rf"ride (?:the |a |this )?(?:worm|sandworm|shai hulud)(?: {_TO})?"), _ride),
    (re.compile(r"revive (.+)"), _revive),
    (re.compile(r"(?:take|claim|collect|ask for) (?:the )?charity"), lambda asked: TakeCharity()),
)
