"""`mentat archive …`: build the archive, look at it, and say what it shows of whom."""

from __future__ import annotations

import http.server
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.archive import shelf, site, texts
from bot.archive import site as folders
from bot.archive.games import RunningGame
from bot.archive.site import FolderRefused
from bot.cli.session import (
    CONFIG,
    NO,
    WRONG_USE,
    AsJson,
    Config,
    Session,
    answer_json,
    fail,
    open_session,
    print_aside,
    print_line,
    read_policy,
    refuse_if_held,
)
from bot.desk.ending import set_archive_policy
from bot.language.slots import NameRefused, archive_name
from bot.render.forum_posts import DIALECTS
from bot.service.machine import utc_now
from bot.store import archive, games, people
from bot.store.database import reading, writing
from bot.wording.filters import plural

if TYPE_CHECKING:
    from bot.archive.site import Built


Game = Annotated[str, typer.Argument(help="The game's id.")]
Where = Annotated[Path | None, typer.Argument(metavar="[DIR]", help="The folder; that of the settings if left out.")]
LOOPBACK = "127.0.0.1"


def build(
    where: Where = None,
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only this game (or several); others stay as they are."),
    ] = None,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Bring an archive up to date: a folder of plain pages about the games, for any web server or none.

    What has not changed is not written again. A folder that holds anything else is refused.
    Example: `mentat archive build site`
    """
    session = open_session(config)
    refuse_if_held(session)
    folder = _folder(session, where)
    wanted = list(game or ())
    for name in wanted:
        _require_shown(session, name)
    built = _built(session, folder, wanted)
    _tell(built, folder, as_json)


def game_archive(
    game: Game,
    where: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write the archive of one game alone: its pages, its record, and what checks it. Example:
    `mentat game archive sietch-12 sietch-12`
    """
    session = open_session(config)
    _require_shown(session, game)
    try:
        others = folders.games_in(where) - {game}
    except FolderRefused as refused:
        fail(str(refused), WRONG_USE)
    if others:
        fail(f"{where} is an archive of other games too; `mentat archive build` looks after that.", WRONG_USE)
    built = _built(session, where, [game], whole=False)
    _tell(built, where, as_json)


def serve(
    where: Where = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8000,
    config: Config = CONFIG,
) -> None:
    """Show an archive on this machine alone, until Ctrl-C: for a look before it goes to a web server.

    Example: `mentat archive serve site --port 8080`
    """
    folder = where or _folder(open_session(config), None)
    if not folders.is_archive(folder):
        fail(f"{folder} holds no archive; make one with `mentat archive build {folder}`.", WRONG_USE)
    try:
        server = http.server.ThreadingHTTPServer((LOOPBACK, port), partial(_Pages, directory=str(folder)))
    except OSError as error:
        fail(f"Port {port} cannot be used ({error.strerror}); choose another with --port, or 0 for any.")
    with server:
        print_line(f"The archive is at http://{LOOPBACK}:{server.server_port}/ for this machine alone; Ctrl-C ends it.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print_line("ended")


class _Pages(http.server.SimpleHTTPRequestHandler):
    """The files of the archive; no list of a folder, no log."""

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def text(
    game: Game,
    turn: Annotated[int | None, typer.Option(min=1, metavar="N", help="This turn alone.")] = None,
    format: Annotated[
        str,
        typer.Option("--format", metavar="F", help="bbcode (phpBB), bgg, markdown (Discourse) or text."),
    ] = "text",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write the report of a game, or of a turn of it, as posts for a forum; of a game that goes on what everybody may
    know.

    Example: `mentat archive text sietch-12 --turn 4 --format bgg`
    """
    dialect = next((known for known in DIALECTS if known == format), None)
    if dialect is None:
        fail(f"--format {format!r}: there are {', '.join(DIALECTS)}.", WRONG_USE)
    session = open_session(config)
    with reading(session.engine) as conn:
        over = games.revision(conn, game) is not None and games.progress(conn, game)[1]
    try:
        told = shelf.finished(session.engine, game) if over else shelf.so_far(session.engine, game)
    except shelf.NotShown as reason:
        fail(str(reason))
    if not over and isinstance(told, RunningGame) and not told.events:
        fail(f"Nothing has happened in {game} yet that everybody may know.")
    try:
        posts = texts.forum_posts(told, dialect, turn)
    except texts.NoSuchTurn as error:
        fail(str(error), WRONG_USE)
    if as_json:
        answer_json({"game": game, "format": dialect, "posts": posts})
    else:
        sys.stdout.write((posts[0] if len(posts) == 1 else texts.posts_as_file(posts).decode()).rstrip("\n") + "\n")


def rename(
    old: Annotated[str, typer.Argument(help="A name that stands in the archive.")],
    new: Annotated[str, typer.Argument(help="The name from now on.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Change a chosen name in all games; the pages follow when the archive is built next. Example:
    `mentat archive rename "Red Duke" "Old Duke"`
    """
    try:
        name = archive_name(new)
    except NameRefused as refused:
        fail(str(refused), WRONG_USE)
    session = open_session(config)
    try:
        with writing(session.engine) as conn:
            found = people.rename_pseudonym(conn, old, name)
    except ValueError as error:
        fail(str(error))
    if found is None:
        fail(f"Nobody has chosen the name {old!r}; names of the kind “Guild of sietch-12” are chosen by nobody.")
    if as_json:
        answer_json({"old": found.name, "new": name})
    else:
        print_line(f"{found.name} is {name} now.")


def policy(
    game: Game,
    running: Annotated[str, typer.Option(metavar="WHAT", help="While it runs: hidden, public or delayed:N.")] = "",
    after: Annotated[str, typer.Option(metavar="WHAT", help="After its end: full or public-only.")] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Say what the archive shows of a game, or change it; while the game goes on all its players are told.

    Example: `mentat archive policy sietch-12 --after full`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        now = archive.policy_in(conn, game)
    told = False
    if running or after:
        now = read_policy(session.settings, running or now.while_it_runs, after or now.ended, ("--running", "--after"))
        told = set_archive_policy(session.moderator.open_games, game, now, utc_now())
    if as_json:
        answer_json({"game": game, "running": now.while_it_runs, "after": now.ended, "players_told": told})
        return
    print_line(f"{game}: {now.while_it_runs} while it runs, {now.ended} after its end.")
    if told:
        print_line("Its players are told with `mentat run` or `mentat send`.")


def _folder(session: Session, where: Path | None) -> Path:
    folder = where or session.settings.archive.folder
    if folder is None:
        fail("Name a folder, or set one under [archive] folder.", WRONG_USE)
    return folder


def _require_shown(session: Session, game: str) -> None:
    """End with a sentence where the archive shows nothing of a game."""
    with reading(session.engine) as conn:
        shown = archive.policy_in(conn, game)
        over = games.progress(conn, game)[1]
        try:
            archive.shown_now(conn, game)
        except shelf.NotShown as reason:
            fail(str(reason))
    if not over and game not in {each.id for each in shelf.shelved(session.engine)}:
        why = f"its policy while it runs is {shown.while_it_runs}"
        fail(f"The archive shows nothing of {game} now ({why}); `mentat archive policy {game}` changes that.")


def _built(session: Session, folder: Path, wanted: Sequence[str], *, whole: bool = True) -> Built:
    """Build the archive; one that is not ``whole`` has the pages of its game, and none of ratings and tournaments."""
    try:
        finished, running = shelf.offered(session.engine, wanted, folders.games_in(folder))
        ratings = shelf.rating_list(session.engine) if whole else None
        tournaments = shelf.tournaments(session.engine, utc_now()) if whole else ()
        return site.build(folder, finished, running, ratings, tournaments)
    except FolderRefused as refused:
        fail(str(refused), WRONG_USE)


def _tell(built: Built, folder: Path, as_json: bool) -> None:
    if as_json:
        answer_json(
            {"folder": str(folder), "games": list(built.games), "written": built.written, "removed": built.removed,
             "problems": list(built.problems)}
        )  # fmt: skip
    else:
        told = (
            f"{plural(len(built.games), 'game')} and {plural(built.written, 'file')} written"
            if built.written
            else "nothing has changed"
        )
        print_line(f"{told}; open {folder / 'index.html'}")
        for problem in built.problems:
            print_aside(problem, style="red")
    if built.problems:
        raise typer.Exit(NO)
