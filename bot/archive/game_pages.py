"""The plain pages of a game: its index, turns, battles, auctions, press, secrets, and each faction's own story.

The pages need no scripts, work in print and with screen readers, and use the wording of the letters (``bot.render``).
Each page-making function returns files by name within the game's folder. Pages with secrets are made only if everything
may be shown (``GameStory.open``). Press appears only if the players agreed to that before the game began. The board is
drawn over a map picture that all pages share, and also appears as a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, Literal

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from bot import template_source
from bot.archive.chronicle import Chronicle
from bot.archive.games import GameStory, Turn, day_in_words, shown_name
from bot.archive.html import STYLE, Page, alone, document
from bot.press import ShownPress
from bot.render import position as seen
from bot.render.blocks import (
    Block,
    Board,
    Cell,
    Fields,
    Link,
    List,
    Mark,
    Name,
    Paragraph,
    Part,
    Row,
    Rows,
    Story,
    Table,
    Title,
)
from bot.render.board import FONTS, SIZE, faction_letter
from bot.render.forum_posts import DIALECTS
from bot.render.material import Position
from bot.render.news import changes, chapters, event_sentence
from bot.render.picture import Overlay, ground_of_pages, overlay, picture, style_of_pages
from bot.render.summary import fights, headline, held_at_end, phase_name, turn_digest, what_it_came_to
from bot.render.text import as_text
from bot.wording import say
from bot.wording.filters import name, order_as_spoken, speaking
from rules.components import Faction, Leader, traitor_owner
from rules.components.board import AREAS, STRONGHOLDS, territory_of
from rules.state.events import Event

ROOT = "../../"


def turn_file(number: int) -> str:
    return f"turn-{number:02}.html"


def game_page(
    told: GameStory,
    *,
    heading: str,
    title: str = "",
    below: str = "",
    before: Link | None = None,
    after: Link | None = None,
    kind: str = "",
) -> Page:
    title = title or say("page.page-title", heading=heading, game=told.id, ruleset=told.rules.title)
    way = [*ways_to(told), Link(told.id, "index.html")]
    return Page(title, heading, ROOT, below, way, before, after, unlisted=not told.finished, kind=kind)


def ways_to(told: GameStory) -> Sequence[Link]:
    games = Link(say("page.games"), f"{ROOT}index.html")
    ways = [games] if told.finished else [Link(say("page.under-way"), f"{ROOT}running.html")]
    if told.place is not None:
        words = say("tournaments.way", title=told.place.title, round=told.place.round)
        table = f"round-{told.place.round}.html#table-{told.place.table}"
        ways.append(Link(words, f"{ROOT}tournament/{told.place.tournament}/{table}"))
    return ways


DRAWN, CHOSEN = ("traitors-drawn",), ("traitors-chosen", "traitors-kept", "face-dancers-drawn")


def secrets_page(told: GameStory) -> bytes:
    last = told.turns[-1]
    parts: list[Block] = [Part(say("page.traitors"), [_traitors(told)], "traitors")]
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
    hands = [
        Part(say("page.hands-turn", turn=turn.number), [_hands(turn)], f"turn-{turn.number}") for turn in told.turns
    ]
    parts.append(Part(say("page.hands"), hands, "hands"))
    return document(game_page(told, heading=say("page.secrets"), below=say("page.secrets-below")), parts)


def _traitors(told: GameStory) -> Table:
    rows = []
    for faction in told.cast:
        drawn, kept = (_told_once(told, faction, kinds) for kinds in (DRAWN, CHOSEN))
        rows.append(
            (name(faction), _people(drawn.get("leaders", ())), _people(kept.get("traitors", kept.get("leaders", ()))))
        )
    head = tuple(say(f"page.traitors-{column}") for column in ("faction", "drew", "kept"))
    return Table(head, rows, caption=say("page.traitors"))


def _told_once(told: GameStory, faction: Faction, kinds: Sequence[str]) -> Mapping[str, Any]:
    events = (event for turn in told.turns for event in turn.events)
    return next((event.told_to(faction) for event in events if event.kind in kinds and event.told_to(faction)), {})


def _people(leaders: Sequence[str]) -> str:
    return ", ".join(
        say("own.whose", leader=leader, faction=traitor_owner(Leader(leader))) for leader in leaders
    ) or say("own.none")


def _prediction(turn: Turn) -> Mapping[str, Any] | None:
    known: Mapping[str, Any] = turn.views["gm"]["known"]
    return next((secrets["prediction"] for secrets in known.values() if secrets["prediction"]), None)


def _decks(told: GameStory) -> list[Block]:
    treachery, spice = told.decks
    return [
        Paragraph(say("page.decks-below"), "small"),
        Rows(
            (Row(say("page.deck-treachery"), (_in_order(treachery),)), Row(say("page.deck-spice"), (_in_order(spice),)))
        ),
    ]


def _in_order(cards: Sequence[str]) -> str:
    return ", ".join(say("page.deck-card", number=number, card=card) for number, card in enumerate(cards, 1))


def _offers(told: GameStory) -> list[Block]:
    return [
        Part(say("page.turn", turn=turn.number), [List([_sentence(event) for event in private], "story")])
        for turn in told.turns
        if (private := [event for event in turn.events if event.kind.startswith("offer-")])
    ]


def _sentence(event: Event) -> str:
    return event_sentence(event.kind, event.facts)


def _filers(sheets: Sequence[Any]) -> list[Faction]:
    return list(dict.fromkeys(filed.faction for filed in sheets))


def _sheet_row(told: GameStory, faction: Faction, sheets: Sequence[Any]) -> Row:
    lines = tuple(order_as_spoken(filed.line) for filed in sheets if filed.faction == faction)
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
    return f"as-{faction}.html"


def faction_page(told: GameStory, faction: Faction) -> bytes:
    parts: list[Block] = [_own_turn(told, turn, faction) for turn in told.turns if faction in turn.views]
    if filed := [each for each in told.sheets if each.faction == faction]:
        parts.append(Part(say("page.own-sheets"), [_sheets(filed)], "sheets"))
    heading = say("page.own-story", faction=faction)
    below = say("page.own-story-below", player=shown_name(told.cast[faction].name))
    return document(game_page(told, heading=heading, below=below), [*turn_links(parts), *parts])


def turn_links(parts: Sequence[Block]) -> list[Block]:
    links = [Link(part.title, f"#{part.id}") for part in parts if isinstance(part, Part) and part.id]
    return [List(links, "links")] if len(links) > 1 else []


def _own_turn(told: GameStory, turn: Turn, faction: Faction) -> Part:
    position = told.position(turn, faction)
    common = {line for chapter in chapters(told.news(turn)) for line in chapter.sentences}
    log = Story(
        tuple(
            Row(
                say("news.phase", phase=phase_name(chapter.phase)),
                chapter.sentences,
                alone=frozenset(number for number, line in enumerate(chapter.sentences) if line not in common),
            )
            for chapter in chapters(position.news)
        )
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
                (order_as_spoken(each.line), say("page.sheet-acted", acted=each.acted, state=each.state)),
            )
            for each in filed
        )
    )


StoryFormat = Literal["text", "markdown", "html"]
GROUND, GROUND_OPEN = "ground.svg", "ground-open.svg"


def board_files() -> Mapping[str, bytes]:
    return {
        "style.css": f"{template_source(STYLE)}{style_of_pages(':root')}\n".encode(),
        GROUND: ground_of_pages(True).encode(),
        GROUND_OPEN: ground_of_pages(False).encode(),
    }


def board_picture(
    position: Position, over: Overlay, *, legend: bool = True, patterns: bool = True, caption: Cell = ""
) -> Board:
    """Return the board as a figure. Exactly one figure on a page must include the ``patterns``; a small figure may
    leave out the ``legend``."""
    high = over.height if legend else over.bottom
    ground = GROUND if position.view["shield_wall"] else GROUND_OPEN
    drawing = Markup('<svg viewBox="0 0 {} {}" font-family="{}" aria-hidden="true" focusable="false">{}</svg>').format(
        SIZE,
        high,
        FONTS,
        Markup("".join((over.patterns if patterns else "", over.pieces, over.legend if legend else ""))),
    )
    return replace(seen.board(position), drawing=drawing, ground=ROOT + ground, caption=caption)


def board_table(position: Position) -> Table:
    view: Mapping[str, Any] = position.view
    standing = {row.label: ", ".join(row.lines) for row in seen.board(position).rows}
    rows = []
    for area in sorted(AREAS, key=lambda area: territory_of(area) not in STRONGHOLDS):
        label, spice = name(area), view["spice"].get(area, 0)
        if label in standing or spice:
            rows.append((label, standing.get(label, ""), str(spice or "")))
    head = tuple(say(f"page.board-{column}") for column in ("area", "who", "spice"))
    return Table(head, rows, frozenset({2}), caption=say("page.board-table"))


@dataclass(frozen=True, slots=True)
class TurnSummary:
    turn: Turn
    position: Position
    title: Title
    rows: Sequence[Row]
    board: Overlay


class GamePages:
    __slots__ = ("_chronicle", "_summed", "_told")

    def __init__(self, told: GameStory) -> None:
        self._told = told
        with speaking(told.rules.edition):
            self._summed = [_summary_of_turn(told, turn) for turn in told.turns]
            self._chronicle = Chronicle(told)

    def headline(self) -> str:
        with speaking(self._told.rules.edition):
            return self._chronicle.headline()

    def pages(self) -> dict[str, bytes]:
        told, summed = self._told, self._summed
        with speaking(told.rules.edition):
            pages = {turn_file(each.turn.number): _turn_page(told, summed, each) for each in summed}
            pages[STORY] = story_page(told, self._chronicle)
            if told.finished:
                pages[PICTURE] = picture(summed[-1].position.view)
            pages["battles.html"] = _battles_page(told, summed)
            pages["auction.html"] = _auction_page(told)
            if told.press:
                pages["press.html"] = press_page(told)
            if told.open:
                pages["secrets.html"] = secrets_page(told)
                pages |= {faction_file(faction): faction_page(told, faction) for faction in told.cast}
        return pages

    def index(self, files: Collection[str]) -> bytes:
        with speaking(self._told.rules.edition):
            return _index_page(self._told, self._summed, self._chronicle, files)


def _summary_of_turn(told: GameStory, turn: Turn) -> TurnSummary:
    position = told.position(turn)
    return TurnSummary(
        turn, position, headline(position), turn_digest(position).rows, overlay(position.view, changes(position.news))
    )


# --- a turn --------------------------------------------------------------------------------------------------------


def _turn_page(told: GameStory, summed: Sequence[TurnSummary], each: TurnSummary) -> bytes:
    turn, position = each.turn, each.position
    place = summed.index(each)
    page = game_page(
        told,
        title=say("page.turn-title", turn=turn.number, title=each.title.text, game=told.id, ruleset=told.rules.title),
        heading=say("page.turn-heading", turn=turn.number, title=each.title.text),
        below=each.title.below,
        before=_beside(summed, place - 1),
        after=_beside(summed, place + 1),
        kind="turn",
    )
    when = say("page.turn-end" if turn.over else "page.turn-so-far")
    blocks: list[Block] = [
        *_digest(each),
        Part(
            say("page.board"),
            [board_picture(position, each.board), Paragraph(seen.board(position).says, "small"), board_table(position)],
            "board",
            when,
        ),
    ]
    if fought := fights(position.news):
        numbered = [replace(fight, id=f"battle-{number}") for number, fight in enumerate(fought, 1)]
        blocks.append(Part(say("page.battles"), numbered, "battles", flows=True))
    if sold := lots_sold(turn.events):
        table = auction_table(sold, say("page.lots-of-turn", turn=turn.number))
        blocks.append(Part(say("page.auction"), [table], "auction"))
    blocks.append(Part(say("page.table"), [_table(position)], "table"))
    blocks.append(Part(say("page.log"), [_log(position)], "log", flows=True))
    return document(page, blocks)


def _beside(summed: Sequence[TurnSummary], place: int) -> Link | None:
    if not 0 <= place < len(summed):
        return None
    number = summed[place].turn.number
    return Link(say("page.turn", turn=number), turn_file(number))


def _digest(each: TurnSummary) -> list[Block]:
    return [Rows(tuple(each.rows))]


def _table(position: Position) -> Table:
    table = seen.table(position)
    return replace(table, head=(say("page.table-faction"), *table.head[1:]), caption=say("page.table-caption"))


def _log(position: Position) -> Story:
    return Story(
        tuple(
            Row(say("news.phase", phase=phase_name(chapter.phase)), chapter.sentences, id=chapter.phase)
            for chapter in chapters(position.news)
        )
    )


# --- all battles, all auctions ---------------------------------------------------------------------------------------


def _battles_page(told: GameStory, summed: Sequence[TurnSummary]) -> bytes:
    parts: list[Block] = []
    total = 0
    for each in summed:
        number, file = each.turn.number, turn_file(each.turn.number)
        fought = [
            replace(fight, id=f"turn-{number}-battle-{count}")
            for count, fight in enumerate(fights(each.position.news), 1)
        ]
        if fought:
            total += len(fought)
            way = List([Link(say("page.story-link", turn=number), f"{file}#battles")], "links")
            parts.append(Part(say("page.turn", turn=number), [*fought, way], f"turn-{number}"))
    heading = say("page.all-battles")
    below = say("page.all-battles-below", number=total)
    return document(game_page(told, heading=heading, below=below), [*turn_links(parts), *parts])


def _auction_page(told: GameStory) -> bytes:
    parts: list[Block] = []
    for turn in told.turns:
        if sold := lots_sold(turn.events):
            table = full_table(sold, say("page.lots-of-turn", turn=turn.number), opened=told.open)
            parts.append(Part(say("page.turn", turn=turn.number), [table], f"turn-{turn.number}"))
    below = say("page.auctions-below", opened=told.open)
    blocks = [*turn_links(parts), *parts] or [Paragraph(say("page.no-lots"))]
    return document(game_page(told, heading=say("page.auctions"), below=below), blocks)


# --- the index -------------------------------------------------------------------------------------------------------

STORY, PICTURE = "story.html", "board.png"
READING = ("battles", "auction", "plots", "press", "secrets")
FILES: Mapping[str, str] = {
    "game.jsonl": "record",
    "game.dune": "dune",
    "verify.html": "verify",
    "../../check.py": "check",
    "../../schema/game-1.json": "schema",
    "SHA256SUMS": "sums",
}
CHECKS = ("../../check.py", "../../schema/game-1.json")
"""The files needed to check any game's record. The archive has only one copy of each."""


def _index_page(told: GameStory, summed: Sequence[TurnSummary], chronicle: Chronicle, files: Collection[str]) -> bytes:
    last = summed[-1]
    ended = day_in_words(told.ended) if told.ended else ""
    heading, about = chronicle.headline(), chronicle.summary(last=chronicle.prediction())
    picture_at = f"{told.address.rstrip('/')}/game/{told.id}/{PICTURE}" if told.address else PICTURE
    page = Page(
        say("page.index-title", won=heading, game=told.id, ruleset=told.rules.title),
        heading,
        ROOT,
        say("page.index-below", game=told.id, title=told.rules.title, ended=ended),
        ways_to(told),
        unlisted=not told.finished,
        kind="of-game",
        about=about,
        picture=picture_at if PICTURE in files else "",
    )
    blocks: list[Block] = [board_picture(last.position, last.board, legend=False), Paragraph(about)]
    if not told.open:
        blocks.append(Paragraph(say("page.public-only" if told.finished else "page.running-only"), "small"))
    first = [Link(say("page.door.replay"), "replay.html")] if "replay.html" in files else []
    blocks.append(List([*first, Link(say("page.door.story"), STORY)], "buttons"))
    blocks.append(Part(say("page.held"), [_strip(told, chronicle), Paragraph(say("page.held-below"), "small")], "held"))
    if moments := [(_to_moment(turn, step), said) for turn, said, step in chronicle.moments()]:
        head = [say("page.moments-turn"), say("page.moments-what")]
        blocks.append(Part(say("page.moments"), [Table(head, moments, caption=say("page.moments"))], "moments"))
    cast: list[Block] = [_cast(told, chronicle), *([Paragraph(say("page.cast-below"), "small")] if told.open else [])]
    blocks.append(Part(say("page.cast"), cast, "cast"))
    turns = [
        (Link(say("page.turn", turn=each.turn.number), turn_file(each.turn.number)), each.title.text) for each in summed
    ]
    head = [say("page.moments-turn"), say("page.turns-what")]
    blocks.append(Part(say("page.turns"), [Table(head, turns, caption=say("page.turns"))], "turns"))
    doors = [Link(say(f"page.door.{what}"), f"{what}.html") for what in READING if f"{what}.html" in files]
    blocks.append(Part(say("page.look"), [List(doors, "doors")], "look"))
    blocks += _files(files)
    return document(page, blocks)


def _to_moment(turn: int, step: int | None) -> Link:
    to = turn_file(turn) if step is None else f"replay.html#s={step}"
    return Link(say("page.turn", turn=turn), to)


def _strip(told: GameStory, chronicle: Chronicle) -> Fields:
    places = list(dict.fromkeys(place for held in chronicle.held for place in held))
    rows = []
    marks = []
    for place in places:
        row = []
        for turn, held in zip(told.turns, chronicle.held, strict=True):
            holders = held.get(place, ())
            to = f"replay.html#s={turn.step}" if told.steps else turn_file(turn.number)
            letters = "+".join(faction_letter(faction) for faction in holders)
            said = say("page.held-mark", turn=turn.number, place=place, holders=holders)
            row.append(Mark(holders[0] if holders else "", letters, to, said))
        rows.append(Row(name(place), tuple(mark.said for mark in row)))
        marks.append(tuple(row))
    return Fields(tuple(rows), tuple(marks), head=tuple(str(turn.number) for turn in told.turns))


def _files(files: Collection[str]) -> Iterable[Part]:
    there = {*files, *(CHECKS if "game.jsonl" in files else ())}
    known = [Link(say(f"page.door.{what}"), file) for file, what in FILES.items() if file in there]
    known += [Link(say("page.door.forum", file=file), file) for file in sorted(files) if file.startswith("forum")]
    if known:
        yield Part(say("page.files"), [List(known, "doors")], "files", folded=True)


def _cast(told: GameStory, chronicle: Chronicle) -> Table:
    order = sorted(told.cast, key=lambda faction: (faction not in told.winners, told.cast[faction].dot))
    won = Counter(event.facts["winner"] for event in chronicle.all if event.kind == "battle-won")
    rows: list[list[Cell]] = []
    for faction in order:
        held = sum(faction in holders for each in chronicle.held for holders in each.values()) / len(chronicle.held)
        who: Cell = Link(name(faction), faction_file(faction)) if told.open else name(faction)
        rows.append([who, Name(shown_name(told.cast[faction].name)), f"{held:.1f}", str(won[faction])])
    fates = [
        say("page.cast-fate", won=faction in told.winners, caretaker=told.finished and told.cast[faction].caretaker)
        for faction in order
    ]
    head = [say(f"page.cast-{column}") for column in ("faction", "player", "held", "won")]
    return Table(head, rows, frozenset({2, 3}), fates, caption=say("page.cast"))


def story_page(told: GameStory, chronicle: Chronicle) -> bytes:
    title, *blocks = chronicle.document(partial(_drawn, told, set())).blocks
    assert isinstance(title, Title)
    return document(game_page(told, heading=title.text, below=title.below, kind="chronicle"), blocks)


def _drawn(told: GameStory, patterns: set[str], turn: Turn) -> Board:
    position = told.position(turn)
    over = overlay(position.view, changes(position.news))
    board = board_picture(position, over, legend=False, patterns=over.patterns not in patterns)
    patterns.add(over.patterns)
    link = Link(say("page.story-link", turn=turn.number), turn_file(turn.number))
    return replace(board, caption=link, **_in_brief(told, turn))


def _in_brief(told: GameStory, turn: Turn) -> Mapping[str, Any]:
    # the text description of the board
    position = told.position(turn)
    view, strongholds = position.view, held_at_end(position)
    taken = {name(area) for area, here in view["forces"].items() if here and territory_of(area) in strongholds}
    rows = tuple(row for row in seen.board(position).rows if row.label in taken)
    says = say("chronicle.board", turn=turn.number, over=turn.over, storm=view["storm"], taken=rows)
    return {"says": says, "rows": rows}


def story_text(told: GameStory, format: StoryFormat) -> str:
    with speaking(told.rules.edition):
        chronicle = Chronicle(told)
        if format == "html":
            return alone(story_page(told, chronicle), board_files())
        made = chronicle.document(lambda turn: replace(seen.board(told.position(turn)), **_in_brief(told, turn)))
        return as_text(made) if format == "text" else f"{DIALECTS[format].written(made.blocks)}\n"


@dataclass(slots=True)
class Lot:
    """A card that was put up for auction. ``bids`` are in order, with None for a pass. ``went`` is the outcome.
    ``card`` is the card's name, if any player learned it."""

    turn: int
    number: int
    bids: list[tuple[Faction, int | None]] = field(default_factory=list)
    buyer: Faction | None = None
    price: int = 0
    karama: bool = False
    to_emperor: bool = False
    went: str = ""
    card: str = ""


def lots_sold(events: Iterable[Event]) -> list[Lot]:
    found: list[Lot] = []
    for event in events:
        facts = event.facts
        if event.kind == "card-up":
            found.append(Lot(event.turn, facts["number"], card=_card(event)))
        elif event.kind == "bid" and found:
            found[-1].bids.append((facts["faction"], facts["amount"] or 0))
        elif event.kind == "passed" and found:
            found[-1].bids.append((facts["faction"], None))
        elif event.kind == "card-sold" and found:
            lot = found[-1]
            lot.buyer, lot.price, lot.karama = facts["buyer"], facts["price"], facts["karama"]
            lot.to_emperor = facts["to_emperor"]
            lot.card = _card(event) or lot.card
        elif event.kind == "cards-returned" and found:
            found[-1].went = say("page.lot-returned")
    return found


def _card(event: Event) -> str:
    return next((str(told["card"]) for told in event.private.values() if "card" in told), "")


def auction_table(sold: Sequence[Lot], caption: str) -> Table:
    rows = [(str(lot.number), _buyer(lot), _price_of(lot), _outbid(lot)) for lot in sold]
    return Table(_auction_head("card", "buyer", "price", "over"), rows, caption=caption)


def full_table(sold: Sequence[Lot], caption: str, *, opened: bool) -> Table:
    rows = []
    for lot in sold:
        row = [str(lot.number), _buyer(lot), _price_of(lot)]
        if opened:
            row.append(name(lot.card) if lot.card else say("page.lot-unseen"))
        rows.append(row)
    head = _auction_head("card", "buyer", "price", *(("was",) if opened else ()))
    return Table(head, rows, below=tuple(map(_bids, sold)), caption=caption)


def _auction_head(*columns: str) -> tuple[str, ...]:
    return tuple(say(f"page.lot-{column}") for column in columns)


def _outbid(lot: Lot) -> str:
    best: dict[Faction, int] = {}
    for faction, amount in lot.bids:
        if amount is not None and faction != lot.buyer:
            best[faction] = amount
    most_first = sorted(best.items(), key=lambda bid: -bid[1])
    made = [say("page.lot-bid", faction=faction, amount=amount) for faction, amount in most_first]
    return ", ".join(made) or say("page.lot-no-other")


def _buyer(lot: Lot) -> str:
    return name(lot.buyer) if lot.buyer else lot.went or say("page.lot-nobody")


def _price_of(lot: Lot) -> str:
    if not lot.buyer:
        return ""
    return say("page.lot-paid", price=lot.price, karama=lot.karama, to_emperor=lot.to_emperor)


def _bids(lot: Lot) -> str:
    made = [
        say("page.lot-passed" if amount is None else "page.lot-bid", faction=faction, amount=amount)
        for faction, amount in lot.bids
    ]
    return ", ".join(made) or say("page.lot-silent")


def press_page(told: GameStory) -> bytes:
    parts: list[Block] = [
        Part(say("page.turn", turn=turn), [Rows(tuple(map(_row, those)))], f"turn-{turn}", flows=True)
        for turn, those in groupby(told.press, key=lambda each: each.turn)
    ]
    return document(game_page(told, heading=say("page.press"), below=say("page.press-below")), parts)


def _row(each: ShownPress) -> Row:
    return Row(say("page.press-row", faction=each.faction, readers=each.readers), tuple(each.words.splitlines()))


class RunningRow(msgspec.Struct, frozen=True):
    game: str
    where: str
    held: str


def running_row(told: GameStory) -> RunningRow:
    with speaking(told.rules.edition):
        return RunningRow(told.id, _where(told), _held(told))


def running_page(games: Sequence[RunningRow]) -> bytes:
    page = Page(
        say("page.running-title"),
        say("page.under-way"),
        "",
        say("page.running-below"),
        [Link(say("page.games"), "index.html")],
        unlisted=True,
    )
    head = tuple(say(f"page.running-{column}") for column in ("game", "where", "held"))
    rows = [(Link(row.game, f"game/{row.game}/index.html"), row.where, row.held) for row in games]
    return document(page, [Table(head, rows, caption=say("page.under-way"))])


def _where(told: GameStory) -> str:
    last = told.turns[-1]
    phase = phase_name(last.views["public"]["phase"])
    return say("page.running-at", turn=last.number, phase=phase, ruleset=told.rules.title)


def _held(told: GameStory) -> str:
    held: dict[str, list[str]] = {}
    for place, holders in held_at_end(told.position(told.turns[-1])).items():
        for faction in holders:
            held.setdefault(faction, []).append(place)
    told_of = [say("page.running-holds", faction=faction, places=places) for faction, places in held.items()]
    return "; ".join(told_of) or say("own.none")
