"""Tests for `mentat person`: warning people, banning them, and lifting a ban."""

from __future__ import annotations

import pytest

from bot.store import people
from bot.store.database import reading, writing
from tests.cli.conftest import Mentat
from tests.cli.test_told_in_full import gives
from tests.moderator.table import GAME, World, address_of

DORA = "dora@elsewhere.example"


def kinds(place: World) -> list[str]:
    with reading(place.engine) as conn:
        return [each.kind for each in people.all_bans(conn)]


def test_a_person_is_warned_banned_and_let_play_again(mentat: Mentat, place: World) -> None:
    assert mentat("person", "warn", DORA, "Please keep to the tone of the table.").out == f"{DORA} will be told.\n"
    assert kinds(place) == ["warning"]
    assert "Please keep to the tone of the table." in " ".join(place.newest(DORA).text.split())
    assert mentat("person", "ban", DORA, "--why", "wrote for two").code == 0
    assert kinds(place) == ["warning", "ban"]
    refused = mentat("game", "new", "--ruleset", "ah-basic", "--seat", f"guild={DORA}", "--seat", "fremen=f@x.example")
    assert refused.code != 0
    assert "cannot play here" in refused.err
    assert mentat("person", "unban", DORA).code == 0
    assert mentat("person", "unban", DORA).code == 1


def test_what_is_only_tried_on_a_person_is_not_done(mentat: Mentat, place: World) -> None:
    before = place.written()
    for words in (("warn", DORA, "Hm."), ("ban", DORA)):
        assert mentat("person", *words, "--dry-run").code == 0
    assert kinds(place) == []
    assert place.written() == before


def test_who_is_let_play_again_is_told_so_and_not_why_and_the_list_keeps_the_reasons(
    mentat: Mentat, place: World
) -> None:  # fmt: skip
    assert mentat("person", "list").out == "Nobody is banned, and nobody was warned.\n"
    mentat("person", "ban", DORA, "--until", "2030-01-31", "--why", "wrote for two")
    assert f"ban  {DORA} until 2030-01-31  wrote for two\n" in mentat("person", "list").out
    tried = mentat("person", "unban", DORA, "--why", "it was their brother", "--dry-run")
    assert tried.code == 0
    assert "lifted" not in mentat("person", "list").out
    told = mentat("person", "unban", DORA, "--why", "it was their brother")
    assert told.out == f"{DORA} can play again.\n"
    listed = mentat("person", "list").out
    assert f"{DORA} until 2030-01-31, lifted " in listed
    assert "(it was their brother)  wrote for two" in listed
    assert "brother" not in place.newest(DORA).text
    (row,) = mentat("person", "list", "--json").json
    assert (row["address"], row["kind"], row["why"]) == (DORA, "ban", "wrote for two")
    assert row["lifted_why"] == "it was their brother"
    assert row["lifted_at"]


def test_who_is_not_banned_cannot_be_let_in_and_json_names_whom_it_was(mentat: Mentat, place: World) -> None:
    assert f"{DORA} is not banned" in mentat("person", "unban", DORA).err
    mentat("person", "ban", DORA)
    assert mentat("person", "unban", DORA, "--json").json["address"] == DORA
    assert mentat("person", "warn", DORA, "Hm.", "--json").json["address"] == DORA


def test_who_is_banned_and_still_plays_is_told_with_how_their_seats_are_given_away(
    mentat: Mentat, place: World
) -> None:
    place.new_game()
    ran = mentat("person", "ban", address_of("guild"), "--why", "wrote for two")
    assert ran.out == (
        "guild@players.example cannot play here.\n"
        f"  to give their seat away: mentat game replace {GAME} guild ADDRESS\n"
    )


def test_a_ban_from_one_tournament_is_told_and_listed_with_it(mentat: Mentat, place: World) -> None:
    with writing(place.engine) as conn:
        people.add_ban(conn, people.Ban(DORA, "cup", "ban", "wrote for two", "", place.now))
    mentat("person", "ban", "x@y.example", "--until", "2030-01-31")
    assert f"  ban  {DORA} in cup  wrote for two\n" in mentat("person", "list").out
    assert [(row["tournament"], row["until"]) for row in mentat("person", "list", "--json").json] == [
        ("cup", None), ("", "2030-02-01T00:00:00+00:00"),
    ]  # fmt: skip


def test_a_person_is_banned_from_one_tournament(mentat: Mentat, monkeypatch: pytest.MonkeyPatch) -> None:
    called = gives(monkeypatch, "bot.desk.people.ban", [])
    assert mentat("person", "ban", DORA, "--tournament", "cup").out == f"{DORA} cannot play in cup.\n"
    assert ("tournament_id", "cup") in called[0]
