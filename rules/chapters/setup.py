"""Setting up: prediction, traitors, spice, tokens, cards (AH.III, AH.SHIELD.*.START, WBC.III).

``opening_state`` is the box unpacked for the seats that are played: spice behind the shields, the tokens whose place is
printed on the board, the rest in reserve, the decks in printed order. The flow of the phase shuffles, deals and asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.components import (
    FACTION_FACTS,
    LEADERS,
    SPICE_DECK,
    TREACHERY_DECK,
    Card,
    Faction,
    Forces,
    Leader,
    board,
    faction_name,
    leader_strength,
    leaders_of,
)
from rules.components.board import POLAR_SINK, STRONGHOLDS, TERRITORIES, TerritoryId, territory_of
from rules.decisions.asking import ask, ask_one
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.orders import ChooseTraitor, Order, Place, Predict
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.state import NONE, LeaderState, Player, Prediction, State

FREMEN_SETUP = (4, 3, 3)  # how silent Fremen stand in the order of their three territories (WBC A-63)


def flow(game: Game) -> Flow:
    """The set-up in the order of the rules (AH.III.E, WBC.III)."""
    tell_seats(game)
    shuffle_decks(game)
    if game.plays("bene-gesserit") and game.state.prediction is None:
        yield from predict(game)
    yield from choose_traitors(game)
    yield from place_tokens(game)
    deal_treachery(game)


def tell_seats(game: Game) -> None:
    """Who plays where, with what spice and which tokens on the board."""
    state = game.state
    game.tell(
        "game-set-up",
        ruleset=game.rules.name,
        seats={faction: player.dot for faction, player in state.players.items()},
        spice={faction: player.spice for faction, player in state.players.items()},
        forces=[
            [faction, area, str(forces)] for area, here in state.forces.items() for faction, forces in here.items()
        ],
    )


def shuffle_decks(game: Game) -> None:
    """Shuffle the decks that still lie in printed order (AH.III.C-a)."""
    state = game.state
    if _in_printed_order(state.treachery_deck, TREACHERY_DECK):
        game.chance.shuffle("treachery-deck", state.treachery_deck)
    if _in_printed_order(state.spice_deck, SPICE_DECK):
        game.chance.shuffle("spice-deck", state.spice_deck)


def _in_printed_order(deck: Sequence[str], printed: Sequence[str]) -> bool:
    places = [printed.index(card) for card in deck]
    return places == sorted(places)


# --- Prediction --------------------------------------------------------------------------------------------------


def predict(game: Game) -> Flow:
    """The Bene Gesserit write down one other player and a turn (AH.SHIELD.BG.1, WBC.III.2)."""
    others = [faction for faction in game.state.players if faction != "bene-gesserit"]
    turns = range(1, game.rules.max_turns + 1)
    if not others:
        return
    silent = Predict(game.chance.pick("prediction", others), turns[game.chance.draw("prediction", len(turns))])
    order = yield from ask_one(
        Asked(
            "bene-gesserit",
            "prediction",
            silent,
            lambda order: _check_prediction(game, order),
            lambda: [Predict(faction, turn) for faction in others for turn in turns],
            about={"factions": others, "turns": len(turns)},
        )
    )
    if isinstance(order, Predict):
        game.state.prediction = Prediction(order.faction, order.turn)
        game.tell("prediction-made", private={"bene-gesserit": {"faction": order.faction, "of_turn": order.turn}})


def _check_prediction(game: Game, order: Order) -> Refusal | None:
    if not isinstance(order, Predict):
        return Refusal("Name a player and a turn.", "AH.SHIELD.BG.1-a")
    if order.faction == "bene-gesserit":
        return Refusal("You predict the victory of another player, not your own.", "AH.SHIELD.BG.1-a")
    if not game.plays(order.faction):
        return Refusal(f"{faction_name(order.faction)} is not played in this game.", "AH.SHIELD.BG.1-a")
    if not 1 <= order.turn <= game.rules.max_turns:
        return Refusal(
            f"The game has the turns 1 to {game.rules.max_turns}; it has no turn {order.turn}.", "AH.SHIELD.BG.1-a"
        )
    return None


# --- Traitors ----------------------------------------------------------------------------------------------------


def choose_traitors(game: Game) -> Flow:
    """Four leaders drawn by everybody, of which one opponent's is kept; the Harkonnen keep all (AH.III.E.2, WBC.HR.7).

    Everybody is asked, also who has no choice: a missing wait would show what was drawn.
    """
    state = game.state
    pool = [leader for leader, facts in LEADERS.items() if _in_pool(game, facts.faction)]
    game.chance.shuffle("traitors", pool)
    drawn: dict[Faction, list[Leader]] = {}
    for faction in state.players:
        number = FACTION_FACTS[faction].traitors_drawn
        drawn[faction], pool = pool[:number], pool[number:]
    dealt: dict[Faction, Facts] = {faction: {"leaders": list(leaders)} for faction, leaders in drawn.items()}
    game.tell("traitors-drawn", private=dealt)
    answers = yield from ask(lambda: [_traitor_question(game, faction, leaders) for faction, leaders in drawn.items()])
    chosen: dict[Faction, Facts] = {}
    for faction, leaders in drawn.items():
        traitors = _opponents(game, faction, leaders)
        order = answers.of(faction)
        if not _keeps_all(faction) and isinstance(order, ChooseTraitor):
            traitors = [leader for leader in traitors if leader == order.leader]
        state.players[faction].traitors = traitors
        chosen[faction] = {"traitors": list(traitors)}
    game.tell("traitors-chosen", private=chosen)


def _in_pool(game: Game, faction: Faction) -> bool:
    return game.rules.traitor_pool == "all_leaders" or game.plays(faction)


def _keeps_all(faction: Faction) -> bool:
    facts = FACTION_FACTS[faction]
    return facts.traitors_kept == facts.traitors_drawn


def _opponents(game: Game, faction: Faction, leaders: Sequence[Leader]) -> list[Leader]:
    """Those who can be in this faction's pay: leaders of the other players (AH.III.E.2-c)."""
    return [leader for leader in leaders if LEADERS[leader].faction != faction and game.plays(LEADERS[leader].faction)]


def _traitor_question(game: Game, faction: Faction, drawn: Sequence[Leader]) -> Question:
    eligible = _opponents(game, faction, drawn)
    answers = list(drawn) if _keeps_all(faction) or not eligible else eligible

    def check(order: Order) -> Refusal | None:
        if not isinstance(order, ChooseTraitor) or order.leader not in drawn:
            return Refusal(f"You drew {', '.join(drawn)}: choose among them.", "AH.III.E.2-b")
        if order.leader not in answers:
            return Refusal(
                f"{order.leader} is no leader of an opponent; you can choose {', '.join(eligible)}.", "AH.III.E.2-c"
            )
        return None

    return Asked(
        faction,
        "traitor",
        ChooseTraitor(max(answers, key=leader_strength)),
        check,
        lambda: [ChooseTraitor(leader) for leader in answers],
        about={"drawn": list(drawn), "eligible": eligible, "keeps_all": _keeps_all(faction)},
    )


# --- Tokens and cards --------------------------------------------------------------------------------------------


def place_tokens(game: Game) -> Flow:
    """The Fremen spread theirs, then the Bene Gesserit, where the rule set lets them choose, place one (WBC.III.4)."""
    for faction in ("fremen", "bene-gesserit"):
        if _places(game, faction):
            order = yield from ask_one(_placement_question(game, faction))
            if isinstance(order, Place):
                for forces, area in order.groups:
                    game.deploy(faction, forces, area)
                placed = [[str(forces), area] for forces, area in order.groups]
                game.tell("tokens-placed", faction=faction, groups=placed)


def _places(game: Game, faction: Faction) -> bool:
    """Whether the faction has still to choose where its first tokens stand."""
    if not game.plays(faction) or game.state.areas_of(faction):
        return False
    return faction == "fremen" or (faction == "bene-gesserit" and game.rules.bg_start == "any_territory")


def _placement_question(game: Game, faction: Faction) -> Question:
    facts = FACTION_FACTS[faction]

    def choices() -> list[Order]:
        if faction == "bene-gesserit":
            strongholds = [TERRITORIES[stronghold].areas[0] for stronghold in STRONGHOLDS]
            return [Place(((Forces(1), area),)) for area in (POLAR_SINK, *strongholds)]
        return [_fremen_default(), *_fremen_bold(game.player(faction).reserves.elite)]

    return Asked(
        faction,
        "fremen-placement" if faction == "fremen" else "bg-placement",
        _fremen_default() if faction == "fremen" else Place(((Forces(1), POLAR_SINK),)),
        lambda order: _check_placement(game, faction, order),
        choices,
        about={"tokens": facts.place_count or 1, "territories": list(facts.place_among)},
    )


def _fremen_default() -> Place:
    among = FACTION_FACTS["fremen"].place_among
    areas = [TERRITORIES[territory].areas[0] for territory in among]
    return Place(tuple((Forces(number), area) for number, area in zip(FREMEN_SETUP, areas, strict=True)))


def _fremen_bold(elite: int) -> list[Place]:
    """All in one territory, the best first."""
    facts = FACTION_FACTS["fremen"]
    forces = Forces(facts.place_count - elite, elite)
    return [Place(((forces, TERRITORIES[territory].areas[-1]),)) for territory in facts.place_among]


def _check_placement(game: Game, faction: Faction, order: Order) -> Refusal | None:
    clause = "AH.SHIELD.FRE.START" if faction == "fremen" else "AH.XV.B.1"
    if not isinstance(order, Place):
        return Refusal("Say where your tokens stand.", clause)
    facts = FACTION_FACTS[faction]
    total = NONE
    for forces, area in order.groups:
        total += forces
        if facts.place_among and territory_of(area) not in facts.place_among:
            names = ", ".join(TERRITORIES[territory].name for territory in facts.place_among)
            return Refusal(f"{board.area_name(area)} is none of your places: {names}.", clause)
    wanted = facts.place_count or 1
    if total.total != wanted:
        return Refusal(f"Place {wanted} tokens in all, not {total.total}.", clause)
    reserves = game.player(faction).reserves
    if not reserves.covers(total):
        return Refusal(f"You have {reserves} tokens to place, not {total}.", clause)
    return None


def deal_treachery(game: Game) -> None:
    """One card each, two for the Harkonnen (AH.III.E.5, AH.SHIELD.HAR.2)."""
    dealt: dict[Faction, Facts] = {}
    for faction in game.order_of_play():
        hand = game.player(faction).hand
        cards: list[Card] = []
        while len(hand) < FACTION_FACTS[faction].starting_cards and (card := game.draw_treachery()) is not None:
            hand.append(card)
            cards.append(card)
        dealt[faction] = {"cards": cards}
    numbers = {faction: len(game.player(faction).hand) for faction in game.state.players}
    game.tell("cards-dealt", hands=numbers, private=dealt)


# --- The box -----------------------------------------------------------------------------------------------------


def all_forces(rules: RuleSet, faction: Faction) -> Forces:
    """The twenty tokens of a faction; starred ones are as good as others unless the rule set makes them elite."""
    forces = FACTION_FACTS[faction].forces
    return forces if rules.starred_tokens == "elite" else Forces(forces.total)


def opening_state(rules: RuleSet, seats: Mapping[Faction, int]) -> State:
    """The position before the set-up decisions; ``seats`` gives each faction its player dot.

    >>> from rules.rulesets.ruleset import load_rule_set
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


# --- Orders sent ahead -------------------------------------------------------------------------------------------


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether an order of the set-up can wait for its moment."""
    match order:
        case Predict():
            if faction != "bene-gesserit":
                return Refusal("Only the Bene Gesserit predict.", "AH.SHIELD.BG.1-a")
            if game.state.prediction is not None:
                return Refusal("Your prediction is written down and cannot be changed.", "AH.SHIELD.BG.1-a")
            return _check_prediction(game, order)
        case ChooseTraitor(leader):
            if any(player.traitors for player in game.state.players.values()):
                return Refusal("The traitors are chosen, for the whole game.", "AH.III.E.2-d")
            if not _opponents(game, faction, [leader]):
                return Refusal(f"{leader} is no leader of an opponent.", "AH.III.E.2-c")
        case Place():
            if not _places(game, faction):
                return Refusal("You have no tokens to place now.", "AH.III.E.4")
            return _check_placement(game, faction, order)
    return None
