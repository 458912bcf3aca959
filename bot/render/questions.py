"""The requests in a letter to its reader: the call for their sheet, their open questions, and the form.

For the player who is asked, the words of the questions are in `templates/questions/`; for everybody else they are in
the table `duty` of the letters. Each prompt has `ask` (a headline, whose first sentence is a short question for the
subject), `text` (the details), `short` (a few words: "your shipment") and `silent` (the default). These sentences can
use the facts of the question, `faction`, and `default` (the default order in canonical words).

The form holds orders as lines that the player ticks or fills in, inside the quoted mail. Between the marks of
`bot.mail.lines`, each question has a comment that names it, one box for each legal order, and blank lines for the other
forms that answer it. A line counts only if it is changed in the reply. The form reminds a player who is asked for a
reaction that they can choose not to be asked again this turn.

If only hidden cards or traitors decide who can react, everybody who is asked gets the same offers. A longer letter for
the player who holds the card would reveal it to anybody who sees that letter, or a reply that quotes it. An order that
its sender cannot play is refused in a letter to the sender alone.

Buttons open a prepared reply: they are `mailto:` links with a subject and a body (RFC 6068).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, cast
from urllib.parse import quote

from jinja2 import TemplateError

from bot.language.orders import form_lines as forms_to_fill
from bot.language.orders import write
from bot.mail.identity import tagged_subject
from bot.mail.lines import FORM_BEGIN, FORM_END
from bot.render.blocks import Ask, Block, Button, Buttons, Document, Due, FormBlock, Heading, Paragraph, Title
from bot.render.material import AnswerWanted, Position, SheetCall
from bot.render.text import wrap_text
from bot.wording import clock_of, deadline, find, moment, say
from bot.wording.filters import listed, name
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.decisions.question import Question
from rules.orders import FamilyAtomics, NoStormCards, NoTreachery, Order, Predict, QuestionKind, Treachery, Waive

MOST_BUTTONS = 8  # prepared replies to one question
SUPPORTED = ("bidding", "movement")  # rounds in which allies pay for each other


def add_wanted(letter: Document, position: Position, top: bool = False, beside: Sequence[Block] = ()) -> None:
    """Add the reader's questions, with the deadline and buttons, then the other players for whom the game is waiting.
    If `top`, the question becomes the headline of the letter. The blocks `beside` come before the details of the
    question."""
    open_now = open_questions(position)
    call, due = position.call, first_due(position)
    if position.stopped:
        letter.add(Paragraph(say("wanted.stopped")))
    if not open_now and call is None:
        _add_rest(letter, position, top, beside)
    else:
        title = question_in_words(position)
        letter.add(Title(title) if top else Heading(title))
        alone = bool(open_now) + bool(call) == 1 and len(open_now) < 2
        together = len({asked.due for asked in open_now} | ({call.due} if call else set())) == 1
        if due or alone:
            letter.add(_bar(position, open_now, alone=alone, together=together))
        letter.add(*beside, *_at_hand(position, open_now))
        _add_call(letter, position)
        letter.add(*(ask_block(position, asked, due if together else None, alone=alone) for asked in open_now))
    add_waiting(letter, position)


def open_questions(position: Position) -> list[AnswerWanted]:
    return [asked for asked in position.wanted if not asked.answered]


def first_due(position: Position) -> datetime | None:
    dues = [asked.due for asked in open_questions(position)] + [position.call.due if position.call else None]
    return min((due for due in dues if due), default=None)


def question_in_words(position: Position) -> str:
    asked = _questions(position)
    if len(asked) == 1:
        return asked[0]
    firsts = _first_sentences(asked)
    return " ".join(firsts) if len(firsts) < 3 else say("wanted.several", first=firsts[0], number=len(firsts) - 1)


def brief_question(position: Position) -> str:
    # Return the questions for the subject: "bid on card 3?", "ship tokens? and 1 more", or "" if there are none.
    firsts = _first_sentences(_questions(position))
    if not firsts:
        return ""
    asked = firsts[0][:1].lower() + firsts[0][1:]
    return asked if len(firsts) == 1 else say("wanted.several", first=asked, number=len(firsts) - 1)


def _questions(position: Position) -> list[str]:
    call = [say(f"call.ask-{position.call.round}")] if position.call else []
    if position.call and position.call.round == "storm":
        return call  # the cards that are asked about below
    return call + [_question(asked, position.reader.viewer) for asked in open_questions(position)]


def _first_sentences(questions: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(question.partition("?")[0] + "?" for question in questions))


def _question(asked: AnswerWanted, faction: str) -> str:
    return _part_or_default(asked.kind, "ask", asked.about, faction, "")


def _bar(position: Position, open_now: Sequence[AnswerWanted], *, alone: bool, together: bool) -> Due:
    due, by = first_due(position), ""
    if due:
        by = _by(position, due, "by" if together else "first-by")
    if not alone:
        return Due(by, "")
    silent = meaning_of_silence(open_now[0], position.reader.viewer) if open_now else say("call.silent")
    return Due(by, say("wanted.silent", silent=silent))


def _by(position: Position, due: datetime, words: Literal["by", "first-by"]) -> str:
    if due <= position.now:
        return say("wanted.overdue")
    return say(f"wanted.{words}", by=deadline(due, position.now, position.reader.zone))


def has_at_hand(position: Position) -> bool:
    # Return True if the letter lists spice, tokens and cards right below the question.
    player = position.view["players"].get(position.reader.viewer) or {}
    asked = bool(position.call or open_questions(position))
    return asked and player.get("spice") is not None and position.view["phase"] != "setup"


def _at_hand(position: Position, open_now: Sequence[AnswerWanted]) -> list[Block]:
    if not has_at_hand(position):
        return []
    player = position.view["players"][position.reader.viewer]
    facts = {name: player[name] for name in ("spice", "reserves", "tanks")}
    told = [say("wanted.at-hand", **facts, cards=player.get("hand") or (), faction=position.reader.viewer)]
    if position.auction and any(asked.kind == "bid" for asked in open_now):
        bids = [(faction, amount) for faction, amount in position.auction.bids if faction != position.reader.viewer]
        told.append(say("wanted.auction", bids=bids, passed=position.auction.passed))
    return [Paragraph(" ".join(filter(None, told)))]


def _add_rest(letter: Document, position: Position, top: bool, beside: Sequence[Block]) -> None:
    over = position.view["phase"] == "over"
    text = "wanted.over" if over else "wanted.nothing-more" if position.wanted else "wanted.nothing"
    title = say("heading.nothing-wanted")
    letter.add(Title(title) if top else Heading(title), *beside, Paragraph(say(text)))
    if position.goes_on:
        until = deadline(position.goes_on, position.now, position.reader.zone)
        letter.add(Paragraph(say("wanted.goes-on", until=until)))


def _add_call(letter: Document, position: Position) -> None:
    if position.call is None:
        return
    if position.call.fights is not None:
        letter.add(Paragraph(_fights(position.call.fights)))
    *others, nothing = boxes_of_call(position.call)
    if boxes := order_buttons(position, (nothing, *others), {nothing: say("call.nothing")}):
        letter.add(Buttons(boxes))
    ally = position.view["players"].get(position.reader.viewer, {}).get("ally")
    support = [say("call.support", allies=ally.split(", "))] if ally and position.call.round in SUPPORTED else []
    told = " ".join([say(f"call.{position.call.round}"), *support])
    letter.add(Paragraph(told), Paragraph(say("call.how")))


def _fights(fights: Sequence[tuple[TerritoryId, Faction]]) -> str:
    if not fights:
        return say("call.no-fight")
    return say("call.fights", fights=[say("call.fight", place=place, opponent=other) for place, other in fights])


def ask_block(position: Position, asked: AnswerWanted, due: datetime | None, *, alone: bool = False) -> Ask:
    """Return one question, with its deadline if that differs from `due`, which is already in the letter. `alone` means
    that the question itself and its default are also already in the letter."""
    faction = position.reader.viewer
    details = [_details(asked.kind, asked.about, faction)]
    if asked.due and asked.due != due:
        details.append(_by(position, asked.due, "by"))
    if not alone:
        details.append(say("wanted.silent", silent=meaning_of_silence(asked, faction)))
    nothing = asked.default if asked.default.startswith(("pass", "no ")) else ""
    in_words = nothing and find(f"question.{asked.kind}.nothing")
    offered = sorted(asked.choices, key=lambda choice: choice != nothing)
    cut = len(offered) - MOST_BUTTONS
    more = say("wanted.more-in-form", number=cut) if cut > 0 else ""
    said = {nothing: _part_or_default(asked.kind, "nothing", asked.about, faction, nothing)} if in_words else {}
    buttons = order_buttons(position, offered[:MOST_BUTTONS], said)
    return Ask("" if alone else _question(asked, faction), tuple(filter(None, details)), buttons, more)


def order_buttons(
    position: Position, orders: Sequence[str], said: Mapping[str, str] = MappingProxyType({})
) -> tuple[Button, ...]:
    # Return a button for each order, labelled with the order or, if present, with its words in `said`.
    to = position.reader.reply_to
    if not to:
        return ()
    tag = position.reader.tag
    ready = []
    for order in orders:
        subject = say("subject.order", game=position.game_id, order=order)
        ready.append(
            Button(said.get(order, order), reply_link(to, tagged_subject(subject, tag) if tag else subject, (order,)))
        )
    return tuple(ready)


def add_waiting(letter: Document, position: Position) -> None:
    own = {asked.kind for asked in position.wanted}
    together: dict[tuple[str, datetime | None, bool], list[str]] = {}
    for other in position.waiting:
        if other.faction or other.kind not in own:
            who = name(other.faction) if other.faction else say("waiting.everybody")
            together.setdefault((duty(other.kind), other.due, other.later), []).append(who)
    lines = [_waiting(position, listed(who), *what) for what, who in together.items()]
    if lines:
        also = any(not asked.answered for asked in position.wanted)
        # If there are several, the letter hides who has answered. A single one cannot have answered yet.
        alone = len(position.waiting) == 1 and bool(position.waiting[0].faction) and not also
        letter.add(Paragraph(say("waiting.lines", lines=lines, also=also, alone=alone)))


def _waiting(position: Position, who: str, what: str, due: datetime | None, later: bool) -> str:
    public = position.reader.viewer == "public"  # forum readers do not know whose clock is running
    how = "later" if later else "overdue" if due and due <= position.now else ""
    until = moment(due, position.reader.zone) if due else ""
    zone = clock_of(position.reader.zone) if public else ""
    return say("waiting.line", who=who, duty=what, until=until, zone=zone, how=how)


log = logging.getLogger(__name__)


def prompt_for(kind: str, about: Mapping[str, Any], faction: str) -> str:
    return f"{_part_or_default(kind, 'ask', about, faction, '')} {_details(kind, about, faction)}".strip()


def _details(kind: str, about: Mapping[str, Any], faction: str) -> str:
    text = _part_or_default(kind, "text", about, faction, "")
    promised = about.get("promised")
    return f"{text} {_part_or_default('promised', 'text', {'promised': promised}, faction, '')}" if promised else text


def short_question(wanted: AnswerWanted, faction: str) -> str:
    return _part_or_default(wanted.kind, "short", wanted.about, faction, wanted.default)


def meaning_of_silence(wanted: AnswerWanted, faction: str) -> str:
    """Return the default if the player does not answer, in the words of the template or as an order in canonical words.
    The canonical order is used if the template has no words, or if a promise may have changed the default."""
    if wanted.about.get("promised"):
        return wanted.default
    return _part_or_default(wanted.kind, "silent", wanted.about, faction, wanted.default)


def duty(kind: str) -> str:
    """Return a player's question in words that reveal nothing more about it: "a shipment"."""
    return say(f"duty.{kind}")


def question_part(kind: str, part: str, about: Mapping[str, Any], faction: str, default: str) -> str:
    """Return one part of a prompt. Raise KeyError if the prompt lacks that part, and jinja2.UndefinedError if a fact is
    missing."""
    words = find(f"question.{kind}.{part}")
    if words is None:
        raise KeyError(kind, part)
    return words.render({"default": default, **about, "faction": faction})


def _part_or_default(kind: str, part: str, about: Mapping[str, Any], faction: str, default: str) -> str:
    try:
        return question_part(kind, part, about, faction, default)
    except KeyError:
        log.warning("the question %s has no %r in templates/questions", kind, part)
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the %r of the question %s cannot be filled in: %s", part, kind, error)
    return default if part in ("silent", "nothing") else "" if part == "text" else say("duty.own", duty=duty(kind))


COMMENT_WIDTH = 68  # mail programs do not wrap lines of this length when quoting
BOX = "[ ] "
ALL_LISTED = frozenset(("bg-status", "intrusion", "battle-order", "prescience", "traitor"))  # no other answers exist
MOST_BLANKS = 4  # lines to fill in for one question


def form_block(position: Position) -> FormBlock | None:
    code = position.form_code
    lines = form_lines(position) if code else ()
    return FormBlock(FORM_BEGIN.format(code=code), lines, FORM_END.format(code=code)) if lines else None


def form_lines(position: Position) -> tuple[str, ...]:
    lines: list[str] = []
    faction = position.reader.viewer
    for asked in position.wanted:
        lines += _comment(
            say("form.question", short=short_question(asked, faction), silent=meaning_of_silence(asked, faction))
        )
        if asked.answered:
            lines += _comment(say("form.answered", orders=listed(asked.answered)))
        lines += [BOX + choice for choice in asked.choices]
        if asked.kind == "karama-window" and position.view["phase"] != "mentat":
            lines.append(BOX + write(Waive("mentat")))
        if asked.kind not in ALL_LISTED:
            blanks = [line for line in _blank_lines(asked.kind) if _of_use(line, position, asked) and line not in lines]
            lines += _of_each_player(asked) if asked.kind == "prediction" else blanks[:MOST_BLANKS]
    return (*lines, *_call_lines(position, lines))


def _of_each_player(asked: AnswerWanted) -> list[str]:
    turns = [write(Predict(faction, 1)) for faction in asked.about["factions"]]
    return [line.removesuffix("1") + "_" for line in turns]


def _call_lines(position: Position, before: Sequence[str]) -> list[str]:
    if position.call is None:
        return []
    return [*_comment(say("call.form")), *(line for line in _prepared(position.call) if line not in before)]


def boxes_of_call(call: SheetCall) -> tuple[str, ...]:
    """Return the prepared sheet lines that only need a tick, so that buttons can send them."""
    return tuple(line.removeprefix(BOX) for line in _prepared(call) if line.startswith(BOX))


def _prepared(call: SheetCall) -> list[str]:
    return say(f"call.lines-{call.round}").split(" | ")


def _of_use(line: str, position: Position, asked: AnswerWanted) -> bool:
    """Return True if the reader can use this line of the form. A line for a card needs that card, and a line for the
    Guild's ways of shipping is only for the Guild and its allies."""
    faction = position.reader.viewer
    player = position.view["players"].get(faction, {})
    hand, allies = player.get("hand") or (), (player.get("ally") or "").split(", ")
    if line.startswith("hajr "):
        return "Hajr" in hand
    if line.endswith(" with karama"):
        return "Karama" in hand or faction == "bene-gesserit"
    if line.endswith(" to reserves") and not asked.about.get("returns", True):
        return False
    return not line.startswith("ship _ from ") or "guild" in (faction, *allies)


def _comment(text: str) -> list[str]:
    return wrap_text(text, "# ", width=COMMENT_WIDTH)


@cache
def _blank_lines(kind: str) -> tuple[str, ...]:
    return tuple(line for line in forms_to_fill(cast(QuestionKind, kind)) if "_" in line)


def orders_to_offer(question: Question) -> Sequence[Order]:
    """Return the orders to offer. Orders that differ only in a number (a turn, the sectors of Weather Control) are left
    out, because the form has a blank for that number."""
    if question.kind == "prediction":
        return []
    if question.kind == "storm-cards":
        return [NoStormCards(), FamilyAtomics()] if FamilyAtomics in question.takes else [NoStormCards()]
    if question.kind == "traitor-call":
        return [Treachery(), NoTreachery()]
    return question.samples()


def reply_link(address: str, subject: str, lines: tuple[str, ...]) -> str:
    """Return a `mailto:` link to the address with these lines as the body.

    Everything is percent-encoded as UTF-8, and lines end in CRLF (RFC 6068 section 5).

    >>> reply_link("mentat+g7k2@arrakis.example", "[sietch-12] pass", ("pass", "support 0"))
    'mailto:mentat%2Bg7k2@arrakis.example?subject=%5Bsietch-12%5D%20pass&body=pass%0D%0Asupport%200'
    """
    local, _, host = address.rpartition("@")
    body = "%0D%0A".join(_encoded(line) for line in lines)
    return f"mailto:{_encoded(local)}@{quote(host, safe='.-')}?subject={_encoded(subject)}&body={body}"


def _encoded(text: str) -> str:
    return quote(text, safe="")
