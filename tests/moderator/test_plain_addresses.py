"""Mail providers without plus addressing (RFC 5233): the reply token is in the subject instead."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from tests.moderator.table import ADDRESS, CONFIG, GAME, World


def plain(folder: Path) -> World:
    world = World.at(folder, CONFIG.replace("[mentat]\n", "[mentat]\nplus_addressing = false\n"))
    world.new_game()
    return world


def test_letters_are_answered_to_the_plain_address_and_name_the_seat_in_the_subject(tmp_path: Path) -> None:
    world = plain(tmp_path)
    for letter in world.letters():
        if letter.faction:
            token = world.token(letter.faction)  # a letter's faction is always in the game
            assert letter.message["Reply-To"].addresses[0].addr_spec == ADDRESS
            assert letter.envelope_from == ADDRESS
            assert letter.subject.endswith(f"[#{token}]")


def test_an_answer_with_the_tag_is_taken_and_one_without_is_not(tmp_path: Path) -> None:
    world = plain(tmp_path)
    line = world.line("bene-gesserit", "prediction")
    lost = world.mail("bene-gesserit", line, to=ADDRESS)
    assert world.moderator.deliver(lost, world.now).disposition == "rejected"
    tagged = world.mail("bene-gesserit", line, to=ADDRESS, subject=f"Re: x [#{world.token('bene-gesserit')}]")
    verdict = world.moderator.deliver(tagged, world.now)
    assert (verdict.disposition, verdict.game_id) == ("orders", GAME)


def test_the_ready_replies_carry_the_tag(tmp_path: Path) -> None:
    world = plain(tmp_path)
    prediction = world.line("bene-gesserit", "prediction")
    world.moderator.deliver(
        world.mail("bene-gesserit", prediction, to=ADDRESS, subject=f"[#{world.token('bene-gesserit')}]"), world.now
    )
    html = unquote(world.newest("guild").html)
    assert f"mailto:{ADDRESS}?subject=" in html
    assert f"[#{world.token('guild')}]" in html
