"""`mentat doctor`: does everything work that a configuration needs? It looks, and says what is wrong and what to do.

It takes none of the locks, writes nothing into the database, and leaves games alone, so it may be asked while
`mentat run` is at work. The mails that it sends to itself are known by their header: the service moves them away as it
finds them, and the doctor looks for them there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bot.config import SettingsError, load_settings
from bot.doctor import another, archive, forums, machine, mailbox, round_trip, sending
from bot.monitoring.finding import Finding


def examine(config: Path, wait: float) -> Iterator[Finding]:
    """Look at everything in turn; findings come as they are made. `wait`: how many seconds to wait for the mails that
    it sends to itself; with 0 it sends none."""
    try:
        settings = load_settings(config)
    except SettingsError as error:
        for problem in error.problems:
            yield Finding("settings", "wrong", problem)
        return
    yield from machine.examine(settings, config)
    yield from archive.examine(settings)
    yield from forums.examine(settings)
    can_receive = can_send = True
    for finding in mailbox.examine(settings):
        can_receive = can_receive and finding.state != "wrong"
        yield finding
    if can_receive:
        yield from another.examine(settings)
    for finding in sending.examine(settings):
        can_send = can_send and finding.state != "wrong"
        yield finding
    if settings.smtp.kind == "directory":
        yield Finding("a mail to itself", "skipped", "no mail is sent: letters are written into a folder")
    elif not wait:
        yield Finding("a mail to itself", "skipped", "no mail was sent, as you wished")
    elif not (can_receive and can_send):
        yield Finding("a mail to itself", "skipped", "mend what is wrong above first")
    else:
        yield from round_trip.examine(settings, wait)
