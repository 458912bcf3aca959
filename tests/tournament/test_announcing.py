"""An event's announcement and page, and its letters to late and unconfirmed entrants."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from urllib.parse import unquote

import pytest

from bot.archive import shelf
from bot.archive.tournament_pages import tournament_files
from bot.tournament import calendar
from rules.components.facts import data_file
from tests.cli.conftest import Mentat
from tests.moderator.table import World
from tests.tournament.entries import Cup, address

EXAMPLES = ("heats", "wbc", "swiss", "league", "ladder", "knockout")


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("form", ["text", "markdown", "bbcode"])
def test_the_announcement_says_all_in_words_and_how_to_enter(
    mentat: Mentat, place: World, tmp_path: Path, example: str, form: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        data_file(f"tournaments/{example}.toml").read_text(encoding="utf-8").replace("2030", "2099"), encoding="utf-8"
    )
    assert mentat("tournament", "new", "cup", str(file)).code == 0
    assert mentat("tournament", "open", "cup", "--until", "2099-03-01").code == 0
    ran = mentat("tournament", "announce", "cup", "--format", form)
    assert (ran.code, ran.err) == (0, "")
    told = " ".join(ran.out.replace("\\", "").split())
    for wanted in (
        "enter cup as NAME",
        "mailto:mentat%2B",
        "points of opponents",
        "Tie-breaks",
        "You will get a letter back",
    ):
        assert wanted in told, wanted
    for variable in ("full_wins", "head_to_head", "strongholds_per_turn", "mentat-12", "wbc-2018", "round-end", "None"):
        assert variable not in told, variable
    if example != "ladder":
        assert "Entries are open until" in told
        assert "2099" in told


def test_the_button_of_the_announcement_enters(mentat: Mentat, place: World, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('title = "The Cup"\n', encoding="utf-8")
    mentat("tournament", "new", "cup", str(file))
    mentat("tournament", "open", "cup", "--until", "2099-03-01")
    link = mentat("tournament", "announce", "cup").out.split()[-1]
    to, _, query = link.removeprefix("mailto:").partition("?")
    body = next(part for part in query.split("&") if part.startswith("body="))
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ann@example.org", unquote(to), "enter cup"
    message["Message-ID"] = "<1.ann@example.org>"
    message.set_content(unquote(body[5:]).replace("NAME", "Ann") + "\n")
    place.moderator.deliver(message.as_bytes(), place.now)
    assert "confirm" in place.newest("ann@example.org").text
    assert mentat("tournament", "cancel", "cup").code == 0
    assert mentat("tournament", "announce", "cup").code == 1
    assert mentat("tournament", "announce", "cup", "--format", "html").code == 2


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_page_of_an_event_says_how_to_enter_its_pace_and_its_dates(
    mentat: Mentat, place: World, tmp_path: Path, example: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(data_file(f"tournaments/{example}.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert mentat("tournament", "new", "cup", str(file)).code == 0
    assert mentat("tournament", "open", "cup", "--until", "2030-02-20").code == 0

    def page() -> str:
        settings, engine = place.settings, place.engine
        (offered,) = shelf.tournaments(engine, place.now, settings)
        return tournament_files(offered.load(), (), offered.entry)["index.html"].decode()

    shown = page()
    for wanted in ("enter cup as NAME", "mailto:mentat%2B", "wins outright", "A round lasts", "Points"):
        assert wanted in shown, wanted
    assert "full_wins" not in shown
    if example != "ladder":
        assert "Entries are open until" in shown
        assert "2030" in shown
    assert mentat("tournament", "cancel", "cup").code == 0
    assert "mailto:" not in page()


def newest(cup: Cup, name: str) -> str:
    return " ".join(cup.newest(name).text.split())


def test_a_late_entrant_is_told_before_they_confirm_that_only_the_list_is_open(entry_cup: Cup) -> None:
    entry_cup.says("ann", "enter cup as Ann")
    assert "substitutes" not in newest(entry_cup, "ann")
    entry_cup.wait(31 * 24)
    entry_cup.says("bob", "enter cup as Bob")
    assert "Entries have closed. If you confirm, you will be on the list of substitutes" in newest(entry_cup, "bob")


def test_who_comes_when_all_places_are_taken_is_told_so_before_they_confirm(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, 'title = "The Cup"\n[people]\nmost = 1\n')
    cup.enters("ann")
    cup.says("bob", "enter cup as Bob")
    assert "All places are taken. If you confirm, you will be on the waiting list" in newest(cup, "bob")


def test_who_has_not_confirmed_is_reminded_once_while_there_is_time(entry_cup: Cup) -> None:
    def tick(hours: float) -> list[str]:
        entry_cup.wait(hours)
        calendar.tick(entry_cup.world.moderator.open_games, entry_cup.world.now)
        return [str(sent.message["Subject"]) for sent in entry_cup.letters("ann")]

    entry_cup.says("ann", "enter cup as Ann")
    assert len(tick(47)) == 1
    assert "is waiting for your yes" in tick(2)[-1]
    assert "This is our only reminder" in newest(entry_cup, "ann")
    assert len(tick(20)) == 2, "once"
    entry_cup.says("ann", f"confirm {entry_cup.code('ann')}")
    assert entry_cup.entrant("ann").state == "confirmed"
    assert address("ann") in {sent.recipient for sent in entry_cup.letters("ann")}
