"""`mentat game …`: start, show, list, log, verify, roll back."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as RichTable

from bot.cli.session import (
    CONFIG,
    NO,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    console,
    fail,
    open_session,
    read_options,
    read_policy,
)
from bot.clock.settings import read_own
from bot.clock.tempo import DEFAULT, UnknownTempo
from bot.game_master.new_game import draw_seats, new_game
from bot.game_master.rollback import GameIsOver
from bot.game_master.rollback import rollback as take_back
from bot.game_master.seeds import require_unguessable
from bot.games import proof
from bot.games.json_view import json_view
from bot.games.record_files import verify_file
from bot.reports.news import sentence
from bot.service.system_clock import utc_now
from bot.store import games, rollbacks
from bot.store.database import reading
from bot.store.rollbacks import Rollback
from bot.wording.spoken import speaking
from rules.components import FACTIONS, Faction, as_faction
from rules.components.board import DOTS
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.options import written
from rules.state.events import Event, Viewer

As = Annotated[str, typer.Option("--as", metavar="VIEWER", help="A faction, public, or gm.")]


def new(
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[MORE]...", help="More players, after --seat or --draw.")
    ] = None,
    ruleset: Annotated[str, typer.Option(help="The rule set.")] = "wbc-2018",
    game: Annotated[str, typer.Option("--id", help="A short name; made up if left out.")] = "",
    seat: Annotated[list[str] | None, typer.Option(metavar="FACTION=ADDRESS", help="A player; once for each.")] = None,
    draw: Annotated[
        list[str] | None, typer.Option(metavar="ADDRESS", help="A player to whom a faction is dealt.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A rule-set option to change.")] = None,
    clock: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of [clock] for this game.")
    ] = None,
    seed: Annotated[str, typer.Option(help="The secret seed of all chance, of 128 bits; drawn if left out.")] = "",
    tempo: Annotated[str, typer.Option(help="How it is spread over days: table, steady or swift.")] = DEFAULT,
    archive: Annotated[
        str, typer.Option(metavar="WHAT", help="What the archive shows while it runs: hidden, public or delayed:N.")
    ] = "",
    archive_after: Annotated[str, typer.Option(metavar="WHAT", help="And after its end: full or public-only.")] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Start a game and mail its players.

    Seats sit in the order given; `--draw` deals factions and seats at random. Examples:
    `mentat game new --id sietch-12 --seat guild=ann@example.org --seat fremen=bob@example.org`,
    `mentat game new --draw ann@example.org bob@example.org cid@example.org`,
    `mentat game new --ruleset ah-optional --option solo_strongholds_extra=1 --option alliances_enabled=off --draw …`.
    `mentat rule --options RULESET` lists the options; a game keeps those with which it began.
    """
    if bool(seat) == bool(draw):
        fail(
            "Name the players either with --seat FACTION=ADDRESS or with --draw ADDRESS, each once or more.", WRONG_USE
        )
    secret = seed or secrets.token_hex(32)
    players = [*(seat or draw or ()), *(more or ())]
    for address in players if draw else ():
        _check_address("--draw", address)
    seats = {} if draw else _seats(players)
    if not 2 <= len(players) <= 6:
        fail(f"Dune is for two to six players, not {len(players)} (AH.I.1).", WRONG_USE)
    if draw:
        seats, dots = draw_seats(players, secret, ruleset, read_options(option or []))
    else:
        dots = dict(zip(seats, _spread(len(seats)), strict=True))
    name = game or f"sietch-{secrets.token_hex(3)}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}", name):
        fail(f"--id {name!r}: use up to 40 letters, digits, dots and hyphens, a letter or digit first.", WRONG_USE)
    session = open_session(config)
    shown = read_policy(session.settings, archive, archive_after)
    try:
        if seed:
            require_unguessable(seed, session.settings)
        table = new_game(
            session.moderator.open_games,
            name,
            ruleset,
            seats,
            utc_now(),
            seed=secret,
            dots=dots,
            options=read_options(option or []),
            tempo=tempo,
            clock=read_own(session.settings.clock, clock or []),
            archive=shown,
        )
    except UnknownTempo as error:
        fail(str(error), WRONG_USE)
    except ValueError as error:
        fail(str(error))
    if as_json:
        answer_json(
            {
                "game": name,
                "ruleset": ruleset,
                "tempo": tempo,
                "archive": shown.while_it_runs,
                "archive_after": shown.ended,
                "seats": {f: s.address for f, s in table.seats.items()},
                "dots": dots,
            }
        )
        return
    console.print(f"{name} has begun. Its letters go out with `mentat run` or `mentat send`.", highlight=False)
    for faction, made in table.seats.items():
        console.print(f"  dot {made.dot:2}  {faction}  {made.address}", highlight=False, markup=False)


def list_games(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """List the games. Example: `mentat game list --json`"""
    session = open_session(config)
    with reading(session.engine) as conn:
        rows = games.all_games(conn)
    if as_json:
        answer_json(
            [
                {"game": row.id, "ruleset": row.ruleset, "status": row.status, "turn": row.turn, "phase": row.phase,
                 "winner": row.winners.split(",") if row.winners else []}
                for row in rows
            ]
        )  # fmt: skip
        return
    if not rows:
        console.print("There is no game yet; start one with `mentat game new`.")
        return
    listing = RichTable("game", "rule set", "status", "turn", "phase", "winner")
    for row in rows:
        listing.add_row(escape(row.id), row.ruleset, row.status, str(row.turn), row.phase, row.winners)
    console.print(listing)


def show(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    viewer: As = "public",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show a game as a viewer may see it, and nothing else. Example: `mentat game show sietch-12 --as guild --json`"""
    session = open_session(config)
    with reading(session.engine) as conn:
        table = games.open_table(conn, game)
    document = json_view(table, _viewer(viewer, table.seats))
    if as_json:
        answer_json(document)
        return
    console.print(f"[bold]{escape(game)}[/bold]  {table.ruleset}, turn {document['turn']}, {document['phase']}")
    if own := ", ".join(f"{name} = {written(value)}" for name, value in document["options"].items()):
        console.print(f"options: {own}", highlight=False, markup=False, soft_wrap=True)
    console.print(
        f"storm in sector {document['storm']}; Shield Wall {'stands' if document['shield_wall'] else 'destroyed'}"
    )
    if document["stopped_at"]:
        console.print(f"the clocks are stopped since {document['stopped_at'][:16]}Z", highlight=False)
    elif called := document["call"]:
        console.print(f"the call for sheets of the {called['round']} round is open until {called['until']}")
    for faction, player in document["players"].items():
        told = ", ".join(
            key if value is True else f"{key} {value}"
            for key, value in player.items() if value not in (None, "", [], {}, False)
        )  # fmt: skip
        console.print(f"  {faction}: {told}", highlight=False, markup=False, soft_wrap=True)
    for area, forces in document["forces"].items():
        there = ", ".join(f"{faction} {count}" for faction, count in forces.items())
        console.print(f"  {area}: {there}", highlight=False, markup=False)
    for bribe in document.get("escrow", ()):
        waits = f"before the shield of {bribe['to']}, from {bribe['from']}: {bribe['spice']} spice"
        console.print(f"  {waits}", highlight=False, markup=False)
    for question in document["questions"]:
        until = f"open until {question['deadline']}: {question['faction']}, {question['kind']}"
        console.print(f"  {until}: {question['prompt']}", highlight=False, markup=False, soft_wrap=True)


def log(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    viewer: As = "public",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """List what happened, as a viewer may know it; for the game master also when the game was taken back, and why.

    Example: `mentat game log sietch-12 --as public`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        games.revision(conn, game)  # UnknownGame comes first
        seen_as = _viewer(viewer, games.seats_of(conn, game))
        happened = [event for event in games.events_of(conn, game) if event.visible_to(seen_as)]
        taken_back = rollbacks.rollbacks_of(conn, game) if seen_as == "gm" else []
        edition = load_rule_set(games.founded(conn, game).ruleset).edition
    lines = _with_rollbacks(happened, taken_back)
    with speaking(edition):
        _show_log(lines, seen_as, as_json)


def _show_log(lines: Sequence[Event | Rollback], seen_as: Viewer, as_json: bool) -> None:
    if as_json:  # numbered as the viewer sees them: a gap would show that something was hidden from them
        answer_json([_as_json(number, line, seen_as) for number, line in enumerate(lines)])
        return
    where = ("", "")
    for event in lines:
        if isinstance(event, Rollback):
            console.print(f"[bold]{event.at:%Y-%m-%d %H:%M}Z[/bold]", highlight=False)
            console.print(f"  {_rollback_told(event)}", highlight=False, markup=False, soft_wrap=True)
            where = ("", "")
            continue
        sentences = _sentences(event, seen_as)
        if sentences and where != (where := (str(event.turn), event.phase)):
            console.print(f"[bold]turn {event.turn}, {event.phase}[/bold]", highlight=False)
        for told in sentences:
            console.print(f"  {told}", highlight=False, markup=False, soft_wrap=True)


def verify(
    game: Annotated[str, typer.Argument(metavar="ID|FILE", help="A game's id, or a file with the record of one.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Play a game again from its seed and its orders, and compare every event. Exit 1 at the first difference.

    A file is its record: `game.jsonl`, packed or not, `game.dune`, or what `game export` wrote. Example:
    `mentat game verify sietch-12` or `mentat game verify archive/game/sietch-12/game.jsonl`
    """
    if Path(game).is_file():
        found = verify_file(Path(game))
    else:
        session = open_session(config)
        with reading(session.engine) as conn:
            found = proof.verify(proof.record(conn, game))
    if as_json:
        answer_json({"game": found.id, "holds": found.holds, "entries": found.entries, "events": found.events,
                     "difference": found.difference})  # fmt: skip
    elif found.holds:
        console.print(
            f"{found.id} holds: {found.entries} entries give the same {found.events} events.", highlight=False
        )
    if not found.holds:
        if as_json:
            raise typer.Exit(NO)
        fail(f"{found.id} does not hold. {found.difference}")


def export(
    game: Annotated[str, typer.Argument(help="The id of a finished game.")],
    file: Annotated[Path, typer.Argument(help="Where to write its record.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write the record of a finished game, which proves it without this database. Example:
    `mentat game export sietch-12 sietch-12.json`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        table = games.open_table(conn, game)
        if not table.play.over:
            fail(f"{game} is still being played; its record holds the seed and every secret, so it waits for the end.")
        kept = proof.record(conn, game)
    try:
        proof.write_record(kept, file)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.", WRONG_USE)
    if as_json:
        answer_json({"game": game, "file": str(file)})
    else:
        console.print(f"wrote {file}", highlight=False, soft_wrap=True)


def rollback(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    entries: Annotated[int, typer.Option(metavar="N", help="Keep the first N entries of the log.")] = -1,
    turn: Annotated[int, typer.Option(metavar="N", help="Or: to the start of a phase of this turn.")] = 0,
    phase: Annotated[str, typer.Option(metavar="PHASE", help="That phase, like battle.")] = "storm",
    why: Annotated[str, typer.Option(help="What the players are told.")] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take a game back; every player is told. `mentat game log` and `game show` say where it stands.

    Example: `mentat game rollback sietch-12 --turn 4 --phase battle --why "A dial was read wrongly."`
    """
    if (entries < 0) == (turn < 1):
        fail("Say where to: --turn N --phase PHASE, or --entries N.", WRONG_USE)
    session = open_session(config)
    if turn:
        with reading(session.engine) as conn:
            if not games.exists(conn, game):
                raise games.UnknownGame(f"There is no game {game!r} here.")
            before = games.entries_before(conn, game, turn, phase)
        if before is None:
            fail(f"{game} did not stop in turn {turn}, {phase}; name a phase in which somebody was asked.", WRONG_USE)
        entries = before
    try:
        table = take_back(session.moderator.open_games, game, entries, utc_now(), why)
    except GameIsOver as refused:
        fail(str(refused))
    except ValueError as error:
        fail(str(error), WRONG_USE)
    state = table.play.state
    if as_json:
        answer_json({"game": game, "entries": table.entries, "turn": state.turn, "phase": state.phase})
    else:
        console.print(
            f"{game} stands at turn {state.turn}, {state.phase}, with {table.entries} entries.", highlight=False
        )


def _sentences(event: Event, viewer: Viewer) -> list[str]:
    """An event in words; for the game master also what each faction alone was told."""
    told = [sentence(event.kind, event.facts, event.told_to(viewer))]
    if viewer == "gm":
        told += [f"({faction}: {sentence(event.kind, event.facts, facts)})" for faction, facts in event.private.items()]
    return [text for text in dict.fromkeys(told) if text]


def _with_rollbacks(happened: list[Event], taken_back: list[Rollback]) -> list[Event | Rollback]:
    """Events, and each rollback behind the last event that it left. One that a later one took with it stands there."""
    lines: list[Event | Rollback] = list(happened)
    kept = len(happened)
    for rollback in reversed(taken_back):
        kept = min(kept, rollback.events)
        place = next((i for i, event in enumerate(happened) if event.number >= kept), len(happened))
        lines.insert(place, rollback)
    return lines


def _rollback_told(rollback: Rollback) -> str:
    told = f"The game was taken back to turn {rollback.turn}, {rollback.phase} ({rollback.entries} entries kept)."
    return f"{told} Reason: {rollback.why}" if rollback.why else f"{told} No reason was given."


def _as_json(number: int, event: Event | Rollback, viewer: Viewer) -> dict[str, Any]:
    if isinstance(event, Rollback):
        facts = {"at": event.at.isoformat(), "entries": event.entries, "events": event.events, "why": event.why}
        return {"number": number, "turn": event.turn, "phase": event.phase, "kind": "rollback", "facts": facts,
                "text": _rollback_told(event)}  # fmt: skip
    return {"number": number, "turn": event.turn, "phase": event.phase, "kind": event.kind,
            "facts": event.seen_by(viewer), "text": " ".join(_sentences(event, viewer))}  # fmt: skip


def _viewer(text: str, seats: Any) -> Viewer:
    if text in ("public", "gm"):
        return text
    if text not in seats:
        fail(f"--as {text!r}: a viewer is public, gm, or one of {', '.join(seats)}.", WRONG_USE)
    return as_faction(text)


def _seats(given: list[str]) -> dict[Faction, str]:
    seats: dict[Faction, str] = {}
    for text in given:
        name, _, address = text.partition("=")
        if not address:
            fail(f"--seat {text!r}: write it like guild=ann@example.org.", WRONG_USE)
        _check_address("--seat", address.strip())
        try:
            faction = as_faction(name.strip().lower())
        except ValueError:
            fail(f"--seat {text!r}: there is no faction {name!r}; there are {', '.join(FACTIONS)}.", WRONG_USE)
        if faction in seats:
            fail(f"--seat {text!r}: {faction} has a player already.", WRONG_USE)
        seats[faction] = address.strip()
    return seats


def _check_address(option: str, address: str) -> None:
    if not re.fullmatch(r"""[!#-'*+./0-9=?A-Z^_`a-z{|}~-]+@[A-Za-z0-9.-]+""", address):
        fail(f"{option} {address!r}: that is no e-mail address; write it like ann@example.org.", WRONG_USE)


def _spread(count: int) -> list[int]:
    """The dots for so many players, as evenly around the board as can be."""
    return [DOTS[number * len(DOTS) // count] for number in range(count)]
