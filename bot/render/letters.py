"""The letters: the blocks of each kind of letter, and their order.

First come the reader's open questions, with the deadline in their own time zone and the default. Then come the events,
the reader's own position, the table, the board, and the form. The answer to a mail gives a verdict on each of its
lines, and on the mail as a whole. Every letter ends with directions to the game master, the rules, and the help. The
words are in `templates/`. Text and HTML are written from the same blocks.

`archive_paragraphs` tells players what the archive shows of their game, when, and under which name; `press_paragraphs`
tells them how they may write to each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Concatenate, Literal, ParamSpec, TypeVar

from msgspec.structs import replace

from bot.config.values import ArchivePolicy
from bot.mail.identity import tagged_subject
from bot.mail.quotes import REPLY_MARK
from bot.press import PressSettings
from bot.render import position as seen
from bot.render.blocks import (
    Block,
    Button,
    Buttons,
    Document,
    Footer,
    FormBlock,
    Heading,
    Paragraph,
    Quote,
    Row,
    Rows,
    Title,
    Verdict,
)
from bot.render.board import USUAL_LOOK, Look
from bot.render.forum_posts import MARKDOWN
from bot.render.html import as_html, with_board
from bot.render.material import LineVerdict, Position, PressReceived, Rendering
from bot.render.news import changes
from bot.render.picture import picture
from bot.render.questions import (
    add_waiting,
    add_wanted,
    ask_block,
    brief_question,
    first_due,
    form_block,
    has_at_hand,
    open_questions,
    order_buttons,
    question_in_words,
    reply_link,
)
from bot.render.summary import (
    board_of_turn,
    first_screen,
    guide,
    headline,
    how_to_check,
    moments_of_game,
    phase_name,
    play_again,
    story,
    tiles,
    turn_of,
    what_happened,
    what_was_hidden,
    who_held_what,
    who_played,
    why_it_ended,
    winners_of,
)
from bot.render.text import as_text
from bot.wording import brief_moment, say
from bot.wording.filters import name as printed_name
from bot.wording.filters import order_as_spoken, speaking
from rules.chapters.setup import TRADED_SPICE
from rules.components import Faction

Urgency = Literal["reminder", "last-reminder"]
MOST_NEWS = 5_000  # characters of news since the last letter
TOLD_ABOVE = ("strongholds", "game-won")  # events at the top of the last letter


P = ParamSpec("P")
T = TypeVar("T")


def in_its_words(write: Callable[Concatenate[Position, P], T]) -> Callable[Concatenate[Position, P], T]:
    @wraps(write)
    def written(position: Position, /, *args: P.args, **facts: P.kwargs) -> T:
        with speaking(position.edition):
            return write(position, *args, **facts)

    return written


@in_its_words
def setup_letter(position: Position) -> Rendering:
    faction = position.reader.viewer
    subject = say("subject.setup", game=position.game_id, faction=faction)
    letter = _opened(position, _asked(position, say("subject.your-faction", faction=faction)) or subject)
    options = dict(position.options)
    traded = [(each, options.pop(own.name)) for each, own in TRADED_SPICE.items() if own.name in options]
    welcome = say("setup.welcome", title=position.title, options=options, traded=traded)
    letter.add(Title(say("setup.title", faction=faction), welcome))
    if position.event:
        letter.add(Paragraph(position.event))
    if asked := bool(question_in_words(position)):
        add_wanted(letter, position)
    if position.rules:
        letter.add(*([Heading(say("setup.guide"))] if asked else []), guide(position))
    if not asked:
        add_wanted(letter, position)
    letter.add(Heading(say("heading.how")), Paragraph(say("setup.how")))
    letter.add(Paragraph(say("setup.sheet", tempo=position.tempo)))
    seats = tuple(_player(position, faction) for faction in position.seats)
    letter.add(Heading(say("heading.players")), Rows(seats, running=True))
    news = tuple(event for event in position.news if event.kind != "game-set-up")
    _add_news(letter, replace(position, news=news), say("heading.begun"))
    letter.add(Heading(say("heading.you")), _own(position))
    _add_board(letter, position)
    _add_press(letter, position)
    _add_forum(letter, position)
    if position.archive:
        letter.add(Heading(say("archive-told.heading")), *(Paragraph(said) for said in position.archive))
    letter.add(Paragraph(say("setup.commitment", commitment=position.commitment), "small"))
    _add_form(letter, position)
    return _rendered(letter, position)


@in_its_words
def private_report(position: Position) -> Rendering:
    ended = position.ended
    nothing = _summary_subject(ended) if ended else say("subject.nothing", **_place(position))
    letter = _opened(position, _asked(position) or nothing)
    if ended:
        _add_first_screen(letter, ended)
    add_wanted(letter, position, top=ended is None)
    letter.add(*_confirmed(position.taken, position.settles))
    letter.add(*(Paragraph(remark) for remark in position.remarks))
    _add_told(letter, position)
    _add_form(letter, position)
    return replace(_rendered(letter, position), confirms=True)


@in_its_words
def briefing(position: Position, subject: str, paragraphs: Sequence[str]) -> Rendering:
    told = say("subject.notice", game=position.game_id, subject=subject)
    letter = _opened(position, _asked(position, subject) or told, Title(subject))
    letter.add(*(Paragraph(text) for text in paragraphs))
    _add_press(letter, position)
    _add_forum(letter, position)
    add_wanted(letter, position)
    _add_news(letter, position)
    _add_position(letter, position)
    _add_form(letter, position)
    return _rendered(letter, position)


@in_its_words
def reply_to_orders(
    position: Position,
    lines: Sequence[LineVerdict],
    notes: Sequence[str],
    asked_to_see: bool = False,
    *,
    posted: bool = False,
) -> Rendering:
    """Return the letter with the verdicts on the lines of a mail, or of a forum post (`posted`).

    If the reader has another decision to make, the headline says so. In that case, or if they `asked_to_see` the
    position, the position and the news follow; otherwise the news waits for the next letter. Lines that were not
    accepted come first.
    """
    read = Paragraph(say("heading.read-post" if posted else "heading.read"), "small")
    amiss = [line for line in lines if is_amiss(line)]
    folded = [line for line in lines if is_plainly_taken(line) or _is_greeting(line)]
    taken = folded if any(map(is_plainly_taken, folded)) else []
    open_now, ended = bool(question_in_words(position)), position.ended
    subject = _asked(position) or say("subject.reply", **_place(position), became=_became(lines))
    letter = _opened(position, subject, became=_became(amiss))
    if ended:
        _add_first_screen(letter, ended)
    elif not open_now:
        letter.add(Title(verdict_on_mail(lines)))
    first: list[Block] = [read, *(verdict_on_line(position, line) for line in amiss)] if amiss else []
    others: list[Block] = [verdict_on_line(position, line) for line in lines if line not in (*amiss, *taken)]
    if not lines:
        first = [Paragraph(say("reply.nothing"))]
    elif others and not amiss:
        others.insert(0, read)
    rest = [
        *others,
        *_confirmed((*position.taken, *words_of_taken(taken)), position.settles),
        *(Paragraph(note) for note in (*notes, *position.remarks)),
    ]
    if open_now:
        add_wanted(letter, position, top=ended is None, beside=first)
        letter.add(*rest)
    else:
        letter.add(*first, *rest)
        add_wanted(letter, position)
    shown = open_now or asked_to_see or ended is not None
    if ended:
        _add_told(letter, position)
    elif shown:
        _add_news(letter, position)
        letter.add(Heading(say("heading.you")), _own(position))
        _add_board(letter, position)
    if open_now:
        _add_form(letter, position)
    return replace(_rendered(letter, position), told=shown, confirms=True)


@in_its_words
def receipt(position: Position) -> Rendering:
    # Confirm the orders accepted from earlier mails, because no other letter has confirmed them.
    asked, orders = bool(question_in_words(position)), [words for words in position.taken if not words.startswith("“")]
    became = say("subject.became", lines=orders, amiss=False, answered=False)
    letter = _opened(position, _asked(position) or say("subject.reply", **_place(position), became=became))
    if not asked:
        letter.add(Title(say("reply.title-one") if len(orders) == 1 else say("reply.title-all", lines=len(orders))))
    confirmed = _confirmed(position.taken, position.settles)
    letter.add(*([] if asked else confirmed))
    add_wanted(letter, position, top=asked)
    letter.add(*(confirmed if asked else []))
    return replace(_rendered(letter, position), confirms=True)


MOST_TAKEN = 3  # in one line
MOST_SHOWN = 200  # characters of press beside its subject


def is_amiss(line: LineVerdict) -> bool:
    return line.status in ("refused", "unread") or bool(line.suggestions or line.clause)


def is_plainly_taken(line: LineVerdict) -> bool:
    # Return True if the line was accepted word for word, apart from abbreviations, and needs no remark.
    if line.status not in ("accepted", "held") or line.reason or is_amiss(line):
        return False
    meant = _WORDS.findall(line.canonical.casefold())
    return all(any(word.startswith(said) for word in meant) for said in _WORDS.findall(line.text.casefold()))


_WORDS = re.compile(r"[^\W_]+")


MOST_WORDS = 3  # in a greeting


def says_only_taken(lines: Sequence[LineVerdict]) -> bool:
    # Return True if the mail contains only orders that were accepted as they were meant and perhaps a greeting.
    taken = [is_plainly_taken(line) for line in lines]
    return any(taken) and all(map(any, zip(taken, map(_is_greeting, lines), strict=True)))


def _is_greeting(line: LineVerdict) -> bool:
    return line.status == "talk" and len(line.text.split()) <= MOST_WORDS


def words_of_taken(lines: Sequence[LineVerdict]) -> list[str]:
    return [
        say("verdict.talk-line", text=line.text)
        if line.status == "talk"
        else say(f"verdict.{line.status}-line", canonical=order_as_spoken(line.canonical), kept=line.kept)
        for line in sorted(lines, key=lambda line: line.status == "talk")
    ]


def _confirmed(taken: Sequence[str], settles: str) -> list[Block]:
    told: list[Block] = [Paragraph(settles, "small")] if settles else []
    if len(taken) > MOST_TAKEN:
        return [Rows((Row(say("reply.taken-label"), tuple(taken)),)), *told]
    return [Paragraph(say("reply.taken", lines=taken), "small"), *told] if taken else told


@in_its_words
def reminder(position: Position, urgency: Urgency = "reminder") -> Rendering:
    note = say(f"subject.{urgency}")
    letter = _opened(position, _asked(position, note) or say("subject.nothing", **_place(position)))
    add_wanted(letter, position, top=True)
    letter.add(*_confirmed(position.taken, position.settles))
    _add_form(letter, position)
    return replace(_rendered(letter, position), confirms=True)


def reminder_of_games(positions: Sequence[Position], urgency: Urgency = "reminder") -> Rendering:
    """Return a reminder of one person's open questions in several games, the most urgent first. A reply goes to the
    first game; the other games give their own addresses."""
    first = positions[0]
    count, note = len(positions), say(f"subject.{urgency}")
    letter = _opened(
        first,
        say("subject.reminder-of-games", count=count, asked=brief_question(first), until=_until(first), note=note),
        Title(say("games.headline", count=count)),
    )
    letter.add(Paragraph(say("games.opening", game=first.game_id)))
    letter.add(Heading(_title(first)))
    add_wanted(letter, first)
    for other in positions[1:]:
        letter.add(*_other_game(other))
    _add_form(letter, first)
    return _rendered(letter, first)


def digest_of_games(positions: Sequence[Position], label: str, headline: str, told: Sequence[str]) -> Rendering:
    """Return the daily letter to a player who is in several games of one tournament, the most urgent game first. A
    reply goes to the first game; the other games give their own addresses."""
    first = positions[0]
    letter = _opened(first, say("subject.notice", game=label, subject=headline), Title(headline))
    letter.add(*(Paragraph(text) for text in told))
    letter.add(Paragraph(say("games.opening", game=first.game_id)), Heading(_title(first)))
    add_wanted(letter, first)
    for other in positions[1:]:
        letter.add(*_other_game(other))
    _add_form(letter, first)
    return _rendered(letter, first)


def _title(position: Position) -> str:
    return say("games.title", **_place(position), faction=position.reader.viewer)


@in_its_words
def _other_game(position: Position) -> list[Block]:
    reader = position.reader
    address = say("games.answer", game=position.game_id, address=reader.reply_to, tag=reader.tag)
    blocks: list[Block] = [Heading(_title(position)), Paragraph(address)]
    for asked in open_questions(position):
        blocks.append(ask_block(position, asked, None))
        if asked.choices:
            blocks.append(Rows((Row(say("games.orders"), asked.choices, orders=True),)))
    return blocks


@in_its_words
def public_summary(position: Position) -> Rendering:
    letter = _summary(position)
    letter.blocks.insert(0, _mark("opening.mark"))
    return _rendered(letter, position)


@in_its_words
def public_board(position: Position) -> list[Block]:
    letter = Document("")
    letter.add(*board_of_turn(position), *what_happened(position))
    _add_table(letter, position, allies=False)
    return letter.blocks


@in_its_words
def public_log(position: Position, heading: str) -> list[Block]:
    letter = Document("")
    _add_news(letter, position, heading)
    return letter.blocks


@in_its_words
def full_summary(position: Position, seats: Sequence[Position]) -> Rendering:
    letter = _summary(position)
    letter.blocks.insert(0, _mark("opening.mark"))
    for each in seats:
        letter.add(Heading(say("heading.behind-shield", faction=each.reader.viewer)), seen.own(each))
        if told := story(each):
            letter.add(told)
    return _rendered(letter, position)


@in_its_words
def summary_markdown(position: Position) -> str:
    return MARKDOWN.written(_summary(position).blocks) + "\n"


@in_its_words
def end_of_game(position: Position) -> Rendering:
    ended = position.ended or replace(position, news=())
    subject = say("subject.end", game=position.game_id, winners=winners_of(position))
    letter = _opened(position, subject, why_it_ended(position))
    letter.add(tiles(ended), seen.board(position), *who_held_what(position), *moments_of_game(position))
    letter.add(*who_played(position), *play_again(position), *what_was_hidden(position))
    if ended.news:
        letter.add(*what_happened(ended))
    told = [event for event in position.news if event not in ended.news and event.kind not in TOLD_ABOVE]
    _add_news(letter, replace(position, news=tuple(told)))
    letter.add(*how_to_check(position))
    return _rendered(letter, position)


def notice(
    position: Position | None,
    subject: str,
    paragraphs: Sequence[str],
    answers: Mapping[str, str] = MappingProxyType({}),
) -> Rendering:
    """Return a letter of a few paragraphs to a player of a game or, without a position, to the game master. Each key of
    ``answers`` is a line that a button sends, and its value is the label of that button."""
    title = Title(subject[:1].upper() + subject[1:])
    if position is None:
        letter = Document(say("subject.game-master", subject=subject), paragraphs[0] if paragraphs else "")
        letter.add(title)
    else:
        told = say("subject.notice", game=position.game_id, subject=subject)
        letter = _opened(replace(position, wanted=(), call=None), told, title, "".join(paragraphs[:1]))
    letter.add(*(Paragraph(text) for text in paragraphs))
    if position and answers:
        letter.add(Buttons(order_buttons(position, list(answers), answers)))
    return _rendered(letter, position)


def to_game_master(subject: str, blocks: Sequence[Block], preview: str) -> Rendering:
    letter = Document(say("subject.game-master", subject=subject), preview)
    letter.add(Title(subject[:1].upper() + subject[1:]), *blocks)
    return _rendered(letter)


def farewell(game_id: str, subject: str, paragraphs: Sequence[str]) -> Rendering:
    """Return a letter to somebody who no longer plays. It requires no answer, and replies to it are not read."""
    letter = Document(say("subject.notice", game=game_id, subject=subject), paragraphs[0] if paragraphs else "")
    letter.add(Title(subject[:1].upper() + subject[1:]))
    letter.add(*(Paragraph(text) for text in paragraphs))
    return _rendered(letter, None)


def of_blocks(label: str, subject: str, blocks: Sequence[Block], preview: str = "") -> Rendering:
    """Return a letter that is not about a single game, with `label` before its subject. Its reader can reply to it."""
    letter = Document(say("subject.notice", game=label, subject=subject), preview)
    letter.add(_mark("opening.mark"), *blocks)
    return _rendered(letter)


@in_its_words
def press(position: Position, passed: PressReceived) -> Rendering:
    game, sender = position.game_id, passed.sender
    if sender:
        subject, title = say("subject.press", game=game, faction=sender), say("press.title", faction=sender)
        named = {"faction": sender, "readers": passed.readers}
        opening = say("press.from-to-all" if passed.to_all else "press.from", **named)
        answer = say("press.answer-back" if passed.answerable else "press.answer", faction=sender)
    else:
        subject, title = say("subject.press-unsigned", game=game), say("press.title-unsigned")
        opening = say("press.unsigned-to-all" if passed.to_all else "press.unsigned")
        answer = say("press.answer-unsigned")
    letter = _opened(replace(position, wanted=(), call=None), subject, Title(title), passed.words[:MOST_SHOWN])
    letter.add(Paragraph(opening, "small"), Quote(passed.words))
    if position.reader.viewer != "public":
        letter.add(Paragraph(answer, "small"), Paragraph(say("press.report", number=passed.number), "small"))
    if passed.copied:
        letter.add(Paragraph(say("press.copied"), "small"))
    return _rendered(letter, position)


@in_its_words
def press_sender(position: Position, passed: PressReceived) -> str:
    game = position.game_id
    return say("press.sender", game=game, faction=passed.sender) if passed.sender else say("press.nobody", game=game)


@in_its_words
def picture_of(position: Position, look: Look = USUAL_LOOK) -> bytes:
    return picture(position.view, changes(position.news), look)


def with_picture(rendered: Rendering, position: Position, look: Look = USUAL_LOOK) -> Rendering:
    """Put the picture of the board into the HTML of a letter. The mail must attach the picture with the content id
    "board"."""
    alt = seen.board(position).alt
    return replace(rendered, html=with_board(rendered.html, alt), picture=picture_of(position, look))


# --- parts ---------------------------------------------------------------------------------------------------------


def _opened(position: Position, subject: str, title: Title | None = None, became: str = "") -> Document:
    # Open a letter. Next to the subject, mail programs show the question and the result of a mail, or the `title`.
    letter = Document(subject, _preview(position, became) or became or (title.below or title.text if title else ""))
    if position.reader.viewer not in ("public", "gm"):
        letter.add(_mark("opening.mark"))
        letter.add(
            Paragraph(
                say(
                    "opening.you",
                    player=position.reader.name,
                    faction=position.reader.viewer,
                    game=position.game_id,
                    turn=position.view["turn"],
                    phase=phase_name(position.view["phase"]),
                    last=position.view.get("last_turn", 0),
                ),
                "small",
            )
        )
    if title:
        letter.add(title)
    return letter


def _add_forum(letter: Document, position: Position) -> None:
    if position.forum:
        letter.add(Heading(say("forum-told.heading")), *(Paragraph(said) for said in position.forum))


def _add_press(letter: Document, position: Position) -> None:
    if position.press:
        letter.add(Heading(say("press-told.heading")), *(Paragraph(said) for said in position.press))


def _mark(sentence: str) -> Paragraph:
    return Paragraph(say(sentence, mark=REPLY_MARK), "small")


def _player(position: Position, faction: Faction) -> Row:
    dot = position.view["players"][faction]["dot"]
    return Row(printed_name(faction), (say("setup.player", player=position.players.get(faction, ""), dot=dot),))


def _summary(ended: Position) -> Document:
    letter = Document(_summary_subject(ended))
    _add_first_screen(letter, ended)
    letter.add(*board_of_turn(ended), *what_happened(ended))
    _add_table(letter, ended, allies=False)
    _add_bribes(letter, ended)
    add_waiting(letter, ended)
    _add_head(letter, ended)
    return letter


def _add_first_screen(letter: Document, ended: Position) -> None:
    for block in first_screen(ended):
        letter.preview = letter.preview or (block.below if isinstance(block, Title) else "")
        letter.add(block)


def _summary_subject(ended: Position) -> str:
    return say("subject.summary", game=ended.game_id, turn=turn_of(ended), title=headline(ended).text)


def _add_head(letter: Document, ended: Position) -> None:
    if ended.record.head:
        letter.add(Paragraph(say("record.so-far", head=ended.record.short), "small"))


def _own(position: Position) -> Rows:
    return seen.own(position, at_hand=not has_at_hand(position))


def _add_told(letter: Document, position: Position) -> None:
    ended = position.ended
    if ended is None:
        _add_news(letter, position)
        _add_position(letter, position)
        return
    letter.add(*board_of_turn(ended), *what_happened(ended))
    _add_news(letter, replace(position, news=tuple(each for each in position.news if each not in ended.news)))
    letter.add(Heading(say("heading.you")), _own(position))
    _add_table(letter, position, allies=False)
    _add_bribes(letter, position)
    _add_head(letter, ended)


def _add_news(letter: Document, position: Position, heading: str = "") -> None:
    if told := story(position, MOST_NEWS):
        letter.add(Heading(heading or say("heading.news")), told)


def _add_position(letter: Document, position: Position) -> None:
    letter.add(Heading(say("heading.you")), _own(position))
    _add_table(letter, position)
    _add_board(letter, position)


def _add_table(letter: Document, position: Position, *, allies: bool = True) -> None:
    table = seen.table(position)
    table = table if allies else replace(table, below=())
    letter.add(Heading(say("heading.table"), say("table.order", banks=bool(position.banks))), table)
    if position.cared_for:
        letter.add(Paragraph(say("table.cared-for", factions=position.cared_for)))
    if position.opponents:
        letter.add(Paragraph(seen.opponents_told(position)))


def _add_board(letter: Document, position: Position) -> None:
    letter.add(Heading(say("heading.board")), seen.board(position))
    _add_bribes(letter, position)


def _add_bribes(letter: Document, position: Position) -> None:
    if held := seen.before_shields(position):
        letter.add(Paragraph(held))


def _add_form(letter: Document, position: Position) -> None:
    answered = [order for asked in position.wanted for order in asked.answered]
    if answered or position.held or position.sheet:
        letter.add(Heading(say("heading.orders")))
        rows = []
        if answered:
            rows.append(Row(say("orders.answered"), tuple(answered), orders=True))
        if position.held:
            rows.append(Row(say("orders.held"), position.held, orders=True))
        if position.sheet:
            rows.append(Row(say("orders.sheet"), position.sheet, orders=True))
        letter.add(Rows(tuple(rows)))
    form = form_block(position)
    if form:
        letter.blocks[0] = _mark("opening.mark-and-form")
        letter.add(Heading(say("heading.form")), Paragraph(say("form.how"), "small"), form)


def _asked(position: Position, note: str = "") -> str:
    asked = brief_question(position)
    return say("subject.asked", **_place(position), asked=asked, until=_until(position), note=note) if asked else ""


def _until(position: Position) -> str:
    due = first_due(position)
    return brief_moment(due, position.now, position.reader.zone) if due and due > position.now else ""


def _preview(position: Position, became: str) -> str:
    asked = question_in_words(position)
    return say("subject.preview", asked=asked, until=_until(position), became=became) if asked else ""


def _became(lines: Sequence[LineVerdict]) -> str:
    # Return a few words for the subject: the lines of a mail that were not accepted or, if none, the accepted ones.
    amiss = [line for line in lines if is_amiss(line)]
    shown = amiss or [line for line in lines if _is_taken(line)]
    words = [" ".join((line.text.lstrip("-*• ") if amiss else line.canonical or line.text).split()) for line in shown]
    cut = [f"{word[:SHORT_LINE]}…" if len(word) > SHORT_LINE else word for word in words]
    answered = bool(shown) and all(line.status == "done" for line in shown)
    return say("subject.became", lines=cut, amiss=bool(amiss), answered=answered)


def _place(position: Position) -> dict[str, object]:
    view = position.view
    return {"game": position.game_id, "turn": view["turn"], "phase": phase_name(view["phase"])}


def _rendered(letter: Document, position: Position | None = None) -> Rendering:
    if position:
        letter.add(footer(position))
    form = next((block for block in letter.blocks if isinstance(block, FormBlock)), None)
    return Rendering(letter.subject, as_text(letter), as_html(letter), form.lines if form else ())


SHORT_REASON = 100  # characters
SHORT_LINE = 40
TAKEN_STATUSES = ("accepted", "held", "done")


def _is_taken(line: LineVerdict) -> bool:
    return line.status in TAKEN_STATUSES and not line.suggestions


def verdict_on_line(position: Position, line: LineVerdict) -> Verdict:
    line = replace(line, suggestions=tuple(map(order_as_spoken, line.suggestions)))
    details: list[str] = []
    if line.status in ("accepted", "held"):
        details.append(say(f"verdict.{line.status}-line", canonical=order_as_spoken(line.canonical), kept=line.kept))
    details += [piece for piece in line.reason.split("\n") if piece.strip()]
    if line.clause:
        details.append(say("verdict.clause", clause=line.clause, rule=line.rule))
    shown = () if _stands_in(line.reason, line.suggestions) else line.suggestions
    if shown:
        details.append(say("verdict.right", number=len(shown), together=line.together and len(shown) > 1))
    tone: Literal["good", "bad", "plain"] = "plain" if line.status == "talk" else "good" if _is_taken(line) else "bad"
    complete = [suggestion for suggestion in line.suggestions if "__" not in suggestion]
    ready = order_buttons(position, complete) if len(complete) == len(line.suggestions) else ()
    return Verdict(
        line.text,
        say(f"verdict.{'proposed' if _is_proposed(line) else line.status}"),
        tone,
        tuple(details),
        shown,
        order=line.status == "accepted",
        buttons=ready,
    )


def verdict_on_mail(lines: Sequence[LineVerdict]) -> str:
    orders = [line for line in lines if line.status != "talk"]
    taken = [line for line in orders if _is_taken(line)]
    if not orders:
        return say("reply.title-nothing")
    if all(line.status == "done" for line in orders):
        return say("reply.title-answer")
    if len(orders) == len(taken) == 1:
        return say("reply.title-one")
    if not taken and any(map(_is_proposed, orders)):
        return say("reply.title-proposed")
    key = "all" if len(taken) == len(orders) else "some" if taken else "none"
    return say(f"reply.title-{key}", taken=len(taken), lines=len(orders))


def _is_proposed(line: LineVerdict) -> bool:
    return line.status == "unread" and bool(line.suggestions)


def _stands_in(reason: str, suggestions: Sequence[str]) -> bool:
    short = len(suggestions) == 1 and len(suggestions[0]) <= SHORT_LINE and len(reason) <= SHORT_REASON
    return short and f"“{suggestions[0]}”" in reason


def archive_paragraphs(policy: ArchivePolicy, name: str, listed: bool = False, *, press: bool = False) -> list[str]:
    """Return the paragraphs that tell the player with this archive name about the archive. `press` is true if the
    archive will show what players wrote to each other."""
    return [
        f"{shown_while_running(policy)} {shown_after_the_end(policy)} {say('archive-told.never', press=press)}",
        f"{say('archive-told.name', name=name, listed=listed)} {say('archive-told.licence')}",
    ]


def shown_while_running(policy: ArchivePolicy) -> str:
    return say(f"archive-told.{policy.running}", delay=policy.delay)


def shown_after_the_end(policy: ArchivePolicy) -> str:
    return say(f"archive-told.{policy.ended}")


def press_paragraphs(settings: PressSettings) -> list[str]:
    """Return the paragraphs about press. The first lists the kinds of press that the game allows; the last says that
    players can always write to the game master."""
    added = [
        *(["gunboat-round" if settings.names_until == "round" else "gunboat"] if settings.gunboat else []),
        *_hours(settings),
        *(["late"] if settings.late else []),
        *(["yellow"] if settings.yellow else []),
        *(["must-order"] if settings.must_order else []),
        *(["neighbours"] if settings.neighbours else []),
        *(["language"] if settings.language else []),
        *(["copies-to-desk"] if settings.copies_to_desk else []),
        *(["observers-desk"] if settings.observers == "desk" else []),
        *(["observers-white"] if settings.observers == "white" else []),
        *(["archived"] if settings.archived else []),
    ]
    limit = [say("press-mode.quota", quota=settings.quota)] if settings.quota else []
    slots = [say("press-mode.slots-of-game", hours=settings.slots)] if settings.slots else []
    said = [say(f"press-mode.{settings.mode}"), *limit, *(say(f"press-mode.{each}") for each in added), *slots]
    return [*said, say("press-told.desk")]


def _hours(settings: PressSettings) -> list[str]:
    if settings.mode == "none":
        return []
    if settings.postal:
        return ["postal"]
    if settings.slots:
        return []
    if settings.gunboat or settings.mode == "grey":
        return ["slots-all"]
    return ["slots"] if settings.anonymous else []


READY_MAILS = ("game-master", "rules", "help", "status")


def footer(position: Position) -> Footer:
    lines = [say("footer.send-public" if position.reader.viewer == "public" else "footer.send")]
    over = position.view["phase"] == "over"
    game = f"{position.pages.archive.rstrip('/')}/game/{position.game_id}/" if position.pages.archive and over else ""
    pages = {"game": game, "rules": position.pages.rules, "help": position.pages.help}
    links = tuple(Button(say(f"footer.page-{name}"), address) for name, address in pages.items() if address)
    return Footer(_ready_mails(position), tuple(lines), links)


def _ready_mails(position: Position) -> tuple[Button, ...]:
    reader = position.reader
    if not reader.reply_to:
        return ()
    found = []
    for name in READY_MAILS:
        line, label = say(f"footer.line-{name}"), say(f"footer.button-{name}")
        subject = say("subject.order", game=position.game_id, order=label)
        subject = tagged_subject(subject, reader.tag) if reader.tag else subject
        found.append(Button(label, reply_link(reader.reply_to, subject, (f"{line} " if line.endswith(":") else line,))))
    return tuple(found)
