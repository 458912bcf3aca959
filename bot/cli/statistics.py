"""`mentat stats …` and `mentat rating …`: what finished games say together, about factions, alliances, turns and
players.

A game that goes on is never part of it.
"""

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
    Session,
    answer_json,
    console,
    fail,
    open_session,
    print_line,
)
from bot.competition import statistics
from bot.competition.outcomes import TableOutcome
from bot.competition.ratings import shown_rating, six_decimals, uncertainty
from bot.competition.statistics import (
    ENOUGH_GAMES,
    Share,
    best_games,
    by_alliance,
    by_faction,
    by_player,
    first_nexus_kept,
    shown_reliability,
)
from bot.service.machine import utc_now
from bot.store import ratings
from bot.store.archive import finished_games, listed_players
from bot.store.database import Connection, reading, writing
from bot.store.ratings import RatedPerson

Since = Annotated[str, typer.Option("--since", metavar="DATE", help="Only games that ended on this day or later.")]
RuleSetName = Annotated[str, typer.Option("--ruleset", metavar="NAME", help="Only games of this rule set.")]


def factions(since: Since = "", ruleset: RuleSetName = "", config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Wins by faction against those of a seat like any other, strongholds, turns of victory, best games.

    Example: `mentat stats factions --ruleset wbc-2018 --since 2026-01-01`
    """
    outcomes = _outcomes(config, since, ruleset)
    figures, best = by_faction(outcomes), best_games(outcomes)
    if as_json:
        _outcomes_json(outcomes, factions=figures, best_games=best)
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
    _print_statistics(outcomes, listing)
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
        _outcomes_json(outcomes, pairs=pairs, triples=triples, first_nexus_kept=kept)
        return
    listing = RichTable("alliance", "tables", "allied", "won", "95 % interval")
    for one in [*pairs, *triples]:
        together = " + ".join(one.factions)
        listing.add_row(together, str(one.tables), str(one.wins.played), str(one.wins.won), _between(one.wins))
    _print_statistics(outcomes, listing)
    print_line(f"Of {kept.played} alliances of the first nexus {kept.won} were kept to the end: {_between(kept)}.")


def turns(since: Since = "", ruleset: RuleSetName = "", config: Config = CONFIG, as_json: AsJson = False) -> None:
    """When and how games are won, from which dot, and how long they take in turns, days and letters.

    Example: `mentat stats turns --since 2026-01-01`
    """
    outcomes = _outcomes(config, since, ruleset)
    by_turn, by_kind, by_dot = statistics.by_turn(outcomes), statistics.by_kind(outcomes), statistics.by_dot(outcomes)
    lengths = {
        "turns": statistics.length_in_turns(outcomes), "days": statistics.length_in_days(outcomes),
        "letters": statistics.length_in_letters(outcomes),
    }  # fmt: skip
    if as_json:
        _outcomes_json(outcomes, turns=by_turn, kinds=by_kind, dots=by_dot, lengths=lengths)
        return
    listing = RichTable("turn", "games", "of n", "winners")
    for one in by_turn:
        listing.add_row(str(one.turn), str(one.games), str(one.of), _counted(one.winners))
    _print_statistics(outcomes, listing)
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
    reliable = {name: shown_reliability(one.duties.on_time, one.duties.duties) for name, one in listed.items()}
    if as_json:
        rows = [
            {**msgspec.to_builtins(one), "reliability": reliable[one.name], "duties": listed[one.name].duties.duties}
            for one in figures
        ]
        _outcomes_json(outcomes, players=rows)
        return
    listing = RichTable("player", "n", "won", "expected", "95 % interval", "factions", "reliability (n)")
    for one in figures:
        listing.add_row(
            escape(one.name), str(one.wins.played), str(one.wins.won), one.expected, _between(one.wins),
            _counted(one.factions), f"{reliable[one.name]} ({listed[one.name].duties.duties})",
        )  # fmt: skip
    _print_statistics(outcomes, listing)


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


def _outcomes_json(outcomes: Sequence[TableOutcome], **figures: Any) -> None:
    answer_json({"games": len(outcomes)} | msgspec.to_builtins(figures))


def _print_statistics(outcomes: Sequence[TableOutcome], listing: RichTable) -> None:
    few = ": too few to tell anything" if len(outcomes) < ENOUGH_GAMES else ""
    print_line(f"n = {len(outcomes)} (games that are over){few}.")
    console.print(listing)


def _between(share: Share) -> str:
    few = " (few)" if share.too_few else ""
    return f"{share.low:.4f} to {share.high:.4f}{few}"


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in numbers.items())


Person = Annotated[str, typer.Argument(help="An address, a name, or a number like 12.")]


def show_ratings(
    person: Annotated[str, typer.Argument(metavar="[PERSON]", help="An address, a name, or a number like 12.")] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show the rating of a person, or of everybody in the public list, and what factions are worth.

    Examples: `mentat rating show`, `mentat rating show ann@example.org`
    """
    session = _up_to_date(config)
    with reading(session.engine) as conn:
        if person:
            _show_rating(_find_person(conn, person), as_json)
            return
        everybody = [one for one in ratings.persons(conn) if not one.private]
        worth = ratings.factions(conn)
    ranks = ratings.ranks(everybody)
    if as_json:
        factions = [
            {"ruleset": ruleset, "size": size, "faction": faction, "worth": six_decimals(one)}
            for (ruleset, size, faction), one in worth.items()
        ]
        answer_json({"players": [_rating_json(one, ranks.get(one.id)) for one in everybody], "factions": factions})
        return
    if not everybody:
        print_line("Nobody has a rating yet; games of tournaments give one, unless `rated = false`.")
        return
    listing = RichTable("rank", "player", "rating", "±", "games")
    for one in everybody:
        rank = str(ranks.get(one.id, ""))
        rated = one.rated
        listing.add_row(rank, escape(one.shown), f"{rated.rating:.0f}", str(uncertainty(rated.games)), str(rated.games))
    console.print(listing)
    factions_table = RichTable("rule set", "table", "faction", "worth")
    for (ruleset, size, faction), one_worth in worth.items():
        factions_table.add_row(ruleset, str(size), faction, f"{one_worth:+.1f}")
    console.print(factions_table)


def show_rating_history(person: Person, config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Show each rated game of a person: what was expected, and what it did to the rating.

    Example: `mentat rating history ann@example.org --json`
    """
    session = _up_to_date(config)
    with reading(session.engine) as conn:
        one = _find_person(conn, person)
        games = ratings.history(conn, one.id)
    if as_json:
        fields = ("game_id", "faction", "before", "after", "scored", "expected", "k")
        rows = [{name: getattr(game, name) for name in fields} for game in games]
        answer_json({**_rating_json(one, None), "history": rows})
        return
    if not games:
        print_line(f"{one.shown} has no rated game yet.")
        return
    listing = RichTable("game", "faction", "before", "expected", "won", "K", "after")
    for game in games:
        listing.add_row(
            escape(game.game_id), game.faction, f"{float(game.before):.1f}", f"{float(game.expected):.3f}",
            "yes" if game.scored == "1" else "no", game.k, f"{float(game.after):.1f}",
        )  # fmt: skip
    console.print(listing)


def keep_private(
    person: Person,
    off: Annotated[bool, typer.Option("--off", help="Let them stand in the public list again.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Keep a person out of the public list of ratings. Their games count as before.

    Example: `mentat rating private ann@example.org`
    """
    session = _up_to_date(config)
    with writing(session.engine) as conn:
        one = _find_person(conn, person)
        ratings.set_private(conn, one.id, not off)
    if as_json:
        answer_json({"person": one.id, "private": not off})
    else:
        stands = "stands in the public list" if off else "does not stand in the public list"
        print_line(f"{one.shown} {stands}.")


def _up_to_date(config: Config) -> Session:
    """Mentat, with the ratings as the results are now."""
    session = open_session(config)
    with reading(session.engine) as conn:
        behind = ratings.is_behind(conn)
    if behind:
        with writing(session.engine) as conn:
            ratings.keep_up(conn, utc_now())
    return session


def _find_person(conn: Connection, person: str) -> RatedPerson:
    one = ratings.find(conn, person)
    if one is None:
        fail(f"No one person is known as {person!r}; `mentat rating show` lists those who have a rating.", WRONG_USE)
    return one


def _show_rating(one: RatedPerson, as_json: bool) -> None:
    if as_json:
        answer_json(_rating_json(one, None))
    else:
        print_line(f"{one.shown}: {shown_rating(one.rated)}")


def _rating_json(one: RatedPerson, rank: int | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        "person": one.id, "name": one.name, "rating": six_decimals(one.rated.rating),
        "uncertainty": uncertainty(one.rated.games), "games": one.rated.games,
    }  # fmt: skip
    return said | ({"rank": rank} if rank is not None else {})
