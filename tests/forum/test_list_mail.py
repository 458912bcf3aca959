"""Mailing-list mails and forum notifications belong to the forum: they are stored, but never answered or read as
orders. Only mail delivered through the list counts as list mail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from bot.channels import Refused, Unreachable
from bot.forum.access import DatabaseMailbox, open_channel
from bot.mail.disposition import TimeLimitExceeded
from bot.mail.transport import SendDeferred, SendRefused
from bot.moderator.intake import head_of, subscribed_address
from bot.store import forum_pastes, forum_threads, retention
from bot.store.database import reading, writing
from bot.store.retention import MessageFilter
from rules.components import Faction
from tests.moderator.table import ADDRESS, CONFIG, GAME, World, address_of

FORUMS = """
[forums.dune-list]
kind = "list"
address = "dune@lists.example"
envelope_header = "X-MailFrom"
[forums.others]
kind = "list"
address = "others@lists.example"
[forums.arrakis]
kind = "discourse"
url = "https://forum.arrakis.example"
category = 7
username = "mentat"
"""
LIST = "dune-list"
FEW: tuple[Faction, ...] = ("atreides", "guild")


class Server:
    """A list server that forwards every mail to the members or reports why it cannot."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.fails: Exception | None = None
        self.got: list[tuple[str, str]] = []

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        if self.fails:
            raise self.fails
        self.got.append((envelope_from, to))
        assert self.world.moderator.deliver(by_list(self.world, letter), self.world.now).disposition == "forum"

    def close(self) -> None: ...


@pytest.fixture(autouse=True)
def _a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "spice")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path, CONFIG + FORUMS)
    yield made
    made.engine.dispose()


def by_list(world: World, mail: bytes, forum: str = LIST) -> bytes:
    """Return a mail as the list forwards it to Mentat."""
    address = world.settings.forums[forum].address
    to = subscribed_address(world.settings, forum)
    head = f"Delivered-To: {to}\r\nList-Id: Dune <{address.replace('@', '.')}>\r\nPrecedence: list\r\n"
    return head.encode() + mail


def written(sender: str = address_of("guild"), to: str = "dune@lists.example", **fields: str) -> bytes:
    """Return a mail as a list member writes it."""
    given = {"From": sender, "To": to, "Subject": "Re: sietch-12", "Message-ID": "<1@players.example>"}
    given |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{head}\r\nbid 3\r\n".encode()


def in_list(world: World, forum: str = LIST) -> list[bytes]:
    mailbox = DatabaseMailbox(forum, world.settings, world.engine, Server(world))
    return [arrived.source for arrived in mailbox.since(None)]


def test_a_mail_of_a_list_is_kept_for_the_forum_and_nothing_else_follows(world: World) -> None:
    world.new_game(factions=FEW)
    letters, entries = world.written(), world.table().entries
    raw = by_list(world, written(In_Reply_To=str(world.newest("guild").message["Message-ID"])))
    verdict = world.moderator.deliver(raw, world.now)
    assert (verdict.disposition, verdict.game_id, verdict.taken, verdict.shunt) == ("forum", None, 0, False)
    assert (world.written(), world.table().entries) == (letters, entries)
    assert in_list(world) == [raw]
    assert in_list(world, "others") == []
    with reading(world.engine) as conn:
        (listed,) = retention.list_messages(conn, MessageFilter(disposition="forum"))
    assert (listed.sender, listed.subject, listed.reason) == (
        address_of("guild"), "Re: sietch-12", "mail from dune-list",
    )  # fmt: skip


def test_mails_of_a_list_are_read_on_from_where_one_was(world: World) -> None:
    sources = [by_list(world, written(Message_ID=f"<{number}@players.example>")) for number in range(3)]
    for source in sources:
        world.moderator.deliver(source, world.now)
        world.now += timedelta(minutes=1)
    mailbox = DatabaseMailbox(LIST, world.settings, world.engine, Server(world))
    first, *others = mailbox.since(None)
    assert [arrived.source for arrived in others] == sources[1:]
    assert mailbox.since(first.id) == others
    assert others[0].received - first.received == timedelta(minutes=1)


@pytest.mark.parametrize(
    "forged",
    [
        {"List_Id": "Dune <dune.lists.example>", "List_Post": "<mailto:dune@lists.example>"},
        {"List_Id": "<dune.lists.example>", "Delivered_To": "mentat+list-aaaaaaaaaaaaaaaa@arrakis.example"},
        {
            "List_Id": "<dune.lists.example>",
            "Authentication_Results": "lists.example; dkim=pass header.d=lists.example",
        },
    ],
)
@pytest.mark.parametrize("to_a_seat", [False, True])
def test_a_mail_that_only_says_it_is_from_a_list_is_treated_as_any_other(
    world: World, tmp_path: Path, forged: dict[str, str], to_a_seat: bool
) -> None:
    (tmp_path / "without").mkdir()
    without = World.at(tmp_path / "without")
    for each in (world, without):
        each.new_game(factions=FEW)
    found = []
    for each in (world, without):
        to = f"mentat+{each.token('guild')}@arrakis.example" if to_a_seat else ADDRESS
        verdict = each.moderator.deliver(written(to=to, **forged), each.now)
        found.append((verdict.disposition, verdict.reason, verdict.game_id, verdict.taken, each.written()))
    assert found[0] == found[1]
    assert found[0][0] != "forum"
    assert in_list(world) == []
    without.engine.dispose()


def test_a_mail_to_the_secret_address_that_is_not_from_the_list_is_treated_as_any_other(world: World) -> None:
    for raw in (written(to=subscribed_address(world.settings, LIST)), by_list(world, written(), "others")):
        mixed = raw.replace(subscribed_address(world.settings, "others").encode(), ADDRESS.encode())
        assert world.moderator.deliver(mixed, world.now).disposition != "forum"


@pytest.mark.parametrize(
    "named",
    [
        "List-Id: <DUNE.lists.example>",
        "List-Post: <mailto:dune@lists.example?subject=x>",
        "Mailing-List: list dune@lists.example; contact dune+owner@lists.example",
        "X-BeenThere: dune@lists.example",
    ],
)
def test_a_list_is_known_by_whatever_header_names_it(world: World, named: str) -> None:
    head = f"X-Original-To: {subscribed_address(world.settings, LIST)}\r\n{named}\r\n"
    assert world.moderator.deliver(head.encode() + written(), world.now).disposition == "forum"


def test_the_secret_addresses_of_two_lists_differ_and_stay(world: World) -> None:
    addresses = [subscribed_address(world.settings, forum) for forum in (LIST, "others", LIST)]
    assert addresses[0] == addresses[2] != addresses[1]
    assert addresses[0].startswith("mentat+list-")


def test_the_same_mail_of_a_list_twice_is_one(world: World) -> None:
    raw = by_list(world, written(Date="Mon, 25 Nov 2024 20:00:00 +0000"))
    found = [
        world.moderator.receive(copy, key, world.now).disposition
        for copy, key in ((raw, "INBOX;1;5"), (raw, "INBOX;1;5"), (raw, "INBOX;2;1"),
                          (b"Received: from lists.example\r\n" + raw + b"____\r\nDune mailing list\r\n", "INBOX;1;6"))
    ]  # fmt: skip
    assert found == ["forum", "duplicate", "duplicate", "duplicate"]
    assert in_list(world) == [raw]


def test_a_mail_to_two_lists_is_a_mail_of_each(world: World) -> None:
    for forum in (LIST, "others"):
        assert world.moderator.deliver(by_list(world, written(), forum), world.now).disposition == "forum"
    assert (len(in_list(world)), len(in_list(world, "others"))) == (1, 1)


@pytest.mark.parametrize("list_first", [False, True])
def test_a_mail_to_a_reply_address_with_a_copy_to_the_list_is_both(world: World, list_first: bool) -> None:
    world.new_game(factions=FEW)
    mine = world.mail("guild", world.line("guild", "traitor"), Cc="dune@lists.example")
    copies = [mine, by_list(world, mine)]
    found = {
        world.moderator.deliver(copy, world.now).disposition: len(in_list(world))
        for copy in (copies[::-1] if list_first else copies)
    }
    assert found == ({"forum": 1, "orders": 1} if list_first else {"orders": 0, "forum": 1})


class Killed(BaseException):
    """Simulates the death of the process."""


def test_a_death_loses_no_mail_of_a_list_and_repeats_none(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = by_list(world, written())

    def dies(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(forum_pastes, "keep_list_mail", dies)
        with pytest.raises(Killed):
            world.moderator.receive(raw, "INBOX;1;5", world.now)
    assert (in_list(world), world.messages()) == ([], [])
    assert world.moderator.receive(raw, "INBOX;1;5", world.now).disposition == "forum"
    again = world.another_process()  # the first process died before the mail left the inbox
    assert again.moderator.receive(raw, "INBOX;1;5", world.now).disposition == "duplicate"
    assert in_list(again) == [raw]


def test_a_post_of_ours_comes_back_from_the_list_and_is_no_loop(world: World) -> None:
    server = Server(world)
    mailbox = DatabaseMailbox(LIST, world.settings, world.engine, server)
    members: Callable[[], set[str]] = lambda: {address_of("guild")}  # noqa: E731
    channel = open_channel(LIST, world.settings, list_mailbox=mailbox, members=members)
    thread, _ = channel.open_thread("sietch-12", "Bid here.", "1")
    assert server.got == [(ADDRESS, "dune@lists.example")]
    answer = written(In_Reply_To=thread.id, X_MailFrom=address_of("guild"))
    world.moderator.deliver(by_list(world, answer), world.now)
    page = channel.read_since(thread, None)
    assert [(post.raw, post.author_id) for post in page.posts][1:] == [("bid 3", address_of("guild"))]
    assert page.posts[0].id == thread.id
    assert world.written() == 0  # and the game master gets no letter
    later = open_channel(LIST, world.settings, list_mailbox=mailbox, members=members)
    assert later.read_since(thread, page.cursor).posts == ()
    assert later.post(thread, "Bid 3 it is.", "2") == later.post(thread, "Bid 3 it is.", "2")
    assert len(server.got) == 2


@pytest.mark.parametrize(
    ("fault", "told"),
    [(SendDeferred("the server is away"), Unreachable), (SendRefused("no such list"), Refused)],
)
def test_a_mail_to_the_list_that_does_not_go_says_why(world: World, fault: Exception, told: type[Exception]) -> None:
    server = Server(world)
    server.fails = fault
    mailbox = DatabaseMailbox(LIST, world.settings, world.engine, server)
    message = EmailMessage()
    message["To"] = "dune@lists.example"
    with pytest.raises(told, match=str(fault)):
        mailbox.send(message)


@pytest.mark.parametrize(
    "fields",
    [
        {"List_ID": "Arrakis | Games <games.forum.arrakis.example>", "Auto_Submitted": "auto-generated"},
        {"X_Discourse_Post_Id": "41", "Message_ID": "<topic/7/41@forum.arrakis.example>"},
        {"X_Discourse_Topic_Id": "7", "From": "chani via Arrakis <notifications@forum.arrakis.example>"},
    ],
)
def test_a_forum_that_tells_by_mail_of_a_post_is_not_answered_and_its_head_is_kept(
    world: World, fields: dict[str, str]
) -> None:
    raw = written(**({"sender": "notifications@mail.example", "to": ADDRESS} | fields))
    verdict = world.moderator.deliver(raw, world.now)
    assert (verdict.disposition, verdict.reason, verdict.shunt) == ("forum", "notified by arrakis", False)
    assert world.written() == 0
    assert in_list(world) == []
    with reading(world.engine) as conn:
        kept = retention.kept_message(conn, 1)
    assert kept
    assert kept[1] == raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"


def test_a_player_is_heard_whatever_else_their_mail_says(world: World) -> None:
    world.new_game(factions=FEW)
    line = world.line("guild", "traitor")
    own = world.mail("guild", line, X_Discourse_Post_Id="41", message_id="<topic/7/41@forum.arrakis.example>")
    assert world.moderator.deliver(own, world.now).taken == 1
    foreign = written(to=ADDRESS, X_Discourse_Post_Id="41")
    assert world.moderator.deliver(foreign, world.now).disposition != "forum"


def test_without_plus_addresses_the_own_mail_server_says_whether_the_list_sent_it(tmp_path: Path) -> None:
    plain = CONFIG.replace("[mailbox]", "plus_addressing = false\n[mailbox]")
    world = World.at(tmp_path, f'{plain}[identity]\nauthserv_id = "mx.arrakis.example"\n{FORUMS}')
    assert subscribed_address(world.settings, LIST) == ADDRESS
    said = ("mx.arrakis.example; spf=pass smtp.mailfrom=dune-bounces@lists.example", "mx.arrakis.example; spf=fail",
            "mx.evil.example; spf=pass smtp.mailfrom=dune@lists.example")  # fmt: skip
    found = []
    for number, result in enumerate(said):
        mail = written(Message_ID=f"<{number}@players.example>", Authentication_Results=result)
        found.append(world.moderator.deliver(by_list(world, mail), world.now).disposition == "forum")
    assert found == [True, False, False]
    world.engine.dispose()


def test_mails_of_a_list_need_no_proof_of_their_sender(tmp_path: Path) -> None:
    strict = '[identity]\nmode = "token+sender+auth"\nauthserv_id = "mx.arrakis.example"\n'
    world = World.at(tmp_path, CONFIG + strict + FORUMS)
    world.new_game(factions=FEW)
    letters = world.written()
    assert world.moderator.deliver(by_list(world, written()), world.now).disposition == "forum"
    assert world.written() == letters
    world.engine.dispose()


def test_a_mail_of_a_list_that_is_too_large_is_answered_to_nobody(world: World) -> None:
    world.new_game(factions=FEW)
    letters = world.written()
    head = by_list(world, written()).partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    verdict = world.moderator.receive(head, "INBOX;1;5", world.now, too_large=90_000_000)
    assert (verdict.disposition, world.written()) == ("forum", letters)


@pytest.mark.parametrize("setting", ["days", "body_days"])
def test_mails_of_a_list_are_emptied_when_no_game_is_read_in_them_any_more(tmp_path: Path, setting: str) -> None:
    world = World.at(tmp_path, f"{CONFIG}[retention]\n{setting} = 2\n{FORUMS}")
    world.moderator.deliver(by_list(world, written(Message_ID="<before@players.example>")), world.now)
    world.now += timedelta(hours=1)
    world.new_game("ah-basic", FEW)
    with writing(world.engine) as conn:
        forum_threads.add_thread(conn, forum_threads.Thread(GAME, LIST))
    world.moderator.deliver(by_list(world, written()), world.now)
    world.now += timedelta(days=9)
    world.moderator.timekeeper.tick(world.now)
    (kept,) = in_list(world)
    assert b"<1@players.example>" in kept
    with writing(world.engine) as conn:
        conn.exec_driver_sql("UPDATE game SET status = 'over'")
    world.now += timedelta(days=9)
    world.moderator.timekeeper.tick(world.now)
    assert in_list(world) == []
    with reading(world.engine) as conn:
        assert {listed.size for listed in retention.list_messages(conn, MessageFilter(disposition="forum"))} == {0}
    world.engine.dispose()


def test_a_mail_of_a_list_or_of_a_forum_is_for_no_game_before_it_is_taken(world: World) -> None:
    world.new_game(factions=FEW)
    own, guild = world.mail("guild", "status"), address_of("guild")
    intake = world.moderator.intake
    assert intake.for_whom(own, world.now) == (guild, GAME)
    assert intake.for_whom(own, world.now, too_large=7_000_000) == (guild, GAME)
    assert intake.for_whom(by_list(world, own), world.now) == (guild, None)
    note = written("note@forum.arrakis.example", to=ADDRESS, X_Discourse_Topic_Id="7")
    assert intake.for_whom(note, world.now) == ("note@forum.arrakis.example", None)
    stranger = world.mail("guild", "status", to=ADDRESS, sender="stranger@elsewhere.example")
    assert intake.for_whom(stranger, world.now) == ("stranger@elsewhere.example", None)
    assert intake.for_whom(b"x" * 6_000_001, world.now) == ("", None)


def test_a_mail_that_takes_too_long_is_for_no_game(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> None:
        raise TimeLimitExceeded("reading the message took longer than 1 seconds")

    world.new_game(factions=FEW)
    monkeypatch.setattr("bot.moderator.intake.examine", slow)
    assert world.moderator.intake.for_whom(world.mail("guild", "status"), world.now) == ("", None)


@pytest.mark.parametrize(
    ("raw", "head"),
    [
        (b"A: b\nC: d\n\nbody\n\nmore", b"A: b\nC: d"), (b"A: b\r\n\r\nbody\n\nmore", b"A: b"),
        (b"A: b\n\nbody\r\n\r\nmore", b"A: b"), (b"\n\nbody\r\n\r\nmore", b""),
        (b"\r\n\r\nbody\n\nmore", b""), (b"A: b", b""),
    ],
)  # fmt: skip
def test_the_head_of_a_mail_ends_with_its_first_empty_line(raw: bytes, head: bytes) -> None:
    assert head_of(raw) == head + b"\r\n\r\n"
