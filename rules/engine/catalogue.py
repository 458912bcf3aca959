"""The catalogue that this program uses: the stages, the factions, the plays that are possible at any stop, and the rule
sets by name."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from rules import cards, chapters, decisions, factions, rulesets
from rules import orders as o
from rules.cards import karama, special_cards, storm_cards, truthtrance
from rules.cards.promises import last_call
from rules.chapters import (
    battle,
    bidding,
    charity,
    collection,
    deals,
    movement,
    public_facts,
    revival,
    setup,
    spice_blow,
    storm,
    tech_tokens,
    victory,
)
from rules.components import Card, Faction
from rules.components.facts import document
from rules.decisions.catalogue import AnytimePlay, Catalogue, Stage
from rules.decisions.question import Flow
from rules.decisions.windows import karama_cards
from rules.factions import (
    bene_gesserit,
    bene_gesserit_advisors,
    bene_gesserit_coexistence,
    face_dancers,
    fremen,
    ixians,
    mobile_stronghold,
    tleilaxu_revivals,
)
from rules.factions.bene_gesserit import EARLY_ANSWER, BeneGesserit
from rules.factions.fremen import Fremen
from rules.factions.great_houses import Atreides, Emperor, Harkonnen
from rules.factions.guild import Guild
from rules.factions.ixians import Ixians
from rules.factions.tleilaxu import Tleilaxu
from rules.rulesets.options import Option, RuleSetError, did_you_mean
from rules.rulesets.ruleset import RULE_SETS, RuleSet, read_rule_set
from rules.state.game import Game


def _collection(game: Game) -> Flow:
    """Play the collection round. Then end the time in which promised cards can be played (WBC.AID.8)."""
    yield from collection.flow(game)
    if game.state.promises:
        yield from last_call(game)


def _in_hand(card: Card) -> Callable[[Game, Faction], int]:
    return lambda game, faction: game.player(faction).hand.count(card)


def _karamas(game: Game, faction: Faction) -> int:
    return len(karama_cards(game, faction))


def _unseen(game: Game, order: object) -> bool:
    return True


def _declared_options() -> Iterator[Option[Any]]:
    for package in (cards, chapters, decisions, factions, rulesets):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for each in vars(import_module(module.name)).values():
                several = each.values() if isinstance(each, dict) else (each,)  # an option, or one for each faction
                yield from (one for one in several if isinstance(one, Option))


CATALOGUE = Catalogue(
    stages={
        "setup": Stage(
            "setup", setup.flow, (*setup.QUESTIONS, *bene_gesserit.PREDICTION_QUESTIONS, ixians.FirstCardQuestion)
        ),
        "storm": Stage(
            "storm",
            storm.flow,
            (
                *mobile_stronghold.QUESTIONS,
                *storm.QUESTIONS,
                *storm_cards.WEATHER_CONTROL_QUESTIONS,
                *storm_cards.FAMILY_ATOMICS_QUESTIONS,
            ),
        ),
        "spice": Stage(
            "spice",
            spice_blow.flow,
            (
                *spice_blow.QUESTIONS,
                *fremen.PLACING_QUESTIONS,
                *fremen.RIDING_QUESTIONS,
                *bene_gesserit_advisors.QUESTIONS_WHEN_RIDDEN,
            ),
        ),
        "charity": Stage("charity", charity.flow, charity.QUESTIONS),
        "bidding": Stage(
            "bidding",
            bidding.flow,
            (
                ixians.ReturnQuestion,
                ixians.TechnologyQuestion,
                *bidding.QUESTIONS,
                ixians.RedrawQuestion,
                *karama.QUESTIONS,
            ),
        ),
        "revival": Stage("revival", revival.flow, (*tleilaxu_revivals.QUESTIONS, *revival.QUESTIONS)),
        "movement": Stage(
            "movement",
            movement.flow,
            (
                *movement.QUESTIONS,
                *bene_gesserit_coexistence.QUESTIONS,
                *bene_gesserit_advisors.FLIP_QUESTIONS,
                *bene_gesserit_advisors.ADVISOR_QUESTIONS,
                *fremen.RIDING_QUESTIONS,
            ),
        ),
        "battle": Stage("battle", battle.flow, (*battle.QUESTIONS, ixians.ExchangeQuestion, *face_dancers.QUESTIONS)),
        "collection": Stage("collection", _collection, collection.QUESTIONS),
        "mentat": Stage(
            "mentat",
            victory.flow,
            (*victory.QUESTIONS, *face_dancers.QUESTIONS_OF_PAUSE, *mobile_stronghold.QUESTIONS_OF_PAUSE),
        ),
    },
    factions={
        "atreides": Atreides("atreides"),
        "bene-gesserit": BeneGesserit("bene-gesserit"),
        "emperor": Emperor("emperor"),
        "fremen": Fremen("fremen"),
        "guild": Guild("guild"),
        "harkonnen": Harkonnen("harkonnen"),
        "ixians": Ixians("ixians"),
        "tleilaxu": Tleilaxu("tleilaxu"),
    },
    plays={
        o.Karama: AnytimePlay(karama.check, karama.play, karama.is_unseen, _karamas, karama.never_legal),
        o.Truthtrance: AnytimePlay(
            truthtrance.check,
            truthtrance.play,
            cards=_in_hand(truthtrance.TRUTHTRANCE),
            never_legal=truthtrance.never_legal,
        ),
        o.Thumper: AnytimePlay(
            special_cards.refuse_thumper, special_cards.play_thumper, cards=_in_hand(special_cards.THUMPER)
        ),
        o.Harvester: AnytimePlay(
            special_cards.refuse_harvester,
            special_cards.play_harvester,
            special_cards.harvester_is_filed,
            cards=_in_hand(special_cards.HARVESTER),
            said_ahead=special_cards.filed_harvester,
            take_back=special_cards.take_back_harvester,
        ),
        o.Amal: AnytimePlay(
            special_cards.refuse_amal,
            special_cards.play_amal,
            special_cards.amal_is_unseen,
            cards=_in_hand(special_cards.AMAL),
            said_ahead=special_cards.filed_amal,
            take_back=special_cards.take_back_amal,
        ),
        o.Ghola: AnytimePlay(
            special_cards.refuse_ghola,
            special_cards.play_ghola,
            cards=_in_hand(special_cards.GHOLA),
            never_legal=special_cards.ghola_never_legal,
        ),
        o.EmperorGives: AnytimePlay(deals.gift_refusal, deals.make_offer, _unseen, never_legal=deals.never_gives),
        o.Deal: AnytimePlay(deals.deal_refusal, deals.make_offer, _unseen),
        o.Show: AnytimePlay(public_facts.refuse_show, public_facts.show, _unseen, never_legal=public_facts.never_shown),
    },
    early={o.Fight: EARLY_ANSWER, o.Coexist: EARLY_ANSWER},
    offers=deals.open_offers,
    options=tuple(_declared_options()),
    gaps={
        "before the storm's number": (mobile_stronghold.move_stronghold, storm_cards.gap_before_number),
        "after the storm has moved": (mobile_stronghold.place_stronghold,),
        "before the storm moves": (storm_cards.gap_before_move,),
        "a phase begins": (special_cards.amal_gap,),
        "before a spice card is turned": (special_cards.thumper_gap,),
        "spice has blown": (special_cards.harvester_gap,),
        "a phase ends": (tech_tokens.pay_at_the_end,),
    },
)


@cache
def load_rule_set(name: str) -> RuleSet:
    """Return a rule set by name, one of ``RULE_SETS``.

    Raise RuleSetError for any other name, or if the file leaves an option open, and FactsError if the file is
    malformed. This function does not check whether the rule set is playable: see
    ``rules.rulesets.ruleset.require_playable``.
    """
    if name not in RULE_SETS:
        guess = did_you_mean(name, RULE_SETS)
        raise RuleSetError(f"There is no rule set {name!r}; the rule sets are {', '.join(RULE_SETS)}{guess}.")
    return read_rule_set(document(f"rule-sets/{name}.toml"), CATALOGUE)
