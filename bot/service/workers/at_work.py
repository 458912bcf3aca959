"""One process at work, as a worker or as a reader of the mailbox, from its start to its end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from datetime import datetime
from types import FrameType

from bot.mail.servers.transport import Transport
from bot.moderator.moderator import Moderator
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.system_clock import utc_now
from bot.service.workers.presence import MayNotWork as MayNotWork
from bot.service.workers.presence import Present, refuse_other_rules
from bot.service.workers.reader import Reader
from bot.service.workers.supervisor import MAY_NOT_WORK as MAY_NOT_WORK
from bot.service.workers.supervisor import Role
from bot.service.workers.worker import Worker
from bot.store.database import Engine, refuse_if_read_only, writing_no_game
from bot.store.direct import Direct


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


def work(
    moderator: Moderator, role: Role, name: str, turned: Callable[[], None], clock: Callable[[], datetime] = utc_now,
    transport: Transport | None = None,
) -> None:  # fmt: skip
    """Work until SIGTERM or SIGINT comes, calling ``turned`` with each turn of the main loop; letters go out as the
    settings say, or by ``transport``. ``clock`` is the time of the games; what shows whether processes live goes by
    the clock of the machine. MayNotWork where it may not, or not any more."""
    settings = moderator.settings
    working: Reader | Worker
    if role == "reader":
        direct = Direct(moderator.engine, name)
        working = Reader(moderator, open_mailbox(settings), direct, name, clock)
    else:
        working = Worker(moderator, transport or open_transport(settings), name, clock, utc_now)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        working.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    present = Present(moderator.engine, name, role, utc_now, working.stop)
    present.begin()
    try:
        working.run(turned)
    finally:
        present.end()
    if present.why_not:
        raise MayNotWork(present.why_not)
