"""Questions about the future, read from free text (WBC.AID.6 to 12).

"Will you" and an act (``deeds``): *play CARD or a kind of card*, *use LEADER*, *dial*, *call treachery*, *bid*, *ship*,
*move*, *enter*, *attack*, *send an advisor*, *ally*, *break your alliance*, *ride the worm*, *revive*, *take charity*,
*use the Voice*, *use prescience*, *give spice*. Behind it may stand when and where it counts (``scope``): *in Carthag*,
*against me*, *this turn*. "Will you not" turns what yes and no mean; that is declared with the question. "If" and what
has to happen first (``conditions``) may stand before or behind. Where no time is named it is this turn, or the next if
the phase in question is over. Whatever else is asked is recorded as it was announced, and the one asked is reminded of
his answer where its words belong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from rules.cards.truthtrance import conditions, naming
from rules.cards.truthtrance.deeds import plain, read_act
from rules.cards.truthtrance.scope import Asked, read_scope
from rules.chapters.setup import MAX_TURNS
from rules.components import CARDS, WORTHLESS, Faction
from rules.orders import PhaseName, QuestionKind
from rules.state.game import Game
from rules.state.promises import (
    IN_BATTLE,
    Act,
    AllyWith,
    AnyAct,
    Attack,
    BidFor,
    CallTreachery,
    Condition,
    Dial,
    Enter,
    GiveSpice,
    Lead,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    Scope,
    SendAdvisor,
    ShipTo,
    TakeCharity,
    UsePrescience,
    UseVoice,
)

_WILL = re.compile(
    r"(?:please )?(?:(?:will|would|shall) (?:you|not you)|are you going to|are you not going to|wont you|wouldnt you"
    r"|do you (?:intend|plan|mean) (?:not )?to)(?: not| never| refrain from| abstain from| avoid)? "
)
_NOT = re.compile(r"\b(?:not|never|wont|wouldnt|refrain|abstain|avoid)\b")
_IF = r"(?:if|when|in case|provided|provided that)"
_PHASES: tuple[PhaseName, ...] = tuple(phase for phase in get_args(PhaseName) if phase not in ("setup", "over"))


@dataclass(frozen=True, slots=True)
class Reading:
    """How a question was read: the act that it is about, None where it is not one that can be checked; when it counts;
    whether a yes means that he will *not*; and what has to happen first."""

    act: AnyAct | None
    scope: Scope
    negative: bool = False
    condition: Condition | None = None


def read(game: Game, asker: Faction, target: Faction, question: str) -> Reading:
    """What an answer to this question would promise.

    >>> read(game, "guild", "emperor", "Will you not ship to Carthag?").negative  # doctest: +SKIP
    True
    """
    turn = game.state.turn
    words, clause = _split(naming.folded(question))
    asked = Asked(game, asker, target, target, words, Scope(turn, turn))
    begin = _WILL.match(words)
    if begin is None:
        return Reading(None, asked.scope)
    negative = len(_NOT.findall(begin[0])) == 1
    known = read_scope(asked)
    act = _act(asked, begin) if known else None
    condition: Condition | None = None
    if act is not None and clause:
        condition, understood = conditions.read(asked, clause, act)
        act = act if understood else None
    if act is None or not _fits(asked.scope, act):
        return Reading(None, asked.scope, negative)
    if asked.scope.opponent and not asked.battle_named and _may_be_played_anywhere(target, act):
        asked.scope.in_battle = False
    if not asked.timed and "never" in begin[0]:
        asked.scope.last_turn = MAX_TURNS(game.rules)
    elif not asked.timed and _PHASES.index(_phase(act)) < _place(game):
        asked.scope.first_turn = asked.scope.last_turn = turn + 1
    return Reading(act, asked.scope, negative, condition)


def _split(words: str) -> tuple[str, str]:
    """The question, and the clause with "if" before or behind it; more than one of them is left where it is."""
    before = re.fullmatch(rf"{_IF} (.+?) ((?:please )?(?:will|would|shall|wont|wouldnt|are|do) (?:not )?you .+)", words)
    if before:
        return before[2], before[1]
    behind = re.fullmatch(rf"(.+?) {_IF} (.+)", words)
    return (behind[1], behind[2]) if behind else (words, "")


def _act(asked: Asked, begin: re.Match[str]) -> AnyAct | None:
    words: str | None = asked.words[begin.end() :]
    if words and begin[0].endswith(("from ", "avoid ")):
        words = plain(words)
    return read_act(asked, words) if words else None


def is_about_the_future(question: str) -> bool:
    """Whether the words ask for something to come."""
    return re.search(r"\b(?:will|would|shall|going to|intend|plan to|next turn)\b", naming.folded(question)) is not None


def remind_at(question: str) -> list[QuestionKind]:
    """The kinds of question at which an answer that nobody can check is to be remembered."""
    words = set(naming.folded(question).split())
    found = [kind for stems, kinds in _REMINDERS for kind in kinds if any(w.startswith(stems) for w in words)]
    return list(dict.fromkeys(found)) or list(dict.fromkeys(kind for _, kinds in _REMINDERS for kind in kinds))


_REMINDERS: Sequence[tuple[tuple[str, ...], tuple[QuestionKind, ...]]] = (
    (("all", "nexus", "break"), ("nexus",)),
    (("bid", "buy", "auction"), ("bid",)),
    (("reviv",), ("revival",)),
    (("ship", "land", "send", "enter", "attack", "come", "go"), ("shipment",)),
    (("move", "enter", "attack", "leave", "come", "go", "occupy", "stay"), ("movement",)),
    (("rid", "worm", "shai"), ("worm-ride", "worm-placement")),
    (("battle", "fight", "attack", "play", "use", "dial", "weapon", "leader"), ("battle-plan", "battle-order")),
    (("trait", "treach", "betray"), ("traitor-call",)),
    (("coexist", "fight", "peace"), ("bg-status", "intrusion")),
    (("voice",), ("voice",)),
    (("prescience", "foresee"), ("prescience",)),
    (("give", "pay", "spice"), ("transfer",)),
)


def _may_be_played_anywhere(target: Faction, act: Act) -> bool:
    """Whether it is a card that can be played against somebody outside battles too: a Karama, a Truthtrance."""
    return isinstance(act, PlayCard) and any(
        not CARDS[card].battle_plan or (card in WORTHLESS and target == "bene-gesserit") for card in act.cards
    )


def _fits(scope: Scope, act: Act) -> bool:
    """Whether the scope makes sense with the act: a battle with what is done in one, a card with a bid."""
    return (
        (isinstance(act, IN_BATTLE) or not scope.in_battle)
        and (not scope.card or isinstance(act, BidFor))
        and (not scope.nexus or isinstance(act, AllyWith | LeaveAlliance))
    )


def _phase(act: Act) -> PhaseName:
    """The phase in which the act is usually done; what can be done at any time is done in the last."""
    match act:
        case AllyWith() | LeaveAlliance() | RideWorm():
            return "spice"
        case TakeCharity():
            return "charity"
        case BidFor():
            return "bidding"
        case ReviveTokens():
            return "revival"
        case ShipTo() | MoveTo() | Enter() | Attack() | SendAdvisor() | ReviveOneOf():
            return "movement"
        case Lead() | Dial() | CallTreachery() | UseVoice() | UsePrescience():
            return "battle"
        case GiveSpice():
            return "collection"
        case PlayCard(cards) if all(CARDS[card].battle_plan for card in cards):
            return "battle"
    return "mentat"


def _place(game: Game) -> int:
    phase = game.state.phase
    return _PHASES.index(phase) if phase in _PHASES else 0
