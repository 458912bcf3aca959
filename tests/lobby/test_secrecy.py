"""Two copies of a lobby that differ in one secret send the same letters to everybody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.lobby.requests import Open
from bot.store.database import reading
from bot.store.mail import LETTER
from tests.lobby.people import Lobby

OTHERS = ("ann", "dora", "eve", "hal", "stranger")


@pytest.fixture(autouse=True)
def no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.lobby.tables.secrets.token_hex", lambda size: "5e" * size)


def lived(
    folder: Path, name: str, secret: Callable[[Lobby], None], wishes: dict[str, str], sold: str = ""
) -> dict[str, list[bytes]]:
    (folder / name).mkdir()
    lobby = Lobby.at(folder / name)
    table = lobby.opens("ann", Open(most=5, fewest=4, starts="opener", factions="auction" if sold else "wishes"))
    secret(lobby)
    for joiner in ("bob", "cid", "dora"):
        lobby.joins(joiner, table.id, wishes.get(joiner, ""))
    lobby.says("stranger", "any open games?")
    lobby.opens("hal", Open(most=3))
    lobby.joins("eve", table.id)
    lobby.proves("ann", "my games")
    lobby.wait(24)
    lobby.says("stranger", f"join {table.id}")
    lobby.proves("hal", "games")
    if sold == "to the end":
        lobby.proves("ann", f"start {table.id}")
        assert lobby.table(table.id).state == "started"
    with reading(lobby.world.engine) as conn:
        rows = conn.execute(LETTER.select().order_by(LETTER.c.id)).all()
    lobby.world.engine.dispose()
    found: dict[str, list[bytes]] = {each: [] for each in OTHERS}
    for row in rows:
        who = row.recipient.partition("@")[0]
        if who in found:
            found[who].append(row.content + row.subject.encode() + row.message_id.encode())
    return found


def nothing(_: Lobby) -> None:
    return None


def private_table(lobby: Lobby) -> None:
    lobby.opens("zoe", Open(most=4), kind="private")
    lobby.says("yan", "games")


def an_invitation(lobby: Lobby) -> None:
    private_table(lobby)
    lobby.proves("zoe", "invite xia@example.org")


@pytest.mark.parametrize(
    ("secret", "wishes"),
    [
        (nothing, {"bob": "with emperor", "cid": "with guild, fremen"}),
        (nothing, {}),
        (private_table, {"bob": "with guild, fremen", "cid": "with emperor"}),
        (an_invitation, {"bob": "with guild, fremen", "cid": "with emperor"}),
    ],
    ids=["wishes permuted", "no wishes", "a private table", "an invitation"],
)
def test_others_get_the_same_bytes(tmp_path: Path, secret: Callable[[Lobby], None], wishes: dict[str, str]) -> None:
    one = lived(tmp_path, "one", nothing, {"bob": "with guild, fremen", "cid": "with emperor"})
    other = lived(tmp_path, "other", secret, wishes)
    assert all(one.values())
    assert one == other


@pytest.mark.parametrize(
    ("sold", "bids"),
    [
        ("forming", {"bob": "with emperor 5", "cid": "with guild 2, fremen 1"}),
        ("forming", {}),
        ("to the end", {"bob": "with guild 5, fremen 2", "cid": "with emperor 9"}),
    ],
    ids=["bids permuted", "no bids", "other bids with the same sale"],
)
def test_others_learn_of_bids_what_was_paid_and_no_more(tmp_path: Path, sold: str, bids: dict[str, str]) -> None:
    one = lived(tmp_path, "one", nothing, {"bob": "with guild 2, fremen 1", "cid": "with emperor 5"}, sold)
    other = lived(tmp_path, "other", nothing, bids, sold)
    assert all(one.values())
    assert one == other


def test_a_refusal_to_sit_with_a_ban_says_nothing_before_proof(lobby: Lobby) -> None:
    from bot.desk.people import ban
    from bot.desk.powers import DeskRequest, Use

    table = lobby.opens("ann")
    ban(DeskRequest(lobby.world.moderator.open_games, "", lobby.world.now, Use(why="rude")), "bob@example.org")
    told = len(lobby.letters("bob"))
    for name in ("bob", "cid"):
        lobby.says(name, f"join {table.id}")
    assert lobby.words("bob") == lobby.words("cid")
    assert len(lobby.letters("bob")) == told + 1
