"""Lists that change mails (digests, another From, addresses without tags): each act counts once, for its writer."""

from __future__ import annotations

from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path

import pytest

from bot.channels import Dialect
from bot.forum.access import own_words
from bot.forum.posts import form_of, read_post
from bot.store import forum_posts
from bot.store.database import reading
from tests.channels.list_server import ADDRESS
from tests.forum.list_game import GAME, ListGame
from tests.forum.place import SIX, code_in
from tests.forum.test_list_game import InMemory
from tests.moderator.table import make_settings

POSTS = (("paul", "bid 9\n\nGood luck!"), ("Mentat", "Now up: Guild. Bid with “bid 3” or “pass”.\n\npass"))
RULE = "-" * 30
MAILS = "".join(
    f"Date: Tue, 24 Nov 2026 19:58:0{number} +0000\nFrom: {who} <{who}@players.example>\n"
    f"Subject: Re: sietch-12 (wbc-2018): turn 1\nTo: dune@lists.example\nMessage-ID: <{number}@players.example>\n"
    f"Content-Type: text/plain; charset=utf-8\n\n{text}\n\n{RULE}\n\n"
    for number, (who, text) in enumerate(POSTS)
)
DIGEST = f"""Send Dune mailing list submissions to
\tdune@lists.example

To subscribe or unsubscribe via email, send a message with subject or
body 'help' to
\tdune-request@lists.example

When replying, please edit your Subject line so it is more specific than
"Re: Contents of Dune digest..."

Today's Topics:

   1. Re: sietch-12 (wbc-2018): turn 1 (paul)
   2. Re: sietch-12 (wbc-2018): turn 1 (Mentat)


{"-" * 70}

{MAILS}Subject: Digest Footer

_______________________________________________
Dune mailing list -- dune@lists.example
To unsubscribe send an email to dune-leave@lists.example


{RULE}

End of Dune Digest, Vol 3, Issue 12
***********************************
"""
QUOTED = "".join(f"> {line}\n" for line in DIGEST.split("\n"))
UNTIL_THE_BID, _, BELOW = QUOTED.partition("> Good luck!\n")
ORIGINAL = "-----Original Message-----\nFrom: dune-request@lists.example\nSent: Tuesday, November 24, 2026 9:00 PM\n"
FORWARDED = "---------- Forwarded message ---------\nFrom: <dune-request@lists.example>\n"


def written(text: str, *, subject: str = "Re: Dune Digest, Vol 3, Issue 12") -> EmailMessage:
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"] = "Chani <chani@players.example>", ADDRESS, subject
    message.set_content(text)
    return message


def acts_in(message: EmailMessage, folder: Path) -> list[str]:
    """Return the acts among the mail's own words."""
    came = message_from_bytes(message.as_bytes(), _class=EmailMessage, policy=policy.default)
    read = read_post(own_words(came, make_settings(folder)), Dialect.TEXT, plain=True)
    return [line.text for line in read if line.kind == "words" and form_of(line.text) == "act"]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        (f"bid 3\n\nOn Tue, 24 Nov 2026 at 21:00, <dune-request@lists.example> wrote:\n{QUOTED}", ["bid 3"]),
        (f"bid 3\n\n{QUOTED}", ["bid 3"]),
        (f"bid 3\n\n{ORIGINAL}To: {ADDRESS}\nSubject: Dune Digest, Vol 3, Issue 12\n\n{DIGEST}", ["bid 3"]),
        (f"{UNTIL_THE_BID}\nI go higher.\n\nbid 10\n\n> Good luck!\n{BELOW}", ["bid 10"]),
        (f"bid 3\n\n{DIGEST}", ["bid 3"]),
        (DIGEST, []),
        (f"{DIGEST}\nbid 3", ["bid 3"]),
        (f"Hello,\n\n{DIGEST}\n\nI pass.", []),
        (f"{DIGEST.partition('End of')[0]}bid 3", []),
        (f"FYI\n\n{FORWARDED}Subject: Dune Digest, Vol 3, Issue 12\nTo: <{ADDRESS}>\n\n\n{DIGEST}", []),
    ],
)
def test_an_answer_to_a_digest_says_its_writers_own_words_only(text: str, acts: list[str], tmp_path: Path) -> None:
    assert acts_in(written(text), tmp_path) == acts


def mime_digest() -> EmailMessage:
    """Return a digest as Mailman makes it, with the list's mails as parts."""
    message = written(
        "Send Dune mailing list submissions to dune@lists.example", subject="Dune Digest, Vol 3, Issue 12"
    )
    message.replace_header("From", "dune-request@lists.example")
    for who, text in POSTS:
        part = written(text, subject="Re: sietch-12")
        part.replace_header("From", f"{who}@players.example")
        message.add_attachment(part)
    return message


def test_what_stands_in_a_digest_is_nobodys_act(tmp_path: Path) -> None:
    digest = mime_digest()
    assert acts_in(digest, tmp_path) == []
    answer = written("bid 3")
    answer.add_attachment(digest)
    assert acts_in(answer, tmp_path) == ["bid 3"]


class Rewriting(InMemory):
    """A list that puts its own address into the From header and stores members' addresses without tags."""

    def deliver(self, source: bytes, envelope: str) -> None:
        message = message_from_bytes(source, _class=EmailMessage, policy=policy.SMTP)
        name, address = parseaddr(str(message["From"]))
        local, _, domain = address.partition("@")
        own = f"{local.partition('+')[0]}@{domain}"
        if own not in self.members or own == "mentat@arrakis.example":
            super().deliver(source, envelope)
            return
        message.replace_header("From", f"{name} via Dune <{ADDRESS}>")
        message["Reply-To"] = own
        super().deliver(message.as_bytes(), own)


@pytest.fixture
def game(tmp_path: Path) -> ListGame:
    made = ListGame(tmp_path, Rewriting(lambda: datetime.now(UTC)))
    made.mailing_list.join(ADDRESS)
    made.look()
    return made


def taken(game: ListGame) -> list[tuple[str | None, str]]:
    with reading(game.world.engine) as conn:
        posts = forum_posts.seen_in_game(conn, GAME)
    return [(post.faction, line.canonical) for post in posts for line in post.taken]


def test_on_a_list_that_rewrites_senders_and_strips_tags_each_players_acts_are_theirs(game: ListGame) -> None:
    for faction in SIX:
        game.world.say(faction, f"forum name {faction}+dune@players.example")
        code = code_in(game.world.newest(faction).text)
        game.post(faction, f"I am {code}", envelope=f"{faction}+dune@players.example")
    game.look()
    with reading(game.world.engine) as conn:
        assert set(forum_posts.account_links(conn, GAME)) == set(SIX)
    while not any("bid" in kinds for kinds in game.world.asked().values()):
        faction, (kind, *_) = next(iter(game.world.asked().items()))
        assert game.world.say(faction, game.world.line(faction, kind)).taken
    game.look()
    bidder = next(faction for faction, kinds in game.world.asked().items() if "bid" in kinds)
    other = next(faction for faction in SIX if faction != bidder)
    game.post(other, f"Good luck!\n\n{DIGEST}")
    game.look()
    assert taken(game) == []
    game.post(bidder, f"I bid 2.\n\n{QUOTED}")
    game.look()
    assert taken(game) == [(bidder, "bid 2")]


def test_a_digest_that_reaches_us_adds_nothing_to_what_came_on_its_own(game: ListGame) -> None:
    before = taken(game), game.world.written()
    for digest in (mime_digest(), written(DIGEST, subject="Dune Digest, Vol 3, Issue 12")):
        digest.replace_header("From", "dune-request@lists.example")
        digest["Message-ID"] = f"<{digest.get_content_type()}@lists.example>"
        game.mailing_list.join("dune-request@lists.example")
        game.mailing_list.deliver(digest.as_bytes(), "dune-bounces@lists.example")
    game.look()
    assert (taken(game), game.world.written()) == before
