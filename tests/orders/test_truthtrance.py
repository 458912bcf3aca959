"""The reader of questions under Truthtrance, and where a reading is kept: what was read once is never read otherwise.

What a question means in a position is shown in ``tests/rules/truthtrance``.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from bot.games.installed_rules import rules_digest
from bot.games.proof import Record, verify
from bot.orders.language import Context, read_line
from bot.orders.truthtrance import read, with_reading
from bot.soak.daring import DaringPlayer
from bot.soak.watch import Setting
from bot.store import games, log
from rules.components import Card, Leader
from rules.components.board import TerritoryId
from rules.components.chance import commitment
from rules.engine.log import Submitted
from rules.orders import Answer, Pass, Truthtrance
from rules.orders.readings import (
    LONGEST_QUESTION,
    Amount,
    Attack,
    BidFor,
    Buys,
    Captured,
    InHand,
    InPay,
    Occasion,
    OwnsTokens,
    PlayCard,
    Predicted,
    Reading,
    ShipTo,
    UseVoice,
)
from rules.selfplay.random_player import RandomPlayer, random_seats
from rules.state import events
from tests.rules.stage import at, say, told

CARTHAG = TerritoryId("carthag")
SHIELD = (Card("Shield"),)


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
    assert log.decode(log.encode(entry)) == Submitted("guild", (Pass(), replace(asked, reading=known)))


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
        data = games.encode(entry)
        assert games.decode(data) == entry
        assert games.is_as_written(data)
        assert games.encode(games.decode(data)) == data


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
    assert games.decode(data) == loaded


def test_a_game_from_before_there_were_readings_is_proved_as_it_was_played() -> None:
    game = Setting("wbc-2018", "old questions", ("atreides", "guild", "harkonnen"))
    play, player = game.start(), game.player()
    while not play.over:
        player.act(play)
    log = [json.loads(games.encode(games.decode(games.encode(entry)))) for entry in play.log]
    asked = [order for entry in log for order in entry.get("orders", ()) if order["type"] == "Truthtrance"]
    assert len([order for order in asked if order.pop("reading")]) > 1
    stored = [msgspec.json.encode(entry) for entry in log]
    told = [events.encode(event) for event in play.events]
    dots = random_seats(game.seed, game.factions)
    proof = verify(Record("old", game.ruleset, {}, game.seed, commitment(game.seed), dots, stored, told))
    assert proof.holds, proof.difference


def test_a_reading_that_was_logged_stays_as_it_was_though_the_reader_has_learnt_more() -> None:
    not_understood = Submitted("fremen", (Truthtrance("guild", "Do you hold a Shield?", Reading()),))
    assert games.decode(games.encode(not_understood)) == not_understood


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
    monkeypatch.setattr("bot.orders.truthtrance.__file__", str(tmp_path / "__init__.py"))
    assert rules_digest.__wrapped__() != before
