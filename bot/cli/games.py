"""`mentat game new|list|show|options|log|acts|verify|export`, `mentat desk`: start games and look at them.

People run these commands often and do not want to wait, so each command imports only what it needs.

Players are typed as `ann@example.org` or `Ann Smith <ann@example.org>`.
"""

from __future__ import annotations

import re
import secrets
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.text import Text

from bot.cli.options import Game, Trial, iso_or_none
from bot.cli.session import (
    WRONG_USE,
    Answer,
    Call,
    Line,
    Verbatim,
    command,
    console,
    fail,
    read_options,
    read_policy,
    styled,
    table,
    tell_if_held,
)
from bot.table.clock import DEFAULT_TEMPO

if TYPE_CHECKING:
    from bot.config.values import ArchivePolicy
    from bot.desk.desk import Desk, Standing
    from bot.desk.new_game import NewGame, Player
    from bot.press import PressSettings
    from bot.store.acts import DeskAct
    from bot.store.record import Rollback
    from bot.table.table import Table
    from rules.components import Faction
    from rules.players import Temperament
    from rules.state.events import Event, Viewer


@command("game new")
def new(
    call: Trial,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[MORE]...", help="More players, after --seat or --draw.")
    ] = None,
    ruleset: Annotated[str, typer.Option(help="The rule set.")] = "wbc-2018",
    game: Annotated[str, typer.Option("--id", help="A short name; made up if left out.")] = "",
    seat: Annotated[
        list[str] | None, typer.Option(metavar="FACTION=ADDRESS", help="A player (may be repeated).")
    ] = None,
    draw: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="A player who is dealt a faction (may be repeated)."),
    ] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A rule-set option to change.")] = None,
    clock: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of [clock] for this game.")
    ] = None,
    seed: Annotated[str, typer.Option(help="The secret random seed, of 128 bits; generated if left out.")] = "",
    tempo: Annotated[
        str, typer.Option(help="How the game is spread over days: table, steady or swift.")
    ] = DEFAULT_TEMPO,
    archive: Annotated[
        str, typer.Option(metavar="WHAT", help="What the archive shows while it runs: hidden, public or delayed:N.")
    ] = "",
    press: Annotated[
        str, typer.Option(metavar="MODE[,FLAG]...", help="How players may write to each other; `game press` explains.")
    ] = "",
    archive_after: Annotated[
        str, typer.Option(metavar="WHAT", help="What it shows after the end: full or public-only.")
    ] = "",
    forum: Annotated[
        str,
        typer.Option(metavar="NAME", help="The forum in which the game has a thread ([forums.NAME] in the settings)."),
    ] = "",
    opponent: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION[=HOW]", help="A seat that Mentat plays: careful, steady (the default) or sharp."),
    ] = None,
    allow_same_person: Annotated[
        bool, typer.Option("--allow-same-person", help="Count ann+1@ and ann+2@ as two people, for testing.")
    ] = False,
) -> Answer:
    """Start a game and mail its players.

    The players sit in the order in which you give the seats. `--draw` deals factions and seats at random. A player is
    an address, or a name and an address: `--seat "guild=Ann Smith <ann@example.org>"`. With
    `--opponent guild --opponent emperor=sharp`, Mentat plays these seats, and everybody is told which they are.
    `mentat rule --options RULESET` lists the options. A game keeps the options with which it began. `--dry-run` shows
    the seats, letters and deadlines without mailing anybody.

    Examples: `mentat game new --id sietch-12 --seat guild=ann@example.org --seat fremen=bob@example.org`,
    `mentat game new --draw ann@example.org bob@example.org cid@example.org`, `mentat game new --ruleset ah-optional
    --option solo_strongholds_extra=1 --option alliances_enabled=off --draw …`
    """
    from bot.desk.new_game import NewGame, new_game, require_unguessable
    from bot.press import PressRefused
    from bot.store import games
    from bot.table.clock import UnknownTempo, read_own_settings
    from rules.chapters.setup import dealt_factions

    if bool(seat) == bool(draw):
        fail(
            "Name the players either with --seat FACTION=ADDRESS or with --draw ADDRESS, each once or more.", WRONG_USE
        )
    secret = seed or secrets.token_hex(32)
    options = read_options(option or [])
    opponents = _opponents(opponent or ())
    typed = [*(seat or draw or ()), *(more or ())]
    seats, dots = _seated(typed, secret, (ruleset, options), opponents, drawn=bool(draw))
    name = game or f"sietch-{secrets.token_hex(3)}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}", name):
        fail(f"--id {name!r}: use up to 40 letters, digits, dots and hyphens; begin with a letter or digit.", WRONG_USE)
    shown = read_policy(call.settings, archive, archive_after)
    try:
        if seed:
            require_unguessable(seed, call.settings)
        made = NewGame(
            name,
            ruleset,
            seats,
            dots,
            secret,
            options=options,
            tempo=tempo,
            clock=read_own_settings(call.settings.clock, clock or []),
            archive=shown,
            press=_press(press),
            forum=forum,
            opponents=opponents,
        )
        table = new_game(call.open_games, made, call.now, tags_apart=allow_same_person, dry_run=call.dry_run)
    except PressRefused as error:
        fail(f"--press: {error}", WRONG_USE)
    except UnknownTempo as error:
        fail(str(error), WRONG_USE)
    except ValueError as error:
        fail(str(error))
    in_play = dealt_factions(games.rule_set(ruleset, options), len(seats) + len(opponents)) if draw else ()
    dealt_from = [faction for faction in in_play if faction not in opponents]
    document = _begun(table, made, shown) | {"dealt_from": list(dealt_from)}
    return Answer(_begun_lines(call, table, dealt_from, forum), document)


def _opponents(given: Sequence[str]) -> dict[Faction, Temperament]:
    from rules.components import as_faction
    from rules.players import temperament_named

    found: dict[Faction, Temperament] = {}
    for text in given:
        name, _, how = text.partition("=")
        try:
            found[as_faction(name.strip().lower())] = temperament_named(how.strip().lower() or "steady")
        except ValueError as error:
            fail(f"--opponent {text!r}: {error}", WRONG_USE)
    return found


def _seated(
    typed: Sequence[str],
    seed: str,
    rules: tuple[str, Mapping[str, Any]],
    opponents: Mapping[Faction, Temperament],
    *,
    drawn: bool,
) -> tuple[dict[Faction, Player], dict[Faction, int]]:
    from bot.desk.new_game import draw_seats

    ruleset, options = rules
    players = [read_player("--draw", text) for text in typed] if drawn else []
    seats = {} if drawn else read_seats(typed)
    if both := sorted(opponents.keys() & seats.keys()):
        fail(f"{both[0]} has a player; use --seat or --opponent for it, not both.", WRONG_USE)
    if not 2 <= (number := len(typed) + len(opponents)) <= 6:
        fail(f"Dune is for two to six players, not {number} (AH.I.1).", WRONG_USE)
    if not drawn:
        return seats, dict(zip((*seats, *opponents), _dots_for(number), strict=True))
    named = {player.address: player for player in players}
    dealt, dots = draw_seats([player.address for player in players], seed, ruleset, options, tuple(opponents))
    return {faction: named[address] for faction, address in dealt.items()}, dots


def _begun(table: Table, made: NewGame, shown: ArchivePolicy) -> dict[str, Any]:
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
        "deadlines": [
            {"faction": faction, "kind": kind, "deadline": due.isoformat()} for faction, kind, due in _first_due(table)
        ],
    }


def _begun_lines(call: Trial, table: Table, dealt_from: Sequence[Faction], forum: str) -> Iterator[str]:
    from bot.render.questions import duty
    from bot.wording import deadline, now_there
    from bot.wording.filters import speaking

    if call.dry_run:
        yield f"{table.id}, by the rules {table.ruleset}, at the tempo {table.tempo}"
    else:
        yield f"{table.id} has begun. `mentat run` or `mentat send` sends its letters."
    for faction, seat in table.seats.items():
        yield f"  dot {seat.dot:2}  {faction}  {seat.name}{f' <{seat.address}>' if seat.address else ''}"
    if dealt_from:
        again = "; they are dealt again when it begins" if call.dry_run else ""
        yield f"Dealt from {', '.join(dealt_from)}{again}. To choose them yourself: --seat FACTION=ADDRESS."
    zone = call.open_games.clock(table).calendar.zone
    with speaking(table.play.game.rules.edition):
        together: dict[tuple[str, datetime], list[str]] = {}
        for faction, kind, due in _first_due(table):
            together.setdefault((duty(kind), due), []).append(faction)
        for (what, due), factions in together.items():
            yield f"{', '.join(factions)}: {what}, until {deadline(due, call.now, zone)}"
    if "timezone" in table.clock:
        yield f"By the clock of this game it is now {now_there(call.now, zone)}."
    if forum and call.settings.forums[forum].kind == "paste":
        yield f"You post its thread by hand: `mentat forum show {table.id}` shows the first post."
    elif forum:
        yield f"`mentat run` or `mentat poll` opens its thread in {forum}."


def _first_due(table: Table) -> list[tuple[Faction, str, datetime]]:
    return [(q.faction, q.kind, due) for q in table.play.questions() if not q.blanket and (due := table.due(q))]


@command("game log")
def log(call: Call, game: Game, viewer: As = "public") -> Answer:
    """List what has happened in a game, as far as the viewer may know it. The game master also sees when and why the
    game was rolled back.

    Example: `mentat game log sietch-12 --as public`
    """
    from bot.store import games, record
    from bot.wording.filters import speaking
    from rules.rulesets.ruleset import edition_of

    with call.reading() as conn:
        games.revision(conn, game)  # raises UnknownGame before anything else
        seen_as = viewer_named(viewer, games.seats_of(conn, game))
        if seen_as != "public":
            games.require_sight(conn, game)
        happened = [event for event in games.events_of(conn, game) if event.visible_to(seen_as)]
        taken_back = record.rollbacks_of(conn, game) if seen_as == "gm" else []
        edition = edition_of(games.game_start(conn, game).ruleset)
    lines = _with_rollbacks(happened, taken_back)
    with speaking(edition):
        if call.as_json:  # numbered as the viewer sees them: a gap would show that an event is hidden from them
            return Answer(document=[_line_json(number, line, seen_as) for number, line in enumerate(lines)])
        return Answer(list(_log_lines(lines, seen_as)))


def _log_lines(lines: Sequence[Event | Rollback], seen_as: Viewer) -> Iterator[Line]:
    from rules.state.events import Event

    where = ("", "")
    for event in lines:
        if not isinstance(event, Event):
            yield styled(f"{event.at:%Y-%m-%d %H:%M}Z", "bold")
            yield f"  {_rollback_told(event)}"
            where = ("", "")
            continue
        sentences = _sentences(event, seen_as)
        if sentences and where != (where := (str(event.turn), event.phase)):
            yield styled(f"turn {event.turn}, {event.phase}", "bold")
        yield from (f"  {told}" for told in sentences)


@command("game verify")
def verify(
    call: Call,
    game: Annotated[str, typer.Argument(metavar="ID|FILE", help="A game's id, or a file with the record of a game.")],
) -> Answer:
    """Replay a game from its seed and its orders, and compare every event with the stored one. The command stops at the
    first difference, with exit status 1.

    A file must contain the record of a game: `game.jsonl`, packed or not, `game.dune`, or the output of
    `mentat game export`.

    Example: `mentat game verify sietch-12` or `mentat game verify archive/game/sietch-12/game.jsonl`
    """
    from bot.games import proof
    from bot.wording.filters import plural

    if Path(game).is_file():
        found = proof.verify_file(Path(game))
    else:
        with call.reading() as conn:
            found = proof.in_sight(conn, proof.verify(proof.full_record(conn, game)))
    document = {
        "game": found.id,
        "holds": found.holds,
        "entries": found.entries,
        "events": found.events,
        "difference": found.difference,
    }
    if not found.holds:
        problems = [] if call.as_json else [f"{found.id} fails verification. {found.difference}"]
        return Answer((), document, failed=True, problems=problems)
    given = f"{plural(found.entries, 'entry')} {'gives' if found.entries == 1 else 'give'}"
    return Answer(f"{found.id} passes verification: {given} the same {plural(found.events, 'event')}.", document)


@command("game story")
def story(
    call: Call,
    game: Game,
    format: Annotated[str, typer.Option("--format", metavar="F", help="text, markdown or html.")] = "text",
) -> Answer:
    """Tell a game as a story, with pictures of the board at its turning points. While the game is in play, the story
    tells only what everybody may know.

    The HTML is a single page that can be printed or sent. Example:
    `mentat game story sietch-12 --format html > story.html`
    """
    from bot.archive import shelf
    from bot.archive.game_pages import StoryFormat, story_text
    from bot.archive.games import story_of, story_so_far
    from bot.store import games

    wanted = next((known for known in get_args(StoryFormat) if known == format), None)
    if wanted is None:
        fail(f"--format {format!r} is not one of {', '.join(get_args(StoryFormat))}.", WRONG_USE)
    with call.reading() as conn:
        over = games.revision(conn, game) is not None and games.progress(conn, game)[1]
    told = story_of(shelf.finished(call.engine, game)) if over else story_so_far(shelf.so_far(call.engine, game))
    if told is None or not told.turns[0].events:
        fail(f"Nothing public has happened in {game} yet.")
    text = story_text(told, wanted)
    return Answer(Verbatim(text), {"game": game, "format": wanted, "story": text})


@command("game export")
def export(
    call: Call,
    game: Annotated[str, typer.Argument(help="The id of a finished game.")],
    file: Annotated[Path, typer.Argument(help="Where to write its record.")],
) -> Answer:
    """Write the record of a finished game. Anybody can verify the game from it, without this database.

    Example: `mentat game export sietch-12 sietch-12.json`
    """
    from bot.games import proof
    from bot.store import games

    with call.reading() as conn:
        table = games.open_table(conn, game)
        if not table.play.over:
            fail(f"{game} is still being played; its record contains the seed and every secret, so wait for the end.")
        kept = proof.full_record(conn, game)
    try:
        proof.write_record(kept, file)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.", WRONG_USE)
    return Answer(f"wrote {file}", {"game": game, "file": str(file)})


def _sentences(event: Event, viewer: Viewer) -> list[str]:
    """Put an event into words. For the game master, add the words that only one faction was told."""
    from bot.render.news import event_sentence

    told = [event_sentence(event.kind, event.facts, event.told_to(viewer))]
    if viewer == "gm":
        told += [
            f"({faction}: {event_sentence(event.kind, event.facts, facts)})" for faction, facts in event.private.items()
        ]
    return [text for text in dict.fromkeys(told) if text]


def _with_rollbacks(happened: list[Event], taken_back: list[Rollback]) -> list[Event | Rollback]:
    """Insert each rollback after the last event that it kept. If a later rollback cut that event, insert both rollbacks
    where the later one belongs."""
    lines: list[Event | Rollback] = list(happened)
    kept = len(happened)
    for rollback in reversed(taken_back):
        kept = min(kept, rollback.events)
        place = next((i for i, event in enumerate(happened) if event.number >= kept), len(happened))
        lines.insert(place, rollback)
    return lines


def _rollback_told(rollback: Rollback) -> str:
    from bot.wording.filters import plural

    kept = plural(rollback.entries, "entry")
    told = f"The game was rolled back to turn {rollback.turn}, {rollback.phase} ({kept} kept)."
    told += f" Reason: {rollback.why}" if rollback.why else " No reason was given."
    return f"{told} It was undone, and everything is restored." if rollback.undone else told


def _line_json(number: int, event: Event | Rollback, viewer: Viewer) -> dict[str, Any]:
    from rules.state.events import Event

    if not isinstance(event, Event):
        facts = {
            "at": event.at.isoformat(),
            "entries": event.entries,
            "events": event.events,
            "why": event.why,
            "undone": event.undone,
        }
        return {
            "number": number,
            "turn": event.turn,
            "phase": event.phase,
            "kind": "rollback",
            "facts": facts,
            "text": _rollback_told(event),
        }
    return {
        "number": number,
        "turn": event.turn,
        "phase": event.phase,
        "kind": event.kind,
        "facts": event.seen_by(viewer),
        "text": " ".join(_sentences(event, viewer)),
    }


def _press(said: str) -> PressSettings:
    from bot.press import PressRefused, read_press

    settings = read_press(said)
    if settings.names_until == "round":
        raise PressRefused("names-until=round works only at tournament tables, which belong to a round.")
    return settings


def _dots_for(count: int) -> list[int]:
    from rules.components.board import DOTS

    return [DOTS[number * len(DOTS) // count] for number in range(count)]


_NAMED_ADDRESS = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>\s*")


def read_player(option: str, text: str) -> Player:
    """Read one player. In ``word=Name <address>``, the word before "=" is the game master's note, not part of the
    name."""
    from bot.competition.published import clean_given_name
    from bot.desk.new_game import Player

    found = _NAMED_ADDRESS.fullmatch(text)
    if found is None:
        _check_address(option, text.strip())
        return Player(text.strip())
    address = found["address"].strip()
    _check_address(option, address)
    name = clean_given_name(found["name"].rpartition("=")[2])
    if not name:
        fail(f"{option} {text!r}: there is no name before the address; write it like Ann <ann@example.org>.", WRONG_USE)
    return Player(address, name)


def read_seats(given: Sequence[str]) -> dict[Faction, Player]:
    from rules.components import FACTION_FACTS, as_faction

    found: dict[Faction, Player] = {}
    for text in given:
        name, _, who = text.partition("=")
        if not who:
            fail(f"--seat {text!r}: write it like guild=ann@example.org.", WRONG_USE)
        sits = read_player("--seat", who.strip())
        try:
            faction = as_faction(name.strip().lower())
        except ValueError:
            fail(f"--seat {text!r}: {name!r} is not one of {', '.join(FACTION_FACTS)}.", WRONG_USE)
        if faction in found:
            fail(f"--seat {text!r}: {faction} already has a player.", WRONG_USE)
        found[faction] = sits
    return found


def _check_address(option: str, address: str) -> None:
    if not re.fullmatch(r"""[!#-'*+./0-9=?A-Z^_`a-z{|}~-]+@[A-Za-z0-9.-]+""", address):
        fail(f"{option} {address!r}: that is not an e-mail address; write it like ann@example.org.", WRONG_USE)


As = Annotated[str, typer.Option("--as", metavar="VIEWER", help="A faction, public, or gm.")]


@command("game list")
def list_games(
    call: Call,
    joinable: Annotated[
        bool, typer.Option("--open", help="List instead the tables that people can join by mail.")
    ] = False,
) -> Answer:
    """List the games: how far each has got, whom it is waiting for, and what is due next. Example:
    `mentat game list --json`"""
    if joinable:
        from bot.cli.lobby import list_public

        return list_public(call)
    from bot.desk.desk import is_master, listed_game, standing_of
    from bot.store import desk
    from bot.wording import clock_of, say

    tell_if_held(call)
    with call.reading() as conn:
        rows = desk.every_game(conn)
        if call.as_json:
            return Answer(
                document=[
                    {
                        "game": row.id,
                        "ruleset": row.ruleset,
                        "status": row.status,
                        "turn": row.turn,
                        "phase": row.phase,
                        "winner": list(row.winners),
                    }
                    for row in rows
                ]
            )
        owed, nameless = desk.owed_by_game(desk.owed(conn)), desk.nameless(conn)
        own = desk.games_of(conn, is_master(conn, call.settings))
    if not rows:
        return Answer("There is no game yet; start one with `mentat game new`.")
    standing = [standing_of(row, owed.get(row.id, ()), nameless.get(row.id), own=row.id in own) for row in rows]
    zone = call.settings.mentat.timezone
    heads = [say(f"desk-game.list-{head}") for head in ("game", "at", "due", "waits")]
    shown = table(heads, [listed_game(each, call.now, zone) for each in standing])
    return Answer([shown, say("desk-game.times", zone=clock_of(zone))])


@command("game show")
def show(call: Call, game: Game, viewer: As = "public") -> Answer:
    """Show a game as a viewer may see it. Example: `mentat game show sietch-12 --as guild --json`"""
    from bot.desk.game_view import game_page, json_view
    from bot.render.text import as_text
    from bot.store import games

    with call.reading() as conn:
        table = games.open_table(conn, game)
        seen_as = viewer_named(viewer, table.seats)
        if seen_as != "public":
            games.require_sight(conn, game)
        if call.as_json:
            return Answer(document=json_view(table, seen_as, call.settings, call.now))
        return Answer(Verbatim(as_text(game_page(table, seen_as, call.settings, call.now))))


def viewer_named(text: str, seats: Collection[Faction]) -> Viewer:
    from rules.components import as_faction

    if text in ("public", "gm"):
        return text
    if text not in seats:
        fail(f"--as {text!r}: a viewer is public, gm, or one of {', '.join(seats)}.", WRONG_USE)
    return as_faction(text)


@command("game options")
def options(
    call: Call,
    game: Game,
    change: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Always refused: a game keeps its options.")
    ] = None,
) -> Answer:
    """Show the rule set of a game and the options in which the game differs from it. A game keeps both until its end.

    Example: `mentat game options sietch-12`
    """
    from bot.store import games
    from rules.rulesets.options import written

    with call.reading() as conn:
        table = games.open_table(conn, game)
    if change:
        fail(f"{game} keeps the rule set and the options with which it began; start another game for {change[0]}.")
    own = dict(table.own_options)
    head = Text.assemble((game, "bold"), f"  {table.ruleset}")
    lines: list[Line] = [head, *(f"  {name} = {written(value)}" for name, value in own.items())]
    return Answer(lines, {"game": game, "ruleset": table.ruleset, "options": own})


NARROWEST_WORDS = 40  # characters after the head of a line, even on a narrow terminal


@command("game acts")
def acts(call: Call, game: Game) -> Answer:
    """Show the act log of a game: what was done to it, by whom and why. Everybody may read it at the end of the game.

    Example: `mentat game acts sietch-12`
    """
    from bot.games.open_games import acts_of
    from bot.store import games

    with call.reading() as conn:
        games.revision(conn, game)  # raises UnknownGame before anything else
        found = acts_of(conn, game)
    document = [
        {
            "at": act.at.isoformat(),
            "what": act.what,
            "words": act.words,
            "why": act.why,
            "tell": act.tell,
            "who": act.who,
            "right": act.right,
        }
        for act in found
    ]
    lines = [line for act in found for line in _act_lines(act)]
    return Answer(lines or [f"The act log of {game} is empty."], document)


def _act_lines(act: DeskAct) -> Iterator[str]:
    by = f" ({act.who or 'at the machine'}, {act.right})" if act.right else ""
    yield from _beside(f"{act.at:%Y-%m-%d %H:%M}Z  ", f"{act.what}  {act.words}{by}".rstrip())
    for label, words in (("    why: ", act.why), ("    told: ", act.tell)):
        for number, line in enumerate(words.splitlines()):
            yield from _beside(" " * len(label) if number else label, line)


def _beside(head: str, words: str) -> Iterator[str]:
    width = max(console.width - len(head), NARROWEST_WORDS)
    lines = textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
    yield from (f"{' ' * len(head) if number else head}{line}" for number, line in enumerate(lines))


@command("desk")
def desk(call: Call) -> Answer:
    """Show what needs your attention in all games: late players, stopped games, mail, the machine. Nothing sealed is
    shown.

    Example: `mentat desk`, or for a program `mentat desk --json`
    """
    from bot.desk.desk import desk_blocks, desk_now
    from bot.render.blocks import Document
    from bot.render.text import as_text

    tell_if_held(call)
    with call.reading() as conn:
        found = desk_now(conn, call.settings, call.now)
    shown = as_text(Document("", "", desk_blocks(found, call.settings.mentat.timezone)))
    return Answer([Verbatim(shown)], _desk_document(found))


def _desk_document(found: Desk) -> dict[str, Any]:
    machine = found.machine
    return {
        "now": iso_or_none(found.now),
        "matters": [_without_empty_fields(asdict(matter) | {"part": matter.part}) for matter in found.matters],
        "games": [_game_document(each, found.now) for each in found.games],
        "outbox": {"waiting": found.waiting_letters},
        "machine": {
            "free_bytes": machine.free,
            "database_bytes": machine.database,
            "service_at": iso_or_none(machine.service),
            "mailbox_failing_since": iso_or_none(machine.mailbox_failing),
        },
    }


def _without_empty_fields(facts: dict[str, Any]) -> dict[str, Any]:
    told = {name: iso_or_none(value) if isinstance(value, datetime) else value for name, value in facts.items()}
    return {name: value for name, value in told.items() if value not in ("", None, 0, ())}


def _game_document(standing: Standing, now: datetime) -> dict[str, Any]:
    game = standing.game
    return {
        "game": game.id,
        "ruleset": game.ruleset,
        "status": game.status,
        "turn": game.turn,
        "phase": game.phase,
        "stopped_at": iso_or_none(game.stopped_at),
        "on_hold": iso_or_none(game.on_hold),
        "next_due": iso_or_none(standing.next_due(now)),
        "waits_for": [
            {"faction": owed.faction, "kind": owed.kind, "since": iso_or_none(owed.since), "due": iso_or_none(owed.due)}
            for owed in standing.owed
        ],
    }
