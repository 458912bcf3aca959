"""Mails and letters are packed, pictures are kept once; what the last picture showed; which letters a player wants,
and with which pictures.

Every mail and letter is written anew, in portions: a database of 100 MB takes a few seconds.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.bodies import take_apart
from bot.store.packing import MAILS, pack
from bot.store.pictures import digest

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

PORTION = 100


def upgrade() -> None:
    op.create_table(
        "picture",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("png", sa.LargeBinary(), nullable=False),
    )
    op.add_column("letter", sa.Column("pictures", sa.String(), nullable=False, server_default=""))
    op.add_column("observer", sa.Column("board", sa.String(), nullable=False, server_default=""))
    for table in ("observer", "seat"):
        op.add_column(table, sa.Column("drawn", sa.Integer(), nullable=False, server_default="0"))
    for name in ("board", "pictures"):
        op.add_column("seat", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.add_column("seat", sa.Column("letters_mode", sa.String(), nullable=False, server_default="all"))
    op.add_column("seat", sa.Column("digest_due", sa.String(), nullable=False, server_default=""))
    op.create_index("ix_seat_digest_due", "seat", ["digest_due"])
    _pack_messages(op.get_bind())
    _pack_letters(op.get_bind())


def _pack_messages(conn: sa.Connection) -> None:
    after, portion = 0, sa.text(f"SELECT id, raw FROM message WHERE id > :after ORDER BY id LIMIT {PORTION}")
    while rows := conn.execute(portion, {"after": after}).all():
        after = rows[-1].id
        packed = [{"id": row.id, "raw": pack(row.raw, MAILS)} for row in rows if row.raw]
        if packed:
            conn.execute(sa.text("UPDATE message SET raw = :raw WHERE id = :id"), packed)


def _pack_letters(conn: sa.Connection) -> None:
    after, portion = 0, sa.text(f"SELECT id, content FROM letter WHERE id > :after ORDER BY id LIMIT {PORTION}")
    known: set[str] = set()
    while rows := conn.execute(portion, {"after": after}).all():
        after = rows[-1].id
        packed: list[dict[str, object]] = []
        new: dict[str, bytes] = {}
        for row in rows:
            content, pngs = take_apart(row.content)
            names = [digest(png) for png in pngs]
            new |= {name: png for name, png in zip(names, pngs, strict=True) if name not in known}
            if content:
                packed.append({"id": row.id, "content": pack(content, MAILS), "pictures": " ".join(names)})
        if new:
            rows_of_new = [{"digest": name, "png": png} for name, png in new.items()]
            conn.execute(sa.text("INSERT INTO picture (digest, png) VALUES (:digest, :png)"), rows_of_new)
            known |= set(new)
        if packed:
            change = sa.text("UPDATE letter SET content = :content, pictures = :pictures WHERE id = :id")
            conn.execute(change, packed)
