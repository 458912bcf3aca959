"""`mentat stats …`: what the games that are over say together; never anything of a game that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

import msgspec
import typer
from rich.markup import escape
from rich.table import Table as RichTable

from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    console,
    fail,
    open_session,
    print_line,
)
from bot.competition.outcomes import TableOutcome
from bot.competition.statistics import games
from bot.competition.statistics.alliances import by_alliance, first_nexus_kept
from bot.competition.statistics.factions import best_games, by_faction
from bot.competition.statistics.players import by_player
from bot.competition.statistics.reliability import shown
from bot.competition.statistics.shares import ENOUGH, Share
from bot.store.database import reading
from bot.store.finished import finished_games, listed_players

Since = Annotated[str, typer.Option("--since", metavar="DATE", help="Only games that ended on this day or later.")]
RuleSetName = Annotated[str, typer.Option("--ruleset", metavar="NAME", help="Only games of this rule set.")]


def factions(since: Since = "", ruleset: RuleSetName = "", config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Wins by faction against those of a seat like any other, strongholds, turns of victory, best games.

    Example: `mentat stats factions --ruleset wbc-2018 --since 2026-01-01`
    """
    outcomes = _outcomes(config, since, ruleset)
    figures, best = by_faction(outcomes), best_games(outcomes)
    if as_json:
        _answer(outcomes, factions=figures, best_games=best)
        return
    listing = RichTable(
        "faction", "n", "won", "expected", "won/expected", "95 % interval", "strongholds a turn (n)",
        "turn of victory", "traitors",
    )  # fmt: skip
    for one in figures:
        listing.add_row(
            one.faction, str(one.wins.played), str(one.wins.won), one.expected, one.by_expected, _between(one.wins),
            f"{one.strongholds_per_turn} ({one.measured})", one.victory_turn, str(one.traitors),
        )  # fmt: skip
    _print(outcomes, listing)
    table = RichTable("best game with", "game", "strongholds a turn", "won", "of n")
    for game in best:
        table.add_row(
            game.faction, escape(game.game), game.strongholds_per_turn, "yes" if game.won else "no", str(game.of)
        )
    console.print(table)


def alliances(since: Since = "", ruleset: RuleSetName = "", config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Wins by pairs and triples that were allied at the end, and how often the first alliance was kept.

    Example: `mentat stats alliances --json`
    """
    outcomes = _outcomes(config, since, ruleset)
    pairs, triples, kept = by_alliance(outcomes, 2), by_alliance(outcomes, 3), first_nexus_kept(outcomes)
    if as_json:
        _answer(outcomes, pairs=pairs, triples=triples, first_nexus_kept=kept)
        return
    listing = RichTable("alliance", "tables", "allied", "won", "95 % interval")
    for one in [*pairs, *triples]:
        together = " + ".join(one.factions)
        listing.add_row(together, str(one.tables), str(one.wins.played), str(one.wins.won), _between(one.wins))
    _print(outcomes, listing)
    print_line(f"Of {kept.played} alliances of the first nexus {kept.won} were kept to the end: {_between(kept)}.")


def turns(since: Since = "", ruleset: RuleSetName = "", config: Config = CONFIG, as_json: AsJson = False) -> None:
    """When and how games are won, from which dot, and how long they take in turns, days and letters.

    Example: `mentat stats turns --since 2026-01-01`
    """
    outcomes = _outcomes(config, since, ruleset)
    by_turn, by_kind, by_dot = games.by_turn(outcomes), games.by_kind(outcomes), games.by_dot(outcomes)
    lengths = {
        "turns": games.length_in_turns(outcomes), "days": games.length_in_days(outcomes),
        "letters": games.length_in_letters(outcomes),
    }  # fmt: skip
    if as_json:
        _answer(outcomes, turns=by_turn, kinds=by_kind, dots=by_dot, lengths=lengths)
        return
    listing = RichTable("turn", "games", "of n", "winners")
    for one in by_turn:
        listing.add_row(str(one.turn), str(one.games), str(one.of), _counted(one.winners))
    _print(outcomes, listing)
    kinds = RichTable("won by", "games", "of n", "winners")
    for kind in by_kind:
        kinds.add_row(kind.how, str(kind.games), str(kind.of), _counted(kind.winners))
    console.print(kinds)
    dots = RichTable("dot", "n", "won", "expected", "95 % interval")
    for dot in by_dot:
        dots.add_row(str(dot.dot), str(dot.wins.played), str(dot.wins.won), dot.expected, _between(dot.wins))
    console.print(dots)
    long = RichTable("length in", "n", "least", "middle", "most")
    for unit, length in lengths.items():
        long.add_row(unit, str(length.games), str(length.least), f"{length.middle:g}", str(length.most))
    console.print(long)


def players(since: Since = "", ruleset: RuleSetName = "", config: Config = CONFIG, as_json: AsJson = False) -> None:
    """The players who agreed to be listed: wins against those of a seat like any other, and reliability.

    Example: `mentat stats players --ruleset wbc-2018`
    """
    session = open_session(config)
    day = _day(since)
    with reading(session.engine) as conn:
        outcomes = finished_games(conn, day, ruleset)
        listed = {one.name: one for one in listed_players(conn)}
    figures = by_player(outcomes, {name: one.seats for name, one in listed.items()})
    reliable = {name: shown(one.duties.on_time, one.duties.duties) for name, one in listed.items()}
    if as_json:
        rows = [
            {**msgspec.to_builtins(one), "reliability": reliable[one.name], "duties": listed[one.name].duties.duties}
            for one in figures
        ]
        _answer(outcomes, players=rows)
        return
    listing = RichTable("player", "n", "won", "expected", "95 % interval", "factions", "reliability (n)")
    for one in figures:
        listing.add_row(
            escape(one.name), str(one.wins.played), str(one.wins.won), one.expected, _between(one.wins),
            _counted(one.factions), f"{reliable[one.name]} ({listed[one.name].duties.duties})",
        )  # fmt: skip
    _print(outcomes, listing)


def _outcomes(config: Config, since: str, ruleset: str) -> list[TableOutcome]:
    session = open_session(config)
    day = _day(since)
    with reading(session.engine) as conn:
        return finished_games(conn, day, ruleset)


def _day(since: str) -> date | None:
    try:
        return date.fromisoformat(since) if since else None
    except ValueError:
        fail(f"--since: {since!r} is no day; write it like 2026-01-01.", WRONG_USE)


def _answer(outcomes: Sequence[TableOutcome], **figures: Any) -> None:
    answer_json({"games": len(outcomes)} | msgspec.to_builtins(figures))


def _print(outcomes: Sequence[TableOutcome], listing: RichTable) -> None:
    few = ": too few to tell anything" if len(outcomes) < ENOUGH else ""
    print_line(f"n = {len(outcomes)} (games that are over){few}.")
    console.print(listing)


def _between(share: Share) -> str:
    few = " (few)" if share.too_few else ""
    return f"{share.low:.4f} to {share.high:.4f}{few}"


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in numbers.items())
