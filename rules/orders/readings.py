"""The meaning of Truthtrance questions and deal conditions, as typed values.

A question is English, and the rules do not read English. The code that accepts an order from a player reads its
question once and puts the *reading* beside it; both are logged together. So a later, better reader of English changes
no earlier game.

A reading is as relative as the words that it was made from: "this turn", "in this battle", "on this card".
``rules.cards.truthtrance`` resolves it in the position when the card is played. A reading is made only from the words
and the names of the two players. It reveals nothing of the position.

A *deal condition* is what the spice or the end of a deal depends on: public facts, and combinations of them. Players
write it in the language of their sheets. It is read once and logged beside the words, like a reading. It names only
what is public: the turn, the board, announced events. It cannot name anything behind a shield.
``rules.chapters.public_facts`` evaluates the names.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from rules.components import Card, Faction, Leader
from rules.components.board import TerritoryId
from rules.components.cards import Element

LONGEST_QUESTION = 300  # letters
KWISATZ_HADERACH = "kwisatz haderach"  # listed beside leaders in questions about who fights or comes back


class Amount(msgspec.Struct, frozen=True):
    """A number from ``least`` to ``most``; None is no upper bound. A dial may end in a half.

    >>> Amount(2, 4).holds(5)
    False
    """

    least: int | float = 1
    most: int | float | None = None

    def holds(self, number: float) -> bool:
        return self.least <= number and (self.most is None or number <= self.most)


ANY = Amount()


# --- Facts: what is true or not as the question is put ------------------------------------------------------------


class Fact(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """The base of all facts about the player asked."""


class InHand(Fact, frozen=True):
    """Holds this number of these cards; None means any cards."""

    cards: tuple[Card, ...] | None = None
    amount: Amount = ANY


class HandFull(Fact, frozen=True):
    """Can hold no more cards."""


class InPay(Fact, frozen=True):
    """Has one of these leaders as a traitor."""

    leaders: tuple[Leader, ...]


class InDisguise(Fact, frozen=True):
    """Has one of these leaders as a face dancer (IT.FD)."""

    leaders: tuple[Leader, ...]


class Captured(Fact, frozen=True):
    """Holds one of these leaders captive."""

    leaders: tuple[Leader, ...]


class Predicted(Fact, frozen=True):
    """Has predicted one of these factions to win in one of these turns; an empty tuple means any."""

    factions: tuple[Faction, ...] = ()
    turns: tuple[Amount, ...] = ()


class OwnsSpice(Fact, frozen=True):
    """Has this much spice."""

    amount: Amount = ANY


class OwnsTokens(Fact, frozen=True):
    """Has this many tokens there."""

    where: Literal["reserves", "tanks"]
    amount: Amount = ANY


AnyFact = InHand | HandFull | InPay | InDisguise | Captured | Predicted | OwnsSpice | OwnsTokens


# --- Acts: what somebody will do, as far as it can be checked (WBC.AID.6 to 12) -----------------------------------


class Act(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Base of all acts."""


class PlayCard(Act, frozen=True):
    """Plays one of these cards, in a battle plan or by itself at its own time."""

    cards: tuple[Card, ...]


class Lead(Act, frozen=True):
    """Fights with one of these: leaders' names, ``CHEAP_HERO`` or ``KWISATZ_HADERACH``."""

    leaders: tuple[str, ...]


class Dial(Act, frozen=True):
    """Dials this number."""

    amount: Amount


class CallTreachery(Act, frozen=True):
    """Calls a traitor."""


class BidFor(Act, frozen=True):
    """Bids this much for a card."""

    amount: Amount = ANY


class ShipTo(Act, frozen=True):
    """Ships this many tokens to the territory; None means anywhere on Dune."""

    territory: TerritoryId | None = None
    amount: Amount = ANY


class MoveTo(Act, frozen=True):
    """Moves this many tokens to the territory; None means anywhere."""

    territory: TerritoryId | None = None
    amount: Amount = ANY


class SendAdvisor(Act, frozen=True):
    """Sends a spiritual advisor to the territory; None means anywhere."""

    territory: TerritoryId | None = None


class AllyWith(Act, frozen=True):
    """Names the faction as an ally."""

    faction: Faction


class LeaveAlliance(Act, frozen=True):
    """Breaks their alliance."""


class RideWorm(Act, frozen=True):
    """Rides a worm to the territory; None means anywhere."""

    territory: TerritoryId | None = None


class ReviveTokens(Act, frozen=True):
    """Revives this many tokens."""

    amount: Amount = ANY


class ReviveOneOf(Act, frozen=True):
    """Revives one of these leaders (or the Kwisatz Haderach)."""

    leaders: tuple[str, ...]


class TakeCharity(Act, frozen=True):
    """Claims charity."""


class Enter(Act, frozen=True):
    """Enters the territory, by a shipment or by a move."""

    territory: TerritoryId


class Attack(Act, frozen=True):
    """Goes, by a shipment or by a move, where the faction is; a territory of None means anywhere."""

    faction: Faction
    territory: TerritoryId | None = None


class UseVoice(Act, frozen=True):
    """Gives a command by the Voice."""


class UsePrescience(Act, frozen=True):
    """Asks for one of these elements of a battle plan."""

    elements: tuple[Element, ...] = get_args(Element)


class GiveSpice(Act, frozen=True):
    """Gives the faction this much spice, in Collection or as a gift between allies."""

    faction: Faction
    amount: Amount = ANY


AnyAct = (
    PlayCard | Lead | Dial | CallTreachery | BidFor | ShipTo | MoveTo | SendAdvisor | AllyWith | LeaveAlliance |
    RideWorm | ReviveTokens | ReviveOneOf | TakeCharity | Enter | Attack | UseVoice | UsePrescience | GiveSpice
)  # fmt: skip
IN_BATTLE = (PlayCard, Lead, Dial, CallTreachery, UseVoice, UsePrescience)
"""Acts that may be promised for a battle in one place or with one opponent."""


# --- Conditions: what has to happen or to be so before an act is due (WBC.AID.7) ----------------------------------


class Does(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction does this. It is met once everybody knows of it."""

    faction: Faction
    act: AnyAct


class Buys(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction wins this card of the auction (0: any card). ``this_card`` means the card that is up
    when the question is asked."""

    faction: Faction
    card: int = 0
    this_card: bool = False


class Comes(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: a nexus comes, or a worm appears."""

    what: Literal["nexus", "worm-appeared"]


class Allied(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the two are allied at the time of the act."""

    one: Faction
    other: Faction


class Stands(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the faction has tokens in the territory at the time of the act."""

    faction: Faction
    territory: TerritoryId


class Holds(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A condition: the player who promised holds one of these cards at the time of the act."""

    cards: tuple[Card, ...]


Condition = Does | Buys | Comes | Allied | Stands | Holds


# --- The whole reading ---------------------------------------------------------------------------------------------


class Occasion(msgspec.Struct, frozen=True, omit_defaults=True):
    """When and where an act counts, according to the words.

    ``turn`` is the number of a named turn. Without one it is "usual": the next time that such an act is done.
    ``this_battle`` and ``this_card`` are the current ones when the question is asked; ``card`` is the number of a card
    in the auction. ``in_battle``: the act counts only in battles, in that territory and with that opponent if they are
    named. ``only_against``: an opponent is named but no battle, so a card with another use may be meant outside
    battles.
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
"""The subject of an answer that cannot be checked; its player is reminded of it where that subject is decided."""


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """The meaning of a question, as far as it was understood.

    - ``facts``: facts of the present; the answer is yes if all of them are true.
    - ``act``: a future act, which counts on the ``occasion``, under the ``condition``.
    - ``negative``: the question is whether the player asked will *not* do it.
    - ``matters``: the subjects of a question about the future whose act was not understood, or can be checked only in
      some positions.
    - ``about_itself``: the question is about its own answer.
    - ``about_next``: the question is about the answer to a later one.
    - ``off_topic``: the question has nothing to do with the game.

    Without facts and without an act, the players judge whether an answer is true.
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
"""The public facts that a condition may ask for."""

NUMBERS: frozenset[FactName] = frozenset({
    "turn", "storm", "worms", "tokens", "spice-in", "strongholds", "tanks", "hand-count", "bought", "tokens-shipped",
    "tokens-shipped-to", "battles-won",
})  # fmt: skip
"""The facts that are numbers and are compared."""

MOST_FACTS = 16


class PublicFact(msgspec.Struct, frozen=True, tag=True, gc=False):
    """One public fact. ``about`` are its factions, places, leaders and cards, as named in ``data/``. A number must be
    at least ``least`` and at most ``most`` (None: no upper bound)."""

    name: FactName
    about: tuple[str, ...] = ()
    least: int = 1
    most: int | None = None


class NotSo(msgspec.Struct, frozen=True, tag=True, gc=False):
    """The part is known to be false."""

    part: DealCondition


class EachOf(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Every part holds."""

    parts: tuple[DealCondition, ...]


class OneOf(msgspec.Struct, frozen=True, tag=True, gc=False):
    """At least one part holds."""

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
