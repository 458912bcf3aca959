"""Quarantined mail that is read after all: moved back to the inbox, or vouched for by the game master."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from bot.cli import app
from bot.desk import seats
from bot.desk.powers import DeskRequest
from bot.desk.seats import freeze_seat
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
STRANGER = "elsewhere@holiday.example"


def put_aside(world: World) -> tuple[bytes, int]:
    """Quarantine a Guild mail from a stranger's address; return the mail and its number."""
    raw = world.mail("guild", world.line("guild", "traitor"), sender=STRANGER)
    assert world.moderator.receive(raw, "INBOX/1/1", world.now).disposition == "rejected"
    told = world.newest(GAME_MASTER).text
    number = re.search(r"believe ([0-9]+)", " ".join(told.split()))
    assert number is not None
    return raw, int(number[1])


def test_moved_back_it_is_read_like_any_other_and_the_game_master_hears_what_became_of_it(world: World) -> None:
    world.new_game(factions=FEW)
    raw, _ = put_aside(world)
    before = world.written()
    assert world.moderator.receive(raw, "INBOX/1/2", world.now).disposition == "rejected"
    assert next(letter.recipient for letter in world.letters(after=before)) == GAME_MASTER
    world.say("guild", f"address add {STRANGER}")
    confirmed = world.mail("guild", "confirm", sender=STRANGER, to=str(world.newest(STRANGER).message["Reply-To"]))
    assert world.moderator.deliver(confirmed, world.now).disposition == "orders"
    verdict = world.moderator.receive(raw, "INBOX/1/3", world.now)
    assert (verdict.disposition, verdict.taken) == ("orders", 1)
    assert "was read again" in " ".join(world.newest(GAME_MASTER).text.split())


def test_the_word_of_the_game_master_makes_it_the_mail_of_the_seat_that_it_names(world: World, tmp_path: Path) -> None:
    world.new_game(factions=FEW)
    _, number = put_aside(world)
    run = CliRunner().invoke(
        app, ["mail", "replay", str(number), "--believe", "--config", str(tmp_path / "config.toml")]
    )
    assert run.exit_code == 0, run.output
    assert f"1 line of the Guild in {GAME} taken" in " ".join(run.output.split())
    world = world.another_process()
    assert "guild" not in world.asked() or "traitor" not in world.asked()["guild"]
    again = CliRunner().invoke(
        app, ["mail", "replay", str(number), "--believe", "--config", str(tmp_path / "config.toml")]
    )
    assert again.exit_code == 1, "a mail is never taken twice"


def test_the_word_is_not_asked_for_where_it_would_not_help(world: World) -> None:
    """Vouching does not help if the mail names no seat and its sender has none, or if it is empty."""
    world.new_game(factions=FEW)
    strange = world.mail("guild", "status", sender=STRANGER, to="mentat@arrakis.example")
    for raw, place in ((strange, "INBOX/1/1"), (b"", "INBOX/1/2")):
        before = world.written()
        assert world.moderator.receive(raw, place, world.now).disposition == "rejected"
        (told,) = world.letters(after=before)
        assert "put aside" in told.text
        assert "--believe" not in told.text


def test_the_word_does_not_help_a_mail_of_which_nobody_knows_whose_it_is(world: World) -> None:
    world.new_game(factions=FEW)
    strange = world.mail("guild", "status", sender=STRANGER, to="mentat@arrakis.example")
    several = world.mail("guild", "status", sender=f"{STRANGER}, {address_of('guild')}", to="mentat@arrakis.example")
    nobody = world.mail("guild", "status", to="mentat@arrakis.example").replace(b"From: ", b"X-From: ")
    for number, (raw, why) in enumerate((
        (strange, "it names no seat, and its sender does not have exactly one"),
        (several, "it names no seat, and its sender does not have exactly one"),
        (nobody, "it names no seat, and its sender does not have exactly one"),
        (b"", "the message is empty"),
    )):  # fmt: skip
        verdict = world.moderator.receive(raw, f"replay:{number}", world.now, believed=True)
        assert (verdict.disposition, verdict.reason, verdict.taken) == ("rejected", why, 0)
    assert {letter.recipient for letter in world.letters() if not letter.faction} <= {GAME_MASTER}


def test_a_mail_that_is_none_asks_for_no_word(world: World) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", "status").replace(b"Subject: ", b"X: 1\r\n" * 6_000 + b"Subject: ")
    assert world.moderator.receive(raw, "INBOX/1/1", world.now).disposition == "rejected"
    told = " ".join(world.newest(GAME_MASTER).text.split())
    assert "the message has more than 5000 header lines" in told
    assert "--believe" not in told


def test_without_that_word_it_is_refused_again(world: World, tmp_path: Path) -> None:
    world.new_game(factions=FEW)
    _, number = put_aside(world)
    run = CliRunner().invoke(app, ["mail", "replay", str(number), "--config", str(tmp_path / "config.toml")])
    assert run.exit_code == 1
    assert "rejected" in run.output


OTHER_GAME = "sietch-13"


def to_the_old_address(world: World) -> bytes:
    """Return a mail to the first game's old reply address, from a Guild player who is in two games."""
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game=OTHER_GAME)
    return world.mail("guild", "standing: no charity")


def test_after_a_freeze_a_mail_to_the_old_address_is_for_the_seat_that_it_was_for(world: World) -> None:
    old = to_the_old_address(world)
    freeze_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "guild")
    assert world.moderator.receive(old, "INBOX/1/1", world.now).disposition == "rejected"
    verdict = world.moderator.receive(old, "replay:1", world.now, believed=True)
    assert (verdict.game_id, verdict.faction, verdict.taken) == (GAME, "guild", 1)
    assert world.table(OTHER_GAME).sheets == {}


def test_who_has_left_a_seat_speaks_for_no_seat_by_its_old_address(world: World) -> None:
    old = to_the_old_address(world)
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", "dora@players.example")
    before = world.written()
    verdict = world.moderator.receive(old, "replay:1", world.now, believed=True)
    assert (verdict.disposition, verdict.taken) == ("rejected", 0)
    assert world.table().sheets == world.table(OTHER_GAME).sheets == {}
    assert {letter.recipient for letter in world.letters(after=before)} == {GAME_MASTER}


def test_lines_for_other_seats_in_a_believed_mail_are_without_effect(world: World) -> None:
    """The lines name another seat by its token, form or faction name, or in the subject."""
    world.new_game(factions=FEW)
    world.say("atreides", "status")
    form = re.search(r"\[form \w+\].*\[end of form \w*\]", world.newest("atreides").text, re.DOTALL)
    assert form is not None
    token, ticked = world.token("atreides"), form[0].replace("[ ]", "[x]", 1)
    lines = ("standing: charity", "atreides: pass all", ticked, f"[#{token}]", "standing: no charity", "freeze")
    raw = world.mail("guild", *lines, sender=STRANGER, subject=f"Re: orders [#{token}]")
    verdict = world.moderator.receive(raw, "replay:1", world.now, believed=True)
    assert (verdict.faction, verdict.taken) == ("guild", 1)
    table = world.table()
    assert set(table.sheets) == {"guild"}
    assert [line.text for line in table.sheets["guild"].active()] == ["standing: charity"]
    assert (table.seats["atreides"].generation, table.play.answered()) == (0, [])
    assert STRANGER not in {letter.recipient for letter in world.letters()}
