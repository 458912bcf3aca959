"""The forum: threads of games, what is posted there and what was read, whose account is whose; and of bans, why and by
whom they were lifted."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("lifted_why", "lifted_by"):
        op.add_column("ban", sa.Column(column, sa.String(), nullable=False, server_default=""))
    _list_mail()
    op.create_table(
        "forum_state",
        sa.Column("forum", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("failing_since", sa.String(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("wait_until", sa.String(), nullable=False),
        sa.Column("skew_seconds", sa.Float(), nullable=False),
        sa.Column("messages_cursor", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("forum", "work"),
    )
    op.create_table(
        "forum_thread",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("forum", sa.String(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("first_post", sa.String(), nullable=False),
        sa.Column("cursor", sa.String(), nullable=True),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("told_turn", sa.Integer(), nullable=False),
        sa.Column("told_snapshot", sa.Integer(), nullable=False),
        sa.Column("looked", sa.Integer(), nullable=False),
        sa.Column("read_at", sa.String(), nullable=False),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("problem_since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id"),
    )
    op.create_index("ix_forum_thread_forum", "forum_thread", ["forum"], unique=False)
    op.create_table(
        "forum_post",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("post", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("posted_at", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("ix_forum_post_game_id", "forum_post", ["game_id"], unique=False)
    op.create_index("ix_forum_post_posted_at", "forum_post", ["posted_at"], unique=False)
    op.create_table(
        "forum_seen",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("post", sa.String(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("posted", sa.String(), nullable=False),
        sa.Column("seen_at", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("lines", sa.String(), nullable=False),
        sa.Column("look_at", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "post"),
    )
    op.create_index("ix_forum_seen_account", "forum_seen", ["account"], unique=False)
    op.create_index("ix_forum_seen_id", "forum_seen", ["id"], unique=False)
    op.create_index("ix_forum_seen_look_at", "forum_seen", ["look_at"], unique=False)
    op.create_index("ix_forum_seen_told", "forum_seen", ["told"], unique=False)
    op.create_table(
        "forum_link",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("forum", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction"),
    )
    op.create_index("ix_forum_link_account", "forum_link", ["account"], unique=False)
    op.create_table(
        "forum_code",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("until", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction"),
    )
    op.create_table(
        "forum_remark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("post", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("in_force", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_forum_remark_game_id", "forum_remark", ["game_id"], unique=False)
    op.create_table(
        "forum_block",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("posted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "number"),
    )
    op.create_table(
        "forum_pasted",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.Column("post", sa.String(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_forum_pasted_game_id", "forum_pasted", ["game_id"], unique=False)


def _list_mail() -> None:
    op.create_table(
        "forum_list_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("forum", sa.String(), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=False),
        sa.Column("arrived_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["message_id"], ["message.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index("ix_forum_list_mail_forum", "forum_list_mail", ["forum"], unique=False)
