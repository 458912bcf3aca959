"""The catalogue of this program: its stages, factions, and what may be played at any stop."""

from __future__ import annotations

from collections.abc import Callable

from rules.cards import (
    amal,
    family_atomics,
    ghola,
    spice_cards,
    storm_card,
    storm_card_order,
    truthtrance,
    weather_control,
)
from rules.cards.karama import card as karama
from rules.cards.karama import theft
from rules.cards.truthtrance.promises import last_call
from rules.chapters import battle, charity, collection, deals, playing_on, seats, setup, storm, tech_tokens, victory
from rules.chapters.bidding import round as bidding
from rules.chapters.movement import round as movement
from rules.chapters.revival import round as revival
from rules.chapters.spice_blow import blow as spice
from rules.components import Card, Faction
from rules.decisions import karama as playing_karama
from rules.decisions import special_karama, under_storm, visibility
from rules.decisions.catalogue import AnytimePlay, Catalogue, Stage
from rules.decisions.karama import karama_cards
from rules.decisions.question import Flow
from rules.factions import atreides, bene_gesserit, emperor, fremen, guild, harkonnen, ixians, tleilaxu
from rules.factions.atreides import Atreides
from rules.factions.bene_gesserit import (
    EARLY_ANSWER,
    BeneGesserit,
    advisor,
    advisor_fighter,
    coexistence,
    prediction,
)
from rules.factions.emperor import Emperor
from rules.factions.fremen import Fremen, placing, riding
from rules.factions.guild import Guild
from rules.factions.harkonnen import Harkonnen
from rules.factions.ixians import (
    Ixians,
    auction_look,
    exchange,
    first_cards,
    mobile_stronghold,
    redraw,
    technology,
)
from rules.factions.tleilaxu import Tleilaxu, face_dancers, revivals
from rules.orders import Amal, Coexist, Deal, EmperorGives, Fight, Ghola, Harvester, Karama, Thumper, Truthtrance
from rules.rulesets import box
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
    return len(karama_cards(game, faction))


def _unseen(game: Game, order: object) -> bool:
    """An offer is between two players; nobody else may notice it."""
    return True


CATALOGUE = Catalogue(
    stages={
        "setup": Stage("setup", setup.flow, (*setup.QUESTIONS, *prediction.QUESTIONS, first_cards.FirstCardQuestion)),
        "storm": Stage(
            "storm",
            storm.flow,
            (
                *mobile_stronghold.QUESTIONS,
                *storm.QUESTIONS,
                *weather_control.QUESTIONS,
                *family_atomics.QUESTIONS,
            ),
        ),
        "spice": Stage(
            "spice",
            spice.flow,
            (*spice.QUESTIONS, *placing.QUESTIONS, *riding.QUESTIONS, *advisor_fighter.WHEN_RIDDEN),
        ),
        "charity": Stage("charity", charity.flow, charity.QUESTIONS),
        "bidding": Stage(
            "bidding",
            bidding.flow,
            (
                auction_look.ReturnQuestion,
                technology.TechnologyQuestion,
                *bidding.QUESTIONS,
                redraw.RedrawQuestion,
                *karama.QUESTIONS,
            ),
        ),
        "revival": Stage("revival", revival.flow, (*revivals.QUESTIONS, *revival.QUESTIONS)),
        "movement": Stage(
            "movement",
            movement.flow,
            (
                *movement.QUESTIONS,
                *coexistence.QUESTIONS,
                *advisor_fighter.QUESTIONS,
                *advisor.QUESTIONS,
                *riding.QUESTIONS,
            ),
        ),
        "battle": Stage("battle", battle.flow, (*battle.QUESTIONS, exchange.ExchangeQuestion, *face_dancers.QUESTIONS)),
        "collection": Stage("collection", _collection, collection.QUESTIONS),
        "mentat": Stage(
            "mentat",
            victory.flow,
            (*playing_on.QUESTIONS, *face_dancers.QUESTIONS_OF_PAUSE, *mobile_stronghold.QUESTIONS_OF_PAUSE),
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
        Karama: AnytimePlay(karama.check, karama.play, karama.unseen, _karamas, karama.never_legal),
        Truthtrance: AnytimePlay(
            truthtrance.check,
            truthtrance.play,
            cards=_in_hand(truthtrance.TRUTHTRANCE),
            never_legal=truthtrance.never_legal,
        ),
        Thumper: AnytimePlay(spice_cards.refuse_thumper, spice_cards.play_thumper, cards=_in_hand(spice_cards.THUMPER)),
        Harvester: AnytimePlay(
            spice_cards.refuse_harvester,
            spice_cards.play_harvester,
            spice_cards.is_filed,
            cards=_in_hand(spice_cards.HARVESTER),
            said_ahead=spice_cards.filed_harvester,
            take_back=spice_cards.take_back_harvester,
        ),
        Amal: AnytimePlay(
            amal.refusal,
            amal.play,
            amal.is_unseen,
            cards=_in_hand(amal.AMAL),
            said_ahead=amal.said_ahead,
            take_back=amal.take_back,
        ),
        Ghola: AnytimePlay(ghola.check, ghola.play, cards=_in_hand(ghola.GHOLA), never_legal=ghola.never_legal),
        EmperorGives: AnytimePlay(deals.check_gift, deals.offer, _unseen, never_legal=deals.never_gives),
        Deal: AnytimePlay(deals.check_deal, deals.offer, _unseen),
    },
    early={Fight: EARLY_ANSWER, Coexist: EARLY_ANSWER},
    offers=deals.offers,
    options=(
        *box.OPTIONS,
        *seats.OPTIONS,
        *setup.OPTIONS,
        *storm.OPTIONS,
        *storm_card.OPTIONS,
        *weather_control.OPTIONS,
        *storm_card_order.OPTIONS,
        *spice.OPTIONS,
        *charity.OPTIONS,
        *bidding.OPTIONS,
        *revival.OPTIONS,
        *movement.OPTIONS,
        *battle.OPTIONS,
        *collection.OPTIONS,
        *deals.OPTIONS,
        *victory.OPTIONS,
        *tech_tokens.OPTIONS,
        *special_karama.OPTIONS,
        *playing_karama.OPTIONS,
        *karama.OPTIONS,
        *theft.OPTIONS,
        *truthtrance.OPTIONS,
        *ghola.OPTIONS,
        *amal.OPTIONS,
        *spice_cards.OPTIONS,
        *visibility.OPTIONS,
        *atreides.OPTIONS,
        *bene_gesserit.OPTIONS,
        *emperor.OPTIONS,
        *fremen.OPTIONS,
        *guild.OPTIONS,
        *harkonnen.OPTIONS,
        *tleilaxu.OPTIONS,
        *ixians.OPTIONS,
        *under_storm.OPTIONS,
        *family_atomics.OPTIONS,
    ),
    gaps={
        "before the storm's number": (mobile_stronghold.moving, storm_card_order.before_number),
        "after the storm has moved": (mobile_stronghold.placing,),
        "before the storm moves": (storm_card_order.before_move,),
        "a phase begins": (amal.gap,),
        "before a spice card is turned": (spice_cards.thumper_gap,),
        "spice has blown": (spice_cards.harvester_gap,),
        "a phase ends": (tech_tokens.pay_at_the_end,),
    },
)
