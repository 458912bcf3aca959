"""`mentat demo`, `mentat soak` and `mentat bench`: show that Mentat works, and how fast."""

from __future__ import annotations

import platform
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from bot.cli.session import (
    NO,
    WRONG_USE,
    AsJson,
    answer_json,
    command,
    console,
    cut_line,
    fail,
    print_aside,
    print_line,
    read_options,
    working,
)
from bot.lab.occurrences import ENOUGH, Occurrences
from bot.lab.soak import SoakResult, settings, soak
from bot.lab.soak_sheets import MOST_LIVE, SheetComparison, compare_with_sheets
from bot.lab.workbench import Measurement
from rules.components import FACTION_FACTS, as_faction, faction_name
from rules.components.board import TERRITORIES, TerritoryId
from rules.engine.catalogue import load_rule_set
from rules.rulesets.options import RuleSetError, Value
from rules.rulesets.ruleset import require_consistent, require_playable

DEMO_SEED = "caladan"


@command("demo")
def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to put everything.")] = Path("mentat-demo"),
    seed: Annotated[str, typer.Option(help="The random seed; the same seed gives the same shuffles.")] = DEMO_SEED,
    ruleset: Annotated[str, typer.Option(help="The rule set to play by.")] = "wbc-2018",
    turns: Annotated[
        int, typer.Option(min=0, max=15, help="End after this many turns; 0 for as many as the rules say.")
    ] = 0,
    option: Annotated[
        list[str] | None, typer.Option(help="Change an option of the rule set, like expansion=ixians-tleilaxu.")
    ] = None,
    tournament: Annotated[
        bool, typer.Option("--tournament", help="Play a small tournament: twelve players, two heats and a final.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play a whole game of Dune by mail on this machine: real IMAP and SMTP servers on loopback, six scripted players.

    Example: `mentat demo --out /tmp/dune --seed spice`, or `mentat demo --tournament` for an event of twelve
    """
    from bot.lab.demo import DemoFailed, NotOurs, Progress, fresh_folder, play_demo, write_demo_folder

    try:
        fresh_folder(out)
    except NotOurs as error:
        fail(str(error), WRONG_USE)
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror}. Name another folder with --out.", WRONG_USE)
    options = {**read_options(option or []), **({"max_turns": turns} if turns else {})}
    if tournament:
        _play_cup(out, seed, ruleset, options, as_json)
        return
    began = time.monotonic()

    def show(reached: Progress) -> None:
        if as_json:
            return
        held = [
            f"{TERRITORIES[TerritoryId(place)].name} "
            + "+".join(FACTION_FACTS[as_faction(faction)].abbreviation for faction in who.split(", "))
            for place, who in reached.strongholds.items()
            if who
        ]
        where = "the end" if reached.over else f"turn {reached.turn:2}"
        print_line(cut_line(f"{where} {reached.seconds:4.0f} s {reached.letters:5} letters  {'; '.join(held)}"))
        working.now("writing the pages" if reached.over else f"playing turn {reached.turn}")

    if not as_json:
        print_line("Six scripted players and Mentat play Dune by mail on this machine.")
    with working.on("starting the mail servers", everywhere=not as_json):
        try:
            played = play_demo(out, seed, ruleset, show, options)
        except DemoFailed as error:
            fail(str(error))
        except RuleSetError as error:
            fail(str(error), WRONG_USE)
        write_demo_folder(out, played)
    state, found = played.table.play.state, played.found
    if as_json:
        answer_json(
            {
                "winner": list(state.winners),
                "turn": state.turn,
                "ruleset": ruleset,
                "letters": played.letters,
                "answers": played.answers,
                "verified": found.holds,
                "difference": found.difference,
                "out": str(out),
                "seconds": round(time.monotonic() - began, 1),
            }
        )
    else:
        winners = " and ".join(faction_name(winner) for winner in state.winners)
        print_line(f"\n{winners} won on turn {state.turn}.", style="bold")
        if found.holds:
            print_line(f"Verified: the {found.entries} entries of the log give the same {found.events} events again.")
        print_line("Watch the game, read its story and every letter:")
        print_line(f"  {out / 'index.html'}")
        print_line("Ask about it:")
        print_line(f"  mentat game log demo --as public --config {out / 'config.toml'}")
    if not found.holds:
        fail(f"The record of the game fails verification. {found.difference}")


def _play_cup(out: Path, seed: str, ruleset: str, options: Mapping[str, int | str], as_json: bool) -> None:
    from bot.cli.rounds import print_standings
    from bot.competition.published import encode_published
    from bot.competition.verification import verify
    from bot.lab.demo import DemoFailed
    from bot.lab.tournament_demo import CUP, CUP_PAGES, CupDay, play_cup, write_cup_folder

    def show(happened: CupDay) -> None:
        if as_json:
            return
        command = f"  {happened.command}" if happened.command else ""
        print_line(f"day {happened.day:3} {happened.seconds:5.0f} s  {happened.told}{command}")
        working.now(f"day {happened.day}")

    if not as_json:
        print_line(
            "Twelve scripted players and a substitute play a tournament by mail on this\n"
            "machine. This takes a few minutes; the days are simulated."
        )
    with working.on("starting the mail servers", everywhere=not as_json):
        try:
            played = play_cup(out, seed, ruleset, show, options)
        except DemoFailed as error:
            fail(str(error))
        except RuleSetError as error:
            fail(str(error), WRONG_USE)
        write_cup_folder(out, played)
    found = verify(encode_published(played.published)).difference
    standings = [(row.rank, row.entrant, row.points) for row in played.published.standings]
    names = {one.handle: one.name for one in played.published.entrants}
    if as_json:
        answer_json(
            {
                "tournament": CUP,
                "standings": standings,
                "letters": played.letters,
                "answers": played.answers,
                "days": played.days,
                "verified": not found,
                "difference": found,
                "out": str(out),
                "seconds": round(played.seconds, 1),
            }
        )
    else:
        print_line("")
        print_standings(played.published.standings, names)
        if not found:
            print_line("\nVerified: draws, results, standings and ratings follow from the export alone.")
        print_line("\nRead every letter, and the pages of the tournament:")
        print_line(f"  {out / 'index.html'}")
        print_line(f"  {out / CUP_PAGES / 'index.html'}")
        print_line("Check it yourself:")
        print_line(f"  mentat tournament verify {out / (CUP + '.json')}")
    if found:
        fail(f"The export of the tournament fails verification. {found}")


bench_group = typer.Typer()


@bench_group.callback(invoke_without_command=True)
@working.on("measuring", everywhere=True)
def bench(
    context: typer.Context,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use fewer games and mails, which takes a third of the time.")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="Where to work; if left out, the folder for temporary files."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the engine, the mail, a thousand games, the archive and the seating, and compare the results with the
    limits of this machine.

    Example: `mentat bench --quick --json`, or only the reading of mail: `mentat bench mail`
    """
    if context.invoked_subcommand:
        return
    from bot.lab.bench import measure_archive, measure_engine, measure_reading, measure_seating, measure_starting
    from bot.lab.bench_growth import measure_clocks
    from bot.lab.bench_mail import measure_crowd, measure_long_mails, measure_mails, measure_waiting_time

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made:
        place = Path(made)
        parts: Sequence[tuple[str, Callable[[], list[Measurement]]]] = (
            ("starting", lambda: measure_starting(3 if quick else 9)),
            ("reading mail", lambda: measure_reading(3 if quick else 20)),
            ("the engine", lambda: measure_engine(("ah-basic", "wbc-2018"), 3 if quick else 20)),
            ("long mails", lambda: measure_long_mails(place / "long", "wbc-2018", 3 if quick else 9)),
            ("mail", lambda: measure_mails(place / "mails", "wbc-2018", 30 if quick else 120)),
            ("the path of a mail", lambda: measure_waiting_time(place / "waiting", "wbc-2018", 5 if quick else 20)),
            ("a thousand games", lambda: measure_crowd(place / "crowd", "wbc-2018")),
            ("the archive", lambda: measure_archive(place / "archive", "wbc-2018", 3 if quick else 10)),
            ("seating", lambda: measure_seating(1_000 if quick else 10_000)),
            ("deadlines", lambda: measure_clocks(place / "clocks", "wbc-2018", at_once=50 if quick else 200)),
        )
        found: list[tuple[str, Sequence[Measurement]]] = []
        for title, work in parts:
            working.now(f"measuring {title}")
            found.append((title, work()))
    _show_measurements(found, time.monotonic() - began, as_json)


@bench_group.command()
@working.on("measuring the reading of mail", everywhere=True)
def mail(
    times: Annotated[int, typer.Option(min=1, help="How often each message is read.")] = 20, as_json: AsJson = False
) -> None:
    """Measure only the reading of mail, and compare the time with that of the standard library's parser on the same
    messages.

    Example: `mentat bench mail --json`
    """
    from bot.lab.bench import measure_reading

    began = time.monotonic()
    found = [("reading mail", measure_reading(times))]
    _show_measurements(found, time.monotonic() - began, as_json)


@bench_group.command()
@working.on("measuring workers", everywhere=True)
def workers(
    mails: Annotated[int, typer.Option(min=10, help="How many mails they handle.")] = 600,
    count: Annotated[
        list[int] | None, typer.Option("--count", min=1, max=64, help="How many workers; if left out, 1, 2 and 4.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="Where to work; if left out, the folder for temporary files."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how many mails per second one, two and four workers handle on a private PostgreSQL server.

    Each result is compared with that of one worker and with a bare transaction on the same server. The command also
    checks whether the memory of the processes grows.

    Example: `mentat bench workers --mails 2000 --json`
    """
    from bot.lab.bench_growth import WORKER_COUNTS, measure_workers
    from bot.lab.postgresql import NoServer
    from bot.lab.simulation import WorkersStuck

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made:
        try:
            found = measure_workers(Path(made), "wbc-2018", mails, tuple(count or WORKER_COUNTS))
        except (NoServer, WorkersStuck) as problem:
            fail(str(problem))
    _show_measurements([("workers", found)], time.monotonic() - began, as_json)
    if not all(one.reached for one in found):
        raise typer.Exit(NO)


@bench_group.command()
@working.on("measuring", everywhere=True)
def scale(
    quick: Annotated[bool, typer.Option("--quick", help="Use a tenth of the games.")] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="Where to work; if left out, the folder for temporary files."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what thousands of games cost, in a file and, if there is one, on a private PostgreSQL server.

    The command measures the time for a tick over 10,000 open games. With 5,000 games, it measures the time for a list,
    a tick, and reading them for the archive. It also measures whether a mail, a letter and a tick take longer with
    2,000 games and 100,000 old letters than with ten games. The exit status is 1 if a target is missed.

    Example: `mentat bench scale --json`
    """
    from bot.lab.bench_growth import (
        LISTED,
        MANY,
        OPEN,
        TIMES_OLD,
        Sizes,
        measure_growth,
        measure_lists,
        measure_open_games,
    )
    from bot.lab.postgresql import database_kinds

    began, found, part = time.monotonic(), list[tuple[str, Sequence[Measurement]]](), 10 if quick else 1
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made, database_kinds() as kinds:
        if len(kinds) == 1:
            print_aside("without PostgreSQL, which is not installed here", style="dim")
        for kind in kinds:
            working.now(f"measuring {kind.name}")
            place = Path(made) / kind.name
            sizes = Sizes(many=MANY // part, times_old=TIMES_OLD // part)
            found += [
                (f"{kind.name}: many games", measure_open_games(place / "open", kind, "wbc-2018", OPEN // part)),
                (f"{kind.name}: long lists", measure_lists(place / "lists", kind, "wbc-2018", LISTED // part)),
                (f"{kind.name}: growth", measure_growth(place / "growth", kind, "wbc-2018", sizes)),
            ]
    _show_measurements(found, time.monotonic() - began, as_json)
    if not all(one.reached for _, several in found for one in several):
        raise typer.Exit(NO)


def _show_measurements(found: Sequence[tuple[str, Sequence[Measurement]]], seconds: float, as_json: bool) -> None:
    if as_json:
        measured = [{"part": title, **asdict(one), "reached": one.reached} for title, part in found for one in part]
        answer_json(
            {
                "python": platform.python_version(),
                "machine": platform.machine(),
                "seconds": round(seconds, 1),
                "measured": measured,
            }
        )
        return
    listing = Table(
        Column("measured", no_wrap=True),
        Column("value", justify="right", no_wrap=True),
        Column("times", justify="right"),
        "",
        Column("at most", no_wrap=True),
        box=None,
    )
    for title, part in found:
        listing.add_row(f"[bold]{title}[/bold]")
        for one in part:
            times = _three_digits(one.ratio) if one.ratio is not None else ""
            reached = "[green]yes[/green]" if one.reached else "[red]no[/red]"
            aim = f"{one.aim:,g} {reached}" if one.aim is not None else ""
            listing.add_row(f"  {one.name}", f"{_three_digits(one.value)} {one.unit:3}", times, one.against, aim)
    console.print(listing)
    print_line(f"{seconds:.0f} seconds on Python {platform.python_version()}, {platform.machine()}")


@bench_group.command()
@working.on("playing", everywhere=True)
def pace(
    tempo: Annotated[
        list[str] | None, typer.Option(metavar="TEMPO", help="table, steady or swift; if left out, all of them.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games at each tempo.")] = 5,
    turns: Annotated[int, typer.Option(min=1, max=15, help="How many turns each game has.")] = 10,
    slots: Annotated[
        int, typer.Option(help="How many hours apart mail is read, as in an anonymous game; 0 for at once.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Play whole games with simulated people who sleep, think and forget, and measure how many days the games last.

    Six players in six time zones answer after a random time (log-normal, with a median of 8 hours), sleep from 23:00 to
    7:00, and leave one letter in twenty unanswered. They have 24 hours for each step. The tempo `table` without sheets
    is the traditional way to play by mail.

    Example: `mentat bench pace --tempo steady --games 20 --json`
    """
    from bot.lab.pace import LONGEST_AT_STEADY, MOST_LETTERS_AT_STEADY, Manner, measure_pace
    from bot.language.commands import LettersMode
    from bot.press import SLOTS
    from bot.table.clock import UnknownTempo, tempo_names
    from bot.table.clock import tempo as find

    try:
        chosen = [find(name).name for name in tempo or tempo_names()]
    except UnknownTempo as error:
        fail(str(error), WRONG_USE)
    if slots not in SLOTS:
        fail(f"--slots: {slots} is not one of {', '.join(map(str, SLOTS))}.", WRONG_USE)
    found = []
    # with sheets or without, and which letters the players want
    ways: Sequence[tuple[bool, LettersMode]] = ((False, "all"), (True, "all"), (True, "wanted"))
    for name in chosen:
        for sheets, mode in ways:
            with_sheets = "with sheets" if sheets else "without"
            working.now(f"playing {games} games at {name}, {with_sheets}, letters {mode}")
            found.append(measure_pace(Manner(name, sheets, mode, turns, slots=slots), games))
    if as_json:
        answer_json({"turns": turns, "measured": [asdict(one) for one in found]})
        return
    number: Any = {"justify": "right", "no_wrap": True}
    listing = Table(
        "tempo",
        "sheets",
        "letters",
        Column("days", **number),
        Column("worst", **number),
        Column("stops", **number),
        Column("a turn", **number),
        Column("a day", **number),
        "most days go to",
        box=None,
    )
    for one in found:
        most = ", ".join(f"{phase} {days:g}" for phase, days in list(one.phases.items())[:2])
        listing.add_row(
            one.tempo,
            "yes" if one.sheets else "no",
            one.mode,
            f"{one.median_days:g}",
            f"{one.worst_days:g}",
            f"{one.stops_a_turn:g}",
            f"{one.letters_a_turn:g}",
            f"{one.letters_a_day:g}",
            most,
        )
    console.print(listing)
    for one in found:
        if one.waits and one.sheets and one.mode == "all":
            waits = ", ".join(f"{stop} {hours:g}" for stop, hours in one.waits.items())
            print_line(f"Hours lost at each stop in a median game at {one.tempo} with sheets: {waits}.")
    print_line(
        f"Days of a game of {turns} turns, the median and the worst; stops, and letters to a player, in a turn.\n"
        f"The goals for steady with sheets: {LONGEST_AT_STEADY:g} days for ten turns, and {MOST_LETTERS_AT_STEADY:g} "
        "letters a turn where players want only those that ask for something."
    )


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@command("soak")
@working.on("playing", everywhere=True)
def soak_games(
    games: Annotated[
        int, typer.Option("--games", min=1, help="How many games, with two to six players in turn.")
    ] = 100,
    ruleset: Annotated[str, typer.Option(help="The rule set to play by.")] = "wbc-2018",
    seed: Annotated[str, typer.Option(help="The random seed; the same seed gives the same games.")] = "soak",
    sheets: Annotated[
        int,
        typer.Option(min=0, help="Instead, play this many games live, and each again from its players' sheets."),
    ] = 0,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="How many processors to use.")] = 1,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option, as in `mentat game new`.")
    ] = None,
    tournament: Annotated[
        bool, typer.Option("--tournament", help="Instead, play a tournament by mail, with the mishaps of real ones.")
    ] = False,
    players: Annotated[
        str,
        typer.Option(
            metavar="N|HOW[,HOW]",
            help="How many enter the tournament. Or the kinds that play whole games: steady (all six), or steady,plain "
            "(one among five). The kinds are careful, steady, sharp, plain and random.",
        ),
    ] = "200",
    turns: Annotated[int, typer.Option(min=1, max=15, help="The maximum number of turns in a tournament game.")] = 10,
    results_only: Annotated[
        bool, typer.Option("--results-only", help="Play no games in the tournament: draw its winners by lot.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option(min=0, max=64, help="Instead, play games by mail in one process and in this many, and compare."),
    ] = 0,
    database: Annotated[
        str,
        typer.Option(
            metavar="URL", help="An empty PostgreSQL database for them; if left out, a private server is started."
        ),
    ] = "",
    kill: Annotated[
        list[float] | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Kill one process every second for this long; repeat the option for further runs.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play many random games with every card and power, check each event, and replay each game from its log.

    The command prints how often each power of the rule set, each event and each order occurred. The exit status is 1 if
    a game failed. In a run of a thousand games or more (two thousand with an expansion), it is also 1 if a power
    occurred fewer than 30 times in a thousand games.

    With `--players` and one or more kinds of opponent, the command prints who won, when and how, with 95% confidence
    intervals. Examples: `mentat soak --games 300 --ruleset ah-basic`, `mentat soak --players steady,plain --games 120`,
    `mentat soak --tournament --players 10000 --results-only`, or

    `mentat soak --games 200 --turns 1 --workers 4 --kill 120`
    """
    if not players.isdecimal():
        _play_match(players, games, (ruleset, option or []), seed, as_json=bool(as_json))
        return
    if (entrants := int(players)) < 5:
        fail(f"--players {players}: a tournament has five players or more.", WRONG_USE)
    if workers:
        _soak_workers(games, turns, ruleset, seed, workers, database, kill or [0.0], as_json=bool(as_json))
        return
    if tournament and results_only:
        _soak_results(entrants, seed, as_json=bool(as_json))
        return
    if tournament and turns < 2:
        fail("The games of a tournament need two turns or more; give --turns 2.", WRONG_USE)
    if tournament:
        _soak_tournament(entrants, seed, turns, as_json=bool(as_json))
        return
    own_options = read_options(option or [])
    rules = load_rule_set(ruleset)
    require_playable(rules)
    rules = rules.with_options(own_options)
    require_consistent(rules, own_options)
    options = tuple(own_options.items())
    if sheets:
        _soak_sheets(ruleset, seed, sheets, options, as_json=bool(as_json))
        return
    began, done = time.monotonic(), SoakResult(Occurrences(rules))
    for part in soak(settings(ruleset, seed, games, options), jobs):
        done.add(part)
        for failure in part.failures:
            print_aside(f"{failure.setting}\n{failure.fault}", style="red")
        working.now(f"{done.games} of {games} games")
    seconds, rare = time.monotonic() - began, done.occurred.too_rare(done.games)
    if as_json:
        answer_json(
            {"games": done.games, "ruleset": ruleset, "options": own_options, "seed": seed,
             "seconds": round(seconds, 1), "too_rare": rare,
             "failures": [asdict(failure) for failure in done.failures], "powers": dict(done.occurred.powers),
             "events": dict(done.occurred.events), "orders": dict(done.occurred.orders)}
        )  # fmt: skip
    else:
        for title, counted in (
            ("power or card", done.occurred.powers),
            ("event", done.occurred.events),
            ("order", done.occurred.orders),
        ):
            console.print(_listing(title, counted))
        print_line(f"{done.games} games of {ruleset} in {seconds:.0f} s, {len(done.failures)} failed.")
        if rare:
            many = done.occurred.enough_in
            print_line(f"Fewer than {ENOUGH} times in {many} games: {', '.join(rare)}.")
    if done.failures or rare:
        raise typer.Exit(NO)


def _play_match(players: str, games: int, rules: tuple[str, Sequence[str]], seed: str, *, as_json: bool) -> None:
    from bot.lab.matches import Kind, Match, MatchResult, play_match, wilson
    from rules.players import temperament_named

    ruleset, option = rules
    kinds: list[Kind] = []
    for name in players.lower().split(","):
        try:
            kinds.append(None if name.strip() == "random" else temperament_named(name.strip()))
        except ValueError as error:
            fail(f"--players {players}: {error} Another kind is random.", WRONG_USE)
    match = Match(ruleset, kinds[0], kinds[-1], seed, tuple(read_options(option).items()))
    began, done = time.monotonic(), MatchResult(Occurrences(load_rule_set(ruleset)))
    for done in play_match(match, games):
        working.now(f"{done.games} of {games} games")
    seconds = time.monotonic() - began

    def share(hits: float) -> dict[str, float]:
        low, high = wilson(hits, done.games)
        return {"share": round(hits / done.games, 3), "low": round(low, 3), "high": round(high, 3)}

    told: dict[str, Any] = {
        "ruleset": ruleset,
        "players": players,
        "seed": seed,
        "games": done.games,
        "seconds": round(seconds, 1),
        "won": share(done.wins),
        "won_in_parts": share(done.one_share),
        "before_last_turn": share(done.early),
        "median_turn": sorted(done.turns)[done.games // 2],
        "ends": dict(done.how.most_common()),
        "factions": {faction: share(done.shares[faction]) for faction in sorted(done.shares)},
        "milliseconds": round(done.milliseconds, 2),
        "slowest_milliseconds": round(1000 * done.slowest),
    }
    if as_json:
        answer_json({**told, "powers": dict(done.occurred.powers)})
        return
    console.print(_listing("power or card", done.occurred.powers))
    print_line(f"{done.games} games of {ruleset} in {seconds:.0f} s. The last turn was {told['median_turn']} (median).")
    if len(kinds) > 1:
        print_line(f"{players.replace(',', ' among ')}: won {_interval(told['won'])}")
    print_line(f"ended before the last turn: {_interval(told['before_last_turn'])}")
    for faction, found in told["factions"].items():
        print_line(f"  {faction_name(faction):14} {_interval(found)}")
    ends = ", ".join(f"{how} {number}" for how, number in told["ends"].items())
    print_line(
        f"Ends: {ends}. A decision took {told['milliseconds']} ms, the slowest {told['slowest_milliseconds']} ms."
    )


def _interval(found: Mapping[str, float]) -> str:
    return f"{found['share']:.0%} ({found['low']:.0%} to {found['high']:.0%})"


def _soak_sheets(
    ruleset: str, seed: str, number: int, options: tuple[tuple[str, Value], ...], *, as_json: bool
) -> None:
    done = SheetComparison()
    differences: list[str] = []
    for played, game in enumerate(settings(ruleset, seed, number, options), 1):
        found = compare_with_sheets(game)
        done.add(found)
        working.now(f"{played} of {number} games")
        if found.difference:
            differences.append(f"{game.seed}: {found.difference}")
            print_aside(differences[-1], style="red")
    if as_json:
        answer_json(
            {
                "games": number,
                "decisions": done.decisions,
                "lines": done.lines,
                "live": done.live,
                "by_cap": done.by_cap,
                "standing": done.standing,
                "handed_back": done.handed_back,
                "differences": differences,
            }
        )
    else:
        print_line(
            f"{number} games, {done.decisions} decisions, {done.lines} lines: {done.by_cap} decisions by a limit for a "
            f"card, {done.standing} by a line for several turns, {done.handed_back} handed back by “ask me”; "
            f"{done.live} that no line could make; {len(differences)} games differ."
        )
    if differences or done.live > MOST_LIVE * done.decisions:
        raise typer.Exit(NO)


def _listing(title: str, counted: Mapping[str, int]) -> Table:
    table = Table(Column(title, no_wrap=True), Column("times", justify="right"), box=None)
    for name, times in sorted(counted.items(), key=lambda pair: pair[1]):
        table.add_row(name, str(times))
    return table


def _soak_results(players: int, seed: str, *, as_json: bool) -> None:
    from bot.competition.seating_search import NoTables
    from bot.lab.tournaments import play_by_lot

    try:
        made = play_by_lot(players, seed)
    except NoTables as none:
        fail(str(none))
    tables = len(made.published.results)
    if as_json:
        answer_json(
            {
                "players": players,
                "tables": tables,
                "met_again": made.met_again,
                "seconds": made.seconds,
                "verified": not made.difference,
                "difference": made.difference,
            }
        )
    else:
        print_line(f"{players} players, {tables} tables, {made.met_again} pairs met again in the heats.")
        for what, took in made.seconds.items():
            print_line(f"  {took:7.2f} s  {what}")
    if made.difference:
        fail(f"The export fails verification. {made.difference}")


def _soak_tournament(players: int, seed: str, turns: int, *, as_json: bool) -> None:
    from tempfile import TemporaryDirectory

    from bot.lab.demo import DemoFailed
    from bot.lab.tournaments import hold_event

    with TemporaryDirectory() as folder:
        try:
            held = hold_event(Path(folder), players, seed, turns, (lambda said: None) if as_json else print_line)
        except DemoFailed as failed:
            fail(str(failed))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if as_json:
        answer_json(
            {
                "players": players,
                "counted": held.counted,
                "days": held.days,
                "seconds": round(held.seconds, 1),
                "computing": round(held.computing, 1),
                "longest": {what: round(took, 2) for what, took in held.longest.items()},
                "megabytes": megabytes,
                "wrong": held.wrong,
            }
        )
    else:
        for what, number in held.counted.items():
            print_line(f"  {number:7}  {what}")
        longest = "; ".join(f"{what} {took:.2f} s" for what, took in held.longest.items())
        print_line(f"{held.days} days in {held.seconds:.0f} s, {held.computing:.0f} s of them computing.")
        print_line(f"At most: {longest}; {megabytes} MB.")
    if held.wrong:
        fail(" ".join(held.wrong[:5]))


def _soak_workers(
    games: int, turns: int, ruleset: str, seed: str, workers: int, database: str, kills: list[float], *, as_json: bool
) -> None:
    from tempfile import TemporaryDirectory

    from bot.lab.demo import DemoFailed
    from bot.lab.postgresql import NoServer
    from bot.lab.simulation import Several, Simulated, compare_installations
    from bot.store.database import is_url

    if database and not is_url(database):
        fail(f"{database} is not a database on a server; give a URL like postgresql://mentat@/simulated.", WRONG_USE)
    if database and len(kills) > 1:
        fail("A named database allows only one comparison; give --kill once.", WRONG_USE)
    simulated, several = Simulated(games, turns, ruleset, seed), Several(workers, database, kills)

    def told(what: str) -> None:
        print_aside(what, style="dim")

    found = []
    with TemporaryDirectory(prefix="mentat-soak-") as folder:
        try:
            for each in compare_installations(Path(folder), simulated, several, told):
                found.append(each)
                if not as_json:
                    print_line(
                        f"{games} games, {each.together.mails} mails, {each.letters} letters: "
                        f"{each.alone.seconds:.0f} s in one process, {each.together.seconds:.0f} s in {workers}; "
                        f"{each.killed} were killed, {each.together.sent_again} letters went out twice."
                    )
        except (DemoFailed, NoServer) as failed:
            fail(str(failed))
    if as_json:
        answer_json(
            {"games": games, "turns": turns, "workers": workers, "comparisons": [
                {"mails": each.together.mails, "letters": each.letters, "killed": each.killed,
                 "sent_again": each.together.sent_again,
                 "seconds": [round(each.alone.seconds, 1), round(each.together.seconds, 1)], "wrong": each.wrong}
                for each in found
            ]}
        )  # fmt: skip
    if wrong := [sentence for each in found for sentence in each.wrong]:
        fail(" ".join(wrong[:5]))
