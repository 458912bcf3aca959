"""What a game master does with the forum by hand: accounts, threads for running games, blocks, posts handed in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.channels.channel import Gone, Refused
from bot.channels.channel import Thread as Place
from bot.channels.paste import PasteChannel
from bot.channels.posters import UNPROVEN
from bot.forum import by_hand
from bot.forum.opening import open_channel
from bot.forum.posting import Manner
from bot.forum.watch import Forum, Watch
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use
from bot.games.acts import acts_of
from bot.store import games
from bot.store.database import reading, writing
from bot.store.forum import accounts, outgoing, threads
from bot.store.forum.pasted import KeptPastes, forget
from bot.store.forum.threads import Thread
from bot.store.tables import GAME as GAMES
from rules.components import Faction, faction_name
from tests.forum.place import DISCOURSE, ForumWorld
from tests.moderator.table import GAME, World, address_of


class PasteWorld(ForumWorld):
    """The world of a game in a forum in which a person posts by hand."""

    def another_watch(self) -> Watch:
        moderator = self.world.moderator
        forum = Forum("arrakis", self.paste_channel, self.manner, timedelta(minutes=1))
        return Watch(moderator.open_games, {"arrakis": forum}, moderator.timekeeper.pass_until)

    def paste_channel(self, game: str) -> PasteChannel:
        limits = open_channel("arrakis", self.world.settings, kept=KeptPastes(self.world.engine, game)).limits
        return PasteChannel(KeptPastes(self.world.engine, game), limits, lambda: self.world.now)

    def paste(
        self, faction: Faction, text: str, number: int | None = None, use: Use = AT_THE_MACHINE, **named: object
    ) -> by_hand.HandedIn:
        moderator = self.world.moderator
        pasted = by_hand.Pasted(faction, text, number=number, **named)  # type: ignore[arg-type]
        return by_hand.paste(
            moderator.open_games, moderator.timekeeper.pass_until, GAME, pasted, self.world.now, use
        )  # fmt: skip

    def tick(self) -> str:
        """The next block is posted; its text."""
        block = by_hand.to_post(self.world.moderator.open_games, GAME).block
        assert block is not None
        by_hand.posted(self.world.moderator.open_games, GAME, block.number, self.world.now)
        return block.text

    def bids(self) -> list[tuple[Faction, int]]:
        with reading(self.world.engine) as conn:
            events = games.events_of(conn, GAME)
        return [(event.facts["faction"], event.facts["amount"]) for event in events if event.kind == "bid"]


@pytest.fixture
def pasted(tmp_path: Path) -> PasteWorld:
    place = PasteWorld(tmp_path)
    place.begin_at("bidding")
    return place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ForumWorld:
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "key-of-arrakis")
    monkeypatch.setattr("tests.forum.place.FORUM", DISCOURSE)
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    return place


def linked(world: World) -> dict[Faction, str]:
    with reading(world.engine) as conn:
        return {faction: link.account for faction, link in accounts.links(conn, GAME).items()}


def answer(world: World, faction: Faction, line: str) -> str:
    world.say(faction, line)
    return world.newest(faction).text


def words_of_last_act(world: World) -> tuple[str, str]:
    with reading(world.engine) as conn:
        act = acts_of(conn, GAME)[-1]
    return act.what, act.words


# --- whose account is whose ------------------------------------------------------------------------------------------


def test_the_author_of_a_post_is_linked_with_a_seat_and_all_are_told_why(place: ForumWorld) -> None:
    place.write("chani_77", "Is this thing on?")
    place.look(1)
    before = place.world.written()
    name = by_hand.link(
        place.world.moderator.open_games, GAME, "fremen", place.world.now, post=2, reason="told me on the phone"
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
    assert by_hand.link(games_here, GAME, "fremen", world.now, account=account, reason="so") == "chani_77"
    with pytest.raises(PowerRefused, match="another seat"):
        by_hand.link(games_here, GAME, "guild", world.now, account=account, reason="so")
    before = world.written()
    assert by_hand.unlink(games_here, GAME, "fremen", world.now, reason="they left") == "chani_77"
    assert linked(world) == {}
    assert [letter.faction for letter in world.letters(after=before)] == ["fremen"]
    with pytest.raises(PowerRefused, match="No account posts for Fremen"):
        by_hand.unlink(games_here, GAME, "fremen", world.now)


def test_nobody_is_linked_by_a_post_that_was_not_read_or_that_nothing_proves(place: ForumWorld) -> None:
    games_here, world = place.world.moderator.open_games, place.world
    with pytest.raises(PowerRefused, match="No post 9"):
        by_hand.link(games_here, GAME, "fremen", world.now, post=9, reason="so")
    place.people["forger"] = f"{UNPROVEN}chani@players.example"
    place.forum._names[place.people["forger"]] = "Chani"
    place.write("forger", "It is me.")
    place.look(1)
    with pytest.raises(PowerRefused, match="Nothing proves"):
        by_hand.link(games_here, GAME, "fremen", world.now, post=2, reason="so")
    with pytest.raises(PowerRefused, match="--account"):
        by_hand.link(games_here, GAME, "fremen", world.now, reason="so")
    assert linked(world) == {}


def test_a_name_is_not_taken_for_what_the_forum_calls_an_account(place: ForumWorld) -> None:
    with pytest.raises(PowerRefused, match="is no number"):
        by_hand.link(place.world.moderator.open_games, GAME, "fremen", place.world.now, account="chani_77", reason="so")


def test_on_a_list_an_account_is_an_address_in_whatever_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.forum.place.FORUM", '[forums.arrakis]\nkind = "list"\naddress = "dune@lists.example"\n')
    place = ForumWorld(tmp_path)
    place.begin_at("bidding")
    games_here, now = place.world.moderator.open_games, place.world.now
    with pytest.raises(PowerRefused, match="'chani_77' is no address: on a list an account is the address"):
        by_hand.link(games_here, GAME, "fremen", now, account="chani_77", reason="so")
    assert linked(place.world) == {}
    by_hand.link(games_here, GAME, "fremen", now, account="Chani@Players.Example", reason="so")
    assert linked(place.world) == {"fremen": "chani@players.example"}


def test_a_dry_run_links_nobody(place: ForumWorld) -> None:
    by_hand.link(
        place.world.moderator.open_games, GAME, "fremen", place.world.now, Use(dry_run=True), account="9",
        reason="so",
    )  # fmt: skip
    assert linked(place.world) == {}


# --- a thread for a running game -------------------------------------------------------------------------------------


def test_a_running_game_gets_a_thread_that_tells_what_happens_from_now_on(place: ForumWorld) -> None:
    world = place.world
    with writing(world.engine) as conn:
        threads.forget(conn, GAME)
    before = world.written()
    assert not by_hand.open_thread(world.moderator.open_games, GAME, "arrakis", world.now)
    assert {letter.recipient for letter in world.letters(after=before)} == {
        address_of(faction) for faction in world.table().seats
    }
    place.look(1)
    [opening] = place.ours()
    assert "a game of Dune, moderated by Mentat" in opening
    with pytest.raises(PowerRefused, match="has a thread in arrakis already"):
        by_hand.open_thread(world.moderator.open_games, GAME, "arrakis", world.now)
    with pytest.raises(PowerRefused, match="There is no forum 'nowhere'"):
        by_hand.open_thread(world.moderator.open_games, GAME, "nowhere", world.now)


def test_a_thread_that_was_left_counts_no_more_until_it_is_opened_again(place: ForumWorld) -> None:
    world, bidder = place.world, place.bidder()
    place.link(bidder)
    assert by_hand.close_thread(world.moderator.open_games, GAME, world.now) == "arrakis"
    assert linked(world) == {}
    told = place.ours()
    place.write(bidder, "!bid 2")
    place.look(1)
    assert (place.bidder(), place.ours()) == (bidder, told)
    with pytest.raises(PowerRefused, match="has left the thread"):
        by_hand.to_post(world.moderator.open_games, GAME)
    assert "has no thread" in answer(world, bidder, "forum name chani_77")
    with pytest.raises(PowerRefused, match="has left the thread"):
        by_hand.close_thread(world.moderator.open_games, GAME, world.now)
    assert by_hand.open_thread(world.moderator.open_games, GAME, "arrakis", world.now)
    place.look(1)
    assert place.bidder() == bidder  # the account is no longer theirs
    place.link(bidder)
    place.write(bidder, "!bid 2")
    place.look(1)
    assert place.bidder() != bidder


def test_a_new_thread_is_opened_where_the_old_one_is_not_wanted(place: ForumWorld) -> None:
    world = place.world
    first = place.thread().thread
    by_hand.close_thread(world.moderator.open_games, GAME, world.now)
    assert not by_hand.open_thread(world.moderator.open_games, GAME, "arrakis", world.now, anew=True)
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
    by_hand.close_thread(games_here, GAME, world.now)
    assert not by_hand.open_thread(games_here, GAME, "tabr", world.now)
    moved = place.thread()
    assert (moved.forum, moved.thread, moved.closed, moved.told) == ("tabr", "", False, world.table().events)
    with pytest.raises(PowerRefused, match="has a thread in tabr already"):
        by_hand.open_thread(games_here, GAME, "arrakis", world.now)


# --- posting by hand -------------------------------------------------------------------------------------------------


def test_blocks_are_posted_in_order_and_ticked(pasted: PasteWorld) -> None:
    games_here, now = pasted.world.moderator.open_games, pasted.world.now
    shown = by_hand.to_post(games_here, GAME)
    assert (shown.by_hand, shown.blocks, shown.waits) == (True, 1, ())
    assert shown.block is not None
    assert shown.block.title is not None
    assert GAME in shown.block.title
    with pytest.raises(PowerRefused, match="There is no block 9"):
        by_hand.posted(games_here, GAME, 9, now)
    pasted.world.wait(24)
    pasted.look(1)
    with pytest.raises(PowerRefused, match="Block 1 is to be posted before block 2"):
        by_hand.posted(games_here, GAME, 2, now)
    by_hand.posted(games_here, GAME, 1, now, number=41, url="https://tabr.example/41")
    by_hand.posted(games_here, GAME, 1, now)
    assert pasted.thread().url == "https://tabr.example/41"
    with reading(pasted.world.engine) as conn:
        assert outgoing.posted(conn, GAME)[0].number == 41
    pasted.tick()
    assert by_hand.to_post(games_here, GAME).block is None


def test_what_waits_for_a_forum_is_shown_and_not_ticked(place: ForumWorld) -> None:
    games_here = place.world.moderator.open_games
    with writing(place.world.engine) as conn:
        threads.put_thread(conn, Thread(GAME, "arrakis"))
    place.forum.revoked = True
    place.look(1)
    shown = by_hand.to_post(games_here, GAME)
    assert (shown.by_hand, shown.block, shown.blocks) == (False, None, 0)
    assert [each.kind for each in shown.waits] == ["open"]
    assert "revoked" in shown.thread.problem
    with pytest.raises(PowerRefused, match="Mentat itself reads and posts"):
        by_hand.posted(games_here, GAME, 1, place.world.now)
    pasted = by_hand.Pasted("fremen", "!bid 2")
    with pytest.raises(PowerRefused, match="Mentat itself reads and posts"):
        by_hand.paste(games_here, place.world.moderator.timekeeper.pass_until, GAME, pasted, place.world.now)


def test_what_a_player_posted_is_handed_in_and_answered_by_mail(pasted: PasteWorld) -> None:
    bidder, before = pasted.bidder(), pasted.world.written()
    handed = pasted.paste(bidder, "Mine!\n!bid 2", number=57, name="chani_77")
    assert (handed.state, [(line.text, line.status) for line in handed.post.lines]) == (
        "taken",
        [("bid 2", "accepted")],
    )
    assert pasted.bids() == [(bidder, 2)]
    [letter] = [letter for letter in pasted.world.letters(after=before) if letter.faction == bidder]
    assert "I read these lines from your post in the forum" in letter.text
    what, words = words_of_last_act(pasted.world)
    assert (what, words) == ("forum-paste", f"post #57 of {bidder}, lines 1/1")
    pasted.look(1)
    while by_hand.to_post(pasted.world.moderator.open_games, GAME).block:
        last = pasted.tick()
    told = last.replace("\\", "").replace("*", "")
    assert f"#57 chani_77 ({faction_name(bidder)}) “bid 2”" in told
    assert "Linked" not in told


def test_the_same_post_twice_is_one_and_with_other_words_an_edit_that_counts_for_nothing(pasted: PasteWorld) -> None:
    bidder = pasted.bidder()
    pasted.paste(bidder, "!bid 2", number=57)
    assert pasted.paste(bidder, "!bid 2", number=57).state == "known"
    assert pasted.paste(bidder, "!bid 5", number=57).state == "changed"
    assert pasted.bids() == [(bidder, 2)]
    with pytest.raises(PowerRefused, match="was handed in before as a post of"):
        pasted.paste(pasted.bidder(), "!bid 3", number=57)
    pasted.look(1)
    pasted.look(1)
    assert pasted.bids() == [(bidder, 2)]
    told = ""
    while by_hand.to_post(pasted.world.moderator.open_games, GAME).block:
        told += pasted.tick()
    assert "was changed after it was taken" in told


def test_a_post_handed_in_without_a_number_and_a_name_counts_too(pasted: PasteWorld) -> None:
    bidder = pasted.bidder()
    pasted.paste(bidder, "!pass")
    assert pasted.bidder() != bidder
    assert linked(pasted.world) == {bidder: f"seat:{bidder}"}


def test_who_was_named_with_a_link_is_quoted_with_their_posts(pasted: PasteWorld) -> None:
    bidder, world = pasted.bidder(), pasted.world
    assert by_hand.link(world.moderator.open_games, GAME, bidder, world.now, name="chani_77", reason="so") == "chani_77"
    assert pasted.paste(bidder, "!bid 2", number=57).post.author == "chani_77"


def test_where_a_person_posts_by_hand_nobody_is_asked_to_link_an_account(tmp_path: Path) -> None:
    pasted = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    pasted.begin_at("bidding")
    opening = pasted.tick()
    assert ("forum name" in opening, "handed it in" in " ".join(opening.split())) == (False, True)
    told = answer(pasted.world, "fremen", "forum")
    assert ("forum name" in told, "handed it in" in " ".join(told.split())) == (False, True), told
    games_here, now = pasted.world.moderator.open_games, pasted.world.now
    with games_here.busy, writing(pasted.world.engine) as conn:
        games_here.writer.brief(conn, games_here.table(conn, GAME), "guild", now, (), "Welcome", ())
    first = pasted.world.newest("guild").text
    assert ("forum name" in first, "handed it in" in " ".join(first.split())) == (False, True)


def test_who_is_called_otherwise_by_now_keeps_their_account(pasted: PasteWorld) -> None:
    bidder, world = pasted.bidder(), pasted.world
    by_hand.link(world.moderator.open_games, GAME, bidder, world.now, name="chani_77", reason="so")
    assert pasted.paste(bidder, "Mine!", number=57, name="sihaya").post.author == "sihaya"
    assert linked(world) == {bidder: f"seat:{bidder}"}
    assert pasted.paste(bidder, "!bid 2", number=58).post.author == "sihaya"


def test_nothing_is_handed_in_from_tomorrow(pasted: PasteWorld) -> None:
    bidder, now = pasted.bidder(), pasted.world.now
    pasted.paste(bidder, "!bid 2", number=57, written=now + timedelta(days=1))
    [post] = [
        post
        for post in pasted.paste_channel(GAME).read_since(Place(pasted.thread().thread), None).posts
        if post.number == 57
    ]
    assert (post.posted, pasted.bids()) == (now, [(bidder, 2)])


def test_a_code_in_a_post_that_is_handed_in_links_the_account_that_was_named(pasted: PasteWorld) -> None:
    told = answer(pasted.world, "fremen", "forum name chani_77")
    code = told.partition("I am ")[2][:6]
    pasted.paste("fremen", f"!I am {code}", number=58)
    with reading(pasted.world.engine) as conn:
        assert accounts.links(conn, GAME)["fremen"].author == "chani_77"


def test_one_of_our_own_posts_is_not_handed_in(pasted: PasteWorld) -> None:
    by_hand.posted(pasted.world.moderator.open_games, GAME, 1, pasted.world.now, number=56)
    with pytest.raises(PowerRefused, match="one of Mentat's own"):
        pasted.paste("fremen", "!bid 2", number=56)


def test_a_secret_that_was_posted_is_not_taken_and_its_writer_is_told(pasted: PasteWorld) -> None:
    before = pasted.world.written()
    handed = pasted.paste("fremen", "!traitor Stilgar", number=58)
    assert [line.status for line in handed.post.lines] == ["secret"]
    [letter] = pasted.world.letters(after=before)
    assert (letter.faction, "only counts by mail" in letter.text) == ("fremen", True)


def test_what_was_posted_in_time_counts_although_it_is_handed_in_late(pasted: PasteWorld) -> None:
    bidder, world = pasted.bidder(), pasted.world
    [bid] = [deadline for key, deadline in world.table().deadlines.items() if key[1][1] == "bid"]
    world.now = bid.due + timedelta(hours=30)
    pasted.paste(bidder, "!bid 2", number=57, written=bid.due - timedelta(minutes=1))
    assert pasted.bids() == [(bidder, 2)]


def test_a_post_that_is_changed_twice_is_remarked_once_and_chat_that_changes_never(pasted: PasteWorld) -> None:
    bidder = pasted.bidder()
    pasted.paste(bidder, "!bid 2", number=57)
    pasted.paste(bidder, "Well bid!", number=58)
    assert [pasted.paste(bidder, text, number=58).state for text in ("Well played!", "Well done!")] == ["changed"] * 2
    with reading(pasted.world.engine) as conn:
        assert outgoing.remarks(conn, GAME) == []
    assert [pasted.paste(bidder, f"!bid {amount}", number=57).state for amount in (5, 7)] == ["changed"] * 2
    with reading(pasted.world.engine) as conn:
        [remark] = outgoing.remarks(conn, GAME)
    assert (remark.post, remark.in_force) == ("#57", "bid 2")
    assert pasted.bids() == [(bidder, 2)]
    assert words_of_last_act(pasted.world)[1] == f"post #57 of {bidder}, changed: lines 1/1"


def test_where_nobody_is_to_know_who_plays_whom_nothing_is_handed_in(pasted: PasteWorld) -> None:
    with writing(pasted.world.engine) as conn:
        conn.execute(update(GAMES).values(press="open,gunboat"))
    pasted.world = pasted.world.another_process()
    with pytest.raises(PowerRefused, match="Nobody in this game is to know who plays whom"):
        pasted.paste(pasted.bidder(), "!bid 2", number=57)
    assert (pasted.bids(), linked(pasted.world)) == ([], {})


def test_a_forum_that_the_settings_name_no_more_takes_nothing(
    pasted: PasteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(pasted.world.moderator.open_games.settings.forums, "arrakis")
    with pytest.raises(PowerRefused, match="The settings have no forum 'arrakis' any more"):
        pasted.paste(pasted.bidder(), "!bid 2", number=57)
    assert pasted.bids() == []


def test_the_next_block_is_written_at_once_but_for_a_game_that_is_held(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner("phases"))
    place.begin_at("bidding")
    while by_hand.to_post(place.world.moderator.open_games, GAME).block:
        place.tick()
        place.look(1)
    place.paste(place.bidder(), "!bid 2", number=57)
    place.look(1)

    def written() -> str:
        by_hand.write_now(
            place.world.moderator.open_games, place.paste_channel(GAME), GAME, place.manner, place.world.now
        )
        block = by_hand.to_post(place.world.moderator.open_games, GAME).block
        return block.text if block else ""

    with writing(place.world.engine) as conn:
        conn.execute(update(GAMES).values(status="held"))
    place.world = place.world.another_process()
    assert written() == ""
    with writing(place.world.engine) as conn:
        conn.execute(update(GAMES).values(status="running"))
    place.world = place.world.another_process()
    assert "bid 2" in written()


def test_a_post_that_is_not_in_the_thread_cannot_be_struck_from_it(pasted: PasteWorld) -> None:
    channel, place = pasted.paste_channel(GAME), Place(pasted.thread().thread)
    post = channel.hand_in(place, "chani_77", "77", "!bid 2", number=57)
    with pytest.raises(Refused, match="there is no post nothing in this thread"):
        channel.struck(place, "nothing")
    assert channel.look_again(place, [post.id, "nothing"]) == (post, Gone("nothing"))
    channel.struck(place, post.id)
    assert channel.look_again(place, [post.id]) == (Gone(post.id),)


def test_a_dry_run_hands_nothing_in(pasted: PasteWorld) -> None:
    bidder = pasted.bidder()
    handed = pasted.paste(bidder, "!bid 2", number=57, use=Use(dry_run=True))
    assert [line.status for line in handed.post.lines] == ["accepted"]
    assert (pasted.bids(), linked(pasted.world)) == ([], {})
    assert pasted.paste(bidder, "!bid 2", number=57).state == "taken"


def test_what_a_person_posted_is_forgotten_with_them(pasted: PasteWorld) -> None:
    bidder = pasted.bidder()
    pasted.paste(bidder, "!bid 2", number=57, name="chani_77")
    pasted.paste(pasted.bidder(), "My lips are sealed.", number=58, name="edric")
    with writing(pasted.world.engine) as conn:
        forget(conn, [GAME], bidder)
    kept = pasted.paste_channel(GAME).read_since(Place(pasted.thread().thread), None).posts
    assert [post.author for post in kept if post.author != "mentat"] == ["edric"]
    with writing(pasted.world.engine) as conn:
        forget(conn, [GAME])
    assert pasted.paste_channel(GAME).read_since(Place(pasted.thread().thread), None).posts == ()


# --- what the forum refused ------------------------------------------------------------------------------------------


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
    by_hand.try_again(place.world.moderator.open_games, GAME, place.world.now)
    place.look()
    assert len(place.ours()) > told
    with pytest.raises(PowerRefused, match="Nothing waits"):
        by_hand.try_again(place.world.moderator.open_games, GAME, place.world.now)


def test_what_was_refused_can_be_given_up_but_not_the_opening(place: ForumWorld) -> None:
    revoke(place)
    games_here = place.world.moderator.open_games
    given_up = by_hand.try_again(games_here, GAME, place.world.now, skip=True)
    assert given_up.kind == "post"
    place.forum.revoked = False
    place.look()
    assert given_up.text not in place.ours()
    assert place.thread().problem == ""
    with writing(place.world.engine) as conn:
        threads.forget(conn, GAME)
        threads.follow(conn, Thread(GAME, "arrakis"))
    place.forum.revoked = True
    place.look(1)
    with pytest.raises(PowerRefused, match="The opening cannot be given up"):
        by_hand.try_again(games_here, GAME, place.world.now, skip=True)


@pytest.mark.parametrize(
    "power",
    [
        lambda games_here, now: by_hand.link(games_here, GAME, "fremen", now, account="7", reason="so"),
        lambda games_here, now: by_hand.close_thread(games_here, GAME, now),
        lambda games_here, now: by_hand.try_again(games_here, GAME, now),
        lambda games_here, now: by_hand.to_post(games_here, GAME),
    ],
)
def test_a_game_without_a_thread_is_told_how_to_get_one(
    place: ForumWorld, power: Callable[[object, object], object]
) -> None:
    with writing(place.world.engine) as conn:
        threads.forget(conn, GAME)
    with pytest.raises(PowerRefused, match="mentat forum open"):
        power(place.world.moderator.open_games, place.world.now)
