"""The end of every letter: how to reach the game master, the rules, and the help."""

from __future__ import annotations

from bot.mail.identity import tagged_subject
from bot.reports.document import Button, Footer
from bot.reports.given import Position
from bot.reports.links import reply_link
from bot.wording.sentences import say

READY = ("game-master", "rules", "help", "status")


def footer(position: Position) -> Footer:
    """What to send for them, as mails ready to be sent and in words; and where to read on."""
    lines = [say("footer.send-public" if position.reader.viewer == "public" else "footer.send")]
    pages = {"rules": position.pages.rules, "help": position.pages.help}
    links = tuple(Button(say(f"footer.page-{name}"), address) for name, address in pages.items() if address)
    return Footer(_ready(position), tuple(lines), links)


def _ready(position: Position) -> tuple[Button, ...]:
    reader = position.reader
    if not reader.reply_to:
        return ()
    found = []
    for name in READY:
        line, label = say(f"footer.line-{name}"), say(f"footer.button-{name}")
        subject = say("subject.order", game=position.game_id, order=label)
        subject = tagged_subject(subject, reader.tag) if reader.tag else subject
        found.append(Button(label, reply_link(reader.reply_to, subject, (f"{line} " if line.endswith(":") else line,))))
    return tuple(found)
