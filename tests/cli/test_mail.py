"""Tests for mail on the command line: showing, delivering, fetching and sending it."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from rules.components import Faction
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def test_a_folder_is_made_to_begin_with(mentat: Mentat, tmp_path: Path) -> None:
    ran = mentat("init", "dune", "--json")
    assert ran.code == 0
    assert ran.json["written"] == ["config.toml", ".env"]
    assert (tmp_path / "dune" / ".env").stat().st_mode & 0o077 == 0
    assert (tmp_path / "dune" / "mentat.db").exists()
    assert mentat("init", "dune", "--json").json["written"] == []
    assert mentat("game", "list", "--config", "dune/config.toml").code == 0


def test_the_settings_may_have_another_name(mentat: Mentat, tmp_path: Path) -> None:
    assert mentat("init", "--config", "arrakis/mine.toml", "--json").json["written"] == ["mine.toml", ".env"]
    assert mentat("init", "arrakis", "--config", "arrakis/mine.toml").code == 2


def test_a_folder_that_cannot_be_made_is_told(mentat: Mentat, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = mentat("init", "file/dune")
    assert ran.code == 2
    assert "choose another folder" in ran.err


def test_a_mail_is_read_without_acting(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game(factions=FEW)
    (tmp_path / "order.eml").write_bytes(place.mail("guild", place.line("guild", "traitor"), "", "> quoted"))
    before = place.table().revision
    read = mentat("mail", "parse", "order.eml", "--json").json
    assert read.keys() >= {"disposition", "reason", "orders", "from", "game"}
    assert (read["disposition"], read["from"], read["game"]) == ("orders", "guild@players.example", GAME)
    assert read["orders"] == [place.line("guild", "traitor")]
    assert place.table().revision == before
    assert place.messages() == []


def test_a_mail_is_read_without_any_settings(mentat: Mentat, tmp_path: Path) -> None:
    (tmp_path / "order.eml").write_bytes(b"From: a@b.example\r\nTo: m@x.example\r\nSubject: hi\r\n\r\nbid 4\r\n")
    read = mentat("mail", "parse", "order.eml", "--json", "--config", "none.toml").json
    assert (read["disposition"], read["orders"], read["game"]) == ("orders", ["bid 4"], None)


def test_files_are_delivered_as_if_they_were_fetched(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game(factions=FEW)
    (tmp_path / "1.eml").write_bytes(place.mail("guild", place.line("guild", "traitor")))
    (tmp_path / "2.eml").write_bytes(b"\x00")
    verdicts = mentat("deliver", "1.eml", "2.eml", "1.eml", "--json").json
    assert [verdict["disposition"] for verdict in verdicts] == ["orders", "rejected", "duplicate"]
    assert (verdicts[0]["game"], verdicts[0]["faction"], verdicts[0]["taken"]) == (GAME, "guild", 1)
    assert "guild" not in place.asked()


def test_one_pass_fetches_processes_and_sends(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game(factions=FEW)
    assert mentat("poll", "--json").json == {"messages": 0, "shunted": 0}
    (tmp_path / "Maildir" / "new" / "1").write_bytes(place.mail("guild", place.line("guild", "traitor")))
    (tmp_path / "Maildir" / "new" / "2").write_bytes(b"\x00")
    assert mentat("poll", "--json").json == {"messages": 2, "shunted": 1}
    assert mentat("poll", "--json").json == {"messages": 0, "shunted": 0}
    assert mentat("send", "--json").json == {"sent": 5, "deferred": 0, "refused": 0}
    assert mentat("send", "--json").json == {"sent": 0, "deferred": 0, "refused": 0}


def test_deadlines_pass_at_the_instant_that_is_given(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    assert mentat("tick", "--now", "2024-11-27T19:59:59Z", "--json").json == {"games": 0}
    assert mentat("tick", "--now", "2024-11-27T20:00:00Z", "--json").json == {"games": 1}
    assert mentat("tick", "--now", "2024-11-27T20:00:00Z", "--json").json == {"games": 0}


def test_what_was_written_at_an_instant_to_come_is_sent_at_once(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    mentat("send")
    assert mentat("tick", "--now", "2099-01-01", "--json").json == {"games": 1}
    assert mentat("send", "--json").json["sent"] > 0


def test_a_ruling_is_run(mentat: Mentat, tmp_path: Path) -> None:
    good = next(Path(__file__).parents[1].glob("rulings/storm/*.toml"))
    assert mentat("ruling", "check", str(good)).code == 0
    (tmp_path / "bad.toml").write_text(
        good.read_text(encoding="utf-8") + "\n[expect.faction.guild]\nspice = 99\n", encoding="utf-8"
    )
    ran = mentat("ruling", "check", str(good), "bad.toml", "--json")
    assert ran.code == 1
    assert [result["passed"] for result in ran.json] == [True, False]


def test_a_clause_is_shown_by_its_id_and_by_a_word(mentat: Mentat) -> None:
    (found,) = mentat("rule", "AH.X.C.2", "--json").json
    assert found["id"] == "AH.X.C.2"
    assert found["rule"]
    assert len(mentat("rule", "lasgun", "shield", "--json").json) > 1


def test_what_a_pass_does_is_said_in_words(mentat: Mentat, place: World, tmp_path: Path) -> None:
    place.new_game(factions=FEW)
    traitor = place.line("guild", "traitor")
    (tmp_path / "1.eml").write_bytes(place.mail("guild", traitor))
    (tmp_path / "2.eml").write_bytes(b"\x00")
    assert mentat("mail", "parse", "1.eml").out == f"orders: 1 line read\n  {traitor}\n"
    delivered = mentat("deliver", "1.eml", "2.eml").out
    assert delivered == "1.eml: orders (1 line read)\n2.eml: rejected (no sender address)\n"
    inbox = tmp_path / "Maildir" / "new"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "3").write_bytes(place.mail("guild", "status"))
    assert mentat("poll").out == "1 message processed, 0 of them put aside\n"
    (inbox / "4").write_bytes(b"\x00")
    (inbox / "5").write_bytes(place.mail("guild", "map"))
    assert mentat("poll").out == "2 messages processed, 1 of them put aside\n"
    waiting = len(place.letters())
    assert mentat("send").out == f"{waiting} letters sent, 0 to be tried again, 0 refused\n"
    assert mentat("tick", "--now", "2024-11-27T19:59:59Z").out == "0 games moved on\n"
    assert mentat("tick", "--now", "2024-11-27T20:00:00Z").out == "1 game moved on\n"


def test_kept_mail_is_told_in_words(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    traitor = place.line("guild", "traitor")
    place.say("guild", traitor)
    place.moderator.deliver(b"\x00", place.now)
    assert mentat("mail", "list", "--game", "nowhere").out == "There is no such message.\n"
    assert sorted(re.findall(r"^ *(\d+) ", mentat("mail", "list").out, re.MULTILINE)) == ["1", "2"]
    listed = {each["id"]: each for each in mentat("mail", "list", "--json").json}
    assert [listed[1][what] for what in ("disposition", "game", "faction")] == ["orders", GAME, "guild"]
    assert [listed[2][what] for what in ("disposition", "game", "faction")] == ["rejected", None, None]
    assert mentat("mail", "show", "1").out == (
        "message 1, 2024-11-26 20:00 UTC, from guild@players.example: Re: orders\n"
        f"orders: 1 line read\n{GAME}, guild\n2024-11-26 20:00:00 UTC: read here\n  {traitor}\n"
    )
    assert mentat("mail", "show", "2").out == (
        "message 2, 2024-11-26 20:00 UTC, from nobody: \nrejected: no sender address\n"
        "2024-11-26 20:00:00 UTC: read here\n"
    )
    assert mentat("mail", "replay", "2").out == "message 2: rejected (no sender address)\n"
    taken = mentat("mail", "replay", "1")
    assert (taken.code, "Message 1 was processed before (orders); no mail is" in taken.err) == (1, True)


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("bid up to 2", 0, "held bid up to 2\n"),
        ("pass", 0, "accepted no charity"),
        ("when card 1: bid up to 2", 0, "held when card 1: bid up to 2\n"),
        ("guild: no charity", 0, "accepted no charity"),
        ("fremen: no charity", 1, "refused: You play Guild, and only the player of Fremen can send its orders."),
        ("no revival", 1, "refused no revival: This is the charity phase; that is decided in the revival phase."),
        ("cancel pass", 1, "refused cancel pass: No such order is on file."),
        ("status", 0, "done status: This is about the mail, not an order of the game.\n"),
        ("bdi 3", 1, "unread: This is not quite an order; did you mean the line below?\n  bid 3\n"),
        ("Hello everybody", 1, "unread"),
        ("", 1, "unread: There is nothing on this line; write one order per line.\n"),
        (" ", 1, "unread: There is nothing on this line; write one order per line.\n"),
    ],
)
def test_an_order_is_checked_as_a_mail_would_be_answered(
    mentat: Mentat, place: World, line: str, code: int, told: str
) -> None:
    place.silent_game("charity", ruleset="wbc-2018", tempo="steady")
    before = place.table().revision
    ran = mentat("order", "check", GAME, "guild", line)
    assert (ran.code, ran.out[: len(told)]) == (code, told)
    assert (place.table().revision, place.table().sheets) == (before, {})
    assert place.say("guild", line).taken == (not code)


def types(monkeypatch: pytest.MonkeyPatch, typed: bytes) -> None:
    """Put bytes on standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed)))


def test_a_mail_is_looked_at_and_delivered_from_the_standard_input(
    mentat: Mentat, place: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.new_game(factions=FEW)
    mail = place.mail("guild", place.line("guild", "traitor"))
    types(monkeypatch, mail)
    assert mentat("mail", "parse", "-", "--json").json["game"] == GAME
    types(monkeypatch, mail.replace(place.token("guild").encode(), b"a" * 16))
    assert mentat("mail", "parse", "-", "--json").json["game"] is None
    types(monkeypatch, mail)
    (told,) = mentat("deliver", "-", "--json").json
    assert (told["file"], told["disposition"], told["taken"]) == ("-", "orders", 1)
    assert "guild" not in place.asked()


def test_what_is_no_mail_is_of_nobody(mentat: Mentat, place: World, tmp_path: Path) -> None:
    (tmp_path / "large.eml").write_bytes(b"From: a@b.example\n\n" + b"x" * 6_000_001)
    read = mentat("mail", "parse", "large.eml", "--json").json
    assert (read["from"], read["game"], read["orders"]) == ("", None, [])
