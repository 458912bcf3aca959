"""Posts in a forum group: acts count in any formatting, unclear lines are answered, and talk is ignored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.channels import Dialect
from bot.forum.posting import Manner
from bot.store import forum_posts
from bot.store.database import reading
from tests.channels.memory import ROOMY
from tests.forum.place import GAME, SIX, ForumWorld

MARKDOWN, BBCODE, BGG, TEXT = Dialect.MARKDOWN, Dialect.BBCODE, Dialect.BGG, Dialect.TEXT

COUNTS = [
    (BBCODE, "[color=red][size=150]!pass[/size][/color]", "pass"),
    (BBCODE, "[quote=chani_77]!bid 9[/quote]\nNever!\n!bid 3", "bid 3"),
    (BGG, "[b][COLOR=#FF0000]!bid 2[/COLOR][/b] :laugh:", "bid 2"),
    (MARKDOWN, "**!bid 3** (sorry for the delay)", "bid 3"),
    (MARKDOWN, "> !bid 9\n\nNope.\n\n- !bid 3 😀", "bid 3"),
    (MARKDOWN, "~~!bid 2~~ !bid 3", "bid 3"),
    (TEXT, "Sorry for being slow, real life.\n   ！Pass, thanks.", "pass"),
    (TEXT, "!I bid 3. Good luck everyone!", "bid 3"),
    (TEXT, "!bid 2\nActually make it 3", "bid 3"),
    (TEXT, "!bid 2\n!bid 2", "bid 2"),
    (TEXT, "@mentat: !bid 2 please", "bid 2"),
    (TEXT, "EDIT: !ich passe", "pass"),
    (TEXT, "OK !pass then", "pass"),
    (BBCODE, "Back from the vet, the cat is fine.\n\n!3", "bid 3"),
]
LIST_COUNTS = [
    ("bid 3 (sorry for the delay)", "bid 3"),
    ("I bid 3.", "bid 3"),
    ("Pass, thanks.", "pass"),
    ("Hi all,\n\nbid 3\n\nCheers,\nChani", "bid 3"),
    ("bid 3\n\nNo wait, 4.", "bid 4"),
    ("Anyone up for a coffee?\n\nI pass.", "pass"),
    ("I pass.\n\nOn Tue, 24 Nov 2026, Mentat <mentat@arrakis.example> wrote:\n> Now up: you\n> bid 9", "pass"),
    ("bid 3\n-- \nChani\nbid 9", "bid 3"),
    ("Fine, I'll take it for 2", "bid 2"),
    ("Mine for 3!", "bid 3"),
    ("no more for me, thanks", "pass"),
]
ANSWERED = [
    "!bid 3 or 4, can't decide", "!bid 3 for the shield, I hope", "!bid 3 if nobody else does", "!bid", "!bid 2½",
    "!Hurray", "Okay then, I'll go with !bid 3", "[spoiler]!bid 3[/spoiler]", "`!bid 3`", "> !bid 9\n!bid 3",
    '[quote="paul_m"]!bid 9[/quote]!bid 3', "!cancel", "!ship 3 to arrakeen",
    "!bid 3\n\nEDIT: I mean !bid 2", "!bid 3\n!bid 2?", "!Pass. Fremen, !bid 3 please",
    "!I'll pass, but Fremen should bid 3", f"Hello\n[b]!bid 3[/b]\n{'x ' * 31_000}",
]  # fmt: skip
LONG = "The Emperor has been far too rich since the second turn, when that storm took half of my people. " * 6
LIST_ANSWERED = [
    "I'll pass, but Fremen should bid 3",
    "I bid 2, and if anyone goes higher I'm out.",
    "I'll go 3 unless Paul wants it, then I pass.",
    "As much as I'd like the card, I have to pass.",
    "I would bid 5 but I'm broke, so pass",
    "Well played, everyone. No bid from me.",
    "I bid three spice, and may God have mercy on my soul.",
    "Sorry, my last mail was meant for the list: bid 3",
    "bid 3 when it's my turn",
    "Charity please!",
    f"{LONG}I bid 3. See you tomorrow.",
    "\n".join(f"Verse {number} of a song" for number in range(60)) + "\n\nbid 3",
    "bid 3 ★Ω",
    f"bid 3\n{'x' * 61_000}",
    "bid 2\nbid 3",
    "bid 2\n\nis what I would bid, or not",
    "plan 5, Stilgar, crysknife, shield",
    "no",
    "2",
    "no thanks",
    "If nobody bids more than 2 I'll take it for 3",
    "I'm out of this one.",
    "I will match anything up to 4.",
]
IN_OTHER_PHASES = [
    ("charity", "I'll have my two spice"),
    ("charity", "Yes to charity, broke again :("),
    ("movement", "I don't ship, but Guild ought to help us against the Harkonnen."),
    ("movement", "No shipment from me, Fremen should watch out."),
]
TALK = [
    "I would bid 9 if I had the spice.", "Great! pass me the salt", "*bids with a heavy heart*", "!!!",
    "Great move", "Wow !!!11",
    "How do I bid? With !bid and the number, is that right?", "[quote]!bid 9[/quote]", "> !pass", "~~!pass~~",
]  # fmt: skip
LIST_TALK = [
    "lol", "What a turn! The Emperor is rich again.", "Guild, you should pass if you ask me.", "wait", "Emperor!",
    "Guild should bid 3 here.", "Nice pass by the Emperor!", "If I were Harkonnen I'd bid 10.", "Don't pass, Emperor!",
    "I passed last time and regretted it.", "Bidding is so slow this turn.", "The Baron ships in style.",
    "Remember: he who controls the spice controls the universe.", "My troops move on their stomachs.", "No comment.",
    "No, I don't think the rules allow that.", "Let's ally next nexus, Guild?", "Charity begins at home.",
]  # fmt: skip


def made(folder: Path, dialect: Dialect, *, plain: bool = False, phase: str = "bidding") -> ForumWorld:
    place = ForumWorld(folder, replace(ROOMY, dialect=dialect), Manner(plain=plain))
    place.begin_at(phase)
    place.link(*SIX)
    place.look(1)
    return place


def counted(place: ForumWorld) -> list[str]:
    with reading(place.world.engine) as conn:
        return [line.canonical for post in forum_posts.seen_in_game(conn, GAME) for line in post.taken]


@pytest.mark.parametrize(("dialect", "post", "act"), COUNTS)
def test_an_act_counts_in_any_dress(dialect: Dialect, post: str, act: str, tmp_path: Path) -> None:
    place = made(tmp_path, dialect)
    place.write(place.bidder(), post)
    place.look(1)
    assert counted(place) == [act]


@pytest.mark.parametrize(("post", "act"), LIST_COUNTS)
def test_what_is_certain_in_a_mail_is_certain_on_a_list(post: str, act: str, tmp_path: Path) -> None:
    place = made(tmp_path, TEXT, plain=True)
    place.write(place.bidder(), post)
    place.look(1)
    assert counted(place) == [act]


@pytest.mark.parametrize(("posts", "plain"), [(ANSWERED, False), (LIST_ANSWERED, True)])
def test_what_is_unclear_is_answered_each_time_and_never_counts(posts: list[str], plain: bool, tmp_path: Path) -> None:
    place = made(tmp_path, BBCODE if not plain else TEXT, plain=plain)
    bidder = place.bidder()
    for post in posts:
        before = place.world.written()
        place.write(bidder, post)
        place.look(4)
        assert [letter.faction for letter in place.world.letters(after=before)] == [bidder], post
    assert counted(place) == []
    assert place.bidder() == bidder


@pytest.mark.parametrize(("phase", "post"), IN_OTHER_PHASES)
def test_an_act_of_any_phase_amid_talk_is_asked_back(phase: str, post: str, tmp_path: Path) -> None:
    place = made(tmp_path, TEXT, plain=True, phase=phase)
    writer, before = next(iter(place.world.asked())), place.world.written()
    place.write(writer, post)
    place.look(4)
    assert [letter.faction for letter in place.world.letters(after=before)] == [writer]
    assert counted(place) == []


@pytest.mark.parametrize(("posts", "plain"), [(TALK, False), (LIST_TALK, True)])
def test_talk_is_left_alone(posts: list[str], plain: bool, tmp_path: Path) -> None:
    place = made(tmp_path, MARKDOWN if not plain else TEXT, plain=plain)
    before, ours = place.world.written(), place.ours()
    for post in posts:
        place.write(place.bidder(), post)
    place.look(4)
    assert place.world.letters(after=before) == []
    assert place.ours() == ours
