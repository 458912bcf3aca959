"""The spice round: the spice blow, worms and what they devour, the nexus (AH.VII, AH.XII, AH.XXI, WBC.VII).

The blow: cards are turned until a territory card appears, on one pile or on each of two. If a worm is turned before
that, it calls a nexus, and devours in the territory of the last blow on its pile. On the first turn worms are ignored
and go back into the deck. If a card is needed and the deck is empty, all spice cards are shuffled again, but the last
blow of each pile is remembered (AH.XXI.B, AH.QA.E.4).

Worms: a worm acts when its nexus is over (WBC.VII.14), or at once if the rule set holds the nexus at the end of the
phase (GF9.SPICE.9). First the commander of the worms (the Fremen) decides where an additional worm appears. Then a
Karama may take control of the worm away, the commander's tokens may ride, and finally the worm devours (AH.VII.A.2). A
worm called by a Karama acts in the same way. The rule set decides whether such a worm brings a nexus, and whether a
Karama can take control of it from the commander (AH.QA.A.8, WBC.AID.34, FAQ.ADV-KARAMA.3, FAQ.ADV-KARAMA.5).

The Sandtrout, a spice card of an expansion (IT.TROUT), ends all alliances at once and waits face up until a worm comes.
It stops that worm: the worm does not call a nexus, and the next spice blow is doubled.

The nexus (AH.XII, WBC.HR.2): each player hands in a slip that says whether they leave their alliance, and with whom
they would ally, in order of preference. First, all players who want to leave do so. Then alliances form between players
who named each other. The players' wishes are taken in the order of play. Two groups join if every member of each group
named somebody in the other group. The result is public; a wish that was not fulfilled stays secret (WBC A-07).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from rules.components import KARAMA, SANDTROUT, SHAI_HULUD, Faction, board, spice_card_territory, the_faction
from rules.components.board import TERRITORIES, Area, TerritoryId, sector_of
from rules.decisions.catalogue import factions_with, play_gap, rules_of, tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, Stop, ask
from rules.decisions.windows import window
from rules.orders import Ally, BreakAlliance, NoAlliance, Order
from rules.rulesets.options import Option, number, switch
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import SpiceMoment, WormMoment

SHIELD_WALL_COUNTS_FROM = 6  # worms seen (WBC.HR.4a)

WORMS_MAKE_THE_WALL_COUNT = Option("shield_wall_rule", {"wbc": True, "none": False, "longer_game_territory": False})

Ignored = Callable[[bool], bool]
"""A test for whether an additional worm is ignored. Its argument is true if a faction in the game commands worms."""

EXTRA_WORMS_IGNORED: Option[Ignored] = Option(
    "extra_worms",
    {
        "ignored": lambda commanded: True,
        "fremen_any_territory": lambda commanded: False,
        "fremen_sand_only": lambda commanded: not commanded,
    },
)
ALLIES_LOSE_PROTECTION = Option("karama_vs_alliance_powers", {"worm_and_support_only": True, "no": False, "yes": True})
CALLED_WORM_CAN_BE_TAKEN = switch("fremen_karama_worm_cancellable")
RIDDEN_AT_ONCE = Option("worm_ride_moment", {"after_nexus": False, "when_worm_appears": True})
"""True if a worm is ridden before the nexus that it calls."""


def on_first_turn(game: Game) -> bool:
    return game.state.turn == 1  # worms are still ignored: AH.VII.D, WBC A-06


def count_worm(game: Game) -> None:
    """Count a worm. If the rule set says so, the Shield Wall counts as a stronghold from the sixth worm on (WBC.HR.4a,
    b)."""
    game.state.worms_seen += 1
    if WORMS_MAKE_THE_WALL_COUNT(game.rules) and game.state.worms_seen == SHIELD_WALL_COUNTS_FROM:
        game.tell("shield-wall-counts")


def worm_commanders(game: Game) -> list[Faction]:
    able = factions_with(game, FactionRules.commands_worms)
    return [faction for faction in able if rules_of(game, faction).commands_worms(game)]


def worm_comes(game: Game, worm: WormMoment, *, brings_nexus: bool = True) -> Flow:
    game.moments.worm, interrupted = worm, game.moments.worm
    first = RIDDEN_AT_ONCE(game.rules) or not brings_nexus
    if not first and not NEXUS_AT_THE_END(game.rules):
        yield from worm_calls_nexus(game)
    yield from _worm_surfaces(game, worm)
    worm.ridden_later = not first and NEXUS_AT_THE_END(game.rules)
    yield from _command_worm(game, worm)
    if brings_nexus and (first or NEXUS_AT_THE_END(game.rules)):
        yield from worm_calls_nexus(game)
    worm_eats(game, worm)
    if worm.ridden_later and game.moments.spice is not None:
        game.moments.spice.rides_due.append(worm)
    game.moments.worm = interrupted


def late_rides(game: Game) -> Flow:
    for worm in game.moments.spice.rides_due if game.moments.spice else ():
        worm.ridden_later = False
        yield from _command_worm(game, worm)


def _worm_surfaces(game: Game, worm: WormMoment) -> Flow:
    if worm.directed:
        for faction in worm_commanders(game)[:1]:
            yield from rules_of(game, faction).place_worm(game, worm)
    if worm_can_be_taken(game, worm):
        yield from window(
            game,
            "worm",
            lambda: bool(who_may_lose_worm(game, worm)),
            territory=worm.territory,
            additional=worm.directed,
        )
    if worm.territory is None:
        game.tell("worm-found-nothing")


def _command_worm(game: Game, worm: WormMoment) -> Flow:
    if worm.territory is not None:
        for faction in worm_commanders(game):
            yield from rules_of(game, faction).ride_worm(game, worm)


def worm_can_be_taken(game: Game, worm: WormMoment) -> bool:
    """Return whether a Karama can take control of this worm (WBC.AID.34, FAQ.ADV-KARAMA.5)."""
    return not worm.called or CALLED_WORM_CAN_BE_TAKEN(game.rules)


def who_may_lose_worm(game: Game, worm: WormMoment) -> list[Faction]:
    """Return the factions that a Karama could deprive of their power over the worm (AH.AID.KARAMA.A.4-a, WBC.AID.32).

    The commander is one of them if they direct the worm or it appears among their tokens. So is an ally with tokens
    there, if the rule set lets a Karama stop alliance powers.
    """
    found: list[Faction] = []
    here = game.state.forces_in(worm.territory) if worm.territory else {}
    for commander in worm_commanders(game):
        if commander not in worm.unprotected and (worm.directed or commander in here):
            found.append(commander)
        if ALLIES_LOSE_PROTECTION(game.rules):
            found += [
                ally
                for ally in game.state.ally_group(commander)
                if ally != commander and ally in here and ally not in worm.unprotected
            ]
    return found


def take_worm_from(game: Game, worm: WormMoment, faction: Faction) -> None:
    """Deprive the faction of its control of the worm, or of its protection from it. If the commander would have
    directed the worm, it acts where it would have appeared without a commander (WBC.AID.33)."""
    worm.unprotected.append(faction)
    if worm.directed and rules_of(game, faction).commands_worms(game):
        worm.territory = worm.beneath


def worm_eats(game: Game, worm: WormMoment) -> None:
    """Let the worm devour, on sand, all spice and all tokens in every sector, except protected tokens of the commanders
    and their allies (AH.VII.A.2)."""
    worm.ate = True
    if worm.territory is None:
        return
    if TERRITORIES[worm.territory].kind != "sand":
        game.tell("worm-ate", territory=worm.territory, spice=0, dead={}, sand=False)
        return
    spice = sum(game.take_spice(area) for area in TERRITORIES[worm.territory].areas)
    safe = {ally for commander in worm_commanders(game) for ally in game.state.ally_group(commander)}
    dead = {
        faction: str(game.kill_in(worm.territory, faction))
        for faction in game.state.forces_in(worm.territory)
        if faction not in safe or faction in worm.unprotected or faction in worm.fed
    }
    game.tell("worm-ate", territory=worm.territory, spice=spice, dead=dead, sand=True)
    tokens_gone(game)


def no_worm_to_come(game: Game) -> Refusal | None:
    moment = game.moments.spice or SpiceMoment()
    if on_first_turn(game):
        return Refusal("Worms have no effect on the first turn.", "spice-blow.first-turn")
    if not moment.blows_to_come:
        why = "No more spice cards are drawn this turn, so no more worms come."
        return Refusal(why, "spice-blow.until-spice-blows")
    return None


SANDTROUT_WAITS_ON_FIRST_TURN = Option("sandtrout_turn_1", {"set_aside": False, "waits": True})
"""True if a Sandtrout turned on the first turn waits for a worm, instead of going back into the deck as worms do
(IT.TROUT.8)."""
STILLED_WORM_EATS = Option("sandtrout_worm_eats", {"no": False, "yes": True})
"""True if a stilled worm still devours (IT.TROUT.4)."""


def sandtrout_turned(game: Game, pile: int) -> None:
    """Resolve a Sandtrout that was turned: it ends all alliances and waits for a worm (IT.TROUT.2, IT.TROUT.7). On the
    first turn it is only discarded, if the rule set says so."""
    if on_first_turn(game) and not SANDTROUT_WAITS_ON_FIRST_TURN(game.rules):
        game.state.spice_discard[pile].append(SANDTROUT)
        game.tell("sandtrout", pile=pile + 1, waits=False, ended=[])
        return
    state = game.state
    ended = [list(group) for group in state.alliances]
    state.alliances = []
    state.box.sandtrout = True
    game.tell("sandtrout", pile=pile + 1, waits=True, ended=ended)


def sandtrout_stills_worm(game: Game, pile: int, beneath: TerritoryId | None) -> None:
    """Stop the worm that was turned, and discard the Sandtrout below it (IT.TROUT.3, IT.TROUT.4)."""
    state = game.state
    state.box.sandtrout = False
    state.spice_discard[pile].append(SANDTROUT)
    count_worm(game)
    game.tell("sandtrout-stilled", pile=pile + 1, territory=beneath)
    if STILLED_WORM_EATS(game.rules):
        worm_eats(game, WormMoment(beneath, beneath))


ALLIANCES = switch("alliances_enabled", usual="on")
LARGEST_ALLIANCE = number("alliance_max", (0, 2, 3))
"""The maximum size of an alliance; 0 means no limit."""
ENOUGH_PLAYERS_TO_ALLY = number("alliance_min_players", (0, 4))
PAIRS_OF_THREE = Option("alliances_small_games", {"pairs_at_3": True, "as_larger": False})


def _every_worm(moment: SpiceMoment) -> bool:
    return True


def _first_of_the_pile(moment: SpiceMoment) -> bool:
    return not moment.pile_had_nexus


def _first_of_the_turn(moment: SpiceMoment) -> bool:
    return not moment.turn_had_nexus


NEXUS_IS_CALLED = Option(
    "nexus_count",
    {"every_worm": _every_worm, "first_worm_per_pile": _first_of_the_pile, "first_worm_only": _first_of_the_turn},
)
"""True if the next worm calls a nexus."""
NEXUS_AT_THE_END = Option("nexus_timing", {"before_feeding": False, "end_of_phase": True})
CALLED_WORM_CALLS_NEXUS = switch("fremen_karama_worm_nexus")
CALLED_AT_ANY_TIME = Option(
    "fremen_karama_worm_window", {"any_time": True, "spice_or_own_move": False, "spice_phase": False}
)


def worm_calls_nexus(game: Game) -> Flow:
    """Call a nexus, now or at the end of the phase. Several worms call only one nexus (AH.VII.B, GF9.SPICE.9)."""
    moment = game.moments.spice
    if moment is None or game.state.turn == 1 or not NEXUS_IS_CALLED(game.rules)(moment):
        return
    moment.pile_had_nexus = moment.turn_had_nexus = True
    if NEXUS_AT_THE_END(game.rules):
        moment.nexus_due = True
    else:
        yield from nexus(game)


def nexus_at_end_of_phase(game: Game) -> Flow:
    moment = game.moments.spice
    while moment is not None and moment.nexus_due:
        moment.nexus_due = False
        yield from nexus(game)


def nexus(game: Game) -> Flow:
    game.tell("nexus")
    if largest_alliance(game) > 1:
        answers = yield from ask(lambda: [NexusQuestion(game, faction) for faction in game.order_of_play()])
        settle_alliances(game, {faction: answers.all_of(faction) for faction in game.order_of_play()})
    game.tell("nexus-over", alliances=[list(group) for group in game.state.alliances])


def largest_alliance(game: Game) -> int:
    """Return the maximum number of members of an alliance in this game; 1 means that there are no alliances
    (AH.XII.C.2, WBC.HR.2, WBC A-34)."""
    rules, players = game.rules, len(game.state.players)
    if not ALLIANCES(rules):
        return 1
    if players < ENOUGH_PLAYERS_TO_ALLY(rules) and PAIRS_OF_THREE(rules):
        return 2 if players == 3 else 1
    if game.state.triple_alliances:
        return 3
    if LARGEST_ALLIANCE(rules) == 3 and players < len(board.DOTS):
        return 2  # three may ally only in a game of six (WBC.HR.2b)
    return LARGEST_ALLIANCE(rules) or players


class NexusQuestion(Question):
    kind = "nexus"
    many = True
    default = NoAlliance()

    def refusal(self, order: Order) -> Refusal | None:
        return _slip_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _no_nexus_to_come(game) or _slip_refusal(game, faction, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _with_oneself() if isinstance(order, Ally) and order.faction == faction else None

    @property
    def _allies(self) -> list[Faction]:
        return [ally for ally in self.game.state.ally_group(self.faction) if ally != self.faction]

    @property
    def _others(self) -> list[Faction]:
        allies = self._allies
        return [other for other in self.game.order_of_play() if other != self.faction and other not in allies]

    def samples(self) -> list[Order]:
        leave: list[Order] = [BreakAlliance()] if self._allies else []
        return [NoAlliance(), *leave, *(Ally(other) for other in self._others)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"allies": self._allies, "others": self._others, "largest": largest_alliance(self.game)}

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Return whether both lines of a slip apply.

        A line that leaves an alliance and a line that names a new ally both apply. So do lines that name several
        allies, if an alliance may have more than two members. Otherwise, a line that names another ally, or no
        alliance, replaces the earlier line.
        """
        match earlier, later:
            case (BreakAlliance(), Ally()) | (Ally(), BreakAlliance()):
                return True
            case Ally(one), Ally(other):
                return one != other and largest_alliance(self.game) > 2
        return False


def _with_oneself() -> Refusal:
    return Refusal("You cannot ally with yourself.", "nexus.allying")


def _slip_refusal(game: Game, faction: Faction, order: Order) -> Refusal | None:
    match order:
        case BreakAlliance():
            if len(game.state.ally_group(faction)) == 1:
                return Refusal("You have no ally to leave.", "nexus.leaving")
        case Ally(other):
            if other == faction:
                return _with_oneself()
            if not game.plays(other):
                return Refusal(f"Nobody plays {the_faction(other)} in this game.", "nexus.allying")
            if game.state.allied(faction, other):
                return Refusal(f"You are already allied with {the_faction(other)}.", "nexus.one-alliance")
    return None


def _no_nexus_to_come(game: Game) -> Refusal | None:
    moment = game.moments.spice or SpiceMoment()
    if largest_alliance(game) == 1:
        return Refusal("There are no alliances in this game.", "nexus.no-alliances")
    if game.state.turn == 1:
        return Refusal("There is no nexus on the first turn.", "spice-blow.first-turn")
    if moment.nexus_due:
        return None
    next_pile = SpiceMoment(turn_had_nexus=moment.turn_had_nexus) if moment.piles_to_come else moment
    drawn = moment.blows_to_come and NEXUS_IS_CALLED(game.rules)(next_pile)
    if drawn or (CALLED_WORM_CALLS_NEXUS(game.rules) and NEXUS_IS_CALLED(game.rules)(moment)):
        return None
    return Refusal("Alliances change only at a nexus, and there is no other this turn.", "nexus.none-to-come")


def settle_alliances(game: Game, slips: Mapping[Faction, Sequence[Order]]) -> None:
    state = game.state
    order_of_play = game.order_of_play()
    for faction in order_of_play:
        group = state.ally_group(faction)
        if BreakAlliance() in slips[faction] and len(group) > 1:
            left = tuple(member for member in group if member != faction)
            place = state.alliances.index(group)
            state.alliances[place : place + 1] = [left] if len(left) > 1 else []
            game.tell("alliance-broken", faction=faction, allies=list(left))
    wishes = {
        faction: [order.faction for order in slips[faction] if isinstance(order, Ally)] for faction in order_of_play
    }
    while _form_one(game, wishes):
        pass


def _form_one(game: Game, wishes: Mapping[Faction, Sequence[Faction]]) -> bool:
    """Join the first two groups, in the order of play, that want each other. Return whether there were two such
    groups."""
    state = game.state
    for faction in game.order_of_play():
        for wanted in wishes[faction]:
            one, other = state.ally_group(faction), state.ally_group(wanted)
            if one == other or len(one) + len(other) > largest_alliance(game):
                continue
            if _all_want(wishes, one, other) and _all_want(wishes, other, one):
                joined = tuple(member for member in state.players if member in one or member in other)
                kept = [group for group in state.alliances if group not in (one, other)]
                state.alliances = [*kept, joined]
                game.tell("alliance-formed", factions=list(joined))
                return True
    return False


def _all_want(wishes: Mapping[Faction, Sequence[Faction]], group: Sequence[Faction], others: Sequence[Faction]) -> bool:
    return all(any(other in wishes[member] for other in others) for member in group)


NEXUS_QUESTIONS: tuple[type[Question], ...] = (NexusQuestion,)


BLOWS = number("spice_blows", range(1, 3))
BACK_AT_ONCE = Option("turn1_worm_reshuffle", {"at_once": True, "after_phase": False}, usual="after_phase")


def flow(game: Game) -> Flow:
    moment = game.moments.spice = SpiceMoment()
    yield from calling_window(game)
    piles = BLOWS(game.rules)
    for pile in range(piles):
        moment.begin_pile(piles - pile - 1)
        yield from play_gap(game, "before a spice card is turned")
        yield from blow(game, moment, pile)
    moment.blows_to_come = False
    if on_first_turn(game):
        shuffle_worms_back(game)
    yield from calling_window(game)
    yield from nexus_at_end_of_phase(game)
    yield from late_rides(game)


def calling_window(game: Game) -> Flow:
    """Open the window for the Karama that calls a worm. It opens whether or not anybody has the card (WBC.XVII.18)."""

    def possible() -> bool:
        called = any(rules_of(game, faction).has_karama_power(game, "worm") for faction in game.order_of_play())
        return called and game.state.treachery_discard.count(KARAMA) < 2

    yield from window(game, "fremen-worm", possible)


def calling_gap(game: Game) -> Flow:
    # between two phases, so that a worm can come before the battles and before the collection
    if CALLED_AT_ANY_TIME(game.rules):
        yield from calling_window(game)


def blow(game: Game, moment: SpiceMoment, pile: int) -> Flow:
    """Turn cards for one pile until spice blows. The spice is doubled if the Sandtrout stopped a worm just before
    (IT.TROUT.5)."""
    doubled = False
    if moment.thumped:
        moment.thumped = False
        doubled = yield from worm_turned(game, moment, pile)
    while True:
        card = turn_card(game)
        if card == SANDTROUT:
            sandtrout_turned(game, pile)
            continue
        game.state.spice_discard[pile].append(card)
        territory = spice_card_territory(card)
        if territory is not None:
            moment.laid = lay_spice(game, territory, pile, doubled=doubled)
            yield from play_gap(game, "spice has blown")
            moment.laid = None
            return
        doubled = False
        if on_first_turn(game):
            game.tell("worm-ignored", pile=pile + 1)
            if BACK_AT_ONCE(game.rules):
                shuffle_worms_back(game)
        else:
            doubled = yield from worm_turned(game, moment, pile)


def worm_turned(game: Game, moment: SpiceMoment, pile: int) -> Generator[Stop, None, bool]:
    """Resolve a worm card, or a Thumper played in place of a card. Return whether a waiting Sandtrout stops the worm.
    If it does, the worm does not call a nexus, and the spice blow that follows is doubled (IT.TROUT.3, IT.TROUT.5,
    IT.TROUT.10)."""
    if game.state.box.sandtrout:
        sandtrout_stills_worm(game, pile, last_blow(game, pile))
        return True
    moment.worms += 1
    yield from worm_appears(game, moment, pile)
    return False


def shuffle_worms_back(game: Game) -> None:
    """Shuffle the worms of the first turn, and a Sandtrout, back into the deck (AH.VII.D, AH.XXI.A.3, GF9.SPICE.2,
    IT.TROUT.8). This happens once, after the last blow; the odds are the same as if each card went back at once."""
    state = game.state
    back = [card for pile in state.spice_discard for card in pile if card in (SHAI_HULUD, SANDTROUT)]
    worms_seen = back.count(SHAI_HULUD)
    if back:
        state.spice_discard = [[card for card in pile if card not in back] for pile in state.spice_discard]
        state.spice_deck += sorted(back, reverse=True)
        game.chance.shuffle("spice-deck", state.spice_deck)
        with_them: dict[str, Any] = {"sandtrout": True} if SANDTROUT in back else {}
        game.tell("worms-shuffled-back", worms=worms_seen, **with_them)


def turn_card(game: Game) -> str:
    state = game.state
    if not state.spice_deck:
        for pile in range(len(state.spice_discard)):
            state.last_blows[pile] = last_blow(game, pile)
        state.spice_deck = [card for cards in state.spice_discard for card in cards]
        state.spice_discard = [[] for _ in state.spice_discard]
        game.chance.shuffle("spice-deck", state.spice_deck)
        game.tell("spice-deck-reshuffled", cards=len(state.spice_deck))
    return state.spice_deck.pop(0)


def last_blow(game: Game, pile: int) -> TerritoryId | None:
    """Return the territory of the last blow on the pile, even if its card has been shuffled into the deck since
    (AH.VII.A.2-d, AH.XXI.B.2-b)."""
    for card in reversed(game.state.spice_discard[pile]):
        if (territory := spice_card_territory(card)) is not None:
            return territory
    return game.state.last_blows[pile]


def lay_spice(game: Game, territory: TerritoryId, pile: int, *, doubled: bool = False) -> tuple[Area, int]:
    """Put spice from the bank on the territory's spice area, unless the storm is there (AH.VII.A.1). Return the area
    and the amount."""
    facts = TERRITORIES[territory]
    area = facts.spice_area
    if area is None:
        raise ValueError(f"no spice blows in {territory}")
    in_storm = sector_of(area) == game.state.storm
    amount = 0 if in_storm else facts.spice * (2 if doubled else 1)
    game.add_spice(area, amount)
    game.tell("spice-blow", area=area, amount=amount, pile=pile + 1, in_storm=in_storm)
    return area, amount


def worm_appears(game: Game, moment: SpiceMoment, pile: int) -> Flow:
    beneath = last_blow(game, pile)
    additional = moment.worms > 1
    count_worm(game)
    commanded = bool(worm_commanders(game))
    if additional and EXTRA_WORMS_IGNORED(game.rules)(commanded):
        game.tell("worm-ignored", pile=pile + 1)
        return
    directed = additional and commanded
    worm = WormMoment(None if directed else beneath, beneath, directed)
    game.tell(
        "worm-appeared", territory=worm.territory, pile=pile + 1, additional=additional, seen=game.state.worms_seen
    )
    yield from worm_comes(game, worm)


QUESTIONS = NEXUS_QUESTIONS
