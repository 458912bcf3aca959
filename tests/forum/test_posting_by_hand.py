"""Forums in which a person posts by hand: blocks are posted in order, and others' posts are handed in."""

from __future__ import annotations

import time
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.channels import Gone, Refused
from bot.channels import Thread as Place
from bot.channels.paste import PasteChannel
from bot.desk import positions
from bot.desk.powers import AT_THE_MACHINE, DeskRequest, PowerRefused, Use
from bot.forum import desk
from bot.forum.access import open_channel
from bot.forum.pages import PagePost, read_page
from bot.forum.posting import Manner
from bot.forum.watch import Forum, Watch
from bot.games.letter_writer import master_token
from bot.store import forum_posts, forum_threads, games
from bot.store.database import reading, writing
from bot.store.forum_pastes import KeptPastes, forget_pasted
from bot.store.tables import GAME as GAMES
from rules.components import Faction, faction_name
from tests.forum.place import FORUM, SIX, ForumWorld, answer, linked, words_of_last_act
from tests.moderator.table import GAME, GAME_MASTER


class PasteWorld(ForumWorld):
    """A world whose game is in a forum in which a person posts by hand."""

    def another_watch(self) -> Watch:
        moderator = self.world.moderator
        forum = Forum("arrakis", self.paste_channel, self.manner, timedelta(minutes=1))
        return Watch(moderator.open_games, {"arrakis": forum}, moderator.timekeeper.pass_until)

    def paste_channel(self, game: str) -> PasteChannel:
        limits = open_channel("arrakis", self.world.settings, kept=KeptPastes(self.world.engine, game)).limits
        return PasteChannel(KeptPastes(self.world.engine, game), limits, lambda: self.world.now)

    def paste(
        self, faction: Faction, text: str, number: int | None = None, use: Use = AT_THE_MACHINE, **named: object
    ) -> desk.HandInResult:
        moderator = self.world.moderator
        pasted = desk.PastedPost(faction, text, number=number, **named)  # type: ignore[arg-type]
        request = DeskRequest(moderator.open_games, GAME, self.world.now, use)
        return desk.hand_in_post(request, moderator.timekeeper.pass_until, pasted)

    def tick(self) -> str:
        """Mark the next block as posted, and return its text."""
        block = desk.next_to_post(self.world.moderator.open_games, GAME, self.world.now).block
        assert block is not None
        desk.note_posted(DeskRequest(self.world.moderator.open_games, GAME, self.world.now), block.number)
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


def test_blocks_are_posted_in_order_and_ticked(pasted: PasteWorld) -> None:
    games_here, now = pasted.world.moderator.open_games, pasted.world.now
    shown = desk.next_to_post(games_here, GAME, now)
    assert (shown.by_hand, len(shown.blocks), shown.waits) == (True, 1, ())
    assert shown.block is not None
    assert shown.block.title is not None
    assert GAME in shown.block.title
    with pytest.raises(PowerRefused, match="There is no block 9"):
        desk.note_posted(DeskRequest(games_here, GAME, now), 9)
    desk.note_posted(DeskRequest(games_here, GAME, now), 1, number=41, url="https://tabr.example/41")
    desk.note_posted(DeskRequest(games_here, GAME, now), 1)
    assert pasted.thread().url == "https://tabr.example/41"
    with reading(pasted.world.engine) as conn:
        assert forum_threads.own_posts(conn, GAME)[0].number == 41
    pasted.world.wait(24)
    pasted.look(1)
    pasted.tick()
    assert desk.next_to_post(games_here, GAME, now).block is None


def test_to_tick_a_block_ticks_those_before_it(pasted: PasteWorld) -> None:
    games_here, now = pasted.world.moderator.open_games, pasted.world.now
    desk.next_to_post(games_here, GAME, now)
    pasted.world.wait(24)
    pasted.look(1)
    assert [block.number for block in desk.next_to_post(games_here, GAME, now).blocks] == [1, 2]
    desk.note_posted(DeskRequest(games_here, GAME, now), 2, number=42)
    assert desk.next_to_post(games_here, GAME, now).blocks == []
    with reading(pasted.world.engine) as conn:
        assert [post.number for post in forum_threads.own_posts(conn, GAME)] == [None, 42]


def test_what_a_player_posted_is_handed_in_and_answered_by_mail(pasted: PasteWorld) -> None:
    bidder, before = pasted.bidder(), pasted.world.written()
    handed = pasted.paste(bidder, "Mine!\n!bid 2", number=57, name="chani_77")
    assert (handed.state, [(line.text, line.status) for line in handed.post.lines]) == (
        "taken",
        [("bid 2", "accepted")],
    )
    assert pasted.bids() == [(bidder, 2)]
    [letter] = [letter for letter in pasted.world.letters(after=before) if letter.faction == bidder]
    assert "bid 2" in letter.text
    what, words = words_of_last_act(pasted.world)
    assert (what, words) == ("forum-paste", f"post #57 of {bidder}, lines 1/1")
    pasted.look(1)
    while desk.next_to_post(pasted.world.moderator.open_games, GAME, pasted.world.now).block:
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
    while desk.next_to_post(pasted.world.moderator.open_games, GAME, pasted.world.now).block:
        told += pasted.tick()
    assert "was changed after it was taken" in told


def test_a_post_handed_in_without_a_number_and_a_name_counts_too(pasted: PasteWorld) -> None:
    bidder = pasted.bidder()
    pasted.paste(bidder, "!pass")
    assert pasted.bidder() != bidder
    assert linked(pasted.world) == {bidder: f"seat:{bidder}"}


def test_who_was_named_with_a_link_is_quoted_with_their_posts(pasted: PasteWorld) -> None:
    bidder, world = pasted.bidder(), pasted.world
    assert (
        desk.link_account(
            DeskRequest(world.moderator.open_games, GAME, world.now), bidder, name="chani_77", reason="so"
        )
        == "chani_77"
    )
    assert pasted.paste(bidder, "!bid 2", number=57).post.author == "chani_77"


def test_where_a_person_posts_by_hand_nobody_is_asked_to_link_an_account(tmp_path: Path) -> None:
    pasted = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    pasted.begin_at("bidding")
    opening = pasted.tick()
    assert ("forum name" in opening, "passed it on" in " ".join(opening.split())) == (False, True)
    told = answer(pasted.world, "fremen", "forum")
    assert ("forum name" in told, "passed them on" in " ".join(told.split())) == (False, True), told
    games_here, now = pasted.world.moderator.open_games, pasted.world.now
    with games_here.busy, writing(pasted.world.engine) as conn:
        games_here.writer(conn, now).brief(games_here.table(conn, GAME), "guild", (), "Welcome", ())
    first = pasted.world.newest("guild").text
    assert ("forum name" in first, "passed them on" in " ".join(first.split())) == (False, True)


def test_who_is_called_otherwise_by_now_keeps_their_account(pasted: PasteWorld) -> None:
    bidder, world = pasted.bidder(), pasted.world
    desk.link_account(DeskRequest(world.moderator.open_games, GAME, world.now), bidder, name="chani_77", reason="so")
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
        assert forum_posts.account_links(conn, GAME)["fremen"].author == "chani_77"


def test_one_of_our_own_posts_is_not_handed_in(pasted: PasteWorld) -> None:
    desk.note_posted(DeskRequest(pasted.world.moderator.open_games, GAME, pasted.world.now), 1, number=56)
    with pytest.raises(PowerRefused, match="one of Mentat's own"):
        pasted.paste("fremen", "!bid 2", number=56)


def test_a_secret_that_was_posted_is_not_taken_and_its_writer_is_told(pasted: PasteWorld) -> None:
    before = pasted.world.written()
    handed = pasted.paste("fremen", "!traitor Stilgar", number=58)
    assert [line.status for line in handed.post.lines] == ["secret"]
    [letter] = pasted.world.letters(after=before)
    assert (letter.faction, "counts only by mail" in letter.text) == ("fremen", True)


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
    assert [pasted.paste(bidder, text, number=58).state for text in ("Well played!", "Well done!")] == ["taken"] * 2
    with reading(pasted.world.engine) as conn:
        assert forum_threads.remarks(conn, GAME) == []
    assert [pasted.paste(bidder, f"!bid {amount}", number=57).state for amount in (5, 7)] == ["changed"] * 2
    with reading(pasted.world.engine) as conn:
        [remark] = forum_threads.remarks(conn, GAME)
    assert (remark.post, remark.in_force) == ("#57", "bid 2")
    assert pasted.bids() == [(bidder, 2)]
    assert words_of_last_act(pasted.world)[1] == f"post #57 of {bidder}, changed: lines 1/1"


def test_where_nobody_is_to_know_who_plays_whom_nothing_is_handed_in(pasted: PasteWorld) -> None:
    with writing(pasted.world.engine) as conn:
        conn.execute(update(GAMES).values(press="open,gunboat"))
    pasted.world = pasted.world.another_process()
    with pytest.raises(PowerRefused, match="Nobody in this game may know who plays whom"):
        pasted.paste(pasted.bidder(), "!bid 2", number=57)
    assert (pasted.bids(), linked(pasted.world)) == ([], {})


def test_a_forum_that_the_settings_name_no_more_takes_nothing(
    pasted: PasteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(pasted.world.moderator.open_games.settings.forums, "arrakis")
    with pytest.raises(PowerRefused, match="The settings no longer have a forum 'arrakis'"):
        pasted.paste(pasted.bidder(), "!bid 2", number=57)
    assert pasted.bids() == []


def test_what_is_not_posted_is_written_anew_when_it_is_shown_and_merged(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner("phases", by_hand=True))
    place.begin_at("bidding")
    first = place.bidder()

    def shown() -> str:
        block = desk.next_to_post(place.world.moderator.open_games, GAME, place.world.now).block
        return block.text.replace("\\", "") if block else ""

    while shown():
        place.tick()
    place.paste(first, "!bid 2", number=57)
    told = shown()
    assert f"Now up: {faction_name(place.bidder())}" in told
    assert shown() == told.replace("\\", "")
    place.paste(place.bidder(), "!bid 1", number=58)
    place.paste(place.bidder(), "!bid 3", number=59)
    place.look(1)
    merged = shown()
    assert len(desk.next_to_post(place.world.moderator.open_games, GAME, place.world.now).blocks) == 1
    assert all(sign in merged for sign in ("#57", "#58", "#59", f"Now up: {faction_name(place.bidder())}"))
    with writing(place.world.engine) as conn:
        conn.execute(update(GAMES).values(status="held"))
    place.world = place.world.another_process()
    assert shown() == merged
    with writing(place.world.engine) as conn:
        conn.execute(update(GAMES).values(status="running"))
    place.world = place.world.another_process()
    place.tick()
    assert shown() == ""
    place.paste(place.bidder(), "!pass", number=60)
    assert "#60" in shown()
    assert "#59" not in shown()


def test_of_a_text_in_several_blocks_the_rest_stays_as_it_was_when_the_first_is_posted(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path)
    place.begin_at("bidding")
    games_here = place.world.moderator.open_games
    place.tick()
    while desk.next_to_post(games_here, GAME, place.world.now).block:
        place.tick()
    place.world.silence_until("spice", 2)
    place.world = place.world.another_process()
    games_here = place.world.moderator.open_games
    count = len(desk.next_to_post(games_here, GAME, place.world.now).blocks)
    told = [place.tick()]
    place.world.wait(24)
    told += [place.tick() for _ in range(count - 1)]
    if count > 1:
        assert "turn 1 is over" in "".join(told)
    assert desk.next_to_post(games_here, GAME, place.world.now).block is not None


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
        forget_pasted(conn, [GAME], bidder)
    kept = pasted.paste_channel(GAME).read_since(Place(pasted.thread().thread), None).posts
    assert [post.author for post in kept if post.author != "mentat"] == ["edric"]
    with writing(pasted.world.engine) as conn:
        forget_pasted(conn, [GAME])
    assert pasted.paste_channel(GAME).read_since(Place(pasted.thread().thread), None).posts == ()


def test_the_posts_of_a_page_count_in_its_order(pasted: PasteWorld) -> None:
    games_here, zone = pasted.world.moderator.open_games, pasted.world.settings.mentat.timezone
    desk.next_to_post(games_here, GAME, pasted.world.now)
    order = pasted.world.table().play.state.players
    first = pasted.bidder()
    around = [*order][[*order].index(first) :] + [*order][: [*order].index(first)]
    page = "".join(
        f"#{number} {faction} on phone:\n{'> !bid 9' if number == 4 else 'So.'}\n\n!bid {number - 1}\n\n"
        for number, faction in enumerate(around[:3], start=2)
    )
    named = {f"{faction} on phone": faction for faction in SIX}
    request = DeskRequest(games_here, GAME, pasted.world.now)
    found = desk.hand_in_page(request, pasted.world.moderator.timekeeper.pass_until, read_page(page, zone), named)
    assert [line.status for each in found if each.handed for line in each.handed.post.lines] == ["accepted"] * 3
    assert [amount for _, amount in pasted.bids()] == [1, 2, 3]
    block = desk.next_to_post(games_here, GAME, pasted.world.now).block
    assert block is not None
    assert pasted.thread().told < pasted.world.table().events


# --- a page by mail --------------------------------------------------------------------------------------------------


def page_of(place: PasteWorld, *texts: str) -> str:
    """Return a page on which players post these texts in bidding order."""
    order = [*place.world.table().play.state.players]
    first = order.index(place.bidder())
    around = [*order[first:], *order[:first]]
    return "".join(
        f"#{number} {faction} on phone (24 Nov 2026 19:58)\n{text}\n\n"
        for number, (faction, text) in enumerate(zip(around, texts, strict=False), start=2)
    )


def to_desk(
    place: PasteWorld, body: str, *, to: str = "", attached: str = "", html: str = "", results: str = ""
) -> str:
    """Send a mail to the desk, or an answer to a letter; return the game master's newest letter."""
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["Subject"] = GAME_MASTER, f"Fwd: {GAME}"
    message["To"] = to or f"mentat+{master_token(place.world.settings)}@arrakis.example"
    message["Message-ID"] = f"<{place.world.written()}@elsewhere.example>"
    if results:
        message["Date"], message["Authentication-Results"] = format_datetime(place.world.now), results
    message.set_content(body)
    if html:
        message.add_alternative(html, subtype="html")
    if attached:
        message.add_attachment(attached, filename="page.txt")
    place.world.moderator.deliver(message.as_bytes(), place.world.now)
    return " ".join(place.world.newest(GAME_MASTER).text.split())


def confirm(place: PasteWorld, word: str = "confirm") -> str:
    return to_desk(place, word, to=str(place.world.newest(GAME_MASTER).message["Reply-To"]))


@pytest.mark.parametrize("way", ["pasted", "forwarded", "attached", "html"])
def test_a_page_comes_by_mail_and_is_taken_with_one_confirmation(pasted: PasteWorld, way: str) -> None:
    page = page_of(pasted, "!bid 1", "So.\n\n!bid 2", "!pass, but harkonnen wrote:\n!bid 9", "!bid 3")
    whose = "".join(f"{faction} on phone = {faction}\n" for faction in SIX)
    match way:
        case "forwarded":
            shown = to_desk(pasted, f"{whose}\n-------- Forwarded message --------\nFrom: rey\nTo: me\n\n{page}")
        case "attached":
            shown = to_desk(pasted, "Here it is.", attached=f"{whose}{page}")
        case "html":
            rows = "".join(f"<div>{line or '<br>'}</div>" for line in f"{whose}\n{page}".split("\n"))
            shown = to_desk(pasted, "", html=f"<html><body>{rows}</body></html>")
        case _:
            shown = to_desk(pasted, f"{whose}\n{page}")
    assert pasted.bids() == []
    assert [f"“bid {amount}”: taken" in shown for amount in (1, 2, 3)] == [True, True, False]
    told = confirm(pasted)
    assert [amount for _, amount in pasted.bids()] == [1, 2]
    assert "“bid 2”: taken" in told
    assert words_of_last_act(pasted.world)[0] == "forum-paste"
    again = to_desk(pasted, f"{whose}\n{page}")
    assert "Already handed in: #2" in again
    confirm(pasted)
    assert [amount for _, amount in pasted.bids()] == [1, 2]


def test_a_page_that_nobody_confirms_or_somebody_else_sends_counts_for_nothing(pasted: PasteWorld) -> None:
    whose = "".join(f"{faction} on phone={faction}\n" for faction in SIX)
    to_desk(pasted, f"{whose}\n{page_of(pasted, '!bid 1')}")
    assert "Not done" in confirm(pasted, "no")
    assert "used or expired" in to_desk(pasted, f"confirm {'a' * 16}")
    pasted.world.say("guild", *page_of(pasted, "!bid 1").split("\n"))
    assert pasted.bids() == []


def test_a_page_of_another_thread_is_refused_by_mail_and_its_words_name_no_account(pasted: PasteWorld) -> None:
    page = page_of(pasted, "!bid 1\nharkonnen on phone=guild")
    assert "Is it the wrong thread?" in to_desk(pasted, page)
    assert "Is it the wrong thread?" in to_desk(pasted, f"Dear Mentat,\n\nharkonnen on phone=guild\n\n{page}")
    assert pasted.bids() == []


def test_a_page_with_yes_above_it_is_taken_at_once_where_mails_are_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = '[identity]\nmode = "token+sender+auth"\nauthserv_id = "mx.arrakis.example"\n'
    monkeypatch.setattr("tests.forum.place.FORUM", FORUM + proof)
    place = PasteWorld(tmp_path)
    place.begin_at("bidding")
    body = f"Yes.\n{''.join(f'{faction} on phone={faction}' + chr(10) for faction in SIX)}\n{page_of(place, '!bid 1')}"
    to_desk(place, body, results="mx.arrakis.example; dmarc=fail")
    assert place.bids() == []
    told = to_desk(place, body, results="mx.arrakis.example; dmarc=pass header.from=arrakis.example")
    assert "“bid 1”: taken" in told
    assert [amount for _, amount in place.bids()] == [1]


QUOTED = "rey\nTue 24 Nov 2026 at 20:01\n!bid 1\n\nrey\nTue 24 Nov 2026 at 20:03\n!bid 1\n"


@pytest.mark.parametrize(
    ("below", "html"),
    [
        ("#5 is the post that I mean", ""),
        ("Best,\nrey\nTue 24 Nov 2026 at 20:01", ""),
        (QUOTED.replace("rey", "> rey").replace("Tue", "> Tue").replace("!", "> !"), ""),
        ("rey", f"<p>waits</p><p>{QUOTED}</p>".replace("\n", "<br>")),
    ],
)
def test_a_mail_with_a_line_like_the_head_of_a_post_is_no_page(pasted: PasteWorld, below: str, html: str) -> None:
    told = to_desk(pasted, f"waits\n\n{below}\n", html=html)
    assert ("waits" in told, "another thread" in told) == (True, False), told


def test_in_a_preview_each_post_is_judged_after_those_above_it(pasted: PasteWorld) -> None:
    named = {f"{faction} on phone": faction for faction in SIX}
    moderator = pasted.world.moderator
    request = DeskRequest(moderator.open_games, GAME, pasted.world.now, Use(dry_run=True))
    page = read_page(page_of(pasted, "!bid 1", "!bid 2", "!bid 2"), pasted.world.settings.mentat.timezone)
    found = desk.hand_in_page(request, moderator.timekeeper.pass_until, page, named)
    became = [line.status for each in found if each.handed for line in each.handed.post.lines]
    assert became == ["accepted", "accepted", "illegal"]
    assert (pasted.bids(), linked(pasted.world)) == ([], {})


# --- odd pages -------------------------------------------------------------------------------------------------------


def handed(place: PasteWorld, *posts: tuple[int, str, str]) -> list[str]:
    """Hand in a page with these posts (number, author's seat, text) and return the report."""
    page = "".join(f"#{number} {author}\n{text}\n\n" for number, author, text in posts)
    request = DeskRequest(place.world.moderator.open_games, GAME, place.world.now)
    read = read_page(page, place.world.settings.mentat.timezone)
    until = place.world.moderator.timekeeper.pass_until
    found = desk.hand_in_page(request, until, read, {faction: faction for faction in SIX})
    place.look(1)
    return desk.told_of_page(found)


def handed_unnumbered(place: PasteWorld, *posts: tuple[str, str]) -> list[str]:
    """Hand in a page from a forum without post numbers and return the report."""
    request = DeskRequest(place.world.moderator.open_games, GAME, place.world.now)
    page = [PagePost(author, text) for author, text in posts]
    found = desk.hand_in_page(
        request, place.world.moderator.timekeeper.pass_until, page, {faction: faction for faction in SIX}
    )
    return desk.told_of_page(found)


def around(place: PasteWorld) -> list[Faction]:
    order = [*place.world.table().play.state.players]
    first = order.index(place.bidder())
    return [*order[first:], *order[:first]]


def told_next(place: PasteWorld) -> str:
    block = desk.next_to_post(place.world.moderator.open_games, GAME, place.world.now).block
    return block.text.replace("\\", "") if block else ""


def test_of_a_page_of_two_hundred_posts_each_counts_once(pasted: PasteWorld) -> None:
    pasted.tick()
    one, two, three, *_ = around(pasted)
    talk = [(number, one if number % 2 else "bob", f"Verse {number} of a song") for number in range(2, 202)]
    talk[40], talk[120], talk[199] = (42, one, "!bid 1"), (122, two, "!bid 2"), (201, three, "!pass")
    told = handed(pasted, *talk)
    assert [line.partition(" ")[0] for line in told[:3]] == ["#42", "#122", "#201"]
    assert len(told) == 5  # talk and strangers take one line each
    assert pasted.bids() == [(one, 1), (two, 2)]
    talk[40] = (42, one, "!bid 9")
    told = handed(pasted, *talk)
    assert told[0].startswith(f"#42 {one}")
    assert "CHANGED" in told[0]
    assert pasted.bids() == [(one, 1), (two, 2)]


def test_without_numbers_a_page_with_talk_between_its_acts_counts_once(pasted: PasteWorld) -> None:
    pasted.tick()
    one, two, three, *_ = around(pasted)
    page = [(one, "Hm."), (one, "!bid 1"), (two, "Oh."), (two, "!bid 2"), (one, "Oh, oh.")]
    handed_unnumbered(pasted, *page)
    page += [(one, "Well."), (three, "!bid 3")]
    assert len(handed_unnumbered(pasted, *page)) == 3  # a new act, the known acts, and talk
    assert pasted.bids() == [(one, 1), (two, 2), (three, 3)]
    assert "Already handed in: 3 posts" in handed_unnumbered(pasted, *page)
    page[1] = (one, "I said nothing.")
    told = handed_unnumbered(pasted, *page)
    assert [line for line in told if "does not count" in line] == [], told


def test_without_numbers_what_may_be_known_is_not_taken_again(pasted: PasteWorld) -> None:
    pasted.tick()
    one, two, three, *_ = around(pasted)
    handed_unnumbered(pasted, (one, "!bid 1"), (two, "!bid 2"), (three, "!bid 3"))
    four = pasted.bidder()
    told = handed_unnumbered(pasted, (four, "!pass"), (one, "!bid 1"), (three, "!bid 3"))
    assert [line for line in told if "perhaps already handed in" in line] == told
    assert [amount for _, amount in pasted.bids()] == [1, 2, 3]
    handed_unnumbered(pasted, (three, "!bid 3"), (four, "!pass"))
    assert pasted.bidder() != four


@pytest.mark.parametrize("renumbered", [False, True])
def test_of_a_post_that_is_gone_from_the_page_everybody_is_told(pasted: PasteWorld, renumbered: bool) -> None:
    pasted.tick()
    one, two, three, *_ = around(pasted)
    handed(pasted, (5, one, "!bid 1"), (6, two, "!bid 2"), (7, three, "!bid 3"))
    pasted.tick()
    fourth = pasted.bidder()
    less = 1 if renumbered else 0
    told = handed(pasted, (5, one, "!bid 1"), (7 - less, three, "!bid 3"), (8 - less, fourth, "!pass"))
    assert any("GONE" in line and "still in force: “bid 2”: taken" in line for line in told), told
    assert "was deleted after it was taken; “bid 2” is still in force" in " ".join(told_next(pasted).split())
    assert [amount for _, amount in pasted.bids()] == [1, 2, 3]
    assert pasted.bidder() != fourth
    pasted.tick()
    assert not any("GONE" in line for line in handed(pasted, (5, one, "!bid 1"), (7 - less, three, "!bid 3")))
    assert [amount for _, amount in pasted.bids()] == [1, 2, 3]


def test_only_a_post_between_others_is_gone(pasted: PasteWorld) -> None:
    pasted.tick()
    one, two, three, *_ = around(pasted)
    handed(pasted, (5, one, "!bid 1"), (6, two, "!bid 2"), (7, three, "!bid 3"))
    for rest in ([(6, two, "!bid 2")], [(6, two, "!bid 2"), (7, three, "!bid 3")], [(5, one, "!bid 1")]):
        assert not any("GONE" in line for line in handed(pasted, *rest))


def test_a_line_like_the_head_of_a_strangers_post_makes_no_post_gone(pasted: PasteWorld) -> None:
    pasted.tick()
    one, two, three, *_ = around(pasted)
    handed(pasted, (5, one, "!bid 1"), (6, two, "!bid 2"), (7, three, "!bid 3"))
    told = handed(pasted, (5, one, "!bid 1"), (6, two, "!bid 2\n#99 bottles of beer"))
    assert not any("GONE" in line for line in told)
    assert "deleted" not in told_next(pasted)


def test_a_page_whose_numbers_go_backwards_is_refused(pasted: PasteWorld) -> None:
    pasted.tick()
    one, two, *_ = around(pasted)
    for forged in ("#99", "#5", "#6"):
        with pytest.raises(PowerRefused, match="put a space before it"):
            handed(pasted, (5, "bob", f"Hm.\n{forged} {one}\n!bid 9"), (6, two, "Hm."))
    assert pasted.bids() == []
    handed(pasted, (5, one, "!bid 1\n #2 was good"), (6, two, "!bid 2"))
    assert pasted.bids() == [(one, 1), (two, 2)]


def test_a_block_of_ours_that_somebody_imitates_quotes_or_pastes_back_is_no_act(pasted: PasteWorld) -> None:
    block = pasted.tick()
    one, two, *_ = around(pasted)
    imitated = block.replace("!bid 3", "!bid 9") + "\n\nCounts: #2 (Harkonnen) “bid 9”"
    quoted = "".join(f"> {line}\n" for line in block.split("\n"))
    told = handed(pasted, (2, one, imitated), (3, one, f"{quoted}\nWell."), (4, one, block), (5, "bob", block))
    assert pasted.bids() == []
    assert pasted.bidder() == one
    handed(pasted, (6, one, f"{quoted}\n\n!bid 1"), (7, two, "!bid 2"))
    assert pasted.bids() == [(one, 1), (two, 2)], told


@pytest.mark.parametrize(
    "bomb",
    ["[quote]" * 8_000, "<div>" * 10_000, "[b]" * 9_000 + "!bid 1", "!bid 1\n" * 8_000, "x" * 60_001, "[url=" * 9_000,
     "<!--" * 9_000, "> " * 20_000, "```\n" * 9_000, "&#33;bid 1 " * 5_000, "!" * 50_000],
)  # fmt: skip
def test_a_bomb_on_a_page_stops_none_of_its_posts(pasted: PasteWorld, bomb: str) -> None:
    pasted.tick()
    one, two, *_ = around(pasted)
    began = time.process_time()
    handed(pasted, (2, one, f"Boo\n{bomb}"), (3, "bob", bomb))
    taken = pasted.bids()
    assert len(taken) <= 1
    actor, amount = (two, 2) if taken else (one, 1)
    handed(pasted, (4, actor, f"!bid {amount}"))
    assert pasted.bids()[-1] == (actor, amount)
    assert time.process_time() - began < 30


def test_a_block_that_was_posted_is_known_although_a_newer_one_was_written_since(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")
    games_here = place.world.moderator.open_games
    while desk.next_to_post(games_here, GAME, place.world.now).block:
        place.tick()
    one, two, three, *_ = around(place)
    handed(place, (5, one, "!bid 1"))
    posted = told_next(place)
    place.world.say(two, "bid 2")
    assert posted != told_next(place)
    told = handed(place, (5, one, "!bid 1"), (6, "rey", posted), (7, three, "!bid 3"), (8, "rey", posted))
    assert "Posts of Mentat: #6, #8" in told, told
    newest = told_next(place)
    assert all(sign in newest for sign in ("bid 2", "#7"))
    assert "#5" not in newest
    with reading(place.world.engine) as conn:
        assert 6 in [post.number for post in forum_threads.own_posts(conn, GAME)]
    handed(place, (7, three, "!bid 3"), (9, "rey", newest))
    assert told_next(place) == ""


def test_of_two_versions_in_the_thread_both_are_known(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")
    while desk.next_to_post(place.world.moderator.open_games, GAME, place.world.now).block:
        place.tick()
    one, two, *_ = around(place)
    handed(place, (5, one, "!bid 1"))
    first = told_next(place)
    place.world.say(two, "bid 2")
    second = told_next(place)
    told = handed(place, (6, "rey", first), (7, "rey", second))
    assert told[-1] == "Posts of Mentat: #6, #7"
    assert told_next(place) == ""


def test_what_is_ticked_is_what_was_shown_and_not_what_was_written_since(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")
    games_here = place.world.moderator.open_games
    while desk.next_to_post(games_here, GAME, place.world.now).block:
        place.tick()
    one, two, *_ = around(place)
    place.world.say(one, "bid 1")
    [shown] = desk.next_to_post(games_here, GAME, place.world.now).blocks
    place.world.say(two, "bid 2")
    place.look(1)  # writes the block again
    desk.note_posted(DeskRequest(games_here, GAME, place.world.now), shown.number, number=7)
    assert "bid 2" in told_next(place)
    assert "bid 1" not in told_next(place)
    with reading(place.world.engine) as conn:
        assert 7 in [post.number for post in forum_threads.own_posts(conn, GAME)]


def test_a_block_from_before_a_rollback_that_was_never_posted_is_not_known_any_more(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")
    games_here = place.world.moderator.open_games
    while desk.next_to_post(games_here, GAME, place.world.now).block:
        place.tick()
    one, *_ = around(place)
    entries = place.world.table().entries
    handed(place, (5, one, "!bid 1"))
    posted = told_next(place)
    positions.roll_back(DeskRequest(games_here, GAME, place.world.now), entries)
    handed(place, (5, one, "!bid 1"), (6, "rey", posted))
    assert place.thread().told <= place.world.table().events
    assert "rolled back" in told_next(place)


@pytest.fixture
def in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PasteWorld:
    """Start a game in a forum that accepts only short posts, with news that needs several."""
    monkeypatch.setattr("tests.forum.place.FORUM", f"{FORUM}characters = 1000\n")
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")
    while told_next(place):
        place.tick()
    place.world.say(around(place)[0], "bid 1")
    while told_next(place):
        place.tick()
    place.world.silence_until("bidding", 2)
    place.world = place.world.another_process()
    place.watch = place.another_watch()
    assert len(shown_now(place)) > 1
    return place


def shown_now(place: PasteWorld) -> list[str]:
    return [block.text for block in desk.next_to_post(place.world.moderator.open_games, GAME, place.world.now).blocks]


def test_of_a_text_in_parts_only_those_on_the_page_are_ticked(in_parts: PasteWorld) -> None:
    *earlier, last = shown_now(in_parts)
    blocks = desk.next_to_post(in_parts.world.moderator.open_games, GAME, in_parts.world.now).blocks
    numbers = [block.number for block in blocks[:-1]]
    told = handed(in_parts, (9, "rey", last))
    assert f"still to be posted: block {', block '.join(str(number) for number in numbers)}" in told[0]
    assert shown_now(in_parts) == earlier
    handed(in_parts, *((number, "rey", text) for number, text in enumerate(earlier, start=3)))
    assert shown_now(in_parts) == []


def test_to_tick_a_part_that_was_written_anew_ticks_none_after_it(in_parts: PasteWorld) -> None:
    blocks = desk.next_to_post(in_parts.world.moderator.open_games, GAME, in_parts.world.now).blocks
    in_parts.world.silence_until("bidding", 3)
    in_parts.world = in_parts.world.another_process()
    in_parts.watch = in_parts.another_watch()
    in_parts.look(1)  # writes the blocks again
    assert blocks[0] not in KeptPastes(in_parts.world.engine, GAME).blocks()
    request = DeskRequest(in_parts.world.moderator.open_games, GAME, in_parts.world.now)
    desk.note_posted(request, blocks[0].number, number=9)
    kept = KeptPastes(in_parts.world.engine, GAME)
    posted = [block for block in kept.blocks() if block.posted][-1]
    with reading(in_parts.world.engine) as conn:
        number_of = {post.number: post.text for post in forum_threads.own_posts(conn, GAME)}
    assert posted.text == blocks[0].text == number_of[9]


def test_after_a_part_of_an_older_text_stands_in_the_thread_the_news_are_written_anew(in_parts: PasteWorld) -> None:
    first, *_ = shown_now(in_parts)
    in_parts.world.silence_until("bidding", 3)
    in_parts.world = in_parts.world.another_process()
    shown_now(in_parts)
    for _ in range(2):
        handed(in_parts, (9, "rey", first), (10, "rey", first))
    before = shown_now(in_parts)
    assert first not in before
    in_parts.world.say(in_parts.bidder(), "pass")
    assert shown_now(in_parts) != before


def test_of_a_rollback_the_thread_is_told_although_a_block_that_was_shown_was_not_ticked(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")
    while told_next(place):
        place.tick()
    entries = place.world.table().entries
    place.world.say(around(place)[0], "bid 1")
    for shown in (False, True):
        assert not shown or told_next(place)
        positions.roll_back(DeskRequest(place.world.moderator.open_games, GAME, place.world.now), entries)
        assert ("rolled back" in told_next(place)) == shown
        place.world.say(around(place)[0], "bid 1")


def test_the_answer_to_a_page_by_mail_brings_what_is_to_be_posted_next(tmp_path: Path) -> None:
    place = PasteWorld(tmp_path, manner=Manner(by_hand=True))
    place.begin_at("bidding")

    def block_in_answer() -> str:
        letter = place.world.newest(GAME_MASTER).text.replace("\r\n", "\n")
        parts = letter.split("\n" + "-" * 72 + "\n")
        return parts[1] if len(parts) > 1 else ""

    assert "everything between the lines" in to_desk(place, "thread")
    opening = block_in_answer()
    assert opening == place.tick()
    one, two, three, *_ = around(place)
    whose = "".join(f"{faction}={faction}\n" for faction in SIX)
    to_desk(place, f"{whose}\n#1 rey\n{opening}\n\n#2 {one}\n!bid 1\n")
    confirm(place)
    first = block_in_answer()
    assert place.bids() == [(one, 1)]
    assert "#2" in first
    to_desk(place, f"Yes.\n\n#2 {one}\n!bid 1\n\n#3 rey\n{first}\n\n#4 {two}\n!bid 2\n\n#5 {three}\nHm.\n")
    assert place.bids() == [(one, 1)]  # nothing proves the mail
    assert "“bid 2”: taken" in confirm(place)
    assert place.bids() == [(one, 1), (two, 2)]
    assert "#4" in block_in_answer()
    assert "#2" not in block_in_answer()
    assert place.thread().told > 0
