"""A game with players' own phrasing and a thread that the game master pastes by hand. It needs few steps, the thread
alone reports everything public, and the record is the same as that of the same acts by mail."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from bot.desk.powers import DeskRequest, Use
from bot.forum import desk
from bot.forum.pages import read_page
from bot.forum.posts import order_in
from bot.games.identity import MailOutcome
from bot.games.letter_writer import master_token
from bot.lab.players_by_mail import PROGRAMS, Dice, Habits, ScriptedPlayer
from bot.store import forum_posts, games
from bot.store.database import reading
from bot.store.forum_posts import TAKEN
from bot.wording.filters import name, speaking
from rules import views
from rules.components import Faction, Forces, faction_name
from rules.components.board import AREAS
from rules.orders import ANSWERS, Bid
from tests.forum.list_game import LATER, begin, in_words, is_act
from tests.forum.place import GAME, SIX
from tests.forum.test_list_game import TURNS, record_of
from tests.moderator.table import CONFIG, GAME_MASTER, World, address_of

FORUM = '\nanswers_per_hour = 5000\n[forums.tabr]\nkind = "paste"\ndialect = "bbcode"\n'
PROVED = '[identity]\nmode = "token+sender+auth"\nauthserv_id = "mx.arrakis.example"\n'
NAMES = ("paul_m", "mohiam", "shaddam4", "chani_77", "edric", "baron")
ACCOUNTS: dict[Faction, str] = dict(zip(SIX, NAMES, strict=True))
APART = re.compile(r" \((?:coexisting|advisors)\)")
TAGS = re.compile(r"\[/?(?:b|u|i|list|code|\*|size|color)[^\]]*\]")


class ProvedWorld(World):
    """A world whose mails are proved and all have different dates."""

    def say(self, faction: Faction, *lines: str, game: str = GAME) -> MailOutcome:
        return self.deliver(self.mail(faction, *lines, game=game), "players.example")

    def deliver(self, raw: bytes, domain: str) -> MailOutcome:
        date = format_datetime(self.now + timedelta(seconds=next(self._serials)))
        results = f"mx.arrakis.example; dmarc=pass header.from={domain}"
        head = f"Date: {date}\r\nAuthentication-Results: {results}\r\n".encode()
        return self.moderator.deliver(head + raw, self.now)


class PasteGame:
    """Two worlds with one clock: in one, players only write mail; in the other, they post public acts.

    Players who follow the thread know whose turn it is in an auction and bid, up to their limits, without waiting for
    a letter. The game master hands in a page of the thread when a player who writes by mail needs it, or before time
    runs out, and posts the text that this command shows. If the thread is silent and a new phase has begun, the game
    master checks for new text to post."""

    def __init__(self, folder: Path, turns: int, by_desk: bool = False) -> None:
        self.by_desk = by_desk
        (folder / "by-mail").mkdir()
        self.by_mail = World.at(folder / "by-mail", CONFIG + FORUM)
        world = ProvedWorld.at(folder, CONFIG + FORUM + PROVED)
        assert isinstance(world, ProvedWorld)
        self.world = world
        begin(self.by_mail, "wbc-2018", turns)
        begin(self.world, "wbc-2018", turns, forum="tabr")
        self.players = {
            faction: ScriptedPlayer(faction, address_of(faction), program, Dice("paste", faction), Habits(mistypes=0))
            for faction, program in zip(SIX, PROGRAMS, strict=True)
        }
        self.dice = random.Random("paste")
        self.thread: list[tuple[str, str]] = []
        self.steps: Counter[int] = Counter()
        self.limits: dict[Faction, int] = {}
        self.unread = False
        self.told, self.posted = "", 0
        self.known: dict[Fact, object] = {}
        self.facts: Counter[str] = Counter()
        self._handed = self._letters = self.auctions = self.boards = 0

    def play(self) -> None:
        self.publish()
        for _ in range(3_000):
            if self.by_mail.table().play.over:
                break
            if not self.round() and not self.bid_by_the_thread():
                self.silence()
        self.hand_in()
        self.publish()

    def round(self) -> bool:
        new = self.by_mail.letters(after=self._letters)
        self._letters += len(new)
        answers: dict[Faction, list[str]] = {}
        for faction, player in self.players.items():
            for letter in new:
                if letter.faction == faction:
                    text = letter.text.replace("\r\n", "\n")
                    lines = player.lines_for(letter.subject, text, str(letter.message["Reply-To"]))
                    answers[faction] = lines or answers.get(faction, [])
        said = {faction: [self.in_thread(faction, line) for line in lines] for faction, lines in answers.items()}
        here = {
            faction: [line for line in lines if is_act(line) and self.is_asked(faction, line)]
            for faction, lines in said.items()
        }
        for faction, lines in said.items():
            if others := [line for line in lines if line and line not in here[faction]]:
                self.hand_in()
                for each in (self.by_mail, self.world):
                    each.say(faction, *others)
        for faction, lines in here.items():
            if acts := [line for line in lines if self.is_asked(faction, line)]:
                self.post(faction, acts)
        return any(answers.values())

    def bid_by_the_thread(self) -> bool:
        bidders = [faction for faction, kinds in self.by_mail.asked().items() if "bid" in kinds]
        for faction in bidders:
            self.post(faction, [self.bid_up_to(faction, self.limits.get(faction, 0))])
        return bool(bidders)

    def post(self, faction: Faction, acts: Sequence[str]) -> None:
        if not self.unread and self.told != self.by_mail.table().play.state.phase:
            self.publish()
        self.by_mail.say(faction, *acts)
        said = "\n\n".join(in_words(act, self.dice) for act in acts)
        self.thread.append((ACCOUNTS[faction], self.marked(said, acts)))
        self.unread = True

    def in_thread(self, faction: Faction, line: str) -> str:
        """Return a player's line as posted: in a thread, players bid each time and file no sheets."""
        if line.startswith(("waive ", "standing: ", "when ")):
            return ""
        if line.startswith("bid up to "):
            self.limits[faction] = int(line.split()[3])
            return self.bid_up_to(faction, self.limits[faction])
        if line in ("pass", "pass all"):
            self.limits[faction] = 0
        return line

    def bid_up_to(self, faction: Faction, limit: int) -> str:
        questions = self.by_mail.table().play.questions()
        bid = next((each for each in questions if each.faction == faction and each.kind == "bid"), None)
        amounts = [order.amount for order in bid.samples() if isinstance(order, Bid)] if bid else []
        return f"bid {amounts[0]}" if amounts and amounts[0] <= limit else "pass" if bid else ""

    def is_asked(self, faction: Faction, act: str) -> bool:
        kinds = ANSWERS.get(type(order_in(act)), ())
        return not set(self.by_mail.asked().get(faction, ())).isdisjoint(kinds)

    @staticmethod
    def marked(said: str, acts: Sequence[str]) -> str:
        """Return the post with each act's line marked and the talk unmarked."""
        words = {word for act in acts for word in act.lower().split()} - {"all"}
        return "\n".join(
            f"[b]!{line}[/b]" if words & set(re.findall(r"[a-z0-9]+", line.lower())) else line
            for line in said.split("\n")
        )

    def silence(self) -> None:
        self.hand_in()
        for each in (self.by_mail, self.world):
            each.now += timedelta(hours=LATER)
            each.moderator.timekeeper.tick(each.now)

    # --- the game master -----------------------------------------------------------------------------------------

    def request(self, use: Use | None = None) -> DeskRequest:
        return DeskRequest(self.world.moderator.open_games, GAME, self.world.now, use or Use())

    def step(self, count: int = 1) -> None:
        self.steps[self.world.table().play.state.turn] += count

    def page(self) -> str:
        """Return the thread's page as copied from a browser that shows phpBB."""
        shown = [
            f"#{number}\nPost by {who} » {self.world.now:%a %b %d, %Y %I:%M %p}\n\n{TAGS.sub('', text)}\n\nTop\n"
            for number, (who, text) in enumerate(self.thread, start=1)
        ]
        return "Board index\n\n" + "\n".join(shown[-60:]) + "\nPost Reply\n"

    def hand_in(self) -> None:
        if not self.unread:
            return
        named = {account: faction for faction, account in ACCOUNTS.items()} if not self._handed else {}
        if self.by_desk:
            whose = "".join(f"{account}={faction}\n" for account, faction in named.items())
            told = self.write_to_desk(f"{whose}yes\n\n{self.page()}")
            assert "does not count" not in told
        else:
            page = read_page(self.page(), self.world.settings.mentat.timezone)
            until = self.world.moderator.timekeeper.pass_until
            told = "\n".join(desk.told_of_page(desk.hand_in_page(self.request(), until, page, named)))
        with reading(self.world.engine) as conn:
            seen = forum_posts.seen_in_game(conn, GAME)
        assert not [line for post in seen for line in post.lines if line.status not in TAKEN], told
        posts = [number for number, (who, _) in enumerate(self.thread, start=1) if who != "rey"]
        assert [post.number for post in seen] == posts
        self._handed, self.unread = len(self.thread), False
        for each in (self.by_mail, self.world):
            each.now += timedelta(minutes=10)
        self.step(2)  # copy the page and hand it in, which also shows the text to post
        self.post_blocks()

    def publish(self) -> None:
        """As the game master, tick posted blocks, then show and post the new ones."""
        self.step()
        if self.by_desk:
            self.write_to_desk("thread")
        elif self.posted:
            desk.note_posted(self.request(), self.posted)
        self.post_blocks()

    def post_blocks(self) -> None:
        blocks = desk.next_to_post(self.world.moderator.open_games, GAME, self.world.now).blocks
        texts = [block.text for block in blocks]
        if self.by_desk:
            letter = self.world.newest(GAME_MASTER).text.replace("\r\n", "\n")
            assert texts == letter.split(f"\n{'-' * 72}\n")[1::2]
        for text in texts:
            self.thread.append(("rey", text))
            self.step()
        if texts:
            self.posted = blocks[-1].number
            with speaking(self.world.table().play.game.rules.edition):
                self.read_alone(*texts)
        self.told = self.world.table().play.state.phase

    def write_to_desk(self, text: str) -> str:
        message = EmailMessage(policy=policy.SMTP)
        message["From"], message["Subject"] = GAME_MASTER, f"Fwd: {GAME}"
        message["To"] = f"mentat+{master_token(self.world.settings)}@arrakis.example"
        message["Message-ID"] = f"<{self.world.written()}@elsewhere.example>"
        message.set_content(text)
        assert self.world.deliver(message.as_bytes(), "arrakis.example").disposition == "orders"
        return self.world.newest(GAME_MASTER).text

    def read_alone(self, *texts: str) -> None:
        """Check that the new blocks tell a reader without mail everything that has changed in public."""
        table, plain = self.world.table(), TAGS.sub("", "\n".join(texts))
        seen = views.view(table.play, "public")
        assert str(seen["turn"]) in plain.split("\n")[0] or seen["phase"] in ("setup", "over")
        facts = public_facts(seen)
        changed = {key for key in facts.keys() | self.known.keys() if facts.get(key) != self.known.get(key)}
        on_board = ("storm", "spice", "forces") if self.read_board(plain, seen) else ()
        hidden = {("hand", faction) for faction, player in seen["players"].items() if player["hand_count"] is None}
        for key in changed - hidden:
            self.facts[key[0]] += 1
            numbers = [
                {now - was, now} for now, was in zip(*map(count, (facts.get(key), self.known.get(key))), strict=True)
            ]
            wanted = (
                [name(part).partition("/")[0] for part in key[1:]] if key[0] != "storm" else [f"sector {facts[key]}"]
            )
            here = [line for line in plain.split("\n") if all(word in line for word in wanted) or line[:4] == "Lost"]
            assert key[0] in on_board or is_told(key[0], numbers, here), (
                key,
                self.known.get(key),
                facts.get(key),
                plain,
            )
        self.known = facts
        for question in seen["questions"]:
            up, nobody = re.search(r"Now up: .*", plain), "Open to everybody"
            assert (
                (faction_name(question["faction"]) in up[0] if up else False)
                if question["faction"]
                else nobody in plain
            )
        for asked, deadline in table.deadlines.items():
            if asked[1][1] in {question["kind"] for question in seen["questions"]}:
                assert f"{deadline.due:%a} {deadline.due.day} {deadline.due:%b %H:%M} UTC" in plain
        self.read_auction(plain)

    def read_board(self, plain: str, seen: dict[str, Any]) -> bool:
        """Return True if the text shows a board, and check that the board is current."""
        board = re.search(r"Storm in sector (\d+)\.(?:.*?) (?:Spice: (.*)|No spice on the board)\.", plain)
        if board is None:
            return False
        assert int(board[1]) == seen["storm"]
        spice = [f"{amount} in {name(area)}" for area, amount in seen["spice"].items()]
        assert sorted(re.split(", | and ", board[2] or "")) == sorted(spice or [""])
        rows = dict(re.findall(r"(?m)^(\S.*?) {2,}(\S.*)$", plain[board.end() :]))
        stands = {name(area): rows[name(area)] for area in AREAS if name(area) in rows}
        here = {
            name(area): ", ".join(f"{faction_name(each)} {here}" for each, here in forces.items())
            for area, forces in seen["forces"].items()
        }
        assert {place: APART.sub("", there) for place, there in stands.items() if there != "empty"} == here
        tables = {name(faction): str(player["tanks"]) for faction, player in seen["players"].items()}
        assert all(tables[whose] in rows[whose].split() for whose in rows.keys() & tables.keys())
        self.boards += 1
        return True

    def read_auction(self, plain: str) -> None:
        play = self.world.table().play
        if up := re.search(r"Now up: (.+?) \(.*highest bid (.+) (\d+);", plain):
            with reading(self.world.engine) as conn:
                bids = [event for event in games.events_of(conn, GAME) if event.kind == "bid"]
            assert (up[2], int(up[3])) == (faction_name(bids[-1].facts["faction"]), bids[-1].facts["amount"])
            assert [up[1]] == [faction_name(q.faction) for q in play.asked() if q.kind == "bid"]
            self.auctions += 1


Fact = tuple[str, ...]


def public_facts(seen: dict[str, Any]) -> dict[Fact, object]:
    """Return everything that the thread must report, by kind, place and faction."""
    facts: dict[Fact, object] = {("storm",): seen["storm"]}
    facts |= {("spice", area): amount for area, amount in seen["spice"].items()}
    facts |= {("forces", area, faction): Forces.parse(here) for area, there in seen["forces"].items()
              for faction, here in there.items()}  # fmt: skip
    for faction, player in seen["players"].items():
        facts["tanks", faction] = Forces.parse(player["tanks"])
        facts["hand", faction] = player["hand_count"]
        facts |= {("leader", leader): status == "dead" for leader, status in player["leaders"].items()}
        facts |= {("allied", faction, ally): True for ally in filter(None, player["ally"].split(", "))}
    facts |= {("card", card): number for card, number in Counter(seen["discard"]).items()}
    return {fact: told for fact, told in facts.items() if told and told != Forces()}


def count(fact: object) -> tuple[int, int]:
    if isinstance(fact, Forces):
        return fact.ordinary, fact.elite
    return (fact, 0) if isinstance(fact, int) and not isinstance(fact, bool) else (0, 0)


def is_told(kind: str, numbers: Sequence[set[int]], lines: Sequence[str]) -> bool:
    """Return True if the lines contain the new amount, the change, or changes that add up to it."""
    if kind not in ("forces", "tanks", "spice"):
        return bool(lines)
    told = {0}
    for line in lines:
        for number in map(int, re.findall(r"(?<!/)\b\d+", line)):
            told |= {number, *(before + sign * number for before in told for sign in (1, -1))}
    return bool(lines) and all(any(number in told for number in each) for each in numbers)


@pytest.mark.parametrize(("by_desk", "turns"), [(False, max(TURNS, 2)), (True, TURNS)], ids=["shell", "mail"])
def test_a_game_by_paste_takes_few_steps_and_has_the_record_of_the_same_acts_by_mail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_desk: bool, turns: int
) -> None:
    monkeypatch.setattr("bot.store.games.secrets.token_bytes", lambda count: b"x" * count)
    game = PasteGame(tmp_path, turns, by_desk)
    game.play()
    assert game.world.table().play.over
    assert entries_of(game.world) == entries_of(game.by_mail)
    assert len(game.steps) == turns
    assert max(game.steps.values()) <= MOST_STEPS, game.steps
    assert game.auctions
    assert game.boards > turns
    assert game.facts.keys() >= {"storm", "forces", "spice"}


MOST_STEPS = 30
"""A step is a command, a mail to the desk, the copying of a page, or the posting of a block. The first turn includes
the set-up."""


def entries_of(world: World) -> list[object]:
    """Return everything played, without the record's chain, which also covers the game master's acts."""
    lines = map(json.loads, record_of(world))
    return [(line["turn"], line["phase"], line["entry"]) for line in lines if line["t"] == "entry"]
