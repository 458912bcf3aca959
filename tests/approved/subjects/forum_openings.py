"""The settings of a forum and a mail of a list: what kind of channel is opened with which limits, and who wrote the
mail, in which thread, in which words of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.channels.channel import ChannelError, Thread
from bot.channels.mailing_list import Arrived
from bot.channels.posters import poster
from bot.config import Settings, load_settings
from bot.forum.forums import forum_of
from bot.forum.opening import open_channel, own_words, proofs
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.channels.kept_in_memory import KeptInMemory
from tests.moderator.table import CONFIG

NOW = datetime(2026, 11, 24, 18, tzinfo=UTC)
MEMBERS = {"chani@example.org", "feyd@example.com"}
OURS = "<mentat.0123456789abcdef0123456789abcdef@example.net>"


class _Mails:
    """The mails that came from a list."""

    def __init__(self, sources: Sequence[bytes]) -> None:
        self._arrived = [Arrived(f"mail-{number}", NOW, source) for number, source in enumerate(sources)]

    def send(self, message: EmailMessage) -> None:
        """Nothing goes out."""

    def since(self, place: str | None) -> Sequence[Arrived]:
        return self._arrived if place is None else ()


def _seeds() -> Iterator[str]:
    usual: dict[str, Any] = {"kind": "list", "address": "Dune@lists.example", "envelope_header": "X-MailFrom"}
    results = "lists.example; spf=pass smtp.mailfrom=example.org; dkim=pass header.d=example.org"
    chani = [
        ["From", "Chani <Chani@example.org>"],
        ["X-MailFrom", "chani@example.org"],
        ["Authentication-Results", results],
    ]
    inside = [["In-Reply-To", OURS], ["Subject", "Re: [Dune] sietch-12: turn 1"], ["Message-ID", "<1@example.org>"]]
    for forum in (
        {"kind": "discourse", "url": "http://localhost:9", "category": 7, "username": "mentat"},
        usual,
        *({"kind": "paste", "dialect": dialect} for dialect in ("markdown", "bbcode", "bgg", "text")),
        usual | {"authserv_id": "lists.example", "envelope_header": ""},
    ):  # fmt: skip
        for more in (
            {}, {"characters": 10_000, "seconds_between_posts": 0, "posts_in_a_row": 0}, {"pictures": False},
            {"seconds_between_posts": 9, "posts_in_a_row": 2, "posts": "phases", "poll_seconds": 300},
        ):  # fmt: skip
            yield _input({**forum, **more}, [*chani, *inside], "bid 3\n\n-- \nChani")
    for text in (
        "bid 3\n> bid 9\n\nOn Tuesday Mentat wrote:\n> bid 4\n",
        "bid 3\n\n" + "_" * 47 + "\nDune mailing list\n", "", "\n\n",
        "-----Original Message-----\nFrom: x\nbid 9", "Chani schrieb:\nbid 2\n", "x" * 3000,
        "!bid 3\n" * 400, "caf\u00e9 3",
    ):  # fmt: skip
        yield _input(usual, [*chani, *inside], text)
    for headers in _mails():
        for proof in ({}, {"authserv_id": "lists.example", "envelope_header": ""}):
            yield _input(usual | proof, [*headers, *inside], "bid 3")
    for thread in (
        [["References", f"<x@y> {OURS}"]],
        [["Subject", "AW: [Dune] Re[2]: sietch-12: turn 1"], ["Message-ID", "<0@z>"]],
        [["In-Reply-To", "<0@z>"]], [["Subject", "=?utf-8?q?sietch-12=3A_turn_1?="]], [["Subject", ""]],
        [["Subject", "[Dune]"]],
        [["In-Reply-To", OURS.replace("0123", "0124")]], [["Message-ID", OURS]],
        [["Message-ID", "none"], ["In-Reply-To", OURS]],
    ):  # fmt: skip
        yield _input(usual, [*chani, *thread], "bid 3")


def _mails() -> Iterator[list[list[str]]]:
    address, results = "dune@lists.example", "Authentication-Results"
    yield [["From", "chani@example.org"]]
    yield [["From", "chani@example.org"], ["X-MailFrom", "feyd@example.com"]]
    yield [["From", "chani@example.org"], ["X-MailFrom", "chani@example.org"], ["X-MailFrom", "feyd@example.com"]]
    yield [["From", "chani@example.org, feyd@example.com"], ["X-MailFrom", "chani@example.org"]]
    yield [["From", address], ["X-Original-From", "chani@example.org"], ["X-MailFrom", "chani@example.org"]]
    yield [["From", address], ["X-MailFrom", "chani@example.org"], ["Reply-To", f"chani@example.org, {address}"]]
    yield [["From", address], ["X-Original-From", "chani@example.org"], ["Reply-To", "feyd@example.com"]]
    yield [
        ["From", f"chani via Dune <{address}>"],
        ["Reply-To", "chani@example.org"],
        [results, "lists.example; dmarc=pass"],
    ]
    yield [["From", "stranger@example.net"], ["X-MailFrom", "stranger@example.net"]]
    yield [["From", "chani@example.org"], [results, "lists.example; dkim=fail header.d=example.org"]]
    yield [["From", "chani@example.org"], [results, "other.example; dkim=pass header.d=example.org"]]
    yield [["From", "chani@example.org"], [results, "lists.example; dkim=pass header.d=example.com"]]
    yield [
        ["From", "=?utf-8?q?Ch=C3=A0ni?= <chani@example.org>"],
        [results, "lists.example; dmarc=pass header.from=example.org"],
    ]
    yield [["From", "=?nonsense?q?Ch=C3?= <chani@example.org>"], ["X-MailFrom", "chani@example.org"]]
    yield [["From", "mentat@arrakis.example"], ["Content-Type", "text/plain; charset=utf-8"]]
    yield [["From", "chani@example.org"], ["Content-Type", "text/html"]]
    yield [["From", "chani@example.org"], ["Content-Type", "text/plain; charset=nonsense"]]
    yield [["From", ""], ["X-MailFrom", ""]]


def _input(forum: dict[str, Any], headers: Sequence[Sequence[str]], text: str) -> str:
    return json.dumps([forum, headers, text])


def _settings(forum: dict[str, Any]) -> Settings:
    said = "".join(f"{name} = {json.dumps(value)}\n" for name, value in forum.items())
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config.toml"
        config.write_text(f"{CONFIG}\n[forums.arrakis]\n{said}", encoding="utf-8")
        key = "MENTAT_FORUM_ARRAKIS_KEY=spice\n" if forum.get("kind") == "discourse" else ""
        config.with_name(".env").write_text(f"MENTAT_SECRET=spice-must-flow-always\n{key}", encoding="utf-8")
        return load_settings(config)


def _told(text: str) -> str:
    given = json.loads(text)
    if [type(each) for each in given] != [dict, list, str]:
        return "no forum"
    forum, pairs, words = given
    headers = [pair for pair in pairs if isinstance(pair, list) and len(pair) == 2]
    try:
        settings = _settings(forum)
    except Exception as wrong:
        return f"no settings: {type(wrong).__name__}"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    first = f"From: mentat@arrakis.example\r\nMessage-ID: {OURS}\r\nSubject: [Dune] sietch-12: turn 1\r\n\r\nWelcome."
    source = f"{lines}\r\n{words}".encode("utf-8", "replace")
    kind = settings.forums["arrakis"].kind
    kept = KeptInMemory() if kind == "paste" else None
    mails = _Mails([first.encode(), source]) if kind == "list" else None
    try:
        channel = open_channel("arrakis", settings, kept=kept, list_mailbox=mails, members=lambda: MEMBERS)
    except ValueError as lacks:
        return f"no channel: {lacks}"
    watched = forum_of("arrakis", settings, None, None)  # type: ignore[arg-type]
    told = [f"{type(channel).__name__} {channel.limits}", f"{watched.manner} every {watched.every}"]
    if kind == "list":
        told += _read(settings, channel, source)
    return "\n".join(told)


def _read(settings: Settings, channel: Any, source: bytes) -> Iterator[str]:
    message = message_from_bytes(source, _class=EmailMessage, policy=policy.default)
    yield f"by {poster(message, proofs(settings.forums['arrakis'], lambda: MEMBERS))}"
    yield f"own words: {own_words(message, settings)[:300]!r}"
    try:
        for post in channel.read_since(Thread(OURS), None).posts:
            yield f"{post.id} by {post.author} ({post.author_id}): {post.raw[:300]!r} to {post.reply_to}"
    except ChannelError as error:
        yield f"{type(error).__name__}: {error}"


SUBJECT = Subject("forum-openings", (
    "bot.forum.opening", "bot.forum.forums", "bot.channels.posters", "bot.channels.mailing_list",
), _seeds, vary_json(), _told)  # fmt: skip
