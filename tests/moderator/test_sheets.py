"""Sheets by mail: filed, shown, withdrawn, and answering when their time comes."""

from rules.components import Faction
from tests.moderator.table import World


def told(world: World, to: Faction) -> str:
    """The last letter to a faction, without its line breaks."""
    return " ".join(world.newest(to).text.split())


def test_a_line_for_the_sheet_is_held_and_the_answer_says_how_long(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    world.say("fremen", "standing: charity", "when card 2 and price < 5: bid 5")
    text = told(world, "fremen")
    print(text)
    assert "standing: charity (stands until you withdraw it)" in text
    assert "when card 2 and price < 5: bid 5 (kept until the end of turn 1)" in text
    assert "You would still be asked for a bid, unless card 2 and price < 5" in text


def test_a_line_answers_when_its_time_comes_and_nobody_is_asked(world: World) -> None:
    world.new_game()
    world.silence_until("bidding")
    for faction in world.table().play.state.players:
        world.say(faction, "standing: pass")
    table = world.table()
    assert table.play.state.phase != "bidding"
    assert "passed" in "".join(event.kind for event in table.recent) or table.play.state.phase == "revival"


def test_the_entry_of_a_deputy_names_its_line_and_no_message(world: World) -> None:
    from sqlalchemy import select

    from bot.store.database import reading
    from bot.store.tables import ENTRY

    world.new_game()
    world.silence_until("bidding")
    first = world.table().play.questions()[0].faction
    world.say(first, "bid 1 if card 1")
    with reading(world.engine) as conn:
        rows = conn.execute(select(ENTRY.c.sheet, ENTRY.c.message_id).where(ENTRY.c.sheet != "")).all()
    assert rows == [("1", None)]
