"""Read lines in plain words, from players who do not know the grammar, with the help of the position that the writer
saw.

A line is read here only if it fits neither the order grammar nor the sheet grammar. It is split into words
(`vocabulary`) and, if necessary, translated into English (`translation`). Talk is set aside, and commands are looked up
(`talk`). The words are used to fill the forms that the line names, and those that answer an open question (`attempts`,
`plain_blanks`). The rules judge the result. A reading that uses every word and guesses nothing becomes the order. If no
reading is so certain, Mentat answers with one to three lines that the player can send.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import OSA

from bot.effort import Exhausted, charge
from bot.language.attempts import SORTS_OF_NAMES, Attempt, name_at, names_value, use_up_mentions
from bot.language.commands import Cancel
from bot.language.forms import Blank, Written, pieces, write
from bot.language.lines import LONGEST, Context, Line, WriterView, tidy
from bot.language.names import fold_words, similar
from bot.language.orders import Unread, with_question_read
from bot.language.plain_blanks import fill_blanks, half_plan
from bot.language.sheets import SheetLine
from bot.language.talk import doubts, is_talk, read_command, tells_a_fact
from bot.language.translation import into_english
from bot.language.vocabulary import LineWords, OrderWords, Phrases, Word, cut_line, vocabulary
from bot.wording import say
from rules.orders import ANSWERS, Order, Pass, Place, Plan, Truthtrance

MOST_PROPOSED = 3
MOST_STRANGE = (2, 3, 5, 6)
"""A line with more unknown words leads to no proposal. The more names and numbers it has, the higher the index."""

MOST_MENTIONED = 4  # words that name the subject of the question
NEAR_WORD = 0.7  # minimum similarity of a misspelt word, 0 to 1


@dataclass(frozen=True, slots=True)
class _Reading:
    """One thing that a line can mean.

    - `named`: the line has a word that names this kind of order.
    - `sure`: no word is misspelt, and nothing was filled in that the line does not say.
    - `strange`: the number of unknown words.
    - `asked`: the question that this order answers is open.
    - `meant`: that question is open or the line has the order's keyword, so the player should be told if the order is
      refused.
    - `itself`: the line has all words of its form.
    - `told`: the number of names and numbers in the line.
    - `declined`: the line only says yes or no.
    """

    order: Order
    entry: OrderWords
    named: bool
    sure: bool
    strange: int
    asked: bool
    meant: bool
    itself: bool
    told: int
    declined: bool = False


def read_plain(text: str, context: Context) -> Written | Unread | None:
    if context.known is None or len(text) > LONGEST:
        return None
    line = tidy(text)
    if line.empty or not line.plain or not _may_say_something(line):
        return None
    try:
        charge(1 + len(text) // 50)
        return _read_tidy(line, context)
    except Exhausted:
        return None


def _read_tidy(line: Line, context: Context) -> Written | Unread | None:
    heard = cut_line(line)
    command = read_command(line, heard, context)
    if command or heard is None or not heard.words:
        return command
    heard = without_courtesies(heard)
    foreign = into_english(heard)
    if foreign and foreign.foreign:
        return _read_words(foreign.line, context)
    read = _read_words(heard, context)
    return _read_words(foreign.line, context) if read is None and foreign else read


def _read_words(heard: LineWords, context: Context) -> Order | Unread | None:
    if context.known is None:
        return None
    known = context.known()
    if not heard.words or doubts(heard):
        return _either(heard, context, known) or _softly(heard, context, known)
    if is_talk(heard, context, known):
        return Unread(say("unread.no-order"), chatter=True)
    return _read_whole(heard, context, known)


def _read_whole(heard: LineWords, context: Context, known: WriterView) -> Order | Unread | None:
    readings = list(_readings(heard, context, known, spelt=False))
    answer = _verdict(readings, known, context) or _half_plan(heard, context, known)
    if isinstance(answer, Order) or any(not reading.strange for reading in readings) or not _nearly(heard):
        return answer
    spelt = list(_readings(heard, context, known, spelt=True))
    if answer is None or any(not reading.strange for reading in spelt):
        return _verdict(spelt, known, context) or answer
    return answer


def _offered(heard: LineWords, context: Context, known: WriterView) -> Unread | None:
    # Return, as a proposal, whatever would be accepted or proposed for this line.
    if not heard.words or doubts(heard) or is_talk(heard, context, known):
        return None
    answer = _read_whole(heard, context, known)
    if isinstance(answer, Order):
        return Unread(say("unread.plain", lines=[f"“{write(answer)}”"]), (write(answer),))
    return answer if answer and not answer.chatter else None


def _softly(heard: LineWords, context: Context, known: WriterView) -> Unread | None:
    # Propose what a line says with a "probably" or "I think".
    kept = tuple(_without(heard.words, vocabulary().soft))
    if heard.asks or len(kept) == len(heard.words):
        return None
    return _offered(replace(heard, words=kept), context, known)


def _without(words: Sequence[Word], phrases: Phrases) -> Iterator[Word]:
    texts, place = [word.text for word in words], 0
    while place < len(words):
        length = phrases.length(texts, place)
        yield from () if length else words[place : place + 1]
        place += length or 1


def _alike(*words: Word) -> bool:
    # Are they all numbers, or all names?
    sorts = ("faction", "territory", "leader", "card")
    return all(word.number is not None for word in words) or all(
        any(name_at(sort, [word.text], 0) for sort in sorts) for word in words
    )


def _either(heard: LineWords, context: Context, known: WriterView) -> Unread | None:
    # Read "3 or 4" and "Guild or Fremen" as two lines to choose from.
    words = _part_with_or(list(_without(heard.words, vocabulary().soft)))
    places = [place for place, word in enumerate(words) if word.text in ("or", "and", "to")]
    if len(words) - len(places) < 2 or not 0 < (place := _or_between(words, places)) < len(words) - 1:
        return None
    if heard.asks and heard.text.rstrip().endswith("?"):
        return None
    offered: list[_Reading] = []
    for kept in ((*words[:place], *words[place + 2 :]), (*words[: place - 1], *words[place + 1 :])):
        line = replace(heard, words=kept, asks=False)
        if doubts(line) or is_talk(line, context, known):
            return None
        readings = [r for r in _readings(line, context, known, spelt=False) if not r.strange and r.asked]
        offered += _best([reading for reading in readings if known.judge(reading.order)[0] != "refused"])
    return _proposed(offered) if len({write(reading.order) for reading in offered}) == 2 else None


def _part_with_or(words: list[Word]) -> list[Word]:
    # "Otheym or Aramsham, can't decide": no other part of the line names anything.
    parts = {word.part for word in words if word.text == "or"}
    others = [word.text for word in words if word.part not in parts]
    alone = len(parts) == 1 and not names_value(others)
    return [word for word in words if word.part in parts] if alone else words


def _or_between(words: Sequence[Word], places: Sequence[int]) -> int:
    # Return the place of the one "or" that has a number or a name on either side, or 0.
    ors = [place for place in places if words[place].text == "or"]
    place = ors[0] if len(ors) == 1 else 0
    alike = 0 < place < len(words) - 1 and _alike(words[place - 1], words[place + 1])
    return place if alike else 0


def _half_plan(heard: LineWords, context: Context, known: WriterView) -> Unread | None:
    # Answer a line that gives only a part of the battle plan with the plan to be filled in.
    if heard.asks or not any(question.kind in ("battle-plan", "prescience-answer") for question in known.asked):
        return None
    entry = next(entry for entry in vocabulary().orders if entry.form.makes is Plan)
    attempt = Attempt(heard, context, known, entry)
    line = half_plan(attempt)
    for phrases in (entry.beside, vocabulary().filler, vocabulary().places["beside"]):
        attempt.take_all(phrases)
    return Unread(say("unread.half-plan", line=line)) if line and not attempt.unused() else None


def at_open_question(text: str, order: Written | SheetLine | Unread, context: Context) -> Written | SheetLine | Unread:
    """Read the order `pass` as a "no" to the open question, unless the question is about a bid, where it really means
    pass."""
    if isinstance(order, Cancel) and "karama" in order.line.lower():  # "cancel the voice with karama"
        return read_plain(text, context) or order
    asked = context.known().asked if isinstance(order, Pass) and context.known else ()
    if not asked or any(question.kind == "bid" for question in asked):
        return order
    return read_plain(text, context) or Unread(say("unread.no-order"))


def _may_say_something(line: Line) -> bool:
    return any(sign.isalnum() for sign in line.plain)


def _nearly(heard: LineWords) -> bool:
    plain = vocabulary()
    strange = [word for word in heard.words if word.number is None and word.text not in plain.known]
    return 0 < len(strange) <= 4 and len(heard.words) <= 14


# --- readings --------------------------------------------------------------------------------------------------------


def _readings(heard: LineWords, context: Context, known: WriterView, *, spelt: bool) -> Iterator[_Reading]:
    kinds = {question.kind for question in known.asked}
    texts = [word.text for word in heard.words]
    plain = vocabulary()
    denies = any(plain.negation.length(texts, place) for place in range(len(texts)))
    declines, lets = _says(heard, "weak_no"), _says(heard, "lets")
    said = plain.naming([*texts, *(known for text in texts for known in _meant_by(text))] if spelt else texts)
    for entry in plain.orders:
        asked = not kinds.isdisjoint(entry.form.kinds)
        if heard.asks and not entry.asks and entry.form.makes is not Truthtrance:
            continue
        if entry.refuses and asked and ((declines and not entry.flat) or (entry.lets and lets)):
            declined = Attempt(heard, context, known, entry, used=set(range(len(texts))))
            for reading in _kept(declined, named=False):
                yield replace(reading, sure=_is_silence(reading.order, known), declined=True)
            continue
        if denies and entry.refuses and asked and (refused := _refused(Attempt(heard, context, known, entry))):
            named = refused.told > 0
            for reading in _kept(refused, named=named):
                if named:
                    certain = not entry.unsure and not _loose(texts, _own_places(texts, entry))
                else:
                    certain = _says(heard, "flat_no" if entry.flat else "no")
                yield replace(reading, sure=reading.sure and certain)
            continue
        if entry.agrees and asked and (_says(heard, "yes") or _says(heard, "weak_yes")):
            for reading in _kept(Attempt(heard, context, known, entry, used=set(range(len(texts)))), named=False):
                yield replace(reading, sure=_says(heard, "yes"))
            continue
        if id(entry) not in said and not (entry.bare and asked):
            continue
        attempt = Attempt(heard, context, known, entry, spelt=spelt)
        named = _names_its_kind(attempt)
        if not named and not (entry.bare and asked):
            continue
        yield from _kept(attempt, named=named)


def _is_silence(order: Order, known: WriterView) -> bool:
    # Is the order the default of the only question that is open to the writer?
    return len(known.asked) == 1 and known.asked[0].default() == order


def _names_its_kind(attempt: Attempt) -> bool:
    for place, group in enumerate(attempt.entry.words):
        if not attempt.take_all(group) and not _nearly_said(attempt, group):
            if place or not attempt.entry.bare:
                return False
            attempt.used.clear()
            return False
    return True


def _nearly_said(attempt: Attempt, group: Phrases) -> bool:
    if not attempt.spelt:
        return False
    for place in attempt.unused():
        if any(group.length([word], 0) for word in _meant_by(attempt.texts[place])):
            if len(attempt.texts[place]) < 5 and not attempt.asked:
                continue
            attempt.use(place)
            blanks = any(isinstance(piece, Blank) for piece in pieces(attempt.entry.form.pattern))
            mended = len(attempt.texts[place]) > 3 and _one_letter_off(attempt.texts[place], attempt.entry)
            attempt.misspelt |= not (blanks and mended)
            return True
    return False


@lru_cache(maxsize=1024)
def _meant_by(word: str) -> tuple[str, ...]:
    plain = vocabulary()
    if len(word) < 3 or word in plain.known or not word.isalpha():
        return ()
    return tuple(known for known, _ in similar(word, plain.words_of_orders, NEAR_WORD)[:4])


def _kept(attempt: Attempt, *, named: bool) -> Iterator[_Reading]:
    plain, entry = vocabulary(), attempt.entry
    own = frozenset(attempt.used) if named else frozenset()
    attempt.named = named
    if not named and (
        any(plain.talk["state"].length(attempt.texts, place) for place in range(len(attempt.texts)))
        or (tells_a_fact(attempt.words, attempt.said.text) and not (entry.asks and attempt.texts[0] in _ASKING))
        or ("against" in attempt.texts and entry.form.pattern.startswith("ally"))
    ):
        return
    attempt.take_all(plain.filler, shortest=2)
    denials = attempt.take_all(plain.negation) if entry.denies else 0
    if entry.denies and not denials:
        return
    attempt.guessed |= denials > 1  # "I won't say: don't play poison"
    if (
        named
        and entry.refuses
        and attempt.texts[0] in _NO - {"nothing"}
        and attempt.words[0].part != attempt.words[-1].part
    ):
        attempt.use(0)  # "no, I stay put"
    orders = list(fill_blanks(attempt))
    answers = frozenset(attempt.used)
    if not named and not answers:  # it names neither the kind of order nor one of the answers
        return
    rivals = ((place, entry.rivals.length(attempt.texts, place)) for place in attempt.unused())
    if any(length > 1 and attempt.free(place + length - 1) for place, length in rivals):  # "bid up to 5" is not "bid 5"
        return
    for phrases in (entry.beside, plain.filler):
        attempt.take_all(phrases)
    loose = _takes_loose_places(attempt, answers) or _loose(attempt.texts, own)
    most = MOST_STRANGE[min(2 * named + attempt.told, 3)]
    if not orders or len(attempt.unused()) > most + MOST_MENTIONED:
        return
    if not use_up_mentions(attempt, strict=entry.refuses or entry.agrees):
        return
    texts, left = attempt.texts, attempt.unused()
    spoilt = (plain.doubt, plain.inexact, plain.negation, entry.rivals)
    if any(phrases.length(texts, place) for place in left for phrases in spoilt):
        return
    if len(left) > most or _not_yet(attempt, left) or _strange_beside(attempt, left, own, named=named):
        return
    if named:
        certain = not loose
    else:
        stated = _is_told_of(attempt, answers)
        certain = entry.agrees or entry.refuses or _bare(attempt.texts, answers) or (attempt.told > 1 and not loose)
        certain = certain and not stated
    sure = certain and not (attempt.misspelt or attempt.guessed or attempt.said.asks)
    asked = any(question.kind in entry.form.kinds for question in attempt.known.asked)
    form_words = fold_words(re.sub(r"{[^}]*}", " ", entry.form.pattern))
    itself = all(word in texts for word in form_words)
    meant = asked or form_words[0] in texts
    for order in orders:
        read = with_question_read(order, attempt.context.faction)
        yield _Reading(read, entry, named, sure, len(left), asked, meant, itself, attempt.told)


_ASKING = frozenset({"which", "what", "who"})


def _takes_loose_places(attempt: Attempt, answers: Collection[int]) -> bool:
    # Mark prepositions such as "with" and "out" as used; return whether one of them does not stand before an answer.
    loose = False
    for place in attempt.unused():
        if vocabulary().places["beside"].length(attempt.texts, place) == 1:
            attempt.use(place)
            after = place + 1
            while after < len(attempt.texts) and attempt.texts[after] in ("the", "my", "our", "a"):
                after += 1
            loose |= after not in answers
    return loose


def _is_told_of(attempt: Attempt, answers: Collection[int]) -> bool:
    # Do prepositions that no blank has used belong to a number or name: "3 from Guild", "the 5 in Arrakeen"?
    words, texts, talk = attempt.words, attempt.texts, vocabulary().talk
    form_words = set(fold_words(re.sub(r"{[^}]*}", " ", attempt.entry.form.pattern)))
    for place, word in enumerate(words[:-1]):
        if place in answers or texts[place] in form_words or not talk["tells"].length(texts, place):
            continue
        if word.text == "and" and (len(answers) != 2 or not place or _alike(words[place - 1], words[place + 1])):
            continue
        after = place + 1
        while after < len(words) - 1 and talk["articles"].length(texts, after):
            after += 1
        if after in answers and (words[after].number is not None or not talk["owning"].length(texts, place)):
            return True
    return False


def _not_yet(attempt: Attempt, left: Sequence[int]) -> bool:
    # Does the line only postpone the act ("no move yet")? It does not if it begins with a no ("no, I don't call yet").
    refuses = attempt.texts[0] in _NO and attempt.words[0].part != attempt.words[-1].part
    return not refuses and any(attempt.texts[place] == "yet" for place in left)


def _strange_beside(attempt: Attempt, left: Sequence[int], own: frozenset[int], *, named: bool) -> bool:
    # next to a mere number ("12 beers", "iPhone 12"), or after the word of an order without blanks ("pass on the beer")
    words = attempt.words
    strange = [p for p in left if attempt.texts[p].isalpha() and attempt.texts[p] not in vocabulary().known]
    if not named:
        if attempt.shortened and strange and not attempt.misspelt:
            return True  # "Old habits die hard"
        return any(
            0 <= near < len(words) and words[near].number is not None and words[near].part == words[place].part
            for place in strange
            for near in (place - 1, place + 1)
            if not _one_letter_off(attempt.texts[place], attempt.entry)
        ) or (bool(strange) and attempt.told < 2 and attempt.entry.form.pattern.startswith(("ally", "battle")))
    counted = (place for place in strange if own and place < min(own) and attempt.told < 2)
    if any(words[place - 1].number is not None and words[place - 1].part == words[place].part for place in counted):
        return True  # "3 espressos and I'm revived"
    if any(isinstance(piece, Blank) for piece in pieces(attempt.entry.form.pattern)):
        return attempt.guessed and not attempt.told and (bool(left) or _loose(attempt.texts, own))
    if attempt.told or not own:
        return False
    said = [attempt.texts[place] for place in sorted(own)]
    if any(vocabulary().negation.length(said, place) for place in range(len(said))):
        return False
    return any(place > max(own) and words[place].part == words[max(own)].part for place in strange)


def _one_letter_off(word: str, entry: OrderWords) -> bool:
    return len(word) >= 3 and any(OSA.distance(word, known) <= 1 for known in entry.words[0].firsts())


def _loose(texts: Sequence[str], own: frozenset[int]) -> bool:
    lengths = ((place, vocabulary().loose.length(texts, place)) for place in range(len(texts)))
    return any(not own >= set(range(place, place + length)) for place, length in lengths if length)


def _own_places(texts: Sequence[str], entry: OrderWords) -> frozenset[int]:
    lengths = ((place, group.length(texts, place)) for place in range(len(texts)) for group in entry.words)
    return frozenset(place + more for place, length in lengths for more in range(length))


def _bare(texts: Sequence[str], answers: Collection[int]) -> bool:
    place = 0
    while place < len(texts):
        length = 1 if place in answers else vocabulary().beside_bare.length(texts, place)
        if not length:
            return False
        place += length
    return True


def _refused(attempt: Attempt) -> Attempt | None:
    """If the line refuses what the question offers, return it as an attempt; else None. The attempt's `told` is above 0
    if the line names what it refuses. A line with a number or name unrelated to the question is not a refusal."""
    plain = vocabulary()
    heard = Attempt(attempt.said, attempt.context, attempt.known, attempt.entry)
    if any(text in _YES or plain.doubt.length(heard.texts, place) for place, text in enumerate(heard.texts)):
        return None
    heard.take_all(plain.filler, shortest=2)
    denied = _places(heard.texts, plain.negation)
    parts = [heard.words[place].part for place in denied]
    denials = heard.take_all(plain.negation)
    twice = denials == 2 and heard.texts[0] in _NO and len(set(parts)) == 2  # "no, I don't bid"
    if not denials or (denials > 1 and not (twice or _says(attempt.said, "no"))):
        return None
    if any(word.part in parts for word in _said_itself(heard)):
        return None
    others = {heard.words[place].part for place in _places(heard.texts, attempt.entry.others)}
    heard.guessed = not others <= set(parts) or (heard.texts[0] == "no" and heard.texts[1:2] in (["i"], ["we"]))
    heard.told = heard.take_all(attempt.entry.others)
    for phrases in (plain.beside_refusal, attempt.entry.beside, plain.filler, plain.places["beside"]):
        heard.take_all(phrases)
    if not use_up_mentions(heard, strict=True) or len(heard.unused()) > MOST_STRANGE[1]:
        return None
    unknown = (place for place in heard.unused() if heard.texts[place] not in plain.known)
    if not heard.told and any(heard.words[place].part in parts for place in unknown):
        return None
    if any(heard.texts[place] == "yet" for place in heard.unused()) and heard.texts[0] not in _NO:
        return None
    if any(name_at(sort, heard.texts, place) for place in heard.unused() for sort in SORTS_OF_NAMES):
        return None
    return heard


def _places(texts: Sequence[str], phrases: Phrases) -> list[int]:
    return [place for place in range(len(texts)) if phrases.length(texts, place)]


def _said_itself(heard: Attempt) -> Iterator[Word]:
    """Yield the words that are a refusal without a "no" ("stay"). Words that are themselves denied ("don't stay") are
    left out."""
    for place in range(len(heard.texts)):
        length = max(group.length(heard.texts, place) for group in heard.entry.words)
        if length and not _places(heard.texts[place : place + length], vocabulary().negation):
            yield heard.words[place]


_NO = frozenset({"no", "nope", "nah", "nothing"})
_YES = frozenset({"yes", "yep", "yeah", "yup", "aye", "ja"})


def _says(heard: LineWords, what: Literal["yes", "weak_yes", "no", "weak_no", "flat_no", "lets"]) -> bool:
    plain, place, found = vocabulary(), 0, False
    phrases: Phrases = getattr(plain, what)
    texts = [word.text for word in heard.words]
    while place < len(texts):
        length = phrases.length(texts, place)
        found |= length > 0
        length = length or plain.beside_bare.length(texts, place)
        if not length:
            return False
        place += length
    return found


# --- the verdict -----------------------------------------------------------------------------------------------------


def _verdict(readings: Sequence[_Reading], known: WriterView, context: Context) -> Order | Unread | None:
    whole = [reading for reading in readings if not reading.strange]
    legal = _best([reading for reading in whole if known.judge(reading.order)[0] != "refused"])
    if (
        len(legal) == 1 and not legal[0].itself and not legal[0].declined
    ):  # "no move, please", in reply to a question about a shipment
        spelt_out = [r for r in whole if r.itself and known.judge(r.order)[0] != "refused"]
        legal = list({write(reading.order): reading for reading in (*spelt_out, *legal)}.values())
    if len(legal) == 1 and _taken(legal[0], known, context):
        return legal[0].order
    if legal:
        return _without_faults(legal, known)
    partly = _best([r for r in readings if r.strange and known.judge(r.order)[0] != "refused"])
    if any(reading.asked for reading in partly):
        return _without_faults([reading for reading in partly if reading.asked], known)
    refused = [r for r in whole if r.meant and ((r.sure and (r.named or (r.asked and r.told))) or _is_plain_answer(r))]
    if len(_but_for_sectors(write(reading.order) for reading in refused)) == 1:
        reason = known.judge(refused[0].order)[1]
        line = write(refused[0].order) + _rest_of(refused[0].order, known)
        return Unread(say("unread.plain-refused", line=line, reason=reason))
    return _without_faults(partly, known) if partly else None


def _is_plain_answer(reading: _Reading) -> bool:
    return reading.asked and reading.named and reading.told > 1


def _without_faults(readings: Sequence[_Reading], known: WriterView) -> Unread | None:
    # Propose the plans that can be fought. If there is only one plan and it cannot be fought, say why.
    faults = {write(reading.order): known.faults(reading.order) for reading in readings}
    sound = [reading for reading in readings if not faults[write(reading.order)]]
    if sound or len(faults) > 1:
        return _proposed(sound)
    return next(Unread(say("unread.plain-refused", line=line, reason=reason)) for line, reason in faults.items())


def _rest_of(order: Order, known: WriterView) -> str:
    # Return the blank for tokens that a placement leaves out, like ", 3 in ______".
    tokens = next((q.about.get("tokens") for q in known.asked if q.kind in ANSWERS.get(type(order), ())), None)
    placed = sum(forces.total for forces, _ in order.groups) if isinstance(order, Place) else 0
    return f", {tokens - placed} in ______" if placed and isinstance(tokens, int) and tokens > placed else ""


def _best(readings: Sequence[_Reading]) -> list[_Reading]:
    if not readings:
        return []
    best = max(map(_weight, readings))
    found: dict[str, _Reading] = {}
    for reading in sorted(readings, key=lambda r: not r.sure):
        if _weight(reading) == best:
            found.setdefault(write(reading.order), reading)
    return list(found.values())


def _weight(reading: _Reading) -> tuple[bool, bool, int]:
    if reading.strange:
        return reading.asked, reading.named, -reading.strange
    return reading.asked, reading.named, 0


def _taken(reading: _Reading, known: WriterView, context: Context) -> bool:
    """Return True if the reading may be carried out as the order. It must be sure and of a kind for which this is
    allowed, and it must either contain all words of its form or answer an open question."""
    entry = reading.entry
    if (
        not (context.takes and reading.sure)
        or not (entry.taken or _answers_plainly(reading) or (entry.refuses and _is_silence(reading.order, known)))
        or (entry.aloud and not reading.named)
    ):
        return False
    return reading.itself or reading.asked


def _answers_plainly(reading: _Reading) -> bool:
    # Is it an answer to an open question that says more than a mere yes or no to something with a price?
    return reading.asked and (reading.named or reading.told > 1)


def _proposed(readings: Sequence[_Reading]) -> Unread | None:
    lines = tuple(write(reading.order) for reading in readings)
    if not lines or (len(lines) > MOST_PROPOSED and len(_but_for_sectors(lines)) > MOST_PROPOSED):
        return None
    quoted = [f"“{line}”" for line in lines]
    return Unread(say("unread.plain" if len(lines) == 1 else "unread.plain-some", lines=quoted), lines)


def _but_for_sectors(lines: Iterable[str]) -> set[str]:
    return {_SECTOR.sub("", line) for line in lines}


_SECTOR = re.compile(r"/\d+")
LONGEST_COURTESY = 5  # words
LONGEST_SIGNATURE = 3  # words


def without_courtesies(heard: LineWords) -> LineWords:
    kept = [words for words in _parts(heard) if not _courteous(words)]
    return LineWords(heard.text, tuple(word for words in kept for word in words), heard.asks)


@lru_cache(maxsize=1024)
def greets(line: str) -> bool:
    heard = cut_line(tidy(line)) if len(line) <= LONGEST else None
    parts = _parts(heard) if heard and not heard.asks else []
    courtesies = [_courteous(part) for part in parts]
    if not any(courtesies) or any(_of_the_game(part) for part in parts):
        return False
    named = len(parts) > 1 and courtesies[0] and not courtesies[-1] and _is_name(parts[-1])
    return all(courtesies[:-1] if named else courtesies)


def _of_the_game(words: Sequence[Word]) -> bool:
    texts = [word.text for word in words]
    texts = texts[vocabulary().courtesy.length(texts, 0) :]
    return not set(texts).isdisjoint(vocabulary().words_of_orders) or any(
        name_at(sort, texts, place) for sort in ("territory", "card") for place in range(len(texts))
    )


def _is_name(words: Sequence[Word]) -> bool:
    return len(words) <= LONGEST_SIGNATURE and not any(
        word.number is not None or word.text in vocabulary().known for word in words
    )


def _parts(heard: LineWords) -> list[list[Word]]:
    parts: dict[int, list[Word]] = {}
    for word in heard.words:
        parts.setdefault(word.part, []).append(word)
    return list(parts.values())


def _courteous(words: Sequence[Word]) -> bool:
    texts = [word.text for word in words]
    plain = vocabulary()
    after = plain.courtesy.length(texts, 0)
    if not after or len(words) > LONGEST_COURTESY or any(word.number is not None for word in words):
        return False
    if texts[0] == "for" and not plain.units["card"].union(plain.units["turn"]).isdisjoint(texts):
        return False  # the "for" in "for the next card" is not part of a battle cry
    while after < len(texts) and (more := max(plain.courtesy.length(texts, after), plain.filler.length(texts, after))):
        after += more
    if after < len(texts) and any(entry.words[0].length(texts, after) for entry in plain.orders):
        return False
    return not any(plain.negation.length(texts, place) for place in range(len(texts)))
