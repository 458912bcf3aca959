"""Tests that an archive folder is complete, reproducible, rewritten only where it changed, and harmless to other
files."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Literal, get_args

import msgspec
import pytest

from bot.archive import site
from bot.archive.games import ArchivePolicy, FinishedGame, Place, RunningGame, ShownPress
from bot.archive.site import AsItIs, FolderRefused, NotNow, Offered, build
from bot.competition.published import Published
from bot.render.blocks import Block, Cell
from tests.archive.finished import finished
from tests.archive.running import running
from tests.competition.published_example import example

DAY = date(2026, 11, 20)


def game(name: str = "sietch-7", ruleset: str = "ah-basic", policy: ArchivePolicy | None = None) -> FinishedGame:
    return replace(finished(ruleset), id=name, ended=DAY, policy=policy or ArchivePolicy())


def offered(made: FinishedGame, key: str = "1") -> Offered[FinishedGame]:
    return Offered(made.id, key, lambda: made)


def refused(reason: Exception) -> Callable[[], FinishedGame]:
    def load() -> FinishedGame:
        raise reason

    return load


def tree(path: Path) -> dict[str, tuple[bytes, float]]:
    """Map each file's path to its contents and modification time."""
    files = (file for file in sorted(path.rglob("*")) if file.is_file())
    return {file.relative_to(path).as_posix(): (file.read_bytes(), file.stat().st_mtime) for file in files}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "site"
    assert build(path, [offered(game())]).problems == ()
    return path


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """Return a copy of the archive, with its timestamps, for a test to damage."""
    subprocess.run(["cp", "-a", built, tmp_path / "copy"], check=True)
    return tmp_path / "copy"


def test_a_game_has_all_its_pages_and_the_hash_of_each(built: Path) -> None:
    folder_of_game = built / "game/sietch-7"
    names = {path.name for path in folder_of_game.iterdir()}
    assert {"index.html", "turn-01.html", "battles.html", "auction.html", "secrets.html", "game.jsonl"} <= names
    assert {"as-atreides.html", "as-bene-gesserit.html"} <= names
    lines = (folder_of_game / "SHA256SUMS").read_text().splitlines()
    sums = {name: known for known, name in (line.split("  ") for line in lines)}
    assert sums.keys() == names - {"SHA256SUMS"}
    assert all(hashlib.sha256((folder_of_game / name).read_bytes()).hexdigest() == sums[name] for name in sums)


def test_the_page_of_battles_and_the_pages_of_turns_show_every_battle(built: Path) -> None:
    pages = {path.name: path.read_text() for path in (built / "game/sietch-7").glob("*.html")}
    counted = re.search(r"(\d+) battles?, with both plans", pages["battles.html"])
    assert counted
    assert int(counted[1]) > 0
    assert pages["battles.html"].count('<table class="fight">') == int(counted[1])
    turns = [page for name, page in pages.items() if name.startswith("turn-")]
    assert sum(page.count('<table class="fight">') for page in turns) == int(counted[1])


def test_templates_know_a_block_by_the_name_of_its_class() -> None:
    known = {kind.__name__ for kind in (*get_args(Block), *get_args(Cell), *get_args(Block))}
    templates = (Path(__file__).parents[2] / "templates").rglob("*.j2")
    asked = {kind for template in templates for kind in re.findall(r'kind\("(\w+)"\)', template.read_text())}
    assert asked
    assert asked <= known


def test_a_game_of_which_only_the_public_side_may_be_shown_has_no_secrets_and_no_record(tmp_path: Path) -> None:
    build(tmp_path / "site", [offered(game(policy=ArchivePolicy(ended="public-only")))])
    names = {path.name for path in (tmp_path / "site/game/sietch-7").iterdir()}
    assert {"index.html", "turn-01.html", "turn-02.html", "battles.html", "auction.html", "SHA256SUMS"} <= names
    assert not names & {"secrets.html", "game.jsonl", "game.dune"}
    assert not [name for name in names if name.startswith("as-")]
    assert not (tmp_path / "site/all-games.tar.gz").exists()
    index = (tmp_path / "site/game/sietch-7/index.html").read_text()
    assert "only what was public" in index


@pytest.mark.parametrize("ended", ["full", "public-only"])
def test_what_players_wrote_has_a_page_by_turns_where_it_may_be_shown(
    tmp_path: Path, ended: Literal["full", "public-only"]
) -> None:
    press = (
        ShownPress(1, "atreides", (), "The spice must flow."),
        ShownPress(1, None, ("atreides",), "<b>Beware</b>\nof the storm"),
        ShownPress(2, "atreides", (), "Too late."),
    )
    build(tmp_path / "site", [offered(replace(game(policy=ArchivePolicy(ended=ended)), press=press))])
    page = (tmp_path / "site/game/sietch-7/press.html").read_text()
    assert page.count('id="turn-1"') == page.count('id="turn-2"') == 1
    assert page.index("The spice must flow.") < page.index("&lt;b&gt;Beware&lt;/b&gt;") < page.index("Too late.")
    assert "press.html" in (tmp_path / "site/game/sietch-7/index.html").read_text()
    build(tmp_path / "without", [offered(game())])
    assert not (tmp_path / "without/game/sietch-7/press.html").exists()


def test_nothing_changed_costs_nothing_and_loads_no_record(copied: Path) -> None:
    before = tree(copied)
    again = build(copied, [Offered("sietch-7", "1", refused(AssertionError("it was loaded")))])
    assert (again.games, again.written, again.removed, again.problems) == ((), 0, 0, ())
    assert tree(copied) == before


def test_a_game_is_written_anew_where_its_key_its_maker_or_a_file_of_it_has_changed(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(copied)
    assert build(copied, [offered(game(), "2")]).games == ("sietch-7",)
    (copied / "game/sietch-7/turn-01.html").unlink()
    assert build(copied, [offered(game(), "2")]).games == ("sietch-7",)
    monkeypatch.setattr(site, "version", lambda: "a newer Mentat")
    assert build(copied, [offered(game(), "2")]).games == ("sietch-7",)
    assert {name: file for name, file in tree(copied).items() if name != "build.json"} == {
        name: file for name, file in before.items() if name != "build.json"
    }


BUILD = """
import sys
from pathlib import Path
from bot.archive.site import build
from tests.archive.test_site import game, offered
build(Path(sys.argv[1]), [offered(game("b", "ah-basic")), offered(game("a", "gf9-basic"))])
"""


def test_two_builds_are_the_same_whatever_the_folder_the_zone_and_the_hashes_of_python(tmp_path: Path) -> None:
    found = []
    for number, (zone, seed) in enumerate((("UTC", "1"), ("Pacific/Auckland", "2"))):
        path = tmp_path / f"some-{number}" / "folder" / ("x" * number)
        environment = os.environ | {"TZ": zone, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", BUILD, path], env=environment, check=True, timeout=120)
        found.append(tree(path))
    assert found[0] == found[1]


def test_a_game_that_is_shown_no_more_goes_and_nothing_else_does(copied: Path) -> None:
    (copied / "game/sietch-7/mine.txt").write_text("mine")
    (copied / "notes").mkdir()
    again = build(copied, [offered(game("other"))])
    assert again.games == ("other",)
    assert [path.name for path in (copied / "game/sietch-7").iterdir()] == ["mine.txt"]
    assert (copied / "notes").is_dir()
    assert b"sietch-7" not in (copied / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (NotNow("it is held."), "it is held. Its pages are unchanged."),
        (ValueError("no such order"), "its record cannot be replayed (no such order)."),
        (KeyError("turn"), "its record cannot be replayed ('turn')."),
        (ValueError(), "its record cannot be replayed (ValueError)."),
    ],
)
def test_a_game_that_cannot_be_shown_now_keeps_its_pages_and_the_others_are_built(
    copied: Path, reason: Exception, told: str
) -> None:
    before = tree(copied / "game/sietch-7")
    again = build(copied, [Offered("sietch-7", "2", refused(reason)), offered(game("other"))])
    assert again.games == ("other",)
    assert again.problems == (f"sietch-7 was not updated: {told}",)
    assert tree(copied / "game/sietch-7") == before


def test_a_game_that_is_to_stay_as_it_is_keeps_its_pages_without_a_word(copied: Path) -> None:
    before = tree(copied)
    again = build(copied, [Offered("sietch-7", "2", refused(AsItIs()))])
    assert (again.games, again.written, again.removed, again.problems) == ((), 0, 0, ())
    assert tree(copied) == before


def test_a_disk_that_fails_while_a_game_is_loaded_is_no_fault_of_the_game(copied: Path) -> None:
    with pytest.raises(FolderRefused, match="Input/output error"):
        build(copied, [Offered("sietch-7", "2", refused(OSError(5, "Input/output error")))])


# --- running games ---------------------------------------------------------------------------------------------------


def going_on(made: RunningGame, key: str = "1") -> Offered[RunningGame]:
    return Offered(made.id, key, lambda: made)


def test_a_running_game_of_which_the_same_is_shown_is_not_written_again(tmp_path: Path) -> None:
    shown = running(game())
    assert build(tmp_path / "site", [], [going_on(shown)]).games == ("sietch-7",)
    before = tree(tmp_path / "site")
    again = build(tmp_path / "site", [], [going_on(shown, "2")])
    assert (again.games, again.written, again.problems) == ((), 0, ())
    assert tree(tmp_path / "site") == before
    assert build(tmp_path / "site", [], [going_on(running(game(), turn=3), "3")]).games == ("sietch-7",)


@pytest.mark.parametrize("broken", ["its log", "its view"])
def test_a_running_game_that_cannot_be_shown_now_keeps_its_pages_and_is_named(tmp_path: Path, broken: str) -> None:
    shown = running(game())
    build(tmp_path / "site", [], [going_on(shown)])
    before = tree(tmp_path / "site/game")

    def load() -> RunningGame:
        if broken == "its log":
            raise ValueError("no such order")
        return replace(shown, view={})

    again = build(tmp_path / "site", [], [Offered(shown.id, "2", load)])
    assert [problem.startswith("sietch-7 was not updated: ") for problem in again.problems] == [True]
    assert tree(tmp_path / "site/game") == before


def test_a_hidden_running_game_is_no_problem_and_its_pages_go(tmp_path: Path) -> None:
    shown = running(game())
    build(tmp_path / "site", [], [going_on(shown)])
    again = build(tmp_path / "site", [], [going_on(replace(shown, policy=ArchivePolicy(running="hidden")), "2")])
    assert (again.games, again.problems) == ((), ())
    assert not (tmp_path / "site/game").exists()


def test_a_game_at_a_table_leads_to_no_tournament_that_the_archive_does_not_show(tmp_path: Path) -> None:
    at = Place("cup", "The Cup", 1, 1)
    build(tmp_path / "site", [offered(replace(game("over"), place=at))], [going_on(replace(running(game()), place=at))])
    for path in (tmp_path / "site").rglob("*.html"):
        assert b"The Cup" not in path.read_bytes(), path


def test_a_folder_that_is_not_ours_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("my own")
    before = tree(tmp_path)
    with pytest.raises(FolderRefused, match="not a Mentat archive; nothing was changed"):
        build(tmp_path, [offered(game())])
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    "mark",
    [
        "{",
        '{"mark": "a site of mine"}',
        '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{"../x":1}}}}',
        '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{"/etc/passwd":1}}}}',
        '{"mark":"an archive of games, written by Mentat","format":2}',
        '{"mark":"an archive of games, written by Mentat","parts":{"game/x":{"files":{".":1}}}}',
    ],
)
def test_a_mark_that_is_not_as_it_was_written_is_refused(tmp_path: Path, mark: str) -> None:
    (tmp_path / "build.json").write_text(mark)
    before = tree(tmp_path)
    with pytest.raises(FolderRefused, match="nothing was changed"):
        build(tmp_path, [offered(game())])
    assert tree(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_and_a_folder_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FolderRefused, match="is a file"):
        build(tmp_path / "file", [])
    with pytest.raises(FolderRefused, match="cannot be written"):
        build(tmp_path / "file" / "below", [])


def test_a_build_that_breaks_off_leaves_pages_that_can_be_read_and_the_next_one_mends_them(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(copied)
    written: list[str] = []
    original = site.Folder._write

    def breaking(self: site.Folder, name: str, content: bytes, day: date) -> None:
        if len(written) == 5:
            raise OSError(28, "No space left on device")
        written.append(name)
        original(self, name, content, day)

    monkeypatch.setattr(site.Folder, "_write", breaking)
    other = game("sietch-7", "gf9-basic")
    with pytest.raises(FolderRefused, match="No space left on device"):
        build(copied, [offered(other, "2")])
    broken = tree(copied)
    assert broken.keys() >= before.keys()
    assert not [name for name in broken if name.endswith(".new")]
    monkeypatch.undo()
    build(copied, [offered(game())])
    after = tree(copied)
    assert {name: after[name] for name in after if name != "build.json"} == {
        name: before[name] for name in before if name != "build.json"
    }


def test_two_builds_at_once_do_not_mix(copied: Path) -> None:
    with site.open_folder(copied), pytest.raises(FolderRefused, match="another process"):
        build(copied, [])


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "", "x\n"])
def test_a_name_that_is_no_name_of_a_folder_is_left_out(tmp_path: Path, name: str) -> None:
    made = build(tmp_path / "site", [offered(game(name)), offered(game("good"))])
    assert made.games == ("good",)
    assert len(made.problems) == 1


@pytest.mark.parametrize("name", ["../x", ".hidden"])
def test_a_running_game_or_a_tournament_of_such_a_name_is_left_out(tmp_path: Path, name: str) -> None:
    document = msgspec.structs.replace(example(), tournament=name)
    tournament = Offered(name, "", lambda: document)
    made = build(tmp_path / "site", [], [going_on(replace(running(game()), id=name))], None, [tournament])
    assert made.games == ()
    assert len(made.problems) == 2
    assert list((tmp_path / "site").glob("game/*")) + list((tmp_path / "site").glob("tournament/*")) == []
    assert not (tmp_path / "x").exists()


def test_a_tournament_that_cannot_be_shown_now_keeps_its_pages_and_is_named(tmp_path: Path) -> None:
    def not_now() -> Published:
        raise NotNow("It is being written.")

    build(tmp_path / "site", [], (), None, [Offered("arrakeen", "", example)])
    before = tree(tmp_path / "site/tournament")
    again = build(tmp_path / "site", [], (), None, [Offered("arrakeen", "2", not_now)])
    assert again.problems == ("arrakeen was not updated: It is being written. Its pages are unchanged.",)
    assert tree(tmp_path / "site/tournament") == before


def test_a_running_game_whose_pages_cannot_be_made_keeps_them_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(told: object) -> site.Files:
        raise KeyError("no such page")

    shown = running(game())
    build(tmp_path / "site", [], [going_on(shown)])
    before = tree(tmp_path / "site/game")
    monkeypatch.setattr(site, "_of_running", breaks)
    again = build(tmp_path / "site", [], [going_on(running(game(), turn=3), "2")])
    assert [problem.startswith("sietch-7 was not updated: ") for problem in again.problems] == [True]
    assert tree(tmp_path / "site/game") == before


@pytest.mark.parametrize("denied", [os.W_OK, os.X_OK])
def test_a_folder_that_may_not_be_written_or_entered_is_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, denied: int
) -> None:
    place = tmp_path / "deep" / "site"
    assert site.folder_complaint(place) == ""
    asked = os.access
    monkeypatch.setattr(  # root may write anywhere, whatever the folder's mode
        os, "access", lambda path, mode: not mode & denied if Path(path) == tmp_path else asked(path, mode)
    )
    assert site.folder_complaint(place) == (
        f"The archive cannot be written to {place}: {tmp_path} is not writable for this user."
    )
    assert not place.parent.exists()


def test_two_games_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    made = build(tmp_path / "site", [offered(game("a")), offered(game("a", "gf9-basic"))])
    assert made.games == ("a",)
    assert "two games have this name" in made.problems[0]


def test_a_record_without_an_end_is_said_to_have_none(tmp_path: Path) -> None:
    cut = replace(game(), lines=game().lines[:-1])
    assert "has no end" in build(tmp_path / "site", [offered(cut)]).problems[0]


def test_a_game_that_is_another_than_was_offered_is_left_out(tmp_path: Path) -> None:
    made = build(tmp_path / "site", [Offered("other", "1", game)])
    assert made.problems == ("other was not updated: the game that was loaded is sietch-7. Its pages are unchanged.",)


def test_a_damaged_record_is_said_to_be_with_the_line(tmp_path: Path) -> None:
    whole = game()
    rows = whole.record.splitlines(keepends=True)
    damaged = replace(whole, record=b"".join((*rows[:8], rows[8].replace(b"}", b" }", 1), *rows[9:])))
    [problem] = build(tmp_path / "site", [offered(damaged)]).problems
    assert problem.startswith("sietch-7 was not updated: its record is damaged. Line 10: the chain is broken.")


def sizes(path: Path, names: Sequence[str]) -> dict[str, int]:
    return {file.name: file.stat().st_size for name in names for file in path.rglob(name)}


def test_a_turn_weighs_less_than_sixty_thousand_bytes(tmp_path: Path) -> None:
    build(tmp_path / "site", [offered(game("long", "vaca-2.0"))])
    assert max(sizes(tmp_path / "site", ["turn-*.html"]).values()) < 60_000


def test_a_shared_link_shows_the_headline_the_story_and_the_board_at_the_address_of_the_archive(tmp_path: Path) -> None:
    there = "https://dune.example/a/"
    for address, picture in (("", "board.png"), (there, f"{there}game/sietch-7/board.png")):
        site.build(tmp_path / "site", [offered(game())], address=address)
        page = (tmp_path / "site/game/sietch-7/index.html").read_text(encoding="utf-8")
        assert f'<meta property="og:image" content="{picture}">' in page
        assert f'<meta name="twitter:image" content="{picture}">' in page
        heading = page.partition("<h1>")[2].partition("</h1>")[0]
        assert f'<meta property="og:title" content="{heading}">' in page
        assert page.count('name="description"') == 1
    assert (tmp_path / "site/game/sietch-7/board.png").read_bytes().startswith(b"\x89PNG")
