"""Mode token+sender+auth: a mail with the right token and address but no proof is treated as a stranger's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path
from threading import Thread

import pytest

from bot.config import SettingsError
from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.mail.authentication import CannotAsk
from bot.mail.mailbox import MaildirMailbox, MaildirPlace
from bot.service import loop
from bot.store.database import writing
from rules.components import FACTIONS, Faction
from tests.mail.signing import Zone, signed
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of, make_settings

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
OWN = address_of("guild")
AUTH = f"""{CONFIG}
[identity]
mode = "token+sender+auth"
"""
GOOD = "Authentication-Results: mx.arrakis.example; dmarc=pass header.from=players.example\r\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path, f'{AUTH}authserv_id = "mx.arrakis.example"\n')
    made.new_game(factions=FEW)
    yield made
    made.engine.dispose()


def dated(world: World, *lines: str, faction: Faction = "guild", **fields: str) -> bytes:
    """Return a mail with the current time in its Date header, unless `fields` replaces it."""
    return world.mail(faction, *lines, **{"Date": format_datetime(world.now), **fields})


def deliver(world: World, raw: bytes, results: str = "") -> str:
    return world.moderator.deliver(results.encode() + raw, world.now).disposition


def test_a_proved_player_plays(world: World) -> None:
    assert deliver(world, dated(world, world.line("guild", "traitor")), GOOD) == "orders"
    assert "guild" not in world.asked()


@pytest.mark.parametrize(
    "results",
    [
        "",
        GOOD.replace("mx.arrakis", "mx.evil"),
        GOOD.replace("pass", "fail") + GOOD,
        GOOD.replace("from=players", "from=evil"),
        GOOD.replace("; dmarc", "; dkim=pass header.d=evil.example; x"),
    ],
)
def test_token_and_address_without_proof_do_nothing_and_the_owner_is_told(world: World, results: str) -> None:
    before, asked = world.written(), world.asked()
    assert deliver(world, dated(world, world.line("guild", "traitor"), "freeze"), results) == "rejected"
    assert world.asked() == asked
    assert {letter.recipient for letter in world.letters(after=before)} == {OWN, GAME_MASTER}
    assert "which is not proved" in " ".join(world.newest(GAME_MASTER).text.split())
    assert "proved" not in world.newest("guild").text


def test_a_captured_mail_under_another_message_id_does_nothing(world: World) -> None:
    raw = dated(world, "status", message_id="<first@players.example>")
    assert deliver(world, raw, GOOD) == "orders"
    asked, before = world.asked(), world.written()
    assert deliver(world, raw.replace(b"<first@", b"<second@")) == "duplicate"
    assert (world.asked(), world.written()) == (asked, before)


def test_a_further_address_is_confirmed_only_with_proof(world: World) -> None:
    other = "edric@elsewhere.example"
    deliver(world, dated(world, f"address add {other}"), GOOD)
    reply_to = str(world.newest(other).message["Reply-To"])
    assert deliver(world, dated(world, "confirm", sender=other, to=reply_to)) == "rejected"
    proved = GOOD.replace("players", "elsewhere")
    assert deliver(world, dated(world, "confirm", sender=other, to=reply_to), proved) == "orders"


def test_signatures_are_checked_where_the_settings_say_so(tmp_path: Path) -> None:
    world = World.at(tmp_path, f"{AUTH}dkim = true\n")
    world.new_game(factions=FEW)
    world.moderator.intake.txt_lookup = Zone("players.example")
    assert deliver(world, signed(dated(world, "status"), "players.example")) == "orders"
    assert deliver(world, signed(dated(world, "map"), "evil.example")) == "rejected"
    assert deliver(world, dated(world, "map"), GOOD) == "rejected"
    world.engine.dispose()


@pytest.mark.parametrize("answer", ["found", "cannot ask"])
def test_nobody_waits_for_a_mail_that_is_still_being_read_and_proved(tmp_path: Path, answer: str) -> None:
    world = World.at(tmp_path, f"{AUTH}dkim = true\n")
    world.new_game(factions=FEW)
    zone, free = Zone("players.example"), list[bool]()

    def look() -> None:
        with_lock = world.moderator.open_games.busy.acquire(timeout=1)
        free.append(with_lock)
        if with_lock:
            world.moderator.open_games.busy.release()

    def slow(name: bytes) -> bytes | None:
        others = Thread(target=look)
        others.start()
        others.join()
        with writing(world.engine):  # else the database is locked
            pass
        if answer == "cannot ask":
            raise CannotAsk("nobody answers")
        return zone(name)

    world.moderator.intake.txt_lookup = slow
    found = deliver(world, signed(dated(world, "status"), "players.example"))
    assert found == ("orders" if answer == "found" else "waiting")
    assert free == [True]
    world.engine.dispose()


def test_who_becomes_a_player_while_their_mail_is_read_has_proved_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = dated(world, world.line("guild", "traitor"))
    with monkeypatch.context() as before:
        before.setattr("bot.moderator.intake.is_of_a_player", lambda *_: False)
        arrival = world.moderator.intake.arrived(raw, "1", world.now, 0)
    monkeypatch.setattr(world.moderator.intake, "arrived", lambda *_: arrival)
    assert deliver(world, raw) == "rejected"
    assert "guild" in world.asked()


# --- a proof that is sent again ---------------------------------------------------------------------------------------


COVERED = [b"from", b"to", b"subject", b"date"]  # as with some large providers, without the Message-ID


@pytest.fixture
def checking(tmp_path: Path) -> Iterator[World]:
    """Start two games on a Mentat that checks DKIM signatures."""
    made = World.at(tmp_path, f"{AUTH}dkim = true\n")
    made.new_game(factions=FEW)
    made.new_game(factions=("guild", "fremen"), game="sietch-13")
    made.moderator.intake.txt_lookup = Zone("players.example")
    yield made
    made.engine.dispose()


def test_a_signed_mail_under_another_message_id_is_the_same_mail(checking: World) -> None:
    first = dated(checking, "status", message_id="<one@players.example>")
    raw = signed(first, "players.example", include_headers=COVERED)
    assert deliver(checking, raw) == "orders"
    assert deliver(checking, raw.replace(b"<one@", b"<two@")) == "duplicate"
    checking.now += timedelta(days=3)
    assert deliver(checking, raw.replace(b"<one@", b"<three@")) == "duplicate"


def test_a_signed_mail_is_not_taken_for_another_game_too(checking: World) -> None:
    raw = signed(dated(checking, "status"), "players.example", include_headers=[b"from", b"date", b"subject"])
    assert deliver(checking, raw) == "orders"
    other = checking.token("guild", "sietch-13")
    assert deliver(checking, raw.replace(checking.token("guild").encode(), other.encode())) == "duplicate"
    added = f"Delivered-To: mentat+{other}@arrakis.example\r\n".encode()
    assert deliver(checking, added + raw) == "duplicate"


@pytest.mark.parametrize("days", [-400, -8, 8])
def test_a_signed_mail_of_another_time_proves_nobody(checking: World, days: int) -> None:
    date = format_datetime(checking.now + timedelta(days=days))
    before = checking.written()
    assert deliver(checking, signed(dated(checking, "status", Date=date), "players.example")) == "rejected"
    assert {letter.recipient for letter in checking.letters(after=before)} == {OWN, GAME_MASTER}
    assert "or a clock is wrong" in " ".join(checking.newest(GAME_MASTER).text.split())
    assert "dated" not in checking.newest(OWN).text


@pytest.mark.parametrize("days", [-7, 7])
def test_a_signed_mail_of_the_week_before_or_behind_is_of_these_days(checking: World, days: int) -> None:
    date = format_datetime(checking.now + timedelta(days=days))
    assert deliver(checking, signed(dated(checking, "status", Date=date), "players.example")) == "orders"


def test_a_signed_mail_without_a_date_or_with_one_put_in_proves_nobody(checking: World) -> None:
    raw = signed(checking.mail("guild", "status"), "players.example")
    assert deliver(checking, raw) == "rejected"
    assert deliver(checking, f"Date: {format_datetime(checking.now)}\r\n".encode() + raw) == "rejected"


def test_a_signature_whose_time_is_over_proves_nobody(checking: World) -> None:
    raw = signed(dated(checking, "status"), "players.example")
    over = raw.replace(b"s=spice;", b"s=spice; t=1000000000; x=1000000001;", 1)
    assert over != raw
    assert deliver(checking, over) == "rejected"


def test_where_no_proof_is_wanted_a_clock_that_is_years_off_harms_nobody(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game(factions=FEW)
    for date in ("Thu, 01 Jan 1970 00:00:00 +0000", "Fri, 01 Jan 2038 00:00:00 +0000", "yesterday"):
        assert deliver(world, dated(world, "status", Date=date)) == "orders"
    world.engine.dispose()


# --- the DNS is away --------------------------------------------------------------------------------------------------


def receive(world: World, raw: bytes, key: str = "INBOX;1;1") -> str:
    return world.moderator.receive(raw, key, world.now).disposition


def test_a_mail_waits_for_the_dns_and_is_taken_once(checking: World) -> None:
    raw = signed(dated(checking, checking.line("guild", "traitor")), "players.example")
    checking.moderator.intake.txt_lookup = Zone(away=True)
    before = checking.written()
    assert receive(checking, raw) == "waiting"
    checking.now += timedelta(hours=2)
    assert receive(checking, raw) == "waiting"
    assert receive(checking, raw, "INBOX;2;1") == "waiting"
    assert checking.written() == before
    assert len(checking.messages()) == 1
    checking.moderator.intake.txt_lookup = Zone("players.example")
    assert receive(checking, raw) == "orders"
    assert "guild" not in checking.asked()
    assert receive(checking, raw) == "duplicate"
    assert [disposition for disposition, _ in checking.messages()] == ["orders"]


def test_after_some_hours_it_is_decided_without_the_dns(checking: World) -> None:
    raw = signed(dated(checking, "status"), "players.example")
    checking.moderator.intake.txt_lookup = Zone(away=True)
    assert receive(checking, raw) == "waiting"
    checking.now += timedelta(hours=6, minutes=1)
    before = checking.written()
    assert receive(checking, raw) == "rejected"
    assert {letter.recipient for letter in checking.letters(after=before)} == {OWN, GAME_MASTER}
    assert "cannot be checked" in " ".join(checking.newest(GAME_MASTER).text.split())


@pytest.mark.parametrize(("waited", "becomes"), [
    (timedelta(hours=6, seconds=-1), "waiting"), (timedelta(hours=6), "rejected"),
])  # fmt: skip
def test_the_hours_for_which_it_waits_are_over_in_the_second_in_which_they_are(
    checking: World, waited: timedelta, becomes: str
) -> None:
    raw = signed(dated(checking, "status"), "players.example")
    checking.moderator.intake.txt_lookup = Zone(away=True)
    assert receive(checking, raw) == "waiting"
    checking.now += waited
    assert receive(checking, raw) == becomes


def test_where_the_settings_let_no_mail_wait_it_is_decided_at_once(tmp_path: Path) -> None:
    world = World.at(tmp_path, f"{AUTH}dkim = true\ndns_hours = 0\n")
    world.new_game(factions=FEW)
    raw = signed(dated(world, world.line("guild", "traitor")), "players.example")
    world.moderator.intake.txt_lookup = Zone(away=True)
    assert receive(world, raw) == "rejected"
    assert "cannot be checked" in " ".join(world.newest(GAME_MASTER).text.split())
    world.engine.dispose()


def test_later_mail_of_the_same_player_waits_behind_it_and_that_of_others_does_not(checking: World) -> None:
    zone, away = Zone("players.example"), Zone(away=True)
    first, second = (signed(dated(checking, "status", line), "players.example") for line in ("map", "history"))
    other = signed(dated(checking, "status", faction="harkonnen"), "players.example")
    checking.moderator.intake.txt_lookup = away
    assert receive(checking, first, "1") == "waiting"
    checking.moderator.intake.txt_lookup = zone
    assert receive(checking, second, "2") == "waiting"
    assert receive(checking, other, "3") == "orders"
    assert [receive(checking, first, "1"), receive(checking, second, "2")] == ["orders", "orders"]


def test_the_deadlines_of_a_game_wait_with_its_mail(checking: World) -> None:
    raw = signed(
        dated(checking, checking.line("guild", "traitor"), Date=format_datetime(checking.now)), "players.example"
    )
    checking.now += timedelta(hours=23, minutes=30)
    checking.moderator.intake.txt_lookup = Zone(away=True)
    assert receive(checking, raw) == "waiting"
    assert checking.wait(1) == 1  # the other game
    checking.moderator.intake.txt_lookup = Zone("players.example")
    assert receive(checking, raw) == "orders"
    assert checking.wait(0) == 1


def test_players_whose_mail_waits_for_the_dns_have_not_fallen_silent(tmp_path: Path) -> None:
    world = World.at(tmp_path, f"{AUTH}dkim = true\n")
    five = tuple(faction for faction in FACTIONS if faction != "bene-gesserit")
    world.new_game(factions=five)
    world.moderator.intake.txt_lookup = Zone("players.example")
    for faction in five:
        assert deliver(world, signed(dated(world, "status", faction=faction), "players.example")) == "orders"
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now))
    world.now += timedelta(minutes=1)
    world.new_game(factions=five, game="tabr")
    world.now += timedelta(hours=23, minutes=30)
    world.moderator.intake.txt_lookup = Zone(away=True)
    line = world.line("guild", "traitor", game="tabr")
    raw = world.mail("guild", line, game="tabr", Date=format_datetime(world.now))
    assert receive(world, signed(raw, "players.example")) == "waiting"
    assert world.wait(1) == 0
    assert world.table("tabr").stopped_why == ""
    world.engine.dispose()


def test_the_dns_is_not_asked_for_strangers(checking: World) -> None:
    away = checking.moderator.intake.txt_lookup = Zone(away=True)
    for sender in ("vladimir@players.example", "vladimir@evil.example"):
        assert (
            receive(checking, signed(dated(checking, "status", sender=sender), sender.partition("@")[2])) == "rejected"
        )
    assert away.asked == []


def test_a_mail_that_does_not_come_again_is_not_left_waiting(checking: World) -> None:
    raw = signed(dated(checking, "status"), "players.example")
    checking.moderator.intake.txt_lookup = Zone(away=True)
    assert deliver(checking, raw) == "waiting"
    assert checking.messages() == []


def test_a_mail_that_waits_stays_in_the_mailbox(checking: World, tmp_path: Path) -> None:
    box = MaildirMailbox(MaildirPlace(tmp_path / "Maildir"))
    list(box.fetch_new())
    (tmp_path / "Maildir" / "new" / "1").write_bytes(signed(dated(checking, "status"), "players.example"))
    checking.moderator.intake.txt_lookup = Zone(away=True)
    assert loop.poll(checking.moderator, box, lambda: checking.now).messages == 0
    checking.moderator.intake.txt_lookup = Zone("players.example")
    assert loop.poll(checking.moderator, box, lambda: checking.now).messages == 1


def test_a_mode_without_anything_that_proves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="name your mail server with authserv_id, or set dkim = true"):
        make_settings(tmp_path, AUTH)
