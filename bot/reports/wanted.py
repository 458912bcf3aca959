"""What a letter wants from its reader: the call for their sheet, the questions that are open for them, and for whom
else the game waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.mail.identity import tagged_subject
from bot.reports.document import Ask, Button, Buttons, Document, Heading, Paragraph
from bot.reports.form import boxes_of_call
from bot.reports.given import Position, Wanted
from bot.reports.links import reply_link
from bot.reports.questions import duty, prompt, short, silent
from bot.reports.times import by, clock_of, moment
from bot.wording.filters import listed, name
from bot.wording.sentences import say
from rules.components import Faction
from rules.components.board import TerritoryId

MOST_BUTTONS = 8  # ready replies to one question


def add_wanted(letter: Document, position: Position, top: bool = False) -> None:
    """The call and the questions that are open for the reader; then whom else the game waits for. ``top`` sets its
    first heading as the headline of the letter."""
    open_now = [asked for asked in position.wanted if not asked.answered]
    due = _common_due(open_now)
    if position.stopped:
        letter.add(Paragraph(say("wanted.stopped")))
    _add_call(letter, position, top)
    top = top and position.call is None
    if not open_now and position.call is None:
        nothing = "wanted.over" if position.view["phase"] == "over" else "wanted.nothing"
        text = say("wanted.nothing-more" if position.wanted else nothing)
        letter.add(Heading(say("heading.nothing-wanted"), top=top), Paragraph(text))
        if position.goes_on:
            until = by(position.goes_on, position.now, position.reader.zone)
            letter.add(Paragraph(say("wanted.goes-on", until=until)))
    elif due:
        until = say("wanted.by-then", by=by(due, position.now, position.reader.zone))
        letter.add(Heading(say("heading.wanted"), until, top=top))
    elif open_now:
        letter.add(Heading(say("heading.wanted"), top=top))
    letter.add(*(ask(position, asked, due) for asked in open_now))
    add_waiting(letter, position)


def _add_call(letter: Document, position: Position, top: bool) -> None:
    """What the call for sheets asks for, before the questions that stand beside it; the lines to fill in are in the
    form."""
    if position.call:
        due = position.call.due
        until = say("wanted.by-then", by=by(due, position.now, position.reader.zone)) if due else ""
        letter.add(Heading(say("heading.call"), until, top=top), Paragraph(say(f"call.{position.call.round}")))
        if position.call.fights is not None:
            letter.add(Paragraph(_fights(position.call.fights)))
        letter.add(Paragraph(say("call.how")))
        if boxes := buttons(position, boxes_of_call(position.call)):
            letter.add(Buttons(boxes))


def _fights(fights: Sequence[tuple[TerritoryId, Faction]]) -> str:
    if not fights:
        return say("call.no-fight")
    return say("call.fights", fights=[say("call.fight", place=place, opponent=other) for place, other in fights])


def ask(position: Position, asked: Wanted, due: datetime | None) -> Ask:
    """One question; its deadline where that is not ``due``, which stands above."""
    faction = position.reader.viewer
    details = [prompt(asked.kind, asked.about, faction)]
    if asked.due and asked.due != due:
        details.append(say("wanted.by", by=by(asked.due, position.now, position.reader.zone)))
    details.append(say("wanted.silent", silent=silent(asked, faction)))
    title = short(asked, faction)
    cut = len(asked.choices) - MOST_BUTTONS
    more = say("wanted.more-in-form", number=cut) if cut > 0 else ""
    return Ask(title[:1].upper() + title[1:], tuple(details), buttons(position, asked.choices[:MOST_BUTTONS]), more)


def buttons(position: Position, orders: Sequence[str]) -> tuple[Button, ...]:
    """Links that open a ready reply, one for each order; none where the reader cannot reply."""
    to = position.reader.reply_to
    if not to:
        return ()
    tag = position.reader.tag
    ready = []
    for order in orders:
        subject = say("subject.order", game=position.game_id, order=order)
        ready.append(Button(order, reply_link(to, tagged_subject(subject, tag) if tag else subject, (order,))))
    return tuple(ready)


def add_waiting(letter: Document, position: Position) -> None:
    """Who else is waited for, all with the same duty together."""
    own = {asked.kind for asked in position.wanted}
    together: dict[tuple[str, datetime | None], list[str]] = {}
    for other in position.waiting:
        if other.faction or other.kind not in own:
            who = name(other.faction) if other.faction else say("waiting.everybody")
            together.setdefault((duty(other.kind), other.due), []).append(who)
    lines = [_waiting(position, listed(who), *what) for what, who in together.items()]
    if lines:
        also = any(not asked.answered for asked in position.wanted)
        letter.add(Paragraph(say("waiting.lines", lines=lines, also=also)))


def _waiting(position: Position, who: str, what: str, due: datetime | None) -> str:
    public = position.reader.viewer == "public"  # readers of a forum do not know whose clock it is
    until = moment(due, position.reader.zone) if due else ""
    return say("waiting.line", who=who, duty=what, until=until, zone=clock_of(position.reader.zone) if public else "")


def _common_due(wanted: Sequence[Wanted]) -> datetime | None:
    dues = {asked.due for asked in wanted}
    return dues.pop() if len(dues) == 1 else None
