"""Questions about the future, read from free text (WBC.AID.6 to 12).

"Will you" and an act: *play CARD or a kind of card*, *use LEADER*, *dial*, *call treachery*, *bid*, *ship*, *move*,
*send an advisor*, *ally*, *break your alliance*, *ride the worm*, *revive*, *take charity*. Behind it may stand when
and where it counts: *in Carthag*, *against me*, *in this battle*, *on this card*, *at this nexus*, *this turn*, *next
turn*. Where no time is named it is this turn, or the next if the phase in question is over. Whatever else is asked
("if …") is recorded as it was announced, and the one asked is reminded of his answer where its words belong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from rules.acts import (
    CHEAP_HERO,
    KWISATZ_HADERACH,
    Act,
    AllyWith,
    Amount,
    AnyAct,
    BidFor,
    CallTreachery,
    Dial,
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
)
from rules.components import CARDS, LEADERS, Faction
from rules.game import Game
from rules.orders import PhaseName, QuestionKind
from rules.powers.truthtrance import naming

_WILL = re.compile(r"(?:please )?(?:will|would|shall) you |are you going to |do you (?:intend|plan|mean) to ")
_NUMBER = r"[0-9]{1,4}(?:[.,]5)?"
_PHASES: tuple[PhaseName, ...] = tuple(phase for phase in get_args(PhaseName) if phase not in ("setup", "over"))


@dataclass(slots=True)
class _Asked:
    """A question while it is read: who asks whom, the words that are left, and the scope found so far."""

    game: Game
    asker: Faction
    target: Faction
    words: str
    scope: Scope
    timed: bool = False

    def take_tail(self, pattern: str) -> re.Match[str] | None:
        """The pattern at the end of the words, which then end before it."""
        match = re.search(rf"(?:^| )(?:{pattern})$", self.words)
        if match:
            self.words = self.words[: match.start()]
        return match


def promised(game: Game, asker: Faction, target: Faction, question: str) -> tuple[AnyAct | None, Scope]:
    """The act that the question is about, None where it is not one that can be checked; and when it counts."""
    turn = game.state.turn
    asked = _Asked(game, asker, target, naming.folded(question), Scope(turn, turn))
    begin = _WILL.match(asked.words)
    known = begin is not None and _read_scope(asked)
    act = _read_act(asked, asked.words[begin.end() :]) if begin and known else None
    if act is not None and not _fits(asked.scope, act):
        act = None
    if not asked.timed and act is not None and _PHASES.index(_phase(act)) < _place(game):
        asked.scope.first_turn = asked.scope.last_turn = turn + 1
    return act, asked.scope


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


# --- When and where ----------------------------------------------------------------------------------------------


def _read_scope(asked: _Asked) -> bool:
    """Take the parts that say when and where off the end; False where one of them cannot be understood."""
    while asked.words:
        before = asked.words
        if not all(part(asked) for part in (_read_time, _read_battle, _read_opponent, _read_place, _read_card)):
            return False
        if asked.words == before:
            return True
    return True


def _read_time(asked: _Asked) -> bool:
    turn, scope = asked.game.state.turn, asked.scope
    last = asked.game.rules.max_turns
    if asked.take_tail("(?:later |during |in )?this (?:turn|round)"):
        times = (turn, turn)
    elif asked.take_tail("(?:during |in )?(?:the )?next turn"):
        times = (turn + 1, turn + 1)
    elif match := asked.take_tail("(?:in|on|during) turn ([0-9]{1,2})"):
        times = (int(match[1]), int(match[1]))
    elif asked.take_tail("(?:in )?this game|ever(?: again)?"):
        times = (turn, last)
    elif asked.take_tail("(?:at|in|during) (?:this|the|the next) nexus"):
        scope.nexus, times = True, (turn, turn)
    else:
        return True
    scope.first_turn, scope.last_turn = times
    asked.timed = True
    return times[0] >= turn


def _read_battle(asked: _Asked) -> bool:
    if asked.take_tail("(?:in |during |for )?this battle"):
        battle = asked.game.moments.battle
        if battle is None or asked.target not in battle.sides:
            return False
        asked.scope.territory, asked.scope.opponent = battle.territory, battle.opponent(asked.target)
        asked.scope.in_battle = True
    elif asked.take_tail("(?:in |during |for )(?:our|a|any|the|your|the next|the coming) battles?|in battles?"):
        asked.scope.in_battle = True
    return True


def _read_opponent(asked: _Asked) -> bool:
    """ "against me", "in battle with the Emperor"."""
    against = r"\b(?:against|versus|vs)|(?:in |during )?(?:an? )?battles? with"
    match = re.search(rf"^(.*?) ?(?:{against}) ([a-z ]+)$", asked.words)
    opponent = None if match is None else asked.asker if match[2] in ("me", "us") else naming.faction(match[2])
    if match and opponent:
        asked.words, asked.scope.opponent, asked.scope.in_battle = match[1], opponent, True
    return True


def _read_place(asked: _Asked) -> bool:
    """ "in Carthag": of what is done in a battle; the goal of a journey is read with its verb."""
    match = re.search(r"^(.*) (?:in|at|for) ([a-z0-9 ]+)$", asked.words)
    territory = naming.territory(match[2]) if match else None
    if match and territory:
        asked.words, asked.scope.territory, asked.scope.in_battle = match[1], territory, True
    return True


def _read_card(asked: _Asked) -> bool:
    auction = asked.game.moments.auction
    if asked.take_tail("(?:on|for) (?:this|the) card"):
        asked.scope.card = auction.number if auction else 0
        return auction is not None and auction.number > 0
    if match := asked.take_tail("(?:on|for) card (?:number )?([0-9])"):
        asked.scope.card = int(match[1])
        return asked.scope.card > 0
    return True


def _fits(scope: Scope, act: Act) -> bool:
    """Whether the scope makes sense with the act: a battle with what is done in one, a card with a bid."""
    in_battle = isinstance(act, PlayCard | Lead | Dial | CallTreachery)
    return (
        (in_battle or not scope.in_battle)
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
        case ShipTo() | MoveTo() | SendAdvisor() | ReviveOneOf():
            return "movement"
        case Lead() | Dial() | CallTreachery():
            return "battle"
        case PlayCard(cards) if all(CARDS[card].battle_plan for card in cards):
            return "battle"
    return "mentat"


def _place(game: Game) -> int:
    phase = game.state.phase
    return _PHASES.index(phase) if phase in _PHASES else 0


# --- The act -----------------------------------------------------------------------------------------------------


def _read_act(asked: _Asked, words: str) -> AnyAct | None:
    for pattern, read in _ACTS:
        match = pattern.fullmatch(words)
        if match and (act := read(asked, *(part or "" for part in match.groups()))):
            return act
    return None


def _amount(words: str, step: float = 1) -> Amount | None:
    """The bounds that "more than 3", "at least 3", "3 or more", "at most 3", "fewer than 3" or "3" give."""
    match = re.fullmatch(
        rf"(?:(more than|over|at least|less than|fewer than|under|at most|up to|no more than|exactly) )?({_NUMBER})"
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
    """How many tokens: as said, or one at least."""
    return _amount(words) if words not in ("", "any", "some", "a") else Amount()


def _play(asked: _Asked, what: str) -> AnyAct | None:
    """A card, or a leader: "use" is said of both. Any cheap hero stands in for a leader."""
    if act := _lead(asked, what):
        return act
    cards = naming.cards(what)
    return PlayCard(tuple(sorted(cards))) if cards else None


def _lead(asked: _Asked, what: str) -> AnyAct | None:
    found = _fighters(asked.target, what.removesuffix(" as leader").removesuffix(" as your leader"))
    return Lead(found) if found else None


def _fighters(owner: Faction, words: str) -> tuple[str, ...]:
    """The leaders meant, "a leader" being any of the owner's; nothing where one of the names is none."""
    found: set[str] = set()
    for one in words.split(" or "):
        name = naming.bare(one)
        if name in ("leader", "leaders"):
            found.update(leader for leader, facts in LEADERS.items() if facts.faction == owner)
        elif name in ("cheap hero", "cheap heroine"):
            found.add(CHEAP_HERO)
        elif name in (KWISATZ_HADERACH, "kh"):
            found.add(KWISATZ_HADERACH)
        elif leaders := naming.leaders(name):
            found.update(leaders)
        else:
            return ()
    return tuple(sorted(found))


def _dial(asked: _Asked, words: str) -> AnyAct | None:
    amount = _amount(words, step=0.5)
    return Dial(amount) if amount else None


def _bid(asked: _Asked, words: str) -> AnyAct | None:
    amount = _tokens(words)
    return BidFor(amount) if amount else None


def _ship(asked: _Asked, number: str, goal: str) -> AnyAct | None:
    amount, territory = _tokens(number), naming.territory(goal)
    return ShipTo(territory, amount) if amount and (territory or not goal) else None


def _move(asked: _Asked, number: str, goal: str) -> AnyAct | None:
    amount, territory = _tokens(number), naming.territory(goal)
    return MoveTo(territory, amount) if amount and (territory or not goal) else None


def _advise(asked: _Asked, goal: str) -> AnyAct | None:
    territory = naming.territory(goal)
    return SendAdvisor(territory) if territory or not goal else None


def _ally(asked: _Asked, whom: str) -> AnyAct | None:
    faction = asked.asker if whom in ("me", "us") else naming.faction(whom)
    return AllyWith(faction) if faction and faction != asked.target else None


def _leave(asked: _Asked, whose: str) -> AnyAct | None:
    return LeaveAlliance()


def _ride(asked: _Asked, goal: str) -> AnyAct | None:
    territory = naming.territory(goal)
    return RideWorm(territory) if territory or not goal else None


def _revive(asked: _Asked, what: str) -> AnyAct | None:
    tokens = re.fullmatch(r"(.*?) ?(?:tokens?|forces?|troops?)", what)
    if tokens:
        amount = _tokens(tokens[1])
        return ReviveTokens(amount) if amount else None
    found = _fighters(asked.target, what)
    return ReviveOneOf(found) if found and CHEAP_HERO not in found else None


_HOW_MANY = r"(?:(.*?) ?(?:tokens?|forces?|troops?) |(?:(?=[a-z0-9 ]*[0-9]))(.*?) )?"
_TO = r"(?:in|into|to|onto) ([a-z0-9 ]+)"


def _journey(read: Callable[[_Asked, str, str], AnyAct | None]) -> Callable[..., AnyAct | None]:
    return lambda asked, some, number, goal="": read(asked, some or number, goal)


_ACTS: Iterable[tuple[re.Pattern[str], Callable[..., AnyAct | None]]] = (
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
