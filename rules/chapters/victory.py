"""The check for victory at the end of a turn (AH.IV, AH.XII.E.1, WBC.HR.3, WBC.HR.4, WBC.IV), called "mentat".

Who holds enough strongholds wins, alone or with allies; a fulfilled prediction turns that into a win of the Bene
Gesserit alone. When the last turn ends without a winner the Fremen, the Guild or the holder of most strongholds win.
Nothing is asked here, and nothing but the result shows what was looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.chapters.collection import occupants
from rules.components import Faction
from rules.components.board import SHIELD_WALL, STRONGHOLDS, TerritoryId
from rules.decisions.question import Flow
from rules.orders import Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

WORMS_FOR_THE_WALL = 6
SIETCHES = (TerritoryId("sietch-tabr"), TerritoryId("habbanya-ridge-sietch"))
TUEKS_SIETCH = TerritoryId("tueks-sietch")
KEPT_FROM_TUEKS: tuple[Faction, ...] = ("harkonnen", "atreides", "emperor")

Party = tuple[Faction, ...]


def flow(game: Game) -> Flow:
    """The story of the end of a turn."""
    yield from ()
    held = strongholds_held(game)
    game.tell("strongholds", held={faction: list(places) for faction, places in held.items()})
    winners = _winners(game, held)
    if winners:
        if _predicted(game, winners):
            _end(game, ("bene-gesserit",), "prediction", instead_of=winners)
        else:
            _end(game, winners, "strongholds")
    elif game.state.turn >= game.rules.max_turns:
        _last_turn(game, held)


def _end(game: Game, winners: Party, how: str, instead_of: Party = ()) -> None:
    game.state.winners = [faction for faction in game.order_of_play() if faction in winners]
    game.tell("game-won", winners=list(game.state.winners), how=how, instead_of=list(instead_of))
    game.state.phase = "over"


# --- strongholds -----------------------------------------------------------------------------------------------------


def strongholds(game: Game) -> tuple[TerritoryId, ...]:
    """What counts: the five red ones; the Shield Wall too from the sixth worm on, or always in the longer game
    (AH.IV-e, WBC.HR.4a, AH.XVIII.B-a)."""
    rule = game.rules.shield_wall_rule
    wall = rule == "longer_game_territory" or (rule == "wbc" and game.state.worms_seen >= WORMS_FOR_THE_WALL)
    return (*STRONGHOLDS, SHIELD_WALL) if wall else STRONGHOLDS


def strongholds_held(game: Game) -> dict[Faction, tuple[TerritoryId, ...]]:
    """What each faction holds, by the order of play; coexisting Bene Gesserit hold nothing (AH.IV-b, WBC.IV.1).

    Two whom only the storm kept from fighting hold it both or neither, as the rule set says (WBC.HR.4l, A-29); allies
    who stand together always both.
    """
    held: dict[Faction, tuple[TerritoryId, ...]] = dict.fromkeys(game.order_of_play(), ())
    for place in strongholds(game):
        there = occupants(game, place)
        parted = any(not game.state.allied(there[0], other) for other in there[1:])
        if parted and game.rules.storm_locked_stronghold_counts == "neither":
            continue
        for faction in there:
            held[faction] = (*held[faction], place)
    return held


def _needed(game: Game, party: Party) -> int:
    """How many strongholds the party needs to win (AH.IV-a, AH.IV-d, AH.XII.E.1-a, AH.XVIII.A.2, WBC.HR.3)."""
    if len(party) > 1 and game.rules.alliance_strongholds == "members_plus_two":
        return len(party) + 2
    alone = game.rules.two_player_strongholds if len(game.state.players) == 2 else 3
    return alone + game.rules.solo_strongholds_extra


def _winners(game: Game, held: Mapping[Faction, tuple[TerritoryId, ...]]) -> Party:
    """Who has enough: an alliance wins together or not at all, whoever of it holds the places (AH.XII.E.1, WBC.HR.3d).

    Of several who have enough, the first in the order of play wins, or all share, as the rule set says (A-30).
    """
    parties = list(dict.fromkeys(game.state.ally_group(faction) for faction in game.order_of_play()))
    able = [
        party
        for party in parties
        if len({place for faction in party for place in held[faction]}) >= _needed(game, party)
    ]
    if game.rules.simultaneous_win == "dot_order":
        able = able[:1]
    return tuple(faction for party in able for faction in party)


def _predicted(game: Game, winners: Party) -> bool:
    """Whether the Bene Gesserit named one of the winners and this turn (AH.SHIELD.BG.1-c)."""
    prediction = game.state.prediction
    return (
        game.plays("bene-gesserit")
        and prediction is not None
        and prediction.faction in winners
        and prediction.turn == game.state.turn
    )


# --- the last turn ---------------------------------------------------------------------------------------------------


def _last_turn(game: Game, held: Mapping[Faction, tuple[TerritoryId, ...]]) -> None:
    """Nobody has won by the end: the Fremen, else the Guild (AH.SHIELD.FRE.4, AH.SHIELD.GUI.4, AH.QA.E.3)."""
    state = game.state
    if game.plays("fremen") and (_fremen_have_kept_their_sietches(game) or not game.plays("guild")):
        _end(game, state.ally_group("fremen"), "fremen")
    elif game.plays("guild"):
        _end(game, state.ally_group("guild"), "guild")
    else:
        most = max(len(places) for places in held.values())
        first = tuple(faction for faction, places in held.items() if len(places) == most)
        if _predicted(game, first):
            _end(game, ("bene-gesserit",), "prediction", instead_of=first)
        else:
            _end(game, first, "most strongholds")


def _fremen_have_kept_their_sietches(game: Game) -> bool:
    """None but Fremen in the two sietches, and none of the three great powers in Tuek's Sietch (AH.SHIELD.FRE.4-a)."""
    alone = all(set(occupants(game, sietch)) <= {"fremen"} for sietch in SIETCHES)
    return alone and not any(faction in KEPT_FROM_TUEKS for faction in occupants(game, TUEKS_SIETCH))


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Nothing is decided at the end of a turn."""
    return Refusal("Nothing is decided at the end of a turn.", "AH.IV-c")
