"""A short game with its people, its press and what may be shown of it: its pages, plots, replay, posts and summary,
when it is over or while it goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Literal

import msgspec

from bot.archive import site
from bot.archive.games import (
    ArchivePolicy,
    Cast,
    FiledLine,
    FinishedGame,
    Place,
    RunningGame,
    ShownPress,
    play_steps,
    story_so_far,
)
from bot.archive.texts import NoSuchTurn, forum_posts
from bot.record.lines import Act, AnyLine, Chain, Decided, End, Head
from rules.components import FACTIONS, Faction
from rules.rulesets.ruleset import RULE_SETS
from rules.state.events import Event
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.archive.page_words import lines_of
from tests.archive.short import short

SUMS, RECORD, REPLAY = "SHA256SUMS", "game.jsonl", "replay.html"


class Person(msgspec.Struct):
    """Who plays a faction."""

    name: str = ""
    listed: bool = False
    caretaker: bool = False


class Game(msgspec.Struct):
    """A game: ``days`` say how many days lay between decisions, in turn; ``undone`` how many are taken back once;
    ``going`` is the turn in which it is looked at while it goes on, 0 for a game that is over."""

    ruleset: str
    players: int
    seed: str
    turns: int
    ended: Literal["full", "public-only"] = "full"
    running: Literal["hidden", "public", "delayed"] = "public"
    going: int = 0
    people: list[Person] = []
    days: list[int] = []
    undone: int = 0
    place: bool = False
    dated: bool = True
    sheets: list[FiledLine] = []
    press: list[ShownPress] = []


def _seeds() -> Iterator[str]:
    people = [Person("Duke"), Person("Ḥusayn  الغزالي", True), Person("<b>Feyd</b> " * 9, True, True)]
    sheets = [
        FiledLine("atreides", 1, "when card 2: bid 3", 1, "used", "turn 1, bidding"),
        FiledLine("atreides", 2, "standing: charity", 0, "active", ""),
        FiledLine("bene-gesserit", 1, "bid up to 3", 2, "over", ""),
    ]
    press = [
        ShownPress(1, "atreides", (), "The spice must flow."),
        ShownPress(1, None, ("atreides", "emperor"), "<b>Beware</b>\nof the storm\n\nand worms"),
        ShownPress(2, None, (), "Too late."),
    ]  # fmt: skip
    for number, ruleset in enumerate(RULE_SETS):
        players = 2 + number % 2
        yield _text(Game(ruleset, players, "spice", 2, people=people, days=[0, 1, 0, 3], sheets=sheets, press=press))
        yield _text(Game(ruleset, players, "spice", 2, going=2, place=True))
    yield _text(Game("wbc-2018", 4, "a", 1, "public-only", undone=3, dated=False, press=press))
    yield _text(Game("gf9-advanced", 6, "b", 1, days=[1], place=True))
    yield _text(Game("ah-basic", 2, "c", 4, days=[1, 2], undone=2))


def _text(game: Game) -> str:
    return msgspec.json.encode(game).decode()


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Game)
        seats = FACTIONS[: min(max(given.players, 2), 6)]
        ruleset = given.ruleset if given.ruleset in RULE_SETS else "ah-basic"
        played = short(ruleset, len(seats), given.seed, min(max(given.turns, 1), 5))
    except ValueError:
        return "no game"
    over = _finished(given, played)
    try:
        if given.going:
            return _going(given, over)
        files, summary = site._of_finished(over)
    except Exception as wrong:
        return f"cannot be shown: {type(wrong).__name__}: {wrong}"
    return f"{_files(files)}== summary\n{_without_sums(summary.decode())}"


def _finished(given: Game, played: FinishedGame) -> FinishedGame:
    head, end = played.lines[0], played.lines[-1]
    assert isinstance(head, Head)
    assert isinstance(end, End)
    log = [line.entry for line in played.lines if isinstance(line, Decided)]
    day = date(2026, 1, 1)
    decided: list[AnyLine] = []
    for number, entry in enumerate(log):
        if given.days:
            day += timedelta(days=given.days[number % len(given.days)] % 50)
        decided.append(Decided(n=number, day=day if given.days else None, entry=entry))
        if given.undone and number == given.undone % len(log):  # taken back, and decided once more
            decided += [Act(what="rollback", entries=number), Decided(n=number, entry=entry)]
    lines: list[AnyLine] = [head, *decided, end]
    chain = Chain(end.seed)
    record = b"".join(chain.add(line) + b"\n" for line in lines)
    cast: dict[Faction, Cast] = {}
    for place, (faction, dot) in enumerate(head.seats.items()):
        person = given.people[place] if place < len(given.people) else Person()
        name = person.name or f"{faction.title()} of sietch-7"
        cast[faction] = Cast(faction, dot, name, person.listed, person.caretaker)
    return FinishedGame(
        "sietch-7", record, lines, cast, ArchivePolicy(ended=given.ended),
        [line for line in given.sheets if line.faction in cast],
        date(2026, 1, 1) if given.dated else None, day if given.dated else None, _place(given), given.press,
    )  # fmt: skip


def _place(given: Game) -> Place | None:
    return Place("cup", "The <Arrakeen> Cup", given.turns, given.players) if given.place else None


def _going(given: Game, game: FinishedGame) -> str:
    """The same at the end of a phase in the middle of a turn, as everybody saw it."""
    head = game.lines[0]
    assert isinstance(head, Head)
    ends: dict[int, Mapping[str, Any]] = {}
    events: list[Event] = []
    shown: Mapping[str, Any] = {}
    for step in play_steps(game, given.seed):
        if step.turn > given.going or (step.turn == given.going and step.phase == "battle"):
            break
        view = {name: seen for name, seen in step.views["public"].items() if name != "known"}
        if step.turn < given.going:
            ends[step.turn] = view
        if step.event is not None and step.event.visible_to("public"):
            events.append(msgspec.structs.replace(step.event, number=len(events), private={}, audience=None))
        shown = view
    policy = ArchivePolicy(given.running, delay=given.running == "delayed")
    running = RunningGame(game.id, head.ruleset, head.options, game.cast, policy, shown, events, ends, game.place)
    told = story_so_far(running)
    pages = "nothing is shown\n" if told is None else _files(site._of_running(told))
    try:
        turn = "\n".join(forum_posts(running, "markdown", given.turns))
    except NoSuchTurn as none:
        turn = str(none)
    return f"{pages}== posts\n{'~~~'.join(forum_posts(running, 'bbcode'))}\n== turn {given.turns}\n{turn}"


def _files(files: Mapping[str, bytes]) -> str:
    """Each file; of those that are sums of others only their name."""
    return "".join(f"== {name}\n{_file(name, files[name])}\n" for name in sorted(files))


def _file(name: str, content: bytes) -> str:
    if name in (SUMS, RECORD):
        return f"{len(content.splitlines())} lines"
    text = lines_of(content) if name.endswith(".html") else content.decode().replace("\r\n", "\n")
    if name == REPLAY:
        text = re.sub(r'"board":\{.*?\}(?=</script>)|<svg.*?</svg>', "", text, flags=re.DOTALL)
        text = text.replace('],"', '],\n"').replace("],[", "],\n[")
    return _without_sums(text)


def _without_sums(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{32,}\b", "…", text)


SUBJECT = Subject(
    "archive-games-long", ("bot.archive.game_pages", "bot.archive.replay", "bot.archive.plots", "bot.archive.texts",
                      "bot.archive.games", "bot.archive.html", "bot.archive.replay", "bot.archive.summaries"),
    _seeds, vary_json(("name", "words", "line"), kept=("ruleset",)), _told, slow=True)  # fmt: skip
