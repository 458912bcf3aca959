"""A game whose public side is a mailing list. Six scripted players post everything that may be public, and mail the
rest.

Two of them cheat or blunder: one posts in other players' names, and one posts what should be sealed. A third quotes the
whole thread below every post.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol

from bot.channels.mailing_list import Arrived
from bot.forum.posts import form_of
from bot.forum.watch import watch_forums
from bot.lab.players_by_mail import PROGRAMS, Dice, ScriptedPlayer
from bot.moderator.intake import subscribed_address
from bot.store import forum_posts, forum_threads
from bot.store.database import reading
from rules.components import Faction
from tests.forum.place import SIX, code_in
from tests.moderator.table import CONFIG, World, address_of
from tests.moderator.table import GAME as GAME

STEP = timedelta(minutes=5)  # between two looks, so that nobody writes more than is answered in an hour
FORGER, GOSSIP, QUOTER = "harkonnen", "emperor", "guild"
LATER = 400 * 24
FORUM = """
[forums.dune]
kind = "list"
address = "{address}"
envelope_header = "X-MailFrom"
"""


class MailingList(Protocol):
    """A mailing list of any kind."""

    address: str

    def join(self, member: str, name: str = "") -> None: ...

    def deliver(self, message: bytes, envelope: str) -> None: ...

    def settle(self) -> None: ...

    def since(self, place: str | None) -> Sequence[Arrived]: ...


@dataclass(slots=True)
class ToTheList:
    """A transport for Mentat's mail that leads only to the list's server."""

    mailing_list: MailingList

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        assert to == self.mailing_list.address
        self.mailing_list.deliver(letter, envelope_from)

    def close(self) -> None:
        """Close nothing."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A player's orders that were accepted, from a mail or from a post. If ``faction`` is None, time passed instead."""

    hours: timedelta
    faction: Faction | None
    lines: tuple[str, ...]
    posted: bool = False


@dataclass
class ListGame:
    """The game, its players, and all accepted orders, in order."""

    folder: Path
    mailing_list: MailingList
    ruleset: str = "wbc-2018"
    turns: int = 2
    in_words: bool = False
    """True if the players write in their own words rather than in the order language."""
    taken: list[Taken] = field(default_factory=list)
    forged: int = 0
    gossip: int = 0

    def __post_init__(self) -> None:
        forum = (
            f'[forums.dune]\nkind = "list"\naddress = "{self.mailing_list.address}"\nenvelope_header = "X-MailFrom"\n'
        )
        self.world = World.at(self.folder, CONFIG + forum)
        self.begun = self.world.now
        self.watch = watch_forums(self.world.moderator, lambda: ToTheList(self.mailing_list))
        self.players = {
            faction: ScriptedPlayer(faction, address_of(faction), program, Dice("list", faction))
            for faction, program in zip(SIX, PROGRAMS, strict=True)
        }
        self._dice = random.Random("deceit")
        self._words = random.Random("words")
        self._read = 0
        self._place: str | None = None
        self._posts = 0
        self._looked = 0
        self.us = subscribed_address(self.world.settings, "dune")
        for member in (self.us, self.world.settings.sender, *map(address_of, SIX)):
            self.mailing_list.join(member)
        begin(self.world, self.ruleset, self.turns, forum="dune")

    # --- playing -------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play to the end of the game."""
        self.look()
        self.link()
        for _ in range(3_000):
            if not self.round():
                if self.world.table().play.over:
                    break
                self.silence()
        else:
            raise AssertionError("the game does not end")
        self.look()

    def link(self) -> None:
        """Let each player prove that their address is theirs."""
        for faction in SIX:
            self.world.say(faction, f"forum name {address_of(faction)}")
            code = code_in(self.world.newest(faction).text)
            self.post(faction, f"I am {code}")
        self.look()
        with reading(self.world.engine) as conn:
            assert set(forum_posts.account_links(conn, GAME)) == set(SIX)

    def round(self) -> bool:
        """Let each player read their mail and answer. Return True if anybody wrote."""
        wrote = False
        new = self.world.letters(after=self._read)
        self._read += len(new)
        for faction, player in self.players.items():
            lines: list[str] = []
            for letter in new:
                if letter.faction == faction:
                    text = letter.text.replace("\r\n", "\n")
                    chosen = player.lines_for(letter.subject, text, str(letter.message["Reply-To"]))
                    lines = chosen or lines
            if not lines:
                continue
            wrote = True
            acts = [line for line in lines if is_act(line)]
            if others := [line for line in lines if line not in acts]:
                self.mail(faction, others)
            if acts:
                self.post(faction, "\n".join(self.words_of(act) for act in acts))
                self.deceive(faction)
        self.look()
        return wrote

    def words_of(self, act: str) -> str:
        return in_words(act, self._words) if self.in_words else act

    def deceive(self, faction: Faction) -> None:
        """Post what must not count: orders in another player's name, and orders that should be sealed."""
        if faction == FORGER:
            victim = self._dice.choice([other for other in SIX if other != FORGER])
            self.forged += 1
            self.post(victim, "bid 30\nno shipment\nno move\npass", envelope=address_of(FORGER))
            self.post(FORGER, f"> {victim} wrote:\n> bid 30\n> no move\nThey said it.")
        if faction == GOSSIP:
            self.gossip += 1
            self.post(GOSSIP, "plan 1, no leader\nI am a poor man.")

    def mail(self, faction: Faction, lines: Sequence[str]) -> None:
        self.taken.append(Taken(self.world.now - self.begun, faction, tuple(lines)))
        self.world.say(faction, *lines)

    def post(self, faction: Faction, text: str, envelope: str = "") -> None:
        """Send a mail to the list, in the game's thread."""
        self._posts += 1
        with reading(self.world.engine) as conn:
            thread = forum_threads.thread_of(conn, GAME)
        assert thread is not None
        message = EmailMessage(policy=policy.SMTP)
        message["From"] = f"{faction} <{address_of(faction)}>"
        message["To"] = self.mailing_list.address
        message["Subject"] = f"Re: {thread.title}"
        message["Message-ID"] = f"<{self._posts}.{faction}@players.example>"
        message["In-Reply-To"] = message["References"] = thread.thread
        quoted = "".join(f"> {line}\n" for line in self._thread()) if faction == QUOTER else ""
        message.set_content(f"{text}\n\n{'On Tuesday Mentat wrote:' if quoted else ''}\n{quoted}")
        self.mailing_list.deliver(message.as_bytes(), envelope or address_of(faction))

    def silence(self) -> None:
        """Let time pass, because nobody has anything to write."""
        self.world.now += timedelta(hours=LATER)
        self.taken.append(Taken(self.world.now - self.begun, None, ()))
        self.watch.read(self.world.now, at_once=True)
        self.world.moderator.timekeeper.tick(self.world.now)
        self.look()

    def look(self) -> None:
        """Deliver the list's mails to Mentat, which reads them as posts and posts its news, until none come."""
        for _ in range(10):
            self.world.now += STEP
            self.mailing_list.settle()
            came = self.mailing_list.since(self._place)
            for arrived in came:
                self._place = arrived.id
                verdict = self.world.moderator.deliver(came_to(self.us, arrived.source), self.world.now)
                assert verdict.disposition in ("forum", "duplicate"), verdict
            self.watch.read(self.world.now, at_once=True)
            self._note_taken()
            self.watch.post(self.world.now, at_once=True)
            if not came:
                return

    def _note_taken(self) -> None:
        with reading(self.world.engine) as conn:
            posts = [post for post in forum_posts.seen_in_game(conn, GAME) if post.id > self._looked]
        for post in posts:
            self._looked = post.id
            if lines := tuple(line.canonical for line in post.taken):
                assert post.faction is not None
                self.taken.append(Taken(self.world.now - self.begun, post.faction, lines, posted=True))

    def _thread(self) -> list[str]:
        lines: list[str] = []
        for arrived in self.mailing_list.since(None)[-8:]:
            body = message_from_bytes(arrived.source, policy=policy.default).get_body(("plain",))
            lines += str(body.get_content()).splitlines() if body else []
        return lines


def begin(world: World, ruleset: str, turns: int, forum: str = "") -> None:
    """Begin a game of six."""
    world.new_game(ruleset, SIX, tempo="steady", forum=forum, max_turns=turns)


def by_mail_alone(folder: Path, game: ListGame) -> World:
    """Give the same orders at the same times in a game without a list."""
    folder.mkdir()
    world = World.at(folder)
    begun = world.now
    begin(world, game.ruleset, game.turns)
    for taken in game.taken:
        world.now = begun + taken.hours
        if taken.faction is None:
            world.moderator.timekeeper.tick(world.now)
        else:
            world.say(taken.faction, *taken.lines)
    return world


WORDS = {
    "bid": ("I bid {0}.", "bid {0} (sorry for the delay)", "Bid {0} please, thanks.", "My bid: {0}", "bid {0}!"),
    "pass": ("Pass, thanks.", "I pass.", "Too rich for me, pass.", "Pass from me.", "pass (good luck)", "PASS"),
    "no": ("{act}, thanks", "{act} please", "{act}"),
    "": ("{act} please", "I {act}", "{act}, thanks"),
}


def in_words(act: str, dice: random.Random) -> str:
    """Return an act of the order language in a person's own words, surrounded by talk."""
    first, _, rest = act.partition(" ")
    plain = act == "pass" or first == "no" or (first == "bid" and rest.isdigit())
    exact = first == "press" or act == "no karama"
    said = act if exact else dice.choice(WORDS[first if plain else ""]).format(rest, act=act)
    above = dice.choice(("", "", "Hi all,\n\n", "Sorry for being slow, real life.\n\n"))
    below = dice.choice(("", "", "\n\nGood luck everyone!", "\n\nCheers,\nChani"))
    return f"{above}{said}{below}"


def is_act(line: str) -> bool:
    """Return True if a line may be public."""
    return form_of(line) == "act"


def came_to(address: str, source: bytes) -> bytes:
    """Return a mail as it arrives in the mailbox of this address."""
    return f"Delivered-To: {address}\r\n".encode() + re.sub(rb"\r?\n", b"\r\n", source)
