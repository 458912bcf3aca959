"""The processes that share the work on a server: who is there, who leads what, and how much mail waits for them."""

from __future__ import annotations

from collections import Counter

from bot.monitoring.finding import Finding
from bot.service.workers.presence import living
from bot.service.workers.reader import READING
from bot.store import inbox, presence
from bot.store.database import Engine, reading
from bot.store.direct import Direct


def examine(engine: Engine) -> Finding:
    """The processes that share the work, and which leads what."""
    direct = Direct(engine, "mentat")
    try:
        direct.reach()
        here = living(engine, direct)
        with reading(engine) as conn:
            led = {each.work: each.holder for each in presence.led(conn) if direct.is_taken(each.work)}
            waiting = inbox.waiting(conn)
    finally:
        direct.close()
    facts = {
        "processes": [{"name": each.name, "host": each.host} for each in here],
        "leads": led,
        "mails_waiting": waiting,
    }
    if not here:
        return Finding("workers", "note", "no worker is at work", "Start them when all is well.", facts)
    hosts = Counter(each.host for each in here)
    told = ", ".join(f"{n} worker{'' if n == 1 else 's'} on {host}" for host, n in sorted(hosts.items()))
    does = "; ".join(f"{holder} is {work}" for work, holder in led.items())
    told = f"{told}; {waiting} mails wait for them" + (f"; {does}" if does else "")
    if READING not in led:
        return Finding("workers", "wrong", f"{told}; none of them reads the mailbox", "See the log of `mentat run`.")
    return Finding("workers", "well", told, facts=facts)
