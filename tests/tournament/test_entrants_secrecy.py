"""An entrant's papers and declarations do not change other people's letters or their times, and no letter contains
another person's address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.store import tournaments
from bot.store.database import reading, writing
from bot.store.mail import LETTER
from bot.store.tournaments import PairApart
from tests.tournament import cup as playing
from tests.tournament.entries import DIRECTOR, Cup, address

PEOPLE = ("ann", "bob", "cid", "dora", "eve", "fay", "gus", "hal")
Secret = Callable[[Cup], None]


def nothing(_: Cup) -> None:
    """Do nothing, as the comparison case."""


def declares(cup: Cup) -> None:
    to = f"mentat+{cup.entrant('ann').token}@arrakis.example"
    cup.says("ann", "connected bob@example.org: my brother", "connected e003", to=to)


def wishes(cup: Cup) -> None:
    to = f"mentat+{cup.entrant('ann').token}@arrakis.example"
    cup.says("ann", "preferences guild, fremen, *", "awake 2-4 Asia/Tokyo", "name hidden", to=to)


def is_kept_apart(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, "cup", PairApart(1, 2, "a quarrel"))


def letters(cup: Cup, but: str) -> list[tuple[object, ...]]:
    """Return all letters to others: recipient, time, sender, subject, Message-ID and content."""
    with reading(cup.world.engine) as conn:
        rows = conn.execute(select(LETTER).order_by(LETTER.c.id)).all()
    return [
        (row.recipient, row.created_at, row.envelope_from, row.subject, row.message_id, bytes(row.content))
        for row in rows if row.recipient != but
    ]  # fmt: skip


def story(folder: Path, secret: Secret) -> Cup:
    """Play an event: eight people enter, one has a secret, the others ask for everything visible, one withdraws."""
    settings = 'title = "The Cup"\nfactions.by = "preference"\npeople.most = 7\n'
    cup = Cup.at(folder, settings)
    for name in PEOPLE:
        cup.enters(name)
    secret(cup)
    cup.wait(2)
    for name in PEOPLE[1:]:
        cup.says(name, "tables", "status", "standings", to=f"mentat+{cup.entrant(name).token}@arrakis.example")
    cup.wait(30)
    cup.says("cid", "withdraw", to=f"mentat+{cup.entrant('cid').token}@arrakis.example")
    cup.wait(24 * 35)
    return cup


@pytest.mark.parametrize("secret", [declares, wishes, is_kept_apart])
def test_others_get_the_same_letters_at_the_same_moments(tmp_path: Path, secret: Secret) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with_it, without = story(tmp_path / "one", secret), story(tmp_path / "other", nothing)
    mine = address("ann")
    if secret is wishes:  # everybody can see that a name is hidden
        assert len(letters(with_it, mine)) == len(letters(without, mine))
    else:
        assert letters(with_it, mine) == letters(without, mine)
    with_it.world.engine.dispose()
    without.world.engine.dispose()


def test_no_letter_of_an_entry_holds_anothers_address(tmp_path: Path) -> None:
    cup = story(tmp_path, nothing)
    found = cup.world.letters()
    assert len(found) > 20
    for sent in found:
        for name in PEOPLE:
            if sent.recipient != address(name):
                assert address(name) not in sent.text + sent.html + sent.subject + str(sent.message["To"])
        assert sent.recipient == DIRECTOR or DIRECTOR not in sent.text + sent.html
        assert not sent.message["Cc"]
        assert not sent.message["Bcc"]
    cup.world.engine.dispose()


def test_no_letter_of_play_holds_anothers_address_or_token(cup: playing.Cup) -> None:
    cup.grant("boss@example.org", "director")
    cup.round(1)
    cup.round(2, [[1, 2, 9, 10, 11, 12], [7, 8, 3, 4, 5, 6]])
    before = cup.world.written()
    for _ in range(6):
        cup.tick(20)
    found = cup.world.letters(after=before)
    assert {sent.recipient for sent in found} >= {playing.address(2), playing.address(8), "boss@example.org"}
    seats = [seat for game in ("cup-1-1", "cup-1-2", "cup-2-1") for seat in cup.world.table(game).seats.values()]
    for sent in found:
        whole = f"{sent.text} {sent.html} {sent.message['Reply-To']}"
        for number in range(1, 13):
            assert sent.recipient == playing.address(number) or playing.address(number) not in whole
        for seat in seats:
            assert sent.recipient == seat.address or seat.token not in whole


def test_equal_names_are_told_apart_and_what_is_written_is_escaped(entry_cup: Cup) -> None:
    entry_cup.enters("ann", line="enter cup as <b>Ann</b>")
    entry_cup.enters("bob", line="enter cup as <b>Ann</b>")
    assert "<b>Ann</b> (E001)" in entry_cup.newest("ann").text
    assert "&lt;b&gt;Ann&lt;/b&gt; (E002)" in entry_cup.newest("bob").html


def test_a_name_cannot_hold_marks_by_which_mail_is_read(entry_cup: Cup) -> None:
    entry_cup.says("ann", "enter cup as [#ypowzixiqjin3ijg] mentat+ypowzixiqjin3ijg@arrakis.example")
    assert "ypowzixiqjin3ijg" not in entry_cup.entrant("ann").name
