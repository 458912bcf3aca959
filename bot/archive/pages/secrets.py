"""What was hidden while the game ran: for the whole game, and as one faction knew it.

These pages are made only where everything may be known (``Told.open``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.archive.html import Chapter as LogChapter
from bot.archive.html import Laid, Line, List, Log, Part, Table, document
from bot.archive.pages.turns import Told, Turn
from bot.archive.pages.words import page_of, shown, turn_file
from bot.archive.rendering import Link
from bot.reports import position as seen
from bot.reports.document import Paragraph, Row, Rows
from bot.reports.ending import what_it_came_to
from bot.reports.news import chapters, sentence
from bot.reports.story import phase_name
from bot.wording.filters import name
from bot.wording.sentences import say
from bot.wording.spoken import ordered
from rules.components import Faction, Leader, traitor_owner
from rules.state.events import Event

DRAWN, CHOSEN = ("traitors-drawn",), ("traitors-chosen", "traitors-kept", "face-dancers-drawn")


def secrets_page(told: Told) -> bytes:
    """Traitors, prediction, decks, offers, sheets that never acted, and what each held at the end of every turn."""
    last = told.turns[-1]
    parts: list[Laid] = [Part(say("page.traitors"), [_traitors(told)], "traitors")]
    if prediction := _prediction(last):
        won = next((event.facts for event in last.events if event.kind == "game-won"), {})
        said = what_it_came_to(prediction, won, last.number)
        parts.append(Part(say("own.prediction"), [Paragraph(said)], "prediction"))
    parts.append(Part(say("page.decks"), _decks(told), "decks"))
    if offers := _offers(told):
        parts.append(Part(say("page.offers"), offers, "offers"))
    if silent := [filed for filed in told.sheets if not filed.acted]:
        rows = Rows(tuple(_sheet_row(told, faction, silent) for faction in _filers(silent)))
        parts.append(Part(say("page.sheets"), [Paragraph(say("page.sheets-below"), "small"), rows], "sheets"))
    hands = [Part(say("page.hands-turn", turn=turn.number), [_hands(turn)], f"turn-{turn.number}")
             for turn in told.turns]  # fmt: skip
    parts.append(Part(say("page.hands"), hands, "hands"))
    return document(page_of(told, heading=say("page.secrets"), below=say("page.secrets-below")), parts)


def _traitors(told: Told) -> Table:
    rows = []
    for faction in told.cast:
        drawn, kept = (_told_once(told, faction, kinds) for kinds in (DRAWN, CHOSEN))
        rows.append(
            (name(faction), _people(drawn.get("leaders", ())), _people(kept.get("traitors", kept.get("leaders", ()))))
        )
    head = tuple(say(f"page.traitors-{column}") for column in ("faction", "drew", "kept"))
    return Table(say("page.traitors"), head, rows)


def _told_once(told: Told, faction: Faction, kinds: Sequence[str]) -> Mapping[str, Any]:
    events = (event for turn in told.turns for event in turn.events)
    return next((event.told_to(faction) for event in events if event.kind in kinds and event.told_to(faction)), {})


def _people(leaders: Sequence[str]) -> str:
    return ", ".join(
        say("own.whose", leader=leader, faction=traitor_owner(Leader(leader))) for leader in leaders
    ) or say("own.none")


def _prediction(turn: Turn) -> Mapping[str, Any] | None:
    known: Mapping[str, Any] = turn.views["gm"]["known"]
    return next((secrets["prediction"] for secrets in known.values() if secrets["prediction"]), None)


def _decks(told: Told) -> list[Laid]:
    treachery, spice = told.decks
    return [
        Paragraph(say("page.decks-below"), "small"),
        Rows((
            Row(say("page.deck-treachery"), (_in_order(treachery),)),
            Row(say("page.deck-spice"), (_in_order(spice),)),
        )),
    ]  # fmt: skip


def _in_order(cards: Sequence[str]) -> str:
    return ", ".join(say("page.deck-card", number=number, card=card) for number, card in enumerate(cards, 1))


def _offers(told: Told) -> list[Laid]:
    """What two said to each other and nobody else heard of."""
    return [
        Part(say("page.turn", turn=turn.number), [List([_sentence(event) for event in private], "story")])
        for turn in told.turns
        if (private := [event for event in turn.events if event.kind.startswith("offer-")])
    ]


def _sentence(event: Event) -> str:
    return sentence(event.kind, event.facts)


def _filers(sheets: Sequence[Any]) -> list[Faction]:
    return list(dict.fromkeys(filed.faction for filed in sheets))


def _sheet_row(told: Told, faction: Faction, sheets: Sequence[Any]) -> Row:
    lines = tuple(ordered(filed.line) for filed in sheets if filed.faction == faction)
    return Row(name(faction), lines, orders=True)


def _hands(turn: Turn) -> Rows:
    players: Mapping[Faction, Mapping[str, Any]] = turn.views["gm"]["players"]
    return Rows(
        tuple(
            Row(
                name(faction),
                (
                    ", ".join(map(name, player["hand"])) or say("page.hand-empty"),
                    say("page.behind-shield", spice=player["spice"], reserves=player["reserves"]),
                ),
            )
            for faction, player in players.items()
        )
    )


# --- one faction's own story -----------------------------------------------------------------------------------------


def faction_file(faction: Faction) -> str:
    """Where a faction's own story is told: `as-bene-gesserit.html`."""
    return f"as-{faction}.html"


def faction_page(told: Told, faction: Faction) -> bytes:
    """The game as this faction was told it, with what it held at the end of each turn, and its sheets."""
    parts: list[Laid] = [_own_turn(told, turn, faction) for turn in told.turns if faction in turn.views]
    if filed := [each for each in told.sheets if each.faction == faction]:
        parts.append(Part(say("page.own-sheets"), [_sheets(filed)], "sheets"))
    heading = say("page.own-story", faction=faction)
    below = say("page.own-story-below", player=shown(told.cast[faction].name))
    return document(page_of(told, heading=heading, below=below), [*turn_links(parts), *parts])


def turn_links(parts: Sequence[Laid]) -> list[Laid]:
    """A row of links to the parts of a page; none where there is one part only."""
    links = [Link(part.title, f"#{part.id}") for part in parts if isinstance(part, Part) and part.id]
    return [List(links, "links")] if len(links) > 1 else []


def _own_turn(told: Told, turn: Turn, faction: Faction) -> Part:
    position = told.position(turn, faction)
    common = {line for chapter in chapters(told.news(turn)) for line in chapter.sentences}
    log = Log(
        [
            LogChapter(
                say("news.phase", phase=phase_name(chapter.phase)),
                [Line(line, line not in common) for line in chapter.sentences],
            )
            for chapter in chapters(position.news)
        ],
        say("page.alone"),
    )
    number = turn.number
    way = List([Link(say("page.turn-for-all", turn=number), turn_file(number))], "links")
    own = Part(say("page.own-end"), [seen.own(position)])
    return Part(say("page.turn", turn=number), [log, own, way], f"turn-{number}")


def _sheets(filed: Sequence[Any]) -> Rows:
    return Rows(
        tuple(
            Row(
                say("page.sheet-line", number=each.number, turn=each.turn),
                (ordered(each.line), say("page.sheet-acted", acted=each.acted, state=each.state)),
            )
            for each in filed
        )
    )
