"""How the lines of a mail to the desk are read: words of several lines, commands, what they mean, and what is near.

``why:``, ``tell:`` and ``if:`` on lines of their own hold for all that stands below them in the mail; ``dry run`` lets
all of it be only tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from bot.game_master.powers import Use
from bot.moderator.master_forms import NotRead, Read
from bot.moderator.master_lines import FORMS

_USE = re.compile(r"\s*(?P<what>why|tell|if)\s*:\s*(?P<words>.+?)\s*", re.IGNORECASE | re.DOTALL)
_DRY_RUN = re.compile(r"\s*(?:dry[ -]?run|only try)\W*", re.IGNORECASE)
CONFIRM = re.compile(r"\s*(?:i )?confirm(?:ed)?(?:\s+(?P<code>[a-z2-7]{16}))?\W*", re.IGNORECASE)
ASKED = ("waits", "status", "acts", "press", "help")
"""Words that ask for something and do nothing."""
_FIRST = {each.shown.split()[0].rstrip(":") for each in FORMS} | {*ASKED, "why", "tell", "if", "confirm"}
_MEANT = {
    "stop": "pause", "start": "resume", "continue": "resume", "go": "resume", "unpause": "resume", "more": "extend",
    "delay": "extend", "postpone": "extend", "write": "tell", "message": "tell", "mail": "tell", "say": "tell",
    "question": "ask", "ruling": "rule", "correct": "position", "set": "position", "spice": "position",
    "substitute": "replace", "kick": "replace", "silence": "mute", "take": "rollback", "back": "rollback",
    "revert": "rollback", "unrollback": "undo", "redo": "undo", "abort": "end", "finish": "end", "forecast": "predict",
    "log": "acts", "commands": "help",
}  # fmt: skip
"""What people write for a command, and which it is."""
_NO_POWER = {"why": "why: WORDS", "if": "if: TURN/PHASE", "confirm": "confirm CODE"}
"""How lines are written that use no power."""
_OPENED = re.compile(r"\s*(?P<word>tell|ask|rule|note|warn)\b[^:]{0,160}:(?P<words>.*)", re.IGNORECASE | re.DOTALL)
_WRAPPED = 60
"""A line that is as long was perhaps broken by a mail program."""
SPOKEN = ("tell", "ask", "rule", "note", "warn")
"""Whose words are for people to read: they keep their last full stop."""


def read(line: str) -> Read | NotRead:
    """What a line of the desk says."""
    whole = line.strip()
    said = re.sub(r"(?<=\d)/(?=[a-z])", " ", re.sub(r"\s+", " ", whole).rstrip(".!"))
    for each in FORMS:
        if found := each.pattern.fullmatch(whole if each.power in SPOKEN else said):
            return Read(each, found.groupdict())
    return NotRead(_near(said.lower()))


def _near(said: str) -> str:
    """The form that a line is nearest to; "" for none."""
    if re.match(r"press (?:to )?[a-z ,-]+:", said):
        return _shown("tell")
    word = re.split(r"[^a-z-]", said, maxsplit=1)[0]
    near = [_MEANT[word]] if word in _MEANT else get_close_matches(word, sorted(_FIRST), 1, 0.7)
    return _shown(near[0]) if near else ""


def _shown(word: str) -> str:
    forms = [each.shown for each in FORMS if each.shown.split()[0].rstrip(":") == word]
    return forms[0] if forms else _NO_POWER.get(word, word)


def folded(lines: Sequence[str]) -> list[str]:
    """The lines of a mail; words of several lines that end with ``end tell`` (or ask, rule, note, warn) are one."""
    found: list[str] = []
    place = 0
    while place < len(lines):
        opened = _OPENED.fullmatch(lines[place])
        end = _end(lines, place + 1, opened["word"]) if opened else None
        found.append("\n".join(filter(None, map(str.strip, lines[place : end or place + 1]))))
        place = place + 1 if end is None else end + 1
    return found


def _end(lines: Sequence[str], first: int, word: str) -> int | None:
    for place in range(first, len(lines)):
        if re.fullmatch(rf"\W{{0,4}}end {word}\W{{0,4}}", lines[place], re.IGNORECASE):
            return place
        if _OPENED.fullmatch(lines[place]):
            return None
    return None


def goes_on(line: str, below: str) -> bool:
    """Whether the words of a line seem to go on in the line below it: half of a letter is worse than none."""
    opened = _OPENED.fullmatch(line)
    if opened is None or "\n" in line or not below or _is_command(below):
        return False
    return not opened["words"].strip() or len(line) + len(below.split()[0]) >= _WRAPPED


def _is_command(line: str) -> bool:
    other = CONFIRM.fullmatch(line) or asked(line) or changed(Use(), line)
    return bool(other) or isinstance(read(line), Read)


def asked(line: str) -> str:
    """What a line asks for that does nothing; "" for any other."""
    word = line.strip().strip(".!?").lower() or line.strip()
    return {"?": "help", "status": "waits"}.get(word, word) if word in (*ASKED, "?") else ""


def changed(use: Use, line: str) -> Use | None:
    """How the lines below are used, if this line says so; None for any other line."""
    if _DRY_RUN.fullmatch(line):
        return replace(use, dry_run=True)
    if found := _USE.fullmatch(line):
        words = found["words"]
        match found["what"].lower():
            case "why":
                return replace(use, why=words)
            case "tell":
                return replace(use, tell=words)
            case _:
                return replace(use, at=words)
    return None
