"""`mentat stats …` and `mentat rating …`: statistics of finished games, by factions, alliances, turns and players.

A running game is never part of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

import msgspec
import typer

from bot.cli.session import WRONG_USE, Answer, Call, Line, command, fail, table
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
from bot.store import ratings
from bot.store.archive import finished_games, listed_players
from bot.store.database import Connection, writing
from bot.store.ratings import RatedPerson

Since = Annotated[str, typer.Option("--since", metavar="DATE", help="Only games that ended on this day or later.")]
RuleSetName = Annotated[str, typer.Option("--ruleset", metavar="NAME", help="Only games of this rule set.")]


@command("stats factions")
def factions(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show wins by faction against those of an average seat, strongholds, turns of victory, best games.

    Example: `mentat stats factions --ruleset wbc-2018 --since 2026-01-01`
    """
    outcomes = _outcomes(call, since, ruleset)
    figures, best = by_faction(outcomes), best_games(outcomes)
    heads = ("faction", "n", "won", "expected", "won/expected", "95 % interval", "strongholds a turn (n)",
             "turn of victory", "traitors")  # fmt: skip
    rows = [
        (one.faction, one.wins.played, one.wins.won, one.expected, one.by_expected, _between(one.wins),
         f"{one.strongholds_per_turn} ({one.measured})", one.victory_turn, one.traitors)
        for one in figures
    ]  # fmt: skip
    games = [(game.faction, game.game, game.strongholds_per_turn, _yes_or_no(game.won), game.of) for game in best]
    lines = [table(heads, rows), table(("best game with", "game", "strongholds a turn", "won", "of n"), games)]
    return _statistics(call, outcomes, lines, factions=figures, best_games=best)


@command("stats alliances")
def alliances(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show wins by pairs and triples that were allied at the end, and how often the first alliance was kept.

    Example: `mentat stats alliances --json`
    """
    outcomes = _outcomes(call, since, ruleset)
    pairs, triples, kept = by_alliance(outcomes, 2), by_alliance(outcomes, 3), first_nexus_kept(outcomes)
    rows = [
        (" + ".join(one.factions), one.tables, one.wins.played, one.wins.won, _between(one.wins))
        for one in (*pairs, *triples)
    ]
    lines: list[Line] = [
        table(("alliance", "tables", "allied", "won", "95 % interval"), rows),
        f"Of {kept.played} alliances of the first nexus {kept.won} were kept to the end: {_between(kept)}.",
    ]
    return _statistics(call, outcomes, lines, pairs=pairs, triples=triples, first_nexus_kept=kept)


@command("stats turns")
def turns(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show when and how games are won, from which dot, and how long they take in turns, days and letters.

    Example: `mentat stats turns --since 2026-01-01`
    """
    outcomes = _outcomes(call, since, ruleset)
    by_turn, by_kind, by_dot = statistics.by_turn(outcomes), statistics.by_kind(outcomes), statistics.by_dot(outcomes)
    lengths = {
        "turns": statistics.length_in_turns(outcomes),
        "days": statistics.length_in_days(outcomes),
        "letters": statistics.length_in_letters(outcomes),
    }
    turns = [(one.turn, one.games, one.of, _counted(one.winners)) for one in by_turn]
    kinds = [(kind.how, kind.games, kind.of, _counted(kind.winners)) for kind in by_kind]
    dots = [(dot.dot, dot.wins.played, dot.wins.won, dot.expected, _between(dot.wins)) for dot in by_dot]
    long = [(unit, each.games, each.least, f"{each.middle:g}", each.most) for unit, each in lengths.items()]
    lines = [
        table(("turn", "games", "of n", "winners"), turns),
        table(("won by", "games", "of n", "winners"), kinds),
        table(("dot", "n", "won", "expected", "95 % interval"), dots),
        table(("length in", "n", "least", "middle", "most"), long),
    ]
    return _statistics(call, outcomes, lines, turns=by_turn, kinds=by_kind, dots=by_dot, lengths=lengths)


@command("stats players")
def players(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show the players who agreed to be listed: their wins, compared with an average seat, and their reliability.

    Example: `mentat stats players --ruleset wbc-2018`
    """
    day = _day(since)
    with call.reading() as conn:
        outcomes = finished_games(conn, day, ruleset)
        listed = {one.name: one for one in listed_players(conn)}
    figures = by_player(outcomes, {name: one.seats for name, one in listed.items()})
    reliable = {name: shown_reliability(one.duties.on_time, one.duties.duties) for name, one in listed.items()}
    document = [
        {**msgspec.to_builtins(one), "reliability": reliable[one.name], "duties": listed[one.name].duties.duties}
        for one in figures
    ]
    rows = [
        (
            one.name,
            one.wins.played,
            one.wins.won,
            one.expected,
            _between(one.wins),
            _counted(one.factions),
            f"{reliable[one.name]} ({listed[one.name].duties.duties})",
        )
        for one in figures
    ]
    heads = ("player", "n", "won", "expected", "95 % interval", "factions", "reliability (n)")
    return _statistics(call, outcomes, [table(heads, rows)], players=document)


def _outcomes(call: Call, since: str, ruleset: str) -> list[TableOutcome]:
    day = _day(since)
    with call.reading() as conn:
        return finished_games(conn, day, ruleset)


def _day(since: str) -> date | None:
    try:
        return date.fromisoformat(since) if since else None
    except ValueError:
        fail(f"--since: {since!r} is not a date; write it like 2026-01-01.", WRONG_USE)


def _statistics(call: Call, outcomes: Sequence[TableOutcome], lines: Sequence[Line], **figures: Any) -> Answer:
    few = ": too few to tell anything" if len(outcomes) < ENOUGH_GAMES else ""
    head = f"n = {len(outcomes)} (finished games){few}."
    if call.as_json:
        return Answer(document={"games": len(outcomes)} | msgspec.to_builtins(figures))
    return Answer([head, *lines])


def _yes_or_no(said: bool) -> str:
    return "yes" if said else "no"


def _between(share: Share) -> str:
    few = " (few)" if share.too_few else ""
    return f"{share.low:.4f} to {share.high:.4f}{few}"


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in numbers.items())


Person = Annotated[str, typer.Argument(help="An address, a name, or a number like 12.")]


@command("rating show")
def show_ratings(
    call: Call,
    person: Annotated[str, typer.Argument(metavar="[PERSON]", help="An address, a name, or a number like 12.")] = "",
) -> Answer:
    """Show the rating of a person, or of everybody in the public list, and what factions are worth.

    Examples: `mentat rating show`, `mentat rating show ann@example.org`
    """
    _keep_up(call)
    with call.reading() as conn:
        if person:
            one = _find_person(conn, person)
            return Answer(f"{one.shown}: {shown_rating(one.rated)}", _rating_json(one, None))
        everybody = [one for one in ratings.persons(conn) if not one.private]
        worth = ratings.factions(conn)
    ranks = ratings.ranks(everybody)
    factions = [
        {"ruleset": ruleset, "size": size, "faction": faction, "worth": six_decimals(each)}
        for (ruleset, size, faction), each in worth.items()
    ]
    document = {"players": [_rating_json(one, ranks.get(one.id)) for one in everybody], "factions": factions}
    if not everybody:
        return Answer("Nobody has a rating yet; tournament games give one, unless `rated = false`.", document)
    rated = [
        (ranks.get(one.id, ""), one.shown, f"{one.rated.rating:.0f}", uncertainty(one.rated.games), one.rated.games)
        for one in everybody
    ]
    worths = [(ruleset, size, faction, f"{each:+.1f}") for (ruleset, size, faction), each in worth.items()]
    lines = [
        table(("rank", "player", "rating", "±", "games"), rated),
        table(("rule set", "table", "faction", "worth"), worths),
    ]
    return Answer(lines, document)


@command("rating history")
def show_rating_history(call: Call, person: Person) -> Answer:
    """Show each rated game of a person: the expected result, and the change of the rating.

    Example: `mentat rating history ann@example.org --json`
    """
    _keep_up(call)
    with call.reading() as conn:
        one = _find_person(conn, person)
        games = ratings.history(conn, one.id)
    fields = ("game_id", "faction", "before", "after", "scored", "expected", "k")
    history = [{name: getattr(game, name) for name in fields} for game in games]
    document = {**_rating_json(one, None), "history": history}
    if not games:
        return Answer(f"{one.shown} has no rated game yet.", document)
    rows = [
        (
            game.game_id,
            game.faction,
            f"{float(game.before):.1f}",
            f"{float(game.expected):.3f}",
            _yes_or_no(game.scored == "1"),
            game.k,
            f"{float(game.after):.1f}",
        )
        for game in games
    ]
    return Answer([table(("game", "faction", "before", "expected", "won", "K", "after"), rows)], document)


@command("rating private")
def keep_private(
    call: Call,
    person: Person,
    off: Annotated[bool, typer.Option("--off", help="Let them stand in the public list again.")] = False,
) -> Answer:
    """Keep a person out of the public list of ratings. Their games count as before.

    Example: `mentat rating private ann@example.org`
    """
    _keep_up(call)
    with writing(call.engine) as conn:
        one = _find_person(conn, person)
        ratings.set_private(conn, one.id, not off)
    stands = "stands in the public list" if off else "does not stand in the public list"
    return Answer(f"{one.shown} {stands}.", {"person": one.id, "private": not off})


def _keep_up(call: Call) -> None:
    with call.reading() as conn:
        behind = ratings.is_behind(conn)
    if behind:
        with writing(call.engine) as conn:
            ratings.keep_up(conn, call.now)


def _find_person(conn: Connection, person: str) -> RatedPerson:
    one = ratings.find(conn, person)
    if one is None:
        fail(f"No single person is known as {person!r}; `mentat rating show` lists those who have a rating.", WRONG_USE)
    return one


def _rating_json(one: RatedPerson, rank: int | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        "person": one.id,
        "name": one.name,
        "rating": six_decimals(one.rated.rating),
        "uncertainty": uncertainty(one.rated.games),
        "games": one.rated.games,
    }
    return said | ({"rank": rank} if rank is not None else {})
