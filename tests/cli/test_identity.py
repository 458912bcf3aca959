"""Tests for `mentat game address` and `mentat game freeze`, with which a game master manages players' addresses."""

from __future__ import annotations

from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World

NEW = "stilgar@elsewhere.example"


def test_the_address_of_a_player_is_shown(mentat: Mentat, place: World) -> None:
    place.new_game()
    ran = mentat("game", "address", GAME, "guild")
    assert ran.out.strip() == "Letters for the Guild in sietch-12 go to guild@players.example."


def test_a_new_address_counts_at_once_and_the_old_one_no_more(mentat: Mentat, place: World) -> None:
    place.new_game(factions=("atreides", "guild", "harkonnen"))
    old = place.token("guild")
    ran = mentat("game", "address", GAME, "guild", NEW.title(), "--json")
    assert ran.json == {"game": GAME, "faction": "guild", "address": NEW, "addresses": [NEW]}
    assert place.token("guild") != old
    assert "[form " in place.newest(NEW).text
    assert place.token("guild") in str(place.newest(NEW).message["Reply-To"])
    assert place.newest("guild@players.example").subject == "[Mentat] The letters for sietch-12 go elsewhere"
    moderator = place.moderator
    assert moderator.deliver(place.mail("guild", "status"), place.now).disposition == "rejected"
    assert moderator.deliver(place.mail("guild", "status", sender=NEW), place.now).disposition == "orders"


def test_a_reply_address_is_replaced_and_the_player_told(mentat: Mentat, place: World) -> None:
    place.new_game()
    old = place.token("guild")
    ran = mentat("game", "freeze", GAME, "guild", "--why", "forwarded")
    assert (ran.code, place.token("guild") != old) == (0, True)
    letter = place.newest("guild")
    assert letter.subject == "[sietch-12] You have a new reply address"
    assert place.token("guild") in str(letter.message["Reply-To"])
    assert "forwarded" not in letter.text


def test_what_cannot_be_is_said_in_one_sentence(mentat: Mentat, place: World) -> None:
    place.new_game(factions=("atreides", "guild"))
    for words, code, said in (
        (("address", GAME, "guild", "atreides@players.example"), 1, "two seats"),
        (("address", GAME, "guild", "guild@players.example"), 1, "already"),
        (("address", GAME, "fremen", NEW), 1, "Nobody plays the Fremen"),
        (("address", GAME, "guild", "nobody"), 2, "is not one mail address"),
        (("freeze", GAME, "richese"), 2, "is not one of"),
        (("freeze", GAME, "fremen"), 1, "Nobody plays"),
    ):
        ran = mentat("game", *words)
        assert (ran.code, ran.out) == (code, "")
        assert said in ran.err
    assert mentat("game", "freeze", "nowhere", "guild").code == 2


def test_a_faction_that_nobody_plays_has_no_address(mentat: Mentat, place: World) -> None:
    place.new_game(factions=("atreides", "guild", "harkonnen"))
    ran = mentat("game", "address", GAME, "fremen")
    assert (ran.code, ran.out, ran.err) == (1, "", f"Nobody plays the Fremen in {GAME}.\n")
    ran = mentat("game", "address", GAME, "fremen", "dora@elsewhere.example")
    assert (ran.code, ran.out) == (1, "")
    assert f"Nobody plays the Fremen in {GAME}; the factions are atreides, guild, harkonnen." in ran.err
