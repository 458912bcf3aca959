"""`mentat run`, and one pass of the same work: `poll`, `tick`, `send`, `deliver`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import (
    CONFIG,
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
from bot.store.database import is_url, reading
from bot.store.only_one import AlreadyRunning, only_one
from bot.wording.filters import plural


def run(
    config: Config = CONFIG,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log each message.")] = False,
    workers: Annotated[str, typer.Option(hidden=True, metavar="N", help="Not understood any more.")] = "",
) -> None:
    """Run the service until it is stopped: mailbox, deadlines, reminders, outbox.

    Several on one PostgreSQL database share the work. Example: `mentat run --config ~/dune/config.toml`
    """
    if workers:
        fail(
            "`mentat run` is one process and has no --workers: start several on one PostgreSQL database with the "
            "template unit (`systemctl enable --now mentat@1 mentat@2`) or with `docker compose up --scale mentat=2`, "
            "as docs/operating.md says under “Workers”.", WRONG_USE,
        )  # fmt: skip
    settings = load_settings(config)
    try:
        logs.begin(settings.log, verbose=verbose)
    except OSError as error:
        fail(f"[log] file: {settings.log.file} cannot be written ({error.strerror}).", WRONG_USE)
    if is_url(settings.database_place):
        _run_beside_others(config)
        return
    session = open_session(config)
    try:
        with only_one(session.engine, "running"):
            refuse_if_held(session)
            _check(session)
            running = loop.Service(session.moderator, open_mailbox(session.settings), open_transport(session.settings))
            running.stop_on_signals()
            _tell_that_it_runs(session)
            running.run()
    except AlreadyRunning as error:
        fail(str(error))


def _run_beside_others(config: Path) -> None:
    """One of several processes on a server."""
    from bot.service.workers import at_work

    name = at_work.new_name()
    logs.this_process_is(name)
    session = open_session(config)
    refuse_if_held(session)
    try:
        at_work.may_begin(session.engine)
        _check(session)
        _tell_that_it_runs(session)
        at_work.work(session.moderator, name)
    except at_work.MayNotWork as why:
        fail(str(why))


def _tell_that_it_runs(session: Session) -> None:
    print_line(f"Mentat is running as {session.settings.mentat.address}; stop it with Ctrl-C.")


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
