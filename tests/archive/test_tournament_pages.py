"""Tests for tournament pages: valid HTML, no dead links, the same bytes each time, and only changed pages rewritten."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser

from bot.archive import site
from bot.archive.games import FinishedGame, Place
from bot.archive.site import Offered
from bot.archive.tournament_pages import tournament_files
from bot.archive.tournaments import (
    FORMATS,
    Format,
    TournamentSummary,
    export_tournament,
    tournament_summary,
    tournaments_page,
)
from bot.competition.published import Published, TournamentState, encode_published, with_sums
from bot.competition.verification import verify
from tests.archive.browser import Watched, browser, ids_of, links_of, needs_chromium, pages_of, text_of, violations
from tests.archive.finished import finished
from tests.competition.published_example import SETTINGS, example, under_way

GAME = "arrakeen-1-1"


def offered(document: Published) -> list[Offered[Published]]:
    return [Offered(document.tournament, "", lambda: document)]


def a_game() -> FinishedGame:
    """Return a finished game as if it had been played at the tournament's first table."""
    place = Place("arrakeen", "The Arrakeen Cup", 1, 1)
    return replace(finished("wbc-2018", "tournament", 3), id=GAME, place=place, ended=date(2026, 5, 5))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive with a finished tournament, one of its games, and a tournament in progress."""
    path = tmp_path_factory.mktemp("archive") / "site"
    game = a_game()
    going = with_sums(msgspec.structs.replace(under_way(), tournament="second"))
    built = site.build(
        path, [Offered(GAME, "1", lambda: game, game.place)], (), None, offered(example()) + offered(going)
    )
    assert built.problems == ()
    return path


def test_every_page_is_proper_html_and_leads_nowhere_that_is_not(archive: Path) -> None:
    pages = pages_of(archive)
    assert len([page for page in pages if "tournament/arrakeen" in page.as_posix()]) == 9
    for page in pages:
        for target, there, place in links_of(page):
            assert there.is_file(), f"{page} leads to {target}"
            assert not place or place.startswith("s=") or place in ids_of(there), f"{page} leads to {target}"


def test_the_tables_for_programs_hold_each_standing_and_each_game() -> None:
    document = example()
    files = {name: data.decode() for name, data in tournament_files(document, (GAME,)).items()}
    standings = list(csv.DictReader(io.StringIO(files["standings.csv"])))
    ranked = [(str(one.rank), one.entrant, one.points) for one in document.standings]
    assert [(row["place"], row["entrant"], row["points"]) for row in standings] == ranked
    results = csv.DictReader(io.StringIO(files["results.csv"]))
    assert {row["game"] for row in results} == {one.outcome.game for one in document.results}


def test_a_tournament_of_the_list_begins_with_the_first_round_that_has_a_day_and_ends_with_its_last_result() -> None:
    first, *others = example().rounds
    rounds = (msgspec.structs.replace(first, opens=None), *others)
    found = tournament_summary(msgspec.structs.replace(example(), rounds=rounds))
    days = [one.day for one in example().results if one.day]
    assert found.began == min(one.opens for one in others if one.opens)
    assert (found.ended, found.entrants) == (max(days), 13)
    assert tournament_summary(msgspec.structs.replace(example(), results=())).ended is None
    running = tournament_summary(under_way())
    assert (running.first, running.ended) == ("", None)
    assert tournament_summary(msgspec.structs.replace(under_way(), rounds=())).began is None


def test_the_list_has_first_what_goes_on_and_of_each_the_latest_first() -> None:
    def one(id: str, state: TournamentState, began: date | None = None, ended: date | None = None) -> TournamentSummary:
        return TournamentSummary(id=id, title=id.upper(), state=state, entrants=1, began=began, ended=ended)

    spring, summer = date(2026, 3, 1), date(2026, 6, 1)
    known = [
        one("a", "finished", spring, spring), one("b", "running"), one("c", "finished", spring, summer),
        one("d", "running", summer), one("e", "cancelled", summer), one("f", "running", spring), one("g", "running"),
    ]  # fmt: skip
    page = tournaments_page(known).decode()
    assert re.findall(r"tournament/(\w)/index", page) == ["d", "f", "b", "g", "c", "e", "a"]


def test_the_index_leads_to_tournaments_and_a_game_to_its_table_and_back(archive: Path) -> None:
    assert "tournaments.html" in [there.name for _, there, _ in links_of(archive / "index.html")]
    listed = text_of(archive / "tournaments.html")
    assert "The Arrakeen Cup under way 12 The Arrakeen Cup won by E003, 20 June 2026 13 " in listed
    table = archive.resolve() / "tournament/arrakeen/round-1.html"
    assert (table, "table-1") in [(to, place) for _, to, place in links_of(archive / "game" / GAME / "index.html")]
    assert (archive.resolve() / "game" / GAME / "index.html") in [to for _, to, _ in links_of(table)]


def test_pages_say_who_came_where_by_what_and_how_it_is_checked(archive: Path) -> None:
    folder = archive / "tournament" / "arrakeen"
    standings = text_of(folder / "standings.html")
    assert "Ahead of the next by lot." in standings
    assert "Ahead of the next by strongholds per turn: 1.73 to 0.45." in standings
    for page in folder.glob("*.html"):
        assert not re.search(r"\blot [0-9a-f]{8}|full_wins|head_to_head|wbc-2018|mentat-12", text_of(page)), page.name
    entrants = text_of(folder / "entrants.html")
    assert "1500 → 1" in entrants
    assert "solo, prediction: 12" in entrants
    told = text_of(folder / "round-2.html")
    assert "Version 1, amended" in told
    assert "Why: The last turn was over." in told
    assert "(substitute)" in told
    assert example().sum in text_of(folder / "index.html")
    assert "Round 3, the final" in text_of(folder / "brackets.html")


def test_the_files_beside_the_pages_are_the_exports(archive: Path) -> None:
    folder = archive / "tournament" / "arrakeen"
    data = (folder / "tournament.json").read_bytes()
    assert data == encode_published(example())
    assert verify(data).difference == ""
    assert hashlib.sha256((folder / "settings.toml").read_bytes()).hexdigest() == example().settings_sha256
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    found = subprocess.run([sys.executable, "check_draw.py"], cwd=folder, capture_output=True, text=True, check=True)
    assert found.stdout.count("True") == 6
    assert "False" not in found.stdout


def test_a_build_with_nothing_new_writes_nothing_and_a_change_writes_that_tournament_alone(tmp_path: Path) -> None:
    site.build(tmp_path / "a", [], (), None, offered(example()))
    again = site.build(tmp_path / "a", [], (), None, offered(example()))
    assert (again.written, again.removed) == (0, 0)
    first = msgspec.structs.replace(example().entrants[0], name="Anne")
    renamed = with_sums(msgspec.structs.replace(example(), entrants=(first, *example().entrants[1:])))
    assert site.build(tmp_path / "a", [], (), None, offered(renamed)).written > 0
    assert "Anne (E001)" in text_of(tmp_path / "a/tournament/arrakeen/entrants.html")
    site.build(tmp_path / "b", [], (), None, offered(renamed))
    both = [
        {p.relative_to(tmp_path / at): p.read_bytes() for p in (tmp_path / at).rglob("*") if p.is_file()} for at in "ab"
    ]
    assert both[0] == both[1]
    gone = site.build(tmp_path / "a", [])
    assert gone.removed > 0
    assert not (tmp_path / "a" / "tournament").exists()


@pytest.mark.parametrize("format", FORMATS)
def test_names_do_no_harm_in_any_export(format: str) -> None:
    evil = ("=cmd()", "+1", "-1", "@x", "[b]x[/b]", "a|b", "<script>", "`x`", "\N{HEBREW LETTER ALEF}", "x" * 60)
    entrants = [
        msgspec.structs.replace(one, name=name)
        for one, name in zip(example().entrants, evil * 2, strict=False)
    ]  # fmt: skip
    document = with_sums(msgspec.structs.replace(example(), entrants=tuple(entrants)))
    text = export_tournament(document, format).decode()  # type: ignore[arg-type]
    if format in ("csv", "results-csv"):
        for row in csv.reader(io.StringIO(text)):
            assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    if format == "markdown":
        assert "<script>" not in text
    if format == "bbcode":
        assert "[b]x[/b]" not in text


def test_the_first_page_shows_the_final_beside_each_place_and_names_only_rounds_that_there_are(archive: Path) -> None:
    words = text_of(archive / "tournament/arrakeen/index.html")
    assert "2 heats, then a final" in words
    assert "semifinal" not in words.lower()
    assert "final 1st" in words
    assert "final 6th" in words
    assert "points are those of the rounds before" in words
    assert "final 1st" in text_of(archive / "tournament/arrakeen/standings.html")
    assert "Final: how far each entrant went" in text_of(archive / "tournament/arrakeen/brackets.html")
    assert "Stage" not in text_of(archive / "tournament/second/index.html")


@pytest.mark.parametrize("format", ["markdown", "bbcode"])
def test_a_post_shows_the_final_beside_each_place(format: Format) -> None:
    post = export_tournament(example(), format).decode()
    assert "Stage" in post
    assert "final 1st" in post
    assert "Stage" not in export_tournament(under_way(), format).decode()


def test_a_semifinal_is_announced_until_it_is_certain_that_there_is_none() -> None:
    def first(document: Published) -> str:
        return tournament_files(document)["index.html"].decode()

    wanted = SETTINGS.replace("semifinal = 0", "semifinal = 36")
    before = msgspec.structs.replace(under_way(), settings=wanted, rounds=(), results=(), standings=())
    assert "then a semifinal and a final" in first(before)
    assert "2 heats, then a final" in first(msgspec.structs.replace(under_way(), settings=wanted))


def test_who_left_and_who_came_instead_are_told_with_a_space_between_words() -> None:
    post = export_tournament(example(), "markdown").decode()
    assert "E013), turns 3 to 7 (substitute)" in post
    assert not re.search(r"\w\(", post.replace("[", "("))


def read(document: Published, name: str) -> str:
    """Return the text of a tournament page."""
    page = re.sub(r"<[^>]*>", " ", tournament_files(document)[name].decode())
    return " ".join(page.replace("&nbsp;", " ").split())


def test_changed_tie_breaks_are_told_above_everything_else() -> None:
    changed = msgspec.structs.replace(example(), tie_breaks_changed="wins before points")
    told = "After the first draw, tie-breaks or scoring were changed: wins before points"
    assert f"Finished. {told} Format" in read(changed, "index.html")
    assert f"Finished.\n\n**{told}**\n" in export_tournament(changed, "markdown").decode()
    assert "were changed" not in read(example(), "index.html") + export_tournament(example(), "markdown").decode()


def test_a_tournament_that_nobody_has_entered_yet_says_so() -> None:
    empty = msgspec.structs.replace(under_way(), entrants=(), acts=(), standings=(), rounds=(), results=())
    assert "Nobody has confirmed an entry yet." in read(empty, "entrants.html")
    assert "No act is public yet." in read(empty, "acts.html")
    assert "Nobody has confirmed" not in read(under_way(), "entrants.html")
    assert "No act is public yet." not in read(example(), "acts.html")


def test_a_round_that_is_not_drawn_yet_says_so_and_tells_of_no_draw() -> None:
    planned = msgspec.structs.replace(under_way().rounds[0], state="planned", tables=(), draw=None)
    told = read(msgspec.structs.replace(under_way(), rounds=(planned,), results=()), "round-1.html")
    assert "0 tables, planned. 5 March 2026 to 20 May 2026 This round has not been drawn yet." in told
    assert "The draw" not in told
    assert "not been drawn" not in read(under_way(), "round-1.html")


def test_a_draw_tells_who_sat_out_and_who_was_kept_apart() -> None:
    first = example().rounds[0]
    assert first.draw is not None
    drawn = msgspec.structs.replace(
        first.draw, sat_out=("E001", "E003"), apart=(("E002", "E004"), ("E005", "E006")), apart_digest="ab12"
    )
    rounds = (msgspec.structs.replace(first, draw=drawn), *example().rounds[1:])
    told = read(msgspec.structs.replace(example(), rounds=rounds), "round-1.html")
    assert "Sat out Ann (E001), E003 Kept apart E002+E004, E005+E006" in told
    assert "SHA-256 of the pairs kept apart, salted ab12 The seating depends on pairs or waking hours" in told
    plain = read(example(), "round-1.html")
    assert not [words for words in ("Sat out", "Kept apart", "salted", "sealed") if words in plain]


def with_first_result(**changed: object) -> Published:
    """Return the example tournament with a different outcome at its first table."""
    first, *others = example().results
    outcome = msgspec.structs.replace(first.outcome, **changed)
    return msgspec.structs.replace(example(), results=(msgspec.structs.replace(first, outcome=outcome), *others))


def test_a_void_table_has_no_winner() -> None:
    void = with_first_result(kind="void", winners=(), how="")
    assert "Table 1 over Void: nobody won. Who sits at table 1" in read(void, "round-1.html")


def test_a_seat_that_mentat_plays_and_one_of_somebody_unknown_lead_to_no_entrant() -> None:
    seats = example().results[0].outcome.seats
    changed = [
        msgspec.structs.replace(seat, tenures=(msgspec.structs.replace(seat.tenures[0], entrant=handle),))
        for seat, handle in zip(seats, ("", "E999"), strict=False)
    ]
    document = with_first_result(seats=(*changed, *seats[2:]))
    told = read(document, "round-1.html")
    assert "F Fremen nobody (Mentat) won" in told
    assert "E Emperor E999 won" in told
    page = tournament_files(document)["round-1.html"]
    assert b"#E999" not in page
    assert b'entrants.html#"' not in page
    assert b"#E004" in page


def test_a_final_that_is_still_played_shows_who_sits_there_and_no_winner() -> None:
    *heats, final = example().rounds
    playing = msgspec.structs.replace(final.tables[0], state="playing")
    document = msgspec.structs.replace(
        example(), state="running", rounds=(*heats, msgspec.structs.replace(final, tables=(playing,), state="playing")),
        results=tuple(result for result in example().results if result.outcome.round != 3),
    )  # fmt: skip
    told = read(document, "brackets.html")
    assert "Table 1: still playing Entrant Faction Won Came as =1+1 (E009) G Guild – 6 E003 A Atreides – 1" in told


def test_pages_with_a_name_of_markup_show_it_as_words(archive: Path) -> None:
    page = (archive / "tournament/arrakeen/entrants.html").read_text()
    assert "<b>Fay" not in page
    assert "&lt;b&gt;Fay" in page


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with browser() as one:
        yield one


@needs_chromium
class TestInBrowser:
    @pytest.mark.parametrize("name", ["index", "entrants", "standings", "round-2", "brackets", "statistics", "acts"])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_axe_finds_nothing_and_a_telephone_scrolls_nothing_sideways(
        self, opened: Browser, archive: Path, name: str, scheme: str
    ) -> None:
        with Watched(
            opened, archive / f"tournament/arrakeen/{name}.html", color_scheme=scheme,
            viewport={"width": 360, "height": 740},
        ) as watched:  # fmt: skip
            assert watched.said == []
            assert watched.outside(archive) == []
            assert watched.too_wide() == 0
            assert violations(watched) == []

    def test_the_standings_of_a_small_tournament_fit_on_two_sheets_of_paper(
        self, opened: Browser, archive: Path
    ) -> None:
        with Watched(opened, archive / "tournament/arrakeen/standings.html") as watched:
            assert watched.sheets() <= 2


def test_two_thousand_entrants_make_pages_that_can_be_written() -> None:
    many = tuple(msgspec.structs.replace(example().entrants[0], handle=f"E{number:05d}") for number in range(100, 2100))
    files = tournament_files(msgspec.structs.replace(example(), entrants=(*example().entrants, *many)))
    assert len(files["entrants.html"]) < 2_000_000
