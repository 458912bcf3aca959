"""Tests that `mentat demo --tournament` plays a whole event by mail on this machine alone."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from bot.competition.published import decode_published
from bot.competition.verification import verify

CLONE = Path(__file__).parents[2]


def test_a_tournament_is_played_by_mail_and_its_export_holds(tmp_path: Path) -> None:
    out = tmp_path / "cup"
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "demo", "--tournament", "--turns", "1", "--out", str(out)],
        capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(CLONE)}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = " ".join(ran.stdout.split())
    assert told.startswith("Twelve scripted players and a substitute play a tournament by mail")
    assert re.search(r"day 0 \d+ s The settings are frozen, .* mentat tournament new arrakis-cup cup\.toml day 0", told)
    assert "Verified: draws, results, standings and ratings follow from the export alone." in told
    for led_to in (out / "index.html", out / "archive" / "tournament" / "arrakis-cup" / "index.html"):
        assert str(led_to) in told
    assert told.endswith(f"Check it yourself: mentat tournament verify {out / 'arrakis-cup.json'}")
    data = (out / "arrakis-cup.json").read_bytes()
    assert verify(data).difference == ""
    cup = decode_published(data)
    assert cup.state == "finished"
    assert cup.secret
    assert [one.kind for one in cup.rounds] == ["heat", "heat", "final"]
    assert len(cup.standings) == 13
    tenures = [tenure for result in cup.results for seat in result.outcome.seats for tenure in seat.tenures]
    assert {tenure.why for tenure in tenures} >= {"seated", "no-show", "substitute"}
    for page in ("index.html", "archive/tournament/arrakis-cup/index.html", "letters/mara/index.html", "cup.toml"):
        assert (out / page).is_file(), page
    assert b"players.example" not in data
    told_on_its_first_page(out / "index.html")


def told_on_its_first_page(page: Path) -> None:
    """Check that the page lists each command of the director and its result once, in order."""
    text = re.sub("<[^>]+>", " ", unescape(page.read_text(encoding="utf-8")))
    story = " ".join(text.split())
    typed = re.findall(r"mentat tournament (\w+) arrakis-cup ", story)
    assert typed == ["new", "open", "draw", "start", "round", "round", "freeze", "draw", "start", "round"]
    assert sorted(re.findall(r"Table (\d\.\d) is over: ", story)) == ["1.1", "1.2", "2.1", "2.2", "3.1"]
    assert re.findall(r"Round (\d) is over; its results are final\.", story) == ["1", "2", "3"]
    assert "12 players and a substitute have entered and confirmed, by mail." in story
    assert re.search(r"Lars \(E\d+\) never wrote; Mara \(E\d+\) takes the seat at table \d\.\d\.", story)


def test_an_option_that_its_games_cannot_have_is_refused(tmp_path: Path) -> None:
    wrong = ["--ruleset", "gf9-advanced", "--option", "expansion=ecaz"]
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "demo", "--tournament", "--out", str(tmp_path / "cup"), *wrong],
        capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(CLONE)}, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert "The option expansion cannot be ecaz; it can be none or ixians-tleilaxu" in " ".join(ran.stderr.split())
