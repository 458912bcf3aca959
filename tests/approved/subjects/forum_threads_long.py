"""The thread of a game, step by step: what people write, change and delete there, what the forum refuses, what a game
master does by hand; what is posted then, what counts, what players are told, and how it stands with the forum."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from bot.channels.channel import ChannelError, Limits
from bot.channels.paste import PasteChannel
from bot.forum import by_hand, posting
from bot.forum.opening import open_channel
from bot.forum.posting import Manner
from bot.forum.standing import standings
from bot.forum.trial import Trial
from bot.forum.watch import Forum, Watch
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused
from bot.store import games
from bot.store.database import reading
from bot.store.forum import accounts, outgoing, seen
from bot.store.forum.pasted import KeptPastes
from rules.components import FACTIONS, Faction
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject, without_hashes
from tests.channels.faults import Fault
from tests.channels.memory import ROOMY
from tests.forum.place import GAME, ForumWorld

MOST_STEPS = 14
PHASES = ("bidding", "movement")
Steps = list[list[Any]]


class _Place(ForumWorld):
    """The world of a game in a forum, of which all is told that happens in it. ``by_hand``: a person posts there."""

    def __init__(self, folder: Path, limits: Limits, manner: Manner) -> None:
        super().__init__(folder, limits, manner)
        self.ids: list[str] = []
        self.letters_told = self.remarks_told = self.bids_told = 0
        self.ours_told: list[str] = []

    def another_watch(self) -> Watch:
        moderator = self.world.moderator

        def channel(game: str) -> Any:
            return self.pasting(game) if self.manner.by_hand else self.channel

        forum = Forum("arrakis", channel, self.manner, timedelta(minutes=1))
        return Watch(moderator.open_games, {"arrakis": forum}, moderator.timekeeper.pass_until)

    def pasting(self, game: str) -> PasteChannel:
        kept = KeptPastes(self.world.engine, game)
        return PasteChannel(
            kept, open_channel("arrakis", self.world.settings, kept=kept).limits, lambda: self.world.now
        )

    @property
    def open_games(self) -> Any:
        return self.world.moderator.open_games

    def post_id(self, place: int) -> str:
        return self.ids[place] if 0 <= place < len(self.ids) else "no post"

    # --- what is done ------------------------------------------------------------------------------------------------

    def do_link(self, *factions: Faction) -> object:
        self.link(*factions)
        return ""

    def do_write(self, who: str, text: str, times: int = 1) -> object:
        name = self.bidder() if who == "bidder" else who
        self.ids += [self.write(name, text) for _ in range(min(times, 25))]
        return name

    def do_edit(self, place: int, text: str) -> object:
        if text:
            self.forum.edit(self.post_id(place), text)
        else:
            self.forum.delete(self.post_id(place))
        return ""

    def do_tell(self, who: str, text: str) -> object:
        return self.forum.tell(self.join(who), self.channel.account, text)

    def do_code(self, who: Faction, way: str = "post", name: str = "") -> object:
        """A player asks for a code, and posts it."""
        self.world.say(who, f"forum name {name or who}")
        with reading(self.world.engine) as conn:
            code = accounts.code_of(conn, GAME, who, self.world.now)
        if code is None:
            return "no code"
        said = f"!I am {code.code}"
        return self.do_tell(name or who, said) if way == "tell" else self.do_write(name or who, said) and "posted"

    def do_say(self, who: Faction, line: str) -> object:
        return self.world.say(self.bidder() if who == "bidder" else who, line)

    def do_wait(self, minutes: float, times: int = 1) -> object:
        for _ in range(min(times, 16)):
            self.world.now += timedelta(minutes=min(minutes, 60 * 24 * 40))
            self.world.moderator.timekeeper.tick(self.world.now)
        return ""

    def do_look(self, minutes: float = 5) -> object:
        self.look(minutes)
        return ""

    def do_watch(self, minutes: float = 1) -> object:
        self.world.now += timedelta(minutes=minutes)
        self.watch.look(self.world.now)
        return ""

    def do_anew(self) -> object:
        self.watch = self.another_watch()
        return ""

    def do_fault(self, *faults: str) -> object:
        self.forum.line.faults.extend(Fault(one) for one in faults)
        return ""

    def do_close(self, *, closed: bool = True) -> object:
        self.forum.close(self.thread().thread, closed)
        return ""

    def do_set(self, what: str, value: Any) -> object:
        if what == "skew":
            self.forum.skew = timedelta(seconds=value)
        elif what in ("revoked", "private_messages"):
            setattr(self.forum, what, value)
        else:
            self.forum.limits = replace(self.forum.limits, **{what: value})
        return ""

    def do_forget(self) -> object:
        self.forum.forget_cursors()
        return ""

    def do_rename(self, who: str, name: str) -> object:
        self.forum.rename(self.join(who), name)
        return ""

    def do_trial(self, kind: str, wait: float = 60) -> object:
        trial = Trial(self.channel, kind, "a1b2c3", lambda: self.world.now, wait, lambda seconds: None)
        return "; ".join(f"{step.name}: {step.state}, {step.told} {step.advice}" for step in trial.steps())

    def do_assume(self) -> object:
        posting.assume_told(self.open_games, GAME)
        return ""

    # by hand

    def do_gm_link(self, faction: Faction, post: int | None = None, account: str = "", name: str = "") -> object:
        use = replace(AT_THE_MACHINE)
        return by_hand.link(
            self.open_games, GAME, faction, self.world.now, use, post=post, account=account, name=name, reason="lost"
        )

    def do_gm_unlink(self, faction: Faction) -> object:
        return by_hand.unlink(self.open_games, GAME, faction, self.world.now, reason="a stranger")

    def do_gm_open(self, forum: str = "arrakis", *, anew: bool = False) -> object:
        return by_hand.open_thread(self.open_games, GAME, forum, self.world.now, anew=anew)

    def do_gm_close(self) -> object:
        return by_hand.close_thread(self.open_games, GAME, self.world.now)

    def do_gm_show(self) -> object:
        shown = by_hand.to_post(self.open_games, GAME)
        block = shown.block and f"{shown.block.number} {shown.block.title} {shown.block.text[:50]!r}"
        return f"by hand {shown.by_hand}, {block}, waits {[each.kind for each in shown.waits]}, {shown.blocks} blocks"

    def do_gm_now(self) -> object:
        by_hand.write_now(
            self.open_games, self.watch._forums["arrakis"].channel(GAME), GAME, self.manner, self.world.now
        )
        return ""

    def do_gm_posted(self, block: int, number: int | None = None, url: str = "") -> object:
        by_hand.posted(self.open_games, GAME, block, self.world.now, number=number, url=url)
        return ""

    def do_gm_paste(self, who: Faction, text: str, number: int | None = None, name: str = "", ago: int = 0) -> object:
        faction = self.bidder() if who == "bidder" else who
        pasted = by_hand.Pasted(faction, text, name, number, self.world.now - timedelta(minutes=ago) if ago else None)
        passed = self.world.moderator.timekeeper.pass_until
        handed = by_hand.paste(self.open_games, passed, GAME, pasted, self.world.now)
        return f"{handed.state} {[(line.text, line.status, line.canonical) for line in handed.post.lines]}"

    def do_gm_again(self, *, skip: bool = False) -> object:
        return by_hand.try_again(self.open_games, GAME, self.world.now, skip=skip).kind

    # --- what is told ------------------------------------------------------------------------------------------------

    def told(self) -> Iterator[str]:
        """What has come since it was asked last."""
        with reading(self.world.engine) as conn:
            events, posts = games.events_of(conn, GAME), seen.of_game(conn, GAME)
            waits = [f"{each.kind} {each.tries}" for each in outgoing.waiting(conn, GAME)]
        acts = [event for event in events if event.kind in ("bid", "passed", "shipped", "moved")]
        yield from (f"  done: {event.kind} {_plain(event.facts)}" for event in acts[self.bids_told :])
        self.bids_told = len(acts)
        for post in posts:
            lines = [(line.text[:80], line.status, line.canonical) for line in post.lines]
            now = f"{post.post} {post.author} {post.faction} {lines} {post.state} {post.number}"
            now = f"{now} {self._hour(post.look_at)}"
            if now not in self.ours_told:
                self.ours_told.append(now)
                yield f"  read: {now}"
        letters = self.world.letters()
        for letter in letters[self.letters_told :]:
            yield f"  mail: {letter.faction} {letter.subject!r}\n{_shortened(letter.text)}"
        self.letters_told = len(letters)
        yield from self._posted()
        thread = self.thread()
        place = (thread.title, thread.told_turn, thread.closed, thread.problem, self._hour(thread.problem_since))
        yield f"  thread: {place}, read {self._hour(thread.read_at)}, waits {waits}"
        for work in ("reading", "posting"):
            state = self.state(work)
            if state.problem or state.wait_until or state.skew_seconds:
                until = self._hour(state.wait_until)
                told = f"{state.problem} {state.failures} {self._hour(state.failing_since)} {until}"
                yield f"  {work}: {told} {state.skew_seconds:g}"
        for standing in standings(self.open_games):
            games_told = [(dict(sorted(game.linked.items())), game.over, game.waits) for game in standing.games]
            yield f"  stands: {standing.name} well {standing.well} {games_told} {standing.subscribed}"

    def _posted(self) -> Iterator[str]:
        if self.manner.by_hand:
            return
        for post in self.posts() if self.thread().thread else ():
            if post.author == "Mentat" and (now := f"{post.id} {post.raw}") not in self.ours_told:
                self.ours_told.append(now)
                yield f"  posted: {now}"

    def _hour(self, when: Any) -> str:
        return "-" if when is None else f"{when:%d %H:%M:%S}"


def _plain(facts: Any) -> str:
    return json.dumps(facts, sort_keys=True, default=str)


def _shortened(text: str) -> str:
    """A letter without addresses and codes, which come by lot, and without what other subjects tell."""
    text = re.sub(r"mentat\+[0-9a-z]+@|(?<=I am )[A-Z0-9]{6}", "…", text.replace("\r\n", "\n"))
    return "\n".join(f"    {line}" for line in text.split("\n")[:14] if line.strip())[:900]


def _told(text: str) -> str:
    phase, manner, limits, steps = json.loads(text)
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        try:
            place = _Place(Path(folder), replace(ROOMY, **limits), Manner(**manner))
            if phase == "setup":
                place.begin()
            else:
                place.begin_at(phase if phase in PHASES else "bidding")
        except Exception as error:
            return f"no game: {type(error).__name__}"
        told = [*place.told()]
        for step in steps[:MOST_STEPS]:
            told.append(f"{step}: {_step(place, step)}")
            told += place.told()
    return re.sub(r"/[\w/.-]*/tmp\w+", "…", "\n".join(told))


def _step(place: _Place, step: Sequence[Any]) -> str:
    verb, *given = step
    named = given.pop() if given and isinstance(given[-1], dict) else {}
    try:
        return str(getattr(place, f"do_{verb}")(*given, **named) or "")[:2000]
    except (ChannelError, PowerRefused) as refused:
        return f"{type(refused).__name__}: {refused}"
    except Exception as error:
        return f"cannot be done: {type(error).__name__}"


# --- seeds -----------------------------------------------------------------------------------------------------------

PASTED: dict[str, Any] = {"by_hand": True}
BID: list[Any] = ["write", "bidder", "!bid 3"]


def _seeds() -> Iterator[str]:
    everybody: Steps = [["link", *FACTIONS]]
    yield _input("setup", [["look"], ["code", "guild"], ["look"], ["code", "fremen", "tell"], ["look"], ["look", 70]])
    yield _input(
        "bidding", [*everybody, BID, ["look"], BID, ["look"], ["edit", 0, "!bid 9"], ["look", 6], ["look", 60]]
    )
    yield _input("bidding", [*everybody, BID, ["look"], ["edit", 0, ""], ["look", 1500], ["wait", 4000], ["look"]])
    yield _input(
        "bidding",
        [["write", "stranger", "!bid 3"], ["look"], ["write", "stranger", "!pass"], ["look"], ["gm_link", "guild", 1]],
    )
    yield _input("bidding", [*everybody, ["write", "guild", "!plan 3\n!bid five\n!pass", 12], ["look"], ["look", 61]])
    yield _input(
        "bidding",
        [["fault", "drop"], ["watch"], ["fault", "server_error", "drop"], ["watch"], ["watch", 2], ["watch", 30]],
    )
    yield _input(
        "bidding", [["wait", 3000], ["fault", "delay"], ["watch"], ["watch"], ["fault", "answer_lost"], ["watch", 5]]
    )
    yield _input(
        "bidding",
        [["close"], ["wait", 3000], ["look"], ["look", 11], ["gm_again"], ["close", {"closed": False}], ["look", 700]],
    )
    yield _input("bidding", [["set", "revoked", True], *[["watch", 31]] * 4, ["set", "revoked", False], ["watch", 31]])
    yield _input(
        "bidding", [["wait", 3000], ["look"], ["wait", 2900], ["look"]], limits={"posts_in_a_row": 1, "revisable": True}
    )
    yield _input(
        "bidding", [["wait", 3000], ["set", "characters", 700], ["look"], ["wait", 2900], ["look"]], {"when": "phases"}
    )
    yield _input(
        "bidding",
        [["set", "skew", 300], *everybody, BID, ["look"], ["wait", 3000], ["look"], ["forget"], BID, ["look"]],
    )
    yield _input("movement", [*everybody, ["write", "guild", "!ship 3 to Carthag"], ["look"], ["wait", 2900], ["look"]])
    yield _input(
        "movement", [["wait", 3000, 8], ["look"], ["wait", 3000, 8], ["look"]], {"pictures": False}, {"pictures": True}
    )
    yield _input(
        "movement",
        [["fault", "reorder", "double"], ["wait", 3000, 14], ["look"]],
        {},
        {"pictures": True, "revisable": True},
    )
    yield _input(
        "bidding",
        [
            ["gm_close"],
            ["gm_show"],
            ["gm_open"],
            ["look"],
            ["gm_close"],
            ["gm_open", "arrakis", {"anew": True}],
            ["look"],
        ],
    )
    yield _input(
        "bidding",
        [
            ["gm_unlink", "guild"],
            ["link", "guild"],
            ["gm_unlink", "guild"],
            ["gm_open", "nowhere"],
            ["assume"],
            ["look"],
        ],
    )
    pasted: Steps = [
        ["gm_show"],
        ["gm_posted", 1, 7, "https://bgg.example/t/1"],
        ["gm_paste", "bidder", "!bid 3", 8],
        ["look"],
    ]
    yield _input(
        "bidding", [*pasted, ["gm_paste", "bidder", "!bid 3\nand more", 8, "Edric"], ["gm_now"], ["gm_show"]], PASTED
    )
    yield _input(
        "bidding",
        [["gm_posted", 2], ["gm_posted", 1], ["gm_posted", 2], *pasted, ["gm_paste", "bidder", "hello", 7]],
        PASTED,
    )
    yield _input(
        "bidding",
        [
            *pasted,
            ["gm_paste", "bidder", "!bid 9", 8],
            ["gm_link", "guild", None, "", "Edric"],
            ["gm_link", "guild"],
            ["gm_again"],
        ],
        PASTED,
    )
    yield _input(
        "bidding",
        [*pasted, ["gm_paste", "guild", "!pass", None, "Edric", 400], ["wait", 3000], ["look"], ["gm_now"]],
        PASTED,
    )
    yield _input(
        "bidding",
        [["gm_again", {"skip": True}], ["wait", 3000], ["close"], ["look"], ["gm_again", {"skip": True}], ["gm_show"]],
    )
    yield _input(
        "bidding",
        [["trial", "discourse"], ["fault", "drop"], ["trial", "paste"], ["set", "revoked", True], ["trial", "list"]],
    )
    yield _input(
        "bidding",
        [
            ["set", "revisable", False],
            ["trial", "x"],
            ["set", "skew", 300],
            ["fault", "answer_lost"],
            ["trial", "list", 3],
        ],
    )
    yield _input(
        "bidding", [["link", "guild"], ["write", "guild", "bid 3\nplan 3, leader Feyd"], ["look"]], {"plain": True}
    )
    yield _input(
        "setup",
        [
            ["code", "guild", "post", "Mentat"],
            ["look"],
            ["code", "guild", "post", "Edric"],
            ["look"],
            ["rename", "Edric", "x"],
        ],
    )


def _input(phase: str, steps: Steps, manner: dict[str, Any] | None = None, limits: dict[str, Any] | None = None) -> str:
    return json.dumps([phase, manner or {}, limits or {}, steps])


_STEPS = vary_json(("text",))


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Steps that are gone, doubled, moved or as elsewhere; or another moment, forum or manner."""
    phase, manner, limits, steps = json.loads(text)
    other = json.loads(chance.choice(others))
    match chance.randrange(8):
        case 0:
            phase = other[0]
        case 1:
            manner = other[1] or {"when": "phases"}
        case 2:
            limits = other[2] or {"characters": chance.choice((600, 1000, 5000)), "revisable": True}
        case 3 | 4:
            place, begin = chance.randrange(len(steps) + 1), chance.randrange(len(other[3]) + 1)
            steps[place:place] = other[3][begin : begin + chance.choice((1, 2, 4))]
    steps = json.loads(_STEPS(chance, json.dumps(steps), [json.dumps(other[3])]))
    return _input(
        phase, [step for step in steps if isinstance(step, list) and step and isinstance(step[0], str)], manner, limits
    )


SUBJECT = Subject("forum-threads-long", (
    "bot.forum.posting", "bot.forum.taking", "bot.forum.watch", "bot.forum.by_hand", "bot.forum.trial",
    "bot.forum.standing", "bot.forum.opening",
), _seeds, _vary, without_hashes(_told), slow=True)  # fmt: skip
