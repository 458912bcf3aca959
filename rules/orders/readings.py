"""The meaning of Truthtrance questions and deal conditions, as typed values.

Questions are written in English, and the rules cannot read English. The code that accepts an order from a player
interprets the question once and stores the *reading* together with the order in the log. So an earlier game stays the
same when the program later learns to understand English better.

A reading keeps the relative terms of the question: "this turn", "in this battle", "on this card". When the card is
played, ``rules.cards.truthtrance`` determines what these terms mean in the position. A reading depends only on the
words of the question and on the factions of the two players. It reveals nothing about the position.

A *deal condition* is a public fact, or a combination of public facts, on which the spice or the end of a deal depends.
Players write it in the same language as the conditions in their sheets. Like a question, it is interpreted once and
logged together with its words. It can name only public facts, such as the turn, the board and announced events, but
nothing behind a shield. ``rules.chapters.public_facts`` evaluates it.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from rules.components import Card, Faction, Leader
from rules.components.board import TerritoryId
from rules.components.cards import Element

LONGEST_QUESTION = 300  # characters
KWISATZ_HADERACH = "kwisatz haderach"  # listed with leaders in questions about who fights or comes back


class Amount(msgspec.Struct, frozen=True):
    """A number from ``least`` to ``most``, or without an upper bound if ``most`` is None. A dial may end in a half.

    >>> Amount(2, 4).holds(5)
    False
    """

    least: int | float = 1
    most: int | float | None = None

    def holds(self, number: float) -> bool:
        return self.least <= number and (self.most is None or number <= self.most)


ANY = Amount()


# --- Facts: true or false when the question is asked --------------------------------------------------------------


class Fact(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The base class of all facts about the player asked."""


class InHand(Fact, frozen=True):
    """The player holds this number of these cards. None means any cards."""

    cards: tuple[Card, ...] | None = None
    amount: Amount = ANY


class HandFull(Fact, frozen=True):
    """The player's hand is full."""


class InPay(Fact, frozen=True):
    """The player has one of these leaders as a traitor."""

    leaders: tuple[Leader, ...]


class InDisguise(Fact, frozen=True):
    """The player has one of these leaders as a face dancer (IT.FD)."""

    leaders: tuple[Leader, ...]


class Captured(Fact, frozen=True):
    """The player holds one of these leaders captive."""

    leaders: tuple[Leader, ...]


class Predicted(Fact, frozen=True):
    """The player has predicted that one of these factions will win in one of these turns. An empty tuple means any
    faction or any turn."""

    factions: tuple[Faction, ...] = ()
    turns: tuple[Amount, ...] = ()


class OwnsSpice(Fact, frozen=True):
    """The player has this much spice."""

    amount: Amount = ANY


class OwnsTokens(Fact, frozen=True):
    """The player has this many tokens in this place."""

    where: Literal["reserves", "tanks"]
    amount: Amount = ANY


AnyFact = InHand | HandFull | InPay | InDisguise | Captured | Predicted | OwnsSpice | OwnsTokens


# --- Acts: future acts that can be checked (WBC.AID.6 to 12) ------------------------------------------------------


class Act(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The base class of all acts of the player asked."""


class PlayCard(Act, frozen=True):
    """The player plays one of these cards, in a battle plan or at another time when it can be played."""

    cards: tuple[Card, ...]


class Lead(Act, frozen=True):
    """The player fights with one of these leaders. They are leaders' names, ``CHEAP_HERO`` or ``KWISATZ_HADERACH``."""

    leaders: tuple[str, ...]


class Dial(Act, frozen=True):
    """The player dials this number."""

    amount: Amount


class CallTreachery(Act, frozen=True):
    """The player calls a traitor."""


class BidFor(Act, frozen=True):
    """The player bids this much for a card."""

    amount: Amount = ANY


class ShipTo(Act, frozen=True):
    """The player ships this many tokens to the territory. None means anywhere on Dune."""

    territory: TerritoryId | None = None
    amount: Amount = ANY


class MoveTo(Act, frozen=True):
    """The player moves this many tokens to the territory. None means anywhere."""

    territory: TerritoryId | None = None
    amount: Amount = ANY


class SendAdvisor(Act, frozen=True):
    """The player sends a spiritual advisor to the territory. None means anywhere."""

    territory: TerritoryId | None = None


class AllyWith(Act, frozen=True):
    """The player names the faction as an ally."""

    faction: Faction


class LeaveAlliance(Act, frozen=True):
    """The player breaks their alliance."""


class RideWorm(Act, frozen=True):
    """The player rides a worm to the territory. None means anywhere."""

    territory: TerritoryId | None = None


class ReviveTokens(Act, frozen=True):
    """The player revives this many tokens."""

    amount: Amount = ANY


class ReviveOneOf(Act, frozen=True):
    """The player revives one of these leaders, or the Kwisatz Haderach."""

    leaders: tuple[str, ...]


class TakeCharity(Act, frozen=True):
    """The player claims charity."""


class Enter(Act, frozen=True):
    """The player enters the territory, by a shipment or by a move."""

    territory: TerritoryId


class Attack(Act, frozen=True):
    """The player ships or moves tokens to a territory in which the faction has tokens. A territory of None means
    anywhere."""

    faction: Faction
    territory: TerritoryId | None = None


class UseVoice(Act, frozen=True):
    """The player gives a command by the Voice."""


class UsePrescience(Act, frozen=True):
    """The player asks for one of these elements of a battle plan."""

    elements: tuple[Element, ...] = get_args(Element)


class GiveSpice(Act, frozen=True):
    """The player gives the faction this much spice, in Collection or as a gift between allies."""

    faction: Faction
    amount: Amount = ANY


AnyAct = (
    PlayCard | Lead | Dial | CallTreachery | BidFor | ShipTo | MoveTo | SendAdvisor | AllyWith | LeaveAlliance |
    RideWorm | ReviveTokens | ReviveOneOf | TakeCharity | Enter | Attack | UseVoice | UsePrescience | GiveSpice
)  # fmt: skip
IN_BATTLE = (PlayCard, Lead, Dial, CallTreachery, UseVoice, UsePrescience)
"""Acts that may be promised for a battle in one place or with one opponent."""


# --- Conditions: met before an act is due (WBC.AID.7) -------------------------------------------------------------


class Does(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction performs this act. The condition is met once everybody knows about the act."""

    faction: Faction
    act: AnyAct


class Buys(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction wins the card with this number in the auction, or any card if the number is 0.
    ``this_card`` means the card that is up for bid when the question is asked."""

    faction: Faction
    card: int = 0
    this_card: bool = False


class Comes(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: a nexus occurs, or a worm appears."""

    what: Literal["nexus", "worm-appeared"]


class Allied(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the two factions are allied at the time of the act."""

    one: Faction
    other: Faction


class Stands(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction has tokens in the territory at the time of the act."""

    faction: Faction
    territory: TerritoryId


class Holds(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the player who made the promise holds one of these cards at the time of the act."""

    cards: tuple[Card, ...]


Condition = Does | Buys | Comes | Allied | Stands | Holds


# --- The whole reading ---------------------------------------------------------------------------------------------


class Occasion(msgspec.Struct, frozen=True, omit_defaults=True):
    """The time and place at which an act counts, according to the words of the question.

    ``turn`` is the number of the turn if the question names one. If it names no time, ``turn`` is "usual", which means
    the next opportunity for such an act. ``this_battle`` and ``this_card`` mean the battle or card that is current when
    the question is asked. ``card`` is the number of a card in the auction. ``in_battle`` means that the act counts only
    in battles, and only in that territory and against that opponent if they are named. ``only_against`` means that the
    question names an opponent but no battle. If the card can also be used outside battles, such a use also counts.
    """

    turn: int | Literal["usual", "this", "next", "this game"] = "usual"
    nexus: bool = False
    in_battle: bool = False
    this_battle: bool = False
    territory: TerritoryId | None = None
    opponent: Faction | None = None
    only_against: bool = False
    this_card: bool = False
    card: int = 0


Matter = Literal[
    "alliance", "bid", "revival", "shipment", "movement", "worm", "battle", "treachery", "peace", "voice", "prescience",
    "spice",
]  # fmt: skip
"""The subject of an answer that cannot be checked. The player is reminded of the answer when that subject is
decided."""


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """The meaning of a question, as far as the program has understood it.

    - ``facts`` are facts of the present. The answer is yes if all of them are true.
    - ``act`` is an act in the future. It counts only on the ``occasion``, and only if the ``condition`` is met.
    - ``negative`` means that the question asks whether the player will *not* do the act.
    - ``matters`` are the subjects of a question about the future if the program has not understood the act, or can
      check it only in some positions.
    - ``about_itself`` means that the question asks about its own answer.
    - ``about_next`` means that the question asks about the answer to a later question.
    - ``off_topic`` means that the question has nothing to do with the game.

    If there are neither facts nor an act, the players themselves must judge whether an answer is true.
    """

    facts: tuple[AnyFact, ...] = ()
    act: AnyAct | None = None
    occasion: Occasion = Occasion()
    negative: bool = False
    condition: Condition | None = None
    matters: tuple[Matter, ...] = ()
    about_itself: bool = False
    about_next: bool = False
    off_topic: bool = False


FactName = Literal[
    "turn", "phase", "storm", "worms", "wall-destroyed", "tokens", "stands-in", "empty", "spice-in", "strongholds",
    "tanks", "dead", "allied", "allied-with", "ornithopters", "hand-count", "discarded", "fighting", "fighting-with",
    "battle-in", "attacking", "defending", "has-bought", "bought", "broke-alliance", "charity", "played", "nexus",
    "worm", "worm-in", "shipped", "shipped-to", "tokens-shipped", "tokens-shipped-to", "moved", "moved-to",
    "past-move", "past-shipment", "battles-won", "won-in", "lost-in", "asked", "answered-yes", "answered-no",
    "answered-unknown",
]  # fmt: skip
"""The public facts on which a condition may depend."""

NUMBERS: frozenset[FactName] = frozenset({
    "turn", "storm", "worms", "tokens", "spice-in", "strongholds", "tanks", "hand-count", "bought", "tokens-shipped",
    "tokens-shipped-to", "battles-won",
})  # fmt: skip
"""The facts that are numbers, and so can be compared with numbers."""

MOST_FACTS = 16


class PublicFact(msgspec.Struct, frozen=True, tag=True, gc=False):
    """One public fact. ``about`` names its factions, places, leaders and cards as in ``data/``. If the fact is a
    number, it must be at least ``least`` and at most ``most``; if ``most`` is None, there is no upper bound."""

    name: FactName
    about: tuple[str, ...] = ()
    least: int = 1
    most: int | None = None


class NotSo(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A condition that is true if its part is known to be false."""

    part: DealCondition


class EachOf(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A condition that is true if all its parts are true."""

    parts: tuple[DealCondition, ...]


class OneOf(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A condition that is true if at least one of its parts is true."""

    parts: tuple[DealCondition, ...]


DealCondition = PublicFact | NotSo | EachOf | OneOf


def facts_of(condition: DealCondition) -> list[PublicFact]:
    match condition:
        case PublicFact():
            return [condition]
        case NotSo(part):
            return facts_of(part)
        case EachOf(parts) | OneOf(parts):
            return [fact for part in parts for fact in facts_of(part)]


def as_facts(condition: DealCondition | None) -> dict[str, Any] | None:
    plain: dict[str, Any] | None = msgspec.json.decode(msgspec.json.encode(condition))
    return plain
