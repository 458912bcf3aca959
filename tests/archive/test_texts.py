"""Tests for a game's report as forum posts: each forum's format, what stays hidden, and where posts are split."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.archive.games import ArchivePolicy, Cast, FinishedGame, RunningGame, play_steps
from bot.archive.texts import FILES, LONGEST_NAME, NoSuchTurn, Texts, forum_posts
from bot.record.lines import End
from bot.render.blocks import Ask, Block, Button, Fight, Footer, Paragraph, Row, Rows, Side, Story, Table
from bot.render.forum_posts import DIALECTS, MARKDOWN, Format, ReportPart, cut_into_posts, harmless
from rules.rulesets.ruleset import RULE_SETS
from rules.state.events import Event
from tests.archive.finished import finished
from tests.archive.forum_lint import complaints, complaints_about_all

FORMATS: tuple[Format, ...] = get_args(Format)
HOSTILE = (
    "[b", "[/o]", "[/code]", "[o]all[/o]", "</script><script>alert(1)</script>", "@all", "{{ 7 * 7 }}",
    "\u202egnp.exe", "a | b \\| c", "**bold** _x_ `y` ~z~", ":D :) 8) :smile: ;-) =)", "# h", "- x", "1. y",
    "=====", "---", "> q", "https://example.org www.example.org http://a.b", "\u200b\u2060\ufeff", "&lt;b&gt; &amp;",
    "[details=x]", "\x00\x07", "<3", "[url=https://example.org]x[/url]", "$x$ ^2^ #tag", "line\nline\r\nline\u2028line",
    "x" * 10_000, "many words " * 1_000, "[b]" * 3_000, "\\",
)  # fmt: skip


@cache
def gathered(ruleset: str, seed: str) -> Texts:
    return watched(finished(ruleset, seed))


def watched(game: FinishedGame) -> Texts:
    report = Texts(game)
    seed = next(line.seed for line in game.lines if isinstance(line, End))
    for step in play_steps(game, seed):
        report.see(step)
    return report


def under_way(*events: Event, names: str = "Duke") -> RunningGame:
    """Return a running game with these events."""
    game = finished("wbc-2018", "archive")
    view = gathered("wbc-2018", "archive")._turns[1].view
    cast = {faction: Cast(faction, each.dot, names) for faction, each in game.cast.items()}
    return RunningGame("sietch-7", "wbc-2018", {}, cast, ArchivePolicy("public"), view, events, {})


def deal(text: str, number: int = 0) -> Event:
    return Event(number, 1, "bidding", "deal-made", {"parties": ["emperor", "guild"], "text": text, "pays": {}})


# --- every game, every forum -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_the_report_of_a_random_game_is_fit_for_every_forum(ruleset: str) -> None:
    report = gathered(ruleset, "archive")
    for format in FORMATS:
        assert complaints_about_all(report.posts(format), format) == []
        for turn in report._turns:
            assert complaints_about_all(report.posts(format, turn), format) == []


@pytest.mark.parametrize("format", FORMATS)
def test_every_dialect_tells_the_same(format: Format) -> None:
    report = gathered("wbc-2018", "archive")
    words = re.findall(r"[a-z]+ \d+", " ".join(report.posts("bgg")).lower())
    said = re.sub(r"[\\*\[\]|<>=/-]|\n|  +|br|:", " ", " ".join(report.posts(format)).lower())
    bag = set(re.findall(r"[a-z]+", said))
    assert {word.split(" ")[0] for word in words} - bag <= {"size"}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("format", FORMATS)
def test_what_players_write_is_shown_and_not_obeyed(format: Format, text: str) -> None:
    game = under_way(*[deal(f"{text} {number} {text}", number) for number in range(3)], names=text)
    assert complaints_about_all(forum_posts(game, format), format) == []


SIGNS = [*"[]()<>/\\*_`~|#@:;8=-+.$^&{}DoPx 1\n", "\u202e", "\u200b", "\u05d0", "é"]
MARKS = st.text(st.sampled_from(SIGNS), max_size=80)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), MARKS), st.sampled_from(FORMATS))
def test_whatever_players_write_no_forum_trips_over_it(text: str, format: Format) -> None:
    dialect = DIALECTS[format]
    fight = Fight(text, text, (Side(text, "1", "won"), Side(text, "2", "lost")), ((text, text, text),), (text,))
    blocks: list[Block] = [
        Rows((Row(text, (text, text)),)), Story((Row(text, (text, text)),)), fight, Paragraph(text),
        Paragraph(text, "lead"), Table((text, text), ((text, text), ("1", text)), frozenset({1}), (text, "")),
    ]  # fmt: skip
    inside = "\n\n".join(dialect.written([block]) for block in blocks)
    assert complaints(f"{inside}\n\n{dialect.covered(text, inside)}", format) == []


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), MARKS))
def test_a_reader_of_markdown_sees_the_words_that_were_written(text: str) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    written = MARKDOWN.words(text)
    tokens = parser.parse(written)
    shown = "".join(part.content for token in tokens for part in token.children or ())
    assert shown.split() == harmless(text).split()
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    assert {part.type for token in tokens for part in token.children or ()} <= {"text", "text_special"}


def test_each_linter_finds_what_its_forum_trips_over() -> None:
    wrong: dict[Format, tuple[str, ...]] = {
        "bbcode": ("[b]never closed", "[o]unknown[/o]", "a :) b", "[code]\n" + "x" * 73 + "\n[/code]", "[b", "[/b]"),
        "bgg": ("1 <2", "[code]x[/code]", "[c]\n" + "x" * 61 + "\n[/c]", "turn 8) ", "[b][c]x[/b][/c]"),
        "markdown": ("@all", "[x](y)", "<b>", "| a | b |\n|---|---|\n| a |", '[details="x"]', "a :smile: b", "**x"),
        "text": ("x" * 73,),
    }
    for format, posts_of_it in wrong.items():
        for post in posts_of_it:
            assert complaints(post, format), (format, post)
        assert complaints("x" * (DIALECTS[format].limit + 1), format)
        assert complaints("https://a.b http://c.d www.e.f", format)
        assert complaints("a\u202eb", format)


# --- where posts are split -------------------------------------------------------------------------------------------


def test_posts_are_cut_between_turns_where_that_can_be() -> None:
    parts = [ReportPart(turn, f"turn {turn}", "again", ["x" * 300]) for turn in range(1, 6)]
    assert [post.numbers for post in cut_into_posts(parts, 1100)] == [[1, 2], [3, 4], [5]]


def test_a_turn_that_no_post_can_hold_goes_on_in_the_next_where_a_piece_of_it_ends() -> None:
    found = cut_into_posts([ReportPart(1, "opens", "again", [letter * 300 for letter in "abcd"])], 1100)
    assert [post.text for post in found] == [
        "\n\n".join(["opens", "a" * 300, "b" * 300]),
        "\n\n".join(["again", "c" * 300, "d" * 300]),
    ]


def test_no_post_ends_with_a_heading_or_within_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    report = gathered("wbc-2018", "archive")
    for format in FORMATS:
        monkeypatch.setattr(DIALECTS[format], "limit", 3600)
        found = report.posts(format)
        assert len(found) > 4
        assert complaints_about_all(found, format) == []
        headings = re.compile(r"(\[b\]\[u\].*|### .*|-{3,})$")
        assert not [post for post in found if headings.search(post.rstrip().split("\n")[-1])]


def test_the_first_post_says_which_turns_are_in_which_post() -> None:
    first, *others = gathered("wbc-2018", "archive").posts("markdown")
    for number, post in enumerate(others, start=2):
        line = f"{number}/{len(others) + 1}"
        told = re.search(rf"\*\*{line}:\*\* (.*)", first)
        assert told is not None
        assert told[1] in post.split("\n")[0]


def test_the_first_post_says_what_was_played_and_who_sat_where_in_the_order_of_their_dots() -> None:
    report = gathered("wbc-2018", "archive")
    cast, first = finished("wbc-2018", "archive").cast, report.posts("text")[0]
    assert f"{len(cast)} players, {max(report._turns)} turns" in first
    assert "what was hidden comes last, covered" in first
    assert "under way" not in first
    sat = [int(dot) for dot in re.findall(r", sector (\d+)$", first, re.MULTILINE)]
    assert sat == sorted(each.dot for each in cast.values())


def test_a_game_under_way_says_so_and_a_seat_that_the_caretaker_plays_too() -> None:
    game = under_way(deal("two spice"))
    alone = {faction: replace(each, caretaker=faction == "guild") for faction, each in game.cast.items()}
    post = "\n".join(forum_posts(replace(game, cast=alone), "text"))
    assert "The game is under way." in post
    assert post.index("The game is under way.") < post.index("sector")
    assert len(re.findall("at the end played by the caretaker", post)) == 1
    assert "at the end of turn 1" not in post
    assert "at the end of turn 1" in "\n".join(forum_posts(replace(game, ends_of_turns={1: game.view}), "text"))


def test_a_turn_alone_has_no_list_of_posts() -> None:
    (post,) = gathered("wbc-2018", "archive").posts("bgg", 2)
    assert "turn 2" in post.split("\n")[0]
    assert "1/1" not in post
    assert "Turn 1" not in post


def test_a_turn_that_was_never_played_is_refused_with_the_turns_there_are() -> None:
    with pytest.raises(NoSuchTurn, match=r"There is no turn 40 in wbc-2018-archive: it has turn 1 to \d+\."):
        gathered("wbc-2018", "archive").posts("bgg", 40)


# --- hidden information ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "cover"), [("bbcode", "[spoiler]"), ("bgg", "[o]"), ("markdown", "[details=")])
def test_what_was_hidden_is_covered_and_stands_last(format: Format, cover: str) -> None:
    *others, last = gathered("wbc-2018", "archive").posts(format)
    before, covered = last.split(cover)
    assert "In hand" in covered
    assert not any("In hand" in post for post in [*others, before])


def test_a_game_whose_players_did_not_agree_keeps_its_secrets() -> None:
    game = replace(finished("wbc-2018", "archive"), policy=ArchivePolicy(ended="public-only"))
    text = "\n".join(forum_posts(game, "text"))
    assert "In hand" not in text
    assert "hidden" not in text
    assert "SHA-256" not in text  # nobody receives the record that the digest would verify


def test_a_game_of_which_nothing_was_told_yet_has_only_who_plays() -> None:
    (post,) = forum_posts(under_way(), "markdown")
    assert "Duke" in post
    with pytest.raises(NoSuchTurn):
        forum_posts(under_way(), "markdown", 1)


def test_a_name_is_shown_whole_up_to_its_longest_and_a_longer_one_is_cut_to_that() -> None:
    (whole,) = forum_posts(under_way(names="D" * LONGEST_NAME), "text")
    (shortened,) = forum_posts(under_way(names="D" * (LONGEST_NAME + 1)), "text")
    assert re.findall(r"D{3,}…?", whole)[0] == "D" * LONGEST_NAME
    assert re.findall(r"D{3,}…?", shortened)[0] == "D" * (LONGEST_NAME - 1) + "…"


@pytest.mark.parametrize("format", FORMATS)
def test_a_game_under_way_tells_only_what_all_were_told(format: Format) -> None:
    private: Any = {"bene-gesserit": {"faction": "guild", "of_turn": 7}}
    told = [
        Event(0, 1, "setup", "prediction-made", {}, private),
        Event(1, 1, "setup", "spice-card-seen", {"card": "Sihaya Ridge"}, {}, ("atreides",)),
    ]
    text = "\n".join(forum_posts(under_way(*told), format))
    assert "wrote down their prediction" in text
    assert "Sihaya Ridge" not in text
    assert "turn 7" not in text
    assert "hidden" not in text


def test_the_report_proves_nothing_about_a_game_under_way() -> None:
    assert "SHA-256" not in "\n".join(forum_posts(under_way(deal("x")), "text"))


def test_a_block_for_one_reader_is_never_posted() -> None:
    with pytest.raises(TypeError, match="for one reader"):
        DIALECTS["bgg"].units(Ask("Your plan", ()))


@pytest.mark.parametrize("format", DIALECTS)
def test_a_post_has_no_foot_of_a_letter_and_no_empty_list(format: Format) -> None:
    foot = Footer((Button("Write to the game master", "mailto:gm@arrakis.example"),), ("Send help.",))
    assert DIALECTS[format].written([Paragraph("Spice"), Rows(()), foot, Paragraph("flows")]) == "Spice\n\nflows"


# --- files -----------------------------------------------------------------------------------------------------------


def test_the_files_hold_the_posts_with_a_line_where_to_cut() -> None:
    report = gathered("wbc-2018", "archive")
    files = report.files()
    assert sorted(files) == ["forum-bgg.txt", "forum.bbcode.txt", "forum.md", "forum.txt"]
    for format, file in FILES.items():
        cut_apart = re.split(r"^===== \d+/\d+ =====\n\n", files[file].decode(), flags=re.MULTILINE)[1:]
        assert [post.strip() for post in cut_apart] == [post.strip() for post in report.posts(format)]


def test_the_same_game_gives_the_same_bytes() -> None:
    game = finished("wbc-2018", "archive")
    again = Texts(game)
    for step in play_steps(game, "archive"):
        again.see(step)
    assert again.files() == gathered("wbc-2018", "archive").files()
