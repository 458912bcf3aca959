"""The letters: which blocks each is made of, in which order.

What is wanted from the reader comes first, with the deadline on his own clock and what silence means; then what
happened, his own position, the table, the board, and the form. The words are in ``templates/``, the blocks in the
modules beside this one. Text and HTML are written from the same blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from bot.mail.words.quotes import REPLY_MARK
from bot.reports import position as seen
from bot.reports.document import Document, FormBlock, Heading, Paragraph, Quote, Row, Rows, Story, Verdict
from bot.reports.form import form_block
from bot.reports.forum import as_markdown
from bot.reports.given import LineRead, Position, Rendered
from bot.reports.news import chapters
from bot.reports.page import as_html, with_board
from bot.reports.picture import picture
from bot.reports.plain import as_text
from bot.reports.questions import short
from bot.reports.times import moment
from bot.reports.wanted import add_waiting, add_wanted, ask, buttons
from bot.wording.filters import listed, name
from bot.wording.sentences import say
from rules.components import Faction

Urgency = Literal["reminder", "last-reminder"]
TAKEN = ("accepted", "held", "done")  # what became of lines that count as taken


def setup_letter(position: Position) -> Rendered:
    """The game begins: who plays what, how to answer, how the game can be checked; then what is wanted."""
    subject = say("subject.setup", game=position.game_id, faction=position.reader.viewer)
    letter = _opened(position, subject)
    letter.add(Paragraph(say("setup.welcome", ruleset=position.ruleset)))
    add_wanted(letter, position)
    letter.add(Heading(say("heading.players")), Rows(tuple(_player(position, faction) for faction in _seats(position))))
    letter.add(
        Heading(say("heading.how")), Paragraph(say("setup.how")), Paragraph(say("setup.sheet", tempo=position.tempo)),
        Paragraph(say("setup.silence")),
        Paragraph(say("setup.commitment", commitment=position.commitment)),
    )  # fmt: skip
    _add_news(letter, position)
    _add_position(letter, position)
    _add_form(letter, position)
    return _rendered(letter)


def private_report(position: Position) -> Rendered:
    """What is wanted and by when, the news, the reader's own position, the table, the board, his orders, the form."""
    letter = _opened(position, _report_subject(position, "subject.wanted"))
    add_wanted(letter, position)
    letter.add(*(Paragraph(remark) for remark in position.remarks))
    _add_news(letter, position)
    _add_position(letter, position)
    _add_form(letter, position)
    return _rendered(letter)


def briefing(position: Position, subject: str, paragraphs: Sequence[str]) -> Rendered:
    """A new player takes a seat: what he must know first, then what is wanted of him, the news, all that the seat
    knows, and the form."""
    letter = _opened(position, subject)
    letter.add(*(Paragraph(text) for text in paragraphs))
    add_wanted(letter, position)
    _add_news(letter, position)
    _add_position(letter, position)
    _add_form(letter, position)
    return _rendered(letter)


def reply_to_orders(position: Position, lines: Sequence[LineRead], notes: Sequence[str]) -> Rendered:
    """What became of each line; what is still open; then the news and the reader's own position."""
    orders = [line for line in lines if line.status != "talk"]
    taken = sum(line.status in TAKEN for line in orders)
    letter = _opened(
        position, say("subject.reply", **_place(position), taken=taken, lines=len(orders), notes=len(notes))
    )
    letter.add(Heading(say("heading.read")))
    if not lines:
        letter.add(Paragraph(say("reply.nothing")))
    letter.add(*(_verdict(position, line) for line in lines))
    letter.add(*(Paragraph(note) for note in (*notes, *position.remarks)))
    add_wanted(letter, position)
    _add_news(letter, position)
    letter.add(Heading(say("heading.you")), seen.own(position))
    _add_board(letter, position)
    _add_form(letter, position)
    return _rendered(letter)


def reminder(position: Position, urgency: Urgency = "reminder") -> Rendered:
    """What is still wanted, and nothing else."""
    letter = _opened(position, _report_subject(position, f"subject.{urgency}"))
    add_wanted(letter, position)
    _add_form(letter, position)
    return _rendered(letter)


def reminder_of_games(positions: Sequence[Position], urgency: Urgency = "reminder") -> Rendered:
    """What is still wanted of one person in several games, the most urgent first. A reply goes to that one; the others
    have their own addresses."""
    first = positions[0]
    due = _first_due(first)
    until = moment(due, first.reader.zone) if due else ""
    last, count = urgency == "last-reminder", len(positions)
    letter = _opened(first, say("subject.reminder-of-games", last=last, count=count, until=until))
    letter.add(Paragraph(say("games.opening", count=count, game=first.game_id), "lead"))
    letter.add(Heading(_title(first)))
    add_wanted(letter, first)
    for other in positions[1:]:
        _add_other_game(letter, other)
    _add_form(letter, first)
    return _rendered(letter)


def _title(position: Position) -> str:
    return say("games.title", **_place(position), faction=position.reader.viewer)


def _add_other_game(letter: Document, position: Position) -> None:
    reader = position.reader
    letter.add(Heading(_title(position)))
    letter.add(Paragraph(say("games.answer", game=position.game_id, address=reader.reply_to, tag=reader.tag)))
    for asked in position.wanted:
        if not asked.answered:
            letter.add(ask(position, asked, None))
            if asked.choices:
                letter.add(Rows((Row(say("games.orders"), asked.choices),)))


def _first_due(position: Position) -> datetime | None:
    return min((asked.due for asked in position.wanted if asked.due and not asked.answered), default=None)


def public_summary(position: Position) -> Rendered:
    """The turn as everybody may know it."""
    letter = _summary(position)
    letter.blocks.insert(0, _mark("opening.mark"))
    return _rendered(letter)


def summary_markdown(position: Position) -> str:
    """The public summary for a forum that reads Markdown."""
    return as_markdown(_summary(position))


def end_of_game(position: Position) -> Rendered:
    """Who won; the seed, and how to check the game with it."""
    winners = listed(name(faction) for faction in position.view["winner"])
    letter = _opened(position, say("subject.end", game=position.game_id, winners=winners))
    letter.add(Paragraph(say("end.winners", winners=winners, turn=position.view["turn"]), "lead"))
    _add_news(letter, position)
    letter.add(
        Heading(say("heading.verify")),
        Paragraph(say("end.seed", seed=position.seed, commitment=position.commitment)),
        Paragraph(say("end.verify", game=position.game_id)),
        Heading(say("heading.table")), seen.table(position),
    )  # fmt: skip
    _add_board(letter, position)
    return _rendered(letter)


def notice(position: Position | None, subject: str, paragraphs: Sequence[str]) -> Rendered:
    """A few paragraphs about a game, to a player; without a position, to the game master."""
    if position is None:
        letter = Document(say("subject.game-master", subject=subject), paragraphs[0] if paragraphs else "")
    else:
        letter = _opened(position, say("subject.notice", game=position.game_id, subject=subject))
    letter.add(*(Paragraph(text) for text in paragraphs))
    return _rendered(letter)


def farewell(game_id: str, subject: str, paragraphs: Sequence[str]) -> Rendered:
    """A few paragraphs to somebody who plays no more: nothing is asked of him, and no reply is read."""
    letter = Document(say("subject.notice", game=game_id, subject=subject), paragraphs[0] if paragraphs else "")
    letter.add(*(Paragraph(text) for text in paragraphs))
    return _rendered(letter)


def press(position: Position, sender: Faction, text: str) -> Rendered:
    """Another player's words, passed on as they are."""
    letter = _opened(position, say("subject.press", game=position.game_id, faction=sender))
    letter.add(Paragraph(say("press.from", faction=sender), "lead"), Quote(text))
    letter.add(Paragraph(say("press.answer", faction=sender), "small"))
    return _rendered(letter)


def picture_of(position: Position) -> bytes:
    """The board as the reader may see it, a PNG of 800 pixels."""
    return picture(position.view)


def with_picture(rendered: Rendered, position: Position) -> Rendered:
    """The letter with the board in its place in the HTML. The mail must carry it with the content id "board"."""
    alt = seen.picture_place(position).alt
    return replace(rendered, html=with_board(rendered.html, alt), picture=picture_of(position))


# --- parts ---------------------------------------------------------------------------------------------------------


def _opened(position: Position, subject: str) -> Document:
    """A letter with its first lines: the mark that replies go above, and who the reader is."""
    letter = Document(subject, _preview(position))
    if position.reader.viewer in ("public", "gm"):
        return letter
    letter.add(_mark("opening.mark"))
    letter.add(
        Paragraph(
            say(
                "opening.you", player=position.reader.name, faction=position.reader.viewer, game=position.game_id,
                turn=position.view["turn"], phase=_phase(position.view["phase"]),
            )
        )
    )  # fmt: skip
    return letter


def _mark(sentence: str) -> Paragraph:
    """The line above which replies are read."""
    return Paragraph(say(sentence, mark=REPLY_MARK), "small")


def _seats(position: Position) -> list[Faction]:
    """The factions as they sit around the board."""
    players = position.view["players"]
    return sorted(players, key=lambda faction: players[faction]["dot"])


def _player(position: Position, faction: Faction) -> Row:
    dot = position.view["players"][faction]["dot"]
    return Row(name(faction), (say("setup.player", player=position.players.get(faction, ""), dot=dot),))


def _summary(position: Position) -> Document:
    turn = max((event.turn for event in position.news), default=position.view["turn"])
    letter = Document(say("subject.summary", game=position.game_id, turn=turn))
    letter.add(Paragraph(say("summary.opening", game=position.game_id, turn=turn, ruleset=position.ruleset), "lead"))
    _add_news(letter, position)
    _add_table(letter, position)
    _add_board(letter, position)
    add_waiting(letter, position)
    return letter


def _add_news(letter: Document, position: Position) -> None:
    told = chapters(position.news)
    if not told:
        return
    key = "heading.turn-news" if position.reader.viewer == "public" else "heading.news"
    letter.add(Heading(say(key)))
    several = len({chapter.turn for chapter in told}) > 1
    rows = [
        Row(
            say("news.turn-phase", turn=chapter.turn, phase=_phase(chapter.phase)) if several
            else say("news.phase", phase=_phase(chapter.phase)),
            chapter.sentences,
        )
        for chapter in told
    ]  # fmt: skip
    letter.add(Story(tuple(rows)))


def _add_position(letter: Document, position: Position) -> None:
    letter.add(Heading(say("heading.you")), seen.own(position))
    _add_table(letter, position)
    _add_board(letter, position)


def _add_table(letter: Document, position: Position) -> None:
    letter.add(Heading(say("heading.table")), seen.table(position))
    if position.cared_for:
        letter.add(Paragraph(say("table.cared-for", factions=position.cared_for)))


def _add_board(letter: Document, position: Position) -> None:
    letter.add(Heading(say("heading.board")), seen.picture_place(position), seen.board(position))


def _add_form(letter: Document, position: Position) -> None:
    answered = [order for asked in position.wanted for order in asked.answered]
    if answered or position.held or position.sheet:
        letter.add(Heading(say("heading.orders")))
        rows = []
        if answered:
            rows.append(Row(say("orders.answered"), tuple(answered)))
        if position.held:
            rows.append(Row(say("orders.held"), position.held))
        if position.sheet:
            rows.append(Row(say("orders.sheet"), position.sheet))
        letter.add(Rows(tuple(rows)))
    form = form_block(position)
    if form:
        letter.blocks[0] = _mark("opening.mark-and-form")
        letter.add(Heading(say("heading.form")), Paragraph(say("form.how"), "small"), form)
    letter.add(Paragraph(say("closing.commands"), "small"))


def _verdict(position: Position, line: LineRead) -> Verdict:
    details: list[str] = []
    if line.status in ("accepted", "held"):
        details.append(say(f"verdict.{line.status}-line", canonical=line.canonical, kept=line.kept))
    details += [piece for piece in line.reason.split("\n") if piece.strip()]
    if line.clause:
        details.append(say("verdict.clause", clause=line.clause, rule=line.rule))
    if line.suggestions:
        details.append(say("verdict.right", number=len(line.suggestions)))
    tone: Literal["good", "bad", "plain"] = (
        "plain" if line.status == "talk" else "good" if line.status in TAKEN else "bad"
    )
    complete = [suggestion for suggestion in line.suggestions if "__" not in suggestion]
    ready = buttons(position, complete) if len(complete) == len(line.suggestions) else ()
    return Verdict(line.text, say(f"verdict.{line.status}"), tone, tuple(details), line.suggestions, ready)


def _report_subject(position: Position, key: str) -> str:
    open_now = [asked for asked in position.wanted if not asked.answered]
    if position.call and key == "subject.wanted":
        due = position.call.due
        until = moment(due, position.reader.zone) if due else ""
        return say("subject.call", **_place(position) | {"phase": _phase(position.call.round)}, until=until)
    if not open_now:
        return say("subject.nothing", **_place(position))
    shorts = list(dict.fromkeys(short(asked, position.reader.viewer) for asked in open_now))
    due = min((asked.due for asked in open_now if asked.due), default=None)
    until = moment(due, position.reader.zone) if due else ""
    return say(key, **_place(position), shorts=shorts, until=until)


def _preview(position: Position) -> str:
    open_now = [asked for asked in position.wanted if not asked.answered]
    return listed(short(asked, position.reader.viewer) for asked in open_now) if open_now else ""


def _place(position: Position) -> dict[str, object]:
    view = position.view
    return {"game": position.game_id, "turn": view["turn"], "phase": _phase(view["phase"])}


def _phase(phase: str) -> str:
    return say(f"phase.{phase}")


def _rendered(letter: Document) -> Rendered:
    form = next((block for block in letter.blocks if isinstance(block, FormBlock)), None)
    return Rendered(letter.subject, as_text(letter), as_html(letter), form.lines if form else ())
