"""Each kind of forum gets its channel according to the settings, and a list's mails are read like other mail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from bot.channels import Dialect, Limits, discourse
from bot.channels.mailing_list import DEFAULT, UNPROVEN, Arrived, MailingList, poster_of
from bot.channels.paste import PasteChannel
from bot.config import Settings, load_settings
from bot.forum.access import open_channel, own_words, proofs
from tests.channels.kept_in_memory import KeptInMemory
from tests.moderator.table import CONFIG

FORUMS = """
[forums.arrakis]
kind = "discourse"
url = "http://localhost:9"
category = 7
username = "mentat"
characters = 10000
posts_in_a_row = 0
seconds_between_posts = 0
pictures = false
[forums.dune-list]
kind = "list"
address = "Dune@lists.example"
authserv_id = "lists.example"
[forums.by-hand]
kind = "paste"
dialect = "bgg"
"""
CHANI = "chani@sietch.example"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("forums")
    (folder / "config.toml").write_text(CONFIG + FORUMS)
    keys = "MENTAT_FORUM_ARRAKIS_KEY=spice\n"
    (folder / ".env").write_text(f"MENTAT_SECRET=spice-must-flow-always\n{keys}")
    return load_settings(folder / "config.toml")


class Letterbox:
    """A list's mailbox that records sent mails and returns those that have arrived."""

    def __init__(self) -> None:
        self.sent: list[EmailMessage] = []
        self.arrived: list[Arrived] = []

    def send(self, message: EmailMessage) -> None:
        self.sent.append(message)
        self.comes(message.as_bytes())

    def since(self, place: str | None) -> list[Arrived]:
        return self.arrived[int(place) if place else 0 :]

    def comes(self, source: bytes) -> None:
        number = str(len(self.arrived) + 1)
        self.arrived.append(Arrived(number, datetime(2026, 11, 23, tzinfo=UTC), source))


def test_a_forum_takes_what_its_kind_takes_and_what_the_settings_say(settings: Settings) -> None:
    arrakis = open_channel("arrakis", settings)
    assert isinstance(arrakis, discourse.Discourse)
    expected = replace(
        discourse.DEFAULT, characters=9_950, posts_in_a_row=None, seconds_between_posts=0, pictures=False
    )
    assert arrakis.limits == expected
    by_hand = open_channel("by-hand", settings, kept=KeptInMemory())
    assert isinstance(by_hand, PasteChannel)
    assert by_hand.limits == Limits(Dialect.BGG, 60_000, 0)
    dune = open_channel("dune-list", settings, list_mailbox=Letterbox())
    assert isinstance(dune, MailingList)
    assert dune.limits == DEFAULT


def test_a_list_without_its_mailbox_and_a_forum_by_hand_without_its_place_are_not_opened(settings: Settings) -> None:
    for name in ("dune-list", "by-hand"):
        with pytest.raises(ValueError, match=name):
            open_channel(name, settings)


def test_posts_to_a_list_are_named_by_a_secret_of_that_list(settings: Settings) -> None:
    names = []
    for _ in range(2):
        letterbox = Letterbox()
        thread, _ = open_channel("dune-list", settings, list_mailbox=letterbox).open_thread("sietch-7", "Bid!", "1")
        names.append(thread.id)
    assert names[0] == names[1]
    (message,) = letterbox.sent
    assert (message["From"], message["To"]) == ("mentat@arrakis.example", "dune@lists.example")


def test_a_list_is_read_without_quotations_signatures_and_footers_and_ours_as_it_stands(settings: Settings) -> None:
    letterbox = Letterbox()
    channel = open_channel("dune-list", settings, list_mailbox=letterbox, members=lambda: {CHANI})
    thread, _ = channel.open_thread("sietch-7", "The bid is on.\n\n-- \nBid 2 is to beat.", "1")
    letterbox.comes(
        f"From: Chani <{CHANI}>\r\nTo: dune@lists.example\r\nSubject: Re: [Dune] sietch-7\r\n"
        "Authentication-Results: lists.example; dkim=pass header.d=sietch.example\r\n"
        f"In-Reply-To: {thread.id}\r\nMessage-ID: <1@sietch.example>\r\n\r\n"
        "bid 3\r\n\r\nOn Monday Mentat wrote:\r\n> bid 2\r\n> pass\r\n\r\n"
        "_______________________________________________\r\n"
        "Dune mailing list -- dune@lists.example\r\n"
        "To unsubscribe send an email to dune-leave@lists.example\r\n".encode()
    )
    ours, theirs = channel.read_since(thread, None).posts
    assert ours.raw == "The bid is on.\n\n-- \nBid 2 is to beat."
    assert (theirs.raw, theirs.author_id) == ("bid 3", CHANI)


@pytest.mark.parametrize(
    "source",
    [
        b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>bid 3</p><blockquote type=cite>bid 9</blockquote>",
        b"Content-Type: text/plain; charset=utf-8; format=flowed\r\n\r\nbid 3\r\n\r\n> bid 9\r\n",
        b"Content-Type: text/plain; charset=utf-8\r\nSubject: \xff\xfe\r\nX-A: \xe9\r\n\r\nbid 3\r\n",
    ],
)
def test_the_words_of_a_writer_are_read_in_mails_of_any_form(settings: Settings, source: bytes) -> None:
    raw = b"From: chani@sietch.example\r\n" + source
    assert own_words(message_from_bytes(raw, _class=EmailMessage, policy=policy.default), settings) == "bid 3"


def test_a_mail_that_only_quotes_says_nothing(settings: Settings) -> None:
    raw = b"From: chani@sietch.example\r\n\r\nOn Monday Mentat <mentat@arrakis.example> wrote:\r\n> bid 9\r\n"
    assert own_words(message_from_bytes(raw, _class=EmailMessage, policy=policy.default), settings) == ""


def _said(*results: str) -> EmailMessage:
    fields = "".join(f"Authentication-Results: {result}\r\n" for result in results)
    raw = f"{fields}From: chani via Dune <dune@lists.example>\r\nReply-To: {CHANI}\r\n\r\nbid 3\r\n".encode()
    return message_from_bytes(raw, _class=EmailMessage, policy=policy.default)


@pytest.mark.parametrize(
    ("message", "proved"),
    [
        (_said("lists.example; dkim=pass header.d=sietch.example"), True),
        (_said("lists.example; dmarc=pass header.from=sietch.example"), True),
        (_said("mx.example; dkim=pass header.d=lists.example", "lists.example; spf=pass smtp.mailfrom=" + CHANI), True),
        (_said("lists.example; dkim=fail", "lists.example; dkim=pass header.d=sietch.example"), False),
        (_said("lists.example; dkim=pass header.d=lists.example"), False),
        (_said("mx.example; dkim=pass header.d=sietch.example"), False),
        (_said(), False),
    ],
)
def test_the_word_of_the_lists_own_server_says_who_wrote(
    settings: Settings, message: EmailMessage, proved: bool
) -> None:
    found = poster_of(message, proofs(settings.forums["dune-list"], lambda: {CHANI}))
    assert found == (CHANI if proved else UNPROVEN + CHANI)


def test_the_envelope_counts_only_where_the_settings_name_its_header(settings: Settings) -> None:
    forum = settings.forums["dune-list"].model_copy(update={"authserv_id": ""})
    raw = f"From: {CHANI}\r\nX-MailFrom: {CHANI}\r\n\r\nbid 3\r\n".encode()
    message = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
    members: Callable[[], set[str]] = lambda: {CHANI}  # noqa: E731
    assert poster_of(message, proofs(forum, members)) == UNPROVEN + CHANI
    named = forum.model_copy(update={"envelope_header": "X-MailFrom"})
    assert poster_of(message, proofs(named, members)) == CHANI
