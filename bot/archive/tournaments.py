"""A tournament in the archive: its names and results in words, the list of all tournaments, and exports.

Everything is made from the published data of a tournament. The exports are JSON for verifying a tournament, CSV for
spreadsheets, and posts for forums.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import msgspec

from bot.archive.games import day_in_words
from bot.archive.html import Page, document
from bot.archive.summaries import harmless_cell
from bot.competition.outcomes import Handle, SeatOutcome, TableOutcome, decided_how
from bot.competition.published import Published, Result, Round, Standing, TournamentState, encode_published
from bot.competition.settings import TournamentSettings, effective_settings, read_settings
from bot.competition.standings import stages_reached
from bot.render.blocks import Block, Cell, Heading, Link, Name, Paragraph, Table, Title
from bot.render.forum_posts import DIALECTS
from bot.wording import phrases, say
from bot.wording.filters import listed, name

ROOT = "../../"
ENTRANTS, STANDINGS, BRACKETS, STATISTICS, ACTS = (
    "entrants.html",
    "standings.html",
    "brackets.html",
    "statistics.html",
    "acts.html",
)
STAGES = ("semifinal", "final", "knockout")


@dataclass(frozen=True, slots=True)
class TournamentStory:
    document: Published
    games: Collection[str] = ()
    settings: TournamentSettings = field(init=False)
    names: dict[Handle, str] = field(init=False)

    def __post_init__(self) -> None:
        settings = effective_settings(self.document.settings, self.document.effective)
        object.__setattr__(self, "settings", settings)
        object.__setattr__(self, "names", {one.handle: one.name for one in self.document.entrants})

    @property
    def title(self) -> str:
        return self.settings.title

    @property
    def apart(self) -> tuple[str, ...]:
        """Return the names of the rounds "semifinal" and "final" that have been drawn or are still to come. A planned
        semifinal is left out if it would seat everybody who has played."""
        rounds, wanted = self.document.rounds, self.settings.rounds
        kinds = {one.kind for one in rounds}
        seated = {handle for one in rounds if one.draw is not None for handle in one.draw.roster}
        left_out = "final" in kinds or (seated and len(seated) <= wanted.semifinal) or not wanted.semifinal
        return (
            *(("semifinal",) if "semifinal" in kinds or not left_out else ()),
            *(("final",) if wanted.final else ()),
        )

    @property
    def reached(self) -> Mapping[Handle, str]:
        """Return the last stage that each entrant reached after the rounds that everybody plays, such as "final 1st".
        The result is empty until somebody reaches one."""
        found = stages_reached(self.document.standings)
        return {handle: say("tournaments.stage", stage=one.stage, place=one.place) for handle, one in found.items()}

    @property
    def finished(self) -> bool:
        return self.document.state in ("finished", "cancelled")

    def who(self, handle: Handle) -> str:
        """Return the name of an entrant as pages show it: "Ann (E007)". For an empty seat, which Mentat plays, return
        Mentat's name."""
        if not handle:
            return say("tournaments.caretaker")
        return say("tournaments.who", handle=handle, name=self.names.get(handle, ""))

    def person(self, handle: Handle) -> Cell:
        if handle not in self.names:
            return Name(self.who(handle))
        return Name(self.who(handle), f"{ENTRANTS}#{handle}")

    def game(self, game: str) -> Cell:
        return Link(game, f"{ROOT}game/{game}/index.html") if game in self.games else game or say("lists.none")

    def newest(self) -> dict[tuple[int, int], Result]:
        found: dict[tuple[int, int], Result] = {}
        for result in sorted(self.document.results, key=lambda one: one.outcome.version):
            found[result.outcome.round, result.outcome.table] = result
        return {place: result for place, result in found.items() if result.state != "withdrawn"}

    def page(
        self,
        heading: str,
        *,
        below: str = "",
        before: Link | None = None,
        after: Link | None = None,
        index: bool = False,
    ) -> Page:
        way = [Link(say("page.games"), f"{ROOT}index.html"), Link(say("tournaments.all"), f"{ROOT}tournaments.html")]
        if not index:
            way.append(Link(self.title, "index.html"))
        title = self.title if index else say("tournaments.page-title", heading=heading, tournament=self.title)
        return Page(title, heading, ROOT, below, way, before, after, unlisted=not self.finished, kind="tournament")


def stage_rounds(published: Published) -> list[Round]:
    return [one for one in published.rounds if one.kind in STAGES and one.draw is not None]


def stage_kinds(published: Published) -> list[str]:
    return list(dict.fromkeys(one.kind for one in stage_rounds(published)))


def round_file(number: int) -> str:
    return f"round-{number}.html"


def round_name(one: Round) -> str:
    return say("tournaments.round", number=one.number, kind=one.kind)


def round_dates(one: Round) -> str:
    return say(
        "tournaments.dates",
        opens=day_in_words(one.opens) if one.opens else "",
        ends=day_in_words(one.ends) if one.ends else "",
    )


def outcome_in_words(outcome: TableOutcome, by: str = "") -> str:
    """Describe a result in words, as played, agreed or adjudicated. ``by`` is the person who recorded it, if it did not
    come from the game itself."""
    if outcome.kind == "void":
        return say("tournaments.void")
    how = decided_how(outcome) if outcome.kind in ("adjudicated", "agreed") else outcome.how or outcome.kind
    facts = {"turn": outcome.turn, "seats": len(outcome.seats), "by": by}
    told = say(f"tournaments.how.{how}", **facts) if how in phrases("tournaments.how") else name(how)
    turn = 0 if how in ("stopped", "ruled") else outcome.turn
    return say("tournaments.outcome", winners=list(outcome.winners), how=told, turn=turn)


def holders_in_words(told: TournamentStory, seat: SeatOutcome) -> str:
    if len(seat.tenures) == 1 and seat.tenures[0].why == "seated":
        return told.who(seat.tenures[0].entrant)
    return listed(
        [
            say("tournaments.tenure", who=told.who(one.entrant), why=one.why, first=one.first, last=one.last)
            for one in seat.tenures
        ]
    )


def tie_break_in_words(key: str) -> str:
    return say(f"tournaments.tie-break.{key}") if key in phrases("tournaments.tie-break") else key.replace("_", " ")


def why_ahead(row: Standing, after: Standing | None) -> str:
    if after is None or not row.parted_by:
        return ""
    mine, theirs = (dict(each.keys).get(row.parted_by, "") for each in (row, after))
    shown = row.parted_by not in ("lot", "stage", "disqualified")
    by = tie_break_in_words(row.parted_by)
    return say("tournaments.ahead", by=by, mine=rounded(mine) if shown else "", theirs=rounded(theirs))


def rounded(value: str) -> str:
    return f"{float(value):.2f}" if re.fullmatch(r"\d+\.\d{3,}", value) else value


def faction_name(of: str) -> str:
    return name(of) if of else say("tournaments.later")


TOURNAMENTS = "tournaments.html"


class TournamentSummary(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    title: str
    state: TournamentState
    entrants: int
    first: str = ""
    began: date | None = None
    ended: date | None = None


def tournament_summary(published: Published) -> TournamentSummary:
    names = {one.handle: one.name for one in published.entrants}
    best = published.standings[0].entrant if published.state == "finished" and published.standings else ""
    days = [one.day for one in published.results if one.day]
    opened = [one.opens for one in published.rounds if one.opens]
    return TournamentSummary(
        id=published.tournament,
        title=read_settings(published.settings).title,
        state=published.state,
        entrants=len(published.entrants),
        first=say("tournaments.who", handle=best, name=names.get(best, "")) if best else "",
        began=min(opened, default=None),
        ended=max(days, default=None) if published.state == "finished" else None,
    )


def encode_summary(summary: TournamentSummary) -> bytes:
    return msgspec.json.encode(summary, order="deterministic")


def decode_summary(data: bytes | msgspec.Raw) -> TournamentSummary:
    return msgspec.json.decode(data, type=TournamentSummary)


def tournaments_page(known: Sequence[TournamentSummary]) -> bytes:
    latest = sorted(known, key=lambda one: one.id)
    latest.sort(key=lambda one: one.ended or one.began or date.min, reverse=True)
    latest.sort(key=lambda one: one.state in ("finished", "cancelled"))
    rows: list[Sequence[Cell]] = [
        (Link(one.title, f"tournament/{one.id}/index.html"), _state(one), str(one.entrants)) for one in latest
    ]
    head = [say(f"tournaments.head.{name}") for name in ("tournament", "state", "entrants")]
    page = Page(
        title=say("tournaments.list-title"),
        heading=say("tournaments.all"),
        below=say("tournaments.list-below", tournaments=len(latest)),
        way=[Link(say("page.games"), "index.html")],
    )
    return document(page, [Table(head, rows, frozenset({2}), caption=say("tournaments.list-caption"))])


def _state(one: TournamentSummary) -> str:
    if one.state == "finished":
        return say("tournaments.list-finished", first=one.first, ended=day_in_words(one.ended) if one.ended else "")
    return say(f"tournaments.in-list.{one.state}")


Format = Literal["json", "csv", "results-csv", "markdown", "bbcode"]
FORMATS: tuple[Format, ...] = ("json", "csv", "results-csv", "markdown", "bbcode")


def export_tournament(document: Published, format: Format = "json") -> bytes:
    match format:
        case "json":
            return encode_published(document)
        case "csv":
            return standings_csv(document)
        case "results-csv":
            return results_csv(document)
        case "markdown" | "bbcode":
            return f"{DIALECTS[format].written(_post(TournamentStory(document)))}\n".encode()


def standings_csv(document: Published) -> bytes:
    told = TournamentStory(document)
    keys = list(dict.fromkeys(name for row in document.standings for name, _ in row.keys if name != "points"))
    lines = [["place", "entrant", "name", "points", *keys, "parted_by"]]
    for row in document.standings:
        values = dict(row.keys)
        lines.append(
            [
                str(row.rank),
                row.entrant,
                told.names.get(row.entrant, ""),
                row.points,
                *(values.get(key, "") for key in keys),
                row.parted_by,
            ]
        )
    return _csv(lines)


def results_csv(document: Published) -> bytes:
    head = [
        "round", "table", "game", "state", "version", "kind", "how", "turn", "ended", "dot", "faction", "entrants",
        "won", "strongholds",
    ]  # fmt: skip
    lines = [head]
    for (number, table), result in sorted(TournamentStory(document).newest().items()):
        outcome = result.outcome
        for seat in outcome.seats:
            lines.append(
                [str(number), str(table), outcome.game, result.state, str(outcome.version), outcome.kind, outcome.how,
                 str(outcome.turn), str(outcome.ended or ""), str(seat.dot), seat.faction,
                 " ".join(one.entrant or one.why for one in seat.tenures),
                 "yes" if seat.faction in outcome.winners else "no", str(seat.strongholds)]
            )  # fmt: skip
    return _csv(lines)


def _csv(lines: Iterable[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, dialect="excel").writerows([harmless_cell(cell) for cell in line] for line in lines)
    return out.getvalue().encode()


def _post(told: TournamentStory) -> Iterator[Block]:
    document = told.document
    yield Title(told.title, say("tournaments.below", state=document.state, playing=document.still_playing))
    if document.tie_breaks_changed:
        yield Paragraph(say("tournaments.changed", what=document.tie_breaks_changed), "lead")
    yield Heading(say("tournaments.standings"))
    yield _standings(told)
    newest = told.newest()
    for one in document.rounds:
        yield Heading(round_name(one))
        for table in one.tables:
            result = newest.get((one.number, table.table))
            state = (
                outcome_in_words(result.outcome, result.by) if result else say(f"tournaments.table-state.{table.state}")
            )
            yield Paragraph(say("tournaments.table-line", table=table.table, game=table.game, told=state))
            yield _seats(told, one, table.table)
    yield Paragraph(say("tournaments.sum-line", sum=document.sum), "small")


def _standings(told: TournamentStory) -> Block:
    reached = told.reached
    rows = [
        (
            str(row.rank),
            told.who(row.entrant),
            *((reached.get(row.entrant, ""),) if reached else ()),
            row.points,
            tie_break_in_words(row.parted_by) if row.parted_by else "",
        )
        for row in told.document.standings
    ]
    if not rows:
        return Paragraph(say("tournaments.no-standings"))
    heads = ("place", "entrant", *(("stage",) if reached else ()), "points", "parted")
    return Table(_heads(*heads), tuple(rows), frozenset({0, heads.index("points")}))


def _seats(told: TournamentStory, one: Round, table: int) -> Block:
    result = told.newest().get((one.number, table))
    if result:
        rows = [
            (faction_name(seat.faction), holders_in_words(told, seat), _won(seat.faction in result.outcome.winners))
            for seat in result.outcome.seats
        ]
        return Table(_heads("faction", "entrant", "won"), tuple(rows))
    now = next(each for each in one.tables if each.table == table)
    return Table(_heads("faction", "entrant"), tuple((faction_name(of), told.who(handle)) for of, handle in now.seats))


def _won(won: bool) -> str:
    return say("tournaments.won") if won else ""


def _heads(*heads: str) -> tuple[str, ...]:
    return tuple(say(f"tournaments.head.{one}") for one in heads)
