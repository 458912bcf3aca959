"""Tests for the log: lines for people or for programs, without addresses, tokens, orders or cards, in files that may be
rotated while they are written."""

from __future__ import annotations

import json
import logging
import re
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bot.config import load_settings
from bot.config.sections import LogSettings
from bot.games import notices
from bot.lab import demo
from bot.monitoring import logs
from bot.monitoring.logs import about, without_secrets
from bot.store.database import open_database, reading, writing
from bot.store.tables import MESSAGE, SEAT
from rules.components.cards import CARDS
from tests.moderator.table import GAME as GAME_ID
from tests.moderator.table import GAME_MASTER, World

TOKEN = "ypowzixiqjin3ijg"
log = logging.getLogger("bot.service.loop")


@pytest.fixture(autouse=True)
def _the_log_of_others_stays() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    logs.this_process_is("")
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_line_for_programs_says_when_where_and_about_what(tmp_path: Path) -> None:
    file = tmp_path / "mentat.log"
    logs.begin(LogSettings(format="json", file=file, level="info"))
    logs.this_process_is("worker-2")
    log.info(
        "%s: %s", "INBOX;7;12", "orders", extra=about("message.orders", game="sietch-12", message_key="INBOX;7;12")
    )
    log.warning("a line without more: “Müller”")
    first, second = lines(file)
    assert datetime.fromisoformat(first.pop("time")).tzinfo is not None
    assert first == {
        "level": "info", "event": "message.orders", "message": "INBOX;7;12: orders", "game": "sietch-12",
        "message_key": "INBOX;7;12", "worker": "worker-2",
    }  # fmt: skip
    assert (second["event"], second["message"]) == ("service.loop", "a line without more: “Müller”")


def test_below_the_level_nothing_is_said_and_verbose_says_each_message(tmp_path: Path) -> None:
    quiet, verbose = tmp_path / "quiet.log", tmp_path / "verbose.log"
    logs.begin(LogSettings(format="json", file=quiet))
    log.info("a message")
    logs.begin(LogSettings(format="json", file=verbose), verbose=True)
    log.info("a message")
    assert (len(lines(quiet)), len(lines(verbose))) == (0, 1)


@pytest.mark.parametrize("words", [
    "the letter to ann@players.example is refused", "<ann+dune@players.example>: 550", "from=ann@localhost,",
    f"mentat+{TOKEN}@arrakis.example", "“ann@players.example”", "mailto:ann@players.example?x", "ann@players.example.",
    '"ann lee"@players.example is refused', '"ann\\"@x"@players.example', r'repr \"ann, lee\"@players.example',
    "<o'annie@players.example>", "{ann}@players.example", "ann@[192.0.2.1]: 550", "ann!lee#1@players.example",
])  # fmt: skip
def test_addresses_are_struck_out(words: str) -> None:
    told = without_secrets(words)
    assert "ann" not in told
    assert TOKEN not in told
    assert "(address)" in told


@pytest.mark.parametrize("words", [f"[#{TOKEN}]", f"token={TOKEN}", f"Re: {TOKEN.upper()}: 4"])
def test_tokens_are_struck_out(words: str) -> None:
    assert TOKEN not in without_secrets(words).lower()


@pytest.mark.parametrize("words", ["INBOX;7;12: orders (3 lines read)", "file:" + 64 * "a", "@ 20:00", "4 letters"])
def test_other_words_stay_as_they_are(words: str) -> None:
    assert without_secrets(words) == words


@pytest.mark.parametrize("form", ["text", "json"])
def test_of_an_exception_the_log_has_the_kind_and_the_places_and_not_the_words(form: Any, tmp_path: Path) -> None:
    file = tmp_path / "mentat.log"
    logs.begin(LogSettings(format=form, file=file))
    try:
        try:
            raise KeyError("bid 7")
        except KeyError as error:
            raise ValueError("Crysknife of ann@players.example") from error
    except ValueError:
        log.exception("a mail of %s could not be read", "ann@players.example")
    told = file.read_text()
    assert "ValueError" in told
    assert "KeyError" in told
    assert "test_logs.py" in told
    assert not re.search("Crysknife|players|bid 7", told)


def test_the_log_of_whoever_looks_for_a_fault_has_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "mentat.log"
    logs.begin(LogSettings(format="json", file=file, level="debug"))
    try:
        raise ValueError("Crysknife")
    except ValueError:
        log.exception("of ann@players.example")
    (line,) = lines(file)
    assert line["message"] == "of ann@players.example"
    assert "ValueError: Crysknife" in line["exception"]


@pytest.mark.parametrize(("level", "told"), [("info", "of (address)"), ("debug", "of ann@players.example")])
def test_a_line_for_people_names_a_person_only_to_whoever_looks_for_a_fault(
    level: Any, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "mentat.log"
    logs.begin(LogSettings(format="text", file=file, level=level))
    log.info("of ann@players.example")
    assert file.read_text().endswith(f" INFO {told}\n")


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_line_is_lost_when_the_file_is_moved_away(form: Any, tmp_path: Path) -> None:
    file, moved = tmp_path / "mentat.log", tmp_path / "mentat.log.1"
    logs.begin(LogSettings(format=form, file=file))
    for number in range(300):
        log.warning("line %d", number)
        if number in (99, 199):
            file.rename(moved.with_suffix(f".{number}"))
    files = [moved.with_suffix(".99"), moved.with_suffix(".199"), file]
    told = [int(number) for each in files for number in re.findall(r"line (\d+)", each.read_text())]
    assert told == list(range(300))


def test_a_log_file_is_for_its_owner_alone_also_after_it_was_moved(tmp_path: Path) -> None:
    file = tmp_path / "mentat.log"
    logs.begin(LogSettings(file=file))
    log.warning("first")
    file.rename(tmp_path / "mentat.log.1")
    log.warning("second")
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("mentat.log*")} == {0o600}


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_log_of_a_game_by_mail_has_no_address_token_order_or_card(form: Any, tmp_path: Path) -> None:
    file = tmp_path / "mentat.log"
    logs.begin(LogSettings(format=form, file=file, level="info"))
    played = demo.play_demo(tmp_path, "melange", "ah-basic", lambda progress: None, {"max_turns": 1})
    told = file.read_text(encoding="utf-8")
    assert played.answers > 5
    assert told.count("\n") >= played.answers
    settings = load_settings(tmp_path / "config.toml")
    engine = open_database(settings.database_place)
    with reading(engine) as conn:
        seats = conn.execute(select(SEAT.c.address, SEAT.c.token, SEAT.c.bounce_token)).all()
        written = [raw.decode() for raw in conn.scalars(select(MESSAGE.c.raw))]
    engine.dispose()
    secrets = {words for seat in seats for words in seat} | {settings.secrets.secret.get_secret_value()}
    secrets |= {line for mail in written for line in own_lines(mail)}
    secrets |= set(CARDS)
    secrets |= {settings.mentat.address, settings.mentat.game_master}
    assert {words for words in secrets if words and words.lower() in told.lower()} == set()


def test_of_a_game_that_is_held_the_log_does_not_say_what_would_be_otherwise(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game()
    with writing(world.engine) as conn:
        differs = "Event 41 should be a Crysknife and is a Lasgun."
        problem = notices.report_held_game(world.moderator.writer(conn, world.now), GAME_ID, differs, "rules")
    assert problem == f"{GAME_ID} is stopped: with the rules that are installed now it would have gone differently."
    assert "Crysknife" in world.newest(GAME_MASTER).text
    world.engine.dispose()


def own_lines(mail: str) -> list[str]:
    """Return the lines that a player wrote above the quoted letter."""
    body = mail.replace("\r\n", "\n").partition("\n\n")[2]
    return [line.strip() for line in body.split("\n") if len(line) > 5 and not line.startswith(">")][:10]
