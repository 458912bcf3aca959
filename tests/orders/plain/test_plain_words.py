"""Tests for which lines in plain words are accepted, answered with a suggestion, or never accepted."""

from __future__ import annotations

import time
import tomllib

import pytest

from bot.lab.rulings import play_ruling
from bot.language.attempts import SORTS_OF_NAMES
from bot.language.forms import FORMS
from bot.language.mail_lines import read_any, read_lines
from bot.language.orders import Unread
from bot.language.vocabulary import vocabulary
from bot.table.lines import reading_context
from rules import orders as o
from rules.components import Faction
from rules.orders import Order
from tests.orders.plain.judging import NEARLY, context, play, read

ORDINARY: dict[str, Faction] = {
    "bidding": "harkonnen", "shipment": "harkonnen", "movement": "atreides", "nexus": "emperor", "charity": "harkonnen",
    "guild-timing": "guild", "traitor": "guild",
    "voice": "bene-gesserit", "prescience": "atreides", "capture": "harkonnen",
    "storm-dial": "harkonnen", "plan-harkonnen": "harkonnen",
    "truthtrance-answer": "harkonnen", "karama-window": "emperor",
}  # fmt: skip


@pytest.mark.parametrize(("position", "faction", "line", "order"), [
    ("bidding", "harkonnen", "my bid is three", "bid 3"), ("bidding", "harkonnen", "__Bid: 4__", "bid 4"),
    ("bidding", "harkonnen", "6!", "bid 6"), ("bidding", "harkonnen", "I'd like to offer four spice please", "bid 4"),
    ("bidding", "harkonnen", "Harkonnen pass.", "pass"), ("bidding", "harkonnen", "no thank you", "pass"),
    ("storm-dial", "harkonnen", "I dial fifteen", "storm 15"), ("charity", "harkonnen", "yes please", "charity"),
    ("charity", "harkonnen", "I don't want charity", "no charity"),
    ("guild-timing", "guild", "please let me wait", "wait"),
    ("shipment", "harkonnen", "we won't ship anything at all", "no shipment"),
    ("nexus", "emperor", "no alliance for us", "no alliance"),
    ("prescience", "atreides", "show me their weapon", "prescience weapon"),
    ("capture", "harkonnen", "let him go", "no capture"),
    ("truthtrance-answer", "harkonnen", "Yes.", "answer yes"),
    ("truthtrance-answer", "harkonnen", "nope, sorry", "answer no"),
    ("technology", "ixians", "no technology please", "no swap"),
    ("exchange", "ixians", "no exchange for me", "no exchange"),
])  # fmt: skip
def test_what_is_certain_and_costs_nothing_by_being_wrong_is_taken(
    position: str, faction: Faction, line: str, order: str
) -> None:
    assert read(position, faction, line) == f"taken {order}"


@pytest.mark.parametrize(("position", "faction", "line", "order"), [
    ("shipment", "harkonnen", "three troops to Carthag", "ship 3 to Carthag"),
    ("shipment", "harkonnen", "everything in reserve goes to Carthag", "ship 9 to Carthag"),
    ("movement", "atreides", "Arrakeen -> Carthag: all", "move 8 from Arrakeen to Carthag"),
    ("voice", "bene-gesserit", "don't play poison", "voice Emperor not play poison weapon"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two, lasgun and shield",
     "plan dial 2 leader Feyd-Rautha weapon Lasgun defense Shield"),
    ("capture", "harkonnen", "off with his head, kill him", "capture kill"),
    ("hms-move", "ixians", "drive my mobile stronghold to pasty mesa sector 7", "hms to Pasty Mesa/7"),
    ("hms-move", "ixians", "hms through south mesa 6 to south mesa 5", "hms via South Mesa/6 to South Mesa/5"),
    ("hms-move", "ixians", "the hms stays where it is", "hms stays"),
    ("technology", "ixians", "use technology with trip to gamont", "swap Trip to Gamont"),
    ("exchange", "ixians", "save 2 cyborgs", "exchange 2"),
    ("auction-return", "ixians", "kulon goes back on top", "put Kulon on top"),
    ("auction-return", "ixians", "return the stunner to the bottom of the deck", "put Stunner at the bottom"),
    ("nexus", "emperor", "ally with the Guild please", "ally Guild"),
    ("nexus", "emperor", "team up w/ the witches", "ally Bene Gesserit"),
    ("shipment", "harkonnen", "half a dozen down to Carthag", "ship 6 to Carthag"),
    ("shipment", "harkonnen", "Cartag 3", "ship 3 to Carthag"),
    ("bidding", "harkonnen", "let them have it", "pass"),
])  # fmt: skip
def test_what_is_said_plainly_in_answer_to_the_open_question_is_taken(
    position: str, faction: Faction, line: str, order: str
) -> None:
    assert read(position, faction, line) == f"taken {order}"


@pytest.mark.parametrize(("position", "faction", "line", "proposed"), [
    ("shipment", "harkonnen", "ship 2 to the sietch",
     "ship 2 to Sietch Tabr | ship 2 to Habbanya Ridge Sietch | ship 2 to Tuek's Sietch"),
    ("movement", "atreides", "march half of Arrakeen to Carthag", "move 4 from Arrakeen to Carthag"),
    ("bidding", "harkonnen", "biid 4", "bid 4"), ("bidding", "harkonnen", "not bidding", "pass"),
    ("traitor", "guild", "Otheym", "traitor Otheym"),
    ("worm-placement", "fremen", "worm to red chasm (5 Harkonnen)", "worm Red Chasm"),
])  # fmt: skip
def test_what_is_not_quite_certain_is_met_with_the_line_to_send(
    position: str, faction: Faction, line: str, proposed: str
) -> None:
    said = read(position, faction, line)
    assert said.startswith("proposed ")
    assert set(said.removeprefix("proposed ").split(" | ")) == set(proposed.split(" | "))


@pytest.mark.parametrize(("position", "faction", "line", "said"), [
    ("shipment", "harkonnen", "ship a couple of troops to Carthag", "proposed ship 2 to Carthag"),
    ("shipment", "harkonnen", "ship two and a half troops to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship all regulars to Carthag", "taken ship 8 to Carthag"),
    ("shipment-emperor", "emperor", "ship all sardaukar to Carthag", "taken ship 0+4 to Carthag"),
    ("shipment-emperor", "emperor", "ship both sardaukar to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship half of the regulars to Carthag", "proposed ship 4 to Carthag"),
    ("shipment-emperor", "emperor", "ship half of the sardaukar to Carthag", "proposed ship 0+2 to Carthag"),
    ("shipment-emperor", "emperor", "ship half of my troops to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 3 + 2 to Carthag", "taken ship 3+2 to Carthag"),
    ("shipment-emperor", "emperor", "ship 3 and 2 to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 3 and 3 to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 3, 3 to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 3 (three) to Carthag", "taken ship 3 to Carthag"),
    ("shipment-emperor", "emperor", "ship 2 with 2 sardaukar to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship my lone sardaukar to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 5 including 2 sardaukar to Carthag", "taken ship 3+2 to Carthag"),
    ("shipment-emperor", "emperor", "ship 2 including 2 sardaukar to Carthag", "taken ship 0+2 to Carthag"),
    ("shipment-emperor", "emperor", "ship 2 including 3 sardaukar to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 2 sardaukar and 1 sardaukar to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 2 troops and 1 troop to Carthag", "unread"),
    ("shipment-emperor", "emperor", "ship 3: 2 regulars and 1 sardaukar to Carthag", "taken ship 2+1 to Carthag"),
    ("shipment-emperor", "emperor", "ship everything but 2 to Carthag", "unread"),
    ("shipment-fremen", "fremen", "send everything but 6 to the Great Flat",
     "proposed move 1 from Sietch Tabr to The Great Flat"),
    ("shipment-fremen", "fremen", "send everything but 7 to the Great Flat", "unread"),
    ("shipment-fremen", "fremen", "send half of the fedaykin to Carthag", "unread"),
    ("revival", "emperor", "revive 1 and 1", "unread"),
    ("revival", "emperor", "revive my lone sardaukar", "unread"),
    ("movement-fremen", "fremen", "move the fedaykin from Habbanya Ridge Sietch to Habbanya Ridge Flat/18",
     "proposed move 0+3 from Habbanya Ridge Sietch to Habbanya Ridge Flat/18"),
    ("movement", "atreides", "my lone troop in Arrakeen goes to Carthag", "unread"),
    ("movement", "atreides", "the soldiers in Arrakeen go to Carthag", "proposed move 8 from Arrakeen to Carthag"),
    ("movement-fremen", "fremen", "move half of the men from False Wall West/17 to Habbanya Ridge Flat/18",
     "proposed move 1 from False Wall West/17 to Habbanya Ridge Flat/18"),
    ("movement-fremen", "fremen", "move both men from False Wall West/17 to Habbanya Ridge Flat/18",
     "taken move 2 from False Wall West/17 to Habbanya Ridge Flat/18"),
    ("movement-fremen", "fremen", "move both men from Habbanya Ridge Sietch to Habbanya Ridge Flat/18", "unread"),
    ("movement-fremen", "fremen", "move half of the fedaykin from Habbanya Ridge Sietch to Habbanya Ridge Flat/18",
     "unread"),
    ("movement-fremen", "fremen", "move 2 and all fedaykin from Habbanya Ridge Sietch to Habbanya Ridge Flat/18",
     "taken move 2+3 from Habbanya Ridge Sietch to Habbanya Ridge Flat/18"),
    ("revival", "emperor", "revive half of the sardaukar", "proposed revive 0+1"),
    ("revival", "emperor", "revive both sardaukar", "unread"),
    ("revival", "emperor", "revive 3 including 1 sardaukar", "taken revive 2+1"),
    ("fremen-placement", "fremen", "7 in Sietch Tabr and 3 on False Wall South/4",
     "taken place 7 in Sietch Tabr, 3 in False Wall South/4"),
    ("fremen-placement", "fremen", "7 in Sietch Tabr sector 3 and 3 in False Wall West/17", "unread"),
    ("fremen-placement", "fremen", "everything in Sietch Tabr", "taken place 10 in Sietch Tabr"),
    ("fremen-placement", "fremen", "7 in Sietch Tabr", "unread"),
])  # fmt: skip
def test_so_many_forces_are_meant_as_are_there_and_what_is_not_certain_is_not_proposed(
    position: str, faction: Faction, line: str, said: str
) -> None:
    assert read(position, faction, line) == said


@pytest.mark.parametrize(("position", "faction", "line", "said"), [
    ("plan-harkonnen", "harkonnen", "Feyd dials two, 2 spice", "taken plan dial 2 spice 2 leader Feyd-Rautha"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two supporting 2", "taken plan dial 2 spice 2 leader Feyd-Rautha"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two, 2.5 spice", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two with all my spice",
     "proposed plan dial 2 spice 6 leader Feyd-Rautha"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two, dials three", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two, baliset",
     "taken plan dial 2 leader Feyd-Rautha weapon Baliset"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two, lasgun, baliset",
     "taken plan dial 2 leader Feyd-Rautha weapon Lasgun defense Baliset"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two, lasgun, shield, baliset", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two with lasgun and crysknife", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two with shield and snooper", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd dials two with truthtrance", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd, lasgun and shield", "unread"),
    ("plan-harkonnen", "harkonnen", "Feyd and Rabban dial two", "unread"),
    ("plan-emperor", "emperor", "cheap hero dials 2 with maula and snooper",
     "taken plan dial 2 leader cheap hero weapon Maula Pistol defense Snooper"),
])  # fmt: skip
def test_a_plan_is_proposed_where_its_parts_fit_together(position: str, faction: Faction, line: str, said: str) -> None:
    assert read(position, faction, line) == said


@pytest.mark.parametrize(("position", "faction", "line", "said"), [
    ("bidding", "harkonnen", "bid half my spice", "unread"),
    ("bidding", "harkonnen", "bid all my spice", "proposed bid 7"),
    ("bidding", "harkonnen", "1 2 3 4 5 6 7 8 9", "unread"),
    ("bidding", "harkonnen", "I bid 5 tokens", "unread"),
    ("bidding", "harkonnen", "bid turn 5", "unread"),
    ("bidding", "harkonnen", "I bid half 5", "unread"),
    ("storm-dial", "harkonnen", "sector 5", "proposed storm 5"),
    ("storm-dial", "harkonnen", "I dial twenty", "taken storm 20"),
    ("storm-dial", "harkonnen", "dial turn 5", "unread"),
    ("hms-move", "ixians", "hms via South Mesa to Pasty Mesa/7",
     "proposed hms via South Mesa/4 to Pasty Mesa/7 | hms via South Mesa/5 to Pasty Mesa/7"
     " | hms via South Mesa/6 to Pasty Mesa/7"),
    ("hms-move", "ixians", "hms via South Mesa/5 to Pasty Mesa/7", "taken hms via South Mesa/5 to Pasty Mesa/7"),
    ("movement", "atreides", "move 3 from Arrakeen via Imperial Basin 9 to Carthag",
     "proposed move 3 from Arrakeen via Imperial Basin to Carthag"),
    ("movement", "atreides", "move 3 from Arrakeen via Imperial Basin sector 12 to Carthag", "unread"),
    ("movement", "atreides", "move 3 from Arrakeen to Arrakeen to Carthag", "unread"),
    ("discards", "fremen", "discard both", "taken discard Ellaca Drug, Shield"),
    ("discards", "fremen", "discard all", "taken discard Ellaca Drug, Shield"),
    ("discards", "fremen", "keep both", "taken keep Ellaca Drug, Shield"),
    ("discards", "fremen", "discard poison", "proposed discard Poison Blade | discard Poison Tooth"),
    ("discards", "fremen", "discard nothing", "taken discard none"),
    ("nexus", "emperor", "ally with", "unread"),
])  # fmt: skip
def test_a_number_a_place_or_a_card_is_meant_only_where_it_belongs(
    position: str, faction: Faction, line: str, said: str
) -> None:
    assert read(position, faction, line) == said


def test_to_keep_without_a_card_is_not_read_as_keeping_none() -> None:
    assert read("discards", "harkonnen", "I save, nothing else") == "unread"


@pytest.mark.parametrize(("line", "said"), [
    ("fight the Fremen", "taken battle Fremen in Plastic Basin"),
    ("Pasty Mesa", "proposed battle Harkonnen in Pasty Mesa"),
    ("battle", "proposed battle Harkonnen in Pasty Mesa | battle Fremen in Plastic Basin"),
    ("ship", "unread"),
    ("Stilgar", "unread"),
    ("xyzzy", "unread"),
])  # fmt: skip
def test_a_line_that_names_no_answer_of_a_question_is_not_taken_for_all_of_them(line: str, said: str) -> None:
    assert read("talk/battle-order", "guild", line) == said


NEVER = [
    "~~bid 5~~", "should I bid 5", "bid 5 or 6", "I might bid 5", "don't bid 5",
    "bid -5", "bid 5-6", "5%", "5pm", "5:30",
    "bid 5,000", "you bid 5", "I bid 5 last turn", "5 x", "pаss",
    "bіd 5", "раss", "-- Otheym", "Tel. 555 1234", "Paul 5",
    "Emperor bids 5", "pass?", "5?", "ok?", "yes and no", "yes or no", "same as last turn", "about 5", "some", "a few",
    "I would pass", "I can't pass", "pass me the salt", "I won't ship 3 to Carthag", "don't move 3 to Carthag",
    "maybe no shipment", "no idea", "not sure",
    "three cheers", "see you in Carthag", "http://5.example", "5@example.org",
    "“bid 5” he said", "> bid 5", "if he bids I pass", "unless you mind: pass", "pass, but only if he does", "ok?",
    "never mind", "no worries", "wait and see", "hold on a minute", "I have 5", "ship some to Carthag",
]  # fmt: skip


@pytest.mark.parametrize("line", NEVER)
def test_doubt_questions_and_talk_are_never_taken_in_any_position(line: str) -> None:
    for position, faction in ORDINARY.items():
        result = read_any(line, context(position, faction))
        assert not isinstance(result, Order), f"{position}: {result}"


@pytest.mark.parametrize("line", [
    "x" * 10_000, "5 " * 100, "bid " * 200, "atreidesharkonnen",
    "AtreidesHarkonnen bid", "а" * 900, "_" * 900, "**" * 450,
    "<b>Carthag</b>", "ship 3 to <b>Carthag</b>", "(" * 900, "is " * 330, "harkonnen " * 90, "3+" * 300, "\u202ebid 5",
    "bid 𝟓 or Ⅴ", "ship 3 to Carthаg",
])  # fmt: skip
def test_a_line_that_nobody_would_send_is_answered_at_once_and_not_taken(line: str) -> None:
    began = time.process_time()
    for position, faction in ORDINARY.items():
        result = read_any(line, context(position, faction))
        assert not isinstance(result, Order) or "\u202e" in line
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("position", "faction", "line"), [
    ("bidding", "harkonnen", "I bid you all a pleasant evening"),
    ("bidding", "harkonnen", "bid 11 /s"),
    ("bidding", "harkonnen", "sure, bid 11, in your dreams"),
    ("bidding", "harkonnen", "I bet he bids 6"),
    ("bidding", "harkonnen", "they'll bid 6 again"),
    ("bidding", "harkonnen", "Last auction I had to bid 9 for it"),
    ("shipment", "atreides", "Emperor, please ship 5 to Arrakeen"),
    ("shipment", "atreides", "Fremen, could you ship 5 to Arrakeen"),
    ("shipment", "atreides", "Nothing lands itself, does it"),
    ("shipment", "atreides", "It won't ship itself"),
    ("movement", "atreides", "my neighbours won't move their car"),
    ("movement", "atreides", "my dog stays on the sofa"),
    ("revival", "emperor", "3 espressos and I'm revived"),
    ("revival", "emperor", "2 of my men are dead because of you"),
    ("plan-harkonnen", "harkonnen", "I bet he plays: dial 5, Feyd, lasgun, shield"),
    ("plan-harkonnen", "harkonnen", "Last battle I had dial 4 leader Feyd weapon lasgun and lost"),
])  # fmt: skip
def test_words_of_an_order_about_something_or_somebody_else_lead_to_no_proposal(
    position: str, faction: Faction, line: str
) -> None:
    assert read(position, faction, line) == "unread"


@pytest.mark.parametrize(("position", "faction", "line", "order"), [
    ("bidding", "harkonnen", "bid 4 probably", "bid 4"),
    ("bidding", "harkonnen", "I think I'll bid 4", "bid 4"),
    ("bidding", "harkonnen", "Biete 4, glaube ich", "bid 4"),
    ("bidding", "harkonnen", "je crois que je passe", "pass"),
    ("shipment", "harkonnen", "Maybe ship 3 to Carthag", "ship 3 to Carthag"),
    ("revival-leader", "harkonnen", "Piter for 3", "revive Piter DeVries"),
    ("movement", "atreides", "all I have in Arrakeen except one to Carthag", "move 7 from Arrakeen to Carthag"),
    ("voice", "bene-gesserit", "not poison defense", "voice Emperor not play snooper"),
    ("plan-harkonnen", "harkonnen", "feyd dials 3 with the lasgun, I guess",
     "plan dial 3 leader Feyd-Rautha weapon Lasgun"),
])  # fmt: skip
def test_an_order_beside_a_mild_doubt_or_another_thought_is_proposed(
    position: str, faction: Faction, line: str, order: str
) -> None:
    assert read(position, faction, line) == f"proposed {order}"


def test_a_bare_number_or_no_counts_where_it_stands_alone_in_its_mail() -> None:
    bidding = context("bidding", "harkonnen")

    def orders(text: str) -> list[object]:
        return [line.result for line in read_lines(text.splitlines(), bidding) if isinstance(line.result, Order)]

    assert orders("5") == orders("Hi Mentat,\n\n5\n\nThanks, Vladimir") == [o.Bid(5)]
    assert orders("Hi Mentat\n5\nCheers") == orders("Good morning\n\n5") == [o.Bid(5)]
    assert orders("I'll write more on Sunday about the treaty.\n5") == []
    assert orders("5\nis the number of troops that I would want from you for it, as we said in the summer.") == []
    assert orders("Feyd,\n5\nand then some") == []
    assert orders("The price is high, the card is bad and I am not sure what to think of it all, so\nI bid 5") == []
    assert orders("My order:\nI bid five") == [o.Bid(5)]


@pytest.mark.parametrize(("line", "said"), [
    ("pass 5", "unread"), ("5 pass", "unread"), ("pass!!!1", "unread"), ("bid 3.5", "unread"),
    ("I bid up to 5", "taken bid up to 5"), ("bid up too 5", "taken bid up to 5"),
    ("„bid 5“", "taken bid 5"), ("»bid 5«", "taken bid 5"), ("‚pass‘", "taken pass"), ("‹pass›", "taken pass"),
    ("AW: bid 5", "proposed bid 5"), ("Fwd: pass", "proposed pass"),
])  # fmt: skip
def test_a_line_typed_on_a_phone_or_in_other_quotes_says_what_it_says_and_no_more(line: str, said: str) -> None:
    assert read("bidding", "harkonnen", line) == said


@pytest.mark.parametrize(("line", "said"), [
    ("hi i pass", "proposed pass"), ("hello, I bid 5", "taken bid 5"), ("thanks, I pass", "taken pass"),
    ("hello pass", "proposed pass"), ("cheers pass", "proposed pass"), ("All the best, Ann", "unread"),
])  # fmt: skip
def test_a_greeting_hides_no_order_and_is_read_as_none(line: str, said: str) -> None:
    assert read("bidding", "harkonnen", line) == said


ASSENT = ["ok", "fine by me", "Carry on!", "go ahead", "no objection", "let it stand", "proceed", "that's fine, thanks"]
REFUSAL = ["pass", "I pass", "nothing", "skip it", "not me", "let it go", "no from me", "not this time", "pass on that"]


@pytest.mark.parametrize("line", [*ASSENT, *REFUSAL, "I don't have a karama", "nothing to react to"])
def test_assent_and_refusal_let_a_power_pass(line: str) -> None:
    assert read("karama-window", "emperor", line) == "taken no karama"


@pytest.mark.parametrize("line", ASSENT)
def test_assent_says_nothing_where_no_power_was_announced(line: str) -> None:
    for position, faction in ORDINARY.items():
        if position not in ("karama-window", "guild-timing"):
            assert not read(position, faction, line).startswith("taken"), position


@pytest.mark.parametrize(("position", "faction", "said"), [
    ("shipment", "harkonnen", "taken no shipment"), ("movement", "atreides", "taken no move"),
    ("charity", "harkonnen", "proposed no charity"), ("bidding", "harkonnen", "taken pass"),
    ("voice", "bene-gesserit", "taken no voice"), ("prescience", "atreides", "taken no prescience"),
    ("truthtrance-answer", "harkonnen", "unread"),
])  # fmt: skip
def test_pass_is_the_nothing_of_the_open_question_and_taken_where_silence_means_the_same(
    position: str, faction: Faction, said: str
) -> None:
    assert read(position, faction, "pass") == said


@pytest.mark.parametrize(("line", "said"), [
    ("I do not hold the Lasgun", "answer no"), ("I don't have it", "answer no"), ("I have no lasgun", "answer no"),
    ("I don't have the time now", ""), ("I do not hold the Baliset", ""),
])  # fmt: skip
def test_an_answer_may_name_what_the_question_names(line: str, said: str) -> None:
    position = (NEARLY / "positions" / "truthtrance-answer.toml").read_text(encoding="utf-8")
    asked = position.replace("will you ship to Arrakeen this turn?", "Do you hold the Lasgun?")
    answer = read_any(line, reading_context(play_ruling(tomllib.loads(asked)), "harkonnen"))
    assert isinstance(answer, Unread)
    assert answer.suggestions == ((said,) if said else ())


def test_what_binds_is_answered_by_a_flat_no_alone() -> None:
    for line in ("nothing", "not now", "none", "no time"):
        assert not read("truthtrance-answer", "harkonnen", line).startswith("taken")


def test_a_game_master_can_turn_taking_off() -> None:
    result = read_any("I bid five", context("bidding", "harkonnen", takes=False))
    assert isinstance(result, Unread)
    assert result.suggestions == ("bid 5",)
    assert "bid 5" in result.reason


def test_what_the_rules_refuse_is_told_with_their_reason_and_no_name_that_was_not_written() -> None:
    result = read_any("I bid sixty spice", context("bidding", "harkonnen"))
    assert isinstance(result, Unread | o.Bid)
    refused = read_any("I revive three troops", context("bidding", "harkonnen"))
    assert isinstance(refused, Unread)
    assert "revive 3" in refused.reason
    assert refused.suggestions == ()
    refused = read_any("walk the soldiers from Arrakeen to Tuek's Sietch", context("movement", "atreides"))
    assert isinstance(refused, Unread)
    assert "move 8 from Arrakeen to Tuek's Sietch”. " in refused.reason


def test_a_name_of_several_places_is_asked_back_with_each_of_them() -> None:
    result = read_any("move both men from False Wall West/17 to habbanya", context("movement-fremen", "fremen"))
    assert isinstance(result, Unread)
    assert {line.partition(" to ")[2].partition("/")[0] for line in result.suggestions} == {
        "Habbanya Ridge Sietch", "Habbanya Ridge Flat", "Habbanya Erg"}  # fmt: skip


def test_a_refused_guess_names_no_card_and_no_place_by_itself() -> None:
    for line in ("move everybody to Arrakeen", "I ride to Carthag", "discard it", "keep the card", "voice him"):
        result = read_any(line, context("bidding", "harkonnen"))
        assert isinstance(result, Unread)
        said = " ".join((result.reason, *result.suggestions))
        for card in play("bidding").state.players["harkonnen"].hand:
            assert card not in said


def test_every_form_that_help_lists_has_its_words() -> None:
    with_words = {entry.form.with_placeholders() for entry in vocabulary().orders}
    rare = {
        "bid up to N from N", "bid up to N by N", "bid up to N by N from N", "karama cancel worm for FACTION",
        "karama half shipping for FACTION", "hajr move FORCES from AREA via TERRITORY, … to AREA",
        "secret deal with FACTION: TEXT [; I pay N] [; you pay N] [; I escrow N] [; if CONDITION] "
        "[; broken if CONDITION] [; until turn N]",
        "limit five for FACTION, …", "replace with FORCES from AREA|reserves, …",
        "replace with FORCES from AREA|reserves, … to AREA", "karama cancel half price for FACTION",
        "karama cancel revival payment of FACTION",
        "show CARD, …", "show CARD, … to FACTION, …",
        *(f"show {what}" for what in ("hand", "traitors", "prediction", "spice", "reserves")),
    }  # fmt: skip
    listed = {form.with_placeholders() for form in FORMS if form.listed and issubclass(form.makes, Order)}
    assert listed == with_words | rare


def test_nicknames_are_of_things_that_there_are() -> None:
    for sort, nicknames in vocabulary().nicknames.items():
        assert set(nicknames) <= set(SORTS_OF_NAMES[sort].values), sort


def test_positions_of_the_nearly_orders_are_sound() -> None:
    for file in sorted((NEARLY / "positions").glob("*.toml")):
        assert play(file.stem).questions(), file.stem
