"""What is computed of tournaments: settings read, rounds drawn, factions assigned, points, standings, ratings, figures,
and what is found in an export that somebody changed.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, get_args

import msgspec

from bot.competition.factions import (
    PaperRefused,
    assign_by_preference,
    assign_kept_cards,
    hold_auction,
    make_trades,
    offer_cards,
    places_lost,
    read_choice,
    read_preferences,
    read_trade,
    read_worths,
    trade_refusal,
)
from bot.competition.published import DrawRecord, Published, encode_published, round_seed, with_sums
from bot.competition.ratings import recompute_changes
from bot.competition.scoring import printed_points
from bot.competition.seating import SeatingWishes, draw_seating, ladder_tables
from bot.competition.seating_designs import divisions, next_divisions
from bot.competition.settings import SettingsRefused, TieBreak, read_settings
from bot.competition.standings import Field, PastRound, next_round, stages_reached, standings_of_published
from bot.competition.statistics import (
    best_games,
    by_alliance,
    by_dot,
    by_faction,
    by_kind,
    by_player,
    by_turn,
    first_nexus_kept,
    length_in_letters,
    length_in_turns,
)
from bot.competition.verification import verify
from rules.components import FACTIONS, Faction
from tests.competition.an_event import an_event
from tests.competition.published_example import example, under_way
from tests.transcripts.scenario import scenario
from tests.transcripts.transcript import Piece

TITLE = 'title = "The Cup"\n'
SMALL = "\nheats = 2\nswiss = 2\nsemifinal = 12\n"
TRADES = (
    ("ann", "bob paying 2"), ("bob", "ann for 2"), ("bob", "ann getting 2"), ("cid", "dora"), ("dora", "cid"),
    ("eve", "fay paying 9"), ("fay", "fay"), ("fay", "zoe"), ("ann", "with bob paying two"), ("ann", ""),
    ("eve", "ann 3"),
)  # fmt: skip
DRAWS = (
    ("heat", 12, 3), ("heat", 17, 2), ("swiss", 23, 1), ("knockout", 16, 1), ("semifinal", 11, 1), ("final", 6, 1),
    ("league", 24, 1), ("heat", 8, 2),
)  # fmt: skip
SCORINGS = (
    "", 'system = "equal-win"', 'system = "pot-60"\naggregate = "best 2"', 'system = "hmwp"', 'system = "carnage-6"',
    'system = "squares"\nsit_out = "1/2"', 'aggregate = "minus worst 1"\nforfeit = -2\nabsent = "1/3"',
    'aggregate = [1, "1/2", "1/4"]\nwin = { 1 = 10, 2 = 7, 3 = 4 }',
    'tie = "low"\nrank = [6, 4, 3, 2, 1]\nper_stronghold = "0.5"',
    'tie = "high"\nrank = [6, 4, 3, 2, 1]\nnormalise = 60',
    'survivor = 1\ntribute = "1/4"\nwinners_take_all = true\npower = 2',
)  # fmt: skip
WRONG = (
    "title = ", 'title = ""', 'title = "x"\nformat = "duel"', 'title = "x"\n[rounds]\nheat = 3\ndays = "many"',
    'title = "x"\nbeacon = "dice"', 'title = "x"\nbeacon = "dice"\nbeacon_date = "soon"', 'title = "x"\npress = "loud"',
    'title = "x"\npress = "gunboat"\nfactions.by = "trade"',
    'title = "x"\npress = "gunboat,names-until=round"\nformat = "ladder"',
    'title = "x"\n[scoring]\nsystem = "chess"', 'title = "x"\n[scoring]\naggregate = "best 9"',
    'title = "x"\n[scoring]\naggregate = "worst"', 'title = "x"\n[scoring]\nwin = { 9 = 3 }\nrank = ["a"]',
    'title = "x"\n[scoring]\nnormalise = 0\npower = 9\nfactor = { default = -1 }',
    'title = "x"\ntie_breaks = ["lot", "wins", "wins"]',
    'title = "x"\n[rounds]\nfinal = 4\nsemifinal = 7', 'title = "x"\n[rounds]\nfinal = 6\nsemifinal = 6',
    'title = "x"\n[rounds]\nheats = 0\nload = 21\nspread_hours = 169\nladder_days = -1',
    'title = "x"\n[endings]\nwindow = [9, 3]\nnotice_days = 70\nvote_days = 0\nprotest_hours = 1001',
    'title = "x"\n[endings]\nwindow = [0, 21]\nturns_left = 21',
    'title = "x"\n[people]\nmost = -1\ninvite_hours = 0\nshow_hours = 0',
    'title = "x"\n[tables]\noverlap_hours = 25\nmissing = "guild"',
    'title = "x"\n[factions]\ntrade_hours = -1\nby = "lot"',
    'title = "x"\n[tables]\nfours = 1\n[people]\nentry = "all"\nsubstitutes = "x"', "title = 'x\u0007'",
)  # fmt: skip


def said(value: Any) -> str:
    """A value as one line: fractions as they are, no class named."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def tried(read: Callable[[], object], *refused: type[Exception]) -> str:
    """What comes of it, or why it is refused."""
    try:
        return said(read())
    except refused as error:
        return f"{type(error).__name__}: {error}"


@scenario
def settings(folder: Path) -> Iterator[Piece]:
    """Settings as they are read, and what is said of those that cannot be."""
    yield Piece("the least", said(read_settings(TITLE)))
    for text in WRONG:
        yield Piece(text, tried(lambda text=text: read_settings(text), SettingsRefused))  # type: ignore[misc]


@scenario
def standings(folder: Path) -> Iterator[Piece]:
    """Made-up events by every system of scoring and every criterion, with ratings and figures."""
    for seed, scoring in enumerate(SCORINGS):
        event = an_event(seed, f"{TITLE}[scoring]\n{scoring}\n")
        for after_round in (None, 1):
            yield Piece(
                f"{scoring}, after {after_round}",
                "\n".join(map(said, standings_of_published(event, after=after_round))),
            )
        yield Piece("confirmed alone", "\n".join(map(said, standings_of_published(event, confirmed_only=True))))
        yield Piece("ratings", "\n".join(map(said, recompute_changes(event))))
    for number, breaker in enumerate(get_args(TieBreak)):
        event = an_event(100 + number, f'{TITLE}tie_breaks = ["{breaker}"]\n')
        yield Piece(breaker, "\n".join(said(row) for row in standings_of_published(event)))
    for document in (example(), under_way()):
        yield Piece("stages", said(stages_reached(document.standings)))


@scenario
def figures(folder: Path) -> Iterator[Piece]:
    """What the tables of made-up events tell together."""
    results = [one.outcome for seed in range(6) for one in an_event(200 + seed, TITLE).results]
    for made in (by_faction, best_games, by_kind, by_turn, by_dot):
        yield Piece(made.__name__, "\n".join(map(said, made(results))))
    for size in (2, 3):
        yield Piece(f"by_alliance {size}", "\n".join(map(said, by_alliance(results, size))))
    for length in (first_nexus_kept, length_in_turns, length_in_letters):
        yield Piece(length.__name__, said(length(results)))
    held: dict[str, list[tuple[str, Faction]]] = {}
    for one in results:
        for seat in one.seats:
            held.setdefault(seat.tenures[0].entrant, []).append((one.game, seat.faction))
    yield Piece("by_player", "\n".join(map(said, by_player(results, held))))
    yield Piece("points", " ".join(printed_points(Fraction(number, 7)) for number in range(12)))


@scenario
def draws(folder: Path) -> Iterator[Piece]:
    """Rounds of every kind for many numbers of entrants."""
    for kind, number, rounds in DRAWS:
        handles = tuple(f"E{each:03d}" for each in range(1, number + 1))
        ranked = tuple(random.Random(number).sample(handles, number))
        record = DrawRecord(
            rounds=tuple(range(1, rounds + 1)), kind=kind, roster=handles, ranked=ranked, roster_digest="",  # type: ignore[arg-type]
            apart=((handles[0], handles[1]), (handles[2], handles[4])),
        )  # fmt: skip
        wishes = SeatingWishes(
            fours=number == 8, factions=number != 17, missing="bene-gesserit" if number == 23 else "drawn"
        )
        drawn = draw_seating(record, round_seed("secret", 1, "", f"{kind} {number}"), wishes)
        seated = [
            f"{table.round}.{table.table} {' '.join(f'{s.entrant}/{s.faction}/{s.dot}' for s in table.seats)}"
            for table in drawn.tables
        ]
        yield Piece(
            f"{kind} of {number}",
            "\n".join(
                [
                    said(
                        {
                            name: getattr(drawn, name)
                            for name in drawn.__struct_fields__
                            if name not in ("tables", "roster", "ranked")
                        }
                    ),
                    *seated,
                ]
            ),
        )
    ready = [f"E{each:03d}" for each in range(1, 15)]
    ratings = {handle: Fraction(1500 + 37 * at % 101) for at, handle in enumerate(ready)}
    yield Piece(
        "ladder", said(ladder_tables(ready, ratings, {frozenset(("E001", "E003")), frozenset(("E002", "E008"))}))
    )
    yield Piece(
        "divisions",
        "\n".join(
            f"{count}: {said([d.players for d in divisions(count, fours=count % 2 == 0)])}" for count in range(13, 60)
        ),
    )
    yield Piece("next divisions", said(next_divisions([["a", "b", "c", "d"], ["e", "f", "g"], ["h", "i"]], 1, 2)))
    yield Piece("next divisions", said(next_divisions([["a", "b", "c"], ["e", "f", "g"]], 2, 0)))


@scenario
def rounds_that_follow(folder: Path) -> Iterator[Piece]:
    """What comes after which rounds, in each format."""
    handles = tuple(f"E{each:03d}" for each in range(1, 41))
    for form in ("heats", "swiss", "league", "ladder", "knockout"):
        said_of = []
        for parallel, (able, busy) in product((True, False), ((40, 0), (12, 3), (6, 0), (4, 0))):
            text = f'{TITLE}format = "{form}"\n[rounds]{SMALL}parallel = {str(parallel).lower()}\n'
            field = Field(handles[:able], frozenset(handles[2:8:2]), 40, frozenset(handles[:busy]))
            for played in _pasts(form):
                found = said(next_round(read_settings(text), played, field))
                said_of.append(f"{able} {busy} {parallel} {[(past.kind, past.state) for past in played]}: {found}")
        yield Piece(form, "\n".join(said_of))


def _pasts(form: str) -> Iterator[tuple[PastRound, ...]]:
    kind = {"heats": "heat"}.get(form, form)
    rows: tuple[tuple[tuple[str, str], ...], ...] = (
        (), ((kind, "drawn"),), ((kind, "playing"),), ((kind, "closed"),), ((kind, "closed"), (kind, "playing")),
        ((kind, "closed"), (kind, "closed")), ((kind, "closed"), (kind, "closed"), ("semifinal", "closed")),
        ((kind, "closed"), (kind, "closed"), ("semifinal", "closed"), ("final", "playing")),
        ((kind, "closed"), (kind, "closed"), ("final", "closed")),
    )  # fmt: skip
    for row in rows:
        yield tuple(PastRound(number, *each) for number, each in enumerate(row, 1))  # type: ignore[arg-type]


@scenario
def papers_about_factions(folder: Path) -> Iterator[Piece]:
    """Auctions, wishes, two cards and trades, and papers that cannot be read."""
    names = ("ann", "bob", "cid", "dora", "eve", "fay")
    for seed in range(8):
        chance = random.Random(seed)
        six = FACTIONS[:6]
        worths = {
            name: {faction: chance.randrange(0, 60, 5) for faction in six} for name in names[: chance.randrange(2, 7)]
        }
        yield Piece("auction", f"{said(worths)}\n{said(hold_auction(names, six, worths))}")
        texts = {name: ", ".join(chance.sample([*six, "*"], 4)) for name in names}
        lists = {name: read_preferences(text, six) for name, text in texts.items() if "*" in text}
        found = assign_by_preference(names, six, lists, {"ann": seed, "eve": 2})
        lost = {name: places_lost(lists.get(name, ()), faction) for name, faction in found.items()}
        yield Piece("preferences", f"{said(texts)}\n{said(lists)}\n{said(found)}\n{said(lost)}")
        cards = offer_cards(names, six, f"seed {seed}", "cards")
        choices = {name: chance.choice(sorted(cards[name])) for name in names[:4]}
        yield Piece("two cards", f"{said(cards)}\n{said(choices)}\n{said(assign_kept_cards(names, cards, choices))}")
    factions = dict(zip(names, FACTIONS[:6], strict=True))
    spice = dict.fromkeys(FACTIONS[:6], 5)
    trades = []
    for by, text in TRADES:
        try:
            trade = read_trade(text, by, factions)
        except PaperRefused as error:
            yield Piece(f"{by}: trade {text}", str(error))
            continue
        trades.append(trade)
        yield Piece(f"{by}: trade {text}", f"{said(trade)} {trade_refusal(trade, factions, spice)}")
    yield Piece("traded", said(make_trades(factions, spice, trades)))
    for text in (
        "guild 3, fremen 2.5",
        "guild",
        "guild 3, guild 4",
        "choam 1",
        "guild -1",
        "guild 1/3",
        "all 7",
        "guild=2; bg: 1",
        "guild 2.55",
    ):
        yield Piece(f"bid {text}", tried(lambda text=text: read_worths(text, FACTIONS[:6]), PaperRefused))  # type: ignore[misc]
    for text in (
        "guild, fremen = atreides, *",
        "guild, guild",
        "*, *",
        "choam",
        "guild =",
        "=guild, ,",
        "har. bg",
        "fremen = *",
    ):
        yield Piece(f"preferences {text}", tried(lambda text=text: read_preferences(text, FACTIONS[:6]), PaperRefused))  # type: ignore[misc]
    for text in ("guild", "fremen", "atreides", "", "the guild", "g"):
        yield Piece(f"keep {text}", tried(lambda text=text: read_choice(text, ("guild", "atreides")), PaperRefused))  # type: ignore[misc]


@scenario
def changed_exports(folder: Path) -> Iterator[Piece]:
    """An export in which one thing was changed, in every place where there is another kind of thing; first with its
    sums as they were, then with sums made anew."""
    for document in (example(), under_way()):
        plain = json.loads(encode_published(document))
        lines = []
        for path in _kinds_of_places(plain):
            other = json.loads(encode_published(document))
            _change(other, path)
            lines.append(f"{'/'.join(map(str, path))}: {_found(other, anew=False)} | {_found(other, anew=True)}")
        yield Piece(document.state, "\n".join(lines))


def _found(document: Any, *, anew: bool) -> str:
    data = json.dumps(document).encode()
    try:
        if anew:
            data = encode_published(with_sums(msgspec.json.decode(data, type=Published)))
        found = verify(data)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    return said((found.difference, found.notes))


def _kinds_of_places(
    value: Any, path: tuple[str | int, ...] = (), seen: set[str] | None = None
) -> Iterator[tuple[str | int, ...]]:
    seen = set() if seen is None else seen
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _kinds_of_places(each, (*path, key), seen)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _kinds_of_places(each, (*path, number), seen)
    else:
        kind = "/".join(part if isinstance(part, str) else "N" for part in path)
        if kind not in seen:
            seen.add(kind)
            yield path


def _change(document: Any, path: tuple[str | int, ...]) -> None:
    for part in path[:-1]:
        document = document[part]
    value = document[path[-1]]
    if isinstance(value, bool):
        document[path[-1]] = not value
    elif isinstance(value, int):
        document[path[-1]] = value + 1
    elif isinstance(value, str):
        document[path[-1]] = value[:-1] + ("1" if value[-1:] != "1" else "2")
