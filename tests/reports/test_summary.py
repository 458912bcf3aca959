"""Tests for the letter about a turn: the most important changes first, nothing repeated and nothing missing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from bot.render import letters
from bot.render.material import News, Party
from bot.render.summary import fights, headline, held_before, turn_digest, without_battles, without_bids
from rules.components.board import TerritoryId
from tests.reports.every_letter import PUBLIC
from tests.reports.positions import HARKONNEN, TURN, games

ARRAKEEN, CARTHAG, SIETCH_TABR = map(TerritoryId, ("arrakeen", "carthag", "sietch-tabr"))


RACE = (Party(("guild", "atreides"), 3, 4), Party(("harkonnen",), 0, 3))


def lines(position_of: str) -> tuple[str, ...]:
    return {row.label: row.lines for row in turn_digest(PUBLIC).rows}[position_of]


def without(*kinds: str) -> tuple[News, ...]:
    return tuple(event for event in TURN if event.kind not in kinds)


def test_the_headline_says_which_strongholds_changed_hands() -> None:
    told = headline(PUBLIC)
    assert told.text == "The Guild took Carthag; Sietch Tabr became empty"
    assert told.below == "The Guild beat Harkonnen in Carthag, 12 to 3.5: 12 tokens died."


@pytest.mark.parametrize(
    ("standing", "headed", "told"),
    [
        ({}, "Sietch Tabr became empty", "Sietch Tabr: empty, was Harkonnen"),
        ({"fremen": "2"}, "nobody held Sietch Tabr",
         "Sietch Tabr: held by nobody, Fremen there, was Harkonnen"),
        ({"fremen": "2", "harkonnen": "5"}, "nobody held Sietch Tabr",
         "Sietch Tabr: held by nobody, Fremen and Harkonnen there, was Harkonnen"),
    ],
)  # fmt: skip
def test_a_stronghold_that_nobody_holds_is_only_empty_where_nobody_stands(
    standing: dict[str, str], headed: str, told: str
) -> None:
    """Two factions separated by the storm do not hold it, nor do tokens that only coexist."""
    there = replace(PUBLIC, view={**PUBLIC.view, "forces": {"sietch-tabr/14": standing} if standing else {}})
    assert headline(there).text == f"The Guild took Carthag; {headed}"
    assert told in {row.label: row.lines for row in turn_digest(there).rows}["Strongholds"]


def test_a_turn_without_a_change_says_so() -> None:
    still = replace(PUBLIC, background=TURN[-1:])
    assert headline(still).text == "No stronghold changed hands"


def test_a_headline_names_no_more_than_three_changes() -> None:
    all_new = {
        "held": {"guild": ["carthag"], "emperor": ["arrakeen"], "fremen": ["sietch-tabr"], "atreides": ["tueks-sietch"]}
    }
    turned = replace(PUBLIC, news=(*TURN, replace(TURN[-1], facts=all_new)))
    assert headline(turned).text == "Four strongholds changed hands"


def test_the_turn_in_which_the_game_is_won_is_headed_by_who_won() -> None:
    won = News(4, "mentat", "game-won", {"how": "strongholds", "instead_of": [], "winners": ["guild", "atreides"]}, {})
    assert headline(replace(PUBLIC, news=(*TURN, won))).text == "The Guild and Atreides won"


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("Strongholds", ("Arrakeen: Atreides 9", "Carthag: Guild, was Harkonnen", "Habbanya Ridge Sietch: empty",
                         "Sietch Tabr: empty, was Harkonnen", "Tuek's Sietch: Guild")),
        ("Battles", ("Carthag: Guild 12 won, Harkonnen 3.5 lost; 12 tokens died",)),
        ("Cards", ("Card 1: Guild for 3, over Harkonnen 2.", "Card 2: Guild for 1, unopposed.")),
        ("Spice", ("8 new in Red Chasm", "A worm ate 10 in South Mesa")),
        ("Alliances", ("Guild and Atreides, as before; the nexus changed nothing",)),
    ],
)  # fmt: skip
def test_the_five_lines_of_a_turn(label: str, told: tuple[str, ...]) -> None:
    assert lines(label) == told


def test_the_five_lines_of_a_turn_in_which_nothing_happened() -> None:
    quiet = replace(PUBLIC, news=(), view={**PUBLIC.view, "alliances": []})
    rows = {row.label: row.lines for row in turn_digest(quiet).rows}
    assert [*rows] == ["Strongholds", "Battles", "Cards", "Spice", "Alliances"]
    assert (rows["Battles"], rows["Cards"]) == (("None",), ("None",))
    assert (rows["Spice"], rows["Alliances"]) == (("None",), ("Nobody is allied, as before",))


def test_a_card_bought_by_karama_and_a_treachery_are_told_as_such() -> None:
    sale = {"buyer": "guild", "karama": True, "number": 3, "price": 0, "to_emperor": True}
    betrayal = {"by": "treachery", "loser": "guild", "territory": "arrakeen", "totals": None, "winner": "harkonnen"}
    begun: dict[str, Any] = {"territory": "arrakeen", "aggressor": "harkonnen", "defender": "guild", "forces": {}}
    called = {"caller": "harkonnen", "leader": "Staban Tuek", "victim": "guild", "side": "harkonnen"}
    sold = News(4, "bidding", "card-sold", sale, {})
    betrayed = [
        News(4, "battle", kind, facts, {})
        for kind, facts in {"battle-begins": begun, "treachery-called": called, "battle-won": betrayal}.items()
    ]
    rows = {row.label: row.lines for row in turn_digest(replace(PUBLIC, news=(sold, *betrayed))).rows}
    assert rows["Cards"] == ("Card 3: Guild by Karama, unopposed.",)
    assert rows["Battles"] == ("Arrakeen: Harkonnen won, Guild lost, by treachery",)


def test_before_the_first_turn_strongholds_are_held_as_the_tokens_were_set_up() -> None:
    """The set-up event comes from the rules."""
    events, _, _ = games()[0]
    setup = next(event for event in events if event.kind == "game-set-up")
    first = replace(PUBLIC, background=(), news=(News(1, "setup", "game-set-up", setup.facts, {}),))
    assert held_before(first)[ARRAKEEN] == ("atreides",)
    assert held_before(first)[SIETCH_TABR] == ()
    assert held_before(PUBLIC)[CARTHAG] == ("harkonnen",)


def test_a_battle_shows_both_plans_and_what_was_lost() -> None:
    (fight,) = fights(TURN)
    assert [(side.name, side.score, side.result) for side in fight.sides] == [
        ("Guild", "12", "won"), ("Harkonnen", "3.5", "lost")]  # fmt: skip
    assert fight.rows == (
        ("Plan", "7 + Staban Tuek 5; 7 spice", "2.5 + Umman Kudu 1"),
        ("Cards", "Snooper", "Chaumas"),
        ("Lost", "7 tokens", "Umman Kudu, 5 tokens, the card"),
    )
    assert fight.remarks == (
        "The plan of Harkonnen had to be changed: the dial was lowered to what the tokens allow.",
        "Bene Gesserit used the Voice: Guild must not play a lasgun.",
    )


def test_a_battle_without_plans_or_winner_is_told_by_what_there_is() -> None:
    (fight,) = fights(without("plans-revealed", "battle-won", "cards-discarded"))
    assert [side.result for side in fight.sides] == ["nobody won", "nobody won"]
    assert fight.rows == (("Lost", "7 tokens", "Umman Kudu, 5 tokens"),)


def test_the_bids_on_a_card_are_told_by_who_had_it_over_whom() -> None:
    told = [dict(event.facts) for event in without_bids(TURN) if event.kind == "card-went"]
    assert [(card["buyer"], card["price"], card["over"]) for card in told] == [
        ("guild", 3, [("harkonnen", 2)]), ("guild", 1, [])]  # fmt: skip
    text = " ".join(letters.public_summary(PUBLIC).text.split())
    assert "Card 1: Guild for 3, over Harkonnen 2. Card 2: Guild for 1, unopposed." in text


@pytest.mark.parametrize(
    ("bids", "over"),
    [
        ([("guild", 2), ("emperor", 4), ("guild", 3)], [("emperor", 4)]),
        ([("emperor", 2), ("fremen", 4), ("emperor", 0)], [("fremen", 4), ("emperor", 2)]),
        ([("emperor", 0), ("fremen", 4)], [("fremen", 4)]),
    ],
)
def test_whoever_was_outbid_is_named_with_their_highest_bid_and_by_no_number_for_a_karama(
    bids: list[tuple[str, int]], over: list[tuple[str, int]]
) -> None:
    """A Karama bid counts as 0, because nobody can outbid it."""
    news = [
        News(4, "bidding", "card-up", {"number": 1, "of": 2}, {}),
        News(4, "bidding", "bid", {"faction": "atreides", "amount": 9, "number": 1}, {}),
        News(4, "bidding", "card-up", {"number": 2, "of": 2}, {}),
        *(News(4, "bidding", "bid", {"faction": who, "amount": amount, "number": 2}, {}) for who, amount in bids),
        News(4, "bidding", "card-sold", {"number": 2, "buyer": "guild", "karama": False, "price": 5}, {}),
    ]
    told = [event.facts["over"] for event in without_bids(news) if event.kind == "card-went"]
    assert told == [over]


def test_every_battle_of_random_games_is_told_once_and_no_event_beside_it_is_lost() -> None:
    for events, _, _ in games():
        for turn in range(1, events[-1].turn + 1):
            news = tuple(
                News(event.turn, event.phase, event.kind, event.facts, {})
                for event in events
                if event.turn == turn and event.visible_to("public")
            )
            begun = sum(event.kind == "battle-begins" for event in news)
            told = fights(news)
            assert len(told) == begun
            assert all(fight.rows and all(fight.sides) for fight in told)
            rest = without_battles(news)
            assert bool(begun) == (len(rest) < len(news))
            assert all(event in news for event in rest)


def test_a_summary_tells_what_changed_then_the_board_the_battles_and_who_did_what() -> None:
    said = letters.public_summary(replace(PUBLIC, race=RACE)).text
    parts = (
        "The Guild took Carthag", "12 tokens died", "Carthag                Guild, was Harkonnen",
        "On the way to victory", "THE BOARD", "THE BATTLE", "WHO DID WHAT", "THE TABLE",
    )  # fmt: skip
    places = [said.index(part) for part in parts]
    assert places == sorted(places)
    assert places[3] < len("\n".join(said.splitlines()[:20]))


def test_a_faction_that_nothing_happened_to_is_told_in_the_full_summary_without_a_story() -> None:
    rested = replace(HARKONNEN, news=())
    said = letters.full_summary(PUBLIC, (rested, HARKONNEN)).text
    _, first, second = said.split("BEHIND THE SHIELD OF HARKONNEN")
    assert "Storm\n" not in first
    assert "Storm\n  The storm moved 4 sectors" in second
