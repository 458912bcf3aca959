"""What the pages of a tournament share: their addresses and frame, and people, tables and results in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from bot.archive.html import Cell, Name
from bot.archive.pages.words import day
from bot.archive.rendering import Link, Page
from bot.competition.outcomes import Handle, SeatOutcome, TableOutcome
from bot.competition.published import Published, Result, Round
from bot.competition.settings import TournamentSettings, read
from bot.competition.standings import reached
from bot.wording.filters import listed, name
from bot.wording.sentences import phrases, say

ROOT = "../../"
"""From the folder of a tournament to that of the archive."""
ENTRANTS, STANDINGS, BRACKETS, STATISTICS, ACTS = (
    "entrants.html", "standings.html", "brackets.html", "statistics.html", "acts.html"
)  # fmt: skip
STAGES = ("semifinal", "final", "knockout")
"""Rounds that not everybody plays."""


@dataclass(frozen=True, slots=True)
class Told:
    """A tournament as its pages tell it. ``games`` are those that have pages in the archive."""

    document: Published
    games: Collection[str] = ()
    settings: TournamentSettings = field(init=False)
    names: dict[Handle, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", read(self.document.settings))
        object.__setattr__(self, "names", {one.handle: one.name for one in self.document.entrants})

    @property
    def title(self) -> str:
        """What it is called."""
        return self.settings.title

    @property
    def apart(self) -> tuple[str, ...]:
        """The kinds of round, of semifinal and final, that were drawn or are to come. A semifinal of the settings is
        not, where no more have played than would sit there."""
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
        """How far each came who came further than others: "final 1st", "semifinal"; empty before anybody has."""
        found = reached(self.document.standings)
        return {handle: say("tournaments.stage", stage=one.stage, place=one.place) for handle, one in found.items()}

    @property
    def finished(self) -> bool:
        """Whether all of it is over."""
        return self.document.state in ("finished", "cancelled")

    def who(self, handle: Handle) -> str:
        """How an entrant is called: "Ann (E007)"; nobody is Mentat, who plays an empty seat."""
        if not handle:
            return say("tournaments.caretaker")
        return say("tournaments.who", handle=handle, name=self.names.get(handle, ""))

    def person(self, handle: Handle) -> Cell:
        """An entrant with the way to what they have done."""
        if handle not in self.names:
            return Name(self.who(handle))
        return Name(self.who(handle), f"{ENTRANTS}#{handle}")

    def game(self, game: str) -> Cell:
        """A game, with the way to its pages where it has some."""
        return Link(game, f"{ROOT}game/{game}/index.html") if game in self.games else game or say("lists.none")

    def newest(self) -> dict[tuple[int, int], Result]:
        """The result that counts of each table."""
        found: dict[tuple[int, int], Result] = {}
        for result in sorted(self.document.results, key=lambda one: one.outcome.version):
            found[result.outcome.round, result.outcome.table] = result
        return {place: result for place, result in found.items() if result.state != "withdrawn"}

    def page(
        self, heading: str, *, below: str = "", before: Link | None = None, after: Link | None = None,
        index: bool = False,
    ) -> Page:  # fmt: skip
        """The frame of a page."""
        way = [Link(say("page.games"), f"{ROOT}index.html"), Link(say("tournaments.all"), f"{ROOT}tournaments.html")]
        if not index:
            way.append(Link(self.title, "index.html"))
        title = self.title if index else say("tournaments.page-title", heading=heading, tournament=self.title)
        return Page(
            title, heading, ROOT, below, way, before, after, unlisted=not self.finished,
            kind="tournament",
        )  # fmt: skip


def staged(published: Published) -> list[Round]:
    """The rounds that not everybody plays, as far as they are drawn."""
    return [one for one in published.rounds if one.kind in STAGES and one.draw is not None]


def stage_kinds(published: Published) -> list[str]:
    """Of what kinds these are, each once, in order."""
    return list(dict.fromkeys(one.kind for one in staged(published)))


def round_file(number: int) -> str:
    """Where a round is told: `round-2.html`."""
    return f"round-{number}.html"


def round_name(one: Round) -> str:
    """What a round is called: "Round 2, a heat"."""
    return say("tournaments.round", number=one.number, kind=one.kind)


def dates(one: Round) -> str:
    """From when to when a round is played."""
    return say(
        "tournaments.dates", opens=day(one.opens) if one.opens else "", ends=day(one.ends) if one.ends else ""
    )  # fmt: skip


def outcome_told(outcome: TableOutcome) -> str:
    """Who won a table, how, and when."""
    if outcome.kind == "void":
        return say("tournaments.void")
    how = outcome.kind if outcome.kind in ("adjudicated", "agreed") else outcome.how
    told = say(f"tournaments.how.{how}") if how in phrases("tournaments.how") else name(how)
    return say("tournaments.outcome", winners=list(outcome.winners), how=told, turn=outcome.turn)


def holders(told: Told, seat: SeatOutcome) -> str:
    """Who held a seat, with the turns where it changed hands."""
    if len(seat.tenures) == 1 and seat.tenures[0].why == "seated":
        return told.who(seat.tenures[0].entrant)
    return listed(
        [
            say("tournaments.tenure", who=told.who(one.entrant), why=one.why, first=one.first, last=one.last)
            for one in seat.tenures
        ]
    )


def faction(of: str) -> str:
    """A faction's name, or that it comes later."""
    return name(of) if of else say("tournaments.later")
