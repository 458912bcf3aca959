"""A mail that was put aside is read after all: moved back into the inbox, or because the game master vouches for it."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from bot.cli import app
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
STRANGER = "elsewhere@holiday.example"


def put_aside(world: World) -> tuple[bytes, int]:
    """A mail of the Guild from an address that is not theirs, and the number under which it is kept."""
    raw = world.mail("guild", world.line("guild", "traitor"), sender=STRANGER)
    assert world.moderator.receive(raw, "INBOX/1/1", world.now).disposition == "rejected"
    told = world.newest(GAME_MASTER).text
    number = re.search(r"mentat mail replay ([0-9]+) --believe", " ".join(told.split()))
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
    assert f"1 line of Guild in {GAME} taken" in " ".join(run.output.split())
    world = world.another_process()
    assert "guild" not in world.asked() or "traitor" not in world.asked()["guild"]
    again = CliRunner().invoke(
        app, ["mail", "replay", str(number), "--believe", "--config", str(tmp_path / "config.toml")]
    )
    assert again.exit_code == 1, "a mail is never taken twice"


def test_the_word_is_not_asked_for_where_it_would_not_help(world: World) -> None:
    """A mail that names no seat, of somebody who has none, or that is no mail: it is clear for nobody."""
    world.new_game(factions=FEW)
    strange = world.mail("guild", "status", sender=STRANGER, to="mentat@arrakis.example")
    for raw, place in ((strange, "INBOX/1/1"), (b"", "INBOX/1/2")):
        before = world.written()
        assert world.moderator.receive(raw, place, world.now).disposition == "rejected"
        (told,) = world.letters(after=before)
        assert "put aside" in told.text
        assert "--believe" not in told.text


def test_without_that_word_it_is_refused_again(world: World, tmp_path: Path) -> None:
    world.new_game(factions=FEW)
    _, number = put_aside(world)
    run = CliRunner().invoke(app, ["mail", "replay", str(number), "--config", str(tmp_path / "config.toml")])
    assert run.exit_code == 1
    assert "rejected" in run.output
