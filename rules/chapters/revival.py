"""Revival (AH.IX.B, AH.IX.D, WBC.IX.1): tokens before anybody ships, a leader at the end of one's own move.

Tokens: as many free as the shield prints, further ones for two spice each, three a turn in all, at most one starred.
Everybody is asked at once, also with empty tanks: the stop is the gap before Atreides look at the spice card, and
whoever holds a Karama may keep them from it here (AH.SHIELD.ATR.2, WBC.AID.17).
"""

from __future__ import annotations

from functools import partial

from rules.components import FACTION_FACTS, LEADERS, Faction, Forces, Leader, leader_strength, leaders_of
from rules.decisions.asking import Answers, ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.orders import NoRevival, Order, Revive, ReviveKwisatzHaderach, ReviveLeader
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

MOST_TOKENS = 3
TOKEN_PRICE = 2
KWISATZ_HADERACH_PRICE = 2


def flow(game: Game) -> Flow:
    """The story of the revival of tokens, and the look at the spice card that follows it."""
    answers = yield from ask(lambda: [_question(game, faction) for faction in game.order_of_play()])
    for faction in game.order_of_play():
        _bring_back(game, faction, answers)
    _look_at_the_spice_card(game)


def _bring_back(game: Game, faction: Faction, answers: Answers) -> None:
    order = answers.of(faction)
    if isinstance(order, Revive):
        price = token_price(faction, order.forces)
        game.pay(faction, price)
        game.revive(faction, order.forces)
        if order.forces.elite:
            game.state.elite_revived.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(order.forces), price=price)


def _look_at_the_spice_card(game: Game) -> None:
    """The top of the spice deck, for Atreides alone."""
    state = game.state
    if game.plays("atreides") and state.spice_deck and state.sights_blocked.get("spice card") != state.turn:
        game.tell("spice-card-seen", audience=["atreides"], card=state.spice_deck[0])


# --- tokens ----------------------------------------------------------------------------------------------------------


def token_price(faction: Faction, forces: Forces) -> int:
    """What it costs to revive these: two spice for each beyond the free ones (AH.IX.B.1)."""
    return TOKEN_PRICE * max(0, forces.total - FACTION_FACTS[faction].free_revival)


def _elite_left(game: Game, faction: Faction) -> int:
    """How many starred tokens may still come back this turn (AH.SHIELD.EMP.2-c)."""
    return 0 if faction in game.state.elite_revived else 1


def _revivable(game: Game, faction: Faction, number: int) -> Forces:
    """That many tokens, as far as the tanks have them, a starred one first."""
    tanks = game.player(faction).tanks
    elite = min(tanks.elite, _elite_left(game, faction), number)
    return Forces(min(tanks.ordinary, number - elite), elite)


def check_tokens(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why the faction cannot revive these now, or None."""
    if isinstance(order, ReviveLeader | ReviveKwisatzHaderach):
        return Refusal("Leaders come back at the end of their player's own move.", "AH.IX.D.4")
    if not isinstance(order, Revive):
        return None
    forces, player = order.forces, game.player(faction)
    if not 1 <= forces.total <= MOST_TOKENS:
        return Refusal(f"You may revive 1 to {MOST_TOKENS} tokens a turn, not {forces.total}.", "AH.IX.B-a")
    if not player.tanks.covers(forces):
        return Refusal(f"You have {player.tanks} in the tanks, so {forces} cannot come back.", "AH.IX.B-a")
    if forces.elite > _elite_left(game, faction):
        return Refusal("One starred token may come back in a turn, by whatever means.", "AH.SHIELD.EMP.2-c")
    price = token_price(faction, forces)
    if price > player.spice:
        most = FACTION_FACTS[faction].free_revival + player.spice // TOKEN_PRICE
        why = f"That costs {price} spice; you have {player.spice}, so at most {min(most, MOST_TOKENS)} tokens."
        return Refusal(why, "AH.IX.B.1-b")
    return None


def _question(game: Game, faction: Faction) -> Question:
    player = game.player(faction)
    free = _revivable(game, faction, FACTION_FACTS[faction].free_revival)

    def choices() -> list[Order]:
        wanted = dict.fromkeys(_revivable(game, faction, number) for number in range(MOST_TOKENS, 0, -1))
        orders = [Revive(forces) for forces in wanted if forces]
        return [*(order for order in orders if check_tokens(game, faction, order) is None), NoRevival()]

    return Asked(
        faction,
        "revival",
        Revive(free) if free else NoRevival(),
        lambda order: check_tokens(game, faction, order),
        choices,
        about={
            "what": "tokens",
            "tanks": str(player.tanks),
            "free": FACTION_FACTS[faction].free_revival,
            "spice": player.spice,
        },
        blanket=not player.tanks,
    )


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Held for the one stop of the phase, where something else is being played at it."""
    return check_tokens(game, faction, order)


# --- a leader, at the end of one's own move --------------------------------------------------------------------------


def leader_revival(game: Game, faction: Faction) -> Flow:
    """Offer the faction a leader back for his strength in spice, or Atreides the Kwisatz Haderach for two.

    Played by the movement phase at the end of the faction's own move (AH.IX.D.4). One leader a turn, and the Kwisatz
    Haderach is one of them; only where the rule set lets it come back on any turn does it take nobody's place.
    """
    _keep_the_right(game, faction)
    revived = False
    while True:
        answers = yield from ask(partial(_leader_questions, game, faction, revived))
        match answers.of(faction):
            case ReviveLeader(leader):
                revived = True
                _buy_back(game, faction, leader)
            case ReviveKwisatzHaderach():
                revived = revived or _haderach_as_leader(game)
                game.pay(faction, KWISATZ_HADERACH_PRICE)
                game.state.kwisatz_haderach = "ready"
                game.tell("kwisatz-haderach-revived", faction=faction, price=KWISATZ_HADERACH_PRICE)
            case _:
                return


def _haderach_as_leader(game: Game) -> bool:
    """Whether the Kwisatz Haderach comes back as leaders do: when they may, and in the place of one (A-16)."""
    return game.rules.kh_revival == "as_leader"


def _keep_the_right(game: Game, faction: Faction) -> None:
    """Once begun, leader revival goes on until all have been back (AH.IX.D.1-b)."""
    state = game.state
    to_come = any(state.leaders[leader].status == "dead" for leader in leaders_of(faction))
    to_come = to_come or (_haderach_as_leader(game) and _haderach_is_dead(game, faction))
    if not to_come and faction in state.leader_revivals:
        state.leader_revivals.remove(faction)
    elif to_come and faction not in state.leader_revivals and _may_begin(game, faction):
        state.leader_revivals.append(faction)


def _buy_back(game: Game, faction: Faction, leader: Leader) -> None:
    price = leader_strength(leader)
    game.pay(faction, price)
    game.revive_leader(leader)
    game.tell("leader-revived", faction=faction, leader=leader, price=price)


def revivable_leaders(game: Game, faction: Faction) -> list[Leader]:
    """Whom the faction may bring back now, if it can pay, the cheapest first; empty while others are still there.

    It begins when the rule set's condition is met and then goes on from turn to turn until all have been back
    (AH.IX.D.1). A leader killed again waits until all others that can come back have died as often (AH.IX.D.5).
    """
    state, own = game.state, leaders_of(faction)
    if not _leaders_may_return(game, faction):
        return []
    fewest = min((state.leaders[leader].deaths for leader in set(own) - game.captives()), default=0)
    return [
        leader
        for leader in reversed(own)
        if state.leaders[leader].status != "ready" and state.leaders[leader].deaths <= fewest
    ]


def _leaders_may_return(game: Game, faction: Faction) -> bool:
    """Whether leader revival has begun, or may begin now."""
    return faction in game.state.leader_revivals or _may_begin(game, faction)


def _may_begin(game: Game, faction: Faction) -> bool:
    """Whether all five are dead, or in rule sets that say so, none of them can be played (AH.IX.D.1-a, AH.QA.D.2)."""
    left = [leader for leader in leaders_of(faction) if game.state.leaders[leader].status == "ready"]
    if game.rules.leader_revival_condition == "none_available":
        return game.captives().issuperset(left)
    return not left


def _may_be_due(game: Game, faction: Faction) -> bool:
    """Whether a leader may be due for all that others can see: it can rest on who is captive, which only two know."""
    state = game.state
    captives = any(faction in player.captured.values() for player in state.players.values())
    lost = any(state.leaders[leader].status != "ready" for leader in leaders_of(faction))
    return captives and lost and _leaders_may_return(game, faction)


def _haderach_is_dead(game: Game, faction: Faction) -> bool:
    return faction == "atreides" and game.rules.kwisatz_haderach == "on" and game.state.kwisatz_haderach == "dead"


def kwisatz_haderach_revivable(game: Game, faction: Faction) -> bool:
    """Whether Atreides may buy the Kwisatz Haderach back (AH.SHIELD.ATR.4-f, A-16)."""
    if not _haderach_is_dead(game, faction):
        return False
    return not _haderach_as_leader(game) or _leaders_may_return(game, faction)


def check_leader(game: Game, faction: Faction, order: Order, revived: bool = False) -> Refusal | None:
    """Why the faction cannot bring this one back at the end of its move, or None. ``revived``: it had one this turn."""
    if revived and (isinstance(order, ReviveLeader) or _haderach_as_leader(game)) and not isinstance(order, NoRevival):
        return Refusal("One leader comes back in a turn.", "AH.IX.D.1-b")
    refusal = impossible(game, faction, order)
    if refusal is not None:
        return refusal
    spice = game.player(faction).spice
    match order:
        case ReviveKwisatzHaderach() if spice < KWISATZ_HADERACH_PRICE:
            why = f"The Kwisatz Haderach costs {KWISATZ_HADERACH_PRICE} spice; you have {spice}."
            return Refusal(why, "AH.SHIELD.ATR.4-f")
        case ReviveLeader(leader) if spice < leader_strength(leader):
            return Refusal(f"{leader} costs {leader_strength(leader)} spice; you have {spice}.", "AH.IX.D.2")
    return None


def impossible(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why this one cannot come back at the end of the faction's move whatever it can pay by then, or None."""
    match order:
        case ReviveKwisatzHaderach() if not _haderach_is_dead(game, faction):
            return Refusal("The Kwisatz Haderach is not in the tanks.", "AH.SHIELD.ATR.4-f")
        case ReviveKwisatzHaderach() if not kwisatz_haderach_revivable(game, faction):
            why = "The Kwisatz Haderach comes back like any other leader, and you still have some who can be played."
            return Refusal(why, "AH.SHIELD.ATR.4-f")
        case ReviveLeader(leader):
            if leader not in LEADERS or LEADERS[leader].faction != faction:
                return Refusal(f"{leader} is not a leader of yours.", "AH.IX.D.1-a")
            if game.state.leaders[leader].status == "ready":
                return Refusal(f"{leader} is not in the tanks.", "AH.IX.D.1-a")
            able = revivable_leaders(game, faction)
            if not able:
                why = "Leaders come back once none of your own can be played; you still have some."
                return Refusal(why, "AH.IX.D.1-a")
            if leader not in able:
                why = f"{leader} has died more often than others of yours; now you may have {', '.join(able)} back."
                return Refusal(why, "AH.IX.D.5")
        case Revive():
            return Refusal("Tokens come back before anybody ships, in the revival phase.", "AH.IX.B-a")
    return None


def _leader_questions(game: Game, faction: Faction, revived: bool) -> list[Question]:
    leaders = [] if revived else revivable_leaders(game, faction)
    haderach = kwisatz_haderach_revivable(game, faction) and not (revived and _haderach_as_leader(game))
    if not leaders and not haderach and (revived or not _may_be_due(game, faction)):
        return []

    def choices() -> list[Order]:
        orders: list[Order] = [ReviveLeader(leader) for leader in leaders]
        if haderach:
            orders.append(ReviveKwisatzHaderach())
        return [*(order for order in orders if check_leader(game, faction, order, revived) is None), NoRevival()]

    about = {
        "what": "leader",
        "leaders": {leader: leader_strength(leader) for leader in leaders},
        "kwisatz_haderach": haderach,
        "spice": game.player(faction).spice,
    }
    return [
        Asked(
            faction,
            "revival",
            NoRevival(),
            lambda order: check_leader(game, faction, order, revived),
            choices,
            about=about,
        )
    ]
