"""`mentat stats …` and `mentat rating …`: statistics of finished games, by factions, alliances, turns and players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Annotated, Any

import msgspec
import typer

from bot.archive.summaries import victory_in_words
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
from bot.wording.filters import name, plural
from rules.engine.catalogue import load_rule_set

Since = Annotated[str, typer.Option("--since", metavar="DATE", help="Only games that ended on this day or later.")]
RuleSetName = Annotated[str, typer.Option("--ruleset", metavar="NAME", help="Only games of this rule set.")]


@command("stats factions")
def factions(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show, for each faction, its wins compared with an average seat, its strongholds, the turns in which it won, and
    its best games.

    Example: `mentat stats factions --ruleset wbc-2018 --since 2026-01-01`
    """
    outcomes = _outcomes(call, since, ruleset)
    figures, best = by_faction(outcomes), best_games(outcomes)
    heads = ("faction", "games", "won", "expected", "95 % interval", "held", "turn", "traitors")
    rows = [
        (name(one.faction), one.wins.played, one.wins.won, _tenth(one.expected), _between(one.wins),
         _tenth(one.strongholds_per_turn), _tenth(one.victory_turn), one.traitors)
        for one in figures
    ]  # fmt: skip
    games = [
        (name(game.faction), game.game, _tenth(game.strongholds_per_turn), _yes_or_no(game.won), game.of)
        for game in best
    ]
    lines: list[Line] = [
        table(heads, rows),
        "held: strongholds at the end of a turn; turn: the turn of a victory; both are averages",
        *_too_few(one.wins for one in figures),
        table(("best game with", "game", "held", "won", "of games"), games),
    ]
    return _statistics(call, outcomes, lines, factions=figures, best_games=best)


@command("stats alliances")
def alliances(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show the wins of each pair and triple of factions allied at the end, and how often the first alliance lasted.

    Example: `mentat stats alliances --json`
    """
    outcomes = _outcomes(call, since, ruleset)
    pairs, triples, kept = by_alliance(outcomes, 2), by_alliance(outcomes, 3), first_nexus_kept(outcomes)
    rows = [
        (" + ".join(map(name, one.factions)), one.tables, one.wins.played, one.wins.won, _between(one.wins))
        for one in (*pairs, *triples)
    ]
    heads = ("alliance", "tables", "allied", "won", "95 % interval")
    lines: list[Line] = [
        table(heads, rows) if rows else "No game ended with an alliance.",
        f"Of {plural(kept.played, 'alliance')} of the first nexus, {kept.won} lasted to the end: {_between(kept)}.",
        *_too_few([*(one.wins for one in (*pairs, *triples)), kept]),
    ]
    return _statistics(call, outcomes, lines, pairs=pairs, triples=triples, first_nexus_kept=kept)


@command("stats turns")
def turns(call: Call, since: Since = "", ruleset: RuleSetName = "") -> Answer:
    """Show when and how games are won, from which dot they are won, and how long they last in turns, days and letters.

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
    kinds = [(victory_in_words(kind.how), kind.games, kind.of, _counted(kind.winners)) for kind in by_kind]
    dots = [(dot.dot, dot.wins.played, dot.wins.won, _tenth(dot.expected), _between(dot.wins)) for dot in by_dot]
    long = [(unit, each.games, each.least, f"{each.middle:g}", each.most) for unit, each in lengths.items()]
    lines: list[Line] = [
        table(("turn", "games", "of", "winners"), turns),
        table(("won by", "games", "of", "winners"), kinds),
        table(("dot", "games", "won", "expected", "95 % interval"), dots),
        *_too_few(dot.wins for dot in by_dot),
        table(("length in", "games", "least", "middle", "most"), long),
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
            _tenth(one.expected),
            _between(one.wins),
            _percent(float(reliable[one.name])),
            _counted(one.factions),
        )
        for one in figures
    ]
    heads = ("player", "games", "won", "expected", "95 % interval", "reliable", "factions")
    shown = table(heads, rows) if rows else "No player agreed to be listed."
    return _statistics(call, outcomes, [shown, *_too_few(one.wins for one in figures)], players=document)


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
    if call.as_json:
        return Answer(document={"games": len(outcomes)} | msgspec.to_builtins(figures))
    few = len(outcomes) < ENOUGH_GAMES
    head = f"{plural(len(outcomes), 'finished game')}{f': {TOO_FEW}' if few else ''}."
    return Answer([head, *(line for line in lines if not few or line != _SOME_TOO_FEW)])


TOO_FEW = "too few to tell anything"
_SOME_TOO_FEW = f"Fewer than {ENOUGH_GAMES} games are {TOO_FEW}."


def _too_few(shares: Iterable[Share]) -> list[Line]:
    return [_SOME_TOO_FEW] if any(share.too_few for share in shares) else []


def _yes_or_no(said: bool) -> str:
    return "yes" if said else "no"


def _between(share: Share) -> str:
    return f"{_percent(share.low)} to {_percent(share.high)}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _tenth(number: str) -> str:
    return f"{float(number):.1f}" if number else ""


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name(faction)} {count}" for faction, count in numbers.items())


Person = Annotated[str, typer.Argument(help="An address, a name, or a number like 12.")]


@command("rating show")
def show_ratings(
    call: Call,
    person: Annotated[str, typer.Argument(metavar="[PERSON]", help="An address, a name, or a number like 12.")] = "",
) -> Answer:
    """Show the rating of a person, or of everybody in the public list, and how much each faction is worth.

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
    worths = [
        (load_rule_set(ruleset).title, size, name(faction), f"{each:+.1f}")
        for (ruleset, size, faction), each in worth.items()
    ]
    lines = [
        table(("rank", "player", "rating", "±", "games"), rated),
        table(("rule set", "table", "faction", "worth"), worths),
    ]
    return Answer(lines, document)


@command("rating history")
def show_rating_history(call: Call, person: Person) -> Answer:
    """Show each rated game of a person, with its expected result and with the change in their rating.

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
            name(game.faction),
            f"{float(game.before):.1f}",
            _percent(float(game.expected)),
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
    off: Annotated[bool, typer.Option("--off", help="List them again.")] = False,
) -> Answer:
    """Keep a person out of the public list of ratings. Their games count as before.

    Example: `mentat rating private ann@example.org`
    """
    _keep_up(call)
    with writing(call.engine) as conn:
        one = _find_person(conn, person)
        ratings.set_private(conn, one.id, not off)
    stands = "is in the public list" if off else "is not in the public list"
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
        fail(f"No single person is known as {person!r}; `mentat rating show` lists everybody with a rating.", WRONG_USE)
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
