"""The catalogue of this program: its stages, factions, and what may be played at any stop."""

from __future__ import annotations

from collections.abc import Callable

from rules.cards import ghola, truthtrance
from rules.cards.karama import card as karama
from rules.chapters import battle, bidding, charity, collection, deals, revival, setup, spice, storm, victory
from rules.chapters.movement import round as movement
from rules.components import Card, Faction
from rules.decisions.catalogue import AnytimePlay, Catalogue, Stage
from rules.decisions.question import Flow
from rules.factions.atreides import Atreides
from rules.factions.bene_gesserit import BeneGesserit
from rules.factions.emperor import Emperor
from rules.factions.fremen import Fremen
from rules.factions.guild import Guild
from rules.factions.harkonnen import Harkonnen
from rules.orders import Deal, EmperorGives, Ghola, Karama, Truthtrance
from rules.promises import last_call
from rules.state.game import Game


def _collection(game: Game) -> Flow:
    """The collection round, and the end of the time of cards that were promised (WBC.AID.8)."""
    yield from collection.flow(game)
    if game.state.promises:
        yield from last_call(game)


def _in_hand(card: Card) -> Callable[[Game, Faction], int]:
    """How many of these cards a faction holds."""
    return lambda game, faction: game.player(faction).hand.count(card)


def _karamas(game: Game, faction: Faction) -> int:
    """How many cards a faction holds that serve as a Karama."""
    return len(karama.karama_cards(game, faction))


CATALOGUE = Catalogue(
    stages={
        "setup": Stage("setup", setup.flow, refusal_ahead=setup.still_to_come),
        "storm": Stage("storm", storm.flow, refusal_ahead=storm.still_to_come),
        "spice": Stage("spice", spice.flow, refusal_ahead=spice.still_to_come),
        "charity": Stage("charity", charity.flow, charity.QUESTIONS),
        "bidding": Stage("bidding", bidding.flow, refusal_ahead=bidding.still_to_come),
        "revival": Stage("revival", revival.flow, refusal_ahead=revival.still_to_come),
        "movement": Stage("movement", movement.flow, refusal_ahead=movement.still_to_come),
        "battle": Stage("battle", battle.flow, refusal_ahead=battle.still_to_come),
        "collection": Stage("collection", _collection, refusal_ahead=collection.still_to_come),
        "mentat": Stage("mentat", victory.flow),
    },
    factions={
        "atreides": Atreides("atreides"),
        "bene-gesserit": BeneGesserit("bene-gesserit"),
        "emperor": Emperor("emperor"),
        "fremen": Fremen("fremen"),
        "guild": Guild("guild"),
        "harkonnen": Harkonnen("harkonnen"),
    },
    plays={
        Karama: AnytimePlay(
            karama.check, karama.play, karama.unseen, lambda game, faction: len(karama.karama_cards(game, faction))
        ),
        Truthtrance: AnytimePlay(truthtrance.refusal, truthtrance.carry_out, cards=_in_hand(truthtrance.TRUTHTRANCE)),
        Ghola: AnytimePlay(ghola.check, ghola.play, cards=_in_hand(ghola.GHOLA)),
        EmperorGives: AnytimePlay(deals.check_gift, deals.offer, lambda game, order: True),
        Deal: AnytimePlay(deals.check_deal, deals.offer, lambda game, order: True),
    },
    offers=deals.offers,
)
