"""Lines of mails to the game master's desk: how they are folded, what is asked, which power they use, what is near."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from random import Random

from bot.desk.new_game import bits_of
from bot.desk.powers import DeskLine, PowerRefused, Use, factions_named, hours_named, seat_named
from bot.moderator import desk_lines
from bot.moderator.desk_lines import FORMS
from bot.moderator.order_lines import game_named_in
from bot.moderator.press_mail import quoted_row
from tests.approved.subject import Subject, vary_words
from tests.game_master.test_by_mail import EXAMPLES

GAMES = ("sietch-12", "peace", "arrakis", "cup-r1-t01")
MORE = (
    "why: a wedding\ntell: Back on Monday.\npause\nbank guild +2\npausse\nhelp",
    "dry run\nrollback 4/battle consent all",
    "tell all: a letter of\nseveral lines\nend tell\nstatus?", "ask guild: what is this\nrule: no\nend rule", "?", "",
    "tell table: these words are so long that a program of mail has perhaps broken them\nhere and now", "confirm",
    "i confirm abcdefghijklmnop", "if: 4/bidding\nend void", "only try\nend adjudicated guild", "press to guild: wait",
    "stop the clocks", "message to all", "statsu", "sitter guild off", "observe x@y.example delay 2", "note: x\n> y",
    "observe x@y.example off", "deal in Sietch-12 if you win here", "peace at table peace", "game arrakis",
    "0123456789" * 5,
    "press grey, gunboat", "bank bene 1.5 hours", "bank be 1", "tell har, fre: one\ntell x: two", "unban x@y.example",
)  # fmt: skip


def _seeds() -> Iterator[str]:
    yield from EXAMPLES.values()
    yield from (each.shown for each in FORMS)
    yield from MORE


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    return vary_words(chance, text, [*others, "\n"])[:400]


def _told(text: str) -> str:
    lines, use, told = text.split("\n"), Use(), list[str]()
    for line in desk_lines.fold_lines(lines):
        told.append(f"{line!r}{' asks ' + asked if (asked := desk_lines.question_in(line)) else ''}")
        try:
            if changed := desk_lines.changed_use(use, line):
                use = changed
                told.append(f"  use {json.dumps(asdict(use))}")
        except PowerRefused as refused:
            told.append(f"  {refused}")
        told.append(f"  {_read(line)}")
    told += [str(desk_lines.seems_to_go_on(line, below)) for line, below in zip(lines, [*lines[1:], ""], strict=True)]
    return "\n".join(
        [
            *told,
            f"{game_named_in(text, GAMES)} {bits_of(text):.4f} {quoted_row(text, (*GAMES, 'a letter of', 'no end'))}",
        ]
    )


def _read(line: str) -> str:
    found = desk_lines.read_line(line)
    if not isinstance(found, DeskLine):
        return f"not read: {found.suggestion}"
    told = [f"{found.power} {json.dumps(dict(found.parts))} by {found.form.shown}"]
    for part, read in (
        ("seat", seat_named),
        ("seats", lambda parts: factions_named(parts["seats"])),
        ("hours", hours_named),
    ):
        if found.parts.get(part):
            try:
                told.append(str(read(found.parts)))
            except PowerRefused as refused:
                told.append(str(refused))
    return "\n    ".join(told)


SUBJECT = Subject("desk-lines", ("bot.moderator", "bot.desk"), _seeds, _vary, _told)
