"""A game whose thread a person carries by hand, in the words of people: it has the record that the same acts have by
mail, the game master takes few steps, and the thread alone tells everybody what is public."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk.powers import DeskRequest, Use
from bot.forum import desk
from bot.forum.pages import read_page
from bot.forum.posts import order_in
from bot.lab.players_by_mail import PROGRAMS, Dice, ScriptedPlayer
from bot.store import games
from bot.store.database import reading
from bot.store.forum_posts import TAKEN
from rules import views
from rules.components import Faction, faction_name
from rules.orders import ANSWERS
from tests.forum.list_game import LATER, begin, in_words, is_act
from tests.forum.place import GAME, SIX
from tests.forum.test_list_game import TURNS, record_of
from tests.moderator.table import CONFIG, World, address_of

FORUM = '\nanswers_per_hour = 5000\n[forums.tabr]\nkind = "paste"\ndialect = "bbcode"\n'
NAMES = ("paul_m", "mohiam", "shaddam4", "chani_77", "edric", "baron")
ACCOUNTS: dict[Faction, str] = dict(zip(SIX, NAMES, strict=True))
TAGS = re.compile(r"\[/?(?:b|u|i|list|code|\*|size|color)[^\]]*\]")


class PasteGame:
    """Two worlds with one clock: the players answer their mail in one; in the other they post what may be public."""

    def __init__(self, folder: Path, turns: int) -> None:
        (folder / "by-mail").mkdir()
        self.by_mail = World.at(folder / "by-mail", CONFIG + FORUM)
        self.world = World.at(folder, CONFIG + FORUM)
        begin(self.by_mail, "wbc-2018", turns)
        begin(self.world, "wbc-2018", turns, forum="tabr")
        self.players = {
            faction: ScriptedPlayer(faction, address_of(faction), program, Dice("paste", faction))
            for faction, program in zip(SIX, PROGRAMS, strict=True)
        }
        self.dice = random.Random("paste")
        self.thread: list[tuple[str, str]] = []
        self.steps: Counter[int] = Counter()
        self.unread = False
        self._handed = self._letters = self.auctions = self.boards = 0

    def play(self) -> None:
        self.publish()
        for _ in range(3_000):
            if self.by_mail.table().play.over:
                break
            if not self.round():
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
        said = {faction: [self.without_sheet(faction, line) for line in lines] for faction, lines in answers.items()}
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

    def post(self, faction: Faction, acts: Sequence[str]) -> None:
        if not self.unread:
            self.publish()
        self.by_mail.say(faction, *acts)
        said = "\n\n".join(in_words(act, self.dice) for act in acts)
        self.thread.append((ACCOUNTS[faction], self.marked(said, acts)))
        self.unread = True

    def without_sheet(self, faction: Faction, line: str) -> str:
        """In a thread people bid each time, and leave no sheets."""
        if line.startswith(("waive ", "standing: ", "when ")):
            return ""
        if line.startswith("bid up to "):
            return self.by_mail.line(faction, "bid") if "bid" in self.by_mail.asked().get(faction, ()) else ""
        return "pass" if line == "pass all" else line

    def is_asked(self, faction: Faction, act: str) -> bool:
        kinds = ANSWERS.get(type(order_in(act)), ())
        return not set(self.by_mail.asked().get(faction, ())).isdisjoint(kinds)

    @staticmethod
    def marked(said: str, acts: Sequence[str]) -> str:
        """The post as the writer marks it: the line of each act with its sign, the talk without."""
        words = {word for act in acts for word in act.lower().split()}
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
        """What a phpBB shows of the thread, as copied from the browser."""
        shown = [
            f"#{number}\nPost by {who} » {self.world.now:%a %b %d, %Y %I:%M %p}\n\n{TAGS.sub('', text)}\n\nTop\n"
            for number, (who, text) in enumerate(self.thread, start=1)
        ]
        return "Board index\n\n" + "\n".join(shown[-60:]) + "\nPost Reply\n"

    def hand_in(self) -> None:
        if not self.unread:
            return
        page = read_page(self.page(), self.world.settings.mentat.timezone)
        named = {name: faction for faction, name in ACCOUNTS.items()} if not self._handed else {}
        until = self.world.moderator.timekeeper.pass_until
        shown = desk.hand_in_page(self.request(Use(dry_run=True)), until, page, named)
        found = desk.hand_in_page(self.request(), until, page, named)
        assert desk.told_of_page(shown) == desk.told_of_page(found)
        new = [each for each in found if each.handed and each.handed.state == "taken"]
        lines = [line for each in new if each.handed for line in each.handed.post.lines]
        assert not [line for line in lines if line.status not in TAKEN], desk.told_of_page(found)
        assert [each.post.number for each in new] == [
            number for number, (who, _) in enumerate(self.thread, start=1) if number > self._handed and who != "rey"
        ]
        self._handed, self.unread = len(self.thread), False
        self.step(3)  # copy the page, look at it, take it: that shows the next block, too
        for each in (self.by_mail, self.world):
            each.now += timedelta(minutes=10)
        self.post_blocks()

    def publish(self) -> None:
        """The game master looks what there is to be posted, and posts it."""
        if self.post_blocks():
            self.step()

    def post_blocks(self) -> int:
        posted = 0
        while (block := desk.next_to_post(self.world.moderator.open_games, GAME, self.world.now).block) is not None:
            self.thread.append(("rey", block.text))
            self.step()
            posted += 1
            desk.note_posted(self.request(), block.number, number=len(self.thread), url="https://tabr.example/1")
            if desk.next_to_post(self.world.moderator.open_games, GAME, self.world.now).block is None:
                self.read_alone(block.text)
        return posted

    def read_alone(self, text: str) -> None:
        """What somebody who gets no mail reads in the newest block is how it stands in public."""
        play, plain = self.world.table().play, TAGS.sub("", text).replace(" (coexisting)", "")
        seen = views.view(play, "public")
        for sector in re.findall(r"Storm in sector (\d+)", plain):
            assert int(sector) == seen["storm"]
            assert all(str(amount) in plain for amount in seen["spice"].values())
        for name, stands in re.findall(r"(?m)^(Arrakeen|Carthag|Sietch Tabr|Tuek's Sietch) {2,}(.+)$", plain):
            territory = name.lower().replace("'", "").replace(" ", "-")
            areas = (forces for area, forces in seen["forces"].items() if area.startswith(territory))
            here: dict[str, str] = next(areas, {})
            assert stands == (", ".join(f"{faction_name(each)} {forces}" for each, forces in here.items()) or "empty")
            self.boards += 1
        if up := re.search(r"Now up: (.+?) \(.*highest bid (.+) (\d+);", plain):
            with reading(self.world.engine) as conn:
                bids = [event for event in games.events_of(conn, GAME) if event.kind == "bid"]
            assert (up[2], int(up[3])) == (faction_name(bids[-1].facts["faction"]), bids[-1].facts["amount"])
            assert [up[1]] == [faction_name(q.faction) for q in play.asked() if q.kind == "bid"]
            self.auctions += 1


def test_a_game_by_paste_has_the_record_of_the_same_acts_by_mail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.games.secrets.token_bytes", lambda count: b"x" * count)
    game = PasteGame(tmp_path, TURNS)
    game.play()
    assert game.world.table().play.over
    assert entries_of(game.world) == entries_of(game.by_mail)
    assert game.auctions > 5
    assert game.boards > 4


def entries_of(world: World) -> list[object]:
    """All that was played, without the chain of the record, in which the game master's acts stand, too."""
    lines = map(json.loads, record_of(world))
    return [(line["turn"], line["phase"], line["entry"]) for line in lines if line["t"] == "entry"]
