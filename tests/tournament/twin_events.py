"""Two events that differ in one secret, and all that their viewers get: letters with their moments, and what is
published."""

from __future__ import annotations

from collections.abc import Callable, Collection
from email.message import EmailMessage
from pathlib import Path

from sqlalchemy import select

from bot.archive import shelf
from bot.competition.published import Published, encode_published
from bot.store.database import reading
from bot.store.mail import LETTER
from bot.store.publication import Viewer, published_tournament
from tests.moderator.table import World
from tests.tournament.cup import CUP, Cup, address, cup_at

OWN = "mentat@arrakis.example"
LINES = ("standings cup", "tables cup", "status cup", "help cup")
FIRST = frozenset(range(1, 7))
"""Who sits at the first table."""
SECOND = frozenset(range(7, 13))
"""Who sits at the second."""

Secret = Callable[[Cup], None]


def nothing(_: Cup) -> None:
    """Nothing happens."""


def ask(world: World, sender: str, *lines: str, to: str = OWN) -> None:
    """Somebody writes these lines, a mail each."""
    for number, line in enumerate(lines):
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, to, "the cup"
        message["Message-ID"] = f"<{number}.{world.now:%d%H%M}.{sender}>"
        message.set_content(line + "\n")
        world.moderator.deliver(message.as_bytes(), world.now)


def letters(world: World, to: Collection[str]) -> list[tuple[object, ...]]:
    """All letters to these addresses: to whom, when, and every byte."""
    with reading(world.engine) as conn:
        rows = conn.execute(select(LETTER).order_by(LETTER.c.recipient, LETTER.c.id)).all()
    return [
        (row.recipient, row.created_at, row.envelope_from, row.subject, row.message_id, bytes(row.content))
        for row in rows if row.recipient in to
    ]  # fmt: skip


def document(cup: Cup, viewer: Viewer = "everybody") -> Published:
    with reading(cup.world.engine) as conn:
        return published_tournament(conn, CUP, cup.now, viewer)


def seen_by(cup: Cup, viewers: Collection[int], others: Collection[str] = ()) -> dict[str, object]:
    """All that these entrants get and can read: their letters, the page of the tournament, what the archive offers, and
    the public list of ratings."""
    return {
        "letters": letters(cup.world, {*map(address, viewers), *others}),
        "page": encode_published(document(cup)).decode(),
        "for entrants": encode_published(document(cup, "entrant")).decode(),
        "archive": [(each.id, each.key) for each in shelf.shelved(cup.world.engine)],
        "ratings": shelf.rating_list(cup.world.engine),
    }


def played(folder: Path, secret: Secret, before: Secret = nothing, settings: str = "") -> Cup:
    """Two tables of a round are played. The secret happens at the first; those at the second, and a stranger, ask for
    all that they can see, then and after some days."""
    folder.mkdir()
    cup = cup_at(folder, settings)
    cup.round()
    before(cup)
    cup.tick(1)
    secret(cup)
    for hours in (1, 30):
        cup.tick(hours)
        for number in SECOND:
            ask(cup.world, address(number), LINES[number % len(LINES)])
        ask(cup.world, "stranger@example.org", LINES[0])
    return cup


def differences(one: dict[str, object], other: dict[str, object]) -> list[str]:
    """The lines in which two views differ, for a message that can be read."""
    found = []
    for name, mine in one.items():
        theirs = other[name]
        if isinstance(mine, str) and isinstance(theirs, str):
            pairs = zip(mine.splitlines(), theirs.splitlines(), strict=False)
            found += [f"{name}: {m.strip()} | {t.strip()}" for m, t in pairs if m != t]
        elif isinstance(mine, list) and isinstance(theirs, list):
            found += [f"{name}: {m!r:.400} | {t!r:.400}" for m, t in zip(mine, theirs, strict=False) if m != t]
            found += [f"{name}: {len(mine)} | {len(theirs)}"] if len(mine) != len(theirs) else []
        elif mine != theirs:
            found.append(f"{name}: {mine} | {theirs}")
    return found
