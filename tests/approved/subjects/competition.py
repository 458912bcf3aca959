"""What is computed of tournaments from a few values: settings read, rounds drawn, what comes after which rounds,
factions by papers and auctions, boards of stopped games, points of a table, names and numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from bot.competition import outcomes, published, ratings, statistics
from bot.competition.factions import (
    assign_by_preference,
    assign_kept_cards,
    box_of,
    hold_auction,
    make_trades,
    offer_cards,
    places_lost,
    read_choice,
    read_preferences,
    read_trade,
    read_worths,
    trade_refusal,
    wishes_among,
)
from bot.competition.published import DrawRecord, apart_digest, commitment, hidden_last_turn, roster_digest, round_seed
from bot.competition.ratings import read_rating, write_rating
from bot.competition.scoring import exact_points, printed_points, read_points, scoring_system, table_points
from bot.competition.seating import SeatingWishes, count_byes, draw_again, draw_seating, ladder_tables, out_too_soon
from bot.competition.seating_designs import divisions, last_season, next_divisions
from bot.competition.seating_search import least_apart, least_pairs, table_sizes, too_many
from bot.competition.settings import read_settings, settings_digest
from bot.competition.standings import Field, PastRound, draw_difference, next_round
from bot.competition.statistics import share, wilson
from bot.competition.verification import seating_wishes
from rules.components import FACTIONS
from rules.rulesets.options import RuleSetError
from tests.approved.json_inputs import varied
from tests.approved.subject import Subject, vary_words
from tests.transcripts.scenarios.competition import SCORINGS, TRADES, WRONG, said

TITLE = 'title = "The Cup"\n'
SIX = ["ann", "bob", "cid", "dora", "eve", "fay"]
MOST = 12
MOST_TOLD = 20_000
LARGEST = 200
"""So many are drawn at most: more take long, and show nothing else."""
LIMITS: Sequence[tuple[str, Sequence[int]]] = (
    ("rounds.heats", (0, 1, 50, 51)), ("rounds.load", (-1, 0, 20, 21)), ("rounds.swiss", (0, 1, 50, 51)),
    ("rounds.up", (-1, 30, 31)), ("rounds.down", (-1, 30, 31)), ("rounds.ladder_days", (-1, 0, 1000, 1001)),
    ("rounds.days", (0, 1, 14, 15, 1000, 1001)), ("rounds.spread_hours", (-1, 168, 169)),
    ("rounds.final", (0, 3, 4, 5, 6, 7)), ("rounds.semifinal", (0, 5, 6, 7, 9, 10, 13, 19, 20, 30)),
    ("tables.overlap_hours", (-1, 0, 24, 25)), ("factions.trade_hours", (-1, 0, 1000, 1001)),
    ("endings.notice_days", (0, 1, 64, 65, 66, 1000)), ("endings.turns_left", (-1, 0, 20, 21)),
    ("endings.vote_days", (0, 1, 60, 61)), ("endings.protest_hours", (-1, 0, 1000, 1001)),
    ("people.most", (-1, 0, 100_000, 100_001)), ("people.invite_hours", (0, 1, 1000, 1001)),
    ("people.show_hours", (0, 1, 1000, 1001)), ("people.answer_hours", (0, 1, 1000, 1001)),
    ("people.deputy_after_days", (0, 1, 1000, 1001)),
)  # fmt: skip
LINES = (
    'format = "heats"', 'format = "swiss"', 'format = "league"', 'format = "ladder"', 'format = "knockout"',
    'beacon = "dice"', 'beacon_date = "2027-03-01"', "rated = false", 'press = "gunboat"', "rounds.parallel = false",
    'press = "gunboat,names-until=round"', 'press = "names-until=round"', 'factions.by = "draw"',
    "tables.fours = true", 'factions.by = "two-cards"', 'factions.by = "auction"', 'factions.charge = "wins"',
    'tables.missing = "bene-gesserit"', 'tables.ruleset = "gf9-2019"', "tables.options.expansion = true",
    'tables.options = { expansion = "ixians-tleilaxu" }', 'rounds.after = "spring"', 'endings.end = "hidden"',
    "endings.window = [1, 20]", "endings.window = [0, 20]", "endings.window = [1, 21]", "endings.window = [9, 9]",
    "endings.window = [9, 8]", 'people.entry = "invited"', 'people.substitutes = "finisher"',
    'people.conduct = "be nice"', 'tie_breaks = ["wins", "lot"]', "people.digest = false",
    'tie_breaks = ["lot", "wins"]', 'tie_breaks = ["wins", "wins"]', "tie_breaks = []", *SCORINGS[1:],
)  # fmt: skip


# --- what is told ----------------------------------------------------------------------------------------------------


def _read(text: str) -> Iterator[str]:
    settings = read_settings(text)
    yield said(settings)
    yield said(scoring_system(settings.scoring))
    yield said(seating_wishes(settings))
    yield said(box_of(settings))
    yield settings_digest(text)


def _drawn(
    kind: Any, number: int, rounds: int, before: int, seed: str, apart: list[list[int]], hours: list[int], how: Any
) -> Iterator[str]:  # fmt: skip
    number = max(1, min(number, MOST))
    handles = tuple(f"E{each:03d}" for each in range(1, number + 1))
    ranked = tuple(Random(seed).sample(handles, number))
    wanted = SeatingWishes(
        fours=how["fours"], factions=how["factions"], missing=how["missing"], overlap_hours=how["overlap"],
        box=FACTIONS[: how["box"]],
    )  # fmt: skip
    drawn: list[DrawRecord] = []
    at_once = max(1, min(rounds, MOST // number))
    for each in range(1, min(before, 3) + 2):
        last = each == min(before, 3) + 1
        out = () if last else tuple(handles[each - 1 :: 7])[: how["out"]]
        there = tuple(handle for handle in handles if handle not in out)
        record = DrawRecord(
            rounds=tuple(range(each, each + at_once)) if last else (each,), kind=kind if last else "heat",
            roster=there, ranked=tuple(handle for handle in ranked if handle in there),
            roster_digest=roster_digest(there), hours=tuple(hours[: len(there)]) if how["overlap"] else (),
            apart=tuple((handles[one % number], handles[other % number]) for one, other in apart),
            byes=count_byes(drawn, there), sat_out=out, history=tuple(table for one in drawn for table in one.tables),
        )  # fmt: skip
        drawn.append(draw_seating(record, round_seed(seed, each, record.roster_digest, ""), wanted))
    found = drawn[-1]
    yield f"candidate {found.candidate}, {said(found.cost)}, sat out before {' '.join(found.byes)}"
    for table in found.tables:
        seats = " ".join(f"{seat.entrant}/{seat.dot}/{seat.faction}" for seat in table.seats)
        yield f"{table.round}.{table.table} {seats}"
    if draw_again(found, wanted) != found:
        yield "drawn again it is another"
    pairs = [(handles[one % number], handles[other % number]) for one, other in apart]
    yield said([too_many(pairs, 2), least_apart(pairs, 2), apart_digest(b"salt", pairs)])


def _following(text: str, past: list[list[Any]], field: dict[str, Any]) -> Iterator[str]:
    handles = tuple(f"E{each:03d}" for each in range(1, 41))
    able = handles[: field["able"]]
    there = Field(
        able, frozenset(handles[0 : field["winners"] * 2 : 2]), field["seated"], frozenset(handles[: field["busy"]])
    )
    yield said(next_round(read_settings(text), [PastRound(*each) for each in past], there))


def _differing(before: list[str], now: list[str]) -> Iterator[str]:
    found = draw_difference(3, before, now)
    yield said(found)
    if found:
        yield found.words


def _ladder(ready: list[str], points_of: dict[str, int], lately: list[list[str]]) -> Iterator[str]:
    rated = {handle: Fraction(points_of.get(handle, 1500)) for handle in ready}
    yield said(ladder_tables(ready, rated, {frozenset(pair) for pair in lately}))


def _leagues(entrants: int, fours: bool, up: int, down: int, moved: int) -> Iterator[str]:
    entrants = min(entrants, 70)
    yield said([design.players for design in divisions(entrants, fours=fours)])
    drawn = [f"E{number:03d}" for number in range(1, entrants + 1)]
    standing = [*drawn[moved:], *drawn[:moved]]
    yield said(last_season(drawn, standing, up, down, fours=fours))
    yield said(next_divisions([drawn[:5], drawn[5:9], drawn[9:12]], up, down))


def _numbers(people: int, tables: int, fours: bool) -> Iterator[str]:
    yield said(least_pairs(abs(people), max(tables, 1)))
    found = table_sizes(abs(people), fours=fours)
    yield said([found.each(), found.tables, found.entrants])


def _papers(kind: str, text: str, box: int) -> Iterator[str]:
    factions = FACTIONS[:box]
    if kind == "bid":
        yield said(read_worths(text, factions))
    elif kind == "keep":
        yield read_choice(text, (factions[0], factions[1]))
    else:
        found = read_preferences(text, factions)
        yield said([found, wishes_among(found, factions[1:3]), [places_lost(found, faction) for faction in FACTIONS]])


def _assigned(worths: dict[str, dict[str, int]], lists: dict[str, str], lost: dict[str, int], cards: list[Any]) -> Any:
    six = FACTIONS[:6]
    known: Any = {who: {named: worth for named, worth in each.items() if named in six} for who, each in worths.items()}
    yield said(hold_auction(SIX, six, known))
    yield said(assign_by_preference(SIX, six, {who: read_preferences(text, six) for who, text in lists.items()}, lost))
    players, box, label, chosen = cards
    offers = offer_cards(SIX[:players], FACTIONS[:box], "seed", label)
    yield said(offers)
    choices = {who: offers[who][number % 2] for who, number in zip(SIX[:players], chosen, strict=False)}
    yield said(assign_kept_cards(SIX[:players], offers, choices))


def _trades(papers: list[list[str]], spice: dict[str, int]) -> Iterator[str]:
    factions = dict(zip(SIX, FACTIONS[:6], strict=True))
    purse: Any = {faction: spice.get(faction, 5) for faction in FACTIONS[:6]}
    read_papers = []
    for by, text in papers:
        try:
            paper = read_trade(text, by, factions)
        except ValueError as wrong:
            yield f"{by}: {text}: {wrong}"
            continue
        read_papers.append(paper)
        yield f"{by}: {text}: {said(paper)} {trade_refusal(paper, factions, purse)}"
    yield said(make_trades(factions, purse, read_papers))


def _stopped(sides: list[list[Any]]) -> Iterator[str]:
    found = outcomes.decide_stopped_game([outcomes.Side(tuple(members), *rest) for members, *rest in sides])
    yield said(found)
    yield said([side.deficit for side in found.sides])


def _table(scoring: str, held: list[int], winners: dict[str, int], cause: Any) -> Iterator[str]:
    read_system = scoring_system(read_settings(f"{TITLE}[scoring]\n{scoring}\n").scoring)
    yield said(table_points(read_system, held, {int(seat): size for seat, size in winners.items()}, cause))


def _written(text: str, number: int, other: int) -> Iterator[str]:
    """Names and numbers, each as it is shown."""
    yield said(
        [
            published.clean_given_name(text),
            published.clean_given_name(text, 5),
            published.display_name("E001", published.clean_given_name(text)),
        ]
    )
    yield said([settings_digest(text), commitment(text), hidden_last_turn(text, number, other, (3, 3 + number % 8))])
    yield said([ratings.uncertainty(number), ratings.shown_rating(ratings.Rated(1500 + other, number))])
    yield said([ratings.Rated(games=number).k, write_rating(ratings.Rated(1500 + other / 7, number))])
    for tried in (
        lambda: printed_points(read_points(text)), lambda: exact_points(read_points(text, negative=True)), lambda: read_rating(text),
        lambda: exact_points(Fraction(number, other)), lambda: printed_points(Fraction(number, other), 2),
        lambda: statistics.shown_reliability(number, other), lambda: share(number, other), lambda: wilson(number, other),
    ):  # fmt: skip
        yield _tried(tried)


def _tried(made: Callable[[], object]) -> str:
    try:
        return said(made())
    except (ArithmeticError, LookupError, ValueError) as wrong:
        return f"{type(wrong).__name__}: {wrong}"


def _sitting_out(out: list[str], playing: list[str], before: list[str]) -> Iterator[str]:
    yield said(out_too_soon(out, playing, before))


TOLD: dict[str, Callable[..., Iterator[str]]] = {
    "settings": _read, "draw": _drawn, "after": _following, "differs": _differing, "ladder": _ladder,
    "leagues": _leagues, "numbers": _numbers, "paper": _papers, "assigned": _assigned, "trades": _trades,
    "stopped": _stopped, "table": _table, "written": _written, "sitting out": _sitting_out,
}  # fmt: skip


_WRONG = (ArithmeticError, AssertionError, AttributeError, LookupError, RuleSetError, TypeError, ValueError)
"""What is refused, and what nobody could have asked for."""


def _told(text: str) -> str:
    return _whole(text)[:MOST_TOLD]


def _whole(text: str) -> str:
    kind, *given = json.loads(text)
    lines = list[str]()
    try:
        lines.extend(TOLD[kind](*given))
    except _WRONG as wrong:
        lines.append(f"{type(wrong).__name__}: {wrong}")
    return "\n".join(lines)


# --- seeds -----------------------------------------------------------------------------------------------------------


def _seeds() -> Iterator[str]:
    for seed in _all_seeds():
        yield json.dumps(seed)


def _all_seeds() -> Iterator[list[Any]]:
    for text in (TITLE, *WRONG, *(f"{TITLE}[scoring]\n{scoring}\n" for scoring in SCORINGS)):
        yield ["settings", text]
    for line in LINES:
        yield ["settings", f"{TITLE}{line}\n"]
    for name, numbers in LIMITS:
        for number in numbers:
            yield ["settings", f"{TITLE}{name} = {number}\n"]
    yield from _draws()
    for form in ("heats", "swiss", "league", "ladder", "knockout"):
        kind = {"heats": "heat"}.get(form, form)
        for states in ([], ["closed"], ["closed", "closed"], ["closed", "playing"], ["drawn"]):
            past = [[number, kind, state] for number, state in enumerate(states, 1)]
            field = {"able": 12, "winners": 3, "seated": 14, "busy": 2}
            yield ["after", f'{TITLE}format = "{form}"\nrounds.heats = 2\nrounds.semifinal = 12\n', past, field]
    past = [[1, "heat", "closed"], [2, "semifinal", "closed"]]
    field = {"able": 8, "winners": 3, "seated": 12, "busy": 0}
    yield ["after", f"{TITLE}rounds.heats = 1\nrounds.semifinal = 10\n", past, field]
    yield ["after", f"{TITLE}rounds.heats = 2\nrounds.load = 1\nrounds.parallel = false\n", past[:1], field]
    yield ["differs", ["a", "b", "c"], ["b", "a", "d"]]
    yield ["differs", ["a", "b", "c"], ["a", "b", "c"]]
    handles = [f"E{number:03d}" for number in range(1, 15)]
    rated = {handle: 1500 + 37 * at % 101 for at, handle in enumerate(handles)}
    yield ["ladder", handles, rated, [["E001", "E003"], ["E002", "E008"]]]
    for entrants in (13, 16, 31, 47):
        yield ["leagues", entrants, entrants == 13, 2, 2, 3]
    for people in (4, 5, 6, 7, 9, 13, 14, 19):
        yield ["numbers", people, 3, people % 2 == 0]
    for text in ("guild 3, fremen 2.5", "guild", "guild 3, guild 4", "choam 1", "guild -1", "all 7", "guild=2; bg: 1"):
        yield ["paper", "bid", text, 6]
    for text in ("guild, fremen = atreides, *", "guild, guild", "*, *", "choam", "guild =", "har. bg", "fremen = *"):
        yield ["paper", "preferences", text, 6]
    for text in ("guild", "atreides", "", "the guild"):
        yield ["paper", "keep", text, 6]
    chance = Random("papers")
    for number in range(6):
        worths = {who: {faction: chance.randrange(0, 60, 5) for faction in FACTIONS[:6]} for who in SIX[: number + 1]}
        lists = {who: ", ".join(chance.sample(FACTIONS[:6], 3)) for who in SIX[number:]}
        cards = [number + 2 if number < 5 else 6, 6 + number % 3, "cards", [0, 1, 1, 0]]
        yield ["assigned", worths, lists, {"ann": number}, cards]
    yield ["trades", [list(each) for each in TRADES], {"guild": 9}]
    sides = [[["atreides", "emperor"], 4, 3, 9, 2], [["harkonnen"], 3, 2, 12, 1], [["guild"], 3, 0, 0, 3]]
    yield ["stopped", sides]
    for at, scoring in enumerate(SCORINGS):
        yield ["table", scoring, [3, 1, 1, 0, 0, 2], {"0": 2, "5": 2} if at % 2 else {"1": 1}, "default"]
    for text in ("Ann", "3/4", "-0.75", "1500.5 12", " <b>\u202e Ann\n", "0", "1/0", "1234567890123", "x" * 61):
        yield ["written", text, 3, 7]
    yield ["sitting out", ["a", "b"], ["c"], ["a", "c", "c"]]


def _draws() -> Iterator[list[Any]]:
    usual = {"fours": False, "factions": True, "missing": "drawn", "overlap": 0, "box": 6, "out": 0}
    for at, (kind, number) in enumerate(
        (("heat", 12), ("heat", 17), ("swiss", 11), ("knockout", 16), ("semifinal", 11), ("final", 6), ("league", 16),
         ("ladder", 12), ("heat", 8))
    ):  # fmt: skip
        hours = [0xFF << at % 12 for at in range(number)]
        how = {**usual, "fours": number == 8, "overlap": 4 if at % 2 else 0, "box": 6 + at % 3, "out": at % 3}
        how["missing"] = "bene-gesserit" if number == 11 else "drawn"
        yield ["draw", kind, number, 1 + at % 2, at % 3, f"seed {at}", [[0, 1], [2, 4]], hours, how]


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    kind, *given = json.loads(text)
    if chance.randrange(6) == 0:
        kind, *given = json.loads(chance.choice(others))
    alike = [each for each in map(json.loads, chance.sample(list(others), 25)) if each[0] == kind]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if kind in ("settings", "after") and chance.randrange(2):
            given = [_another_text(chance, given[0]), *given[1:]]
        else:
            given = varied(chance, given, [each[1:] for each in alike], words=LINES)
    return json.dumps([kind, *_bounded(given)])


def _bounded(value: Any) -> Any:
    """Numbers that a tournament could have: with larger ones it takes long, and shows nothing else."""
    if isinstance(value, list):
        return [_bounded(each) for each in value[:40]]
    if isinstance(value, dict):
        return {key: _bounded(each) for key, each in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-LARGEST, min(value, LARGEST)) if abs(value) < 1000 else value % 0x1000000
    return value[:3000] if isinstance(value, str) else value


def _another_text(chance: Random, text: str) -> str:
    """Settings with a line more, or another one."""
    if not isinstance(text, str):
        return TITLE
    name, numbers = chance.choice(LIMITS)
    line = chance.choice((chance.choice(LINES), f"{name} = {chance.choice(numbers)}"))
    first, *rest = text.split("\n")
    if chance.randrange(3) == 0:
        return vary_words(chance, text, [line, chance.choice(LINES)])
    at = chance.randrange(len(rest) + 1)
    return "\n".join([first, *rest[: at and at - chance.randrange(2)], line, *rest[at:]])


SUBJECT = Subject("competition", ("bot.competition",), _seeds, _vary, _told)
