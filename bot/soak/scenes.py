"""Scenes: positions right before something that seldom comes about, each with players who wish for just that.

A scene is laid over a late position (``bot.soak.late_positions``) and begins in the phase of what it is for, in the
last turn or shortly before it. So it is soon over, and many of them take less time than one whole game. Tokens, cards,
leaders and spice are only put elsewhere, so a scene is watched like any other game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.soak import arranged
from bot.soak.powers import karama_effects
from rules.components import Faction
from rules.orders import (
    Accept,
    Advise,
    Answer,
    AskForLeader,
    Bid,
    Exchange,
    FamilyAtomics,
    FeedAlly,
    Fight,
    KaramaEffect,
    Lose,
    Move,
    NamePrice,
    Order,
    PhaseName,
    Plan,
    RaiseLimits,
    Redraw,
    Replace,
    RevealDancer,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ship,
    StrongholdTo,
    Support,
    Swap,
    SwapDancer,
    Treachery,
    WeatherControl,
)
from rules.rulesets.box import expansion_of
from rules.rulesets.ruleset import RuleSet

FEWEST = 4
"""So many play in a scene, or one more than must be there."""


@dataclass(frozen=True, slots=True)
class Scene:
    """In which ``phase`` it begins, who must be there, the effects of a Karama that are wished for, what else is put
    in its place, which answers its players prefer, and how many turns follow."""

    phase: PhaseName
    needs: tuple[Faction, ...] = ()
    wishes: tuple[KaramaEffect, ...] = ()
    arrange: arranged.Arrange = lambda game, chance: None
    prefers: tuple[type[Order], ...] = ()
    likes: Callable[[Order], bool] = lambda order: True
    turns_to_come: int = 0
    often: int = 1


SCENES: Mapping[str, Scene] = {
    # Storm, spice and charity
    "storm cards": Scene("storm", (), (), arranged.storm_cards, (FamilyAtomics, WeatherControl), often=2),
    "a storm card": Scene("storm", ("fremen",), ("cancel storm card",), often=2),
    "the mobile stronghold goes": Scene(
        "mentat", ("ixians",), ("cancel hms move",), arranged.inside, (StrongholdTo,), turns_to_come=1, often=2
    ),
    "a worm": Scene("spice", ("fremen",), ("cancel worm", "worm"), arranged.worms, (FeedAlly,), often=2),
    "a Truthtrance": Scene("charity", (), (), arranged.truthtrance, (Answer,), often=2),
    "charity and a look at the auction": Scene(
        "charity", ("bene-gesserit", "ixians"), ("cancel charity", "cancel auction look"), arranged.empty_hands, often=2
    ),
    # Bidding
    "Technology": Scene(
        "bidding", ("ixians", "harkonnen"), ("cancel technology", "take cards"), arranged.empty_hands, (Swap,), often=2
    ),
    "a redraw": Scene("bidding", ("ixians",), ("cancel redraw",), arranged.redraw, (Bid, Redraw), often=3),
    "a free card": Scene("bidding", ("harkonnen",), ("cancel free card",), arranged.free_card, (Bid,), often=2),
    "a payment for a card": Scene("bidding", ("emperor",), ("cancel card payment",), arranged.empty_hands),
    "a gift": Scene("bidding", ("emperor",), ("cancel gift",), arranged.auction_for("emperor")),
    "a card for a Karama": Scene("bidding", (), ("free card purchase",), arranged.empty_hands),
    "worthless cards": Scene(
        "bidding", ("bene-gesserit", "atreides"), ("cancel karama", "block bidding cards"), arranged.worthless, often=3
    ),
    # Revival
    "revivals of the Emperor": Scene(
        "revival", ("emperor",), ("cancel extra revival", "revive"), arranged.helped_by("emperor"), (Revive,), often=2
    ),
    "an ally pays": Scene(
        "revival", ("emperor",), (), arranged.helped_by("emperor"), (Revive, Support), arranged.with_help, often=3
    ),
    "an early revival": Scene(
        "revival", ("tleilaxu",), ("cancel early revival",), arranged.graves, (AskForLeader, NamePrice, Accept), often=2
    ),
    "a payment for a revival": Scene("revival", ("tleilaxu",), ("cancel revival payment",), arranged.graves),
    "a revival that is stopped": Scene(
        "revival", ("tleilaxu",), ("stop revival", "cancel ghola"), arranged.one_by_one, often=2
    ),
    "limits and prices": Scene(
        "revival", ("tleilaxu",), ("cancel raised limits", "cancel half price"), arranged.helped_by("tleilaxu"),
        (RaiseLimits, Revive, ReviveLeader), often=2,
    ),
    "an ally of the Tleilaxu": Scene(
        "revival", ("tleilaxu",), (), arranged.helped_by("tleilaxu"), (Revive, ReviveLeader)
    ),
    "the Kwisatz Haderach is dead": Scene(
        "revival", ("atreides",), (), arranged.lost_haderach, (ReviveKwisatzHaderach,)
    ),
    # Movement
    "a shipment": Scene(
        "movement", ("guild",), ("cancel shipping payment", "stop shipment"), arranged.fleets, (Ship,), often=2
    ),
    "the Guild ships": Scene(
        "movement", ("guild",), ("cancel guild shipment", "cancel half rate"), arranged.fleets, (Ship,), often=2
    ),
    "the Guild's ally ships": Scene(
        "movement", ("guild",), ("cancel ally rate",), arranged.fleets_with("guild"), (Ship,), often=2
    ),
    "a landing in the storm": Scene("movement", ("fremen",), (), arranged.landing_in_storm, (Ship,), often=2),
    "the Guild in turn": Scene("movement", ("guild", "ixians"), ("guild in turn", "hms"), arranged.inside, often=3),
    "far moves": Scene(
        "movement", ("fremen", "ixians"), ("cancel fremen move", "cancel cyborg speed"), arranged.fleets_on_sand,
        (Move,),
        often=2,
    ),
    "Cyborgs go far": Scene("movement", ("ixians",), (), arranged.fleets_on_sand, (Move,)),
    "an advisor": Scene(
        "movement", ("bene-gesserit",), ("cancel advisor", "half shipping"), arranged.fleets, (Ship, Advise), often=2
    ),
    "a flip": Scene("movement", ("bene-gesserit",), ("cancel flip",), arranged.flips, (Fight,)),
    "a token that pays": Scene("movement", (), ("cancel token payment",), arranged.fleets, (Ship,)),
    # Battle
    "the Voice and prescience": Scene(
        "battle", ("bene-gesserit", "atreides"), ("cancel voice", "cancel prescience"),
        arranged.against("bene-gesserit", "atreides"), often=2,
    ),
    "the Kwisatz Haderach": Scene("battle", ("atreides",), ("cancel kwisatz haderach", "see plan"), arranged.haderach),
    "the Kwisatz Haderach awakes": Scene("battle", ("atreides",), (), arranged.awakening),
    "an explosion": Scene("battle", ("atreides",), (), arranged.explosion, often=2),
    "Sardaukar": Scene("battle", ("emperor",), ("cancel sardaukar",), arranged.against("emperor")),
    "Fedaykin": Scene("battle", ("fremen",), ("cancel fedaykin",), arranged.against("fremen")),
    "Cyborgs": Scene("battle", ("ixians",), ("cancel cyborgs",), arranged.against("ixians")),
    "Suboids for Cyborgs": Scene("battle", ("ixians",), ("cancel exchange",), arranged.exchange, (Plan, Lose, Exchange),
        arranged.loses_some_cyborgs, often=2,
    ),
    "a captive": Scene("battle", ("harkonnen",), ("cancel capture",), arranged.capture, often=3),
    "a traitor for an ally": Scene(
        "battle", ("harkonnen",), ("cancel ally traitor",), arranged.traitor_for_an_ally, (Treachery,), often=4
    ),
    "cards of two uses": Scene("battle", (), (), arranged.two_uses, (Plan,)),
    "special weapons": Scene("battle", (), (), arranged.special_weapons, (Plan,), often=2),
    "gholas lead": Scene("battle", ("tleilaxu",), (), arranged.gholas),
    "the last face dancer": Scene(
        "battle", ("tleilaxu",), (), arranged.all_but_one_shown, (RevealDancer, Replace), often=2
    ),
    # The end
    "a victory foreseen": Scene("mentat", ("bene-gesserit",), (), arranged.foreseen, often=2),
    "a face dancer goes back": Scene(
        "mentat", ("tleilaxu",), ("cancel dancer swap",), arranged.hidden_dancers,
        (SwapDancer,), turns_to_come=1, often=2
    ),
}  # fmt: skip
"""By what they are made for."""


def scenes_of(rules: RuleSet) -> list[str]:
    """The scenes that are played in turn: with an expansion, those whose effects a Karama has in the rule set."""
    effects = set(karama_effects(rules))
    if not expansion_of(rules):
        return []
    able = {name: scene for name, scene in SCENES.items() if effects.issuperset(scene.wishes)}
    most = max(scene.often for scene in able.values())
    return [name for times in range(most) for name, scene in able.items() if scene.often > times]
