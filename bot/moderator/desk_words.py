"""Which commands a game master's plain words may ask for.

If a line is not a command, `offers` finds the likeliest matters that it may be about (`bot.language.matters`), and
writes their commands with what the line names filled in. `completed` fills or changes parts of commands that the last
answer mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import combinations

from bot.language.attempts import name_at
from bot.language.command_lines import (
    ADDRESS,
    AND,
    SENTENCE,
    Command,
    CommandContext,
    is_outburst,
    read_command,
    request_behind,
)
from bot.language.matters import (
    MARGIN,
    OPEN_PART,
    SURE,
    Matter,
    Near,
    as_phrase,
    asks_for_nothing,
    count_signs,
    fit,
    forbids,
    lacks,
    left_open,
    nearest,
    opposites,
    right_described,
    spelt_right,
    times_likelier,
)
from bot.language.names import fold_words
from bot.language.orders import Unread
from bot.moderator.desk_names import (
    ISO_DATE,
    PHASES,
    PRONOUN,
    PRONOUNS,
    SHORTEST_NAME,
    Position,
    any_of,
    last_phase,
    named_in,
    seats_by_name,
    words_passed_on,
)
from rules.components import FACTION_FACTS, Faction, as_faction

# --- what is offered ------------------------------------------------------------------------------------------------

MOST_OFFERED = 4
SHORTEST_HEAD = 2
"""Words before a colon or "that"; fewer of them say nothing of what the line does."""


@dataclass(frozen=True, slots=True)
class Offers:
    """The commands that are offered in answer to a text. Those in `whole` can be sent as they are: all of them in one
    mail if `together`, otherwise one of them. Those in `open` still have words in capitals, which the writer must
    replace."""

    whole: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    together: bool = False
    ranked: tuple[str, ...] = ()  # both, the likeliest first
    clear: bool = False  # whether the likeliest is clearly likelier than the next one


_LISTED = re.compile(r"\s*[,;.!]+\s+(?:(?:and|then|also)\s+)?|\s+(?:and|then)\s+", re.IGNORECASE)
SHORTEST_LIST = 3


_ASIDE = re.compile(
    r"^(?:good )?(?:morning|afternoon|evening|day)\b[ .,!]+|"
    r"^(?:right(?:o|y|io)?|ok(?:ay)?|well|so|hey|hi|hello|yeah|nah|oh|ah|och|cheers|g.?day|hiya|howya)\b[ .,!]+|"
    r"\b(?:and )?stop (?:sending|reminding|nagging|bothering|writing|mailing)(?: to)? (?:me|us)\b[^.,;!?]*",
    re.IGNORECASE,
)
"""Greetings, and words about our letters to the writer."""


def offers(text: str, context: CommandContext, position: Position) -> Offers:
    """Return the commands that a text may ask for. If its clauses are about different matters, return the commands for
    each clause."""
    text = spelt_right(_ASIDE.sub("", text), names_known(position))
    spoken = "WORDS" in named_in(text, context, position)
    named = re.sub(context.blanks["SEATS"].pattern, lambda seats: _LISTED.sub("/", seats[0]), text, flags=re.IGNORECASE)
    for cut, least in () if spoken else ((_LISTED, SHORTEST_LIST), (AND, 2)):
        clauses = [clause.replace("/", ", ") for clause in cut.split(named) if clause.strip()]
        found = _of_clauses(clauses, context, position) if len(clauses) >= least else None
        if found and (cut is _LISTED or not found.open):
            return found
    if spoken and (found := _beside_words(text, context, position)):
        return found
    if not spoken and asks_for_nothing(_as_phrase(text, {}, position)):
        return Offers()
    sentences = [] if spoken else [each for each in SENTENCE.split(text) if each.strip()]
    if len(sentences) > 1 and (found := _of_sentences(sentences, context, position)):
        return found
    return _with_rest(_offers(text, context, position), text, context, position)


def _with_rest(found: Offers, text: str, context: CommandContext, position: Position) -> Offers:
    """Add the commands that single sentences or clauses clearly ask for, and that are about a seat or an address of
    which none of the offers speaks."""
    about = _about_one(text, context, position)
    parts = [clause for sentence in SENTENCE.split(text) for clause in AND.split(sentence)]
    read = [_clear_line(part, context, about) for part in parts] if len(parts) > 1 else []
    named = rf"{ADDRESS.pattern}|{any_of(FACTION_FACTS)}"

    def shows(line: str) -> bool:
        command = context.exact(line)
        return command is not None and command.shows

    offered = {*re.findall(named, " ".join(found.ranked))}
    verbs = {line.split()[0] for line in found.ranked}
    rest = [line for line, near in read if line and near >= VERY_NEAR and line.split()[0] not in verbs]
    whom = {line: {*re.findall(named, line)} for line in rest}
    rest = [line for line in rest if (offered.isdisjoint(whom[line]) if whom[line] else "?" in text and shows(line))]
    return _all_of((*found.ranked[: MOST_OFFERED - 1], *rest), context) if rest and found.ranked else found


def _beside_words(text: str, context: CommandContext, position: Position) -> Offers | None:
    """If a text asks for something before it gives words to be passed on, return the commands for both."""
    named = named_in(text, context, position)
    after, asked = request_behind(named["WORDS"], context)
    if asked:
        text, named = text.removesuffix(after), {"WORDS": named["WORDS"].removesuffix(after).strip()}
    head = text.strip().removesuffix(named["WORDS"])
    cuts = [cut.end() for pattern in (SENTENCE, AND) for cut in pattern.finditer(head)]
    before, telling = (head[: max(cuts)], text[max(cuts) :]) if cuts else ("", text)
    before = re.sub(rf"{AND.pattern}$", "", before)
    told = _offers(telling, context, position)
    if not (before or asked) or not told.ranked or ": " not in told.ranked[0] or lacks(told.ranked[0]):
        return None
    sentences = [each for each in SENTENCE.split(before) if each.strip()]
    several = _of_sentences(sentences, context, position)
    position = _about_one(text, context, position)
    alone = [line for each in (before, *sentences) if each and (line := _clear_line(each, context, position)[0])][:1]
    wishes = several.ranked if several else alone
    return _all_of((*wishes, told.ranked[0], *([asked] if asked else ())), context) if wishes or asked else None


def _about_one(text: str, context: CommandContext, position: Position) -> Position:
    """If a text names only one seat, let pronouns mean that seat: "let Eve write again. But warn them"."""
    seat = named_in(text, context, position).get("SEAT", "")
    seats = seats_by_name(replace(position, about=None))
    every = {seats[each.lower()] for each in re.findall(any_of(seats), text, re.IGNORECASE) if len(each) > len("BG")}
    return replace(position, about=as_faction(seat)) if seat and every == {seat} else position


def _all_of(lines: Sequence[str], context: CommandContext) -> Offers:
    """Return the offer of all these commands, together if nothing is missing in any of them. A command that another one
    only makes more exact is left out."""
    lines = [line for line in lines if not any(other.startswith(f"{line} ") for other in lines)]
    sitters = {line.split()[1] for line in lines if re.match(r"sitter \S+ \S+@", line)}  # who are away in any case
    lines = [line for line in lines if line.split()[0] != "absent" or line.split()[1] not in sitters]
    lines = [line for line in lines if line != "blind" or not any(each.startswith("grant clerk") for each in lines)]
    whole = tuple(line for line in lines if context.exact(line) and not lacks(line))
    left = tuple(line for line in lines if line not in whole)
    return Offers(whole, left, len(whole) > 1 and not left, tuple(lines))


def is_talk(text: str, position: Position, *, beside: bool) -> bool:
    """Return whether a text asks for nothing. ``beside`` commands, it must come nearer to one of them."""
    phrase = _as_phrase(spelt_right(_ASIDE.sub("", text), names_known(position)), {}, position)
    near = nearest(phrase)[0]
    weak = not near.matter.lines or near.score < LEAST_BESIDE
    return "WORDS" not in words_passed_on(text) and (asks_for_nothing(phrase) or (beside and weak))


LEAST_BESIDE = 0.28


def names_known(position: Position) -> frozenset[str]:
    return frozenset(
        name for name, faction in seats_by_name(position).items() if faction and len(name) >= SHORTEST_NAME
    )


def _of_clauses(clauses: Sequence[str], context: CommandContext, position: Position) -> Offers | None:
    if right := named_in(" ".join(clauses), context, position).get("RIGHT"):  # "take the clerk job off A, give it to B"
        clauses = [re.sub(r"\b(?:it|that(?: job| role)?)\b", f"{right} rights", clause) for clause in clauses]
    read = {clause: _clear_line(clause, context, position) for clause in clauses}
    lines = [line for clause, (line, _) in read.items() if line or not is_outburst(clause)]
    told = [line for line in dict.fromkeys(lines) if line and not is_so(line, position)]  # "take the default and go on"
    whole_text = _offers(" ".join(clauses), context, position).ranked
    apart = _of_different_people(told, " ".join(clauses)) or _of_different_matters(told)
    if not all(lines) or len(told) < 2 or not apart or not _confirmed(read.values(), whole_text):
        return None
    return _all_of(told, context)


def _of_different_people(lines: Sequence[str], text: str) -> bool:
    """Return whether each of these lines has an address of its own that the text names."""
    named = {address for line in lines for address in re.findall(ADDRESS.pattern, line) if address in text.lower()}
    return len(named) == len(lines)


def _of_different_matters(lines: Sequence[str]) -> bool:
    return len({line.split()[0] for line in lines}) > 1 and not _contradict(lines)


def _confirmed(read: Iterable[tuple[str, float]], whole_text: Sequence[str]) -> bool:
    """Return whether all lines read from parts of a text come very near, or are also among those that the whole text
    may ask for."""
    verbs = {line.split()[0] for line in whole_text}
    return all(near >= VERY_NEAR or line.split()[0] in verbs for line, near in read if line)


VERY_NEAR = 0.45


def _of_sentences(sentences: Sequence[str], context: CommandContext, position: Position) -> Offers | None:
    """Read each of these sentences by itself, and return the commands for all of them. Return None if fewer than two of
    the sentences clearly ask for something, or if the commands contradict each other."""
    text = " ".join(sentences)
    whole_text = _offers(text, context, position).ranked
    position = _about_one(text, context, position)
    read: list[tuple[str, float]] = []
    for sentence in sentences:
        clauses = [_clear_line(clause, context, position) for clause in AND.split(sentence)]
        apart = len(clauses) > 1 and all(line and near >= VERY_NEAR for line, near in clauses)
        whole = _clear_line(sentence, context, position)
        asks = " " in whole[0] or _ASKS.search(sentence) or whole[1] >= AS_IF_ASKED  # otherwise it may be a reason
        read += clauses if apart else [whole] if asks else []
    found = [
        line for line, near in read if line and (_confirmed([(line, near)], whole_text) or _names_own(line, near, text))
    ]
    named = named_in(text, context, position)
    lines = list(dict.fromkeys(with_values(line, _lacked_in(line, named)) or line for line in found))
    if (day := named.get("DATE")) and not any(day in line for line in lines):  # which the sentence of its own has lost
        lines = [limited if context.exact(limited := f"{line} until {day}") else line for line in lines]
    if len(lines) < 2 or not (_of_different_people(lines, text) or _of_different_matters(lines)):
        return None
    return _all_of(lines, context)


_ASKS = re.compile(
    r"\b(?:please|pls|can|could|would|will|may|must|should|shall|needs?|want|wants|like|let|make|give|take|put|tell|ask|add"
    r"|stop|start|set|send|remind|ban|mute|warn|replace|write|say|mark|get|have|keep|change|remove|don.?t|no)\b",
    re.IGNORECASE,
)
AS_IF_ASKED = 0.6
"""A sentence without any word of asking is a wish if it comes so near."""


def _names_own(line: str, near: float, text: str) -> bool:
    address = re.search(ADDRESS.pattern, line)
    return near >= ONLY_ONE and address is not None and address[0] in text.lower()


def _clear_line(sentence: str, context: CommandContext, position: Position) -> tuple[str, float]:
    """Return the one command that a sentence clearly asks for, and how near it comes. Return "" if there is none."""
    read = read_command(sentence, replace(context, unread=lambda _: Unread("")))  # by its rows alone
    if isinstance(read, Command):
        return read.line, 1
    phrase = _as_phrase(sentence, named_in(sentence, context, position), position)
    nearest_one = nearest(phrase)[0]
    if len(read.suggestions) == 1:
        told = len(read.suggestions[0].partition(": ")[2].split()) >= SHORTEST_HEAD  # "tell Eve all is well"
        return read.suggestions[0], max(nearest_one.score, VERY_NEAR * told)
    offered = _offers(sentence, context, position)
    one = len(offered.whole) == 1 and not offered.open and nearest_one.score > ONLY_ONE
    is_clear = offered.clear and bool(nearest_one.matter.lines) and not forbids(phrase, nearest_one.matter)
    found = offered.ranked if is_clear or (one and not asks_for_nothing(phrase)) else ()
    return (found[0], nearest_one.score) if found else ("", 0)


ONLY_ONE = 0.35
"""A sentence for which there is one offer asks for it, if it comes so near."""


def _contradict(lines: Sequence[str]) -> bool:
    against = [{one.split()[0], other.split()[0]} for one, others in opposites().items() for other in others]
    return any({one.split()[0], other.split()[0]} in against for one, other in combinations(lines, 2))


PART = 0.75  # of the nearest matter: one that is farther away is not offered
NO_CHANGE = 0.8
"""How likely a command is that would change nothing."""


def _offers(text: str, context: CommandContext, position: Position) -> Offers:
    named = named_in(text, context, position)
    phrase = _as_phrase(text, named, position)
    ranked = [near for near in nearest(phrase) if near.matter.lines]
    if ranked[0].matter.lines == (ASKED,) and (asked := _asked_in_quote(context, position)):
        return asked
    ranked = [near for near in ranked if near.matter.lines != (ASKED,)]
    wanted = [near for near in ranked if not forbids(phrase, near.matter)]
    guesses = [_guess(near, named, context, position, text) for near in wanted]
    nearer = {guess.shape: guess.near for guess in guesses}
    of_one = "SEAT" not in named and bool(_ONE_PERSON.search(text))
    kept: list[_Guess] = []
    for guess in sorted(guesses, key=lambda guess: -guess.score):
        against = any(nearer.get(other, 0) > CLEARLY * guess.near for other in opposites().get(guess.shape, ()))
        against |= any(
            guess.shape in opposites().get(other.shape, ()) for other in kept if ALIKE * other.score > guess.score
        )
        open_seat = bool(re.search(r"\bSEAT\b", guess.line))
        timed = bool(re.search(r"\b(?:SPAN|HOURS)\b", guess.shape))
        unfit = timed and (named.get("SEATS") == "all" if open_seat else of_one)
        likely = guess.score >= PART * (kept[0].score if kept else 0) and len(kept) < MOST_OFFERED
        if likely and not (against or unfit) and (not is_so(guess.line, position) or guess.near == ranked[0].score):
            kept.append(guess)
    lines = list(dict.fromkeys(line for guess in kept for line in _for_each_value(guess, named, text)))
    apart = bool(position.candidates and PRONOUN.search(_without_words(text, named)))
    if apart:
        lines = [re.sub(r"\bSEAT\b", seat, line) for line in lines for seat in position.candidates]
        lines = list(dict.fromkeys(lines))
    whole = tuple(line for line in lines if not OPEN_PART.search(_without_words(line, named)) and context.exact(line))
    either = apart or "EITHER" in named or any(len(lines) > len(_for_each_seat(guess, named)) for guess in kept)
    together = len(kept) == 1 < len(whole) and not either
    scores = [guess.score for guess in kept]
    clear = bool(scores) and scores[0] > max([SURE, *(MARGIN * score for score in scores[1:2])])
    return Offers(whole, tuple(line for line in lines if line not in whole), together, tuple(lines), clear)


ASKED = "{asked}"
"""Stands for what the quoted words ask for: "sure, they can have that"."""


def _asked_in_quote(context: CommandContext, position: Position) -> Offers | None:
    """Return the commands that the quoted words ask for, or None."""
    asks, text = replace(position, quoted=""), position.quoted
    if position.about:
        text = _MYSELF.sub(lambda me: f"{position.about} {_HAVE.get((me['have'] or '').lower(), '')}".strip(), text)
    clauses = [clause for sentence in SENTENCE.split(text) for clause in AND.split(sentence)]
    lines = list(dict.fromkeys(line for clause in clauses if (line := _clear_line(clause, context, asks)[0])))
    if not 0 < len(lines) <= MOST_ASKED:
        found = _offers(text, context, asks) if text else Offers()
        return found if found.ranked else None
    return _all_of(lines, context)


_HAVE = {"m": "is", "am": "is", "ll": "will", "d": "would", "ve": "has", "have": "has"}
_MYSELF = re.compile(r"\b(?:i(?:['’ ](?P<have>m|am|ll|d|ve|have)\b)?|me|myself)(?![\w'’])", re.IGNORECASE)
MOST_ASKED = 2
CLEARLY, ALIKE = 1.1, 0.97
"""A command is not offered if its opposite comes so many times as near, or is likelier and not about as likely."""


def _as_phrase(text: str, named: Mapping[str, str], position: Position) -> str:
    """Return a text as the phrases of matters are written, without the words that it passes on."""
    head = _without_words(text, named)
    text = head if len(head.split()) >= SHORTEST_HEAD else text
    return as_phrase(
        text, any_of([name for name in seats_by_name(position) if len(name) > len("BG") and name not in PRONOUNS])
    )


# --- what completes or changes what was spoken of ---------------------------------------------------------------------

LONGEST_FRAGMENT = 14  # words
_OTHER = re.compile(
    r"\W*(?:(?:no|nope|sorry|not (?:that|this|him|her)(?: one)?|i (?:mean|meant)|then|but|rather|make (?:it|that))\W+)*"
    r"the other(?: one| player| person| guy| man| woman)?(?:\W+(?:please|instead|then|rather|of course))*\W*",
    re.IGNORECASE,
)
_FOR_REAL = re.compile(r"\b(?:(?:for|in) real|really do|do it|go ahead|make it (?:so|happen))\b", re.IGNORECASE)
_LACKED = {part: rf"\b{part}\b" for part in ("DATE", "FIRST", "ADDRESS", "TURN", "PHASE", "RIGHT")} | {
    "SEAT": r"(?<!\S)SEATS?\b",
    "SPAN": r"\b(?:SPAN|HOURS)\b",
}
_HELD = {
    "SEAT": rf"(?<![\w@.-])(?:{'|'.join(FACTION_FACTS)})(?![\w@-])",
    "DATE": ISO_DATE.pattern,
    "ADDRESS": ADDRESS.pattern,
    "SPAN": r"(?<![\w-])\+?\d+(?:\.\d+)?(?![\w-])",
}


def _lacked_in(line: str, named: Mapping[str, str]) -> dict[str, str]:
    return {part: named[part] for part in lacks(line) if part in named and part in _LACKED}


def other_than(text: str, spoke: Sequence[str], done: Sequence[str], seats: Collection[Faction]) -> Offers | None:
    """If a text says "no, the other one", return the commands that this means: those of ``spoke`` that were not carried
    out, or the same command for the other one of these seats. "Now for real", after a preview, means the rollback."""
    previews = [line for line in spoke if line.startswith("preview ")]
    if len(previews) == 1 and _FOR_REAL.search(text):
        return Offers((previews[0].replace("preview", "rollback"),))
    if not _OTHER.fullmatch(text):
        return None
    left = [line for line in spoke if line not in done]
    if len(spoke) == 1 or not left:  # the same for the other player
        named = [(line, seat) for line in spoke for seat in seats if re.search(rf"(?<![\w-]){seat}(?![\w-])", line)]
        left = [named[-1][0].replace(named[-1][1], each) for each in seats if each != named[-1][1]] if named else []
    whole = tuple(line for line in left if not lacks(line))
    return Offers(whole, tuple(line for line in left if line not in whole)) if left else None


def completed(
    text: str, spoke: Sequence[str], context: CommandContext, position: Position, *, whole: bool = False
) -> Offers | None:
    """Complete the commands that the last answer mentioned (``spoke``) with the few words of this text. The words fill
    parts that a command lacks. If ``whole`` is set, they may also replace parts that it already has: "then Bob
    instead", "make that 3 days". Return None if the words fit none of the commands."""
    meant = re.sub(rf"\bnot (?:for |to )?(?:the )?{context.blanks['SEAT'].pattern}", "", text, flags=re.IGNORECASE)
    text = meant if whole else text  # "not Dora, I meant Eve"
    named = dict(named_in(text, context, replace(position, about=None)))
    whole_ones = [line for line in spoke if len(lacks(line)) > 1 and {*lacks(line)} <= _lacked_in(line, named).keys()]
    if whole and whole_ones and len(fold_words(text)) <= 2 * LONGEST_FRAGMENT:
        return Offers(tuple(with_values(line, _lacked_in(line, named)) for line in whole_ones))
    if len(fold_words(text)) > LONGEST_FRAGMENT:
        text = next(filter(marks_change, SENTENCE.split(text)), text)
    words, bare = fold_words(text), text.strip(" .!hH")
    if not spoke or not words or len(words) > LONGEST_FRAGMENT or context.exact(text):
        return None
    named = dict(named_in(text, context, replace(position, about=None)))
    if "NUMBER" in named and "SPAN" not in named and marks_change(text):
        named["SPAN"] = named["NUMBER"]
    named |= {"SPAN": bare} if bare.isdigit() else {}
    if "PHASE" in named and "TURN" not in named:
        named |= dict(zip(("TURN", "PHASE"), last_phase(named["PHASE"], position.table).split(), strict=False))
    values = {part: named[part] for part in _LACKED if part in named}
    if not values:
        return None
    near = nearest(_as_phrase(text, {}, position))[0]
    other = bool(near.matter.lines) and near.score > OWN_MATTER and not marks_change(text)
    own = [line for line in spoke if values.get("SEAT", "-") in line]
    if 0 < len(own) < len(spoke) and {*values} == {"SEAT"} and not other:  # it chooses
        ready = tuple(line for line in own if not lacks(line))
        return Offers(ready, tuple(line for line in own if line not in ready))
    found = list(filter(None, (with_values(line, values) for line in own or spoke if lacks(line))))
    if other:
        found = [line for line in found if not lacks(line) and {*values} != {"SEAT"}]
    if whole and not found and not other:
        found = [with_values(line, values, over=True) or _with_more(line, values, context) for line in spoke]
    lines = list(dict.fromkeys(line for line in found if line and (lacks(line) or context.exact(line))))
    ready = tuple(line for line in lines if not lacks(line))
    return Offers(ready, tuple(line for line in lines if line not in ready)) if lines else None


OWN_MATTER = 0.45
"""A text that comes so near to a matter is about that, and completes nothing."""
_SAYING = re.compile(
    r"\W*(?:(?:please )?(?:tell|say|write)\b[^:]{0,40}:\s*|(?:the )?words?(?: are)?:\s*|just(?: this)?:\s*|(?=[“\"]))"
    r"(?P<words>\S.*)",
    re.IGNORECASE | re.DOTALL,
)


def with_words(text: str, spoke: Sequence[str]) -> Offers | None:
    """If only one of the commands in ``spoke`` lacks nothing but the words to be passed on, return that command with
    the words that this text gives. Otherwise return None."""
    lacking = [line for line in spoke if lacks(line) == ["WORDS"]]
    found = _SAYING.fullmatch(text) if len(lacking) == 1 else None
    return Offers((lacking[0].removesuffix("WORDS") + found["words"].strip('“”" '),)) if found else None


def with_values(line: str, values: Mapping[str, str], *, over: bool = False) -> str:
    """Put these values in place of the parts that a line lacks. If ``over`` is set, they may also replace parts that
    the line already has. Return "" if the line has no place for one of the values, or already contains all of them."""
    head, colon, words = line.partition(": ")
    for part, value in values.items():
        if re.search(_LACKED[part], head):
            head = re.sub(_LACKED[part], value, head, count=1)
        elif over and part in _HELD and re.search(_HELD[part], head):
            head = re.sub(_HELD[part], value, head, count=1)
        elif value not in head and part != "FIRST":
            return ""
    return head + colon + words if head + colon + words != line else ""


def _with_more(line: str, values: Mapping[str, str], context: CommandContext) -> str:
    """Add a value to a line as one more part, if there is a form with that part: a date to "ban guild", a seat to
    "extend 24". Return "" if there is no such form."""
    verb, _, rest = line.partition(" ")
    for value in values.values() if len(values) == 1 and ": " not in line else ():
        for made in (f"{line} until {value}", f"{verb} {value} {rest}", f"{line} {value}"):
            if context.exact(made):
                return made
    return ""


_CHANGES = re.compile(
    r"\b(?:then|instead|rather|make (?:that|it)|other|sorry|i mean|i meant)\b|^\W*no\b", re.IGNORECASE
)


def marks_change(text: str) -> bool:
    return bool(_CHANGES.search(text))


_ONE_PERSON = re.compile(
    r"\b(?:give|gives|let|grant|allow|for) (?:him|her)\b|\b(?:can|may|could|should|shall|must|needs?) (?:he|she)\b",
    re.IGNORECASE,
)


def _without_words(line: str, named: Mapping[str, str]) -> str:
    return line.removesuffix(named.get("WORDS", "\0"))


@dataclass(frozen=True, slots=True)
class _Guess:
    """A command that a text may ask for. `near` is how near its matter comes, `score` how likely the command is with
    what the text names."""

    score: float
    line: str
    shape: str
    near: float


def _guess(near: Near, named: Mapping[str, str], context: CommandContext, position: Position, text: str) -> _Guess:
    matter = near.matter
    values = dict(_values(matter, named, context, position, text))
    if position.about and "SEATS" not in named:
        values.setdefault("SEAT", position.about)

    def filled(shape: str) -> str:
        return OPEN_PART.sub(lambda blank: values.get(blank[0], blank[0]), shape)

    def fitting(shape: str) -> tuple[int, bool]:
        return fit(shape, values, text) - ("DATE" in left_open(shape, values)), not is_so(filled(shape), position)

    shape = max(matter.lines, key=fitting)
    likely = 1 if "OTHER" in shape else times_likelier(shape, values, text)
    likely = NO_CHANGE if is_so(filled(shape), position) else likely
    return _Guess(near.score * likely, filled(shape), shape, near.score)


def _values(
    matter: Matter, named: Mapping[str, str], context: CommandContext, position: Position, text: str
) -> Mapping[str, str]:
    values = dict(named)
    values |= {f"{{{name}}}": fact for name, fact in context.facts.items()} | {"{text}": text}
    parts = {part for line in matter.lines for part in OPEN_PART.findall(line)}
    if "ADDRESS" in parts and "SEAT" not in parts:
        seat = named.get("SEAT", "")
        known = position.table.seats[seat].address if position.table and seat in position.table.seats else ""
        two = [position.table.seats[each].address for each in _two_seats(named)] if position.table else []
        if "OTHER" in parts and len(two) > 1:
            values |= {"ADDRESS": two[0], "OTHER": two[1]}
        elif "OTHER" in parts and "ADDRESS" in named and known:
            values.setdefault("OTHER", known)
        elif known:
            values.setdefault("ADDRESS", known)
    for part in ("CARD", "LEADER", "TERRITORY"):
        values |= {part: name} if part in parts and (name := _name_in(text, part.lower())) else {}
    if "FIRST" in parts:
        values |= _days_away(named, position.today)
    if "PHASE" in named and "TURN" not in named and parts >= {"TURN", "PHASE"}:
        values |= dict(zip(("TURN", "PHASE"), last_phase(named["PHASE"], position.table).split(), strict=False))
    if "TERRITORY" in parts and "NUMBER" in named and (number := re.search(r"\b\d+\b", text)):
        values["NUMBER"] = number[0]  # what is there, not by how much it changes
    if "QUESTION" in parts and position.table and (whose := named.get("SEAT")):
        asked = [each.kind for each in position.table.play.questions() if each.faction == whose]
        values |= {"QUESTION": asked[0]} if asked else {}
    if "TURN" in named and "PHASE" not in named and parts >= {"TURN", "PHASE"}:
        values["PHASE"] = PHASES[1]
    if matter.lines[-1].endswith("consent all") and not count_signs("consent all", {}, text)[0]:
        values.pop("SEATS", "")
    if matter.lines[0].startswith("position: storm") and (sector := re.search(r"\b(?:[1-9]|1[0-8])\b", text)):
        values["NUMBER"] = sector[0]  # "in 9, not in 8"
    if "RIGHT" in parts and "RIGHT" not in values and (right := right_described(text)):
        values["RIGHT"] = right
    if any(" -" in line for line in matter.lines) and _LESS.search(text):
        values["LESS"] = "-"
    if matter.lines[0].startswith("order ") and "WORDS" not in values and (said := _ORDERED.search(text)):
        order = (said["words"] or said["ships"] or said["does"] or said["after"]).strip()
        values["WORDS"] = re.sub(r"(?i)^(?:s?he|they) (\w+?)s?\b", r"\1", order)
    return values


_LESS = re.compile(
    r"\b(?:tak(?:e|es|en|ing)|took|knock|dock|deduct|remove|cut|reduce|subtract|minus|strip|shave|less|lower|too much"
    r"|too many)\b",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:add|give|put|grant|top|credit|increase|raise|more|extra|another|back)\b", re.IGNORECASE)
_ORDERED = re.compile(
    r"\b(?:wants?|wanted|wishes|would like|.d like|meant|asked(?: me)?|plans?|intends) to "
    r"(?P<words>(?:ship|move|bid|revive|dial|land|send|predict|attack)\b[^.!?\n;]*)"
    r"|(?:.s|\bis|\bare) (?P<ships>(?:shipping|moving|bidding|reviving|sending|landing)\b[^.!?\n;,]*)"
    r"|\b(?P<does>(?:s?he|they) (?:ships|moves|bids|revives|sends|lands) [^.!?\n;,]*)"
    r"|:\s+(?P<after>[^.!?\n]*\d[^.!?\n]*)",
    re.IGNORECASE,
)


def _name_in(text: str, sort: str) -> str:
    words = fold_words(text)
    found = (name_at(sort, words, place) for place in range(len(words)))
    return next((f"{name.values[0]}" for name in found if name and name.whole and len(name.values) == 1), "")


MOST_HOURS_AWAY = 24 * 366
_DAY = timedelta(days=1)


def _days_away(named: Mapping[str, str], today: date) -> Mapping[str, str]:
    """Return the last day of an absence: the day before the person is back or, if the length was given ("for five
    days"), the last of those days. In the latter case return the first day too. Return an empty mapping if neither is
    known, if the text names the last day itself, or if the length is less than a day or more than a year."""
    if "BACK" in named:
        return {"DATE": f"{date.fromisoformat(named['BACK']) - _DAY}"}
    if "DATE" in named or not 24 <= float(named.get("SPAN", 0)) <= MOST_HOURS_AWAY:
        return {}
    first = date.fromisoformat(named.get("FIRST", f"{today}"))
    return {"FIRST": f"{first}", "DATE": f"{first + timedelta(hours=float(named['SPAN'])) - _DAY}"}


def _two_seats(named: Mapping[str, str]) -> list[Faction]:
    several = named.get("SEATS", "").split(", ")
    return [as_faction(each) for each in several] if len(several) == len("ab") else []


def _for_each_value(guess: _Guess, named: Mapping[str, str], text: str) -> list[str]:
    lines = _for_each_seat(guess, named)
    for part, shown in (("TIME", "TIME"), ("SPAN", "SPAN"), ("SPAN", "HOURS")):
        other = named.get(f"OTHER_{part}")
        if other and re.search(rf"\b{shown}\b", guess.shape):
            value = rf"(?<![\d.:]){re.escape(named[part])}(?![\d.:])"
            lines += [re.sub(value, other, line, count=1) for line in lines]
    if guess.shape.startswith("bank ") and _LESS.search(text) and _MORE.search(text):
        lines += [line.replace(" -", " ") if " -" in line else re.sub(r" (?=\d)", " -", line) for line in lines]
    return lines


def _for_each_seat(guess: _Guess, named: Mapping[str, str]) -> list[str]:
    seats = named.get("EITHER", named.get("SEATS", "")).split(", ")
    if (
        len(seats) < 2
        or "SEATS" in guess.shape
        or not re.search(r"\bSEAT\b", guess.shape)
        or named.get("SEAT") not in seats
    ):
        return [guess.line]
    return [re.sub(rf"\b{named['SEAT']}\b", seat, guess.line, count=1) for seat in seats]


def is_so(line: str, position: Position) -> bool:
    """Return whether a command would change nothing: it would do what has already been done, or undo what has not been
    done."""
    table, words = position.table, line.split()
    if table is None:
        return False
    seat = table.seats.get(words[1].rstrip(":")) if len(words) > 1 else None
    stopped, waits = table.stopped_at is not None, table.on_hold is not None
    if words[0] in ("pause", "resume", "hold", "release"):
        return {"pause": stopped, "resume": not stopped, "hold": waits, "release": not waits}[words[0]]
    if seat is None:
        return False
    match words[0], words[-1]:
        case ("absent", "off"):
            return words[1] not in table.absences
        case ("caretaker", on):
            return seat.care == (on == "on")
        case ("sitter", "off"):
            return not seat.sitter
        case ("mute", _):
            return words[1] in position.muted
        case ("unmute", _):
            return words[1] not in position.muted
    return False
