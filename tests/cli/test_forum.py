"""Tests for `mentat forum`: its arguments, output and exit codes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bot.cli.session import Call, Line
from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.moderator.intake import subscribed_address
from bot.store import forum_posts, forum_threads
from bot.store.database import reading, writing
from bot.store.forum_threads import ForumState, OutgoingPost, Thread
from rules.components import Faction, faction_name
from tests.channels.discourse_server import CATEGORY, KEY, Standin
from tests.cli.conftest import Mentat
from tests.moderator.table import CONFIG, GAME, World

FORUMS = """
[forums.tabr]
kind = "paste"
dialect = "bbcode"
[forums.dune-list]
kind = "list"
address = "dune@lists.example"
[forums.arrakis]
kind = "discourse"
url = "http://127.0.0.1:9"
category = 7
username = "mentat"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", KEY)
    return World.at(tmp_path, CONFIG + FORUMS)


@pytest.fixture
def game(place: World) -> World:
    """Return a world whose game is in the middle of its first bidding."""
    place.silent_game("bidding")
    return place


@pytest.fixture
def pasted(game: World, mentat: Mentat) -> World:
    """Return that game with a thread in a forum where people post by hand."""
    assert mentat("forum", "open", GAME, "tabr").code == 0
    return game


@pytest.fixture
def followed(game: World) -> World:
    """Return that game with a thread in a forum that Mentat reads itself."""
    with writing(game.engine) as conn:
        forum_threads.add_thread(conn, Thread(GAME, "arrakis", "41"))
    return game


def bidder(world: World) -> Faction:
    return next(faction for faction, kinds in world.another_process().asked().items() if "bid" in kinds)


def in_time(world: World) -> str:
    """Return a time at which the bid was not yet overdue."""
    return (world.now + timedelta(minutes=1)).isoformat()


# --- status ----------------------------------------------------------------------------------------------------------


def test_without_a_forum_it_is_said_how_one_is_written(mentat: Mentat, place: World) -> None:
    Path("config.toml").write_text(CONFIG, encoding="utf-8")
    assert "config.example.toml" in mentat("forum", "status").out


def test_the_status_tells_of_each_forum_its_games_and_what_is_wrong(mentat: Mentat, game: World) -> None:
    with writing(game.engine) as conn:
        forum_threads.add_thread(
            conn, Thread(GAME, "arrakis", "41", "http://127.0.0.1:9/t/41", problem="the thread is closed")
        )
        forum_threads.add_outgoing(conn, OutgoingPost(GAME, "post", "key", game.now, text="What has happened"))
        forum_threads.put_forum_state(
            conn, ForumState("arrakis", "posting", "the key was revoked", game.now, 4, game.now)
        )
    assert mentat("forum", "link", GAME, "fremen", "--account", "7", "--name", "chani_77", "--reason", "so").code == 0
    told = mentat("forum", "status").out
    assert f"member     as {subscribed_address(game.settings, 'dune-list')}" in told
    assert "tabr: you post by hand (bbcode)" in told
    assert "posting    FAILS since" in told
    assert "the key was revoked" in told
    assert f"{GAME}: http://127.0.0.1:9/t/41" in told
    assert "linked: Fremen chani_77" in told
    assert "by mail only: Atreides" in told
    assert f"1 post waiting: `mentat forum show {GAME}`" in told
    assert "REFUSED: the thread is closed" in told
    asked = {each["forum"]: each for each in mentat("forum", "status", "--json").json}
    assert (asked["arrakis"]["well"], asked["tabr"]["well"]) == (False, True)
    assert asked["arrakis"]["games"][0]["linked"] == {"fremen": "chani_77"}


def test_a_forum_that_left_the_settings_is_told_of_while_games_have_threads_there(mentat: Mentat, game: World) -> None:
    with writing(game.engine) as conn:
        forum_threads.add_thread(conn, Thread(GAME, "gone-board", "41"))
    assert "gone-board: no longer in the settings" in mentat("forum", "status").out
    shown = mentat("forum", "show", GAME)
    assert (shown.code, "Nothing is waiting" in shown.out) == (0, True)
    ran = mentat("forum", "paste", GAME, "-", "--as", "fremen")
    assert ran.code == 2  # standard input is empty


# --- checking a forum ------------------------------------------------------------------------------------------------


@pytest.fixture
def standin(place: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standin]:
    clock = [place.now]
    made = Standin(lambda: clock[0])
    made.staff = True
    limits = "seconds_between_posts = 0\nposts_in_a_row = 0\n"
    Path("config.toml").write_text(
        (CONFIG + FORUMS).replace("http://127.0.0.1:9", made.address).replace("category = 7", f"category = {CATEGORY}")
        + limits,
        encoding="utf-8",
    )
    monkeypatch.setattr("bot.cli.forum.time.sleep", lambda seconds: None)
    yield made
    made.stop()


def test_a_forum_that_works_is_tried(mentat: Mentat, standin: Standin) -> None:
    ran = mentat("forum", "test", "arrakis")
    assert (ran.code, "All is well." in ran.out) == (0, True), ran.out
    assert "ok    read it back" in ran.out
    assert "limits: 20 to 31950 characters a post, 0 seconds between two, any number in a row, pictures" in ran.out
    [topic] = standin.topics.values()
    assert f"You can now remove the thread {standin.address}/t/{topic.id}." in ran.out


def test_a_forum_that_does_not_work_says_what_is_missing_and_exits_1(mentat: Mentat, standin: Standin) -> None:
    standin.key = "revoked"
    ran = mentat("forum", "test", "arrakis", "--json")
    assert (ran.code, ran.json["well"]) == (1, False)
    assert ran.json["steps"][0]["state"] == "wrong"
    ran = mentat("forum", "test", "arrakis")
    assert "WRONG open a thread" in ran.out
    assert "Admin > API" in ran.out
    assert KEY not in ran.out + ran.err


def test_where_one_posts_by_hand_nothing_can_be_tried(mentat: Mentat, place: World) -> None:
    ran = mentat("forum", "test", "tabr")
    assert (ran.code, "Mentat cannot test tabr" in ran.out) == (0, True)
    ran = mentat("forum", "test", "nowhere")
    assert (ran.code, "the forums are: tabr, dune-list, arrakis" in ran.err) == (2, True)


# --- threads and accounts --------------------------------------------------------------------------------------------


def test_a_thread_is_opened_left_and_opened_again(mentat: Mentat, game: World) -> None:
    tried = mentat("forum", "open", GAME, "tabr", "--dry-run")
    assert (tried.code, f"Nothing was done. It would be: {GAME} gets a thread in tabr." in tried.out) == (0, True)
    assert "a letter to guild@players.example" in tried.out
    assert mentat("forum", "open", GAME, "tabr", "--json").json == {"game": GAME, "forum": "tabr", "goes_on": False}
    again = mentat("forum", "open", GAME, "tabr")
    assert (again.code, "already has a thread in tabr" in again.err) == (1, True)
    assert f"Mentat leaves the thread of {GAME} in tabr" in mentat("forum", "close", GAME, "--why", "too loud").out
    assert f"{GAME}: left; `mentat forum open {GAME} tabr` goes on" in mentat("forum", "status").out
    assert f"{GAME} continues in its thread in tabr." in mentat("forum", "open", GAME, "tabr").out
    log = mentat("game", "acts", GAME).out
    assert log.count("forum-open  tabr") == 2
    assert "why: too loud" in log


def test_an_account_is_linked_and_cut(mentat: Mentat, followed: World) -> None:
    ran = mentat("forum", "link", GAME, "fremen", "--account", "7", "--name", "chani_77", "--reason", "on the phone")
    assert (ran.code, ran.out.strip()) == (0, f"chani_77 now posts for the Fremen in {GAME}.")
    assert "on the phone" in followed.newest("fremen").text
    ran = mentat("forum", "link", GAME, "fremen", "--off", "--json")
    assert ran.json == {"game": GAME, "faction": "fremen", "author": "chani_77", "linked": False}
    with reading(followed.engine) as conn:
        assert forum_posts.account_links(conn, GAME) == {}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--account", "7"), 2, "--reason is missing"),
        (("--account", "7", "--post", "3", "--reason", "so"), 2, "leave one out"),
        (("--off", "--post", "3"), 2, "leave out the other options"),
        (("--off", "--account", "7"), 2, "leave out the other options"),
        (("--off", "--name", "chani_77"), 2, "leave out the other options"),
        (("--post", "3", "--reason", "so"), 1, "No post 3"),
    ],
)
def test_a_link_that_is_not_clear_is_refused(
    mentat: Mentat, followed: World, words: tuple[str, ...], code: int, said: str
) -> None:
    ran = mentat("forum", "link", GAME, "fremen", *words)
    assert (ran.code, said in ran.err) == (code, True), ran.err


def test_a_link_is_cut_once(mentat: Mentat, followed: World) -> None:
    mentat("forum", "link", GAME, "fremen", "--account", "7", "--name", "chani_77", "--reason", "on the phone")
    assert (
        mentat("forum", "link", GAME, "fremen", "--off").out == f"chani_77 no longer posts for the Fremen in {GAME}.\n"
    )
    ran = mentat("forum", "link", GAME, "fremen", "--off")
    assert (ran.code, ran.err) == (1, f"No forum account is linked to the Fremen in {GAME}.\n")


def test_where_one_posts_by_hand_only_a_name_is_linked(mentat: Mentat, pasted: World) -> None:
    ran = mentat("forum", "link", GAME, "fremen", "--name", "chani_77", "--reason", "so")
    assert (ran.code, "chani_77 now posts for the Fremen" in ran.out) == (0, True)
    for words, said in (("--account", "7"), "only --name"), (("--post", "7"), "only --name"), ((), "--name is missing"):
        ran = mentat("forum", "link", GAME, "guild", *words, "--reason", "so")
        assert (ran.code, said in ran.err) == (1, True), ran.err


# --- posting by hand -------------------------------------------------------------------------------------------------


def test_the_next_block_is_shown_and_ticked_until_nothing_waits(mentat: Mentat, pasted: World) -> None:
    shown = mentat("forum", "show", GAME)
    assert "Block 1 of sietch-12 opens its thread in tabr. The title of the thread:" in shown.out
    assert f"mentat forum show {GAME} --done 1 --url ADDRESS" in shown.out
    asked = mentat("forum", "show", GAME, "--json").json
    assert asked["block"]["title"] in shown.out
    assert f"{'-' * 72}\n{asked['block']['text']}\n{'-' * 72}\n" in shown.out
    assert mentat("forum", "show", GAME, "--raw").out == asked["block"]["text"] + "\n"
    wrong = mentat("forum", "show", GAME, "--done", "2")
    assert (wrong.code, "There is no block 2" in wrong.err) == (1, True)
    done = mentat("forum", "show", GAME, "--done", "1", "--number", "1", "--url", "https://tabr.example/t/9")
    assert done.code == 0
    if "Block 2" in done.out:
        done = mentat("forum", "show", GAME, "--done", "2")
    assert "Nothing new to post about sietch-12 in tabr." in done.out
    assert f"{GAME}: https://tabr.example/t/9" in mentat("forum", "status").out


def test_blocks_of_a_thread_that_was_left_are_not_on_the_desk(mentat: Mentat, pasted: World) -> None:
    mentat("forum", "show", GAME)
    assert "to be posted by hand in tabr" in " ".join(mentat("desk").out.split())
    mentat("forum", "close", GAME)
    assert "to be posted by hand" not in " ".join(mentat("desk").out.split())
    assert mentat("forum", "show", GAME).code == 1


def test_a_post_is_handed_in_from_a_file_and_its_player_is_answered(
    mentat: Mentat, pasted: World, tmp_path: Path
) -> None:
    mentat("forum", "show", GAME)
    whose, post = bidder(pasted), tmp_path / "post.txt"
    post.write_bytes(b"\xef\xbb\xbfI want it.\r\n!bid 2\r\n")
    options = ("--number", "57", "--posted", in_time(pasted), "--name", "chani_77")
    tried = mentat("forum", "paste", GAME, str(post), "--as", whose, *options, "--dry-run")
    assert f"a letter to {whose}@players.example" in tried.out
    ran = mentat("forum", "paste", GAME, str(post), "--as", whose, *options)
    assert (ran.code, ran.out.strip()) == (0, f"Post 57 by {faction_name(whose)}: “bid 2”: taken.")
    assert "bid 2" in pasted.newest(whose).text
    again = mentat("forum", "paste", GAME, str(post), "--as", whose, *options, "--json")
    assert again.json["state"] == "known"
    post.write_text("!bid 9\n", encoding="utf-8")
    changed = mentat("forum", "paste", GAME, str(post), "--as", whose, *options)
    assert "was handed in before with other words, and those count: “bid 2”: taken." in " ".join(changed.out.split())
    assert bidder(pasted) != whose


def test_what_has_happened_so_far_is_told_before_the_phase_ends(mentat: Mentat, pasted: World, tmp_path: Path) -> None:
    while block := mentat("forum", "show", GAME, "--json").json["block"]:
        mentat("forum", "show", GAME, "--done", str(block["number"]))
    post = tmp_path / "post.txt"
    post.write_text("!bid 2\n", encoding="utf-8")
    whose = bidder(pasted)
    mentat("forum", "paste", GAME, str(post), "--as", whose, "--number", "57", "--posted", in_time(pasted))
    shown = mentat("forum", "show", GAME)
    assert "Counts: #57" in shown.out.replace("\\", "")
    again = mentat("forum", "show", GAME)
    assert again.out == shown.out


def test_what_cannot_be_handed_in_is_said_in_one_sentence(mentat: Mentat, pasted: World, tmp_path: Path) -> None:
    mentat("forum", "show", GAME)
    post, strange = tmp_path / "post.txt", tmp_path / "strange.txt"
    post.write_text("!pass\n", encoding="utf-8")
    strange.write_bytes(b"\xff\xfe!\x00")
    for words, code, said in (
        ((str(tmp_path / "none.txt"), "--as", "fremen"), 2, "cannot be read"),
        ((str(strange), "--as", "fremen"), 2, "is not UTF-8 text"),
        ((str(post), "--as", "richese"), 2, "is not one of"),
        ((str(post), "--as", "fremen", "--posted", "noon"), 2, "is not a time"),
        ((str(post), "--as", "fremen", "--posted", "2999-01-01T00:00"), 2, "is in the future"),
    ):
        ran = mentat("forum", "paste", GAME, *words)
        assert (ran.code, said in " ".join(ran.err.split())) == (code, True), ran.err


def test_before_the_thread_is_opened_nothing_can_be_handed_in(mentat: Mentat, pasted: World, tmp_path: Path) -> None:
    post = tmp_path / "post.txt"
    post.write_text("!pass\n", encoding="utf-8")
    ran = mentat("forum", "paste", GAME, str(post), "--as", "fremen", "--posted", in_time(pasted))
    assert (ran.code, "mentat forum show" in ran.err) == (1, True), ran.err


# --- posts that the forum refused ------------------------------------------------------------------------------------


def test_what_waits_is_shown_tried_again_and_given_up(mentat: Mentat, game: World) -> None:
    with writing(game.engine) as conn:
        told = Thread(GAME, "arrakis", "41", told=game.table().events, looked=game.table().revision, told_snapshot=99)
        forum_threads.add_thread(conn, told)
        forum_threads.add_outgoing(conn, OutgoingPost(GAME, "post", "key", game.now, text="What has happened"))
    shown = mentat("forum", "show", GAME)
    assert (shown.code, "What has happened" in shown.out) == (0, True)
    ran = mentat("forum", "repost", GAME)  # no server is listening there
    assert (ran.code, "1 post still waiting: no answer from the forum" in ran.out) == (1, True)
    tried = mentat("forum", "repost", GAME, "--skip", "--dry-run")
    assert "Nothing was done. It would be: A post has been given up." in tried.out
    ran = mentat("forum", "repost", GAME, "--skip", "--json")
    assert (ran.code, ran.json["waits"]) == (0, 0), ran.out
    ran = mentat("forum", "repost", GAME)
    assert (ran.code, "Nothing is waiting to be posted" in ran.err) == (1, True)
    assert "Nothing is waiting" in mentat("forum", "show", GAME).out


def test_where_one_posts_by_hand_nothing_is_refused(mentat: Mentat, pasted: World) -> None:
    mentat("forum", "show", GAME)
    ran = mentat("forum", "repost", GAME)
    assert (ran.code, "You post there by hand" in ran.err) == (1, True)


def test_an_empty_post_is_handed_in_by_nobody(
    mentat: Mentat, pasted: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "post.txt").write_text("\n \n", encoding="utf-8")
    ran = mentat("forum", "paste", GAME, "post.txt", "--as", bidder(pasted), "--number", "57")
    assert (ran.code, ran.err) == (2, "post.txt is empty.\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n")))
    ran = mentat("forum", "paste", GAME, "-", "--as", bidder(pasted), "--number", "57")
    assert (ran.code, ran.err) == (2, "Standard input is empty.\n")


def test_the_status_says_what_is_to_be_posted_by_hand(mentat: Mentat, pasted: World) -> None:
    opens = mentat("forum", "status").out
    assert f"  {GAME}: no thread yet: `mentat forum show {GAME}` prints its first post\n" in opens
    mentat("forum", "show", GAME)
    assert f"    1 block to post: `mentat forum show {GAME}`\n" in mentat("forum", "status").out
    mentat("forum", "show", GAME, "--done", "1", "--number", "1")
    assert "block to post" not in mentat("forum", "status").out
    status = mentat("forum", "status").out
    assert "by mail only: Atreides, Bene Gesserit, Emperor, Fremen, Guild, Harkonnen\n" in status
    assert "to post" not in status


def test_the_status_of_a_game_that_is_over_and_told_is_one_line(mentat: Mentat, pasted: World) -> None:
    clocks.end_game(DeskRequest(pasted.moderator.open_games, GAME, pasted.now), "void", ())
    assert f"  {GAME}: no thread yet: `mentat forum show {GAME}`" in mentat("forum", "status").out
    for number in range(1, 9):
        mentat("forum", "show", GAME)
        mentat("forum", "show", GAME, "--done", str(number), *(["--url", "https://tabr.example/t/9"] * (number == 1)))
    assert f"  {GAME}: over, https://tabr.example/t/9\n" in mentat("forum", "status").out


@pytest.mark.parametrize(
    ("forum", "said"),
    [
        ("tabr", "You post its thread by hand: `mentat forum show g` shows the first post."),
        ("arrakis", "`mentat run` or `mentat poll` opens its thread in arrakis."),
    ],
)
def test_who_begins_a_game_in_a_forum_is_told_who_opens_its_thread(
    mentat: Mentat, place: World, forum: str, said: str
) -> None:
    seats = ("--seat", "guild=ann@example.org", "--seat", "fremen=bob@example.org")
    told = mentat("game", "new", "--id", "g", *seats, "--forum", forum)
    assert (told.code, told.out.splitlines()[-1]) == (0, said)
    alone = mentat("game", "new", "--id", "h", *seats)
    assert "fremen" in alone.out.splitlines()[-1]


# --- the whole page --------------------------------------------------------------------------------------------------


def page_of(world: World, *posts: tuple[int, str, str]) -> str:
    when = f"{world.now + timedelta(minutes=1):%a %b %d, %Y %I:%M %p}"
    return "".join(
        f"Re: sietch-12\n#{number}\nPost by {author} » {when}\n\n{text}\nTop\n" for number, author, text in posts
    )


def test_a_page_is_shown_first_and_then_taken_at_once(mentat: Mentat, pasted: World, tmp_path: Path) -> None:
    first = mentat("forum", "show", GAME, "--json").json["block"]["text"]
    whose, page = bidder(pasted), tmp_path / "page.txt"
    posts = ((1, "gm", first), (2, "chani_77", "Hm.\n!bid 2"), (3, "bob", "!bid 9"))
    page.write_text(page_of(pasted, *posts), encoding="utf-8")
    ran = mentat("forum", "paste", GAME, str(page))
    assert (ran.code, "Posts of Mentat: #1" in ran.out) == (0, True)
    assert "Not accounts of this game: chani_77 (#2) and bob (#3)" in ran.out
    shown = mentat("forum", "paste", GAME, str(page), "--who", f"chani_77={whose}")
    assert f"#2 chani_77 ({faction_name(whose)}): “bid 2”: taken" in shown.out
    assert "Nothing has been accepted yet" in shown.out
    assert bidder(pasted) == whose
    assert mentat("forum", "show", GAME, "--json").json["block"]["number"] == 1
    taken = mentat("forum", "paste", GAME, str(page), "--who", f"chani_77={whose}", "--yes")
    assert f"#2 chani_77 ({faction_name(whose)}): “bid 2”: taken" in taken.out
    assert "Not accounts of this game: bob (#3)" in taken.out
    assert "Block 2 of sietch-12" in taken.out  # the first block is on the page
    assert bidder(pasted) != whose
    again = mentat("forum", "paste", GAME, str(page), "--yes", "--json").json
    assert [post["state"] for post in again["posts"]] == ["left out", "known", "left out"]


def test_at_a_terminal_a_page_is_taken_after_one_question(
    mentat: Mentat, pasted: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = mentat("forum", "show", GAME, "--json").json["block"]["text"]
    whose, page, asked = bidder(pasted), tmp_path / "page.txt", list[str]()
    page.write_text(page_of(pasted, (1, "gm", first), (2, "chani_77", "!bid 2")), encoding="utf-8")

    def agrees(self: Call, lines: Sequence[Line], question: str) -> bool:
        asked.append(f"{lines[0]} {question}")
        return agreed

    monkeypatch.setattr("bot.cli.session.Call.agrees", agrees)
    for agreed in (False, True):
        ran = mentat("forum", "paste", GAME, str(page), "--who", f"chani_77={whose}")
        assert ("Nothing has been accepted yet" in ran.out, "Block 2 of sietch-12" in ran.out) == (not agreed, agreed)
        assert (bidder(pasted) != whose) == agreed
    assert asked == [f"#2 chani_77 ({faction_name(whose)}): “bid 2”: taken Accept all of this?"] * 2


def test_what_became_of_a_page_is_told_where_it_differs_from_what_was_shown(
    mentat: Mentat, pasted: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mentat("forum", "show", GAME)
    whose, page = bidder(pasted), tmp_path / "page.txt"
    page.write_text(page_of(pasted, (2, "chani_77", "!bid 2"), (3, "bob", "Hm.")), encoding="utf-8")

    def agrees(self: Call, lines: Sequence[Line], question: str) -> bool:
        pasted.say(whose, "pass")  # in the meantime
        return True

    monkeypatch.setattr("bot.cli.session.Call.agrees", agrees)
    ran = mentat("forum", "paste", GAME, str(page), "--who", f"chani_77={whose}")
    assert "“bid 2”: does not count" in " ".join(ran.out.split())
    assert "bob" not in ran.out


def test_of_a_page_that_comes_again_edits_count_for_nothing_and_talk_may_become_an_act(
    mentat: Mentat, pasted: World, tmp_path: Path
) -> None:
    mentat("forum", "show", GAME)
    mentat("forum", "show", GAME, "--done", "1")
    one, page = bidder(pasted), tmp_path / "page.txt"

    def paste(*posts: tuple[int, str, str]) -> list[str]:
        page.write_text(page_of(pasted, *posts), encoding="utf-8")
        who = ("--who", f"one={one}")
        return [
            post["state"] for post in mentat("forum", "paste", GAME, str(page), *who, "--yes", "--json").json["posts"]
        ]

    assert paste((5, "one", "Hm.")) == ["left out"]
    assert paste((5, "one", "Hm. So:\n!bid 2")) == ["taken"]
    assert bidder(pasted) != one
    assert paste((5, "one", "!bid 3"), (6, "one", "Nice.")) == ["changed", "left out"]
    assert "was changed after it was taken" in mentat("forum", "show", GAME, "--raw").out.replace("\n", " ")


def test_who_wrote_a_post_of_a_page_is_never_guessed(mentat: Mentat, pasted: World, tmp_path: Path) -> None:
    mentat("forum", "show", GAME)
    whose, page = bidder(pasted), tmp_path / "page.txt"
    page.write_text(page_of(pasted, (2, "twin", "!bid 2"), (3, "bob", "hello")), encoding="utf-8")
    other = next(name for name in ("guild", "fremen") if name != whose)
    ran = mentat("forum", "paste", GAME, str(page), "--who", f"twin={whose}", "--who", f"Twin={other}", "--yes")
    assert (ran.code, "two seats have this name" in ran.err) == (1, True)
    ran = mentat("forum", "paste", GAME, str(page), "--who", "twin=ixians", "--yes")
    assert (ran.code, "Nobody plays the Ixians in" in ran.err) == (1, True)
    ran = mentat("forum", "paste", GAME, str(page), "--yes")
    assert (ran.code, "No post on this page was written by Mentat or by an account of this game" in ran.err) == (
        1,
        True,
    )
    assert bidder(pasted) == whose
    page.write_text("Only words.\n!bid 2\n", encoding="utf-8")
    ran = mentat("forum", "paste", GAME, str(page), "--yes")
    assert (ran.code, "No posts were found" in ran.err) == (1, True)
    ran = mentat("forum", "paste", GAME, str(page), "--number", "5")
    assert (ran.code, "--as" in ran.err) == (2, True)
    ran = mentat("forum", "paste", GAME, str(page), "--who", "chani")
    assert ran.code in (1, 2)
