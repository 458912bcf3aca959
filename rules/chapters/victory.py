"""The check for victory at the end of a turn, in the phase "mentat" (AH.IV, AH.XII.E.1, WBC.HR.3, WBC.HR.4, WBC.IV).

A player who holds enough strongholds wins, alone or with allies. A prediction that comes true gives the win to the
player who made it. If the last turn ends without a winner, the faction with the best claim wins, or else the holder of
the most strongholds. Nobody is asked about any of this, and only the result is announced.

Playing on (FAQ.OBJECT.1, IT.VICTORY.2, IT.HMS.31): if several factions that are not allied win at the same time, they
share the victory. Instead, all players may agree to play another full turn and, if they like, to require more points
for victory. Several winners are impossible with only five strongholds, so the question is asked only in games with an
expansion. Every player must agree. By default the game ends.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from rules.chapters import deals, tech_tokens
from rules.chapters.collection import occupants
from rules.chapters.deals import take_bribes
from rules.chapters.setup import MAX_TURNS as MOST_TURNS
from rules.components import Faction
from rules.components.board import SHIELD_WALL, STRONGHOLDS, TerritoryId
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import Claim, FactionRules
from rules.decisions.question import Flow, Question, Stop, ask
from rules.orders import EndGame, Order, PlayOn
from rules.rulesets.options import Option, number
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game

Party = tuple[Faction, ...]
Held = Mapping[Faction, tuple[TerritoryId, ...]]

STRONGHOLDS_ALONE = 3
STRONGHOLDS_OF_ALLIES = 4
STRONGHOLDS_OF_SIX = 4
WORMS_FOR_THE_WALL = 6


def flow(game: Game) -> Flow:
    yield from ()
    take_bribes(game)
    held = strongholds_held(game)
    whose = [faction for faction in game.state.players if tech_tokens.has_full_set(game, faction)]
    set_of: dict[str, Any] = {"full_set": whose[0]} if whose else {}
    game.tell("strongholds", held={faction: list(places) for faction, places in held.items()}, **set_of)
    winners = _winners(game, held)
    if winners and (yield from all_agree_to_play_on(game, _parties_that_won(game, held))):
        winners = ()
    if winners:
        _end_with_strongholds(game, winners, "strongholds")
    elif game.state.turn >= last_turn(game):
        _end_last_turn(game, held)
    if not game.state.winners:
        yield from _pause(game)


def _pause(game: Game) -> Flow:
    factions = factions_with(game, FactionRules.when_turn_ends)
    if not factions:
        return
    rooms = {faction: rules_of(game, faction) for faction in factions}
    answers = yield from ask(lambda: [asked for room in rooms.values() for asked in room.asked_when_turn_ends(game)])
    for faction, room in rooms.items():
        yield from room.when_turn_ends(game, answers.of(faction))


def _end_with_strongholds(game: Game, winners: Party, how: str) -> None:
    """End the game with these winners, unless another player has predicted their victory and so wins instead
    (AH.SHIELD.BG.1-c)."""
    for faction in game.order_of_play():
        if rules_of(game, faction).foresaw_victory(game, winners):
            _end(game, (faction,), "prediction", instead_of=winners)
            return
    _end(game, winners, how)


def _end(game: Game, winners: Party, how: str, instead_of: Party = ()) -> None:
    deals.end_all_deals(game)
    game.state.winners = [faction for faction in game.order_of_play() if faction in winners]
    game.tell("game-won", winners=list(game.state.winners), how=how, instead_of=list(instead_of))
    game.state.phase = "over"


def last_turn(game: Game) -> int:
    """Return the number of the last turn: the one in the rule set (AH.IV-a), or an earlier one that was announced."""
    return game.state.last_turn or MAX_TURNS(game.rules)


def end_without_play(game: Game, winners: Party, how: str) -> None:
    """End the game by a decision of players or of the game master: its winners were agreed on or adjudicated, or it has
    no winners."""
    _end(game, winners, how)


# --- strongholds -----------------------------------------------------------------------------------------------------


def _wall_never_counts(game: Game) -> bool:
    return False


def _wall_counts(game: Game) -> bool:
    return True


def _wall_counts_after_worms(game: Game) -> bool:
    return game.state.worms_seen >= WORMS_FOR_THE_WALL


def strongholds(game: Game) -> tuple[TerritoryId, ...]:
    """Return the territories that count as strongholds (AH.IV-e, WBC.HR.4a, AH.XVIII.B-a, IT.HMS.26). These are the
    five red strongholds and the mobile one. The Shield Wall also counts from the sixth worm on, or always in the longer
    game."""
    there = game.strongholds()
    return (*there, SHIELD_WALL) if SHIELD_WALL_COUNTS(game.rules)(game) else there


def strongholds_held(game: Game) -> dict[Faction, tuple[TerritoryId, ...]]:
    """Return the strongholds that each faction holds, with the factions in the order of play. Coexisting Bene Gesserit
    hold nothing (AH.IV-b, WBC.IV.1).

    If only the storm kept two factions in a stronghold from fighting, the rule set decides whether both hold it or
    neither does (WBC.HR.4l, A-29). Allies in the same stronghold always both hold it.
    """
    held: dict[Faction, tuple[TerritoryId, ...]] = dict.fromkeys(game.order_of_play(), ())
    for place in strongholds(game):
        there = occupants(game, place)
        parted = any(not game.state.allied(there[0], other) for other in there[1:])
        if parted and not PARTED_BOTH_HOLD(game.rules):
            continue
        for faction in there:
            held[faction] = (*held[faction], place)
    return held


# --- points needed to win --------------------------------------------------------------------------------------------


def _as_one_player(game: Game, party: Party) -> int:
    """Return the number of strongholds that a single player needs, at most five. In some rule sets an alliance needs as
    many as a single player (AH.IV-a, AH.IV-d, AH.XII.E.1-a, AH.XVIII.A.2).

    If the Shield Wall always counts, four of the six strongholds are enough for any party (AH.XVIII.B-a).
    """
    if FOUR_OF_SIX(game.rules):
        return STRONGHOLDS_OF_SIX
    alone = TWO_PLAYERS_NEED(game.rules) if len(game.state.players) == 2 else STRONGHOLDS_ALONE
    return min(alone + LONGER_GAME_ADDS(game.rules), len(STRONGHOLDS))


def _four(game: Game, party: Party) -> int:
    """Return four, the number of strongholds that allies need, or the number for a single player if that is higher
    (GF9.ALLIANCE.2, GF9.MENTAT.2, VACA.HR.A.1.a)."""
    return max(STRONGHOLDS_OF_ALLIES, _as_one_player(game, party))


def _two_more_than_members(game: Game, party: Party) -> int:
    """Return the number of strongholds that allies need: four if there are two of them, five if there are three
    (WBC.HR.3b, WBC.HR.3c)."""
    return len(party) + 2


def needed(game: Game, party: Party) -> int:
    """Return the number of points that the party needs to win: the number in the rules, or the higher number that the
    players agreed on when they decided to play on (FAQ.OBJECT.1)."""
    rule = ALLIES_NEED(game.rules) if len(party) > 1 else _as_one_player
    return max(rule(game, party), game.state.box.victory_number)


def points(game: Game, party: Party, held: Held) -> int:
    """Return the number of strongholds that the members hold together, plus one if a single member owns all three tech
    tokens (IT.TECH.21, IT.TECH.22, IT.VICTORY.1)."""
    places = {place for faction in party for place in held[faction]}
    return len(places) + any(tech_tokens.has_full_set(game, faction) for faction in party)


def _enough_together(game: Game, party: Party, held: Held) -> bool:
    """Return whether the members together have enough points. In the rule sets that use this test, nobody wins alone
    while they have allies (AH.XII.E.1, WBC.HR.3d)."""
    return points(game, party, held) >= needed(game, party)


def _enough_together_or_one(game: Game, party: Party, held: Held) -> bool:
    """Return whether the members together have enough points, or one of them has enough for a single player. In both
    cases all members win (AH.XII.E.1-b)."""
    one_has = any(points(game, (faction,), held) >= _as_one_player(game, party) for faction in party)
    return one_has or _enough_together(game, party, held)


def race(game: Game, held: Held) -> list[tuple[Party, int, int]]:
    # The points and the number needed of each party, by the claim that is nearest to victory
    alone = ENOUGH(game.rules) is _enough_together_or_one
    found = []
    for party in _parties(game):
        claims = [(points(game, party, held), needed(game, party))]
        claims += [(points(game, (one,), held), _as_one_player(game, party)) for one in party if alone]
        has, needs = min(claims, key=lambda claim: claim[1] - claim[0])
        found.append((party, has, needs))
    return found


def _parties(game: Game) -> list[Party]:
    return list(dict.fromkeys(game.state.ally_group(faction) for faction in game.order_of_play()))


def _winners(game: Game, held: Held) -> Party:
    """Return the winners. An alliance wins together or not at all (AH.XII.E.1, WBC.HR.3d). If several parties have
    enough points, the rule set decides whether only the first of them in the order of play wins or all share the
    victory (A-30)."""
    return tuple(faction for party in _parties_that_won(game, held) for faction in party)


def _parties_that_won(game: Game, held: Held) -> list[Party]:
    able = [party for party in _parties(game) if ENOUGH(game.rules)(game, party, held)]
    return able[:1] if FIRST_ALONE_WINS(game.rules) else able


# --- the last turn ---------------------------------------------------------------------------------------------------


def _end_last_turn(game: Game, held: Held) -> None:
    """End a game that has no winner after its last turn: the faction with the best claim wins, else the holder of the
    most strongholds (AH.SHIELD.FRE.4, AH.SHIELD.GUI.4, AH.QA.E.3)."""
    claims = {faction: rules_of(game, faction).claim_to_last_turn(game) for faction in game.order_of_play()}
    best = max(claims, key=claims.__getitem__)
    if claims[best] > Claim.NONE:
        _end(game, game.state.ally_group(best), best)
        return
    scores = {faction: points(game, (faction,), held) for faction in held}
    most = max(scores.values())
    _end_with_strongholds(game, tuple(faction for faction in held if scores[faction] == most), "most strongholds")


# --- options ---------------------------------------------------------------------------------------------------------

MAX_TURNS = number("max_turns", range(1, 16))
TWO_PLAYERS_NEED = number("two_player_strongholds", range(3, 6))
LONGER_GAME_ADDS = number("solo_strongholds_extra", range(3), usual=0)
ALLIES_NEED: Option[Callable[[Game, Party], int]] = Option(
    "alliance_strongholds", {"three": _as_one_player, "four": _four, "members_plus_two": _two_more_than_members}
)
ENOUGH: Option[Callable[[Game, Party, Held], bool]] = Option(
    "solo_win_while_allied", {"needs_alliance_number": _enough_together, "shared_with_ally": _enough_together_or_one}
)
SHIELD_WALL_COUNTS = Option(
    "shield_wall_rule",
    {"none": _wall_never_counts, "longer_game_territory": _wall_counts, "wbc": _wall_counts_after_worms},
)
FOUR_OF_SIX = Option("shield_wall_rule", {"none": False, "longer_game_territory": True, "wbc": False})
PARTED_BOTH_HOLD = Option("storm_locked_stronghold_counts", {"both": True, "neither": False})
FIRST_ALONE_WINS = Option("simultaneous_win", {"dot_order": True, "share": False})


MOST_POINTS = 7
"""The points for six strongholds and a full set of tech tokens."""


def all_agree_to_play_on(game: Game, parties: Sequence[Sequence[Faction]]) -> Generator[Stop, None, bool]:
    """Return whether several parties have won and all players agree to play on. On the last turn, return False without
    asking anybody."""
    last = game.state.turn >= (game.state.last_turn or MOST_TURNS(game.rules))
    if game.state.expansion is UNSET or len(parties) < 2 or last:
        return False
    winners = [faction for party in parties for faction in party]
    answers = yield from ask(lambda: [PlayOnQuestion(game, faction, winners) for faction in game.order_of_play()])
    orders = [order for _, order in answers.each() if isinstance(order, PlayOn)]
    if len(orders) < len(game.state.players):
        game.tell("played-on", agreed=False, number=0, winners=winners)
        return False
    number = min(order.number or 0 for order in orders)
    game.state.box.victory_number = max(number, game.state.box.victory_number)
    game.tell("played-on", agreed=True, number=number, winners=winners)
    return True


class PlayOnQuestion(Question):
    kind = "play-on"
    of_expansion = True
    default = EndGame()

    def __init__(self, game: Game, faction: Faction, winners: Sequence[Faction]) -> None:
        super().__init__(game, faction)
        self._winners = winners

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, PlayOn) and order.number is not None and not 3 <= order.number <= MOST_POINTS:
            return Refusal(f"The number of points must be from 3 to {MOST_POINTS}.", "victory.play-on")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return Refusal("No victory is shared yet.", "victory.play-on")

    def samples(self) -> Sequence[Order]:
        return [EndGame(), PlayOn(), PlayOn(4)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"winners": self._winners}


QUESTIONS: tuple[type[Question], ...] = (PlayOnQuestion,)
