"""What has little to do with games: calendars, waking hours, the settings of a clock, tempos; names, numbers, times and
lists in words; lines made harmless and tables set in columns; how players may write to each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast
from zoneinfo import ZoneInfo

from bot import wording
from bot.config import SettingsError
from bot.config.values import policy_of
from bot.lab.clauses import described_options
from bot.lab.coverage import compare_rule_sets, coverage
from bot.language.mail_lines import is_overturned, takes_back
from bot.press import PressRefused
from bot.press import read_press as read_press
from bot.record.dune import quoted, seen_only
from bot.record.lines import HIDDEN_WORDS, MadeDeal, Words, made_schema
from bot.render.blocks import Grid
from bot.render.board import Look
from bot.render.forum_posts import DIALECTS, cut_text, harmless, in_columns
from bot.render.html import with_discs
from bot.render.letters import archive_paragraphs, press_paragraphs
from bot.render.questions import reply_link
from bot.render.text import wrap_text
from bot.table import calendar, clock
from bot.table import clock as settings
from bot.table.calendar import Calendar, stamp
from bot.table.seat import Seat
from bot.wording import find, phrases
from bot.wording.filters import FILTERS, order_as_spoken, speaking
from rules.components.terms import EDITIONS
from rules.decisions.question import Question
from rules.engine.catalogue import load_rule_set
from rules.state.game import Game
from tests.approved.json_inputs import varied
from tests.approved.subject import Subject
from tests.approved.table_life import settings as all_settings
from tests.rules.test_coverage import TESTS

MOST_HOURS = 1000
START = "2026-11-27T20:00:00+00:00"
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Etc/GMT", "Australia/Lord_Howe")


class _Bid(Question):
    """A question of which nothing counts but what its attributes say."""

    kind = "bid"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _calendar(zone: str, wall: str, off: Sequence[int], holidays: Sequence[str], regions: Sequence[str]) -> Calendar:
    return Calendar(
        ZoneInfo(zone), time.fromisoformat(wall) if wall else None, frozenset(off),
        frozenset(map(date.fromisoformat, holidays)), frozenset(regions),
    )  # fmt: skip


# --- what is told of each sort ---------------------------------------------------------------------------------------


def _days(days: Sequence[Any], start: str, end: str, hours: float, at: str) -> list[Any]:
    hours = min(max(hours, 0), MOST_HOURS)
    kept, began, over, span = _calendar(*days), _moment(start), _moment(end), timedelta(hours=hours)
    clock = settings.GameClock(kept, hours, hours / 3, hours / 5, lambda question: 0.5 * len(question.faction) % 2)
    question = _Bid(cast(Game, None), "guild" if hours % 2 else "atreides")
    question.public = hours % 3 > 0
    return [
        kept.plain, kept.every_day, kept.counts(began.date()), kept.day_of(began),
        calendar.instant_at(began.date(), time.fromisoformat(at), kept.zone), calendar.counted_from(kept, began, span),
        calendar.counted_between(kept, began, over), calendar.next_allowed(kept, began), calendar.due_at(kept, began, hours),
        clock.hours(question), clock.due(question, began), clock.call_due(0.5, began), clock.due_again(question, began),
        clock.until(question, over), clock.duty(question), clock.later(over, began, over), clock.extended(over, hours),
        stamp(began), settings.whole_step(question),
    ]  # fmt: skip


def _awake(start: str, minutes: int, hours: str, zone: str) -> list[Any]:
    began, span, there = _moment(start), timedelta(minutes=min(minutes, 60 * MOST_HOURS)), ZoneInfo(zone)
    seat = Seat("guild", 2, "g@one.example", "Gus", zone, "t", "b", sitter="s" * (minutes % 2), sitter_until=began)
    ends = calendar.after_waking_time(began, span, hours, there)
    sat = [seat.sat_in_for(began + timedelta(seconds=step)) for step in (-1, 0, 1)]
    return [
        ends,
        calendar.waking_time(began, began + span, hours, there),
        calendar.waking_time(ends, began, hours, there),
        calendar.waking_time(began, ends, hours, there),
        sat,
    ]


def _own(given: list[str]) -> list[Any]:
    try:
        own = settings.read_own_settings(all_settings().clock, given)
    except SettingsError as error:
        return error.problems
    clock = settings.game_clock(all_settings(), own)
    days = clock.calendar
    kept = [days.zone.key, days.time_of_day, sorted(days.days_off), sorted(days.holidays), sorted(days.regions)]
    return [own, settings.settings_in_force(all_settings(), own), settings.shown_settings(own), *kept, clock.step, clock.minimum,
            clock.grace]  # fmt: skip


def _tempo(name: str, kind: str, why: str, phase: str) -> list[Any]:
    try:
        found = clock.tempo(name)
    except clock.UnknownTempo as error:
        return [f"{error}"]
    opened = found.round_of(phase, frozenset({kind}))
    return [
        found.hours(kind, why),
        found.window_is_open(kind, why),
        opened,
        found.says,
        found.days_a_turn,
        clock.tempo_names(),
    ]


def _times(due: str, now: str, zone: str) -> list[Any]:
    end, here, there = _moment(due), _moment(now), ZoneInfo(zone)
    return [wording.moment(end, there), wording.clock_of(there), wording.distance(end, here), wording.deadline(end, here, there),
            wording.day_and_month(end.date())]  # fmt: skip


def _filter(name: str, edition: Any, given: list[Any]) -> list[Any]:
    with speaking(edition if edition in EDITIONS else EDITIONS[0]):
        return [FILTERS[name](*given)]


def _sentence(name: str, edition: Any, facts: Mapping[str, Any]) -> list[Any]:
    with speaking(edition if edition in EDITIONS else EDITIONS[0]):
        found = find(name)
        table = name.rpartition(".")[0]
        return (
            [found.source, found.render(facts), len(phrases(table)), order_as_spoken(name)]
            if found
            else [len(phrases(table))]
        )


def _press(text: str) -> list[Any]:
    try:
        return [read_press(text).words, *press_paragraphs(read_press(text))]
    except PressRefused as error:
        return [f"{error}"]


def _archive(words: str, name: str, listed: bool, press: bool) -> list[Any]:
    return archive_paragraphs(policy_of(words), name, listed, press=press)


def _look(text: str, but: str) -> list[Any]:
    look = Look.of(text)
    return [look.words, look.but(but), look.but(but).words, look.shade, look.sizes, Look(page=bool(but)).shade]


def _lines(text: str, longest: int, label: str) -> list[Any]:
    longest = max(longest, 1)
    said: list[Any] = [
        harmless(text), cut_text(text, longest), wrap_text(text, label[:3], None, longest),
        wrap_text(text, "* ", "", longest), str(with_discs(text)), str(with_discs(text, narrow=True)), quoted(text),
        seen_only(text),
        [is_overturned(text, label), is_overturned(label, text), takes_back(text)],
        reply_link(f"{label.strip() or 'a'}@b.example", label, (text,)),
    ]  # fmt: skip
    for each in DIALECTS.values():
        said += [each.words(text), each.title(text or "a"), each.heading(text or "a"), each.strong(text), each.limit]
        said += [each.labelled(label, text), each.items([each.words(text), each.words(label)]), each.items([])]
        said.append(each.covered(label, text))
    return said


def _columns(head: list[str], rows: list[list[str]], numeric: list[int], below: list[str], width: int) -> list[Any]:
    width = max(width, 4)
    wide = [(*row, *[""] * len(head))[: len(head)] for row in rows]
    grid = Grid(
        tuple(head), tuple(map(tuple, wide)), frozenset(numeric), tuple((*below, *[""] * len(rows))[: len(rows)])
    )
    bare = Grid(grid.head, grid.rows, grid.numeric)
    return [*in_columns(grid, str, width), *in_columns(bare, str, width), *(d.table(grid) for d in DIALECTS.values())]


def _deal(key: str, known: bool, giver: Any, receiver: Any, text: str) -> list[Any]:
    words = Words(
        key.encode() if key else None, {"words:" + "0f" * 16: MadeDeal(giver, receiver, "peace")} if known else {}
    )
    hidden = words.hidden(giver, receiver, text)
    return [
        hidden,
        bool(HIDDEN_WORDS.fullmatch(hidden)),
        words.hidden(receiver, giver, text),
        words.hidden(giver, receiver, hidden),
    ]


def _compared(names: list[str]) -> list[Any]:
    return [
        compare_rule_sets(names),
        [f"{title}: {', '.join(options)}" for title, options in described_options().items()],
    ]


def _covered(tests: Mapping[str, str], rulings: Mapping[str, str], names: list[str]) -> list[Any]:
    """Which clauses some tests and rulings show."""
    with TemporaryDirectory() as folder:
        for name, text in (*tests.items(), *rulings.items()):
            file = Path(folder) / name.replace("..", "").strip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        found = coverage(Path(folder), Path(folder), *map(load_rule_set, names))
    shown = [f"{each.clause.id} {each.tests} {each.rulings}" for each in found if each.tests or each.rulings]
    excused = [each.clause.id for each in found if each.not_for_the_program]
    return [len(found), sum(each.shown for each in found), *shown, excused[:9]]


SORTS: Mapping[str, Callable[..., Sequence[Any]]] = {
    "days": _days, "awake": _awake, "own": _own, "tempo": _tempo, "times": _times, "filter": _filter,
    "sentence": _sentence, "press": _press, "archive": _archive, "look": _look, "lines": _lines, "columns": _columns,
    "deal": _deal, "compared": _compared, "covered": _covered, "schema": lambda: [made_schema().decode()],
}  # fmt: skip


def _told(text: str) -> str:
    sort, *given = json.loads(text)
    try:
        return "\n".join(f"{each}" for each in SORTS[sort](*given))
    except Exception as error:  # many a varied input can be told by nobody, each in its own way
        return f"nobody can be told this: {type(error).__name__}"


# --- seeds -----------------------------------------------------------------------------------------------------------

_FILTERED: Mapping[str, Sequence[list[Any]]] = {
    "name": [["bene-gesserit"], ["imperial-basin/9"], ["tueks-sietch"], ["habbanya-ridge-sietch/17"], ["nowhere/1"],
             ["Shai-Hulud"], ["axlotl-tanks"], ["Hajr"]],
    "tokens": [["1"], ["3+2"], ["0+1", "emperor"], ["2+1", "ixians"], ["0+2"], ["2+1", "nobody"], [0]],
    "voiced": [["shield"], ["worthless"], ["Crysknife"]], "strength": [["Stilgar"], ["Zoal"], ["cheap hero"]],
    "plural": [[1, "token"], [2, "territory"], [0, "day"], [1.5, "y"], [3, "worm"]],
    "ordinal": [[1], [2], [3], [4], [11], [13], [21], [112]], "listed": [[["a", "b", "c"]], [["a"]], [[]]],
    "either": [[["a", "b"]]], "halves": [[3.5], [3.0]], "bounds": [[3, 3], [3, None], [0, 3], [2, 4], [0, 0]],
    "grouped": [[26214400]], "sectors": [[[9]], [[]], [[9, 10]], [[9, 10, 11]]], "hours": [[150], [59]],
    "span": [[119], [120], [121], [1], [60]], "clock_span": [[59], [60], [61], [185]], "quoted": [["a\nb"]],
    "tenths": [[15], [20]],
}  # fmt: skip
_TEXTS = (
    "@all: see https://example.org :D (8) ;-) www.example.org :smile: 8-) = =)", "- a list", "12. a number", "+ plus",
    "[b]Guild[/b] <b>bold</b> *stars* _under_ `code`", "Bene Gesserit and (Emperor) Guild Representative, FREMEN",
    "a\u202eb\u0301 e\u0301 \u200b\tx", "word " * 40, "Donaudampfschifffahrtsgesellschaft" * 3, "", " ", "no wait",
    "Do not", "unless the Guild is out", "he said:", "if you bid.", "only if", "bid 5", "Tleilaxu Ghola Tleilaxu",
)  # fmt: skip


def _seeds() -> Iterator[str]:
    days = [
        ["Europe/Berlin", "20:00", [5, 6], ["2026-11-30"], []],
        ["UTC", "", [], [], []],
        ["America/New_York", "02:30", [], ["2026-12-24", "2026-12-25"], ["DE-BY"]],
        ["Australia/Lord_Howe", "23:59", [0, 1, 2, 3, 4, 5], [], []],
        ["Asia/Kolkata", "", [6], [], []],
    ]
    made_of: list[list[Any]] = [["days", each, START, "2026-12-01T19:00:00+00:00", 24, "02:30"] for each in days]
    made_of += [
        ["days", days[2], f"2026-{when}:00+00:00", f"2026-{when}:30+00:00", 13.5, "02:30"]
        for when in ("03-08T06:59", "03-29T00:30", "10-25T00:30", "11-01T05:30", "12-23T23:00")
    ]
    made_of += [
        ["awake", START, minutes, hours, zone]
        for minutes in (0, 1, 180, 3000)
        for hours, zone in (("", "UTC"), ("08:00-22:00", "Europe/Berlin"), ("16:00-02:00", "Asia/Kolkata"))
    ]
    made_of += [
        ["own", each]
        for each in (
            [],
            ["step_hours=48", "due_at=20:00"],
            ["days_off=saturday, sunday", "timezone=Europe/Berlin"],
            ["grace_hours=x"],
            ["holidays=2026-12-25,DE-BY", "minimum_hours=1.5"],
            ["step_hours"],
            ["colour=red", "due_at=25:00"],
            ["days_off=monday,tuesday,wednesday,thursday,friday,saturday,sunday"],
            ["step_hours=3"],
        )
    ]
    made_of += [
        ["tempo", name, kind, why, phase]
        for name in (*clock.tempo_names(), "none")
        for kind, why, phase in (
            ("bid", "", "bidding"),
            ("karama-window", "voice", "battle"),
            ("karama-window", "amal", "storm"),
            ("revival", "empty-tanks", "revival"),
            ("shipment", "", "movement"),
            ("nexus", "", "spice"),
        )
    ]
    made_of += [["times", START, now, zone] for zone in ZONES for now in (START, "2026-11-27T18:29:00+00:00")]
    made_of += [
        ["filter", name, edition, given]
        for name, several in _FILTERED.items()
        for given in several
        for edition in ("1979", "2019")
    ]
    made_of += [
        ["sentence", name, edition, {"number": 3, "faction": "guild", "name": "x", "due": "y"}]
        for edition in ("1979", "2019")
        for name in ("subject.nothing", "duty.bid", "heading.you", "none.at-all", "question.bg-status.short")
    ]
    made_of += [
        ["press", each]
        for each in (
            "open",
            "none,gunboat",
            "grey,quota=3",
            "public,yellow",
            "table,late,must-order",
            "mixed,archived",
            "x",
            "fake,neighbours,language,copies-to-desk,observers=desk",
            "open,postal,observers=white",
            "gunboat,names-until=round",
            "grey,gunboat,postal,quota=1",
            "none,postal",
        )
    ]
    made_of += [
        ["archive", words, "Ann", listed, not listed]
        for words in ("hidden full", "public public-only", "delayed:2 full")
        for listed in (True, False)
    ]
    made_of += [
        ["look", one, other]
        for one in ("", "names", "dark", "names dark")
        for other in ("", "names", "codes", "light", "dark codes")
    ]
    made_of += [["lines", text, longest, "Deals"] for number, text in enumerate(_TEXTS) for longest in (8 + number,)]
    made_of += [
        ["columns", ["", "Dial"], [["Guild", "4"], ["Emperor of all", "12"]], [1], ["ally of all", ""], width]
        for width in (8, 20, 60)
    ]
    made_of += [
        ["columns", ["", ""], [["Guild", "a long cell that is wide"]], [], [], 16],
        ["columns", ["a"], [], [0], [], 9],
    ]
    made_of += [
        ["deal", key, known, "guild", "fremen", text]
        for key in ("", "k")
        for known in (True, False)
        for text in ("peace", " peace ", "", "words:" + "0f" * 16, "war")
    ]
    made_of += [
        ["compared", names]
        for names in (["wbc-2018", "ah-basic"], ["gf9-basic"], ["vaca-2.0", "ah-advanced", "wbc-2018"])
    ]
    made_of += [
        ["covered", {"test_some.py": TESTS}, {"rulings/tie.toml": 'clauses = ["AH.X.C.2", "WBC.VIII.14"]'}, names]
        for names in ([], ["ah-basic"])
    ]
    made_of.append(["schema"])
    yield from map(json.dumps, made_of)


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """The same sort with something of it otherwise."""
    given = json.loads(text)
    if len(given) == 1:
        return text
    some = (json.loads(other) for other in chance.sample(list(others), min(60, len(others))))
    alike = [other for other in some if other[0] == given[0] and len(other) == len(given)] or [given]
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(1, len(given))
        theirs = [{"given": each[place]} for each in alike]
        given[place] = varied(chance, {"given": given[place]}, theirs).get("given", given[place])
    return json.dumps(given)


ROOMS = (
    "bot.table.clock",
    "bot.wording",
    "bot.render",
    "bot.record.lines",
    "bot.record.dune",
    "bot.record.lines",
    "bot.language.mail_lines",
    "bot.table.seat",
    "bot.lab.clauses",
)
SUBJECT = Subject("small-words", ROOMS, _seeds, _vary, _told)
