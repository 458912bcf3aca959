"""A stranger's mail reveals neither the participants nor the existence of tournaments: the answers are the same, at the
same times and as frequent."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.competition.published import encode_published
from bot.config.sections import LimitSettings
from bot.store import tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from tests.moderator.table import CONFIG, address_of
from tests.tournament.entries import Cup, address
from tests.tournament.twin_events import OWN, ask, letters

EVE = "eve@example.org"
INVITED = 'title = "The Cup"\npeople.entry = "invited"\n'
LINES = ("standings {}", "tables {}", "withdraw {}", "enter {} as Eve", "status {}", "enter {} standby")
SITUATIONS = ("nothing of the name", "a draft", "invitations only", "cancelled", "finished")


def world_with(folder: Path, situation: str) -> Cup:
    """Set up a Mentat with an open tournament and, in most situations, another called "feast"."""
    folder.mkdir()
    cup = Cup.at(folder)
    cup.enters("ann")
    match situation:
        case "a draft":
            cup.make("feast", state="draft")
        case "invitations only":
            cup.make("feast", INVITED)
        case "cancelled" | "finished":
            cup.make("feast", state=situation)
    return cup


def answered(cup: Cup, *lines: str, to: str = OWN, sender: str = EVE) -> list[tuple[object, ...]]:
    ask(cup.world, sender, *lines, to=to)
    cup.wait(3)
    found = letters(cup.world, [sender])
    cup.world.engine.dispose()
    return found


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("situation", SITUATIONS[1:])
def test_a_stranger_is_answered_alike_whether_there_is_a_tournament_or_none(
    tmp_path: Path, situation: str, line: str
) -> None:
    there, none = world_with(tmp_path / "1", situation), world_with(tmp_path / "2", SITUATIONS[0])
    assert answered(there, line.format("feast")) == answered(none, line.format("feast"))


@pytest.mark.parametrize("line", LINES)
def test_a_player_of_another_game_is_answered_alike_too(tmp_path: Path, line: str) -> None:
    there, none = world_with(tmp_path / "1", "invitations only"), world_with(tmp_path / "2", SITUATIONS[0])
    answers = []
    for cup in (there, none):
        cup.world.new_game(game="sietch-12")
        answers.append(answered(cup, line.format("feast"), sender=address_of("guild")))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("line", ["standings cup", "tables cup", "withdraw cup", "preferences guild", "accept"])
def test_who_has_not_confirmed_is_answered_as_a_stranger_is(tmp_path: Path, line: str) -> None:
    entered, stranger = world_with(tmp_path / "1", ""), world_with(tmp_path / "2", "")
    ask(entered.world, EVE, "enter cup")
    for cup in (entered, stranger):
        cup.wait(3)
    before = len(letters(entered.world, [EVE]))
    assert answered(entered, line)[before:] == answered(stranger, line)


@pytest.mark.parametrize("code", ["another's", "used", "none", "of another event"])
def test_a_code_that_is_not_theirs_tells_nothing(tmp_path: Path, code: str) -> None:
    cup, other = world_with(tmp_path / "1", ""), world_with(tmp_path / "2", "")
    used = cup.code("ann")
    cup.says("bob", "enter cup")
    said = {"another's": cup.code("bob"), "used": used, "none": "a" * 16, "of another event": used}[code]
    if code == "of another event":
        for each in (cup, other):  # everybody may know which tournaments are open
            with writing(each.world.engine) as conn:
                tournaments.touch(conn, "cup", state="cancelled")
    assert answered(cup, f"confirm {said}") == answered(other, "confirm bcdefghijklmnopq")
    cup.world.engine.dispose()


def test_a_stranger_learns_nothing_by_another_ones_token(tmp_path: Path) -> None:
    cup = world_with(tmp_path / "1", "")
    before = len(letters(cup.world, [address("ann")]))
    found = answered(
        cup, "standings", "status", "withdraw cup", to=f"mentat+{cup.entrant('ann').token}@arrakis.example"
    )
    assert found == []
    assert len(letters(cup.world, [address("ann")])) == before


@pytest.mark.parametrize("full", [False, True])
def test_an_entry_in_anothers_name_does_not_show_on_the_page_whether_they_take_part(tmp_path: Path, full: bool) -> None:
    pages = []
    for writes_before in (True, False):
        cup = world_with(tmp_path / str(writes_before), "")
        with writing(cup.world.engine) as conn:
            if full:
                tournaments.touch(conn, "cup", settings='title = "The Cup"\npeople.most = 1\n')
        with reading(cup.world.engine) as conn:
            before = encode_published(published_tournament(conn, "cup", cup.world.now))
        ask(cup.world, address("ann") if writes_before else "bob@example.org", "enter cup as Somebody")
        with reading(cup.world.engine) as conn:
            pages.append(encode_published(published_tournament(conn, "cup", cup.world.now)) == before)
        cup.world.engine.dispose()
    assert pages == [True, True]


@pytest.mark.parametrize("who", ["bob@example.org", "e002", "e003"])
@pytest.mark.parametrize("state", ["confirmed", "entered", "nobody"])
def test_an_entrant_does_not_find_out_by_a_declaration_who_takes_part(tmp_path: Path, who: str, state: str) -> None:
    found: list[list[tuple[object, ...]]] = []
    for here in (state, "confirmed"):
        cup = world_with(tmp_path / f"{here}{len(found)}", "")
        if here == "confirmed":
            cup.enters("bob")
        elif here == "entered":
            cup.says("bob", "enter cup")
        own = f"mentat+{cup.entrant('ann').token}@arrakis.example"
        before = len(cup.letters("ann"))
        ask(cup.world, address("ann"), f"connected {who}: we share a flat", "status", "tables", to=own)
        found.append(letters(cup.world, [address("ann")])[before:])
        cup.world.engine.dispose()
    assert len(found[0]) == 3
    assert found[0] == found[1]


# --- letters to others that a stranger can cause ---------------------------------------------------------------------


def forged(cup: Cup, victim: str, hours: int, line: str) -> list[str]:
    """Write hourly in the victim's name; return the subjects of the letters that the victim gets."""
    for _ in range(hours):
        ask(cup.world, f"{victim}@victims.example", line)
        cup.wait(1.1)
    return [sent.subject for sent in cup.world.letters(f"{victim}@victims.example")]


@pytest.mark.parametrize(
    ("line", "most"), [("enter cup", LimitSettings().strangers_letters_per_day), ("standings nope", 2)]
)
def test_a_mailbox_cannot_be_filled_in_its_owners_name(tmp_path: Path, line: str, most: int) -> None:
    cup = world_with(tmp_path / "1", "")
    cup.make("feast")
    found = forged(cup, "bob", 20, line)
    assert 1 <= len(found) <= most
    cup.wait(30)
    assert len(forged(cup, "bob", 1, line)) == len(found) + 1


def test_words_in_somebodys_name_do_not_keep_their_code_from_them(tmp_path: Path) -> None:
    cup = world_with(tmp_path / "1", "")
    forged(cup, "bob", 10, "standings nope")
    assert "Please confirm your entry to" in forged(cup, "bob", 1, "enter cup")[-1]


def test_in_an_hour_no_more_than_so_many_letters_go_to_addresses_that_nobody_has_confirmed(tmp_path: Path) -> None:
    config = CONFIG.replace("[limits]", "[limits]\nstrangers_letters_per_hour = 5")
    cup = Cup.at(tmp_path, config=config)
    cup.enters("ann")
    everybody = [f"guest{number}@victims.example" for number in range(12)]
    for victim in everybody:
        ask(cup.world, victim, "enter cup")
    assert len(letters(cup.world, everybody)) == 5
    before = len(cup.letters("ann"))
    cup.says("ann", "status cup")
    assert len(cup.letters("ann")) == before + 1, "who has confirmed is answered"
    for _ in range(3):
        cup.wait(1.1)
    assert [len(letters(cup.world, [victim])) for victim in everybody] == 12 * [1], "the others got theirs later"
    cup.world.engine.dispose()
