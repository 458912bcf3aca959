"""A game master's manual work with a forum: accounts, threads for running games, and refused posts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.channels.mailing_list import UNPROVEN
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.forum import desk
from bot.store import forum_threads
from bot.store.database import writing
from bot.store.forum_threads import Thread
from tests.forum.place import DISCOURSE, ForumWorld, answer, linked, words_of_last_act
from tests.moderator.table import GAME, address_of


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ForumWorld:
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "key-of-arrakis")
    monkeypatch.setattr("tests.forum.place.FORUM", DISCOURSE)
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    return place


# --- whose account is whose ------------------------------------------------------------------------------------------


def test_the_author_of_a_post_is_linked_with_a_seat_and_all_are_told_why(place: ForumWorld) -> None:
    place.write("chani_77", "Is this thing on?")
    place.look(1)
    before = place.world.written()
    name = desk.link_account(
        DeskRequest(place.world.moderator.open_games, GAME, place.world.now),
        "fremen",
        post=2,
        reason="told me on the phone",
    )
    assert (name, linked(place.world)) == ("chani_77", {"fremen": place.people["chani_77"]})
    [letter] = place.world.letters(after=before)
    assert (letter.faction, "chani_77" in letter.text, "told me on the phone" in letter.text) == ("fremen", True, True)
    place.look(1)
    assert "Linked by the game master" in place.ours()[-1]
    assert "told me on the phone" in place.ours()[-1]
    assert words_of_last_act(place.world)[0] == "forum-link"


def test_an_account_is_linked_by_what_the_forum_calls_it_and_cut_again(place: ForumWorld) -> None:
    games_here, world = place.world.moderator.open_games, place.world
    place.write("chani_77", "Hello.")
    place.look(1)
    account = place.people["chani_77"]
    assert (
        desk.link_account(DeskRequest(games_here, GAME, world.now), "fremen", account=account, reason="so")
        == "chani_77"
    )
    with pytest.raises(PowerRefused, match="another seat"):
        desk.link_account(DeskRequest(games_here, GAME, world.now), "guild", account=account, reason="so")
    before = world.written()
    assert desk.unlink_account(DeskRequest(games_here, GAME, world.now), "fremen", reason="they left") == "chani_77"
    assert linked(world) == {}
    assert [letter.faction for letter in world.letters(after=before)] == ["fremen"]
    with pytest.raises(PowerRefused, match="No forum account is linked to the Fremen"):
        desk.unlink_account(DeskRequest(games_here, GAME, world.now), "fremen")


def test_nobody_is_linked_by_a_post_that_was_not_read_or_that_nothing_proves(place: ForumWorld) -> None:
    games_here, world = place.world.moderator.open_games, place.world
    with pytest.raises(PowerRefused, match="No post 9"):
        desk.link_account(DeskRequest(games_here, GAME, world.now), "fremen", post=9, reason="so")
    place.people["forger"] = f"{UNPROVEN}chani@players.example"
    place.forum._names[place.people["forger"]] = "Chani"
    place.write("forger", "It is me.")
    place.look(1)
    with pytest.raises(PowerRefused, match="Nothing proves"):
        desk.link_account(DeskRequest(games_here, GAME, world.now), "fremen", post=2, reason="so")
    with pytest.raises(PowerRefused, match="--account"):
        desk.link_account(DeskRequest(games_here, GAME, world.now), "fremen", reason="so")
    assert linked(world) == {}


def test_a_name_is_not_taken_for_what_the_forum_calls_an_account(place: ForumWorld) -> None:
    with pytest.raises(PowerRefused, match="is not a number"):
        desk.link_account(
            DeskRequest(place.world.moderator.open_games, GAME, place.world.now),
            "fremen",
            account="chani_77",
            reason="so",
        )


def test_on_a_list_an_account_is_an_address_in_whatever_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.forum.place.FORUM", '[forums.arrakis]\nkind = "list"\naddress = "dune@lists.example"\n')
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    games_here, now = place.world.moderator.open_games, place.world.now
    with pytest.raises(PowerRefused, match="'chani_77' is not an address: on a list, an account is a member"):
        desk.link_account(DeskRequest(games_here, GAME, now), "fremen", account="chani_77", reason="so")
    assert linked(place.world) == {}
    desk.link_account(DeskRequest(games_here, GAME, now), "fremen", account="Chani@Players.Example", reason="so")
    assert linked(place.world) == {"fremen": "chani@players.example"}


def test_a_dry_run_links_nobody(place: ForumWorld) -> None:
    request = DeskRequest(place.world.moderator.open_games, GAME, place.world.now, Use(dry_run=True))
    desk.link_account(request, "fremen", account="9", reason="so")
    assert linked(place.world) == {}


# --- a thread for a running game -------------------------------------------------------------------------------------


def test_a_running_game_gets_a_thread_that_tells_what_happens_from_now_on(place: ForumWorld) -> None:
    world = place.world
    with writing(world.engine) as conn:
        forum_threads.forget_thread(conn, GAME)
    before = world.written()
    assert not desk.open_thread(DeskRequest(world.moderator.open_games, GAME, world.now), "arrakis")
    assert {letter.recipient for letter in world.letters(after=before)} == {
        address_of(faction) for faction in world.table().seats
    }
    place.look(1)
    [opening] = place.ours()
    assert "a game of Dune, moderated by Mentat" in opening
    with pytest.raises(PowerRefused, match="already has a thread in arrakis"):
        desk.open_thread(DeskRequest(world.moderator.open_games, GAME, world.now), "arrakis")
    with pytest.raises(PowerRefused, match="There is no forum 'nowhere'"):
        desk.open_thread(DeskRequest(world.moderator.open_games, GAME, world.now), "nowhere")


def test_a_thread_that_was_left_counts_no_more_until_it_is_opened_again(place: ForumWorld) -> None:
    world, bidder = place.world, place.bidder()
    place.link(bidder)
    assert desk.close_thread(DeskRequest(world.moderator.open_games, GAME, world.now)) == "arrakis"
    assert linked(world) == {}
    told = place.ours()
    place.write(bidder, "!bid 2")
    place.look(1)
    assert (place.bidder(), place.ours()) == (bidder, told)
    with pytest.raises(PowerRefused, match="has left the thread"):
        desk.next_to_post(world.moderator.open_games, GAME, world.now)
    assert "has no thread" in answer(world, bidder, "forum name chani_77")
    with pytest.raises(PowerRefused, match="has left the thread"):
        desk.close_thread(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert desk.open_thread(DeskRequest(world.moderator.open_games, GAME, world.now), "arrakis")
    place.look(1)
    assert place.bidder() == bidder  # the account is no longer linked
    place.link(bidder)
    place.write(bidder, "!bid 2")
    place.look(1)
    assert place.bidder() != bidder


def test_a_new_thread_is_opened_where_the_old_one_is_not_wanted(place: ForumWorld) -> None:
    world = place.world
    first = place.thread().thread
    desk.close_thread(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert not desk.open_thread(DeskRequest(world.moderator.open_games, GAME, world.now), "arrakis", anew=True)
    world.wait(1)
    place.look(1)
    assert place.thread().thread != first
    assert not place.thread().closed


def test_a_game_moves_from_one_forum_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paste = 'kind = "paste"\ndialect = "bgg"\n'
    monkeypatch.setattr("tests.forum.place.FORUM", f"[forums.arrakis]\n{paste}[forums.tabr]\n{paste}")
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    world, games_here = place.world, place.world.moderator.open_games
    desk.close_thread(DeskRequest(games_here, GAME, world.now))
    assert not desk.open_thread(DeskRequest(games_here, GAME, world.now), "tabr")
    moved = place.thread()
    assert (moved.forum, moved.thread, moved.closed, moved.told) == ("tabr", "", False, world.table().events)
    with pytest.raises(PowerRefused, match="already has a thread in tabr"):
        desk.open_thread(DeskRequest(games_here, GAME, world.now), "arrakis")


# --- what the forum refused ------------------------------------------------------------------------------------------


def test_what_waits_for_a_forum_is_shown_and_not_ticked(place: ForumWorld) -> None:
    games_here = place.world.moderator.open_games
    with writing(place.world.engine) as conn:
        forum_threads.put_thread(conn, Thread(GAME, "arrakis"))
    place.forum.revoked = True
    place.look(1)
    shown = desk.next_to_post(games_here, GAME, place.world.now)
    assert (shown.by_hand, shown.block, shown.blocks) == (False, None, ())
    assert [each.kind for each in shown.waits] == ["open"]
    assert "revoked" in shown.thread.problem
    with pytest.raises(PowerRefused, match="Mentat itself reads and posts"):
        desk.note_posted(DeskRequest(games_here, GAME, place.world.now), 1)
    pasted = desk.PastedPost("fremen", "!bid 2")
    with pytest.raises(PowerRefused, match="Mentat itself reads and posts"):
        desk.hand_in_post(
            DeskRequest(games_here, GAME, place.world.now), place.world.moderator.timekeeper.pass_until, pasted
        )


def revoke(place: ForumWorld) -> None:
    place.forum.revoked = True
    place.world.wait(24)
    place.look(1)


def test_what_was_refused_is_tried_again_at_once(place: ForumWorld) -> None:
    revoke(place)
    told = len(place.ours())
    place.forum.revoked = False
    place.look()
    assert len(place.ours()) == told
    desk.retry_posts(DeskRequest(place.world.moderator.open_games, GAME, place.world.now))
    place.look()
    assert len(place.ours()) > told
    with pytest.raises(PowerRefused, match="Nothing is waiting"):
        desk.retry_posts(DeskRequest(place.world.moderator.open_games, GAME, place.world.now))


def test_what_was_refused_can_be_given_up_but_not_the_opening(place: ForumWorld) -> None:
    revoke(place)
    games_here = place.world.moderator.open_games
    given_up = desk.retry_posts(DeskRequest(games_here, GAME, place.world.now), skip=True)
    assert given_up.kind == "post"
    place.forum.revoked = False
    place.look()
    assert given_up.text not in place.ours()
    assert place.thread().problem == ""
    with writing(place.world.engine) as conn:
        forum_threads.forget_thread(conn, GAME)
        forum_threads.add_thread(conn, Thread(GAME, "arrakis"))
    place.forum.revoked = True
    place.look(1)
    with pytest.raises(PowerRefused, match="You cannot skip the opening"):
        desk.retry_posts(DeskRequest(games_here, GAME, place.world.now), skip=True)


@pytest.mark.parametrize(
    "power",
    [
        lambda games_here, now: desk.link_account(
            DeskRequest(games_here, GAME, now), "fremen", account="7", reason="so"
        ),
        lambda games_here, now: desk.close_thread(DeskRequest(games_here, GAME, now)),
        lambda games_here, now: desk.retry_posts(DeskRequest(games_here, GAME, now)),
        lambda games_here, now: desk.next_to_post(games_here, GAME, now),
    ],
)
def test_a_game_without_a_thread_is_told_how_to_get_one(
    place: ForumWorld, power: Callable[[object, object], object]
) -> None:
    with writing(place.world.engine) as conn:
        forum_threads.forget_thread(conn, GAME)
    with pytest.raises(PowerRefused, match="mentat forum open"):
        power(place.world.moderator.open_games, place.world.now)
