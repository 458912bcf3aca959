"""What is read in lines and mails: what each is taken for, or why it is not and what is proposed instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import get_args

from bot.language.facts import FACTS
from bot.language.forms import Written, write
from bot.language.lines import Context
from bot.language.mail_lines import read_any
from bot.language.orders import Unread, form_lines, help_for
from bot.language.sheets import SheetLine, write_sheet_line
from bot.mail.disposition import Examined, examine
from rules.components import Card, Leader
from rules.orders import Order, QuestionKind
from tests.mail.test_corpus import ADDRESS, sent_form
from tests.orders.plain import judging
from tests.transcripts.scenario import add, scenario
from tests.transcripts.transcript import Piece

TESTS = Path(__file__).parents[2]
MAILS = TESTS / "mail" / "corpus"
LINES = TESTS / "transcripts" / "lines.txt"
PARTS = 4
CONTEXTS = (
    Context("guild", hand=(Card("Lasgun"), Card("Karama")), turn=5, phase="bidding"),
    Context("atreides", hand=(Card("Karama"), Card("Shield")), turn=3, phase="movement", edition="2019"),
    Context("bene-gesserit", hand=(Card("Truthtrance"),), traitors=(Leader("Bashar"),), turn=4, phase="battle"),
)  # fmt: skip


def told(text: str, context: Context) -> str:
    """What becomes of a line, in words."""
    return described(read_any(text, context))


def described(read: Written | SheetLine | Unread) -> str:
    """What a line was read as, in words."""
    match read:
        case Unread(reason, suggestions, chatter):
            return "\n  ".join([f"unread{' (talk)' if chatter else ''}: {reason}", *suggestions])
        case SheetLine() as line:
            return f"for the sheet: {write_sheet_line(line)}\n  {line}"
        case Order() as order:
            return f"{write(order)}\n  {order}"
        case command:
            return str(command)


def _nearly(part: int, folder: Path) -> Iterator[Piece]:
    cases = [case for file in ("cases.toml", "talk.toml") for case in judging.cases(judging.NEARLY / file)]
    for case in cases:
        if _part_of(case.id) != part:
            continue
        for takes in (True, False):
            read = told(case.line, judging.context(case.position, case.faction, takes=takes))
            yield Piece(f"{case.id}, {case.faction}{'' if takes else ', nothing taken'}: {case.line}", read)


@scenario
def typed_lines(folder: Path) -> Iterator[Piece]:
    """Lines as people write them, right ones and wrong ones, read by three players."""
    for text in LINES.read_text(encoding="utf-8").splitlines():
        yield Piece(text[:200], "\n".join(f"{context.faction}: {told(text, context)}" for context in CONTEXTS))


@scenario
def mistyped_lines(folder: Path) -> Iterator[Piece]:
    """Every form of an order with its blanks filled in, cut and misspelt."""
    for form in help_for():
        line = form.lower()
        for text in (
            line,
            line[1:],
            line.replace(" ", "  ", 1),
            line[: len(line) * 2 // 3],
            f"{line}?",
            f"please {line}",
        ):
            yield Piece(text, told(text, CONTEXTS[0]))


@scenario
def forms(folder: Path) -> Iterator[Piece]:
    """The forms of orders and of conditions, and what help says of each word in them."""
    yield Piece("help all", "\n".join(help_for()))
    for kind in get_args(QuestionKind):
        yield Piece(f"asked for {kind}", "\n".join([*form_lines(kind), "---", *help_for(kind)]))
    for word in sorted({word for form in help_for() for word in form.lower().split() if word.isalpha()}):
        yield Piece(f"help {word}", "\n".join(help_for(word)))
    yield Piece("conditions", "\n".join(f"{form.with_placeholders()}  {form.also} {form.denied}" for form in FACTS))


def _mails(part: int, folder: Path) -> Iterator[Piece]:
    for file in sorted(MAILS.glob("*.eml")):
        if _part_of(file.stem) == part:
            yield Piece(file.stem, _seen(examine(file.read_bytes(), ADDRESS, sent_form)))


def _seen(seen: Examined) -> str:
    lines = [str(seen.verdict)]
    if seen.incoming is not None:
        lines.append(f"from {seen.incoming.sender}: {seen.incoming.subject}")
    lines += [f"tokens {', '.join(seen.tokens)}"] if seen.tokens else []
    for section in seen.reading.sections:
        lines += [f"for {section.token or 'the sender'}:", *(f"  {line}" for line in section.lines)]
    lines += [f"note: {note}" for note in seen.reading.notes]
    lines += [f"not read: {line}" for line in seen.reading.ignored]
    return "\n".join(lines)


def _part_of(name: str) -> int:
    """In which part a piece is, whatever others there are."""
    return sum(name.encode()) % PARTS


for _part in range(PARTS):
    add(f"reading-nearly-orders-{_part + 1}", partial(_nearly, _part))
    add(f"reading-mails-{_part + 1}", partial(_mails, _part))
