"""Commands that show something, and press, in plain words; by `data/plain-words.toml` (`[commands]`)."""

from __future__ import annotations

import re

from bot.language.commands import MailCommand, Rules
from bot.language.forms import Written, write
from bot.language.lines import Context, Line
from bot.language.names import fold_words
from bot.language.orders import Unread, read_as_written
from bot.language.vocabulary import LineWords, Phrases, vocabulary
from bot.wording import say

LONGEST_SUBJECT = 4  # words after "the rule about"
EXPLAIN = "explain battle"
LONGEST_QUESTION = 16  # words
_ASKED = re.compile(
    r"why|how (?:was|were|did|come|could)|explain|understand|what (?:killed|happened|went)|who (?:won|lost)"
).pattern
_WHY_BATTLE = re.compile(
    rf"\b(?:{_ASKED})\b.*(?:\b(?:battle|fight)\b.*\b(?:decided|calculated|counted|reckoned|resolved|go|went)\b"
    r"|\b(?:decided|calculated|counted|reckoned|resolved)\b.*\b(?:battle|fight)\b)"
    rf"|\b(?:{_ASKED})\b.*\b(?:did\b.*\b(?:lose|win|die)|lost|won|died|was\b.*\b(?:killed|beaten))\b"
    r"|\bwhat killed\b|\bwho (?:won|lost)\b.*\b(?:battle|fight)\b"
)
_OTHER_MATTER = re.compile(
    r"\d|:|\b(?:mails?|letters?|orders?|auction|card|bid|game|turn|if|would|will|can i|could i|do i)\b"
)
_PLACE = re.compile(r"\bin (?:the )?([a-z']+(?: [a-z']+)?(?: [a-z']+)?)")

_PRESS = re.compile(
    r"(?:please )?(?:(?:(?:send )?(?:an? )?(?:message|msg|note|dm|word)(?: to| for)?|tell|whisper(?: to)?|say to"
    r"|write to|to|@) ?(?:the )?(?P<whom>[^:]{2,40})|(?P<master>gm|game master|moderator)) ?: ?(?P<text>\S.*)"
)
_EVERYBODY = frozenset({"all", "everybody", "everyone", "table", "all players", "others", "you all"})
_MASTER = frozenset({"gm", "game master", "moderator"})


def read_command(line: Line, heard: LineWords | None, context: Context) -> Written | Unread | None:
    return _press(line, context) or _shown(heard, context) or _about_battle(line, context)


def _press(line: Line, context: Context) -> Written | Unread | None:
    found = _PRESS.match(line.plain)
    if not found or len(line.plain) > len(line.text):
        return None
    whom = (found["whom"] or found["master"]).strip()
    to = "gm" if whom in _MASTER else "all" if whom in _EVERYBODY else whom
    text = line.text[found.start("text") :]
    press = read_as_written(f"press to {to}: {text}", context)
    if press is None or _says_something(text):
        return press
    kinds = {question.kind for question in (context.known().asked if context.known else ())}
    return None if "transfer" in kinds else Unread(say("unread.plain", lines=[f"“{write(press)}”"]), (write(press),))


def _says_something(text: str) -> bool:
    # Is it more than a number and its unit, which may be an order: "to guild: 3 spice"?
    table = vocabulary()
    counted = table.numbers.keys() | table.ordinary | {word for unit in table.units.values() for word in unit}
    return sum(word.isalpha() and word not in counted for word in fold_words(text)) >= 2


def _about_battle(line: Line, context: Context) -> Written | Unread | None:
    """Read a question how a battle came out. The answer changes nothing, so the question may be worded freely."""
    said = line.plain.lower()
    if not _WHY_BATTLE.search(said) or _OTHER_MATTER.search(said) or len(said.split()) > LONGEST_QUESTION:
        return None
    places = (read_as_written(f"{EXPLAIN} in {place}", context) for place in _PLACE.findall(said))
    found = (each for each in places if each is not None and not isinstance(each, Unread))
    return next(found, None) or read_as_written(EXPLAIN, context)


def _shown(heard: LineWords | None, context: Context) -> Written | None:
    words = [word.text for word in heard.words] if heard else []
    commands, beside = vocabulary().commands, vocabulary().commands["beside"]
    first = _after(words, 0, beside)
    if first >= len(words):
        return None
    for command, phrases in commands.items():
        length = phrases.length(words, first) if command not in ("beside", "rules") else 0
        if length and _after(words, first + length, beside) == len(words):
            return read_as_written(command, context)
        if length and command == EXPLAIN:
            place = [word for word in words[first + length :] if not beside.length([word], 0)]
            return read_as_written(f"{EXPLAIN} in {' '.join(place)}", context)
    if length := commands["rules"].length(words, first):
        subject = [word for word in words[first + length :] if not beside.length([word], 0)]
        made = read_as_written(f"rules {' '.join(subject)}", context) if 0 < len(subject) <= LONGEST_SUBJECT else None
        return made if isinstance(made, MailCommand) and isinstance(made, Rules) else None
    return None


def _after(words: list[str], place: int, phrases: Phrases) -> int:
    while place < len(words) and (length := phrases.length(words, place)):
        place += length
    return place
