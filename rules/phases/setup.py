"""Setting up: prediction, traitors, spice, tokens, cards (AH.III, AH.SHIELD.*.START, WBC.III).

``opening_state`` is the box unpacked for the seats that are played: spice behind the shields, the tokens whose place is
printed on the board, the rest in reserve, the decks in printed order. The flow of the phase shuffles, deals and asks.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules import board
from rules.board import TerritoryId
from rules.components import FACTION_FACTS, SPICE_DECK, TREACHERY_DECK, Faction, Forces, leaders_of
from rules.ruleset import RuleSet
from rules.state import LeaderState, Player, State


def all_forces(rules: RuleSet, faction: Faction) -> Forces:
    """The twenty tokens of a faction; starred ones are as good as others unless the rule set makes them elite."""
    forces = FACTION_FACTS[faction].forces
    return forces if rules.starred_tokens == "elite" else Forces(forces.total)


def opening_state(rules: RuleSet, seats: Mapping[Faction, int]) -> State:
    """The position before the set-up decisions; ``seats`` gives each faction its player dot.

    >>> from rules.ruleset import load_rule_set
    >>> opening_state(load_rule_set("ah-basic"), {"guild": 2}).forces
    {'tueks-sietch/5': {'guild': Forces(ordinary=5, elite=0)}}
    """
    state = State({faction: Player(faction, dot) for faction, dot in sorted(seats.items(), key=lambda seat: seat[1])})
    state.storm = board.STORM_START
    state.treachery_deck = list(TREACHERY_DECK)
    state.spice_deck = list(SPICE_DECK)
    for faction, player in state.players.items():
        facts = FACTION_FACTS[faction]
        player.spice = facts.spice
        player.reserves = all_forces(rules, faction)
        state.leaders.update((leader, LeaderState()) for leader in leaders_of(faction))
        if faction == "bene-gesserit" and rules.bg_start == "any_territory":
            continue  # their token is placed after the Fremen's, where they like
        for territory, number in facts.placed.items():
            area = board.TERRITORIES[TerritoryId(territory)].areas[0]
            player.reserves -= Forces(number)
            state.forces[area] = {faction: Forces(number)}
    return state
