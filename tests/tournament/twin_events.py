"""Two events that differ in one secret, and everything that their viewers get: letters, with the times at which they
were written, and published pages."""

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
"""The players at the first table."""
SECOND = frozenset(range(7, 13))
"""The players at the second table."""

Secret = Callable[[Cup], None]


def nothing(_: Cup) -> None:
    """Do nothing."""


def ask(world: World, sender: str, *lines: str, to: str = OWN) -> None:
    """Send each of these lines in a separate mail."""
    for number, line in enumerate(lines):
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, to, "the cup"
        message["Message-ID"] = f"<{number}.{world.now:%d%H%M}.{sender}>"
        message.set_content(line + "\n")
        world.moderator.deliver(message.as_bytes(), world.now)


def letters(world: World, to: Collection[str]) -> list[tuple[object, ...]]:
    """Return all letters to these addresses, with recipient, time and content."""
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
    """Return everything that these entrants get or can read: their letters, the tournament's page, the list of games in
    the archive, and the public rating list."""
    return {
        "letters": letters(cup.world, {*map(address, viewers), *others}),
        "page": encode_published(document(cup)).decode(),
        "for entrants": encode_published(document(cup, "entrant")).decode(),
        "archive": [(each.id, each.key) for each in shelf.shelved(cup.world.engine)],
        "ratings": shelf.rating_list(cup.world.engine),
    }


def played(folder: Path, secret: Secret, before: Secret = nothing, settings: str = "") -> Cup:
    """Play two tables of a round. The secret event happens at the first table. The players of the second table and a
    stranger ask for everything that they can see, soon afterwards and again after some days."""
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
    """Return the lines in which two views differ, for a readable message."""
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
