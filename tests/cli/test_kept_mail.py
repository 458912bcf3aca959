"""Tests for stored mail on the command line: listing, showing, reprocessing, resending and deleting it."""

from __future__ import annotations

import base64
import quopri
from datetime import timedelta
from email.header import Header
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.desk.new_game import NewGame, new_game
from bot.games import proof, retention
from bot.games.letter_writer import LetterWriter
from bot.service.machine import utc_now
from bot.store import desk
from bot.store import retention as kept_mails
from bot.store.database import reading, writing
from bot.store.mail import LETTER
from bot.store.press import OBSERVER
from bot.store.tables import MESSAGE, SEAT
from rules.components import Faction
from tests.cli.conftest import Mentat
from tests.moderator.returned import bounce_of
from tests.moderator.table import CONFIG, GAME, START, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
ANN = "ann.of.caladan@houses.example"


@pytest.fixture
def kept(place: World) -> World:
    """Return a game with four messages: two from the Guild, a stranger's, and one that made the program fail."""
    place.new_game(factions=FEW)
    place.say("guild", "status")
    place.now += timedelta(days=1)
    place.say("guild", "orders")
    place.moderator.deliver(place.mail("guild", "buy", sender="spam@elsewhere.example"), place.now)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LetterWriter, "answer", _fails)
        place.say("harkonnen", place.line("harkonnen", "traitor"))
    return place


def _fails(*_args: object) -> None:
    raise RuntimeError("the sand got in")


def finished(place: World) -> World:
    """Return a finished one-turn game in which Ann played the Guild."""
    seats: dict[Faction, str] = {faction: address_of(faction) for faction in FEW}
    dots: dict[Faction, int] = {"atreides": 2, "guild": 5, "harkonnen": 8}
    new_game(
        place.moderator.open_games,
        NewGame(GAME, "ah-basic", seats | {"guild": ANN}, dots, "spice", options={"max_turns": 1}),
        place.now,
    )
    place.moderator.deliver(place.mail("guild", "status", sender=ANN), place.now)
    for _ in range(200):
        if place.table().play.over:
            break
        place.wait(24)
    assert place.table().play.over
    return place


def on_disk(place: World) -> bytes:
    database = place.settings.mentat.database
    place.engine.dispose()
    return b"".join(
        path.read_bytes() for path in (database, database.with_name(database.name + "-wal")) if path.exists()
    )


def test_messages_are_listed_by_game_seat_time_and_disposition(mentat: Mentat, kept: World) -> None:
    listed = mentat("mail", "list", "--json").json
    assert [row["disposition"] for row in listed] == ["orders", "orders", "rejected", "fault"]
    assert listed[0].keys() == {
        "id", "received_at", "disposition", "reason", "game", "faction", "sender", "subject", "size"
    }  # fmt: skip

    def numbers(*words: str) -> list[int]:
        return [row["id"] for row in mentat("mail", "list", *words, "--json").json]

    assert numbers("--game", GAME, "--faction", "guild", "--disposition", "orders") == [1, 2]
    assert numbers("--since", (START + timedelta(hours=1)).isoformat()) == [2, 3, 4]
    assert numbers("--disposition", "fault") == [4]
    assert numbers("--most", "1") == [4]
    assert "fault" in mentat("mail", "list").out
    assert mentat("mail", "list", "--since", "yesterday").code == 2


def test_a_message_is_shown_as_it_was_read_and_as_it_came(mentat: Mentat, kept: World) -> None:
    shown = mentat("mail", "show", "2", "--json").json
    assert (shown["sender"], shown["lines"]) == (address_of("guild"), ["orders"])
    assert "orders" in mentat("mail", "show", "2").out
    raw = mentat("mail", "show", "2", "--raw").out
    assert raw.startswith("From: guild@players.example")
    ran = mentat("mail", "show", "99")
    assert ran.code == 1
    assert "mentat mail list" in ran.err


def test_a_message_that_was_put_aside_is_taken_again_and_only_once(mentat: Mentat, kept: World) -> None:
    assert "harkonnen" in kept.asked()
    ran = mentat("mail", "replay", "4", "--json")
    assert (ran.code, ran.json["disposition"], ran.json["taken"]) == (0, "orders", 1)
    assert "harkonnen" not in kept.asked()
    again = mentat("mail", "replay", "4", "--json")
    assert (again.code, again.json["disposition"]) == (1, "duplicate")
    dealt_with = mentat("mail", "replay", "1")
    assert dealt_with.code == 1
    assert "no mail is processed twice" in dealt_with.err
    assert mentat("mail", "replay", "3", "--json").json["disposition"] == "rejected"


def test_letters_are_sent_again_to_who_missed_them(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    mentat("send")
    place.moderator.deliver(bounce_of(place.newest("guild")), place.now)
    assert mentat("mail", "resend", GAME, "guild", "--json").json == {"game": GAME, "faction": "guild", "letters": 1}
    assert not place.table().seats["guild"].unreachable
    assert mentat("mail", "resend", GAME, "fremen").code == 2
    assert mentat("mail", "resend", GAME, "baron").code == 2
    assert mentat("mail", "resend", "nowhere", "guild").code == 2


def test_observers_come_and_go(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    let_in = {"game": GAME, "address": ANN, "observes": True, "delay": 0, "full": False}
    assert mentat("game", "observe", GAME, ANN, "--json").json == let_in
    assert mentat("game", "observe", GAME, ANN).code == 1
    assert mentat("game", "observe", GAME, "nobody").code == 2
    assert mentat("game", "unobserve", GAME, ANN).code == 0
    assert mentat("game", "unobserve", GAME, ANN).code == 1


def test_observers_read_late_and_in_full(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    late = ("game", "observe", GAME, ANN)
    assert mentat(*late, "--delay", "2", "--dry-run").code == 0
    assert mentat(*late, "--delay", "2", "--json").json["delay"] == 2
    assert mentat(*late, "--off", "--delay", "2").code == 2
    assert mentat(*late, "--off", "--json").json["observes"] is False
    assert "2 to 20 turns" in mentat(*late, "--full", "--consent", "all").err
    assert "Ask" in mentat(*late, "--full", "--delay", "2", "--consent", FEW[0]).err
    assert mentat(*late, "--consent", "all").code == 2
    assert mentat(*late, "--full", "--delay", "2", "--consent", "all", "--json").json["full"] is True


def test_one_message_is_emptied_and_a_dry_run_empties_nothing(mentat: Mentat, kept: World) -> None:
    none = {"letters": 0, "players": 0, "observers": 0, "mentions": 0}
    assert mentat("mail", "delete", "2", "--dry-run", "--json").json == {"deleted": False, "messages": 1, **none}
    assert mentat("mail", "show", "2", "--raw").code == 0
    assert mentat("mail", "delete", "2", "--json").json == {"deleted": True, "messages": 1, **none}
    shown = mentat("mail", "show", "2", "--json").json
    assert (shown["size"], shown["sender"], shown["subject"], shown["lines"]) == (0, "deleted", "", [])
    assert mentat("mail", "show", "2", "--raw").code == 1
    assert mentat("mail", "replay", "2").code == 1
    assert mentat("mail", "delete", "99").code == 1
    for wrong in ((), ("2", "--older-than", "3"), ("--older-than", "-1")):
        assert mentat("mail", "delete", *wrong).code == 2


def test_a_person_who_plays_is_not_deleted(mentat: Mentat, kept: World) -> None:
    ran = mentat("mail", "delete", "--person", address_of("guild"))
    assert ran.code == 1
    assert f"mentat game replace {GAME} guild" in ran.err


def test_nothing_is_left_of_a_person_but_the_game_that_they_played(mentat: Mentat, place: World) -> None:
    finished(place)
    new_game(
        place.moderator.open_games,
        NewGame(
            "sietch-13", "ah-basic", {"guild": address_of("guild"), "atreides": ANN}, {"guild": 2, "atreides": 5}, "s"
        ),
        place.now,
    )
    mentat("game", "replace", "sietch-13", "atreides", "dora@houses.example")
    mentat("game", "observe", "sietch-13", ANN)
    place.moderator.deliver(bounce_of(place.letters(ANN)[0]), place.now)
    assert ANN.encode() in on_disk(place)
    with reading(place.engine) as conn:
        before = proof.full_record(conn, GAME)
    dry = mentat("mail", "delete", "--person", ANN, "--dry-run", "--json").json
    assert ANN.encode() in on_disk(place)
    done = mentat("mail", "delete", "--person", ANN.upper(), "--json").json
    assert {**done, "deleted": False} == dry
    assert done["messages"] >= 2
    assert done["letters"] > 3
    assert (done["players"], done["observers"]) == (1, 1)
    left = on_disk(place).lower()
    assert ANN.encode() not in left
    assert b"ann.of.caladan" not in left
    for letter in place.letters():
        assert ANN not in letter.message.as_string().lower()
        assert (
            "ann.of.caladan" not in (letter.text if letter.message.get_content_type() != "text/plain" else "").lower()
        )
    assert mentat("game", "verify", GAME).code == 0
    with reading(place.engine) as conn:
        assert proof.full_record(conn, GAME) == before
        assert conn.execute(SEAT.select().where(SEAT.c.name == "deleted")).one().faction == "guild"
    assert mentat("game", "show", GAME).code == 0


def test_what_is_old_is_emptied_and_the_players_of_old_games_are_nameless(mentat: Mentat, place: World) -> None:
    finished(place)
    place.new_game(factions=FEW, game="sietch-13")
    mentat("send")
    place.moderator.deliver(place.mail("guild", "status", game="sietch-13"), utc_now())
    done = mentat("mail", "delete", "--older-than", "30", "--json").json
    assert (done["messages"], done["players"]) == (1, 3)
    with reading(place.engine) as conn:
        assert [row.raw == b"" for row in conn.execute(MESSAGE.select().order_by(MESSAGE.c.id))] == [True, False]
        waiting = conn.execute(LETTER.select().where(LETTER.c.next_try_at.is_not(None))).all()
        assert len(waiting) == 1
        assert waiting[0].content
    assert [seat.address for seat in place.table().seats.values()] == ["deleted"] * 3
    assert address_of("guild") in [seat.address for seat in place.table("sietch-13").seats.values()]
    assert mentat("game", "verify", GAME).code == 0


def test_the_settings_say_how_long_mail_is_kept_and_a_tick_once_a_day_applies_it(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[retention]\ndays = 30\n")
    world.new_game(factions=FEW)
    world.say("guild", "status")

    def emptied() -> bool:
        with reading(world.engine) as conn:
            return all(row.raw == b"" for row in conn.execute(MESSAGE.select()))

    world.wait(29 * 24)
    assert not emptied()
    world.wait(25)
    assert emptied()
    world.moderator.deliver(world.mail("guild", "orders"), world.now - timedelta(days=40))
    world.wait(1)
    assert not emptied()  # not before the day has passed
    world.wait(24)
    assert emptied()


def test_a_fault_on_the_way_deletes_nothing(place: World, monkeypatch: pytest.MonkeyPatch) -> None:
    finished(place)
    before = on_disk(place).count(ANN.encode())
    monkeypatch.setattr(kept_mails, "_erase", _fails)
    with pytest.raises(RuntimeError):
        retention.carry_out_deletion(place.moderator.open_games, retention.a_person(ANN))
    assert on_disk(place).count(ANN.encode()) >= before
    with reading(place.engine) as conn:
        assert conn.execute(SEAT.select().where(SEAT.c.address == ANN)).one()
        assert not conn.execute(OBSERVER.select()).all()


def test_a_mail_speaks_of_an_address_in_its_head_also_where_its_encoded_text_does_not() -> None:
    head = b"From: ann@elsewhere.example\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    assert kept_mails._speaks_of(head + b"c3BpY2U=\r\n", "ann@elsewhere.example")
    assert not kept_mails._speaks_of(head + b"c3BpY2U=\r\n", "bob@elsewhere.example")


SAID = "Tell Zoë (ann@elsewhere.example) of it."


def mail(charset: str, encoding: str, body: bytes, subject: str = "spice") -> bytes:
    head = f"Subject: {subject}\r\nContent-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {encoding}"
    return head.encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    "raw",
    [
        mail("utf-8", "8bit", SAID.encode()),
        mail("iso-8859-1", "8bit", SAID.encode("latin-1")),
        mail("utf-8", "base64", base64.b64encode(SAID.encode())),
        mail("utf-8", "BASE64", base64.b64encode(SAID.encode())),
        mail("utf-8", "base64", base64.b64encode(SAID.encode())).replace(b"charset=", b"charset*=a\0b''"),
        mail("utf-8", "Quoted-Printable", quopri.encodestring(SAID.encode())),
        mail("iso-8859-1", "quoted-printable", quopri.encodestring(SAID.encode("latin-1"))),
        mail("utf-8", "7bit", b"spice", Header(SAID, "utf-8").encode()),
        mail("utf-8", "7bit", b"spice", Header(SAID, "iso-8859-1").encode()),
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
        + mail("utf-8", "base64", base64.b64encode(SAID.encode())) + b"\r\n--x--\r\n",
    ],
)  # fmt: skip
def test_a_mail_speaks_of_an_address_or_a_name_however_they_are_encoded(raw: bytes) -> None:
    assert kept_mails._speaks_of(raw, "ann@elsewhere.example")
    assert kept_mails._speaks_of(raw, "ANN@elsewhere.example")
    assert kept_mails._speaks_of(raw, "nobody@elsewhere.example", "zoë")
    assert not kept_mails._speaks_of(raw, "nobody@elsewhere.example", "Tel")
    assert not kept_mails._speaks_of(raw, "nobody@elsewhere.example")


def test_mail_that_was_taken_again_lies_no_longer_on_the_desk(mentat: Mentat, kept: World) -> None:
    moved = kept.mail("atreides", kept.line("atreides", "traitor"), sender="moved@elsewhere.example")
    kept.moderator.deliver(moved, kept.now)

    def aside() -> list[int]:
        with reading(kept.engine) as conn:
            return [each.number for each in desk.read_desk(conn, START - timedelta(days=1), kept.now).aside]

    assert aside() == [3, 5]
    mentat("mail", "replay", "3")
    assert aside() == [5, 6]  # the same mail, quarantined again
    assert mentat("mail", "replay", "5", "--believe").code == 0
    assert aside() == [6]


def test_what_was_taken_again_is_told_with_its_lines(mentat: Mentat, kept: World) -> None:
    assert mentat("mail", "replay", "4").out.endswith(f"; 1 line of Harkonnen in {GAME} taken\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LetterWriter, "answer", _fails)
        kept.say("harkonnen", "status", "orders")
    assert mentat("mail", "replay", "6").out.endswith(f"; 2 lines of Harkonnen in {GAME} taken\n")


def test_a_message_of_which_the_head_alone_was_kept_is_not_taken_again(mentat: Mentat, kept: World) -> None:
    with writing(kept.engine) as conn:
        conn.execute(update(MESSAGE).where(MESSAGE.c.id == 4).values(raw=b"From: harkonnen@players.example\r\n\r\n"))
    ran = mentat("mail", "replay", "4")
    assert (ran.code, ran.out) == (1, "")
    assert "Only the headers of message 4 were kept; move it back into the inbox" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    "words", [(), ("--older-than", "-1"), ("4", "--older-than", "9"), ("4", "--person", "a@b.example"), ("0",)]
)
def test_what_to_delete_is_said_in_one_way(mentat: Mentat, kept: World, words: tuple[str, ...]) -> None:
    ran = mentat("mail", "delete", *words)
    assert (ran.code, ran.out) == (2, "")
    assert "Say what to delete: the ID of a message, or --person ADDRESS, or --older-than DAYS." in ran.err


RECEIVED = (
    "from mx.arrakis.example by store.arrakis.example with LMTP; Tue, 26 Nov 2024 21:05:00 +0100",
    "from phone\r\n by out.players.example (Postfix) with SMTP;\r\n Tue, 26 Nov 2024 19:58:30 +0000",
    "by nowhere",
)


def test_a_mail_tells_when_it_was_written_received_by_each_server_and_read(place: World, mentat: Mentat) -> None:
    place.new_game()
    route = "".join(f"Received: {field}\r\n" for field in RECEIVED).encode()
    raw = route + place.mail("guild", "status", Date="Tue, 26 Nov 2024 19:58:00 +0000")
    place.moderator.deliver(raw, place.now)
    shown = mentat("mail", "show", "1", "--json").json
    assert [(each["what"], each["at"]) for each in shown["way"]] == [
        ("written, as its sender says", "2024-11-26T19:58:00+00:00"),
        ("received by nowhere", None),
        ("received by out.players.example", "2024-11-26T19:58:30+00:00"),
        ("received by store.arrakis.example", "2024-11-26T20:05:00+00:00"),
        ("read here", place.now.isoformat()),
    ]
    assert "2024-11-26 20:05:00 UTC: received by store.arrakis.example" in mentat("mail", "show", "1").out
