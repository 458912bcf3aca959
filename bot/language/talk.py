"""Recognise lines that do not give an order, with the tables in `data/plain-words.toml`: talk about the world, about
other players or about time (`[talk]`, `never`, `doubt`), commands that show something, and press (`[commands]`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.language.attempts import SORTS_OF_NAMES, name_at
from bot.language.commands import MailCommand, Rules
from bot.language.forms import Blank, Written, pieces, write
from bot.language.lines import Context, Line, WriterView
from bot.language.names import fold_words
from bot.language.orders import Unread, read_as_written
from bot.language.vocabulary import LineWords, Phrases, Word, vocabulary
from bot.wording import say

MOST_UNKNOWN = 10  # words that are in none of the tables, including names

_MAY_DOUBT = frozenset({"truthtrance", "truth", "tt", "know", "unknown", "idea", "say"})
"""Words of doubt that are also part of orders: of a Truthtrance question or the answer "unknown"."""


def doubts(heard: LineWords) -> bool:
    # Does the line express doubt, or have more unknown words than any order?
    texts, plain, place = _texts(heard), vocabulary(), 0
    while place < len(texts) and _MAY_DOUBT.isdisjoint(texts):
        certain = max(plain.filler.length(texts, place), plain.negation.length(texts, place))
        cancels = texts[place] == "cancel" and "karama" in texts
        if certain < 2 and plain.doubt.length(texts, place) and not cancels:
            return True
        place += max(certain, 1)
    return sum(word.number is None and word.text not in plain.known for word in heard.words) > MOST_UNKNOWN


def is_talk(heard: LineWords, context: Context, known: WriterView) -> bool:
    texts = _texts(heard)
    places = range(len(texts))
    return (
        any(vocabulary().never.length(texts, place) for place in places)
        or any(_counts_time(heard.words, texts, place) for place in places)
        or any(_describes(heard.words, texts, place) for place in places)
        or any(_reports(texts, place, context) for place in places)
        or _tells_of_another(texts, context, known)
        or _passes_on(texts)
        or _is_ironic(heard.words, texts)
        or _bids_another(heard.words, context, known)
    )


def _is_ironic(words: Sequence[Word], texts: Sequence[str]) -> bool:
    # Does it end in a mark of irony ("bid 12 /s"), or in a part that asks for assent: "nothing ships itself, does it"?
    talk = vocabulary().talk
    ends = any(talk["ironic"].length(texts, place) == len(texts) - place for place in range(len(texts)))
    last = [word.text for word in words if word.part == words[-1].part]
    return ends or (len(last) < len(texts) and talk["tags"].length(last, 0) == len(last))


def _bids_another(words: Sequence[Word], context: Context, known: WriterView) -> bool:
    # Does it ask another faction for something ("Emperor, please ship 5"), or say what others do?
    texts, talk = [word.text for word in words], vocabulary().talk
    if _asks_of_factions(known):
        return False
    first = talk["hails"].length(texts, 0)
    if first < len(texts) and talk["he"].length(texts, first):
        return any(_is_order_word(texts, first + 1 + more) for more in range(2))
    named = name_at("faction", texts, first) if first < len(texts) else None
    after = first + named.length if named else len(texts)
    if not named or not named.whole or context.faction in named.values or after >= len(texts):
        return False
    apart = words[after].part != words[after - 1].part
    return apart and (talk["begs"].length(texts, after) > 0 or _is_order_word(texts, after))


def _is_order_word(texts: Sequence[str], place: int) -> bool:
    return place < len(texts) and (
        texts[place] in vocabulary().words_of_orders or vocabulary().talk["acts"].length(texts, place) > 0
    )


def _texts(heard: LineWords) -> list[str]:
    return [word.text for word in heard.words]


def _counts_time(words: Sequence[Word], texts: Sequence[str], place: int) -> bool:
    talk = vocabulary().talk
    if words[place].number is None and not talk["some"].length(texts, place):
        return False
    after = place + 1
    while after < len(texts) and not talk["counted"].length(texts, after) and talk["between"].length(texts, after):
        after += 1
    return after < len(texts) and talk["counted"].length(texts, after) > 0


def _describes(words: Sequence[Word], texts: Sequence[str], place: int) -> bool:
    # Does "is" come here before a word that is in none of the tables: "Fremen are annoying"?
    talk, after = vocabulary().talk, place + 1
    if not place or not talk["is"].length(texts, place) or words[place - 1].part != words[place].part:
        return False
    while after < len(texts) and talk["beside_is"].length(texts, after):
        after += 1
    if after >= len(texts) or words[after].part != words[place].part:
        return False
    word = words[after]
    strange = word.number is None and word.text.isalpha() and word.text not in vocabulary().known
    if strange and any(group.length(texts, after) for entry in vocabulary().orders for group in entry.words):
        return False
    return strange and not any(name_at(sort, texts, after, misspelt=True) for sort in SORTS_OF_NAMES)


_POSSESSIVE = re.compile(r"(\w+)['’]s\b")
_NO_OWNERS = frozenset({"it", "that", "let", "here", "there", "what", "tuek"})


def tells_a_fact(words: Sequence[Word], text: str) -> bool:
    texts, talk = [word.text for word in words], vocabulary().talk  # "Harkonnen is at 4", "Guild's 3"
    if any(talk["writer"].length(texts, place) for place in range(len(texts))):
        return False
    if any(match[1].lower() not in _NO_OWNERS for match in _POSSESSIVE.finditer(text)):
        return True
    return any(
        talk["facts"].length(texts, place)
        and words[place - 1].part == words[place + 1].part
        and (
            words[place - 1].number is not None
            or any(name_at(sort, texts[:place], place - 1) for sort in SORTS_OF_NAMES)
        )
        for place in range(1, len(texts) - 1)
    )


def _reports(texts: Sequence[str], place: int, context: Context) -> bool:
    if not vocabulary().talk["says"].length(texts, place):
        return False
    before = texts[:place]
    while before and vocabulary().talk["beside_is"].length(before, len(before) - 1):
        before = before[:-1]
    if not before or before[-1] in ("i", "we") or "than" in before:
        return False
    named = next((name for first in range(len(before)) if (name := name_at("faction", before, first))), None)
    return named is None or named.values != (context.faction,)


def _passes_on(texts: Sequence[str]) -> bool:
    # Does it ask the reader to tell another faction something: "tell the Emperor I'd bid 5"?
    first = 2 if texts[1:2] == ["the"] else 1
    named = name_at("faction", texts, first) if texts[0] in _TELLS and first < len(texts) else None
    return named is not None and named.whole


_TELLS = frozenset({"tell", "ask", "warn", "remind", "inform", "thank"})


def _tells_of_another(texts: Sequence[str], context: Context, known: WriterView) -> bool:
    # Is it about what another faction does, although no open question is about other factions?
    first = 1 if texts[0] in ("the", "house") and len(texts) > 1 else 0
    named = name_at("faction", texts, first)
    verb = first + named.length if named else len(texts)
    if not named or not named.whole or context.faction in named.values or verb >= len(texts):
        return False
    return vocabulary().talk["acts"].length(texts, verb) > 0 and not _asks_of_factions(known)


def _asks_of_factions(known: WriterView) -> bool:
    return any(
        isinstance(piece, Blank) and piece.slot_name in ("faction", "factions", "leader", "traitor")
        for entry in vocabulary().orders
        if any(question.kind in entry.form.kinds for question in known.asked)
        for piece in pieces(entry.form.pattern)
    )


# --- commands --------------------------------------------------------------------------------------------------------

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
