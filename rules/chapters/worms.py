"""Shai-Hulud: what a worm eats, whom it spares, how the Fremen ride it (AH.VII.A.2, AH.SHIELD.FRE.3 and 6, WBC.VII).

A worm acts when its nexus is over (WBC.VII.14): the Fremen say where an additional one appears, a Karama may take their
control away, they ride, and then it eats. A worm that the Fremen call with their own Karama does the same without a
nexus, and nobody can take it from them (WBC.AID.34).
"""

from __future__ import annotations

from rules.components import Faction, Forces, board, faction_name
from rules.components.board import POLAR_SINK, TERRITORIES, TerritoryId, sector_of, territory_of
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import NoRide, Order, PlaceWorm, Ride
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import WormMoment

SHIELD_WALL_COUNTS_FROM = 6  # worms seen (WBC.HR.4a)


def count_worm(game: Game) -> None:
    """One more worm was seen; the sixth makes the Shield Wall count where the rule set has it (WBC.HR.4a, b)."""
    game.state.worms_seen += 1
    if game.rules.shield_wall_rule == "wbc" and game.state.worms_seen == SHIELD_WALL_COUNTS_FROM:
        game.tell("shield-wall-counts")


def resolve(game: Game, worm: WormMoment) -> Flow:
    """What follows the nexus: placing, the last moment for a Karama, riding, eating."""
    if worm.directed and "fremen" not in worm.unprotected:
        yield from place_additional(game, worm)
    if not worm.called:
        yield from window(
            game, "worm", lambda: controlled(game, worm), territory=worm.territory, additional=worm.directed
        )
    if worm.territory is None:
        game.tell("worm-found-nothing")
        return
    yield from ride(game, worm)
    eat(game, worm)


def controlled(game: Game, worm: WormMoment) -> bool:
    """Whether there is anything that a Karama could take from the Fremen or their ally (WBC.AID.31 to 33)."""
    return not worm.called and bool(robbable(game, worm))


def robbable(game: Game, worm: WormMoment) -> list[Faction]:
    """Whom a Karama could rob: the Fremen of a worm that they direct or stand at, and their ally who stands at it where
    alliance powers can be stopped (AH.AID.KARAMA.A.4-a, WBC.AID.32)."""
    found: list[Faction] = []
    if not game.plays("fremen"):
        return found
    here = game.state.forces_in(worm.territory) if worm.territory else {}
    if "fremen" not in worm.unprotected and (worm.directed or "fremen" in here):
        found.append("fremen")
    if game.rules.karama_vs_alliance_powers != "no":
        found += [
            ally
            for ally in game.state.ally_group("fremen")
            if ally != "fremen" and ally in here and ally not in worm.unprotected
        ]
    return found


def rob(worm: WormMoment, faction: Faction) -> None:
    """A Karama takes control or protection; a directed worm acts where it would without the Fremen (WBC.AID.33)."""
    worm.unprotected.append(faction)
    if faction == "fremen" and worm.directed:
        worm.territory = worm.beneath


# --- Placing -----------------------------------------------------------------------------------------------------


def place_additional(game: Game, worm: WormMoment) -> Flow:
    """The Fremen send an additional worm to any territory (AH.SHIELD.FRE.6-a, WBC.VII.3)."""

    def build() -> list[Question]:
        return [] if "fremen" in worm.unprotected else [_placing_question(game, worm)]

    answers = yield from ask(build)
    order = answers.of("fremen")
    if isinstance(order, PlaceWorm):
        worm.territory = order.territory
        game.tell("worm-placed", territory=order.territory)


def _placing_question(game: Game, worm: WormMoment) -> Question:
    silent = worm.beneath or board.territory_of(POLAR_SINK)

    def choices() -> list[Order]:
        tempting = [territory_of(area) for area in (*sorted(game.state.spice), *sorted(game.state.forces))]
        return [PlaceWorm(territory) for territory in dict.fromkeys([silent, *tempting])]

    return Asked(
        "fremen",
        "worm-placement",
        PlaceWorm(silent),
        check_place,
        choices,
        about={"beneath": worm.beneath},
    )


def check_place(order: Order) -> Refusal | None:
    """Any territory will do."""
    if isinstance(order, PlaceWorm) and order.territory in TERRITORIES:
        return None
    return Refusal("Name the territory in which the worm appears.", "AH.SHIELD.FRE.6-a")


# --- Riding ------------------------------------------------------------------------------------------------------


def ride(game: Game, worm: WormMoment) -> Flow:
    """Fremen at the worm may go to any one other territory, together or only some of them (AH.SHIELD.FRE.3-b)."""

    def build() -> list[Question]:
        return [_ride_question(game, worm)] if _may_ride(game, worm) else []

    answers = yield from ask(build)
    goal: TerritoryId | None = None
    for order in answers.all_of("fremen"):
        if isinstance(order, Ride):
            if check_ride(game, worm, order) or goal not in (None, territory_of(order.target)):
                game.tell("ride-dropped", audience=["fremen"], forces=str(order.forces), source=order.source)
                continue
            goal = territory_of(order.target)
            _arrive(game, order)


def _may_ride(game: Game, worm: WormMoment) -> bool:
    return (
        worm.territory is not None
        and "fremen" not in worm.unprotected
        and any(_ridable(game, area) for area in TERRITORIES[worm.territory].areas)
    )


def _ridable(game: Game, area: board.Area) -> bool:
    in_storm = sector_of(area) == game.state.storm
    return bool(game.here(area, "fremen")) and not (in_storm and game.rules.worm_ride_storm == "no_entry_or_exit")


def _ride_question(game: Game, worm: WormMoment) -> Question:
    areas = [area for area in TERRITORIES[worm.territory].areas if _ridable(game, area)] if worm.territory else []

    def choices() -> list[Order]:
        goals = [TERRITORIES[stronghold].areas[0] for stronghold in board.STRONGHOLDS]
        rides = [
            Ride(forces, area, goal)
            for area in areas
            for forces in dict.fromkeys((game.here(area, "fremen"), _one_of(game.here(area, "fremen"))))
            for goal in (*goals, *game.state.spice)
        ]
        return [NoRide(), *(order for order in rides if check_ride(game, worm, order) is None)]

    return Asked(
        "fremen",
        "worm-ride",
        NoRide(),
        lambda order: None if isinstance(order, NoRide) else check_ride(game, worm, order),
        choices,
        about={
            "territory": worm.territory,
            "forces": [[str(game.here(area, "fremen")), area] for area in areas],
        },
        many=True,
    )


def _one_of(forces: Forces) -> Forces:
    return Forces(1, 0) if forces.ordinary else Forces(0, 1)


def check_ride(game: Game, worm: WormMoment, order: Order) -> Refusal | None:
    """Whether these tokens may ride this worm to that area."""
    if not isinstance(order, Ride):
        return Refusal("Say who rides, from where and to where.", "AH.SHIELD.FRE.3-b")
    if worm.territory is None or territory_of(order.source) != worm.territory:
        where = TERRITORIES[worm.territory].name if worm.territory else "nowhere"
        return Refusal(f"The worm is in {where}; only tokens there can ride it.", "AH.SHIELD.FRE.3-b")
    return _check_riders(game, order) or _check_room(game, order) or _check_allies(game, order)


def _check_riders(game: Game, order: Ride) -> Refusal | None:
    here = game.here(order.source, "fremen")
    name = board.area_name(order.source)
    if not order.forces or not here.covers(order.forces):
        reason = f"You have {here} tokens in {name}, so {order.forces} cannot ride from there."
        return Refusal(reason, "AH.SHIELD.FRE.3-b")
    if not _ridable(game, order.source):
        return Refusal(f"{name} lies in the storm; riders cannot leave it.", "WBC.VII.7")
    return None


def check_ahead(game: Game, order: Ride) -> Refusal | None:
    """Whether this ride could be legal at a worm that may still come this turn; alliances may change before it does."""
    return _check_riders(game, order) or _check_room(game, order)


def _check_room(game: Game, order: Ride) -> Refusal | None:
    """Storm and the limit of two others where the riders arrive (WBC.VII.8, WBC.VII.9)."""
    goal = territory_of(order.target)
    name = board.area_name(order.target)
    if goal == territory_of(order.source):
        return Refusal(f"{name} is where the worm is; ride to another territory.", "AH.SHIELD.FRE.3-b")
    if sector_of(order.target) == game.state.storm:
        return Refusal(f"{name} lies in the storm (sector {game.state.storm}).", "WBC.VII.8")
    occupants = _occupants(game, goal)
    if TERRITORIES[goal].kind == "stronghold" and len(occupants) > 1:
        names = " and ".join(faction_name(other) for other in occupants)
        return Refusal(f"{name} is full: {names} are there.", "AH.SHIELD.FRE.3-b")
    return None


def _check_allies(game: Game, order: Ride) -> Refusal | None:
    """Nobody enters where an ally stands, but in the Polar Sink (AH.XII.E.5-a)."""
    goal = territory_of(order.target)
    here = game.state.forces_in(goal)
    for ally in game.state.ally_group("fremen"):
        if ally == "fremen" or ally not in here or order.target == POLAR_SINK:
            continue
        if not _stays_beside(game, ally, goal):
            name = board.area_name(order.target)
            return Refusal(f"Your ally {faction_name(ally)} stands in {name}; you may not enter.", "AH.XII.E.5-a")
    return None


def _stays_beside(game: Game, ally: Faction, goal: TerritoryId) -> bool:
    """Whether the ally are Bene Gesserit who coexist or will have to: alone there, or coexisting since the last turn
    (WBC.XV.14 to 16)."""
    if ally != "bene-gesserit" or game.rules.bg_beside_ally != "must_coexist":
        return False
    others = [faction for faction in game.state.forces_in(goal) if faction not in ("fremen", ally)]
    return not others or _bene_gesserit_coexist(game, goal)


def _occupants(game: Game, goal: TerritoryId) -> list[Faction]:
    """The others who count for the limit of two; coexisting Bene Gesserit do not."""
    ignored = game.rules.worm_ride_full_stronghold == "bg_coexisting_ignored" and _bene_gesserit_coexist(game, goal)
    return [
        faction
        for faction in game.state.forces_in(goal)
        if faction != "fremen" and not (faction == "bene-gesserit" and ignored)
    ]


def _bene_gesserit_coexist(game: Game, goal: TerritoryId) -> bool:
    """As declared this turn; before they declare, as they ended the last one (WBC.VII.9)."""
    declared = game.state.presence.get(goal)
    return goal in game.state.coexisted if declared is None else declared == "coexist"


def _arrive(game: Game, order: Ride) -> None:
    game.shift("fremen", order.forces, order.source, order.target)
    game.tell("worm-ridden", forces=str(order.forces), source=order.source, target=order.target)


# --- Eating ------------------------------------------------------------------------------------------------------


def eat(game: Game, worm: WormMoment) -> None:
    """In sand it takes all spice and all tokens but the Fremen's and their allies', in every sector (AH.VII.A.2)."""
    if worm.territory is None:
        return
    if TERRITORIES[worm.territory].kind != "sand":
        game.tell("worm-ate", territory=worm.territory, spice=0, dead={}, sand=False)
        return
    spice = sum(game.take_spice(area) for area in TERRITORIES[worm.territory].areas)
    safe = set(game.state.ally_group("fremen")) if game.plays("fremen") else set()
    dead = {
        faction: str(game.kill_in(worm.territory, faction))
        for faction in game.state.forces_in(worm.territory)
        if faction not in safe or faction in worm.unprotected
    }
    game.tell("worm-ate", territory=worm.territory, spice=spice, dead=dead, sand=True)
