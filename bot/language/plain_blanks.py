"""Fill the blanks of a form from a line in plain words; one blank may get several possible values.

If the line does not give a quantity, a place or a name, the position is searched for it. If only one value is possible
there, it is filled in, but the order is then only proposed. The parts of a battle plan are read together: "I dial 2
with Otheym and a shield".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from bot.language.attempts import Attempt, NameMatch, Quantity, find_quantities, name_at
from bot.language.forms import Blank, pieces
from bot.language.vocabulary import vocabulary
from rules.components import CARDS, Card, Forces, board, is_defense, is_weapon, leaders_of
from rules.components.board import TERRITORIES, Area, TerritoryId
from rules.orders import CHEAP_HERO, Order

_SPICE = frozenset({"spice", "sp", "spices", "melange"})
_PAYS = frozenset({"spice", "pay", "paying", "spend", "spending", "support", "supporting"})
_TROOPS = frozenset({"troops", "tokens", "forces", "men", "token", "strength"})


def plan_parts(attempt: Attempt) -> Sequence[dict[str, Any]] | None:
    plan: dict[str, Any] = {
        "dial": None,
        "spice": 0,
        "leader": None,
        "kwisatz_haderach": False,
        "weapon": None,
        "defense": None,
    }
    nobody = attempt.take_all(vocabulary().plan["no_leader"])
    attempt.take_all(vocabulary().plan["no_cards"])
    plan["kwisatz_haderach"] = bool(attempt.take_all(vocabulary().plan["kwisatz_haderach"]))
    cards = list(attempt.names("card", attempt.context.hand))
    likely = [*(attempt.context.leaders or leaders_of(attempt.context.faction)), CHEAP_HERO]
    fighters = [meant.values for meant in attempt.names("fighter", likely)]
    heroes = [c for c in cards if c.values[0].startswith("Cheap Hero")]
    if heroes:
        fighters.append((CHEAP_HERO,))
        cards = [c for c in cards if c not in heroes]
    if len(set(fighters)) + bool(nobody) != 1 or any(len(meant.values) > 1 for meant in cards):
        return None
    if not _plan_numbers(attempt, plan):
        return None
    if not _sort_cards([Card(meant.values[0]) for meant in cards], plan):
        return None
    attempt.guessed |= "nobody" in attempt.texts or any(
        meant.values[0] not in attempt.context.hand for meant in (*cards, *heroes)
    )
    leaders = fighters[0] if fighters else (None,)
    attempt.guessed |= len(leaders) > 1
    return [{**plan, "leader": leader} for leader in leaders]


def half_plan(attempt: Attempt) -> str:
    # If the line names a leader or a card, return the battle plan with it and with blanks for the rest; else "".
    plan: dict[str, Any] = {"weapon": None, "defense": None}
    cards = list(attempt.names("card", attempt.context.hand))
    fighters = list(attempt.names("fighter", attempt.context.leaders))
    number = next((place for place in attempt.unused() if attempt.words[place].number is not None), None)
    attempt.take_all(vocabulary().plan["dial"])
    own = {*attempt.context.hand, *attempt.context.leaders}
    single = all(len(meant.values) == 1 and own.issuperset(meant.values) for meant in (*cards, *fighters))
    single &= len(fighters) < 2
    if not (cards or fighters) or not single or not _sort_cards([Card(meant.values[0]) for meant in cards], plan):
        return ""
    dial = "_" if number is None else attempt.texts[number]
    attempt.used.update(() if number is None else (number,))
    parts = {"plan": "dial", dial: "leader", fighters[0].values[0] if fighters else "______": ""}
    parts.update({part: str(card) for part, card in plan.items() if card})
    return " ".join(word for part in parts.items() for word in part if word)


def _plan_numbers(attempt: Attempt, plan: dict[str, Any]) -> bool:
    for place in attempt.unused():
        word = attempt.words[place]
        if word.number is None or word.ordinal:
            continue
        before = attempt.texts[place - 1] if place else ""
        after = attempt.texts[place + 1] if place + 1 < len(attempt.words) else ""
        paid = before in _PAYS or (before == "for" and place > 1 and attempt.texts[place - 2] in _PAYS)
        behind = attempt.words[place + 2].number if place + 2 < len(attempt.words) else None
        spice = (after in _SPICE and behind is None) or (paid and after not in _TROOPS)
        attempt.guessed |= paid and not spice
        if spice:
            if plan["spice"] or word.number % 1:
                return False
            plan["spice"] = int(word.number)
        elif plan["dial"] is None:
            plan["dial"] = word.number
        else:
            return False
        attempt.use(place)
        if after in _SPICE or after in _TROOPS:
            attempt.use(place + 1)
        if before in _PAYS:
            attempt.use(place - 1)
    if not plan["spice"] and plan["dial"] is not None and attempt.take_all(vocabulary().plan["fully"]):
        attempt.guessed |= plan["dial"] % 1 != 0
        plan["spice"] = int(plan["dial"])
    if not plan["spice"] and attempt.take_all(vocabulary().plan["all_spice"]):
        attempt.guessed = True
        plan["spice"] = attempt.known.spice
    attempt.take_all(vocabulary().plan["dial"])
    attempt.told += 1
    return plan["dial"] is not None


def _sort_cards(cards: Sequence[Card], plan: dict[str, Any]) -> bool:
    worthless = [card for card in cards if not is_weapon(card) and not is_defense(card)]
    for card in cards:
        slot = "weapon" if is_weapon(card) else "defense" if is_defense(card) else ""
        if slot and plan[slot]:
            return False
        if slot:
            plan[slot] = card
    for card in worthless:
        slot = next((slot for slot in ("weapon", "defense") if plan[slot] is None), "")
        if not slot or CARDS[card].kind != "worthless":
            return False
        plan[slot] = card
    return True


MOST_WAYS = 60

Values = dict[str, Any]


def fill_blanks(attempt: Attempt) -> Iterator[Order]:
    blanks = [piece for piece in pieces(attempt.entry.form.pattern) if isinstance(piece, Blank)]
    ways: list[Sequence[Values]] = []
    for blank in sorted(blanks, key=lambda blank: _SEQUENCE.index(_FILLERS[blank.slot_name][0])):
        if blank.slot_name in ("area", "territory", "via", "areas") and any("place" in way[0] for way in ways if way):
            continue
        found = _FILLERS[blank.slot_name][1](attempt, blank)
        if found is None:
            return
        ways.append(found)
    for way in islice(product(*ways), MOST_WAYS):
        values = {key: value for part in way for key, value in part.items() if key != "place"}
        yield from _make_order(attempt, blanks, values)


def _make_order(attempt: Attempt, blanks: Sequence[Blank], values: Values) -> Iterator[Order]:
    if isinstance(quantity := values.get("forces"), Quantity):
        there = _there(attempt, values)
        attempt.guessed |= bool(quantity.counted) and quantity.counted != there.total
        forces = quantity.of(there)
        if not forces:
            return
        values = {**values, "forces": forces}
    names = {field for blank in blanks for field in blank.fields}
    if missing := names - values.keys():
        yield from _completed(attempt, values, missing)
        return
    try:
        order = attempt.entry.form.make(values)
    except (TypeError, ValueError):
        return
    if isinstance(order, Order):
        yield order


def _completed(attempt: Attempt, values: Values, missing: set[str]) -> Iterator[Order]:
    """Yield the sample answers to the open question that agree with what the line says and differ from it only in what
    the line leaves out."""
    form = attempt.entry.form
    fixed = {**form.fixed, **values}
    found: dict[tuple[Any, ...], Order] = {}
    for question in attempt.known.asked:
        for sample in question.samples() if question.kind in form.kinds else ():
            if type(sample) is form.makes and all(getattr(sample, key) == value for key, value in fixed.items()):
                found.setdefault(tuple(getattr(sample, key) for key in sorted(missing)), sample)
    if missing == {"faction"} and not found:
        return
    attempt.guessed |= len(found) > 1 or not missing <= {"faction", "territory", "opponent"}
    if len(found) <= 3:
        yield from found.values()


def _there(attempt: Attempt, values: Values) -> Forces:
    if isinstance(source := values.get("source"), str):
        return attempt.known.forces.get(Area(source), Forces())
    pattern = attempt.entry.form.pattern
    if pattern.startswith("ship"):
        return attempt.known.reserves
    for question in attempt.known.asked:
        if question.kind in attempt.entry.form.kinds and isinstance(tokens := question.about.get("tokens"), int):
            return Forces(tokens)
    return attempt.known.tanks if pattern.startswith(("revive", "ghola", "karama")) else Forces()


# --- numbers and forces ----------------------------------------------------------------------------------------------

_UNIT_OF = {"turn": "turn", "sectors": "sector", "number": "sector"}


def _number(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    unit = vocabulary().units[
        "card" if attempt.entry.form.pattern.startswith("karama take") else _UNIT_OF.get(blank.field, "spice")
    ]
    others = {word for words in vocabulary().units.values() for word in words} - unit
    found: list[int] = []
    for place in attempt.unused():
        word = attempt.words[place]
        if word.number is None or (word.ordinal and blank.field != "turn"):
            continue
        after = attempt.texts[place + 1] if place + 1 < len(attempt.words) else ""
        before = attempt.texts[place - 1] if place else ""
        if after in others or after in vocabulary().ordinary or after in vocabulary().regular or word.number % 1:
            return None
        if before in others - {"s", "t"} and before != "space":
            continue
        if not attempt.named and blank.field != "turn" and _of_no_order(attempt.texts, place):
            return None
        if before == "half" or attempt.texts[max(0, place - 3) : place][:1] == ["half"]:
            return None
        attempt.use(place)
        if after in unit:
            attempt.use(place + 1)
        if before in unit and attempt.free(place - 1):
            attempt.use(place - 1)
            attempt.guessed |= unit == vocabulary().units["sector"]  # "sector 9" is a place
        found.append(int(word.number))
    if not found and "spice" in unit and (share := _share_of_spice(attempt)):
        attempt.guessed = True
        found.append(share)
    if not found and attempt.entry.refuses:
        return [{blank.field: 0}]
    if len(found) == 2 and found[0] == found[1] and not attempt.entry.above:  # "four (4)"
        found.pop()
    if len(found) != 1:
        return None
    attempt.told += 1
    if attempt.entry.above:
        return _above(attempt, blank, found[0])
    return [{blank.field: found[0]}]


def _of_no_order(texts: Sequence[str], place: int) -> bool:
    # Does the word before a number without a unit make it a time, a place or a fact: "in 5", "I have 12"?
    before = texts[max(0, place - 2) : place]
    return bool(before) and (
        vocabulary().talk["before"].length(before, len(before) - 1) > 0
        or (before[-1] == "is" and len(before) > 1 and before[0] in vocabulary().units["spice"])
    )


def _above(attempt: Attempt, blank: Blank, more: int) -> Sequence[Values] | None:
    there = [q.about.get(attempt.entry.above) for q in attempt.known.asked if q.kind in attempt.entry.form.kinds]
    bidders = {q.about.get("top_bidder") for q in attempt.known.asked} | {attempt.context.faction}
    named = [name_at("faction", attempt.texts, place) for place in attempt.unused()]
    attempt.guessed |= not all(there) or any(not bidders.issuperset(name.values) for name in named if name)
    return [{blank.field: value + more} for value in there if isinstance(value, int)] or None


def _share_of_spice(attempt: Attempt) -> int:
    amounts = vocabulary().amounts
    if attempt.take_all(amounts["half"]):
        return attempt.known.spice // 2 if not attempt.known.spice % 2 else 0
    texts = attempt.texts
    of_spice = any(text in _ALL_SPICE for text in texts) or attempt.named
    if of_spice and attempt.take_all(amounts["all"]):
        return attempt.known.spice
    return 0


_ALL_SPICE = frozenset({"in", "my", "spice", "everything", "i", "of"})


def _forces(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    if (revived := _revived(attempt)) is not None:
        attempt.told += 2
        return [{"forces": Quantity(0, Forces(revived))}]
    behind = _left_behind(attempt)
    found = find_quantities(attempt.words, attempt.free, attempt.use, attempt.context.faction)
    if behind and found is not None and (not found or (len(found) == 1 and found[0].share == "all")):
        found = [Quantity(0, share="all", less=behind)]
    elif behind:
        return None
    if found is None or len(found) > 1:
        return None
    if not found and (heard := _misheard(attempt)):
        found, attempt.guessed = [Quantity(0, Forces(heard))], True
    if found and (losses := _first_lost(attempt, found[0])):
        return losses
    if found:
        attempt.told += 1
        attempt.guessed |= not found[0].exact
        return [{"forces": found[0]}]
    if any(isinstance(p, Blank) and p.field == "source" for p in pieces(attempt.entry.form.pattern)):
        attempt.guessed = True
        return [{"forces": Quantity(0, share="all", exact=False)}]
    return None


def _left_behind(attempt: Attempt) -> int:
    # Return the number that stays behind: "leave 2 in Carthag, the rest go to Arrakeen"; 0 without one.
    for place, word in enumerate(attempt.words[1:], start=1):
        leads = _STAY - {"but"} if place > 1 and attempt.texts[place - 2] == "all" else _STAY
        stays = attempt.texts[place - 1] in leads and word.number is not None and not word.number % 1
        if stays and attempt.free(place) and "source" in attempt.entry.form.pattern:
            attempt.use(place - 1, 2)
            attempt.take_all(vocabulary().amounts["behind"])
            return int(word.number or 0)
    return 0


_STAY = frozenset({"leave", "leaving", "keep", "but"})


def _first_lost(attempt: Attempt, meant: Quantity) -> Sequence[Values]:
    # Return the losses that contain the most elite forces, which the player wants to lose first: "the Sardaukar first".
    ways = next((q.about["losses"] for q in attempt.known.asked if q.kind == "losses" and "losses" in q.about), ())
    sort = meant.share.rpartition(" ")[2] or ("elite" if meant.forces.elite else "")
    first = [place for place in attempt.unused() if attempt.texts[place] in ("first", "only", "just")]
    if not (sort in ("elite", "ordinary") and ways and first and attempt.entry.form.pattern.startswith("lose")):
        return ()
    attempt.use(first[0])
    attempt.told += 1
    attempt.guessed = True
    starred = [Forces.parse(way).elite for way in ways]
    wanted = max(starred) if sort == "elite" else min(starred)
    return [{"forces": Forces.parse(way)} for way in ways if Forces.parse(way).elite == wanted]


def _misheard(attempt: Attempt) -> int:
    # Return the number that a word like "for" or "too" after the verb stands for, or 0.
    for place in attempt.unused():
        text = attempt.texts[place]
        if attempt.named and place and not attempt.free(place - 1) and text in _SOUNDS_LIKE:
            attempt.use(place)
            return _SOUNDS_LIKE[text]
    return 0


_SOUNDS_LIKE = {"won": 1, "too": 2, "tow": 2, "tree": 3, "for": 4, "fore": 4, "fife": 5, "sex": 6, "ate": 8}


def _revived(attempt: Attempt) -> int | None:
    # Return the number of forces if the line describes it: "the free ones plus one paid".
    facts = next((q.about for q in attempt.known.asked if q.kind == "revival"), {})
    if not attempt.entry.form.pattern.startswith("revive") or "free" not in facts or attempt.known.tanks.elite:
        return None
    if attempt.take_all(vocabulary().amounts["possible"]):
        return int(facts["most"])
    if "free" not in attempt.texts or "for free" in " ".join(attempt.texts):
        return None
    numbers: list[int] = []
    for place in attempt.unused():
        number = attempt.words[place].number
        after = attempt.texts[place + 1] if place + 1 < len(attempt.texts) else ""
        if number is None or attempt.words[place].ordinal:
            continue
        attempt.use(place)
        if after in vocabulary().units["spice"]:
            attempt.use(place + 1)
        elif not (place and attempt.texts[place - 1] == "free"):
            numbers.append(int(number))
    counted = any(attempt.texts[p + 1 : p + 2] == ["free"] and w.number for p, w in enumerate(attempt.words))
    more = any(vocabulary().amounts["besides"].length(attempt.texts, place) for place in range(len(attempt.texts)))
    for phrases in (vocabulary().amounts["besides"], vocabulary().amounts["free"]):
        attempt.take_all(phrases)
    if numbers and (counted or not more):
        return sum(numbers)
    return sum(numbers) + int(facts["free"])


# --- places ----------------------------------------------------------------------------------------------------------


def _places(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    """Read all areas in a line at once. Prepositions ("from", "to") decide which area fills which blank; without
    prepositions, the order of the areas decides."""
    form = attempt.entry.form
    blanks = [p for p in pieces(form.pattern) if isinstance(p, Blank) and p.slot_name in ("area", "via", "areas")]
    by_area = any(p.slot_name == "areas" for p in blanks)
    roles: dict[str, list[Area]] = {}
    via: list[TerritoryId | Area] = []
    unmarked: list[list[Area]] = []
    said: list[tuple[str, list[Area]]] = []
    for meant in attempt.names("territory"):
        role = _role(attempt, meant)
        if role == "via" and not by_area:
            via += [TerritoryId(value) for value in meant.values[:1]]
            continue
        areas = _areas(attempt, meant)
        if areas is None or (role == "via" and len(areas) > 1):
            return None
        if role == "via":
            via += areas
            continue
        said.append((role, areas))
    fields = [p.field for p in blanks if p.slot_name == "area"]
    standing = "from" if "source" in fields and (len(fields) == 1 or any(role == "to" for role, _ in said)) else "to"
    for role, areas in said:
        role = standing if role == "at" else role
        if role in roles:
            return None
        if role:
            roles[role] = areas
        else:
            unmarked.append(areas)
    if fields == ["area"] and not roles and not unmarked:
        return [{}]
    if bool(via) != any(p.slot_name in ("via", "areas") for p in blanks):
        return None
    place_of = {"from": "source", "to": next((f for f in fields if f != "source"), "")}
    values: dict[str, list[Area]] = {}
    for role, areas in roles.items():
        if place_of[role] not in fields:
            return None
        values[place_of[role]] = areas
    open_fields = [f for f in fields if f not in values]
    if len(unmarked) > len(open_fields):
        return None
    if len(unmarked) < len(open_fields) and "source" in open_fields and len(open_fields) > 1:
        open_fields.remove("source")
    for field, areas in zip(open_fields, unmarked, strict=False):
        values[field] = areas
    if "source" in fields and "source" not in values:
        if place_of["to"] and place_of["to"] not in values:
            return None
        attempt.guessed = True
        values["source"] = [area for area in attempt.known.forces if area not in values.get("target", ())]
    if set(values) != set(fields):
        return None
    if "source" in values and len(values["source"]) > 1:
        values["source"] = [area for area in values["source"] if attempt.known.forces.get(area)]
    ways = [{"place": True, **dict(zip(values, way, strict=True))} for way in product(*values.values())]
    if via:
        ways = [{**way, "via": tuple(via)} for way in ways]
    return ways or None


def _role(attempt: Attempt, meant: NameMatch) -> str:
    before = attempt.word_before(meant.place)
    if before is None:
        return ""
    for role in ("from", "to", "via", "at"):
        for length in (3, 2, 1):
            start = before - length + 1
            phrases = vocabulary().places[role]
            if start >= 0 and phrases.length(attempt.texts, start) == length:
                attempt.use(start, length)
                return role
    return ""


def _areas(attempt: Attempt, meant: NameMatch) -> list[Area] | None:
    after = meant.after
    sector, end = _sector(attempt, after)
    possible = [TerritoryId(value) for value in meant.values]
    if sector is not None:
        here = [t for t in possible if sector in TERRITORIES[t].sectors]
        if here:
            attempt.use(after, end - after)
            return [board.area_at(territory, sector) for territory in here]
        if end > after + 1 and attempt.texts[after] != "/":
            return None if _says_sector(attempt.texts[after:end]) else _all_areas(attempt, possible)
    return _all_areas(attempt, possible)


def _all_areas(attempt: Attempt, territories: Sequence[TerritoryId]) -> list[Area]:
    areas = [area for territory in territories for area in TERRITORIES[territory].areas]
    attempt.guessed |= len(areas) > 1
    return areas


def _says_sector(texts: Sequence[str]) -> bool:
    return any(text in vocabulary().units["sector"] for text in texts)


def _sector(attempt: Attempt, place: int) -> tuple[int | None, int]:
    """Read the sector given after a place, and return it with the position after it: "/9", "9", "sector 9", "s9", "in
    sector 9"."""
    at = place
    while at < len(attempt.words) and at < place + 3 and attempt.texts[at] in ("/", "sector", "sec", "s", "in", "the"):
        at += 1
    if at < len(attempt.words) and attempt.free(at) and attempt.words[at].number is not None:
        number = attempt.words[at].number or 0
        counted = attempt.texts[at + 1] if at + 1 < len(attempt.words) else ""
        if not number % 1 and counted not in vocabulary().ordinary:
            return int(number), at + 1
    return None, place


def _territory(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    found = list(attempt.names("territory"))
    if len(found) > 1:
        return None
    if not found:
        return [{}] if any(q.kind in attempt.entry.form.kinds for q in attempt.known.asked) else None
    for meant in found:
        _sector_said(attempt, meant)
    attempt.guessed |= len(found[0].values) > 1
    return [{blank.field: TerritoryId(value)} for value in found[0].values]


def _sector_said(attempt: Attempt, meant: NameMatch) -> None:
    sector, end = _sector(attempt, meant.after)
    if sector is not None and any(sector in TERRITORIES[TerritoryId(value)].sectors for value in meant.values):
        attempt.use(meant.after, end - meant.after)


def _groups(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    places: list[tuple[int, list[Area]]] = []
    for meant in attempt.names("territory"):
        _role(attempt, meant)
        areas = _areas(attempt, meant)
        if areas is None:
            return None
        places.append((meant.place, areas))
    counts = find_quantities(attempt.words, attempt.free, attempt.use, attempt.context.faction)
    if not places or counts is None:
        return None
    if not counts:
        counts = [Quantity(0, share="all", exact=False)]
    if len(counts) != len(places):
        return None
    attempt.told += len(counts)
    attempt.guessed |= any(not count.exact for count in counts)
    there = _there(attempt, {})
    forces = [count.of(there) for count in counts]
    if not all(forces):
        return None
    ways = islice(product(*(areas for _, areas in places)), MOST_WAYS)
    return [{blank.field: tuple(zip(forces, way, strict=True))} for way in ways]


# --- names -----------------------------------------------------------------------------------------------------------


def _name(sort: str, likely: Callable[[Attempt], Sequence[str]]) -> Callable[[Attempt, Blank], Sequence[Values] | None]:
    def find(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
        found = list(attempt.names(sort, likely(attempt)))
        values = list(dict.fromkeys(value for meant in found for value in meant.values))
        if sort == "faction" and len(found) > 1:
            found = [meant for meant in found if meant.values != (attempt.context.faction,)]
            values = list(dict.fromkeys(value for meant in found for value in meant.values))
        if len({meant.values for meant in found}) > 1:
            return None
        if not values:
            asked = any(question.kind in attempt.entry.form.kinds for question in attempt.known.asked)
            return (
                [{}]
                if asked
                and sort == "faction"
                and not attempt.entry.form.pattern.startswith(("ally", "give", "predict"))
                else None
            )
        attempt.guessed |= len(values) > 1
        return [{blank.field: value} for value in values]

    return find


def _likely_leaders(attempt: Attempt) -> Sequence[str]:
    for question in attempt.known.asked:
        if question.kind in attempt.entry.form.kinds and "drawn" in question.about:
            return list(question.about["drawn"])
    return leaders_of(attempt.context.faction)


def _cards(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    offered = [
        card
        for question in attempt.known.asked
        if question.kind in attempt.entry.form.kinds
        for card in question.about.get("cards", ())
    ]
    likely = offered or list(attempt.context.hand)
    found = list(attempt.names("card", likely))
    if found:
        if any(len(meant.values) > 1 for meant in found):
            return None
        return [{blank.field: tuple(meant.values[0] for meant in found)}]
    if (
        attempt.entry.refuses
        and not attempt.told
        and offered
        and any(vocabulary().negation.length(attempt.texts, place) for place in range(len(attempt.texts)))
    ):
        return [{blank.field: tuple(offered)}]
    for words in ("both", "all"):
        if attempt.take_all(vocabulary().amounts[words]) and offered and (words == "all" or len(offered) == 2):
            return [{blank.field: tuple(offered)}]
    return None


# --- free text -------------------------------------------------------------------------------------------------------


def _question(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    start = 0
    for place in sorted(attempt.used):
        if (
            place != start
            and attempt.texts[start:place]
            and not all(
                attempt.entry.beside.length(attempt.texts, p) or vocabulary().filler.length(attempt.texts, p)
                for p in range(start, place)
            )
        ):
            break
        start = place + 1
    if start >= len(attempt.words):
        return None
    text = attempt.said.text[attempt.words[start].start :].strip(" \t\"'“”")
    attempt.use(start, len(attempt.words) - start)
    return [{blank.field: text}] if len(text) > 5 else None


def _factions(attempt: Attempt, blank: Blank) -> Sequence[Values] | None:
    named = [meant.values for meant in attempt.names("faction")]
    others = attempt.context.factions - {attempt.context.faction}
    if not named or any(len(values) > 1 or not others.issuperset(values) for values in named):
        return None
    attempt.guessed |= len(named) > 1
    return [{blank.field: tuple(values[0] for values in named)}]


def _never(attempt: Attempt, blank: Blank) -> None:
    return None


_SEQUENCE = ("plan", "place", "name", "forces", "number", "text")
_FILLERS: Mapping[str, tuple[str, Callable[[Attempt, Blank], Sequence[Values] | None]]] = {
    "plan": ("plan", lambda attempt, _: plan_parts(attempt)),
    "area": ("place", _places),
    "via": ("place", _places),
    "areas": ("place", _places),
    "territory": ("place", _territory),
    "groups": ("place", _groups),
    "faction": ("name", _name("faction", lambda a: [f for f in a.context.factions if f != a.context.faction])),
    "factions": ("name", _factions),
    "leader": ("name", _name("leader", _likely_leaders)),
    "traitor": ("name", _name("leader", _likely_leaders)),
    "card": ("name", _name("card", lambda a: a.context.hand)),
    "kind": ("name", _name("kind", lambda _: ())),
    "token": ("name", _name("token", lambda _: ())),
    "element": ("name", _name("element", lambda _: ())),
    "phase": ("name", _name("phase", lambda _: ())),
    "cards": ("name", _cards),
    "forces": ("forces", _forces),
    "number": ("number", _number),
    "question": ("text", _question),
    **dict.fromkeys(("text", "word", "line", "terms", "whom", "date", "daytime", "address", "zone"), ("text", _never)),
}
