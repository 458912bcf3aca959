"""Tests for the parser of Truthtrance questions, and for stored readings, which never change.

``tests/rules/truthtrance`` shows what a question means in a position.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from bot.games.proof import Record, rules_digest, verify
from bot.lab.soak import Setting
from bot.lab.soak_players import DaringPlayer
from bot.language.orders import Context, read_line
from bot.language.proposals import is_unchecked
from bot.language.truthtrance import read, with_reading
from bot.store import record
from bot.store.record import decode_entry, encode_entry, is_as_written
from rules.components import LEADERS, Card, Faction, Leader
from rules.components.board import TerritoryId
from rules.components.cards import CHEAP_HERO
from rules.components.chance import commitment
from rules.engine.log import Submitted
from rules.orders import Answer, Pass, Truthtrance
from rules.orders.readings import (
    KWISATZ_HADERACH,
    LONGEST_QUESTION,
    Allied,
    AllyWith,
    Amount,
    AnyAct,
    AnyFact,
    Attack,
    BidFor,
    Buys,
    Captured,
    Comes,
    Condition,
    Dial,
    Does,
    Enter,
    Holds,
    InHand,
    InPay,
    Lead,
    LeaveAlliance,
    MoveTo,
    Occasion,
    OwnsSpice,
    OwnsTokens,
    PlayCard,
    Predicted,
    Reading,
    ReviveOneOf,
    ReviveTokens,
    ShipTo,
    Stands,
    UseVoice,
)
from rules.random_players import RandomPlayer, random_seats
from rules.state import events
from tests.rules.stage import at, say, told

CARTHAG = TerritoryId("carthag")
SHIELD = (Card("Shield"),)


def leaders_of(faction: Faction) -> tuple[Leader, ...]:
    return tuple(sorted(leader for leader, facts in LEADERS.items() if facts.faction == faction))


@pytest.mark.parametrize(
    ("question", "reading"),
    [
        ("Do you hold a Shield and two Karamas?", Reading((InHand(SHIELD), InHand((Card("Karama"),), Amount(2))))),
        ("Do you hold more than 2 cards?", Reading((InHand(None, Amount(3)),))),
        ("Is Piter your traitor?", Reading((InPay((Leader("Piter DeVries"),)),))),
        ("Have you captured Stilgar?", Reading((Captured((Leader("Stilgar"),)),))),
        ("Did you predict me to win before turn 7?", Reading((Predicted(("guild",), (Amount(0, 6),)),))),
        ("Do you have any tokens in your tanks?", Reading((OwnsTokens("tanks"),))),
        (
            "Will you bid on this card?",
            Reading(act=BidFor(), occasion=Occasion(this_card=True), matters=("bid",)),
        ),
        (
            "Will you play a Shield in this battle?",
            Reading(
                act=PlayCard(SHIELD), occasion=Occasion(in_battle=True, this_battle=True), matters=("battle",)
            ),
        ),
        (
            "Will you play a Shield against me next turn?",
            Reading(
                act=PlayCard(SHIELD),
                occasion=Occasion(turn="next", in_battle=True, opponent="guild", only_against=True),
            ),
        ),
        (
            "If you win this card, will you not ship to Carthag in turn 7?",
            Reading(
                act=ShipTo(CARTHAG),
                occasion=Occasion(turn=7),
                negative=True,
                condition=Buys("harkonnen", this_card=True),
                matters=("shipment",),
            ),
        ),
        ("Will you never attack me?", Reading(
            act=Attack("guild"), occasion=Occasion(turn="this game"), negative=True)),
        ("Will you use the Voice?", Reading(act=UseVoice(), matters=("battle", "voice"))),
        ("Will you be kind to the Emperor?", Reading(matters=(
            "alliance", "bid", "revival", "shipment", "movement", "worm", "battle", "treachery", "peace", "voice",
            "prescience", "spice",
        ))),
        ("Do you like me?", Reading(off_topic=True)),
        ("Are you the first player?", Reading()),
        ("Is your answer no?", Reading(about_itself=True)),
        ("Do you hold a Shield?" + " " * LONGEST_QUESTION, Reading()),
    ],
)  # fmt: skip
def test_a_question_is_read_from_its_words_and_from_who_asks_whom(question: str, reading: Reading) -> None:
    assert read("guild", "harkonnen", question) == reading


@pytest.mark.parametrize(("held", "amount"), [
    ("exactly 2", Amount(2, 2)), ("only 2", Amount(2, 2)), ("just two", Amount(2, 2)), ("2", Amount(2)),
    ("at least 2", Amount(2)), ("2 or more", Amount(2)), ("no fewer than 2", Amount(2)), ("over 2", Amount(3)),
    ("more than 2", Amount(3)), ("less than 2", Amount(0, 1)), ("under 2", Amount(0, 1)), ("at most 2", Amount(0, 2)),
    ("up to 2", Amount(0, 2)), ("2 or fewer", Amount(0, 2)), ("2 or less", Amount(0, 2)), ("no", Amount(0, 0)),
    ("not any", Amount(0, 0)), ("a pair of", Amount(2)), ("both", Amount(2)), ("zero", Amount(0)),
    ("twelve", Amount(12)),
])  # fmt: skip
def test_what_is_held_is_counted_with_its_bounds(held: str, amount: Amount) -> None:
    assert read("guild", "harkonnen", f"Do you hold {held} Shields?") == Reading((InHand(SHIELD, amount),))


@pytest.mark.parametrize(("number", "dialled", "offered"), [
    ("more than 3", Amount(3.5), Amount(4)), ("over 3", Amount(3.5), Amount(4)), ("at least 3", Amount(3), Amount(3)),
    ("3 or more", Amount(3), Amount(3)), ("less than 3", Amount(0, 2.5), Amount(1, 2)),
    ("under 3", Amount(0, 2.5), Amount(1, 2)), ("at most 3", Amount(0, 3), Amount(1, 3)),
    ("up to 3", Amount(0, 3), Amount(1, 3)), ("3 or less", Amount(0, 3), Amount(1, 3)),
    ("3 or fewer", Amount(0, 3), Amount(1, 3)), ("3", Amount(3, 3), Amount(3, 3)),
    ("exactly 3", Amount(3, 3), Amount(3, 3)), ("exactly 2,5", Amount(2.5, 2.5), Amount(2.5, 2.5)),
])  # fmt: skip
def test_a_dial_goes_by_halves_from_nothing_and_a_bid_by_ones_from_one(
    number: str, dialled: Amount, offered: Amount
) -> None:
    assert read("guild", "harkonnen", f"Will you dial {number}?").act == Dial(dialled)
    assert read("guild", "harkonnen", f"Will you bid {number}?").act == BidFor(offered)


@pytest.mark.parametrize(("when", "condition"), [
    ("I am allied with you", Allied("guild", "harkonnen")), ("we are allied", Allied("guild", "harkonnen")),
    ("the emperor is allied with fremen", Allied("emperor", "fremen")),
    ("the emperor is allied with the emperor", None), ("the mouse is allied with the emperor", None),
    ("the emperor is your ally", Allied("emperor", "harkonnen")), ("you are your ally", None),
    ("the emperor is my ally", Allied("emperor", "guild")), ("I am my ally", None),
    ("I ship to carthag", Does("guild", ShipTo(CARTHAG))),
    ("the fremen ship to carthag", Does("fremen", ShipTo(CARTHAG))),
    ("the bene gesserit ship to carthag", Does("bene-gesserit", ShipTo(CARTHAG))),
    ("I play a karama", Does("guild", PlayCard((Card("Karama"),)))), ("I play a shield", None),
    ("I attack the emperor", None), ("I lead feyd", None), ("you hold a karama", Holds((Card("Karama"),))),
    ("I stand in carthag", Stands("guild", CARTHAG)), ("I stand in the kitchen", None),
    ("the emperor buys a card", Buys("emperor")), ("the mouse buys a card", None),
])  # fmt: skip
def test_a_condition_is_one_that_all_can_see_or_its_question_is_open(when: str, condition: Condition | None) -> None:
    found = read("guild", "harkonnen", f"If {when}, will you bid?")
    assert found.condition == condition
    assert found.act == (BidFor() if condition else None)


@pytest.mark.parametrize(("question", "act"), [
    ("Will you ally with me in this nexus?", AllyWith("guild")),
    ("Will you break your alliance in the next nexus?", LeaveAlliance()),
    ("Will you bid in this nexus?", None), ("Will you bid for this card?", BidFor()),
    ("Will you ship to Carthag for this card?", None), ("Will you ship to Carthag in this battle?", None),
    ("Will you dial 3 in this battle?", Dial(Amount(3, 3))),
])  # fmt: skip
def test_an_act_that_its_occasion_does_not_fit_is_not_read(question: str, act: AnyAct | None) -> None:
    assert read("guild", "harkonnen", question).act == act


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        (Truthtrance("harkonnen", "Do you like me?"), Reading()),
        (Truthtrance("harkonnen", "Do you like me?", Reading(off_topic=True)), Reading(off_topic=True)),
        (Truthtrance("harkonnen", "Is your answer no?"), Reading(about_itself=True)),
        (Truthtrance("harkonnen", "Is your answer no?", Reading()), Reading()),
    ],
)
def test_a_question_of_an_older_log_is_read_and_stays_one_about_the_game(asked: Truthtrance, known: Reading) -> None:
    entry = Submitted("guild", (Pass(), asked))
    assert record.decode_entry(record.encode_entry(entry)) == Submitted(
        "guild", (Pass(), replace(asked, reading=known))
    )


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("Do you hold fewer than 2 shields?", [InHand(SHIELD, Amount(0, 1))]),
        ("Do you hold at most 2 shields?", [InHand(SHIELD, Amount(0, 2))]),
        ("Do you hold 2 or fewer shields?", [InHand(SHIELD, Amount(0, 2))]),
        ("Do you hold exactly 2 shields?", [InHand(SHIELD, Amount(2, 2))]),
        ("Do you hold over two shields?", [InHand(SHIELD, Amount(3))]),
        ("Do you hold 2 or more shields?", [InHand(SHIELD, Amount(2))]),
        ("Do you hold both shields?", [InHand(SHIELD, Amount(2))]),
        ("Do you hold no shields?", [InHand(SHIELD, Amount(0, 0))]),
        ("Do you hold a banana?", []),
        ("Is Staban in your pay?", [InPay((Leader("Staban Tuek"),))]),
        ("Is my Staban in your pay?", [InPay((Leader("Staban Tuek"),))]),
        ("Is my leader Staban in your pay?", [InPay((Leader("Staban Tuek"),))]),
        ("Are Piter and Stilgar in your pay?", [InPay((Leader("Piter DeVries"),)), InPay((Leader("Stilgar"),))]),
        ("Are Piter and Bob in your pay?", []),
        ("Is Piter or Bob your traitor?", []),
        ("Is any of my leaders in your pay?", [InPay(leaders_of("guild"))]),
        ("Is one of the Emperor's leaders your traitor?", [InPay(leaders_of("emperor"))]),
        ("Is a banana leader in your pay?", []),
        ("Have you captured Bob?", []),
        ("Did you predict me or the Emperor?", [Predicted(("guild", "emperor"))]),
        ("Did you predict me or Bob?", []),
        ("Did you predict a victory?", []),
        ("Did you predict a victory in turn 7?", [Predicted((), (Amount(7, 7),))]),
        ("Did you predict me in turn 7 or 8?", [Predicted(("guild",), (Amount(7, 7), Amount(8, 8)))]),
        ("Did you predict me after turn 7?", [Predicted(("guild",), (Amount(8),))]),
        ("Did you predict me in turn 7 or later?", [Predicted(("guild",), (Amount(7),))]),
        ("Did you predict me in turn 7 or earlier?", [Predicted(("guild",), (Amount(0, 7),))]),
        ("Did you predict me by turn 7?", [Predicted(("guild",), (Amount(0, 7),))]),
        ("Do you have any spice?", [OwnsSpice()]),
        ("Do you have spice?", [OwnsSpice()]),
        ("Do you have 5 spice?", [OwnsSpice(Amount(5))]),
        ("Do you have blue spice?", []),
        ("Is your spice 5?", [OwnsSpice(Amount(5, 5))]),
        ("Is your spice five?", [OwnsSpice(Amount(5, 5))]),
        ("Is your spice equal to 5?", [OwnsSpice(Amount(5, 5))]),
        ("Is your spice 5 or more?", [OwnsSpice(Amount(5))]),
        ("Is your spice low?", []),
        ("Do you have some tokens in your reserves?", [OwnsTokens("reserves")]),
        ("Do you have 5 tokens in the tanks?", [OwnsTokens("tanks", Amount(5))]),
        ("Do you have blue tokens in your reserves?", []),
    ],
)
def test_how_many_and_of_whom_a_question_about_facts_asks(question: str, facts: list[AnyFact]) -> None:
    assert list(read("guild", "harkonnen", question).facts) == facts


@pytest.mark.parametrize(
    "question",
    [
        "Will you fight well in turn 3?", "Will you use well in your battle?", "Will you play too?",
        "Will you play strong?",
        "Will you move past Carthag?", "Will you move out this turn?", "Is well your traitor?",
        "Will you enter the mob?",
    ],
)  # fmt: skip
def test_no_name_is_taken_from_a_word_that_only_begins_one(question: str) -> None:
    found = read("harkonnen", "atreides", question)
    assert (found.act, found.facts) == (None, ())


def test_a_name_is_known_by_another_beginning() -> None:
    assert read("harkonnen", "atreides", "Will you use Welling?").act == Lead(("Dr. Wellington Yueh",))
    assert read("harkonnen", "atreides", "Will you move to tab?").act == MoveTo(TerritoryId("sietch-tabr"))


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("dial 3", Dial(Amount(3, 3))),
        ("dial exactly 4.5", Dial(Amount(4.5, 4.5))),
        ("dial more than 3", Dial(Amount(3.5))),
        ("dial 3 or more", Dial(Amount(3))),
        ("dial less than 3", Dial(Amount(0, 2.5))),
        ("dial under 3", Dial(Amount(0, 2.5))),
        ("dial 2,5 or fewer", Dial(Amount(0, 2.5))),
        ("dial at most 3", Dial(Amount(0, 3))),
        ("dial high", None),
        ("dial at least 3 or more", None),
        ("bid over 3", BidFor(Amount(4))),
        ("bid fewer than 3", BidFor(Amount(1, 2))),
        ("bid up to 3 spice", BidFor(Amount(1, 3))),
        ("bid 3", BidFor(Amount(3, 3))),
        ("lead a leader", Lead(leaders_of("harkonnen"))),
        ("use the Kwisatz Haderach", Lead((KWISATZ_HADERACH,))),
        ("lead the KH", Lead((KWISATZ_HADERACH,))),
        ("lead Piter or a cheap hero", Lead(("Piter DeVries", CHEAP_HERO))),
        ("lead Piter or Bob", None),
        ("revive 3 tokens", ReviveTokens(Amount(3, 3))),
        ("revive any forces", ReviveTokens()),
        ("revive many tokens", None),
        ("revive Piter", ReviveOneOf(("Piter DeVries",))),
        ("revive a leader", ReviveOneOf(leaders_of("harkonnen"))),
        ("revive a cheap hero", None),
        ("attack Carthag", Enter(CARTHAG)),
        ("attack Bob", None),
        ("attack you", None),
        ("attack the Emperor in Nowhere", None),
        ("attack the Emperor in Carthag", Attack("emperor", CARTHAG)),
        ("attack me in this battle", None),
        ("attack me against the Emperor", None),
        ("not attack me", Attack("guild")),
        ("refrain from shipping to Carthag", ShipTo(CARTHAG)),
        ("avoid attacking me", Attack("guild")),
        ("refrain from dancing", None),
        ("avoid", None),
    ],
)
def test_what_a_question_about_the_future_asks_them_to_do(words: str, act: AnyAct | None) -> None:
    reading = read("guild", "harkonnen", f"Will you {words}?")
    assert (reading.act, reading.condition) == (act, None)
    assert reading.negative == words.startswith(("not", "refrain", "avoid "))
    if isinstance(act, Attack):
        assert reading.occasion == Occasion()


@pytest.mark.parametrize(
    ("words", "occasion"),
    [
        ("ally with me in the next nexus", Occasion(turn="this", nexus=True)),
        ("play a Shield in our battle", Occasion(in_battle=True)),
        ("play a Shield in battle", Occasion(in_battle=True)),
        ("play a Shield in the next battle against me", Occasion(in_battle=True, opponent="guild")),
        ("bid on card 2", Occasion(card=2)),
        ("bid on card number 3 this turn", Occasion(turn="this", card=3)),
        ("bid for this card ever again", Occasion(turn="this game", this_card=True)),
    ],
)
def test_when_and_where_a_promise_is_due(words: str, occasion: Occasion) -> None:
    reading = read("guild", "harkonnen", f"Will you {words}?")
    assert reading.act is not None
    assert reading.occasion == occasion


@pytest.mark.parametrize("words", ["bid on card 0", "ship to Carthag in this nexus", "ally with me in this battle"])
def test_an_occasion_that_does_not_fit_leaves_the_question_to_the_one_asked(words: str) -> None:
    assert read("guild", "harkonnen", f"Will you {words}?").act is None


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("ally with me if a worm appears", Comes("worm-appeared")),
        ("ride the worm if a worm appears", None),
        ("ship to Carthag if there is a nexus", Comes("nexus")),
        ("ally with me if there is a nexus", None),
        ("ally with me if you can", None),
        ("ally with me if the Emperor is my ally", Allied("emperor", "guild")),
        ("ship to Carthag if I am your ally", Allied("guild", "harkonnen")),
        ("ship to Carthag if we are allied", Allied("guild", "harkonnen")),
        ("ship to Carthag if the Emperor plays a Karama", Does("emperor", PlayCard((Card("Karama"),)))),
        ("ship to Carthag if the Emperor ships to Carthag", Does("emperor", ShipTo(CARTHAG))),
    ],
)
def test_what_has_to_happen_before_a_promise_is_due(question: str, condition: Condition | None) -> None:
    reading = read("guild", "harkonnen", f"Will you {question}?")
    assert reading.act is not None
    assert reading.condition == condition


@pytest.mark.parametrize(
    "clause",
    [
        "you are your ally", "I am my ally", "Bob is my ally", "the Emperor is allied with the Emperor",
        "the Emperor plays a Shield", "the Emperor attacks me", "the Emperor leads Caid", "Bob wins this card",
    ],
)  # fmt: skip
def test_a_condition_that_nobody_can_judge_leaves_the_question_to_the_one_asked(clause: str) -> None:
    reading = read("guild", "harkonnen", f"Will you ship to Carthag if {clause}?")
    assert (reading.act, reading.condition) == (None, None)


@pytest.mark.parametrize(
    ("words", "battle"),
    [
        (
            "if I attack you in Carthag",
            Occasion(in_battle=True, territory=CARTHAG, opponent="guild", only_against=True),
        ),
        ("in Carthag if I attack you in Carthag", Occasion(in_battle=True, territory=CARTHAG, opponent="guild")),
        ("in Carthag if I attack you in Arrakeen", None),
        ("in battle with the Emperor if the Emperor attacks you", Occasion(in_battle=True, opponent="emperor")),
        ("against the Emperor if I attack you", None),
        ("if Bob attacks you", None),
        ("if the Emperor attacks me", None),
        ("if there is a battle in Nowhere", None),
    ],
)
def test_a_battle_that_a_clause_speaks_of_must_be_the_one_of_the_promise(words: str, battle: Occasion | None) -> None:
    reading = read("guild", "harkonnen", f"Will you play a Shield {words}?")
    assert reading.condition is None
    assert (reading.occasion if reading.act == PlayCard(SHIELD) else None) == battle


@pytest.mark.parametrize("seed", ["sand", "salt", "song", "silk"])
def test_what_the_random_player_asks_is_read_as_they_mean_it(seed: str) -> None:
    player = RandomPlayer(seed)
    for _ in range(200):
        order = player._truthtrance("fremen", "guild")
        assert order.reading == read("fremen", "guild", order.question), order.question


def test_a_question_is_stored_with_its_reading_and_read_back_the_same() -> None:
    player = DaringPlayer("words", impulses=35, strays=5)
    for _ in range(500):
        entry = Submitted("fremen", (player._truthtrance("fremen", "guild"),))
        data = encode_entry(entry)
        assert decode_entry(data) == entry
        assert is_as_written(data)
        assert encode_entry(decode_entry(data)) == data


def test_a_line_of_a_mail_is_read_with_what_its_question_says() -> None:
    question = "Will you attack me this turn?"
    order = read_line(f"truthtrance guild: {question}", Context("fremen"))
    assert order == Truthtrance("guild", question, read("fremen", "guild", question))


def test_a_question_that_was_logged_before_there_were_readings_gets_its_reading_as_it_is_loaded() -> None:
    order = {"type": "Truthtrance", "faction": "guild", "question": "Do you hold a Shield?"}
    data = json.dumps(
        {"type": "submit", "faction": "fremen", "orders": [order]}, separators=(",", ":")
    ).encode()  # fmt: skip
    loaded = Submitted("fremen", (with_reading(Truthtrance("guild", "Do you hold a Shield?"), "fremen"),))
    assert decode_entry(data) == loaded


def test_a_game_from_before_there_were_readings_is_proved_as_it_was_played() -> None:
    game = Setting("wbc-2018", "old questions", ("atreides", "guild", "harkonnen"))
    play, player = game.start(), game.player()
    while not play.over:
        player.act(play)
    log = [json.loads(encode_entry(decode_entry(encode_entry(entry)))) for entry in play.log]
    asked = [order for entry in log for order in entry.get("orders", ()) if order["type"] == "Truthtrance"]
    assert len([order for order in asked if order.pop("reading")]) > 1
    stored = [msgspec.json.encode(entry) for entry in log]
    told = [events.encode(event) for event in play.events]
    dots = random_seats(game.seed, game.factions)
    proof = verify(Record("old", game.ruleset, {}, game.seed, commitment(game.seed), dots, stored, told))
    assert proof.holds, proof.difference


def test_a_reading_that_was_logged_stays_as_it_was_though_the_reader_has_learnt_more() -> None:
    not_understood = Submitted("fremen", (Truthtrance("guild", "Do you hold a Shield?", Reading()),))
    assert decode_entry(encode_entry(not_understood)) == not_understood


@pytest.mark.clause("WBC.AID.6")
@pytest.mark.parametrize("question", ["Do you hold a Shield?", "Will you ship to Carthag this turn?"])
def test_the_rules_read_no_english(question: str) -> None:
    play = at("bidding", faction={"harkonnen": {"hand": ["Shield"]}, "guild": {"hand": ["Truthtrance"]}})
    say(play, "guild", Truthtrance("harkonnen", question))
    assert play.check("harkonnen", Answer("no")).status == "accepted"
    play.expire()
    assert told(play, "truthtrance-answered")[0].facts["answer"] == "no answer"
    assert play.state.promises == []


def test_games_are_checked_again_once_the_reader_has_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = rules_digest.__wrapped__()
    monkeypatch.setattr("bot.language.truthtrance.__file__", str(tmp_path / "__init__.py"))
    assert rules_digest.__wrapped__() != before


@pytest.mark.parametrize(("said", "plain"), [
    ("Is Feyd-Rautha (6) your traitor?", "Is Feyd-Rautha your traitor?"),
    ("Is Burseg (Emperor) one of your traitors?", "Is Burseg one of your traitors?"),
    ("Is Stilgar (Fremen, 7) your traitor?", "Is Stilgar your traitor?"),
    ("Do you have 12 spice or more?", "Do you have at least 12 spice?"),
    ("do you have 5 spice or less?", "do you have at most 5 spice?"),
    ("Tell me, do you hold the Lasgun?", "Do you hold the Lasgun?"),
    ("Do you have a Karama? Thanks!", "Do you have a Karama?"),
    ("Honestly: will you ship to Carthag, please?", "will you ship to Carthag?"),
])  # fmt: skip
def test_a_harmless_addition_keeps_no_question_from_being_read(said: str, plain: str) -> None:
    reading = read("guild", "emperor", plain)
    assert reading.facts or reading.act
    assert read("guild", "emperor", said) == reading


@pytest.mark.parametrize("said", ["Is Feyd-Rautha (5) your traitor?", "Is Stilgar (Emperor) your traitor?"])
def test_a_wrong_mark_beside_a_name_leaves_the_question_to_the_one_asked(said: str) -> None:
    assert read("guild", "emperor", said).facts == ()


@pytest.mark.parametrize(
    ("asked", "plainly"),
    [
        ("Dear Emperor, do you hold the Lasgun?", "Do you hold the Lasgun?"),
        ("Do you really hold the Lasgun, yes or no?", "Do you hold the Lasgun?"),
        ("Is it true that you have 5 spice or more?", "Do you have at least 5 spice?"),
        ("Is Feyd-Rautha, 6, your traitor? Please answer.", "Is Feyd-Rautha your traitor?"),
        ("So, Emperor: is Feyd-Rautha (Harkonnen) your traitor, honestly?", "Is Feyd-Rautha your traitor?"),
    ],
)
def test_harmless_additions_change_nothing(asked: str, plainly: str) -> None:
    assert read("harkonnen", "emperor", asked) == read("harkonnen", "emperor", plainly)
    assert read("harkonnen", "emperor", asked).facts


@pytest.mark.parametrize(
    ("question", "unchecked"),
    [("Do you hold the Lasgun?", False), ("Will you ship to Carthag?", False), ("Do you trust me?", True)],
)
def test_a_question_that_nobody_can_check_is_known(question: str, *, unchecked: bool) -> None:
    assert is_unchecked(with_reading(Truthtrance("emperor", question), "harkonnen")) is unchecked
