"""Tournaments: who may run and who has entered them, rounds, tables, seats, results, acts, papers; and ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rated_person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_rated_person_address", "rated_person", ["address"], unique=False)
    op.create_table(
        "tournament",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("settings", sa.String(), nullable=False),
        sa.Column("settings_digest", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("beacon", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("opened_at", sa.String(), nullable=False),
        sa.Column("until", sa.String(), nullable=False),
        sa.Column("finished_at", sa.String(), nullable=False),
        sa.Column("digest_on", sa.String(), nullable=True),
        sa.Column("acts", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_tournament_state", "tournament", ["state"], unique=False)
    op.create_index("ix_tournament_token", "tournament", ["token"], unique=True)
    op.create_table(
        "apart",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("one", sa.Integer(), nullable=False),
        sa.Column("other", sa.Integer(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "one", "other"),
    )
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("standby", sa.Boolean(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("code_until", sa.String(), nullable=False),
        sa.Column("guesses", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("entered_at", sa.String(), nullable=False),
        sa.Column("confirmed_at", sa.String(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("hours", sa.Integer(), nullable=False),
        sa.Column("rating", sa.String(), nullable=False),
        sa.Column("reliability", sa.String(), nullable=False),
        sa.Column("conduct", sa.String(), nullable=False),
        sa.Column("connections", sa.String(), nullable=False),
        sa.Column("no_show", sa.Boolean(), nullable=False),
        sa.Column("digest_due", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "number"),
    )
    op.create_index("ix_entrant_address", "entrant", ["address"], unique=False)
    op.create_index("ix_entrant_code", "entrant", ["code"], unique=False)
    op.create_index("ix_entrant_token", "entrant", ["token"], unique=True)
    op.create_table(
        "paper",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("until", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_paper_due", "paper", ["state", "until"], unique=False)
    op.create_index("ix_paper_tournament_id", "paper", ["tournament_id"], unique=False)
    op.create_table(
        "duty_count",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("duties", sa.Integer(), nullable=False),
        sa.Column("on_time", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "address"),
    )
    op.create_table(
        "rating",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("before", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=False),
        sa.Column("scored", sa.String(), nullable=False),
        sa.Column("expected", sa.String(), nullable=False),
        sa.Column("k", sa.String(), nullable=False),
        sa.Column("faction_before", sa.String(), nullable=False),
        sa.Column("faction_after", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"],
            ["rated_person.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "faction", "person"),
    )
    op.create_index("ix_rating_number", "rating", ["number"], unique=False)
    op.create_index("ix_rating_person", "rating", ["person"], unique=False)
    op.create_table(
        "tenure",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table", sa.Integer(), nullable=False),
        sa.Column("dot", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("resigned", sa.Boolean(), nullable=False),
        sa.Column("ordered", sa.Boolean(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("spice", sa.Integer(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "round", "table", "dot", "number"),
    )
    op.create_index("ix_tenure_entrant", "tenure", ["entrant"], unique=False)
    op.create_table(
        "tournament_act",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("right", sa.String(), nullable=False),
        sa.Column("command", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("audience", sa.String(), nullable=False),
        sa.Column("opens_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "number"),
    )
    op.create_table(
        "tournament_result",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("outcome", sa.LargeBinary(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("stands_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "round", "table", "version"),
    )
    op.create_table(
        "tournament_right",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("right", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "address"),
    )
    op.create_index("ix_tournament_right_token", "tournament_right", ["token"], unique=True)
    op.create_table(
        "tournament_round",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("opens", sa.String(), nullable=False),
        sa.Column("ends", sa.String(), nullable=False),
        sa.Column("noticed_at", sa.String(), nullable=False),
        sa.Column("hidden_turn", sa.Integer(), nullable=False),
        sa.Column("draw", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "number"),
    )
    op.create_table(
        "tournament_table",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("deadline", sa.String(), nullable=False),
        sa.Column("last_turn", sa.Integer(), nullable=False),
        sa.Column("still_since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "round", "number"),
    )
    op.create_index("ix_tournament_table_game_id", "tournament_table", ["game_id"], unique=False)
    op.create_index("ix_tournament_table_state", "tournament_table", ["state"], unique=False)
