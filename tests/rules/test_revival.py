"""Tests for revival beyond the rulings: the spice card, what the numbers reveal, and leaders by order of death."""

from typing import Any

import pytest

from rules.chapters import revival, revival_costs
from rules.components import FACTION_FACTS, FACTIONS, Forces, leaders_of
from rules.engine.play import Play
from rules.orders import Karama, NoRevival, Revive, Support
from rules.positions.position import position
from rules.state.events import Event
from tests.rules.stage import at, say, silence, told


def at_revival(ruleset: str = "wbc-2018", **start: Any) -> Play:
    """Return a game at the first stop of the revival."""
    return at("revival", ruleset, **{"storm": 3, **start})


def looks(play: Play) -> list[Event]:
    return told(play, "spice-card-seen")


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
@pytest.mark.clause("AH.SHIELD.ATR.2")
def test_atreides_alone_look_at_the_top_spice_card_before_anybody_ships(ruleset: str) -> None:
    play = at_revival(ruleset, spice_deck=["Red Chasm"])
    play.expire()
    (look,) = looks(play)
    assert look.facts == {"card": "Red Chasm"}
    assert look.audience == ("atreides",)
    assert not look.visible_to("guild")
    assert not look.visible_to("public")


@pytest.mark.clause("WBC.AID.17", "AH.AID.KARAMA.A.1-a")
def test_a_karama_in_the_bidding_keeps_atreides_from_the_spice_card_of_this_turn() -> None:
    start = {"turn": 4, "phase": "bidding", "storm": 3, "faction": {"guild": {"hand": ["Karama"]}}}
    play = position({"start": start}).play()
    play.begin_phase("bidding")
    play.settle()
    say(play, "guild", Karama("block spice card"))
    play.begin_phase("revival")
    play.expire()
    assert looks(play) == []
    play.state.turn += 1
    play.begin_phase("revival")
    play.expire()
    assert len(looks(play)) == 1


def test_without_atreides_nobody_looks() -> None:
    play = at_revival(factions=["guild", "fremen"])
    play.expire()
    assert looks(play) == []


@pytest.mark.clause("AH.IX.B.1-a")
def test_what_silence_brings_back_is_what_the_shield_prints() -> None:
    play = at_revival(faction={faction: {"tanks": "5"} for faction in FACTIONS})
    defaults = {question.faction: question.default for question in play.questions()}
    assert defaults == {faction: Revive(Forces(FACTION_FACTS[faction].free_revival)) for faction in play.state.players}


@pytest.mark.clause("WBC.IX.1")
def test_all_revive_at_one_stop_and_are_told_in_the_order_of_play() -> None:
    play = at_revival(faction={faction: {"tanks": "2"} for faction in FACTIONS})
    for faction in reversed(list(play.state.players)):
        say(play, faction, Revive(Forces(1)))
    told = [event.facts["faction"] for event in play.events if event.kind == "tokens-revived"]
    assert told == list(play.game.order_of_play())


@pytest.mark.clause("FAQ.TLEILAXU.16")
def test_everybody_hears_who_helped_with_a_revival_and_with_how_much() -> None:
    them = {"emperor": {"spice": 9}, "guild": {"spice": 4, "tanks": "9"}}
    play = at_revival("gf9-basic", alliances=[["emperor", "guild"]], faction=them)
    say(play, "emperor", Support(9))
    say(play, "guild", Revive(Forces(6)))
    silence(play)
    (event,) = told(play, "tokens-revived")
    said = event.seen_by("public")
    assert (said["price"], said["helper"], said["helped"]) == (4, "emperor", 6)


@pytest.mark.clause("AH.IX.B.1-b")
def test_every_choice_offered_can_be_paid() -> None:
    for spice in range(6):
        play = at_revival(faction={"emperor": {"tanks": "4+2", "spice": spice}})
        (question,) = [q for q in play.questions() if q.faction == "emperor"]
        choices = question.samples()
        assert NoRevival() in choices
        assert all(question.refusal(order) is None for order in choices)
        most = max(order.forces.total for order in choices if isinstance(order, Revive))
        assert most == min(3, 1 + spice // 2)


@pytest.mark.clause("AH.SHIELD.EMP.KARAMA", "WBC.XVII.19")
def test_the_emperors_karama_brings_back_one_to_three() -> None:
    play = at_revival(faction={"emperor": {"tanks": "5", "hand": ["Karama"]}})
    taken = [n for n in range(6) if play.check("emperor", Karama("revive", forces=Forces(n))).status == "accepted"]
    assert taken == [1, 2, 3]
    play = at_revival(faction={"emperor": {"tanks": "2+2", "hand": ["Karama"]}})
    starred = [Karama("revive", forces=Forces(0, elite)) for elite in (1, 2)]
    assert [play.check("emperor", order).status for order in starred] == ["accepted", "refused"]
    play.state.elite_revived.append("emperor")
    assert play.check("emperor", starred[0]).status == "refused"
    both = Karama("revive", forces=Forces(1), leader=leaders_of("emperor")[0])
    assert play.check("emperor", both).status == play.check("emperor", Karama("revive")).status == "refused"


@pytest.mark.clause("AH.IX.D.5")
def test_leaders_come_back_in_rounds_of_deaths() -> None:
    play = at_revival("ah-basic", factions=["atreides", "guild"])
    game, own = play.game, leaders_of("atreides")
    for leader in own:
        game.kill_leader(leader)
    assert set(revival.revivable_leaders(game, "atreides")) == set(own)
    first = own[0]
    game.revive_leader(first)
    game.kill_leader(first)
    assert set(revival.revivable_leaders(game, "atreides")) == set(own[1:])
    for leader in own[1:]:
        game.revive_leader(leader)
        game.kill_leader(leader)
    assert set(revival.revivable_leaders(game, "atreides")) == set(own)


@pytest.mark.clause("AH.IX.D.1-b")
def test_the_right_to_have_leaders_back_ends_once_all_have_been_back_however_long_it_took() -> None:
    play = at("movement", "ah-basic", factions=["guild", "atreides"], storm=3)
    own = [play.state.leaders[leader] for leader in leaders_of("guild")]
    for standing in own:
        standing.status = "dead"
    for _ in range(2):
        assert "leader" in asked_of_the_guild(play)  # a player who revives nobody keeps the right
    for standing in own:
        standing.status = "ready"
    assert asked_of_the_guild(play) == {"tokens"}
    own[0].status = "dead"
    assert asked_of_the_guild(play) == {"tokens"}


def asked_of_the_guild(play: Play) -> set[str]:
    """Return the revival questions to the Guild before the next movement round, while everybody is silent."""
    turn, asked = play.state.turn, set()
    while play.state.turn == turn or play.state.phase != "movement":
        asked |= {q.facts["what"] for q in play.questions() if q.kind == "revival" and q.faction == "guild"}
        play.expire()
        play.advance()
    return asked


@pytest.mark.clause("GF9.REV.4", "VACA.FAC.FRE.REVIVAL")
@pytest.mark.parametrize(
    ("buys", "back", "limit"), [(True, 0, 3), (True, 1, 2), (False, 0, 3), (False, 1, 2), (False, 3, 0), (False, 4, 0)]
)
def test_what_cards_have_brought_back_counts_where_the_limit_holds_for_them(buys: bool, back: int, limit: int) -> None:
    options = {"revival_limit_card_exempt": "no", "fremen_bought_revival": "moot" if buys else "never"}
    start = {"turn": 4, "phase": "revival", "faction": {"fremen": {"tanks": "9"}}}
    game = position({"ruleset": "vaca-2.0", "options": options, "start": start}).play().game
    game.state.revived["fremen"] = back
    assert revival_costs.own_token_limit(game, "fremen") == limit


@pytest.mark.clause("FAQ.FREMEN.5", "IT.OTHERS.2")
@pytest.mark.parametrize(("bought", "limit"), [("never", 3), ("to_five_with_tleilaxu", 5)])
def test_who_buys_no_tokens_has_the_free_ones_alone_however_high_the_limit(bought: str, limit: int) -> None:
    options = {"expansion": "ixians-tleilaxu", "fremen_bought_revival": bought}
    start = {"turn": 4, "phase": "revival", "factions": ["tleilaxu", "fremen"], "revival_limits": {"fremen": 5}}
    game = position({"ruleset": "gf9-advanced", "options": options, "start": start}).play().game
    assert (revival_costs.turn_limit(game, "fremen"), revival_costs.own_token_limit(game, "fremen")) == (5, limit)


@pytest.mark.clause("FAQ.TLEILAXU.16", "GF9.REV.3")
@pytest.mark.parametrize(
    ("spice", "pledge", "tokens", "told_why"),
    [
        (4, 0, 3, None),
        (2, 2, 3, None),
        (0, 4, 3, None),
        (0, 0, 3, "That costs 4 spice; you have 0, so at most 1 force."),
        (0, 2, 3, "That costs 4 spice; you have 0, so at most 2 forces."),
        (3, 0, 3, "That costs 4 spice; you have 3, so at most 2 forces."),
        (4, 5, 6, "For forces beyond 3 the Emperor must pay (2 spice each) and lets you spend 5."),
        (4, 6, 6, None),
        (4, 9, 7, "You may revive 1 to 6 forces a turn, not 7."),
    ],
)
def test_what_tokens_cost_beside_a_helper(spice: int, pledge: int, tokens: int, told_why: str | None) -> None:
    them = {"emperor": {"spice": 9}, "guild": {"spice": spice, "tanks": "9"}}
    play = at_revival("gf9-basic", alliances=[["emperor", "guild"]], faction=them)
    say(play, "emperor", Support(pledge))
    refusal = play.check("guild", Revive(Forces(tokens))).refusal
    assert (refusal and refusal.reason) == told_why


@pytest.mark.clause("FAQ.TLEILAXU.16", "FAQ.KARAMA-EMP.3")
def test_what_is_pledged_to_an_ally_is_free_again_once_help_is_stopped() -> None:
    them = {"emperor": {"spice": 6, "tanks": "9"}, "guild": {"tanks": "9"}, "fremen": {"hand": ["Karama"]}}
    play = at_revival("gf9-basic", alliances=[["emperor", "guild"]], faction=them)
    say(play, "emperor", Support(4))
    assert (
        revival_costs.spendable_spice(play.game, "emperor"),
        revival_costs.pledge_of_helper(play.game, "guild"),
    ) == (2, 4)
    say(play, "fremen", Karama("cancel extra revival"))
    assert (
        revival_costs.spendable_spice(play.game, "emperor"),
        revival_costs.pledge_of_helper(play.game, "guild"),
    ) == (6, 0)


@pytest.mark.clause("FAQ.TLEILAXU.16")
@pytest.mark.parametrize(
    ("amount", "reason"),
    [(-1, "You have 6 spice to help with."), (0, None), (6, None), (7, "You have 6 spice to help with.")],
)
def test_a_helper_pledges_what_they_have(amount: int, reason: str | None) -> None:
    them = {"emperor": {"spice": 6}, "guild": {"tanks": "9"}}
    play = at_revival("gf9-basic", alliances=[["emperor", "guild"]], faction=them)
    refusal = play.check("emperor", Support(amount)).refusal
    assert (refusal and refusal.reason) == reason
