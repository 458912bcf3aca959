"""`mentat run`, and one pass of the same work: `poll`, `tick`, `send`, `deliver`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.session import (
    CONFIG,
    NO,
    WRONG_USE,
    AsJson,
    Config,
    Session,
    answer_json,
    fail,
    instant,
    open_session,
    print_line,
    refuse_if_held,
)
from bot.config import load_settings
from bot.game_master.rules_upgrade import check_running_games
from bot.monitoring import counters, logs
from bot.service import loop
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.service.system_clock import utc_now
from bot.store import games
from bot.store.database import NewerSchema, is_url, reading
from bot.store.only_one import AlreadyRunning, only_one
from bot.wording.filters import plural

if TYPE_CHECKING:
    from bot.service.workers import supervisor


def run(
    config: Config = CONFIG,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log each message.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=64, metavar="N", help="How many processes share the work (PostgreSQL); 1 if not said."),
    ] = None,
) -> None:
    """Run the service until it is stopped: mailbox, deadlines, reminders, outbox.

    Examples: `mentat run --config ~/dune/config.toml`, `mentat run --workers 4`
    """
    settings = load_settings(config)
    try:
        logs.begin(settings.log, verbose=verbose)
    except OSError as error:
        fail(f"[log] file: {settings.log.file} cannot be written ({error.strerror}).", WRONG_USE)
    if is_url(settings.database_place):
        _run_workers(config, workers or 1)
        return
    if workers and workers > 1:
        fail(
            f"--workers {workers} needs a PostgreSQL server ([database] url in {config}): a SQLite file is for one "
            "process.", WRONG_USE,
        )  # fmt: skip
    session = open_session(config)
    try:
        with only_one(session.engine, "running"):
            refuse_if_held(session)
            _check(session)
            running = loop.Service(session.moderator, open_mailbox(session.settings), open_transport(session.settings))
            running.stop_on_signals()
            print_line(f"Mentat is running as {session.settings.mentat.address}; stop it with Ctrl-C.")
            running.run()
    except AlreadyRunning as error:
        fail(str(error))


def _run_workers(config: Path, workers: int) -> None:
    """Several processes, beside those of other machines; nothing is open here when they are forked."""
    from bot.service.workers import at_work, supervisor
    from bot.service.workers.warming import warm

    session = open_session(config)
    try:
        refuse_if_held(session)
        at_work.may_begin(session.engine)
        _check(session)
    except at_work.MayNotWork as why:
        fail(str(why))
    finally:
        session.engine.dispose()
    address = session.settings.mentat.address
    count = "1 worker" if workers == 1 else f"{workers} workers"
    print_line(f"Mentat is running as {address} with {count}; stop it with Ctrl-C.")
    try:
        warm(session.settings)
    except Exception:  # the first mails take longer then
        logging.exception("no mail could be tried out before the workers start")
    silent = max(supervisor.SILENT_SECONDS, 4 * session.settings.mailbox.timeout_seconds)
    if supervisor.Supervisor(workers, partial(_work, config), silent).run():
        raise typer.Exit(NO)


def _work(config: Path, role: supervisor.Role, name: str, turned: Callable[[], None]) -> int:
    """What a worker, or a reader, does in its own process; its exit status."""
    from bot.service.workers import at_work

    logs.this_process_is(name)
    os.environ["PGAPPNAME"] = name  # as the server names it, and by which others can end its connections
    try:
        at_work.work(open_session(config).moderator, role, name, turned)
    except (at_work.MayNotWork, NewerSchema) as why:
        logging.error("%s", why)
        return at_work.MAY_NOT_WORK
    return 0


def poll(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Fetch what is new in the mailbox and process it; read the forums, and post there what is to be told.

    Example: `mentat poll`, or in a crontab `*/5 * * * * mentat poll && mentat tick && mentat send`
    """
    session = _checked_session(config)
    mailbox = open_mailbox(session.settings)
    try:
        polled = loop.poll(session.moderator, mailbox)
    finally:
        mailbox.close()
    _look_after_forums(session)
    if as_json:
        answer_json({"messages": polled.messages, "shunted": polled.shunted})
    else:
        print_line(f"{plural(polled.messages, 'message')} processed, {polled.shunted} of them put aside")


def _look_after_forums(session: Session) -> None:
    if watch := loop.watch_of(session.moderator):
        loop.look_after_forums(watch, session.engine, utc_now())


def tick(
    config: Config = CONFIG,
    now: Annotated[str, typer.Option(metavar="ISO", help="The instant to take for the present.")] = "",
    game: Annotated[str, typer.Option(metavar="ID", help="The one game for which time passes.")] = "",
    as_json: AsJson = False,
) -> None:
    """Let the deadlines that are due pass, write the reminders that are due, and bring the archive up to date.

    Examples: `mentat tick --now 2026-11-24T20:00:00Z`, `mentat tick --now 2026-12-01 --game tryout`
    """
    session = _checked_session(config)
    moment = instant("--now", now) if now else utc_now()
    if game:
        with reading(session.engine) as conn:
            games.revision(conn, game)  # UnknownGame, if there is none
    timekeeper = session.moderator.timekeeper
    moved = timekeeper.tick(moment, game) if game or now else timekeeper.tick_now(moment)
    counters.write(session.engine)
    if not game and session.settings.archive.folder is not None:
        from bot.service.publishing import publisher_for  # it needs all that makes pages

        publisher_for(session.settings, session.engine).look(moment)
    if as_json:
        answer_json({"games": moved})
    else:
        print_line(f"{plural(moved, 'game')} went on")
    if not game and not now:
        _look_after_forums(session)


def send(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Send what waits in the outbox.

    Example: `mentat send`
    """
    session = open_session(config)
    refuse_if_held(session)
    transport = open_transport(session.settings)
    try:
        sent = loop.send(Outbox(session.moderator.open_games), transport, utc_now())
    finally:
        transport.close()
    if as_json:
        answer_json({"sent": sent.sent, "deferred": sent.deferred, "refused": sent.refused})
    else:
        print_line(f"{plural(sent.sent, 'letter')} sent, {sent.deferred} to be tried again, {sent.refused} refused")
    if sent.deferred or sent.refused:
        raise typer.Exit(1)


def deliver(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.eml…", help="Message files; - is standard input.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Process message files exactly as if they had been fetched.

    Example: `mentat deliver order.eml`
    """
    session = _checked_session(config)
    verdicts = []
    for file in files:
        try:
            raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        except OSError as error:
            fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)
        verdict = session.moderator.deliver(raw, utc_now())
        verdicts.append({"file": str(file), "disposition": verdict.disposition, "reason": verdict.reason,
                         "game": verdict.game_id, "faction": verdict.faction, "taken": verdict.taken})  # fmt: skip
    if as_json:
        answer_json(verdicts)
        return
    for told in verdicts:
        print_line(f"{told['file']}: {told['disposition']} ({told['reason']})")


def _checked_session(config: Path) -> Session:
    session = open_session(config)
    refuse_if_held(session)
    _check(session)
    return session


def _check(session: Session) -> None:
    """Hold the games that the rules installed now would play differently, before anything happens to them."""
    for problem in check_running_games(session.moderator.open_games, utc_now()):
        logging.error("%s", problem, extra=logs.about("game.held"))
