"""The announcement of an event, as mail, Markdown or BBCode, with the line that enters it.

The announcement is generated from the settings and describes the format, rules, pace, points and dates.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.competition.scoring import printed_points, scoring_system
from bot.config import Settings
from bot.press import read_press
from bot.render.blocks import Block, Link, List, Paragraph, Row, Rows, Title
from bot.render.forum_posts import DIALECTS, Format
from bot.render.letters import press_paragraphs
from bot.render.questions import reply_link
from bot.store.tournaments import Tournament
from bot.table.clock import tempo
from bot.tournament.letters import count_stages, own_address
from bot.tournament.preparation import announced_beacon
from bot.wording import day_and_month, moment, say
from rules.engine.catalogue import load_rule_set

ON_THE_PAGE = ("format", "rules", "tie-breaks")
"""Settings that a tournament's page always shows elsewhere."""
FORMATS: Sequence[Format] = ("text", "markdown", "bbcode")


def announcement(mentat: Settings, tournament: Tournament, now: datetime, form: Format = "text") -> str:
    dialect = DIALECTS[form]
    address, line = own_address(mentat, tournament), f"enter {tournament.id} as NAME"
    link = reply_link(address, f"enter {tournament.id}", (line,))
    label = say("tournament.announce.enter", title=tournament.title)
    button = {"markdown": f"[{label}]({link})", "bbcode": f"[url={link}]{label}[/url]"}.get(form, link)
    how = say("tournament.announce.how", line=line, address=address)
    return f"{dialect.written(_about(mentat, tournament))}\n\n{how}\n\n{button}\n"


def event_blocks(mentat: Settings, tournament: Tournament, now: datetime) -> list[Block]:
    """Return the part of a tournament's page that describes its pace, points and dates and, while entries are open, how
    to enter."""
    on_the_page = {say(f"tournament.announce.{label}") for label in ON_THE_PAGE}
    rows = [row for row in _rows(mentat, tournament) if row.label not in on_the_page]
    blocks: list[Block] = [Rows(tuple(rows))]
    closed = tournament.until is not None and tournament.until <= now
    if tournament.state == "open" or (tournament.settings.format == "ladder" and tournament.state == "running"):
        address, line = own_address(mentat, tournament), f"enter {tournament.id} as NAME"
        label = say("tournament.announce.enter", title=tournament.title)
        link = Link(label, reply_link(address, f"enter {tournament.id}", (line,)))
        how = say("tournament.announce.how", line=line, address=address)
        told = f"{say('tournament.announce.closed')} {how}" if closed else how
        blocks += [Paragraph(told), List([link], "doors")]
    return blocks


def _about(mentat: Settings, tournament: Tournament) -> list[Block]:
    return [Title(tournament.title), Rows(tuple(_rows(mentat, tournament)))]


def _rows(mentat: Settings, tournament: Tournament) -> list[Row]:
    settings = tournament.settings
    tables, rounds = settings.tables, settings.rounds
    return [
        _row("format", say(f"tournament-format.{settings.format}", **_format_facts(tournament))),
        _row("rules", load_rule_set(tables.ruleset).title),
        _row("pace", tempo(tables.tempo).says, say("tournament.announce.length", days=rounds.days)),
        _row("press", *press_paragraphs(read_press(settings.press))[:-1]),
        _row("dates", *_dates(mentat, tournament)),
        _row("scoring", _points(tournament)),
        _row("tie-breaks", ", ".join(say(f"tournaments.tie-break.{key}") for key in settings.tie_breaks)),
        _row("places", say("tournament.announce.most", most=settings.people.most)),
        _row("draw", f"{announced_beacon(tournament)[:1].upper()}{announced_beacon(tournament)[1:]}."),
        *([_row("conduct", tournament.settings.people.conduct.strip())] if settings.people.conduct.strip() else []),
    ]


def _row(label: str, *words: str) -> Row:
    return Row(say(f"tournament.announce.{label}"), (" ".join(filter(None, words)),))


def _format_facts(tournament: Tournament) -> dict[str, object]:
    rounds = tournament.settings.rounds
    return {"heats": rounds.heats, "parallel": rounds.parallel, "final": rounds.final}


def _dates(mentat: Settings, tournament: Tournament) -> list[str]:
    if tournament.settings.format == "ladder":
        return [say("tournament.announce.ladder")]
    if tournament.until is None:
        return [say("tournament.announce.no-end")]
    zone = mentat.mentat.timezone
    closes = tournament.until.astimezone(zone)
    ends = closes + timedelta(days=tournament.settings.rounds.days) * count_stages(tournament.settings)
    return [
        say("tournament.announce.until", until=moment(closes, zone), year=closes.year, zone=zone.key),
        say("tournament.announce.ends", day=day_and_month(ends.date()), year=ends.year),
    ]


def _points(tournament: Tournament) -> str:
    found, system = scoring_system(tournament.settings.scoring), tournament.settings.scoring.system
    each = [printed_points(points) for points in found.win]
    if not each:
        by_rank = [printed_points(points) for points in found.rank]
        return say("tournament.announce.by-place", by_rank=by_rank, system=system)
    if len(set(each)) == 1:
        return say("tournament.announce.same-points", points=each[0])
    alone, *shared = each
    return say("tournament.announce.points", alone=alone, shared=shared)
