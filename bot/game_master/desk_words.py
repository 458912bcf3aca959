"""The desk in words: for the terminal and for the letter of the day, and where a game stands for `mentat game list`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.game_master.desk import Desk, Matter, Part, Standing
from bot.reports.document import Block, Heading, Paragraph, Row, Rows
from bot.reports.questions import duty
from bot.reports.times import clock_of, distance, moment
from bot.store.desk import GameAt
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.engine.rule_sets import load_rule_set

MOST_LINES = 40
"""So many lines a part of the desk has at most in words."""

MOST_NUMBERS = 3

ORDER: Sequence[Part] = ("do", "late", "people", "behind", "idle", "mail", "machine")


def blocks(desk: Desk, zone: ZoneInfo, *, machine: bool = True) -> list[Block]:
    """The desk as the parts of a letter: what is for the game master to do, then what the games wait for, and last how
    the ``machine`` does."""
    summary = say("desk-look.counted", games=len(desk.games), matters=len(desk.matters), zone=clock_of(zone))
    found: list[Block] = [Paragraph(summary)]
    rulesets = {each.game.id: each.game.ruleset for each in desk.games}
    for part in ORDER:
        here = [matter for matter in desk.matters if matter.part == part]
        if here:
            rows = _rows([(matter.game, _matter(matter, rulesets, zone)) for matter in here[:MOST_LINES]], len(here))
            found += [Heading(say(f"desk-look.{part}")), rows]
    if desk.games:
        first = sorted(desk.games, key=lambda each: _urgency(each, desk.now))[:MOST_LINES]
        rows = _rows([(each.game.id, line) for each in first for line in _lines(each, desk.now, zone)])
        found += [Heading(say("desk-look.games")), rows]
        if len(desk.games) > MOST_LINES:
            found.append(Paragraph(say("desk-look.more", count=len(desk.games) - MOST_LINES), "small"))
    if machine:
        found.append(Paragraph(_machine(desk, zone), "small"))
    return found


def of_one(desk: Desk, zone: ZoneInfo) -> list[str]:
    """The desk of a single game in lines: where it stands, whom it waits for, and what is for its master to do."""
    rulesets = {each.game.id: each.game.ruleset for each in desk.games}
    lines = [line for each in desk.games for line in _listed(each, desk.now, zone)]
    lines += [_matter(matter, rulesets, zone) for matter in desk.matters if matter.game in rulesets]
    return [*lines, say("desk-game.times", zone=clock_of(zone))]


def _rows(told: Sequence[tuple[str, str]], count: int = 0) -> Rows:
    """The lines about each game together; at the end how many more there are of the ``count``."""
    by_label: dict[str, list[str]] = {}
    for game, line in told:
        by_label.setdefault(game or say("desk-look.everywhere"), []).append(line)
    rows = [Row(label, tuple(lines)) for label, lines in by_label.items()]
    if count > len(told):
        rows.append(Row("…", (say("desk-look.more", count=count - len(told)),)))
    return Rows(tuple(rows))


def _urgency(standing: Standing, now: datetime) -> tuple[bool, datetime, str]:
    due = standing.next_due(now)
    return due is None, due or now, standing.game.id


def _matter(matter: Matter, rulesets: dict[str, str], zone: ZoneInfo) -> str:
    who = say("desk-game.who", faction=matter.faction, player=matter.name) if matter.faction else ""
    words = ""
    if matter.duty:
        with speaking(load_rule_set(rulesets[matter.game]).edition):
            words = duty(matter.duty)
    facts = {
        "game": matter.game, "faction": matter.faction, "who": who, "duty": words, "count": matter.count,
        "since": at(matter.since, zone), "until": at(matter.until, zone), "words": matter.words, "days": matter.count,
        "turn": matter.count, "forecast": matter.more, "numbers": list(matter.numbers[:MOST_NUMBERS]),
        "others": len(matter.numbers) > MOST_NUMBERS, "name": matter.name, "round": matter.more,
    }  # fmt: skip
    return say(f"desk-matter.{matter.kind}", **facts)


def _machine(desk: Desk, zone: ZoneInfo) -> str:
    machine = desk.machine
    service = machine.service if machine.service and desk.now - machine.service > timedelta(minutes=5) else None
    return say(
        "desk-look.room", free=machine.free // 1_000_000, database=max(1, machine.database // 1_000_000),
        letters=desk.waiting_letters, service=at(service, zone),
    )  # fmt: skip


# --- where a game stands ---------------------------------------------------------------------------------------------


def place(game: GameAt) -> str:
    """ "Turn 4, bidding", or how it ended."""
    with speaking(load_rule_set(game.ruleset).edition):
        if game.status == "over":
            return say("desk-game.finished", turn=game.turn, winners=game.winners)
        return say("desk-game.at", turn=game.turn, phase=game.phase)


def waits_for(standing: Standing, now: datetime, zone: ZoneInfo) -> list[str]:
    """What a game waits for, a line each; nothing of one that is over."""
    game = standing.game
    if game.status == "over":
        return []
    if standing.stopped:
        return [say("desk-game.still", why=still(game, zone))]
    with speaking(load_rule_set(game.ruleset).edition):
        return list(_waits(standing, now, zone)) or [say("desk-game.nothing")]


def still(game: GameAt, zone: ZoneInfo) -> str:
    """Why nothing goes on in a game that is not over, after "it is"."""
    if game.status == "held":
        return say("desk-game.held")
    if game.on_hold:
        return say("desk-game.on-hold", since=at(game.on_hold, zone))
    return say(f"desk-game.{'silence' if game.stopped_why == 'silence' else 'paused'}", since=at(game.stopped_at, zone))


def _waits(standing: Standing, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    game = standing.game
    if game.call_due and game.call_due > now:
        yield say("desk-game.call", round=game.call.partition(".")[2], due=at(game.call_due, zone))
    together: dict[tuple[str, datetime], list[str]] = {}
    for each in standing.owed:
        together.setdefault((each.kind, each.due), []).append(each.faction)
    for (kind, due), factions in together.items():
        yield say("desk-game.duties", who=factions, duty=duty(kind), due=at(due, zone))
    if not together and (standing.nameless or standing.own):
        yield say("desk-game.nameless", due=at(standing.nameless, zone))


def _lines(standing: Standing, now: datetime, zone: ZoneInfo) -> list[str]:
    return [place(standing.game), *waits_for(standing, now, zone)]


def listing(games: Sequence[Standing], now: datetime, zone: ZoneInfo) -> list[Block]:
    """All games: by which rules each is played, where it stands, whom it waits for, and what is due next."""
    rows = [Row(each.game.id, tuple(_listed(each, now, zone))) for each in games]
    return [Rows(tuple(rows)), Paragraph(say("desk-game.times", zone=clock_of(zone)), "small")]


def _listed(standing: Standing, now: datetime, zone: ZoneInfo) -> Iterator[str]:
    yield say("desk-game.line", place=place(standing.game), ruleset=standing.game.ruleset)
    yield from waits_for(standing, now, zone)
    if due := standing.next_due(now):
        yield say(f"desk-game.{'overdue' if due <= now else 'next'}", moment=at(due, zone), distance=distance(due, now))


def at(when: datetime | None, zone: ZoneInfo) -> str:
    """An instant on the clock of a zone; "" for none."""
    return moment(when, zone) if when else ""
