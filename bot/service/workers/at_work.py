"""One of several processes at work, from its start to its end."""

from __future__ import annotations

import logging
import os
import secrets
import signal
from types import FrameType

from bot.mail.servers.transport import Transport
from bot.moderator.moderator import Moderator
from bot.monitoring.logs import about
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.system_clock import utc_now
from bot.service.workers.presence import MayNotWork as MayNotWork
from bot.service.workers.presence import Present, refuse_other_rules
from bot.service.workers.worker import OF_THE_MACHINE, Clocks, Worker
from bot.store.database import Engine, refuse_if_read_only, writing_no_game
from bot.store.direct import Direct

log = logging.getLogger(__name__)


def new_name() -> str:
    """Name this process, for its log and for the server: by that name others can end its connections. To be called
    before the database is opened."""
    name = f"worker-{secrets.token_hex(4)}"
    os.environ["PGAPPNAME"] = name
    return name


def may_begin(engine: Engine) -> None:
    """MayNotWork if processes are at work that play by other rules; DatabaseUnavailable where no locks can be had, or
    nothing can be written."""
    with writing_no_game(engine) as conn:
        refuse_if_read_only(conn)
    direct = Direct(engine, "mentat")
    try:
        direct.reach()
        refuse_other_rules(engine, direct)
    finally:
        direct.close()


def work(moderator: Moderator, name: str, clocks: Clocks = OF_THE_MACHINE, transport: Transport | None = None) -> None:
    """Work until SIGTERM or SIGINT comes. Letters go out as the settings say, or by ``transport``. MayNotWork where
    this process may not work, or not any more."""
    settings = moderator.settings
    working = Worker(moderator, open_mailbox(settings), transport or open_transport(settings), name, clocks)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        working.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    present = Present(moderator.engine, name, utc_now, working.stop)
    present.begin()
    log.info("%s is at work as process %d", name, os.getpid(), extra=about("worker.started"))
    try:
        working.run()
    finally:
        present.end()
    if present.why_not:
        raise MayNotWork(present.why_not)
