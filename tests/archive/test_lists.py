"""Tests for the lists of all games: complete, small, safe in a spreadsheet, and without people who did not consent."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import html5lib
import msgspec
import pytest

from bot.archive.games import ArchivePolicy, Cast, FactionWorth, FinishedGame, RatedPlayer, RatingList, Step, play_steps
from bot.archive.lists import CARDS, list_files
from bot.archive.site import Offered, build
from bot.archive.summaries import (
    ATOM,
    LONGEST_NAME,
    GameRecord,
    Seat,
    Summary,
    SummaryGathering,
    count_statistics,
    decode_summary,
    encode_summary,
    harmless_cell,
    outcome_of_summary,
    pack_all_games,
    tidy_name,
)
from bot.competition.statistics import by_faction, wilson
from rules.rulesets.ruleset import RULE_SETS
from tests.archive.finished import finished
from tests.archive.many_games import many_games

HOSTILE = "</script><b>\u202egnihtemos\n{{ 7 * 7 }} " + "x" * 10_000


def summary_of(game: FinishedGame, steps: Iterable[Step]) -> Summary:
    summing = SummaryGathering(game)
    for step in steps:
        summing.see(step)
    return summing.summary()


def text_of(page: bytes) -> str:
    return re.sub(r"<[^>]*>", " ", page.decode())


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_summary_says_what_was_told_and_survives_being_kept(ruleset: str) -> None:
    game = finished(ruleset, "plots")
    played = list(play_steps(game, "plots"))
    summary = summary_of(game, played)
    told = [step.event for step in played if step.event]
    won = next(event.facts for event in told if event.kind == "game-won")
    assert summary.winners == tuple(won["winners"])
    assert summary.how == won["how"]
    assert summary.turns == told[-1].turn
    assert summary.battles == sum(event.kind == "battle-begins" for event in told)
    assert summary.record == hashlib.sha256(game.record).hexdigest()
    assert decode_summary(encode_summary(summary)) == summary


def test_a_summary_of_a_game_of_which_only_the_public_side_is_shown_has_nothing_hidden() -> None:
    for ruleset in RULE_SETS:
        game = replace(finished(ruleset, "plots"), policy=ArchivePolicy(ended="public-only"))
        summary = summary_of(game, play_steps(game, "plots"))
        assert not summary.karama
        assert not summary.record


def test_a_name_that_says_only_faction_and_game_is_none_and_others_are_cut() -> None:
    game = finished("wbc-2018", "plots")
    assert not any(seat.name for seat in summary_of(game, ()).seats)
    named = replace(game, cast={"guild": Cast("guild", 1, HOSTILE)})
    (seat,) = summary_of(named, ()).seats
    assert len(seat.name) == LONGEST_NAME
    assert "\u202e" not in seat.name
    assert "\n" not in seat.name


def test_an_index_of_a_thousand_games_is_below_250_kb_and_complete() -> None:
    games = many_games(1000)
    page = list_files(games)["index.html"]
    assert len(page) < 250_000
    assert all(f'"game/{game.id}/index.html"'.encode() in page for game in games)
    long_names = list_files(many_games(1000, ["Ḥusayn ibn ʿAlī al-Ghazālī " * 3, "W" * 99]))["index.html"]
    assert len(long_names) < 250_000


def test_the_latest_games_stand_on_cards_and_all_others_in_the_table() -> None:
    games = [
        msgspec.structs.replace(game, headline=f"<b>The Guild</b> took Carthag and won {game.id}")
        for game in many_games(1000)
    ]
    page = list_files(games)["index.html"].decode()
    html5lib.HTMLParser(strict=True).parse(page)
    assert len(page) < 250_000
    cards, _, rows = page.partition("</ol>")
    assert cards.count("<li data-words=") == CARDS
    assert cards.count('loading="lazy"') == CARDS
    assert rows.count("<tr>") == 1000 - CARDS + 1
    assert all(page.count(f'"game/{game.id}/index.html"') == 1 for game in games)
    (game,) = many_games(1)
    told = msgspec.structs.replace(
        game, headline="The Guild took Dune", turns=1, winners=("guild",), ruleset="wbc-2018"
    )
    card = " ".join(text_of(list_files([told])["index.html"]).split())
    for words in ("The Guild took Dune", "Guild won", "WBC Dune 2018 · 1 turn · "):
        assert words in card


def test_the_latest_game_comes_first() -> None:
    games = many_games(40)
    page = list_files(games)["index.html"].decode()
    found = re.findall(r'"game/([^/]*)/index.html"', page)
    ended = {game.id: game.ended for game in games}
    days = [str(ended[game]) for game in found]
    assert days == sorted(days, reverse=True)
    assert len(found) == 40


@pytest.mark.parametrize("number", [0, 1, 30])
def test_all_pages_are_html_without_error_and_lead_only_to_what_there_is(number: int) -> None:
    files = list_files(many_games(number), there=["running.html"])
    for path, page in files.items():
        if path.endswith(".html"):
            html5lib.HTMLParser(strict=True).parse(page.decode())
            links = set(re.findall(r'href="([^"#]+)"', page.decode()))
            links -= {"style.css", "running.html", "all-games.tar.gz"}
            assert all(link in files or link.startswith("game/") for link in links)


def test_words_of_players_stay_words() -> None:
    (game,) = many_games(1)
    seats = tuple(msgspec.structs.replace(seat, name=tidy_name(HOSTILE), listed=True) for seat in game.seats)
    files = list_files([msgspec.structs.replace(game, seats=seats)])
    for path, page in files.items():
        if path.endswith(".html"):
            assert b"<b>\xe2" not in page
            assert b"</script><b>" not in page
            assert "\u202e" not in page.decode()


def test_a_name_that_is_written_from_right_to_left_stands_for_itself() -> None:
    (game,) = many_games(1, ["الغزالي"])
    assert "<bdi>الغزالي</bdi>" in list_files([game])["index.html"].decode()


def test_players_are_listed_who_agreed_and_without_any_there_is_no_page() -> None:
    assert "players.html" not in list_files(many_games(20, listed=False))
    assert b"players.html" not in list_files(many_games(20, listed=False))["index.html"]
    games = many_games(20)
    agreed = {seat.name for game in games for seat in game.seats if seat.listed}
    page = list_files([*games, *many_games(1, ["Nobody Knows Me"], listed=False)])["players.html"]
    assert page.count(b'<th scope="row">') == len(agreed)
    assert b"Nobody Knows Me" not in page


def test_wins_in_the_table_are_those_of_the_games() -> None:
    games = many_games(50)
    counted = count_statistics(games)
    won, played = Counter[str](), Counter[str]()
    for game in games:
        won.update(game.winners)
        played.update(seat.faction for seat in game.seats)
    assert {one: (share.won, share.played) for one, share in counted.factions.items()} == {
        one: (won[one], played[one]) for one in played
    }
    rows = {one: sum(shares[one].won for shares in counted.by_rule_set.values()) for one in played}
    assert rows == {one: won[one] for one in played}
    assert sum(counted.by_turn.values(), Counter[str]()) == won
    assert sum(counted.by_kind.values(), Counter[str]()) == won
    assert counted.lengths.total() == 50
    assert "From 50 games." in text_of(list_files(games)["factions.html"])


def test_what_karamas_cost_is_counted_by_the_year_in_which_the_game_ended() -> None:
    games = [*many_games(50), msgspec.structs.replace(many_games(1)[0], ended=None, karama=((1, 7),))]
    years = {game.ended.year for game in games if game.ended}
    paid = {
        year: sorted(price for game in games if game.ended and game.ended.year == year for _, price in game.karama)
        for year in sorted(years)
    }
    assert len(years) > 1
    assert count_statistics(games).karama == paid
    assert "Price of a Karama by year" in text_of(list_files(games)["factions.html"])


def test_statistics_stand_with_the_games_that_they_are_of() -> None:
    page = text_of(list_files(many_games(60))["statistics.html"])
    assert "From 60 games." in page
    assert "too few to tell" not in page
    assert text_of(list_files(many_games(7))["statistics.html"]).count("too few to tell") == 1
    assert "There is nothing to count yet." in page, "nobody has allied in threes"
    for words in ("Won / expected", "Best games", "Alliances of two", "Player circle", "kept to the end"):
        assert words.lower() in page.lower()


def test_statistics_count_what_the_games_say() -> None:
    games = many_games(60)
    counted = by_faction([outcome_of_summary(game) for game in games])
    assert sum(one.wins.won for one in counted) == sum(len(game.winners) for game in games)
    assert {one.faction: one.traitors for one in counted} == {
        one.faction: sum(game.traitors.get(one.faction, 0) for game in games) for one in counted
    }


RATED = RatingList(
    [
        RatedPlayer("Duke", 1612, 60, 40, 1),
        RatedPlayer(HOSTILE, 1507, 150, 5, 2),
        RatedPlayer("player 7", 1490, 170, 3),
    ],
    [FactionWorth("wbc-2018", 6, "guild", 123), FactionWorth("wbc-2018", 6, "fremen", -123)],
)


def test_ratings_are_listed_with_games_and_how_sure_they_are() -> None:
    files = list_files(many_games(3), ratings=RATED)
    page = files["ratings.html"]
    html5lib.HTMLParser(strict=True).parse(page.decode())
    assert b"ratings.html" in files["index.html"]
    assert "Duke" in text_of(page)
    assert "player 7" in text_of(page)
    assert "+12.3" in text_of(page)
    assert b"</script><b>" not in page
    assert "\u202e" not in page.decode()


def test_without_a_rating_there_is_no_page_of_them() -> None:
    files = list_files(many_games(3), ratings=RatingList())
    assert "ratings.html" not in files
    assert b"ratings.html" not in files["index.html"]


def test_few_games_are_no_ground_for_a_conclusion() -> None:
    assert "From 7 games: too few to tell" in text_of(list_files(many_games(7))["factions.html"])


@pytest.mark.parametrize(
    ("won", "played", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_the_interval_is_that_of_wilson(won: int, played: int, low: float, high: float) -> None:
    """The last two cases are the worked examples in Newcombe (1998), method 3."""
    assert wilson(won, played) == pytest.approx((low, high), abs=6e-5)


def test_the_table_for_spreadsheets_is_read_back_as_it_was_and_holds_no_formula() -> None:
    games = many_games(30)
    data = list_files(games)["games.csv"].decode()
    assert data.count("\r\n") == data.count("\n") == 31
    head, *rows = csv.reader(io.StringIO(data))
    assert {row[0] for row in rows} == {game.id for game in games}
    assert all(len(row) == len(head) for row in rows)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    assert any(cell == "'=SUM(A1)" for row in rows for cell in row)


@pytest.mark.parametrize("cell", ["=1+1", "+49", "-1", "@sum", "\t=1", " =1", "＝1", "\tsum", "\rsum"])
def test_a_cell_that_a_spreadsheet_might_reckon_with_is_a_word(cell: str) -> None:
    assert harmless_cell(cell) == f"'{cell}"


def test_the_lines_of_games_are_their_summaries() -> None:
    games = many_games(30)
    lines = list_files(games)["games.jsonl"].splitlines()
    assert {json.loads(line)["id"] for line in lines} == {game.id for game in games}
    assert all(decode_summary(line) in games for line in lines)


def test_the_feed_has_what_atom_wants() -> None:
    """RFC 4287, 4.1.1 and 4.1.2 require an id, a title, an update time, an author and alternate links."""
    games = many_games(80)
    feed = ElementTree.fromstring(list_files(games)["feed.xml"])
    assert feed.tag == f"{{{ATOM}}}feed"
    entries = feed.findall(f"{{{ATOM}}}entry")
    assert len(entries) == 50
    for element in (feed, *entries):
        for needed in ("id", "title", "updated"):
            (child,) = element.findall(f"{{{ATOM}}}{needed}")
            assert child.text
        alternate = [link for link in element.findall(f"{{{ATOM}}}link") if link.get("rel") == "alternate"]
        assert len(alternate) == 1
        assert not (alternate[0].get("href") or "").startswith(("/", "http"))
    assert feed.findtext(f"{{{ATOM}}}author/{{{ATOM}}}name")
    ids = [feed.findtext(f"{{{ATOM}}}id"), *(entry.findtext(f"{{{ATOM}}}id") for entry in entries)]
    assert len(set(ids)) == 51
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one or "") for one in ids)
    instants = [entry.findtext(f"{{{ATOM}}}updated") or "" for entry in entries]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", instant) for instant in instants)
    assert feed.findtext(f"{{{ATOM}}}updated") == max(instants)


def test_a_game_keeps_its_id_in_the_feed_whatever_else_is_there() -> None:
    games = many_games(20)

    def id_of(all_of: list[Summary]) -> str | None:
        feed = ElementTree.fromstring(list_files(all_of)["feed.xml"])
        href = f"game/{games[3].id}/index.html"
        entry = next(e for e in feed.iter(f"{{{ATOM}}}entry") if e.find(f"{{{ATOM}}}link[@href='{href}']") is not None)
        return entry.findtext(f"{{{ATOM}}}id")

    assert id_of(games) == id_of(games[3:5])


@pytest.mark.parametrize(
    ("how", "won", "told"),
    [
        ("void", False, "Ended without a winner, after"),
        ("agreed", True, "Won by agreement of the players, after"),
        ("adjudicated", True, "Won by decision of the game master, after"),
        ("strongholds", True, "Won by strongholds held, after"),
    ],
)
def test_the_feed_says_how_a_game_ended(how: str, won: bool, told: str) -> None:
    (game,) = many_games(1)
    ended = msgspec.structs.replace(game, how=how, winners=("guild",) if won else ())
    feed = ElementTree.fromstring(list_files([ended])["feed.xml"])
    assert (feed.findtext(f"{{{ATOM}}}entry/{{{ATOM}}}summary") or "").startswith(told)


def test_signs_that_xml_cannot_hold_are_left_out() -> None:
    (game,) = many_games(1)
    seats = tuple(msgspec.structs.replace(seat, name="a\x00b\x0bc\ufffe") for seat in game.seats)
    ElementTree.fromstring(list_files([msgspec.structs.replace(game, seats=seats)])["feed.xml"])


def test_the_same_games_in_any_order_give_the_same_files() -> None:
    games = many_games(30)
    assert list_files(games) == list_files(games[::-1])


@pytest.fixture
def bare() -> Summary:
    """Return a game with no end date or winner, and a kind of victory without its own text."""
    (game,) = many_games(1)
    seats = (Seat("atreides", dot=1), Seat("fremen", dot=2), Seat("guild", "Duke", dot=3))
    return msgspec.structs.replace(
        game, id="bare", ended=None, winners=(), how="sandstorm", seats=seats, held={"fremen": 2}, karama=(), turns=3,
        held_over_turns={"fremen": 6, "atreides": 3},
    )  # fmt: skip


def test_a_game_of_which_little_is_known_stands_last_and_is_told_as_far_as_it_is(bare: Summary) -> None:
    files = list_files([bare, *many_games(3)])
    row = files["index.html"].decode().split("<tr>")[-1]
    assert re.sub(r"<[^>]*>", "|", row).split("\n")[0] == "|–||bare||–|3|Dune (2019), advanced game|G Duke"
    *_, last = csv.DictReader(io.StringIO(files["games.csv"].decode()))
    assert [last[column] for column in ("game", "began", "ended", "winners", "how")] == [
        "bare",
        "",
        "",
        "",
        "sandstorm",
    ]
    assert [last[column] for column in ("atreides", "guild", "fremen")] == [
        "Atreides of bare", "Duke", "Fremen of bare",
    ]  # fmt: skip
    assert "sandstorm" in text_of(files["factions.html"])
    entry = ElementTree.fromstring(files["feed.xml"]).findall(f"{{{ATOM}}}entry")[-1]
    assert entry.findtext(f"{{{ATOM}}}updated") == "2000-01-01T00:00:00Z"
    assert entry.find(f"{{{ATOM}}}published") is None


def test_without_a_day_the_feed_bears_the_first_that_there_could_be(bare: Summary) -> None:
    feed = ElementTree.fromstring(list_files([bare])["feed.xml"])
    assert feed.findtext(f"{{{ATOM}}}updated") == "2000-01-01T00:00:00Z"
    assert ElementTree.fromstring(list_files([])["feed.xml"]).findtext(f"{{{ATOM}}}updated") == "2000-01-01T00:00:00Z"


def test_without_a_game_the_table_for_spreadsheets_has_the_six_factions() -> None:
    assert list_files([])["games.csv"].decode() == (
        "game,ruleset,began,ended,turns,winners,how,battles,atreides,bene-gesserit,emperor,fremen,guild,harkonnen\r\n"
    )


def test_the_days_of_a_game_are_counted_where_both_ends_are_known(bare: Summary) -> None:
    def days(began: date | None, ended: date | None) -> int:
        return outcome_of_summary(msgspec.structs.replace(bare, began=began, ended=ended)).days

    first, last = date(2026, 11, 1), date(2026, 11, 3)
    assert [days(first, last), days(first, first), days(first, None), days(None, last)] == [3, 1, 0, 0]
    assert outcome_of_summary(bare).kind == "void"


def test_the_best_game_of_a_faction_names_who_played_it_where_they_have_a_name(bare: Summary) -> None:
    won = msgspec.structs.replace(bare, winners=("atreides", "guild"), how="strongholds", held_over_turns={"guild": 6})
    page = text_of(list_files([won])["statistics.html"])
    best = " ".join(page[page.index("Best games") :].split())
    assert "Atreides bare – yes 0.00 1" in best
    assert "Guild bare Duke yes 2.00 1" in best


# --- all records in one file -----------------------------------------------------------------------------------------


def recorded(game: FinishedGame, read: list[str] | None = None) -> GameRecord:
    def load() -> bytes:
        if read is not None:
            read.append(game.id)
        return game.record

    return GameRecord(game.id, hashlib.sha256(game.record).hexdigest(), load)


def games() -> list[FinishedGame]:
    return [finished(ruleset, "plots") for ruleset in ("ah-basic", "wbc-2018", "gf9-advanced")]


def test_the_file_of_all_records_holds_every_record_and_nothing_that_changes() -> None:
    packed = b"".join(pack_all_games(map(recorded, games())))
    assert packed == b"".join(pack_all_games(map(recorded, games()[::-1])))
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
        members = tar.getmembers()
        assert [one.name for one in members] == sorted(f"all-games/{game.id}.jsonl" for game in games())
        assert {(one.mtime, one.uid, one.gid, one.uname, one.gname) for one in members} == {(0, 0, 0, "", "")}
        records = {game.id: game.record for game in games()}
        for one in members:
            held = tar.extractfile(one)
            assert held is not None
            assert held.read() == records[one.name.removeprefix("all-games/").removesuffix(".jsonl")]
    assert gzip.decompress(packed).endswith(bytes(1024))


def test_only_a_game_that_has_changed_is_read_and_packed_again() -> None:
    before = b"".join(pack_all_games(map(recorded, games()[:2])))
    read: list[str] = []
    after = b"".join(pack_all_games([recorded(game, read) for game in games()], io.BytesIO(before)))
    assert read == [games()[2].id]
    assert after == b"".join(pack_all_games(map(recorded, games())))
    changed = replace(games()[0], record=games()[0].record + b"{}\n")
    read.clear()
    now = b"".join(
        pack_all_games([recorded(changed, read), *(recorded(game, read) for game in games()[1:])], io.BytesIO(after))
    )
    assert read == [changed.id]
    assert now == b"".join(pack_all_games(map(recorded, [changed, *games()[1:]])))


@pytest.mark.parametrize(
    "before", [b"", b"no gzip at all", gzip.compress(b"another one", mtime=0), b"\x1f\x8b\x08\x04" + bytes(99)]
)
def test_a_file_that_is_none_of_ours_is_written_anew(before: bytes) -> None:
    whole = b"".join(pack_all_games(map(recorded, games())))
    assert b"".join(pack_all_games(map(recorded, games()), io.BytesIO(before))) == whole
    assert b"".join(pack_all_games(map(recorded, games()), io.BytesIO(whole[:-100]))) == whole


def test_a_file_whose_pieces_are_not_as_they_say_is_read_no_further_than_it_is_ours() -> None:
    """The first piece is damaged in its first byte, its marker or its length."""
    whole = b"".join(pack_all_games(map(recorded, games())))
    for place, wrong in ((0, b"?"), (12, b"?"), (13, b"?"), (16, bytes(4)), (16, b"\x34\0\0\0"), (16, b"\xff" * 4)):
        before = whole[:place] + wrong + whole[place + len(wrong) :]
        read: list[str] = []
        again = b"".join(pack_all_games([recorded(game, read) for game in games()], io.BytesIO(before)))
        assert again == whole
        assert sorted(read) == sorted(game.id for game in games()), (place, wrong)


# --- in the archive folder -------------------------------------------------------------------------------------------


def offered(game: FinishedGame) -> Offered[FinishedGame]:
    return Offered(game.id, hashlib.sha256(game.record).hexdigest(), lambda: game)


def test_a_folder_has_the_lists_of_its_games_and_writes_them_anew_only_for_a_game_more(tmp_path: Path) -> None:
    build(tmp_path, map(offered, games()[:1]))
    assert build(tmp_path, map(offered, games()[:1])).written == 0
    build(tmp_path, map(offered, games()[:2]))
    lines = (tmp_path / "games.jsonl").read_text().splitlines()
    assert {json.loads(line)["id"] for line in lines} == {game.id for game in games()[:2]}
    assert (tmp_path / "all-games.tar.gz").read_bytes() == b"".join(pack_all_games(map(recorded, games()[:2])))
    assert all(f"game/{game.id}/index.html" in (tmp_path / "index.html").read_text() for game in games()[:2])


def test_games_without_a_record_to_publish_leave_no_file_of_records(tmp_path: Path) -> None:
    game = replace(games()[0], policy=ArchivePolicy(ended="public-only"))
    build(tmp_path, [offered(game)])
    assert not (tmp_path / "all-games.tar.gz").exists()
    assert b"all-games" not in (tmp_path / "index.html").read_bytes()
