"""All tables of version 1.0.0.

Before version 1.0.0, twelve migrations created the same tables, so its first schema has the number 0012.
"""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _games()
    _tournaments()
    _desk()
    _forum()
    _workers()
    _installation()


def _games() -> None:
    _table("form", _text("code game_id faction lines"), key="code")
    _index("form", "game_id")
    _table(
        "game",
        _text("id ruleset options seed commitment status"),
        _number("turn"),
        _text("phase created_at"),
        _number("entries events"),
        _text("rules_digest winners"),
        _number("revision"),
        _text("tempo", default="table"),
        _text("clock", default="{}"),
        _text("stopped_at stopped_why call call_due", default=""),
        _text("archive", default="hidden public-only"),
        _text("record_head", default=""),
        _number("record_lines", default="0"),
        _bytes("record_key", default=""),
        _text("press", default=""),
        _flag("blind", default=sa.false()),
        _text("on_hold", default=""),
        key="id",
    )
    _index("game", "status")
    _table(
        "letter",
        _number("id"),
        _text("message_id"),
        _text("game_id faction", null=True),
        _text("envelope_from recipient subject"),
        _bytes("content"),
        _text("created_at"),
        _text("sent_at next_try_at", null=True),
        _number("tries"),
        _text("error"),
        _text("claimed_by", default=""),
        _text("claimed_until", null=True),
        _text("pictures", default=""),
        key="id",
        unique="message_id",
    )
    _index("letter", "game_id next_try_at")
    waits = sa.text("next_try_at IS NOT NULL")
    op.create_index("ix_letter_waiting", "letter", ["id"], sqlite_where=waits, postgresql_where=waits)
    _table(
        "message",
        _number("id"),
        _text("key digest message_id sender subject received_at disposition reason"),
        _text("game_id faction", null=True),
        _bytes("raw"),
        _text("content written", default=""),
        key="id",
    )
    _index("message", "digest")
    _index("message", "key", unique=True)
    _index("message", "message_id")
    op.create_index("ix_message_of_seat", "message", ["game_id", "faction", "received_at"])
    _index("message", "content disposition")
    _table(
        "deadline",
        _text("game_id opened_at faction kind subject due state"),
        _flag("missed"),
        _number("reminded"),
        _text("until asked_at", default=""),
        _flag("duty", default=sa.false()),
        key="game_id opened_at faction kind subject",
        of="game",
    )
    op.create_index("ix_deadline_to_remind", "deadline", ["state", "reminded", "due"])
    op.create_index("ix_deadline_state_until", "deadline", ["state", "until"])
    _table(
        "entry",
        _text("game_id"),
        _number("number"),
        _text("at"),
        _bytes("data"),
        _number("message_id", null=True),
        _text("sheet", default=""),
        key="game_id number",
        of="game",
    )
    _table("event", _text("game_id"), _number("number turn"), _bytes("data"), key="game_id number", of="game")
    _table(
        "seat",
        _text("game_id faction"),
        _number("dot"),
        _text("address name timezone"),
        _number("generation"),
        _text("token"),
        _number("told letters"),
        _text("last_message_id"),
        _flag("unreachable"),
        _text("waking called", default=""),
        _number("bank extended away missed", default="0"),
        _flag("care", default=sa.false()),
        _text("warned", default=""),
        _number("undelivered waited lent fruitless", default="0"),
        _text("undelivered_at unreachable_since waits_until warned_at bounce_token", default=""),
        _number("drawn", default="0"),
        _text("board pictures", default=""),
        _text("letters_mode", default="all"),
        _text("digest_due asked_by_desk sitter sitter_name sitter_token sitter_until", default=""),
        _number("sittings", default="0"),
        key="game_id faction",
        of="game",
    )
    _index("seat", "address")
    _index("seat", "token bounce_token", unique=True)
    _index("seat", "digest_due sitter_token sitter_until")
    _table(
        "snapshot",
        _text("game_id"),
        _number("number turn"),
        _text("phase"),
        _number("entries events"),
        _bytes("state"),
        _text("digest"),
        _text("head", default=""),
        key="game_id number",
        of="game",
    )
    _table(
        "sheet",
        _text("game_id faction"),
        _number("number"),
        _text("line filed_at"),
        _number("turn left"),
        _text("state note"),
        _number("filed changed"),
        _text("acted"),
        key="game_id faction number",
        of="game",
    )
    _table("absence", _text("game_id faction first last filed_at"), key="game_id faction first", of="game")
    _table(
        "overrun",
        _text("game_id opened_at faction kind subject hours zone"),
        _number("left"),
        key="game_id opened_at faction kind subject",
        of="game",
    )
    _table("pulse", _text("name at failing_since"), key="name")
    _table(
        "act",
        _number("id"),
        _text("game_id at what why"),
        _text("who right words tell", default=""),
        key="id",
        of="game",
    )
    _index("act", "game_id")
    _table(
        "observer",
        _text("game_id address token since"),
        _number("turn letters"),
        _text("board", default=""),
        _number("drawn delay", default="0"),
        _flag("full", default=sa.false()),
        key="game_id address",
        of="game",
    )
    _index("observer", "token", unique=True)
    _table("address", _number("id person"), _text("address"), _flag("used"), _text("code asked_at"), key="id")
    _index("address", "person address code")
    _table("old_token", _text("token game_id faction"), key="token", of="game")
    _table(
        "rollback",
        _number("id"),
        _text("game_id at"),
        _number("entries events turn"),
        _text("phase why"),
        _flag("undone", default=sa.false()),
        key="id",
        of="game",
    )
    _index("rollback", "game_id")
    _table("picture", _text("digest"), _bytes("png"), key="digest")
    _table("pseudonym", _number("id"), _text("name folded"), _flag("listed"), key="id")
    _index("pseudonym", "folded", unique=True)
    op.create_table(
        "seat_pseudonym",
        *_text("game_id faction"),
        *_number("pseudonym"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.ForeignKeyConstraint(["pseudonym"], ["pseudonym.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction"),
    )
    _index("seat_pseudonym", "pseudonym")
    _table("record_part", _text("game_id"), _number("first"), _bytes("data"), key="game_id first", of="game")
    _table("measurement", _text("name label"), _real("value"), key="name label")


def _tournaments() -> None:
    _table("rated_person", _number("id"), _text("address name"), _flag("private"), key="id")
    _index("rated_person", "address")
    _table(
        "tournament",
        _text("id title settings settings_digest state commitment secret beacon token created_at"),
        _text("opened_at until finished_at"),
        _text("digest_on", null=True),
        _number("acts revision"),
        key="id",
    )
    _index("tournament", "state")
    _index("tournament", "token", unique=True)
    _table(
        "apart",
        _text("tournament_id"),
        _number("one other"),
        _text("why"),
        _flag("shown"),
        key="tournament_id one other",
        of="tournament",
    )
    _table("duty_count", _text("game_id address"), _number("duties on_time"), key="game_id address", of="game")
    _table(
        "entrant",
        _text("tournament_id"),
        _number("number"),
        _text("handle address name"),
        _flag("shown"),
        _text("state"),
        _flag("standby"),
        _text("code code_until"),
        _number("guesses"),
        _text("token entered_at confirmed_at timezone"),
        _number("hours"),
        _text("rating reliability conduct connections"),
        _flag("no_show"),
        _text("digest_due"),
        _text("bounce_token", default=""),
        _number("undelivered", default="0"),
        _text("undelivered_at", default=""),
        key="tournament_id number",
        of="tournament",
    )
    _index("entrant", "address code")
    _index("entrant", "token bounce_token", unique=True)
    _table(
        "paper",
        _number("id"),
        _text("tournament_id"),
        _number("entrant"),
        _text("kind"),
        _number("round table"),
        _text("words at until state"),
        key="id",
        of="tournament",
    )
    op.create_index("ix_paper_due", "paper", ["state", "until"])
    _index("paper", "tournament_id")
    op.create_table(
        "rating",
        *_text("game_id faction"),
        *_number("person number"),
        *_text("before after scored expected k faction_before faction_after"),
        sa.ForeignKeyConstraint(["person"], ["rated_person.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction", "person"),
    )
    _index("rating", "number person")
    _table(
        "tenure",
        _text("tournament_id"),
        _number("round table dot number"),
        _text("faction"),
        _number("entrant first last"),
        _text("why"),
        _flag("resigned ordered"),
        _number("price spice"),
        _text("since"),
        key="tournament_id round table dot number",
        of="tournament",
    )
    _index("tenure", "entrant")
    _table(
        "tournament_act",
        _text("tournament_id"),
        _number("number"),
        _text("at who right command words why audience opens_at"),
        key="tournament_id number",
        of="tournament",
    )
    _table(
        "tournament_result",
        _text("tournament_id"),
        _number("round table version"),
        _text("state"),
        _bytes("outcome"),
        _text("by why at stands_at"),
        key="tournament_id round table version",
        of="tournament",
    )
    _table(
        "tournament_right",
        _text("tournament_id address right token since"),
        key="tournament_id address",
        of="tournament",
    )
    _index("tournament_right", "token", unique=True)
    _table(
        "tournament_round",
        _text("tournament_id"),
        _number("number"),
        _text("kind state opens ends noticed_at"),
        _number("hidden_turn"),
        _bytes("draw"),
        key="tournament_id number",
        of="tournament",
    )
    _table(
        "tournament_table",
        _text("tournament_id"),
        _number("round number"),
        _text("game_id"),
        _number("size"),
        _text("state deadline"),
        _number("last_turn"),
        _text("still_since"),
        key="tournament_id round number",
        of="tournament",
    )
    _index("tournament_table", "game_id state")


def _desk() -> None:
    _table(
        "ban",
        _number("id"),
        _text("address tournament_id kind why who since until lifted_at"),
        _text("lifted_why lifted_by", default=""),
        key="id",
    )
    _index("ban", "address")
    _table("master_note", _number("id"), _text("game_id about words who at"), _flag("successor"), key="id")
    _index("master_note", "about game_id")
    _table("game_right", _text("game_id address right token since"), key="game_id address", of="game")
    _index("game_right", "token", unique=True)
    _table(
        "held_lines",
        _number("id"),
        _text("game_id faction lines"),
        _number("message_id", null=True),
        _text("at"),
        key="id",
        of="game",
    )
    _index("held_lines", "game_id")
    _table(
        "master_code",
        _text("code game_id address line"),
        _number("entries"),
        _text("asked_at until state"),
        key="code",
        of="game",
    )
    _index("master_code", "game_id")
    _table("master_ruling", _number("id"), _text("game_id tournament_id words clause at"), key="id", of="game")
    _index("master_ruling", "game_id tournament_id")
    _table("muted", _text("game_id faction since"), key="game_id faction", of="game")
    _table(
        "press",
        _number("id"),
        _text("game_id"),
        _number("number"),
        _text("faction readers said_readers words"),
        _flag("signed"),
        _number("turn"),
        _text("at due state reported_by objected"),
        key="id",
        of="game",
    )
    _index("press", "due game_id state")
    _table(
        "withheld",
        _number("id"),
        _text("game_id token"),
        _number("covers due_turn events"),
        _text("subject text html"),
        _bytes("picture", null=True),
        key="id",
        of="game",
    )
    _index("withheld", "game_id token")
    _table(
        "dropped_entry",
        _number("rollback_id number"),
        _text("at"),
        _bytes("data"),
        _number("message_id", null=True),
        _text("sheet"),
        key="rollback_id number",
        of="rollback",
    )


def _forum() -> None:
    _table(
        "forum_state",
        _text("forum work problem failing_since"),
        _number("failures"),
        _text("wait_until"),
        _real("skew_seconds"),
        _text("messages_cursor", null=True),
        key="forum work",
    )
    _table(
        "forum_block",
        _text("game_id"),
        _number("number"),
        _text("thread text key"),
        _text("title", null=True),
        _flag("posted"),
        key="game_id number",
        of="game",
    )
    _table(
        "forum_code",
        _text("game_id faction code name"),
        _number("generation"),
        _text("until"),
        key="game_id faction",
        of="game",
    )
    _table(
        "forum_link",
        _text("game_id faction forum account author"),
        _number("generation"),
        _text("since"),
        key="game_id faction",
        of="game",
    )
    _index("forum_link", "account")
    _table(
        "forum_list_mail",
        _number("id"),
        _text("forum"),
        _number("message_id"),
        _text("arrived_at"),
        key="id",
        unique="message_id",
        of="message",
    )
    _index("forum_list_mail", "forum")
    _table("forum_pasted", _number("id"), _text("game_id thread post data"), key="id", of="game")
    _index("forum_pasted", "game_id")
    _table(
        "forum_post",
        _number("id"),
        _text("game_id kind key title text"),
        _number("turn"),
        _text("at post"),
        _number("number", null=True),
        _text("posted_at"),
        _number("tries"),
        _text("next_try_at"),
        key="id",
        unique="key",
        of="game",
    )
    _index("forum_post", "game_id posted_at")
    _table(
        "forum_remark", _number("id"), _text("game_id kind post author faction in_force reason"), key="id", of="game"
    )
    _index("forum_remark", "game_id")
    _table(
        "forum_seen",
        _text("game_id post"),
        _number("id"),
        _number("number", null=True),
        _text("author account faction posted seen_at digest"),
        _bytes("raw"),
        _text("lines look_at state"),
        _flag("told"),
        key="game_id post",
        of="game",
    )
    _index("forum_seen", "account id look_at told")
    _table(
        "forum_thread",
        _text("game_id forum thread url title first_post"),
        _text("cursor", null=True),
        _number("told told_turn told_snapshot looked"),
        _text("read_at"),
        _flag("closed"),
        _text("problem problem_since"),
        key="game_id",
        of="game",
    )
    _index("forum_thread", "forum")


def _workers() -> None:
    _table(
        "inbox",
        _number("id"),
        _text("key"),
        _bytes("raw"),
        _number("too_large"),
        _text("sender"),
        _text("game_id", null=True),
        _text("arrived_at"),
        _number("tries"),
        _text("disposition reason"),
        _flag("shunt"),
        key="id",
    )
    _index("inbox", "key", unique=True)
    _index("inbox", "disposition")
    _table(
        "installation",
        _text("id made_at"),
        _text("held_since", null=True),
        _text("held_why"),
        _text("restored_copy_at copied_at", null=True),
        _text("copied_by address"),
        key="id",
    )
    _table("leader", _text("work"), _number("number"), _text("holder since"), key="work")
    _table("worker", _text("name role host version started_at seen_at"), key="name")


def _installation() -> None:
    made_at = datetime.now(UTC).isoformat(timespec="microseconds")
    row = {"id": secrets.token_hex(16), "made_at": made_at, "held_why": "", "copied_by": "", "address": ""}
    columns: list[sa.ColumnClause[str]] = [sa.column(name) for name in row]
    op.bulk_insert(sa.table("installation", *columns), [row])


def _columns(
    kind: type[sa.types.TypeEngine[Any]], names: str, *, null: bool = False, default: Any = None
) -> Iterator[sa.Column[Any]]:
    for name in names.split():
        yield sa.Column(name, kind(), nullable=null, server_default=default)


_text = partial(_columns, sa.String)
_number = partial(_columns, sa.Integer)
_flag = partial(_columns, sa.Boolean)
_bytes = partial(_columns, sa.LargeBinary)
_real = partial(_columns, sa.Float)


def _table(name: str, *columns: Iterator[sa.Column[Any]], key: str, of: str = "", unique: str = "") -> None:
    """Create a table with this primary key. ``of`` is the table that its ``game_id`` or similar column references."""
    op.create_table(
        name,
        *chain.from_iterable(columns),
        *([sa.ForeignKeyConstraint([f"{of}_id"], [f"{of}.id"])] if of else []),
        sa.PrimaryKeyConstraint(*key.split()),
        *([sa.UniqueConstraint(unique)] if unique else []),
    )


def _index(table: str, columns: str, *, unique: bool = False) -> None:
    for column in columns.split():
        op.create_index(f"ix_{table}_{column}", table, [column], unique=unique)
