"""The Tleilaxu Ghola, Thumper, Harvester and Amal.

The Tleilaxu Ghola (AH.AID.TIMED.4, WBC.AID.2) revives a leader or up to five tokens of its player, at any stop and for
free. These tokens do not count towards the three that may come back in a turn (AH.IX.B.2), but at most one starred
token comes back in a turn, by whatever means (A-56). A leader may come back while others are still alive, and even
after a second death. A leader brought back during the battles of a turn takes no part in the rest of them (AH.QA.A.5).
The Kwisatz Haderach counts as a leader (AH.SHIELD.ATR.4-f).

Thumper and Harvester are played in the spice blow (IT.CARD.22 to 26). A Thumper replaces the first spice card, and play
continues as if a worm had been turned. A Harvester doubles the spice of the latest blow. The holders of these cards are
secret, so everybody is asked as long as the card may be in somebody's hand.

Amal (IT.CARD.27) is played at the beginning of a phase. All players, including its holder, give half of their spice to
the bank, fractions rounded up. Nine phases begin in each turn, and the game does not wait for such a rare card at each
of them. So its holder names the phase in advance, or files the card with a condition. Amal takes effect before anything
else in the phase. Spice in front of the shields is exempt (IT.CARD.28).

Each check looks at the public position, such as the tanks, before it looks at the hand, so that a refusal reveals
nothing about the hand.
"""

from __future__ import annotations

from msgspec import UNSET

from rules.chapters.deals import take_bribes
from rules.chapters.revival import LIMIT_HOLDS_FOR_CARDS, starred_tokens_left
from rules.chapters.revival_costs import stopped_for_cards, too_many_by_card
from rules.chapters.spice_blow import BLOWS
from rules.components import LEADERS, Card, Faction, Forces, Leader, the_faction
from rules.components.board import territory_of
from rules.decisions.catalogue import factions_with, rules_of, serving_others
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import card_window
from rules.orders import Amal, Ghola, Harvester, Thumper
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import not_in_box
from rules.state.game import Game

GHOLA = Card("Tleilaxu Ghola")
MOST_TOKENS_BY_GHOLA = 5

REVIVED_BY_GHOLA_SITS_OUT = Option("ghola_leader_same_turn", {"no": True, "yes": False})


def refuse_ghola(game: Game, faction: Faction, order: Ghola) -> Refusal | None:
    refusal = ghola_never_legal(game, faction, order) or stopped_for_cards(game, faction)
    if refusal is not None:
        return refusal
    if order.forces is not None:
        refusal = _check_forces(game, faction, order.forces)
    elif order.leader is not None:
        refusal = _check_leader(game, order.leader)
    else:
        refusal = _check_kwisatz_haderach(game)
    if refusal is None and not game.holds(faction, GHOLA):
        refusal = Refusal("You hold no Tleilaxu Ghola.", "ghola.card")
    return refusal


def ghola_never_legal(game: Game, faction: Faction, order: Ghola) -> Refusal | None:
    named = (order.forces is not None) + (order.leader is not None) + order.kwisatz_haderach
    if named != 1:
        return Refusal("A Ghola brings back either a leader or tokens: name one of them.", "ghola.what")
    leader = order.leader
    if leader is not None and LEADERS[leader].faction != faction:
        return Refusal(f"{leader} is not one of your leaders; a Ghola can revive only your own.", "ghola.own-pieces")
    if order.kwisatz_haderach and not rules_of(game, faction).has_kwisatz_haderach(game):
        return Refusal("You have no Kwisatz Haderach.", "ghola.kwisatz-haderach")
    return None


def _check_forces(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    tanks = game.player(faction).tanks
    if not forces:
        return Refusal("A Ghola must bring back at least one token.", "ghola.what")
    if forces.total > MOST_TOKENS_BY_GHOLA:
        return Refusal(f"A Ghola brings back at most {MOST_TOKENS_BY_GHOLA} tokens, not {forces.total}.", "ghola.what")
    if not tanks.covers(forces):
        return Refusal(f"You have {tanks} in the tanks, so you cannot revive {forces}.", "ghola.own-pieces")
    if forces.elite and LIMIT_HOLDS_FOR_CARDS(game.rules):
        left = starred_tokens_left(game, faction)
        if left == 0:
            return Refusal("You have already revived your one starred token for this turn.", "revival.starred")
        if forces.elite > left:
            return Refusal(f"Only one starred token can be revived in a turn, not {forces.elite}.", "revival.starred")
    return too_many_by_card(game, faction, forces.total)


def _check_leader(game: Game, leader: Leader) -> Refusal | None:
    if game.state.leaders[leader].status == "ready":
        return Refusal(f"{leader} is not in the tanks.", "ghola.card")
    if (service := serving_others(game).get(leader)) is not None:
        why = f"{leader} is in the service of {the_faction(service)}, who alone can let the leader go."
        return Refusal(why, "revival.in-service-of-others")
    return None


def _check_kwisatz_haderach(game: Game) -> Refusal | None:
    if game.state.kwisatz_haderach != "dead":
        return Refusal("The Kwisatz Haderach is not in the tanks.", "revival.kwisatz-haderach")
    return None


def play_ghola(game: Game, faction: Faction, order: Ghola) -> Flow:
    state = game.state
    sits_out = game.moments.battles_begun and REVIVED_BY_GHOLA_SITS_OUT(game.rules)
    game.discard(faction, GHOLA)
    for other in factions_with(game, FactionRules.notices_ghola_card):
        rules_of(game, other).notices_ghola_card(game, faction)
    if order.forces is not None:
        game.revive(faction, order.forces)
        if order.forces.elite and LIMIT_HOLDS_FOR_CARDS(game.rules):
            state.elite_revived.append(faction)
        game.tell("ghola-tokens", faction=faction, forces=str(order.forces))
    elif order.leader is not None:
        standing = state.leaders[order.leader]
        standing.status = "ready"
        standing.seen_by = ()
        standing.fought_in = None
        standing.sits_out = sits_out
        game.tell("ghola-leader", faction=faction, leader=order.leader, sits_out=standing.sits_out)
    else:
        state.kwisatz_haderach = "used" if sits_out else "ready"
        game.tell("ghola-kwisatz-haderach", faction=faction, sits_out=sits_out)
    yield from ()


THUMPER = Card("Thumper")
HARVESTER = Card("Harvester")

ON_ANY_PILE = Option("thumper_pile", {"first": False, "any": True})
"""True if a Thumper may also be played before the second pile (IT.CARD.25)."""
WASTED_ON_FIRST_TURN = Option("thumper_turn_1", {"refused": False, "wasted": True})
"""True if a Thumper may be played on the first turn, without effect (IT.CARD.26)."""
WHOLE_PILE = Option("harvester_doubles", {"blow": False, "whole_pile": True})
"""True if a Harvester doubles all spice that lies there after the blow (IT.CARD.22)."""


# --- Thumper ------------------------------------------------------------------------------------------------------


def thumper_gap(game: Game) -> Flow:
    moment = game.moments.spice
    if moment is None or THUMPER in not_in_box(game.rules):
        return
    first = moment.piles_to_come + 1 == BLOWS(game.rules)
    useless = game.state.turn == 1 and not WASTED_ON_FIRST_TURN(game.rules)
    if useless or not (first or ON_ANY_PILE(game.rules)):
        return
    moment.thumper_time = True
    yield from card_window(game, "thumper", THUMPER, Thumper(), lambda: moment.thumper_time)
    moment.thumper_time = False


def refuse_thumper(game: Game, faction: Faction, order: Thumper) -> Refusal | None:
    if game.state.turn == 1 and not WASTED_ON_FIRST_TURN(game.rules):
        return Refusal("On the first turn a Thumper has no effect, just like the worms.", "thumper.first-turn")
    moment = game.moments.spice
    if moment is None or not moment.thumper_time:
        return Refusal("A Thumper must be played before the first spice card is turned.", "thumper.when")
    return None if game.holds(faction, THUMPER) else Refusal("You do not hold the Thumper.", "thumper.when")


def play_thumper(game: Game, faction: Faction, order: Thumper) -> Flow:
    """Discard the card and let a worm appear before any spice card is turned (IT.CARD.24, FAQ.TREACHERY.2)."""
    yield from ()
    game.discard(faction, THUMPER)
    game.tell("thumper", faction=faction)
    moment = game.moments.spice
    assert moment is not None
    moment.thumper_time = False
    moment.thumped = game.state.turn > 1


# --- Harvester ----------------------------------------------------------------------------------------------------


def harvester_gap(game: Game) -> Flow:
    """Ask whether anybody plays a Harvester, after a blow that brought spice (IT.CARD.23)."""
    moment = game.moments.spice
    if moment is None or moment.laid is None or not moment.laid[1] or HARVESTER in not_in_box(game.rules):
        return
    filed = game.state.box.harvester_filed
    for faction, order in list(filed.items()):
        if refuse_harvester(game, faction, order) is None:
            yield from play_harvester(game, faction, order)
    if moment.laid is None:
        return
    area, amount = moment.laid
    yield from card_window(
        game, "harvester", HARVESTER, Harvester(), lambda: moment.laid is not None, area=area, amount=amount
    )


def refuse_harvester(game: Game, faction: Faction, order: Harvester) -> Refusal | None:
    moment = game.moments.spice
    if moment is None or moment.laid is None:
        if harvester_is_filed(game, order) and _blow_to_come(game):
            return None if game.holds(faction, HARVESTER) else _NOT_HELD
        why = "A Harvester is played right after a spice blow; for a later blow, send “harvester on TERRITORY”."
        return Refusal(why, "harvester.when")
    area, amount = moment.laid
    if not amount:
        return Refusal("This blow was under the storm: there is nothing to double.", "harvester.storm")
    if order.territory and territory_of(area) != order.territory:
        return Refusal("The spice blew elsewhere.", "harvester.when")
    if amount < order.least:
        return Refusal(f"This blow brought {amount}.", "harvester.when")
    return None if game.holds(faction, HARVESTER) else _NOT_HELD


_NOT_HELD = Refusal("You do not hold the Harvester.", "harvester.when")


def harvester_is_filed(game: Game, order: Harvester) -> bool:
    """Return whether the order waits for a later blow and must therefore stay hidden from other players."""
    moment = game.moments.spice
    return bool(order.territory or order.least) and (moment is None or moment.laid is None)


def _blow_to_come(game: Game) -> bool:
    moment, phase = game.moments.spice, game.state.phase
    return phase == "storm" or (phase == "spice" and (moment is None or moment.blows_to_come))


def filed_harvester(game: Game, faction: Faction) -> Harvester | None:
    return None if game.state.expansion is UNSET else game.state.box.harvester_filed.get(faction)


def take_back_harvester(game: Game, faction: Faction) -> None:
    game.state.box.harvester_filed.pop(faction, None)


def play_harvester(game: Game, faction: Faction, order: Harvester) -> Flow:
    """Discard the card and double the spice of the blow that has just come (IT.CARD.22), or file the order for a later
    blow."""
    yield from ()
    filed, moment = game.state.box.harvester_filed, game.moments.spice
    if moment is None or moment.laid is None:
        filed[faction] = order
        return
    filed.pop(faction, None)
    game.discard(faction, HARVESTER)
    area, blown = moment.laid
    amount = game.state.spice.get(area, 0) if WHOLE_PILE(game.rules) else blown
    game.add_spice(area, amount)
    moment.laid = None
    game.tell("harvester", faction=faction, area=area, amount=amount)


AMAL = Card("Amal")

BRIBES_ARE_SAFE = Option("amal_before_bribes", {"yes": True, "no": False})
"""True if players take their bribes only after the moment for Amal in the Mentat Pause (IT.CARD.29)."""


def amal_gap(game: Game) -> Flow:
    if AMAL in not_in_box(game.rules) or game.state.phase == "setup":
        return
    if game.state.phase == "mentat" and not BRIBES_ARE_SAFE(game.rules):
        take_bribes(game)
    filed = game.state.box.amal_filed
    for faction in [one for one, phase in filed.items() if phase == game.state.phase]:
        del filed[faction]
        if game.holds(faction, AMAL):
            yield from play_amal(game, faction, Amal())
    game.moments.amal_time = True
    yield from card_window(game, "amal", AMAL, Amal(), lambda: game.moments.amal_time)
    game.moments.amal_time = False


def refuse_amal(game: Game, faction: Faction, order: Amal) -> Refusal | None:
    if order.phase == game.state.phase and not game.moments.amal_time:
        why = f"The {order.phase} phase has begun, and Amal comes before anything else; order it when this phase ends."
        return Refusal(why, "amal.when")
    if order.phase is None and not game.moments.amal_time:
        why = "Amal is played at the very beginning of a phase; to order it in advance, send “amal in PHASE”."
        return Refusal(why, "amal.when")
    if order.phase in ("setup", "over"):
        return Refusal("Amal cannot be played before the first turn or after the last.", "amal.when")
    return None if game.holds(faction, AMAL) else Refusal("You do not hold Amal.", "amal.when")


def amal_is_unseen(game: Game, order: Amal) -> bool:
    return order.phase not in (None, game.state.phase)


def play_amal(game: Game, faction: Faction, order: Amal) -> Flow:
    yield from ()
    if order.phase is not None and amal_is_unseen(game, order):
        game.state.box.amal_filed[faction] = order.phase
        return
    take_back_amal(game, faction)
    game.discard(faction, AMAL)
    given = {each: (player.spice + 1) // 2 for each, player in game.state.players.items()}
    for each, amount in given.items():
        game.pay(each, amount)
    game.moments.amal_time = False
    game.tell("amal", faction=faction, given=given)


def filed_amal(game: Game, faction: Faction) -> Amal | None:
    phase = None if game.state.expansion is UNSET else game.state.box.amal_filed.get(faction)
    return Amal(phase) if phase else None


def take_back_amal(game: Game, faction: Faction) -> None:
    game.state.box.amal_filed.pop(faction, None)
