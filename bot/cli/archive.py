"""`mentat archive …`: build the archive, show it on this machine, and set what it shows."""

from __future__ import annotations

import http.server
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from bot.archive import shelf, site, texts
from bot.archive import site as folders
from bot.archive.games import RunningGame
from bot.archive.site import Offered
from bot.cli.options import Game
from bot.cli.session import (
    WRONG_USE,
    Answer,
    Call,
    Verbatim,
    command,
    fail,
    print_line,
    read_policy,
    refuse_if_held,
    working,
)
from bot.desk.clocks import set_archive_policy
from bot.language.slots import archive_name
from bot.render.forum_posts import DIALECTS
from bot.store import archive, games, people
from bot.store.database import writing
from bot.wording.filters import plural

Where = Annotated[
    Path | None, typer.Argument(metavar="[DIR]", help="The folder; if left out, the one in the settings.")
]
LOOPBACK = "127.0.0.1"
T = TypeVar("T")


@command("archive build")
def build(
    call: Call,
    where: Where = None,
    game: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this game (may be repeated); others stay as they are.")
    ] = None,
) -> Answer:
    """Update an archive: a folder of plain pages about the games, which works with or without a web server.

    Unchanged pages are not written again. A folder that contains anything other than an archive is refused.

    Example: `mentat archive build site`
    """
    refuse_if_held(call)
    folder = _folder(call, where)
    wanted = list(game or ())
    for name in wanted:
        _require_shown(call, name)
    return _built(call, folder, wanted)


@command("game archive")
def game_archive(
    call: Call, game: Game, where: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")]
) -> Answer:
    """Write the archive of a single game: its pages, its record, and a program that checks the record.

    Example: `mentat game archive sietch-12 sietch-12`
    """
    _require_shown(call, game)
    others = folders.games_in(where) - {game}
    if others:
        fail(f"{where} also contains other games; `mentat archive build` keeps it up to date.", WRONG_USE)
    return _built(call, where, [game], whole=False)


@command("archive serve", without="as_json")
def serve(
    call: Call,
    where: Where = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = 8000,
) -> None:
    """Show an archive on this machine only, until Ctrl-C, so that you can look at it before you publish it.

    Example: `mentat archive serve site --port 8080`
    """
    folder = where or _folder(call, None)
    if not folders.is_archive(folder):
        fail(f"{folder} contains no archive; create one with `mentat archive build {folder}`.", WRONG_USE)
    try:
        server = http.server.ThreadingHTTPServer((LOOPBACK, port), partial(_Pages, directory=str(folder)))
    except OSError as error:
        fail(f"Port {port} cannot be used ({error.strerror}); choose another with --port, or 0 for any.")
    with server:
        print_line(f"The archive is at http://{LOOPBACK}:{server.server_port}/ for this machine only; Ctrl-C stops it.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print_line("ended")


class _Pages(http.server.SimpleHTTPRequestHandler):
    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@command("archive text")
def text(
    call: Call,
    game: Game,
    turn: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only this turn.")] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="F", help="bbcode (phpBB), bgg, markdown (Discourse) or text.")
    ] = "text",
) -> Answer:
    """Write the report of a game, or of one turn, as posts for a forum. While the game is in play, the report contains
    only what everybody may know.

    Example: `mentat archive text sietch-12 --turn 4 --format bgg`
    """
    dialect = next((known for known in DIALECTS if known == format), None)
    if dialect is None:
        fail(f"--format {format!r} is not one of {', '.join(DIALECTS)}.", WRONG_USE)
    with call.reading() as conn:
        over = games.revision(conn, game) is not None and games.progress(conn, game)[1]
    told = shelf.finished(call.engine, game) if over else shelf.so_far(call.engine, game)
    if not over and isinstance(told, RunningGame) and not told.events:
        fail(f"Nothing public has happened in {game} yet.")
    posts = texts.forum_posts(told, dialect, turn)
    whole = posts[0] if len(posts) == 1 else texts.posts_as_file(posts).decode()
    return Answer(Verbatim(whole.rstrip("\n") + "\n"), {"game": game, "format": dialect, "posts": posts})


@command("archive rename")
def rename(
    call: Call,
    old: Annotated[str, typer.Argument(help="A name in the archive.")],
    new: Annotated[str, typer.Argument(help="The new name.")],
) -> Answer:
    """Change a chosen name in all games. The pages show the new name when the archive is next built.

    Example: `mentat archive rename "Red Duke" "Old Duke"`
    """
    name = archive_name(new)
    try:
        with writing(call.engine) as conn:
            found = people.rename_pseudonym(conn, old, name)
    except ValueError as error:
        fail(str(error))
    if found is None:
        fail(f"Nobody has chosen the name {old!r}; names like “Guild of sietch-12” come from Mentat.")
    return Answer(f"{found.name} is now {name}.", {"old": found.name, "new": name})


@command("archive policy")
def policy(
    call: Call,
    game: Game,
    running: Annotated[str, typer.Option(metavar="WHAT", help="While it runs: hidden, public or delayed:N.")] = "",
    after: Annotated[str, typer.Option(metavar="WHAT", help="After its end: full or public-only.")] = "",
) -> Answer:
    """Show or change what the archive publishes about a game. If the game is in play, all its players are told of the
    change.

    Example: `mentat archive policy sietch-12 --after full`
    """
    with call.reading() as conn:
        now = archive.policy_in(conn, game)
    told = False
    if running or after:
        now = read_policy(call.settings, running or now.while_it_runs, after or now.ended, ("--running", "--after"))
        told = set_archive_policy(call.open_games, game, now, call.now)
    lines = [f"{game}: {now.while_it_runs} while it runs, {now.ended} after its end."]
    if told:
        lines.append("`mentat run` or `mentat send` tells its players.")
    return Answer(lines, {"game": game, "running": now.while_it_runs, "after": now.ended, "players_told": told})


def _folder(call: Call, where: Path | None) -> Path:
    folder = where or call.settings.archive.folder
    if folder is None:
        fail("Name a folder, or set one under [archive] folder.", WRONG_USE)
    return folder


def _require_shown(call: Call, game: str) -> None:
    with call.reading() as conn:
        shown = archive.policy_in(conn, game)
        over = games.progress(conn, game)[1]
        archive.shown_now(conn, game)
    if not over and game not in {each.id for each in shelf.shelved(call.engine)}:
        why = f"its policy while it runs is {shown.while_it_runs}"
        fail(f"The archive shows nothing of {game} now ({why}); `mentat archive policy {game}` changes that.")


def _told_by_name(offered: Sequence[Offered[T]]) -> Iterator[Offered[T]]:
    for number, each in enumerate(offered, 1):
        working.now(f"{number} of {len(offered)}: {each.id}")
        yield each
    working.now("the lists of all games")


def _built(call: Call, folder: Path, wanted: Sequence[str], *, whole: bool = True) -> Answer:
    finished, running = shelf.offered(call.engine, wanted, folders.games_in(folder))
    ratings = shelf.rating_list(call.engine) if whole else None
    tournaments = shelf.tournaments(call.engine, call.now, call.settings) if whole else ()
    address = call.settings.archive.address if whole else ""
    over, under_way, events = _told_by_name(finished), _told_by_name(running), _told_by_name(tournaments)
    tables = shelf.open_tables(call.engine, call.settings) if whole else None
    built = site.build(folder, over, under_way, ratings, events, address, tables)
    written = f"{plural(len(built.games), 'game')} and {plural(built.written, 'file')} written"
    told = f"{written if built.written else 'nothing has changed'}; open {folder / 'index.html'}"
    document = {
        "folder": str(folder),
        "games": list(built.games),
        "written": built.written,
        "removed": built.removed,
        "problems": list(built.problems),
    }
    problems = () if call.as_json else built.problems
    return Answer(told, document, failed=bool(built.problems), problems=problems)
