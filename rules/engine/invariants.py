"""Invariants that hold in every game whenever it waits: nothing is created, lost or in two places.

Corrections, tests and long runs of random games check them. They hold only in games that began with a set-up, because
a ruling's position may leave out tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rules.chapters.battle_leaders import HADERACH_WAITS_FOR_NEXT_TURN
from rules.chapters.setup import MAX_TURNS, OWN_MAY_BE_KEPT, all_forces
from rules.chapters.spice_blow import LARGEST_ALLIANCE
from rules.components import KWISATZ_HADERACH_LOSSES, LEADERS, SANDTROUT, Faction, board, faction_name, traitor_owner
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import SPECIAL_KARAMA
from rules.rulesets.ruleset import spice_deck, treachery_deck
from rules.state.game import Game


class InvariantBroken(AssertionError):
    pass


def check_invariants(game: Game) -> None:
    """Raise ``InvariantBroken`` if the position breaks an invariant. The message lists everything that is wrong."""
    wrong = [*_tokens(game), *_treachery(game), *_spice(game), *_deals(game), *_leaders(game), *_seats(game)]
    if wrong:
        state = game.state
        raise InvariantBroken(f"turn {state.turn}, {state.phase}: {'; '.join(wrong)}")


def _tokens(game: Game) -> Iterator[str]:
    state = game.state
    count = {faction: player.reserves + player.tanks for faction, player in state.players.items()}
    for area, here in state.forces.items():
        if area not in board.AREAS or not here:
            yield f"{area} is not an area, or is empty"
        for faction, forces in here.items():
            count[faction] += forces
            if not forces or forces.ordinary < 0 or forces.elite < 0:
                yield f"{faction} has {forces} in {area}"
    for faction, there in count.items():
        if there != all_forces(game.rules, faction):
            yield f"{faction} has {there} tokens"
    for player in state.players.values():
        if min(*player.reserves, *player.tanks) < 0:
            yield f"{player.faction} has a negative number of tokens"


def _treachery(game: Game) -> Iterator[str]:
    state = game.state
    places = Counter(state.treachery_deck) + Counter(state.treachery_discard) + Counter(state.set_aside)
    if game.moments.auction:
        places += Counter(game.moments.auction.cards) + Counter(game.moments.auction.looked_at)
    places += Counter(state.box.dealt_cards)
    for player in state.players.values():
        places += Counter(player.hand)
        stealing = "take cards" in rules_of(game, player.faction).own_karama and SPECIAL_KARAMA(game.rules)
        if len(player.hand) > game.hand_limit(player.faction) and not stealing:
            yield f"{player.faction} holds {len(player.hand)} cards"
    box = Counter(treachery_deck(game.rules))
    if places != box:
        yield f"treachery cards too many: {dict(places - box)}, missing: {dict(box - places)}"
    if ("Family Atomics" in state.set_aside) == state.shield_wall:
        yield "the Shield Wall and Family Atomics disagree"


def _spice(game: Game) -> Iterator[str]:
    state = game.state
    cards = Counter(state.spice_deck)
    for pile in state.spice_discard:
        cards += Counter(pile)
    cards[SANDTROUT] += state.box.sandtrout
    cards = +cards
    box = Counter(spice_deck(game.rules))
    if cards != box:
        yield f"spice cards: {dict(cards - box)} and {dict(box - cards)}"
    for player in state.players.values():
        if player.spice < 0:
            yield f"{player.faction} has {player.spice} spice"
    for area, amount in state.spice.items():
        if amount <= 0 or board.TERRITORIES[board.territory_of(area)].spice_area != area:
            yield f"{amount} spice in {area}"


def _deals(game: Game) -> Iterator[str]:
    for deal in game.state.deals:
        if (terms := deal.terms) is None:
            continue
        if any(amount <= 0 or payer not in deal.parties for payer, amount in terms.escrow.items()):
            yield f"an escrow of {terms.escrow}"
        if terms.escrow and terms.stage not in ("waiting", "due") and not terms.released:
            yield f"{terms.escrow} in the escrow of a deal that is {terms.stage}"
        if terms.released and any(amount > deal.pays.get(payer, 0) for payer, amount in terms.escrow.items()):
            yield f"{terms.escrow} in an escrow that owes {deal.pays}"
        if terms.secret and (terms.escrow or deal.pays):
            yield "a secret deal about spice"


def _leaders(game: Game) -> Iterator[str]:
    state = game.state
    held: dict[str, Faction] = {}
    paid: dict[str, Faction] = {}
    if set(state.leaders) != {name for name, facts in LEADERS.items() if facts.faction in state.players}:
        yield "leaders too many or missing"
    for player in state.players.values():
        for leader, owner in player.captured.items():
            whose = LEADERS[leader].faction if leader not in state.box.gholas else owner
            if leader in held or whose != owner or owner == player.faction:
                yield f"{leader} cannot be held by {player.faction}"
            if state.leaders[leader].status != "ready":
                yield f"{leader} is held by {player.faction} and in the tanks"
            held[leader] = player.faction
        for traitor in player.traitors:
            own = traitor_owner(traitor) == player.faction and not OWN_MAY_BE_KEPT(game.rules)
            if traitor in paid or own:
                yield f"{traitor} cannot be in the pay of {player.faction}"
            paid[traitor] = player.faction
    dancers, box = state.box.face_dancers, state.box
    if not paid.keys().isdisjoint(dancers) or len(set(dancers)) < len(dancers):
        yield f"face dancers {dancers} beside traitors {list(paid)}"
    if not set(box.revealed_dancers) <= set(dancers):
        yield f"{box.revealed_dancers} lie open, of {dancers}"
    if any(LEADERS[ghola].faction != owner for ghola, owner in box.gholas.items()):
        yield f"gholas {box.gholas}"


def _seats(game: Game) -> Iterator[str]:
    state, rules = game.state, game.rules
    if not 1 <= state.turn <= MAX_TURNS(rules) or not 1 <= state.storm <= board.SECTORS:
        yield f"turn {state.turn}, storm {state.storm}"
    members = [faction for group in state.alliances for faction in group]
    if len(set(members)) < len(members) or any(faction not in state.players for faction in members):
        yield f"alliances {state.alliances}"
    most = 3 if state.triple_alliances else LARGEST_ALLIANCE(rules) or len(state.players)
    if any(not 2 <= len(group) <= most for group in state.alliances):
        yield f"alliances {state.alliances}"
    if any(rules_of(game, faction).has_kwisatz_haderach(game) for faction in state.players):
        awake = state.lost_in_battle >= KWISATZ_HADERACH_LOSSES
        may_wait = awake and HADERACH_WAITS_FOR_NEXT_TURN(rules)
        if awake == (state.kwisatz_haderach == "locked") and not may_wait:
            yield f"the Kwisatz Haderach is {state.kwisatz_haderach} after {state.lost_in_battle} losses"
    if (state.phase == "over") > bool(state.winners or _is_void(game)) or (
        state.winners and state.phase not in ("mentat", "over")
    ):
        yield f"winners {state.winners} in the {state.phase} phase"
    for winner in state.winners:
        if winner not in state.players:
            yield f"{faction_name(winner)} is not played and wins"


def _is_void(game: Game) -> bool:
    return any(event.kind == "game-won" and event.facts["how"] == "void" for event in game.events)
