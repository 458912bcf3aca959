"""Pictures of letters: each is kept once, under the hash of its bytes, however many letters show it.

A letter is stored without the pictures in it (``bot.store.bodies``), and beside it stand their hashes, in their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, delete, select

from bot.store.bodies import put_together
from bot.store.inserting import upsert
from bot.store.tables import LETTER, PICTURE


def digest(png: bytes) -> str:
    """What names a picture: the SHA-256 of its bytes."""
    return hashlib.sha256(png).hexdigest()


def keep(conn: Connection, pngs: Iterable[bytes]) -> str:
    """Keep what is new of these; their hashes as they stand beside a letter."""
    named = [(digest(png), png) for png in pngs]
    if named:
        conn.execute(
            upsert(conn, PICTURE).on_conflict_do_nothing(), [{"digest": name, "png": png} for name, png in named]
        )
    return " ".join(name for name, _ in named)


def whole(conn: Connection, letters: Iterable[tuple[bytes, str]]) -> list[bytes]:
    """Letters as they are kept, each with the hashes of its pictures, as they were written."""
    wanted = list(letters)
    kept = _kept(conn, {name for _, names in wanted for name in names.split()})
    return [put_together(content, [kept[name] for name in names.split()]) for content, names in wanted]


def _kept(conn: Connection, names: set[str]) -> Mapping[str, bytes]:
    if not names:
        return {}
    return {row.digest: row.png for row in conn.execute(select(PICTURE).where(PICTURE.c.digest.in_(names)))}


def drop_unused(conn: Connection) -> None:
    """Delete the pictures that no letter shows any more."""
    shown = conn.scalars(select(LETTER.c.pictures).where(LETTER.c.pictures != "").distinct())
    used = {name for names in shown for name in names.split()}
    for name in conn.scalars(select(PICTURE.c.digest)).all():
        if name not in used:
            conn.execute(delete(PICTURE).where(PICTURE.c.digest == name))
