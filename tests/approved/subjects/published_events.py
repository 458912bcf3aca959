"""Tournaments as they are published, with something changed: standings with where every point comes from, ratings,
figures, and what verifying finds, as it is and when all that follows from the change was made to fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, get_args

import msgspec

from bot.competition import statistics
from bot.competition.published import NotPublished, Published, decode_published, encode_published, with_sums
from bot.competition.ratings import recompute_changes
from bot.competition.settings import TieBreak, settings_digest
from bot.competition.standings import stages_reached, standings_of_published
from bot.competition.statistics import best_games, by_alliance, by_faction, by_player, first_nexus_kept
from bot.competition.verification import Verification, verify, verify_document
from tests.approved.json_inputs import at, kind, places, put, varied_at
from tests.approved.subject import Subject, vary_words
from tests.competition.an_event import an_event
from tests.competition.published_example import example, under_way
from tests.transcripts.scenarios.competition import SCORINGS, said

TITLE = 'title = "The Cup"\n'
CHANGES = 4
EVENTS = 30
Edit = tuple[list[str | int], Any]


def _settings() -> Iterator[str]:
    for scoring in SCORINGS:
        yield f"{TITLE}[scoring]\n{scoring}\n"
    for breaker in get_args(TieBreak):
        yield f'{TITLE}tie_breaks = ["{breaker}"]\n'
    for substitutes in ("protected", "pro-rata", "finisher", "nobody"):
        for charge in ("always", "wins"):
            by = f'factions.by = "auction"\nfactions.charge = "{charge}"'
            yield f'{TITLE}{by}\npeople.substitutes = "{substitutes}"\n'
    yield f"{TITLE}rated = false\n"


def _seeds() -> Iterator[str]:
    for of in ("example", "under way"):
        yield json.dumps([of, []])
        for changed in _changes(of):
            yield json.dumps([of, [changed]])
    for seed, settings in enumerate(_settings()):
        yield json.dumps([f"event {seed}", [[["settings"], settings]]])


def _changes(of: str) -> Iterator[Edit]:
    """One change of each kind of place."""
    document, chance, seen = _document(of), Random(of), set[str]()
    for path in places(document):
        if kind(path) not in seen:
            seen.add(kind(path))
            yield list(path), varied_at(chance, document, path, ())


@cache
def _document(of: str) -> Any:
    named, _, number = of.partition(" ")
    if named == "event":
        made = an_event(int(number), TITLE)
        return json.loads(
            encode_published(with_sums(msgspec.structs.replace(made, standings=standings_of_published(made))))
        )
    return json.loads(encode_published(example() if of == "example" else under_way()))


def _changed(of: str, edits: Sequence[Edit]) -> Any:
    document = _document(of)
    for path, new in edits:
        try:
            document = put(document, tuple(path), new)
        except (LookupError, TypeError, AssertionError):
            continue
    return document


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    of, edits = json.loads(text)
    other, theirs = json.loads(chance.choice(others))
    match chance.randrange(12):
        case 0:
            of = chance.choice((other, f"event {chance.randrange(EVENTS)}"))
        case 1 if edits:
            edits = [each for each in edits if each is not chance.choice(edits)]
        case 2 if theirs:
            edits = [*edits, chance.choice(theirs)]
        case 3 | 4:
            settings = at(_changed(of, edits), ("settings",))
            texts = [settings, chance.choice(list(_settings()))]
            edits = [*edits, [["settings"], vary_words(chance, chance.choice(texts), texts)]]
        case _:
            document = _changed(of, edits)
            by_kind: dict[str, list[Any]] = {}
            for path in places(document):
                if path[0] not in ("sum", "sums", "acts"):
                    by_kind.setdefault(kind(path), []).append(path)
            path = chance.choice(by_kind[chance.choice(list(by_kind))])
            edits = [*edits, [list(path), varied_at(chance, document, path, [_document(other)])]]
    return json.dumps([of, edits[-CHANGES:]])


def _told(text: str) -> str:
    of, edits = json.loads(text)
    return "\n".join(_of(json.dumps(_changed(of, edits)).encode()))


def _of(data: bytes) -> Iterator[str]:
    try:
        document = decode_published(data)
    except NotPublished as wrong:
        yield str(wrong)
        return
    yield _found(lambda: verify(encode_published(document)))
    yield _found(lambda: verify_document(_fitting(document)))
    for words, made in _PARTS.items():
        yield f"{words}:"
        try:
            yield from made(document)
        except (ArithmeticError, AssertionError, LookupError, ValueError) as wrong:
            yield f"{type(wrong).__name__}: {wrong}"


def _found(look: Callable[[], Verification]) -> str:
    try:
        found = look()
    except Exception as wrong:
        return f"{type(wrong).__name__}: {wrong}"
    return " | ".join((found.difference, *found.notes))


def _fitting(document: Published) -> Published:
    """All that follows from results and settings made to follow from them."""
    document = msgspec.structs.replace(document, settings_sha256=settings_digest(document.settings))
    document = msgspec.structs.replace(document, ratings=recompute_changes(document))
    return with_sums(msgspec.structs.replace(document, standings=standings_of_published(document)))


def _standings(document: Published) -> Iterator[str]:
    every = standings_of_published(document)
    for row in every:
        keys = ", ".join(f"{name} {value}" for name, value in row.keys)
        made_of = "; ".join(f"{term.what}: {term.value}" for term in row.made_of)
        yield f"{row.rank} {row.entrant} {row.points} ({keys}; {row.parted_by}) = {made_of}"
    yield said(stages_reached(every))
    for others in (standings_of_published(document, after=1), standings_of_published(document, confirmed_only=True)):
        yield ", ".join(f"{row.rank} {row.entrant} {row.points} {row.parted_by}" for row in others)


def _ratings(document: Published) -> Iterator[str]:
    for change in recompute_changes(document):
        yield " ".join(msgspec.to_builtins(change).values())


def _figures(document: Published) -> Iterator[str]:
    results = [one.outcome for one in document.results]
    for made in (by_faction, best_games, statistics.by_kind, statistics.by_turn, statistics.by_dot):
        yield from map(said, made(results))
    for size in (2, 3):
        yield from map(said, by_alliance(results, size))
    for length in (
        first_nexus_kept,
        statistics.length_in_turns,
        statistics.length_in_letters,
        statistics.length_in_days,
    ):
        yield said(length(results))
    held: dict[str, list[tuple[str, Any]]] = {}
    for one in results:
        for seat in one.seats:
            for tenure in seat.tenures:
                held.setdefault(tenure.entrant, []).append((one.game, seat.faction))
    yield from map(said, by_player(results, held))


_PARTS: dict[str, Callable[[Published], Iterator[str]]] = {
    "standings": _standings, "ratings": _ratings, "figures": _figures,
}  # fmt: skip

SUBJECT = Subject("published-events", ("bot.competition",), _seeds, _vary, _told, slow=True)
