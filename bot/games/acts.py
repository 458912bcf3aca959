"""What was done to a game, whole: its act log, and the rollbacks of an older Mentat, which kept them apart."""

from __future__ import annotations

from bot.store import act_log, rollbacks
from bot.store.act_log import Act
from bot.store.database import Connection


def acts_of(conn: Connection, game_id: str) -> list[Act]:
    """Everything that was done to a game, in order."""
    acts = act_log.of_game(conn, game_id)
    known = {act.at for act in acts if act.what == "rollback"}
    older = [
        Act(each.at, "rollback", words=f"to turn {each.turn}, {each.phase}: {each.entries} entries kept", tell=each.why)
        for each in rollbacks.rollbacks_of(conn, game_id)
        if each.at not in known
    ]
    return sorted([*acts, *older], key=lambda act: act.at)
