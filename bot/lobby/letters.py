"""The letters about open tables, with the buttons that answer them.

The first sentence of a letter gives the current state. Then come the buttons; each opens a mail that contains one line,
which `bot.lobby.reading` can read. The reply address contains the reader's token, or a code, so pressing a button
proves who the sender is. Details follow and, at the end, instructions to stop these letters. The words are in
`templates/letters/lobby.toml`.

No letter quotes a mail from a person whose identity is not proved. Only the person concerned learns of wishes,
invitations, refusals and bans, and nobody else is told who left a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from bot.competition.factions import Sale
from bot.config import Settings
from bot.lobby.requests import (
    NO_WORTHS,
    Calendar,
    Close,
    Confirm,
    Invite,
    Join,
    Leave,
    ListTables,
    Meant,
    MyGames,
    NotMe,
    Open,
    OpenTable,
    Prolong,
    ReadMail,
    Rematch,
    Reply,
    Request,
    StandBy,
    Start,
    Stop,
    Unread,
    UseAddress,
    Wait,
    WaitUntil,
    Weekly,
    Wish,
    are_worths,
    line_of,
)
from bot.mail.identity import plus_address, tagged_subject
from bot.render import letters
from bot.render.blocks import Ask, Block, Button, Buttons, Footer, Heading, Paragraph, Row, Rows, Title, Verdict
from bot.render.material import Rendering
from bot.render.questions import reply_link
from bot.store.lobby import TableSettings
from bot.table.clock import tempo, tempo_names
from bot.wording import day_and_month, deadline, say
from bot.wording.filters import name as printed
from rules.components import FACTION_FACTS, Faction
from rules.engine.catalogue import load_rule_set
from rules.rulesets.ruleset import RULE_SETS

UTC = ZoneInfo("UTC")
MOST_WITH_BUTTONS = 3  # the most tables of a list that have buttons
MOST_TABLES = 20  # the most tables in a list
MOST_QUOTED = 120  # the most characters quoted of words without a request
MOST_CHOICES = 3  # the most tables offered that somebody may have meant

Refusal = Literal[
    "nobody", "known", "invited", "unknown", "duties", "one-open", "two-waiting", "running", "first-game",
    "reliability", "newcomers", "returns", "not-yours", "not-full-enough", "over", "offer-over", "offer-taken",
    "seat-kept", "nothing-asked", "no-opponents", "first-seat", "seat-free", "no-day", "begun", "settings",
    "no-practice", "practised", "proposed", "said-no", "said-no-seat", "not-ended",
    "rematch-over", "rematch-begun", "no-merge",
]  # fmt: skip
"""The reasons for a refusal. Each has a sentence in `[lobby-refused]`, which also lists the facts that it needs."""

Became = Literal["enough", "full", "no-longer-full", "opened-again", "word-is-yours", "word-passed"]
ByDesk = Literal["closed", "closed-by-opener", "merged", "moved", "approved", "not-approved", "not-looked-at"]


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of a letter. `token` is their reply token or a code; the buttons of the letter send it back."""

    settings: Settings
    now: datetime
    token: str = ""
    zone: ZoneInfo = UTC


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """One row of "my games": a game or forming table at which the reader sits or waits. ``place`` is their place on the
    waiting list."""

    id: str
    state: Literal["proposed", "sits", "waits", "offered", "playing", "over"]
    table: OpenTable | None = None
    place: int = 0
    faction: Faction | Literal[""] = ""
    turn: int = 0
    due: datetime | None = None  # when an offer ends, or the reader's next duty is due
    wishes: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    id: str
    until: datetime
    ruleset: str
    tempo: str
    faction: Faction | Literal[""] = ""
    turn: int = 0  # 0: the game has not begun
    game: str = ""  # the game to which the seat belongs, if it has begun


# --- finding a table -------------------------------------------------------------------------------------------------


def list_tables(reader: Reader, tables: Sequence[OpenTable], more: int = 0) -> Rendering:
    shown, first = tables[:MOST_TABLES], tables[:MOST_WITH_BUTTONS]
    every, more = len(tables) + more, len(tables) + more - len(shown)
    blocks: list[Block] = _with_buttons(reader, first)
    if len(shown) > len(first):  # keep the letter short: its reader may not have written the mail
        joins = _ready(reader, "", [Join(table=_only(table.id)) for table in first])
        blocks = [Buttons(joins, main=False), *_briefly(reader, shown)]
    if more:
        blocks.append(Paragraph(say("lobby.more", more=more)))
    blocks.append(Buttons(_ready(reader, "", [Open(form=True), Weekly()]), main=not first))
    return _letter(reader, "list" if tables else "list-empty", blocks, tables=every)


def which_table(reader: Reader, meant: Sequence[OpenTable], verb: Literal["join", "leave", "wait"]) -> Rendering:
    ways: dict[str, type[Join] | type[Leave] | type[Wait]] = {"join": Join, "leave": Leave, "wait": Wait}
    blocks: list[Block] = [
        Ask(_named(table), (_seats(reader, table),), _ready(reader, table.id, [ways[verb](table=_only(table.id))]))
        for table in meant[:MOST_CHOICES]
    ]
    return _letter(reader, "which", blocks, verb=verb)


def own_games(reader: Reader, seats: Sequence[OwnSeat]) -> Rendering:
    rows = tuple(Row(seat.id, _own_seat(reader, seat)) for seat in seats)
    leave = [Leave(table=_only(seat.id)) for seat in seats if seat.state in ("proposed", "sits", "waits")]
    offered = [
        Ask(say("lobby.offered", id=seat.id), (), _ready(reader, seat.id, _yes_no(seat.id)))
        for seat in seats
        if seat.state == "offered"
    ]
    ways: list[Request] = [*leave[:MOST_CHOICES], Calendar()] if seats else [ListTables(), Open(form=True)]
    blocks: list[Block] = [*offered, *([Rows(rows)] if rows else []), _buttons(reader, "", ways)]
    return _letter(reader, "mine" if seats else "mine-empty", blocks, games=len(seats))


def how_it_works(
    reader: Reader, tables: Sequence[OpenTable], near: Sequence[str] = (), *, kept: bool = False
) -> Rendering:
    """Answer words that Mentat cannot act on. Show the most similar lines, examples, and the open tables. `kept` is
    true if the game master will read the words."""
    examples = [
        Row(say(f"lobby.send-{name}"), (say(f"lobby.example-{name}"),), orders=True)
        for name in ("list", "join", "open")
    ]
    nearest: list[Block] = [Ask(say("lobby.near"), (), _lines(reader, "", near))] if near else []
    blocks = [*nearest, Rows(tuple(examples)), *_with_buttons(reader, tables[:MOST_WITH_BUTTONS])]
    return _letter(reader, "how", blocks, kept=kept, tables=len(tables))


# --- proof -----------------------------------------------------------------------------------------------------------


def ask_code(
    reader: Reader, asked: Request, table: OpenTable | None, until: datetime, others: Sequence[OpenTable] = ()
) -> Rendering:
    """Ask a sender whose identity is not proved whether they wrote the mail, before acting on it. The reader's token is
    the code. The letter shows only the kind of request, and a table that its reader may know about."""
    label = table.id if table else ""
    about = [row for row in _about(reader, table) if row.label != say("lobby.factions")] if table else []
    blocks: list[Block] = [
        Ask(
            say("lobby.confirm"),
            (say("lobby.confirm-how", until=deadline(until, reader.now, reader.zone)),),
            _ready(reader, label, [Confirm(), NotMe()]),
        ),
        *([Rows(tuple(about))] if about else []),
        Paragraph(say("lobby.not-you"), "small"),
        *_elsewhere(reader, others),
    ]
    joins = isinstance(asked, Join) and table is not None
    facts = {"id": label, "free": table.free if table else 0, "joins": joins, "what": _wish_in_words(asked, label)}
    return _letter(reader, "code", blocks, **facts)


def ask_code_again(reader: Reader, table: OpenTable | None) -> Rendering:
    return _letter(reader, "code-again", [_buttons(reader, table.id if table else "", [Confirm(), NotMe()])])


def which_yes(reader: Reader, asked: Request, table: OpenTable | None, tables: Sequence[str]) -> Rendering:
    label = table.id if table else ""
    blocks: list[Block] = [
        Ask(say("lobby.yes-here", table=each), (), _ready(reader, each, [Reply(yes=True, table=_only(each))]))
        for each in tables[:MOST_CHOICES]
    ]
    blocks.append(Ask(say("lobby.yes-wish", what=_wish_in_words(asked, label)), (), _ready(reader, label, [Confirm()])))
    return _letter(reader, "which-yes", blocks)


def _wish_in_words(asked: Request, table: str) -> str:
    key = _WISHES.get(type(asked), "other")
    return say(f"lobby-wish.{key}", table=table)


# --- a seat ----------------------------------------------------------------------------------------------------------


def seated(
    reader: Reader, table: OpenTable, *, wishes: str = "", notes: Sequence[str] = (), again: bool = False
) -> Rendering:
    """Tell a person that they have a seat. `again` is true if they already had it. `notes` are sentences about what
    could not be accepted."""
    here = _only(table.id)
    ways: list[Request] = [*_asks_wishes(table), Wish(table=here, name="NAME"), Calendar(), Leave(table=here)]
    blocks: list[Block] = [
        *(Paragraph(note) for note in notes),
        _buttons(reader, table.id, ways),
        *_details(reader, table, wishes),
    ]
    facts = {"again": again, "free": table.empty, "taken": table.taken, "size": table.size}
    return _letter(reader, "seated", blocks, id=table.id, **facts, **_end(reader, table))


def _asks_wishes(table: OpenTable) -> list[Request]:
    here = _only(table.id)
    ways: dict[str, list[Request]] = {
        "wishes": [Wish(table=here)],
        "auction": [Wish(table=here, wishes=NO_WORTHS)],
    }
    return ways.get(table.factions, [])


def in_line(reader: Reader, table: OpenTable, place: int, others: Sequence[OpenTable] = ()) -> Rendering:
    ways: list[Request] = [*(Join(table=_only(each.id)) for each in others[:1])]
    ways += [StandBy(), Wait(table=_only(table.id), wanted=False)]
    blocks: list[Block] = [_buttons(reader, table.id, ways)]
    blocks += _elsewhere(reader, others)
    hours = f"{reader.settings.lobby.offer_hours:g}"
    return _letter(reader, "in-line", blocks, id=table.id, place=place, taken=table.taken, hours=hours)


def left(reader: Reader, tables: Sequence[OpenTable]) -> Rendering:
    again = [Join(table=_only(table.id)) for table in tables[:MOST_CHOICES]]
    return _letter(reader, "left", [_buttons(reader, "", again)], ids=[table.id for table in tables])


def out_of_line(reader: Reader, table: str) -> Rendering:
    return _letter(reader, "out-of-line", [_buttons(reader, table, [ListTables()])], id=table)


def wishes_noted(reader: Reader, table: OpenTable, wishes: str, name: str, notes: Sequence[str] = ()) -> Rendering:
    blocks: list[Block] = [*(Paragraph(note) for note in notes), *_details(reader, table, wishes)]
    facts = {"wishes": wishes_in_words(wishes), "sold": table.factions == "auction", "name": name}
    return _letter(reader, "wishes", blocks, id=table.id, **facts)


def seat_given_back(
    reader: Reader, table: OpenTable, why: Literal["silent", "bounced", "limit", "abandoned", "refused"]
) -> Rendering:
    blocks = [_buttons(reader, table.id, [Join(table=_only(table.id)), ListTables()])]
    return _letter(reader, "given-back", blocks, id=table.id, why=why)


def sits_already(reader: Reader, table: OpenTable, as_address: str) -> Rendering:
    blocks = [_buttons(reader, table.id, [UseAddress(), Leave(table=_only(table.id))])]
    return _letter(reader, "sits-already", blocks, id=table.id, address=as_address)


def one_of_two_seats(reader: Reader, table: OpenTable) -> Rendering:
    blocks = [_buttons(reader, table.id, [Reply(yes=True, table=_only(table.id))])]
    return _letter(reader, "one-of-two", blocks, id=table.id)


# --- opening ---------------------------------------------------------------------------------------------------------


def opening_form(
    reader: Reader, wanted: Open, alike: Sequence[OpenTable] = (), mistakes: Sequence[str] = ()
) -> Rendering:
    """Send a form for the settings of a new table, with those that the person has already named (`wanted`) filled in.
    Also offer the similar tables in `alike`."""
    blocks: list[Block] = [Paragraph(mistake) for mistake in mistakes]
    for table in alike[:1]:
        blocks.append(
            Ask(say("lobby.alike"), (_seats(reader, table),), _ready(reader, table.id, [Join(table=_only(table.id))]))
        )
    line = line_of(_written_out(wanted))
    choices = {"rules": ", ".join(RULE_SETS), "pace": ", ".join(tempo_names())}
    choices |= {name: say(f"lobby-choice.{name}-words") for name in CHOICES}
    blocks += [
        Ask(say("lobby.as-it-stands"), (line,), (_button(reader, "", say("lobby-button.open-it"), line),)),
        Heading(say("lobby.choices")),
        Rows(tuple(Row(say(f"lobby-choice.{name}"), (words,)) for name, words in choices.items())),
    ]
    return _letter(reader, "form", blocks, mistakes=len(mistakes))


def _written_out(wanted: Open) -> Open:
    usual = TableSettings()
    named = {"tempo": wanted.tempo or usual.tempo, "most": wanted.most or usual.size}
    if not wanted.like.tables:
        named["ruleset"] = wanted.ruleset or usual.ruleset
    return msgspec.structs.replace(wanted, **named)


CHOICES = ("players", "date", "start", "factions", "who")
"""The rows of the form for which `[lobby-choice]` has words."""


def opened(reader: Reader, table: OpenTable, *, waits_for_approval: bool = False) -> Rendering:
    here = _only(table.id)
    ways: list[Request] = [Start(table=here)] if 2 <= (table.fewest or table.size) <= table.taken else []
    ways += [Invite(table=here), *_asks_wishes(table), Wish(table=here, name="NAME"), Close(table=here)]
    ways = [Leave(table=here)] if waits_for_approval else ways
    blocks: list[Block] = [_buttons(reader, table.id, ways), *_details(reader, table)]
    name = "proposed" if waits_for_approval else "opened"
    return _letter(reader, name, blocks, id=table.id, free=table.empty, **_end(reader, table))


def invitation_to_pass_on(reader: Reader, table: OpenTable, word: str = "") -> Rendering:
    mentat = reader.settings.mentat
    line = line_of(Join(table=_only(table.id), word=word))
    text = say(
        "lobby.invitation", id=table.id, rules=_rules(table.ruleset), size=table.size, line=line, address=mentat.address
    )
    return _letter(reader, "invite", [Rows((Row(say("lobby.pass-on"), (text,)),))], id=table.id)


def invited(reader: Reader, table: OpenTable, *, rematch: bool = False) -> Rendering:
    blocks: list[Block] = [_buttons(reader, table.id, _yes_no(table.id)), *_details(reader, table)]
    return _letter(reader, "rematch" if rematch else "invited", blocks, id=table.id, **_end(reader, table))


# --- to the start ----------------------------------------------------------------------------------------------------


def check_in(reader: Reader, table: OpenTable, until: datetime, *, reminder: bool = False) -> Rendering:
    here = _only(table.id)
    by = deadline(until, reader.now, reader.zone)
    blocks: list[Block] = [
        _buttons(reader, table.id, [Reply(yes=True, table=here), Leave(table=here)]),
        Paragraph(say("lobby.check-in-why", hours=f"{reader.settings.lobby.present_hours:g}")),
        *_details(reader, table),
    ]
    return _letter(
        reader,
        "check-in",
        blocks,
        id=table.id,
        taken=table.taken,
        size=table.size,
        by=by,
        reminder=reminder,
    )


def table_became(reader: Reader, table: OpenTable, became: Became, *, may_start: bool = False) -> Rendering:
    """Tell a player about a change to their table, for example that it is full. `may_start` is true if this reader may
    start the table."""
    here = _only(table.id)
    ways: list[Request] = [Start(table=here), WaitUntil(table=here)] if may_start else []
    ways.append(Leave(table=here))
    blocks: list[Block] = [_buttons(reader, table.id, ways), *_details(reader, table)]
    facts = {"id": table.id, "taken": table.taken, "size": table.size, "free": table.empty, "may_start": may_start}
    return _letter(reader, became, blocks, **facts, **_end(reader, table))


def ended(
    reader: Reader,
    table: OpenTable,
    others: Sequence[OpenTable] = (),
    *,
    is_opener: bool = False,
    with_opponents: bool = False,
) -> Rendering:
    here = _only(table.id)
    ways: list[Request] = [Prolong(table=here)] if is_opener else []
    ways += [Start(table=here, opponents=True)] if with_opponents else []
    ways += [Join(table=_only(each.id)) for each in others[:1]]
    blocks: list[Block] = [_buttons(reader, table.id, ways or [ListTables()])]
    blocks += _elsewhere(reader, others)
    on = day_and_month(table.until.astimezone(reader.zone).date())
    return _letter(reader, "ended", blocks, id=table.id, taken=table.taken, size=table.size, on=on)


def propose_merge(reader: Reader, table: OpenTable, other: OpenTable, into: str) -> Rendering:
    both = table.taken + other.taken
    blocks: list[Block] = [_buttons(reader, table.id, _yes_no(table.id)), *_details(reader, table)]
    facts = {"id": table.id, "other": other.id, "into": into, "taken": table.taken, "others": other.taken}
    return _letter(reader, "merge", blocks, **facts, size=table.size, full=both >= table.size, **_end(reader, table))


def offer_seat(reader: Reader, offer: Offer) -> Rendering:
    by = deadline(offer.until, reader.now, reader.zone)
    known = _only(offer.id)
    ready = (
        *_ready(reader, offer.id, [Reply(yes=True, table=known), Reply(yes=False, table=known)]),
        *([_button(reader, offer.id, say("lobby-button.not-before"), "no, not before DATE")] if offer.turn else []),
    )
    facts = {"id": offer.game or offer.id, "faction": offer.faction, "turn": offer.turn}
    blocks: list[Block] = [
        Ask(say("lobby.yours", by=by), (say("lobby.offer-see", turn=offer.turn),), ready),
        Rows((Row(say("lobby.rules"), (_rules(offer.ruleset),)), Row(say("lobby.pace"), (_pace(offer.tempo),)))),
    ]
    return _letter(reader, "offer", blocks, **facts)


def begun_without(reader: Reader, table: str, others: Sequence[OpenTable]) -> Rendering:
    blocks = _with_buttons(reader, others) or [_buttons(reader, table, [ListTables()])]
    return _letter(reader, "begun-without", blocks, id=table)


def lot_shown(reader: Reader, table: OpenTable, names: Sequence[str], seed: str, sale: Sale | None = None) -> Rendering:
    """Show a player the seed of the draw and everything needed to recompute it. If factions were sold, also show what
    this player paid."""
    facts = {"seed": seed, "names": ", ".join(names), "commitment": table.commitment}
    blocks: list[Block] = []
    for name, words in facts.items():  # not in columns, which would break a line of 64 characters
        blocks += [Heading(say(f"lobby.lot-{name}")), Paragraph(words)]
    if sale is not None:
        has = FACTION_FACTS[sale.faction].spice - sale.price
        blocks.insert(0, Paragraph(say("lobby.paid", faction=sale.faction, price=sale.price, has=has)))
    return _letter(reader, "lot", blocks, id=table.id, sold=sale is not None)


# --- refusals --------------------------------------------------------------------------------------------------------


def refused(
    reader: Reader, why: Refusal, others: Sequence[OpenTable] = (), /, *, table: str = "", **facts: Any
) -> Rendering:
    blocks: list[Block] = [*_with_buttons(reader, others[:MOST_WITH_BUTTONS])]
    reason = say(f"lobby-refused.{why}", table=table, **facts)
    subject = say("lobby-letter.refused-subject", table=table)
    leave: list[Request] = [Leave(table=_only(each)) for each in facts.get("others", [])] if why == "first-seat" else []
    leave += [MyGames()] if why in ("duties", "running") else []
    ways = [*([Buttons(_ready(reader, table, leave))] if leave else []), *blocks] or [
        _buttons(reader, table, [ListTables()])
    ]
    return _written(reader, subject, reason, [*ways, _stop(reader)], table)


def banned(reader: Reader, until: date | None, since: date) -> Rendering:
    last = day_and_month(until) if until else ""
    button = _button(reader, "", say("lobby-button.ask"), "question: ")
    return _letter(reader, "banned", [Buttons((button,))], until=last, since=day_and_month(since))


def answer_lines(reader: Reader, mail: ReadMail, done: Sequence[str] = (), table: str = "") -> Rendering:
    """Answer a mail from a proved person with the lines that could not be read, or about which Mentat must ask. `done`
    are sentences about the lines that were carried out. The letter quotes the reader's own lines, so it is never sent
    to anybody whose identity is not proved."""
    verdicts = [
        Verdict(
            text, say("lobby.not-understood"), "plain", (line.why,), (), buttons=_lines(reader, table, line.suggestions)
        )
        for text, line in mail.lines
        if isinstance(line, Unread)
    ]
    blocks: list[Block] = [*(Paragraph(sentence) for sentence in done), *verdicts]
    return _letter(reader, "lines", blocks, id=table, lines=len(verdicts), done=len(done))


# --- acts of the desk, deadlines -------------------------------------------------------------------------------------


def told_by_desk(
    reader: Reader, table: OpenTable, what: ByDesk, why: str = "", into: OpenTable | None = None
) -> Rendering:
    here = into or table
    sits = what not in ("closed", "closed-by-opener", "not-approved", "not-looked-at")
    ways: list[Request] = [Leave(table=_only(here.id)) if sits else ListTables()]
    blocks: list[Block] = [*([Paragraph(say("lobby.why", why=why))] if why else []), _buttons(reader, here.id, ways)]
    blocks += _details(reader, into) if into else []
    return _letter(reader, what, blocks, id=table.id, into=here.id)


def done(reader: Reader, sentences: Sequence[str], undo: Request | None = None, table: str = "") -> Rendering:
    """Confirm what a mail did, if there is no special letter for it, with a button that undoes it."""
    first, *rest = sentences
    blocks: list[Block] = [Paragraph(text) for text in rest]
    blocks += [Buttons((_button(reader, table, say("lobby-button.undo"), line_of(undo)),))] if undo else []
    return _written(reader, say("lobby-letter.done-subject", table=table), first, [*blocks, _stop(reader)], table)


def weekly(reader: Reader, tables: Sequence[OpenTable], new: Sequence[str]) -> Rendering:
    week = reader.now.astimezone(reader.zone).isocalendar().week
    nearly = [table.id for table in tables if table.free == 1][:1]
    facts = {"week": week, "tables": len(tables), "new": len(new), "nearly": nearly[0] if nearly else ""}
    shown = sorted(tables, key=lambda table: table.id not in new)  # new tables first, otherwise in the given order
    blocks: list[Block] = _with_buttons(reader, shown[:MOST_WITH_BUTTONS])
    blocks += _briefly(reader, shown[MOST_WITH_BUTTONS:MOST_TABLES])
    return _letter(reader, "weekly", blocks, **facts)


def stopped(reader: Reader, what: Literal["tables", "weekly"]) -> Rendering:
    return _letter(reader, "stopped", [_buttons(reader, "", [Weekly()])], what=what)


def calendar(reader: Reader, entries: int, *, weekly: bool = False) -> Rendering:
    ways: list[Request] = [MyGames()] if weekly else [Calendar(weekly=True), MyGames()]
    return _letter(reader, "calendar", [_buttons(reader, "", ways)], entries=entries, weekly=weekly)


# --- parts of letters ------------------------------------------------------------------------------------------------


_LAST = ("code", "code-again", "stopped", "lot")
"""Letters that need not say how to stop further letters."""


def _letter(reader: Reader, name: str, blocks: Sequence[Block], /, **facts: Any) -> Rendering:
    first = say(f"lobby-letter.{name}", **facts)
    subject = say(f"lobby-letter.{name}-subject", **facts)
    end = [] if name in _LAST else [_stop(reader)]
    return _written(reader, subject, first, [*blocks, *end], facts.get("id", ""))


class _Letter(Rendering, frozen=True):
    title: str = ""
    first: str = ""
    label: str = ""
    parts: tuple[Block, ...] = ()


def _written(reader: Reader, subject: str, first: str, blocks: Sequence[Block], label: str = "") -> Rendering:
    body: list[Block] = [Title(subject), Paragraph(first), *blocks]
    named = label not in subject and label
    made = letters.of_blocks(named or reader.settings.mentat.name, subject, body, first)
    parts = tuple(block for block in blocks if not isinstance(block, Footer))
    whole = (Heading(subject), *parts)
    return _Letter(made.subject, made.text, made.html, title=subject, first=first, label=label, parts=whole)


def together(reader: Reader, answers: Sequence[Rendering], unread: Sequence[str] = ()) -> Rendering:
    """Combine the answers to one mail into one letter, each under its own heading. `unread` are words in which Mentat
    found no request."""
    words = [f"“{text[:MOST_QUOTED].rstrip('.')}”" for text in unread]
    note = [Paragraph(say("lobby.unread", words=words), "small")] if words else []
    if len(answers) == 1 and not (note and isinstance(answers[0], _Letter)):
        return answers[0]
    several = [each for each in answers if isinstance(each, _Letter)]
    blocks: list[Block] = []
    for each in several:
        heading, *rest = each.parts
        blocks += [heading, Paragraph(each.first), *rest]
    labels = {each.label for each in several}
    label = labels.pop() if len(labels) == 1 else ""
    subject = say("lobby-letter.together-subject", answers=len(several))
    first = say("lobby-letter.together", answers=len(several))
    if len(several) == 1:
        subject, first, blocks = several[0].title, several[0].first, list(several[0].parts[1:])
    made = _written(reader, subject, first, [*blocks, *note, _stop(reader)], label)
    return msgspec.structs.replace(made, files=tuple(file for each in answers for file in each.files))


def _stop(reader: Reader) -> Footer:
    return Footer(_ready(reader, "", [Stop()]), (say("lobby.stop"),))


def _only(table: str) -> Meant:
    return Meant(tables=(table,))


def _yes_no(table: str) -> list[Request]:
    return [Reply(yes=True, table=_only(table)), Reply(yes=False, table=_only(table))]


def _buttons(reader: Reader, label: str, ways: Sequence[Request]) -> Buttons:
    return Buttons(_ready(reader, label, ways), main=isinstance(ways[0], _MAIN) and len(ways) > 1)


_MAIN = (Join, Reply, Start, Prolong, Rematch, Open)
"""The requests for which the first button of a letter may be made to stand out."""


def _ready(reader: Reader, label: str, ways: Sequence[Request]) -> tuple[Button, ...]:
    return tuple(_button(reader, label, _label(way), line_of(way)) for way in ways)


def _lines(reader: Reader, label: str, lines: Sequence[str]) -> tuple[Button, ...]:
    return tuple(_button(reader, label, line, line) for line in lines)


def _label(way: Request) -> str:
    key = _LABELS[type(way)]
    match way:
        case Reply(yes=False):
            key = "no"
        case Wish(name=name, wishes=wishes) if name or are_worths(wishes):
            key = "name" if name else "worths"
        case Wait(wanted=False):
            key = "off-the-list"
        case Calendar(weekly=True):
            key = "calendar-weekly"
        case Start(opponents=True):
            key = "start-opponents"
    return say(f"lobby-button.{key}", table=way.table.table if hasattr(way, "table") else "")


_LABELS: dict[type, str] = {
    Calendar: "calendar",
    Close: "close",
    Confirm: "yes",
    Invite: "invite",
    Join: "join",
    Leave: "leave",
    ListTables: "list",
    MyGames: "mine",
    NotMe: "not-me",
    Open: "open",
    Prolong: "prolong",
    Rematch: "rematch",
    Reply: "yes",
    StandBy: "standby",
    Start: "start",
    Stop: "stop",
    UseAddress: "use-address",
    Wait: "wait",
    WaitUntil: "hold",
    Weekly: "weekly",
    Wish: "wishes",
}
"""For each kind of request, the key in `[lobby-button]` of the words on its button."""


_WISHES: dict[type, str] = {
    Close: "close",
    Invite: "invite",
    Join: "join",
    Leave: "leave",
    MyGames: "mine",
    Open: "open",
    Reply: "reply",
    StandBy: "standby",
    Start: "start",
    Stop: "stop",
    Wait: "wait",
    Weekly: "weekly",
    Wish: "wishes",
}
"""For each kind of request, the key in `[lobby-wish]` of the words that say what it asks for."""


def _button(reader: Reader, label: str, words: str, line: str) -> Button:
    mentat = reader.settings.mentat
    to = plus_address(mentat.address, reader.token) if reader.token and mentat.plus_addressing else mentat.address
    subject = say("subject.order", game=label or mentat.name, order=line)
    tagged = tagged_subject(subject, reader.token) if reader.token and not mentat.plus_addressing else subject
    return Button(words, reply_link(to, tagged, (line,)), line)


def _with_buttons(reader: Reader, tables: Sequence[OpenTable]) -> list[Block]:
    return [
        Ask(_named(table), _story(reader, table), _ready(reader, table.id, [Join(table=_only(table.id))]))
        for table in tables
    ]


def _named(table: OpenTable) -> str:
    return say("lobby.named", id=table.id, title=table.title)


def _rules(ruleset: str) -> str:
    return load_rule_set(ruleset).title


def _pace(name: str) -> str:
    return say("lobby.pace-of", tempo=name, says=tempo(name).says)


def _end(reader: Reader, table: OpenTable) -> dict[str, object]:
    day = (table.starts_at or table.until).astimezone(reader.zone).date()
    return {"ends": day_and_month(day), "starts": table.starts, "kind": table.kind}


def _seats(reader: Reader, table: OpenTable) -> str:
    facts = {"free": table.free, "size": table.size, "tempo": table.tempo, "rules": _rules(table.ruleset)}
    facts["sold"] = table.factions == "auction"
    return say("lobby.seats", **facts, **_end(reader, table))


def _briefly(reader: Reader, tables: Sequence[OpenTable]) -> list[Block]:
    kinds = dict.fromkeys(f"{table.tempo}, {table.ruleset}" for table in tables)
    rows = [
        Row(kind, tuple(_compact(reader, table) for table in tables if f"{table.tempo}, {table.ruleset}" == kind))
        for kind in kinds
    ]
    return [Heading(say("lobby.brief"), say("lobby.send-join-id")), Rows(tuple(rows))] if rows else []


def _compact(reader: Reader, table: OpenTable) -> str:
    facts = {"free": table.free, "size": table.size, "sold": table.factions == "auction"}
    return say("lobby.compact", id=table.id, **facts, **_end(reader, table))


def _story(reader: Reader, table: OpenTable) -> tuple[str, ...]:
    return _seats(reader, table), _who(reader, table)


def _who(reader: Reader, table: OpenTable) -> str:
    opened = day_and_month(table.opened.astimezone(reader.zone).date())
    nameless = table.taken - len(table.names)
    others = [say("lobby.nameless", nameless=nameless, named=len(table.names))] if nameless > 0 else []
    facts = {"names": [*table.names, *others], "several": table.taken > 1, "opener": table.opener}
    return say("lobby.who", **facts, opened=opened)


def _brief(reader: Reader, tables: Sequence[OpenTable]) -> tuple[Row, ...]:
    return tuple(Row(table.id, (_seats(reader, table),)) for table in tables)


def _elsewhere(reader: Reader, others: Sequence[OpenTable]) -> list[Block]:
    return [Heading(say("lobby.else")), Rows(_brief(reader, others))] if others else []


def _details(reader: Reader, table: OpenTable, wishes: str | None = None) -> list[Block]:
    draw = say("lobby.commitment", commitment=table.commitment) if table.commitment else ""
    proof = [Row(say("lobby.draw"), (draw,))] if draw else []
    return [Heading(say("lobby.about")), Rows((*_about(reader, table, wishes), *proof))]


def _about(reader: Reader, table: OpenTable, wishes: str | None = None) -> tuple[Row, ...]:
    facts = {"fewest": table.fewest, "size": table.size, "opponents": table.opponents, "rated": table.rated}
    facts["private"] = table.kind != "open"
    at = deadline(table.starts_at, reader.now, reader.zone) if table.starts_at else ""
    parts = [
        ("rules", _rules(table.ruleset)),
        ("pace", _pace(table.tempo)),
        ("players", _who(reader, table)),
        ("start", say(f"lobby.starts-{table.starts}", at=at, **facts)),
        ("who-may", say("lobby.may", newcomers=table.newcomers, reliability=_reliability(table), **facts)),
        (
            "factions",
            say(f"lobby.factions-{table.factions}", wishes=wishes_in_words(wishes or ""), own=wishes is not None),
        ),
        ("keeper", say("lobby.keeper-sits") if table.keeper else ""),
    ]
    return tuple(Row(say(f"lobby.{name}"), (words,)) for name, words in parts if words)


def wishes_in_words(wishes: str) -> str:
    """Return wishes as they appear in a sentence.

    >>> wishes_in_words("guild = emperor, *")
    'Guild or Emperor, then any'
    >>> wishes_in_words("guild 4, emperor 2, * 1"), wishes_in_words("* 0")
    ('Guild 4, Emperor 2, all others 1', 'nothing')
    """
    if are_worths(wishes):
        pairs = [part.rpartition(" ") for part in wishes.split(", ")]
        shown = [(say("lobby.others") if name == "*" else printed(name), number) for name, _, number in pairs]
        return ", ".join(f"{name} {number}" for name, number in shown) if wishes != "* 0" else say("lobby.worthless")
    groups = [
        " or ".join(say("lobby.any") if one == "*" else printed(one) for one in group.split(" = "))
        for group in wishes.split(", ")
    ]
    return ", then ".join(groups) if wishes else ""


def _reliability(table: OpenTable) -> str:
    return f"{table.reliability:.2f}" if table.reliability else ""


def _own_seat(reader: Reader, seat: OwnSeat) -> tuple[str, ...]:
    due = deadline(seat.due, reader.now, reader.zone) if seat.due else ""
    told = say(f"lobby-mine.{seat.state}", place=seat.place, faction=seat.faction, turn=seat.turn, due=due)
    wishes = [say("lobby-mine.wishes", wishes=wishes_in_words(seat.wishes))] if seat.wishes else []
    return (told, _seats(reader, seat.table), _who(reader, seat.table), *wishes) if seat.table else (told,)
