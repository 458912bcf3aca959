"""`mentat game …`: start, show, list, log, verify, export."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.players import player as player_of
from bot.cli.players import seats as seats_of
from bot.cli.session import (
    CONFIG,
    NO,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    fail,
    open_session,
    print_line,
    read_options,
    read_policy,
)
from bot.cli.showing import As, viewer_named
from bot.clock.settings import read_own
from bot.clock.tempo import DEFAULT, UnknownTempo
from bot.config.archive_policy import Policy
from bot.game_master.new_game import NewGame, Player, draw_seats, new_game
from bot.game_master.seeds import require_unguessable
from bot.games import proof
from bot.games.record_files import verify_file
from bot.games.sight import in_sight, require_sight
from bot.press.settings import PressRefused, PressSettings
from bot.press.settings import read as read_press
from bot.reports.news import sentence
from bot.service.system_clock import utc_now
from bot.store import games, rollbacks
from bot.store.database import reading
from bot.store.rollbacks import Rollback
from bot.table.table import Table
from bot.wording.filters import plural
from bot.wording.spoken import speaking
from rules.components import Faction
from rules.components.board import DOTS
from rules.engine.rule_sets import load_rule_set
from rules.state.events import Event, Viewer


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
    press: Annotated[
        str, typer.Option(metavar="MODE[,FLAG]...", help="How players may write to each other; `game press` explains.")
    ] = "",
    archive_after: Annotated[str, typer.Option(metavar="WHAT", help="And after its end: full or public-only.")] = "",
    forum: Annotated[
        str, typer.Option(metavar="NAME", help="The forum of the settings in which it has a thread ([forums.NAME]).")
    ] = "",
    allow_same_person: Annotated[
        bool, typer.Option("--allow-same-person", help="Let ann+1@ and ann+2@ of one mailbox play: to try things out.")
    ] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Start a game and mail its players.

    Seats sit in the order given; `--draw` deals factions and seats at random. A player is an address, or a name and an
    address: `--seat "guild=Ann Smith <ann@example.org>"`. Examples:
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
    options = read_options(option or [])
    seats, dots = _seated([*(seat or draw or ()), *(more or ())], secret, ruleset, options, drawn=bool(draw))
    name = game or f"sietch-{secrets.token_hex(3)}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}", name):
        fail(f"--id {name!r}: use up to 40 letters, digits, dots and hyphens, a letter or digit first.", WRONG_USE)
    session = open_session(config)
    shown = read_policy(session.settings, archive, archive_after)
    try:
        if seed:
            require_unguessable(seed, session.settings)
        made = NewGame(
            name, ruleset, seats, dots, secret, options=options, tempo=tempo,
            clock=read_own(session.settings.clock, clock or []), archive=shown, press=_press(press), forum=forum,
        )  # fmt: skip
        table = new_game(session.moderator.open_games, made, utc_now(), tags_apart=allow_same_person)
    except PressRefused as error:
        fail(f"--press: {error}", WRONG_USE)
    except UnknownTempo as error:
        fail(str(error), WRONG_USE)
    except ValueError as error:
        fail(str(error))
    if as_json:
        answer_json(_begun(table, made, shown))
    else:
        by_hand = bool(forum) and session.settings.forums[forum].kind == "paste"
        _say_begun(table, forum, by_hand=by_hand)


def _seated(
    typed: Sequence[str], seed: str, ruleset: str, options: Mapping[str, Any], *, drawn: bool
) -> tuple[dict[Faction, Player], dict[Faction, int]]:
    """Who plays which faction, and at which dot each sits: as typed, around the board, or dealt at random."""
    players = [player_of("--draw", text) for text in typed] if drawn else []
    seats = {} if drawn else seats_of(typed)
    if not 2 <= len(typed) <= 6:
        fail(f"Dune is for two to six players, not {len(typed)} (AH.I.1).", WRONG_USE)
    if not drawn:
        return seats, dict(zip(seats, _spread(len(seats)), strict=True))
    named = {player.address: player for player in players}
    dealt, dots = draw_seats([player.address for player in players], seed, ruleset, options)
    return {faction: named[address] for faction, address in dealt.items()}, dots


def _begun(table: Table, made: NewGame, shown: Policy) -> dict[str, Any]:
    """What ``--json`` says of a game that has begun."""
    return {
        "game": table.id,
        "ruleset": table.ruleset,
        "tempo": table.tempo,
        "archive": shown.while_it_runs,
        "archive_after": shown.ended,
        "press": table.press,
        "seats": {faction: seat.address for faction, seat in table.seats.items()},
        "names": {faction: seat.name for faction, seat in table.seats.items()},
        "dots": made.dots,
    }


def _say_begun(table: Table, forum: str, *, by_hand: bool) -> None:
    print_line(f"{table.id} has begun. Its letters go out with `mentat run` or `mentat send`.")
    for faction, seat in table.seats.items():
        who = f"{seat.name} <{seat.address}>"
        print_line(f"  dot {seat.dot:2}  {faction}  {who}")
    if by_hand:
        next_step = f"You post its thread by hand: `mentat forum show {table.id}` gives the first post."
        print_line(next_step)
    elif forum:
        print_line(f"Its thread in {forum} is opened by `mentat run` or `mentat poll`.")


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
        seen_as = viewer_named(viewer, games.seats_of(conn, game))
        if seen_as != "public":
            require_sight(conn, game)
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
            print_line(f"{event.at:%Y-%m-%d %H:%M}Z", style="bold")
            print_line(f"  {_rollback_told(event)}")
            where = ("", "")
            continue
        sentences = _sentences(event, seen_as)
        if sentences and where != (where := (str(event.turn), event.phase)):
            print_line(f"turn {event.turn}, {event.phase}", style="bold")
        for told in sentences:
            print_line(f"  {told}")


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
            found = in_sight(conn, proof.verify(proof.record(conn, game)))
    if as_json:
        answer_json({"game": found.id, "holds": found.holds, "entries": found.entries, "events": found.events,
                     "difference": found.difference})  # fmt: skip
    elif found.holds:
        given = f"{plural(found.entries, 'entry')} {'gives' if found.entries == 1 else 'give'}"
        print_line(f"{found.id} holds: {given} the same {plural(found.events, 'event')}.")
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
        print_line(f"wrote {file}")


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
    kept = plural(rollback.entries, "entry")
    told = f"The game was taken back to turn {rollback.turn}, {rollback.phase} ({kept} kept)."
    told += f" Reason: {rollback.why}" if rollback.why else " No reason was given."
    return f"{told} It was undone, and all of it is back." if rollback.undone else told


def _as_json(number: int, event: Event | Rollback, viewer: Viewer) -> dict[str, Any]:
    if isinstance(event, Rollback):
        facts = {"at": event.at.isoformat(), "entries": event.entries, "events": event.events, "why": event.why,
                 "undone": event.undone}  # fmt: skip
        return {"number": number, "turn": event.turn, "phase": event.phase, "kind": "rollback", "facts": facts,
                "text": _rollback_told(event)}  # fmt: skip
    return {"number": number, "turn": event.turn, "phase": event.phase, "kind": event.kind,
            "facts": event.seen_by(viewer), "text": " ".join(_sentences(event, viewer))}  # fmt: skip


def _press(said: str) -> PressSettings:
    """How its players may write to each other. PressRefused for what only a table of a tournament can have."""
    settings = read_press(said)
    if settings.names_until == "round":
        raise PressRefused("names-until=round is for the tables of a tournament, whose round is closed one day.")
    return settings


def _spread(count: int) -> list[int]:
    """The dots for so many players, as evenly around the board as can be."""
    return [DOTS[number * len(DOTS) // count] for number in range(count)]
