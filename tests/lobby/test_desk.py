"""The game master's view of open tables and commands for them: `mentat lobby`, and the desk."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk.desk import desk_blocks, desk_now
from bot.games.letter_writer import master_token
from bot.lobby.requests import Open
from bot.mail.identity import plus_address
from bot.store.database import reading
from tests.cli.conftest import Mentat
from tests.lobby.people import OPEN_TO_ALL, Lobby
from tests.moderator.table import ADDRESS


def approving(lobby: Lobby) -> Lobby:
    return Lobby.at(lobby.world.settings.mentat.database.parent, OPEN_TO_ALL + "approval = true\n")


def test_tables_are_listed_and_shown_without_wishes(mentat: Mentat, lobby: Lobby) -> None:
    assert "No table" in mentat("lobby", "list").out
    table = lobby.opens("ann")
    lobby.joins("bob", table.id, "with guild")
    (listed,) = mentat("lobby", "list", "--json").json
    assert (listed["id"], listed["taken"], listed["size"], listed["state"]) == (table.id, 2, 6, "open")
    shown = mentat("lobby", "show", table.id)
    assert "bob@example.org" in shown.out
    assert "guild" not in shown.out + mentat("lobby", "show", table.id, "--json").out
    assert mentat("lobby", "show", "nowhere-1").code == 2


def test_the_list_of_games_that_people_can_join_leaves_private_tables_out(mentat: Mentat, lobby: Lobby) -> None:
    lobby.opens("zoe", kind="private")
    assert mentat("game", "list", "--open", "--json").json == []
    table = lobby.opens("ann")
    assert [each["id"] for each in mentat("game", "list", "--open", "--json").json] == [table.id]
    assert table.id in mentat("game", "list", "--open").out


def test_the_game_master_opens_a_table_that_waits_for_people(mentat: Mentat, lobby: Lobby) -> None:
    tried = mentat("lobby", "open", "gf9-basic", "--fewest", "5", "--dry-run", "--json").json
    assert tried["dry_run"]
    assert mentat("lobby", "list", "--json").json == []
    made = mentat("lobby", "open", "gf9-basic", "--fewest", "5", "--json").json
    lobby.world.now = lobby.world.now.replace(year=2026, month=12)
    lobby.joins("bob", made["id"])
    assert lobby.seats(made["id"]) == ["bob"]
    lobby.proves("bob", f"leave {made['id']}")
    assert lobby.table(made["id"]).state == "open"
    assert mentat("lobby", "open", "--by", "30 Feb").code == 2


def test_a_table_that_waits_for_approval_is_seen_by_nobody_else(mentat: Mentat, lobby: Lobby) -> None:
    lobby = approving(lobby)
    lobby.says("bob", "open a game: gf9-basic, 4 players")
    lobby.proves("bob", "yes")
    (listed,) = mentat("lobby", "list", "--json").json
    assert listed["state"] == "proposed"
    assert lobby.subjects("bob")[-1] == f"Your table {listed['id']} is waiting for the game master"
    lobby.proves("cid", f"join {listed['id']}")
    assert lobby.seats(listed["id"]) == ["bob"]
    assert mentat("lobby", "approve", listed["id"]).code == 0
    assert lobby.subjects("bob")[-1] == f"Your table {listed['id']} is open"
    lobby.proves("cid", f"join {listed['id']}")
    assert lobby.seats(listed["id"]) == ["bob", "cid"]
    assert mentat("lobby", "approve", listed["id"]).code == 1


def test_a_table_without_approval_ends_after_a_week(mentat: Mentat, lobby: Lobby) -> None:
    lobby = approving(lobby)
    lobby.proves("bob", "open a game: gf9-basic, 4 players")
    lobby.wait(24 * 7 + 1)
    (listed,) = mentat("lobby", "list", "--all", "--json").json
    assert listed["state"] == "ended"
    assert lobby.subjects("bob")[-1] == f"Your table {listed['id']} was not opened"


def test_a_closed_table_tells_those_who_sat_there_why(mentat: Mentat, lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    tried = mentat("lobby", "close", table.id, "--why", "two of a kind", "--dry-run", "--json").json
    assert {each["to"] for each in tried["letters"]} == {"ann@example.org", "bob@example.org"}
    assert lobby.table(table.id).state == "open"
    assert mentat("lobby", "close", table.id, "--why", "two of a kind").code == 0
    assert "two of a kind" in lobby.words("bob")
    assert mentat("lobby", "close", table.id).code == 1


def test_two_tables_become_one_in_the_order_of_joining(mentat: Mentat, lobby: Lobby) -> None:
    one, other = lobby.opens("ann", Open(most=4)), lobby.opens("bob", Open(most=4))
    lobby.joins("cid", one.id)
    lobby.joins("dora", other.id)
    lobby.joins("eve", other.id)
    refused = mentat("lobby", "merge", one.id, other.id)
    assert refused.code == 1
    assert "free seat" in refused.err
    lobby.proves("eve", f"leave {other.id}")
    assert mentat("lobby", "merge", one.id, other.id).code == 0
    assert lobby.table(other.id).state in ("started", "full")
    assert lobby.table(one.id).state == "ended"


def test_one_person_is_moved_and_told(mentat: Mentat, lobby: Lobby) -> None:
    one, other = lobby.opens("ann", Open(most=4)), lobby.opens("bob", Open(most=4))
    lobby.joins("cid", one.id)
    assert mentat("lobby", "move", one.id, "cid@example.org", other.id).code == 0
    assert lobby.seats(one.id) == ["ann"]
    assert lobby.seats(other.id) == ["bob", "cid"]
    assert lobby.subjects("cid")[-1] == f"You now sit at {other.id}"
    assert mentat("lobby", "move", one.id, "cid@example.org", other.id).code == 1


def test_a_limit_is_raised_for_one_person(mentat: Mentat, lobby: Lobby) -> None:
    assert mentat("lobby", "raise", "ann@example.org", "2").code == 0
    assert mentat("lobby", "raise", "nobody", "2").code == 2


def test_the_desk_names_tables_that_wait_for_the_game_master(lobby: Lobby) -> None:
    lobby = approving(lobby)
    lobby.proves("bob", "open a game: gf9-basic, 4 players")
    table = "arrakeen-1"
    with reading(lobby.world.engine) as conn:
        found = desk_now(conn, lobby.world.settings, lobby.world.now)
    assert [(matter.kind, matter.game) for matter in found.matters] == [("proposed-table", table)]
    assert f"mentat lobby approve {table}" in str(desk_blocks(found, lobby.world.settings.mentat.timezone))
    by_mail = str(desk_blocks(found, lobby.world.settings.mentat.timezone, machine=False))
    assert f"“approve {table}” or “refuse {table}”" in by_mail


@pytest.mark.parametrize(("line", "state"), [("approve", "open"), ("refuse", "ended"), ("close", "ended")])
def test_the_game_master_decides_about_a_table_by_mail(lobby: Lobby, line: str, state: str) -> None:
    lobby = approving(lobby)
    lobby.proves("bob", "open a game: gf9-basic, 4 players")
    desk = plus_address(ADDRESS, master_token(lobby.world.settings))
    lobby.says("bob", f"{line} arrakeen-1", to=desk)
    assert lobby.table("arrakeen-1").state == "proposed"
    master = lobby.world.settings.mentat.game_master
    lobby.says(master, f"{line} arrakeen-1", "but not yet", to=desk)
    lobby.says(master, f"Should I {line} arrakeen-1?", to=desk)
    assert lobby.table("arrakeen-1").state == "proposed"
    lobby.says(master, f"{line} arrakeen-1", to=desk)
    assert lobby.table("arrakeen-1").state == state
    assert "been told" in " ".join(lobby.world.newest(master).text.split())
    lobby.says(master, "approve arrakeen-99", to=desk)
    assert lobby.table("arrakeen-1").state == state


def test_the_desk_names_a_table_that_stands_full_for_three_days(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener"))
    lobby.joins("bob", table.id)
    for hours, found in ((71, []), (73, [table.id])):
        with reading(lobby.world.engine) as conn:
            seen = desk_now(conn, lobby.world.settings, lobby.world.now + timedelta(hours=hours))
        assert [matter.game for matter in seen.matters if matter.kind == "full-table"] == found


def test_tables_with_other_settings_become_one_only_for_a_reason(mentat: Mentat, lobby: Lobby) -> None:
    one, other = lobby.opens("ann", Open(most=4)), lobby.opens("bob", Open(most=4, tempo="swift"))
    refused = mentat("lobby", "merge", one.id, other.id)
    assert refused.code == 1
    assert "differ in tempo" in refused.err
    private = lobby.opens("cid", Open(most=4), kind="private")
    assert mentat("lobby", "merge", private.id, one.id, "--why", "both small").code == 1
    assert mentat("lobby", "merge", one.id, other.id, "--why", "both small").code == 0
    assert lobby.seats(other.id) == ["bob", "ann"]


def test_a_table_that_nobody_looked_at_in_a_week_is_not_called_refused(lobby: Lobby) -> None:
    lobby = approving(lobby)
    lobby.proves("bob", "open a game: gf9-basic, 4 players")
    assert "Start without waiting" not in lobby.words("bob")
    lobby.wait(24 * 7 + 1)
    assert "did not look at it" in lobby.words("bob")


def test_a_table_whose_opener_leaves_waits_for_no_approval(mentat: Mentat, lobby: Lobby) -> None:
    lobby = approving(lobby)
    lobby.proves("bob", "open a game: gf9-basic, 4 players")
    lobby.proves("bob", "leave arrakeen-1")
    assert lobby.table("arrakeen-1").state == "ended"
    assert mentat("lobby", "approve", "arrakeen-1").code == 1


def test_the_game_master_invites_whomever_they_like_and_is_told_who_was_not(mentat: Mentat, lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=3))
    invited = mentat("lobby", "invite", table.id, "bob@example.org", "ann@example.org", "--json")
    assert invited.code == 1
    assert invited.json["invited"] == ["bob@example.org"]
    assert invited.json["not_invited"] == {"ann@example.org": "sits or waits there already"}
    assert lobby.subjects("bob") == [f"You are invited to {table.id}"]
    lobby.answers("bob", "yes please")
    assert lobby.seats(table.id) == ["ann", "bob"]
    again = mentat("lobby", "invite", table.id, "bob@example.org")
    assert (again.code, again.out) == (1, "")
    assert "bob@example.org sits or waits there already" in again.err
    mentat("lobby", "invite", table.id, "cid@example.org")
    assert "no seat is free" in mentat("lobby", "invite", table.id, "dora@example.org").err


def test_where_one_must_be_invited_an_invitation_of_the_desk_lets_a_stranger_in(
    mentat: Mentat, lobby: Lobby, tmp_path: Path
) -> None:
    invited = Lobby.at(tmp_path, OPEN_TO_ALL.replace("anybody", "invited"))
    table = mentat("lobby", "open", "--json").json["id"]
    invited.world.now = invited.world.now.replace(year=2026, month=12)
    invited.joins("bob", table)
    assert invited.seats(table) == []
    assert mentat("lobby", "invite", table, "bob@example.org").code == 0
    invited.proves("bob", "yes")
    assert invited.seats(table) == ["bob"]


def test_commands_about_a_table_that_does_not_exist_are_wrong_use(mentat: Mentat, lobby: Lobby) -> None:
    table = lobby.opens("ann")
    for words in (
        ["show", "x-1"], ["close", "x-1"], ["approve", "x-1"], ["merge", "x-1", table.id], ["merge", table.id, "x-1"],
        ["move", "x-1", "ann@example.org", table.id], ["invite", "x-1", "bob@example.org"], ["open", "no-such-rules"],
        ["offer", "x-1", "guild"], ["open", "--tempo", "soon"], ["open", "--size", "seven"],
    ):  # fmt: skip
        assert mentat("lobby", *words).code == 2, words
    for words in (
        ["approve", table.id], ["merge", table.id, table.id], ["move", table.id, "bob@example.org", table.id],
        ["open", "--size", "7"], ["open", "--by", "2020-01-01"], ["open", "--fewest", "3", "--size", "2"],
    ):  # fmt: skip
        assert mentat("lobby", *words).code == 1, words


def test_an_opener_sees_among_their_games_that_a_table_waits_for_approval(mentat: Mentat, lobby: Lobby) -> None:
    lobby = approving(lobby)
    lobby.proves("bob", "open a game: gf9-basic, 4 players")
    lobby.proves("bob", "my games")
    assert "arrakeen-1 It is waiting for the game master" in lobby.words("bob")
    for line in ("join arrakeen-1", "invite cid@example.org to arrakeen-1", "start arrakeen-1"):
        lobby.proves("bob", line)
        assert "arrakeen-1 is waiting for the game master" in lobby.words("bob"), line
    assert lobby.letters("cid") == []
    assert mentat("lobby", "invite", "arrakeen-1", "cid@example.org").code == 1
    lobby.proves("bob", "close arrakeen-1")
    assert lobby.table("arrakeen-1").state == "ended"
