"""Apply corrections to an order: "make that 6", "Duncan instead of Jessica", "add the snooper", "2 more".

A correction names a new value for a blank of the order, or another order that answers the same question. If several
blanks could take the new value, prepositions and the value to be replaced decide which blank is meant. If they leave
several possible results, all of these are returned, and none is marked as sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from bot.effort import charge
from bot.language.attempts import SORTS_OF_BLANKS, Attempt, Quantity, find_quantities, is_elite, name_at, names_value
from bot.language.command_lines import Command, CommandContext, corrected
from bot.language.forms import FORMS, Blank, Form, pieces, write
from bot.language.lines import Context, WriterView, tidy
from bot.language.moves import Said, Sort, move_words, said
from bot.language.orders import Unread, read_as_written
from bot.language.sheets import AskMe, SheetLine
from bot.language.slots import SPREAD
from bot.language.vocabulary import OrderWords, cut_line, vocabulary
from rules.components import Card, Forces, is_defense, is_weapon
from rules.components.board import TERRITORIES, Area, TerritoryId
from rules.orders import ANSWERS, CHEAP_HERO, Deal, Karama, NoKarama, Order

Read = Callable[[str], object]
Instruction = Order | SheetLine | Command
"""The instruction that a line of a mail gives to Mentat, and that a correction changes."""
MOST_CANDIDATES = 4
MOST_LEFT_OVER = 4  # unknown words that a correction may have and still be proposed


@dataclass(frozen=True, slots=True)
class Mended:
    """The possible results of correcting an order. `sure` is true if there is only one result, and no word of the
    correction is left over."""

    orders: tuple[Instruction, ...]
    sure: bool


@dataclass(frozen=True, slots=True)
class Change:
    """The change that a correction asks for, without the words that mark it as a correction. `value` is the new value,
    and `old` the value to be replaced, or "". `how` says whether to set, add or remove the value, or to increase or
    decrease a number by it."""

    value: str
    old: str = ""
    how: Literal["set", "add", "remove", "more", "less"] = "set"
    whole: str = ""
    marked: bool = False

    @property
    def is_marked(self) -> bool:
        return self.marked or bool(self.old)


def change_in(text: str, *, marked: bool) -> Change | None:
    """Return the change that a text describes, or None. `marked` is true if other words have already marked the text as
    a correction. Otherwise, the text must name both the old and the new value: "5 instead of 4".

    >>> change_in("Duncan instead of Jessica please", marked=False)
    Change(value='Duncan', old='Jessica please', how='set', whole='', marked=False)
    """
    found = _change_in(text, marked=marked)
    return found and replace(found, marked=found.marked or marked)


def _change_in(text: str, *, marked: bool) -> Change | None:
    heard = said(text)
    if (
        not heard.words
        or "?" in text
        or heard.words[:2] == ("no", "more")
        or any(heard.has(sort) for sort in _NO_CHANGE)
    ):
        return None
    if swapped := _swapped(heard):
        return swapped
    if (length := heard.length("over", 0)) > 1:  # "instead of Jessica put Gurney"
        for place in range(length + 1, len(heard.words) - 1):
            if put := heard.length("add", place):
                return Change(heard.written(place + put, len(heard.words)), heard.written(length, place))
    for place in range(1, len(heard.words)):
        if length := heard.length("becomes", place):  # "5 -> 4", "which should have been 4"
            old, value = heard.written(0, place), heard.written(place + length, len(heard.words))
            if value:
                return Change(value, old) if names_value(said(old).words) else _subject(said(old), value)
        if length := heard.length("over", place):
            value, old = heard.written(0, place), heard.written(place + length, len(heard.words))
            if value and old and (marked or heard.words[place] != "for"):
                pronoun = said(old).words in _PRONOUNS
                return Change(value, "" if pronoun else old, marked=pronoun)
    if (length := heard.length("add", 0)) and (marked or heard.words[0] in _SAYS_ADD):
        return Change(heard.written(length, len(heard.words)), how="add")
    if (length := heard.length("remove", 0)) and heard.words[0] != "minus":
        return (
            Change(heard.written(length, len(heard.words)), how="remove", whole=text)
            if length < len(heard.words)
            else None
        )
    return _by_how_much(heard) or (Change(text) if marked else None)


def _by_how_much(heard: Said) -> Change | None:
    for how in ("more", "less"):
        for place in range(1, len(heard.words)):
            if length := heard.length(how, place):
                value, rest = heard.written(0, place), heard.written(place + length, len(heard.words))
                if any(word.isdigit() for word in said(rest).words):  # "half a point more: 4.5"
                    return None
                return Change(f"{value} {rest}".strip(), how=how)  # "3 more hours please"
    if heard.words[0] == "minus" and len(heard.words) > 1:
        return Change(heard.written(1, len(heard.words)), how="less")
    if heard.length("more", 0) and len(heard.words) > 1:
        return Change(heard.written(1, len(heard.words)), how="more")
    return None


def _subject(heard: Said, value: str) -> Change:
    said_of = [word for word in heard.words if not move_words()["pointing"].length([word], 0) and word != "which"]
    return Change(" ".join([*said_of, value]), marked=True)


_NO_CHANGE: Sequence[Sort] = ("draft", "doubt", "report", "condition", "later")
_PRONOUNS = {(word,) for word in ("her", "him", "it", "that", "them", "those", "this")}
_SAYS_ADD = frozenset({"+", "plus", "add", "adding", "put", "include", "additionally"})
_SWAPPED = re.compile(
    r"(?:not|no)\s+(?P<denied>[^,]+),\s*(?P<instead>[^,]+)"
    r"|(?:not|replace|change|swap|exchange)\s+(?P<old>.+?)\s+(?:but|with|to|for|by|against)\s+(?P<value>.+)",
    re.IGNORECASE,
)
_SED = re.compile(r"s/(?P<old>[^/]+)/(?P<value>[^/]+)/?")


def _swapped(heard: Said) -> Change | None:
    text = heard.text.strip(" .!,;")
    match = _SWAPPED.fullmatch(text) or _SED.fullmatch(text)
    if match is None:
        return None
    found = match.groupdict()
    if found.get("denied"):
        return Change(found["instead"], found["denied"]) if names_value(said(found["denied"]).words) else None
    return Change(match["value"], match["old"])


def mend(target: Instruction, change: Change, context: Context, read: Read) -> Mended | None:
    """Return the possible results of applying a change to an order, or None if the words name nothing in that order.
    `read` reads the new words as a separate order."""
    if isinstance(target, Command):
        return _mend_command(target, change, context)
    order = target.order if isinstance(target, SheetLine) else target
    if isinstance(order, AskMe) or context.known is None:
        return None
    charge()
    known = context.known()
    found = _flipped(order, change) or _with_terms(order, change, context) or _with_value(order, change, context, known)
    if found is None and change.how == "remove":
        found = _with_value(order, Change(change.whole or change.value), context, known)
    if found is None and change.how == "set":
        return _another(target, order, change, read, context)
    if found is None:
        return None
    if len(found.orders) > 1 and not isinstance(target, SheetLine):
        legal = tuple(each for each in found.orders if isinstance(each, Order) and known.judge(each)[0] != "refused")
        found = Mended(legal or found.orders, found.sure)
    orders = tuple(_inside(target, each) for each in found.orders if isinstance(each, Order))
    return Mended(orders[:MOST_CANDIDATES], found.sure and len(orders) == 1)


def _mend_command(command: Command, change: Change, context: Context) -> Mended | None:
    if change.how in ("add", "remove") or not isinstance(context, CommandContext):
        return None
    meant = corrected(command, change.value, change.old, change.how == "more", context)
    found = {each.line: each for each in meant if each.line.lower() != command.line.lower()}
    return Mended(tuple(found.values())[:MOST_CANDIDATES], len(found) == 1) if found else None


def _flipped(order: Order, change: Change) -> Mended | None:
    if not isinstance(now := getattr(order, "play", None), bool):
        return None
    changed = msgspec.structs.replace(order, play=not now)
    text = f"{change.how if change.how == 'remove' else ''} {change.whole or change.value}"
    words, own = set(said(text).words), set(said(write(order)).words) | set(said(write(changed)).words)
    denied = {"not", "dont", "no"} & words
    if bool(denied) == now and words - denied - {"remove", "do"} and words - denied - {"remove", "do"} <= own:
        return Mended((changed,), sure=True)
    return None


_TERM = re.compile(r"(?<=; )((?:I|you) (?:pay|escrow)) (\d+)")
_NEW_TERM = re.compile(
    r"(?:(?P<term>(?:i|you) (?:pay|escrow)) )?(?P<number>\d+)(?: spice)?(?: please)?[.!]*", re.IGNORECASE
)


def _with_terms(order: Order, change: Change, context: Context) -> Mended | None:
    # "make that 3", "you pay 4"
    match = _NEW_TERM.fullmatch(change.value.strip()) if isinstance(order, Deal) and change.how == "set" else None
    if match is None:
        return None
    line, term = write(order), (match["term"] or "").lower()
    places = [each for each in _TERM.finditer(line) if term in ("", each[1].lower()) and change.old in ("", each[2])]
    typed = [
        read_as_written(f"{line[: each.start(2)]}{match['number']}{line[each.end(2) :]}", context) for each in places
    ]
    found = tuple(each for each in typed if isinstance(each, Deal))
    return Mended(found, len(found) == 1) if found else None


def sorts_of(order: Order | Command) -> tuple[tuple[str, ...], bool]:
    if isinstance(order, Command):
        return ("faction",), any(sign.isdigit() for sign in order.line.partition(": ")[0])
    return sorts_of_type(type(order))


def sorts_of_type(made: type) -> tuple[tuple[str, ...], bool]:
    form = next((form for form in FORMS if form.makes is made), None)
    slots = [piece.slot_name for piece in pieces(form.pattern) if isinstance(piece, Blank)] if form else []
    sorts = dict.fromkeys(sort for slot in slots for sort in SORTS_OF_BLANKS.get(slot, ()))
    return tuple(sorts), any(slot in ("number", "forces", "groups", "plan") for slot in slots)


def _inside(target: Order | SheetLine, order: Order) -> Order | SheetLine:
    return replace(target, order=order) if isinstance(target, SheetLine) else order


def _another(target: Order | SheetLine, order: Order, change: Change, read: Read, context: Context) -> Mended | None:
    found = read(change.value)
    if isinstance(found, Unread) and not change.old and not found.suggestions:
        with_verb = read(f"{write(order).split()[0]} {change.value}")
        found = with_verb if type(with_verb) is type(order) else found
    sure = isinstance(found, Order) and not change.old
    if isinstance(found, Unread):
        typed = [read_as_written(line, context) for line in found.suggestions]
        orders = [each for each in typed if isinstance(each, Order)]
    else:
        orders = [found] if isinstance(found, Order) else []
    alike = [each for each in orders if answer_the_same(order, each)]
    if not alike or len(alike) < len(orders):
        return None
    return Mended(tuple(_inside(target, each) for each in alike), sure)


def answer_the_same(one: Order | Command, other: Order | Command) -> bool:
    if isinstance(one, Command) or isinstance(other, Command):
        same = isinstance(one, Command) and isinstance(other, Command)
        return same and one.subject == other.subject != ""  # type: ignore[union-attr]  # both are commands
    kinds = set(ANSWERS.get(type(one), ()))
    if {type(one), type(other)} == {Karama, NoKarama}:
        return True
    return type(one) is type(other) or not kinds.isdisjoint(ANSWERS.get(type(other), ()))


# --- values ----------------------------------------------------------------------------------------------------------


def _with_value(order: Order, change: Change, context: Context, known: WriterView) -> Mended | None:
    form = next((form for form in FORMS if form.makes is type(order) and form.values(order) is not None), None)
    if form is None or form.inside:
        return None
    found: dict[str, Order] = {}
    sure, target = True, _Target(order, form, context, known)
    for blank in (piece for piece in pieces(form.pattern) if isinstance(piece, Blank)):
        for fields, certain in _values_for(target, blank, change):
            if change.old:
                before = _replaced(target, blank, change, fields)
                if before is None:
                    continue
                certain &= before
            try:
                made = msgspec.structs.replace(order, **fields)
                found.setdefault(write(made), made)
            except (TypeError, ValueError):
                continue
            sure &= certain
    if not found:
        return None
    return Mended(tuple(found.values()), sure and len(found) == 1)


@dataclass(frozen=True, slots=True)
class _Target:
    order: Order
    form: Form
    context: Context
    known: WriterView


def _replaced(target: _Target, blank: Blank, change: Change, fields: dict[str, Any]) -> bool | None:
    for before, certain in _values_for(target, blank, Change(change.old)):
        same = before.keys() & fields.keys()
        if same and all(_alike(before[key], getattr(target.order, key)) for key in same):
            return certain
    return None


def _alike(one: object, other: object) -> bool:
    if isinstance(one, str) and isinstance(other, str):  # an area and its territory
        return one.partition("/")[0] == other.partition("/")[0]
    return one == other


_NO_LIST = re.compile(r"^\s*(\d+)[.)]\s+")  # "no: 3. And 3 spice" corrects two numbers and is not a list


def _values_for(target: _Target, blank: Blank, change: Change) -> Iterator[tuple[dict[str, Any], bool]]:
    order = target.order
    heard = cut_line(tidy(_NO_LIST.sub(r"\1, ", change.value)))
    if heard is None or heard.asks or not heard.words:
        return
    attempt = Attempt(heard, target.context, target.known, _entry_of(target.form))
    if not change.old:
        _point_at(attempt, blank, order)
    values = list(
        _plan(attempt, order, change) if blank.slot_name == "plan" else _single(attempt, blank, order, change)
    )
    left = _left_over(attempt) if values else []
    if len(left) > MOST_LEFT_OVER or any(_matters(attempt, place) for place in left):
        return
    for value in values:
        yield value, not (left or attempt.guessed or attempt.misspelt) and len(values) == 1


def _point_at(attempt: Attempt, blank: Blank, order: Order) -> None:
    # Mark as used the names of areas that the order already has in another blank: "7 from Arrakeen".
    for field, role in (("source", "from"), ("target", "to")):
        now = getattr(order, field, None)
        if field == blank.field or not isinstance(now, str):
            continue
        for meant in list(attempt.names("territory")):
            before = attempt.word_before(meant.place)
            says = before is not None and vocabulary().places[role].length([attempt.texts[before]], 0)
            places = range(meant.place, meant.after)
            if says and before is not None and [*meant.values] == [now.partition("/")[0]]:
                attempt.use(before)
            else:
                attempt.used.difference_update(places)


def _entry_of(form: Form) -> OrderWords:
    orders = vocabulary().orders
    return next((entry for entry in orders if entry.form.makes is form.makes), orders[0])


def _left_over(attempt: Attempt) -> list[int]:
    plain = vocabulary()
    for phrases in (
        plain.filler,
        plain.beside_bare,
        plain.courtesy,
        plain.places["beside"],
        attempt.entry.beside,
        *attempt.entry.words,
    ):
        attempt.take_all(phrases)
    units = {word for unit in plain.units.values() for word in unit} | {
        *plain.ordinary,
        "them",
        "those",
        "plan",
        "same",
        "else",
        "me",
    }
    return [place for place in attempt.unused() if attempt.texts[place] not in units]


def _matters(attempt: Attempt, place: int) -> bool:
    plain, texts = vocabulary(), attempt.texts
    named = (name_at(sort, texts, place) for sort in ("faction", "territory", "leader", "card"))
    return (
        attempt.words[place].number is not None
        or plain.negation.length(texts, place) > 0
        or any(name is not None and name.whole for name in named)
    )


def _single(attempt: Attempt, blank: Blank, order: Order, change: Change) -> Iterator[dict[str, Any]]:
    if blank.slot_name in SPREAD:
        return
    now = getattr(order, blank.field)
    match blank.slot_name:
        case "number" if change.how != "remove":
            attempt.guessed |= change.how == "add"
            number = _number(attempt)
            if number is not None and not number % 1:
                sign = {"more": 1, "add": 1, "less": -1}.get(change.how, 0) if isinstance(now, int) else 0
                yield {blank.field: now + sign * int(number) if sign else int(number)}
        case "forces" if change.how == "remove":
            yield from _without_elite(attempt, blank, order)
        case "forces":
            attempt.guessed |= change.how == "add"
            yield from _forces(attempt, blank, order, change)
        case "area" if change.how == "set":
            yield from _area(attempt, blank)
        case "territory" if change.how == "set":
            yield from ({blank.field: TerritoryId(value)} for value in _named(attempt, "territory", ()))
        case "faction" if change.how == "set":
            yield from ({blank.field: value} for value in _named(attempt, "faction", attempt.context.factions))
        case "leader" | "traitor" if change.how == "set":
            likely = (*attempt.context.traitors, *attempt.context.leaders)
            yield from ({blank.field: value} for value in _named(attempt, "leader", likely))
        case "card" if change.how == "set":
            yield from ({blank.field: Card(value)} for value in _named(attempt, "card", attempt.context.hand))
        case "kind" | "element" | "phase" | "token" as sort if change.how == "set":
            yield from ({blank.field: value} for value in _named(attempt, sort, ()))
        case _:
            return


def _number(attempt: Attempt) -> float | None:
    places = [place for place in attempt.unused() if attempt.words[place].number is not None]
    if len(places) != 1 or attempt.words[places[0]].ordinal:
        return None
    unit = attempt.texts[places[0] - 1] if places[0] else ""
    if any(unit in vocabulary().units[each] for each in ("card", "sector")):  # "card 3" is not an amount
        return None
    attempt.use(places[0])
    return attempt.words[places[0]].number


def _forces(attempt: Attempt, blank: Blank, order: Order, change: Change) -> Iterator[dict[str, Any]]:
    now = getattr(order, blank.field)
    found = find_quantities(attempt.words, attempt.free, attempt.use, attempt.context.faction)
    if not found or len(found) > 1:
        return
    source = getattr(order, "source", None)
    there = attempt.known.forces.get(Area(source), Forces()) if isinstance(source, str) else attempt.known.reserves
    meant = Quantity.of(found[0], there)
    if not meant:
        return
    if change.how in ("more", "add"):
        meant = now + meant
    elif change.how == "less":
        if not now.covers(meant):
            return
        meant = now - meant
    elif now.elite and not meant.elite:
        attempt.guessed = True
    yield {blank.field: meant}


def _without_elite(attempt: Attempt, blank: Blank, order: Order) -> Iterator[dict[str, Any]]:
    """Yield the order's forces without elite ones: 2+1 becomes 2, or 3 if an ordinary force replaces the elite one."""
    now: Forces = getattr(order, blank.field)
    elite = [place for place, text in enumerate(attempt.texts) if is_elite(text, attempt.context.faction)]
    if elite:
        attempt.use(elite[0])
        yield from ({blank.field: meant} for meant in dict.fromkeys((Forces(now.ordinary), Forces(now.total))) if meant)


def _area(attempt: Attempt, blank: Blank) -> Iterator[dict[str, Any]]:
    found = list(attempt.names("territory"))
    if len(found) != 1:
        return
    before = attempt.word_before(found[0].place)
    word = attempt.texts[before] if before is not None else ""
    role = next((role for role in ("from", "to") if [word] and vocabulary().places[role].length([word], 0)), "")
    if role and before is not None:
        attempt.use(before)
        if (blank.field == "source") != (role == "from"):
            return
    after = found[0].after
    numbers = [p for p in attempt.unused() if p >= after and attempt.words[p].number is not None]
    for value in found[0].values:
        areas: Sequence[Area] = TERRITORIES[TerritoryId(value)].areas
        if numbers:
            sector = int(attempt.words[numbers[0]].number or 0)
            areas = [area for area in areas if area.endswith(f"/{sector}")]
            attempt.use(numbers[0])
            for place in range(after, numbers[0]):
                attempt.use(place)
        if blank.field == "source":
            areas = [area for area in areas if attempt.known.forces.get(area)]
        attempt.guessed |= len(areas) > 1
        yield from ({blank.field: area} for area in areas)


def _named(attempt: Attempt, sort: str, likely: Sequence[str] | frozenset[str]) -> Sequence[str]:
    found = list(attempt.names(sort, likely))
    if len(found) != 1:
        attempt.spelt = True
        found = list(attempt.names(sort, likely)) if not found else []
    return found[0].values if found else ()


# --- the parts of a battle plan --------------------------------------------------------------------------------------


def _plan(attempt: Attempt, order: Order, change: Change) -> Iterator[dict[str, Any]]:
    plain = vocabulary().plan
    fields: dict[str, Any] = {}
    if attempt.take_all(plain["kwisatz_haderach"]):
        fields["kwisatz_haderach"] = change.how != "remove"
    if change.how != "remove" and attempt.take_all(plain["no_leader"]):
        fields["leader"] = None
    for word in ("weapon", "defense"):
        denied = _denied(attempt, word)
        if denied or (change.how == "remove" and word in attempt.texts):
            fields[word] = None
            attempt.use(attempt.texts.index(word))
    for meant in attempt.names("card", attempt.context.hand):
        if len(meant.values) > 1 or change.how in ("more", "less"):
            return
        card = Card(meant.values[0])
        if card.startswith("Cheap Hero"):
            fields["leader"] = None if change.how == "remove" else CHEAP_HERO
            continue
        slot = _slot_of(card, order)
        if not slot or slot in fields:
            return
        if change.how == "remove" and getattr(order, slot) != card:
            return
        fields[slot] = None if change.how == "remove" else card
    now = getattr(order, "leader", None)
    fighters = [meant.values for meant in attempt.names("fighter", attempt.context.leaders)]
    if len(fighters) == 2 and change.how != "add":  # "leave Stilgar out of it, Chani goes"
        fighters = [values for values in fighters if values != (now,)]
    if len(fighters) > 1 or (fighters and (len(fighters[0]) > 1 or change.how in ("remove", "more", "less"))):
        return
    if fighters:
        fields["leader"] = fighters[0][0]
    yield from _with_numbers(attempt, order, change, fields)


def _denied(attempt: Attempt, word: str) -> bool:
    if word not in attempt.texts:
        return False
    place = attempt.texts.index(word)
    if place and attempt.texts[place - 1] in ("no", "without"):
        attempt.use(place - 1)
        return True
    return False


def _slot_of(card: Card, order: Order) -> str:
    if is_weapon(card):
        return "weapon"
    if is_defense(card):
        return "defense"
    return next((slot for slot in ("weapon", "defense") if getattr(order, slot) in (None, card)), "")


def _with_numbers(attempt: Attempt, order: Order, change: Change, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    numbers = [place for place in attempt.unused() if attempt.words[place].number is not None]
    if not numbers:
        if fields:
            yield fields
        return
    if len(numbers) > 1:
        return
    place = numbers[0]
    number = attempt.words[place].number or 0
    attempt.use(place)
    around = {*attempt.texts[max(0, place - 2) : place], *attempt.texts[place + 1 : place + 2]}
    spice = bool(around & {"spice", "sp", "pay", "paying", "support", "supported"})
    plain = vocabulary().plan["dial"]
    dials = number % 1 or any(plain.length(attempt.texts, each) for each in range(len(attempt.texts)))
    attempt.take_all(plain)
    for field in ("spice",) if spice else ("dial",) if dials or not getattr(order, "spice", 0) else ("dial", "spice"):
        now = getattr(order, field) or 0
        value = now + number if change.how == "more" else now - number if change.how == "less" else number
        yield {**fields, field: int(value) if field == "spice" else value}
