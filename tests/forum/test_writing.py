"""Posts in a game's thread: their content, each channel's limits, and resistance to injected text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from bot.channels import Dialect, Limits
from bot.forum import post_texts
from bot.forum.post_texts import BY_POST, Acting, Besides, Head, PostedLine, Remark, Words
from bot.forum.posts import WHY
from bot.language.orders import Context, Unread, read_line
from bot.render.blocks import Block, Board, Fight, Footer, Heading, Paragraph, Row, Rows, Side, Table, Title
from bot.render.material import Duty, News, Position, Revelation
from bot.store.forum_threads import RemarkKind
from bot.wording import say
from rules.components import FACTIONS, Forces, faction_name
from rules.state.state import State
from tests.archive.forum_lint import complaints, complaints_about_all
from tests.archive.test_texts import HOSTILE
from tests.reports.positions import DUE, position_of, stops

DIALECTS = tuple(Dialect)
EVERY_DIALECT = pytest.mark.parametrize("dialect", DIALECTS)
KINDS = get_args(RemarkKind)
HEADS = (Head(4, "bidding", "1a2b3c4d5e6f7a8b" * 4),)
NASTY = (
    *(text[:600] for text in HOSTILE), "!bid 9", "x\n!bid 9\n", "\uff01bid 9", "[/quote]\n!bid 9", "> q\n\n!pass",
    "bob (Fremen) “bid 12” · #45 eve", '"', "y" * 71 + " !bid 9 " + "z" * 60 + " !bid 8", "w" * 72 + "!bid 7",
)  # fmt: skip


def limits(dialect: Dialect, characters: int = 30_000, least: int = 1) -> Limits:
    return Limits(dialect, characters, 0.0, characters_at_least=least)


@cache
def seen() -> tuple[Position, ...]:
    """Return public positions of a random game: the first stop of each phase of two turns, and stops in the middle of
    bidding and battle, each with all earlier news."""
    found: list[Position] = []
    known: tuple[Any, ...] = ()
    told = 0
    for number, play in enumerate(stops("wbc-2018", "spice")):
        state = play.state
        if state.turn > 2:
            break
        if (state.turn, state.phase) != known or number % 7 == 0:
            position = position_of(play, "public")
            found.append(replace(position, news=position.news[told:], background=position.news[:told]))
            known, told = (state.turn, state.phase), len(position.news)
    return tuple(found)


@cache
def at(phase: str, kind: str = "") -> Position:
    """Return the first position in this phase that waits for this kind of answer."""
    return next(
        position
        for position in seen()
        if position.view["phase"] == phase and (not kind or kind in {waiting.kind for waiting in position.waiting})
    )


def whole_turn() -> Position:
    """Return the position at the start of turn 2, with all news of turn 1."""
    position = next(position for position in seen() if position.view["turn"] == 2)
    everything = (*position.background, *position.news)
    return replace(position, news=tuple(event for event in everything if event.turn == 1), background=())


@cache
def over() -> Position:
    """Return the position at the end of a game, with hidden information revealed."""
    *_, play = stops("wbc-2018", "spice")
    position = position_of(play, "public")
    revealed = Revelation(
        hands={faction: player.hand for faction, player in play.state.players.items()},
        traitors={faction: player.traitors for faction, player in play.state.players.items()}, captives={},
        prediction=None,
    )  # fmt: skip
    last = tuple(event for event in position.news if event.turn == play.state.turn)
    return replace(position, news=last, background=position.news, revealed=revealed)


def named(position: Position, text: str) -> Position:
    """Return the position with every player's name and a deal's words replaced by this text."""
    facts = {"parties": ["emperor", "guild"], "text": text, "pays": {}}
    deal = News(position.view["turn"], "bidding", "deal-made", facts, {})
    return replace(position, players=dict.fromkeys(FACTIONS, text), news=(*position.news, deal))


def every_post(text: str, room: Limits, *, plain: bool = False, by_post: bool = True) -> Iterator[Words]:
    """Yield one of each kind of post, with this text wherever other people's words can appear."""
    remarks = [Remark(kind, text, text, "fremen", text, text) for kind in KINDS]
    taken = [
        PostedLine(text, text, "fremen", text), PostedLine("#42", "edric", "guild", "bid 2"),
        PostedLine(text, text, "fremen", text, "waits"), PostedLine(text, text, "fremen", text, "not", "late"),
    ]  # fmt: skip
    acting, besides = Acting(by_post, plain), Besides(taken, remarks, HEADS)
    yield post_texts.opening_posts(named(at("setup"), text), room, acting)
    yield post_texts.news_posts(named(at("bidding", "bid"), text), room, acting, besides)
    yield post_texts.news_posts(named(at("movement"), text), room, acting, besides)
    yield post_texts.end_of_turn(named(whole_turn(), text), room, acting, besides)
    yield post_texts.end_of_game(named(over(), text), room, acting, besides)
    yield post_texts.status_post(named(at("battle"), text), room, turns={1: text, 2: "https://a.example/2"})


def news(position: Position, dialect: Dialect = Dialect.MARKDOWN, acting: Acting | None = None, **facts: Any) -> str:
    """Return the text of the only post about the news."""
    posts = post_texts.news_posts(position, limits(dialect), acting or Acting(), Besides(**facts)).posts
    assert len(posts) == 1
    return posts[0]


# --- what each channel takes -----------------------------------------------------------------------------------------


@EVERY_DIALECT
def test_every_post_is_fit_for_its_forum(dialect: Dialect) -> None:
    for words in every_post("Leave me Carthag.", limits(dialect)):
        assert complaints_about_all(list(words.posts), dialect.value) == []
    for position in seen():
        assert complaints(news(position, dialect), dialect.value) == []


@EVERY_DIALECT
@pytest.mark.parametrize("characters", [500, 1000, 3000])
def test_no_post_is_longer_than_the_channel_takes(dialect: Dialect, characters: int) -> None:
    for text in ("Leave me Carthag. " * 60, "[*" * 500, "@" * 900):
        for words in every_post(text, limits(dialect, characters)):
            assert max(map(len, words.posts)) <= characters
            assert complaints_about_all(list(words.posts), dialect.value) == []
            assert len(words.posts) <= 3 + 3 * sum(map(len, words.posts)) // characters


@EVERY_DIALECT
def test_no_post_is_shorter_than_the_channel_takes(dialect: Dialect) -> None:
    quiet = replace(at("storm"), news=(), background=(), waiting=())
    assert len(news(quiet, dialect)) < 200
    (post,) = post_texts.news_posts(quiet, limits(dialect, least=200)).posts
    assert len(post) >= 200
    assert complaints(post, dialect.value) == []


@EVERY_DIALECT
@pytest.mark.parametrize("text", NASTY)
def test_whatever_people_write_and_are_called_stays_words(dialect: Dialect, text: str) -> None:
    for words in every_post(text, limits(dialect)):
        assert complaints_about_all(list(words.posts), dialect.value) == []
        assert [line for post in words.posts for line in post.split("\n") if re.match(r"\s*[!\uff01]", line)] == []


def test_a_name_cannot_forge_an_act_that_was_taken() -> None:
    post = news(
        at("storm"), posted=[PostedLine("#41", "bob (Fremen) “bid 12” · #45 eve", "guild", "pass” · #46 x “bid 9")]
    )
    taken = next(line for line in post.split("\n") if line.startswith("Counts"))
    assert taken.count("“") == taken.count("”") == 1
    assert "·" not in taken


# --- what a post says ------------------------------------------------------------------------------------------------


def test_a_post_begins_with_the_game_and_where_it_stands() -> None:
    position = at("bidding", "bid")
    assert news(position).split("\n")[0] == "**sietch-12 · turn 1 · bidding, card 1 of 6**"
    assert news(at("setup")).split("\n")[0] == "**sietch-12 · set-up**"
    first, *_, last = posts = post_texts.news_posts(position, limits(Dialect.MARKDOWN, 400)).posts
    assert first.startswith(f"**sietch-12 · turn 1 · bidding, card 1 of 6 · post 1/{len(posts)}**\n")
    assert last.startswith(f"**sietch-12 · turn 1 · bidding, card 1 of 6 · post {len(posts)}/{len(posts)}**\n")


def test_the_title_says_which_game_it_is_and_where_it_stands() -> None:
    assert post_texts.news_posts(at("bidding"), limits(Dialect.BGG)).title == "sietch-12 (wbc-2018): turn 1, bidding"
    assert post_texts.news_posts(at("setup"), limits(Dialect.BGG)).title == "sietch-12 (wbc-2018): set-up"
    assert post_texts.end_of_game(over(), limits(Dialect.BGG)).title == "sietch-12 (wbc-2018): Atreides won in turn 6"


def test_a_post_says_who_is_up_and_until_when() -> None:
    position = replace(
        at("storm"), waiting=(Duty("fremen", "shipment", DUE), Duty("guild", "shipment", DUE),
                              Duty(None, "karama-window", DUE)),
    )  # fmt: skip
    post = news(position)
    assert "**Now up: Fremen and Guild (a shipment); open until Tue 24 Nov 21:00 Berlin time (20:00 UTC).**" in post
    assert "Open to everybody until Tue 24 Nov 21:00 Berlin time (20:00 UTC): reactions with a Karama." in post
    later = DUE + timedelta(hours=1)
    apart = replace(position, waiting=(Duty("fremen", "shipment", DUE), Duty("guild", "bid", later)))
    assert (
        "Now up: Fremen (a shipment, until Tue 24 Nov 21:00 Berlin time (20:00 UTC)); "
        "Guild (a bid, until Tue 24 Nov 22:00 Berlin time (21:00 UTC))." in news(apart)
    )
    stopped = replace(position, stopped=True, waiting=(Duty("fremen", "shipment", None),))
    assert "Now up: Fremen (a shipment)." in news(stopped)
    assert say("wanted.stopped") in news(stopped)


def test_a_post_about_bids_says_which_bid_is_the_highest() -> None:
    def told(*events: tuple[str, dict[str, Any]]) -> Position:
        news = tuple(News(1, "bidding", kind, {"number": 2, **facts}, {}) for kind, facts in events)
        return replace(at("bidding", "bid"), background=news[:1], news=news[1:])

    up = ("card-up", {"of": 4})
    assert "; no bid yet; open" in news(told(up))
    bid = ("bid", {"faction": "fremen", "amount": 3})
    assert "bidding, card 2 of 4**" in news(told(up, bid))
    assert "; highest bid Fremen 3; open" in news(told(up, bid, ("passed", {"faction": "guild"})))
    assert "; highest bid Fremen, by Karama; open" in news(told(up, ("bid", {"faction": "fremen", "amount": None})))
    only_passed = replace(told(up), background=(), news=told(up, ("passed", {"faction": "guild"})).news)
    assert "bidding, card 2**" in news(only_passed)
    assert "(a bid); open" in news(only_passed)


@pytest.mark.parametrize(
    ("kind", "line"),
    [("bid", "!bid 3"), ("shipment", "!no shipment"), ("movement", "!no move"), ("nexus", "!ally guild")],
)
def test_a_post_says_how_to_act_where_that_can_be_done_here(kind: str, line: str) -> None:
    position = replace(at("storm"), waiting=(Duty("fremen", kind, DUE),))
    assert f"“{line}”" in news(position)
    assert f"“{line[1:]}”" in news(position, acting=Acting(plain=True))
    assert "Secrets only by mail." in news(position)
    by_mail = news(position, acting=Acting(by_post=False))
    assert "“" not in by_mail
    assert say("forum-now.by-mail") in by_mail


def test_a_post_says_nothing_of_it_where_nothing_can_be_done_here() -> None:
    for waiting in ((), (Duty("fremen", "battle-plan", DUE),), (Duty(None, "karama-window", DUE),)):
        assert "mail" not in news(replace(at("storm"), waiting=waiting))


@pytest.mark.parametrize("mark", ["", "!"])
def test_every_example_of_an_act_is_read_as_one(mark: str) -> None:
    keys = (f"forum-{table}" for kind in BY_POST for table in (f"way.{kind}", f"act.{kind}-lines"))
    said = [say(key, mark=mark) for key in keys]
    examples = [line for sentence in said for line in re.findall("“([^”]*)”", sentence)]
    assert len(examples) >= 2 * len(BY_POST)
    for line in examples:
        assert line.startswith(mark)
        assert not isinstance(read_line(line.removeprefix("!"), Context("harkonnen")), Unread), line


def test_who_is_up_is_named_with_their_account() -> None:
    position = at("bidding", "bid")
    (up,) = {waiting.faction for waiting in position.waiting if waiting.faction}
    assert up is not None
    for account, shown in (("paul_m", "(paul_m)"), ("Paul M", "(Paul M)"), ("@all", "((at)all)")):
        acting = Acting(accounts={up: account})
        (post,) = post_texts.news_posts(position, limits(Dialect.BGG), acting).posts
        assert f"Now up: {faction_name(up)} {shown} (a bid)" in post


def test_the_board_stands_in_the_opening_and_before_the_moves() -> None:
    board = say("forum-post.board")
    assert board in "".join(post_texts.opening_posts(at("setup"), limits(Dialect.TEXT)).posts)
    for phase, shown in (("revival", True), ("bidding", False)):
        besides = Besides(heads=(Head(1, phase, "1a2b" * 16),))
        posts = post_texts.news_posts(at("movement"), limits(Dialect.TEXT), Acting(), besides).posts
        assert (board in "".join(posts)) == shown


def test_lines_of_posts_are_told_by_what_became_of_them() -> None:
    taken = [
        PostedLine("#41", "chani_77", "fremen", "bid 1"), PostedLine("", "edric", "guild", "pass"),
        PostedLine("", "", "guild", "pass"), PostedLine("#43", "chani_77", "fremen", "move 1", "waits"),
        PostedLine("#44", "edric", "guild", "bid 2", "not", "twice"),
        PostedLine("#45", "", "guild", "", "not", "secret"),
        PostedLine("#44", "edric", "guild", "pass", "not", "twice"),
        PostedLine("#45", "", "guild", "", "not", "secret"),
    ]  # fmt: skip
    post = news(at("storm"), Dialect.BGG, posted=taken)
    for told in (
        "Counts: #41 chani_77 (Fremen) “bid 1” · edric (Guild) “pass” · Guild “pass”",
        "Waits until it is asked for: #43 chani_77 (Fremen) “move 1”",
        "Does not count: #44 edric (Guild) “bid 2”, “pass”: two answers to one question · #45 Guild: counts by mail"
        " only",
    ):
        assert told in post.split("\n")


def test_of_many_lines_those_of_an_account_are_told_together() -> None:
    taken = [
        PostedLine(f"#{n}", "edric" if n % 2 else "baron", "guild" if n % 2 else "harkonnen", "pass") for n in range(60)
    ]
    post = news(at("storm"), Dialect.BGG, posted=[*taken[:40], PostedLine("#40", "baron", "harkonnen", "bid 3")])
    [told] = [line for line in post.split("\n") if line.startswith("Counts:")]
    assert told.startswith("Counts: baron (Harkonnen) #0 “pass”, #2 “pass”, ")
    assert told.endswith("#37 “pass”, #39 “pass”")
    assert "#38 “pass”, #40 “bid 3” · edric (Guild) #1 “pass”" in told
    assert all(f"#{number} " in told for number in range(41))
    twice = news(at("storm"), Dialect.BGG, posted=[*taken, PostedLine("#60", "chani_77", "fremen", "pass")])
    assert "and 1 more" in twice


@pytest.mark.parametrize("why", WHY)
def test_each_reason_why_a_line_does_not_count_has_its_words_in_the_thread_and_in_the_mail(why: str) -> None:
    assert say(f"forum-why.{why}")
    if why not in ("illegal", "unread"):
        assert say(f"forum.notice.{why}", post="#41", line="x", canonical="x", rivals=["y"])


def test_every_remark_names_the_post_the_account_and_what_is_in_force() -> None:
    for kind in KINDS:
        post = news(at("storm"), Dialect.BGG, remarks=[Remark(kind, "#41", "chani_77", "fremen", "bid 3", "away")])
        bare = news(at("storm"), Dialect.BGG, remarks=[Remark(kind)])
        assert "“”" not in bare
        assert "()" not in bare
        if kind != "rolled-back":
            assert "chani_77 (Fremen)" in post
        if kind in ("changed", "deleted"):
            assert "#41 by" in post
            assert "“bid 3”" in post


def test_the_heads_of_the_record_stand_in_the_post() -> None:
    heads = [Head(5, "bidding", "1a2b3c4d5e6f7a8b9999"), Head(5, "mentat", "b" * 64), Head(0, "setup", "c" * 64)]
    post = news(at("storm"), Dialect.BGG, heads=heads)
    assert "record after the bidding of turn 5: 1a2b3c4d5e6f7a8b; after turn 5: bbbb" in post
    assert post.endswith(f"{'b' * 16}; after the set-up: {'c' * 16}")


@EVERY_DIALECT
def test_the_picture_stands_whole_behind_the_story(dialect: Dialect) -> None:
    picture = "![board|690x500](upload://abcdef.png)"
    for words in (
        post_texts.news_posts(at("battle"), limits(dialect, 600), besides=Besides(picture=picture)),
        post_texts.end_of_turn(whole_turn(), limits(dialect, 600), besides=Besides(picture=picture)),
        post_texts.end_of_game(over(), limits(dialect, 600), besides=Besides(picture=picture)),
    ):
        assert sum(f"The board: {picture}" in post for post in words.posts) == 1
    assert picture not in "".join(
        post_texts.news_posts(at("battle"), limits(dialect, 300), besides=Besides(picture=picture * 20)).posts
    )


# --- battles ---------------------------------------------------------------------------------------------------------


def test_a_battle_that_is_over_is_told_with_both_plans_though_its_beginning_was_posted_before() -> None:
    battles = [position for position in seen() if position.view["phase"] in ("battle", "collection", "mentat")]
    fought = [position for position in battles if "|---|---|---|" in news(position)]
    begun_before = [
        position for position in fought
        if any(event.kind == "battle-won" for event in position.news)
        and not any(event.kind == "battle-begins" for event in position.news)
    ]  # fmt: skip
    assert fought
    assert begun_before
    assert all("won |" in news(position) for position in begun_before)


def test_a_battle_under_way_is_told_in_sentences() -> None:
    under_way = next(
        position for position in seen()
        if any(event.kind == "battle-begins" for event in position.news)
        and not any(event.kind.startswith("battle-w") for event in position.news)
    )  # fmt: skip
    assert "nobody won" not in news(under_way)
    assert "Battle in" in news(under_way)


# --- the other posts -------------------------------------------------------------------------------------------------


def test_the_opening_says_who_plays_how_to_link_and_what_counts() -> None:
    position = replace(at("setup"), players=dict.fromkeys(FACTIONS, "Ann"))
    (post,) = post_texts.opening_posts(position, limits(Dialect.BGG), Acting(True, False)).posts
    for told in ("WBC Dune 2018", "[b]Fremen:[/b] Ann", "forum name YOUR_NAME", "“!I am CODE”", "Never edit",
                 "Secrets only by mail", "talk", position.commitment):  # fmt: skip
        assert told in post
    assert "Ann" not in post_texts.opening_posts(at("setup"), limits(Dialect.BGG), Acting(True, False)).posts[0]


def test_the_opening_of_a_list_asks_for_no_mark() -> None:
    (post,) = post_texts.opening_posts(at("setup"), limits(Dialect.TEXT), Acting(True, True)).posts
    assert "“bid 3”" in post
    assert "the address that you send from" in " ".join(post.split())
    assert "!" not in post


def test_the_opening_of_a_game_by_mail_alone_asks_nobody_to_post() -> None:
    position = replace(at("setup"), press=("Players do not write to each other in this game.", "To the desk you can."))
    (post,) = post_texts.opening_posts(position, limits(Dialect.TEXT), Acting(False, False)).posts
    assert "forum name" not in post
    assert "!" not in post
    assert "Players do not write to each other in this game." in " ".join(post.split())
    assert "welcome" not in post


def test_the_end_of_a_turn_is_the_public_summary_and_then_the_news_of_the_next() -> None:
    position = whole_turn()
    later = News(2, "storm", "storm-marker", {"sectors": 2}, {})
    (post,) = post_texts.end_of_turn(replace(position, news=(*position.news, later)), limits(Dialect.MARKDOWN)).posts
    opened, _, since = post.partition("### Since then")
    assert opened.startswith("**sietch-12 · turn 1 is over · now turn 2 · storm**\n\n## ")
    assert "**Strongholds:**" in opened
    assert "### The board as it is now: turn 2, storm" in opened
    assert "storm marker" in since.lower()


def test_the_end_says_who_won_and_what_was_hidden_where_that_is_shown() -> None:
    position = over()
    told = "\n".join(post_texts.end_of_game(position, limits(Dialect.MARKDOWN)).posts)
    assert "Atreides won in turn 6" in told
    assert "In hand: " in told
    assert f"one secret seed: {position.seed}." in told
    kept = "\n".join(post_texts.end_of_game(replace(position, revealed=None), limits(Dialect.MARKDOWN)).posts)
    assert "In hand: " not in kept
    assert "seed" not in kept


@EVERY_DIALECT
def test_the_index_is_one_post_and_leaves_the_oldest_turns_out_where_it_must(dialect: Dialect) -> None:
    turns = {turn: f"https://forum.example/t/sietch-12/{turn:03}" for turn in range(1, 16)}
    (whole,) = post_texts.status_post(at("battle"), limits(dialect), turns=turns).posts
    assert all(link in whole for link in turns.values())
    assert "where we are: turn 2 · battle" in whole
    (short,) = post_texts.status_post(at("battle"), limits(dialect, 900), turns=turns).posts
    assert turns[15] in short
    assert turns[1] not in short


def test_the_opening_says_what_of_talk_counts_where_players_may_write_to_each_other() -> None:
    def opening(by_post: bool, press: tuple[str, ...] = ()) -> str:
        position = replace(at("setup"), press=press)
        (post,) = post_texts.opening_posts(position, limits(Dialect.MARKDOWN), Acting(by_post)).posts
        return post

    welcome, rules = say("forum-opening.talk"), say("forum-opening.talk-press")
    by_post = opening(True)
    assert (welcome in by_post, rules in by_post) == (True, False)
    by_mail = opening(False)
    assert (welcome in by_mail, rules in by_mail, "forum name" in by_mail) == (False, False, False)
    assert say("forum-opening.by-mail") in by_mail
    pressed = opening(True, ("Press is signed.",))
    assert (welcome in pressed, rules in pressed, "Press is signed." in pressed) == (False, True, True)


def test_the_opening_where_a_person_posts_asks_nobody_to_link_an_account() -> None:
    (post,) = post_texts.opening_posts(
        at("setup"), limits(Dialect.MARKDOWN), Acting(True, False, by_hand=True)
    ).posts  # fmt: skip
    assert say("forum-opening.by-hand") in post
    assert "YOUR\\_NAME" not in post
    assert "YOUR_NAME" not in post


def test_the_opening_of_a_game_that_promised_no_seed_speaks_of_none() -> None:
    position = at("setup")
    for commitment in (position.commitment, ""):
        opened = replace(position, commitment=commitment)
        (post,) = post_texts.opening_posts(opened, limits(Dialect.BGG), Acting(True, False)).posts
        assert ("seed" in post) is bool(commitment)


def test_the_end_of_a_turn_says_who_is_cared_for_and_which_bribes_wait() -> None:
    position = whole_turn()
    escrow = [{"from": "fremen", "to": "guild", "spice": 3}]
    more = replace(position, cared_for=("fremen", "guild"), view={**position.view, "escrow": escrow})
    (told,) = post_texts.end_of_turn(more, limits(Dialect.MARKDOWN)).posts
    assert "Played by the caretaker: Fremen and Guild." in told
    assert "Spice in front of shields until the Mentat Pause: 3 for Guild from Fremen." in told
    (without,) = post_texts.end_of_turn(position, limits(Dialect.MARKDOWN)).posts
    assert "caretaker" not in without
    assert "Mentat Pause:" not in without


def test_the_index_names_the_alliances_and_the_winner_only_where_there_are_any() -> None:
    position = at("battle")
    allied = replace(position, view={**position.view, "alliances": [["fremen", "guild"]]})
    (told,) = post_texts.status_post(allied, limits(Dialect.MARKDOWN), turns={}).posts
    assert "- **Alliances:** Fremen and Guild" in told
    apart = replace(position, view={**position.view, "alliances": []})
    (alone,) = post_texts.status_post(apart, limits(Dialect.MARKDOWN), turns={}).posts
    assert "Alliances:" not in alone
    assert say("forum-where.turns") not in alone


def test_an_index_that_no_post_can_hold_says_who_is_up() -> None:
    (post,) = post_texts.status_post(
        at("battle"), limits(Dialect.MARKDOWN, 150), turns={1: "https://a.example/1"}
    ).posts
    assert "where we are: turn 2 · battle" in post
    assert "**Now up: Atreides (prescience);" in post
    assert len(post) <= 150


def test_a_link_cannot_break_out() -> None:
    turns = {1: "https://a.example/[x](y)~*`<b>_\"'\n!bid 9", 2: "javascript:alert(1) [b]", 3: "message of 24 Nov"}
    for dialect in DIALECTS:
        (post,) = post_texts.status_post(at("battle"), limits(dialect), turns=turns).posts
        assert complaints(post, dialect.value) == [] or dialect is Dialect.TEXT
        assert "message of 24 Nov" in post
        assert "\n!bid" not in post


# --- what is too long for one post -----------------------------------------------------------------------------------


def many(word: str, count: int = 30) -> str:
    return " ".join(f"{word}{number}" for number in range(count))


@EVERY_DIALECT
@pytest.mark.parametrize(
    ("block", "told"),
    [
        (Title(many("headline"), many("below")), [many("headline"), many("below")]),
        (Heading(many("heading", 15), many("after", 15)), [many("heading", 15), many("after", 15)]),
        (Rows((Row("Fremen", (many("one"), many("two"))),)), [many("one"), many("two")]),
        (Table(("who", "spice"), (("Guild", many("rich")), ("Fremen", many("poor"))), below=(many("first"), "")),
         ["Guild", many("rich"), many("first"), "Fremen", many("poor")]),
        (Fight("Carthag", many("about"), (Side("Guild", "12", "won"), Side("Fremen", "3", "lost")),
               (("dial", many("left"), many("right")),), (many("remark"),)),
         ["Carthag", many("about"), "Guild 12 won", "Fremen 3 lost", many("left"), many("right"), many("remark")]),
        (Board(many("storm"), (Row("Arrakeen", (many("tokens"), "Fremen 3")),)),
         [many("storm"), "Arrakeen", many("tokens"), "Fremen 3"]),
        (Footer((), (many("mail"),)), []),
    ],
)  # fmt: skip
def test_a_block_that_is_too_long_is_told_whole_in_several_posts(
    block: Block, told: list[str], dialect: Dialect
) -> None:
    posts = post_texts.fit_into_posts(
        [block, Paragraph("ENDS")], limits(dialect, 400), lambda number, of: f"post {number} of {of}"
    )
    assert all(len(post) <= 400 for post in posts)
    opened = [post.partition("\n\n")[0] for post in posts]
    assert all(f"post {number} of {len(posts)}" in line for number, line in enumerate(opened, 1))
    said = " ".join(post.partition("\n\n")[2] for post in posts)
    words = re.findall(r"[A-Za-z0-9]+", said)
    for text in told:
        assert all(word in words for word in text.split()), text
    assert words[-1] == "ENDS"
    assert len(words) > 1 or not told


@pytest.mark.parametrize(
    ("characters", "posts"),
    [
        (28, ("one two\n\nthree four five six",)),
        (27, ("one two", "three four five six")),
        (19, ("one two", "three four five six")),
        (18, ("one two", "three four five", "six")),
    ],
)
def test_a_post_is_cut_again_between_its_blocks_where_a_forum_takes_less(
    characters: int, posts: tuple[str, ...]
) -> None:
    cut = post_texts.refit_post("one two\n\nthree four five six", limits(Dialect.TEXT, characters))
    assert tuple(post.strip() for post in cut) == posts


def test_a_post_that_is_cut_again_keeps_its_lines_and_begins_none_like_an_act() -> None:
    post = "a line\nanother\n!bid 9 " + "x" * 10
    assert post_texts.refit_post(post, limits(Dialect.TEXT, 16)) == ("a line\nanother", "¡bid 9", "xxxxxxxxxx")


# --- secrecy ---------------------------------------------------------------------------------------------------------


def hide_others(state: State) -> None:
    """Change everything hidden: spice, reserves, hands, traitors, decks."""
    players = list(state.players.values())
    traitors = [player.traitors for player in players]
    for number, player in enumerate(players):
        player.traitors = traitors[number - 1]
        player.hand = list(reversed(state.treachery_deck))[: len(player.hand)]
        player.spice += 5
        player.reserves = Forces(player.reserves.ordinary + 1, player.reserves.elite)
    state.treachery_deck.reverse()
    state.spice_deck.reverse()


@pytest.mark.parametrize("phase", ["bidding", "movement", "battle"])
def test_a_post_is_the_same_whatever_is_hidden(phase: str) -> None:
    room = limits(Dialect.MARKDOWN)
    play = next(play for play in stops("wbc-2018", "spice") if play.state.phase == phase)
    here, secrets = position_of(play, "public"), msgspec.json.encode(play.state)
    hide_others(play.state)
    there = position_of(play, "public")
    assert msgspec.json.encode(play.state) != secrets
    assert post_texts.news_posts(here, room) == post_texts.news_posts(there, room)
    assert post_texts.end_of_turn(here, room) == post_texts.end_of_turn(there, room)
    assert post_texts.status_post(here, room, turns={}) == post_texts.status_post(there, room, turns={})


def test_no_post_is_made_from_what_one_player_sees() -> None:
    play = next(stops("wbc-2018", "spice"))
    position = position_of(play, "fremen")
    with pytest.raises(ValueError, match="not for a forum"):
        post_texts.news_posts(position, limits(Dialect.TEXT))
