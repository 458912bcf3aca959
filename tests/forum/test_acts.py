"""Acts from posts: accepted once, as first read, quoted back, and only from a seat's account."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.channels import CursorForgotten, Page, TooSoon
from bot.channels import Thread as Place
from bot.forum.watch import PAGES_A_LOOK
from bot.games.forum_accounts import LONGEST_NAME
from bot.store import forum_posts, games
from bot.store.database import reading, writing
from bot.store.tables import GAME as GAMES
from rules.components import Faction, faction_name
from tests.channels import memory
from tests.forum.place import DISCOURSE, GAME, ForumWorld, code_in


@pytest.fixture
def with_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a forum in which players have their own accounts."""
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "key-of-arrakis")
    monkeypatch.setattr("tests.forum.place.FORUM", DISCOURSE)


@pytest.fixture
def place(tmp_path: Path, with_accounts: None) -> ForumWorld:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.link("atreides", "fremen", "guild", "emperor", "harkonnen", "bene-gesserit")
    return place


def plain(post: str) -> str:
    """Return a post without its markup."""
    return post.replace("\\", "").replace("*", "")


def bids(place: ForumWorld) -> list[tuple[Faction, int]]:
    with reading(place.world.engine) as conn:
        events = games.events_of(conn, GAME)
    return [(event.facts["faction"], event.facts["amount"]) for event in events if event.kind == "bid"]


def test_a_bid_in_a_post_counts_and_is_quoted_back(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.write(bidder, "I like it.\n\n!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]
    assert f"Counts: #2 {bidder} ({faction_name(bidder)}) “bid 2”" in plain(place.ours()[-1])
    place.look(1)
    assert bids(place) == [(bidder, 2)]


def test_what_was_taken_as_it_stands_brings_no_mail_to_its_writer(place: ForumWorld) -> None:
    bidder, before = place.bidder(), place.world.written()
    place.write(bidder, "!bid 2")
    place.look(1)
    assert [letter.faction for letter in place.world.letters(after=before)] == [place.bidder()]


@pytest.mark.parametrize(
    ("line", "told", "shown"),
    [
        ("!bid 40", "bid 40", "“bid 40”: not legal"),
        ("!bid up to 9", "counts only by mail", "counts by mail only"),
        ("!plan 3, leader Duncan", "counts only by mail", "counts by mail only"),
        ("!bid 2\n!bid 3", "answer the same question", "“bid 2”, “bid 3”: two answers to one question"),
        ("!bid 2 or so", "bid 2", "not clearly an order"),
        ("[spoiler]!bid 2[/spoiler]", "hidden", "hidden, or in code"),
        ("> so\n!bid 2", "other people's words", "where other people's words usually stand"),
        ("!no alliance if you please?", "question", "not clearly said"),
    ],
)
def test_what_does_not_count_is_told_in_public_words_and_in_one_mail(
    line: str, told: str, shown: str, place: ForumWorld
) -> None:
    bidder, before = place.bidder(), place.world.written()
    place.write(bidder, line)
    place.look(1)
    letters = place.world.letters(after=before)
    assert [letter.faction for letter in letters] == [bidder]
    assert told in " ".join(letters[0].text.split())
    assert bids(place) == []
    last = plain(place.ours()[-1])
    assert f"Does not count: #2 {bidder} ({faction_name(bidder)})" in last
    assert shown in last
    assert not any(word in last for word in ("up to", "plan 3", "Duncan", "or so", "if you please"))


def test_a_bid_out_of_turn_counts_for_nothing_later(place: ForumWorld) -> None:
    bidder = place.bidder()
    other = next(name for name in ("guild", "fremen") if name != bidder)
    place.write(other, "!bid 2")
    place.look(1)
    assert "“bid 2”: not asked for now" in plain(place.ours()[-1])
    for _ in range(12):
        if place.bidder() == other:
            break
        place.world.say(place.bidder(), "pass")
        place.look(1)
    place.look(1)
    assert place.bidder() == other
    assert bids(place) == []


def test_an_act_before_its_turn_waits_and_a_later_one_takes_its_place(tmp_path: Path, with_accounts: None) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("movement")
    place.link("fremen", "emperor", "bene-gesserit", "harkonnen")
    asked = {faction for faction, kinds in place.world.asked().items() if "shipment" in kinds}
    early = next(name for name in ("emperor", "harkonnen") if name not in asked)
    before = place.world.written()
    place.write(early, "!ship 2 to Arrakeen")
    place.write(early, "!ship 1 to Carthag")
    place.look(1)
    shown = f"{early} ({faction_name(early)})"
    assert f"Waits until it is asked for: #3 {shown} “ship 1 to Carthag”" in plain(place.ours()[-1])
    assert {letter.faction for letter in place.world.letters(after=before)} == {early}
    place.world.say(early, "ship 3 to Carthag")
    place.write(early, "!cancel")
    place.look(1)
    assert place.world.table().play.game.held[early]
    place.world.say(early, "cancel")
    place.write(early, "!ship 1 to Carthag")
    place.look(1)
    place.write(early, "!cancel")
    place.look(1)
    assert f"Counts: #9 {shown} “cancel ship 1 to Carthag”" in plain(place.ours()[-1])
    assert early not in place.world.table().play.game.held


def test_what_a_post_is_asked_back_about_is_confirmed_by_mail_and_never_in_the_thread(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.write(bidder, "!no bid from me")
    place.look(1)
    place.write(bidder, "!yes")
    place.look(1)
    assert place.bidder() == bidder
    place.write(bidder, "!no bid from me")
    place.look(1)
    place.world.say(bidder, "yes")
    assert place.bidder() != bidder


def test_another_account_of_the_same_name_counts_for_nothing(place: ForumWorld) -> None:
    bidder = place.bidder()
    impostor = place.forum.join(bidder)
    place.forum.write(impostor, place.thread().thread, "!bid 2")
    place.look(1)
    assert bids(place) == []
    assert "was not taken: this account is not linked to a seat" in place.ours()[-1]
    told = len(place.ours())
    place.forum.write(impostor, place.thread().thread, "!bid 3")
    place.look(1)
    assert len(place.ours()) == told


def test_who_changes_their_name_stays_who_they_are(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.forum.rename(place.people[bidder], "Somebody else")
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]


def test_an_edit_changes_nothing_and_everybody_is_told(place: ForumWorld) -> None:
    bidder = place.bidder()
    post = place.write(bidder, "!bid 2")
    place.look(1)
    place.forum.edit(post, "!bid 5")
    place.look(1)
    assert bids(place) == [(bidder, 2)]
    place.look(10)
    assert "was changed after it was taken" in place.ours()[-1]


def test_an_edit_in_the_silent_minutes_is_found_soon_although_a_phase_ended_within_them(place: ForumWorld) -> None:
    bidder = place.bidder()
    post = place.write(bidder, "!bid 2")
    place.look(1)
    with writing(place.world.engine) as conn:
        forum_posts.look_again_now(conn, GAME, place.world.now)  # as after the end of a phase
    place.look(1)
    place.forum.edit(post, "never mind")
    place.look(6)
    assert "was changed after it was taken" in place.ours()[-1]
    assert "“bid 2” is still in force" in place.ours()[-1]
    place.look(10)
    assert sum("was changed after" in post for post in place.ours()) == 1


def test_a_post_that_is_deleted_counts_all_the_same(place: ForumWorld) -> None:
    post = place.write(bidder := place.bidder(), "!bid 2")
    place.look(1)
    place.forum.delete(post)
    place.look(10)
    assert bids(place) == [(bidder, 2)]
    assert "was deleted after it was taken" in place.ours()[-1]


def test_an_edit_that_adds_an_act_later_counts_for_nothing_whatever_the_cursor(place: ForumWorld) -> None:
    post = place.write(place.bidder(), "Hello everybody.")
    place.look(1)
    place.forum.edit(post, "!bid 2")
    place.forum.forget_cursors()
    place.look(1)
    assert bids(place) == []


def test_two_posts_of_one_look_count_in_the_forum_s_order(place: ForumWorld) -> None:
    first = place.bidder()
    place.write(first, "!bid 2")
    place.look(0)
    second = place.bidder()
    place.write(second, "!bid 3")
    place.write(second, "!bid 4")
    place.look(1)
    assert bids(place) == [(first, 2), (second, 3)]


def test_the_same_act_by_mail_and_by_post_counts_once(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.write(bidder, "!bid 2")
    place.world.say(bidder, "bid 3")
    place.look(1)
    assert bids(place) == [(bidder, 3)]


def test_a_post_that_was_written_in_time_counts_though_it_is_read_later(place: ForumWorld) -> None:
    bidder, table = place.bidder(), place.world.table()
    until = min(deadline.until for deadline in table.deadlines.values())
    place.world.now = until - timedelta(seconds=20)
    place.write(bidder, "!bid 2")
    place.world.now = until + timedelta(seconds=20)
    assert place.world.moderator.timekeeper.tick(place.world.now) == 0
    place.look()
    assert bids(place) == [(bidder, 2)]


def test_a_post_that_came_after_the_deadline_comes_after_the_silence(place: ForumWorld) -> None:
    bidder, table = place.bidder(), place.world.table()
    until = min(deadline.until for deadline in table.deadlines.values())
    place.world.now = until + timedelta(seconds=20)
    place.write(bidder, "!bid 2")
    place.look()
    assert bids(place) == []


def test_where_the_forum_s_clock_is_wrong_the_time_at_which_it_was_read_counts(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.forum.skew = timedelta(hours=3)
    place.begin_at("bidding")
    place.look()
    assert place.state().skew_seconds == 3 * 3600
    bidder = place.bidder()
    place.link(bidder)
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == [(bidder, 2)]


def test_the_deadlines_of_a_game_do_not_wait_long_for_a_forum_that_is_away(place: ForumWorld) -> None:
    table = place.world.table()
    until = min(deadline.until for deadline in table.deadlines.values())
    place.world.now = until + timedelta(minutes=3)
    assert place.world.moderator.timekeeper.tick(place.world.now) == 1


def test_press_to_everybody_goes_the_way_of_press(place: ForumWorld) -> None:
    before = place.world.written()
    place.write("guild", "!press to all: Spice for water, anybody?")
    place.look(1)
    readers = {letter.faction for letter in place.world.letters(after=before)}
    assert readers >= {"atreides", "fremen", "emperor", "harkonnen", "bene-gesserit"}
    assert "“press" not in place.ours()[-1]


@pytest.mark.parametrize("whose", ["guild", ""])
def test_the_words_of_a_post_are_forgotten_with_who_wrote_them(whose: str, place: ForumWorld) -> None:
    bidder = place.bidder()
    place.write(bidder, "!bid 2")
    place.write("guild", "I am from Caladan.\n!press to all: My cat is called Muad'Dib.\n!plan 3, leader Staban")
    place.look(1)
    with writing(place.world.engine) as conn:
        before = forum_posts.seen_in_game(conn, GAME)
        forum_posts.forget_posters(conn, [GAME], whose)
        after = forum_posts.seen_in_game(conn, GAME)
    kept = [post for post in after if whose and post.faction != whose]
    assert kept == [post for post in before if whose and post.faction != whose]
    for post in (post for post in after if post not in kept):
        assert (post.author, post.account, post.raw) == ("", "", b"")
        assert {(line.text, line.canonical) for line in post.lines} == {("", "")}
    statuses = [[[line.status for line in post.lines] for post in posts] for posts in (before, after)]
    assert statuses[0] == statuses[1] != []


def test_more_posts_in_an_hour_than_are_answered_count_for_nothing(place: ForumWorld) -> None:
    before = place.world.written()
    for _ in range(30):
        place.write("guild", "!plan 3, no leader")
    place.look(1)
    letters = [letter for letter in place.world.letters(after=before) if letter.faction == "guild"]
    assert len(letters) == 21
    assert "more lines in an hour" in letters[-1].text


def test_an_account_is_linked_by_a_code_that_goes_by_mail_and_comes_back_in_a_post(
    tmp_path: Path, with_accounts: None
) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.world.say("fremen", "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    place.write("edric", f"!I am {code}")
    place.look(1)
    assert "No account was linked" in " ".join(place.world.newest("fremen").text.split())
    place.world.say("fremen", "forum name Chani_77")
    code = code_in(place.world.newest("fremen").text)
    place.write("chani_77", f"!i am {code.lower()}")
    place.look(1)
    assert "chani" in place.ours()[-1]
    assert "Linked: " in place.ours()[-1]
    assert code not in place.ours()[-1]
    place.world.say("fremen", "forum")
    assert "“chani_77” is your account there" in place.world.newest("fremen").text


def test_a_code_by_private_message_links_too_and_stays_unseen(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.world.say("fremen", "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    place.forum.tell(place.join("chani_77"), place.channel.account, f"!I am {code}")
    place.look(1)
    assert "Linked: " in place.ours()[-1]


def test_nothing_but_a_right_code_counts_in_a_private_message(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.world.say("fremen", "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    place.forum.tell(place.join(bidder), place.channel.account, "!bid 2")
    place.forum.tell(place.join("edric"), place.channel.account, "!I am ABC234")
    place.look(1)
    assert (bids(place), place.bidder()) == ([], bidder)
    assert not any("Linked: " in post for post in place.ours())
    place.forum.tell(place.join("chani_77"), place.channel.account, f"Hello,\n!bid 2\n!I am ABC234\n!I am {code}")
    place.look(1)
    assert "Linked: " in place.ours()[-1]
    assert "chani" in place.ours()[-1]
    assert bids(place) == []


def test_a_forum_that_asks_for_patience_is_asked_again_when_that_is_over(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def patience(*_: object) -> Page:
        asked.append(place.world.now)
        raise TooSoon("busy", 90)

    monkeypatch.setattr(place.channel, "read_since", patience)
    place.world.now += timedelta(minutes=1)
    until = place.world.now + timedelta(seconds=90)
    for seconds in (0, 60, 29):
        place.world.now += timedelta(seconds=seconds)
        place.watch.read(place.world.now)
        assert place.state("reading").wait_until == until
    assert len(asked) == 1
    place.world.now += timedelta(seconds=1)
    place.watch.read(place.world.now)
    assert asked[1:] == [until]


def test_a_thread_is_read_from_its_beginning_where_the_forum_has_forgotten_our_place(
    place: ForumWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    bidder = place.bidder()
    place.write(bidder, "!bid 1")
    place.look(1)
    read, forgets = place.channel.read_since, [True, False]

    def forgetful(thread: Place, cursor: str | None) -> Page:
        if cursor is not None or forgets[0]:
            raise CursorForgotten("where was that?")
        return read(thread, cursor)

    monkeypatch.setattr(place.channel, "read_since", forgetful)
    place.write(place.bidder(), "!bid 2")
    place.look(1)
    assert len(bids(place)) == 1
    assert place.state("reading").problem == "where was that?"
    forgets.pop(0)
    place.look(1)
    assert [amount for _, amount in bids(place)] == [1, 2]
    assert place.state("reading").problem == ""


def test_what_one_look_does_not_reach_is_read_by_the_next(place: ForumWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    place.look(1)
    place.watch.read(place.world.now, at_once=True)
    monkeypatch.setattr(memory, "PAGE", 1)
    for number in range(PAGES_A_LOOK):
        place.write("edric", f"Chat {number}.")
    place.write(place.bidder(), "!bid 1")
    place.world.now += timedelta(minutes=1)
    place.watch.read(place.world.now, at_once=True)
    assert bids(place) == []
    place.watch.read(place.world.now, at_once=True)
    assert [amount for _, amount in bids(place)] == [1]


def test_a_code_counts_once_and_for_a_week(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.world.say("fremen", "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    place.world.now += timedelta(days=8)
    place.write("chani_77", f"!I am {code}")
    place.look(1)
    assert not any("Linked: " in post for post in place.ours())


def test_one_account_plays_one_seat_of_a_game(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    for faction in ("fremen", "guild"):
        place.world.say(faction, "forum name chani_77")
        place.write("chani_77", f"!I am {code_in(place.world.newest(faction).text)}")
        place.look(1)
    assert "already posts for another seat of this game" in place.world.newest("guild").text


def test_a_new_reply_address_cuts_the_link_and_everybody_is_told(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.world.say(bidder, "freeze")
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == []
    assert "No longer linked: " in place.ours()[-1]


def test_whoever_wants_no_account_to_post_for_them_ends_it_by_mail(place: ForumWorld) -> None:
    bidder = place.bidder()
    place.world.say(bidder, "forum off")
    place.write(bidder, "!bid 2")
    place.look(1)
    assert bids(place) == []


def test_what_is_asked_of_a_seat_without_an_account_is_answered_and_shows_a_code_that_waits(
    tmp_path: Path, with_accounts: None
) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")

    def told(*lines: str) -> str:
        place.world.say("fremen", *lines)
        return " ".join(place.world.newest("fremen").text.split())

    assert "You have not linked a forum account to your seat." in told("forum")
    assert "No forum account was linked to your seat." in told("forum off")
    long = "x" * LONGEST_NAME
    assert f"“{long}”cannotbeanaccountname" in told(f"forum name {long}x").replace(
        " ", ""
    )  # the name is longer than a line
    assert "To link “" not in told("forum")
    told(f"forum name {long}")
    code = code_in(place.world.newest("fremen").text)
    shown = told("forum")
    assert "To link “" in shown
    assert f"post “!I am {code}”" in shown
    assert "No forum account was linked to your seat." in told("forum off")
    assert "To link “" not in told("forum")


def test_where_nobody_is_to_know_who_plays_whom_no_account_is_linked(tmp_path: Path, with_accounts: None) -> None:
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    place.world.say("fremen", "forum name chani_77")
    code = code_in(place.world.newest("fremen").text)
    with writing(place.world.engine) as conn:
        conn.execute(update(GAMES).values(press="open,gunboat", revision=GAMES.c.revision + 1))
    for line in ("forum", "forum name chani_77"):
        place.world.say("fremen", line)
        told = " ".join(place.world.newest("fremen").text.split())
        assert "Nobody in this game may know who plays whom, so orders count only by mail" in told
        assert "To link “" not in told
    before = place.world.written()
    place.write("chani_77", f"!I am {code}")
    place.look(1)
    assert not any("Linked: " in post for post in place.ours())
    assert place.world.written() == before


def test_without_a_thread_there_is_nothing_to_link(tmp_path: Path) -> None:
    place = ForumWorld(tmp_path)
    place.world.new_game()
    place.world.say("fremen", "forum name chani_77")
    assert "This game has no thread in a forum." in place.world.newest("fremen").text


def test_the_first_letter_tells_of_the_thread_and_how_to_play_there(tmp_path: Path, with_accounts: None) -> None:
    place = ForumWorld(tmp_path)
    place.begin()
    letter = " ".join(place.world.letters("fremen")[0].text.split())
    assert "in a thread of the forum arrakis" in letter
    assert "Send “forum name” and the name of your account there" in letter
