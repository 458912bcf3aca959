"""Tests that each public letter about a turn ends with the same head for everybody: the digest of a record line."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.desk import sight
from bot.desk.powers import DeskRequest
from bot.record.lines import End, Head, decode, digest
from rules.components import FACTIONS, Faction
from tests.moderator.table import GAME, Sent, World
from tests.moderator.twins import Twins
from tests.secrecy.silent_games import silent_game

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
ANN = "ann@elsewhere.example"
LINE = re.compile(r"^record so far: ([0-9a-f]{16})\r?$", re.MULTILINE)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a finished game with an observer, in which one player writes now and then."""
    world = World.at(tmp_path_factory.mktemp("played"))
    world.new_game("wbc-2018", factions=FEW, max_turns=2)
    sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), ANN)
    spoken = 0
    while world.wait(24):
        spoken += 1
        if spoken % 5 == 0:
            world.say("guild", "status", "bid 1", "pass")
    yield world
    world.engine.dispose()


def is_public(letter: Sent) -> bool:
    """Return True if the letter is about a turn that has ended."""
    return bool(turn_of(letter)) and "The game is over" not in letter.subject


def turn_of(letter: Sent) -> str:
    told = re.search(rf"{GAME}: (turn \d+).* is over", letter.text)
    return told[1] if told else ""


def record_of(world: World) -> list[bytes]:
    (attached,) = [part for letter in world.letters("guild") for part in letter.message.iter_attachments()]
    assert attached.get_filename() == f"{GAME}.jsonl.gz"
    return gzip.decompress(attached.get_content()).splitlines()


def test_each_letter_about_a_turn_ends_with_one_head_the_same_to_everybody(played: World) -> None:
    heads: dict[str, set[str]] = {}
    for letter in played.letters():
        found = LINE.findall(letter.text)
        if is_public(letter):
            (head,) = found
            heads.setdefault(turn_of(letter), set()).add(head)
            assert letter.html.count(f"record so far: {head}") == 1
            assert letter.text.index(head) > letter.text.index("THE TABLE")
    assert len(heads) == 2
    assert all(len(same) == 1 for same in heads.values())
    assert len(set.union(*heads.values())) == 2
    assert len([letter for letter in played.letters(ANN) if LINE.search(letter.text)]) == 2


def test_no_other_letter_has_a_head_but_the_last(played: World) -> None:
    others = [letter for letter in played.letters() if not is_public(letter) and LINE.search(letter.text)]
    assert sorted(str(letter.faction) for letter in others) == sorted(FEW)
    assert all("The game is over" in letter.subject for letter in others)


def test_each_published_head_is_the_digest_of_a_line_of_the_record(played: World) -> None:
    digests = [digest(line)[:16] for line in record_of(played)]
    published = [head for letter in played.letters("atreides") for head in LINE.findall(letter.text)]
    places = [digests.index(head) for head in published]
    assert places == sorted(places)
    assert places[-1] == len(digests) - 1
    assert isinstance(decode(record_of(played)[-1]), End)


def test_the_last_letter_brings_the_record_and_says_how_to_check_it(played: World) -> None:
    record = record_of(played)
    assert isinstance(decode(record[0]), Head)
    (last,) = [letter for letter in played.letters("harkonnen") if "The game is over" in letter.subject]
    said = " ".join(last.text.split())
    whole = hashlib.sha256(b"".join(line + b"\n" for line in record)).hexdigest()
    parts = " ".join(whole[start : start + 16] for start in range(0, 64, 16))
    assert f"{GAME}.jsonl has the SHA-256 {parts}" in said
    checks = f"python3 check.py {GAME}.jsonl” checks its chain, the seed and every draw, and ends with "
    assert f"{checks}{digest(record[-1])[:16]}" in said
    assert f"mentat game verify {GAME}.jsonl.gz" in said


def test_a_head_tells_not_what_was_done_in_secret_nor_when(tmp_path: Path) -> None:
    """The Guild waive Karama reactions in one world, so its record has one more entry. Letters keep their times, and
    only the digits of the heads differ."""
    (tmp_path / "stands").mkdir()
    stands = silent_game(tmp_path / "stands", "table", "bidding")
    twins = Twins(stands, tmp_path, "twins")
    one, other = twins.one, twins.other
    other.say("guild", "waive reactions until mentat")
    assert other.table().lines > one.table().lines
    turn = one.table().play.state.turn
    before = len(one.letters("atreides"))
    while one.table().play.state.turn == turn:
        one.wait(12)
        other.wait(12)
        assert list(twins.differences([*(f for f in FACTIONS if f != "guild"), "public"])) == []
    told = [[LINE.search(letter.text) for letter in world.letters("atreides")[before:]] for world in (one, other)]
    assert [bool(found) for found in told[0]] == [bool(found) for found in told[1]]
    heads = [[found[1] for found in half if found] for half in told]
    assert len(heads[0]) == 1
    assert heads[0] != heads[1]
    twins.close()
    stands.engine.dispose()
